//! `Roll`, `Play`, `Position` and `MatchState`.

use crate::wrong::{self, whole};
use gammond_game::notation::{Form, parse_play, parse_position, parse_roll, play_text};
use gammond_game::{self as game, Class, Cube, CubeOwner, Margin, Rules, Score, Variant};
use gammond_report::picture::{PNG_WIDTH_MAX, png};
use gammond_report::render::{Overlay, Theme, board, svg_file};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// A roll of two dice.
#[pyclass(frozen, eq, hash, from_py_object, module = "gammond")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Roll(pub(crate) game::Roll);

#[pymethods]
impl Roll {
    #[new]
    fn new(
        #[pyo3(from_py_with = whole)] first: i64,
        #[pyo3(from_py_with = whole)] second: i64,
    ) -> PyResult<Roll> {
        let die = |name: &str, number: i64| {
            u8::try_from(number)
                .ok()
                .filter(|die| (1..=6).contains(die))
                .ok_or_else(|| wrong::value(name, format!("die is {number}, expected 1 to 6")))
        };
        let roll = game::Roll::new(die("first", first)?, die("second", second)?);
        roll.map(Roll).map_err(|error| wrong::value("roll", error))
    }

    /// Parses a roll such as `31` or `3-1`.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Roll> {
        let roll = parse_roll(text.as_bytes());
        roll.map(Roll).map_err(|error| wrong::value("text", error))
    }

    /// The 21 different rolls.
    #[staticmethod]
    fn all() -> Vec<Roll> {
        game::Roll::ALL.into_iter().map(Roll).collect()
    }

    #[getter]
    fn dice(&self) -> (u8, u8) {
        let [first, second] = self.0.dice();
        (first, second)
    }

    #[getter]
    fn high(&self) -> u8 {
        self.0.high()
    }

    #[getter]
    fn low(&self) -> u8 {
        self.0.low()
    }

    #[getter]
    fn is_double(&self) -> bool {
        self.0.is_double()
    }

    #[getter]
    fn weight(&self) -> u32 {
        self.0.weight()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        let [first, second] = self.0.dice();
        format!("Roll({first}, {second})")
    }

    fn __getnewargs__(&self) -> (u8, u8) {
        self.dice()
    }
}

/// Converts a `Roll`, a text such as `31` or a pair of dice to a roll.
pub(crate) fn roll_of(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<game::Roll> {
    if let Ok(roll) = value.cast::<Roll>() {
        return Ok(roll.get().0);
    }
    if let Ok(text) = value.cast::<PyString>() {
        let text = text.to_string_lossy();
        return parse_roll(text.as_bytes()).map_err(|error| wrong::value(argument, error));
    }
    match value.extract::<(i64, i64)>() {
        Ok((first, second)) => Roll::new(first, second).map(|roll| roll.0).map_err(|_| {
            let reason = format!("({first}, {second}), expected two dice from 1 to 6");
            wrong::value(argument, reason)
        }),
        Err(_) => Err(wrong::kind(
            argument,
            "expected a Roll, a text such as '31' or a pair of dice",
        )),
    }
}

/// A legal play of a roll in a position.
#[pyclass(frozen, eq, hash, from_py_object, module = "gammond")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Play {
    pub(crate) before: game::Position,
    pub(crate) roll: game::Roll,
    pub(crate) play: game::Play,
    pub(crate) after: game::Position,
}

impl Play {
    pub(crate) const fn made(
        before: game::Position,
        roll: game::Roll,
        play: game::Play,
        after: game::Position,
    ) -> Play {
        Play {
            before,
            roll,
            play,
            after,
        }
    }

    /// The play in gnubg's notation.
    pub(crate) fn text(&self) -> String {
        play_text(&self.before, &self.play)
    }
}

#[pymethods]
impl Play {
    /// The position before the play, seen by the player who makes it.
    #[getter]
    fn before(&self) -> Position {
        Position(self.before)
    }

    /// The position after the play, with the opponent on roll.
    #[getter]
    fn after(&self) -> Position {
        Position(self.after)
    }

    #[getter]
    fn roll(&self) -> Roll {
        Roll(self.roll)
    }

    /// Pairs (from, to) of points: 25 is the bar, 0 is off.
    #[getter]
    fn steps(&self) -> Vec<(u8, u8)> {
        play_steps(&self.play)
    }

    #[getter]
    fn is_pass(&self) -> bool {
        self.play.is_pass()
    }

