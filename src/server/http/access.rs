//! Access over HTTP: tokens, and pages of other sites (HTTP-90 to HTTP-95).

use super::archive::{MatchArchive, SharedArchive};
use super::jobs::{JobLimits, Jobs, JobsError};
use super::problem::Problem;
use crate::fair_queue::Origin;
use crate::tcp::shared::Shared;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq as _;

/// Name of the programs of this machine in their jobs.
const LOCAL: &str = "local";
/// Tokens of one file at most.
const TOKENS_MAX: usize = 256;
/// Length of a token, in bytes.
const TOKEN_BYTES: std::ops::RangeInclusive<usize> = 16..=256;
/// Wrong tokens that an address may show within [`FAILURE_PERIOD`].
const FAILURES_MAX: u32 = 10;
/// After such a time an address may be wrong again.
const FAILURE_PERIOD: Duration = Duration::from_secs(60);
/// Addresses whose wrong tokens are counted at a time.
const FAILERS_MAX: usize = 4096;

/// Access rules of the HTTP port.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HttpAccess {
    /// Names with the hashes of their tokens; requests must show one if there are any.
    tokens: Vec<(String, [u8; 32])>,
    /// No token is wanted, also of other machines.
    pub open: bool,
    /// Origins whose pages may ask, such as `https://example.org`; `*` for all.
    pub origins: Vec<String>,
}

/// A line of a file of tokens is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {reason}")]
pub struct TokenError {
    /// Its number, from 1.
    pub line: usize,
    /// The reason, which does not quote it.
    pub reason: &'static str,
}

impl HttpAccess {
    /// Takes the tokens of a file: `NAME TOKEN` in each line, `#` for remarks.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn read_tokens(&mut self, text: &str) -> Result<(), TokenError> {
        self.tokens.clear();
        for (line, text) in (1..).zip(text.lines()) {
            let wrong = |reason| Err(TokenError { line, reason });
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let Some((name, token)) = text.split_once([' ', '\t']) else {
                return wrong("expected NAME TOKEN");
            };
            let token = token.trim();
            let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
            if name.len() > 64 || !name.chars().all(is_name) {
                return wrong("a name has at most 64 letters, digits, '.', '_' and '-'");
            }
            if !TOKEN_BYTES.contains(&token.len()) || !token.bytes().all(|b| b.is_ascii_graphic()) {
                return wrong("a token has 16 to 256 printable characters without blanks");
            }
            let hash: [u8; 32] = Sha256::digest(token).into();
            if self
                .tokens
                .iter()
                .any(|(other, known)| other == name || *known == hash)
            {
                return wrong("a name or a token stands twice");
            }
            if self.tokens.len() >= TOKENS_MAX {
                return wrong("there are more than 256 tokens");
            }
            self.tokens.push((name.to_owned(), hash));
        }
        match self.tokens.is_empty() {
            true => Err(TokenError {
                line: 1,
                reason: "there is no token",
            }),
            false => Ok(()),
        }
    }

    /// Returns true if requests must carry a token.
    pub(crate) fn requires_token(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// Returns true if other machines may connect.
    pub(crate) fn serves_others(&self) -> bool {
        self.open || self.requires_token()
    }

    /// The client with this token. All are compared, in the same time.
    fn holder(&self, token: &[u8]) -> Option<u16> {
        let shown: [u8; 32] = Sha256::digest(token).into();
        let mut found = None;
        for (number, (_, hash)) in (0..).zip(&self.tokens) {
            if bool::from(hash.ct_eq(&shown)) {
                found = Some(number);
            }
        }
        found
    }

    /// Returns the name of a client in its jobs, which is the same after a restart.
    pub(super) fn owner(&self, origin: Origin) -> String {
        match origin {
            Origin::Token(number) => {
                let holder = self.tokens.get(usize::from(number));
                format!("token {}", holder.map_or("", |(name, _)| name))
            }
            // The same program may come over IPv4 and IPv6.
            Origin::Address(address) if address.is_loopback() => LOCAL.to_owned(),
            Origin::Address(address) => format!("address {address}"),
            Origin::User(user) => format!("user {user}"),
            Origin::Inbox(_) | Origin::Here => LOCAL.to_owned(),
        }
    }

    /// Returns the client with this name.
    fn origin(&self, owner: &str) -> Option<Origin> {
        if owner == LOCAL {
            return Some(Origin::Address(Ipv4Addr::LOCALHOST.into()));
        }
        let (kind, name) = owner.split_once(' ')?;
        match kind {
            "token" => {
                let place = self.tokens.iter().position(|(known, _)| known == name)?;
                Some(Origin::Token(u16::try_from(place).ok()?))
            }
            "address" => Some(Origin::Address(name.parse().ok()?)),
            "user" => Some(Origin::User(name.parse().ok()?)),
            _ => None,
        }
    }

    /// Returns the client that a request comes from.
    ///
    /// # Errors
    /// `unauthorized`, and `too-many-failures` for an address that tries many tokens.
    pub(super) fn client(
        &self,
        failures: &Failures,
        peer: Origin,
        headers: &HeaderMap,
    ) -> Result<Origin, Problem> {
        if !self.requires_token() {
            return Ok(peer);
        }
        let shown = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
        let token = shown.and_then(|shown| {
            let (scheme, token) = shown.split_at_checked(7)?;
            scheme.eq_ignore_ascii_case(b"bearer ").then_some(token)
        });
        // A right token always passes: others behind the same proxy may guess.
        if let Some(number) = token.and_then(|token| self.holder(token)) {
            return Ok(Origin::Token(number));
        }
        let now = Instant::now();
        if token.is_some() && failures.note(peer, now) {
            let message = "too many wrong tokens from this address: wait a minute";
            return Err(Problem::new("too-many-failures", message));
        }
        let message =
            "Authorization is missing or wrong, expected a token: Authorization: Bearer TOKEN";
        Err(Problem::new("unauthorized", message))
    }

    /// Returns true if pages of the request's origin are allowed; `None` if the request has no origin.
    pub(super) fn allows_origin(&self, headers: &HeaderMap) -> Option<bool> {
        let origin = headers.get(ORIGIN)?;
        let known = |one: &String| one == "*" || one.as_bytes() == origin.as_bytes();
        Some(self.origins.iter().any(known))
    }

    /// The headers for a page of an allowed origin; those of a preflight if the request is one.
    pub(super) fn cors(&self, method: &Method, headers: &HeaderMap) -> (HeaderMap, bool) {
        let mut more = HeaderMap::new();
        let Some(origin) = headers.get(ORIGIN) else {
            return (more, false);
        };
        let any = self.origins.iter().any(|one| one == "*");
        let allowed = if any {
            HeaderValue::from_static("*")
        } else {
            origin.clone()
        };
        more.insert(ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
        more.append(VARY, HeaderValue::from_static("origin"));
        let expose = HeaderValue::from_static("etag, gammond-version, location, retry-after");
        more.insert(ACCESS_CONTROL_EXPOSE_HEADERS, expose);
        let preflight =
            *method == Method::OPTIONS && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        if preflight {
            let methods = HeaderValue::from_static("GET, HEAD, POST, DELETE");
            more.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
            more.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("7200"));
            if let Some(asked) = headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
                more.insert(ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
            }
            let private = HeaderName::from_static("access-control-request-private-network");
            if headers.contains_key(private) {
                let allow = HeaderName::from_static("access-control-allow-private-network");
                more.insert(allow, HeaderValue::from_static("true"));
            }
        }
        (more, preflight)
    }
}

