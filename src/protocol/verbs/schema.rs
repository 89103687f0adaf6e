//! Parts of JSON schemas, for the answers of verbs and of other paths.

use serde_json::{Map, Value, json};

/// Start of a game, the position of examples.
pub const START: &str = "4HPwATDgc/ABMA";
/// Description of a play.
pub const PLAY: &str = "The play, such as 8/5 6/5; empty if there is none";
/// Description of a position.
pub const POSITION: &str = "Position ID";
/// Description of a unit.
pub const UNIT: &str = "`points` in money games, `emg` (equivalent to money) in matches";
/// Description of a depth.
pub const PLIES: &str = "Look-ahead of the answer";
/// Description of a level.
pub const LEVEL: &str = "Level that took the place of plies";

/// A member: its name, a description and a schema.
pub type SchemaMember = (&'static str, &'static str, Value);

/// Returns a schema with a description.
#[must_use]
pub fn described(mut schema: Value, about: &str) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".into(), about.into());
    }
    schema
}

/// Returns the name of the schema of a verb's answer.
#[must_use]
pub fn answer_name(verb: &str) -> String {
    let mut letters = verb.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    let name = first.into_iter().chain(letters);
    name.chain("Answer".chars()).collect()
}

/// Returns a reference to a schema.
#[must_use]
pub fn refer(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

/// Returns an object with the members that are always there, and with some that depend on the question.
#[must_use]
pub fn object(about: &str, always: &[SchemaMember], sometimes: &[SchemaMember]) -> Value {
    let required: Vec<&str> = always.iter().map(|(name, ..)| *name).collect();
    let mut properties = Map::new();
    for (name, about, schema) in always.iter().chain(sometimes) {
        properties.insert((*name).to_owned(), described(schema.clone(), about));
    }
    json!({"type": "object", "description": about, "required": required, "properties": properties})
}

/// Returns the answer of a verb, which has a type and perhaps an id.
pub(crate) fn answer(
    verb: &'static str,
    always: &[SchemaMember],
    sometimes: &[SchemaMember],
) -> (String, Value) {
    let kind = (
        "type",
        "The verb",
        json!({ "type": "string", "const": verb }),
    );
    let id = ("id", "That of the question", text());
    let always = [&[kind], always].concat();
    let sometimes = [&[id], sometimes].concat();
    let schema = object(&format!("The answer of `{verb}`"), &always, &sometimes);
    (answer_name(verb), schema)
}

/// Returns the member with the warning of an answer.
pub(crate) fn warning() -> SchemaMember {
    ("warning", "What of the request was left out", text())
}

/// Returns the schema of a text.
#[must_use]
pub fn text() -> Value {
    json!({"type": "string"})
}

/// Returns the schema of a number.
#[must_use]
pub fn number() -> Value {
    json!({"type": "number"})
}

/// Returns the schema of a count.
#[must_use]
pub fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

/// Returns the schema of true or false.
#[must_use]
pub fn truth() -> Value {
    json!({"type": "boolean"})
}

/// Returns the schema of this type or `null`.
#[must_use]
pub fn or_null(kind: &str) -> Value {
    json!({ "type": [kind, "null"] })
}

/// Returns the schema of an array.
#[must_use]
pub fn list(item: &Value) -> Value {
    json!({"type": "array", "items": item})
}

/// Returns the schema of two values.
#[must_use]
pub fn pair(item: &Value) -> Value {
    json!({"type": "array", "items": item, "minItems": 2, "maxItems": 2})
}

/// Returns the schema of any object.
#[must_use]
pub fn any_object() -> Value {
    json!({"type": "object", "additionalProperties": true})
}

/// Returns the schema of a unit.
pub(crate) fn unit() -> Value {
    json!({"type": "string", "enum": ["points", "emg", "mwc"]})
}

/// Returns the schema of a value that has one of these schemas.
pub(crate) fn one_of(names: &[&str]) -> Value {
    let all: Vec<Value> = names.iter().map(|name| refer(name)).collect();
    json!({ "anyOf": all })
}

/// Returns the schema of the owner of the cube.
pub(crate) fn owner() -> Value {
    json!({"type": "string", "enum": ["me", "opponent", "centred"]})
}

fn die() -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": 6})
}

/// Returns the schema of two dice.
pub(crate) fn dice() -> Value {
    pair(&die())
}

/// Returns the schema of the dice, if there are some.
pub(crate) fn dice_or_null() -> Value {
    json!({"type": ["array", "null"], "items": die()})
}
