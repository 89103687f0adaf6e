//! `gammond serve` on real sockets, loopback only: rules SRV- of
//! `protocol-specs/request-protocol.md` and the goals R- of the reliability list.

use crate::support::{HANG_LIMIT, wait_for, wait_until};
use gammond_engine::engine::{Engine, Nets};
use gammond_server::console::Consoles;
use gammond_server::core::limits::Limits;
use gammond_server::http::{Http, HttpAccess, JobLimits, Metrics};
use gammond_server::lines::{Lines, serve_stream};
use gammond_server::{Address, Config, Handle, Server};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::Ordering;
use std::time::Duration;

const MOVE: &str = "move 4HPwATDgc/ABMA 31";
/// A bulk query that is not answered for a long time.
pub(crate) const LONG: &str = "move 4HPwATDgc/ABMA 43 plies=4 filter=huge prune=off\n";

/// A server on a thread of its own; ends when dropped.
pub(crate) struct Running {
    pub(crate) address: String,
    /// The first address for HTTP, if there is one.
    pub(crate) http: Option<String>,
    /// The first address for consoles, if there is one.
    pub(crate) console: Option<String>,
    pub(crate) handle: Handle,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// Settings of a server: its addresses, and those of [`Config`].
pub(crate) struct Settings {
    pub(crate) listen: Vec<Address>,
    pub(crate) console: Vec<Address>,
    pub(crate) http: Vec<Address>,
    pub(crate) metrics: Option<Address>,
    config: Config,
}

impl std::ops::Deref for Settings {
    type Target = Config;

    fn deref(&self) -> &Config {
        &self.config
    }
}

impl std::ops::DerefMut for Settings {
    fn deref_mut(&mut self) -> &mut Config {
        &mut self.config
    }
}

impl Settings {
    fn config(self) -> Config {
        let http = Http::new(self.http, HttpAccess::default(), JobLimits::default(), None);
        let config = self.config.with(Lines::new(self.listen));
        let config = config.with(Consoles::new(self.console)).with(http.unwrap());
        match self.metrics {
            Some(address) => config.with(Metrics::new(address)),
            None => config,
        }
    }
}

pub(crate) fn start(change: impl FnOnce(&mut Settings)) -> Running {
    let mut settings = Settings {
        listen: vec!["127.0.0.1:0".parse().unwrap()],
        console: Vec::new(),
        http: Vec::new(),
        metrics: None,
        config: Config::default(),
    };
    change(&mut settings);
    let config = settings.config();
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let build = || Engine::builder().threads(2).build();
            let server = Server::bind(config, build().unwrap(), Box::new(build))
                .await
                .unwrap();
            let others = (server.addresses("http"), server.addresses("console"));
            let addresses = (server.addresses("listening"), others);
            sender.send((addresses, server.handle())).unwrap();
            server.run().await;
        });
    });
    let ((addresses, (http, console)), handle) = receiver.recv().unwrap();
    Running {
        address: addresses[0].clone(),
        http: http.first().cloned(),
        console: console.first().cloned(),
        handle,
        thread: Some(thread),
    }
}

pub(crate) fn plain() -> Running {
    start(|_| {})
}

pub(crate) fn limited(change: impl FnOnce(&mut Limits)) -> Running {
    start(|config| change(&mut config.limits))
}

impl Drop for Running {
    fn drop(&mut self) {
        self.handle.cut();
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Client {
    pub(crate) fn new(address: &str) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(HANG_LIMIT)).unwrap();
        stream.set_nodelay(true).unwrap();
        let reader = BufReader::new(stream.try_clone().unwrap());
        Client { stream, reader }
    }

    pub(crate) fn send(&mut self, text: impl AsRef<[u8]>) {
        self.stream.write_all(text.as_ref()).unwrap();
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.reader.read_line(&mut line).unwrap();
        line.trim_end_matches('\n').to_owned()
    }

    fn json(&mut self) -> Value {
        let line = self.line();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no JSON: {line:?}"))
    }

