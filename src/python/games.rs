//! Many games at once, for `gammond.env.VectorEnv`.

use crate::boards::{self, PLACES};
use crate::fork;
use crate::players::OpenPlayer;
use crate::wrong::{self, whole};
use gammond_base::rng::{ChaCha8Rng, stream};
use gammond_game::{Cube, CubeOwner, MatchState, PlayGenerator, Position, Roll, Rules, Score};
use gammond_train::player::Player;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;

/// Maximum number of games.
const GAMES_MAX: usize = 1 << 20;
/// Number of games that one task plays.
const CHUNK: usize = 64;

/// The decision that the acting player has to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Phase {
    /// Choice of an afterstate.
    Play = 0,
    /// No double (0) or double (1), before the roll.
    Double = 1,
    /// Pass (0) or take (1).
    Answer = 2,
}

/// Rules shared by all games.
#[derive(Clone, Copy)]
struct Terms {
    /// Points of a match; 0 for single games.
    length: u32,
    cube: bool,
}

struct Game {
    chance: ChaCha8Rng,
    /// Position seen by the player on roll, who is `turn`; during a double that is still the doubler.
    position: Position,
    turn: usize,
    phase: Phase,
    roll: Option<Roll>,
    plays: Vec<Position>,
    scores: [u32; 2],
    crawford: bool,
    after_crawford: bool,
    cube: Cube,
}

/// The result of a step: points or the match for the player who acted, and whether the episode is over.
#[derive(Clone, Copy, Default)]
struct End {
    /// Reward of player 0.
    reward: f32,
    done: bool,
}

impl Game {
    fn new(chance: ChaCha8Rng, terms: Terms) -> Game {
        let mut game = Game {
            chance,
            position: Position::start(),
            turn: 0,
            phase: Phase::Play,
            roll: None,
            plays: Vec::new(),
            scores: [0; 2],
            crawford: false,
            after_crawford: false,
            cube: Cube::CENTRED,
        };
        game.start_match(terms);
        game
    }

    fn start_match(&mut self, terms: Terms) {
        self.scores = [0; 2];
        (self.crawford, self.after_crawford) = (terms.length == 1, false);
        self.start_game();
    }

    fn start_game(&mut self) {
        self.position = Position::start();
        self.cube = Cube::CENTRED;
        let roll = loop {
            let roll = Roll::thrown(&mut self.chance);
            if !roll.is_double() {
                break roll;
            }
        };
        let [first, second] = roll.dice();
        self.turn = usize::from(first < second);
        self.rolled(roll);
    }

    fn rolled(&mut self, roll: Roll) {
        self.phase = Phase::Play;
        self.roll = Some(roll);
        PlayGenerator::new(&self.position).plays(roll, &mut self.plays);
        if self.plays.is_empty() {
            self.plays.push(self.position.swapped());
        }
    }

    fn throw(&mut self) {
        let roll = Roll::thrown(&mut self.chance);
        self.rolled(roll);
    }

    /// Starts the turn of the player on roll.
    fn begin_turn(&mut self, terms: Terms) {
        if terms.cube && self.may_double(terms) {
            self.phase = Phase::Double;
            self.roll = None;
            self.plays.clear();
        } else {
            self.throw();
        }
    }

    fn may_double(&self, terms: Terms) -> bool {
        let mine = self.cube.owner() != CubeOwner::Opponent;
        let value = self.cube.value();
        // A cube that wins the match already is dead.
        let useful = terms.length == 0 || self.scores[self.turn] + value < terms.length;
        mine && useful && !self.crawford && value < u32::from(Cube::MAX)
    }

    /// Returns cube and score seen by the player on roll.
    fn state(&self, terms: Terms) -> MatchState {
        let (mine, theirs) = (self.scores[self.turn], self.scores[1 - self.turn]);
        let score = Score::lenient(terms.length, mine, theirs, self.crawford);
        MatchState {
            cube: self.cube,
            score: score.unwrap_or(Score::MONEY),
            rules: Rules {
                jacoby: false,
                beavers: false,
            },
        }
    }

