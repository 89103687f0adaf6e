//! JSON-RPC envelopes of MCP, in both eras of the protocol (MCP-01 to MCP-05 of `protocol-specs/mcp.md`).

use gammond_protocol::json::Json;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt;

/// The member of `_meta` by which a request of the stateless revision names it.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// The stateless revision.
pub(in crate::http) const STATELESS: &str = "2026-07-28";
/// Revisions with a handshake, newest first.
pub(in crate::http) const WITH_HANDSHAKE: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

pub(in crate::http) const PARSE_ERROR: i32 = -32_700;
pub(in crate::http) const INVALID_REQUEST: i32 = -32_600;
pub(in crate::http) const UNKNOWN_METHOD: i32 = -32_601;
pub(in crate::http) const INVALID_PARAMS: i32 = -32_602;
pub(in crate::http) const HEADER_MISMATCH: i32 = -32_020;
pub(in crate::http) const UNKNOWN_VERSION: i32 = -32_022;

/// An error of the protocol; errors of a tool's arguments are results of the tool.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::http) struct RpcError {
    pub(in crate::http) code: i32,
    pub(in crate::http) message: String,
    pub(in crate::http) data: Option<Value>,
}

impl RpcError {
    pub(in crate::http) fn new(code: i32, message: impl Into<String>) -> RpcError {
        RpcError {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Returns the error as the response to a request.
    pub(in crate::http) fn response(&self, id: &Id) -> Outgoing {
        let mut error = json!({"code": self.code, "message": self.message});
        if let (Some(data), Some(error)) = (&self.data, error.as_object_mut()) {
            error.insert("data".into(), data.clone());
        }
        Outgoing {
            text: format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}"),
            is_response: true,
            code: Some(self.code),
        }
    }
}

/// A message to the client.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::http) struct Outgoing {
    /// The JSON, without a line end.
    pub(in crate::http) text: String,
    /// True for a response, false for a notification.
    pub(in crate::http) is_response: bool,
    /// The code of an error.
    pub(in crate::http) code: Option<i32>,
}

/// An id or a token as JSON: an integer of up to 128 bits comes back with all of its digits, which a float would not keep.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::http) struct Id(String);

impl Id {
    /// Returns the id of a response to a message whose own could not be read.
    pub(in crate::http) fn null() -> Id {
        Id("null".to_owned())
    }

    /// Reads a text or a number; `digits` finds an integer that `Json` holds as a float.
    fn read(json: &Json, digits: impl Fn() -> Option<i128>) -> Option<Id> {
        Some(Id(match json {
            Json::Text(text) => Value::from(text.as_str()).to_string(),
            Json::Number(number) if number.is_f64() => match digits() {
                Some(whole) => whole.to_string(),
                // An integer with more bits has lost its last digits.
                None if number
                    .as_f64()
                    .is_some_and(|value| value.abs() >= EXACT_MAX) =>
                {
                    return None;
                }
                None => number.to_string(),
            },
            Json::Number(number) => number.to_string(),
            _ => return None,
        }))
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Least float whose neighbours are more than an integer apart.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// A message whose id is an integer.
#[derive(Deserialize)]
struct WithId {
    id: i128,
}

/// A message with an integer that names a request, and one that names progress.
#[derive(Deserialize)]
struct WithRequest {
    params: RequestId,
}

#[derive(Deserialize)]
struct RequestId {
    #[serde(rename = "requestId")]
    id: i128,
}

#[derive(Deserialize)]
struct WithToken {
    params: Meta,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "_meta")]
    meta: Token,
}

#[derive(Deserialize)]
struct Token {
    #[serde(rename = "progressToken")]
    token: i128,
}

/// A request, or a notification if it has no id.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::http) struct Message {
    pub(in crate::http) id: Option<Id>,
    pub(in crate::http) method: String,
    pub(in crate::http) params: Json,
    /// The token under which the progress of the request is reported.
    pub(in crate::http) progress_token: Option<Id>,
    /// The request that a cancellation is about.
    pub(in crate::http) request_id: Option<Id>,
    /// True if the request belongs to the stateless revision.
    pub(in crate::http) stateless: bool,
}

/// Returns a member of an object.
pub(in crate::http) fn member<'a>(json: &'a Json, name: &str) -> Option<&'a Json> {
    let Json::Object(members) = json else {
        return None;
    };
    let found = members.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value)
}

