//! The program over a real socket.

use super::{Faults, Server};
use gammond_game::notation::MatchFile;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tungstenite::{Message, WebSocket};

/// Serves connections one after the other until the bot disconnects. Returns the server and what was sent to it.
fn serve(listener: &TcpListener, mut server: Server) -> (Server, Vec<String>) {
    let mut heard = Vec::new();
    loop {
        let (mut stream, _) = listener.accept().unwrap();
        server.connect();
        let reader = BufReader::new(stream.try_clone().unwrap());
        let mut lines = reader.lines();
        loop {
            for event in std::mem::take(&mut server.out) {
                if stream.write_all(format!("{event}\n").as_bytes()).is_err() {
                    break;
                }
            }
            if std::mem::take(&mut server.cut) {
                break;
            }
            let Some(Ok(line)) = lines.next() else { break };
            heard.push(line.clone());
            if line == "disconnect" {
                return (server, heard);
            }
            // The server knows the bot under one name.
            let line = match line.split_once(" BOT_tester ") {
                Some((login, _)) => format!("{login} BOT_tester"),
                None => line,
            };
            server.command(&line);
        }
    }
}

/// BGM-03: `gammond bgammon` plays a match over TCP with a cut connection, writes its file and never shows the password.
#[test]
fn program_plays_a_match_over_tcp() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let faults = Faults {
        cuts: 5,
        noise: 100,
        ..Faults::default()
    };
    let thread = std::thread::spawn(move || serve(&listener, Server::new(5, faults)));
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("password");
    std::fs::write(&secret, "s3cretW0rd\n").unwrap();
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
    let matches = folder.path().join("matches");
    let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["bgammon", "--server", &address, "--user", "BOT_tester"])
        .args(["--points", "3", "--matches-max", "1", "--pause-ms", "0"])
        .args(["--pace-ms", "0", "--plies", "0", "--log", "trace"])
        .arg("--password-file")
        .arg(&secret)
        .arg("--matches")
        .arg(&matches)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("s3cretW0rd"), "{said}");
    assert!(!said.contains('\u{1b}'), "{said:?}");
    let (server, heard) = thread.join().unwrap();
    assert!(
        heard[0].starts_with("loginjson gammond-v")
            && heard[0].ends_with("/en BOT_tester s3cretW0rd")
    );
    assert_eq!(server.illegal, Vec::<String>::new(), "{said}");
    assert_eq!(server.results.len(), 1);
    let files: Vec<_> = std::fs::read_dir(&matches).unwrap().collect();
    assert_eq!(files.len(), 1, "{said}");
    let text = std::fs::read(files[0].as_ref().unwrap().path()).unwrap();
    let read = MatchFile::parse(&text).unwrap();
    assert_eq!(read.names, ["BOT_tester", "joe"].map(str::to_owned));
    assert_eq!(read.length, 3);
}

/// BGM-53: a server that ends two connections in a row ends the bot, with its reason.
#[test]
fn refused_login_ends_the_bot() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let thread = std::thread::spawn(move || {
        for _ in 0..2 {
            let (mut stream, _) = listener.accept().unwrap();
            stream
                .write_all(b"hello there\n{\"Type\":\"notice\",\"Message\":\"Connection terminated: banned\"}\n")
                .unwrap();
        }
    });
    let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["bgammon", "--server", &address, "--user", "BOT_tester"])
        .env_remove("GAMMOND_BGAMMON_PASSWORD")
        .output()
        .unwrap();
    thread.join().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("two connections in a row: Connection terminated: banned"),
        "{said}"
    );
}

/// BGM-05: what cannot be part of a command is refused before a connection is made.
#[test]
fn wrong_arguments_are_refused() {
    for (arguments, said) in [
        (vec!["--user", "BOT x"], "user name 'BOT x'"),
        (vec!["--user", "1234"], "is all digits"),
        (
            vec!["--user", "BOT_x", "--points", "0"],
            "expected 1 to 127",
        ),
        (vec!["--user", "BOT_x", "--title", "a\nleave"], "the title"),
        (
            vec!["--user", "BOT_x", "--match-password", "a b"],
            "the password of the match",
        ),
        (
            vec!["--user", "BOT_x", "--server", "nowhere"],
            "expected wss://HOST",
        ),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .arg("bgammon")
            .args(&arguments)
            .env_remove("GAMMOND_BGAMMON_PASSWORD")
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(said), "{error}");
    }
}

