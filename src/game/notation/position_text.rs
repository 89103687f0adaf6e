//! A position in any of the forms: detects the form and parses it into one value.
//!
//! Rules PT-01 to PT-12 of `protocol-specs/position-ids.md`.

use super::copied_text::{CopiedPosition, copied_positions};
use super::key::LETTERS;
use super::match_file::snowie::SnowiePosition;
use super::{
    BoardLine, Code, GnubgId, MatchId, MatchView, NotationError, Offer, Ogid, OgidColour,
    PlayerNumber, PositionId, PositionKey, Reason, Seat, Xgid,
};
use crate::{MatchState, Position, Roll};

/// Form of a position text.
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
    /// White's checkers, a colon, Black's, a colon, the cube: OpenGammon's text.
    Ogid,
}

impl Form {
    /// All forms.
    pub const ALL: [Form; 6] = [
        Form::PositionId,
        Form::GnubgId,
        Form::Key,
        Form::Xgid,
        Form::BoardLine,
        Form::Ogid,
    ];

    /// Returns a short name: `position-id`, `gnubg-id`, `key`, `xgid`, `board`, `ogid`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Form::PositionId => "position-id",
            Form::GnubgId => "gnubg-id",
            Form::Key => "key",
            Form::Xgid => "xgid",
            Form::BoardLine => "board",
            Form::Ogid => "ogid",
        }
    }

    /// Returns the form with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|form| form.name() == name)
    }

    /// Writes a position in this form, the player on roll as player 1 and at the bottom. Data that a form cannot hold
    /// is omitted.
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
            // The player on roll is Black, whose points have the numbers of our board.
            Form::Ogid => Ogid::of(position, state, roll, offer, OgidColour::Black).to_string(),
        }
    }
}

/// A parsed position text; all fields are seen by the player on roll.
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
    /// Offer that waits for an answer, if any.
    pub offer: Option<Offer>,
    /// True if the form shows that no cube is in use (only an XGID can).
    pub no_cube: bool,
    /// The Match ID that it came with: it holds more than a state, such as which of the players is on roll.
    pub match_id: Option<MatchId>,
    /// The points of the player on roll and of the other of a match that is over (only a Match ID has them). There is
    /// no state then.
    pub final_score: Option<[u16; 2]>,
    /// The OGID that it came with: it holds more than a state, such as the colours.
    pub ogid: Option<Ogid>,
    /// The colour of the player on roll in an OGID.
    pub colour: OgidColour,
    /// Description of an impossible part of the text that was dropped.
    pub warning: Option<&'static str>,
}

/// The warning for ids of one text that are different positions.
const IDS_DIFFER: &str = "the XGID and the Position ID are different positions: the XGID was read";

/// The warning for a Crawford flag when neither player is 1-away.
const CRAWFORD_DROPPED: &str =
    "crawford is set, but not exactly one side is 1-away: the flag was dropped";

impl ParsedPosition {
    /// Returns the GNUbg ID of the position in this state. An equal one that was read is returned unchanged.
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

    /// Returns the OGID of the position in this state; `None` where a beaver, a raccoon or a resignation waits, or
    /// the match is over. An equal one that was read is returned unchanged.
    #[must_use]
    pub fn ogid(&self, state: &MatchState) -> Option<Ogid> {
        let sayable = matches!(self.offer, None | Some(Offer::Double));
        if !sayable || self.final_score.is_some() {
            return None;
        }
        let of = |state: &MatchState, roll| {
            Ogid::of(&self.position, state, roll, self.offer, self.colour)
        };
        let new = of(state, self.roll);
        let read = self.ogid.and_then(|ogid| Some((ogid, ogid.view().ok()?)));
        Some(match read {
            Some((ogid, view)) if new == of(&view.state, view.roll) => ogid,
            _ => new,
        })
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
            ogid: None,
            colour: OgidColour::Black,
            warning: None,
        }
    }

    /// Returns true if a double, beaver or raccoon waits for an answer.
    #[must_use]
    pub const fn is_doubled(&self) -> bool {
        matches!(
            self.offer,
            Some(Offer::Double | Offer::Beaver | Offer::Raccoon)
        )
    }
}

/// Reads a position as [`parse_position`](super::parse_position) does; its errors do not name texts of other kinds.
pub(super) fn read_position(text: &[u8]) -> Result<ParsedPosition, NotationError> {
    if let Some(first) = copied_positions(text).first() {
        return from_copied(first);
    }
    let start = text.trim_ascii_start();
    let skipped = text.len() - start.len();
    let position = recognise(start.trim_ascii_end());
    position.map_err(|error| error.moved(skipped))
}

