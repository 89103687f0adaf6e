//! The program as its users start it, with its password (FIBS-30, R-24).
//!
//! Everything it writes is kept in the folder `GAMMOND_FIBS_KEEP` when that is set: `.ci/run` looks
//! through it for the password.

use crate::fibs_server::{Faults, Server, Style, connection};
use gammond_bots::fibs::{FibsConfig, Secret};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output as Finished};

const PASSWORD: &str = "s3cretW0rd";

fn bot(server: &str, arguments: &[&str], variable: Option<&str>) -> Finished {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    command
        .args(["fibs", "--server", server, "--user", "tester"])
        .args(["--log", "trace", "--plies", "0"])
        .args(arguments)
        .env_remove("GAMMOND_FIBS_PASSWORD")
        .env("RUST_BACKTRACE", "full");
    if let Some(password) = variable {
        command.env("GAMMOND_FIBS_PASSWORD", password);
    }
    command.output().unwrap()
}

/// A server that refuses every login once.
fn refusing() -> (String, std::thread::JoinHandle<()>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"WELCOME\r\nlogin: ").unwrap();
        let mut line = String::new();
        let mut reader = std::io::BufReader::new(stream.try_clone().unwrap());
        std::io::BufRead::read_line(&mut reader, &mut line).unwrap();
        assert!(line.contains(PASSWORD), "the login lacks the password");
        stream.write_all(b"Login incorrect\r\nlogin: ").unwrap();
        let _ = std::io::Read::read(&mut reader, &mut [0; 10]);
    });
    (address, thread)
}

fn keep(name: &str, finished: &Finished) -> String {
    let text = [finished.stdout.as_slice(), b"\n", &finished.stderr].concat();
    if let Some(folder) = std::env::var_os("GAMMOND_FIBS_KEEP") {
        let path = Path::new(&folder).join(format!("{name}.log"));
        std::fs::write(path, &text).unwrap();
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// A login that is refused, with the password from a variable and from a file; a file that others
/// can read; a password that a login line cannot hold: none of the four shows it.
#[test]
fn the_password_is_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, format!("{PASSWORD}\n")).unwrap();
    let path = file.to_str().unwrap();
    let mode = |mode| std::fs::set_permissions(&file, PermissionsExt::from_mode(mode)).unwrap();

    mode(0o600);
    let (address, server) = refusing();
    let from_file = bot(&address, &["--password-file", path], None);
    server.join().unwrap();
    let (address, server) = refusing();
    let from_variable = bot(&address, &[], Some(PASSWORD));
    server.join().unwrap();
    mode(0o644);
    let open_file = bot("127.0.0.1:1", &["--password-file", path], None);
    let blank = bot("127.0.0.1:1", &[], Some("s3cretW0rd with blanks"));

    for (name, finished, told) in [
        ("from_file", from_file, "refuses name or password"),
        ("from_variable", from_variable, "refuses name or password"),
        ("open_file", open_file, "chmod 600"),
        ("blank", blank, "blanks"),
    ] {
        let text = keep(name, &finished);
        assert!(!finished.status.success(), "{name}");
        assert!(text.contains(told), "{name}: {text}");
        assert!(!text.contains(PASSWORD), "{name}: {text}");
    }
}

/// A panic that prints the whole configuration prints no password.
#[test]
fn a_panic_shows_no_password() {
    let config = FibsConfig::new("127.0.0.1:1", "tester", Secret::new(PASSWORD).unwrap()).unwrap();
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| panic!("{config:#?}")))
        .unwrap_err();
    let text = caught.downcast_ref::<String>().unwrap();
    assert!(
        text.contains("tester") && !text.contains(PASSWORD),
        "{text}"
    );
}

