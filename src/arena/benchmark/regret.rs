//! Losses of players at new decisions, evaluated by deeper searches against the best candidate.
//!
//! Positions are given, a roll is thrown for each. Candidates are the plays that the players choose and the best by the
//! first judge's static values; each is worth the mean of the judges' values of the position after it. If all
//! candidates are the same, the loss is 0 without a search. Two players are compared by the paired difference, whose
//! error is a fraction of that of either mean (BM-28 of `protocol-specs/benchmark-files.md`).

use crate::player::{Ours, Player, PlayerError};
use gammond_base::rng::{below, stream};
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{EvalQuery, PlayQuery, Settings, Stop};
use gammond_engine::search::{self, Stopped};
use gammond_game::{MatchState, Position, Roll, Rules, generate_plays};
use gammond_job::{BadPart, Header, Job, Progress};

/// A position and a roll with a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FreshDecision {
    /// The player on roll.
    pub position: Position,
    /// Roll of the dice.
    pub roll: Roll,
}

/// Returns up to `count` of the positions, each once, drawn at random and with a random roll; those whose roll leaves
/// no choice are passed over.
#[must_use]
pub fn decisions(positions: &[Position], count: usize, seed: u64) -> Vec<FreshDecision> {
    let mut rng = stream(seed, 0x7265_6772);
    let mut left = positions.to_vec();
    let (mut found, mut plays) = (Vec::new(), Vec::new());
    while let Ok(rest @ 1..) = u32::try_from(left.len())
        && found.len() < count
    {
        let position = left.swap_remove(below(&mut rng, rest) as usize);
        let roll = Roll::thrown(&mut rng);
        if position.is_over() {
            continue;
        }
        generate_plays(&position, roll, &mut plays);
        if plays.len() > 1 {
            found.push(FreshDecision { position, roll });
        }
    }
    found
}

/// A judge of plays: a search, cubeless.
#[derive(Clone, Debug)]
pub struct PlayJudge {
    engine: Engine,
    settings: Settings,
}

impl PlayJudge {
    /// Creates a judge that is one of our players, on all cores.
    ///
    /// # Errors
    /// When its files cannot be read.
    pub fn new(ours: &Ours) -> Result<PlayJudge, PlayerError> {
        let (engine, settings) = ours.engine(0)?;
        Ok(PlayJudge { engine, settings })
    }

    /// Formats the name shown to people.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} at {}-ply", self.engine.net_name(), self.settings.plies)
    }

    /// Returns everything that determines the judge's answers.
    fn identity(&self) -> Result<String, PlayerError> {
        let (settings, sum) = (&self.settings, self.engine.identity()?);
        Ok(format!("{settings:?} sha256 {sum}"))
    }

    /// Returns the equity of the player who has just moved to `after`, in points. Runs on the caller's threads.
    fn worth(&self, after: &Position, stop: &Stop) -> Result<f64, EngineError> {
        let (position, state) = (*after, MatchState::money(Rules::default()));
        let query = EvalQuery { position, state };
        let value = match self.settings.level {
            Some(_) => self.engine.evaluate(&query, &self.settings, stop)?,
            None => search::evaluate(self.engine.context(stop), &query, &self.settings)
                .map_err(|Stopped| EngineError::Stopped)?,
        };
        Ok(-f64::from(value.chances.equity()))
    }

    /// Returns the positions after the best plays by the static values, at most so many.
    fn favourites(
        &self,
        decision: &FreshDecision,
        most: usize,
        stop: &Stop,
    ) -> Result<Vec<Position>, EngineError> {
        if most == 0 {
            return Ok(Vec::new());
        }
        let mut settings = Settings::plies(0);
        (settings.cubeful, settings.top) = (false, Some(most));
        let query = PlayQuery {
            position: decision.position,
            roll: decision.roll,
            state: MatchState::money(Rules::default()),
        };
        let ranked = self.engine.rank_plays(&query, &settings, stop)?;
        Ok(ranked.plays.iter().map(|play| play.position).collect())
    }
}

/// Decisions in one part: few, as several searches belong to one.
const DECISIONS_PER_PART: usize = 2;

/// Job that measures the loss of each player at each decision.
pub struct Regrets<'a> {
    decisions: &'a [FreshDecision],
    players: Vec<&'a dyn Player>,
    judges: &'a [PlayJudge],
    candidates: usize,
    header: Header,
}

