//! A position in whatever form somebody has it: tells the forms apart and reads them into one
//! value.
//!
//! Rules PT-01 to PT-07 of `protocol-specs/position-ids.md`.

use super::key::LETTERS;
use super::{
    BoardLine, Code, GnubgId, MatchId, MatchView, NotationError, Offer, PlayerNumber, PositionId,
    PositionKey, Reason, Xgid,
};
use crate::game::{MatchState, Position, Roll};

/// Which form a text has.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Form {
    /// 14 base-64 characters.
    PositionId,
    /// Position ID, colon, Match ID.
    GnubgId,
    /// The 20 letters of benchmark files.
    Key,
    /// `XGID=…`.
    Xgid,
    /// `board:…`.
    BoardLine,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 5] = [
        Form::PositionId,
        Form::GnubgId,
        Form::Key,
        Form::Xgid,
        Form::BoardLine,
    ];

    /// A short name: `position-id`, `gnubg-id`, `key`, `xgid`, `board`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Form::PositionId => "position-id",
            Form::GnubgId => "gnubg-id",
            Form::Key => "key",
            Form::Xgid => "xgid",
            Form::BoardLine => "board",
        }
    }

    /// The form with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }

    /// Writes a position in this form, the player on roll as player 1 and at the bottom. What a
    /// form cannot carry is left out.
    #[must_use]
    pub fn print(
        self,
        position: &Position,
        state: &MatchState,
        roll: Option<Roll>,
        offer: Option<Offer>,
    ) -> String {
        match self {
            Form::PositionId => PositionId::from(*position).to_string(),
            Form::Key => PositionKey::from(*position).to_string(),
            Form::GnubgId => GnubgId {
                position: PositionId::from(*position),
                match_id: MatchId::of(state, roll, offer, PlayerNumber::One),
            }
            .to_string(),
            Form::Xgid => Xgid::of(position, state, roll, offer).to_string(),
            Form::BoardLine => {
                let names = ["player", "opponent"];
                BoardLine::external(names, position, state, roll, offer).to_string()
            }
        }
    }
}

/// What a text says about a position; all is seen by the player on roll.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct ParsedPosition {
    /// The form it had.
    pub form: Form,
    /// The checkers.
    pub position: Position,
    /// Cube, score and rules, if the form carries them. An offered double is not taken yet.
    pub state: Option<MatchState>,
    /// The dice, if they are rolled.
    pub roll: Option<Roll>,
    /// What waits for an answer, if anything.
    pub offer: Option<Offer>,
    /// Whether the form says that no cube is in use (only an XGID can).
    pub no_cube: bool,
    /// The Match ID that it came with: it holds more than a state, such as which of the players is on roll.
    pub match_id: Option<MatchId>,
    /// The points of the player on roll and of the other of a match that is over (only a Match ID can say so). There
    /// is no state then.
    pub final_score: Option<[u16; 2]>,
}

impl ParsedPosition {
    /// The GNUbg ID of the position in this state. One that was read and says the same comes back as it was.
    #[must_use]
    pub fn gnubg_id(&self, state: &MatchState) -> GnubgId {
        if let (Some(match_id), Some(_)) = (self.match_id, self.final_score) {
            return GnubgId {
                position: PositionId::from(self.position),
                match_id,
            };
        }
        let view = self
            .match_id
            .and_then(|id| id.view().ok().map(|view| (id, view)));
        let on_roll = view.map_or(PlayerNumber::One, |(_, view)| view.on_roll);
        let new = MatchId::of(state, self.roll, self.offer, on_roll);
        let match_id = match view {
            Some((id, view)) if new == MatchId::of(&view.state, view.roll, view.offer, on_roll) => {
                id
            }
            _ => new,
        };
        GnubgId {
            position: PositionId::from(self.position),
            match_id,
        }
    }

    const fn bare(form: Form, position: Position) -> ParsedPosition {
        ParsedPosition {
            form,
            position,
            state: None,
            roll: None,
            offer: None,
            no_cube: false,
            match_id: None,
            final_score: None,
        }
    }

