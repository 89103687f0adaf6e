//! Load on `gammond serve` over loopback: requests a second on one connection, latency with many
//! clients, memory of idle connections.
//!
//!     cargo bench --bench serve -- [--seconds N] [--nets PATH] [--idle N] [--threads N]
//!
//! Starts the server as a process of its own. Idle connections need as many descriptors:
//! `ulimit -n 65536`.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a bench prints its figures and may fail loudly"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MOVE: &[u8] = b"move 4HPwATDgc/ABMA 31\n";
const TOP: &[u8] = b"move 4HPwATDgc/ABMA 31 top=1\n";

fn main() {
    let wanted = |name: &str, default: &str| {
        let mut words = std::env::args().skip_while(|word| word != name).skip(1);
        words.next().unwrap_or_else(|| default.to_owned())
    };
    let seconds: u64 = wanted("--seconds", "3").parse().unwrap();
    let idle: usize = wanted("--idle", "1000").parse().unwrap();
    let nets = wanted("--nets", "embedded");
    let server = Server::start(&nets, &wanted("--threads", "1"));
    let time = Duration::from_secs(seconds);
    println!("server with {nets}, pid {}", server.child.id());
    for (name, line) in [("all plays", MOVE), ("top=1", TOP), ("ping", b"ping\n")] {
        let (pipelined, single) = (
            pipelined(&server, line, time),
            one_at_a_time(&server, line, time),
        );
        println!("{name}: pipelined {pipelined:.0}/s, one at a time {single:.0}/s");
    }
    for clients in [1, 100, 1000] {
        let (rate, [p50, p99]) = many_clients(&server, clients, time);
        println!("{clients} clients: {rate:.0}/s, p50 {p50:.3} ms, p99 {p99:.3} ms");
    }
    idle_connections(&server, idle, time);
}

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(nets: &str, threads: &str) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--nets",
                nets,
                "--threads",
                threads,
            ])
            .args([
                "--connections",
                "20000",
                "--peer-connections",
                "20000",
                "--queue",
                "100000",
            ])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line
            .trim()
            .strip_prefix("listening on ")
            .unwrap()
            .to_owned();
        Server { child, address }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    fn resident_kib(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status
            .lines()
            .find(|line| line.starts_with("VmRSS:"))
            .unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn pipelined(server: &Server, line: &'static [u8], time: Duration) -> f64 {
    let mut stream = server.connect();
    let mut writer = stream.try_clone().unwrap();
    let start = Instant::now();
    let sender = std::thread::spawn(move || {
        let block = line.repeat(50);
        let mut sent = 0;
        while start.elapsed() < time {
            writer.write_all(&block).unwrap();
            sent += 50;
        }
        writer.shutdown(std::net::Shutdown::Write).unwrap();
        sent
    });
    let mut buffer = vec![0; 1 << 16];
    let mut lines = 0;
    loop {
        let count = stream.read(&mut buffer).unwrap();
        if count == 0 {
            break;
        }
        lines += buffer[..count]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
    }
    assert_eq!(lines, sender.join().unwrap());
    lines as f64 / start.elapsed().as_secs_f64()
}

fn one_at_a_time(server: &Server, line: &[u8], time: Duration) -> f64 {
    let mut stream = server.connect();
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    let (start, mut count) = (Instant::now(), 0);
    let mut answer = Vec::new();
    while start.elapsed() < time {
        stream.write_all(line).unwrap();
        answer.clear();
        answers.read_until(b'\n', &mut answer).unwrap();
        count += 1;
    }
    f64::from(count) / start.elapsed().as_secs_f64()
}

/// Each client asks, waits for the answer, and asks again after a pause that keeps the whole at
/// about 2,000 requests a second: latency below saturation.
fn many_clients(server: &Server, clients: usize, time: Duration) -> (f64, [f64; 2]) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let pause = Duration::from_micros(500 * clients as u64);
    let mut all: Vec<f64> = runtime.block_on(async {
        let mut tasks = tokio::task::JoinSet::new();
        for client in 0..clients {
            let stream = tokio::net::TcpStream::connect(&server.address)
                .await
                .unwrap();
            stream.set_nodelay(true).unwrap();
            let first = pause * client as u32 / clients as u32;
            tasks.spawn(ask_for(stream, first, pause, time));
        }
        let mut all = Vec::new();
        while let Some(latencies) = tasks.join_next().await {
            all.extend(latencies.unwrap());
        }
        all
    });
    all.sort_by(f64::total_cmp);
    let at = |part: f64| all[((all.len() - 1) as f64 * part) as usize];
    (all.len() as f64 / time.as_secs_f64(), [at(0.5), at(0.99)])
}

async fn ask_for(
    mut stream: tokio::net::TcpStream,
    first: Duration,
    pause: Duration,
    time: Duration,
) -> Vec<f64> {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    tokio::time::sleep(first).await;
    let (reader, mut writer) = stream.split();
    let mut reader = BufReader::new(reader);
    let (start, mut latencies, mut answer) = (Instant::now(), Vec::new(), Vec::new());
    while start.elapsed() < time {
        let asked = Instant::now();
        writer.write_all(TOP).await.unwrap();
        answer.clear();
        reader.read_until(b'\n', &mut answer).await.unwrap();
        latencies.push(asked.elapsed().as_secs_f64() * 1e3);
        tokio::time::sleep(pause.saturating_sub(asked.elapsed())).await;
    }
    latencies
}

/// Resident memory of connections that have exchanged one line each, and what one more client
/// notices of them.
fn idle_connections(server: &Server, count: usize, time: Duration) {
    let before = server.resident_kib();
    let mut streams = Vec::new();
    for _ in 0..count {
        let mut stream = server.connect();
        stream.write_all(TOP).unwrap();
        let mut answers = BufReader::new(&stream);
        answers.read_line(&mut String::new()).unwrap();
        streams.push(stream);
    }
    let each = (server.resident_kib().saturating_sub(before)) as f64 / count as f64;
    let mut stream = server.connect();
    let mut answers = BufReader::new(stream.try_clone().unwrap());
    let (start, mut latencies) = (Instant::now(), Vec::new());
    while start.elapsed() < time {
        let asked = Instant::now();
        stream.write_all(TOP).unwrap();
        answers.read_line(&mut String::new()).unwrap();
        latencies.push(asked.elapsed().as_secs_f64() * 1e3);
        std::thread::sleep(Duration::from_millis(2));
    }
    latencies.sort_by(f64::total_cmp);
    let p99 = latencies[(latencies.len() - 1) * 99 / 100];
    println!("{count} idle connections: {each:.2} KiB each, p99 of one more client {p99:.3} ms");
}