/// Returns a member that is a text.
pub(in crate::http) fn text<'a>(json: &'a Json, name: &str) -> Option<&'a str> {
    match member(json, name)? {
        Json::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns a text or a number as the same value.
fn scalar(json: &Json) -> Option<Value> {
    match json {
        Json::Text(text) => Some(Value::String(text.clone())),
        Json::Number(number) => Some(Value::Number(number.clone())),
        _ => None,
    }
}

impl Message {
    /// Reads a message. `None` is a response, which needs no answer.
    ///
    /// # Errors
    /// The response with the error.
    pub(in crate::http) fn read(bytes: &[u8]) -> Result<Option<Message>, Outgoing> {
        let fail =
            |id: Id, code: i32, message: String| Err(RpcError::new(code, message).response(&id));
        let json = match Json::parse(bytes) {
            Ok(json) => json,
            Err(error) => return fail(Id::null(), PARSE_ERROR, format!("no JSON: {error}")),
        };
        if !matches!(json, Json::Object(_)) {
            let message = "one request or notification is expected, batches are not supported";
            return fail(Id::null(), INVALID_REQUEST, message.to_owned());
        }
        // A response to a message that could not be read has no id.
        let is_request = member(&json, "method").is_some();
        let id = member(&json, "id").filter(|id| is_request || **id != Json::Null);
        let digits = || Some(serde_json::from_slice::<WithId>(bytes).ok()?.id);
        let id = match id.map(|id| Id::read(id, digits)) {
            Some(None) => {
                let message = "id must be a string or a number, such as 1, and an integer has at most 128 bits";
                return fail(Id::null(), INVALID_REQUEST, message.to_owned());
            }
            Some(id) => id,
            None => None,
        };
        let null = || id.clone().unwrap_or_else(Id::null);
        if text(&json, "jsonrpc") != Some("2.0") {
            let message = "jsonrpc must be \"2.0\"";
            return fail(null(), INVALID_REQUEST, message.to_owned());
        }
        let Some(method) = text(&json, "method") else {
            if member(&json, "result").or(member(&json, "error")).is_some() {
                return Ok(None);
            }
            let message = "method is missing, such as \"tools/list\"";
            return fail(null(), INVALID_REQUEST, message.to_owned());
        };
        let params = member(&json, "params").cloned().unwrap_or(Json::Null);
        let version = member(&params, "_meta").and_then(|meta| member(meta, VERSION_KEY));
        let stateless = match version {
            None => false,
            Some(Json::Text(version)) if version == STATELESS => true,
            Some(version) => {
                let requested = scalar(version).unwrap_or(Value::Null);
                let error = RpcError {
                    data: Some(json!({"supported": versions(), "requested": requested})),
                    ..RpcError::new(UNKNOWN_VERSION, "this protocol version is not supported")
                };
                return Err(error.response(&null()));
            }
        };
        let token = member(&params, "_meta").and_then(|meta| member(meta, "progressToken"));
        let progress_token = token.and_then(|token| {
            Id::read(token, || {
                let message = serde_json::from_slice::<WithToken>(bytes).ok()?;
                Some(message.params.meta.token)
            })
        });
        let request_id = member(&params, "requestId").and_then(|id| {
            Id::read(id, || {
                let message = serde_json::from_slice::<WithRequest>(bytes).ok()?;
                Some(message.params.id)
            })
        });
        Ok(Some(Message {
            id,
            method: method.to_owned(),
            params,
            progress_token,
            request_id,
            stateless,
        }))
    }

    /// Returns the protocol version of the request, for messages.
    pub(in crate::http) const fn version(&self) -> &'static str {
        match self.stateless {
            true => STATELESS,
            false => WITH_HANDSHAKE[0],
        }
    }
}

/// Returns all revisions, newest first.
pub(in crate::http) fn versions() -> Vec<&'static str> {
    let mut versions = vec![STATELESS];
    versions.extend(WITH_HANDSHAKE);
    versions
}

/// Wraps a result; the stateless revision marks it as complete.
pub(in crate::http) fn response(message: &Message, mut result: Value) -> Outgoing {
    if message.stateless
        && let Some(result) = result.as_object_mut()
    {
        result.insert("resultType".into(), "complete".into());
    }
    let id = message.id.clone().unwrap_or_else(Id::null);
    Outgoing {
        text: format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}"),
        is_response: true,
        code: None,
    }
}

/// Returns a report of the progress under a token.
pub(in crate::http) fn progress(token: &Id, done: f64, total: f64, message: &str) -> Outgoing {
    let message = Value::from(message);
    let (done, total) = (Value::from(done), Value::from(total));
    let params = format!(
        "{{\"progressToken\":{token},\"progress\":{done},\"total\":{total},\"message\":{message}}}"
    );
    Outgoing {
        text: format!(
            "{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{params}}}"
        ),
        is_response: false,
        code: None,
    }
}

/// Adds to a list the time for which clients of the stateless revision may keep it.
pub(in crate::http) fn cached(message: &Message, mut result: Value) -> Value {
    if message.stateless
        && let Some(result) = result.as_object_mut()
    {
        result.insert("ttlMs".into(), 3_600_000.into());
        result.insert("cacheScope".into(), "public".into());
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MCP-02: a request without an id of its own is invalid; a response may have none.
    #[test]
    fn null_is_no_id_of_a_request() {
        let wrong = Message::read(br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#).unwrap_err();
        assert_eq!(wrong.code, Some(INVALID_REQUEST));
        let wrong: Value = serde_json::from_str(&wrong.text).unwrap();
        assert_eq!(wrong["error"]["code"], INVALID_REQUEST);
        assert_eq!(wrong["id"], Value::Null);
        let response = br#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}"#;
        assert_eq!(Message::read(response), Ok(None));
        let notification = Message::read(br#"{"jsonrpc":"2.0","method":"x"}"#);
        assert_eq!(notification.unwrap().unwrap().id, None);
    }

    /// MCP-12: ids and tokens come back as they were sent.
    #[test]
    fn integers_keep_their_digits() {
        for id in [
            "12345678901234567890123",
            "-170141183460469231731687303715884105728",
            "18446744073709551615",
            "9007199254740993",
            "0",
            "1.5",
            "\"a\"",
        ] {
            let text = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"x\",\"params\":{{\"requestId\":{id},\"_meta\":{{\"progressToken\":{id}}}}}}}"
            );
            let message = Message::read(text.as_bytes()).unwrap().unwrap();
            let wanted = Some(Id(id.to_owned()));
            assert_eq!(message.id, wanted);
            assert_eq!(
                (&message.progress_token, &message.request_id),
                (&wanted, &wanted)
            );
            let answer = response(&message, json!({}));
            assert_eq!(
                answer.text,
                format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}")
            );
        }
        let many = "9".repeat(60);
        let text = format!("{{\"jsonrpc\":\"2.0\",\"id\":{many},\"method\":\"x\"}}");
        let refused = Message::read(text.as_bytes()).unwrap_err();
        assert_eq!(refused.code, Some(INVALID_REQUEST));
    }
}
