//! The known name that is closest to an unknown word.

/// Returns the name that may have been meant, when one is near.
#[must_use]
pub fn closest<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // A long word is near no name, and takes time.
    let word: String = word.chars().take(25).collect();
    let word = word.to_ascii_lowercase();
    let far = |name: &&'a str| strsim::damerau_levenshtein(&word, name);
    let near = |name: &&'a str| far(name) <= name.len() / 3;
    names.filter(near).min_by_key(far)
}