    pub(crate) fn ask(&mut self, line: &str) -> Value {
        self.send(format!("{line}\n"));
        self.json()
    }

    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        // A reset is an end as well.
        let _ = self.reader.read_to_end(&mut rest);
        rest
    }
}

/// SRV-04, Q-06: the server waits for the first line; pipelined lines are answered in order.
#[test]
fn answers_come_in_the_order_of_the_lines() {
    let server = plain();
    let mut client = Client::new(&server.address);
    // Nothing may come.
    let silence = Some(Duration::from_millis(100));
    client.stream.set_read_timeout(silence).unwrap();
    let mut byte = [0];
    assert!(
        client.stream.read(&mut byte).is_err(),
        "the server spoke first"
    );
    client.stream.set_read_timeout(Some(HANG_LIMIT)).unwrap();
    let mut text = String::new();
    for number in 0..500 {
        let request = [
            "ping",
            MOVE,
            "hello",
            "eval 4HPwATDgc/ABMA",
            "set top=1",
            "cube nonsense",
        ][number % 6];
        text += &format!("#{number} {request}\n\n; nothing\n");
    }
    client.send(&text);
    for number in 0..500 {
        let answer = client.json();
        assert_eq!(answer["id"], number.to_string(), "{answer}");
        let kind = ["pong", "move", "error", "eval", "set", "error"][number % 6];
        assert_eq!(answer["type"], kind, "{answer}");
        if kind == "move" {
            let plays = answer["plays"].as_array().unwrap().len();
            assert_eq!(plays, if number < 4 { 16 } else { 1 });
        }
    }
    assert_eq!(client.ask("quit")["type"], "quit");
    assert!(client.rest().is_empty());
}

/// Every way of cutting a conversation into packets gives the same answers.
#[test]
fn any_split_gives_the_same_answers() {
    let server = plain();
    let mut talk =
        b"ping\r\n\0#a eval 4HPwATDgc/ABMA\r\n \r\nhel\xfflo\n\xff\xfd\x01\npi\0ng\npi\rng\n"
            .to_vec();
    talk.extend(vec![b'y'; 5000]);
    talk.extend(b"\nmove 4HPwATDgc/ABMA 31 top=1\n#last ping");
    let mut expected = None;
    for piece in [1, 2, 3, 7, 64, 1000, 100_000] {
        let mut client = Client::new(&server.address);
        for chunk in talk.chunks(piece) {
            client.send(chunk);
        }
        client.stream.shutdown(Shutdown::Write).unwrap();
        let answers = String::from_utf8(client.rest()).unwrap();
        assert_eq!(answers.lines().count(), 9, "{answers}");
        assert!(
            answers.ends_with("{\"id\":\"last\",\"type\":\"pong\"}\n"),
            "{answers}"
        );
        assert_eq!(
            *expected.get_or_insert(answers.clone()),
            answers,
            "pieces of {piece}"
        );
    }
}

/// SRV-05: the newcomer reads one line and is closed; the others stay.
#[test]
fn too_many_connections_are_refused_politely() {
    let server = limited(|limits| limits.connections_max = 3);
    let mut clients: Vec<_> = (0..3).map(|_| Client::new(&server.address)).collect();
    for client in &mut clients {
        assert_eq!(client.ask("ping")["type"], "pong");
    }
    let mut newcomer = Client::new(&server.address);
    let answer = newcomer.json();
    assert_eq!(answer["code"], "busy");
    assert!(
        answer["message"].as_str().unwrap().contains("connections"),
        "{answer}"
    );
    assert!(newcomer.rest().is_empty());
    let mut gnubg = Client::new(&server.address);
    gnubg.send("board:a:b:0\n\0");
    assert!(gnubg.line().starts_with("Error: busy"));
    for client in &mut clients {
        assert_eq!(client.ask("ping")["type"], "pong");
    }
    drop(clients.pop());
    wait_until("the place is freed", || {
        Client::new(&server.address).ask("ping")["type"] == "pong"
    });
    let per_peer = limited(|limits| limits.connections_per_peer = 1);
    let mut first = Client::new(&per_peer.address);
    assert_eq!(first.ask("ping")["type"], "pong");
    assert_eq!(Client::new(&per_peer.address).json()["code"], "busy");
}

