//! The bgammon bot's socket, clock and engine, which [`crate::bgammon::BgammonMachine`] does not include.
//!
//! Connects, reconnects with backoff and jitter, passes bytes and times to the machine, and runs the engine on blocking
//! threads within a time budget, so that pings are answered while it computes (BGM-10, BGM-11).

use super::answer::answer;
use super::config::{BgammonConfig, BgammonError};
use super::connection::{Connection, is_private};
use crate::bgammon::{BgammonAnswer, BgammonMachine, BgammonOutput, Ended};
use crate::shared::{
    DecisionMaker, StopRequests, block_on, check_match_folder, date, unix_seconds, write_match,
};
use gammond_base::rng;
use gammond_engine::engine::Engine;
use std::path::Path;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

/// Timeout for connecting, and for writing a line.
const IO_TIMEOUT: Duration = Duration::from_secs(30);
/// Wait for the server to close the connection after the bot's last command.
const GOODBYE: Duration = Duration::from_secs(2);
/// Length of a session that resets the backoff and the count of ended connections.
const HEALTHY: Duration = Duration::from_secs(60);
/// Maximum number of connections that the server may end at once, one after the other, before the bot stops (BGM-53).
const TERMINATIONS_MAX: u32 = 2;
/// Limit of terminations during a match: the server can take the connection before for a living one up to 40 s.
const TERMINATIONS_IN_MATCH_MAX: u32 = 8;
/// Start of the server's reason for ending a connection.
const TERMINATED: &str = "Connection terminated";

/// The end of a connection.
enum End {
    Quit,
    Lost(String),
}

impl End {
    /// Puts what happened in front of a reason.
    fn within(self, what: &str) -> End {
        match self {
            End::Lost(reason) => End::Lost(format!("{what} ({reason})")),
            End::Quit => End::Quit,
        }
    }
}

/// Plays like [`play`] on threads of its own.
///
/// # Errors
/// [`BgammonError`].
pub fn run(config: BgammonConfig, engine: Engine, stop: StopRequests) -> Result<u64, BgammonError> {
    block_on(play(config, engine, stop)).map_err(BgammonError::Threads)?
}

/// Plays until it is stopped or fails. `stop` counts requests to stop: the first one waits for the end of the match,
/// the second one leaves it, the third one ends the bot at once.
///
/// # Errors
/// [`BgammonError`].
pub async fn play(
    config: BgammonConfig,
    engine: Engine,
    stop: StopRequests,
) -> Result<u64, BgammonError> {
    let StopRequests(mut stop) = stop;
    check_folder(config.matches.as_deref())?;
    if config.password.is_some() && !is_private(&config.server) {
        tracing::warn!("the password travels in clear text: use a server address of wss://");
    }
    let mut link = Link::new(config, engine);
    let mut wait = link.config.backoff_ms;
    let mut chance = rng::stream(unix_seconds(), 0);
    let mut terminations = 0;
    loop {
        let asked = *stop.borrow();
        link.pass_stop_requests(asked);
        if asked > 0 && link.machine.opponent().is_none() {
            break;
        }
        let begun = Instant::now();
        let end = tokio::select! {
            connected = timeout(IO_TIMEOUT, Connection::open(&link.config.server)) => {
                let cannot = format!("cannot connect to {}", link.config.server);
                match connected {
                    Ok(Ok(stream)) => link.session(stream, &mut stop).await.within("connection lost"),
                    Ok(Err(error)) => End::Lost(error.to_string()).within(&cannot),
                    Err(_) => End::Lost("no answer".to_owned()).within(&cannot),
                }
            }
            Ok(()) = stop.changed() => continue,
        };
        let End::Lost(reason) = end else { break };
        if begun.elapsed() >= HEALTHY.min(Duration::from_millis(link.config.backoff_max_ms)) {
            wait = link.config.backoff_ms;
            terminations = 0;
        }
        if let Some(said) = link.terminated.take() {
            terminations += 1;
            let most = match link.machine.opponent() {
                Some(_) => TERMINATIONS_IN_MATCH_MAX,
                None => TERMINATIONS_MAX,
            };
            if terminations >= most {
                link.finish().await;
                return Err(BgammonError::Terminated(said));
            }
        }
        let jitter = u64::from(rng::below(&mut chance, 1000));
        let pause = Duration::from_millis(wait + wait * jitter / 2000);
        wait = (wait * 2).min(link.config.backoff_max_ms);
        let next = pause.as_secs_f64();
        tracing::warn!("{reason}; next try in {next:.1} s");
        tokio::select! {
            () = sleep(pause) => {}
            Ok(()) = stop.changed() => {}
        }
    }
    link.finish().await;
    Ok(link.matches)
}

/// Checks that match files can be written in this folder, which is created if it is missing.
fn check_folder(folder: Option<&Path>) -> Result<(), BgammonError> {
    let Some(folder) = folder else { return Ok(()) };
    check_match_folder(folder).map_err(|source| BgammonError::Matches {
        path: folder.display().to_string(),
        source,
    })
}

struct Link {
    config: BgammonConfig,
    engine: Engine,
    machine: BgammonMachine,
    started: Instant,
    /// Number of requests to stop that the machine has received.
    stops: u32,
    /// Number of finished matches.
    matches: u64,
    /// The server's reason for ending this connection.
    terminated: Option<String>,
    /// Match files that are being written.
    files: JoinSet<()>,
    decisions: DecisionMaker,
}

