//! Hours of the real `gammond fibs` against the server of `fibs_server` over a TCP socket, in real
//! time, with all faults on and the link cut again and again.
//!
//! Runs when `GAMMOND_FIBS_REAL_MINUTES` is set (`tools/fibs-soak.sh real`). The bot's binary is
//! `GAMMOND_FIBS_BINARY` or the one of this build; its files and a line a minute (memory, open
//! files, matches) go to the folder `GAMMOND_FIBS_SOAK_DIR`.

use crate::fibs_server::{Faults, Server, Style};
use crate::support::HANG_LIMIT;
use gammond_base::rng::{ChaCha8Rng, below, stream};
use gammond_game::notation::MatchFile;
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const STYLES: [Style; 4] = [Style::Fibs, Style::BaldLies, Style::Jibs053, Style::Jibs055];
const LENGTHS: [Option<u32>; 8] = [
    Some(1),
    Some(3),
    Some(5),
    None,
    Some(1),
    Some(7),
    Some(3),
    None,
];
const PASSWORD: &str = "s3cretW0rd";

struct Soak {
    server: Server,
    chance: ChaCha8Rng,
    bot: Child,
    folder: PathBuf,
    log: std::fs::File,
    started: Instant,
    reported: Instant,
    cuts: u32,
    connections: u32,
    /// The bot has been asked to stop.
    stopping: bool,
    /// Resident kilobytes, a minute each.
    memory: Vec<u64>,
    files: Vec<usize>,
}

#[test]
fn real_time() {
    let Ok(minutes) = std::env::var("GAMMOND_FIBS_REAL_MINUTES") else {
        return;
    };
    let minutes: u64 = minutes.parse().unwrap();
    let folder = std::env::var_os("GAMMOND_FIBS_SOAK_DIR").map_or_else(
        || std::env::temp_dir().join("gammond-fibs-soak"),
        PathBuf::from,
    );
    std::fs::create_dir_all(&folder).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let seed = 4242;
    let mut soak = Soak {
        server: Server::new(Style::Fibs, Faults::ALL, &[], seed),
        chance: stream(seed, 9),
        bot: start(&folder, &listener.local_addr().unwrap().to_string()),
        log: std::fs::File::create(folder.join("soak.log")).unwrap(),
        folder,
        started: Instant::now(),
        reported: Instant::now(),
        cuts: 0,
        connections: 0,
        stopping: false,
        memory: Vec::new(),
        files: Vec::new(),
    };
    // The soak test lasts as long as it was asked to.
    let end = soak.started + Duration::from_secs(60 * minutes);
    while Instant::now() < end {
        match listener.accept() {
            Ok((stream, _)) => soak.serve(stream, end),
            Err(_) => std::thread::sleep(Duration::from_millis(100)),
        }
        soak.minute();
    }
    soak.finish(&listener);
}

