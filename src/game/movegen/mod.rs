//! The fast generator of legal plays: each resulting position exactly once, with or without steps.
//!
//! It gives the same plays as [`reference_plays`](super::reference_plays), in the same order, without visiting a
//! position twice. Sources of a die are a bit mask, a step is one subtraction from a packed side, and duplicates are
//! known beforehand instead of being searched for:
//!
//! - *Doubles*: sources never ascend along a sequence, and two different sets of sources never
//!   give the same side (the highest differing source is not refilled), so nothing is found twice.
//! - *Two dice, nothing borne off*: write `(s, t)` for the sources of the first and second die.
//!   Two pairs give the same side only if one checker makes both steps: `(a, a - first)` and
//!   `(a - second, a)`. They differ then only by what was hit on the way. So the second order of
//!   the dice adds just the plays of one checker over a point that was not ours before.
//! - *Two dice with bearing off*: few plays; every new one is compared with those before.

mod board;
mod sink;

use super::{BAR, LegalPlay, Play, Position, Roll};
use board::{State, descending};
use sink::Sink;

/// The most plays that any roll can have, by GNU Backgammon's bound.
pub const PLAYS_MAX: usize = 3060;

/// Fills `out` with the positions after the legal plays of `roll`, **with the opponent on roll**
/// (already turned round), each once, in the order of [`legal_plays`].
///
/// `out` is emptied first and stays empty when no checker can move. Nothing is allocated once
/// `out` has grown to the largest number of plays met.
#[inline]
pub fn generate_plays(position: &Position, roll: Roll, out: &mut Vec<Position>) {
    PlayGenerator::new(position).plays(roll, out);
}

/// Returns all legal plays of `roll`, one for each position that can result, in GNU Backgammon's order and with the
/// steps that it would show.
///
/// Empty when no checker can move.
#[must_use]
pub fn legal_plays(position: &Position, roll: Roll) -> Vec<LegalPlay> {
    let mut plays = Vec::new();
    PlayGenerator::new(position).plays_with_steps(roll, &mut plays);
    plays
}

/// Returns the play of `roll` that leads from `position` to `after` (with the opponent on roll, as in [`LegalPlay`]);
/// the pass when there is no legal play and `after` is the same board turned round. `None` when no legal play leads
/// there.
#[must_use]
pub fn find_play(position: &Position, roll: Roll, after: &Position) -> Option<Play> {
    let plays = legal_plays(position, roll);
    if plays.is_empty() && *after == position.swapped() {
        return Some(Play::PASS);
    }
    let found = plays.iter().find(|play| play.after == *after)?;
    Some(found.play)
}

/// A position prepared for generating plays; worth keeping for several rolls.
#[derive(Clone, Copy, Debug)]
pub struct PlayGenerator {
    start: State<()>,
    /// Points where the player on roll may land, by its index: those with fewer than two opposing checkers.
    free: u32,
    /// Points where exactly one of my checkers stands.
    single: u32,
    /// Number of my checkers outside the home board.
    outside: u32,
}

impl PlayGenerator {
    /// Prepares the position once for all rolls.
    #[inline]
    #[must_use]
    pub fn new(position: &Position) -> PlayGenerator {
        let (me, opponent) = (position.me(), position.opponent());
        let (occupied, made) = (me.occupied(), opponent.made());
        PlayGenerator {
            start: State {
                me: me.packed(),
                opponent: opponent.packed(),
                occupied,
                blots: mirrored(opponent.occupied() & !made),
                history: (),
            },
            free: mirrored(!made),
            single: occupied & !me.made(),
            outside: me.outside(),
        }
    }

    /// Fills `out` with the positions after the legal plays; see [`generate_plays`].
    pub fn plays(&self, roll: Roll, out: &mut Vec<Position>) {
        out.clear();
        self.generate(roll, out);
    }

    /// Fills `out` with the legal plays and their steps; the same positions in the same order.
    pub fn plays_with_steps(&self, roll: Roll, out: &mut Vec<LegalPlay>) {
        out.clear();
        self.generate(roll, out);
    }

