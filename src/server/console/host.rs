//! GNU Backgammon's text console on standard input and output, or over one connection.

use super::external_client::ExternalClient;
use crate::core::Core;
use crate::core::fair_queue::Lane;
use crate::core::memory_budget::ConnectionBudget;
use crate::core::worker::out_of_time;
use gammond_base::days::civil;
use gammond_base::files;
use gammond_console::{
    AnalysedAction, AnalysedMatch, AnalysedParts, AnalysisRequest, Console, ConsoleAnswer,
    ConsoleHost, LINE_MAX, PerGame, PlayerStatistics, ScoreValues, StatisticsSum,
};
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::equity::{CubeState, Stakes};
use gammond_engine::query::{Cost, EngineAnswer, EvalQuery, PlayQuery, Question, Settings, Stop};
use gammond_game::notation::{MATCH_FILE_BYTES_MAX, MatPlayer, MatchFile, MatchReading};
use gammond_game::{MatchState, Score};
use gammond_protocol::answerer::engine_error;
use gammond_protocol::{FramedLine, LineCodec};
use gammond_report::analysis::{
    Action, ActionNotes, Analysis, DecisionKind, GameAnalysis, JudgedDecision, Totals, analyse,
    luck_word, rating_word,
};
use rand_mt::Mt;
use rayon::prelude::*;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::watch;

/// Maximum size of one read in bytes.
const READ_BYTES: usize = 4096;
/// Number of words to which gnubg extends a seed of more than one word.
const SEED_WORDS: usize = 624;

/// The host of a console: engine, seeded dice, and the files of the working directory.
#[derive(Debug)]
pub struct EngineHost {
    computes: Computes,
    dice: Mt,
    /// Connections to the external players of both seats.
    externals: [Option<ExternalClient>; 2],
}

/// The place of a console's computations.
#[derive(Debug)]
enum Computes {
    /// A process of its own, which has files and connections.
    Alone {
        engine: Engine,
        stop: Stop,
        /// Flag that is `true` while nothing is being computed.
        idle: Option<Arc<AtomicBool>>,
    },
    /// A server, whose workers give each client its share.
    Served(ServedConsole),
}

/// A console's place in a server.
#[derive(Debug)]
pub(crate) struct ServedConsole {
    pub(crate) core: Arc<Core>,
    pub(crate) lane: Lane,
    pub(crate) connection_budget: Arc<ConnectionBudget>,
    /// Token that is triggered when the connection is lost.
    pub(crate) closed: Stop,
    /// True while something is computed or waits for it.
    pub(crate) is_computing: watch::Sender<bool>,
}

impl EngineHost {
    /// Creates a host with this engine, files and connections. The clock seeds its dice until a seed is set. `idle` is
    /// `false` during computations.
    #[must_use]
    pub fn new(engine: Engine, stop: Stop, idle: Option<Arc<AtomicBool>>) -> EngineHost {
        EngineHost::computing(Computes::Alone { engine, stop, idle })
    }

    /// Creates the host of a connection to a server: without files, without connections of its own.
    pub(crate) fn served(console: ServedConsole) -> EngineHost {
        EngineHost::computing(Computes::Served(console))
    }

    fn computing(computes: Computes) -> EngineHost {
        EngineHost {
            computes,
            dice: seeded(&seed_of_the_clock()),
            externals: [None, None],
        }
    }

    /// Computes something of this cost with a stop token that is not triggered.
    fn compute<R>(
        &self,
        cost: Cost,
        work: impl FnOnce(&Engine, &Stop) -> Result<R, EngineError>,
    ) -> Result<R, String> {
        match &self.computes {
            Computes::Alone { engine, stop, idle } => {
                if let Some(flag) = stop.flag() {
                    flag.store(false, Ordering::Relaxed);
                }
                let set_idle = |value: bool| {
                    if let Some(flag) = idle {
                        flag.store(value, Ordering::SeqCst);
                    }
                };
                set_idle(false);
                let result = work(engine, stop);
                set_idle(true);
                result.map_err(|error| engine_error(&error).message)
            }
            Computes::Served(console) => console.compute(cost, work),
        }
    }

