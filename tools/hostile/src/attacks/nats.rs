//! Requests and jobs over NATS, with a nats-server of its own: strangers who abandon work, forge reports and answers, and
//! write jobs by hand. Not tried where there is no nats-server.

use super::memory::tiny;
use super::{Act, Attack};
use crate::server::{Scratch, process_mib, wait};
use crate::stage::{Bench, Check};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

pub fn all() -> Vec<Attack> {
    let attack = |name, what, act| Attack {
        name,
        goals: "R-06 R-08",
        what,
        quick: true,
        act: Act::Alone(act),
    };
    vec![
        attack(
            "nats-abandoned",
            "four rollouts over NATS whose clients are gone",
            |bench| tried(bench, abandoned),
        ),
        attack(
            "nats-beside",
            "three endless rollouts over NATS beside a rollout and a deep look through a socket",
            |bench| tried(bench, beside),
        ),
        // Minutes on a machine with other work, which goes before long work.
        Attack {
            quick: false,
            ..attack(
                "nats-tiny-games",
                "16 requests over NATS of 255 KiB of tiny games each",
                |bench| tried(bench, |place| tiny_games(place, bench.limits.memory_mib)),
            )
        },
        attack(
            "nats-forged",
            "forged reports that nobody listens to a query",
            |bench| tried(bench, forged_reports),
        ),
        attack(
            "farm-answers",
            "answers of a farm: garbage, oversized counts, missing objects, lies about names",
            |bench| tried(bench, forged_answers),
        ),
        attack(
            "farm-jobs",
            "jobs written by hand: programs in players, paths, other versions",
            |bench| tried(bench, jobs_by_hand),
        ),
    ]
}

/// The longest wait for anything here.
const PATIENCE: Duration = Duration::from_secs(180);
/// A part of one letter, as answers have it, and its SHA-256.
const PART: &[u8] = b"\x01\0\0\0x";
const PART_SUM: &str = "85ca3bfb7e693924dc0ba8e8bae7e35c5b14193154d4926c36e29bb5d63a6118";

type Tried = Result<Vec<Check>, String>;

fn tried(bench: &Bench, attack: impl FnOnce(&Place) -> Tried) -> Vec<Check> {
    if Command::new("nats-server")
        .arg("--version")
        .output()
        .is_err()
    {
        return vec![Check::new("nats-server", "missing: not tried", true)];
    }
    let checks = Place::new(bench).and_then(|place| attack(&place));
    checks.unwrap_or_else(|error| vec![Check::new("the attack", error, false)])
}

/// A process that ends with this.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A nats-server and a folder.
struct Place {
    gammond: PathBuf,
    folder: Scratch,
    port: u16,
    _server: Running,
}

