//! `gammond farm demo`: everything on this machine, with a server of its own that ends with it.

use crate::progress::{signals, stopped};
use crate::{Failure, print, within};
use gammond_base::stop::Stop;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// The server's program.
    #[arg(long, default_value = "nats-server", value_name = "PATH")]
    server: PathBuf,
}

/// Positions of the small job.
const POSITIONS: &str = "4HPwATDgc/ABMA\nsHPwATDgc/ABMA\n4HPwATDgc+ABMA\n4HPwATDgc/ABUA\n\
    4HPgATDgc/ABMA\nsGfwATDgc/ABMA\n4DvwATDgc/ABMA\n";
/// Timeout for the server's start.
const SERVER_WAIT: Duration = Duration::from_secs(10);
/// Time between two polls of a command that runs.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Processes that end with this.
struct Running(Vec<Child>);

impl Drop for Running {
    fn drop(&mut self) {
        for child in self.0.iter_mut().rev() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn say(text: &str) -> Result<(), Failure> {
    print(format!("{text}\n").as_bytes()).map(|_| ())
}

/// A folder that goes with this.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(super) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let stop = signals()?;
    // Ctrl-C reaches the processes as well, and they end with an error of their own.
    match demo(args, &stop) {
        _ if stop.is_triggered() => {
            let gone = "the server, the workers and the folder are gone";
            Ok(stopped(None, gone))
        }
        ended => ended.map(|()| ExitCode::SUCCESS),
    }
}

fn demo(args: &Args, stop: &Stop) -> Result<(), Failure> {
    let path = std::env::temp_dir().join(format!("gammond-farm-demo-{}", std::process::id()));
    std::fs::create_dir(&path).map_err(Failure::unwritten(&path))?;
    let folder = Folder(path);
    let mut running = Running(Vec::new());
    // A port that is free now.
    let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
    let port = port
        .map_err(|error| Failure::work(within("a port", error)))?
        .port();
    let url = format!("nats://127.0.0.1:{port}");
    running.0.push(server(args, &folder.0, port, &url)?);
    wait_for(port)?;
    let program =
        crate::program::executable().map_err(|error| Failure::work(within("gammond", error)))?;
    let gammond = |words: &[&str]| {
        let mut command = Command::new(&program);
        command.args(words).args(["--nats", &url]);
        command.current_dir(&folder.0).stdin(Stdio::null());
        command
    };
    for name in ["first", "second"] {
        say(&format!("gammond farm worker --nats {url} --name {name}"))?;
        let mut worker = gammond(&["farm", "worker", "--name", name]);
        worker.args(["--threads", "1", "--cache", name]);
        let started = worker.stderr(Stdio::null()).spawn();
        running
            .0
            .push(started.map_err(|error| Failure::work(within("a worker", error)))?);
    }
    std::fs::write(folder.0.join("positions.txt"), POSITIONS)
        .map_err(Failure::unwritten(Path::new("positions.txt")))?;
    let line = "rollout --bm-in positions.txt --out positions.bm trials=36";
    say(&format!(
        "gammond farm submit --nats {url} --wait --verify 0.2 --batch 1 {line}"
    ))?;
    let mut submit = gammond(&["farm", "submit"]);
    submit.args([
        "--wait",
        "--verify",
        "0.2",
        "--batch",
        "1",
        "--silence",
        "5",
    ]);
    submit.args(line.split(' '));
    if !ended(&mut submit, stop, "submit")?.success() {
        return Err(Failure::work("the job did not end well"));
    }
    let jobs = gammond(&["farm", "status", "--format", "json"]).output();
    let jobs = jobs.map_err(|error| Failure::work(within("status", error)))?;
    let jobs: serde_json::Value = serde_json::from_slice(&jobs.stdout).unwrap_or_default();
    let job = jobs.pointer("/jobs/0/job").and_then(|job| job.as_str());
    say(&format!(
        "gammond farm status --nats {url} {0}",
        job.unwrap_or_default()
    ))?;
    // It prints to the same place.
    let _ = gammond(&["farm", "status", job.unwrap_or_default()]).status();
    let made = folder.0.join("positions.bm");
    let made = std::fs::read_to_string(&made).map_err(Failure::in_file(&made))?;
    if alone(&program, &folder.0, line, stop)? != made {
        return Err(Failure::work("positions.bm: one machine writes another"));
    }
    say(&format!(
        "positions.bm has {} records, the same bytes as `gammond {line}` writes on one machine.\n\
         The server, the workers and the folder are gone now.",
        made.lines().filter(|line| line.starts_with("m ")).count()
    ))
}

/// Runs a command to its end, or until the demo is stopped.
fn ended(command: &mut Command, stop: &Stop, name: &str) -> Result<ExitStatus, Failure> {
    let failed = |error| Failure::work(within(name, error));
    let mut child = command.spawn().map_err(failed)?;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status);
        }
        if stop.is_triggered() {
            child.kill().map_err(failed)?;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// Runs the command on this machine alone and returns the file that it writes.
fn alone(program: &Path, folder: &Path, line: &str, stop: &Stop) -> Result<String, Failure> {
    let made = folder.join("positions.bm");
    std::fs::rename(&made, folder.join("farm.bm")).map_err(Failure::unwritten(&made))?;
    let mut here = Command::new(program);
    here.args(line.split(' ')).current_dir(folder);
    ended(here.stdin(Stdio::null()), stop, "the same on one machine")?;
    std::fs::read_to_string(&made).map_err(Failure::in_file(&made))
}

/// Starts the server.
fn server(args: &Args, folder: &Path, port: u16, url: &str) -> Result<Child, Failure> {
    say(&format!("starting {} at {url}", args.server.display()))?;
    let server = Command::new(&args.server)
        .args(["--jetstream", "--addr", "127.0.0.1", "--port"])
        .arg(port.to_string())
        .arg("--store_dir")
        .arg(folder.join("store"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    server.map_err(|error| {
        let name = args.server.display();
        Failure::usage(format!(
            "{name} does not start ({error}); install nats-server, or give --server PATH"
        ))
    })
}

/// Waits until the server listens.
fn wait_for(port: u16) -> Result<(), Failure> {
    let begun = Instant::now();
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        if begun.elapsed() > SERVER_WAIT {
            return Err(Failure::work("the server does not listen"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}
