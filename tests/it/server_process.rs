//! `gammond serve` as a process: signals, descriptors, start and restart.

use crate::server::{Client, LONG};
use crate::support::{HANG_LIMIT, missing, wait_for, wait_until};
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const PING: &str = "ping\n";

pub(crate) struct Process {
    child: Child,
    pub(crate) addresses: Vec<String>,
}

impl Process {
    /// Runs `gammond serve` by a shell command in which `"$@"` is the server.
    pub(crate) fn start(shell: &str, options: &[&str]) -> Process {
        let mut child = Command::new("sh")
            .args([
                "-c",
                shell,
                "sh",
                env!("CARGO_BIN_EXE_gammond"),
                "serve",
                "--threads",
                "1",
            ])
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let count = options
            .iter()
            .filter(|option| matches!(**option, "--listen" | "--http"))
            .count();
        let addresses = (0..count)
            .map(|_| lines.next().unwrap().unwrap())
            .map(|line| {
                let address = line.strip_prefix("listening on ");
                address
                    .or(line.strip_prefix("http on "))
                    .unwrap()
                    .to_owned()
            })
            .collect();
        Process { child, addresses }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end of the process. Returns the exit code.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        wait_for("the server ends", || self.child.try_wait().unwrap()).code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The table of endings is made at the start, and not for the first who asks about one.
#[test]
fn bearoff_tables_are_ready_before_the_first_query() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let shell = format!("exec \"$@\" 2>'{}'", log.display());
    let mut process = Process::start(&shell, &["--listen", "127.0.0.1:0", "--log", "debug"]);
    let said = || std::fs::read_to_string(&log).unwrap();
    wait_until("the table of endings is made", || {
        said().contains("the table of endings is made")
    });
    process.signal("TERM");
    assert_eq!(process.wait(), Some(0));
}

/// SRV-01, SRV-15, SRV-16: SIGHUP reloads, SIGTERM ends with 0, and the socket file is gone.
#[test]
fn signals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let unix = format!("unix:{}", path.display());
    let mut server = Process::start(
        "exec \"$@\"",
        &["--listen", "127.0.0.1:0", "--listen", &unix],
    );
    assert_eq!(server.addresses[1], unix);
    assert!(path.exists());
    let mut client = Client::new(&server.addresses[0]);
    client.send(PING);
    assert_eq!(client.line(), "{\"type\":\"pong\"}");
    server.signal("HUP");
    wait_until("the nets are loaded anew", || {
        client.send("stats\n");
        client.line().contains("\"reloads\":1")
    });
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    assert_eq!(client.line(), "", "the connection is closed");
    assert!(!path.exists());
}

