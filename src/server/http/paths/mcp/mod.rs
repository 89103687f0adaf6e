//! The Model Context Protocol: the engine as tools of a language model, on standard input and output and at `/mcp`.
//!
//! Rules MCP-01 to MCP-63 of `protocol-specs/mcp.md`. Each tool is a question of the line protocol, and its structured
//! result is the answer of the line.

mod arguments;
mod message;
mod paths;
mod stdio;
mod summary;
mod tools;

pub(in crate::http) use paths::routes;
pub use stdio::McpStdio;

use crate::core::Core;
use crate::core::fair_queue::Origin;
use crate::http::wire::problem::Problem;
use crate::http::wire::unread::UnreadAnswers;
use gammond_engine::query::{SETTINGS, Scope, Setting};
use gammond_protocol::json::Json;
use message::{
    INVALID_PARAMS, Id, Message, Outgoing, RpcError, UNKNOWN_METHOD, WITH_HANDSHAKE, cached, text,
};
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};
use tokio::sync::mpsc::UnboundedSender;

/// Longest message in bytes; a match file in base64 is within it.
const MESSAGE_BYTES_MAX: usize = 1 << 20;
const INSTRUCTIONS: &str = "A backgammon engine. Equities are points for the player on roll, who is X, at the bottom \
    of a board. Use the tools for every judgement of a position, a play or a cube; do not guess.";
/// Pages of `resources/list`.
const HELP: &str = "gammond://help";
/// The tools, as `tools/list` shows them.
static TOOLS: LazyLock<Value> = LazyLock::new(|| {
    let file: Value = serde_json::from_str(include_str!("tools.json")).unwrap_or(Value::Null);
    let tools = file["tools"].as_array().into_iter().flatten();
    tools.map(|tool| listed(tool, &file["arguments"])).collect()
});

/// Returns a tool of the file in the form of `tools/list`: its arguments with their schemas, those of settings from the
/// table of settings. `state` among its arguments is all settings of cube, score and rules.
fn listed(tool: &Value, known: &Value) -> Value {
    let is_state = |setting: &&Setting| matches!(setting.scope, Scope::State | Scope::Rules);
    let names = tool["arguments"].as_array().into_iter().flatten();
    let names = names.filter_map(Value::as_str).flat_map(|name| match name {
        "state" => SETTINGS
            .iter()
            .filter(is_state)
            .map(|one| one.name)
            .collect(),
        name => vec![name],
    });
    let properties: Map<String, Value> = names
        .map(|name| {
            let mut schema = known[name].as_object().cloned().unwrap_or_default();
            if let Some(setting) = Setting::named(name) {
                let values = setting.schema().as_object().cloned().unwrap_or_default();
                // Names of constants are for generated programs.
                schema.extend(
                    values
                        .into_iter()
                        .filter(|(word, _)| !word.starts_with("x-")),
                );
                schema
                    .entry("description")
                    .or_insert_with(|| setting.about().into());
            }
            if let text @ Value::String(_) = &tool["described"][name] {
                schema.insert("description".to_owned(), text.clone());
            }
            (name.to_owned(), schema.into())
        })
        .collect();
    let mut input = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
        "properties": properties, "additionalProperties": false});
    let mut listed = json!({"name": tool["name"], "title": tool["title"], "description": tool["description"],
        "annotations": {"title": tool["title"], "readOnlyHint": true, "destructiveHint": false,
            "idempotentHint": true, "openWorldHint": false}});
    if let required @ Value::Array(_) = &tool["required"] {
        input["required"] = required.clone();
    }
    if let output @ Value::Object(_) = &tool["outputSchema"] {
        listed["outputSchema"] = output.clone();
    }
    listed["inputSchema"] = input;
    listed
}

/// Returns the names of the arguments of a tool; `None` if there is no such tool.
fn arguments_of(tool: &str) -> Option<Vec<&'static str>> {
    let mut tools = TOOLS.as_array().into_iter().flatten();
    let found = tools.find(|one| one["name"] == tool)?;
    let properties = found["inputSchema"]["properties"].as_object()?;
    Some(properties.keys().map(String::as_str).collect())
}