impl Link {
    fn new(config: BgammonConfig, engine: Engine) -> Link {
        let decisions =
            DecisionMaker::new(config.settings.clone(), config.think_ms, config.pause_ms);
        let machine = BgammonMachine::new(config.offer.clone(), config.timing.clone());
        Link {
            machine: machine.with_matches(config.matches_max),
            config,
            engine,
            started: Instant::now(),
            stops: 0,
            matches: 0,
            terminated: None,
            files: JoinSet::new(),
            decisions,
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Writes the matches that are not written yet.
    async fn finish(&mut self) {
        self.machine.abandon();
        self.keep_ended();
        while self.files.join_next().await.is_some() {}
    }

    /// Keeps the matches that have ended, and does nothing else.
    fn keep_ended(&mut self) {
        let now = self.now();
        while let Some(output) = self.machine.poll(now) {
            if let BgammonOutput::Ended(ended) = output {
                self.keep(*ended);
            }
        }
    }

    /// Passes requests to stop to the machine.
    fn pass_stop_requests(&mut self, asked: u32) {
        while self.stops < asked {
            self.stops += 1;
            let now = self.now();
            match self.machine.opponent() {
                Some(opponent) if self.stops == 1 => tracing::warn!(
                    "finishing the match against {opponent:?}; a second signal leaves the match, which \
                     loses it; a third one ends the bot at once"
                ),
                _ => tracing::warn!("stopping"),
            }
            self.machine.stop(now);
        }
    }

    /// Runs one connection, from login to its end.
    async fn session(
        &mut self,
        mut connection: Connection,
        stop: &mut watch::Receiver<u32>,
    ) -> End {
        let (answered, mut answers) = mpsc::channel::<(u64, BgammonAnswer)>(16);
        let mut tasks = JoinSet::new();
        self.terminated = None;
        self.machine.connected(self.now());
        let end = loop {
            match self.outputs(&mut connection, &answered, &mut tasks).await {
                Ok(()) => {}
                Err(end) => break end,
            }
            let wake = self.started + Duration::from_millis(self.machine.wake());
            tokio::select! {
                read = connection.read() => match read {
                    Ok(bytes) if bytes.is_empty() => break End::Lost("the server closed the connection".to_owned()),
                    Ok(bytes) => {
                        let now = self.now();
                        self.machine.bytes(&bytes, now);
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
                }
                Ok(()) = stop.changed() => {}
            }
            while tasks.try_join_next().is_some() {}
            let asked = *stop.borrow();
            if asked > 2 {
                break End::Quit;
            }
            self.pass_stop_requests(asked);
        };
        if matches!(end, End::Quit) {
            // Commands behind which the connection is closed at once can be lost.
            let _ = timeout(GOODBYE, async {
                while connection.read().await.is_ok_and(|bytes| !bytes.is_empty()) {}
            })
            .await;
        }
        self.machine.disconnected();
        self.keep_ended();
        end
    }

    /// Executes the machine's outputs.
    async fn outputs(
        &mut self,
        connection: &mut Connection,
        answered: &mpsc::Sender<(u64, BgammonAnswer)>,
        tasks: &mut JoinSet<()>,
    ) -> Result<(), End> {
        while let Some(output) = self.machine.poll(self.now()) {
            match output {
                BgammonOutput::Login => write(connection, &self.config.login()).await?,
                BgammonOutput::Send(line) => {
                    // The rest may be the password of a match.
                    let word = line.split(' ').next().unwrap_or_default();
                    let shown = if word == "create" { word } else { &line };
                    tracing::debug!(line = shown, "sent");
                    write(connection, &line).await?;
                }
                BgammonOutput::Decide(id, ask) => {
                    let engine = self.engine.clone();
                    let search =
                        move |settings: &_, stop: &_| answer(&engine, &ask, settings, stop);
                    self.decisions.start(id, search, answered, tasks);
                }
                BgammonOutput::LoggedIn(user) => {
                    tracing::info!(?user, "logged in");
                }
                BgammonOutput::Started(opponent) => tracing::info!(?opponent, "match"),
                BgammonOutput::Ended(ended) => self.keep(*ended),
                BgammonOutput::Notice(text) => {
                    tracing::info!(?text, "notice");
                    if text.starts_with(TERMINATED) {
                        self.terminated = Some(text);
                    }
                }
                BgammonOutput::Unreadable(reason) => tracing::warn!(?reason, "unreadable event"),
                BgammonOutput::Reconnect(reason) => return Err(End::Lost(reason.to_owned())),
                BgammonOutput::Quit => return Err(End::Quit),
            }
        }
        Ok(())
    }

    /// Counts an ended match and writes its file while play continues.
    fn keep(&mut self, ended: Ended) {
        let Ended { record, user } = ended;
        let [mine, theirs] = record.scores;
        let outcome = record.outcome.map(|outcome| outcome.to_string());
        tracing::info!(
            opponent = ?record.opponent,
            score = format!("{mine}-{theirs}"),
            outcome,
            "match ended"
        );
        self.matches += 1;
        let Some(folder) = self.config.matches.clone() else {
            return;
        };
        while self.files.try_join_next().is_some() {}
        self.files.spawn_blocking(move || {
            let comments = vec![format!(" bgammon, {}", date(unix_seconds()))];
            let text = record.file(&user, comments).to_string();
            if let Err(error) = write_match(&folder, &record.opponent, &text) {
                tracing::error!(%error, "match file");
            }
        });
    }
}

async fn write(connection: &mut Connection, line: &str) -> Result<(), End> {
    match timeout(IO_TIMEOUT, connection.send(line)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(End::Lost(error.to_string())),
        Err(_) => Err(End::Lost("the server does not read".to_owned())),
    }
}
