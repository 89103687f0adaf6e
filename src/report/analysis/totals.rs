//! Statistics of a player: sums over decisions, and the figures that programs derive from them.

use super::judge::{Judgement, missed_beaver};
use super::replay::{Action, Decision};

/// A decision not to double with less than this between doubling and not is close.
pub(super) const CLOSE: f64 = 0.16;
/// Luck from which a roll is lucky and very lucky.
pub(super) const LUCK_MARKS: [f64; 2] = [0.30, 0.60];

/// A sum of losses or luck: as equity, and as match winning chances (money: points).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sum {
    /// Number of decisions in the sum.
    pub count: u32,
    /// Equities, normalised to a cube of 1.
    pub emg: f64,
    /// Match winning chances; in money play points.
    pub cost: f64,
}

impl Sum {
    fn add(&mut self, emg: f64, cost: f64) {
        self.count += 1;
        self.emg += emg;
        self.cost += cost;
    }

    fn merge(&mut self, other: &Sum) {
        self.count += other.count;
        self.emg += other.emg;
        self.cost += other.cost;
    }

    /// Returns the mean equity of `count` decisions.
    fn rate(&self, count: u32) -> Option<f64> {
        (count > 0).then(|| self.emg / f64::from(count))
    }
}

/// The statistics of one player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// All plays, with their losses.
    pub plays: Sum,
    /// Number of plays with a choice.
    pub unforced: u32,
    /// Plays that are doubtful, bad, very bad.
    pub play_marks: [u32; 3],
    /// Rolls with their luck.
    pub luck: Sum,
    /// Very lucky, lucky, unlucky, very unlucky rolls.
    pub luck_marks: [u32; 4],
    /// All cube decisions, with their losses.
    pub cube: Sum,
    /// Number of doubles, takes, passes, and decisions not to double that are close or wrong.
    pub close: u32,
    /// Cube decisions that are doubtful, bad, very bad.
    pub cube_marks: [u32; 3],
    /// Doubles, takes, passes.
    pub doubles: u32,
    /// Takes.
    pub takes: u32,
    /// Passes.
    pub passes: u32,
    /// Doubles missed that would be taken, or passed.
    pub missed: [Sum; 2],
    /// Doubles that came too early, or too late: playing on for a gammon was better.
    pub wrong_doubles: [Sum; 2],
    /// Takes that should have been passes.
    pub wrong_takes: Sum,
    /// Passes that should have been takes.
    pub wrong_passes: Sum,
    /// Takes and passes that should have been beavers, with their loss beyond the better of both.
    pub missed_beavers: Sum,
    /// Wrong beavers and raccoons, and wrong answers to them.
    pub wrong_beavers: Sum,
    /// Decisions that commercial programs count: those where the choice matters.
    pub counted: u32,
    /// Resignations that came too early.
    pub resignations: Sum,
}

/// Returns 0, 1 or 2 for a doubtful, bad or very bad loss, from these losses on.
#[must_use]
pub fn mark(loss: f64, marks: &[f64; 3]) -> Option<usize> {
    marks.iter().rposition(|&from| loss >= from)
}

/// The words for [`mark`].
pub const MARK_NAMES: [&str; 3] = ["doubtful", "bad", "very bad"];

/// Returns true if a decision not to double was close, or lost this much equity: GNU Backgammon counts missed doubles
/// as well.
#[must_use]
pub fn is_close(no_double: f64, double_take: f64, loss: f64) -> bool {
    loss > 0.0 || (no_double - double_take.min(1.0)).abs() < CLOSE
}

impl Totals {
    /// Counts the marks of one decision, by losses from which on it has them.
    pub(super) fn book_marks(
        &mut self,
        decision: &Decision,
        judgement: &Judgement,
        marks: &[f64; 3],
    ) {
        let (play, cube) = match decision.action {
            Action::Play { .. } => (judgement.loss, judgement.cube_loss),
            Action::Double
            | Action::Take
            | Action::Drop
            | Action::Beaver { .. }
            | Action::BeaverAnswer { .. } => (None, judgement.loss),
            _ => (None, None),
        };
        for (loss, counts) in [(play, &mut self.play_marks), (cube, &mut self.cube_marks)] {
            let mark = loss.and_then(|loss| mark(loss, marks));
            if let Some(count) = mark.and_then(|mark| counts.get_mut(mark)) {
                *count += 1;
            }
        }
    }

