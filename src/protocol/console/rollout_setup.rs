//! The settings of rollouts, and their text.

use super::evals::{Context, filter_lines};
use super::table::counted;
use gammond_engine::query::{MoveFilter, RolloutSettings, RolloutSide, Truncation};

/// The settings of rollouts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RolloutSetup {
    pub(super) trials: u32,
    pub(super) seed: u64,
    /// Plays and cube of both players.
    pub(super) sides: [[Context; 2]; 2],
    pub(super) later: [[Context; 2]; 2],
    pub(super) filter: MoveFilter,
    pub(super) later_from: Option<u32>,
    pub(super) later_plies: u32,
    pub(super) truncate: Option<u32>,
    pub(super) turns: u32,
    pub(super) cubeful: bool,
    pub(super) variance_reduction: bool,
    pub(super) quasi_random: bool,
    pub(super) initial: bool,
    pub(super) limit: Option<f64>,
    pub(super) error: f64,
    pub(super) least: u32,
    pub(super) jsd: Option<f64>,
    pub(super) joint: f64,
}

impl Default for RolloutSetup {
    fn default() -> RolloutSetup {
        let chequer = Context {
            plies: 0,
            ..Context::default()
        };
        let side = [chequer, Context::default()];
        RolloutSetup {
            trials: 1296,
            seed: 1,
            sides: [side; 2],
            later: [side; 2],
            filter: MoveFilter::NORMAL,
            later_from: None,
            later_plies: 5,
            truncate: None,
            turns: 10,
            cubeful: true,
            variance_reduction: true,
            quasi_random: true,
            initial: false,
            limit: None,
            error: 0.01,
            least: 324,
            jsd: None,
            joint: 2.33,
        }
    }
}

impl RolloutSetup {
    /// Converts the settings for the engine.
    pub(super) fn settings(&self) -> RolloutSettings {
        let of = |[chequer, cube]: [Context; 2]| RolloutSide {
            plies: chequer.plies.min(4),
            cube_plies: cube.plies.min(4),
            filter: Some(self.filter),
        };
        let [first, second] = self.sides;
        let [chequer, _] = first;
        let mut settings = RolloutSettings::default();
        settings.trials = self.trials;
        settings.seed = self.seed;
        settings.sides = [of(first), of(second)];
        settings.cubeful = self.cubeful;
        settings.variance_reduction = self.variance_reduction;
        settings.truncate = self
            .truncate
            .map_or(Truncation::default(), Truncation::Turns);
        settings.error = self.limit;
        settings.lead = self.jsd;
        settings.late = self.later_from.map(|turn| {
            let [late, _] = self.later;
            (turn, of(late))
        });
        settings.search = chequer.settings(self.filter);
        settings
    }

    /// Returns the text of `show rollout`.
    pub(super) fn text(&self) -> String {
        let [[chequer, cube], _] = &self.sides;
        let enabled = |on| if on { "enabled" } else { "disabled" };
        let truncation = match self.truncate {
            Some(turns) => format!("Truncation after {turns} plies.\n"),
            None => "No truncation.\n".to_owned(),
        };
        let mut text = format!(
            "`rollout' will use:\n{} will be played per rollout.\n{truncation}\
             Will truncate cubeful money game rollouts when reaching exact bearoff database.\n\
             Will truncate money game rollouts when reaching exact bearoff database.\n\
             Will truncate *cubeless* rollouts when reaching one-sided bearoff database.\n\
             Lookahead variance reduction is {}.\nQuasi-random dice are {}.\n{} rollout.\n\
             Rollout as opening move {}.\nMersenne Twister dice generator with seed {}.\n",
            counted(self.trials, "game"),
            enabled(self.variance_reduction),
            enabled(self.quasi_random),
            if self.cubeful { "Cubeful" } else { "Cubeless" },
            enabled(self.initial),
            self.seed
        );
        text += &format!("Chequer play parameters:\n{}", chequer.lines("        "));
        text += &format!("Cube decision parameters:\n{}", cube.lines("        "));
        text + "Move filter:\n" + &filter_lines(&self.filter) + "\n"
    }

    /// Describes the settings below a result.
    pub(super) fn described(&self, games: u32) -> String {
        let kind = if self.cubeful { "cubeful" } else { "cubeless" };
        let cut = match self.truncate {
            Some(turns) => format!("Truncated {kind} rollout (depth {turns})"),
            None => format!("Full {kind} rollout"),
        };
        let reduced = if self.variance_reduction {
            " with variance reduction"
        } else {
            ""
        };
        let quasi = if self.quasi_random {
            " and quasi-random dice"
        } else {
            ""
        };
        let [[chequer, cube], _] = &self.sides;
        format!(
            "{cut}{reduced}\n{}, Mersenne Twister dice gen. with seed {}{quasi}\nPlay: {}\nCube: {}\n",
            counted(games, "game"),
            self.seed,
            chequer.described(chequer.plies),
            cube.described(cube.plies)
        )
    }
}