    /// Returns an engine for what needs no computation.
    fn engine(&self) -> Engine {
        match &self.computes {
            Computes::Alone { engine, .. } => engine.clone(),
            Computes::Served(console) => console.core.workers.engine(),
        }
    }

    fn allowed(&self) -> Result<(), String> {
        match self.computes {
            Computes::Alone { .. } => Ok(()),
            Computes::Served(_) => {
                Err("files are not for connections: this console has none".to_owned())
            }
        }
    }
}

impl ServedConsole {
    fn compute<R>(
        &self,
        cost: Cost,
        work: impl FnOnce(&Engine, &Stop) -> Result<R, EngineError>,
    ) -> Result<R, String> {
        self.is_computing.send_replace(true);
        let workers = &self.core.workers;
        let lease = workers.lease(self.lane, cost, &self.closed, &self.connection_budget);
        let result = lease.map_err(|error| error.message).and_then(|lease| {
            let result = work(&lease.engine, lease.stop());
            // A rollout has its games so far.
            result.map_err(|error| match lease.is_spent() {
                true => out_of_time().message,
                false => engine_error(&error).message,
            })
        });
        self.is_computing.send_replace(false);
        result
    }
}

/// Returns a seed from the clock.
fn moment() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_nanos() % (1 << 62)).unwrap_or(1)
}

fn seed_of_the_clock() -> [u32; 2] {
    let [a, b, c, d, e, f, g, h] = moment().to_le_bytes();
    [[a, b, c, d], [e, f, g, h]].map(u32::from_le_bytes)
}

/// Returns gnubg's generator of dice with this seed, words of 32 bits with the lowest first (CON-31).
fn seeded(seed: &[u32]) -> Mt {
    match *seed {
        [] => Mt::new(0),
        [seed] => Mt::new(seed),
        _ => {
            let zeros = std::iter::repeat(0);
            Mt::new_with_key(seed.iter().copied().chain(zeros).take(SEED_WORDS))
        }
    }
}

/// Returns the day of the clock, UTC, as `2026-11-26`.
#[must_use]
pub fn today() -> String {
    let [year, month, day] = civil(seconds().div_euclid(86_400));
    format!("{year:04}-{month:02}-{day:02}")
}

fn seconds() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(0)
}

impl ConsoleHost for EngineHost {
    fn answer(&mut self, question: Question, settings: &Settings) -> Result<EngineAnswer, String> {
        self.compute(question.cost(settings), |engine, stop| {
            engine.answer(&question, settings, stop)
        })
    }

    fn resigns(&mut self, query: &EvalQuery, settings: &Settings) -> u8 {
        let advice = self.engine().resign_advice(query, settings);
        advice.map_or(0, |advice| advice.games)
    }

    fn die(&mut self) -> u8 {
        let word = u64::from(self.dice.next_u32());
        u8::try_from(1 + ((6 * word) >> 32)).unwrap_or(1)
    }

    fn seed(&mut self, seed: &[u32]) {
        self.dice = seeded(seed);
    }

