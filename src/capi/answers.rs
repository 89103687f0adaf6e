//! Answers as structs of the header.

use crate::memory::{Plain, fixed};
use gammond_engine::query::{self, Candidate, RolloutEnd, Verdict};
use gammond_game::notation::{PositionId, play_text};
use gammond_game::{Chances, Play, Position, Variant};
use std::ffi::c_char;

/// Chances of a player, each 0 to 1. A gammon counts as a win too, a backgammon as a gammon too.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GammondChances {
    /// To win.
    pub win: f32,
    /// To win a gammon.
    pub win_gammon: f32,
    /// To win a backgammon.
    pub win_backgammon: f32,
    /// To lose a gammon.
    pub lose_gammon: f32,
    /// To lose a backgammon.
    pub lose_backgammon: f32,
}

impl From<Chances> for GammondChances {
    fn from(chances: Chances) -> GammondChances {
        GammondChances {
            win: chances.win,
            win_gammon: chances.win_gammon,
            win_backgammon: chances.win_backgammon,
            lose_gammon: chances.lose_gammon,
            lose_backgammon: chances.lose_backgammon,
        }
    }
}

/// The value of a position for the player on roll, before the dice.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GammondEvaluation {
    /// sizeof(GammondEvaluation).
    pub size: u32,
    /// Plies of look-ahead.
    pub plies: u32,
    /// The chances.
    pub chances: GammondChances,
    /// 0.
    pub reserved: u32,
    /// Equity with the cube where one is in play, else without: points, or in a match EMG.
    pub equity: f64,
    /// Match winning chance; NAN in a money game.
    pub mwc: f64,
    /// Equity without the cube.
    pub cubeless: f64,
    /// Equity with the cube; NAN if none is in play.
    pub cubeful: f64,
}

// SAFETY: numbers, and structs of them; the size is first.
unsafe impl Plain for GammondEvaluation {}

impl From<query::Evaluation> for GammondEvaluation {
    fn from(found: query::Evaluation) -> GammondEvaluation {
        let value = found.cubeful.unwrap_or(found.cubeless);
        GammondEvaluation {
            size: 0,
            plies: found.plies.into(),
            chances: found.chances.into(),
            reserved: 0,
            equity: value.equity,
            mwc: value.mwc.unwrap_or(f64::NAN),
            cubeless: found.cubeless.equity,
            cubeful: found.cubeful.map_or(f64::NAN, |value| value.equity),
        }
    }
}

/// A play and its value for the player who makes it.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GammondPlay {
    /// The play in words, such as "8/5 6/5" or "bar/22 6/5*"; empty if nothing can move.
    pub text: [c_char; 48],
    /// Position ID after the play, the opponent on roll.
    pub position: [c_char; 16],
    /// The points after the play as the opponent sees them, who is on roll: those of his question.
    pub after: [i8; 26],
    /// The number of steps, 0 to 4: a checker that moves twice has two.
    pub steps: u8,
    /// Games that the play wins: 0 the game goes on, 1, 2 a gammon, 3 a backgammon.
    pub wins: u8,
    /// Point that the checker of each step leaves: 1 to 24, 25 is the bar.
    pub from: [u8; 4],
    /// Point that it reaches: 1 to 24, 0 is off.
    pub to: [u8; 4],
    /// Plies of look-ahead.
    pub plies: u32,
    /// Chances after the play.
    pub chances: GammondChances,
    /// 0.
    pub reserved: u32,
    /// Equity: points, or in a match EMG.
    pub equity: f64,
    /// Equity lost beside the best play.
    pub loss: f64,
    /// Match winning chance; NAN in a money game.
    pub mwc: f64,
    /// With the setting pr or elo the share of the people who choose it; else NAN.
    pub share: f64,
}

// SAFETY: numbers, and arrays and structs of them. It is a row, whose size the caller gives beside it.
unsafe impl Plain for GammondPlay {}

/// The steps of a play as arrays.
struct Steps {
    count: u8,
    from: [u8; 4],
    to: [u8; 4],
}