/// Checks that the listeners of a server share.
#[derive(Debug)]
pub(crate) struct AccessState {
    pub(super) access: HttpAccess,
    pub(super) failures: Failures,
    pub(super) jobs: Arc<Jobs>,
    pub(super) archive: Option<SharedArchive>,
}

impl AccessState {
    /// Opens the jobs.
    ///
    /// # Errors
    /// [`JobsError`].
    pub(crate) fn new(
        access: HttpAccess,
        limits: JobLimits,
        archive: Option<Arc<dyn MatchArchive>>,
    ) -> Result<AccessState, JobsError> {
        let jobs = Jobs::open(limits, |owner| access.origin(owner))?;
        Ok(AccessState {
            access,
            failures: Failures::default(),
            jobs: Arc::new(jobs),
            archive: archive.map(SharedArchive::new),
        })
    }

    /// Begins with the jobs that an earlier server left.
    pub(crate) fn start(&self, shared: &Arc<Shared>) {
        self.jobs.start(shared);
    }
}

/// Wrong tokens by address.
#[derive(Debug, Default)]
pub(super) struct Failures(Mutex<HashMap<Origin, (u32, Instant)>>);

impl Failures {
    /// Counts a wrong token. Returns whether there were too many.
    fn note(&self, peer: Origin, now: Instant) -> bool {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_old = |since: Instant| now.duration_since(since) >= FAILURE_PERIOD;
        if all.len() >= FAILERS_MAX {
            all.retain(|_, (_, since)| !is_old(*since));
        }
        if all.len() >= FAILERS_MAX && !all.contains_key(&peer) {
            return true;
        }
        let (count, since) = all.entry(peer).or_insert((0, now));
        if is_old(*since) {
            (*count, *since) = (0, now);
        }
        *count = count.saturating_add(1);
        *count > FAILURES_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HTTP-93.
    #[test]
    fn files_of_tokens() {
        let mut access = HttpAccess::default();
        let text = "# people\nann 0123456789abcdef\n\n bob\tABCDEF0123456789 \n";
        assert_eq!(access.read_tokens(text), Ok(()));
        assert_eq!(access.holder(b"0123456789abcdef"), Some(0));
        assert_eq!(access.holder(b"ABCDEF0123456789"), Some(1));
        for wrong in [&b""[..], b"0123456789abcde", b"0123456789abcdef "] {
            assert_eq!(access.holder(wrong), None);
        }
        for (text, line) in [
            ("", 1),
            ("# nothing", 1),
            ("ann", 1),
            ("ann short", 1),
            ("a/n 0123456789abcdef", 1),
            ("ann 0123456789abcdef\nann 0123456789abcdeg", 2),
            ("ann 0123456789abcdef\nbob 0123456789abcdef", 2),
            ("ann 0123456789 abcdef", 1),
        ] {
            assert_eq!(access.read_tokens(text).unwrap_err().line, line, "{text}");
        }
    }

    /// HTTP-94.
    #[test]
    fn guesses_are_counted_by_address() {
        let failures = Failures::default();
        let (one, other) = (Origin::User(1), Origin::User(2));
        let now = Instant::now();
        for _ in 0..FAILURES_MAX {
            assert!(!failures.note(one, now));
        }
        assert!(failures.note(one, now));
        assert!(!failures.note(other, now));
        assert!(!failures.note(one, now + FAILURE_PERIOD));
    }
}
