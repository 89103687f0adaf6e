//! The FIBS bot's socket, clock and engine, which [`crate::fibs::Machine`] does not include.
//!
//! Connects, reconnects with backoff and jitter, passes bytes and times to the machine, runs the engine on blocking
//! threads within a time budget, and updates the statistics. Async code here never computes. Rules FIBS-21 to FIBS-23
//! and FIBS-28 to FIBS-30 of `protocol-specs/fibs.md`.

use super::answer::answer;
use super::config::{FibsConfig, FibsError, check_name};
use super::keep::keep;
use super::state::{FibsState, MatchStatistics, StateLock, check_folder};
use crate::fibs::{Answer, Event, Machine, MatchRecord, Output};
use crate::shared::{DecisionMaker, StopRequests, block_on, date, unix_seconds};
use gammond_base::escape::Terminal;
use gammond_base::rng;
use gammond_engine::engine::Engine;
use gammond_engine::query::Stop;
use gammond_game::notation::{BoardView, MatchFile};
use gammond_report::render;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Timeout for connecting, and for writing a line.
const IO_TIMEOUT: Duration = Duration::from_secs(30);
/// Length of a session, in milliseconds, that resets the backoff.
const HEALTHY_MS: u64 = 20_000;
/// Version of CLIP; it has never changed.
const CLIP_VERSION: u32 = 1008;