    #[inline(always)]
    fn generate<S: Sink>(&self, roll: Roll, out: &mut S) {
        let [first, second] = roll.dice().map(usize::from);
        if first == second {
            self.doubles(first, out);
        } else if self.outside < 2 {
            self.two_dice_home(first, second, out);
        } else if self.start.occupied >> BAR != 0 {
            self.two_dice_bar(first, second, out);
        } else {
            self.two_dice(first, second, out);
        }
    }

    #[inline(always)]
    fn start<S: Sink>(&self) -> State<S::MoveHistory> {
        State {
            me: self.start.me,
            opponent: self.start.opponent,
            occupied: self.start.occupied,
            blots: self.start.blots,
            history: S::MoveHistory::default(),
        }
    }

    /// Generates the plays of two different dice when nothing can be borne off and the bar is empty.
    fn two_dice<S: Sink>(&self, first: usize, second: usize, out: &mut S) {
        let start = self.start::<S>();
        let State {
            occupied, blots, ..
        } = start;
        let by_first = occupied & self.free << first;
        let by_second = occupied & self.free << second;
        let unhit_first = by_first & !(blots << first);
        for from in descending(by_first) {
            let after = start.stepped(from, first, self.single >> from & 1 != 0);
            // One checker over `from`, which is ours: the first order had it over the other point.
            let again = 1 << (from + second) & unhit_first;
            let sources = after.occupied & self.free << second & !again;
            after.finish(sources, second, out);
        }
        let known = unhit_first & !(blots << second);
        let over = by_second & !(occupied << second) & self.free << (first + second) & !known;
        for from in descending(over) {
            let halfway = start.stepped(from, second, true);
            halfway.finish(1 << (from - second), first, out);
        }
        if !out.has_any() {
            self.one_die(by_first, by_second, first, second, out);
        }
    }

    /// Generates the plays of two different dice with checkers on the bar, when nothing can be borne off.
    fn two_dice_bar<S: Sink>(&self, first: usize, second: usize, out: &mut S) {
        let start = self.start::<S>();
        let by_first = 1 << BAR & self.free << first;
        let by_second = 1 << BAR & self.free << second;
        let lone = self.single >> BAR & 1 != 0;
        if by_first != 0 {
            let after = start.stepped(BAR, first, lone);
            after.finish(after.sources(self.free, second, false), second, out);
        }
        // With two on the bar both orders enter both: once is enough.
        if by_second != 0 && (lone || by_first == 0) {
            let after = start.stepped(BAR, second, lone);
            let unhit = !(start.blots << first) & !(start.blots << second);
            let known = (by_first & unhit) >> second;
            let sources = after.sources(self.free, first, false) & !known;
            after.finish(sources, first, out);
        }
        if !out.has_any() {
            self.one_die(by_first, by_second, first, second, out);
        }
    }

    /// Plays two different dice when at most one checker is outside the home board.
    fn two_dice_home<S: Sink>(&self, first: usize, second: usize, out: &mut S) {
        let start = self.start::<S>();
        let by_first = start.sources(self.free, first, true);
        let by_second = start.sources(self.free, second, true);
        for from in descending(by_first) {
            let after = start.stepped(from, first, self.single >> from & 1 != 0);
            let sources = after.sources(self.free, second, true);
            after.finish_new(sources, second, out);
        }
        for from in descending(by_second) {
            let after = start.stepped(from, second, self.single >> from & 1 != 0);
            let sources = after.sources(self.free, first, true);
            after.finish_new(sources, first, out);
        }
        if !out.has_any() {
            self.one_die(by_first, by_second, first, second, out);
        }
    }

    /// Adds the plays of a single die, for rolls of which only one can be played: the larger one if possible.
    #[cold]
    fn one_die<S: Sink>(
        &self,
        by_first: u32,
        by_second: u32,
        first: usize,
        second: usize,
        out: &mut S,
    ) {
        if by_first != 0 && (first > second || by_second == 0) {
            self.start::<S>().finish(by_first, first, out);
        } else {
            self.start::<S>().finish(by_second, second, out);
        }
    }

    /// Plays four times the same die, or as often as possible.
    fn doubles<S: Sink>(&self, die: usize, out: &mut S) {
        let start = self.start::<S>();
        let mut double = Double {
            free: self.free,
            die,
            out,
        };
        // Four steps bring at most three checkers home before one is borne off.
        if self.outside > 3 {
            double.deepest::<false>(&start);
        } else {
            double.deepest::<true>(&start);
        }
    }
}

