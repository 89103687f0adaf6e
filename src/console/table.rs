//! The match as the original stores it: seats, turn, board, cube and score.
//!
//! Seat 0 is at the top and has the letter O; seat 1 is at the bottom and has the letter X.

use gammond_game::notation::{MatchFields, MatchId, PlayerNumber, PositionId};
use gammond_game::{
    ActRefusal, Cube, CubeOwner, MatchScore, MatchState, Outcome, Position, Roll, Rules, Variant,
};

/// The phase of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TablePhase {
    /// There is no game.
    None,
    Playing,
    /// Played to its end.
    Over,
    Resigned,
    /// A player passed.
    Dropped,
}

impl TablePhase {
    /// Returns the phase of a number in a Match ID.
    pub(super) const fn of_number(number: u16) -> TablePhase {
        match number {
            1 => TablePhase::Playing,
            2 => TablePhase::Over,
            3 => TablePhase::Resigned,
            4 => TablePhase::Dropped,
            _ => TablePhase::None,
        }
    }

    /// Returns the number of the phase in a Match ID.
    const fn number(self) -> u32 {
        match self {
            TablePhase::None => 0,
            TablePhase::Playing => 1,
            TablePhase::Over => 2,
            TablePhase::Resigned => 3,
            TablePhase::Dropped => 4,
        }
    }
}

/// A seat: 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seat {
    Top,
    Bottom,
}

impl Seat {
    pub(super) const BOTH: [Seat; 2] = [Seat::Top, Seat::Bottom];

    /// Returns the number by which commands name the seat.
    pub(super) const fn index(self) -> u8 {
        match self {
            Seat::Top => 0,
            Seat::Bottom => 1,
        }
    }

    pub(super) const fn other(self) -> Seat {
        match self {
            Seat::Top => Seat::Bottom,
            Seat::Bottom => Seat::Top,
        }
    }

    /// Returns this seat's part of a pair.
    pub(super) fn of<T>(self, [top, bottom]: &[T; 2]) -> &T {
        match self {
            Seat::Top => top,
            Seat::Bottom => bottom,
        }
    }

    /// Returns this seat's part of a pair, mutable.
    pub(super) fn of_mut<T>(self, [top, bottom]: &mut [T; 2]) -> &mut T {
        match self {
            Seat::Top => top,
            Seat::Bottom => bottom,
        }
    }

    pub(super) const fn number(self) -> PlayerNumber {
        match self {
            Seat::Top => PlayerNumber::Zero,
            Seat::Bottom => PlayerNumber::One,
        }
    }

    pub(super) const fn from_number(number: PlayerNumber) -> Seat {
        match number {
            PlayerNumber::Zero => Seat::Top,
            PlayerNumber::One => Seat::Bottom,
        }
    }
}

/// The match on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Table {
    /// The variant that is played.
    pub(super) variant: Variant,
    pub(super) phase: TablePhase,
    /// The score before the game on the board, or after the last one.
    pub(super) score: MatchScore,
    /// Games finished.
    pub(super) games: u32,
    /// True if the Jacoby rule applies in this session.
    pub(super) jacoby: bool,
    /// The Jacoby bit that a Match ID gave a match, where it means nothing.
    pub(super) idle_jacoby: bool,
    pub(super) cube: u32,
    pub(super) owner: Option<Seat>,
    /// `true` if the cube is in use.
    pub(super) cube_use: bool,
    /// Doubles of this exchange that answered another one.
    pub(super) beavers: u32,
    /// Seat of the player on roll.
    pub(super) on_roll: Seat,
    /// The seat that has to decide now.
    pub(super) decides: Seat,
    pub(super) dice: Option<[u8; 2]>,
    pub(super) doubled: bool,
    /// Number of games that an offered resignation concedes.
    pub(super) resigned: u8,
    /// The most games whose resignation was declined.
    pub(super) declined: u8,
    /// Seen by the one on roll.
    pub(super) position: Position,
}

impl Default for Table {
    fn default() -> Table {
        Table {
            variant: Variant::Backgammon,
            phase: TablePhase::None,
            score: MatchScore::new(0),
            games: 0,
            jacoby: true,
            idle_jacoby: false,
            cube: 1,
            owner: None,
            cube_use: true,
            beavers: 0,
            on_roll: Seat::Bottom,
            decides: Seat::Bottom,
            dice: None,
            doubled: false,
            resigned: 0,
            declined: 0,
            position: Position::start(),
        }
    }
}

/// The largest cube.
pub(super) const CUBE_MAX: u32 = 4096;
const _: () = assert!(Cube::MAX == 4096);
/// The longest match of the original.
pub(super) const LENGTH_MAX: u32 = 64;

impl Table {
    pub(super) fn playing(&self) -> bool {
        self.phase == TablePhase::Playing
    }

    /// Returns cube, score and rules as the player on roll sees them; `None` if no such state exists.
    pub(super) fn state(&self, beavers: bool) -> Option<MatchState> {
        let owner = match self.owner {
            None => CubeOwner::Centred,
            Some(owner) if owner == self.on_roll => CubeOwner::Me,
            Some(_) => CubeOwner::Opponent,
        };
        let money = self.score.length() == 0;
        Some(MatchState {
            cube: Cube::new(self.cube, owner).ok()?,
            score: self.score.score(self.on_roll.index().into()).ok()?,
            rules: Rules {
                jacoby: money && self.jacoby,
                beavers: money && beavers,
            },
            variant: self.variant,
        })
    }

