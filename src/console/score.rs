//! `set score`, the Crawford game, the cube, Jacoby and beavers.

use super::Console;
use super::table::CUBE_MAX;
use super::words::Words;
use gammond_game::MatchScore;

/// Most beavers of an exchange: the cube ends at the twelfth double.
const BEAVERS_MAX: i64 = 12;
/// Most points of a session.
const POINTS_MAX: u32 = 32767;

impl Console {
    pub(super) fn set_score(&mut self, words: &mut Words<'_>) {
        let length = i64::from(self.table.score.length());
        // A negative number is the number of points missing to the match.
        let mut read = || {
            let number = words.number()?;
            let points = if number < 0 && length > 0 {
                number + length
            } else {
                number
            };
            u32::try_from(points)
                .ok()
                .filter(|points| *points <= POINTS_MAX)
        };
        let (Some(top), Some(bottom)) = (read(), read()) else {
            self.say("You must specify two valid scores.");
            return;
        };
        let points = [top, bottom];
        // A score of zero cannot follow the Crawford game.
        let crawford = self.table.score.is_crawford() || points.contains(&0);
        let score = MatchScore::at(
            self.table.score.length(),
            points,
            Some(crawford && top != bottom),
        );
        if score.winner().is_some() {
            self.say("You cannot set a score where the match is already over.");
            return;
        }
        self.table.score = score;
        self.table.withdraw_offer();
        self.hint = None;
        self.record.set_up = true;
        self.record_score();
        self.say_score();
    }

    /// Records the score and the Crawford flag of the game on the board.
    fn record_score(&mut self) {
        if self.table.playing() {
            self.record.set_score(&self.table);
        }
    }

    /// Sets whether this is the Crawford game, in which no double can be offered.
    fn make_crawford(&mut self, crawford: bool) {
        let (length, points) = (self.table.score.length(), self.table.score.points());
        self.table.score = MatchScore::at(length, points, Some(crawford));
        if crawford {
            self.table.withdraw_double();
        }
        self.hint = None;
        self.record_score();
    }

    /// Returns true if a player of a match is one away, and reports missing conditions.
    fn one_away(&mut self, what: &str, which: &str) -> bool {
        if self.table.score.length() == 0 {
            self.say(&format!("Cannot set {what} play for money sessions."));
            return false;
        }
        let one_away = self.table.score.needs_one().contains(&true);
        if !one_away {
            self.say(&format!(
                "Cannot set whether this is {which}\nas none of the players are 1-away from winning."
            ));
        }
        one_away
    }

    pub(super) fn set_crawford(&mut self, words: &mut Words<'_>) {
        if !self.one_away("Crawford", "the Crawford game") {
            return;
        }
        if let Some(on) = self.on_or_off("crawford", words) {
            self.make_crawford(on);
            self.say(match on {
                true => "This game is the Crawford game (no doubling allowed).",
                false => "This game is not the Crawford game.",
            });
        }
    }

    pub(super) fn set_post_crawford(&mut self, words: &mut Words<'_>) {
        if !self.one_away("post-Crawford", "post-Crawford play") {
            return;
        }
        if let Some(on) = self.on_or_off("postcrawford", words) {
            self.make_crawford(!on);
            self.say(match on {
                true => "This is post-Crawford play (doubling allowed).",
                false => "This is not post-Crawford play.",
            });
        }
    }

    pub(super) fn set_cube(&mut self, key: &str, words: &mut Words<'_>) {
        if key == "use" {
            if let Some(on) = self.on_or_off("cube use", words) {
                self.table.cube_use = on;
                self.hint = None;
                if on {
                    self.say("Use of the doubling cube is permitted.");
                    return;
                }
                self.say("Use of the doubling cube is disabled.");
                (self.table.cube, self.table.owner) = (1, None);
                self.table.withdraw_double();
                if self.table.jacoby && self.table.score.length() == 0 {
                    self.say(
                        "Note that you'll have to disable the Jacoby rule if you want gammons and\n\
                         backgammons to be scored (see `help set jacoby').",
                    );
                }
            }
            return;
        }
        if !self.table.playing() {
            self.say("There must be a game in progress to set the cube.");
            return;
        }
        if !self.table.cube_use {
            self.say("The cube is disabled (see `help set cube use').");
            return;
        }
        if self.table.score.is_crawford() {
            self.say("The cube is disabled during the Crawford game.");
            return;
        }
        match key {
            "value" => {
                let value = words.number().and_then(|value| u32::try_from(value).ok());
                let legal = value.filter(|value| value.is_power_of_two() && *value <= CUBE_MAX);
                let Some(value) = legal else {
                    self.say("You must specify a legal cube value (see `help set cube value').");
                    return;
                };
                self.table.cube = value;
                self.say(&format!("The cube has been set to {value}."));
            }
            "owner" => {
                let Some(seat) = words.next().and_then(|word| self.seat(word)) else {
                    self.say(
                        "You must specify which player owns the cube (see `help set cube owner').",
                    );
                    return;
                };
                self.table.owner = Some(seat);
                let name = seat.of(&self.names);
                self.say(&format!("{name} now owns the cube."));
            }
            _ => {
                self.table.owner = None;
                self.say("The cube has been centred.");
            }
        }
        self.table.withdraw_offer();
        self.hint = None;
        self.record.set_up = true;
    }

    pub(super) fn set_jacoby(&mut self, words: &mut Words<'_>) {
        if let Some(on) = self.on_or_off("jacoby", words) {
            self.jacoby = on;
            // The original takes the rule away from the game on the board, but does not bring it back.
            if !(on && self.options.strict && self.table.playing()) {
                self.table.jacoby = on;
            }
            self.hint = None;
            self.say(match on {
                true => "Will use the Jacoby rule for money sessions.",
                false => "Will not use the Jacoby rule for money sessions.",
            });
        }
    }

    pub(super) fn set_beavers(&mut self, words: &mut Words<'_>) {
        let Some(count) = words
            .number()
            .filter(|count| (0..=BEAVERS_MAX).contains(count))
        else {
            self.say("You must specify the number of beavers to allow.");
            return;
        };
        self.beavers = u32::try_from(count).unwrap_or(0);
        self.hint = None;
        self.say(&match count {
            0 => "No beavers allowed in money sessions.".to_owned(),
            1 => "1 beaver allowed in money sessions.".to_owned(),
            _ => format!("{count} beavers/raccoons allowed in money sessions."),
        });
    }
}