    fn read(&mut self, name: &str) -> Result<Vec<u8>, String> {
        self.allowed()?;
        let most = u64::try_from(MATCH_FILE_BYTES_MAX).unwrap_or(u64::MAX);
        files::read(Path::new(name), most).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "No such file or directory".to_owned(),
            io::ErrorKind::PermissionDenied => "Permission denied".to_owned(),
            _ => error.to_string(),
        })
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), String> {
        self.allowed()?;
        std::fs::write(name, bytes).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => "No such file or directory".to_owned(),
            _ => error.to_string(),
        })
    }

    fn connect(&mut self, seat: u8, address: &str) -> Result<(), String> {
        // A client's connection must not make this machine dial another.
        if self.allowed().is_err() {
            return Err("connections are not for connections: this console has none".to_owned());
        }
        let client = ExternalClient::connect(address)?;
        if let Some(slot) = self.externals.get_mut(usize::from(seat)) {
            *slot = Some(client);
        }
        Ok(())
    }

    fn disconnect(&mut self, seat: u8) {
        if let Some(slot) = self.externals.get_mut(usize::from(seat)) {
            *slot = None;
        }
    }

    fn ask_external(&mut self, seat: u8, line: &str) -> Result<String, String> {
        let slot = self.externals.get_mut(usize::from(seat));
        let mut client = slot
            .and_then(Option::take)
            .ok_or("External connection closed.")?;
        let reply = self.compute(Cost::Free, |_, stop| Ok(client.ask(line, stop)))?;
        // A failed connection is closed: a late reply would answer another question.
        if reply.is_ok()
            && let Some(slot) = self.externals.get_mut(usize::from(seat))
        {
            *slot = Some(client);
        }
        reply
    }

    fn judge(&mut self, file: &MatchFile, how: &AnalysisRequest) -> Result<AnalysedMatch, String> {
        let reading = MatchReading {
            file: file.clone(),
            ..MatchReading::default()
        };
        self.compute(Cost::Long, |engine, stop| {
            let judge = |settings: &Settings| {
                let usual = Settings::for_analysis(None, None);
                // Settings that no command has changed are those of gnubg, as gnubg's nets have them.
                let is_usual = *settings == how.usual && !engine.evaluator().policy().as_gnubg;
                let settings = if is_usual { &usual } else { settings };
                let judged = analyse(engine, settings, &reading, how.rules, stop)?;
                Ok::<_, EngineError>(judged.marked(how.marks))
            };
            let chequer = judge(&how.chequer)?;
            let cube = match how.chequer == how.cube {
                true => None,
                false => Some(judge(&how.cube)?),
            };
            let cube = cube.as_ref().unwrap_or(&chequer);
            judged((engine, stop), &chequer, cube, how)
        })
    }

    fn stakes(&mut self, state: &MatchState) -> ScoreValues {
        let engine = self.engine();
        let met = engine.met();
        let of = |state: MatchState| {
            let prices = Stakes::new(state, met).prices(CubeState::from(state.cube));
            [prices.my_gammon, prices.my_backgammon]
        };
        let chance = |won| match state.score.is_money() {
            true => f64::from(i8::from(won)),
            false => met.after(state.score, won, state.cube.value()),
        };
        ScoreValues {
            chances: [chance(false), chance(true)],
            prices: [of(*state), of(state.swapped())],
        }
    }

    fn gain(&mut self, score: Score, wins: bool, points: u32) -> f64 {
        gain(&self.engine(), score, wins, points)
    }

    fn match_equity_table(&self) -> String {
        self.engine().met().name().to_owned()
    }

    fn today(&self) -> [u32; 3] {
        let [year, month, day] = civil(seconds().div_euclid(86_400));
        [month, day, year].map(|part| u32::try_from(part).unwrap_or(0))
    }

    fn now(&self) -> String {
        const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
        const MONTHS: [&str; 12] = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ];
        let (days, rest) = (seconds().div_euclid(86_400), seconds().rem_euclid(86_400));
        let [year, month, day] = civil(days);
        let name = |names: &[&'static str], at: i64| {
            let at = usize::try_from(at).ok();
            at.and_then(|at| names.get(at)).copied().unwrap_or("")
        };
        format!(
            "{} {} {day:2} {:02}:{:02}:{:02} {year}",
            name(&DAYS, days.rem_euclid(7)),
            name(&MONTHS, month - 1),
            rest / 3600,
            rest / 60 % 60,
            rest % 60
        )
    }
}

/// Implements [`ConsoleHost::gain`].
fn gain(engine: &Engine, score: Score, wins: bool, points: u32) -> f64 {
    let met = engine.met();
    met.after(score, wins, points) - met.at(score)
}

