//! `Match`: reading and writing match files of all formats.

use crate::rules::{Play, Position, roll_of};
use crate::wrong::{self, whole};
use gammond_game::notation::{
    MATCH_FILE_BYTES_MAX, MatAction, MatGame, MatPlayer, MatchFile, MatchReading, SetUp,
};
use gammond_game::{self as game, BAR, OFF, Score, Step};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};
use std::io::Read as _;
use std::path::PathBuf;

/// A match or a money session, with the faults of its file.
#[pyclass(module = "gammond")]
#[derive(Clone)]
pub(crate) struct Match(MatchReading);

impl Match {
    pub(crate) fn reading(&self) -> &MatchReading {
        &self.0
    }
}

/// Returns the points of a step: 25 is the bar, 0 is off.
fn points(step: &Step) -> (u8, u8) {
    (
        step.from + 1,
        if step.bears_off() { 0 } else { step.to + 1 },
    )
}

/// Returns the step of points; `None` beyond the board.
fn step((from, to): (u8, u8)) -> Option<Step> {
    let from = from
        .checked_sub(1)
        .filter(|&from| usize::from(from) <= BAR)?;
    let to = match to {
        0 => OFF as u8,
        to => to - 1,
    };
    (usize::from(to) < BAR || usize::from(to) == OFF).then_some(Step { from, to })
}

