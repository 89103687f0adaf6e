//! Access over HTTP: clients by their tokens and sessions, and pages of other sites (HTTP-90 to HTTP-95, HTTP-133).

use crate::core::fair_queue::Origin;
use crate::core::{Core, Slot};
use crate::http::access::forwarded::TrustedProxy;
use crate::http::access::sessions::{self, Sessions, Shown};
use crate::http::access::tokens::{Holder, HttpTokens, TokenTable};
use crate::http::wire::problem::Problem;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method};
use gammond_protocol::ErrorCode;
use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Name of the programs of this machine in their jobs.
const LOCAL: &str = "local";
/// Message for a request without a right token.
const NO_TOKEN: &str =
    "Authorization is missing or wrong, expected a token: Authorization: Bearer TOKEN";
/// Maximum number of wrong tokens that an address may show within [`FAILURE_PERIOD`].
const FAILURES_MAX: u32 = 10;
/// Time after which an address may fail again.
const FAILURE_PERIOD: Duration = Duration::from_secs(60);
/// Maximum number of addresses whose wrong tokens are counted at a time.
const FAILERS_MAX: usize = 4096;

/// Access rules of the HTTP port.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HttpAccess {
    /// Tokens with which the server begins; requests must show one if there are any.
    pub tokens: HttpTokens,
    /// True if no token is required, also of other machines.
    pub open: bool,
    /// Proxies whose word about the addresses of clients is trusted.
    pub proxies: Vec<TrustedProxy>,
    /// Origins whose pages may send requests, such as `https://example.org`; `*` for all.
    pub origins: Vec<String>,
}

impl HttpAccess {
    /// Returns true if requests must carry a token.
    pub(in crate::http) fn requires_token(&self) -> bool {
        !self.tokens.is_empty()
    }

    /// Returns true if other machines may connect.
    pub(in crate::http) fn serves_others(&self) -> bool {
        self.open || self.requires_token()
    }

    /// Returns true if pages of the request's origin are allowed; `None` if the request has no origin.
    pub(in crate::http) fn allows_origin(&self, headers: &HeaderMap) -> Option<bool> {
        let origin = headers.get(ORIGIN)?;
        let known = |one: &String| one == "*" || one.as_bytes() == origin.as_bytes();
        Some(self.origins.iter().any(known))
    }