    /// Returns the player who decides.
    fn actor(&self) -> usize {
        match self.phase {
            Phase::Answer => 1 - self.turn,
            Phase::Play | Phase::Double => self.turn,
        }
    }

    fn actions(&self) -> usize {
        match self.phase {
            Phase::Play => self.plays.len(),
            Phase::Double | Phase::Answer => 2,
        }
    }

    /// Returns the board seen by the player who decides.
    fn board(&self) -> Position {
        match self.phase {
            Phase::Answer => self.position.swapped(),
            Phase::Play | Phase::Double => self.position,
        }
    }

    /// Executes the action of the player who decides.
    fn act(&mut self, terms: Terms, action: usize) -> End {
        match (self.phase, action) {
            (Phase::Play, action) => {
                let after = self.plays.get(action).copied();
                self.played(terms, after.unwrap_or_else(|| self.position.swapped()))
            }
            (Phase::Double, 0) => {
                self.throw();
                End::default()
            }
            (Phase::Double, _) => {
                self.phase = Phase::Answer;
                End::default()
            }
            (Phase::Answer, 0) => self.won(terms, self.turn, self.cube.value()),
            (Phase::Answer, _) => {
                let doubled = Cube::new(self.cube.value() * 2, CubeOwner::Opponent);
                self.cube = doubled.unwrap_or(self.cube);
                self.throw();
                End::default()
            }
        }
    }

    fn played(&mut self, terms: Terms, after: Position) -> End {
        if let Some(outcome) = after.outcome() {
            return self.won(
                terms,
                self.turn,
                outcome.points().unsigned_abs() * self.cube.value(),
            );
        }
        self.position = after;
        self.cube = self.cube.swapped();
        self.turn = 1 - self.turn;
        self.begin_turn(terms);
        End::default()
    }

    /// Scores a finished game and starts the next one.
    fn won(&mut self, terms: Terms, winner: usize, points: u32) -> End {
        let sign = if winner == 0 { 1.0 } else { -1.0 };
        if terms.length == 0 {
            self.start_game();
            return End {
                reward: sign * points as f32,
                done: true,
            };
        }
        self.scores[winner] += points;
        if self.scores[winner] >= terms.length {
            self.start_match(terms);
            return End {
                reward: sign,
                done: true,
            };
        }
        self.after_crawford |= self.crawford;
        let one_away = self.scores.iter().any(|&score| score + 1 == terms.length);
        self.crawford = one_away && !self.after_crawford;
        self.start_game();
        End::default()
    }

    /// Plays the opponent, player 1, until it is the turn of player 0.
    fn answer(&mut self, terms: Terms, opponent: &dyn Player) -> Result<End, String> {
        while self.actor() == 1 {
            let end = self
                .opponent_acts(terms, opponent)
                .map_err(|error| error.to_string())?;
            if end.done {
                // The new game may be the opponent's to open; that is part of it.
                self.answer(terms, opponent)?;
                return Ok(end);
            }
        }
        Ok(End::default())
    }

    fn opponent_acts(
        &mut self,
        terms: Terms,
        opponent: &dyn Player,
    ) -> Result<End, gammond_train::player::PlayerError> {
        let state = self.state(terms);
        let with_cube = opponent.with_cube();
        Ok(match (self.phase, self.roll) {
            (Phase::Double, _) => {
                let doubles = with_cube.map(|player| player.doubles(&self.position, &state));
                self.act(terms, usize::from(doubles.unwrap_or(Ok(false))?))
            }
            (Phase::Answer, _) => {
                let takes = with_cube.map(|player| player.takes(&self.position, &state));
                self.act(terms, usize::from(takes.unwrap_or(Ok(true))?))
            }
            (Phase::Play, Some(roll)) => {
                let (position, chance) = (self.position, &mut self.chance);
                let after = match with_cube {
                    Some(player) if terms.cube || terms.length > 0 => {
                        player.play_in(&position, &state, roll, chance)?
                    }
                    _ => opponent.play(&position, roll, chance)?,
                };
                self.played(terms, after)
            }
            (Phase::Play, None) => {
                self.throw();
                End::default()
            }
        })
    }
}