/// SRV-07: a line over the limit is answered and thrown away, ten in a row close.
#[test]
fn over_long_lines() {
    let server = plain();
    for write_bytes in [100_000, 1000] {
        let mut client = Client::new(&server.address);
        let mut text = vec![b'z'; 100_000];
        text.extend(b"\nping\n");
        for chunk in text.chunks(write_bytes) {
            client.send(chunk);
        }
        let answer = client.json();
        assert_eq!(
            (&answer["code"], &answer["at"]),
            (&"line-too-long".into(), &4096.into())
        );
        assert_eq!(client.json()["type"], "pong");
    }
    let mut client = Client::new(&server.address);
    for _ in 0..10 {
        client.send([vec![b'z'; 4097], b"\n".to_vec()].concat());
    }
    let answers = String::from_utf8(client.rest()).unwrap();
    assert_eq!(answers.lines().count(), 10);
    let mut exact = Client::new(&server.address);
    exact.send([vec![b' '; 4092], b"ping\r\n".to_vec()].concat());
    assert_eq!(exact.json()["type"], "pong");
}

/// SRV-08: unfinished lines and silence end, with an answer; byte by byte does not help.
#[test]
fn slow_and_silent_clients_are_closed() {
    // Times that the clients exceed; on a busy machine by more.
    let (line, idle) = (Duration::from_millis(300), Duration::from_millis(600));
    let server = limited(|limits| (limits.line_timeout, limits.idle_timeout) = (line, idle));
    let mut loris = Client::new(&server.address);
    let mut dripping = loris.stream.try_clone().unwrap();
    let drip = std::thread::spawn(move || {
        wait_until("the loris is closed", || dripping.write_all(b"x").is_err());
    });
    let mut idle = Client::new(&server.address);
    // On a busy machine its first line can be late as well: then it connects again.
    let gnubg = wait_for("gnubg speaks in time", || {
        let mut gnubg = Client::new(&server.address);
        let _ = gnubg.stream.write_all(b"set debug on\n");
        (gnubg.line() == "Debug output ON").then_some(gnubg)
    });
    assert_eq!(loris.json()["code"], "timeout");
    assert_eq!(idle.json()["code"], "timeout");
    assert!(idle.rest().is_empty());
    drip.join().unwrap();
    // Nothing may come.
    let silence = Some(Duration::from_millis(700));
    gnubg.stream.set_read_timeout(silence).unwrap();
    let mut byte = [0];
    assert!(
        (&gnubg.stream).read(&mut byte).is_err(),
        "EXT-05: gnubg was spoken to"
    );
    assert!(server.handle.counters().timeouts.load(Ordering::Relaxed) >= 2);
}

/// What a stream that is closed after a while had to say, and when it was closed.
async fn drip(
    mut client: tokio::io::DuplexStream,
    begun: tokio::time::Instant,
) -> (Duration, String) {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    while client.write_all(b"m").await.is_ok() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    let mut said = String::new();
    client.read_to_string(&mut said).await.unwrap();
    (begun.elapsed(), said)
}

