//! Many games at once, for `gammond.env.VectorEnv`.

use crate::boards::{self, PLACES};
use crate::fork;
use crate::players::OpenPlayer;
use crate::rules::variant_named;
use crate::wrong::{self, whole};
use gammond_arena::player::Player;
use gammond_base::rng::{ChaCha8Rng, stream};
use gammond_game::{
    Act, ActRefusal, CubeOwner, Game, GamePhase, MatchScore, PlayGenerator, Position, Roll, Rules,
    Score, StartPositions, Variant,
};
use numpy::{IntoPyArray, PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use rayon::prelude::*;

/// Maximum number of games.
const GAMES_MAX: usize = 1 << 20;
/// Number of games that one task plays.
const CHUNK: usize = 64;

/// The decision that the acting player has to make, by its number in Python.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Decision {
    /// Choice of an afterstate.
    Play = 0,
    /// No double (0) or double (1), before the roll.
    Double = 1,
    /// Pass (0) or take (1).
    Answer = 2,
}

/// Rules shared by all games.
struct Terms {
    /// Points of a match; 0 for single games.
    length: u8,
    cube: bool,
    variant: Variant,
    starts: StartPositions,
    /// Number of games. The next start of each lies so many numbers ahead.
    games: u64,
}

impl Terms {
    const RULES: Rules = Rules {
        jacoby: false,
        beavers: false,
    };

    /// Begins a game at the start of this number.
    fn game(&self, score: MatchScore, start: u64) -> Game {
        let usual = (score.game(Terms::RULES, self.cube)).with_variant(self.variant);
        usual.with_start(self.starts.of(self.variant, start))
    }
}

/// An episode: a game, or a match of them. It always waits for a decision.
struct Episode {
    chance: ChaCha8Rng,
    score: MatchScore,
    /// Number of the start of the game.
    start: u64,
    game: Game,
    plays: Vec<Position>,
}

/// The result of a step: points or the match for the player who acted, and whether the episode is over.
#[derive(Clone, Copy, Default)]
struct End {
    /// Reward of player 0.
    reward: f32,
    done: bool,
}

impl Episode {
    fn new(chance: ChaCha8Rng, terms: &Terms, start: u64) -> Result<Episode, ActRefusal> {
        let score = MatchScore::new(terms.length.into());
        let mut episode = Episode {
            chance,
            score,
            start,
            game: terms.game(score, start),
            plays: Vec::new(),
        };
        episode.go_on()?;
        Ok(episode)
    }

    /// Throws the dice unless the player on roll may double.
    fn go_on(&mut self) -> Result<(), ActRefusal> {
        if self.game.double_refusal().is_some() {
            return self.throw();
        }
        self.plays.clear();
        Ok(())
    }

    /// Throws the dice that come next.
    fn throw(&mut self) -> Result<(), ActRefusal> {
        let roll = match self.game.phase() {
            GamePhase::Opening => Roll::opening(&mut self.chance),
            _ => Roll::thrown(&mut self.chance),
        };
        self.game.act(Act::Roll(roll))?;
        let position = self.game.position();
        PlayGenerator::new(position).plays(roll, &mut self.plays);
        if self.plays.is_empty() {
            self.plays.push(position.swapped());
        }
        Ok(())
    }

    fn decision(&self) -> Decision {
        match self.game.phase() {
            GamePhase::Turn => Decision::Double,
            GamePhase::Answer(_) => Decision::Answer,
            _ => Decision::Play,
        }
    }

    fn roll(&self) -> Option<Roll> {
        match self.game.phase() {
            GamePhase::Play(roll) => Some(roll),
            _ => None,
        }
    }

    fn actions(&self) -> usize {
        match self.decision() {
            Decision::Play => self.plays.len(),
            Decision::Double | Decision::Answer => 2,
        }
    }

    /// Executes the action of the player who decides.
    fn act(&mut self, terms: &Terms, action: usize) -> Result<End, ActRefusal> {
        match (self.decision(), action) {
            (Decision::Play, action) => {
                let after = self.plays.get(action).copied();
                return self.played(
                    terms,
                    after.unwrap_or_else(|| self.game.position().swapped()),
                );
            }
            (Decision::Double, 0) => self.throw()?,
            (Decision::Double, _) => {
                self.game.act(Act::Double)?;
                self.plays.clear();
            }
            (Decision::Answer, 0) => {
                self.game.act(Act::Pass)?;
                return self.ended(terms);
            }
            (Decision::Answer, _) => {
                self.game.act(Act::Take)?;
                self.throw()?;
            }
        }
        Ok(End::default())
    }

    fn played(&mut self, terms: &Terms, after: Position) -> Result<End, ActRefusal> {
        self.game.played(after)?;
        self.ended(terms)
    }

    /// Scores a finished game and starts the next one; else goes on to the next decision.
    fn ended(&mut self, terms: &Terms) -> Result<End, ActRefusal> {
        let Some(end) = self.game.end() else {
            self.go_on()?;
            return Ok(End::default());
        };
        let points = end.signed_points();
        self.score.finished(end);
        let won = self.score.winner().is_some();
        let (reward, done) = match (terms.length, won) {
            (0, _) => (points as f32, true),
            (_, true) => (points.signum() as f32, true),
            (_, false) => (0.0, false),
        };
        if done {
            self.score = MatchScore::new(terms.length.into());
        }
        self.start += terms.games;
        self.game = terms.game(self.score, self.start);
        self.go_on()?;
        Ok(End { reward, done })
    }

