//! What the farm and requests over NATS cost: parts a second with empty work, and latency beside TCP.
//!
//!     cargo bench --bench farm -- [--parts N] [--seconds N] [--workers N]
//!
//! Starts `nats-server` and `gammond serve` as processes of their own; whoever submits and computes is this process.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    clippy::too_many_lines,
    reason = "a bench prints its figures and may fail loudly"
)]

use gammond_base::stop::Stop;
use gammond_farm::nats::Access;
use gammond_farm::{
    Commands, Division, Farm, FileCache, Programs, Submitter, VERSION, WorkerSettings, work,
};
use gammond_job::{BadPart, Control, Header, Job, Progress, RemoteExecutor, Runner};
use std::io::{BufRead, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

fn main() {
    let wanted = |name: &str, default: u64| -> u64 {
        let mut words = std::env::args().skip_while(|word| word != name).skip(1);
        words.next().map_or(default, |word| word.parse().unwrap())
    };
    let folder = tempfile::tempdir().unwrap();
    let (_server, url) = nats(folder.path());
    let runtime = Runtime::new().unwrap();
    let time = Duration::from_secs(wanted("--seconds", 5));
    latency(&runtime, &url, time);
    let workers = wanted("--workers", 1);
    for (parts, lot) in [
        (wanted("--parts", 50_000), 1),
        (wanted("--parts", 50_000) * 20, 100),
    ] {
        empty(&runtime, (&url, folder.path()), (parts, lot), workers);
    }
}

/// A process that ends with this.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn nats(folder: &Path) -> (Running, String) {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let started = Command::new("nats-server")
        .args([
            "--jetstream",
            "--addr",
            "127.0.0.1",
            "--port",
            &port.to_string(),
            "--store_dir",
        ])
        .arg(folder.join("store"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let server = Running(started.unwrap());
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::sleep(Duration::from_millis(20));
    }
    (server, format!("nats://127.0.0.1:{port}"))
}

/// Median and 99th hundredth, in milliseconds.
fn told(name: &str, mut all: Vec<f64>) {
    all.sort_by(f64::total_cmp);
    let at = |part: f64| all[((all.len() - 1) as f64 * part) as usize] * 1e3;
    println!(
        "{name}: {} answers, p50 {:.3} ms, p99 {:.3} ms",
        all.len(),
        at(0.5),
        at(0.99)
    );
}

/// One question at a time, over TCP and over NATS in turns, so that what else the machine does meets both.
fn latency(runtime: &Runtime, url: &str, time: Duration) {
    let mut serve = Command::new(env!("CARGO_BIN_EXE_gammond"));
    serve.args([
        "serve",
        "--threads",
        "1",
        "--listen",
        "127.0.0.1:0",
        "--nats",
        url,
    ]);
    let mut serve = Running(serve.stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    let mut out = BufReader::new(serve.0.stdout.take().unwrap());
    out.read_line(&mut line).unwrap();
    let mut stream =
        TcpStream::connect(line.trim().strip_prefix("listening on ").unwrap()).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    let client = runtime.block_on(async_nats::connect(url)).unwrap();
    let ping = || runtime.block_on(client.request("gammond.ping", "".into()));
    while ping().is_err() {
        std::thread::sleep(Duration::from_millis(50));
    }
    for (verb, rest) in [
        ("ping", ""),
        ("eval", "4HPwATDgc/ABMA"),
        ("move", "4HPwATDgc/ABMA 31 top=1"),
    ] {
        let (mut tcp, mut nats) = (Vec::new(), Vec::new());
        let begun = Instant::now();
        while begun.elapsed() < time {
            let asked = Instant::now();
            stream
                .write_all(format!("{verb} {rest}\n").as_bytes())
                .unwrap();
            line.clear();
            answers.read_line(&mut line).unwrap();
            tcp.push(asked.elapsed().as_secs_f64());
            let asked = Instant::now();
            let said = runtime.block_on(client.request(format!("gammond.{verb}"), rest.into()));
            nats.push(asked.elapsed().as_secs_f64());
            assert_eq!(said.unwrap().payload, line.trim_end().as_bytes());
        }
        told(&format!("{verb} over TCP"), tcp);
        told(&format!("{verb} over NATS"), nats);
    }
    let begun = Instant::now();
    let asked = runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..64 {
            let client = client.clone();
            tasks.spawn(async move {
                let mut count = 0_u64;
                while begun.elapsed() < time {
                    let asked = client.request("gammond.move", "4HPwATDgc/ABMA 31 top=1".into());
                    asked.await.unwrap();
                    count += 1;
                }
                count
            });
        }
        tasks.join_all().await.into_iter().sum::<u64>()
    });
    let rate = asked as f64 / begun.elapsed().as_secs_f64();
    println!("move over NATS, 64 at a time: {rate:.0}/s");
}

/// Parts of nothing.
#[derive(Debug)]
struct Empty(u64);