/// Asks every second for so long; an answer may not wait for a timer.
async fn ask_every_second(client: tokio::io::DuplexStream, time: Duration) {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let begun = tokio::time::Instant::now();
    let mut client = BufReader::new(client);
    while begun.elapsed() < time {
        let asked = tokio::time::Instant::now();
        client.get_mut().write_all(b"get\n").await.unwrap();
        let mut answer = String::new();
        client.read_line(&mut answer).await.unwrap();
        assert!(answer.contains("\"get\""), "{answer}");
        assert_eq!(asked.elapsed(), Duration::ZERO);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// SRV-08: a thousand unfinished lines, dripped byte by byte, live for exactly the time they
/// are given; silence is ended later, gnubg's after a day, and who asks is served all the while. The clock
/// is a simulated one.
#[test]
fn a_thousand_unfinished_lines() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    const LORISES: usize = 1000;
    let config = Config::default().with(Lines::new(vec!["127.0.0.1:0".parse().unwrap()]));
    let (line, idle) = (config.limits.line_timeout, config.limits.idle_timeout);
    let quiet_timeout = config.limits.quiet_timeout;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let build = || Engine::builder().threads(1).cache_mb(0).build();
        let server = Server::bind(config, build().unwrap(), Box::new(build));
        let handle = server.await.unwrap().handle();
        let connect = || {
            let (client, own) = tokio::io::duplex(4096);
            let handle = handle.clone();
            tokio::spawn(async move { serve_stream(&handle, own).await });
            client
        };
        let begun = tokio::time::Instant::now();
        let mut lorises = tokio::task::JoinSet::new();
        for _ in 0..LORISES {
            lorises.spawn(drip(connect(), begun));
        }
        let (mut quiet, mut gnubg) = (connect(), connect());
        gnubg.write_all(b"set debug on\n").await.unwrap();
        ask_every_second(connect(), idle * 2).await;
        while let Some(ended) = lorises.join_next().await {
            let (after, said) = ended.unwrap();
            assert!(said.contains("\"timeout\""), "{said}");
            assert!(
                after >= line && after <= line + Duration::from_secs(2),
                "{after:?}"
            );
        }
        let mut said = String::new();
        quiet.read_to_string(&mut said).await.unwrap();
        assert!(said.contains("\"timeout\""), "{said}");
        let mut said = [0; 64];
        let count = gnubg.read(&mut said).await.unwrap();
        assert_eq!(&said[..count], b"Debug output ON\n");
        gnubg.write_all(b"set debug off\n").await.unwrap();
        let count = gnubg.read(&mut said).await.unwrap();
        assert_eq!(&said[..count], b"Debug output OFF\n", "EXT-05");
        let timeouts = handle.counters().timeouts.load(Ordering::Relaxed);
        assert_eq!(timeouts, LORISES as u64 + 1);
        // Nobody thinks for longer than a day. Nothing is said to it, for it would be an answer.
        let begun = tokio::time::Instant::now();
        assert_eq!(gnubg.read(&mut said).await.unwrap(), 0, "{said:?}");
        let after = begun.elapsed();
        assert!(
            after >= quiet_timeout && after <= quiet_timeout + Duration::from_secs(2),
            "{after:?}"
        );
    });
}

/// SRV-09, SRV-10: who does not read is not computed for, and is cut.
#[test]
fn a_client_that_does_not_read_is_cut() {
    // The client never reads.
    let server = limited(|limits| limits.write_timeout = Duration::from_millis(500));
    let mut deaf = Client::new(&server.address);
    let hung = Some(HANG_LIMIT);
    deaf.stream.set_write_timeout(hung).unwrap();
    let line = format!("{MOVE}\n").repeat(100);
    let cut = (0..2000).any(|_| {
        let written = deaf.stream.write_all(line.as_bytes());
        written.is_err_and(|error| error.kind() != std::io::ErrorKind::WouldBlock)
    });
    assert!(cut, "200,000 requests were taken though no answer was read");
    let answered = server.handle.counters().answered.load(Ordering::Relaxed);
    assert!(
        answered < 20_000,
        "{answered} were computed for a peer that does not read"
    );
    assert_eq!(Client::new(&server.address).ask("ping")["type"], "pong");
}

/// Q-06, SRV-09, SRV-17: more answers than may wait at a time all come, to who reads them, and also
/// when he has ended his side.
#[test]
fn more_answers_than_may_wait() {
    let server = plain();
    for line in ["get", "help", "nonsense", "convert 4HPwATDgc/ABMA"] {
        let mut client = Client::new(&server.address);
        let mut writer = client.stream.try_clone().unwrap();
        let lines = format!("{line}\n").repeat(1500);
        let sends = std::thread::spawn(move || {
            writer.write_all(lines.as_bytes()).unwrap();
            writer.shutdown(Shutdown::Write).unwrap();
        });
        let answers = client.rest();
        sends.join().unwrap();
        let count = answers.iter().filter(|&&byte| byte == b'\n').count();
        assert_eq!(count, 1500, "{line}");
    }
}

