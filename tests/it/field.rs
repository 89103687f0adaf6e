//! A nats-server of one's own, for tests of the farm and of requests over NATS.
#![cfg(unix)]

use crate::support::{HANG_LIMIT, missing, wait_until};
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

pub(crate) const POSITIONS: &str = "4HPwATDgc/ABMA\nsHPwATDgc/ABMA\n4HPwATDgc+ABMA\n4HPwATDgc/ABUA\n\
    4HPgATDgc/ABMA\nsGfwATDgc/ABMA\n4DvwATDgc/ABMA\n";

pub(crate) const RECORDS: &str = "m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.114795 OAHDOEABCBOAHDPAABDA 0.0421133\n\
    o OAHDPAABDAOAHDPAABDA 0.75 0.3 0.01 0.05 0\n\
    o JIGHPAABDAOAHDPAABDA 0.5 0.1 0 0.1 0\n";

pub(crate) fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(work)
}

/// A child that ends with this.
pub(crate) struct Running(pub(crate) Child);

impl Running {
    pub(crate) fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

pub(crate) fn free_port() -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    free.local_addr().unwrap().port()
}

/// A server of its own, and a folder.
pub(crate) struct Field {
    folder: tempfile::TempDir,
    pub(crate) port: u16,
    pub(crate) server: Option<Running>,
    /// Of the server, behind the usual ones.
    options: Vec<String>,
}

impl Field {
    /// None, after a loud line, where there is no nats-server.
    pub(crate) fn new(test: &str) -> Option<Field> {
        Field::with(test, |_| Vec::new())
    }

    /// The same, with a server that has more options; they are made where there is a folder.
    pub(crate) fn with(
        test: &str,
        options: impl FnOnce(&std::path::Path) -> Vec<String>,
    ) -> Option<Field> {
        let there = Command::new("nats-server").arg("--version").output();
        if there.is_err() {
            missing(test, "nats-server (apt-get install nats-server)");
            return None;
        }
        let mut field = Field {
            folder: tempfile::tempdir().unwrap(),
            port: free_port(),
            server: None,
            options: Vec::new(),
        };
        field.options = options(field.folder.path());
        field.write("positions", POSITIONS);
        field.write("x.bm", &RECORDS.repeat(12));
        field.start();
        Some(field)
    }

    /// Starts the server, with what it stored before.
    pub(crate) fn start(&mut self) {
        let started = Command::new("nats-server")
            .args(["--jetstream", "--addr", "127.0.0.1", "--port"])
            .arg(self.port.to_string())
            .arg("--store_dir")
            .arg(self.path("store"))
            .args(&self.options)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        self.server = Some(Running(started.unwrap()));
        wait_until("nats-server listens", || {
            TcpStream::connect(("127.0.0.1", self.port)).is_ok()
        });
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Writes a file that only its owner may read.
    pub(crate) fn secret(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        self.write(name, text);
        fs::set_permissions(self.path(name), fs::Permissions::from_mode(0o600)).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    pub(crate) fn command(&self, url: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command
            .env("GAMMOND_NATS", url)
            .env("XDG_CACHE_HOME", self.path("cache"));
        command
            .env("HOME", self.path("home"))
            .env_remove("GAMMOND_CONFIG");
        command
    }

    pub(crate) fn run(&self, line: &str) -> Output {
        self.command(&self.url())
            .args(line.split(' '))
            .output()
            .unwrap()
    }

    /// Runs a line that must succeed; what it prints.
    #[track_caller]
    pub(crate) fn good(&self, line: &str) -> String {
        let out = self.run(line);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.success(), "{line}: {said}");
        String::from_utf8(out.stdout).unwrap()
    }

    pub(crate) fn worker_at(&self, url: &str, name: &str, more: &str) -> Running {
        let mut log = fs::File::options();
        let log = log.create(true).append(true);
        let log = log.open(self.path(&format!("{name}.log"))).unwrap();
        let mut command = self.command(url);
        command.args([
            "farm",
            "worker",
            "--threads",
            "1",
            "--name",
            name,
            "--cache",
        ]);
        command.arg(self.path(&format!("{name}.cache")));
        command
            .args(more.split_whitespace())
            .stdout(Stdio::null())
            .stderr(log);
        Running(command.spawn().unwrap())
    }

    pub(crate) fn worker(&self, name: &str, more: &str) -> Running {
        self.worker_at(&self.url(), name, more)
    }

    pub(crate) fn log(&self, name: &str) -> String {
        String::from_utf8_lossy(&self.read(&format!("{name}.log"))).into_owned()
    }

    /// Waits until `done` says so.
    #[track_caller]
    pub(crate) fn until(&self, what: &str, mut done: impl FnMut() -> bool) {
        let begun = Instant::now();
        while !done() {
            assert!(
                begun.elapsed() < HANG_LIMIT,
                "{what}: {}",
                self.good("farm status")
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    pub(crate) fn status(&self, job: &str) -> serde_json::Value {
        let line = format!("farm status {job} --format json");
        // A NATS server that has just lost its store, or a machine with other work, may answer too late.
        let late = |done: &Output| String::from_utf8_lossy(&done.stderr).contains("timed out");
        let mut done = self.run(&line);
        for _ in 0..5 {
            if !late(&done) {
                break;
            }
            done = self.run(&line);
        }
        assert!(done.status.success(), "{line}: {done:?}");
        let all: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        all["jobs"][0].clone()
    }
}