struct Double<'a, S> {
    free: u32,
    die: usize,
    out: &'a mut S,
}

impl<S: Sink> Double<'_, S> {
    /// Generates all sequences with as many steps as possible.
    #[inline(always)]
    fn deepest<const BEARING: bool>(&mut self, start: &State<S::MoveHistory>) {
        self.four::<BEARING>(start);
        if !self.out.has_any() {
            self.three::<BEARING>(start, ALL);
        }
        if !self.out.has_any() {
            self.two::<BEARING>(start, ALL);
        }
        if !self.out.has_any() {
            self.one::<BEARING>(start, ALL);
        }
    }

    fn four<const BEARING: bool>(&mut self, state: &State<S::MoveHistory>) {
        for from in descending(state.sources(self.free, self.die, BEARING)) {
            self.three::<BEARING>(&self.next(state, from), up_to(from));
        }
    }

    fn three<const BEARING: bool>(&mut self, state: &State<S::MoveHistory>, limit: u32) {
        for from in descending(state.sources(self.free, self.die, BEARING) & limit) {
            self.two::<BEARING>(&self.next(state, from), up_to(from));
        }
    }

    #[inline(always)]
    fn two<const BEARING: bool>(&mut self, state: &State<S::MoveHistory>, limit: u32) {
        for from in descending(state.sources(self.free, self.die, BEARING) & limit) {
            self.one::<BEARING>(&self.next(state, from), up_to(from));
        }
    }

    #[inline(always)]
    fn one<const BEARING: bool>(&mut self, state: &State<S::MoveHistory>, limit: u32) {
        let sources = state.sources(self.free, self.die, BEARING) & limit;
        state.finish(sources, self.die, self.out);
    }

    #[inline(always)]
    fn next(&self, state: &State<S::MoveHistory>, from: usize) -> State<S::MoveHistory> {
        state.stepped(from, self.die, state.count(from) == 1)
    }
}

/// No limit on the sources.
const ALL: u32 = (1 << 25) - 1;

/// Returns the places up to `from`.
#[inline(always)]
const fn up_to(from: usize) -> u32 {
    (2 << from) - 1
}

/// Returns one side's mask, bits 0..=23, by the other side's index.
#[inline(always)]
const fn mirrored(mask: u32) -> u32 {
    mask.reverse_bits() >> 8
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference_plays;

    #[test]
    fn agrees_with_the_reference_two_turns_deep() {
        let (mut out, mut with_steps, mut deeper) = (Vec::new(), Vec::new(), Vec::new());
        for roll in Roll::ALL {
            generate_plays(&Position::start(), roll, &mut out);
            for position in &out {
                let generator = PlayGenerator::new(position);
                for roll in Roll::ALL {
                    let slow = reference_plays(position, roll);
                    generator.plays_with_steps(roll, &mut with_steps);
                    assert_eq!(with_steps, slow, "{position:?} {roll}");
                    generator.plays(roll, &mut deeper);
                    let slow: Vec<Position> = slow.iter().map(|play| play.after).collect();
                    assert_eq!(deeper, slow, "{position:?} {roll}");
                }
            }
        }
    }

    #[test]
    fn opening_rolls_have_the_known_numbers_of_plays() {
        let start = Position::start();
        let total: usize = Roll::ALL
            .iter()
            .map(|&roll| legal_plays(&start, roll).len())
            .sum();
        assert_eq!(total, 447);
    }

    #[test]
    fn a_play_is_found_by_its_result() {
        let start = Position::start();
        let roll = Roll::of(6, 5);
        for play in legal_plays(&start, roll) {
            assert_eq!(find_play(&start, roll, &play.after), Some(play.play));
        }
        assert_eq!(find_play(&start, roll, &start), None);
        let mut me = [0; 25];
        me[BAR] = 1;
        let opponent: [u8; 25] = std::array::from_fn(|index| u8::from(index < 6) * 2);
        let dance = Position::new(&me, &opponent).unwrap();
        assert_eq!(find_play(&dance, roll, &dance.swapped()), Some(Play::PASS));
        assert_eq!(find_play(&dance, roll, &dance), None);
    }
}
