//! The form of an answer, from `Accept` (HTTP-21).

use crate::http::wire::problem::Problem;
use axum::http::HeaderMap;
use axum::http::header::ACCEPT;
use gammond_protocol::ErrorCode;

/// Returns the kind that the client prefers; without a preference the first that is offered.
///
/// # Errors
/// `not-acceptable`, with the offered kinds.
pub(in crate::http) fn chosen(
    headers: &HeaderMap,
    offered: &[&'static str],
) -> Result<&'static str, Problem> {
    let mut ranges = Vec::new();
    for value in headers.get_all(ACCEPT) {
        let value = value.to_str().unwrap_or_default();
        ranges.extend(value.split(',').filter_map(range));
    }
    let Some(first) = offered.first().filter(|_| ranges.is_empty()) else {
        let mut best: Option<(f32, &'static str)> = None;
        for &kind in offered {
            let wish = weight(&ranges, kind);
            if wish > best.map_or(0.0, |(wish, _)| wish) {
                best = Some((wish, kind));
            }
        }
        let message = || {
            format!(
                "Accept allows none of the available forms: {}",
                offered.join(", ")
            )
        };
        return best
            .map(|(_, kind)| kind)
            .ok_or_else(|| Problem::new(ErrorCode::NotAcceptable, message()));
    };
    Ok(first)
}

/// Parses `text/*;q=0.5` as its type, subtype and weight.
fn range(text: &str) -> Option<(&str, &str, f32)> {
    let mut parts = text.split(';').map(str::trim);
    let (kind, sub) = parts.next()?.split_once('/')?;
    let quality = parts.find_map(|part| part.strip_prefix("q="));
    let weight = quality.map_or(1.0, |text| text.parse().unwrap_or(0.0));
    Some((kind, sub, weight))
}

/// Returns the weight of the range that fits a kind most narrowly.
fn weight(ranges: &[(&str, &str, f32)], kind: &str) -> f32 {
    let fits = |(main, sub, weight): &(&str, &str, f32)| {
        let (own, own_sub) = kind.split_once('/')?;
        match (*main, *sub) {
            ("*", "*") => Some((0, *weight)),
            (main, "*") if main.eq_ignore_ascii_case(own) => Some((1, *weight)),
            (main, sub) if main.eq_ignore_ascii_case(own) && sub.eq_ignore_ascii_case(own_sub) => {
                Some((2, *weight))
            }
            _ => None,
        }
    };
    let narrowest = ranges
        .iter()
        .filter_map(fits)
        .max_by_key(|(narrow, _)| *narrow);
    narrowest.map_or(0.0, |(_, weight)| weight)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn the_best_liked_kind_is_chosen() {
        const OFFERED: [&str; 3] = ["application/json", "text/plain", "image/svg+xml"];
        let chosen = |accept: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_str(accept).unwrap());
            super::chosen(&headers, &OFFERED).ok()
        };
        assert_eq!(
            super::chosen(&HeaderMap::new(), &OFFERED).ok(),
            Some(OFFERED[0])
        );
        for (accept, want) in [
            ("*/*", Some(OFFERED[0])),
            ("text/plain", Some(OFFERED[1])),
            ("text/html, image/*;q=0.8, */*;q=0.5", Some(OFFERED[2])),
            ("application/json;q=0.1, TEXT/PLAIN;q=0.2", Some(OFFERED[1])),
            ("*/*, application/json;q=0", Some(OFFERED[1])),
            ("text/html", None),
            ("text/plain;q=no", None),
        ] {
            assert_eq!(chosen(accept), want, "{accept}");
        }
    }
}
