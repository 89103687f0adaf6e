//! Tokens of clients: the lines of the file, the limits of each token, and new tokens while the server runs (HTTP-93,
//! HTTP-124, HTTP-130, HTTP-131).

use crate::core::fair_queue::Origin;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use subtle::ConstantTimeEq as _;
use tokio::sync::Semaphore;

/// Maximum number of tokens in a file.
const TOKENS_MAX: usize = 256;
/// Length of a token, in bytes.
const TOKEN_BYTES: std::ops::RangeInclusive<usize> = 16..=256;
/// Largest limit of requests at a time.
const REQUESTS_MAX: usize = 10_000;
/// Largest limit of processor time in an hour, in seconds: that of a machine with a thousand threads.
const CPU_SECONDS_MAX: u64 = 3_600_000;

/// The SHA-256 of a token.
pub(in crate::http) type TokenHash = [u8; 32];

/// The tokens of a file, with their limits.
#[derive(Clone, Debug, Default)]
pub struct HttpTokens(Vec<TokenLine>);

/// A line of the file.
#[derive(Clone, Debug)]
struct TokenLine {
    name: String,
    hash: TokenHash,
    /// Maximum number of requests at a time.
    requests: Option<usize>,
    /// Processor time in an hour, in place of `client_cpu`.
    cpu: Option<Duration>,
    /// True if the other tokens see the matches that its jobs file (HTTP-124).
    shared: bool,
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

impl HttpTokens {
    /// Parses a file: `NAME TOKEN [requests=N] [cpu=SECONDS] [shared]` in each line, `#` for remarks.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn parse(text: &str) -> Result<HttpTokens, TokenError> {
        let mut tokens: Vec<TokenLine> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let known = |token: &TokenLine| {
                let twice =
                    |other: &TokenLine| other.name == token.name || other.hash == token.hash;
                tokens.iter().any(twice)
            };
            let token = match token_line(text) {
                Ok(token) if known(&token) => Err("a name or a token is given twice"),
                Ok(_) if tokens.len() >= TOKENS_MAX => Err("there are more than 256 tokens"),
                token => token,
            };
            tokens.push(token.map_err(|reason| TokenError { line, reason })?);
        }
        match tokens.is_empty() {
            true => Err(TokenError {
                line: 1,
                reason: "there is no token",
            }),
            false => Ok(HttpTokens(tokens)),
        }
    }

    /// Returns true if there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

fn token_line(text: &str) -> Result<TokenLine, &'static str> {
    let mut words = text.split_ascii_whitespace();
    let (Some(name), Some(token)) = (words.next(), words.next()) else {
        return Err("expected NAME TOKEN, such as: ann 0123456789abcdef requests=4");
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.len() > 64 || !name.chars().all(is_name) {
        return Err("a name has at most 64 letters, digits, '.', '_' and '-'");
    }
    if !TOKEN_BYTES.contains(&token.len()) || !token.bytes().all(|b| b.is_ascii_graphic()) {
        return Err("a token has 16 to 256 printable characters without blanks");
    }
    let (mut requests, mut cpu, mut shared) = (None, None, false);
    for word in words {
        let twice = match word.split_once('=') {
            Some(("requests", number)) => {
                let number = number
                    .parse()
                    .ok()
                    .filter(|n| (1..=REQUESTS_MAX).contains(n));
                let number = number.ok_or("requests is not 1 to 10000, such as requests=4")?;
                requests.replace(number).is_some()
            }
            Some(("cpu", seconds)) => {
                let seconds = seconds
                    .parse()
                    .ok()
                    .filter(|n| (1..=CPU_SECONDS_MAX).contains(n));
                let seconds = seconds.ok_or("cpu is not 1 to 3600000 seconds, such as cpu=600")?;
                cpu.replace(Duration::from_secs(seconds)).is_some()
            }
            None if word == "shared" => std::mem::replace(&mut shared, true),
            _ => {
                return Err(
                    "expected nothing but requests=N, cpu=SECONDS and shared behind the token",
                );
            }
        };
        if twice {
            return Err("a word behind the token is given twice");
        }
    }
    Ok(TokenLine {
        name: name.to_owned(),
        hash: Sha256::digest(token).into(),
        requests,
        cpu,
        shared,
    })
}

/// The tokens in use.
#[derive(Debug, Default)]
pub(in crate::http) struct TokenTable(RwLock<TokensInUse>);

#[derive(Clone, Debug, Default)]
struct TokensInUse {
    /// Names by the numbers of their clients. They stay when a token is gone: its work may still run.
    names: Vec<String>,
    tokens: Vec<TokenInUse>,
}

#[derive(Clone, Debug)]
struct TokenInUse {
    number: u16,
    line: TokenLine,
    places: Option<Arc<Semaphore>>,
}

/// A client that showed a token.
#[derive(Debug)]
pub(in crate::http) struct Holder {
    pub(in crate::http) origin: Origin,
    pub(in crate::http) name: String,
    pub(in crate::http) token: TokenHash,
    /// The places of its requests, if their number is limited.
    pub(in crate::http) places: Option<Arc<Semaphore>>,
}