/// Concurrent games, each with its own numbered stream of dice.
#[pyclass(module = "gammond._gammond")]
pub(crate) struct Games {
    games: Vec<Game>,
    terms: Terms,
    opponent: Option<OpenPlayer>,
    seed: u64,
    episodes: u64,
}

impl Games {
    fn restart(&mut self, py: Python<'_>) -> PyResult<()> {
        let (seed, terms, first) = (self.seed, self.terms, self.episodes);
        let opponent = self.opponent.as_ref().map(OpenPlayer::get).transpose()?;
        let restart = |(number, game): (usize, &mut Game)| {
            *game = Game::new(stream(seed, first + number as u64), terms);
            opponent
                .as_deref()
                .map_or(Ok(()), |player| game.answer(terms, player).map(drop))
        };
        let (pool, games) = (fork::pool()?, &mut self.games);
        let begun: Result<(), String> =
            py.detach(|| pool.install(|| games.par_iter_mut().enumerate().try_for_each(restart)));
        begun.map_err(wrong::work)
    }

    fn each<'py, T: numpy::Element>(
        &self,
        py: Python<'py>,
        value: impl Fn(&Game) -> T,
    ) -> Bound<'py, PyArray1<T>> {
        self.games
            .iter()
            .map(value)
            .collect::<Vec<T>>()
            .into_pyarray(py)
    }
}

