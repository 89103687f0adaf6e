//! The real link over a real socket.

use super::world::*;
use super::*;
use crate::support::HANG_LIMIT;

/// FIBS-21, FIBS-22, FIBS-28 to FIBS-30: the real link over a real socket, with broken connections;
/// the password is nowhere in what the bot logs, writes or prints.
#[test]
fn over_a_socket() {
    let (log, logged) = log_to_memory();
    let folder = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (done, finished) = gammond_bots::shared::stop_requests();
    let faults = Faults {
        glue: 5,
        chatter: 10,
        ..Faults::default()
    };
    let server = std::thread::spawn(move || serve(&listener, faults, &done));
    let mut config = quick(&address, folder.path());
    let filed = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let archiver = std::sync::Arc::clone(&filed);
    config.archiver = Some(MatchArchiver(std::sync::Arc::new(
        move |name, text, analysis| {
            let figures = (name.to_owned(), text.to_owned(), analysis.score);
            archiver.lock().unwrap().push(figures);
        },
    )));
    let shown = format!("{config:?} {:?}", config.password);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let books = tracing::subscriber::with_default(log, || {
        runtime.block_on(async {
            tokio::time::timeout(HANG_LIMIT, play(config, engine(), finished)).await
        })
    });
    let books = books.expect("the bot hangs").unwrap();
    let server = server.join().unwrap();
    assert!(server.refusals.is_empty(), "{:?}", server.refusals);
    assert_eq!(books.all.matches, 3, "{:?}\n{}", server.results, logged());
    assert!(books.reconnects > 0);
    let mut text = shown + &logged();
    let files: Vec<_> = std::fs::read_dir(folder.path().join("matches"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 3);
    // FIBS-37: what is filed is the file.
    let filed = filed.lock().unwrap();
    assert_eq!(filed.len(), 3);
    for (name, text, _) in filed.iter() {
        assert_eq!(&std::fs::read_to_string(name).unwrap(), text);
    }
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        let read = MatchFile::parse(&bytes).unwrap();
        let analysed = |comment: &String| comment.contains("lost by each, luck");
        assert!(read.comments.iter().any(analysed), "{:?}", read.comments);
        text += &String::from_utf8(bytes).unwrap();
    }
    let state = std::fs::read_to_string(folder.path().join("state.json")).unwrap();
    assert!(
        state.contains("alice") && state.contains("\"Our 3-point match: you "),
        "{state}"
    );
    text += &state;
    assert!(text.contains("logged in"), "nothing was logged");
    assert!(text.contains("summary of the day"));
    if let Some(folder) = std::env::var_os("GAMMOND_FIBS_KEEP") {
        std::fs::write(std::path::Path::new(&folder).join("link.log"), &text).unwrap();
    }
    assert!(!text.contains("s3cretW0rd"), "the password leaks");
}

/// A bot that waits for nothing.
fn quick(address: &str, folder: &std::path::Path) -> FibsConfig {
    let mut config =
        FibsConfig::new(address, "tester", Secret::new("s3cretW0rd\n").unwrap()).unwrap();
    config.policy = policy();
    config.timing = Timing {
        pace_ms: 0,
        warning_ms: 20,
        prompt_ms: 60,
        roll_ms: 80,
        resync_ms: 2000,
        rating_ms: 50,
        resume_ms: 300,
        ..Timing::default()
    };
    (config.pause_ms, config.backoff_ms) = (0, 5);
    config.state = Some(folder.join("state.json"));
    config.matches = Some(folder.join("matches"));
    config.analyse = true;
    config
}

/// Serves three matches, cutting the first connections.
fn serve(
    listener: &std::net::TcpListener,
    faults: Faults,
    done: &gammond_bots::shared::StopRequester,
) -> Server {
    let mut server = Server::new(Style::Fibs, faults, &[Some(1), Some(1), Some(3)], 42);
    let mut is_requested = false;
    for number in 0.. {
        let (stream, _) = listener.accept().unwrap();
        let limit = if number < 4 {
            700 + 900 * number
        } else {
            usize::MAX
        };
        let said_goodbye = connection(&mut server, stream, 40, limit, |server| {
            if server.results.len() == 3
                && !server.busy()
                && !std::mem::replace(&mut is_requested, true)
            {
                done.request();
            }
        });
        if said_goodbye {
            break;
        }
    }
    server
}

/// A server on this machine to try the bot against: `tools/fibs-soak.sh serve PORT`.
#[test]
fn serve_here() {
    let Ok(port) = std::env::var("GAMMOND_FIBS_SERVE") else {
        return;
    };
    let listener = std::net::TcpListener::bind(format!("127.0.0.1:{port}")).unwrap();
    let mut server = Server::new(Style::Fibs, Faults::default(), &[], 1);
    eprintln!(
        "a FIBS server for one bot: 127.0.0.1:{port}, user {}, password {}",
        server.name, server.password
    );
    for stream in listener.incoming() {
        connection(&mut server, stream.unwrap(), 2000, usize::MAX, |server| {
            if server.plan.is_empty() {
                server.plan.extend([Some(1), Some(3), Some(5)]);
            }
        });
        eprintln!("{} matches so far", server.results.len());
    }
}

/// A log of everything, in memory.
fn log_to_memory() -> (impl tracing::Subscriber + Send + Sync, impl Fn() -> String) {
    use std::sync::{Arc, Mutex};
    #[derive(Clone)]
    struct Sink(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let sink = Sink(Arc::default());
    let writer = sink.clone();
    let log = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let read = move || String::from_utf8_lossy(&sink.0.lock().unwrap()).into_owned();
    (log, read)
}
