//! Sessions of browsers, which begin with a token in the form of `/sign-in` (HTTP-133 to HTTP-136). A cookie holds the random
//! id of a session, never the token; the server keeps only checksums of both.

use crate::http::access::tokens::TokenHash;
use crate::http::wire::peer::Initiator;
use crate::http::wire::problem::Problem;
use crate::http::wire::random_id::random_id;
use axum::http::HeaderMap;
use axum::http::header::{COOKIE, ORIGIN};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Maximum number of sessions of a token; a new one ends the one that was used least recently. A file has at most 256 tokens,
/// so all sessions are at most 4,096.
const SESSIONS_PER_TOKEN_MAX: usize = 16;
/// Time without a request after which a session ends.
const IDLE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// Names of the cookie. Browsers accept one that begins with `__Host-` only over HTTPS and from the host itself, so that
/// neither a page without TLS nor one of another name below the same domain can set it.
const COOKIES: [&str; 2] = ["gammond", "__Host-gammond"];

/// The open sessions, by the checksums of their ids.
#[derive(Debug, Default)]
pub(in crate::http) struct Sessions(Mutex<HashMap<[u8; 32], Session>>);

#[derive(Debug)]
struct Session {
    token: TokenHash,
    /// The last request.
    used: Instant,
}

impl Sessions {
    fn lock(&self) -> MutexGuard<'_, HashMap<[u8; 32], Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a session and returns its id, which no request has chosen.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub(in crate::http) fn begin(&self, token: TokenHash, now: Instant) -> Result<String, Problem> {
        let id = random_id()?;
        let mut all = self.lock();
        all.retain(|_, session| !session.has_ended(now));
        let own = all.iter().filter(|(_, session)| session.token == token);
        let oldest = own.clone().min_by_key(|(_, session)| session.used);
        if let Some(oldest) = oldest.map(|(hash, _)| *hash)
            && own.count() >= SESSIONS_PER_TOKEN_MAX
        {
            all.remove(&oldest);
        }
        all.insert(hash(&id), Session { token, used: now });
        Ok(id)
    }

    /// Returns the token of a session, which this request prolongs.
    pub(in crate::http) fn token(&self, id: &str, now: Instant) -> Option<TokenHash> {
        let mut all = self.lock();
        let session = all.get_mut(&hash(id))?;
        if session.has_ended(now) {
            all.remove(&hash(id));
            return None;
        }
        session.used = now;
        Some(session.token)
    }

    pub(in crate::http) fn end(&self, id: &str) {
        self.lock().remove(&hash(id));
    }

    /// Ends the sessions of tokens that are no longer in use.
    pub(in crate::http) fn keep(&self, is_in_use: impl Fn(&TokenHash) -> bool) {
        self.lock().retain(|_, session| is_in_use(&session.token));
    }
}

impl Session {
    fn has_ended(&self, now: Instant) -> bool {
        now.duration_since(self.used) >= IDLE_MAX
    }
}

fn hash(id: &str) -> [u8; 32] {
    Sha256::digest(id).into()
}

fn cookie_name(is_https: bool) -> &'static str {
    let [plain, https] = COOKIES;
    if is_https { https } else { plain }
}

/// The cookies of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Shown<'a> {
    /// No cookie is ours.
    Nothing,
    /// The id of a session, which may have ended.
    Id(&'a str),
    /// Several cookies are ours, so one of them is another site's.
    Several,
}

/// Returns the sessions that the cookies of a request show.
pub(in crate::http) fn shown(headers: &HeaderMap, is_https: bool) -> Shown<'_> {
    let values = headers.get_all(COOKIE).iter();
    let pairs = values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.trim().split_once('='));
    let mut own = pairs.filter(|(name, _)| *name == cookie_name(is_https));
    match (own.next(), own.next()) {
        (None, _) => Shown::Nothing,
        (Some((_, id)), None) => Shown::Id(id),
        (Some(_), Some(_)) => Shown::Several,
    }
}

/// Returns the `Set-Cookie` of a session, or of its end.
pub(in crate::http) fn set_cookie(id: Option<&str>, is_https: bool) -> String {
    let name = cookie_name(is_https);
    let secure = if is_https { "; Secure" } else { "" };
    let (id, end) = match id {
        Some(id) => (id, ""),
        None => ("", "; Max-Age=0"),
    };
    format!("{name}={id}; Path=/; HttpOnly; SameSite=Strict{secure}{end}")
}