    /// Adds one decision of the player at this cube; its marks are added separately.
    pub(super) fn book(&mut self, decision: &Decision, judgement: &Judgement) {
        let value = f64::from(decision.state.cube.value());
        let cost = |emg: f64, mwc: Option<f64>| mwc.unwrap_or(emg * value);
        match decision.action {
            Action::Play { .. } => {
                self.book_no_double(judgement, cost);
                let loss = judgement.loss.unwrap_or(0.0);
                self.plays.add(loss, cost(loss, judgement.loss_mwc));
                self.unforced += u32::from(judgement.loss.is_some());
                self.counted += u32::from(
                    judgement
                        .plays
                        .as_ref()
                        .is_some_and(|plays| plays.spread > 1e-4),
                );
                self.book_luck(judgement, cost);
            }
            Action::Unknown { .. } => self.book_luck(judgement, cost),
            Action::Double | Action::Take | Action::Drop => {
                self.book_cube(decision, judgement, cost)
            }
            Action::Open => {}
            Action::Beaver { .. } | Action::BeaverAnswer { .. } => {
                self.book_beaver(decision, judgement, cost)
            }
            Action::Resign { .. } => {
                let loss = judgement.loss.unwrap_or(0.0);
                self.resignations.add(loss, cost(loss, judgement.loss_mwc));
            }
        }
    }

    fn book_luck(&mut self, judgement: &Judgement, cost: impl Fn(f64, Option<f64>) -> f64) {
        let Some(luck) = judgement.luck else { return };
        self.luck.add(luck, cost(luck, judgement.luck_mwc));
        let [lucky, very] = LUCK_MARKS;
        let [best, good, bad, worst] = &mut self.luck_marks;
        *best += u32::from(luck >= very);
        *good += u32::from(luck >= lucky && luck < very);
        *bad += u32::from(luck <= -lucky && luck > -very);
        *worst += u32::from(luck <= -very);
    }

    fn book_no_double(&mut self, judgement: &Judgement, cost: impl Fn(f64, Option<f64>) -> f64) {
        let (Some(cube), Some(loss)) = (&judgement.cube, judgement.cube_loss) else {
            return;
        };
        let cost = cost(loss, judgement.cube_mwc);
        let (none, take) = (cube.no_double.equity, cube.double_take.equity);
        self.cube.add(loss, cost);
        self.close += u32::from(is_close(none, take, loss));
        self.counted += u32::from(!is_trivial(none, take));
        if loss > 0.0 {
            let [below, above] = &mut self.missed;
            if take <= 1.0 { below } else { above }.add(loss, cost);
        }
    }

    /// Takes the loss of a double that was missed out of the sums again.
    pub fn forgive_missed_double(&mut self, decision: &Decision, judgement: &Judgement) {
        let (Some(cube), Some(loss)) = (&judgement.cube, judgement.cube_loss) else {
            return;
        };
        if loss > 0.0 {
            let value = f64::from(decision.state.cube.value());
            let cost = judgement.cube_mwc.unwrap_or(loss * value);
            let [below, above] = &mut self.missed;
            let missed = if cube.double_take.equity <= 1.0 {
                below
            } else {
                above
            };
            missed.count = missed.count.saturating_sub(1);
            for sum in [missed, &mut self.cube] {
                sum.emg -= loss;
                sum.cost -= cost;
            }
        }
    }

    /// Adds a beaver, a raccoon or the answer to one. GNU Backgammon counts the answer and analyses none of them, so
    /// that losses and rates of the cube are without them.
    fn book_beaver(
        &mut self,
        decision: &Decision,
        judgement: &Judgement,
        cost: impl Fn(f64, Option<f64>) -> f64,
    ) {
        if let Action::BeaverAnswer { taken, .. } = decision.action {
            self.cube.count += 1;
            self.takes += u32::from(taken);
            self.passes += u32::from(!taken);
        }
        self.counted += 1;
        if let Some(loss) = judgement.loss.filter(|&loss| loss > 0.0) {
            self.wrong_beavers.add(loss, cost(loss, judgement.loss_mwc));
        }
    }

    fn book_cube(
        &mut self,
        decision: &Decision,
        judgement: &Judgement,
        cost: impl Fn(f64, Option<f64>) -> f64,
    ) {
        let all = judgement.loss.unwrap_or(0.0);
        let missed = missed_beaver(decision, judgement);
        if missed > 0.0 {
            self.missed_beavers.add(missed, cost(missed, None));
        }
        let loss = (all - missed).max(0.0);
        let cost = cost(loss, judgement.loss_mwc);
        self.cube.add(loss, cost);
        self.close += 1;
        self.counted += 1;
        let wrong = loss > 0.0;
        match decision.action {
            Action::Take => {
                self.takes += 1;
                if wrong {
                    self.wrong_takes.add(loss, cost);
                }
            }
            Action::Drop => {
                self.passes += 1;
                if wrong {
                    self.wrong_passes.add(loss, cost);
                }
            }
            _ => {
                self.doubles += 1;
                let none = judgement
                    .cube
                    .as_ref()
                    .map_or(0.0, |cube| cube.no_double.equity);
                if wrong {
                    let [early, late] = &mut self.wrong_doubles;
                    if none < 1.0 { early } else { late }.add(loss, cost);
                }
            }
        }
    }