/// SRV-17: half-close.
#[test]
fn a_half_closed_client_gets_all_its_answers() {
    let server = plain();
    let mut client = Client::new(&server.address);
    client.send(format!("{MOVE}\n").repeat(300) + "#end ping");
    client.stream.shutdown(Shutdown::Write).unwrap();
    let answers = String::from_utf8(client.rest()).unwrap();
    assert_eq!(answers.lines().count(), 301);
    assert!(answers.lines().last().unwrap().contains("\"end\""));
}

/// SRV-10, SRV-12: a flood does not starve others, and leaves nothing behind.
#[test]
fn a_flood_leaves_others_their_share() {
    let server = plain();
    let mut flood = Client::new(&server.address);
    let stream = flood.stream.try_clone().unwrap();
    let reader = std::thread::spawn(move || {
        let mut lines = BufReader::new(stream).lines();
        let mut count = 0;
        while lines.next().is_some_and(|line| line.is_ok()) {
            count += 1;
        }
        count
    });
    let writer = std::thread::spawn(move || {
        let text = format!("{MOVE} top=1\n").repeat(1000);
        for _ in 0..5 {
            flood.send(&text);
        }
        flood.stream.shutdown(Shutdown::Write).unwrap();
        flood
    });
    let mut other = Client::new(&server.address);
    for _ in 0..50 {
        assert_eq!(other.ask(MOVE)["type"], "move");
    }
    drop(writer.join().unwrap());
    assert_eq!(reader.join().unwrap(), 5000);
    let vanishing = Client::new(&server.address);
    (&vanishing.stream)
        .write_all(format!("{MOVE} plies=2\n").repeat(200).as_bytes())
        .unwrap();
    reset(vanishing);
    let counters = server.handle.counters();
    wait_until("places are freed", || {
        counters.connections.load(Ordering::Relaxed) <= 1
            && counters.queued.load(Ordering::Relaxed) == 0
    });
    assert_eq!(counters.panics.load(Ordering::Relaxed), 0);
}

/// SRV-11, SRV-12: a peer that resets in the middle of a long query gives its thread back.
#[test]
fn a_query_ends_with_its_connection() {
    let server = plain();
    // One client may begin eight long queries (SRV-21): four of its twelve wait.
    let mut clients: Vec<_> = (0..12)
        .map(|_| {
            let mut client = Client::new(&server.address);
            client.send(LONG);
            client
        })
        .collect();
    let queued = &server.handle.counters().queued;
    let wait_for_queue = |waiting: u64, what: &str| {
        // It has to stay so: queries that can begin do so at once.
        let mut seen = 0;
        wait_until(what, || {
            seen = match queued.load(Ordering::Relaxed) == waiting {
                true => seen + 1,
                false => 0,
            };
            seen == 30
        });
    };
    wait_for_queue(4, "eight queries run");
    // SRV-11: interactive queries do not wait for them.
    let mut interactive = Client::new(&server.address);
    for _ in 0..20 {
        assert_eq!(interactive.ask(MOVE)["type"], "move");
    }
    assert_eq!(queued.load(Ordering::Relaxed), 4);
    clients.drain(..8).for_each(reset);
    wait_for_queue(0, "no query waits");
    assert_eq!(interactive.ask("stats")["panics"], 0);
    clients.into_iter().for_each(reset);
}

/// Closes with a reset.
pub(crate) fn reset(client: Client) {
    let Client { stream, reader } = client;
    drop(reader);
    let socket = socket2::Socket::from(stream);
    socket.set_linger(Some(Duration::ZERO)).unwrap();
}

