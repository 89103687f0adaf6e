//! Depth and method of evaluations: for hints, for the analysis, for each player.

use gammond_engine::query::{MoveFilter, Settings};

/// One evaluation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Context {
    pub(super) plies: u8,
    pub(super) cubeful: bool,
    pub(super) prune: bool,
    pub(super) noise: f32,
    pub(super) deterministic: bool,
}

impl Default for Context {
    fn default() -> Context {
        Context {
            plies: 2,
            cubeful: true,
            prune: true,
            noise: 0.0,
            deterministic: true,
        }
    }
}

/// The deepest look-ahead that may be set; the engine looks as far as it can.
pub(super) const PLIES_MAX: i64 = 7;

/// Levels of play with a name: plies, noise, name.
const LEVELS: [(u8, f32, &str); 6] = [
    (0, 0.06, "beginner"),
    (0, 0.05, "casual play"),
    (0, 0.04, "intermediate"),
    (0, 0.015, "advanced"),
    (0, 0.0, "expert"),
    (2, 0.0, "world class"),
];

impl Context {
    /// Converts the settings for the engine.
    pub(super) fn settings(&self, filter: MoveFilter) -> Settings {
        let mut settings = Settings::plies(self.plies.min(Settings::PLIES_MAX))
            .with_cubeful(self.cubeful)
            .with_filter(filter)
            .with_pruning(self.prune)
            .with_noise(self.noise);
        settings.noise_as_gnubg = self.noise > 0.0 && self.deterministic;
        settings
    }

    /// Describes the evaluation as the third line of a play does.
    pub(super) fn described(&self, plies: u8) -> String {
        let cube = if self.cubeful { "cubeful" } else { "cubeless" };
        let prune = if self.prune { " prune" } else { "" };
        let mut text = format!("{plies}-ply {cube}{prune}");
        if self.noise > 0.0 {
            text += &format!(", noise {}", self.noise);
            if self.deterministic {
                text += " (d)";
            }
        }
        let is = |level: &&(u8, f32, &str)| {
            level.0 == plies && (level.1 - self.noise).abs() < 1e-6 && (plies == 0 || self.prune)
        };
        match LEVELS.iter().find(is).filter(|_| self.cubeful) {
            Some(level) => format!("{text} [{}]", level.2),
            None => text,
        }
    }

    /// Describes the evaluation in lines, as `show` prints it.
    pub(super) fn lines(&self, indent: &str) -> String {
        let prune = if self.prune { "Using" } else { "Not using" };
        let cube = if self.cubeful { "Cubeful" } else { "Cubeless" };
        let noise = match (self.noise > 0.0, self.deterministic) {
            (false, _) => "Noiseless evaluations.".to_owned(),
            (true, true) => format!(
                "Noise standard deviation {:.3} (deterministic noise).\n",
                self.noise
            ),
            (true, false) => format!(
                "Noise standard deviation {:.3} (pseudo-random noise).\n",
                self.noise
            ),
        };
        format!(
            "{indent}{}-ply evaluation.\n{indent}{prune} pruning neural nets.        {cube} evaluations.\n{indent}{noise}\n",
            self.plies
        )
    }
}

/// Plays, cube and filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Evals {
    pub(super) chequer: Context,
    pub(super) cube: Context,
    pub(super) filter: MoveFilter,
    /// Error rate of the people as whom a player decides, instead of by these evaluations.
    pub(super) people: Option<f64>,
    /// Seed of the choices of people.
    pub(super) seed: u64,
}

impl Evals {
    pub(super) fn of(filter: MoveFilter) -> Evals {
        Evals {
            chequer: Context::default(),
            cube: Context::default(),
            filter,
            people: None,
            seed: 0,
        }
    }

    /// Returns those of an analysis that no command has changed.
    pub(super) fn analysis() -> Evals {
        Evals::of(MoveFilter::LARGE)
    }

    pub(super) fn plays(&self) -> Settings {
        self.settings(&self.chequer)
    }

    pub(super) fn cubes(&self) -> Settings {
        self.settings(&self.cube)
    }

    fn settings(&self, context: &Context) -> Settings {
        match self.people {
            Some(pr) => Settings::default().with_people(pr, self.seed),
            None => context.settings(self.filter),
        }
    }

    /// Describes the move filter in lines.
    pub(super) fn filter_lines(&self) -> String {
        filter_lines(&self.filter)
    }
}

/// Describes a move filter in lines.
pub(super) fn filter_lines(filter: &MoveFilter) -> String {
    let mut text = String::new();
    for (row, plies) in filter.levels.iter().zip(1..) {
        text += &format!("      Move filter for {plies} ply:\n");
        for (level, ply) in row.iter().take(plies).zip(0..) {
            text += &match level.accept {
                ..0 => format!("        Skip pruning for {ply}-ply moves.\n"),
                accept if level.extra == 0 => {
                    format!("        keep the first {accept} {ply}-ply moves\n")
                }
                accept => format!(
                    "        keep the first {accept} {ply}-ply moves and up to {} more moves within equity {}\n",
                    level.extra, level.threshold
                ),
            };
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LV-04, LV-05: plays and cube follow people, whatever the evaluations are.
    #[test]
    fn people_decide_plays_and_cube() {
        let mut evals = Evals::of(MoveFilter::NORMAL);
        evals.chequer.plies = 0;
        evals.cube.noise = 0.1;
        assert_eq!(evals.plays().pr, None);
        evals.people = Some(8.0);
        for settings in [evals.plays(), evals.cubes()] {
            assert_eq!(settings, Settings::default().with_people(8.0, 0));
        }
    }
}