#[pymethods]
impl Games {
    #[new]
    #[pyo3(signature = (n, opponent=None, match_length=0, cube=false, seed=0))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] n: usize,
        opponent: Option<&str>,
        #[pyo3(from_py_with = whole)] match_length: u32,
        cube: bool,
        #[pyo3(from_py_with = whole)] seed: u64,
    ) -> PyResult<Games> {
        if n == 0 || n > GAMES_MAX {
            return Err(wrong::value(
                "n",
                format!("{n} games, expected 1 to {GAMES_MAX}"),
            ));
        }
        let length = Score::new(match_length, 0, 0, false);
        length.map_err(|error| wrong::value("match", error))?;
        let terms = Terms {
            length: match_length,
            cube,
        };
        let opponent = opponent
            .map(|text| OpenPlayer::new(py, "opponent", text))
            .transpose()?;
        let games = (0..n)
            .map(|number| Game::new(stream(seed, number as u64), terms))
            .collect();
        let mut games = Games {
            games,
            terms,
            opponent,
            seed,
            episodes: 0,
        };
        games.restart(py)?;
        Ok(games)
    }

    /// Restarts all games; without a seed, the dice continue with new streams.
    #[pyo3(signature = (seed=None))]
    fn reset(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] seed: Option<u64>,
    ) -> PyResult<()> {
        match seed {
            Some(seed) => (self.seed, self.episodes) = (seed, 0),
            None => self.episodes += self.games.len() as u64,
        }
        self.restart(py)
    }

    fn __len__(&self) -> usize {
        self.games.len()
    }

    fn boards<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i8>>> {
        let mut rows = vec![0; self.games.len() * PLACES];
        let (places, _) = rows.as_chunks_mut::<PLACES>();
        for (row, game) in places.iter_mut().zip(&self.games) {
            boards::write(&game.board(), row);
        }
        boards::array(py, rows)
    }

    fn players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        self.each(py, |game| game.actor() as u8)
    }

    fn phases<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        self.each(py, |game| game.phase as u8)
    }

    fn counts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.each(py, |game| game.actions() as i64)
    }

    /// The dice; 0 and 0 if none are rolled.
    fn dice<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dice = self
            .games
            .iter()
            .flat_map(|game| game.roll.map_or([0, 0], Roll::dice));
        dice.collect::<Vec<u8>>()
            .into_pyarray(py)
            .call_method1("reshape", (-1, 2))
    }

    /// Length, own score, opponent's score, cube, its owner (1 own, 0 centred, -1 the opponent), Crawford; seen by the
    /// player who decides.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = |game: &Game| {
            let state = game.state(self.terms);
            let state = if game.phase == Phase::Answer {
                state.swapped()
            } else {
                state
            };
            let owner = match state.cube.owner() {
                CubeOwner::Me => 1,
                CubeOwner::Centred => 0,
                CubeOwner::Opponent => -1,
            };
            let score = state.score;
            let [length, me, opponent, cube] = [
                score.length(),
                score.me(),
                score.opponent(),
                state.cube.value(),
            ]
            .map(|n| n as i32);
            [
                length,
                me,
                opponent,
                cube,
                owner,
                i32::from(score.is_crawford()),
            ]
        };
        let states = self.games.iter().flat_map(state).collect::<Vec<i32>>();
        states.into_pyarray(py).call_method1("reshape", (-1, 6))
    }

    /// The boards after the possible actions of each game, the opponent on roll, and the offsets at which those of each game
    /// begin. A game that waits for a cube action has none.
    fn afterstates<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyArray2<i8>>, Bound<'py, PyArray1<i64>>)> {
        let games = &self.games;
        let of_chunk = |games: &[Game]| {
            let (mut rows, mut counts) = (Vec::new(), Vec::new());
            for game in games {
                boards::append(&mut rows, &game.plays);
                counts.push(game.plays.len() as u32);
            }
            (rows, counts)
        };
        let pool = fork::pool()?;
        let (rows, offsets) = py.detach(|| {
            pool.install(|| {
                let chunks: Vec<_> = games.par_chunks(CHUNK).map(of_chunk).collect();
                boards::ragged(&chunks)
            })
        });
        Ok((boards::array(py, rows)?, offsets.into_pyarray(py)))
    }

    /// Executes one action in every game. Returns the rewards of the players who acted (of player 0 if there is an opponent)
    /// and which episodes ended; those have been restarted.
    fn step<'py>(
        &mut self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'py, i64>,
    ) -> PyResult<(Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<bool>>)> {
        let actions: Vec<i64> = actions.as_array().to_vec();
        if actions.len() != self.games.len() {
            let text = format!("{} actions for {} games", actions.len(), self.games.len());
            return Err(wrong::value("actions", text));
        }
        // Nothing happens before all actions are known to be good.
        for (number, (&action, game)) in actions.iter().zip(&self.games).enumerate() {
            let legal = game.actions();
            if usize::try_from(action).map_or(true, |action| action >= legal) {
                let text = format!("{action} in game {number}, expected 0 to {}", legal - 1);
                return Err(wrong::value("actions", text));
            }
        }
        let opponent = self.opponent.as_ref().map(OpenPlayer::get).transpose()?;
        let (terms, games, pool) = (self.terms, &mut self.games, fork::pool()?);
        let act = |(game, &action): (&mut Game, &i64)| {
            let actor = game.actor();
            let end = game.act(terms, usize::try_from(action).unwrap_or_default());
            let Some(player) = opponent.as_deref() else {
                let sign = if actor == 0 { 1.0 } else { -1.0 };
                return Ok(End {
                    reward: sign * end.reward,
                    ..end
                });
            };
            let answered = game.answer(terms, player)?;
            Ok(if end.done { end } else { answered })
        };
        let ends: Result<Vec<End>, String> = py.detach(|| {
            pool.install(|| {
                let moves = games.par_iter_mut().zip(&actions).with_min_len(CHUNK);
                moves.map(act).collect()
            })
        });
        let ends = ends.map_err(wrong::work)?;
        let rewards: Vec<f32> = ends.iter().map(|end| end.reward).collect();
        let done: Vec<bool> = ends.iter().map(|end| end.done).collect();
        Ok((rewards.into_pyarray(py), done.into_pyarray(py)))
    }
}
