//! Two long texts, shortened to the place where they differ.

/// Cuts two texts to the place where they differ.
pub(super) fn shorten_to_difference(texts: [String; 2]) -> [String; 2] {
    let [one, other] = &texts;
    let same = one.chars().zip(other.chars());
    let same = same.take_while(|(one, other)| one == other).count();
    let skipped = same.saturating_sub(CHARACTERS_BEFORE_DIFFERENCE);
    texts.map(|text| {
        let shown: String = text.chars().skip(skipped).take(CHARACTERS_SHOWN).collect();
        if skipped > 0 {
            format!("...{shown}")
        } else {
            shown
        }
    })
}

/// Number of characters shown before the difference.
const CHARACTERS_BEFORE_DIFFERENCE: usize = 15;
/// Number of characters shown in all.
const CHARACTERS_SHOWN: usize = 40;

#[cfg(test)]
mod tests {
    use super::shorten_to_difference;

    #[test]
    fn shorten_to_difference_keeps_the_difference() {
        let shown =
            |one: &str, other: &str| shorten_to_difference([one.to_owned(), other.to_owned()]);
        assert_eq!(shown("7", "8"), ["7", "8"]);
        let long = "Settings { plies: 2, level: None, cubeful: true, filter: ";
        let found = shown(&format!("{long}A"), &format!("{long}B and more"));
        assert_eq!(
            found,
            ["... true, filter: A", "... true, filter: B and more"]
        );
        assert_eq!(shown("\u{e9}1", "\u{e9}"), ["\u{e9}1", "\u{e9}"]);
    }
}