/// Reads the ids of a copied text (PT-11).
pub(super) fn from_copied(copied: &CopiedPosition) -> Result<ParsedPosition, NotationError> {
    let parsed = recognise(copied.id.as_bytes())?;
    let other = (copied.other_id.as_ref()).and_then(|id| recognise(id.as_bytes()).ok());
    let is_other = other.is_some_and(|other| other.position != parsed.position);
    Ok(ParsedPosition {
        warning: parsed.warning.or(is_other.then_some(IDS_DIFFER)),
        ..parsed
    })
}

/// Returns true if the first line of a text begins with a position.
pub(super) fn begins_with_position(text: &[u8]) -> bool {
    let line = text.trim_ascii_start().split(|&byte| byte == b'\n').next();
    line.is_some_and(|line| recognise(split_position(line).0).is_ok())
}

/// Splits a line at the end of the position it begins with: a FIBS board line has 52 fields and
/// may have blanks in its names; text pasted from gnubg's screen ends with its IDs (GID-02); every
/// other form ends at the first blank. Blanks before the position are passed over. Nothing is
/// checked.
#[must_use]
pub fn split_position(line: &[u8]) -> (&[u8], &[u8]) {
    let start = line.trim_ascii_start();
    let board = starts_with_word(start, b"board:").then(|| BoardLine::parse_prefix(start).ok());
    let snowie = SnowiePosition::length(start);
    let end = match board.flatten().map(|(_, length)| length).or(snowie) {
        Some(length) => length,
        None if !copied_positions(line).is_empty() => start.len(),
        None if is_pasted(start) => GnubgId::pasted_length(start),
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
    if SnowiePosition::length(text).is_some() {
        return from_snowie(text);
    }
    if Ogid::is_meant(text) {
        return from_ogid(text);
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

/// Returns true for text copied from gnubg's screen.
fn is_pasted(text: &[u8]) -> bool {
    ["GNUbg ID", "Position ID", "Match ID"]
        .iter()
        .any(|start| starts_with_word(text, start.as_bytes()))
}

fn starts_with_word(text: &[u8], word: &[u8]) -> bool {
    text.get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn from_ogid(text: &[u8]) -> Result<ParsedPosition, NotationError> {
    let ogid = Ogid::parse(text)?;
    let view = ogid.view_in(text)?;
    let crawford = ogid.mark == super::OgidMark::Crawford;
    Ok(ParsedPosition {
        state: Some(view.state),
        roll: view.roll,
        offer: view.offer,
        no_cube: view.no_cube,
        ogid: Some(ogid),
        colour: view.on_roll,
        warning: dropped(crawford, &view.state),
        ..ParsedPosition::bare(Form::Ogid, view.position)
    })
}

/// Returns the warning where a text sets the Crawford flag and the score has none; a match to one point needs no flag.
fn dropped(crawford: bool, state: &MatchState) -> Option<&'static str> {
    let score = state.score;
    (crawford && !score.is_crawford() && score.length() > 1).then_some(CRAWFORD_DROPPED)
}

fn from_xgid(text: &[u8]) -> Result<ParsedPosition, NotationError> {
    let xgid = Xgid::parse(text)?;
    let view = xgid.view_in(text)?;
    Ok(ParsedPosition {
        state: Some(view.state),
        roll: view.roll,
        offer: view.offer,
        no_cube: view.no_cube,
        colour: match xgid.on_roll {
            Seat::Bottom => OgidColour::Black,
            Seat::Top => OgidColour::White,
        },
        warning: dropped(xgid.rules == 1, &view.state),
        ..ParsedPosition::bare(Form::Xgid, view.position)
    })
}

/// Parses Snowie's line, which has no more than a GNUbg ID does but the rules of money play.
fn from_snowie(text: &[u8]) -> Result<ParsedPosition, NotationError> {
    let SnowiePosition {
        position,
        state,
        roll,
    } = SnowiePosition::parse(text)?;
    Ok(ParsedPosition {
        state: Some(state),
        roll,
        ..ParsedPosition::bare(Form::GnubgId, position)
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

/// Converts a GNUbg ID; `at` is where its Match ID begins.
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
        warning: dropped(id.match_id.crawford(), &state),
        ..bare
    })
}
