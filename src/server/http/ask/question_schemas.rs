//! The questions of the verbs as JSON Schema and as parameters, from the table of the settings (HTTP-140).

use crate::http::ask::drawing::{WIDTH_MAX, WIDTH_MIN, is_taken};
use crate::http::ask::question::{
    ID_LENGTH_MAX, ID_NUMBER_MAX, OPENING_BYTES_MAX, PLAY_BYTES_MAX, POSITION_BYTES_MAX,
    has_member, needed,
};
use gammond_engine::query::{Language, RolloutSettings, Setting};
use gammond_protocol::verbs::schema::{START, described};
use gammond_protocol::verbs::{
    ANALYSE_SCOPES, OPENING as OPENING_VERB, ROLLOUT, Verb, settings_of,
};
use gammond_report::render::Theme;
use serde_json::{Map, Value, json};

const POSITION: &str = "Position ID, GNUbg ID, XGID, OGID, 20-letter key or FIBS board line; the question is about the player on roll";
const ROLL: &str = "the dice; without it those of the position, if its form has any";
const OPENING: &str =
    "the opening roll and its play; the question is about the other player's reply";
const ID: &str = "comes back in the answer";

/// Pattern of two different dice, as a word.
const OPENING_DICE: &str =
    "(1[-,]?[2-6]|2[-,]?[13-6]|3[-,]?[124-6]|4[-,]?[1-356]|5[-,]?[1-46]|6[-,]?[1-5])";

/// Returns the name of the schema of a verb's questions.
fn name(verb: &Verb) -> String {
    let (first, rest) = verb.name.split_at(1);
    format!("{}{rest}Question", first.to_ascii_uppercase())
}

/// Returns a reference to the schema of a verb's questions.
pub(in crate::http) fn reference(verb: &Verb) -> Value {
    json!({"$ref": format!("#/components/schemas/{}", name(verb))})
}

/// Returns the schemas of the questions of these verbs.
pub(in crate::http) fn schemas(verbs: &[&Verb]) -> Map<String, Value> {
    let mut schemas = Map::new();
    for verb in verbs {
        let settings = format!("{}Settings", name(verb).trim_end_matches("Question"));
        schemas.insert(name(verb), question(verb, &settings));
        schemas.insert(settings, settings_schema(verb));
    }
    schemas
}

fn position() -> Value {
    json!({"type": "string", "format": "backgammon-position", "minLength": 1, "maxLength": POSITION_BYTES_MAX, "examples": [START]})
}

fn opening() -> Value {
    json!({"type": "string", "pattern": format!("^{OPENING_DICE}:? .+$"), "maxLength": OPENING_BYTES_MAX,
        "examples": ["31 8/5 6/5"]})
}

fn roll_word() -> Value {
    json!({"type": "string", "pattern": "^[1-6][-,]?[1-6]$", "examples": ["31"]})
}

/// Returns the schema of the dice of an opening, as a word.
fn opening_word() -> Value {
    json!({"type": "string", "pattern": format!("^{OPENING_DICE}$"), "examples": ["31"]})
}

/// Returns the schema of the dice that a verb needs, as a word.
fn needed_word(verb: &Verb) -> Value {
    match verb == &OPENING_VERB {
        true => opening_word(),
        false => roll_word(),
    }
}

fn dice() -> Value {
    let die = json!({"type": "integer", "minimum": 1, "maximum": 6});
    json!({"type": "array", "minItems": 2, "maxItems": 2, "items": die, "examples": [[3, 1]]})
}

fn id() -> Value {
    json!({"type": "string", "pattern": format!("^[!#-~]{{1,{ID_LENGTH_MAX}}}$"), "examples": ["7"]})
}

fn question(verb: &Verb, settings: &str) -> Value {
    let mut members = Map::new();
    if has_member(verb, "position") {
        members.insert("position".into(), described(position(), POSITION));
    }
    if has_member(verb, "opening") {
        members.insert("opening".into(), described(opening(), OPENING));
    }
    let needed = needed(verb);
    if has_member(verb, "roll") {
        // That an opening roll is none, or a double, is the answer to its question, as for plays that are not legal.
        let roll = json!({"anyOf": [dice(), roll_word(), {"type": "null"}]});
        let about = if needed.contains(&"roll") {
            "the dice"
        } else {
            ROLL
        };
        members.insert("roll".into(), described(roll, about));
    }
    if has_member(verb, "plays") {
        let play = json!({"type": "string", "minLength": 1, "maxLength": PLAY_BYTES_MAX});
        let most = RolloutSettings::CANDIDATES_MAX;
        let plays = json!({"type": "array", "minItems": 1, "maxItems": most, "items": play, "examples": [["8/5 6/5"]]});
        let about = "plays of the roll to compare (`move` adds the best one); without it the best `top` ones";
        members.insert("plays".into(), described(plays, about));
    }
    if has_member(verb, "cube") {
        let about = "true rolls out both sides of the cube decision, without a roll";
        members.insert("cube".into(), described(json!({"type": "boolean"}), about));
    }
    let number = json!({"type": "integer", "minimum": 0, "maximum": ID_NUMBER_MAX});
    members.insert("id".into(), described(json!({"anyOf": [id(), number]}), ID));
    members.insert(
        "settings".into(),
        json!({"$ref": format!("#/components/schemas/{settings}")}),
    );
    json!({"type": "object", "description": format!("A question of `{}`", verb.name), "required": needed,
        "additionalProperties": false, "properties": members})
}