    /// The board before the play as an SVG picture with arrows.
    #[pyo3(signature = (state=None, theme=None, clockwise=false, dark=false))]
    fn svg(
        &self,
        state: Option<MatchState>,
        theme: Option<&str>,
        clockwise: bool,
        dark: bool,
    ) -> PyResult<String> {
        let drawn = Overlay {
            roll: Some(self.roll),
            play: Some(&self.play),
            clockwise,
            dark,
        };
        Ok(svg_file(
            &self.before,
            &state_or_money(state),
            &drawn,
            theme_of(theme)?,
        ))
    }

    /// The board before the play as a PNG picture of a width in pixels.
    #[pyo3(signature = (state=None, theme=None, clockwise=false, dark=false, width=None))]
    fn png(
        &self,
        py: Python<'_>,
        state: Option<MatchState>,
        theme: Option<&str>,
        clockwise: bool,
        dark: bool,
        #[pyo3(from_py_with = whole)] width: Option<u32>,
    ) -> PyResult<Vec<u8>> {
        let drawing = self.svg(state, theme, clockwise, dark)?;
        png_of(py, &drawing, width)
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg(None, None, false, false)
    }

    fn _repr_png_(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.png(py, None, None, false, false, None)
    }

    fn __str__(&self) -> String {
        play_text(&self.before, &self.play)
    }

    fn __repr__(&self) -> String {
        format!("<Play {}: {}>", self.roll, self.__str__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String, String))> {
        let position = Bound::new(py, Position(self.before))?;
        let method = position.getattr("play")?;
        Ok((method, (self.roll.to_string(), self.__str__())))
    }
}

fn theme_of(name: Option<&str>) -> PyResult<Option<Theme>> {
    let Some(name) = name else { return Ok(None) };
    let names: Vec<&str> = Theme::ALL.iter().map(|theme| theme.name).collect();
    let reason = || {
        wrong::value(
            "theme",
            format!("'{name}', expected one of {}", names.join(", ")),
        )
    };
    Theme::named(name).map(Some).ok_or_else(reason)
}

fn png_of(py: Python<'_>, drawing: &str, width: Option<u32>) -> PyResult<Vec<u8>> {
    if let Some(width) = width.filter(|width| !(1..=PNG_WIDTH_MAX).contains(width)) {
        let reason = format!("{width}, expected 1 to {PNG_WIDTH_MAX}");
        return Err(wrong::value("width", reason));
    }
    py.detach(|| png(drawing, width)).map_err(wrong::work)
}

fn form_of(name: &str) -> PyResult<Form> {
    let names: Vec<&str> = Form::ALL.iter().map(|form| form.name()).collect();
    let reason = || {
        wrong::value(
            "form",
            format!("'{name}', expected one of {}", names.join(", ")),
        )
    };
    Form::named(name).ok_or_else(reason)
}

/// A position: all checkers, seen by the player on roll.
#[pyclass(frozen, eq, hash, from_py_object, module = "gammond")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Position(pub(crate) game::Position);

/// Converts a sequence of at most 25 numbers to the counts of one side.
fn counts(argument: &str, values: &[i64]) -> PyResult<[u8; game::POINTS]> {
    let mut counts = [0; game::POINTS];
    if values.len() > counts.len() {
        return Err(wrong::value(
            argument,
            format!("{} places, at most 25", values.len()),
        ));
    }
    for (place, (count, &value)) in counts.iter_mut().zip(values).enumerate() {
        let checkers = u8::try_from(value).ok().filter(|&checkers| checkers <= 15);
        *count = checkers.ok_or_else(|| {
            wrong::value(
                argument,
                format!("{value} checkers at index {place}, expected 0 to 15"),
            )
        })?;
    }
    Ok(counts)
}

impl Position {
    /// The Position ID.
    pub(crate) fn text(&self) -> String {
        Form::PositionId.print(&self.0, &game::MatchState::default(), None, None)
    }
}

#[pymethods]
impl Position {
    /// The start of a game, or the position of these counts: index 0 to 23 are the points 1 to 24 of that side, 24 its
    /// bar.
    #[new]
    #[pyo3(signature = (me=None, opponent=None))]
    fn new(
        #[pyo3(from_py_with = whole)] me: Option<Vec<i64>>,
        #[pyo3(from_py_with = whole)] opponent: Option<Vec<i64>>,
    ) -> PyResult<Position> {
        match (me, opponent) {
            (None, None) => Ok(Position(game::Position::start())),
            (Some(me), Some(opponent)) => {
                let (me, opponent) = (counts("me", &me)?, counts("opponent", &opponent)?);
                let position = game::Position::new(&me, &opponent);
                position
                    .map(Position)
                    .map_err(|error| wrong::value("me, opponent", error))
            }
            (None, _) => Err(wrong::kind("me", "missing beside opponent")),
            (_, None) => Err(wrong::kind("opponent", "missing beside me")),
        }
    }