    /// Returns the headers for a page of an allowed origin; those of a preflight if the request is one.
    pub(in crate::http) fn cors(&self, method: &Method, headers: &HeaderMap) -> (HeaderMap, bool) {
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

/// Tokens, sessions and wrong tokens, which the listeners of a server share.
#[derive(Debug)]
pub(in crate::http) struct AccessState {
    pub(in crate::http) access: HttpAccess,
    tokens: TokenTable,
    sessions: Sessions,
    failures: Failures,
    /// The core of the running server.
    core: OnceLock<Arc<Core>>,
}

/// An admitted client, and the resources that it holds until its request is answered.
#[derive(Debug)]
pub(in crate::http) struct Admission {
    pub(in crate::http) origin: Origin,
    /// Name of the client, if its session admits it.
    pub(in crate::http) signed_in: Option<Arc<str>>,
    /// Place among the requests of the token.
    pub(in crate::http) place: Option<OwnedSemaphorePermit>,
    /// Place among the requests of the address that a proxy names.
    pub(in crate::http) slot: Option<Slot>,
}

impl Admission {
    /// Admits a client without a token.
    pub(in crate::http) fn open(origin: Origin) -> Admission {
        Admission {
            origin,
            signed_in: None,
            place: None,
            slot: None,
        }
    }
}

impl AccessState {
    /// Begins with the tokens of these rules.
    pub(in crate::http) fn new(access: HttpAccess) -> AccessState {
        let tokens = TokenTable::default();
        // A file has far fewer tokens than there are numbers.
        let _ = tokens.replace(access.tokens.clone());
        AccessState {
            access,
            tokens,
            sessions: Sessions::default(),
            failures: Failures::default(),
            core: OnceLock::new(),
        }
    }

    /// Limits the processor time of the tokens in this server.
    pub(in crate::http) fn start(&self, core: &Arc<Core>) {
        let core = self.core.get_or_init(|| Arc::clone(core));
        core.workers.limit_clients(self.tokens.cpu());
    }

    /// Replaces the tokens (HTTP-131).
    ///
    /// # Errors
    /// The old ones stay.
    pub(in crate::http) fn replace_tokens(&self, tokens: HttpTokens) -> Result<(), &'static str> {
        self.tokens.replace(tokens)?;
        self.sessions
            .keep(|token| self.tokens.holder_of(token).is_some());
        if let Some(core) = self.core.get() {
            core.workers.limit_clients(self.tokens.cpu());
        }
        Ok(())
    }

    /// Returns the name of a client in its jobs, which is the same after a restart.
    pub(in crate::http) fn owner(&self, origin: Origin) -> String {
        match origin {
            Origin::Token(number) => format!("token {}", self.tokens.name(number)),
            // The same program may come over IPv4 and IPv6.
            Origin::Address(address) if address.is_loopback() => LOCAL.to_owned(),
            Origin::Address(address) => format!("address {address}"),
            Origin::User(user) => format!("user {user}"),
            Origin::Inbox(_) | Origin::Here => LOCAL.to_owned(),
        }
    }

    /// Returns the client with this name in its jobs; `None` if its token is gone.
    pub(in crate::http) fn origin(&self, owner: &str) -> Option<Origin> {
        if owner == LOCAL {
            return Some(Origin::Address(Ipv4Addr::LOCALHOST.into()));
        }
        let (kind, name) = owner.split_once(' ')?;
        match kind {
            "token" => Some(Origin::Token(self.tokens.number(name)?)),
            "address" => Some(Origin::Address(name.parse().ok()?)),
            "user" => Some(Origin::User(name.parse().ok()?)),
            _ => None,
        }
    }

    /// Returns the owners whose matches of the archive a client may see; `None` for all (HTTP-124).
    pub(in crate::http) fn owners_shown(&self, origin: Origin) -> Option<Vec<String>> {
        if !self.access.requires_token() {
            return None;
        }
        let sharing = self.tokens.sharing().into_iter();
        let mut owners: Vec<String> = sharing.map(|name| format!("token {name}")).collect();
        owners.push(self.owner(origin));
        Some(owners)
    }

    /// Returns the client that a request of this address comes from: that of its token, else that of its session.
    ///
    /// # Errors
    /// `unauthorized`, `too-many-failures` for an address that tries many tokens, and `too-many-requests` above the limit of
    /// a token.
    pub(in crate::http) fn client(
        &self,
        peer: Origin,
        headers: &HeaderMap,
        is_https: bool,
    ) -> Result<Admission, Problem> {
        if !self.access.requires_token() {
            return Ok(Admission::open(peer));
        }
        let Some(shown) = headers.get(AUTHORIZATION).map(HeaderValue::as_bytes) else {
            return self.client_of_session(headers, is_https);
        };
        let token = shown
            .split_at_checked(7)
            .and_then(|(scheme, token)| scheme.eq_ignore_ascii_case(b"bearer ").then_some(token));
        let holder = match token {
            Some(token) => self.holder(peer, token)?,
            None => None,
        };
        let holder = holder.ok_or_else(|| Problem::new(ErrorCode::Unauthorized, NO_TOKEN))?;
        admitted(holder, None)
    }

    fn client_of_session(&self, headers: &HeaderMap, is_https: bool) -> Result<Admission, Problem> {
        let refused = |message: &str| {
            Err(Problem {
                field: Some("cookie".into()),
                ..Problem::new(ErrorCode::Unauthorized, message)
            })
        };
        let id = match sessions::shown(headers, is_https) {
            Shown::Id(id) => id,
            Shown::Nothing => return Err(Problem::new(ErrorCode::Unauthorized, NO_TOKEN)),
            Shown::Several => {
                return refused(
                    "Cookie has more than one session: delete the cookies of this site",
                );
            }
        };
        let token = self.sessions.token(id, Instant::now());
        match token.and_then(|token| self.tokens.holder_of(&token)) {
            Some(holder) => {
                let name = Arc::from(holder.name.as_str());
                admitted(holder, Some(name))
            }
            None => refused("the session has ended: sign in again at /sign-in"),
        }
    }

    /// Returns the client with this token.
    ///
    /// # Errors
    /// `too-many-failures` for an address that tries many tokens. A right one always passes: others behind the same proxy may
    /// guess.
    fn holder(&self, peer: Origin, token: &[u8]) -> Result<Option<Holder>, Problem> {
        let holder = self.tokens.holder(token);
        if holder.is_none() && self.failures.note(peer, Instant::now()) {
            let message = "too many wrong tokens from this address: wait a minute";
            return Err(Problem::new(ErrorCode::TooManyFailures, message));
        }
        Ok(holder)
    }

    /// Begins a session for a token and returns its id; `None` for a wrong token (HTTP-133).
    ///
    /// # Errors
    /// `too-many-failures`, as for a request with that token.
    pub(in crate::http) fn sign_in(
        &self,
        peer: Origin,
        token: &str,
    ) -> Result<Option<String>, Problem> {
        let holder = self.holder(peer, token.as_bytes())?;
        holder
            .map(|holder| self.sessions.begin(holder.token, Instant::now()))
            .transpose()
    }

    /// Ends the session of a request, if it shows one.
    pub(in crate::http) fn sign_out(&self, headers: &HeaderMap, is_https: bool) {
        if let Shown::Id(id) = sessions::shown(headers, is_https) {
            self.sessions.end(id);
        }
    }
}

/// Admits the holder of a token within its limit.
fn admitted(holder: Holder, signed_in: Option<Arc<str>>) -> Result<Admission, Problem> {
    let place = holder.places.map(Semaphore::try_acquire_owned).transpose();
    let message = "this token has as many requests at a time as it may have: wait for an answer";
    let place = place.map_err(|_| Problem::new(ErrorCode::TooManyRequests, message))?;
    Ok(Admission {
        signed_in,
        place,
        ..Admission::open(holder.origin)
    })
}

/// Wrong tokens by address.
#[derive(Debug, Default)]
struct Failures(Mutex<HashMap<Origin, (u32, Instant)>>);

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