    /// Adds the statistics of another game.
    pub fn add(&mut self, other: &Totals) {
        self.plays.merge(&other.plays);
        self.luck.merge(&other.luck);
        self.cube.merge(&other.cube);
        self.wrong_takes.merge(&other.wrong_takes);
        self.wrong_passes.merge(&other.wrong_passes);
        self.missed_beavers.merge(&other.missed_beavers);
        self.wrong_beavers.merge(&other.wrong_beavers);
        self.resignations.merge(&other.resignations);
        for (mine, theirs) in self.missed.iter_mut().zip(&other.missed) {
            mine.merge(theirs);
        }
        for (mine, theirs) in self.wrong_doubles.iter_mut().zip(&other.wrong_doubles) {
            mine.merge(theirs);
        }
        self.unforced += other.unforced;
        self.close += other.close;
        self.doubles += other.doubles;
        self.takes += other.takes;
        self.passes += other.passes;
        self.counted += other.counted;
        for (mine, theirs) in self.play_marks.iter_mut().zip(other.play_marks) {
            *mine += theirs;
        }
        for (mine, theirs) in self.cube_marks.iter_mut().zip(other.cube_marks) {
            *mine += theirs;
        }
        for (mine, theirs) in self.luck_marks.iter_mut().zip(other.luck_marks) {
            *mine += theirs;
        }
    }

    /// Returns the number of decisions with a choice: plays, and cube decisions that are close, wrong or were made.
    #[must_use]
    pub const fn decisions(&self) -> u32 {
        self.unforced + self.close
    }

    /// Returns all that plays and cube decisions lost.
    #[must_use]
    pub const fn loss(&self) -> [f64; 2] {
        [
            self.plays.emg + self.cube.emg,
            self.plays.cost + self.cube.cost,
        ]
    }

    /// Returns the equity lost by each play with a choice.
    #[must_use]
    pub fn play_rate(&self) -> Option<f64> {
        self.plays.rate(self.unforced)
    }

    /// Returns the equity lost by each cube decision that was close, wrong or made.
    #[must_use]
    pub fn cube_rate(&self) -> Option<f64> {
        self.cube.rate(self.close)
    }

    /// Returns the equity lost by each decision: GNU Backgammon's error rate is a thousand times this.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        let [emg, _] = self.loss();
        (self.decisions() > 0).then(|| emg / f64::from(self.decisions()))
    }

    /// Returns the equity lost by each turn of both players: Snowie's error rate is a thousand times this.
    #[must_use]
    pub fn snowie_rate(&self, other: &Totals) -> Option<f64> {
        let turns = self.plays.count + other.plays.count;
        let [emg, _] = self.loss();
        (turns > 0).then(|| emg / f64::from(turns))
    }

    /// Returns the commercial programs' performance rating: 500 times what each decision that matters lost, beavers among
    /// them.
    #[must_use]
    pub fn performance(&self) -> Option<f64> {
        let [emg, _] = self.loss();
        let emg = emg + self.missed_beavers.emg + self.wrong_beavers.emg;
        (self.counted > 0).then(|| 500.0 * emg / f64::from(self.counted))
    }

    /// Returns the luck of each roll.
    #[must_use]
    pub fn luck_rate(&self) -> Option<f64> {
        self.luck.rate(self.luck.count)
    }

    /// Returns the rating points that GNU Backgammon subtracts from 2050 for the plays and for the cube, in a match
    /// to `length` points. `None` in money play, or if no play had a choice.
    #[must_use]
    pub fn rating_loss(&self, length: u32) -> Option<[f64; 2]> {
        if length == 0 || self.unforced == 0 {
            return None;
        }
        let points = f64::from(length);
        let plays = self.play_rate().unwrap_or(0.0) * (8798.0 + 25526.0 / points);
        let cube = self.cube_rate().unwrap_or(0.0) * (863.0 - 519.0 / points);
        Some([plays, cube])
    }
}

/// Returns true for a trivial cube decision.
fn is_trivial(none: f64, take: f64) -> bool {
    (none - take.min(1.0)).abs() < 0.001
        || none - take > 0.2
        || none - 1.0 > 0.2
        || (none < -0.9 && take < -0.9)
}