/// SRV-11: a full queue answers at once, with the id.
#[test]
fn overload_is_answered_busy() {
    let server = limited(|limits| {
        limits.queue_max = 4;
        limits.batch_max = 1;
    });
    let mut client = Client::new(&server.address);
    let mut text = String::new();
    for number in 0..60 {
        text += &format!("#{number} {MOVE} top=1\n");
    }
    client.send(&text);
    let answers: Vec<Value> = (0..60).map(|_| client.json()).collect();
    let busy = answers
        .iter()
        .filter(|answer| answer["code"] == "busy")
        .count();
    for (number, answer) in answers.iter().enumerate() {
        assert_eq!(answer["id"], number.to_string(), "{answer}");
    }
    assert_eq!(
        server.handle.counters().busy.load(Ordering::Relaxed),
        busy as u64
    );
    assert_eq!(client.ask(MOVE)["type"], "move", "and then it goes on");
}

/// SRV-13: a panic costs its query and nothing else. Debug builds panic at `show panic`.
#[test]
#[cfg(debug_assertions)]
fn a_panic_inside_a_query_is_contained() {
    let server = plain();
    let mut client = Client::new(&server.address);
    client.send(format!("#1 ping\n#2 show panic\n#3 {MOVE}\n"));
    assert_eq!(client.json()["type"], "pong");
    let answer = client.json();
    assert_eq!(
        (&answer["code"], &answer["id"]),
        (&"internal".into(), &"2".into())
    );
    assert_eq!(client.json()["type"], "move");
    assert_eq!(client.ask("stats")["panics"], 1);
    for _ in 0..20 {
        assert_eq!(client.ask("show panic")["code"], "internal");
        assert_eq!(client.ask(MOVE)["type"], "move");
    }
}

/// SRV-15: running queries finish, nothing new is taken, no line is cut in two.
#[test]
fn a_graceful_end() {
    let server = plain();
    let mut client = Client::new(&server.address);
    client.send(format!("{MOVE} plies=1\n").repeat(20));
    assert_eq!(client.json()["type"], "move");
    server.handle.drain();
    let rest = String::from_utf8(client.rest()).unwrap();
    assert!(
        rest.is_empty() || rest.ends_with('\n'),
        "half a line: {rest:?}"
    );
    for line in rest.lines() {
        assert_eq!(serde_json::from_str::<Value>(line).unwrap()["type"], "move");
    }
    wait_until("the port is closed", || {
        TcpStream::connect(&server.address).is_err()
    });
}

/// SRV-16: the nets are loaded anew while queries run.
#[test]
fn reloading_between_queries() {
    let server = plain();
    let mut client = Client::new(&server.address);
    let before = client.ask(MOVE);
    server.handle.reload().unwrap();
    assert_eq!(client.ask(MOVE), before);
    assert_eq!(client.ask("stats")["reloads"], 1);
}

/// SRV-16, R-35: nets that cannot be loaded leave the old ones in their place.
#[test]
fn a_reload_that_fails_changes_nothing() {
    use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let config = Config::default().with(Lines::new(vec!["127.0.0.1:0".parse().unwrap()]));
        let engine = Engine::builder().threads(1).build().unwrap();
        let nets = Nets::Path("no/such/nets".into());
        let build = move || Engine::builder().nets(nets.clone()).build();
        let server = Server::bind(config, engine, Box::new(build)).await.unwrap();
        let handle = server.handle();
        let (client, own) = tokio::io::duplex(1 << 16);
        let serving = handle.clone();
        tokio::spawn(async move { serve_stream(&serving, own).await });
        let mut client = BufReader::new(client);
        let mut answers = Vec::new();
        for _ in 0..2 {
            client
                .get_mut()
                .write_all(format!("{MOVE}\n").as_bytes())
                .await
                .unwrap();
            let mut answer = String::new();
            client.read_line(&mut answer).await.unwrap();
            answers.push(answer);
            let error = handle.reload().unwrap_err().to_string();
            assert!(error.contains("no/such/nets"), "{error}");
        }
        assert!(answers[0].contains("\"move\""), "{answers:?}");
        assert_eq!(answers[0], answers[1]);
        assert_eq!(handle.counters().reloads.load(Ordering::Relaxed), 0);
    });
}

