//! Every verb of the table is found where requests are made, and its answer is as its schema says, HTTP-10,
//! HTTP-140.

use crate::answers::answer;
use gammond_engine::engine::Engine;
use gammond_protocol::json::Json;
use gammond_protocol::verbs::{RequestParts, VERBS, Verb};
use gammond_protocol::{Dialect as _, FramedLine, LineAction, Options, Session};
use serde_json::{Value, json};

/// Returns the answer to one line of a new session.
fn answered(line: &str) -> Value {
    let mut session = Session::new(Options::default());
    let text = match session.line(FramedLine::Line(line.as_bytes())) {
        LineAction::Ask(inquiry) => {
            answer(&Engine::builder().threads(1).build().unwrap(), *inquiry)
        }
        LineAction::Say(text) => text,
        other => panic!("{line}: {other:?}"),
    };
    serde_json::from_str(&text).unwrap()
}

/// Returns the line of text that asks the example of a verb.
fn line_of(verb: &Verb) -> String {
    let example = (verb.example)().to_string();
    let parts = RequestParts::read(Json::parse(example.as_bytes()).unwrap()).unwrap();
    format!("{} {}", verb.name, parts.line().unwrap())
}

#[test]
fn a_verb_of_the_table_is_found_at_every_door() {
    let path = crate::support::root().join("protocol-specs/openapi.json");
    let description: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let help = answered("help").to_string();
    for verb in VERBS {
        let name = verb.name;
        let usage = serde_json::to_string(verb.usage).unwrap();
        assert!(help.contains(&usage), "{name}");
        assert!(gammond_protocol::verbs().any(|one| one == name), "{name}");
        let operation = &description["paths"][format!("/v1/{name}")];
        assert_eq!(operation["get"]["summary"], verb.summary, "{name}");
        let mut line = (verb.example)();
        line["verb"] = json!(name);
        let (mut by_json, mut by_words) = (answered(&line.to_string()), answered(&line_of(verb)));
        for answer in [&mut by_json, &mut by_words] {
            assert_eq!(answer["type"], name, "{answer}");
            // The only member that is another one each time.
            answer.as_object_mut().unwrap().remove("elapsed_ms");
        }
        assert_eq!(by_json, by_words, "{name}");
    }
}

#[test]
fn answers_are_as_their_schemas_say() {
    for verb in VERBS {
        let (_, schema) = (verb.schemas)().pop().unwrap();
        let answer = answered(&line_of(verb));
        let answer = answer.as_object().unwrap();
        for name in schema["required"].as_array().unwrap() {
            let name = name.as_str().unwrap();
            assert!(answer.contains_key(name), "{verb:?}: {name} is missing");
        }
        for name in answer.keys() {
            let described = &schema["properties"][name];
            assert!(described.is_object(), "{verb:?}: {name} is not described");
        }
    }
}