/// `--watch` into a pipe: every board as text, nothing for a terminal, and a reader that goes away
/// does not end the match.
#[test]
fn boards_are_shown_in_a_pipe() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (over, ended) = std::sync::mpsc::channel();
    let server = std::thread::spawn(move || {
        let mut server = Server::new(Style::Fibs, Faults::default(), &[Some(1), Some(1)], 9);
        let (stream, _) = listener.accept().unwrap();
        connection(&mut server, stream, 300, usize::MAX, |server| {
            if !server.results.is_empty() {
                let _ = over.send(server.results.len());
            }
        });
        server
    });
    let mut bot = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["fibs", "--server", &address, "--user", "tester", "--watch"])
        .args(["--plies", "0", "--pace-ms", "0", "--pause-ms", "0"])
        .env("GAMMOND_FIBS_PASSWORD", PASSWORD)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let mut reader = std::io::BufReader::new(bot.stdout.take().unwrap());
    let mut shown = String::new();
    while ended.try_recv().is_err() {
        // The last board comes after the last line: a whole match has more than enough.
        assert_ne!(
            std::io::BufRead::read_line(&mut reader, &mut shown).unwrap(),
            0
        );
    }
    drop(reader);
    // The second match has no reader.
    while ended.recv().unwrap() < 2 {}
    let kill = Command::new("kill").arg(bot.id().to_string()).status();
    assert!(kill.unwrap().success());
    assert!(bot.wait().unwrap().success());
    let server = server.join().unwrap();
    assert!(server.refusals.is_empty(), "{:?}", server.refusals);
    let boards = shown.matches(" +13-14-15-16-17-18------").count();
    assert!(boards > 10, "{shown}");
    let heads = |line: &&str| line.contains("(X)") && line.contains("(O)");
    assert!(shown.lines().filter(heads).count().abs_diff(boards) <= 1);
    assert!(
        shown.contains("tester (X) plays") && shown.contains("alice (X)"),
        "{shown}"
    );
    assert!(!shown.contains('\u{1b}') && !shown.contains(PASSWORD));
}

/// FIBS-27: two signals at once, as GNU `timeout` sends them to a process and to its group, are one
/// request: the bot finishes its game.
#[test]
fn two_signals_at_once_are_one_request() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut bot = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["fibs", "--server", &address, "--user", "tester"])
        .args(["--plies", "0", "--pace-ms", "0", "--pause-ms", "0"])
        .env("GAMMOND_FIBS_PASSWORD", PASSWORD)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let id = bot.id();
    let mut server = Server::new(Style::Fibs, Faults::default(), &[Some(1)], 12);
    let (stream, _) = listener.accept().unwrap();
    let mut asked = false;
    connection(&mut server, stream, 300, usize::MAX, |server| {
        if server.seen.moves > 2 && !std::mem::replace(&mut asked, true) {
            // Two of a kind could become one on their way.
            let both = format!("kill -TERM {id}; kill -INT {id}");
            let sent = Command::new("sh").args(["-c", &both]).status();
            assert!(sent.unwrap().success());
        }
    });
    assert!(bot.wait().unwrap().success());
    assert!(asked);
    let left = server.commands.iter().any(|line| line == "leave");
    assert!(!left, "{:?}", server.commands);
    assert_eq!(server.results.len(), 1);
}

/// Ten matches as the bot's owner gets them, with the bot's own analysis by GNU Backgammon's weights in their heads, for
/// GNU Backgammon to analyse as well: `GAMMOND_FIBS_MATCH_FILES=FOLDER` (`tools/analysis_gnubg.py` compares, `.ci/run interop`).
#[test]
fn match_files_for_gnubg() {
    let Some(folder) = std::env::var_os("GAMMOND_FIBS_MATCH_FILES") else {
        return;
    };
    let lengths = [1, 3, 5, 7, 1, 3, 5, 3, 9, 5].map(Some);
    let faults = Faults {
        glue: 5,
        chatter: 6,
        repeat: 8,
        free_text: 12,
        wrong_points: 4,
        board_first: true,
        ..Faults::default()
    };
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let mut bot = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["fibs", "--server", &address, "--user", "tester"])
        .args([
            "--plies",
            "0",
            "--pace-ms",
            "0",
            "--pause-ms",
            "0",
            "--analyse",
        ])
        .args(["--nets", "/usr/lib/gnubg/gnubg.wd", "--matches"])
        .arg(&folder)
        .env("GAMMOND_FIBS_PASSWORD", PASSWORD)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let process = bot.id().to_string();
    let mut server = Server::new(Style::Fibs, faults, &lengths, 31);
    let (stream, _) = listener.accept().unwrap();
    connection(&mut server, stream, 20, usize::MAX, |server| {
        if server.results.len() == lengths.len() {
            let _ = Command::new("kill").arg(&process).status();
        }
    });
    assert!(bot.wait().unwrap().success());
    assert!(server.refusals.is_empty(), "{:?}", server.refusals);
    let files = std::fs::read_dir(folder).unwrap();
    assert_eq!(files.count(), lengths.len());
}