/// Serves one connection over a WebSocket, on which there is no `hello` and each event is a message.
fn serve_messages<S: std::io::Read + Write>(
    mut socket: WebSocket<S>,
    mut server: Server,
) -> Server {
    server.connect();
    server.out.clear();
    loop {
        let events = std::mem::take(&mut server.out);
        for event in events {
            socket.send(Message::text(event)).unwrap();
        }
        match socket.read().unwrap() {
            Message::Text(line) if line == "disconnect" => return server,
            Message::Text(line) => server.command(&line),
            Message::Close(_) => return server,
            other => panic!("{other:?}"),
        }
    }
}

/// A certificate for localhost, as a file, and a configuration that uses it.
fn certificate(folder: &Path) -> (std::path::PathBuf, Arc<rustls::ServerConfig>) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let path = folder.join("root.pem");
    std::fs::write(&path, made.cert.pem()).unwrap();
    let key = rustls::pki_types::PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .unwrap();
    (path, Arc::new(config))
}

fn bot(server: &str, root: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    command
        .args([
            "bgammon",
            "--server",
            server,
            "--user",
            "BOT_tester",
            "--points",
            "1",
        ])
        .args([
            "--matches-max",
            "1",
            "--pause-ms",
            "0",
            "--pace-ms",
            "0",
            "--log",
            "info",
        ])
        .env("SSL_CERT_FILE", root)
        .env_remove("GAMMOND_BGAMMON_PASSWORD");
    command
}

/// BGM-01: a match over WebSocket with TLS, and one without.
#[test]
fn program_plays_a_match_over_websocket() {
    let folder = tempfile::tempdir().unwrap();
    let (root, config) = certificate(folder.path());
    for scheme in ["wss", "ws"] {
        let listener = TcpListener::bind("localhost:0").unwrap();
        let address = format!(
            "{scheme}://localhost:{}",
            listener.local_addr().unwrap().port()
        );
        let config = Arc::clone(&config);
        let thread = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let server = Server::new(9, Faults::default());
            match scheme {
                "ws" => serve_messages(tungstenite::accept(stream).unwrap(), server),
                _ => {
                    let tls = rustls::ServerConnection::new(config).unwrap();
                    let stream = rustls::StreamOwned::new(tls, stream);
                    let socket = tungstenite::accept(stream).map_err(|error| error.to_string());
                    serve_messages(socket.unwrap(), server)
                }
            }
        });
        let output = bot(&address, &root).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let server = thread.join().unwrap();
        assert_eq!(server.illegal, Vec::<String>::new(), "{said}");
        assert_eq!(server.results.len(), 1);
        assert!(!said.contains("clear text"), "{said}");
    }
}

/// BGM-01: a server without a certificate of the known roots gets no login line.
#[test]
fn unknown_certificate_gets_no_password() {
    let folder = tempfile::tempdir().unwrap();
    let (_, config) = certificate(folder.path());
    let (other_root, _) = certificate(folder.path());
    let listener = TcpListener::bind("localhost:0").unwrap();
    let address = format!("wss://localhost:{}", listener.local_addr().unwrap().port());
    let thread = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let tls = rustls::ServerConnection::new(config).unwrap();
        let failed = tungstenite::accept(rustls::StreamOwned::new(tls, stream)).is_err();
        assert!(failed);
    });
    let mut child = bot(&address, &other_root)
        .env("GAMMOND_BGAMMON_PASSWORD", "s3cretW0rd")
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    thread.join().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let lost = lines.find(|line| {
        line.as_ref()
            .is_ok_and(|line| line.contains("cannot connect"))
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let said = lost.unwrap().unwrap();
    assert!(said.to_lowercase().contains("certificate"), "{said}");
}
