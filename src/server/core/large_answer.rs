//! Queries without look-ahead whose answers are huge. A roll of doubles may have two thousand plays: finding them takes a third
//! of a millisecond but writing them three, so such a query is not as short as others.

use gammond_engine::query::Question;
use gammond_game::legal_plays;
use gammond_protocol::{Inquiry, InquiryTask};

/// Number of plays above which writing them is most of the work.
const PLAYS_ESTIMATE: usize = 256;

/// Minimum size of an answer with that many plays, in bytes of JSON.
pub(crate) const LARGE_ANSWER_BYTES: usize = 48 << 10;

/// Die below which doubles have fewer plays.
const POINTS: u32 = 8;

/// Returns true if the answer lists that many plays. Takes as long as finding them.
pub(crate) fn is_large(inquiry: &Inquiry) -> bool {
    let InquiryTask::Ask(Question::Plays(query)) = &inquiry.task else {
        return false;
    };
    inquiry.settings.top.is_none_or(|top| top > PLAYS_ESTIMATE)
        && query.roll.is_double()
        && query.position.me().occupied().count_ones() >= POINTS
        && legal_plays(&query.position, query.roll).len() > PLAYS_ESTIMATE
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_engine::query::EngineAnswer;
    use gammond_protocol::{Dialect as _, FramedLine, LineAction, Session};

    fn inquiry(line: &str) -> Inquiry {
        match Session::default().line(FramedLine::Line(line.as_bytes())) {
            LineAction::Ask(inquiry) => *inquiry,
            other => panic!("{other:?}"),
        }
    }

    /// SRV-11.
    #[test]
    fn unlimited_lists_of_plays_are_large() {
        assert!(is_large(&inquiry("move QAAS3j+QlKqSKg 11")));
        for line in [
            "move QAAS3j+QlKqSKg 11 top=5",
            "move QAAS3j+QlKqSKg 21",
            "move 4HPwATDgc/ABMA 11",
            "eval QAAS3j+QlKqSKg",
        ] {
            assert!(!is_large(&inquiry(line)), "{line}");
        }
    }

    /// The two constants belong together.
    #[test]
    fn large_answer_stays_within_the_estimate() {
        let wide = inquiry("move QAAS3j+QlKqSKg 11");
        let engine = gammond_engine::Engine::builder()
            .threads(1)
            .build()
            .unwrap();
        let stop = gammond_engine::Stop::never();
        let InquiryTask::Ask(question) = &wide.task else {
            panic!("{:?}", wide.task);
        };
        let found = engine.answer(question, &wide.settings, &stop).unwrap();
        let EngineAnswer::Plays(plays) = &found else {
            panic!("plays");
        };
        let mut out = Vec::new();
        gammond_protocol::answerer::Answerer::new(&engine).answer(&wide, &stop, &mut out);
        assert!(out.len() / plays.plays.len() * PLAYS_ESTIMATE >= LARGE_ANSWER_BYTES);
    }
}
