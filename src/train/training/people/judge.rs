//! Judges decisions by searches; a file keeps what is judged.

use super::decisions::{Choice, Decision};
use super::{PeoplePlan, RunError, in_file, judging};
use gammond_engine::people::{CubeOption, PlayOption};
use gammond_engine::query::Stop;
use gammond_engine::{CubeAnswer, CubeQuery, Engine, PlayQuery, search};
use gammond_game::{Chances, MatchState, Position, Roll, generate_plays};
use gammond_job::{Control, Progress};
use rayon::prelude::*;
use std::fs::OpenOptions;
use std::io::Write;

/// A play with its number in the generator's order.
#[derive(Clone, Copy)]
pub(super) struct JudgedPlay {
    number: u16,
    pub(super) option: PlayOption,
}

/// A cube decision: equities of no double, double and take, double and pass, and the chances.
#[derive(Clone, Copy)]
pub(super) struct JudgedCube {
    equities: [f32; 3],
    chances: Chances,
}

/// A decision with what each choice is worth.
pub(super) enum Judged {
    /// All plays, best first.
    Plays(Vec<JudgedPlay>),
    Cube(JudgedCube),
}

impl JudgedCube {
    pub(super) fn of(answer: &CubeAnswer) -> JudgedCube {
        let equities = [answer.no_double, answer.double_take, answer.double_pass];
        JudgedCube {
            equities: equities.map(|value| value.equity as f32),
            chances: answer.chances,
        }
    }

    /// Returns the equity that doubling gains.
    pub(super) fn gain_of_double(&self) -> f32 {
        let [none, take, pass] = self.equities;
        take.min(pass) - none
    }

    /// Returns the equity that taking gains.
    pub(super) fn gain_of_take(&self) -> f32 {
        let [_, take, pass] = self.equities;
        pass - take
    }

    pub(super) fn option(&self, position: &Position, state: &MatchState, take: bool) -> CubeOption {
        let gain = if take {
            self.gain_of_take()
        } else {
            self.gain_of_double()
        };
        CubeOption::new(
            position,
            state,
            [gain, self.gain_of_take()],
            self.chances,
            take,
        )
    }
}

/// Decisions that are judged before the file grows.
const STRETCH: usize = 2000;
/// Number in the place of a number of plays: a cube decision follows.
const CUBE: u16 = u16::MAX;

/// Returns all decisions judged, and keeps them in the plan's file; `None` when it was stopped.
pub(super) fn all(
    plan: &PeoplePlan,
    decisions: &[Decision],
    engine: &Engine,
    control: &mut Control<'_>,
) -> Result<Option<Vec<Judged>>, RunError> {
    let path = &plan.judged;
    let bytes = match std::fs::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        read => read.map_err(in_file(path))?,
    };
    let (mut judged, good) = read(&bytes, decisions);
    let mut file = OpenOptions::new();
    let mut file =
        (file.create(true).truncate(false).write(true).open(path)).map_err(in_file(path))?;
    file.set_len(good as u64).map_err(in_file(path))?;
    std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0)).map_err(in_file(path))?;
    control.task = "judging".to_owned();
    while judged.len() < decisions.len() {
        let progress = Progress::new(
            "decisions",
            judged.len() as u64,
            Some(decisions.len() as u64),
        );
        control.report_progress(progress, false);
        if control.stop.is_triggered() {
            return Ok(None);
        }
        let stretch = &decisions[judged.len()..decisions.len().min(judged.len() + STRETCH)];
        let next: Option<Vec<Judged>> = stretch.par_iter().map(|one| judge(one, engine)).collect();
        let Some(next) = next else { return Ok(None) };
        let mut bytes = Vec::new();
        next.iter().for_each(|one| write(one, &mut bytes));
        file.write_all(&bytes).map_err(in_file(path))?;
        judged.extend(next);
    }
    Ok(Some(judged))
}

fn judge(decision: &Decision, engine: &Engine) -> Option<Judged> {
    let (stop, settings) = (Stop::never(), judging());
    let context = engine.context(&stop);
    let Choice::Play(roll, _) = decision.choice else {
        let query = CubeQuery::new(decision.position, decision.state);
        let answer = search::cube_action(context, &query, &settings).ok()?;
        return Some(Judged::Cube(JudgedCube::of(&answer)));
    };
    let query = PlayQuery::new(decision.position, roll, decision.state);
    let ranked = search::rank_plays(context, &query, &settings).ok()?;
    let mut order = Vec::new();
    generate_plays(&decision.position, roll, &mut order);
    let plays = ranked.plays.iter().filter_map(|play| {
        let number = order.iter().position(|after| *after == play.position)?;
        Some(JudgedPlay {
            number: number as u16,
            option: PlayOption::new(play, ranked.best()),
        })
    });
    Some(Judged::Plays(plays.collect()))
}

fn write(judged: &Judged, out: &mut Vec<u8>) {
    let mut number = |value: f32| out.extend(value.to_le_bytes());
    match judged {
        Judged::Cube(cube) => {
            let numbers = cube.equities.into_iter().chain(cube.chances.to_array());
            number(f32::from(CUBE));
            numbers.for_each(number);
        }
        Judged::Plays(plays) => {
            number(plays.len() as f32);
            for play in plays {
                number(play.number.into());
                number(play.option.loss);
                play.option
                    .chances
                    .to_array()
                    .into_iter()
                    .for_each(&mut number);
            }
        }
    }
}

/// Reads judged decisions; the second number is that of the bytes of whole ones.
fn read(bytes: &[u8], decisions: &[Decision]) -> (Vec<Judged>, usize) {
    let numbers: Vec<f32> = bytes
        .chunks_exact(4)
        .filter_map(|four| Some(f32::from_le_bytes(four.try_into().ok()?)))
        .collect();
    let (mut judged, mut rest) = (Vec::new(), numbers.as_slice());
    for decision in decisions {
        let Some((one, left)) = read_one(rest, decision) else {
            break;
        };
        judged.push(one);
        rest = left;
    }
    (judged, 4 * (numbers.len() - rest.len()))
}

fn read_one<'a>(numbers: &'a [f32], decision: &Decision) -> Option<(Judged, &'a [f32])> {
    let (&count, rest) = numbers.split_first()?;
    let chances = |five: &[f32]| Some(Chances::from_array(five.try_into().ok()?));
    if count == f32::from(CUBE) {
        let (eight, rest) = rest.split_at_checked(8)?;
        let cube = JudgedCube {
            equities: eight[..3].try_into().ok()?,
            chances: chances(&eight[3..])?,
        };
        return Some((Judged::Cube(cube), rest));
    }
    let Choice::Play(roll, _) = decision.choice else {
        return None;
    };
    let order = positions(&decision.position, roll);
    let (plays, rest) = rest.split_at_checked(7 * count as usize)?;
    let plays = plays.chunks_exact(7).map(|seven| {
        Some(JudgedPlay {
            number: seven[0] as u16,
            option: PlayOption {
                after: *order.get(seven[0] as usize)?,
                loss: seven[1],
                chances: chances(&seven[2..])?,
            },
        })
    });
    Some((Judged::Plays(plays.collect::<Option<_>>()?), rest))
}

fn positions(position: &Position, roll: Roll) -> Vec<Position> {
    let mut order = Vec::new();
    generate_plays(position, roll, &mut order);
    order
}