/// Converts an analysis for the console; `cube` is the analysis of the cube decisions.
fn judged(
    (engine, stop): (&Engine, &Stop),
    chequer: &Analysis,
    cube: &Analysis,
    how: &AnalysisRequest,
) -> Result<AnalysedMatch, EngineError> {
    let games = chequer.games.iter().zip(&cube.games);
    let actions = games.clone().map(|(plays, cubes)| {
        let pairs = plays.decisions.iter().zip(&cubes.decisions);
        let pairs: Vec<_> = pairs.collect();
        engine.pool().install(|| {
            pairs
                .par_iter()
                .map(|(play, cube)| action((engine, stop), play, cube, how))
                .collect::<Result<_, _>>()
        })
    });
    let actions = actions.collect::<Result<_, _>>()?;
    let mut books: Vec<[PlayerStatistics; 2]> = games
        .map(|(plays, cubes)| {
            let result = plays.result.map_or(0.0, |(winner, points)| {
                let wins = winner == MatPlayer::First;
                let [first, second] = plays.scores;
                match Score::new(chequer.length, first, second, plays.crawford) {
                    Ok(score) if chequer.length > 0 => gain(engine, score, wins, points),
                    _ if chequer.length > 0 => 0.0,
                    _ if wins => f64::from(points),
                    _ => -f64::from(points),
                }
            });
            both(
                [&plays.totals(), &counted_as_gnubg(cubes)],
                chequer.length,
                result,
                how.what,
            )
        })
        .collect();
    let mut cube_totals = [Totals::default(); 2];
    for counted in cube.games.iter().map(counted_as_gnubg) {
        for (sum, own) in cube_totals.iter_mut().zip(&counted) {
            sum.add(own);
        }
    }
    let mut whole = both(
        [&chequer.totals, &cube_totals],
        chequer.length,
        chequer.result,
        how.what,
    );
    let per_game = per_game(chequer);
    for (own, per_game) in whole.iter_mut().zip(per_game) {
        own.per_game = per_game;
    }
    books.push(whole);
    Ok(AnalysedMatch {
        games: actions,
        books,
        results: [chequer.result, chequer.luck_adjusted(MatPlayer::First)],
        notes: notes(chequer, cube, how.what),
    })
}

/// Returns the notes of the parts that were asked for; those of a cube decision stand before those of the roll after it.
fn notes(chequer: &Analysis, cube: &Analysis, what: AnalysedParts) -> ActionNotes {
    let mut notes = ActionNotes::new();
    for (analysis, of_cube) in [(cube, true), (chequer, false)] {
        analysis.add_notes(&mut notes, |mut row| {
            let is_cube = matches!(
                row.kind,
                DecisionKind::Double | DecisionKind::Take | DecisionKind::Beaver
            );
            if !what.luck {
                row.luck = None;
            }
            let is_wanted = if is_cube { what.cubes } else { what.plays };
            if !is_wanted || what.players.get(row.player.index()) != Some(&true) {
                row.loss = None;
            }
            (is_cube == of_cube).then_some(row)
        });
    }
    notes
}

/// Returns the statistics of the cube decisions of a game as gnubg counts them: an answer to a beaver or raccoon is an
/// actual cube decision, and doubles that a beaverer misses later on cost nothing; after a raccoon they do again.
fn counted_as_gnubg(game: &GameAnalysis) -> [Totals; 2] {
    let mut totals = game.totals();
    let mut turns = 0_u32;
    for JudgedDecision {
        decision,
        judgement,
    } in &game.decisions
    {
        let Some(own) = totals.get_mut(decision.player.index()) else {
            continue;
        };
        match decision.action {
            Action::Double => turns = 0,
            Action::Beaver { .. } => turns += 1,
            Action::BeaverAnswer { .. } => own.close += 1,
            Action::Play { .. } if turns % 2 == 1 => own.forgive_missed_double(decision, judgement),
            _ => {}
        }
    }
    totals
}

