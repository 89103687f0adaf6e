//! The answers of the verbs as JSON Schema, for clients that are generated from the description (HTTP-102).

use serde_json::{Map, Value, json};

/// Returns the name of the schema of a verb's answer.
pub(super) fn name(verb: &str) -> &'static str {
    match verb {
        "eval" => "EvalAnswer",
        "move" => "MoveAnswer",
        "cube" => "CubeAnswer",
        "rollout" => "RolloutAnswer",
        "convert" => "ConvertAnswer",
        _ => "Answer",
    }
}

/// Returns a reference to the schema of a verb's answer.
pub(super) fn reference(verb: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{}", name(verb))})
}

/// Returns an object with the members that every answer has, and with some that depend on the settings.
fn object(verb: &str, always: &[(&str, Value)], sometimes: &[(&str, Value)]) -> Value {
    let mut required = vec!["type"];
    let mut properties = Map::new();
    properties.insert("type".to_owned(), json!({ "const": verb }));
    properties.insert("id".to_owned(), json!({"type": "string"}));
    for (name, schema) in always {
        required.push(name);
        properties.insert((*name).to_owned(), schema.clone());
    }
    for (name, schema) in sometimes {
        properties.insert((*name).to_owned(), schema.clone());
    }
    json!({"type": "object", "required": required, "properties": properties})
}

/// Returns the schemas of all answers.
#[expect(clippy::too_many_lines, reason = "one table of schemas")]
pub(super) fn schemas() -> Map<String, Value> {
    let text = || json!({"type": "string"});
    let number = || json!({"type": "number"});
    let perhaps = || json!({"type": ["number", "null"]});
    let count = || json!({"type": "integer", "minimum": 0});
    let truth = || json!({"type": "boolean"});
    let unit = || json!({"enum": ["points", "emg", "mwc"]});
    let probabilities = || json!({"$ref": "#/components/schemas/Probabilities"});
    let equity = || json!({"type": "object", "properties": {"cubeless": {"type": "number"}, "cubeful": {"type": ["number", "null"]}}});
    let error =
        || json!({"type": "object", "properties": {"cubeless": perhaps(), "cubeful": perhaps()}});
    let dice = json!({"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "integer", "minimum": 1, "maximum": 6}});
    let play = json!({
        "type": "object",
        "required": ["play", "position", "equity", "loss", "plies"],
        "properties": {"play": text(), "position": text(), "equity": number(), "loss": number(), "plies": count(),
                       "probabilities": probabilities()},
    });
    let candidate = json!({
        "type": "object",
        "required": ["equity", "error", "probabilities", "trials"],
        "properties": {"play": text(), "position": text(), "loss": number(), "equity": equity(), "error": error(),
                       "probabilities": probabilities(), "trials": count()},
    });
    let chances = [
        "win",
        "win_gammon",
        "win_backgammon",
        "lose_gammon",
        "lose_backgammon",
    ];
    let members: Map<String, Value> = chances
        .iter()
        .map(|name| {
            (
                (*name).to_owned(),
                json!({"type": "number", "minimum": 0, "maximum": 1}),
            )
        })
        .collect();
    let all = [
        (
            "Probabilities",
            json!({"type": "object", "required": chances, "properties": members}),
        ),
        (
            name("eval"),
            object(
                "eval",
                &[
                    ("position", text()),
                    ("class", text()),
                    ("plies", count()),
                    ("net", text()),
                    ("probabilities", probabilities()),
                    ("equity", equity()),
                    ("unit", unit()),
                ],
                &[],
            ),
        ),
        (
            name("move"),
            object(
                "move",
                &[
                    ("position", text()),
                    ("roll", dice),
                    ("plies", count()),
                    ("legal", count()),
                    ("unit", unit()),
                    ("plays", json!({"type": "array", "items": play})),
                ],
                &[],
            ),
        ),
        (
            name("cube"),
            object(
                "cube",
                &[
                    ("position", text()),
                    ("plies", count()),
                    ("no_double", number()),
                    ("double_take", number()),
                    ("double_pass", number()),
                    ("optimal", number()),
                    ("double", truth()),
                    ("take", truth()),
                    ("beaver", truth()),
                    ("verdict", text()),
                    ("unit", unit()),
                    ("probabilities", probabilities()),
                ],
                &[("percentage", perhaps()), ("cubeless", perhaps())],
            ),
        ),
        (
            name("rollout"),
            object(
                "rollout",
                &[
                    ("position", text()),
                    ("candidates", json!({"type": "array", "items": candidate})),
                    ("trials", count()),
                    ("seed", count()),
                    ("stopped", text()),
                    ("unit", unit()),
                ],
                &[
                    ("cubeful", truth()),
                    ("plies", count()),
                    ("elapsed_ms", count()),
                ],
            ),
        ),
        (
            name("convert"),
            object(
                "convert",
                &[
                    ("position", text()),
                    ("gnubgid", text()),
                    ("xgid", text()),
                    ("key", text()),
                    ("match", text()),
                    ("board", text()),
                ],
                &[("ogid", json!({"type": ["string", "null"]}))],
            ),
        ),
    ];
    all.into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect()
}
