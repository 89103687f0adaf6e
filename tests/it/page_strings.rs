//! The texts of the pages: rule HTTP-125 of `protocol-specs/http.md`, in the files of `src/server/http/paths/page`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Texts of the pages that are the same in every language.
const SAME_EVERYWHERE: [&str; 6] = [
    "gammond",
    "4HPwATDgc/ABMA",
    "8/5 6/5",
    "3-5",
    "1-ply",
    "2-ply",
];
/// Sources of words that the server answers with.
const WORDS: [&str; 4] = [
    "src/game/verdict.rs",
    "src/report/analysis/totals.rs",
    "src/report/analysis/rows.rs",
    "src/report/analysis/cube_offer.rs",
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the page's files with one of these endings, but the table itself.
fn sources(endings: &[&str]) -> Vec<(PathBuf, String)> {
    let folder = root().join("src/server/http/paths/page");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let wanted = files.filter(|path| {
        let ending = path
            .extension()
            .and_then(|ending| ending.to_str())
            .unwrap_or_default();
        endings.contains(&ending) && !path.ends_with("translations.js")
    });
    wanted
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}

/// Returns the rows of the table: the English text, and its translations.
fn rows() -> Vec<(String, Vec<String>)> {
    let text =
        fs::read_to_string(root().join("src/server/http/paths/page/translations.js")).unwrap();
    let (_, object) = text.split_once("export default ").unwrap();
    let lines: Vec<&str> = object
        .lines()
        .filter(|line| line.starts_with("  \""))
        .collect();
    let table = object.trim_end().trim_end_matches(';');
    let table: serde_json::Map<String, serde_json::Value> = serde_json::from_str(table).unwrap();
    assert_eq!(lines.len(), table.len(), "a key stands twice");
    assert!(lines.len() > 100, "{}", lines.len());
    let keys = lines.iter().map(|line| literal(line));
    assert!(
        keys.is_sorted(),
        "the rows are not in the order of their keys"
    );
    let texts = |row: serde_json::Value| serde_json::from_value(row).unwrap();
    table
        .into_iter()
        .map(|(key, row)| (key, texts(row)))
        .collect()
}

/// Returns the holes of a text, sorted.
fn holes(text: &str) -> Vec<&str> {
    let pieces = text.split('{').skip(1);
    let mut found: Vec<&str> = pieces
        .filter_map(|piece| Some(piece.split_once('}')?.0))
        .collect();
    found.sort_unstable();
    found
}

/// Returns the string literal at the beginning of a text, read as JSON.
fn literal(text: &str) -> Option<String> {
    let text = text.trim_start();
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<String>();
    values.next()?.ok()
}

/// Returns the texts of a page: between its tags, and in attributes that people read or hear.
fn texts_of(html: &str) -> Vec<String> {
    let mut html = html.to_owned();
    while let Some((before, rest)) = html.clone().split_once("<noscript>") {
        html = before.to_owned() + rest.split_once("</noscript>").unwrap().1;
    }
    let mut found = Vec::new();
    for piece in html.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap();
        let context = tag
            .split_once("data-context=\"")
            .map(|(_, rest)| rest.split('"').next().unwrap());
        let text = text.trim();
        if !tag.starts_with("title") {
            found.push(
                context.map_or_else(|| text.to_owned(), |context| format!("{text}|{context}")),
            );
        }
        for name in [" aria-label=\"", " alt=\"", " placeholder=\"", " title=\""] {
            let values = tag.split(name).skip(1);
            found.extend(values.map(|rest| rest.split('"').next().unwrap().to_owned()));
        }
    }
    found.retain(|text| {
        text.contains(|letter: char| letter.is_ascii_lowercase()) && !text.contains("{{")
    });
    found
}

/// Pictures have the page's words where both have the same English text.
#[test]
fn pictures_and_pages_translate_alike() {
    let table = fs::read_to_string(root().join("src/report/render/pictures.tsv")).unwrap();
    let rows = rows();
    let mut both = 0;
    // The words beside a cube are about another thing there.
    let lines = table.lines().skip(1);
    for line in lines.filter(|line| !line.starts_with("cubes.")) {
        let cells: Vec<&str> = line.split('\t').skip(1).collect();
        let is_it = |key: &str| key.split('|').next() == cells.first().copied();
        let mut same = rows.iter().filter(|(key, _)| is_it(key)).peekable();
        if same.peek().is_some() {
            both += 1;
            assert!(same.any(|(_, row)| row[..] == cells[1..]), "{line}");
        }
    }
    assert!(both > 20, "{both}");
}

/// HTTP-125: every row has all languages, with the holes of the English text.
#[test]
fn translations_are_complete() {
    let rows = rows();
    assert!(rows.len() > 300, "{}", rows.len());
    for (key, row) in rows {
        assert_eq!(row.len(), 3, "{key}");
        for text in row {
            assert!(!text.trim().is_empty(), "{key}");
            assert_eq!(holes(&text), holes(&key), "{key}: {text}");
            assert!(
                text.chars()
                    .all(|letter| letter != '<' && !letter.is_control()),
                "{text}"
            );
        }
    }
}

/// HTTP-125: every text of the scripts and of the pages is in the table.
#[test]
fn texts_of_pages_are_translated() {
    let known: BTreeSet<String> = rows().into_iter().map(|(key, _)| key).collect();
    let mut used = 0;
    for (path, script) in sources(&["js"]) {
        for call in ["(t(", " t(", "{t(", "[t(", "parts(", "count("] {
            for rest in script.split(call).skip(1) {
                // The first argument of `count` is the number; its two texts follow.
                let (skipped, texts) = if call == "count(" { (1, 2) } else { (0, 1) };
                let line: String = rest.lines().take(1).collect();
                for argument in line.split(", ").skip(skipped).take(texts) {
                    let Some(text) = literal(argument).or_else(|| literal(&line)) else {
                        continue;
                    };
                    assert!(known.contains(&text), "{}: {text:?}", path.display());
                    used += 1;
                }
            }
        }
    }
    for (path, html) in sources(&["html"]) {
        for text in texts_of(&html) {
            let plain = text.split(" {{").next().unwrap();
            let is_same = SAME_EVERYWHERE.contains(&plain);
            assert!(
                is_same || known.contains(&text),
                "{}: {text:?}",
                path.display()
            );
            used += 1;
        }
    }
    assert!(used > 250, "{used}");
}

/// HTTP-125: every row is the translation of a text that is there.
#[test]
fn translations_are_used() {
    let mut everything = String::new();
    for (_, text) in sources(&["js", "html", "rs"]) {
        everything += &text;
    }
    for path in WORDS {
        everything += &fs::read_to_string(root().join(path)).unwrap();
    }
    for (key, _) in rows() {
        let text = key.split('|').next().unwrap().replace('"', "\\\"");
        // A whole literal, or all that stands between two tags: a part of another text is none.
        let is_whole = |(at, _): (usize, &str)| {
            let (before, after) = (&everything[..at], &everything[at + text.len()..]);
            before.trim_end_matches(' ').ends_with(['"', '>']) && after.starts_with(['"', '<', '|'])
        };
        assert!(everything.match_indices(&*text).any(is_whole), "{key}");
    }
}
