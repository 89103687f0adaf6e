//! Files that are not ours, files that do not end, disks that are full.

use super::{Act, Attack};
use crate::clients::Client;
use crate::server::{MemoryLimit, Options, Scratch, Server, process_mib};
use crate::stage::{Bench, Check};
use rustix::process::Signal;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

pub fn all() -> Vec<Attack> {
    let alone = |name, goals, quick, act, what| Attack {
        name,
        goals,
        what,
        quick,
        act: Act::Alone(act),
    };
    vec![
        alone(
            "socket-thesis",
            "R-12",
            true,
            socket_thesis,
            "`--listen unix:` on a file, a FIFO, a link, a folder, a living socket",
        ),
        alone(
            "socket-heir",
            "R-12",
            true,
            socket_heir,
            "a server ends whose socket another one has replaced",
        ),
        alone(
            "disk-full",
            "R-42",
            true,
            disk_full,
            "every short command into a full disk",
        ),
        alone(
            "endless-files",
            "R-35",
            true,
            endless_files,
            "a FIFO and /dev/zero wherever a file is named",
        ),
        alone(
            "foreign-journal",
            "R-41",
            true,
            foreign_journal,
            "jobs told to write into somebody's text",
        ),
    ]
}

fn scratch() -> Result<Scratch, Vec<Check>> {
    Scratch::new().map_err(|error| vec![Check::new("folder", error, false)])
}

/// Starts `gammond` with these words and gives it some seconds; status, the most memory, stderr.
fn short(
    bench: &Bench,
    words: &[&str],
    output: Stdio,
    most: Duration,
) -> (Option<i32>, f64, String) {
    let limit = MemoryLimit::new(bench.setup.memory_mib);
    let child = bench
        .setup
        .command(&limit, "")
        .args(words)
        .stdin(Stdio::null())
        .stdout(output)
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        return (None, f64::NAN, "did not start".to_owned());
    };
    let until = Instant::now() + most;
    let mut high: f64 = 0.0;
    let mut status = None;
    while status.is_none() && Instant::now() < until {
        high = high.max(process_mib(child.id(), "VmHWM").unwrap_or(0.0));
        status = child.try_wait().ok().flatten();
        std::thread::sleep(Duration::from_millis(2));
    }
    let _ = child.kill();
    let said = child
        .wait_with_output()
        .map(|output| String::from_utf8_lossy(&output.stderr).into_owned());
    // A process that a signal ended has no code.
    (
        status.map(|status| status.code().unwrap_or(-1)),
        high,
        said.unwrap_or_default(),
    )
}

fn socket_thesis(bench: &Bench) -> Vec<Check> {
    let folder = match scratch() {
        Ok(folder) => folder,
        Err(checks) => return checks,
    };
    let thesis = folder.0.join("thesis.txt");
    let at = |name: &str| folder.0.join(name);
    let _ = fs::write(&thesis, "years of work");
    let _ = std::os::unix::fs::symlink(&thesis, at("link"));
    let _ = Command::new("mkfifo").arg(at("fifo")).status();
    let _ = fs::create_dir(at("folder"));
    let living = std::os::unix::net::UnixListener::bind(at("living"));
    let mut checks = Vec::new();
    for name in ["thesis.txt", "link", "fifo", "folder", "living"] {
        let before = fs::symlink_metadata(at(name))
            .ok()
            .map(|meta| meta.file_type());
        let listen = format!("unix:{}", at(name).display());
        let (status, _, said) = short(
            bench,
            &["serve", "--listen", &listen],
            Stdio::null(),
            Duration::from_secs(8),
        );
        let after = fs::symlink_metadata(at(name))
            .ok()
            .map(|meta| meta.file_type());
        let kept = before == after && before.is_some();
        let refused = matches!(status, Some(code) if code > 0) && said.contains(name);
        let said = said.lines().next().unwrap_or_default();
        checks.push(Check::new(
            format!("{name} stays, and is refused by name"),
            format!("kept {kept}, {status:?}: {said}"),
            kept && refused,
        ));
    }
    let text = fs::read_to_string(&thesis).unwrap_or_default();
    checks.push(Check::new(
        "the text is whole",
        format!("{text:?}"),
        text == "years of work",
    ));
    drop(living);
    checks
}