impl<'a> Regrets<'a> {
    /// Creates the job that measures the losses of `players` at `decisions` against the best candidate, by the mean
    /// of `judges`. Candidates are the players' choices and this many favourites of the first judge.
    ///
    /// # Errors
    /// When the files of a player or a judge can no longer be read.
    pub fn new(
        decisions: &'a [FreshDecision],
        players: Vec<&'a dyn Player>,
        judges: &'a [PlayJudge],
        candidates: usize,
    ) -> Result<Regrets<'a>, PlayerError> {
        let mut header = Header::new("losses at fresh decisions", 1)
            .content("decisions", format!("{decisions:?}").as_bytes())
            .field("candidates", candidates);
        for (place, player) in players.iter().enumerate() {
            header = header.field(&format!("player {}", place + 1), player.identity()?);
        }
        for (place, judge) in judges.iter().enumerate() {
            header = header.field(&format!("judge {}", place + 1), judge.identity()?);
        }
        Ok(Regrets {
            decisions,
            players,
            judges,
            candidates,
            header,
        })
    }

    /// Returns the index of a part's first decision, and its decisions.
    fn of_part(&self, number: u64) -> (usize, &'a [FreshDecision]) {
        let from = usize::try_from(number).unwrap_or(usize::MAX);
        let from = (from.saturating_mul(DECISIONS_PER_PART)).min(self.decisions.len());
        let to = (from.saturating_add(DECISIONS_PER_PART)).min(self.decisions.len());
        (from, self.decisions.get(from..to).unwrap_or_default())
    }

    /// Returns the loss of each choice.
    fn judged(
        &self,
        decision: &FreshDecision,
        choices: &[Position],
        stop: &Stop,
    ) -> Result<Vec<f64>, EngineError> {
        let mut candidates: Vec<Position> = Vec::new();
        let favourites = match self.judges.first() {
            Some(judge) => judge.favourites(decision, self.candidates, stop)?,
            None => Vec::new(),
        };
        for after in choices.iter().chain(&favourites) {
            if !candidates.contains(after) {
                candidates.push(*after);
            }
        }
        if candidates.len() < 2 {
            return Ok(vec![0.0; choices.len()]);
        }
        let worth = |after: &Position| -> Result<f64, EngineError> {
            let values = self.judges.iter().map(|judge| judge.worth(after, stop));
            let sum: f64 = values.sum::<Result<f64, _>>()?;
            Ok(sum / self.judges.len().max(1) as f64)
        };
        let values: Vec<f64> = candidates.iter().map(worth).collect::<Result<_, _>>()?;
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // The choices are the first candidates, but for those that were there already.
        let value = |after: &Position| candidates.iter().position(|one| one == after);
        Ok((choices.iter())
            .map(|after| value(after).map_or(0.0, |at| best - values[at]))
            .collect())
    }
}

impl Job for Regrets<'_> {
    /// Losses of each player at each decision, in points.
    type Sum = Vec<Vec<f64>>;
    type Error = PlayerError;

    fn header(&self) -> Header {
        self.header.clone()
    }

    fn start(&self) -> Vec<Vec<f64>> {
        Vec::new()
    }

    fn parts(&self) -> Option<u64> {
        Some(self.decisions.len().div_ceil(DECISIONS_PER_PART) as u64)
    }

    fn part(&self, number: u64, stop: &Stop) -> Result<Option<Vec<u8>>, PlayerError> {
        let (from, decisions) = self.of_part(number);
        let mut bytes = Vec::new();
        for (index, decision) in decisions.iter().enumerate() {
            if stop.is_triggered() {
                return Ok(None);
            }
            let choose = |player: &&dyn Player| {
                let mut chance = stream((from + index) as u64, 0x7265_6772);
                player.play(&decision.position, decision.roll, &mut chance)
            };
            let choices: Vec<Position> =
                (self.players.iter().map(choose)).collect::<Result<_, _>>()?;
            let lost = match self.judged(decision, &choices, stop) {
                Ok(lost) => lost,
                Err(_) if stop.is_triggered() => return Ok(None),
                Err(error) => return Err(error.into()),
            };
            bytes.extend(lost.into_iter().flat_map(f64::to_le_bytes));
        }
        Ok(Some(bytes))
    }

    fn merge(&self, lost: &mut Vec<Vec<f64>>, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
        let (numbers, []) = bytes.as_chunks::<8>() else {
            return Err(BadPart);
        };
        let (_, decisions) = self.of_part(number);
        if numbers.len() != decisions.len() * self.players.len() {
            return Err(BadPart);
        }
        let numbers: Vec<f64> = numbers.iter().copied().map(f64::from_le_bytes).collect();
        lost.extend(
            numbers
                .chunks(self.players.len().max(1))
                .map(<[f64]>::to_vec),
        );
        Ok(())
    }

    fn progress(&self, lost: &Vec<Vec<f64>>, _: u64) -> Progress {
        let total = Some(self.decisions.len() as u64);
        Progress::new("decisions", lost.len() as u64, total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::PlayerSpec;
    use gammond_job::{Control, Runner};

    /// BM-28.
    #[test]
    fn reference_choices_lose_nothing_and_random_choices_much() {
        let mut positions = vec![Position::start(); 40];
        let mut plays = Vec::new();
        for index in 1..positions.len() {
            generate_plays(&positions[index - 1], Roll::ALL[index % 21], &mut plays);
            let next = plays.get(plays.len() / 2).copied();
            positions[index] = next.unwrap_or(positions[index - 1].swapped());
        }
        let all = decisions(&positions, 25, 3);
        assert_eq!(all.len(), 25);
        assert_eq!(all, decisions(&positions, 25, 3));
        assert_ne!(all, decisions(&positions, 25, 4));
        let open = |text: &str| text.parse::<PlayerSpec>().unwrap().open().unwrap();
        let players = [open("gammond"), open("random")];
        let judges = [PlayJudge::new(&Ours::default()).unwrap()];
        let lost = |candidates| {
            let players = players.iter().map(|player| &**player).collect();
            let job = Regrets::new(&all, players, &judges, candidates).unwrap();
            let end = Runner::new().run(&job, &mut Control::quiet()).unwrap();
            end.sum
        };
        let without = lost(0);
        let lost = lost(4);
        assert_eq!(lost.len(), 25);
        assert!(lost.iter().all(|lost| lost[0] == 0.0 && lost[1] >= 0.0));
        assert!(lost.iter().map(|lost| lost[1]).sum::<f64>() > 0.5);
        // Without other candidates the better choice of the two is the measure.
        assert!(without.iter().all(|lost| lost[0] == 0.0));
    }
}
