//! The vocabulary of questions and answers; types only, no computing.
//!
//! This is the interface between `protocol`, which turns text into queries and answers into text, and `engine`, which
//! turns queries into answers.

mod answer;
mod ask;
mod cubes;
mod exchanges;
mod explain;
mod level;
mod opening;
mod options;
mod question;
mod rollout;
mod scores;

pub use answer::{
    CubeAnswer, CubeShares, Equities, Evaluation, PeopleChoice, RankedPlay, RankedPlays,
    ResignAdvice, RollsAnswer, SETTLED_TIE, Verdict, settled,
};
pub use ask::{CubeQuery, EvalQuery, FilterLevel, FilterMethod, MoveFilter, PlayQuery, Settings};
pub use cubes::{CubePlace, CubesAnswer, CubesQuery};
pub use exchanges::{Exchange, ExchangesAnswer};
pub use explain::{
    CubeFacts, ExplainAnswer, ExplainQuery, ExplainedDecision, ExplainedPlay, ExplainedPlays,
    RaceFacts,
};
pub use gammond_base::stop::Stop;
pub use level::Level;
pub use opening::{BookPlay, OpeningAnswer};
pub use options::setting::{Scope, Setting, SettingKind, Value, switch};
pub use options::{AnswerOrder, AnswerStyle, Language, Options, Queue, SETTINGS, SettingError};
pub use question::{Cost, EngineAnswer, Question};
pub use rollout::{
    Candidate, RolledOut, RolloutAnswer, RolloutEnd, RolloutQuery, RolloutSettings, RolloutSide,
    RolloutSubject, RolloutTask, Truncation,
};
pub use scores::{ScoreCell, ScorePlays, ScorePlaysAnswer, ScoresAnswer, ScoresQuery};