/// SRV-23: sockets that systemd has opened are served, for lines over TCP and Unix and for HTTP; the file stays.
#[cfg(target_os = "linux")]
#[test]
fn sockets_of_systemd_are_served() {
    const ACTIVATE: &str = "systemd-socket-activate";
    let found = Command::new(ACTIVATE).arg("--version").output();
    if !found.is_ok_and(|output| output.status.success()) {
        return missing("server_process::sockets_of_systemd_are_served", ACTIVATE);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    // Ports that were free a moment ago.
    let free = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let [tcp, http] = free.map(|socket| socket.local_addr().unwrap().to_string());
    let unix = format!("unix:{}", path.display());
    let shell = format!(
        "exec {ACTIVATE} -l {tcp} -l {http} -l '{}' \"$@\" 2>/dev/null",
        path.display()
    );
    // The server starts at the first connection, whose client waits that long.
    let client = std::thread::spawn({
        let tcp = tcp.clone();
        move || {
            wait_until("systemd listens", || TcpStream::connect(&tcp).is_ok());
            let mut client = Client::new(&tcp);
            client.send(PING);
            client.line()
        }
    });
    let options = ["--listen", &tcp, "--http", &http, "--listen", &unix];
    let mut server = Process::start(&shell, &options);
    assert_eq!(client.join().unwrap(), "{\"type\":\"pong\"}");
    let mut stream = TcpStream::connect(&http).unwrap();
    write!(
        stream,
        "GET /healthz HTTP/1.1\r\nhost: {http}\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let mut local = UnixStream::connect(&path).unwrap();
    local.write_all(PING.as_bytes()).unwrap();
    let mut line = String::new();
    BufReader::new(&local).read_line(&mut line).unwrap();
    assert_eq!(line, "{\"type\":\"pong\"}\n");
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
    assert!(path.exists(), "systemd's file is gone");
}

/// SRV-16: many SIGHUPs keep one set of nets and its threads.
#[cfg(target_os = "linux")]
#[test]
fn reload_storm_keeps_one_set_of_nets() {
    let server = Process::start("exec \"$@\"", &["--listen", "127.0.0.1:0"]);
    let mut client = Client::new(&server.addresses[0]);
    client.send("rollout 4HPwATDgc/ABMA trials=16777216\n");
    let mut other = Client::new(&server.addresses[0]);
    let status = |field: &str| {
        let path = format!("/proc/{}/status", server.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find(|line| line.starts_with(field));
        let number = line.unwrap().split_whitespace().nth(1).unwrap();
        number.parse::<u64>().unwrap()
    };
    // What the server holds after each reload, in KiB and threads.
    let mut reloaded = |times: u64| {
        let until = Instant::now() + HANG_LIMIT;
        let mut held = Vec::new();
        loop {
            server.signal("HUP");
            other.send("stats\n");
            let answer: serde_json::Value = serde_json::from_str(&other.line()).unwrap();
            held.push((status("VmRSS:"), status("Threads:")));
            if answer["reloads"].as_u64().unwrap() >= times {
                return held;
            }
            assert!(Instant::now() < until, "{answer}");
        }
    };
    let first = reloaded(10);
    reloaded(60);
    let last = reloaded(70);
    // Between two readings the allocator returns and takes tens of MiB, so the least of the last reloads is
    // held to the most of the first. The rollout fills its cache meanwhile, on a busy machine only after the first
    // readings. Sixty sets of nets take a GiB; the rollout keeps the one with which it began.
    let least = last
        .iter()
        .fold((u64::MAX, u64::MAX), |a, b| (a.0.min(b.0), a.1.min(b.1)));
    let first = first
        .iter()
        .fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
    assert!(least.0 < first.0 + (256 << 10), "{first:?} {last:?}");
    // Signals that come together have a few threads for a moment; sixty sets of threads would be more than a hundred.
    assert!(least.1 <= first.1 + 16, "{first:?} {last:?}");
}

/// SRV-15: a second SIGTERM ends at once, whatever runs.
#[test]
fn the_second_signal_ends_at_once() {
    let mut server = Process::start(
        "exec \"$@\"",
        &["--listen", "127.0.0.1:0", "--grace", "86400"],
    );
    let mut client = Client::new(&server.addresses[0]);
    client.send("set order=ready\n");
    assert!(client.line().contains("\"order\":\"ready\""));
    client.send(format!("#long {LONG}#short {PING}"));
    // The long query has been read before this one.
    assert!(client.line().contains("\"short\""));
    server.signal("TERM");
    wait_until("the first signal is handled", || {
        TcpStream::connect(&server.addresses[0]).is_err()
    });
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
}

/// SRV-15, SRV-16: a reload from a pipe is refused at once, and keeps neither clients nor SIGTERM waiting.
#[test]
fn a_reload_that_hangs_does_not_keep_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let nets = folder.path().join("contact.net");
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/contact.net");
    std::fs::copy(shipped, &nets).unwrap();
    let log = folder.path().join("log");
    let mut server = Process::start(
        &format!("exec \"$@\" 2>'{}'", log.display()),
        &["--listen", "127.0.0.1:0", "--nets", nets.to_str().unwrap()],
    );
    std::fs::remove_file(&nets).unwrap();
    let made = Command::new("mkfifo").arg(&nets).status();
    assert!(made.unwrap().success());
    let mut client = Client::new(&server.addresses[0]);
    server.signal("HUP");
    server.signal("HUP");
    wait_until("the reload is refused", || {
        let said = std::fs::read_to_string(&log).unwrap();
        said.contains("nets not reloaded") && said.contains("is a pipe")
    });
    client.send(PING);
    assert_eq!(client.line(), "{\"type\":\"pong\"}");
    server.signal("TERM");
    assert_eq!(server.wait(), Some(0));
}

/// SRV-15: at SIGTERM no connection is cut in the middle of a line, though its client goes on
/// asking.
#[test]
fn no_line_is_cut_at_the_end() {
    let mut server = Process::start("exec \"$@\"", &["--listen", "127.0.0.1:0"]);
    let begun = Arc::new(AtomicUsize::new(0));
    let clients: Vec<_> = (0..48)
        .map(|_| {
            let mut client = Client::new(&server.addresses[0]);
            let begun = Arc::clone(&begun);
            std::thread::spawn(move || {
                let lines = "move 4HPwATDgc/ABMA 31\n".repeat(2000);
                let mut writer = client.stream.try_clone().unwrap();
                // More and more, until the server closes.
                std::thread::spawn(move || while writer.write_all(lines.as_bytes()).is_ok() {});
                assert!(client.line().ends_with('}'));
                begun.fetch_add(1, Ordering::Relaxed);
                client.rest()
            })
        })
        .collect();
    wait_until("every client has an answer", || {
        begun.load(Ordering::Relaxed) == 48
    });
    server.signal("TERM");
    for client in clients {
        let said = client.join().unwrap();
        let end = String::from_utf8_lossy(said.get(said.len().saturating_sub(60)..).unwrap());
        assert!(said.is_empty() || said.ends_with(b"}\n"), "cut: {end:?}");
    }
    assert_eq!(server.wait(), Some(0));
}

/// SRV-14: out of descriptors it pauses, and goes on when there are some.
#[test]
fn out_of_descriptors() {
    let server = Process::start(
        "ulimit -n 40; exec \"$@\"",
        &[
            "--listen",
            "127.0.0.1:0",
            "--connections",
            "1000",
            "--peer-connections",
            "1000",
        ],
    );
    let address = &server.addresses[0];
    let mut first = Client::new(address);
    let crowd: Vec<_> = (0..60).map(|_| Client::new(address)).collect();
    wait_until("the server pauses", || {
        first.send("stats\n");
        let stats: serde_json::Value = serde_json::from_str(&first.line()).unwrap();
        stats["accept_pauses"].as_u64().unwrap() > 0
    });
    drop(crowd);
    let mut late = Client::new(address);
    late.send(PING);
    assert_eq!(late.line(), "{\"type\":\"pong\"}");
}

/// idle connections cost little memory, and somebody else is served beside them. As many as
/// the descriptors of this process allow; `cargo bench --bench serve -- --idle 10000` holds more.
#[test]
fn a_thousand_idle_connections() {
    const BYTES_EACH_MAX: usize = 4096;
    // Tables that double and the allocator's reserves: they do not grow with each connection, and the promise is about nine
    // times as many.
    const ONCE: usize = 512 * 1024;
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap();
    let line = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let soft = line.and_then(|line| line.split_whitespace().nth(3));
    let soft: usize = soft
        .and_then(|text| text.parse().ok())
        .unwrap_or(usize::MAX);
    let count = 1000.min(soft / 2);
    let server = Process::start(
        "exec \"$@\"",
        &[
            "--listen",
            "127.0.0.1:0",
            "--connections",
            "2000",
            "--peer-connections",
            "2000",
        ],
    );
    let connected = |count: usize| -> Vec<Client> {
        let mut clients: Vec<_> = (0..count)
            .map(|_| Client::new(&server.addresses[0]))
            .collect();
        for client in &mut clients {
            client.send(PING);
            assert_eq!(client.line(), "{\"type\":\"pong\"}");
        }
        clients
    };
    let resident = || {
        let path = format!("/proc/{}/status", server.child.id());
        let status = std::fs::read_to_string(path).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kib = line
            .and_then(|line| line.split_whitespace().nth(1))
            .unwrap();
        kib.parse::<usize>().unwrap() * 1024
    };
    // What every server needs once is touched by the first few, and the table of endings, which is made in the
    // background, is there when a question about an ending is answered.
    let mut first = connected(20);
    first[0].send("cube AQAABAAAAAAAAA\n");
    assert!(first[0].line().contains("\"cube\""));
    let before = resident();
    let crowd = connected(count);
    let each = resident().saturating_sub(before + ONCE) / count;
    assert!(each <= BYTES_EACH_MAX, "{each} bytes each");
    drop(first);
    let mut other = Client::new(&server.addresses[0]);
    other.send("move 4HPwATDgc/ABMA 31 top=1\n");
    assert!(other.line().contains("\"move\""));
    drop(crowd);
}

/// a killed server starts again at once on its port; a damaged net file is refused with
/// its name and exit code 3.
#[test]
fn restart_and_damaged_nets() {
    let mut server = Process::start("exec \"$@\"", &["--listen", "127.0.0.1:0"]);
    let address = server.addresses[0].clone();
    let clients: Vec<_> = (0..50).map(|_| Client::new(&address)).collect();
    server.signal("KILL");
    server.wait();
    let again = Process::start("exec \"$@\"", &["--listen", &address]);
    let mut client = Client::new(&again.addresses[0]);
    client.send(PING);
    assert_eq!(client.line(), "{\"type\":\"pong\"}");
    drop(clients);
    let folder = tempfile::tempdir().unwrap();
    let nets = folder.path().join("damaged.wd");
    std::fs::write(&nets, b"GNU Backgammon 1.00\n").unwrap();
    let refused = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args([
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--nets",
            nets.to_str().unwrap(),
        ])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("damaged.wd"));
}

/// SRV-02: remote addresses want a word.
#[test]
fn remote_addresses_are_refused() {
    let refused = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["serve", "--listen", "0.0.0.0:0"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--allow-remote"));
}

/// The unit files are such as systemd takes.
#[test]
fn systemd_unit() {
    for unit in ["gammond.service", "farm/gammond-worker.service"] {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tools");
        let text = std::fs::read_to_string(format!("{path}/{unit}")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(unit.rsplit('/').next().unwrap());
        let text = text.replace("/usr/local/bin/gammond", env!("CARGO_BIN_EXE_gammond"));
        std::fs::write(&file, text).unwrap();
        match Command::new("systemd-analyze")
            .arg("verify")
            .arg(&file)
            .output()
        {
            Err(_) => {
                crate::support::missing("systemd_unit", "systemd-analyze (apt-get install systemd)")
            }
            Ok(found) => {
                let text = String::from_utf8_lossy(&found.stderr).into_owned();
                let ours: Vec<_> = text
                    .lines()
                    .filter(|line| line.contains("gammond"))
                    .collect();
                assert!(found.status.success() && ours.is_empty(), "{unit}: {text}");
            }
        }
    }
}