impl From<&Play> for Steps {
    fn from(play: &Play) -> Steps {
        let (mut count, mut from, mut to) = (0, [0; 4], [0; 4]);
        for ((step, from), to) in play.steps().iter().zip(&mut from).zip(&mut to) {
            *from = step.from + 1;
            *to = if step.bears_off() { 0 } else { step.to + 1 };
            count += 1;
        }
        Steps { count, from, to }
    }
}

impl GammondPlay {
    pub(crate) fn new(
        all: &query::RankedPlays,
        variant: Variant,
        (number, one): (usize, &query::RankedPlay),
    ) -> GammondPlay {
        let Steps { count, from, to } = (&one.play).into();
        let outcome = variant.outcome(&one.position);
        GammondPlay {
            text: fixed(&play_text(&all.position, &one.play)),
            position: fixed(&PositionId::from(one.position).to_string()),
            after: one.position.places(),
            steps: count,
            wins: outcome.map_or(0, |outcome| outcome.margin as u8),
            from,
            to,
            plies: one.plies.into(),
            chances: one.chances.into(),
            reserved: 0,
            equity: one.value.equity,
            loss: one.loss(all.best()),
            mwc: one.value.mwc.unwrap_or(f64::NAN),
            share: all.share(number).unwrap_or(f64::NAN),
        }
    }
}

/// A cube decision: of the player on roll on a double, and of the opponent on its answer.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GammondCube {
    /// sizeof(GammondCube).
    pub size: u32,
    /// Plies of look-ahead.
    pub plies: u32,
    /// Chances of the player on roll.
    pub chances: GammondChances,
    /// 1 if the player on roll may double. Else there is no decision: the answers below are 0, the equities those of a double
    /// that the rules forbid, and the verdict says that it is unknown.
    pub may_double: u8,
    /// 1 if he should.
    pub should_double: u8,
    /// 1 if the opponent should take.
    pub should_take: u8,
    /// 1 if the opponent should beaver.
    pub should_beaver: u8,
    /// Equity of no double: points in units of the cube before the double, or in a match EMG.
    pub no_double: f64,
    /// Equity of a double that is taken.
    pub double_take: f64,
    /// Equity of a double that is passed.
    pub double_pass: f64,
    /// Equity of the best decisions of both.
    pub equity: f64,
    /// Match winning chance by the best decisions of both; NAN in a money game.
    pub mwc: f64,
    /// Equity without the cube.
    pub cubeless: f64,
    /// The decision in words, such as "Double, take".
    pub verdict: [c_char; 40],
}

// SAFETY: numbers, and arrays and structs of them; the size is first.
unsafe impl Plain for GammondCube {}

impl From<&query::CubeAnswer> for GammondCube {
    fn from(found: &query::CubeAnswer) -> GammondCube {
        let may_double = found.verdict != Verdict::NotAvailable;
        GammondCube {
            size: 0,
            plies: found.plies.into(),
            chances: found.chances.into(),
            may_double: may_double.into(),
            should_double: (may_double && found.double).into(),
            should_take: (may_double && found.take).into(),
            should_beaver: (may_double && found.beaver).into(),
            no_double: found.no_double.equity,
            double_take: found.double_take.equity,
            double_pass: found.double_pass.equity,
            equity: found.optimal.equity,
            mwc: found.optimal.mwc.unwrap_or(f64::NAN),
            cubeless: found.cubeless.equity,
            verdict: fixed(found.verdict.text()),
        }
    }
}

