//! The queries that [`Engine::answer`](crate::Engine::answer) takes, independent of the protocol, with their results
//! and costs.

use super::{
    CubeAnswer, CubeQuery, CubesAnswer, CubesQuery, EvalQuery, Evaluation, ExchangesAnswer,
    ExplainAnswer, ExplainQuery, OpeningAnswer, PlayQuery, RankedPlays, RolloutAnswer, RolloutTask,
    RollsAnswer, ScorePlaysAnswer, ScoresAnswer, ScoresQuery, Settings,
};
use gammond_game::{Class, Position, Roll};
use std::time::Duration;

/// A query for the engine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Question {
    /// Value of a position.
    Value(EvalQuery),
    /// Ranking of the plays of a roll.
    Plays(PlayQuery),
    /// Ranking of the best play of a roll and of those to the listed positions, all at the full depth.
    Compare(PlayQuery, Vec<Position>),
    /// Ranking of the plays of a roll, and the class of the position before it.
    Choice(PlayQuery),
    /// Cube decision: double and take.
    Cube(CubeQuery),
    /// Cube decision, and the play if the cube is not turned.
    Turn(CubeQuery, PlayQuery),
    /// Decision to accept when the player on roll resigns this number of games.
    Resignation(EvalQuery, u8),
    /// Rollout of a position, its plays or a double.
    Rollout(Box<RolloutTask>),
    /// The best play of every roll.
    Rolls(EvalQuery),
    /// The best plays and the value of every pair of rolls.
    Exchanges(EvalQuery),
    /// Cube decision at every score.
    Scores(ScoresQuery),
    /// The best play of a roll at every score.
    ScorePlays(ScoresQuery, Roll),
    /// A position, or the plays of a roll, with the cube in each place.
    Cubes(CubesQuery),
    /// Facts behind a decision.
    Explain(ExplainQuery),
    /// The plays of a roll as the opening book has them, else ranked.
    Opening(PlayQuery),
    /// Class of a position.
    Class(Position),
}

/// The engine's result: the counterpart of [`Question`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EngineAnswer {
    /// See [`Question::Value`].
    Value(Evaluation),
    /// See [`Question::Plays`] and [`Question::Compare`].
    Plays(RankedPlays),
    /// See [`Question::Choice`].
    Choice(RankedPlays, Class),
    /// See [`Question::Cube`].
    Cube(CubeAnswer),
    /// See [`Question::Turn`].
    Turn(CubeAnswer, RankedPlays),
    /// See [`Question::Resignation`].
    Resignation(bool),
    /// See [`Question::Rollout`]; with its duration.
    Rollout(RolloutAnswer, Duration),
    /// Intermediate result of a running rollout, if the client requested progress.
    Progress(RolloutAnswer, Duration),
    /// See [`Question::Rolls`].
    Rolls(RollsAnswer),
    /// See [`Question::Exchanges`].
    Exchanges(ExchangesAnswer),
    /// See [`Question::Scores`].
    Scores(ScoresAnswer),
    /// See [`Question::ScorePlays`].
    ScorePlays(ScorePlaysAnswer),
    /// See [`Question::Cubes`].
    Cubes(CubesAnswer),
    /// See [`Question::Explain`].
    Explain(Box<ExplainAnswer>),
    /// See [`Question::Opening`].
    Opening(OpeningAnswer),
    /// See [`Question::Class`].
    Class(Class),
}

/// Cost of a query in thread time, estimated from the query alone; client hints are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cost {
    /// Nothing is computed.
    Free,
    /// Milliseconds at most: no look-ahead.
    Short,
    /// Milliseconds, now and then more: one or two plies.
    Medium,
    /// A tenth of a second, now and then more: two plies that search more plays than usual.
    Heavy,
    /// Seconds to minutes: more plies, or a time to use up.
    Long,
}

impl Cost {
    /// The costs that need a thread.
    pub const COMPUTED: [Cost; 4] = [Cost::Short, Cost::Medium, Cost::Heavy, Cost::Long];

    /// Returns the word for the cost.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Cost::Free => "free",
            Cost::Short => "short",
            Cost::Medium => "medium",
            Cost::Heavy => "heavy",
            Cost::Long => "long",
        }
    }
}

impl Question {
    /// Returns the cost of the answer with these settings.
    #[must_use]
    pub fn cost(&self, settings: &Settings) -> Cost {
        match self {
            Question::Class(_) | Question::Resignation(..) => Cost::Short,
            Question::Rollout(_) => Cost::Long,
            _ if settings.time_ms.is_some() || settings.level.is_some() => Cost::Long,
            Question::Exchanges(_) => match settings.plies {
                0 => Cost::Heavy,
                _ => Cost::Long,
            },
            Question::Rolls(_)
            | Question::Scores(_)
            | Question::ScorePlays(..)
            | Question::Explain(_)
            | Question::Cubes(_) => match settings.plies {
                0 => Cost::Medium,
                1 => Cost::Heavy,
                _ => Cost::Long,
            },
            _ => match settings.plies {
                0 => Cost::Short,
                2 if settings.looks_wide() => Cost::Heavy,
                1 | 2 => Cost::Medium,
                _ => Cost::Long,
            },
        }
    }

    /// Returns true if the client requested progress reports.
    #[must_use]
    pub fn sends_progress(&self) -> bool {
        match self {
            Question::Rollout(task) => task.progress,
            _ => false,
        }
    }

    /// Returns the kind of query as one word.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Question::Value(_) => "eval",
            Question::Plays(_) | Question::Compare(..) | Question::Choice(_) => "move",
            Question::Cube(_) => "cube",
            Question::Turn(..) => "turn",
            Question::Resignation(..) => "resign",
            Question::Rollout(_) => "rollout",
            Question::Rolls(_) | Question::Exchanges(_) => "rolls",
            Question::Scores(_) | Question::ScorePlays(..) => "scores",
            Question::Cubes(_) => "cubes",
            Question::Explain(_) => "explain",
            Question::Opening(_) => "opening",
            Question::Class(_) => "show",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_game::{MatchState, Position};

    #[test]
    fn cost_depends_on_the_query_alone() {
        let state = MatchState::default();
        let position = Position::start();
        let question = Question::Value(EvalQuery { position, state });
        let costs = [0, 1, 2, 3, 4].map(|plies| question.cost(&Settings::plies(plies)));
        let expected = [
            Cost::Short,
            Cost::Medium,
            Cost::Medium,
            Cost::Long,
            Cost::Long,
        ];
        assert_eq!(costs, expected);
        let mut timed = Settings::default();
        timed.time_ms = Some(1);
        assert_eq!(question.cost(&timed), Cost::Long);
        assert_eq!(Question::Class(position).cost(&timed), Cost::Short);
    }
}