/// Returns the settings of a verb as an object.
fn settings_schema(verb: &Verb) -> Value {
    let properties: Map<String, Value> = verb
        .settings()
        .map(|setting| (setting.name.to_owned(), setting_schema(setting)))
        .collect();
    json!({"type": "object", "description": format!("Settings of `{}`", verb.name), "additionalProperties": false,
        "properties": properties})
}

fn setting_schema(setting: &Setting) -> Value {
    let mut schema = described(setting.schema(), &setting.about());
    // Clients that try an example should not wait.
    if setting.name == "trials"
        && let Some(schema) = schema.as_object_mut()
    {
        schema.insert("examples".into(), json!([36]));
    }
    schema
}

/// Returns a parameter of a query.
pub(in crate::http) fn in_query(name: &str, required: bool, about: &str, schema: &Value) -> Value {
    json!({"name": name, "in": "query", "required": required, "description": about, "schema": schema})
}

/// Returns the parameters of a verb's `GET`.
pub(in crate::http) fn parameters(verb: &Verb) -> Vec<Value> {
    let mut parameters = Vec::new();
    if has_member(verb, "position") {
        parameters.push(in_query("position", true, POSITION, &position()));
    }
    if has_member(verb, "opening") {
        parameters.push(in_query("opening", true, OPENING, &opening()));
    }
    if needed(verb).contains(&"roll") {
        parameters.push(in_query("roll", true, "the dice", &needed_word(verb)));
    } else if has_member(verb, "roll") {
        parameters.push(in_query("roll", false, ROLL, &roll_word()));
    }
    if has_member(verb, "plays") {
        let plays = json!({"type": "string", "minLength": 1, "examples": ["8/5 6/5;24/23 13/10"]});
        let about = "plays of the roll to compare (`move` adds the best one), with semicolons between; without it the best `top` ones";
        parameters.push(in_query("plays", false, about, &plays));
    }
    parameters.push(in_query("id", false, ID, &id()));
    for setting in verb.settings() {
        let (mut schema, mut about) = (setting_schema(setting), setting.about());
        if setting.name == "cube" && has_member(verb, "cube") {
            // HTTP-10.
            let values = json!([0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096]);
            let value = json!({"type": "integer", "enum": values});
            schema = json!({"anyOf": [{"type": "boolean"}, value]});
            about = "`true` or 1 rolls out both sides of the cube decision, `false` or 0 does not; else the cube value"
                .to_owned();
        }
        parameters.push(in_query(setting.name, false, &about, &schema));
    }
    parameters.extend(drawing(verb));
    // The example is the one of the schema.
    for parameter in &mut parameters {
        let example = parameter.pointer("/schema/examples/0").cloned();
        let is_ours = ["position", "opening", "roll", "trials"].map(Value::from);
        if let (Some(example), Some(parameter)) = (example, parameter.as_object_mut())
            && parameter
                .get("name")
                .is_some_and(|name| is_ours.contains(name))
        {
            let is_rolled_out = verb == &ROLLOUT && parameter.get("name") == Some(&"roll".into());
            if !is_rolled_out {
                parameter.insert("example".into(), example);
            }
        }
    }
    parameters
}

/// Returns the parameters of a drawing of this verb's answers (HTTP-22). JSON has none of them.
pub(in crate::http) fn drawing(verb: &Verb) -> Vec<Value> {
    let themes: Vec<&str> = Theme::ALL.iter().map(|theme| theme.name).collect();
    let play = json!({"type": "string", "examples": ["8/5 6/5"]});
    let width = json!({"type": "integer", "minimum": WIDTH_MIN, "maximum": WIDTH_MAX});
    let switch = json!({"type": "boolean"});
    [
        (
            "theme",
            "Colours of a drawing",
            json!({"type": "string", "enum": themes}),
        ),
        (
            "language",
            "Language of the texts in a drawing",
            json!({"type": "string", "enum": Language::ALL.map(Language::name)}),
        ),
        ("play", "Play of the roll, drawn with arrows", play),
        ("width", "Width of a PNG in pixels", width),
        (
            "clockwise",
            "True to draw the numbers of the points clockwise",
            switch.clone(),
        ),
        (
            "dark",
            "True to give the player on roll the dark checkers",
            switch,
        ),
    ]
    .into_iter()
    .filter(|(name, ..)| is_taken(verb, name))
    .map(|(name, about, schema)| in_query(name, false, about, &schema))
    .collect()
}

/// Returns the settings of an analysis, as parameters of a query or fields of a form, by their names.
pub(in crate::http) fn analysis() -> Vec<(String, String, Value)> {
    let place = json!({"type": "string", "pattern": "^[1-9][0-9]{0,8}(:[1-9][0-9]{0,8})?$", "examples": ["2:5"]});
    let settings = settings_of(ANALYSE_SCOPES);
    let mut all: Vec<_> = settings
        .map(|setting| {
            (
                setting.name.to_owned(),
                setting.about(),
                setting_schema(setting),
            )
        })
        .collect();
    for (name, about, schema) in [
        (
            "from",
            "GAME or GAME:MOVE where the analysis begins",
            place.clone(),
        ),
        ("to", "GAME or GAME:MOVE where the analysis ends", place),
        (
            "player",
            "The player whose decisions are analysed",
            json!({"type": "integer", "enum": [1, 2]}),
        ),
    ] {
        all.push((name.to_owned(), about.to_owned(), schema));
    }
    all
}
