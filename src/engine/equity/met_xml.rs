//! GNU Backgammon's match equity table files: a small XML vocabulary (MET-06, MET-07, MET-08).
//!
//! Explicit tables are used unchanged. Of the computed ones, `mec` files give the table that their parameters
//! describe; `zadeh` files (after Zadeh 1977) give the normal-distribution table that GNU Backgammon in fact uses for
//! them, and only the post-Crawford line comes from the parameters. Tables that are not the same for both players are
//! refused: there is no first or second player here.

use super::extension::PostCrawford;
use super::mec;
use super::met::{AWAY_MAX, MatchEquityTable, MetError};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeMap;
use std::str::FromStr;

/// Largest difference that counts as a misprint of a published table.
const UNEVEN_MAX: f64 = 0.01;

/// Elements within elements, at most; a table's entries stand five deep.
const DEPTH_MAX: usize = 16;

/// One `pre-crawford-table` or `post-crawford-table` element.
#[derive(Debug, Default, Clone, PartialEq)]
struct Table {
    kind: String,
    rows: Vec<Vec<f64>>,
    parameters: BTreeMap<String, f64>,
}

/// Contents of the file before they are checked.
#[derive(Debug, Default)]
struct Parsed {
    name: String,
    pre: Option<Table>,
    post: Vec<Table>,
}

impl FromStr for MatchEquityTable {
    type Err = MetError;

    /// Reads the XML text of a table.
    fn from_str(text: &str) -> Result<MatchEquityTable, MetError> {
        let parsed = parse(text)?;
        let pre = parsed.pre.ok_or(MetError::Missing("pre-crawford-table"))?;
        let post = (parsed.post.first()).ok_or(MetError::Missing("post-crawford-table"))?;
        if let Some(other) = parsed.post.get(1) {
            same_line(post, other)?;
        }
        let post_line = post.rows.first().map_or(&[][..], |row| &row[..]);
        let trailer = PostCrawford {
            gammon_rate: post.parameter("gammon-rate-trailer", 0.25),
            free_drop_2: post.parameter("free-drop-2-away", 0.015),
            free_drop_4: post.parameter("free-drop-4-away", 0.004),
        };
        match pre.kind.as_str() {
            "mec" => computed(&parsed.name, &pre, post, post_line),
            "zadeh" => Ok(MatchEquityTable::extended(
                &parsed.name,
                &[],
                post_line,
                trailer,
            )),
            _ => explicit(&parsed.name, &pre, post_line, trailer),
        }
    }
}

impl Table {
    fn parameter(&self, name: &str, default: f64) -> f64 {
        self.parameters.get(name).copied().unwrap_or(default)
    }
}

fn explicit(
    name: &str,
    pre: &Table,
    post: &[f64],
    trailer: PostCrawford,
) -> Result<MatchEquityTable, MetError> {
    let length = pre.rows.len().min(AWAY_MAX);
    if length == 0 {
        return Err(MetError::Missing("row in the pre-crawford-table"));
    }
    let rows: Vec<&[f64]> = pre.rows[..length].iter().map(|row| &row[..]).collect();
    for (mine, row) in rows.iter().enumerate() {
        if row.len() < length {
            return Err(MetError::Number {
                field: format!("length of row {}", mine + 1),
                found: row.len().to_string(),
                want: "as many entries as rows",
            });
        }
        for theirs in 0..mine {
            let (value, other) = (row[theirs], rows[theirs][mine]);
            if (value + other - 1.0).abs() > UNEVEN_MAX {
                return Err(MetError::OneSided {
                    mine: mine + 1,
                    theirs: theirs + 1,
                    value,
                    other,
                });
            }
        }
    }
    Ok(MatchEquityTable::extended(name, &rows, post, trailer))
}

fn computed(
    name: &str,
    pre: &Table,
    post: &Table,
    listed: &[f64],
) -> Result<MatchEquityTable, MetError> {
    let favourite = pre.parameter("win-rate", 0.5);
    if (favourite - 0.5).abs() > 1e-9 {
        return Err(MetError::Number {
            field: "parameter win-rate".to_owned(),
            found: favourite.to_string(),
            want: "0.5 (equal players)",
        });
    }
    let rate = pre.parameter("gammon-rate", 0.25);
    let drops = ["free-drop-2-away", "free-drop-4-away"].map(|key| post.parameter(key, 0.0));
    let table = mec::compute(rate, drops);
    let mut line = table.post;
    for (entry, &value) in line.iter_mut().zip(listed) {
        *entry = value;
    }
    Ok(MatchEquityTable::complete(name, &table.pre, &line))
}

