//! Bodies of `multipart/form-data`: match files with their settings (HTTP-63).

use crate::http::wire::problem::{ErrorLocation, Problem};
use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use futures_util::stream;
use gammond_protocol::ErrorCode;
use gammond_protocol::json::MEMBERS_MAX;
use multer::{Constraints, Multipart, SizeLimit};
use std::convert::Infallible;

/// Maximum length of a field that is not the file, in bytes.
const FIELD_BYTES_MAX: u64 = 2048;
/// Name of the fields with files.
const FILE: &str = "file";
/// Maximum number of files.
pub(in crate::http) const FILES_MAX: usize = 100;

/// A form: the files, and the other fields by their names.
#[derive(Debug, Default, PartialEq)]
pub(in crate::http) struct Form {
    pub(in crate::http) files: Vec<Bytes>,
    pub(in crate::http) fields: Vec<(String, String)>,
}

/// Returns the boundary of a multipart body; `None` if the body is something else.
pub(in crate::http) fn boundary(headers: &HeaderMap) -> Option<String> {
    let kind = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    multer::parse_boundary(kind).ok()
}

/// Reads a whole body.
///
/// # Errors
/// `bad-request` if the body is broken or has no file, `bad-setting` if it has another field twice.
pub(in crate::http) async fn read(boundary: String, body: Bytes) -> Result<Form, Problem> {
    let most = body.len() as u64;
    let limit = SizeLimit::new()
        .per_field(FIELD_BYTES_MAX)
        .for_field(FILE, most);
    let whole = stream::iter([Ok::<_, Infallible>(body)]);
    let constraints = Constraints::new().size_limit(limit);
    let mut parts = Multipart::with_constraints(whole, boundary, constraints);
    let broken = |error: multer::Error| {
        let message = format!("the multipart body is broken: {error}");
        Problem::new(ErrorCode::BadRequest, message)
    };
    let (mut files, mut fields): (Vec<Bytes>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    while let Some(part) = parts.next_field().await.map_err(broken)? {
        let name = part.name().unwrap_or_default().to_owned();
        if name == FILE {
            if files.len() >= FILES_MAX {
                let message = format!("the form has more than {FILES_MAX} files");
                return Err(Problem::new(ErrorCode::BadRequest, message));
            }
            files.push(part.bytes().await.map_err(broken)?);
            continue;
        }
        let place = || ErrorLocation::Parameter(name.clone());
        if fields.len() >= MEMBERS_MAX
            || fields
                .iter()
                .any(|(other, _)| other.eq_ignore_ascii_case(&name))
        {
            let message = format!("field {name:.64?} stands twice, or there are too many fields");
            return Err(Problem::new(ErrorCode::BadSetting, message).at(place()));
        }
        let value = part
            .text()
            .await
            .map_err(|error| broken(error).at(place()))?;
        fields.push((name, value));
    }
    if files.is_empty() {
        let message = "the form has no field 'file', expected the match file in it";
        return Err(Problem::new(ErrorCode::BadRequest, message));
    }
    Ok(Form { files, fields })
}
