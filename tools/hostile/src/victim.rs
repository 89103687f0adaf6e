//! Clients that do nothing wrong and want their answers: their waiting times are the measure.

use crate::clients::{Random, would_wait};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// What a victim asks, and how often.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    ZeroPly,
    Ping,
    TwoPly,
    /// 0-ply questions four times a second, for hours.
    Slow,
}

/// The victims' clock: quiet, under attack, over.
pub const QUIET: u8 = 0;
pub const ATTACK: u8 = 1;
pub const OVER: u8 = 2;

#[derive(Clone, Default)]
pub struct Log {
    pub ms: Vec<f64>,
    /// Questions answered with `busy`, with another error, and not at all.
    pub busy: u64,
    pub errors: u64,
    pub lost: u64,
    pub first_error: Option<String>,
}

impl Log {
    pub fn percentile(&self, share: f64) -> f64 {
        let mut sorted = self.ms.clone();
        sorted.sort_by(f64::total_cmp);
        let at = ((sorted.len() as f64 * share) as usize).min(sorted.len().saturating_sub(1));
        sorted.get(at).copied().unwrap_or(f64::NAN)
    }

    pub fn wrong(&self) -> u64 {
        self.busy + self.errors + self.lost
    }
}

pub struct Victim {
    thread: JoinHandle<[Log; 2]>,
}

impl Victim {
    pub fn start(
        kind: Kind,
        to: SocketAddr,
        phase: Arc<AtomicU8>,
        positions: Arc<Vec<String>>,
    ) -> Victim {
        Victim {
            thread: std::thread::spawn(move || live(kind, to, &phase, &positions)),
        }
    }

    /// What it met in quiet times and under attack.
    pub fn end(self) -> [Log; 2] {
        self.thread.join().unwrap_or_default()
    }
}

fn live(kind: Kind, to: SocketAddr, phase: &AtomicU8, positions: &[String]) -> [Log; 2] {
    // It shall measure the server, not its own waiting for a processor. Only root may.
    let _ = rustix::process::setpriority_process(None, -10);
    let mut logs = [Log::default(), Log::default()];
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let pace = match kind {
        Kind::ZeroPly | Kind::Ping => Duration::from_millis(4),
        Kind::TwoPly => Duration::from_millis(50),
        Kind::Slow => Duration::from_millis(250),
    };
    let mut stream = None;
    loop {
        let now = phase.load(Ordering::Relaxed);
        if now == OVER {
            return logs;
        }
        let log = &mut logs[usize::from(now)];
        let begun = Instant::now();
        let open = match stream.take() {
            Some(open) => open,
            None => match TcpStream::connect(to) {
                Ok(open) => {
                    let _ = open.set_nodelay(true);
                    let _ = open.set_read_timeout(Some(Duration::from_millis(20)));
                    open
                }
                Err(_) => {
                    log.lost += 1;
                    std::thread::sleep(pace);
                    continue;
                }
            },
        };
        stream = ask(
            open,
            &question(kind, &mut random, positions),
            phase,
            log,
            begun,
        );
        if stream.is_none() {
            std::thread::sleep(pace);
        }
        std::thread::sleep(pace.saturating_sub(begun.elapsed()));
    }
}

fn question(kind: Kind, random: &mut Random, positions: &[String]) -> String {
    let plies = match kind {
        Kind::Ping => return "ping\n".to_owned(),
        Kind::ZeroPly | Kind::Slow => 0,
        Kind::TwoPly => 2,
    };
    let position = &positions[random.below(positions.len())];
    let (one, two) = (random.below(6) + 1, random.below(6) + 1);
    format!("move {position} {one}{two} top=1 plies={plies}\n")
}

/// One question and its answer. The connection, unless it was lost. A question that is not answered
/// before the end counts with the time it has waited.
fn ask(
    mut stream: TcpStream,
    question: &str,
    phase: &AtomicU8,
    log: &mut Log,
    begun: Instant,
) -> Option<TcpStream> {
    let mut line = Vec::new();
    let mut buffer = [0; 4096];
    if stream.write_all(question.as_bytes()).is_err() {
        log.lost += 1;
        return None;
    }
    while !line.ends_with(b"\n") {
        match stream.read(&mut buffer) {
            Ok(0) => {
                log.lost += 1;
                return None;
            }
            Ok(count) => line.extend_from_slice(&buffer[..count]),
            Err(error) if would_wait(&error) => {
                if phase.load(Ordering::Relaxed) == OVER {
                    log.ms.push(begun.elapsed().as_secs_f64() * 1e3);
                    return Some(stream);
                }
            }
            Err(_) => {
                log.lost += 1;
                return None;
            }
        }
    }
    let text = String::from_utf8_lossy(&line);
    if text.contains("\"type\":\"error\"") {
        match text.contains("\"code\":\"busy\"") {
            true => log.busy += 1,
            false => log.errors += 1,
        }
        log.first_error
            .get_or_insert_with(|| text.trim().to_owned());
    } else {
        log.ms.push(begun.elapsed().as_secs_f64() * 1e3);
    }
    Some(stream)
}

/// Positions of games that the server plays against itself, for questions it has not just answered.
pub fn positions(to: SocketAddr, count: usize) -> Result<Vec<String>, String> {
    let start = "4HPwATDgc/ABMA";
    let mut stream = TcpStream::connect(to).map_err(|error| error.to_string())?;
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .map_err(|error| error.to_string())?;
    let mut reader =
        std::io::BufReader::new(stream.try_clone().map_err(|error| error.to_string())?);
    let mut random = Random(7);
    let (mut found, mut position) = (Vec::new(), start.to_owned());
    while found.len() < count {
        let (one, two) = (random.below(6) + 1, random.below(6) + 1);
        let asked = format!("move {position} {one}{two} top=4 plies=0\n");
        stream
            .write_all(asked.as_bytes())
            .map_err(|error| error.to_string())?;
        let mut line = String::new();
        std::io::BufRead::read_line(&mut reader, &mut line).map_err(|error| error.to_string())?;
        let answer: serde_json::Value =
            serde_json::from_str(&line).map_err(|error| format!("{error}: {line:?}"))?;
        let plays = answer["plays"].as_array().cloned().unwrap_or_default();
        let next = plays
            .get(random.below(plays.len()))
            .and_then(|play| play["position"].as_str());
        match next {
            Some(next) => {
                found.push(position);
                position = next.to_owned();
            }
            None => position = start.to_owned(),
        }
    }
    Ok(found)
}