fn socket_heir(bench: &Bench) -> Vec<Check> {
    let folder = match scratch() {
        Ok(folder) => folder,
        Err(checks) => return checks,
    };
    let path = folder.0.join("socket");
    let options = Options::arguments(&["--listen", &format!("unix:{}", path.display())]);
    let first = Server::start(&bench.setup, &options);
    let _ = fs::remove_file(&path);
    let second = Server::start(&bench.setup, &options);
    let (Ok(mut first), Ok(second)) = (first, second) else {
        return vec![Check::new("start", "failed", false)];
    };
    first.signal(Signal::TERM);
    let _ = first.wait(Duration::from_secs(12));
    let answer = Client::unix(&path).ok().and_then(|mut client| {
        client.push(b"ping\n");
        client.line(Duration::from_secs(2))
    });
    let _ = second.pid();
    vec![Check::new(
        "the second is still reached",
        format!("{answer:?}"),
        answer.is_some(),
    )]
}

fn disk_full(bench: &Bench) -> Vec<Check> {
    let folder = match scratch() {
        Ok(folder) => folder,
        Err(checks) => return checks,
    };
    let labels = folder.0.join("some.labels").display().to_string();
    let made = short(
        bench,
        &["sample", &labels, "--positions", "50"],
        Stdio::null(),
        Duration::from_secs(20),
    );
    let commands: &[&[&str]] = &[
        &["--version"],
        &["--help"],
        &["eval", "4HPwATDgc/ABMA"],
        &["move", "4HPwATDgc/ABMA", "31"],
        &["cube", "4HPwATDgc/ABMA"],
        &["show", "4HPwATDgc/ABMA"],
        &["convert", "4HPwATDgc/ABMA"],
        &["perft", "4HPwATDgc/ABMA", "1"],
        &["net", "info", "nets/race.net"],
        &["net", "draw", "nets/race.net"],
        &["bearoff", "info"],
        &["bearoff", "probe", "2wAAAAAAAAAAAA"],
        &["completions", "bash"],
        &["man"],
        &["sample", "dump", &labels],
        &["duel", "random", "random", "--games", "2", "--quiet"],
        &["tournament", "random", "pubeval", "--games", "2"],
    ];
    let mut checks = vec![Check::new(
        "labels to dump",
        format!("{:?} {}", made.0, made.2.trim()),
        made.0 == Some(0),
    )];
    let mut wrong = Vec::new();
    for words in commands {
        let Ok(full) = fs::OpenOptions::new().write(true).open("/dev/full") else {
            continue;
        };
        let (full_status, _, said) = short(bench, words, full.into(), Duration::from_secs(20));
        let (good_status, _, _) = short(bench, words, Stdio::null(), Duration::from_secs(20));
        let told = said.trim().lines().count() > 0 && !said.contains("panicked");
        if good_status == Some(0) && (full_status == Some(0) || full_status.is_none() || !told) {
            wrong.push(format!("{} ends with {full_status:?}", words.join(" ")));
        }
        if good_status != Some(0) {
            wrong.push(format!(
                "{} itself ends with {good_status:?}",
                words.join(" ")
            ));
        }
    }
    checks.push(Check::new(
        "commands that say nothing about a full disk",
        format!("{wrong:?}"),
        wrong.is_empty(),
    ));
    checks
}

