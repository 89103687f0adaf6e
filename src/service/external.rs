//! Questions of gnubg's external protocol, answered by the engine.

use crate::engine::{Engine, EngineError};
use crate::protocol::SessionSettings;
use crate::protocol::external::{Ask, External, Question, Rules, Step};
use crate::query::{Settings, Stop};

/// The reply to a question, without LF and without the question's preface. An engine that fails
/// makes an `Error: ` line, at which gnubg stops unharmed (EXT-27).
pub fn reply(engine: &Engine, question: &Question, stop: &Stop) -> String {
    found(engine, question, stop).unwrap_or_else(|error| format!("Error: {error}"))
}

fn found(engine: &Engine, question: &Question, stop: &Stop) -> Result<String, EngineError> {
    let settings = &question.settings;
    let with_cube = |cubeful: bool| Settings {
        cubeful,
        ..settings.clone()
    };
    Ok(match &question.ask {
        Ask::Play(query, spelling) => {
            let best_only = Settings {
                top: Some(1),
                ..settings.clone()
            };
            let ranking = engine.rank_plays(query, &best_only, stop)?;
            question.play_reply(&ranking, *spelling)
        }
        Ask::RollOrDouble(query) => {
            let answer = engine.cube_action(query, &with_cube(true), stop)?;
            Question::roll_reply(&answer).into()
        }
        Ask::Offer(query, may_beaver) => {
            let answer = engine.cube_action(query, &with_cube(true), stop)?;
            Question::offer_reply(&answer, *may_beaver).into()
        }
        Ask::Raised(query, on_roll) => {
            let answer = engine.evaluate(query, &with_cube(true), stop)?;
            Question::raised_reply(&answer, *on_roll).into()
        }
        Ask::Resignation(query, games) => {
            let accepted = engine.accept_resignation(query, *games);
            if accepted { "accept" } else { "reject" }.into()
        }
        Ask::Evaluation(query) => {
            let answer = engine.evaluate(query, settings, stop)?;
            Question::evaluation_reply(&answer, settings.cubeful)
        }
    })
}

/// The answer to one board line that stands among requests: a machine without memory.
pub fn single(engine: &Engine, line: &[u8], session: &SessionSettings, stop: &Stop) -> String {
    let mut rules = Rules::default();
    rules.settings = session.search.clone();
    rules.jacoby = session.state.jacoby.unwrap_or(rules.jacoby);
    if session.state.beavers == Some(false) {
        rules.beavers = 0;
    }
    match External::new(rules).line(line) {
        Step::Ask(question) => question.preface.clone() + &reply(engine, &question, stop),
        Step::Say(text) => text.trim_end_matches('\n').to_owned(),
        Step::Silence | Step::Close => String::new(),
    }
}
