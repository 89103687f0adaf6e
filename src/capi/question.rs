//! Questions: a position with its dice, cube and score as a struct, and settings as text.

use crate::failure::{Failure, GammondCode, guarded};
use crate::memory::{self, Plain};
use crate::open::{Open, stop_of};
use crate::settings::options;
use gammond_engine::query::{Options, Stop};
use gammond_game::{Cube, CubeOwner, MatchState, Position, Roll, Rules, Score, Variant};
use gammond_protocol::{LINE_BYTES_MAX, Request, parse_line};
use std::ffi::c_char;

/// A question about a position, seen by the player on roll. All members 0 but `size` and `points` are a money game with the
/// cube in the middle. `gammond_read_question` fills it from an XGID, a Position ID or any other text of a
/// position.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GammondQuestion {
    /// sizeof(GammondQuestion).
    pub size: u32,
    /// points[0]: the opponent's bar (0 or negative). points[1] to points[24]: the points of the player on roll, his
    /// checkers positive, the opponent's negative. points[25]: his bar. The rest of the 15 checkers is borne off.
    pub points: [i8; 26],
    /// The dice, 0 and 0 if none are thrown.
    pub dice: [u8; 2],
    /// The cube: 1, 2, 4 to 4096; 0 stands for 1.
    pub cube: u32,
    /// The owner of the cube: 0 neither, 1 the player on roll, 2 the opponent.
    pub cube_owner: u32,
    /// Length of the match, to 255 points; 0 for a money game.
    pub match_length: u32,
    /// Points of the player on roll.
    pub my_score: u32,
    /// Points of the opponent.
    pub opponent_score: u32,
    /// 1 in the Crawford game.
    pub crawford: u8,
    /// 1 for a money game without Jacoby's rule.
    pub no_jacoby: u8,
    /// 1 for a money game without beavers.
    pub no_beavers: u8,
    /// 1 if `gammond_rollout` decides on the cube; 0 if it rolls out the best plays of the dice, without dice the position.
    pub rollout_cube: u8,
    /// Settings of the line protocol with blanks between, such as "plies=2 filter=swift"; NULL for none. They are added to
    /// those of `gammond_open`.
    pub settings: *const c_char,
    /// A handle of `gammond_stop_new`, by which another thread ends the work; 0 for none.
    pub stop: u64,
}

// SAFETY: numbers, arrays of them and an address; the size is first.
unsafe impl Plain for GammondQuestion {}

/// A question that has been checked.
pub(crate) struct Asked {
    pub(crate) position: Position,
    pub(crate) roll: Option<Roll>,
    pub(crate) state: MatchState,
    pub(crate) options: Options,
    pub(crate) cube_decision: bool,
    pub(crate) stop: Stop,
}

impl Asked {
    /// Reads and checks the caller's question, whose settings are those of a request of the line protocol.
    pub(crate) fn read(
        open: &Open,
        verb: &str,
        question: *const GammondQuestion,
    ) -> Result<Asked, Failure> {
        let asked = memory::read("question", question)?;
        let settings = memory::text("settings", asked.settings)?;
        let options = options(verb, settings.as_deref().unwrap_or_default())?.or(&open.defaults);
        let position = Position::from_places(&asked.points)
            .map_err(|error| Failure::value(format!("points: {error}")))?;
        let state = options
            .state(asked.state()?)
            .map_err(|error| Failure::value(format!("state: {error}")))?;
        Ok(Asked {
            position,
            roll: asked.roll()?,
            state,
            options,
            cube_decision: flag("rollout_cube", asked.rollout_cube)?,
            stop: stop_of(asked.stop)?,
        })
    }

    /// Refuses a game that is over, in which nothing is decided.
    pub(crate) fn decides(&self) -> Result<(), Failure> {
        match self.position.is_over() {
            true => Err(Failure::value("points: the game is over")),
            false => Ok(()),
        }
    }
}

impl GammondQuestion {
    fn roll(&self) -> Result<Option<Roll>, Failure> {
        let [first, second] = self.dice;
        if self.dice == [0, 0] {
            return Ok(None);
        }
        let roll = Roll::new(first, second).map_err(|_| {
            let text = format!("dice: {first} and {second}, expected 1 to 6, or 0 and 0 for none");
            Failure::value(text)
        })?;
        Ok(Some(roll))
    }

