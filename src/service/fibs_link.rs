//! The FIBS bot's socket, clock and engine: what [`crate::protocol::fibs::Machine`] has not got.
//!
//! Connects, connects again with back-off and jitter, hands bytes and times to the machine, lets
//! the engine answer on blocking threads within a time budget, and keeps the books. Async code here
//! never computes. Rules FIBS-21 to FIBS-23 and FIBS-28 to FIBS-30 of `protocol-specs/fibs.md`.

use super::fibs_analysis;
pub use super::fibs_decide::answer;
use super::fibs_decide::decide;
use super::fibs_state::{Books, FibsState, date, write_match};
use crate::engine::Engine;
use crate::notation::BoardView;
use crate::protocol::fibs::{Answer, Event, Machine, MatchRecord, Output, Policy, Timing};
use crate::query::{Settings, Stop};
use crate::{render, rng};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// How long connecting, or writing a line, may take.
const IO_TIMEOUT: Duration = Duration::from_secs(30);
/// A session of this length makes the next wait short again.
const HEALTHY_MS: u64 = 20_000;
/// The version of CLIP; it has never changed.
const CLIP_VERSION: u32 = 1008;
/// Characters of a client name that FIBS accepts.
const CLIENT_NAME_MAX: usize = 20;

/// A password. Neither `Debug` nor `Display` shows it (FIBS-30).
#[derive(Clone)]
pub struct Secret(String);