fn action(
    (engine, stop): (&Engine, &Stop),
    play: &JudgedDecision,
    cube: &JudgedDecision,
    how: &AnalysisRequest,
) -> Result<AnalysedAction, EngineError> {
    let AnalysedParts {
        players,
        plays,
        cubes,
        luck,
    } = how.what;
    let decision = &play.decision;
    let judges = decision.player.of(players);
    let value = f64::from(decision.state.cube.value());
    let pair =
        |emg: Option<f64>, mwc: Option<f64>| emg.map(|emg| [emg, mwc.unwrap_or(emg * value)]);
    let (own, doubles) = (
        &play.judgement,
        cube.judgement.without_beavers(&cube.decision),
    );
    let is_cube = own.plays.is_none();
    let shown = own.plays.as_ref().filter(|_| plays && judges);
    let mut best = shown.map(|plays| plays.best.clone()).unwrap_or_default();
    // The analysis keeps a few plays; where more are wanted they are ranked once more.
    if let (Some(plays), Action::Play { roll, .. }) = (shown, decision.action)
        && how.plays > best.len()
        && plays.legal > best.len()
    {
        let query = PlayQuery::new(decision.position, roll, decision.state);
        let settings = how.chequer.clone().with_top(how.plays);
        best = engine.rank_plays(&query, &settings, stop)?.plays;
    }
    let loss = if is_cube { &doubles } else { own };
    Ok(AnalysedAction {
        number: decision.number,
        cube: doubles.cube.as_deref().cloned().filter(|_| cubes && judges),
        plays: best,
        played: shown.map(|plays| (plays.played.clone(), plays.rank)),
        legal: shown.map_or(0, |plays| plays.legal),
        cube_loss: pair(doubles.cube_loss, doubles.cube_mwc).filter(|_| cubes && judges),
        loss: pair(loss.loss, loss.loss_mwc)
            .filter(|_| judges && if is_cube { cubes } else { plays }),
        luck: pair(own.luck, own.luck_mwc).filter(|_| luck),
    })
}

/// Converts the totals of both players: plays and luck from the first pair, cube decisions from the second.
fn both(
    [plays, cubes]: [&[Totals; 2]; 2],
    length: u32,
    result: f64,
    what: AnalysedParts,
) -> [PlayerStatistics; 2] {
    let [first, second] = plays;
    let adjusted = match what.luck {
        true => result - first.luck.cost + second.luck.cost,
        false => result,
    };
    let [top, bottom] = cubes;
    let of = |own: [&Totals; 2], other: &Totals, sign: f64| {
        let mut books = books(own, length, what);
        books.snowie = own.first().and_then(|own| own.snowie_rate(other));
        books.results = [sign * result, sign * adjusted].map(|value| value + 0.0);
        books.fibs_difference =
            gammond_report::analysis::fibs_difference(0.5 + sign * adjusted, length);
        books
    };
    [
        of([first, top], second, 1.0),
        of([second, bottom], first, -1.0),
    ]
}

fn books([plays, cube]: [&Totals; 2], length: u32, what: AnalysedParts) -> PlayerStatistics {
    let entry = |sum: &gammond_report::analysis::Sum| StatisticsSum {
        count: sum.count,
        emg: sum.emg,
        cost: sum.cost,
    };
    let [lucky, good, bad, unlucky] = plays.luck_marks;
    let marked = lucky + good + bad + unlucky;
    let [below, above] = &cube.missed;
    let [early, late] = &cube.wrong_doubles;
    let faults = [
        below,
        above,
        early,
        late,
        &cube.wrong_takes,
        &cube.wrong_passes,
    ];
    let mixed = Totals {
        cube: cube.cube,
        close: cube.close,
        ..*plays
    };
    let rates = [
        plays.play_rate(),
        plays.luck_rate(),
        cube.cube_rate(),
        mixed.rate(),
    ];
    let [play_rate, luck_rate, cube_rate, rate] = rates;
    let [play_loss, cube_loss] = match mixed.rating_loss(length) {
        Some([plays, cube]) => [Some(plays), Some(cube)],
        None => [None, None],
    };
    PlayerStatistics {
        plays: entry(&plays.plays),
        unforced: plays.unforced,
        play_marks: plays.play_marks,
        rolls: match what.luck {
            true => [
                lucky,
                good,
                plays.luck.count.saturating_sub(marked),
                bad,
                unlucky,
            ],
            false => [0; 5],
        },
        luck: if what.luck {
            entry(&plays.luck)
        } else {
            StatisticsSum::default()
        },
        cube: entry(&cube.cube),
        close: cube.close,
        turned: [cube.doubles, cube.takes, cube.passes],
        faults: faults.map(entry),
        rating_loss: [play_loss, cube_loss.filter(|_| cube.close > 0)],
        words: [
            rating_word(play_rate),
            if what.luck {
                luck_word(luck_rate)
            } else {
                "None"
            },
            rating_word(cube_rate),
            rating_word(rate),
        ],
        rates,
        ..PlayerStatistics::default()
    }
}