fn endless_files(bench: &Bench) -> Vec<Check> {
    let folder = match scratch() {
        Ok(folder) => folder,
        Err(checks) => return checks,
    };
    let fifo = folder.0.join("fifo").display().to_string();
    let _ = Command::new("mkfifo").arg(&fifo).status();
    let out = folder.0.join("out").display().to_string();
    let mut wrong = Vec::new();
    for file in [fifo.as_str(), "/dev/zero"] {
        let commands: &[&[&str]] = &[
            &["eval", "4HPwATDgc/ABMA", "--nets", file],
            &["eval", "4HPwATDgc/ABMA", "--met", file],
            &["eval", "4HPwATDgc/ABMA", "--config", file],
            &["eval", "4HPwATDgc/ABMA", "--bearoff", file],
            &["net", "info", file],
            &["net", "draw", file],
            &["bearoff", "info", file],
            &["bench", file],
            &["label", file, &out],
            &["sample", &out, "--from", file],
            &["sample", &out, "--games", file],
            &["sample", "dump", file],
            &["train", file, "--folder", &out],
            &[
                "duel",
                "random",
                "random",
                "--games",
                "2",
                "--journal",
                file,
            ],
            &["fibs", "--user", "x", "--password-file", file],
        ];
        for words in commands {
            let (status, high, said) = short(bench, words, Stdio::null(), Duration::from_secs(3));
            let good = matches!(status, Some(code) if code > 0)
                && high <= bench.limits.memory_mib
                && !said.contains("panicked");
            if !good {
                let shown = words.join(" ").replace(&fifo, "FIFO").replace(&out, "OUT");
                wrong.push(format!("{shown}: {status:?} {high:.0} MiB"));
            }
        }
    }
    vec![Check::new(
        "refused within 3 s and 256 MiB",
        format!("{wrong:?}"),
        wrong.is_empty(),
    )]
}

/// What users have in their folders.
fn texts() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("a line", b"years of work\n".to_vec()),
        ("no line end", vec![b'w'; 100_000]),
        (
            "binary",
            (0..70_000u32)
                .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
                .filter(|&byte| byte != b'\n')
                .collect(),
        ),
        ("positions", b"4HPwATDgc/ABMA\n4HPwATDgc/ABMA\n".to_vec()),
        ("numbers", b"1\n2\n3\n".to_vec()),
        ("a brace", b"{\"name\": \"mine\"}\n".to_vec()),
    ]
}

fn foreign_journal(bench: &Bench) -> Vec<Check> {
    let folder = match scratch() {
        Ok(folder) => folder,
        Err(checks) => return checks,
    };
    let input = folder.0.join("input").display().to_string();
    let _ = fs::write(&input, "4HPwATDgc/ABMA\n");
    let file = folder.0.join("mine");
    let name = file.display().to_string();
    let plan = folder.0.join("plan.toml").display().to_string();
    let commands: &[&[&str]] = &[
        &[
            "duel",
            "random",
            "random",
            "--games",
            "2",
            "--quiet",
            "--journal",
            &name,
        ],
        &["label", &input, &name],
        &["sample", &name, "--positions", "10"],
        &["train", &plan, "--folder", &name],
        &["bearoff", "make", &name, "--one-sided", "3"],
        &[
            "gate",
            "random",
            "--against",
            "random",
            "--games",
            "2",
            "--install",
            &name,
        ],
    ];
    let mut wrong = Vec::new();
    for (what, text) in texts() {
        for words in commands {
            let _ = fs::write(&file, &text);
            let (status, _, _) = short(bench, words, Stdio::null(), Duration::from_secs(8));
            if !same(&file, &text) || status == Some(0) {
                wrong.push(format!(
                    "{} over {what}: {status:?}, {}",
                    words[0],
                    if same(&file, &text) {
                        "kept"
                    } else {
                        "CHANGED"
                    }
                ));
                let _ = fs::remove_dir_all(&file);
            }
        }
    }
    vec![Check::new(
        "refused, and nothing changed",
        format!("{wrong:?}"),
        wrong.is_empty(),
    )]
}

fn same(file: &Path, text: &[u8]) -> bool {
    fs::read(file).is_ok_and(|found| found == text)
}