impl Secret {
    /// A password as read from a file or variable; ends of lines are cut off.
    ///
    /// # Errors
    /// It is empty, or has blanks or control characters, which the login line cannot hold.
    pub fn new(text: &str) -> Result<Secret, FibsError> {
        let text = text.trim_end_matches(['\r', '\n']);
        let bad = |c: char| c.is_whitespace() || c.is_control();
        if text.is_empty() || text.contains(bad) {
            return Err(FibsError::Password);
        }
        Ok(Secret(text.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// Why the bot cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FibsError {
    /// Nothing that a login line can hold.
    #[error("the password is empty or has blanks or control characters")]
    Password,
    /// Nothing that a login line can hold.
    #[error("{field} '{value}' is empty, longer than {CLIENT_NAME_MAX} characters or has blanks")]
    Name {
        /// Which name.
        field: &'static str,
        /// What was given.
        value: String,
    },
    /// The server said something that makes it useless to connect again.
    #[error("{0}")]
    Fatal(&'static str),
    /// A file of the bot cannot be read or written.
    #[error("{path}: {reason}")]
    File {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// What the bot is told.
#[derive(Clone, Debug)]
pub struct FibsConfig {
    /// `HOST:PORT`.
    pub server: String,
    /// The user's name.
    pub user: String,
    /// The user's password.
    pub password: Secret,
    /// What the who list shows as the program.
    pub client: String,
    /// Whom to play.
    pub policy: Policy,
    /// The machine's times.
    pub timing: Timing,
    /// How to search.
    pub settings: Settings,
    /// Longest time for a decision; then what is known is played.
    pub think_ms: u64,
    /// Shortest time for a decision, so that opponents can follow.
    pub pause_ms: u64,
    /// First wait before connecting again; it doubles each time.
    pub backoff_ms: u64,
    /// Longest such wait.
    pub backoff_max_ms: u64,
    /// Where the state is kept between runs.
    pub state: Option<PathBuf>,
    /// Folder for the match files.
    pub matches: Option<PathBuf>,
    /// Whether a request to stop waits for the end of the match, not only of the game.
    pub finish_match: bool,
    /// Whether boards are drawn on stdout.
    pub watch: bool,
    /// Whether the match files say what our analysis thinks of both players.
    pub analyse: bool,
}

impl FibsConfig {
    /// The defaults for a user of a server.
    ///
    /// # Errors
    /// A user name that FIBS cannot have.
    pub fn new(server: &str, user: &str, password: Secret) -> Result<FibsConfig, FibsError> {
        check_name("user", user)?;
        Ok(FibsConfig {
            server: server.to_owned(),
            user: user.to_owned(),
            password,
            client: concat!("gammond_", env!("CARGO_PKG_VERSION")).to_owned(),
            policy: Policy::default(),
            timing: Timing::default(),
            settings: Settings::default(),
            think_ms: 4000,
            pause_ms: 1200,
            backoff_ms: 1000,
            backoff_max_ms: 60_000,
            state: None,
            matches: None,
            finish_match: false,
            watch: false,
            analyse: false,
        })
    }
}

fn check_name(field: &'static str, value: &str) -> Result<(), FibsError> {
    let good = (1..=CLIENT_NAME_MAX).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_graphic());
    match good {
        true => Ok(()),
        false => Err(FibsError::Name {
            field,
            value: value.to_owned(),
        }),
    }
}

/// How a connection ended.
enum End {
    Quit,
    Fatal(&'static str),
    Lost(String),
}

/// Plays until it is told to stop or cannot go on. `stop` counts requests to stop.
///
/// # Errors
/// [`FibsError`].
pub async fn play(
    config: FibsConfig,
    engine: Engine,
    mut stop: watch::Receiver<u32>,
) -> Result<Books, FibsError> {
    check_name("client", &config.client)?;
    let state = FibsState::load(config.state.as_deref())?;
    let mut link = Link::new(config, engine, state);
    let mut wait = link.config.backoff_ms;
    loop {
        if *stop.borrow() > 0 && !link.machine_busy() {
            break;
        }
        let connected = timeout(IO_TIMEOUT, TcpStream::connect(link.config.server.as_str())).await;
        let begun = Instant::now();
        let end = match connected {
            Ok(Ok(stream)) => link.session(stream, &mut stop).await,
            Ok(Err(error)) => End::Lost(error.to_string()),
            Err(_) => End::Lost("connecting takes too long".to_owned()),
        };
        match end {
            End::Quit => break,
            End::Fatal(reason) => return Err(FibsError::Fatal(reason)),
            End::Lost(reason) => {
                // A session that breaks at once is no sign of health: somebody else may be logging
                // in under our name, or the server is sick.
                let healthy = Duration::from_millis(link.config.backoff_max_ms.min(HEALTHY_MS));
                if std::mem::take(&mut link.logged_in) && begun.elapsed() >= healthy {
                    wait = link.config.backoff_ms;
                }
                let jitter = u64::from(rng::below(&mut link.chance, 1000));
                let pause = wait + wait * jitter / 2000;
                wait = (wait * 2).min(link.config.backoff_max_ms);
                tracing::warn!(%reason, pause_ms = pause, "connection lost");
                link.state.books.reconnects += 1;
                tokio::select! {
                    () = sleep(Duration::from_millis(pause)) => {}
                    Ok(()) = stop.changed() => {}
                }
            }
        }
    }
    while link.files.join_next().await.is_some() {}
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
    /// Requests to stop that the machine knows of.
    stops: u32,
    day: u64,
    /// Saved matches as last heard.
    saved: usize,
    /// Match files that are being written.
    files: JoinSet<()>,
}

impl Link {
    fn new(config: FibsConfig, engine: Engine, state: FibsState) -> Link {
        let mut machine = Machine::new(&config.user, config.policy.clone(), config.timing.clone());
        for (name, person) in &state.people {
            machine.set_drops(name, person.drops);
        }
        Link {
            machine,
            config,
            engine,
            state,
            chance: rng::stream(super::fibs_state::unix_seconds(), 0),
            started: Instant::now(),
            logged_in: false,
            stops: 0,
            day: super::fibs_state::unix_seconds() / 86_400,
            saved: 0,
            files: JoinSet::new(),
        }
    }

    fn machine_busy(&self) -> bool {
        self.machine.opponent().is_some()
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// One connection, from login to its end.
    async fn session(&mut self, mut stream: TcpStream, stop: &mut watch::Receiver<u32>) -> End {
        // A lost line costs a game: small writes must not wait for each other.
        let _ = stream.set_nodelay(true);
        let (answered, mut answers) = mpsc::channel::<(u64, Answer)>(16);
        let mut tasks = JoinSet::new();
        let mut buffer = [0_u8; 4096];
        self.machine.connected(self.now());
        let end = loop {
            match self.outputs(&mut stream, &answered, &mut tasks).await {
                Ok(()) => {}
                Err(end) => break end,
            }
            let wake = self.started + Duration::from_millis(self.machine.wake(self.now()));
            tokio::select! {
                read = stream.read(&mut buffer) => match read {
                    Ok(0) => break End::Lost("the server closed the connection".to_owned()),
                    Ok(count) => {
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
            }
            while tasks.try_join_next().is_some() {}
            let asked = *stop.borrow();
            while self.stops < asked {
                self.stops += 1;
                let now = self.now();
                self.machine.stop(self.config.finish_match, now);
            }
        };
        tasks.abort_all();
        let now = self.now();
        self.machine.disconnected(now);
        while let Some(output) = self.machine.poll(now) {
            match output {
                Output::Event(event) => self.event(*event),
                Output::Fatal(reason) => return End::Fatal(reason),
                _ => {}
            }
        }
        end
    }

    /// Does what the machine wants now.
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
                    let line = format!("login {client} {CLIP_VERSION} {user} {}\r\n", password.0);
                    write(stream, &line).await?;
                }
                Output::Send(line) => {
                    tracing::debug!(line, "sent");
                    write(stream, &format!("{line}\r\n")).await?;
                }
                Output::Decide(id, ask) => {
                    let engine = self.engine.clone();
                    let decision = decide(
                        move |settings, stop| answer(&engine, &ask, settings, stop),
                        self.config.settings.clone(),
                        Duration::from_millis(self.config.think_ms),
                    );
                    let pause = Duration::from_millis(self.config.pause_ms);
                    let answered = answered.clone();
                    tasks.spawn(async move {
                        let (answer, ()) = tokio::join!(decision, sleep(pause));
                        if let Some(answer) = answer {
                            // A link that is gone needs no answer.
                            let _ = answered.send((id, answer)).await;
                        }
                    });
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
                let person = self.state.person(&opponent);
                tracing::info!(
                    opponent,
                    ?wanted,
                    matches = person.matches,
                    won = person.won,
                    drops = person.drops,
                    opponent_saved,
                    saved,
                    "match"
                );
                person.met = date(super::fibs_state::unix_seconds());
            }
            Event::Board(view) => {
                if self.config.watch {
                    let opponent = self.machine.opponent().unwrap_or_default();
                    draw(&watched(&self.config.user, opponent, &view));
                }
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
                    let person = self.state.person(&opponent);
                    person.drops += 1;
                    let drops = person.drops;
                    self.machine.set_drops(&opponent, drops);
                }
                self.state.save(self.config.state.as_deref());
            }
        }
    }

    /// FIBS-28: a finished match becomes a file, written beside the play.
    fn keep(&mut self, record: MatchRecord) {
        let Some(folder) = self.config.matches.clone() else {
            return;
        };
        let engine = self.config.analyse.then(|| self.engine.clone());
        let settings = self.config.settings.clone();
        let user = self.config.user.clone();
        while self.files.try_join_next().is_some() {}
        self.files.spawn_blocking(move || {
            let analysis = engine.map(|engine| {
                fibs_analysis::comments(&engine, &settings, &user, &record, &Stop::never())
            });
            let comments = match analysis {
                None => Vec::new(),
                Some(Ok(comments)) => comments,
                Some(Err(error)) => {
                    tracing::error!(%error, "analysis");
                    Vec::new()
                }
            };
            if let Err(error) = write_match(&folder, &user, &record, comments) {
                tracing::error!(%error, "match file");
            }
        });
    }

    fn new_day(&mut self) {
        let day = super::fibs_state::unix_seconds() / 86_400;
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
            resyncs = counts.resyncs,
            reconnects = books.reconnects,
            saved = self.saved,
            opponents = self.state.people.len(),
            "summary of the day"
        );
    }
}

/// A board for people, seen by whoever is to play.
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
    format!("{player} (X) {todo} against {other} (O)\n{board}\n")
}

/// Shows a board, on a terminal in the place of the last one; a closed stdout is no reason to stop
/// playing.
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