/// Returns the word for an error rate.
#[must_use]
pub fn rating_word(rate: Option<f64>) -> &'static str {
    const WORDS: [(f64, &str); 7] = [
        (0.002, "Supernatural"),
        (0.005, "World class"),
        (0.008, "Expert"),
        (0.012, "Advanced"),
        (0.018, "Intermediate"),
        (0.026, "Casual player"),
        (0.035, "Beginner"),
    ];
    let Some(rate) = rate else { return "n/a" };
    let found = WORDS.iter().find(|(below, _)| rate < *below);
    found.map_or("Awful!", |(_, word)| word)
}

/// Returns the word for the luck of each roll.
#[must_use]
pub fn luck_word(rate: Option<f64>) -> &'static str {
    match rate {
        None => "n/a",
        Some(rate) if rate > 0.06 => "Go to Las Vegas",
        Some(rate) if rate > 0.03 => "Good dice, man!",
        Some(rate) if rate >= -0.03 => "None",
        Some(rate) if rate >= -0.06 => "Bad dice, man!",
        Some(_) => "Go to bed",
    }
}

/// Returns the difference of FIBS ratings at which a player wins a match to `length` points with this chance. `None` in
/// money play, or if the chance is not between 0 and 1.
#[must_use]
pub fn fibs_difference(chance: f64, length: u32) -> Option<f64> {
    // A sum of chances that is 1 may come out a little below.
    const ROUNDING: f64 = 1e-9;
    let open = length > 0 && chance > ROUNDING && chance < 1.0 - ROUNDING;
    open.then(|| 2000.0 / f64::from(length).sqrt() * (chance / (1.0 - chance)).log10())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::MARKS;
    use gammond_game::notation::MatPlayer;
    use gammond_game::{MatchState, Position};

    /// ANA-07, ANA-14.
    #[test]
    fn words_and_marks_have_gnubgs_limits() {
        assert_eq!(rating_word(Some(0.0119)), "Advanced");
        assert_eq!(rating_word(Some(0.012)), "Intermediate");
        assert_eq!(rating_word(Some(0.5)), "Awful!");
        assert_eq!(rating_word(None), "n/a");
        assert_eq!(
            [0.0299, 0.03, 0.0599, 0.06, 0.12].map(|loss| mark(loss, &MARKS)),
            [None, Some(0), Some(0), Some(1), Some(2)]
        );
        assert_eq!(
            [-0.07, -0.05, -0.031, -0.03].map(|rate| luck_word(Some(rate))),
            ["Go to bed", "Bad dice, man!", "Bad dice, man!", "None"]
        );
    }

    /// ANA-10: a missed double counts, however far it is from close.
    #[test]
    fn missed_double_is_close() {
        assert!(is_close(0.5, 0.64, 0.14) && is_close(0.64, 0.5, 0.0));
        assert!(is_close(0.2, 0.9, 0.7) && !is_close(0.9, 0.2, 0.0));
    }

    /// ANA-03: an answer to a beaver is a cube decision that is not in gnubg's rates, but in the commercial programs'.
    #[test]
    fn beaver_answer_counts_for_one_rate() {
        let decision = Decision {
            player: MatPlayer::First,
            position: Position::start(),
            state: MatchState::default(),
            action: Action::BeaverAnswer {
                taken: true,
                turns: 2,
            },
            number: 0,
            turn: 1,
        };
        let mut totals = Totals::default();
        let judgement = Judgement {
            loss: Some(0.25),
            ..Judgement::default()
        };
        totals.book(&decision, &judgement);
        assert_eq!((totals.cube.count, totals.close, totals.takes), (1, 0, 1));
        assert_eq!((totals.rate(), totals.performance()), (None, Some(125.0)));
    }

    /// ANA-11, ANA-12, ANA-13, ANA-15: the worked example of the published definitions, a match to 7 points.
    #[test]
    fn the_rating_of_a_known_game() {
        let totals = Totals {
            plays: Sum {
                count: 5,
                emg: 0.147_817,
                cost: 0.0,
            },
            unforced: 4,
            close: 1,
            counted: 5,
            ..Totals::default()
        };
        let [plays, cube] = totals.rating_loss(7).unwrap();
        assert!((plays - 459.9).abs() < 0.1 && cube == 0.0);
        assert_eq!(rating_word(totals.play_rate()), "Awful!");
        assert!((totals.rate().unwrap() - 0.029_56).abs() < 1e-5);
        assert_eq!(rating_word(totals.rate()), "Beginner");
        assert!((totals.performance().unwrap() - 14.78).abs() < 0.01);
        let other = Totals {
            plays: Sum {
                count: 4,
                ..Sum::default()
            },
            ..Totals::default()
        };
        let snowie = totals.snowie_rate(&other).unwrap();
        assert!((snowie - 0.016_42).abs() < 1e-5);
        assert!((fibs_difference(0.4906, 7).unwrap() + 12.3).abs() < 0.1);
    }
}