    fn state(&self) -> Result<MatchState, Failure> {
        let owners = [CubeOwner::Centred, CubeOwner::Me, CubeOwner::Opponent];
        let owner = usize::try_from(self.cube_owner).ok();
        let owner = owner.and_then(|owner| owners.get(owner)).ok_or_else(|| {
            Failure::value(format!(
                "cube_owner: {}, expected 0 (neither), 1 (me) or 2 (the opponent)",
                self.cube_owner
            ))
        })?;
        let wrong = |error| Failure::value(format!("state: {error}"));
        let (mine, theirs) = (self.my_score, self.opponent_score);
        let crawford = flag("crawford", self.crawford)?;
        Ok(MatchState {
            cube: Cube::new(self.cube.max(1), *owner).map_err(wrong)?,
            score: Score::new(self.match_length, mine, theirs, crawford).map_err(wrong)?,
            rules: Rules {
                jacoby: !flag("no_jacoby", self.no_jacoby)?,
                beavers: !flag("no_beavers", self.no_beavers)?,
            },
            ..MatchState::default()
        })
    }

    fn of(position: &Position, roll: Option<Roll>, state: &MatchState) -> GammondQuestion {
        let score = state.score;
        GammondQuestion {
            size: 0,
            points: position.places(),
            dice: roll.map_or([0, 0], Roll::dice),
            cube: state.cube.value(),
            cube_owner: match state.cube.owner() {
                CubeOwner::Centred => 0,
                CubeOwner::Me => 1,
                CubeOwner::Opponent => 2,
            },
            match_length: score.length(),
            my_score: score.me(),
            opponent_score: score.opponent(),
            crawford: score.is_crawford().into(),
            no_jacoby: (!state.rules.jacoby).into(),
            no_beavers: (!state.rules.beavers).into(),
            rollout_cube: 0,
            settings: std::ptr::null(),
            stop: 0,
        }
    }
}

fn flag(name: &str, value: u8) -> Result<bool, Failure> {
    match value {
        0 | 1 => Ok(value == 1),
        _ => Err(Failure::value(format!("{name}: {value}, expected 0 or 1"))),
    }
}

/// Reads the text of a position as a request of the line protocol has it: an XGID, a Position ID or any other form, with
/// dice, cube and score in it or behind it, such as "4HPwATDgc/ABMA 31 length=7 score=3-2". Fills all members of `question`
/// but `size`; its settings and its stop become 0, so settings of a search in the text are not kept.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_read_question(
    text: *const c_char,
    question: *mut GammondQuestion,
) -> GammondCode {
    guarded(|| {
        let write = memory::writer("question", question)?;
        let text = memory::text("text", text)?
            .ok_or_else(|| Failure::new(GammondCode::GAMMOND_ERROR_NULL, "text is NULL"))?;
        write(question_of(&text)?);
        Ok(())
    })
}

/// Returns the question of a text.
fn question_of(text: &str) -> Result<GammondQuestion, Failure> {
    let line = format!("convert {text}");
    if line.len() > LINE_BYTES_MAX {
        let reason = format!("text has length {}, at most {LINE_BYTES_MAX}", text.len());
        return Err(Failure::new(GammondCode::GAMMOND_ERROR_TOO_LONG, reason));
    }
    let request = match parse_line(line.as_bytes(), &Options::default()) {
        Some(Ok(line)) => line.request,
        Some(Err(refusal)) => {
            return Err(Failure::value(format!("text: {}", refusal.error.message)));
        }
        None => return Err(Failure::value("text: no position")),
    };
    let Request::Position(request) = request else {
        return Err(Failure::value("text: no position"));
    };
    if request.state.variant != Variant::Backgammon {
        let reason = "text: a variant belongs to the settings of the question";
        return Err(Failure::value(reason));
    }
    let shown = &request.shown;
    Ok(GammondQuestion::of(
        &shown.position,
        shown.roll,
        &request.state,
    ))
}
