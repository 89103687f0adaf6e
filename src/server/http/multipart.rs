//! Bodies of `multipart/form-data`: a match file with its settings (HTTP-63).

use super::problem::{ErrorLocation, Problem};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use futures_util::stream;
use gammond_protocol::json::MEMBERS_MAX;
use multer::{Constraints, Multipart, SizeLimit};
use std::convert::Infallible;

/// Maximum length of a field that is not the file, in bytes.
const FIELD_BYTES_MAX: u64 = 2048;
/// Name of the field with the file.
const FILE: &str = "file";

/// A form: the file, and the other fields by their names.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Form {
    pub(super) file: Bytes,
    pub(super) fields: Vec<(String, String)>,
}

/// Returns the boundary of a multipart body; `None` if the body is something else.
pub(super) fn boundary(headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    multer::parse_boundary(kind).ok()
}

/// Reads a whole body.
///
/// # Errors
/// `bad-request` if the body is broken, has no file or several, or a field twice.
pub(super) async fn read(boundary: String, body: Bytes) -> Result<Form, Problem> {
    let most = body.len() as u64;
    let limit = SizeLimit::new()
        .per_field(FIELD_BYTES_MAX)
        .for_field(FILE, most);
    let whole = stream::iter([Ok::<_, Infallible>(body)]);
    let constraints = Constraints::new().size_limit(limit);
    let mut parts = Multipart::with_constraints(whole, boundary, constraints);
    let broken = |error: multer::Error| {
        let message = format!("the multipart body is broken: {error}");
        Problem::new("bad-request", message)
    };
    let (mut file, mut fields): (Option<Bytes>, Vec<(String, String)>) = (None, Vec::new());
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        let name = part.name().unwrap_or_default().to_owned();
        if name == FILE {
            if file.replace(part.bytes().await.map_err(broken)?).is_some() {
                let message = "the form has more than one file: send a request for each";
                return Err(Problem::new("bad-request", message));
            }
            continue;
        }
        let place = || ErrorLocation::Parameter(name.clone());
        if fields.len() >= MEMBERS_MAX || fields.iter().any(|(other, _)| *other == name) {
            let message = format!("field {name:.64?} stands twice, or there are too many fields");
            return Err(Problem::new("bad-setting", message).at(place()));
        }
        let value = part
            .text()
            .await
            .map_err(|error| broken(error).at(place()))?;
        fields.push((name, value));
    }
    match file {
        Some(file) => Ok(Form { file, fields }),
        None => {
            let message = "the form has no field 'file', want the match file in it";
            Err(Problem::new("bad-request", message))
        }
    }
}
