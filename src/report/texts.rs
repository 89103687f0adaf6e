//! The texts of sentences and pictures: a row for each rule, a column for each language.
//!
//! `{name}` is a value, `{name|one|several}` a number with the noun that fits it.

use gammond_engine::query::Language;
use std::fmt::Write as _;
use std::sync::OnceLock;

/// The rows, a tab between their cells; the first one of a table has the names of the languages.
const SENTENCES: &str = include_str!("explain/sentences.tsv");
/// The texts of pictures; verdicts have their English text as their rule.
const PICTURES: &str = include_str!("render/pictures.tsv");

/// A value of a sentence: its name and its text.
pub type SentenceValue = (&'static str, String);

/// Returns the texts of a rule, in the order of [`Language::ALL`].
fn row(rule: &str) -> Option<&'static [&'static str]> {
    static ROWS: OnceLock<Vec<(&str, Vec<&str>)>> = OnceLock::new();
    let rows = ROWS.get_or_init(|| {
        let tables = [SENTENCES, PICTURES].into_iter();
        let lines = tables.flat_map(|table| table.lines().skip(1));
        let cells = lines.filter_map(|line| line.split_once('\t'));
        cells
            .map(|(rule, texts)| (rule, texts.split('\t').collect()))
            .collect()
    });
    let found = rows.iter().find(|(name, _)| *name == rule)?;
    Some(&found.1)
}

/// Returns the text of a rule with these values; `None` if no table has such a rule.
pub(crate) fn text(rule: &str, values: &[SentenceValue], language: Language) -> Option<String> {
    let column = Language::ALL.iter().position(|other| *other == language)?;
    let template = row(rule)?.get(column)?;
    let mut text = String::new();
    let mut pieces = template.split(['{', '}']);
    while let Some(plain) = pieces.next() {
        text.push_str(plain);
        let Some(hole) = pieces.next() else { break };
        let mut forms = hole.split('|');
        let name = forms.next()?;
        let (_, value) = values.iter().find(|(other, _)| *other == name)?;
        text.push_str(value);
        if let (Some(one), Some(several)) = (forms.next(), forms.next()) {
            let is_one = value == "1" || (language == Language::French && value == "0");
            let _ = write!(text, " {}", if is_one { one } else { several });
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn holes(template: &str) -> BTreeSet<&str> {
        let holes = template.split(['{', '}']).skip(1).step_by(2);
        holes.map(|hole| hole.split('|').next().unwrap()).collect()
    }

    #[test]
    fn every_row_has_all_languages_with_the_same_values() {
        let names = Language::ALL.map(Language::name);
        let mut seen = BTreeSet::new();
        let rows = [SENTENCES, PICTURES].into_iter().flat_map(|table| {
            let mut lines = table.lines();
            assert_eq!(lines.next().unwrap(), format!("rule\t{}", names.join("\t")));
            lines.map(move |line| (line, table == SENTENCES))
        });
        for (line, is_claim) in rows {
            let cells: Vec<&str> = line.split('\t').collect();
            assert_eq!(cells.len(), 1 + names.len(), "{line}");
            assert!(seen.insert(cells[0]), "{} is there twice", cells[0]);
            let of_first = holes(cells[1]);
            assert!(
                !is_claim || !of_first.is_empty(),
                "{line}: a claim without a number"
            );
            for cell in &cells[2..] {
                assert_eq!(holes(cell), of_first, "{cell}");
            }
            // A number with a noun has two forms of it.
            for cell in &cells[1..] {
                let bars = cell.split(['{', '}']).skip(1).step_by(2);
                for hole in bars {
                    assert!(matches!(hole.split('|').count(), 1 | 3), "{cell}");
                }
            }
        }
    }

    #[test]
    fn nouns_follow_their_number() {
        let hits = |n: &str, language| {
            let values = [("best", "8/5*".to_owned()), ("n", n.to_owned())];
            text("hits", &values, language).unwrap()
        };
        assert_eq!(hits("1", Language::English), "8/5* hits 1 checker.");
        assert_eq!(hits("2", Language::English), "8/5* hits 2 checkers.");
        assert_eq!(hits("0", Language::French), "8/5* frappe 0 pion.");
        assert_eq!(hits("2", Language::German), "8/5* schlägt 2 Steine.");
        assert_eq!(text("hits", &[], Language::English), None);
        assert_eq!(text("no such rule", &[], Language::English), None);
    }
}