impl Place {
    fn new(bench: &Bench) -> Result<Place, String> {
        let words = |error: std::io::Error| error.to_string();
        let folder = Scratch::new().map_err(words)?;
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let port = free.map_err(words)?.port();
        let server = Command::new("nats-server")
            .args(["--jetstream", "--addr", "127.0.0.1", "--port"])
            .arg(port.to_string())
            .arg("--store_dir")
            .arg(folder.0.join("store"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(words)?;
        let server = Running(server);
        until("nats-server listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        })?;
        let gammond = fs::canonicalize(&bench.setup.gammond).map_err(words)?;
        Ok(Place {
            gammond,
            folder,
            port,
            _server: server,
        })
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(&self.gammond);
        command
            .args(line.split(' '))
            .current_dir(&self.folder.0)
            .env("GAMMOND_NATS", format!("nats://127.0.0.1:{}", self.port))
            .env("HOME", &self.folder.0)
            .env("XDG_CACHE_HOME", self.folder.0.join("cache"))
            .stdin(Stdio::null());
        command
    }

    /// Runs a line, for at most [`PATIENCE`].
    fn run(&self, line: &str) -> Result<Output, String> {
        let mut command = self.command(line);
        let child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let mut child = child.map_err(|error| error.to_string())?;
        if wait(&mut child, PATIENCE).is_none() {
            let _ = child.kill();
        }
        let output = child.wait_with_output();
        output.map_err(|error| error.to_string())
    }

    fn background(&self, line: &str) -> Result<Running, String> {
        let mut command = self.command(line);
        let log = fs::File::options()
            .create(true)
            .append(true)
            .open(self.folder.0.join("log"));
        command
            .stdout(Stdio::null())
            .stderr(log.map_err(|error| error.to_string())?);
        let child = command.spawn().map_err(|error| error.to_string())?;
        Ok(Running(child))
    }

    fn serve(&self) -> Result<Running, String> {
        let nats = format!("nats://127.0.0.1:{}", self.port);
        self.background(&format!("serve --threads 1 --nats {nats}"))
    }

    /// Serves a Unix socket as well, and returns its path.
    fn serve_socket(&self) -> Result<(Running, PathBuf), String> {
        let path = self.folder.0.join("socket");
        let nats = format!("nats://127.0.0.1:{}", self.port);
        let line = format!(
            "serve --threads 1 --nats {nats} --listen unix:{}",
            path.display()
        );
        let server = self.background(&line)?;
        until("gammond listens", || UnixStream::connect(&path).is_ok())?;
        Ok((server, path))
    }

    fn worker(&self) -> Result<Running, String> {
        self.background("farm worker --name honest --threads 1 --cache kept")
    }

    fn said(&self) -> String {
        fs::read_to_string(self.folder.0.join("log")).unwrap_or_default()
    }
}

fn until(what: &str, mut done: impl FnMut() -> bool) -> Result<(), String> {
    let begun = Instant::now();
    while !done() {
        if begun.elapsed() > PATIENCE {
            return Err(format!("{what}: not within {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

/// A client of NATS, by hand: only so can it send what a library would not.
struct Nats(BufReader<TcpStream>);

/// A message that came: its reply subject, its headers and its payload.
#[derive(Debug)]
struct Received {
    reply: String,
    headers: String,
    payload: String,
}

impl Nats {
    fn connect(place: &Place) -> Result<Nats, String> {
        let stream = TcpStream::connect(("127.0.0.1", place.port));
        let stream = stream.map_err(|error| error.to_string())?;
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        let mut nats = Nats(BufReader::new(stream));
        nats.send(b"CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\n")?;
        Ok(nats)
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        let stream = self.0.get_mut();
        stream.write_all(bytes).map_err(|error| error.to_string())
    }

    /// Publishes; `headers` are lines with their ends, a status line first if there is one.
    fn publish(
        &mut self,
        to: &str,
        reply: &str,
        headers: &str,
        payload: &[u8],
    ) -> Result<(), String> {
        let headers = match headers.starts_with("NATS/1.0") {
            true => format!("{headers}\r\n"),
            false => format!("NATS/1.0\r\n{headers}\r\n"),
        };
        let mut bytes = format!(
            "HPUB {to} {reply} {} {}\r\n{headers}",
            headers.len(),
            headers.len() + payload.len()
        )
        .into_bytes();
        bytes.extend(payload);
        bytes.extend(b"\r\n");
        self.send(&bytes)
    }

    /// Waits until the server has taken everything that was sent.
    fn flush(&mut self) -> Result<(), String> {
        self.send(b"PING\r\n")?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            if self.line().is_some_and(|line| line == "PONG") {
                return Ok(());
            }
        }
        Err("the nats-server does not answer".to_owned())
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        // Lines of a server come whole.
        self.0.read_line(&mut line).ok()?;
        Some(line.trim_end().to_owned())
    }

    /// The next message, within this time.
    fn next(&mut self, patience: Duration) -> Option<Received> {
        let begun = Instant::now();
        while begun.elapsed() < patience {
            let Some(line) = self.line() else { continue };
            if line == "PING" {
                self.send(b"PONG\r\n").ok()?;
            }
            let words: Vec<&str> = line.split(' ').collect();
            let (headers, total) = match words.first() {
                Some(&"MSG") => (0, words.last()?.parse().ok()?),
                Some(&"HMSG") => (
                    words.get(words.len() - 2)?.parse().ok()?,
                    words.last()?.parse().ok()?,
                ),
                _ => continue,
            };
            let mut bytes = vec![0; total + 2];
            self.0.read_exact(&mut bytes).ok()?;
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let expected = if headers > 0 { 6 } else { 5 };
            return Some(Received {
                reply: words
                    .get(3)
                    .filter(|_| words.len() == expected)
                    .map_or_else(String::new, |reply| (*reply).to_owned()),
                headers: text(&bytes[..headers]),
                payload: text(&bytes[headers..total]),
            });
        }
        None
    }

    /// Asks, and waits for the whole answer.
    fn ask(
        &mut self,
        subject: &str,
        inbox: &str,
        headers: &str,
        payload: &str,
    ) -> Result<String, String> {
        // A number of its own for each subscription: the server passes over one that it has seen.
        let number = inbox.replace('.', "");
        self.send(format!("SUB {inbox} {number}\r\n").as_bytes())?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            self.publish(subject, inbox, headers, payload.as_bytes())?;
            let Some(received) = self.next(PATIENCE) else {
                break;
            };
            // Nobody is there yet.
            if !received.headers.starts_with("NATS/1.0 503") {
                return Ok(received.payload);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err(format!("{subject}: no answer"))
    }
}

const POSITION: &str = "4HPwATDgc/ABMA";

fn abandoned(place: &Place) -> Tried {
    let _server = place.serve()?;
    let mut nats = Nats::connect(place)?;
    nats.ask("gammond.ping", "a.1", "", "")?;
    let long = format!("{POSITION} trials=10000000");
    for number in 0..4 {
        let (reply, header) = (format!("gone.{number}.1"), "Gammond-Timeout: 1\r\n");
        nats.publish("gammond.rollout", &reply, header, long.as_bytes())?;
    }
    nats.flush()?;
    let begun = Instant::now();
    let header = "Gammond-Timeout: 3600\r\n";
    let small = format!("{POSITION} trials=36 truncate=2 vr=off");
    let said = nats.ask("gammond.rollout", "b.1", header, &small);
    let seconds = begun.elapsed().as_secs_f64();
    let good = said
        .as_ref()
        .is_ok_and(|said| said.contains("\"type\":\"rollout\""));
    Ok(vec![
        Check::new("another client's rollout", format!("{said:.60?}"), good),
        Check::timed("it waited", format!("{seconds:.1} s"), seconds < 20.0),
    ])
}

/// Work of living clients over NATS leaves a client of a socket its share (SRV-21).
fn beside(place: &Place) -> Tried {
    let (_server, path) = place.serve_socket()?;
    let mut nats = Nats::connect(place)?;
    nats.ask("gammond.ping", "a.1", "", "")?;
    nats.send(b"SUB long.> 9\r\n")?;
    let long = format!("{POSITION} trials=10000000");
    for number in 0..3 {
        let header = "Gammond-Timeout: 3600\r\n";
        nats.publish(
            "gammond.rollout",
            &format!("long.{number}"),
            header,
            long.as_bytes(),
        )?;
    }
    nats.flush()?;
    let socket = UnixStream::connect(&path).map_err(|error| error.to_string())?;
    let _ = socket.set_read_timeout(Some(PATIENCE));
    let mut lines = BufReader::new(socket);
    let mut checks = Vec::new();
    for (kind, question) in [
        (
            "rollout",
            format!("rollout {POSITION} trials=36 truncate=2 vr=off"),
        ),
        ("move", format!("move {POSITION} 31 plies=3")),
    ] {
        let begun = Instant::now();
        let mut said = String::new();
        let sent = lines
            .get_mut()
            .write_all(format!("{question}\n").as_bytes());
        let read = sent.and_then(|()| lines.read_line(&mut said));
        let seconds = begun.elapsed().as_secs_f64();
        let good = read.is_ok() && said.contains(&format!("\"type\":\"{kind}\""));
        checks.push(Check::new(
            format!("{kind} through the socket"),
            format!("{said:.60?}"),
            good,
        ));
        checks.push(Check::timed(
            "it waited",
            format!("{seconds:.1} s"),
            seconds < 20.0,
        ));
    }
    Ok(checks)
}

/// Matches with thousands of games each stay within the server's memory; every request is answered.
fn tiny_games(place: &Place, limit_mib: f64) -> Tried {
    const REQUESTS: usize = 16;
    let server = place.serve()?;
    let mut nats = Nats::connect(place)?;
    nats.ask("gammond.ping", "a.1", "", "")?;
    let base = process_mib(server.0.id(), "VmHWM").unwrap_or(f64::NAN);
    nats.send(b"SUB tiny.> 9\r\n")?;
    let request = format!("plies=0\n{}.\n", tiny(255 << 10));
    for number in 0..REQUESTS {
        let header = "Gammond-Timeout: 3600\r\n";
        nats.publish(
            "gammond.analyse",
            &format!("tiny.{number}"),
            header,
            request.as_bytes(),
        )?;
    }
    let mut kinds = std::collections::BTreeMap::<String, usize>::new();
    for _ in 0..REQUESTS {
        let Some(received) = nats.next(PATIENCE) else {
            break;
        };
        let code =
            (received.payload.split("\"code\":\"").nth(1)).and_then(|rest| rest.split('"').next());
        *kinds
            .entry(code.unwrap_or("judged").to_owned())
            .or_default() += 1;
    }
    let high = process_mib(server.0.id(), "VmHWM").unwrap_or(f64::NAN);
    let answers: usize = kinds.values().sum();
    Ok(vec![
        Check::new("answers", format!("{kinds:?}"), answers == REQUESTS),
        Check::new(
            "most memory",
            format!("{high:.0} MiB, {base:.0} before"),
            high <= limit_mib,
        ),
    ])
}

fn forged_reports(place: &Place) -> Tried {
    let _server = place.serve()?;
    let mut attacker = Nats::connect(place)?;
    attacker.ask("gammond.ping", "a.1", "", "")?;
    let long = format!("{POSITION} trials=10000000 vr=off truncate=5 progress=1");
    // The attacker learns the form of the subject from a query of its own.
    attacker.send(b"SUB mine.1 2\r\n")?;
    let short = format!("{long} time=1000");
    attacker.publish("gammond.rollout", "mine.1", "", short.as_bytes())?;
    let own = attacker.next(PATIENCE);
    let own = own.ok_or("the attacker gets no progress")?;
    while attacker
        .next(PATIENCE)
        .is_some_and(|one| !one.reply.is_empty())
    {}
    let mut victim = Nats::connect(place)?;
    victim.send(b"SUB victim.1 1\r\n")?;
    victim.publish("gammond.rollout", "victim.1", "", long.as_bytes())?;
    let first = victim.next(PATIENCE);
    let first = first.ok_or("the victim gets no progress")?;
    let mut guesses = Vec::new();
    let words: Vec<&str> = own.reply.split('.').collect();
    for number in 0..20 {
        for at in 1..words.len() {
            let mut guess: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            guess[at] = number.to_string();
            guesses.push(guess.join("."));
        }
    }
    for guess in &guesses {
        attacker.publish(guess, "", "NATS/1.0 503\r\n", b"")?;
    }
    attacker.flush()?;
    let on = (0..3).all(|_| victim.next(PATIENCE).is_some());
    let found = format!(
        "{} guesses; first progress {:.30}",
        guesses.len(),
        first.payload
    );
    Ok(vec![Check::new("the victim is served on", found, on)])
}

/// The headers of an answer.
fn headers(worker: &str, parts: &str, sum: &str, object: bool) -> String {
    let object = if object { "Gammond-Object: 1\r\n" } else { "" };
    format!(
        "Nats-Expected-Last-Subject-Sequence: 0\r\nGammond-Worker: {worker}\r\nGammond-Instance: 1-1\r\n\
         Gammond-Busy-Ms: 18446744073709551615\r\nGammond-Parts: {parts}\r\nGammond-Sha256: {sum}\r\n{object}"
    )
}

fn forged_answers(place: &Place) -> Tried {
    let duel = "duel random random --games 12 --journal";
    place.run(&format!("{duel} alone"))?;
    let submitted = place.run(&format!("farm submit --verify 0 --batch 1 {duel} made"))?;
    let job = String::from_utf8_lossy(&submitted.stdout).trim().to_owned();
    let mut nats = Nats::connect(place)?;
    let huge = "W".repeat(5000);
    for (batch, headers, payload) in [
        (0, headers("garbage", "1", PART_SUM, false), PART),
        (
            1,
            headers("many", "1000000000000000000", PART_SUM, false),
            PART,
        ),
        (2, headers("missing", "1", &"1".repeat(64), true), &b""[..]),
        (3, headers("damaged", "1", &"0".repeat(64), false), PART),
        (4, headers(&huge, "1", PART_SUM, false), PART),
    ] {
        nats.publish(
            &format!("gammond.result.{job}.0.{batch}.0"),
            "acked.1",
            &headers,
            payload,
        )?;
    }
    nats.flush()?;
    let status = place.run("farm status")?;
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    let _worker = place.worker()?;
    let fetched = place.run(&format!("farm fetch --wait {job}"))?;
    let read = |name: &str| fs::read(place.folder.0.join(name)).unwrap_or_default();
    let same = read("made") == read("alone") && !read("alone").is_empty();
    let workers = place.run("farm workers")?;
    let workers = String::from_utf8_lossy(&workers.stdout).into_owned();
    let aside = ["garbage", "many", "missing", "damaged"];
    let aside = aside
        .iter()
        .filter(|name| workers.contains(&format!("{name}: quarantined")))
        .count();
    let honest = !workers.contains("honest: quarantined");
    Ok(vec![
        Check::new("the job ends", fetched.status, fetched.status.success()),
        Check::new("the result is that of one machine", same, same),
        Check::new(
            "parts in the status",
            status.trim(),
            !status.contains("1000000000"),
        ),
        Check::new(
            "machines quarantined",
            format!("{aside} of 4"),
            aside == 4 && honest,
        ),
        Check::new("no panic", "", !place.said().contains("panicked")),
    ])
}

fn jobs_by_hand(place: &Place) -> Tried {
    let marker = place.folder.0.join("was-run");
    let run = format!("touch {}", marker.display());
    let typed = run.replace(' ', "${IFS}");
    let submitted = place.run(&format!(
        "farm submit duel expectiminimax:eval=ubgi:{typed} random"
    ))?;
    let good = place.run("farm submit --verify 0 duel random random --games 4")?;
    let good = String::from_utf8_lossy(&good.stdout).trim().to_owned();
    let mut nats = Nats::connect(place)?;
    let old = |word: &str| {
        format!(
            "{{\"format\":1,\"version\":\"0.1.0\",\"command\":[\"duel\"],\"words\":[[{{\"text\":\"{word}\"}}],\
             [{{\"text\":\"random\"}}]],\"files\":[],\"stages\":1,\"verify_millionths\":0,\"silence_s\":30}}"
        )
    };
    let new = |player: &str| {
        format!(
            "{{\"format\":2,\"version\":\"0.1.0\",\"job\":{{\"duel\":{{\"a\":{player},\"b\":\"random\",\"games\":4,\
             \"decide\":null,\"journal\":null,\"luck_adjusted\":null,\"independent_dice\":false,\"terms\":\"cubeless\",\
             \"failures\":\"end\"}}}},\"engine\":{{\"nets\":\"embedded\",\"plies\":0,\"bearoff\":null,\
             \"met\":{{\"named\":\"kazaross-xg2\"}},\"seed\":1,\"format\":null}},\"files\":[],\"verify_millionths\":0,\
             \"silence_s\":30,\"typed\":\"\"}}"
        )
    };
    let tasks = [
        old(&format!("expectiminimax:eval=ubgi:{run}")),
        old("linear:/etc/passwd"),
        new(&format!("{{\"ubgi\":\"{run}\"}}")),
        new(&format!(
            "{{\"expectiminimax\":{{\"depth\":1,\"eval\":{{\"pipe\":\"{run}\"}}}}}}"
        )),
        new("{\"linear\":\"/etc/passwd\"}"),
        new("{\"classic\":{\"kind\":\"td\",\"file\":0,\"sides\":\"swap\"}}"),
        new("\"random\"").replace("\"0.1.0\"", "\"9.9.9\\u001b[2J\""),
        "{".to_owned(),
        "[".repeat(100_000),
    ];
    for (number, task) in tasks.iter().enumerate() {
        let key = format!("$KV.gammond-jobs.duel-00000000000{number}");
        nats.publish(&format!("{key}.task"), "acked.1", "", task.as_bytes())?;
        let stage = "{\"format\":2,\"header\":\"x\",\"parts\":4,\"batch\":1}";
        nats.publish(&format!("{key}.stage.0"), "acked.1", "", stage.as_bytes())?;
        nats.publish(&format!("{key}.state"), "acked.1", "", b"active")?;
    }
    let report = "{\"name\":\"\\u001b[2Jeve\",\"instance\":\"1-1\",\"version\":\"\\u001b[31m\",\"threads\":1}";
    nats.publish(
        "$KV.gammond-workers.here.eve.1-1",
        "acked.1",
        "",
        report.as_bytes(),
    )?;
    nats.publish(
        "$KV.gammond-jobs.aside.bob",
        "acked.1",
        "",
        b"\x1b[2Jwhy\nforged",
    )?;
    nats.flush()?;
    let mut worker = place.worker()?;
    let fetched = place.run(&format!("farm fetch --wait {good}"))?;
    until("the jobs are refused", || {
        place.said().matches("refused").count() >= tasks.len()
    })?;
    let lives = worker.0.try_wait().is_ok_and(|ended| ended.is_none());
    let mut shown = place.said();
    for line in ["farm status", "farm workers"] {
        let said = place.run(line)?;
        shown.push_str(&String::from_utf8_lossy(&said.stdout));
    }
    let refused = !submitted.status.success();
    Ok(vec![
        Check::new(
            "`submit` refuses a nested program",
            submitted.status,
            refused,
        ),
        Check::new("no command was run", "", !marker.exists()),
        Check::new(
            "the honest job ends",
            fetched.status,
            fetched.status.success(),
        ),
        Check::new("the worker lives", lives, lives),
        Check::new("no file is quoted", "", !shown.contains("root:")),
        Check::new("no escape is shown", "", !shown.contains('\x1b')),
    ])
}