/// Returns an error if the players' post-Crawford lines differ.
fn same_line(one: &Table, two: &Table) -> Result<(), MetError> {
    let (first, second) = (one.rows.first(), two.rows.first());
    let differs = |(_, (a, b)): &(usize, (&f64, &f64))| a != b;
    let pairs = first
        .into_iter()
        .flatten()
        .zip(second.into_iter().flatten());
    match pairs.enumerate().find(differs) {
        None => Ok(()),
        Some((at, (&value, &other))) => Err(MetError::OneSided {
            mine: at + 1,
            theirs: 1,
            value,
            other: 1.0 - other,
        }),
    }
}

fn parse(text: &str) -> Result<Parsed, MetError> {
    let mut reader = Reader::from_str(text);
    let mut parsed = Parsed::default();
    let mut path: Vec<String> = Vec::new();
    let mut parameter = String::new();
    let mut content = String::new();
    loop {
        let event = reader.read_event().map_err(|error| MetError::Xml {
            at: reader.error_position(),
            reason: error.to_string(),
        })?;
        match event {
            Event::Start(tag) => {
                let name = element(&tag);
                path.push(name);
                if path.len() > DEPTH_MAX {
                    return Err(MetError::Xml {
                        at: reader.buffer_position(),
                        reason: format!("elements more than {DEPTH_MAX} deep"),
                    });
                }
                open(&mut parsed, &path, &tag, &mut parameter)?;
                content.clear();
            }
            Event::Text(piece) => content.push_str(&piece),
            Event::GeneralRef(name) => content.push_str(entity(&name)),
            Event::End(_) => {
                let name = path.pop().unwrap_or_default();
                close(&mut parsed, &path, &name, &parameter, content.trim())?;
                content.clear();
            }
            Event::Eof => break,
            _ => {}
        }
    }
    match path.last() {
        None => Ok(parsed),
        Some(name) => Err(MetError::Xml {
            at: reader.buffer_position(),
            reason: format!("element {name} is not closed"),
        }),
    }
}

/// Returns the character that a reference stands for, or nothing.
fn entity(name: &str) -> &'static str {
    match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" => "'",
        _ => "",
    }
}

fn element(tag: &BytesStart<'_>) -> String {
    tag.name().as_ref().to_owned()
}

fn attribute(tag: &BytesStart<'_>, key: &str) -> Option<String> {
    let found = tag.try_get_attribute(key).ok()??;
    Some(found.value.into_owned())
}

fn open(
    parsed: &mut Parsed,
    path: &[String],
    tag: &BytesStart<'_>,
    parameter: &mut String,
) -> Result<(), MetError> {
    let name = path.last().map_or("", String::as_str);
    match name {
        "pre-crawford-table" | "post-crawford-table" => {
            let kind = attribute(tag, "type").unwrap_or_else(|| "explicit".to_owned());
            if !matches!(kind.as_str(), "explicit" | "mec" | "zadeh") {
                return Err(MetError::Number {
                    field: format!("type of {name}"),
                    found: kind,
                    want: "explicit, mec or zadeh",
                });
            }
            let table = Table {
                kind,
                ..Table::default()
            };
            if name == "pre-crawford-table" {
                parsed.pre = Some(table);
            } else {
                parsed.post.push(table);
            }
        }
        "row" => {
            if let Some(table) = current(parsed, path) {
                table.rows.push(Vec::new());
            }
        }
        "parameter" => *parameter = attribute(tag, "name").unwrap_or_default(),
        _ => {}
    }
    Ok(())
}

/// Returns the table whose element is open.
fn current<'a>(parsed: &'a mut Parsed, path: &[String]) -> Option<&'a mut Table> {
    let inside = |outer: &str| path.iter().any(|element| element == outer);
    if inside("pre-crawford-table") {
        parsed.pre.as_mut()
    } else if inside("post-crawford-table") {
        parsed.post.last_mut()
    } else {
        None
    }
}

fn close(
    parsed: &mut Parsed,
    path: &[String],
    name: &str,
    parameter: &str,
    content: &str,
) -> Result<(), MetError> {
    if name == "name" && path.last().is_some_and(|outer| outer == "info") {
        parsed.name = content.to_owned();
        return Ok(());
    }
    let Some(table) = current(parsed, path) else {
        return Ok(());
    };
    match name {
        "me" => {
            let at = (table.rows.len(), table.rows.last().map_or(0, Vec::len) + 1);
            let value = fraction(content, || format!("entry {} of row {}", at.1, at.0))?;
            if let Some(row) = table.rows.last_mut() {
                row.push(value);
            }
        }
        "parameter" => {
            let value = fraction(content, || format!("parameter {parameter}"))?;
            table.parameters.insert(parameter.to_owned(), value);
        }
        _ => {}
    }
    Ok(())
}

fn fraction(text: &str, field: impl Fn() -> String) -> Result<f64, MetError> {
    match text.parse::<f64>() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err(MetError::Number {
            field: field(),
            found: text.chars().take(20).collect(),
            want: "a number from 0 to 1",
        }),
    }
}
