//! The classical supervised loop: a learning rate that falls when the error stops falling, starts
//! again from the top when it has reached the bottom, and new order when the error rose.
//!
//! It is the schedule of the programme that trained GNU Backgammon's nets: alpha goes down to
//! min(0.9 alpha, alpha - 0.5) whenever neither the mean error fell by 0.5 % nor the greatest
//! error by 1 %; below the lower bound there is one pass just under it, then alpha starts again.

/// Settings of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AlphaSettings {
    /// Alpha at the start.
    pub start: f64,
    /// Alpha below which the schedule starts again.
    pub least: f64,
    /// Relative fall of the mean error that keeps alpha as it is.
    #[serde(skip_serializing_if = "is_published")]
    pub fall: f64,
}

/// The published share of the mean error.
const FALL: f64 = 0.005;

/// Plans without this setting keep their meaning from before it existed.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "what serde calls")]
fn is_published(fall: &f64) -> bool {
    *fall == FALL
}

impl Default for AlphaSettings {
    fn default() -> AlphaSettings {
        AlphaSettings {
            start: 20.0,
            least: 0.1,
            fall: FALL,
        }
    }
}

/// Settings of the next pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// Learning rate.
    pub alpha: f64,
    /// True if the positions are shuffled before the pass.
    pub reshuffle: bool,
}

/// The state of a schedule.
#[derive(Clone, Copy, Debug)]
pub struct AlphaSchedule {
    settings: AlphaSettings,
    alpha: f64,
    /// True if the last pass was the one below the lower bound.
    at_bottom: bool,
    before: Option<[f64; 2]>,
}

impl AlphaSchedule {
    /// Returns a schedule at its start.
    #[must_use]
    pub fn new(settings: AlphaSettings) -> AlphaSchedule {
        AlphaSchedule {
            settings,
            alpha: settings.start,
            at_bottom: false,
            before: None,
        }
    }

    /// Returns the first pass.
    #[must_use]
    pub const fn first(&self) -> Pass {
        Pass {
            alpha: self.alpha,
            reshuffle: true,
        }
    }

    /// Returns the pass after one that ended with this mean and greatest error.
    pub fn next(&mut self, mean: f64, greatest: f64) -> Pass {
        let before = self.before.replace([mean, greatest]);
        let Some([mean_before, greatest_before]) = before else {
            return Pass {
                alpha: self.alpha,
                reshuffle: false,
            };
        };
        let fell =
            mean < (1.0 - self.settings.fall) * mean_before || greatest < 0.99 * greatest_before;
        if self.at_bottom {
            self.at_bottom = false;
            self.alpha = self.settings.start / 0.9;
        } else if !fell {
            self.alpha = (0.9 * self.alpha).min(self.alpha - 0.5);
            if self.alpha < self.settings.least {
                self.alpha = 0.999 * self.settings.least;
                self.at_bottom = true;
            }
        }
        Pass {
            alpha: self.alpha,
            reshuffle: mean > mean_before,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scripted_error_sequence() {
        let mut schedule = AlphaSchedule::new(AlphaSettings {
            start: 2.0,
            least: 1.0,
            fall: FALL,
        });
        assert_eq!(schedule.first().alpha, 2.0);
        // Mean error, greatest error, then the alpha and the order of the pass that follows.
        let script = [
            (1.0, 3.0, 2.0, false),
            (0.9, 3.0, 2.0, false),
            (0.899, 3.0, 1.5, false),
            (0.898, 2.9, 1.5, false),
            (0.9, 2.9, 1.0, true),
            (0.9, 2.9, 0.999, false),
            (0.9, 2.9, 2.0 / 0.9, false),
            (0.8, 2.9, 2.0 / 0.9, false),
        ];
        for (mean, greatest, alpha, reshuffle) in script {
            let pass = schedule.next(mean, greatest);
            assert!((pass.alpha - alpha).abs() < 1e-12, "{mean}: {pass:?}");
            assert_eq!(pass.reshuffle, reshuffle, "{mean}");
        }
    }

    /// Errors that fall by a hundredth a pass: slow for one setting, quick for another.
    #[test]
    fn alpha_falls_by_the_configured_threshold() {
        let alphas = |fall: f64| {
            let mut schedule = AlphaSchedule::new(AlphaSettings {
                start: 20.0,
                least: 17.0,
                fall,
            });
            let mut passes = vec![schedule.first()];
            passes.extend((0..5).map(|at| schedule.next(0.1 * 0.99_f64.powi(at), 1.0)));
            assert!(passes.iter().skip(1).all(|pass| !pass.reshuffle));
            passes.iter().map(|pass| pass.alpha).collect::<Vec<f64>>()
        };
        assert_eq!(alphas(0.005), [20.0; 6]);
        let slow = alphas(0.02);
        let wanted = [20.0, 20.0, 18.0, 16.983, 20.0 / 0.9, 20.0];
        for (found, wanted) in slow.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-9, "{slow:?}");
        }
        let published = serde_json::to_string(&AlphaSettings::default()).unwrap();
        assert!(!published.contains("fall"), "{published}");
    }
}
