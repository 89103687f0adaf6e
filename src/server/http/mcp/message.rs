//! JSON-RPC envelopes of MCP, in both eras of the protocol (MCP-01 to MCP-05 of `protocol-specs/mcp.md`).

use gammond_protocol::json::Json;
use serde_json::{Value, json};

/// The member of `_meta` by which a request of the stateless revision names it.
const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
/// The stateless revision.
pub(super) const STATELESS: &str = "2026-07-28";
/// Revisions with a handshake, newest first.
pub(super) const WITH_HANDSHAKE: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

pub(super) const PARSE_ERROR: i32 = -32_700;
pub(super) const INVALID_REQUEST: i32 = -32_600;
pub(super) const UNKNOWN_METHOD: i32 = -32_601;
pub(super) const INVALID_PARAMS: i32 = -32_602;
pub(super) const HEADER_MISMATCH: i32 = -32_020;
pub(super) const UNKNOWN_VERSION: i32 = -32_022;

/// An error of the protocol; errors of a tool's arguments are results of the tool.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RpcError {
    pub(super) code: i32,
    pub(super) message: String,
    pub(super) data: Option<Value>,
}

impl RpcError {
    pub(super) fn new(code: i32, message: impl Into<String>) -> RpcError {
        RpcError {
            code,
            message: message.into(),
            data: None,
        }
    }

    /// Returns the error as the response to a request.
    pub(super) fn response(&self, id: &Value) -> Value {
        let mut error = json!({"code": self.code, "message": self.message});
        if let (Some(data), Some(error)) = (&self.data, error.as_object_mut()) {
            error.insert("data".into(), data.clone());
        }
        json!({"jsonrpc": "2.0", "id": id, "error": error})
    }
}

/// A request, or a notification if it has no id.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Message {
    pub(super) id: Option<Value>,
    pub(super) method: String,
    pub(super) params: Json,
    /// True if the request belongs to the stateless revision.
    pub(super) stateless: bool,
}

/// Returns a member of an object.
pub(super) fn member<'a>(json: &'a Json, name: &str) -> Option<&'a Json> {
    let Json::Object(members) = json else {
        return None;
    };
    let found = members.iter().find(|(known, _)| known == name);
    found.map(|(_, value)| value)
}

/// Returns a member that is a text.
pub(super) fn text<'a>(json: &'a Json, name: &str) -> Option<&'a str> {
    match member(json, name)? {
        Json::Text(text) => Some(text),
        _ => None,
    }
}

/// Returns a text or a number as the same value, for ids and tokens.
pub(super) fn scalar(json: &Json) -> Option<Value> {
    match json {
        Json::Text(text) => Some(Value::String(text.clone())),
        Json::Number(number) => Some(Value::Number(number.clone())),
        _ => None,
    }
}

impl Message {
    /// Reads a message. `None` is a response, to which there is nothing to say.
    ///
    /// # Errors
    /// The response with the error.
    pub(super) fn read(bytes: &[u8]) -> Result<Option<Message>, Value> {
        let fail =
            |id: Value, code: i32, message: String| Err(RpcError::new(code, message).response(&id));
        let json = match Json::parse(bytes) {
            Ok(json) => json,
            Err(error) => return fail(Value::Null, PARSE_ERROR, format!("no JSON: {error}")),
        };
        if !matches!(json, Json::Object(_)) {
            let message = "one request or notification is expected, batches are not supported";
            return fail(Value::Null, INVALID_REQUEST, message.to_owned());
        }
        // A response to a message that could not be read has no id.
        let is_request = member(&json, "method").is_some();
        let id = member(&json, "id").filter(|id| is_request || **id != Json::Null);
        let id = match id.map(scalar) {
            Some(None) => {
                let message = "id must be a string or a number, such as 1";
                return fail(Value::Null, INVALID_REQUEST, message.to_owned());
            }
            Some(id) => id,
            None => None,
        };
        let null = || id.clone().unwrap_or(Value::Null);
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
        Ok(Some(Message {
            id,
            method: method.to_owned(),
            params,
            stateless,
        }))
    }

    /// Returns the token under which the progress of the request is reported.
    pub(super) fn progress_token(&self) -> Option<Value> {
        scalar(member(member(&self.params, "_meta")?, "progressToken")?)
    }

    /// Returns the protocol version of the request, for messages.
    pub(super) const fn version(&self) -> &'static str {
        match self.stateless {
            true => STATELESS,
            false => WITH_HANDSHAKE[0],
        }
    }
}

/// Returns all revisions, newest first.
pub(super) fn versions() -> Vec<&'static str> {
    let mut versions = vec![STATELESS];
    versions.extend(WITH_HANDSHAKE);
    versions
}

/// Wraps a result; the stateless revision marks it as complete.
pub(super) fn response(message: &Message, mut result: Value) -> Value {
    if message.stateless
        && let Some(result) = result.as_object_mut()
    {
        result.insert("resultType".into(), "complete".into());
    }
    json!({"jsonrpc": "2.0", "id": message.id, "result": result})
}

/// Adds to a list the time for which clients of the stateless revision may keep it.
pub(super) fn cached(message: &Message, mut result: Value) -> Value {
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

    /// MCP-02: a request without an id of its own is none; a response has perhaps none.
    #[test]
    fn null_is_no_id_of_a_request() {
        let wrong = Message::read(br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#).unwrap_err();
        assert_eq!(wrong["error"]["code"], INVALID_REQUEST);
        assert_eq!(wrong["id"], Value::Null);
        let response = br#"{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}"#;
        assert_eq!(Message::read(response), Ok(None));
        let notification = Message::read(br#"{"jsonrpc":"2.0","method":"x"}"#);
        assert_eq!(notification.unwrap().unwrap().id, None);
    }
}
