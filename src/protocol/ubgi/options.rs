//! The values of the options, and the settings that they make.

use super::keys::NO_LEVEL;
use gammond_engine::people::People;
use gammond_engine::query::{Level, MoveFilter, Settings};
use gammond_game::{MatchState, Score, Variant};

/// The rating that is set at first.
const ELO: u32 = 1800;

#[derive(Clone, Debug)]
pub(super) struct Values {
    /// Look-ahead in UBGI's numbering: 1 is the static evaluation (UBGI-12).
    ply: u8,
    /// Level in place of the look-ahead (RO-10).
    level: Option<Level>,
    cubeful: bool,
    filter: MoveFilter,
    /// True to play as people of the rating `elo` do.
    limited: bool,
    elo: u32,
    seed: u64,
    /// Games since the start: a person does not err in the same way in each.
    pub(super) games: u64,
    pub(super) threads: usize,
    pub(super) nets: String,
    pub(super) crawford_rule: bool,
}

impl Values {
    pub(super) fn new(base: &Settings, nets: &str, threads: usize) -> Values {
        Values {
            ply: base.plies + 1,
            level: base.level,
            cubeful: false,
            filter: base.filter,
            limited: false,
            elo: ELO,
            seed: 0,
            games: 0,
            threads,
            nets: nets.to_owned(),
            crawford_rule: true,
        }
    }

    pub(super) fn value(&self, name: &str, state: &MatchState) -> String {
        match name {
            "game.variant" => state.variant.word().into(),
            "game.jacoby" => state.rules.jacoby.to_string(),
            "game.length" => state.score.length().to_string(),
            "game.score" => format!("{}:{}", state.score.me(), state.score.opponent()),
            "game.crawford" => state.score.is_crawford().to_string(),
            "engine.ply" => self.ply.to_string(),
            "engine.level" => self.level.map_or(NO_LEVEL, Level::name).into(),
            "engine.eval_mode" => if self.cubeful { "cubeful" } else { "cubeless" }.into(),
            "engine.filter" => self.filter.name().unwrap_or("auto").into(),
            "engine.limit_strength" => self.limited.to_string(),
            "engine.elo" => self.elo.to_string(),
            "engine.seed" => self.seed.to_string(),
            "engine.threads" => self.threads.to_string(),
            "engine.nets" => self.nets.clone(),
            _ => "true".into(),
        }
    }

    /// Takes a value that the option can have; `false` when it does not fit the others.
    pub(super) fn change(&mut self, name: &str, value: &str, state: &mut MatchState) -> bool {
        let on = value == "true";
        let score = state.score;
        let (me, opponent) = (score.me(), score.opponent());
        let new_score = match name {
            "game.length" => {
                let length = value.parse().unwrap_or(0);
                Score::new(length, 0, 0, false).ok()
            }
            "game.score" => {
                let points = value.split_once(':').unwrap_or((value, ""));
                let (Ok(me), Ok(opponent)) = (points.0.parse(), points.1.parse()) else {
                    return false;
                };
                self.score_of(score.length(), me, opponent)
            }
            "game.crawford" => {
                self.crawford_rule = on;
                self.score_of(score.length(), me, opponent)
            }
            _ => Some(score),
        };
        let Some(new_score) = new_score else {
            return false;
        };
        state.score = new_score;
        match name {
            "game.variant" => state.variant = Variant::named(value).unwrap_or(state.variant),
            "game.jacoby" => state.rules.jacoby = on,
            "engine.ply" => self.ply = value.parse().unwrap_or(self.ply),
            "engine.level" => self.level = Level::named(value),
            "engine.eval_mode" => self.cubeful = value == "cubeful",
            "engine.filter" => {
                self.filter = MoveFilter::named(value).unwrap_or(MoveFilter::AUTO);
            }
            "engine.limit_strength" => self.limited = on,
            "engine.elo" => self.elo = value.parse().unwrap_or(self.elo),
            "engine.seed" => self.seed = value.parse().unwrap_or(self.seed),
            "engine.threads" => self.threads = value.parse().unwrap_or(self.threads),
            "engine.nets" => value.clone_into(&mut self.nets),
            _ => {}
        }
        true
    }

    /// Returns the score at which a game of a match begins (UBGI-18): the Crawford game where its rule holds and one
    /// player alone needs a point. `None` if no match has this score.
    pub(super) fn score_of(&self, length: u32, me: u32, opponent: u32) -> Option<Score> {
        let crawford = self.crawford_rule && length > 0;
        Score::lenient(length, me, opponent, crawford).ok()
    }

    pub(super) fn settings(&self, base: &Settings) -> Settings {
        let settings = Settings {
            plies: self.ply.saturating_sub(1),
            level: self.level,
            cubeful: self.cubeful,
            filter: self.filter,
            ..base.clone()
        };
        let mut settings = match self.limited {
            true => settings.with_people(People::pr_of_elo(self.elo), self.seed),
            false => settings,
        };
        if settings.pr.is_some() {
            settings.seed = settings.seed.wrapping_add(self.games);
        }
        settings
    }
}
