//! Selection of a connection's dialect by its first line (SRV-04).

use super::dialect::Dialect;
use super::external::{External, ExternalSettings};
use super::request_error::RequestError;
use super::session::Session;
use super::ubgi::Ubgi;
use crate::ErrorCode;
use gammond_base::lines::FramedLine;
use gammond_engine::query::Options;

/// Initial settings of the protocol machines of a server's connections.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Defaults {
    /// The settings of requests.
    pub session: Options,
    /// Rules that gnubg does not send.
    pub rules: ExternalSettings,
}

/// A dialect: the test for its first line, and its machine.
type Entry = (fn(&[u8]) -> bool, fn(&Defaults) -> Box<dyn Dialect>);

/// The dialects that a first line chooses; requests have every other line.
static DIALECTS: [Entry; 3] = [
    (External::begins_with, |defaults| {
        Box::new(External::new(defaults.rules.clone()))
    }),
    (|line| line.trim_ascii() == b"external", Defaults::external),
    (Ubgi::begins_with, |defaults| {
        Box::new(Ubgi::new(&defaults.session, "embedded", 1, false))
    }),
];

impl Defaults {
    /// Creates gnubg's server language, spoken from the first byte.
    #[must_use]
    pub fn external(&self) -> Box<dyn Dialect> {
        Box::new(External::server(self.rules.clone()))
    }

    /// Returns the dialect of a connection that begins with this line (SRV-04); `None` if the line is blank or a
    /// comment.
    ///
    /// # Errors
    /// The line belongs to a protocol that is unknown here.
    pub fn dialect(&self, first: FramedLine<'_>) -> Result<Option<Box<dyn Dialect>>, RequestError> {
        let requests = || -> Box<dyn Dialect> { Box::new(Session::new(self.session.clone())) };
        let FramedLine::Line(line) = first else {
            return Ok(Some(requests()));
        };
        if let Some((_, new)) = DIALECTS.iter().find(|(begins_with, _)| begins_with(line)) {
            return Ok(Some(new(self)));
        }
        if is_http(line) {
            let message = "this port does not accept HTTP: start the server with --http ADDRESS";
            return Err(RequestError::new(ErrorCode::BadRequest, "request", message));
        }
        Ok((!Session::passes_over(line)).then(requests))
    }
}

/// Returns true for the first line of an HTTP request: `METHOD PATH HTTP/1.1`.
fn is_http(line: &[u8]) -> bool {
    let mut words = line
        .split(|byte| *byte == b' ')
        .filter(|word| !word.is_empty());
    let (method, path, version) = (words.next(), words.next(), words.next());
    method.is_some_and(|word| word.iter().all(u8::is_ascii_uppercase))
        && path.is_some()
        && version.is_some_and(|word| word.starts_with(b"HTTP/"))
}
