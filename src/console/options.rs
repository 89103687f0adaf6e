//! Settings that are kept: automatic actions, dice, exports, the form of numbers.

use super::Console;
use super::host::ConsoleHost;
use super::words::Words;

/// Most digits behind the point.
const DIGITS_MAX: i64 = 6;
/// Most automatic doubles: the cube ends there.
const DOUBLES_MAX: i64 = 12;
/// Most plays of a roll in an export.
const EXPORT_PLAYS_MAX: i64 = 4096;

/// The keywords after `set` of this file.
pub(crate) const GRAMMAR: &str = "\
    set-automatic: bearoff crawford doubles game move roll
    set-output: output matchpc mwc rawboard winpc digits errorratefactor
    rngs: bbs file isaac manual md5 mersenne random.org
    set_export: folder html=set_export-html include=set_export-include png=set_export-png show=set_export-show \
        moves=set_export-moves cube=set_export-cube
    set_export-html: css=set_export-html-css pictureurl type=set_export-html-type size
    set_export-html-css: head external inline
    set_export-html-type: bbs fibs2html gnu
    set_export-include: annotations analysis statistics matchinfo
    set_export-png: size
    set_export-show: board player
    set_export-moves: number probabilities parameters=set_export-moves-parameters display=set_export-moves-display
    set_export-moves-parameters: evaluation rollout
    set_export-moves-display: verybad bad doubtful unmarked
    set_export-cube: probabilities parameters=set_export-cube-parameters display=set_export-cube-display
    set_export-cube-parameters: evaluation rollout
    set_export-cube-display: actual bad close doubtful missed unmarked verybad";

impl Console {
    pub(super) fn set_automatic(&mut self, key: &str, words: &mut Words<'_>) {
        if key == "doubles" {
            let Some(count) = words
                .number()
                .filter(|count| (0..=DOUBLES_MAX).contains(count))
            else {
                self.say("You must specify how many automatic doubles to use (see `help set automatic double').");
                return;
            };
            self.automatic.doubles = u32::try_from(count).unwrap_or(0);
            self.say(&match count {
                0 => "Automatic doubles will not be used.".to_owned(),
                _ => format!("Automatic doubles will be used (up to a limit of {count})."),
            });
            return;
        }
        let Some(on) = self.on_or_off(&format!("automatic {key}"), words) else {
            return;
        };
        let own = &mut self.automatic;
        let text = match key {
            "game" => {
                own.game = on;
                [
                    "Will not automatically start games.",
                    "Will automatically start games after wins.",
                ]
            }
            "roll" => {
                own.roll = on;
                [
                    "Will not automatically roll the dice.",
                    "Will automatically roll the dice when no cube decision is possible.",
                ]
            }
            "move" => {
                own.play = on;
                [
                    "Forced moves will not be made automatically.",
                    "Forced moves will be made automatically.",
                ]
            }
            "bearoff" => {
                own.bearoff = on;
                [
                    "Will not automatically bear off chequers.",
                    "Will automatically bear off as many chequers as possible.",
                ]
            }
            _ => {
                own.crawford = on;
                [
                    "Will not enable the Crawford game according to match score.",
                    "Will enable the Crawford game according to match score.",
                ]
            }
        };
        let [off, yes] = text;
        self.say(if on { yes } else { off });
    }