/// Reads the roll and the play of an action: a `Play`, or (roll, steps) as `Match.games` has them.
fn play_of(value: &Bound<'_, PyAny>) -> PyResult<MatAction> {
    if let Ok(play) = value.extract::<Play>() {
        return Ok(MatAction::Play {
            roll: play.roll,
            play: play.play,
        });
    }
    let want = "the value of a play is a Play or (roll, steps)";
    let (roll, steps): (Bound<'_, PyAny>, Vec<(u8, u8)>) =
        value.extract().map_err(|_| wrong::kind("actions", want))?;
    let roll = roll_of("actions", &roll)?;
    let steps: Option<Vec<Step>> = steps.into_iter().map(step).collect();
    let play = steps.and_then(|steps| game::Play::from_steps(&steps));
    let reason = "steps of a play: expected at most four of (1 to 25, 0 to 24)";
    let play = play.ok_or_else(|| wrong::value("actions", reason))?;
    Ok(MatAction::Play { roll, play })
}

/// Reads a board and a cube that were set up: (position, cube, owner).
fn set_up_of(value: &Bound<'_, PyAny>) -> PyResult<SetUp> {
    let want = "the value of a set-up is (Position, cube, owner)";
    let (position, value, owner): (Position, u32, Option<i64>) =
        value.extract().map_err(|_| wrong::kind("actions", want))?;
    Ok(SetUp {
        position: position.0,
        value,
        owner: owner.map(player).transpose()?,
    })
}

fn player(number: i64) -> PyResult<MatPlayer> {
    match number {
        0 => Ok(MatPlayer::First),
        1 => Ok(MatPlayer::Second),
        other => Err(wrong::value("player", format!("{other}, expected 0 or 1"))),
    }
}

#[pymethods]
impl Match {
    /// An empty match to `length` points; 0 for a money session.
    #[new]
    #[pyo3(signature = (length=0, names=("Player 1".to_owned(), "Player 2".to_owned())))]
    fn new(#[pyo3(from_py_with = whole)] length: u32, names: (String, String)) -> PyResult<Match> {
        let score = Score::new(length, 0, 0, false);
        score.map_err(|error| wrong::value("length", error))?;
        let mut reading = MatchReading::default();
        reading.file.length = length;
        reading.file.names = [names.0, names.1];
        Ok(Match(reading))
    }

    /// Reads all matches of a file (a path, or its bytes); the format is recognised.
    #[staticmethod]
    fn read(py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<Vec<Match>> {
        let data = match source.extract::<Vec<u8>>() {
            Ok(data) if source.is_instance_of::<PyBytes>() => data,
            _ => {
                let path: PathBuf = source
                    .extract()
                    .map_err(|_| wrong::kind("source", "expected a path or the bytes of a file"))?;
                let file = gammond_base::files::open(&path);
                let mut data = Vec::new();
                file.and_then(|file| {
                    let most = MATCH_FILE_BYTES_MAX as u64 + 1;
                    file.take(most).read_to_end(&mut data)
                })
                .map_err(|error| wrong::file(path.display(), error))?;
                data
            }
        };
        let readings = py.detach(|| MatchFile::read_all(&data));
        let readings = readings.map_err(|error| wrong::value("source", error))?;
        Ok(readings.into_iter().map(Match).collect())
    }

    /// Appends a `Game` with all its actions.
    fn add(&mut self, game: &Bound<'_, PyAny>) -> PyResult<()> {
        let record = game.call_method0("record");
        let record = record.map_err(|_| wrong::kind("game", "expected a Game"))?;
        let (scores, actions, result, crawford) = record.extract()?;
        self.add_game(scores, actions, result, crawford, false)
    }

    #[getter]
    fn length(&self) -> u32 {
        self.0.file.length
    }

    #[getter]
    fn names(&self) -> (String, String) {
        let [first, second] = self.0.file.names.clone();
        (first, second)
    }

    /// Descriptions of the faults in the file.
    #[getter]
    fn faults(&self) -> Vec<String> {
        self.0.faults.iter().map(ToString::to_string).collect()
    }

    /// The games: scores before each, actions, result.
    #[getter]
    fn games<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let games = PyList::empty(py);
        for game in &self.0.file.games {
            let actions = PyList::empty(py);
            for (player, action) in &game.actions {
                let number = player.index();
                match action {
                    MatAction::Play { roll, play } => {
                        let steps: Vec<(u8, u8)> = play.steps().iter().map(points).collect();
                        actions.append((number, "play", (roll.to_string(), steps)))?;
                    }
                    MatAction::Rolled(roll) => {
                        actions.append((number, "rolled", roll.to_string()))?
                    }
                    MatAction::Double(value) => actions.append((number, "double", value))?,
                    MatAction::Beaver(value) => actions.append((number, "beaver", value))?,
                    MatAction::Take => actions.append((number, "take", py.None()))?,
                    MatAction::Drop => actions.append((number, "pass", py.None()))?,
                    MatAction::SetUp(set_up) => {
                        let owner = set_up.owner.map(MatPlayer::index);
                        let value = (Position(set_up.position), set_up.value, owner);
                        actions.append((number, "set-up", value))?;
                    }
                }
            }
            let entry = PyDict::new(py);
            entry.set_item("scores", (game.scores[0], game.scores[1]))?;
            entry.set_item("crawford", game.crawford)?;
            entry.set_item("settled", game.settled)?;
            entry.set_item("actions", actions)?;
            entry.set_item(
                "result",
                game.result.map(|(winner, points)| (winner.index(), points)),
            )?;
            games.append(entry)?;
        }
        Ok(games)
    }

    /// Appends a game of actions (player, kind, value): `play` with a `Play` or (roll, steps), `rolled` with the roll,
    /// `double` and `beaver` with the new value of the cube, `take` and `pass` with None, `set-up` with (position, cube,
    /// owner). `result` is (winner, points). An entry of `games` is accepted as it is: `match.add_game(**entry)`.
    #[pyo3(signature = (scores, actions, result=None, crawford=None, settled=false))]
    fn add_game(
        &mut self,
        #[pyo3(from_py_with = whole)] scores: (u32, u32),
        #[pyo3(from_py_with = whole)] actions: Vec<(i64, String, Bound<'_, PyAny>)>,
        #[pyo3(from_py_with = whole)] result: Option<(i64, u32)>,
        crawford: Option<bool>,
        settled: bool,
    ) -> PyResult<()> {
        let mut game = MatGame {
            scores: [scores.0, scores.1],
            crawford,
            settled,
            ..MatGame::default()
        };
        let cube = |value: &Bound<'_, PyAny>| {
            let want = "the value of a double or beaver is the cube";
            value.extract().map_err(|_| wrong::kind("actions", want))
        };
        for (number, kind, value) in actions {
            let action = match kind.as_str() {
                "play" => play_of(&value)?,
                "rolled" => MatAction::Rolled(roll_of("actions", &value)?),
                "double" => MatAction::Double(cube(&value)?),
                "beaver" => MatAction::Beaver(cube(&value)?),
                "take" => MatAction::Take,
                "pass" => MatAction::Drop,
                "set-up" => MatAction::SetUp(set_up_of(&value)?),
                other => {
                    let kinds = "play, rolled, double, beaver, take, pass or set-up";
                    let text = format!("kind '{other}', expected {kinds}");
                    return Err(wrong::value("actions", text));
                }
            };
            game.actions.push((player(number)?, action));
        }
        game.result = match result {
            Some((winner, points)) => Some((player(winner)?, points)),
            None => None,
        };
        self.0.file.games.push(game);
        Ok(())
    }

    /// The match as Jellyfish's `.mat`.
    fn to_mat(&self) -> String {
        self.0.file.to_string()
    }

    /// The match as GNU Backgammon's `.sgf`.
    fn to_sgf(&self) -> String {
        self.0.file.sgf(&self.0.file.crawford_games(), &|_, _| None)
    }

    /// The match as OGXM.
    fn to_ogxm(&self) -> PyResult<Vec<u8>> {
        self.0
            .file
            .ogxm()
            .map_err(|error| wrong::value("match", error))
    }

    fn __len__(&self) -> usize {
        self.0.file.games.len()
    }

    fn __repr__(&self) -> String {
        let ([first, second], file) = (&self.0.file.names, &self.0.file);
        let kind = match file.length {
            0 => "money session".to_owned(),
            length => format!("match to {length}"),
        };
        format!(
            "<Match {first:?} and {second:?}, {kind}, {} games>",
            file.games.len()
        )
    }
}
