//! One question for the engine, whatever protocol it came by, and what the engine found.

use super::{
    CubeAnswer, CubeQuery, EvalQuery, Evaluation, PlayQuery, RankedPlays, RolloutAnswer,
    RolloutTask, Settings,
};
use gammond_base::packed::PackedText;
use gammond_game::{Class, Position, Rules};
use std::time::Duration;

/// What is to be found out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Question {
    /// What is this position worth?
    Value(EvalQuery),
    /// Which play is best?
    Plays(PlayQuery),
    /// Which play is best, and of what class is the position before it?
    Choice(PlayQuery),
    /// Double, take?
    Cube(CubeQuery),
    /// Double, and if not, which play?
    Turn(CubeQuery, PlayQuery),
    /// The player on roll resigns so many games: accept?
    Resignation(EvalQuery, u8),
    /// What do many games show?
    Rollout(Box<RolloutTask>),
    /// Of what class is this position?
    Class(Position),
    /// What was decided well and badly in this match? For the room that judges matches; the engine does not know them.
    Match(Box<MatchTask>),
    /// What answers here? Needs no computing.
    About,
}

/// What the engine found: the counterpart of [`Question`].
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
    /// See [`Question::Rollout`]; and how long it took.
    Rollout(RolloutAnswer, Duration),
    /// What is known of a rollout that goes on, where its asker wants to hear that.
    Progress(RolloutAnswer, Duration),
    /// See [`Question::Class`].
    Class(Class),
    /// See [`Question::Match`].
    Match(Box<MatchReport>),
    /// See [`Question::About`].
    About,
}

/// A match that is to be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatchTask {
    /// A match file, as it came.
    pub text: Vec<u8>,
    /// What holds for money play where the file does not say.
    pub rules: Rules,
    /// How the report is to look.
    pub form: ReportForm,
}

/// How the report of a match looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportForm {
    /// Members of a JSON object.
    #[default]
    Json,
    /// A page for a browser.
    Html,
    /// A row for each decision.
    Csv,
    /// The match in Jellyfish's form, with remarks at its head.
    Mat,
    /// The match in GNU Backgammon's form, with marks and remarks at each action.
    Sgf,
}

/// A match judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MatchReport {
    /// Everything in the form that was asked for. JSON is the members of one object with its closing brace: an answer puts
    /// more members before them.
    pub text: PackedText,
    /// The totals, as one line for people.
    pub line: String,
}

/// How long a question keeps a thread busy, told from the question alone and never from what its
/// asker says of it.
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
    /// The costs that want a thread.
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
    /// What the answer costs with these settings.
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

    /// Whether the asker wants to hear how far it is.
    #[must_use]
    pub fn tells(&self) -> bool {
        matches!(self, Question::Rollout(task) if task.progress)
    }

    /// Bytes of a file that the question holds.
    #[must_use]
    pub fn held(&self) -> usize {
        match self {
            Question::Match(task) => task.text.len(),
            _ => 0,
        }
    }

    /// What kind of question it is, in one word.
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
    fn the_cost_comes_from_the_question() {
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