/// The results of the games of one candidate of a rollout: the position, a play, no double, or a double that is taken.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GammondRolledOut {
    /// "position", "no double", "double, take", or the play in words.
    pub name: [c_char; 48],
    /// Position ID after the play, the opponent on roll; of other candidates the position's.
    pub position: [c_char; 16],
    /// The number of steps of the play.
    pub steps: u8,
    /// 0.
    pub reserved: [u8; 3],
    /// Point that the checker of each step leaves: 1 to 24, 25 is the bar.
    pub from: [u8; 4],
    /// Point that it reaches: 1 to 24, 0 is off.
    pub to: [u8; 4],
    /// Games played.
    pub trials: u32,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon.
    pub chances: [f64; 5],
    /// Standard error of each; like the other errors INFINITY below 72 games.
    pub chance_errors: [f64; 5],
    /// Equity with the cube where one is in play, else without: points, or in a match EMG.
    pub equity: f64,
    /// Standard error of it.
    pub error: f64,
    /// Equity without the cube.
    pub cubeless: f64,
    /// Standard error of it.
    pub cubeless_error: f64,
    /// Match winning chance; NAN in a money game.
    pub mwc: f64,
    /// Standard error of it.
    pub mwc_error: f64,
}

// SAFETY: numbers, and arrays of them. It is a row, whose size the caller gives beside it.
unsafe impl Plain for GammondRolledOut {}

impl GammondRolledOut {
    pub(crate) fn new(position: &Position, one: &query::RolledOut) -> GammondRolledOut {
        let one = one.reported();
        let (value, error) = one.value();
        let (name, play, at) = match one.candidate {
            Candidate::Play(play, after) => (play_text(position, &play), play, after),
            Candidate::NoDouble => ("no double".to_owned(), Play::PASS, *position),
            Candidate::DoubleTake => ("double, take".to_owned(), Play::PASS, *position),
            Candidate::Position => ("position".to_owned(), Play::PASS, *position),
        };
        let Steps { count, from, to } = (&play).into();
        GammondRolledOut {
            name: fixed(&name),
            position: fixed(&PositionId::from(at).to_string()),
            steps: count,
            reserved: [0; 3],
            from,
            to,
            trials: one.trials,
            chances: one.chances,
            chance_errors: one.chance_errors,
            equity: value.equity,
            error: error.equity,
            cubeless: one.cubeless.equity,
            cubeless_error: one.cubeless_error.equity,
            mwc: value.mwc.unwrap_or(f64::NAN),
            mwc_error: error.mwc.unwrap_or(f64::NAN),
        }
    }
}

/// The end of a rollout.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GammondRollout {
    /// sizeof(GammondRollout).
    pub size: u32,
    /// The number of candidates.
    pub candidates: u32,
    /// 0 all games were played, 1 the errors are small enough, 2 one candidate leads clearly, 3 the time is over, 4 it was
    /// stopped.
    pub ended: u32,
    /// 1 if there is a cube decision, in `cube`.
    pub has_cube: u32,
    /// The cube decision that follows from the games.
    pub cube: GammondCube,
}

// SAFETY: numbers, and structs of them; the size is first.
unsafe impl Plain for GammondRollout {}

impl GammondRollout {
    pub(crate) fn new(answer: &query::RolloutAnswer) -> GammondRollout {
        let cube = answer.cube.as_ref().map(GammondCube::from);
        GammondRollout {
            size: 0,
            candidates: u32::try_from(answer.candidates.len()).unwrap_or(u32::MAX),
            ended: match answer.ended {
                RolloutEnd::Trials => 0,
                RolloutEnd::Error => 1,
                RolloutEnd::Lead => 2,
                RolloutEnd::Time => 3,
                _ => 4,
            },
            has_cube: cube.is_some().into(),
            cube: cube.unwrap_or(GammondCube::NONE),
        }
    }
}

impl GammondCube {
    /// In a rollout without a cube decision.
    const NONE: GammondCube = GammondCube {
        size: 0,
        plies: 0,
        chances: GammondChances {
            win: 0.0,
            win_gammon: 0.0,
            win_backgammon: 0.0,
            lose_gammon: 0.0,
            lose_backgammon: 0.0,
        },
        may_double: 0,
        should_double: 0,
        should_take: 0,
        should_beaver: 0,
        no_double: 0.0,
        double_take: 0.0,
        double_pass: 0.0,
        equity: 0.0,
        mwc: 0.0,
        cubeless: 0.0,
        verdict: [0; 40],
    };
}
