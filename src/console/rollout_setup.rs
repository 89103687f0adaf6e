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
    /// Move filters of both players.
    pub(super) filters: [MoveFilter; 2],
    pub(super) later_filters: [MoveFilter; 2],
    /// Evaluations of plays and cube where games are truncated.
    pub(super) truncation: [Context; 2],
    /// True if games end in the two-sided, and in the one-sided bearoff table.
    pub(super) bearoffs: [bool; 2],
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
            filters: [MoveFilter::NORMAL; 2],
            later_filters: [MoveFilter::NORMAL; 2],
            truncation: [Context::default(); 2],
            bearoffs: [true; 2],
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
        let of = |[chequer, cube]: [Context; 2], filter| RolloutSide {
            plies: chequer.plies.min(4),
            cube_plies: cube.plies.min(4),
            filter: Some(filter),
        };
        let [first, second] = self.sides;
        let [filter, other_filter] = self.filters;
        let [chequer, _] = first;
        let mut settings = RolloutSettings::default();
        settings.trials = self.trials;
        settings.seed = self.seed;
        settings.sides = [of(first, filter), of(second, other_filter)];
        settings.cubeful = self.cubeful;
        settings.variance_reduction = self.variance_reduction;
        settings.truncate = self
            .truncate
            .map_or(Truncation::default(), Truncation::Turns);
        settings.error = self.limit;
        settings.lead = self.jsd;
        settings.late = self.later_from.map(|turn| {
            let ([late, _], [filter, _]) = (self.later, self.later_filters);
            (turn, of(late, filter))
        });
        let [truncation, _] = self.truncation;
        if truncation != Context::default() {
            settings.leaf_plies = truncation.plies.min(4);
        }
        settings.search = chequer.settings(filter);
        settings
    }

    /// Returns the text of `show rollout`.
    pub(super) fn text(&self) -> String {
        let enabled = |on| if on { "enabled" } else { "disabled" };
        let truncation = match self.truncate {
            Some(turns) => format!("Truncation after {turns} plies.\n"),
            None => "No truncation.\n".to_owned(),
        };
        let [exact, one_sided] = self.bearoffs.map(|on| if on { "Will" } else { "Will not" });
        let mut text = format!(
            "`rollout' will use:\n{} will be played per rollout.\n{truncation}\
             {exact} truncate cubeful money game rollouts when reaching exact bearoff database.\n\
             {exact} truncate money game rollouts when reaching exact bearoff database.\n\
             {one_sided} truncate *cubeless* rollouts when reaching one-sided bearoff database.\n\
             Lookahead variance reduction is {}.\nQuasi-random dice are {}.\n{} rollout.\n\
             Rollout as opening move {}.\nMersenne Twister dice generator with seed {}.\n",
            counted(self.trials, "game"),
            enabled(self.variance_reduction),
            enabled(self.quasi_random),
            if self.cubeful { "Cubeful" } else { "Cubeless" },
            enabled(self.initial),
            self.seed
        );
        self.describe_players(&mut text);
        if self.truncate.is_some() {
            let [chequer, cube] = self.truncation.map(|context| context.lines("        "));
            text += &format!(
                "Truncation point Chequer play evaluation:\n{chequer}Truncation point Cube evaluation:\n{cube}"
            );
        }
        if self.limit.is_some() {
            let which = match self.cubeful {
                true => "both equities STD\n\t(cubeful and cubeless) are",
                false => "equity STD is",
            };
            text += &format!(
                "Rollouts may stop after {} if {which} less than {:.4}\n",
                counted(self.least, "game"),
                self.error
            );
        }
        text
    }

    /// Describes evaluations and filters, of each player where both have not the same, and of later plies where those
    /// are enabled.
    fn describe_players(&self, text: &mut String) {
        let each = |text: &mut String, apart: bool, parts: [String; 2]| {
            for (number, part) in parts.iter().enumerate().take(1 + usize::from(apart)) {
                if apart {
                    *text += &format!("Player {number}:\n");
                }
                text.push_str(part);
            }
        };
        let differ = |[one, other]: &[[Context; 2]; 2]| one != other;
        let later = self.later_from.is_some();
        let apart = differ(&self.sides) || later && differ(&self.later);
        let turns = self.later_plies;
        let spans = match later {
            true => vec![
                (
                    format!("for first {turns} plies:"),
                    &self.sides,
                    &self.filters,
                ),
                (
                    format!("after {turns} plies:"),
                    &self.later,
                    &self.later_filters,
                ),
            ],
            false => vec![(String::new(), &self.sides, &self.filters)],
        };
        for (kind, name) in ["Chequer play", "Cube decision"].into_iter().enumerate() {
            for (span, sides, _) in &spans {
                *text += format!("{name} parameters: {span}").trim_end();
                text.push('\n');
                let lines = sides.map(|side| {
                    side.get(kind)
                        .map_or(String::new(), |own| own.lines("        "))
                });
                each(text, apart, lines);
            }
        }
        for (span, _, filters) in &spans {
            match span.as_str() {
                "" => *text += "Move filter:\n",
                span => *text += &format!("Move filter {span}\n"),
            }
            let [one, other] = filters;
            each(
                text,
                one != other,
                filters.map(|filter| filter_lines(&filter) + "\n"),
            );
        }
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