    /// Parses a position in any form: Position ID, GNUbg ID, key, XGID, OGID, `board:` line of FIBS.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Position> {
        let parsed = parse_position(text.as_bytes());
        parsed
            .map(|found| Position(found.position))
            .map_err(|error| wrong::value("text", error))
    }

    #[getter]
    fn me<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.me().counts())
    }

    #[getter]
    fn opponent<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.opponent().counts())
    }

    /// Pip counts of the player on roll and of the opponent.
    #[getter]
    fn pips(&self) -> (u32, u32) {
        (self.0.me().pips(), self.0.opponent().pips())
    }

    /// Checkers borne off by the player on roll and by the opponent.
    #[getter]
    fn off(&self) -> (u8, u8) {
        (self.0.me().off(), self.0.opponent().off())
    }

    #[getter]
    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    #[getter]
    fn has_contact(&self) -> bool {
        self.0.has_contact()
    }

    /// The class of the position: `contact`, `crashed`, `race`, `bearoff1`, `bearoff2`, `over`.
    #[getter]
    fn class_name(&self) -> String {
        Class::of(&self.0).to_string()
    }

    /// Points won (positive) or lost by the player on roll with the cube at 1; None while the game goes on.
    #[pyo3(signature = (variant="backgammon"))]
    fn outcome(&self, variant: &str) -> PyResult<Option<i32>> {
        let outcome = variant_named(variant)?.outcome(&self.0);
        Ok(outcome.map(game::Outcome::points))
    }

    /// The position at the start of a variant.
    #[staticmethod]
    #[pyo3(signature = (variant="backgammon"))]
    fn start(variant: &str) -> PyResult<Position> {
        Ok(Position(variant_named(variant)?.start()))
    }

    /// Returns the board with the other player on roll.
    fn swapped(&self) -> Position {
        Position(self.0.swapped())
    }

    /// All plays of a roll that lead to different positions; the pass if nothing can move.
    fn legal_plays(&self, roll: &Bound<'_, PyAny>) -> PyResult<Vec<Play>> {
        let roll = roll_of("roll", roll)?;
        if self.0.is_over() {
            return Ok(Vec::new());
        }
        let (before, plays) = (self.0, game::legal_plays(&self.0, roll));
        if plays.is_empty() {
            let after = before.swapped();
            return Ok(vec![Play {
                before,
                roll,
                play: game::Play::PASS,
                after,
            }]);
        }
        let play = |legal: game::LegalPlay| Play {
            before,
            roll,
            play: legal.play,
            after: legal.after,
        };
        Ok(plays.into_iter().map(play).collect())
    }

    /// The legal play of a text such as `8/5 6/5`.
    fn play(&self, roll: &Bound<'_, PyAny>, text: &str) -> PyResult<Play> {
        let roll = roll_of("roll", roll)?;
        let legal = parse_play(text, &self.0, roll);
        let legal = legal.map_err(|error| wrong::value("text", error))?;
        Ok(Play {
            before: self.0,
            roll,
            play: legal.play,
            after: legal.after,
        })
    }

    /// The text of steps (from, to) of points, 25 the bar and 0 off, legal or not.
    fn steps_text(&self, #[pyo3(from_py_with = whole)] steps: Vec<(i64, i64)>) -> PyResult<String> {
        let step = |&(from, to): &(i64, i64)| match (u8::try_from(from), u8::try_from(to)) {
            (Ok(from @ 1..=25), Ok(to @ 0..=24)) => Ok(game::Step {
                from: from - 1,
                to: to.checked_sub(1).unwrap_or(25),
            }),
            _ => Err(wrong::value("steps", format!("{from}/{to} is no step"))),
        };
        let steps: Vec<game::Step> = steps.iter().map(step).collect::<PyResult<_>>()?;
        let play = game::Play::from_steps(&steps);
        let play = play.ok_or_else(|| wrong::value("steps", "at most four"))?;
        Ok(play_text(&self.0, &play))
    }

    /// The position after a play of this position, with the opponent on roll.
    fn apply(&self, play: &Play) -> PyResult<Position> {
        match play.before == self.0 {
            true => Ok(Position(play.after)),
            false => Err(wrong::value(
                "play",
                format!(
                    "{play} is a play of another position",
                    play = play.__str__()
                ),
            )),
        }
    }

    /// The position in a form: `position-id`, `gnubg-id`, `key`, `xgid`, `board`, `ogid`.
    #[pyo3(signature = (form="position-id", state=None, roll=None))]
    fn to_text(
        &self,
        form: &str,
        state: Option<MatchState>,
        roll: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let roll = roll.map(|roll| roll_of("roll", roll)).transpose()?;
        Ok(form_of(form)?.print(&self.0, &state_or_money(state), roll, None))
    }

    /// The board as text for a screen.
    #[pyo3(signature = (state=None, roll=None))]
    fn board(
        &self,
        state: Option<MatchState>,
        roll: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let roll = roll.map(|roll| roll_of("roll", roll)).transpose()?;
        Ok(board(&self.0, &state_or_money(state), roll))
    }

    /// The board as an SVG picture.
    #[pyo3(signature = (state=None, roll=None, theme=None, clockwise=false, dark=false))]
    fn svg(
        &self,
        state: Option<MatchState>,
        roll: Option<&Bound<'_, PyAny>>,
        theme: Option<&str>,
        clockwise: bool,
        dark: bool,
    ) -> PyResult<String> {
        let roll = roll.map(|roll| roll_of("roll", roll)).transpose()?;
        let drawn = Overlay {
            roll,
            play: None,
            clockwise,
            dark,
        };
        Ok(svg_file(
            &self.0,
            &state_or_money(state),
            &drawn,
            theme_of(theme)?,
        ))
    }

    /// The board as a PNG picture of a width in pixels.
    #[pyo3(signature = (state=None, roll=None, theme=None, clockwise=false, dark=false, width=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn png(
        &self,
        py: Python<'_>,
        state: Option<MatchState>,
        roll: Option<&Bound<'_, PyAny>>,
        theme: Option<&str>,
        clockwise: bool,
        dark: bool,
        #[pyo3(from_py_with = whole)] width: Option<u32>,
    ) -> PyResult<Vec<u8>> {
        let drawing = self.svg(state, roll, theme, clockwise, dark)?;
        png_of(py, &drawing, width)
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        self.svg(None, None, None, false, false)
    }

    fn _repr_png_(&self, py: Python<'_>) -> PyResult<Vec<u8>> {
        self.png(py, None, None, None, false, false, None)
    }

    fn __str__(&self) -> String {
        Form::PositionId.print(&self.0, &game::MatchState::default(), None, None)
    }

    fn __repr__(&self) -> String {
        format!("Position.parse('{}')", self.__str__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let method = py.get_type::<Position>().getattr("parse")?;
        Ok((method, (self.__str__(),)))
    }
}