    /// Plays the opponent, player 1, until it is the turn of player 0.
    fn answer(&mut self, terms: &Terms, opponent: &dyn Player) -> Result<End, String> {
        while self.game.actor() == 1 {
            let end = self.opponent_acts(terms, opponent)?;
            if end.done {
                // The new game may be the opponent's to open; that is part of it.
                self.answer(terms, opponent)?;
                return Ok(end);
            }
        }
        Ok(End::default())
    }

    fn opponent_acts(&mut self, terms: &Terms, opponent: &dyn Player) -> Result<End, String> {
        let (position, state) = (*self.game.position(), *self.game.state());
        let with_cube = opponent.with_cube();
        let found = match (self.decision(), self.roll()) {
            (Decision::Answer, _) => {
                let takes =
                    with_cube.map(|player| player.takes(&position, &state, &mut self.chance));
                self.act(terms, usize::from(takes.unwrap_or(Ok(true)).map_err(text)?))
            }
            (Decision::Play, Some(roll)) => {
                let chance = &mut self.chance;
                let after = match with_cube {
                    Some(player) if terms.cube || terms.length > 0 => {
                        player.play_in(&position, &state, roll, chance)
                    }
                    _ => opponent.play(&position, roll, chance),
                };
                self.played(terms, after.map_err(text)?)
            }
            _ => {
                let doubles =
                    with_cube.map(|player| player.doubles(&position, &state, &mut self.chance));
                self.act(
                    terms,
                    usize::from(doubles.unwrap_or(Ok(false)).map_err(text)?),
                )
            }
        };
        found.map_err(text)
    }
}

/// Returns the text of an error.
fn text(error: impl ToString) -> String {
    error.to_string()
}

/// Concurrent games, each with its own numbered stream of dice.
#[pyclass(module = "gammond._gammond")]
pub(crate) struct Games {
    games: Vec<Episode>,
    terms: Terms,
    /// Positions at which episodes begin, as the caller named them.
    start: Option<String>,
    opponent: Option<OpenPlayer>,
    seed: u64,
    episodes: u64,
}

impl Games {
    fn restart(&mut self, py: Python<'_>) -> PyResult<()> {
        let starts = self
            .start
            .as_deref()
            .map_or(Ok(StartPositions::Usual), |text| {
                StartPositions::parse(text, self.terms.variant, self.seed)
            });
        self.terms.starts = starts.map_err(|error| wrong::value("start", error))?;
        let (seed, terms, first) = (self.seed, &self.terms, self.episodes);
        let opponent = self.opponent.as_ref().map(OpenPlayer::get).transpose()?;
        let restart = |(number, game): (usize, &mut Episode)| {
            let episode = first + number as u64;
            *game = Episode::new(stream(seed, episode), terms, episode).map_err(text)?;
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
        value: impl Fn(&Episode) -> T,
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
    #[pyo3(signature = (n, opponent=None, match_length=0, cube=false, seed=0, variant="backgammon", start=None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] n: usize,
        opponent: Option<&str>,
        #[pyo3(from_py_with = whole)] match_length: u32,
        cube: bool,
        #[pyo3(from_py_with = whole)] seed: u64,
        variant: &str,
        start: Option<String>,
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
            length: u8::try_from(match_length).unwrap_or_default(),
            cube,
            variant: variant_named(variant)?,
            starts: StartPositions::Usual,
            games: n as u64,
        };
        let opponent = opponent
            .map(|text| OpenPlayer::new(py, "opponent", text, terms.variant))
            .transpose()?;
        if let Some(opponent) = &opponent {
            let fits = opponent.get()?.can_play(terms.variant);
            fits.map_err(|error| wrong::value("variant", error))?;
        }
        let games = (0..n)
            .map(|number| Episode::new(stream(seed, number as u64), &terms, number as u64))
            .collect::<Result<_, _>>()
            .map_err(wrong::work)?;
        let mut games = Games {
            games,
            terms,
            start,
            opponent,
            seed,
            episodes: 0,
        };
        games.restart(py)?;
        Ok(games)
    }

    /// Restarts all games; without a seed, the dice continue with new streams, and without a start the games begin as
    /// before.
    #[pyo3(signature = (seed=None, start=None))]
    fn reset(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] seed: Option<u64>,
        start: Option<String>,
    ) -> PyResult<()> {
        if let Some(start) = start {
            let checked = StartPositions::parse(&start, self.terms.variant, self.seed);
            checked.map_err(|error| wrong::value("start", error))?;
            self.start = Some(start);
        }
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
            *row = game.game.seen().0.places();
        }
        boards::array(py, rows)
    }

    fn players<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        self.each(py, |game| game.game.actor() as u8)
    }

    fn phases<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u8>> {
        self.each(py, |game| game.decision() as u8)
    }

    fn counts<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        self.each(py, |game| game.actions() as i64)
    }

    /// The dice; 0 and 0 if none are rolled.
    fn dice<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dice = self
            .games
            .iter()
            .flat_map(|game| game.roll().map_or([0, 0], Roll::dice));
        dice.collect::<Vec<u8>>()
            .into_pyarray(py)
            .call_method1("reshape", (-1, 2))
    }

    /// Length, own score, opponent's score, cube, its owner (1 own, 0 centred, -1 the opponent), Crawford; seen by the
    /// player who decides.
    fn states<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let state = |game: &Episode| {
            let (_, state) = game.game.seen();
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
        let of_chunk = |games: &[Episode]| {
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
        let (terms, games, pool) = (&self.terms, &mut self.games, fork::pool()?);
        let act = |(game, &action): (&mut Episode, &i64)| {
            let actor = game.game.actor();
            let end = game
                .act(terms, usize::try_from(action).unwrap_or_default())
                .map_err(text)?;
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