/// SRV-01, SRV-02, SRV-03: addresses.
#[test]
fn addresses() {
    assert!("nonsense".parse::<Address>().is_err());
    assert!("unix:".parse::<Address>().is_err());
    assert!("127.0.0.1:99999".parse::<Address>().is_err());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let bind = |address: &str, retry: Duration| {
        let mut config = Config::default().with(Lines::new(vec![address.parse().unwrap()]));
        config.limits.bind_retry = retry;
        let build = || Engine::builder().threads(1).build();
        runtime.block_on(Server::bind(config, build().unwrap(), Box::new(build)))
    };
    let refused = bind("0.0.0.0:0", Duration::ZERO).unwrap_err();
    assert!(refused.to_string().contains("--allow-remote"), "{refused}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let address = format!("unix:{}", path.display());
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let server = bind(&address, Duration::ZERO).expect("a socket nobody answers is replaced");
    assert_eq!(
        server.addresses("listening"),
        std::slice::from_ref(&address)
    );
    let in_use = bind(&address, Duration::ZERO).unwrap_err();
    assert!(in_use.to_string().contains("in use"), "{in_use}");
    drop(server);
    assert!(!path.exists(), "the socket file stays behind");
}

/// Unix sockets serve the same; R-12: a port can be taken again at once.
#[test]
fn unix_sockets_and_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let address = Address::Unix(path.clone());
    let server = start(|config| config.listen = vec![address]);
    let mut stream = std::os::unix::net::UnixStream::connect(&path).unwrap();
    stream.write_all(b"#u ping\n").unwrap();
    let mut line = String::new();
    BufReader::new(stream).read_line(&mut line).unwrap();
    assert_eq!(line, "{\"id\":\"u\",\"type\":\"pong\"}\n");
    drop(server);
    let first = plain();
    let address = first.address.clone();
    let clients: Vec<_> = (0..20).map(|_| Client::new(&address)).collect();
    drop(first);
    let second = start(|config| config.listen = vec![address.parse().unwrap()]);
    assert_eq!(Client::new(&second.address).ask("ping")["type"], "pong");
    drop(clients);
}

/// SRV-18: Prometheus.
#[test]
fn metrics() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    let server = start(|config| config.metrics = Some(Address::Tcp(port.to_string())));
    assert_eq!(Client::new(&server.address).ask(MOVE)["type"], "move");
    for (path, status) in [("/metrics", "200"), ("/other", "404")] {
        let mut http = Client::new(&port.to_string());
        http.send(format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"));
        let text = String::from_utf8(http.rest()).unwrap();
        assert!(text.starts_with(&format!("HTTP/1.1 {status}")), "{text}");
        assert_eq!(
            text.contains("gammond_answered_total 1"),
            status == "200",
            "{text}"
        );
    }
}

/// the same bits for one client or many, pipelined or not, one thread or two.
#[test]
fn the_same_question_has_the_same_answer() {
    let server = plain();
    let expected = Client::new(&server.address).ask(&format!("{MOVE} plies=1"));
    let mut clients: Vec<_> = (0..8).map(|_| Client::new(&server.address)).collect();
    for client in &mut clients {
        client.send(format!("{MOVE} plies=1\n").repeat(5));
    }
    for client in &mut clients {
        for _ in 0..5 {
            assert_eq!(client.json(), expected);
        }
    }
}

/// R-36, S-02: a time limit is kept to, and `stats` tells what went on.
#[test]
fn stats_count_answers() {
    let server = plain();
    let mut client = Client::new(&server.address);
    client.ask(MOVE);
    client.ask("hello");
    let stats = client.ask("stats");
    assert_eq!(stats["connections"], 1);
    assert_eq!(stats["errors"], 1);
    assert_eq!(stats["panics"], 0);
    assert!(stats["net"].is_string());
}