/// Converts a `Position` or a text in any form to a position.
pub(crate) fn position_of(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<game::Position> {
    Ok(question_of(argument, value)?.position)
}

/// A position with what its text holds beside it.
pub(crate) struct Question {
    pub(crate) position: game::Position,
    pub(crate) state: Option<game::MatchState>,
    pub(crate) roll: Option<game::Roll>,
}

impl Question {
    /// Returns the state that was given, that of the text, or money play.
    pub(crate) fn state_or(&self, given: Option<MatchState>) -> game::MatchState {
        given
            .map(|given| given.0)
            .or(self.state)
            .unwrap_or_default()
    }
}

/// Converts a `Position`, or a text in any form with its state and roll.
pub(crate) fn question_of(argument: &str, value: &Bound<'_, PyAny>) -> PyResult<Question> {
    if let Ok(position) = value.cast::<Position>() {
        return Ok(Question {
            position: position.get().0,
            state: None,
            roll: None,
        });
    }
    let Ok(text) = value.cast::<PyString>() else {
        return Err(wrong::kind(
            argument,
            "expected a Position or the text of one, such as '4HPwATDgc/ABMA'",
        ));
    };
    let found = parse_position(text.to_string_lossy().as_bytes());
    let found = found.map_err(|error| wrong::value(argument, error))?;
    Ok(Question {
        position: found.position,
        state: found.state,
        roll: found.roll,
    })
}

/// Cube, score and rules, seen by the player on roll.
#[pyclass(frozen, eq, hash, from_py_object, module = "gammond")]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct MatchState(pub(crate) game::MatchState);

/// Returns the state, or money play if there is none.
pub(crate) fn state_or_money(state: Option<MatchState>) -> game::MatchState {
    state.map_or_else(game::MatchState::default, |state| state.0)
}

const OWNERS: [(&str, CubeOwner); 3] = [
    ("centred", CubeOwner::Centred),
    ("me", CubeOwner::Me),
    ("opponent", CubeOwner::Opponent),
];

#[pymethods]
impl MatchState {
    /// Creates a state: money play by default; `length` points make a match, `crawford` marks the Crawford game.
    #[new]
    #[pyo3(signature = (length=0, score=(0, 0), crawford=false, cube=1, owner="centred", jacoby=true, beavers=true, variant="backgammon"))]
    #[expect(clippy::too_many_arguments, reason = "arguments of Python")]
    fn new(
        #[pyo3(from_py_with = whole)] length: u32,
        #[pyo3(from_py_with = whole)] score: (u32, u32),
        crawford: bool,
        #[pyo3(from_py_with = whole)] cube: u32,
        owner: &str,
        jacoby: bool,
        beavers: bool,
        variant: &str,
    ) -> PyResult<MatchState> {
        let owners = OWNERS.iter().find(|(name, _)| *name == owner);
        let Some((_, owner)) = owners else {
            return Err(wrong::value(
                "owner",
                format!("'{owner}', expected centred, me or opponent"),
            ));
        };
        let cube = Cube::new(cube, *owner).map_err(|error| wrong::value("cube", error))?;
        let score = Score::new(length, score.0, score.1, crawford);
        let score = score.map_err(|error| wrong::value("score", error))?;
        Ok(MatchState(game::MatchState {
            cube,
            score,
            rules: Rules { jacoby, beavers },
            variant: variant_named(variant)?,
        }))
    }

    #[getter]
    fn length(&self) -> u32 {
        self.0.score.length()
    }

    #[getter]
    fn score(&self) -> (u32, u32) {
        (self.0.score.me(), self.0.score.opponent())
    }

    #[getter]
    fn crawford(&self) -> bool {
        self.0.score.is_crawford()
    }

    #[getter]
    fn cube(&self) -> u32 {
        self.0.cube.value()
    }

    #[getter]
    fn owner(&self) -> &'static str {
        let owner = self.0.cube.owner();
        OWNERS
            .iter()
            .find(|(_, one)| *one == owner)
            .map_or("centred", |(name, _)| name)
    }

    #[getter]
    fn jacoby(&self) -> bool {
        self.0.rules.jacoby
    }

    #[getter]
    fn beavers(&self) -> bool {
        self.0.rules.beavers
    }

    /// The variant of the game.
    #[getter]
    fn variant(&self) -> &'static str {
        self.0.variant.word()
    }

    /// The reason why the player on roll may not double.
    #[getter]
    fn double_refusal(&self) -> Option<&'static str> {
        self.0.double_refusal().map(game::ActRefusal::reason)
    }

    /// The points of a game won by this margin.
    fn points(&self, margin: u8) -> PyResult<u32> {
        Ok(self.0.points(margin_of(margin)?))
    }

    /// The state seen by the other player.
    fn swapped(&self) -> MatchState {
        MatchState(self.0.swapped())
    }

    fn __repr__(&self) -> String {
        let word = |value: bool| if value { "True" } else { "False" };
        let (me, opponent) = self.score();
        format!(
            "MatchState(length={}, score=({me}, {opponent}), crawford={}, cube={}, owner='{}', jacoby={}, beavers={}, variant='{}')",
            self.length(),
            word(self.crawford()),
            self.cube(),
            self.owner(),
            word(self.jacoby()),
            word(self.beavers()),
            self.variant(),
        )
    }

    fn __getnewargs__(
        &self,
    ) -> (
        u32,
        (u32, u32),
        bool,
        u32,
        &'static str,
        bool,
        bool,
        &'static str,
    ) {
        let (length, score, crawford) = (self.length(), self.score(), self.crawford());
        (
            length,
            score,
            crawford,
            self.cube(),
            self.owner(),
            self.jacoby(),
            self.beavers(),
            self.variant(),
        )
    }
}

/// Returns the variant of a name.
pub(crate) fn variant_named(name: &str) -> PyResult<Variant> {
    Variant::named(name).ok_or_else(|| {
        let names = Variant::WORDS.join(", ");
        wrong::value("variant", format!("'{name}', expected one of {names}"))
    })
}

/// Returns pairs (from, to) of points: 25 is the bar, 0 is off.
pub(crate) fn play_steps(play: &game::Play) -> Vec<(u8, u8)> {
    let to = |step: &game::Step| if step.bears_off() { 0 } else { step.to + 1 };
    let steps = play.steps().iter();
    steps.map(|step| (step.from + 1, to(step))).collect()
}

/// Returns a margin of 1 to 3.
pub(crate) fn margin_of(margin: u8) -> PyResult<Margin> {
    let margins = [Margin::Single, Margin::Gammon, Margin::Backgammon];
    let known = margins.into_iter().find(|one| *one as u8 == margin);
    known.ok_or_else(|| wrong::value("margin", format!("{margin}, expected 1 to 3")))
}