    /// Whether a double, beaver or raccoon waits for an answer.
    #[must_use]
    pub const fn is_doubled(&self) -> bool {
        matches!(
            self.offer,
            Some(Offer::Double | Offer::Beaver | Offer::Raccoon)
        )
    }
}

/// Reads a position in any form: Position ID, `Position ID:Match ID`, 20-letter key, XGID or
/// FIBS board line. Blanks around it are passed over.
///
/// # Errors
/// [`NotationError`] whose code names the form that was recognised; `bad-position` if none was.
pub fn parse_position(text: &[u8]) -> Result<ParsedPosition, NotationError> {
    let start = text.trim_ascii_start();
    let skipped = text.len() - start.len();
    recognise(start.trim_ascii_end()).map_err(|error| error.moved(skipped))
}

/// Splits a line at the end of the position it begins with: a FIBS board line has 52 fields and
/// may have blanks in its names; every other form ends at the first blank. Blanks before the
/// position are passed over. Nothing is checked.
#[must_use]
pub fn split_position(line: &[u8]) -> (&[u8], &[u8]) {
    let start = line.trim_ascii_start();
    let board = starts_with_word(start, b"board:").then(|| BoardLine::parse_prefix(start).ok());
    let end = match board.flatten() {
        Some((_, length)) => length,
        None => start
            .iter()
            .take_while(|byte| !byte.is_ascii_whitespace())
            .count(),
    };
    start.split_at_checked(end).unwrap_or((start, &[]))
}

fn recognise(text: &[u8]) -> Result<ParsedPosition, NotationError> {
    if text.is_empty() {
        let reason = Reason::Missing;
        return Err(NotationError::new(Code::BadPosition, "position", reason, 0));
    }
    if starts_with_word(text, b"board:") {
        return from_board_line(text);
    }
    if Xgid::is_meant(text) {
        return from_xgid(text);
    }
    if text.len() == LETTERS && text.iter().all(u8::is_ascii_alphabetic) {
        let key = PositionKey::parse(text)?;
        return Ok(ParsedPosition::bare(Form::Key, key.position()));
    }
    if is_pasted(text) {
        let (id, at) = GnubgId::find_with_place(text)?;
        return from_gnubg_id(id, at);
    }
    if text.contains(&b':') {
        let at = text.iter().take_while(|&&byte| byte != b':').count() + 1;
        return from_gnubg_id(GnubgId::parse(text)?, at);
    }
    let id = PositionId::parse(text)?;
    Ok(ParsedPosition::bare(Form::PositionId, id.position()))
}

/// Text from gnubg's screen.
fn is_pasted(text: &[u8]) -> bool {
    ["GNUbg ID", "Position ID", "Match ID"]
        .iter()
        .any(|start| starts_with_word(text, start.as_bytes()))
}

fn starts_with_word(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn from_xgid(text: &[u8]) -> Result<ParsedPosition, NotationError> {
    let view = Xgid::parse(text)?.view_in(text)?;
    Ok(ParsedPosition {
        state: Some(view.state),
        roll: view.roll,
        offer: view.offer,
        no_cube: view.no_cube,
        ..ParsedPosition::bare(Form::Xgid, view.position)
    })
}

fn from_board_line(text: &[u8]) -> Result<ParsedPosition, NotationError> {
    let line = BoardLine::parse(text)?;
    let view = line.view_in(line.guess_dialect(), text)?;
    Ok(ParsedPosition {
        state: Some(view.state),
        roll: view.roll,
        offer: view.offer,
        ..ParsedPosition::bare(Form::BoardLine, view.position)
    })
}

/// `at` is where the Match ID begins.
fn from_gnubg_id(id: GnubgId, at: usize) -> Result<ParsedPosition, NotationError> {
    let bare = ParsedPosition {
        match_id: Some(id.match_id),
        final_score: id.match_id.final_score(),
        ..ParsedPosition::bare(Form::GnubgId, id.position.position())
    };
    if bare.final_score.is_some() {
        return Ok(bare);
    }
    let view = id.match_id.view().map_err(|error| error.moved(at))?;
    let MatchView {
        state, roll, offer, ..
    } = view;
    Ok(ParsedPosition {
        state: Some(state),
        roll,
        offer,
        ..bare
    })
}