impl TokenTable {
    /// Replaces the tokens. A name stays the same client, also with another token.
    ///
    /// # Errors
    /// There were too many names since the start.
    pub(in crate::http) fn replace(&self, tokens: HttpTokens) -> Result<(), &'static str> {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let mut next = TokensInUse {
            names: all.names.clone(),
            tokens: Vec::with_capacity(tokens.0.len()),
        };
        for line in tokens.0 {
            let place = next.names.iter().position(|name| *name == line.name);
            let place = place.unwrap_or_else(|| {
                next.names.push(line.name.clone());
                next.names.len() - 1
            });
            let too_many = "there were more than 65536 names since the start: restart the server";
            let number = u16::try_from(place).map_err(|_| too_many)?;
            let before = all.tokens.iter().find(|token| token.number == number);
            // Requests that run keep their places.
            let kept = before.filter(|token| token.line.requests == line.requests);
            let places = match kept {
                Some(token) => token.places.clone(),
                None => line.requests.map(|most| Arc::new(Semaphore::new(most))),
            };
            next.tokens.push(TokenInUse {
                number,
                line,
                places,
            });
        }
        *all = next;
        Ok(())
    }

    fn read<T>(&self, read: impl FnOnce(&TokensInUse) -> T) -> T {
        read(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the client with this token. All are compared, in the same time.
    pub(in crate::http) fn holder(&self, token: &[u8]) -> Option<Holder> {
        self.holder_of(&Sha256::digest(token).into())
    }

    /// Returns the client with the token that has this checksum.
    pub(in crate::http) fn holder_of(&self, shown: &TokenHash) -> Option<Holder> {
        self.read(|all| {
            let mut found = None;
            for token in &all.tokens {
                if bool::from(token.line.hash.ct_eq(shown)) {
                    found = Some(token);
                }
            }
            found.map(|token| Holder {
                origin: Origin::Token(token.number),
                name: token.line.name.clone(),
                token: token.line.hash,
                places: token.places.clone(),
            })
        })
    }

    /// Returns the name of the client with this number.
    pub(in crate::http) fn name(&self, number: u16) -> String {
        self.read(|all| all.names.get(usize::from(number)).cloned())
            .unwrap_or_default()
    }

    /// Returns the names of the clients whose matches all others see.
    pub(in crate::http) fn sharing(&self) -> Vec<String> {
        self.read(|all| {
            let shared = all.tokens.iter().filter(|token| token.line.shared);
            shared.map(|token| token.line.name.clone()).collect()
        })
    }

    /// Returns the number of the client with this name, if its token is in use.
    pub(in crate::http) fn number(&self, name: &str) -> Option<u16> {
        self.read(|all| {
            let mut tokens = all.tokens.iter();
            tokens
                .find(|token| token.line.name == name)
                .map(|token| token.number)
        })
    }

    /// Returns the processor time in an hour of the clients that have a limit of their own.
    pub(in crate::http) fn cpu(&self) -> HashMap<Origin, Duration> {
        self.read(|all| {
            let limited = all.tokens.iter();
            limited
                .filter_map(|token| Some((Origin::Token(token.number), token.line.cpu?)))
                .collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str) -> TokenTable {
        let table = TokenTable::default();
        table.replace(HttpTokens::parse(text).unwrap()).unwrap();
        table
    }

    fn number(table: &TokenTable, token: &[u8]) -> Option<Origin> {
        table.holder(token).map(|holder| holder.origin)
    }

    /// HTTP-93, HTTP-130: the form of a line, and the line of an error.
    #[test]
    fn files_of_tokens() {
        let text =
            "# people\nann 0123456789abcdef cpu=60\n\n bob\tABCDEF0123456789 shared requests=1\n";
        let table = table(text);
        let (ann, bob) = (Some(Origin::Token(0)), Some(Origin::Token(1)));
        assert_eq!(number(&table, b"0123456789abcdef"), ann);
        assert_eq!(number(&table, b"ABCDEF0123456789"), bob);
        for wrong in [&b""[..], b"0123456789abcde", b"0123456789abcdef "] {
            assert_eq!(number(&table, wrong), None);
        }
        let limits = HashMap::from([(Origin::Token(0), Duration::from_secs(60))]);
        assert_eq!(table.cpu(), limits);
        assert_eq!(table.sharing(), ["bob"]);
        for (text, line) in [
            ("", 1),
            ("# nothing", 1),
            ("ann", 1),
            ("ann short", 1),
            ("a/n 0123456789abcdef", 1),
            ("ann 0123456789abcdef\nann 0123456789abcdeg", 2),
            ("ann 0123456789abcdef\nbob 0123456789abcdef", 2),
            ("ann 0123456789abcdef more", 1),
            ("#\nann 0123456789abcdef requests=0", 2),
            ("ann 0123456789abcdef requests=10001", 1),
            ("ann 0123456789abcdef requests=1 requests=1", 1),
            ("ann 0123456789abcdef cpu=1.5", 1),
            ("ann 0123456789abcdef rate=3", 1),
            ("ann 0123456789abcdef shared shared", 1),
            ("ann 0123456789abcdef shared=1", 1),
        ] {
            assert_eq!(HttpTokens::parse(text).unwrap_err().line, line, "{text}");
        }
    }

    /// HTTP-131: a name stays the same client, a token that is gone belongs to no client.
    #[test]
    fn replaced_tokens_keep_the_numbers_of_names() {
        let table = table("ann 0123456789abcdef requests=2\nbob ABCDEF0123456789");
        let places = table.holder(b"0123456789abcdef").unwrap().places.unwrap();
        let held = places.try_acquire().unwrap();
        let next = "cid 0000000000000000\nann 1111111111111111 requests=2";
        table.replace(HttpTokens::parse(next).unwrap()).unwrap();
        assert_eq!(number(&table, b"0123456789abcdef"), None);
        assert_eq!(number(&table, b"ABCDEF0123456789"), None);
        assert_eq!(number(&table, b"0000000000000000"), Some(Origin::Token(2)));
        let ann = table.holder(b"1111111111111111").unwrap();
        assert_eq!(ann.origin, Origin::Token(0));
        assert_eq!(ann.places.unwrap().available_permits(), 1);
        drop(held);
        assert_eq!((table.number("ann"), table.number("bob")), (Some(0), None));
        assert_eq!(table.name(1), "bob");
    }
}