/// The end of a connection.
enum End {
    Quit,
    Fatal(&'static str),
    Lost(String),
    /// There was no connection, for this reason.
    Unreachable(String),
}

/// Time limit for leaving after the second request to stop; the machine waits less.
const LEAVE_GRACE: Duration = Duration::from_secs(15);

/// Returns when the bot must end regardless of pending work: at the third request to stop, or if leaving after the
/// second one takes too long.
async fn ended_by_force(mut stop: watch::Receiver<u32>) {
    let count = |wanted: u32| move |count: &u32| *count >= wanted;
    if stop.wait_for(count(2)).await.is_err() {
        return std::future::pending().await;
    }
    let _ = timeout(LEAVE_GRACE, stop.wait_for(count(3))).await;
}

/// Describes the error of a failed connection.
fn unreachable(error: &std::io::Error) -> String {
    use std::io::ErrorKind;
    match error.kind() {
        ErrorKind::ConnectionRefused => "refused".to_owned(),
        ErrorKind::TimedOut => "no answer".to_owned(),
        _ => error.to_string(),
    }
}

/// Plays like [`play`] on threads of its own.
///
/// # Errors
/// [`FibsError`].
pub fn run(
    config: FibsConfig,
    engine: Engine,
    stop: StopRequests,
) -> Result<MatchStatistics, FibsError> {
    block_on(play(config, engine, stop)).map_err(FibsError::Threads)?
}

/// Plays until it is stopped or fails. `stop` counts requests to stop.
///
/// # Errors
/// [`FibsError`].
pub async fn play(
    config: FibsConfig,
    engine: Engine,
    stop: StopRequests,
) -> Result<MatchStatistics, FibsError> {
    let StopRequests(mut stop) = stop;
    check_name("client", &config.client)?;
    let _lock = StateLock::take(config.state.as_deref())?;
    let state = FibsState::load(config.state.as_deref())?;
    state.check(config.state.as_deref())?;
    check_folder(config.matches.as_deref())?;
    let mut link = Link::new(config, engine, state);
    let mut wait = link.config.backoff_ms;
    loop {
        link.pass_stop_requests(*stop.borrow());
        let stops = link.stops > 0 || link.machine.stop_deadline().is_some();
        if stops && !link.machine.stop_waits(link.now()) {
            break;
        }
        let server = link.config.server.clone();
        let connected = tokio::select! {
            connected = timeout(IO_TIMEOUT, TcpStream::connect(server.as_str())) => connected,
            // The next round checks for pending work.
            Ok(()) = stop.changed() => continue,
            () = link.stop_deadline() => continue,
        };
        let begun = Instant::now();
        let end = match connected {
            Ok(Ok(stream)) => link.session(stream, &mut stop).await,
            Ok(Err(error)) => End::Unreachable(unreachable(&error)),
            Err(_) => End::Unreachable("no answer".to_owned()),
        };
        match end {
            End::Quit => break,
            End::Fatal(reason) => return Err(FibsError::Fatal(reason)),
            End::Lost(ref reason) | End::Unreachable(ref reason) => {
                // A session that breaks at once is no sign of health: another program may be logging
                // in under our name, or the server is sick.
                let healthy = Duration::from_millis(link.config.backoff_max_ms.min(HEALTHY_MS));
                if std::mem::take(&mut link.logged_in) && begun.elapsed() >= healthy {
                    wait = link.config.backoff_ms;
                }
                let jitter = u64::from(rng::below(&mut link.chance, 1000));
                let pause = wait + wait * jitter / 2000;
                wait = (wait * 2).min(link.config.backoff_max_ms);
                let next = Duration::from_millis(pause).as_secs_f64();
                if matches!(end, End::Unreachable(_)) {
                    tracing::warn!(
                        "cannot connect to {server} ({reason}); next try in {next:.1} s"
                    );
                } else {
                    tracing::warn!("connection lost ({reason}); next try in {next:.1} s");
                    link.state.books.reconnects += 1;
                }
                tokio::select! {
                    () = sleep(Duration::from_millis(pause)) => {}
                    Ok(()) = stop.changed() => {}
                    () = link.stop_deadline() => {}
                }
            }
        }
    }
    // Match files are finished; after a second signal they are written without the analysis.
    tokio::select! {
        () = async { while link.files.join_next().await.is_some() {} } => {}
        () = ended_by_force(stop.clone()) => {
            link.hurry.trigger();
            while link.files.join_next().await.is_some() {}
        }
    }
    link.take_reports();
    link.state.books.lines = link.machine.counts().lines;
    link.summary();
    link.state.save(link.config.state.as_deref());
    Ok(link.state.books.clone())
}

struct Link {
    config: FibsConfig,
    engine: Engine,
    machine: Machine,
    state: FibsState,
    chance: rng::ChaCha8Rng,
    started: Instant,
    logged_in: bool,
    /// Number of requests to stop that the machine has received.
    stops: u32,
    day: u64,
    /// Saved matches as last reported by the server.
    saved: usize,
    /// Match files that are being written.
    files: JoinSet<()>,
    /// Reports of the analyses, for the opponents.
    reports: mpsc::UnboundedReceiver<(String, Vec<String>)>,
    report_sender: mpsc::UnboundedSender<(String, Vec<String>)>,
    /// Stop token of the analyses.
    hurry: Stop,
    decisions: DecisionMaker,
}

impl Link {
    fn new(config: FibsConfig, engine: Engine, state: FibsState) -> Link {
        let decisions =
            DecisionMaker::new(config.settings.clone(), config.think_ms, config.pause_ms);
        let mut machine = Machine::new(&config.user, config.policy.clone(), config.timing.clone());
        for (name, record_of_opponent) in &state.people {
            machine.set_drops(name, record_of_opponent.drops);
            if !record_of_opponent.report.is_empty() {
                machine.set_report(name, Some(record_of_opponent.report.clone()));
            }
        }
        for (name, match_) in &state.unfinished {
            match MatchFile::parse(match_.file.as_bytes()) {
                Ok(file) => {
                    machine.remember(MatchRecord::resumed(&file), match_.rating, match_.open);
                }
                Err(error) => tracing::warn!(name, %error, "unfinished match in the state file"),
            }
        }
        let (report_sender, reports) = mpsc::unbounded_channel();
        Link {
            machine,
            reports,
            report_sender,
            config,
            engine,
            state,
            chance: rng::stream(unix_seconds(), 0),
            started: Instant::now(),
            logged_in: false,
            stops: 0,
            day: unix_seconds() / 86_400,
            saved: 0,
            files: JoinSet::new(),
            hurry: Stop::new(),
            decisions,
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Returns when a request to stop waits no longer (FIBS-27): neither a pause between two connections nor a server
    /// that does not read delays the end.
    fn stop_deadline(&self) -> impl Future<Output = ()> + use<> {
        let deadline = self.machine.stop_deadline();
        let deadline = deadline.map(|due| self.started + Duration::from_millis(due));
        async move {
            match deadline {
                Some(deadline) => sleep_until(deadline).await,
                None => std::future::pending().await,
            }
        }
    }

    /// Runs one connection, from login to its end.
    async fn session(&mut self, mut stream: TcpStream, stop: &mut watch::Receiver<u32>) -> End {
        // A lost line costs a game: small writes must not wait for each other.
        let _ = stream.set_nodelay(true);
        let (answered, mut answers) = mpsc::channel::<(u64, Answer)>(16);
        let mut tasks = JoinSet::new();
        let mut buffer = [0_u8; 4096];
        self.machine.connected(self.now());
        let mut forced = std::pin::pin!(ended_by_force(stop.clone()));
        let mut end = loop {
            // A server that does not read is no reason to stay.
            let deadline = self.stop_deadline();
            tokio::select! {
                biased;
                done = self.outputs(&mut stream, &answered, &mut tasks) => match done {
                    Ok(()) => {}
                    Err(end) => break end,
                },
                () = &mut forced => break End::Quit,
                () = deadline => break End::Quit,
            }
            let wake = self.started + Duration::from_millis(self.machine.wake(self.now()));
            tokio::select! {
                read = stream.read(&mut buffer) => match read {
                    Ok(0) => break End::Lost("the server closed the connection".to_owned()),
                    Ok(count) => {
                        self.take_reports();
                        let now = self.now();
                        self.machine.bytes(buffer.get(..count).unwrap_or_default(), now);
                    }
                    Err(error) => break End::Lost(error.to_string()),
                },
                Some((id, answer)) = answers.recv() => {
                    let now = self.now();
                    self.machine.answer(id, answer, now);
                }
                () = sleep_until(wake) => {
                    let now = self.now();
                    self.machine.tick(now);
                    self.new_day();
                }
                Ok(()) = stop.changed() => {}
                () = &mut forced => break End::Quit,
            }
            while tasks.try_join_next().is_some() {}
            self.pass_stop_requests(*stop.borrow());
        };
        tasks.abort_all();
        let now = self.now();
        self.machine.disconnected(now);
        while let Some(output) = self.machine.poll(now) {
            match output {
                Output::Event(event) => self.event(*event),
                Output::Fatal(reason) => return End::Fatal(reason),
                // All is done, though the server did not read the goodbye.
                Output::Quit => end = End::Quit,
                _ => {}
            }
        }
        end
    }

    /// Passes requests to stop to the machine.
    fn pass_stop_requests(&mut self, asked: u32) {
        while self.stops < asked {
            self.stops += 1;
            let now = self.now();
            self.machine.stop(self.config.finish_match, now);
            self.log_stop();
        }
    }

    /// Shows at once the effect of a request to stop, and how to stop immediately.
    fn log_stop(&self) {
        match (self.stops, self.machine.opponent()) {
            (1, Some(opponent)) => {
                let what = match self.config.finish_match {
                    true => "match",
                    false => "game",
                };
                tracing::warn!(
                    "finishing the {what} against {opponent}; a second signal leaves the match \
                     (the server saves it); a third one ends the bot at once"
                );
            }
            (2, Some(opponent)) => {
                tracing::warn!(
                    "leaving the match against {opponent}; a further signal ends the bot at once"
                );
            }
            (1, None) if self.machine.stop_waits(self.now()) => tracing::warn!(
                "finding out the result of the match in which the link broke; a further signal ends the bot at once"
            ),
            _ => tracing::warn!("stopping"),
        }
    }

    /// Executes the machine's outputs.
    async fn outputs(
        &mut self,
        stream: &mut TcpStream,
        answered: &mpsc::Sender<(u64, Answer)>,
        tasks: &mut JoinSet<()>,
    ) -> Result<(), End> {
        while let Some(output) = self.machine.poll(self.now()) {
            match output {
                Output::Login => {
                    let FibsConfig {
                        client,
                        user,
                        password,
                        ..
                    } = &self.config;
                    let line = format!(
                        "login {client} {CLIP_VERSION} {user} {}\r\n",
                        password.text()
                    );
                    write(stream, &line).await?;
                }
                Output::Send(line) => {
                    tracing::debug!(line, "sent");
                    write(stream, &format!("{line}\r\n")).await?;
                }
                Output::Decide(id, ask) => {
                    let engine = self.engine.clone();
                    let search =
                        move |settings: &_, stop: &_| answer(&engine, &ask, settings, stop);
                    self.decisions.start(id, search, answered, tasks);
                }
                Output::Event(event) => self.event(*event),
                Output::Reconnect(reason) => return Err(End::Lost(reason.to_owned())),
                Output::Fatal(reason) => return Err(End::Fatal(reason)),
                Output::Quit => return Err(End::Quit),
            }
        }
        Ok(())
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::LoggedIn { rating, experience } => {
                self.logged_in = true;
                self.state.books.rating = Some(rating);
                tracing::info!(rating, experience, "logged in");
            }
            Event::MatchStarted {
                opponent,
                wanted,
                saved,
                opponent_saved,
            } => {
                self.saved = saved;
                let record_of_opponent = self.state.opponent_mut(&opponent);
                tracing::info!(
                    opponent,
                    %wanted,
                    matches = record_of_opponent.matches,
                    won = record_of_opponent.won,
                    drops = record_of_opponent.drops,
                    opponent_saved,
                    saved,
                    "match"
                );
                record_of_opponent.met = date(unix_seconds());
            }
            Event::Board(view) => {
                if self.config.watch {
                    let opponent = self.machine.opponent().unwrap_or_default();
                    draw(&watched(&self.config.user, opponent, &view));
                }
            }
            Event::Progress {
                record,
                rating,
                open,
            } => {
                self.state
                    .progress(&self.config.user, &record, rating, open);
                self.state.save(self.config.state.as_deref());
            }
            Event::MatchFinished(record) => {
                self.state.finished(&record);
                self.keep(*record);
                self.state.save(self.config.state.as_deref());
            }
            Event::MatchSaved { opponent, by_us } => {
                tracing::info!(opponent, by_us, "match saved");
                self.state.books.saved += 1;
                if !by_us {
                    let record_of_opponent = self.state.opponent_mut(&opponent);
                    record_of_opponent.drops += 1;
                    let drops = record_of_opponent.drops;
                    self.machine.set_drops(&opponent, drops);
                }
                self.state.save(self.config.state.as_deref());
            }
        }
    }

    /// Writes a finished match to a file while play continues (FIBS-28).
    fn keep(&mut self, record: MatchRecord) {
        if self.config.matches.is_none() && !self.config.analyse {
            return;
        }
        if self.config.analyse {
            self.machine.set_report(&record.opponent, Some(Vec::new()));
        }
        let (engine, config) = (self.engine.clone(), self.config.clone());
        let (hurry, reports) = (self.hurry.clone(), self.report_sender.clone());
        while self.files.try_join_next().is_some() {}
        self.files.spawn_blocking(move || {
            let lines = keep(&config, &engine, &record, &hurry);
            // A bot that has ended sends no message.
            let _ = reports.send((record.opponent, lines));
        });
    }

    /// Passes finished reports to the machine and stores them.
    fn take_reports(&mut self) {
        while let Ok((name, lines)) = self.reports.try_recv() {
            if lines.is_empty() {
                // No match was judged, so the match before it is reported again.
                let before = self.state.people.get(&name);
                let lines = before.map(|record_of_opponent| record_of_opponent.report.clone());
                self.machine
                    .set_report(&name, lines.filter(|lines| !lines.is_empty()));
                continue;
            }
            self.machine.set_report(&name, Some(lines.clone()));
            self.state.opponent_mut(&name).report = lines;
            self.state.save(self.config.state.as_deref());
        }
    }

    fn new_day(&mut self) {
        let day = unix_seconds() / 86_400;
        if day != self.day {
            self.day = day;
            self.summary();
            self.state.books.today = Default::default();
        }
    }

    fn summary(&self) {
        let books = &self.state.books;
        let counts = self.machine.counts();
        tracing::info!(
            matches = books.today.matches,
            won = books.today.won,
            unknown_results = books.today.unknown,
            points = ?books.today.points,
            rating = books.rating,
            lines = counts.lines,
            unknown = counts.unknown,
            refused = counts.refused,
            stale = counts.stale,
            foreign = counts.foreign,
            resyncs = counts.resyncs,
            unlisted = self.machine.transitions().unlisted,
            reconnects = books.reconnects,
            saved = self.saved,
            opponents = self.state.people.len(),
            "summary of the day"
        );
    }
}

/// Formats a board for people, from the side of the player on roll.
fn watched(user: &str, opponent: &str, view: &BoardView) -> String {
    let (player, other) = match view.first_on_roll {
        true => (user, opponent),
        false => (opponent, user),
    };
    let todo = match view.roll {
        Some(roll) => format!("plays {roll}"),
        None => "is to roll".to_owned(),
    };
    let board = render::board(&view.position, &view.state, view.roll);
    let [player, other] = [player, other].map(Terminal::new);
    format!("{player} (X) {todo} against {other} (O)\n{board}\n")
}

/// Draws a board; on a terminal it replaces the previous one. A closed stdout does not stop the bot.
fn draw(text: &str) {
    use std::io::{IsTerminal, Write};
    let mut out = std::io::stdout().lock();
    let clear = if out.is_terminal() {
        "\x1b[H\x1b[2J"
    } else {
        ""
    };
    let shown = write!(out, "{clear}{text}").and_then(|()| out.flush());
    drop(shown);
}

async fn write(stream: &mut TcpStream, line: &str) -> Result<(), End> {
    // Latin-1, as the server expects.
    let bytes: Vec<u8> = line
        .chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
        .collect();
    match timeout(IO_TIMEOUT, stream.write_all(&bytes)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(End::Lost(error.to_string())),
        Err(_) => Err(End::Lost("the server does not read".to_owned())),
    }
}
