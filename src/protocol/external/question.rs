//! The question in a board line, and the text that answers it.

use super::spelling::{Spelling, spell};
use crate::RequestError;
use crate::TaskAnswer;
use crate::dialect::{About, Inquiry, Reply};
use gammond_engine::query::{
    CubeAnswer, CubeQuery, EngineAnswer, EvalQuery, Evaluation, PlayQuery, Question as Asked,
    RankedPlays, Settings,
};
use gammond_game::notation::external_play::{Reading, read_play};
use std::fmt::Write;

/// A question that needs the engine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Question {
    /// The decision to make.
    pub ask: Ask,
    /// Settings of the search.
    pub settings: Settings,
    /// Lines that go in front of the answer (debug output), each with its LF.
    pub preface: String,
}

/// A decision with its query and flags.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Ask {
    /// Play these dice.
    Play(PlayQuery, Spelling),
    /// Roll or double?
    RollOrDouble(CubeQuery),
    /// The player on roll doubles: take, drop, or beaver if the flag is set?
    Offer(CubeQuery, bool),
    /// The cube was turned once more: accept that state, or drop? The flag is true if the player who decides is on
    /// roll.
    Raised(EvalQuery, bool),
    /// The player on roll resigns this many games: accept?
    Resignation(EvalQuery, u8),
    /// Six numbers.
    Evaluation(EvalQuery),
}

impl Question {
    /// Returns the reply to [`Ask::Play`]: the best play, checked the way gnubg will read it (EXT-26).
    #[must_use]
    pub(crate) fn play_reply(&self, ranking: &RankedPlays, spelling: Spelling) -> String {
        let Some(best) = ranking.plays.first() else {
            return "Error: no play was found".into();
        };
        let text = spell(&ranking.position, &best.play, spelling);
        match read_play(&ranking.position, ranking.roll, &text) {
            Reading::Played(after) if after == best.position => text,
            _ => format!("Error: play '{text}' does not read back"),
        }
    }

    /// Returns the reply to [`Ask::RollOrDouble`].
    #[must_use]
    pub(crate) const fn roll_reply(answer: &CubeAnswer) -> &'static str {
        if answer.double { "double" } else { "roll" }
    }

    /// Returns the reply to [`Ask::Offer`].
    #[must_use]
    pub(crate) const fn offer_reply(answer: &CubeAnswer, may_beaver: bool) -> &'static str {
        if answer.beaver && may_beaver {
            "beaver"
        } else if answer.take {
            "take"
        } else {
            "drop"
        }
    }

    /// Returns the reply to [`Ask::Raised`]: dropping costs half of the raised cube (EXT-19).
    #[must_use]
    pub(crate) fn raised_reply(answer: &Evaluation, on_roll: bool) -> &'static str {
        let equity = answer.cubeful.unwrap_or(answer.cubeless).equity;
        let mine = if on_roll { equity } else { -equity };
        if mine >= -0.5 { "take" } else { "drop" }
    }

    /// Returns the reply to [`Ask::Evaluation`]: five probabilities and the equity, or the match winning chance in a
    /// match (EXT-44).
    #[must_use]
    pub(crate) fn evaluation_reply(answer: &Evaluation, cubeful: bool) -> String {
        let value = match answer.cubeful {
            Some(value) if cubeful => value,
            _ => answer.cubeless,
        };
        let last = value.mwc.unwrap_or(value.equity);
        let numbers = answer.chances.to_array().map(f64::from);
        if !numbers
            .iter()
            .chain([&last])
            .all(|number| number.is_finite())
        {
            return "Error: evaluation is not finite".into();
        }
        let mut text = String::new();
        for number in numbers {
            // Writing into a string cannot fail.
            let _ = write!(text, "{number:.6} ");
        }
        let _ = write!(text, "{last:.6}");
        text
    }
}

impl From<Question> for Inquiry {
    fn from(question: Question) -> Inquiry {
        let mut settings = question.settings.clone();
        let asked = match &question.ask {
            Ask::Play(query, _) => {
                settings.top = Some(1);
                Asked::Plays(query.clone())
            }
            Ask::RollOrDouble(query) | Ask::Offer(query, _) => {
                settings.cubeful = true;
                Asked::Cube(query.clone())
            }
            Ask::Raised(query, _) => {
                settings.cubeful = true;
                Asked::Value(query.clone())
            }
            Ask::Resignation(query, games) => Asked::Resignation(query.clone(), *games),
            Ask::Evaluation(query) => Asked::Value(query.clone()),
        };
        Inquiry::new(asked, settings, question)
    }
}

impl Reply for Question {
    /// Writes the answer. An engine that fails makes an `Error: ` line, at which gnubg stops unharmed (EXT-27).
    fn write(
        &self,
        found: Result<&TaskAnswer, &RequestError>,
        _: &About<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        let reply = match (&self.ask, found) {
            (_, Err(error)) => Err(error.message.as_str()),
            (Ask::Play(_, spelling), Ok(TaskAnswer::Engine(EngineAnswer::Plays(plays)))) => {
                Ok(self.play_reply(plays, *spelling))
            }
            (Ask::RollOrDouble(_), Ok(TaskAnswer::Engine(EngineAnswer::Cube(cube)))) => {
                Ok(Question::roll_reply(cube).into())
            }
            (Ask::Offer(_, may_beaver), Ok(TaskAnswer::Engine(EngineAnswer::Cube(cube)))) => {
                Ok(Question::offer_reply(cube, *may_beaver).into())
            }
            (Ask::Raised(_, on_roll), Ok(TaskAnswer::Engine(EngineAnswer::Value(value)))) => {
                Ok(Question::raised_reply(value, *on_roll).into())
            }
            (Ask::Resignation(..), Ok(TaskAnswer::Engine(EngineAnswer::Resignation(accepted)))) => {
                Ok(if *accepted { "accept" } else { "reject" }.into())
            }
            (Ask::Evaluation(_), Ok(TaskAnswer::Engine(EngineAnswer::Value(value)))) => {
                Ok(Question::evaluation_reply(value, self.settings.cubeful))
            }
            _ => Err("answer is not one to the question"),
        };
        out.extend_from_slice(self.preface.as_bytes());
        let good = reply.is_ok();
        let reply = reply.unwrap_or_else(|reason| format!("Error: {reason}"));
        out.extend_from_slice(reply.as_bytes());
        out.push(b'\n');
        good
    }
}