/// The services and the origin of a client's requests.
#[derive(Clone, Debug)]
struct Context {
    shared: Arc<Core>,
    origin: Origin,
    /// Answers over HTTP that the client has not read.
    unread: Option<Arc<UnreadAnswers>>,
}

/// Reports of a running tool.
#[derive(Clone, Debug)]
struct Progress {
    token: Id,
    sender: UnboundedSender<Outgoing>,
}

impl Progress {
    fn report(&self, done: f64, total: f64, message: &str) {
        let report = message::progress(&self.token, done, total, message);
        // A disconnected client needs no reports.
        let _ = self.sender.send(report);
    }
}

/// Answers a request. Reports of its progress go to `sender`.
async fn respond(
    context: &Context,
    message: &Message,
    sender: UnboundedSender<Outgoing>,
) -> Outgoing {
    let id = message.id.clone().unwrap_or_else(Id::null);
    let token = message.progress_token.clone();
    let progress = token.map(|token| Progress { token, sender });
    match result(context, message, progress).await {
        Ok(result) => message::response(message, result),
        Err(error) => error.response(&id),
    }
}

async fn result(
    context: &Context,
    message: &Message,
    progress: Option<Progress>,
) -> Result<Value, RpcError> {
    let capabilities = || json!({"tools": {}, "resources": {}});
    let server = || {
        json!({"name": "gammond", "title": "gammond backgammon engine",
               "version": env!("CARGO_PKG_VERSION")})
    };
    let list = |value: Value| Ok(cached(message, value));
    match message.method.as_str() {
        "initialize" => {
            let wanted = text(&message.params, "protocolVersion");
            let version = wanted.filter(|version| WITH_HANDSHAKE.contains(version));
            let [newest, ..] = WITH_HANDSHAKE;
            Ok(
                json!({"protocolVersion": version.unwrap_or(newest), "capabilities": capabilities(),
                      "serverInfo": server(), "instructions": INSTRUCTIONS}),
            )
        }
        "server/discover" => list(
            json!({"supportedVersions": message::versions(), "capabilities": capabilities(),
                   "serverInfo": server(), "instructions": INSTRUCTIONS}),
        ),
        "ping" => Ok(json!({})),
        "tools/list" => list(json!({"tools": *TOOLS})),
        "tools/call" => {
            let Some(name) = text(&message.params, "name") else {
                let error = "name is missing, such as \"best_plays\"";
                return Err(RpcError::new(INVALID_PARAMS, error));
            };
            let empty = Json::Object(Vec::new());
            let arguments = message::member(&message.params, "arguments").unwrap_or(&empty);
            if !matches!(arguments, Json::Object(_)) {
                let error = "arguments must be an object";
                return Err(RpcError::new(INVALID_PARAMS, error));
            }
            tools::call(context, name, arguments, progress).await
        }
        "resources/list" => list(json!({"resources": [
            {"uri": HELP, "name": "help", "title": "Settings and notations", "mimeType": "text/plain"},
        ]})),
        "resources/templates/list" => list(json!({"resourceTemplates": [
            {"uriTemplate": "gammond://position/{id}", "name": "board", "mimeType": "text/plain"},
            {"uriTemplate": "gammond://position/{id}.svg", "name": "drawing", "mimeType": "image/svg+xml"},
            {"uriTemplate": "gammond://position/{id}.png", "name": "picture", "mimeType": "image/png"},
            {"uriTemplate": "gammond://position/{id}.json", "name": "notations", "mimeType": "application/json"},
        ]})),
        "resources/read" => {
            let uri = text(&message.params, "uri").unwrap_or_default();
            list(tools::resource(context, uri).await?)
        }
        other => Err(RpcError::new(
            UNKNOWN_METHOD,
            format!("there is no method {other:.64?}"),
        )),
    }
}

/// Returns a refused argument as the result of a tool, from which a model can correct it (MCP-21).
fn refused(problem: &Problem) -> Value {
    let text = format!("{}: {}", problem.code, problem.message);
    json!({"content": [{"type": "text", "text": text}], "isError": true})
}
