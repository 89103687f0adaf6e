//! The rooms' table in ARCHITECTURE.md, which is the only source of who may use whom.

use std::collections::{BTreeMap, BTreeSet};

/// One row of the table.
#[derive(Debug)]
pub(super) struct Room {
    pub(super) layer: u32,
    /// Not built yet: named in the plan, absent from the sources.
    pub(super) planned: bool,
    /// Rooms named one by one.
    pub(super) named: BTreeSet<String>,
    /// Everything that the row allows.
    pub(super) may_use: BTreeSet<String>,
}

/// The rows by the rooms' names.
///
/// A row is `| layer | `room` | duty | may use |`; what a room may use is a list of rooms, `` `room` and
/// below`` for a room and all that are not above it, `all`, or a dash.
pub(super) fn rooms(text: &str) -> BTreeMap<String, Room> {
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("| ") && line.split('|').count() == 6)
        .map(|line| line.split('|').map(str::trim).collect())
        .filter(|cells: &Vec<&str>| cells[1].parse::<u32>().is_ok())
        .collect();
    let layers: BTreeMap<&str, u32> = rows
        .iter()
        .map(|cells| (cells[2].trim_matches('`'), cells[1].parse().unwrap()))
        .collect();
    assert_eq!(layers.len(), rows.len(), "a room has two rows");
    let room = |cells: &Vec<&str>| {
        let name = cells[2].trim_matches('`');
        let mut found = Room {
            layer: layers[name],
            planned: cells[3].contains("not built yet"),
            named: BTreeSet::new(),
            may_use: BTreeSet::new(),
        };
        for part in cells[4]
            .split(',')
            .map(str::trim)
            .filter(|part| *part != "–")
        {
            let (rooms, below) = match part.strip_suffix("and below") {
                Some(rooms) => (rooms.trim(), true),
                None => (part, false),
            };
            if rooms == "all" {
                found
                    .may_use
                    .extend(layers.keys().map(|&room| room.to_owned()));
                continue;
            }
            let other = rooms
                .strip_prefix('`')
                .and_then(|rooms| rooms.strip_suffix('`'))
                .unwrap_or_else(|| {
                    panic!("ARCHITECTURE.md: {name} may use: {part:?} is not understood")
                });
            let layer = *layers.get(other).unwrap_or_else(|| {
                panic!("ARCHITECTURE.md: {name} may use {other}, which has no row")
            });
            if below {
                let lower = layers.iter().filter(|&(_, &there)| there <= layer);
                found
                    .may_use
                    .extend(lower.map(|(&room, _)| room.to_owned()));
            } else {
                found.named.insert(other.to_owned());
                found.may_use.insert(other.to_owned());
            }
        }
        found.may_use.remove(name);
        (name.to_owned(), found)
    };
    rows.iter().map(room).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read() {
        let text = "\
| layer | room | duty | may use |
|---|---|---|---|
| 0 | `a` | first | – |
| 0 | `b` | second | `a` |
| 1 | `c` | third | `b` and below |
| 2 | `d` | not built yet: fourth | all |

| 1 | another | table |
";
        let rooms = rooms(text);
        let may = |name: &str| {
            rooms[name]
                .may_use
                .iter()
                .cloned()
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(rooms.len(), 4);
        assert_eq!((may("a").as_str(), may("b").as_str()), ("", "a"));
        assert_eq!((may("c").as_str(), may("d").as_str()), ("a b", "a b c"));
        assert!(rooms["d"].planned && !rooms["c"].planned);
        assert_eq!(rooms["b"].named.len() + rooms["c"].named.len(), 1);
        assert_eq!(rooms["d"].layer, 2);
    }
}

/// The files that one touches for something new are there, and as many as the table says.
#[test]
fn what_one_touches_is_there() {
    let text = std::fs::read_to_string(super::base().join("ARCHITECTURE.md")).unwrap();
    let (_, rest) = text.split_once("## What one touches").unwrap();
    let (table, _) = rest.split_once("\n## ").unwrap();
    let mut rows = 0;
    for row in table.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [what, _, now, files] = cells[..] else {
            panic!("{row}")
        };
        let Ok(now) = now.parse::<usize>() else {
            continue;
        };
        let mut found = Vec::new();
        for name in files.split('`').skip(1).step_by(2) {
            match (name.split_once('{'), name.split_once('}')) {
                (Some((before, _)), Some((within, after))) => {
                    let within = within.split_once('{').unwrap().1;
                    found.extend(within.split(',').map(|one| format!("{before}{one}{after}")));
                }
                _ => found.push(name.to_owned()),
            }
        }
        let invented = |name: &&String| name.contains("NAME") || name.contains("ROOM");
        for name in found.iter().filter(|name| !invented(name)) {
            assert!(
                super::base().join("src").join(name).exists(),
                "{what}: {name}"
            );
        }
        assert_eq!(found.len(), now, "{what}: {found:?}");
        rows += 1;
    }
    assert_eq!(rows, 5);
}