    /// Returns whether the Crawford rule applies: exactly one player is one point away. `None` for money.
    pub(super) fn crawford_flag(&self) -> Option<bool> {
        let score = self.score.score(0);
        let crawford = score.is_ok_and(|score| score.is_crawford());
        (self.score.length() > 0).then_some(crawford)
    }

    pub(super) fn roll(&self) -> Option<Roll> {
        let [first, second] = self.dice?;
        Roll::new(first, second).ok()
    }

    /// Returns the reason why the player on roll may not double.
    pub(super) fn double_refusal(&self) -> Option<ActRefusal> {
        // The original has a Crawford game where both players need one point, too.
        if self.score.is_crawford() {
            return Some(ActRefusal::CrawfordGame);
        }
        if !self.cube_use {
            return Some(ActRefusal::NoCube);
        }
        // A match that is won makes every cube a dead one.
        let state = self.state(false);
        state.map_or(Some(ActRefusal::DeadCube), |state| state.double_refusal())
    }

    /// Returns how often the cube counts in a game of this outcome. In the original a cube that is not in use
    /// leaves the Jacoby rule without effect.
    pub(super) fn games(&self, outcome: Outcome) -> u32 {
        let state = self.state(false).filter(|_| self.cube_use);
        let points = state.map(|state| state.points(outcome.margin) / state.cube.value());
        points.unwrap_or(outcome.points().unsigned_abs())
    }

    pub(super) fn match_id(&self) -> MatchId {
        let fields = MatchFields {
            cube_log: self.cube.max(1).trailing_zeros(),
            owner: self.owner.map(Seat::number),
            on_roll: self.on_roll.number(),
            crawford: self.score.is_crawford(),
            game_state: self.phase.number(),
            decides: self.decides.number(),
            doubled: self.doubled,
            resignation: self.resigned.into(),
            dice: self.dice.unwrap_or_default(),
            length: self.score.length(),
            scores: self.score.points(),
            jacoby: match self.score.length() {
                0 => self.jacoby,
                _ => self.idle_jacoby,
            },
        };
        fields.id()
    }

    pub(super) fn position_id(&self) -> PositionId {
        self.position.into()
    }

    /// Swaps the seats; the position stays that of the player on roll.
    pub(super) fn swap(&mut self) {
        self.score = self.score.swapped();
        self.owner = self.owner.map(Seat::other);
        self.on_roll = self.on_roll.other();
        self.decides = self.decides.other();
    }

    /// Takes back a double or a resignation that was not answered: the player on roll decides again.
    pub(super) fn withdraw_offer(&mut self) {
        (self.doubled, self.beavers, self.resigned) = (false, 0, 0);
        self.decides = self.on_roll;
    }

    /// Takes back a double that was not answered.
    pub(super) fn withdraw_double(&mut self) {
        if self.doubled {
            self.withdraw_offer();
        }
    }

    /// Passes the turn to the other seat, with the position after the play.
    pub(super) fn pass_on(&mut self, after: Position) {
        self.position = after;
        (self.dice, self.declined) = (None, 0);
        self.on_roll = self.on_roll.other();
        self.decides = self.on_roll;
    }

    /// Starts a game at the current score.
    pub(super) fn begin(&mut self) {
        *self = Table {
            phase: TablePhase::Playing,
            score: self.score,
            games: self.games,
            jacoby: self.jacoby,
            cube_use: self.cube_use,
            variant: self.variant,
            position: self.variant.start(),
            ..Table::default()
        };
    }

    /// Ends the game: a seat wins this many points.
    pub(super) fn finish(
        &mut self,
        phase: TablePhase,
        winner: Seat,
        points: u32,
        crawford_rule: bool,
    ) {
        self.phase = phase;
        self.games += 1;
        self.score = self.score.with_crawford_rule(crawford_rule);
        self.score.add(winner.index().into(), points);
    }

    /// Returns the seat that has won the match.
    pub(super) fn match_winner(&self) -> Option<Seat> {
        let winner = self.score.winner()?;
        Seat::BOTH.get(winner).copied()
    }

    /// Formats the score, without a line end.
    pub(super) fn score_line(&self, [top, bottom]: &[String; 2]) -> String {
        let score = &self.score;
        let flags = (score.is_crawford(), score.is_post_crawford());
        let kind = match (score.length(), flags) {
            (0, ..) if self.jacoby => "money session, with Jacoby rule".to_owned(),
            (0, ..) => "money session, without Jacoby rule".to_owned(),
            (length, flags) => {
                let rule = match flags {
                    (true, _) => ", Crawford game",
                    (_, true) => ", post-Crawford play",
                    _ => "",
                };
                format!("match to {}{rule}", points(length))
            }
        };
        let [above, below] = score.points();
        let dot = if score.length() == 0 { "." } else { "" };
        format!(
            "The score (after {}) is: {top} {above}, {bottom} {below} ({kind}){dot}",
            counted(self.games, "game")
        )
    }
}

/// Formats a number of points: `1 point`, `2 points`.
pub(super) fn points(count: u32) -> String {
    counted(count, "point")
}

/// Formats a count with its noun.
pub(super) fn counted(count: u32, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {word}{plural}")
}