    pub(super) fn set_seed(&mut self, words: &mut Words<'_>, host: &mut dyn ConsoleHost) {
        if self.manual_dice {
            self.say("You can't set a seed if you're using the manual dice generator.");
            return;
        }
        let text = words.text();
        if text.is_empty() {
            self.say("Seed initialised from system random data.");
            return;
        }
        let digits = text.trim_end();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            self.say("You must specify a valid seed (see `help set seed').");
            return;
        }
        host.seed(&words_of(digits));
        self.say(&format!("Seed set to {text}."));
    }

    pub(super) fn set_rng(
        &mut self,
        name: &str,
        words: &mut Words<'_>,
        host: &mut dyn ConsoleHost,
    ) {
        let name = match name {
            "manual" => "manual dice",
            "mersenne" => "Mersenne Twister",
            "isaac" => "ISAAC",
            "md5" => "MD5",
            "bbs" => "Blum, Blum and Shub",
            other => {
                self.refuse(&format!("set rng {other}"));
                return;
            }
        };
        let seeded = words.peek().is_some();
        if self.rng == name && !seeded {
            self.say(&format!("You are already using the {name} generator."));
            return;
        }
        self.rng = name;
        self.manual_dice = name == "manual dice";
        self.say(&format!(
            "GNU Backgammon will now use the {name} generator."
        ));
        if !self.manual_dice {
            self.set_seed(words, host);
        }
    }

    pub(super) fn set_export(&mut self, path: &[&'static str], words: &mut Words<'_>) {
        match path {
            ["moves", "number"] => match words
                .number()
                .filter(|count| (0..=EXPORT_PLAYS_MAX).contains(count))
            {
                Some(count) => {
                    self.export_plays = usize::try_from(count).unwrap_or(0);
                    self.say(&format!("Show at most {count} moves in exports."));
                }
                None => self.say("You must specify a semi-positive number."),
            },
            ["show", "board"] => {
                let count = words.number().unwrap_or(1);
                self.fault(&format!(
                    "The board will be shown every {count}. move in exports."
                ));
            }
            _ => {
                let path = [&["export"], path].concat();
                self.accept_setting(&path, words);
            }
        }
    }

    /// Runs `set output KEY VALUE`.
    pub(super) fn set_output(&mut self, key: &str, words: &mut Words<'_>) {
        match key {
            "digits" => {
                let digits = words
                    .number()
                    .filter(|digits| (0..=DIGITS_MAX).contains(digits));
                let Some(digits) = digits else {
                    self.say("You must specify a number between 1 and 6.");
                    return;
                };
                self.style.digits = usize::try_from(digits).unwrap_or(3);
                self.say(&format!(
                    "Probabilities and equities will be shown with {digits} digits after the decimal separator"
                ));
                return;
            }
            "errorratefactor" => {
                let Some(factor) = words.real().filter(|factor| *factor > 0.0) else {
                    self.say("You must specify a positive number.");
                    return;
                };
                self.style.rate_factor = factor;
                self.say(&format!(
                    "The factor used for multiplying error rates is: {factor:.1}"
                ));
                return;
            }
            _ => {}
        }
        let Some(on) = self.on_or_off(&format!("output {key}"), words) else {
            return;
        };
        let style = &mut self.style;
        let text = match (key, on) {
            ("mwc", true) => "Match evaluations will be shown as match winning chances.",
            ("mwc", false) => "Match evaluations will be shown as equivalent money equity.",
            ("matchpc", true) => "Match winning chances will be shown as percentages.",
            ("matchpc", false) => "Match winning chances will be shown as probabilities.",
            ("winpc", true) => "Game winning chances will be shown as percentages.",
            ("winpc", false) => "Game winning chances will be shown as probabilities.",
            ("rawboard", true) => "TTY boards will be given in raw format.",
            ("rawboard", false) => "TTY boards will be given in ASCII.",
            _ => return,
        };
        match key {
            "mwc" => style.mwc = on,
            "matchpc" => style.match_percent = on,
            "winpc" => style.win_percent = on,
            _ => style.raw_board = on,
        }
        self.say(text);
    }
}

/// Returns a decimal number of any length as words of 32 bits, the lowest first; none for 0.
fn words_of(digits: &str) -> Vec<u32> {
    let mut words: Vec<u32> = Vec::new();
    for digit in digits.bytes() {
        let mut carry = u64::from(digit.saturating_sub(b'0'));
        for word in &mut words {
            let value = u64::from(*word) * 10 + carry;
            *word = u32::try_from(value & u64::from(u32::MAX)).unwrap_or(0);
            carry = value >> 32;
        }
        words.extend(u32::try_from(carry).ok().filter(|carry| *carry > 0));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_have_any_length() {
        for (digits, want) in [
            ("0", &[][..]),
            ("007", &[7]),
            ("4294967295", &[u32::MAX]),
            ("4294967296", &[0, 1]),
            ("18446744073709551621", &[5, 0, 1]),
        ] {
            assert_eq!(words_of(digits), want, "{digits}");
        }
    }
}