/// The bot as its users start it.
fn start(folder: &Path, address: &str) -> Child {
    use std::os::unix::fs::OpenOptionsExt;
    let policy = "unlimited = true\nunlimited_games = 2\ndrops_max = 1000000\nsaved_max = 50\n\
                  remind_s = 20\n";
    std::fs::write(folder.join("policy.toml"), policy).unwrap();
    let mut secret = std::fs::OpenOptions::new();
    let secret = secret.write(true).create(true).truncate(true).mode(0o600);
    let mut secret = secret.open(folder.join("password")).unwrap();
    writeln!(secret, "{PASSWORD}").unwrap();
    for old in ["state.json", "matches"] {
        let old = folder.join(old);
        let _ = std::fs::remove_file(&old);
        let _ = std::fs::remove_dir_all(&old);
    }
    let binary = std::env::var_os("GAMMOND_FIBS_BINARY")
        .unwrap_or_else(|| env!("CARGO_BIN_EXE_gammond").into());
    Command::new(binary)
        .args(["fibs", "--server", address, "--user", "tester"])
        .args(["--plies", "0", "--pace-ms", "400", "--pause-ms", "300"])
        .args(["--finish-match", "--log", "info"])
        .arg("--password-file")
        .arg(folder.join("password"))
        .arg("--policy")
        .arg(folder.join("policy.toml"))
        .arg("--state")
        .arg(folder.join("state.json"))
        .arg("--matches")
        .arg(folder.join("matches"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(std::fs::File::create(folder.join("bot.log")).unwrap())
        .spawn()
        .unwrap()
}

impl Soak {
    /// One connection, until it is cut, closed, or the time is over.
    fn serve(&mut self, mut stream: TcpStream, end: Instant) {
        self.connections += 1;
        stream.set_nonblocking(false).unwrap();
        stream.set_nodelay(true).unwrap();
        // Between two reads the opponent may act.
        let poll_interval = Duration::from_millis(100);
        stream.set_read_timeout(Some(poll_interval)).unwrap();
        self.move_to_another_server();
        let mut out: VecDeque<(Instant, Vec<u8>)> = VecDeque::new();
        let mut due = Instant::now();
        let mut quiet = Instant::now();
        let mut cut_in = 2000 + below(&mut self.chance, 120_000) as usize;
        out.push_back((due, self.server.connect()));
        let (mut text, mut buffer) = (Vec::new(), [0; 1000]);
        loop {
            while out.front().is_some_and(|(due, _)| *due <= Instant::now()) {
                let (_, bytes) = out.pop_front().unwrap();
                let cut = cut_in <= bytes.len();
                let bytes = &bytes[..bytes.len().min(cut_in)];
                cut_in -= bytes.len();
                if stream.write_all(bytes).is_err() || cut {
                    self.cuts += u32::from(cut);
                    return self.server.disconnect();
                }
            }
            // What the server has said arrives before it goes. A bot that stops goes by itself.
            let over = Instant::now() >= end && !self.server.busy() && !self.stopping;
            if out.is_empty() && (self.server.closed || over) {
                return self.server.disconnect();
            }
            let mut answer = Vec::new();
            match stream.read(&mut buffer) {
                Ok(0) => return self.server.disconnect(),
                Ok(count) => {
                    quiet = Instant::now();
                    text.extend(&buffer[..count]);
                }
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
                Err(_) => return self.server.disconnect(),
            }
            if quiet.elapsed() > Duration::from_secs(3) {
                quiet = Instant::now();
                if self.server.plan.is_empty() && Instant::now() < end {
                    let length = LENGTHS[below(&mut self.chance, 8) as usize];
                    self.server.plan.push_back(length);
                }
                answer = self.server.idle();
            }
            while let Some(end) = text.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = text.drain(..=end).collect();
                answer.extend(self.server.line(&String::from_utf8_lossy(&line)));
            }
            // Pieces of any size; now and then one is late, seldom very late.
            while !answer.is_empty() {
                let size = (1 + below(&mut self.chance, 600) as usize).min(answer.len());
                let rest = answer.split_off(size);
                let pause = match below(&mut self.chance, 400) {
                    0 => 30_000,
                    1..20 => 3000,
                    _ => 20,
                };
                due = due.max(Instant::now()) + Duration::from_millis(pause);
                out.push_back((due, std::mem::replace(&mut answer, rest)));
            }
            self.minute();
        }
    }

    /// Another kind of server between two matches, as if the bot had moved; at the end one that knows
    /// what is saved, or nobody could tell the bot of a match whose end a cut has hidden.
    fn move_to_another_server(&mut self) {
        if self.server.busy() {
            return;
        }
        self.server.style = match self.stopping {
            true => Style::Fibs,
            false => STYLES[below(&mut self.chance, 4) as usize],
        };
        self.server.faults.bare_lf = below(&mut self.chance, 3) == 0;
        self.server.faults.quotes = below(&mut self.chance, 3) == 0;
        self.server.faults.board_first = below(&mut self.chance, 3) == 0;
        self.server.faults.warns = below(&mut self.chance, 2) == 0;
    }

    /// A line a minute.
    fn minute(&mut self) {
        if self.reported.elapsed() < Duration::from_secs(60) {
            return;
        }
        self.reported = Instant::now();
        let line = self.state();
        writeln!(self.log, "{line}").unwrap();
        assert!(
            self.server.refusals.is_empty(),
            "{:?}",
            self.server.refusals
        );
        let ended = self.bot.try_wait().unwrap().is_some();
        assert!(!ended || self.stopping, "the bot has ended");
    }

    fn state(&mut self) -> String {
        let process = PathBuf::from(format!("/proc/{}", self.bot.id()));
        let status = std::fs::read_to_string(process.join("status")).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident = resident.and_then(|text| text.trim().strip_suffix(" kB"));
        let resident: u64 = resident.and_then(|text| text.parse().ok()).unwrap_or(0);
        let files = std::fs::read_dir(process.join("fd")).map_or(0, Iterator::count);
        let stat = std::fs::read_to_string(process.join("stat")).unwrap_or_default();
        let ticks: u64 = stat
            .split_whitespace()
            .skip(13)
            .take(2)
            .filter_map(|word| word.parse::<u64>().ok())
            .sum();
        let told = std::fs::read_to_string(self.folder.join("bot.log")).unwrap_or_default();
        let count = |what: &str| told.matches(what).count();
        self.memory.push(resident);
        self.files.push(files);
        let (server, seen) = (&self.server, &self.server.seen);
        format!(
            "minute {} resident_kb {resident} files {files} cpu_s {}.{:02} connections {} cuts {} \
             begun {} finished {} resumed {} running_or_saved {} told {} unseen {} panics {} refused {} \
             late {} games {} moves {} wrong_boards {} torn {} logouts {} kicks {} swallowed {}",
            self.started.elapsed().as_secs() / 60,
            ticks / 100,
            ticks % 100,
            self.connections,
            self.cuts,
            seen.begun,
            server.results.len(),
            seen.resumes,
            u32::from(server.busy()),
            count("match finished"),
            count("unseen=true"),
            count("panicked"),
            server.refusals.len(),
            count("decision late"),
            seen.games,
            seen.moves,
            seen.wrong_boards,
            seen.torn_boards,
            seen.logouts,
            seen.kicks,
            seen.swallowed,
        )
    }

    /// Stops the bot and compares the books.
    fn finish(&mut self, listener: &TcpListener) {
        let last = self.state();
        writeln!(self.log, "{last}").unwrap();
        let kill = Command::new("kill").arg(self.bot.id().to_string()).status();
        assert!(kill.unwrap().success());
        self.stopping = true;
        let late = Instant::now() + HANG_LIMIT;
        let status = loop {
            if let Some(status) = self.bot.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < late, "the bot does not stop");
            if let Ok((stream, _)) = listener.accept() {
                self.serve(stream, Instant::now());
            }
            std::thread::sleep(Duration::from_millis(50));
        };
        let mut files = 0;
        for entry in std::fs::read_dir(self.folder.join("matches")).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            MatchFile::parse(&bytes).unwrap();
            files += 1;
        }
        let told = std::fs::read_to_string(self.folder.join("bot.log")).unwrap();
        let (begun, results) = (self.server.seen.begun, self.server.results.len());
        let busy = usize::from(self.server.busy());
        let finished = told.matches("match finished").count();
        let unseen = told.matches("unseen=true").count();
        let (first, most) = (
            self.memory[self.memory.len() / 10],
            self.memory.iter().max(),
        );
        writeln!(
            self.log,
            "SUMMARY minutes {} begun {begun} finished {results} still_saved {busy} told_by_bot {finished} \
             of_these_unseen {unseen} files {files} panics {} refused {} resumed {} cuts {} exit {status} \
             resident_kb early {first} most {} last {} files_open most {}",
            self.started.elapsed().as_secs() / 60,
            told.matches("panicked").count(),
            self.server.refusals.len(),
            self.server.seen.resumes,
            self.cuts,
            most.unwrap(),
            self.memory.last().unwrap(),
            self.files.iter().max().unwrap(),
        )
        .unwrap();
        assert!(status.success(), "{status}");
        assert!(
            self.server.refusals.is_empty(),
            "{:?}",
            self.server.refusals
        );
        assert!(!told.contains("panicked"));
        assert!(!told.contains(PASSWORD), "the password leaks");
        assert_eq!(begun as usize, results + busy, "the server's own books");
        assert_eq!(finished, results, "matches of which the bot says nothing");
        assert_eq!(files, finished);
    }
}