/// Returns who made the browser send a request to `host`.
pub(in crate::http) fn initiator(
    headers: &HeaderMap,
    host: Option<&str>,
    is_https: bool,
) -> Initiator {
    // Pages cannot set this header, and a proxy that changes `Host` leaves it right.
    if let Some(site) = headers.get("sec-fetch-site") {
        return match site.as_bytes() {
            b"same-origin" | b"none" => Initiator::Own,
            _ => Initiator::Other,
        };
    }
    let Some(origin) = headers.get(ORIGIN) else {
        return Initiator::Unknown;
    };
    let scheme = if is_https { "https://" } else { "http://" };
    let origin = origin
        .to_str()
        .ok()
        .and_then(|origin| origin.strip_prefix(scheme));
    match origin.zip(host) {
        Some((origin, host)) if origin.eq_ignore_ascii_case(host) => Initiator::Own,
        _ => Initiator::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::{HeaderName, HeaderValue};

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
        }
        headers
    }

    /// HTTP-134: a session ends a day after its last request, by its end, and when its token is gone.
    #[test]
    fn sessions_end() {
        let sessions = Sessions::default();
        let (now, hour) = (Instant::now(), Duration::from_secs(3600));
        let id = sessions.begin([1; 32], now).unwrap();
        assert_eq!(sessions.token(&id, now + 23 * hour), Some([1; 32]));
        assert_eq!(sessions.token(&id, now + 46 * hour), Some([1; 32]));
        assert_eq!(sessions.token(&id, now + 70 * hour), None);
        let [one, two] = [1, 2].map(|token| sessions.begin([token; 32], now).unwrap());
        sessions.end(&one);
        assert_eq!(sessions.token(&one, now), None);
        sessions.keep(|token| *token != [2; 32]);
        assert_eq!(sessions.token(&two, now), None);
        assert_eq!(sessions.token("", now), None);
    }

    /// HTTP-134: the session that was used least recently makes room, among those of the same token.
    #[test]
    fn sessions_of_a_token_are_limited() {
        let sessions = Sessions::default();
        let now = Instant::now();
        let at = |seconds| now + Duration::from_secs(seconds);
        let other = sessions.begin([2; 32], now).unwrap();
        let ids: Vec<String> = (0..SESSIONS_PER_TOKEN_MAX as u64)
            .map(|second| sessions.begin([1; 32], at(second)).unwrap())
            .collect();
        assert!(sessions.token(&ids[0], at(100)).is_some());
        let next = sessions.begin([1; 32], at(101)).unwrap();
        assert_eq!(sessions.token(&ids[1], at(102)), None);
        for id in [&ids[0], &ids[2], &next, &other] {
            assert!(sessions.token(id, at(102)).is_some());
        }
        assert_eq!(sessions.lock().len(), SESSIONS_PER_TOKEN_MAX + 1);
    }

    /// HTTP-134: one cookie of the right name counts.
    #[test]
    fn cookies_are_read() {
        for (pairs, https, want) in [
            (&[][..], false, Shown::Nothing),
            (&[("cookie", "gammond=a")], false, Shown::Id("a")),
            (&[("cookie", "x=1; gammond=a; y")], false, Shown::Id("a")),
            (&[("cookie", "gammond=a")], true, Shown::Nothing),
            (
                &[("cookie", "gammond=a; __Host-gammond=b")],
                true,
                Shown::Id("b"),
            ),
            (
                &[("cookie", "Gammond=a; gammond =b; xgammond=c")],
                false,
                Shown::Nothing,
            ),
            (&[("cookie", "gammond=a; gammond=a")], false, Shown::Several),
            (
                &[("cookie", "gammond=a"), ("cookie", "gammond=b")],
                false,
                Shown::Several,
            ),
            (&[("cookie", ";;=;gammond")], false, Shown::Nothing),
        ] {
            assert_eq!(shown(&headers(pairs), https), want, "{pairs:?}");
        }
    }

    /// HTTP-135: `Sec-Fetch-Site` decides, else `Origin` and `Host`.
    #[test]
    fn initiator_is_what_the_browser_says() {
        for (pairs, host, https, want) in [
            (&[][..], Some("a.example"), false, Initiator::Unknown),
            (
                &[("sec-fetch-site", "same-origin")],
                None,
                false,
                Initiator::Own,
            ),
            (&[("sec-fetch-site", "none")], None, false, Initiator::Own),
            (
                &[("sec-fetch-site", "same-site")],
                None,
                false,
                Initiator::Other,
            ),
            (
                &[
                    ("sec-fetch-site", "cross-site"),
                    ("origin", "http://a.example"),
                ],
                Some("a.example"),
                false,
                Initiator::Other,
            ),
            (&[("sec-fetch-site", "")], None, false, Initiator::Other),
            (
                &[("origin", "http://a.example")],
                Some("A.example"),
                false,
                Initiator::Own,
            ),
            (
                &[("origin", "http://a.example")],
                Some("a.example:80"),
                false,
                Initiator::Other,
            ),
            (
                &[("origin", "http://a.example")],
                Some("a.example"),
                true,
                Initiator::Other,
            ),
            (
                &[("origin", "https://a.example")],
                Some("a.example"),
                true,
                Initiator::Own,
            ),
            (
                &[("origin", "http://a.example.evil")],
                Some("a.example"),
                false,
                Initiator::Other,
            ),
            (
                &[("origin", "http://a.example")],
                None,
                false,
                Initiator::Other,
            ),
            (&[("origin", "null")], Some("null"), false, Initiator::Other),
        ] {
            let found = initiator(&headers(pairs), host, https);
            assert_eq!(found, want, "{pairs:?} {host:?}");
        }
    }
}
