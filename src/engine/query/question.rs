//! All queries, independent of the protocol, and their results: those that the engine answers, and those about matches
//! and about the program, which the answerer of `gammond-protocol` answers with it.

use super::{
    CubeAnswer, CubeQuery, EvalQuery, Evaluation, PlayQuery, RankedPlays, RolloutAnswer,
    RolloutTask, Settings,
};
use gammond_base::packed::PackedText;
use gammond_game::notation::MatchFormat;
use gammond_game::{Class, Position, Rules};
use std::time::Duration;

/// A query for the engine.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Question {
    /// Value of a position.
    Value(EvalQuery),
    /// Ranking of the plays of a roll.
    Plays(PlayQuery),
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
    /// Class of a position.
    Class(Position),
    /// Analysis of the decisions in a match. The match analysis answers it; the engine does not support matches.
    Match(Box<MatchTask>),
    /// Description of the server. Needs no computing.
    About,
}

/// The engine's result: the counterpart of [`Question`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Found {
    /// See [`Question::Value`].
    Value(Evaluation),
    /// See [`Question::Plays`].
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
    /// See [`Question::Class`].
    Class(Class),
    /// See [`Question::Match`].
    Match(Box<MatchReport>),
    /// Progress of a running match analysis, if the client requested progress; with its duration so far.
    Judged(MatchProgress, Duration),
    /// See [`Question::About`].
    About,
}

/// A match to analyse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchTask {
    /// A match file, as it came.
    pub text: Vec<u8>,
    /// Rules of money play where the file gives none.
    pub rules: Rules,
    /// Format of the report.
    pub form: ReportForm,
    /// True if the client wants progress reports.
    pub progress: bool,
    /// The decisions that are judged.
    pub part: MatchPart,
}

/// Part of a match, by games from 1 and moves from 1 as people count them, both ends included. The default is all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchPart {
    /// Game and move of the first decisions.
    pub from: Option<(u32, u32)>,
    /// Game and move of the last decisions.
    pub to: Option<(u32, u32)>,
    /// The player whose decisions are judged: 0 for the first one of the file, 1 for the second.
    pub player: Option<usize>,
}

impl MatchPart {
    /// Returns true if it is the whole match.
    #[must_use]
    pub fn is_all(&self) -> bool {
        *self == MatchPart::default()
    }

    /// Returns true if it has a decision of this player in this game and move.
    #[must_use]
    pub fn has(&self, place: (u32, u32), player: usize) -> bool {
        self.from.is_none_or(|from| from <= place)
            && self.to.is_none_or(|to| place <= to)
            && self.player.is_none_or(|one| one == player)
    }
}

/// Progress of a match analysis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MatchProgress {
    /// Number of matches in the file.
    pub matches: usize,
    /// Matches that are finished.
    pub matches_done: usize,
    /// Number of games in all matches.
    pub games: usize,
    /// Games that are finished.
    pub games_done: usize,
    /// Decisions that are finished.
    pub decisions_done: usize,
}

/// Format of a match report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportForm {
    /// Members of a JSON object.
    #[default]
    Json,
    /// A page for a browser.
    Html,
    /// A row for each decision.
    Csv,
    /// A match file with the notes of the analysis.
    File(MatchFormat),
    /// All of these, one behind the other.
    All,
}

/// An analysed match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchReport {
    /// The report in the requested format. JSON is the members of one object with its closing brace: an answer puts more
    /// members before them.
    pub text: PackedText,
    /// The totals, as one line for people.
    pub line: String,
    /// For [`ReportForm::All`] the reports in the text, with their sizes in bytes.
    pub parts: Vec<(ReportForm, usize)>,
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
    /// A tenth of a second, now and then more: two plies that look at more plays than usual.
    Heavy,
    /// Seconds to minutes: more plies, or a time to use up.
    Long,
}

impl Cost {
    /// The costs that need a thread.
    pub const COMPUTED: [Cost; 4] = [Cost::Short, Cost::Medium, Cost::Heavy, Cost::Long];

    /// The word for the cost.
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
            Question::About => Cost::Free,
            Question::Class(_) | Question::Resignation(..) => Cost::Short,
            Question::Rollout(_) | Question::Match(_) => Cost::Long,
            _ if settings.time_ms.is_some() || settings.level.is_some() => Cost::Long,
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
            Question::Match(task) => task.progress,
            _ => false,
        }
    }

    /// Bytes of a file that the question holds.
    #[must_use]
    pub fn held(&self) -> usize {
        match self {
            Question::Match(task) => task.text.len(),
            _ => 0,
        }
    }

    /// Returns the kind of query as one word.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Question::Value(_) => "eval",
            Question::Plays(_) | Question::Choice(_) => "move",
            Question::Cube(_) => "cube",
            Question::Turn(..) => "turn",
            Question::Resignation(..) => "resign",
            Question::Rollout(_) => "rollout",
            Question::Class(_) => "show",
            Question::Match(_) => "analyse",
            Question::About => "about",
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
        assert_eq!(Question::About.cost(&timed), Cost::Free);
    }
}