/// Returns the per-game results of a session.
fn per_game(analysis: &Analysis) -> [[PerGame; 2]; 2] {
    let signed = |game: &GameAnalysis| {
        let points = game.result.map_or(0.0, |(winner, points)| {
            let points = f64::from(points);
            if winner == MatPlayer::First {
                points
            } else {
                -points
            }
        });
        let [first, second] = &game.totals();
        [points, points - first.luck.cost + second.luck.cost]
    };
    let values: Vec<[f64; 2]> = analysis.games.iter().map(signed).collect();
    let of = |at: usize| {
        values
            .iter()
            .filter_map(|value| value.get(at).copied())
            .collect()
    };
    let [actual, adjusted]: [Vec<f64>; 2] = [of(0), of(1)];
    let first = [PerGame::of(&actual), PerGame::of(&adjusted)];
    [first, first.map(PerGame::swapped)]
}

/// The output streams of a console.
#[derive(Debug)]
pub struct Sinks<O, E> {
    /// Standard output.
    pub out: O,
    /// Standard error.
    pub err: E,
}

impl<O: Write, E: Write> Sinks<O, E> {
    fn send(&mut self, answer: &ConsoleAnswer) -> io::Result<()> {
        if !answer.err.is_empty() {
            // The reader of the messages may be gone.
            let _ = self
                .err
                .write_all(answer.err.as_bytes())
                .and_then(|()| self.err.flush());
        }
        self.out.write_all(answer.out.as_bytes())?;
        self.out.flush()
    }
}

/// Runs a console until its input ends or it quits. Returns false if standard output has been closed.
///
/// # Errors
/// If reading or writing fails; a closed output is no error.
pub fn run<O: Write, E: Write>(
    console: &mut Console,
    host: &mut dyn ConsoleHost,
    input: impl Read,
    sinks: &mut Sinks<O, E>,
    prompts: bool,
) -> io::Result<bool> {
    run_while(console, host, input, sinks, (prompts, &|| true))
}

/// Runs a console like [`run`] as long as `goes_on` is true before a command.
pub(crate) fn run_while<O: Write, E: Write>(
    console: &mut Console,
    host: &mut dyn ConsoleHost,
    mut input: impl Read,
    sinks: &mut Sinks<O, E>,
    (prompts, goes_on): (bool, &dyn Fn() -> bool),
) -> io::Result<bool> {
    let mut codec = LineCodec::new(LINE_MAX);
    let mut buffer = [0; READ_BYTES];
    loop {
        if prompts {
            sinks.out.write_all(console.prompt().as_bytes())?;
            sinks.out.flush()?;
        }
        let count = match input.read(&mut buffer) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        match buffer.get(..count) {
            Some(bytes) if count > 0 => codec.feed(bytes),
            _ => {
                codec.finish();
            }
        }
        while goes_on()
            && let Some(cut) = codec.peek()
        {
            let answer = match cut {
                FramedLine::Line(line) => {
                    let line = line.to_vec();
                    console.line(&line, host)
                }
                FramedLine::TooLong => console.too_long(),
            };
            codec.consume();
            match sinks.send(&answer) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(false),
                Err(error) => return Err(error),
            }
            if answer.ends {
                return Ok(true);
            }
        }
        if count == 0 || !goes_on() {
            return Ok(true);
        }
    }
}