impl Job for Empty {
    type Sum = u64;
    type Error = std::convert::Infallible;

    fn header(&self) -> Header {
        Header::new("empty", 1)
    }
    fn start(&self) -> u64 {
        0
    }
    fn parts(&self) -> Option<u64> {
        Some(self.0)
    }
    fn part(&self, number: u64, _: &Stop) -> Result<Option<Vec<u8>>, Self::Error> {
        Ok(Some(number.to_le_bytes().to_vec()))
    }
    fn merge(&self, sum: &mut u64, number: u64, bytes: &[u8]) -> Result<(), BadPart> {
        *sum += u64::from_le_bytes(bytes.try_into().map_err(|_| BadPart)?) - number + 1;
        Ok(())
    }
    fn progress(&self, _: &u64, parts: u64) -> Progress {
        Progress::new("parts", parts, Some(self.0))
    }
}

impl Empty {
    fn through(&self, remote: Arc<dyn RemoteExecutor>) -> Result<u64, String> {
        let mut control = Control::quiet();
        control.remote = Some(remote);
        let done = Runner::new().run(self, &mut control);
        done.map(|outcome| outcome.sum)
            .map_err(|error| error.to_string())
    }
}

/// A command without arguments.
#[derive(Clone, Debug, PartialEq)]
struct NoCommand;

impl Commands for NoCommand {
    type Command = ();
    type Options = ();

    fn word((): &()) -> &'static str {
        "empty"
    }

    fn stages((): &()) -> u32 {
        1
    }
}

type Task = gammond_farm::Task<NoCommand>;

impl Programs<NoCommand> for Empty {
    fn run(
        &self,
        _: &Task,
        _: &[PathBuf],
        _: &Path,
        remote: Arc<dyn RemoteExecutor>,
    ) -> Result<(), String> {
        self.through(remote).map(drop)
    }
}

/// Posts, computes and fetches parts of nothing.
fn empty(runtime: &Runtime, (url, folder): (&str, &Path), (parts, lot): (u64, u64), workers: u64) {
    let name = format!("empty-{lot}");
    let access = Access {
        url: url.to_owned(),
        ..Access::default()
    };
    let open = || {
        runtime.block_on(async {
            Farm::open(access.connect().await.unwrap(), &name, None)
                .await
                .unwrap()
        })
    };
    let farm = open();
    let task: Task = serde_json::from_value(serde_json::json!({
        "format": gammond_farm::FORMAT, "version": VERSION,
        "job": null, "engine": null, "files": [], "verify_millionths": 0, "silence_s": 30, "typed": "empty",
    }))
    .unwrap();
    let division = Division {
        seconds: None,
        parts: Some(lot),
    };
    let all = Instant::now();
    let submitter =
        Submitter::submit(&farm, runtime.handle(), (task.clone(), division), false).unwrap();
    // It ends when everything is posted.
    let ended = Empty(parts).through(Arc::new(submitter));
    assert!(ended.is_err());
    let posted = all.elapsed();
    let stop = Stop::new();
    let computing = Instant::now();
    let threads: Vec<_> = (0..workers)
        .map(|number| {
            let settings = WorkerSettings {
                name: format!("worker-{number}"),
                jobs: 2,
                threads: 1,
                idle_only: false,
                cache: FileCache::new(folder.join(format!("cache-{number}")), 1 << 20),
                idle_timeout: None,
                fault: None,
            };
            let (farm, stop) = (open(), stop.clone());
            runtime.spawn(async move { work(farm, Arc::new(Empty(parts)), settings, stop).await })
        })
        .collect();
    let messages = parts / lot;
    let answers = format!("{name}-results");
    let answered = || -> u64 {
        runtime.block_on(async {
            let client = access.connect().await.unwrap();
            let stream = async_nats::jetstream::new(client)
                .get_stream(&answers)
                .await;
            stream.unwrap().cached_info().state.messages
        })
    };
    while answered() < messages {
        assert!(
            computing.elapsed() < Duration::from_secs(600),
            "{} answers",
            answered()
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    let done = computing.elapsed();
    let fetching = Instant::now();
    let submitter = Submitter::fetch(&farm, runtime.handle(), task);
    let sum = Empty(parts).through(Arc::new(submitter)).unwrap();
    assert_eq!(sum, parts);
    let fetched = fetching.elapsed();
    stop.trigger();
    for thread in threads {
        runtime.block_on(thread).unwrap().unwrap();
    }
    let rate = |count: u64, time: Duration| count as f64 / time.as_secs_f64();
    println!(
        "{messages} messages of {lot} empty parts, {workers} workers: posted {:.0}/s, computed {:.0}/s, fetched {:.0}/s \
         (messages), all {:.0} parts/s",
        rate(messages, posted),
        rate(messages, done),
        rate(messages, fetched),
        rate(parts, posted + done + fetched)
    );
}
