//! Settings of searches in the headers of files, each under a name of its own (BM-34).

use gammond_engine::query::{FilterLevel, FilterMethod, MoveFilter, Settings};
use gammond_job::Header;
use std::fmt::Display;

/// Returns the header with the settings that change the result of a search.
pub fn search_fields(header: Header, search: &Settings) -> Header {
    let level = search.level.map(|level| level.name());
    let header = header
        .field("search.plies", search.plies)
        .field("search.level", optional(level))
        .field("search.filter", filter_text(&search.filter))
        .field("search.prune", u8::from(search.prune))
        .field("search.margin", optional(search.prune_margin))
        .field("search.keep", optional(search.prune_keep))
        .field("search.noise", search.noise)
        .field("search.gnubgnoise", u8::from(search.noise_as_gnubg));
    match search.pr {
        None => header,
        Some(pr) => header
            .field("search.pr", pr)
            .field("search.seed", search.seed),
    }
}

/// Returns the text of an option; `none` if it is not in use.
pub(crate) fn optional(value: Option<impl Display>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

/// Returns the name of a filter; of others the numbers of all levels.
pub(crate) fn filter_text(filter: &MoveFilter) -> String {
    if let Some(name) = filter.name() {
        return name.to_owned();
    }
    let level =
        |level: &FilterLevel| format!("{}/{}/{}", level.accept, level.extra, level.threshold);
    let levels: Vec<String> = filter.levels.iter().flatten().map(level).collect();
    let by_rolls = filter.method == FilterMethod::ByRolls;
    format!("{} {}", u8::from(by_rolls), levels.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_engine::query::Level;

    /// BM-34.
    #[test]
    fn each_setting_that_changes_answers_changes_the_header() {
        let text = |search: &Settings| search_fields(Header::new("x", 1), search).text();
        let usual = Settings::default();
        let first = text(&usual);
        assert!(first.contains("\"search.filter\":\"normal\""), "{first}");
        let mut known = vec![first];
        let changes: [fn(&mut Settings); 9] = [
            |search| search.plies += 1,
            |search| search.level = Some(Level::RollerPlus),
            |search| search.filter = MoveFilter::HUGE,
            |search| search.filter.levels[0][0].extra = 9,
            |search| search.prune = !search.prune,
            |search| search.prune_margin = Some(0.5),
            |search| search.prune_keep = Some(3),
            |search| search.noise = 0.1,
            |search| search.noise_as_gnubg = !search.noise_as_gnubg,
        ];
        for change in changes {
            let mut search = usual.clone();
            change(&mut search);
            let other = text(&search);
            assert!(!known.contains(&other), "{other}");
            known.push(other);
        }
        assert!(
            known[2].contains("\"search.level\":\"roller+\""),
            "{}",
            known[2]
        );
    }
}
