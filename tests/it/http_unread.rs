//! Answers over HTTP that nobody reads: rules HTTP-81 and HTTP-82 of `protocol-specs/http.md`.

use crate::http::get;
use crate::server::{Running, start};
use crate::support::HANG_LIMIT;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const ACK: u8 = 1;
const WINDOW_UPDATE: u8 = 8;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
/// Streams of a connection, the most that the server allows.
const STREAMS: u32 = 100;
// Longer than any test: nothing is cut.
const PATIENT: Duration = Duration::from_secs(24 * 60 * 60);
const PICTURE: &str = "/v1/show?position=4HPwATDgc/ABMA&width=1024";

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A connection over HTTP/2 that counts the answers it has read to their end.
struct Http2 {
    stream: TcpStream,
    read: Vec<u8>,
    ended: usize,
    data_bytes: usize,
}

impl Http2 {
    /// Connects, with the window that each answer begins with.
    fn new(address: &str, window: u32) -> Http2 {
        let stream = TcpStream::connect(address).unwrap();
        stream
            // A read is tried again until the limit of the test.
            .set_read_timeout(Some(Duration::from_millis(100)))
            .unwrap();
        let mut client = Http2 {
            stream,
            read: Vec::new(),
            ended: 0,
            data_bytes: 0,
        };
        let mut setting = vec![0, 4];
        setting.extend(window.to_be_bytes());
        client.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        client.send(&frame(SETTINGS, 0, 0, &setting));
        client.open_window(0, 1 << 30);
        client
    }

    fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
    }

    fn open_window(&mut self, stream: u32, bytes: u32) {
        self.send(&frame(WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes()));
    }

    /// Asks for a path in this form on a stream of its own.
    fn get(&mut self, stream: u32, path: &str, accept: &str) {
        let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
        // HPACK: GET and http from the static table, then literals: authority, path, accept.
        let mut head = vec![0x82, 0x86, 0x01];
        head.extend(text("localhost"));
        head.push(0x04);
        head.extend(text(path));
        head.extend([0x0f, 19 - 15]);
        head.extend(text(accept));
        self.send(&frame(HEADERS, END_STREAM | END_HEADERS, stream, &head));
    }

    /// Reads what is there; false if the server has closed the connection.
    fn read_on(&mut self) -> bool {
        let mut buffer = [0; 1 << 16];
        match self.stream.read(&mut buffer) {
            Ok(0) => return false,
            Ok(count) => self.read.extend(&buffer[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(_) => return false,
        }
        while let [a, b, c, kind, flags, ..] = self.read[..] {
            let length = u32::from_be_bytes([0, a, b, c]) as usize;
            if self.read.len() < 9 + length {
                break;
            }
            if kind == DATA {
                self.data_bytes += length;
            }
            if matches!(kind, DATA | HEADERS) && flags & END_STREAM != 0 {
                self.ended += 1;
            }
            let payload: Vec<u8> = self.read.drain(..9 + length).skip(9).collect();
            // The server closes a connection that does not answer this, on a slow machine before the last picture is painted.
            if kind == PING
                && flags & ACK == 0
                && self
                    .stream
                    .write_all(&frame(PING, ACK, 0, &payload))
                    .is_err()
            {
                return false;
            }
        }
        true
    }

    #[track_caller]
    fn read_until(&mut self, ended: usize) {
        let end = Instant::now() + HANG_LIMIT;
        while self.ended < ended {
            assert!(self.read_on(), "closed after {} answers", self.ended);
            assert!(Instant::now() < end, "{} of {ended} answers", self.ended);
        }
    }
}

fn streams() -> impl Iterator<Item = u32> {
    (1..2 * STREAMS).step_by(2)
}

fn server(write_timeout: Duration) -> (Running, String) {
    let server = start(|config| {
        config.http = vec!["127.0.0.1:0".parse().unwrap()];
        config.limits.write_timeout = write_timeout;
    });
    let http = server.http.clone().unwrap();
    (server, http)
}

/// Returns the bytes of unread answers, as the metrics count them without those of this request.
fn unsent(http: &str) -> usize {
    let text = String::from_utf8(get(http, "/metrics", "").body).unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("gammond_unsent "))
        .unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

/// HTTP-81: of a hundred pictures that a client asks for and does not read, few are painted; when it has gone, none is kept.
#[test]
fn pictures_that_are_not_read_are_not_painted() {
    let (_server, http) = server(PATIENT);
    let mut client = Http2::new(&http, 0);
    for stream in streams() {
        client.get(stream, PICTURE, "image/png");
    }
    let whole = get(&http, PICTURE, "Accept: image/png\r\n").body.len();
    let end = Instant::now() + HANG_LIMIT;
    while unsent(&http) < 256 << 10 {
        assert!(
            client.read_on() && Instant::now() < end,
            "{}",
            unsent(&http)
        );
    }
    // The rest would have been painted by now.
    for _ in 0..20 {
        assert!(client.read_on());
        get(&http, PICTURE, "Accept: image/png\r\n");
    }
    let most = (256 << 10) + 4 * whole;
    assert!(unsent(&http) <= most, "{} of {most}", unsent(&http));
    assert_eq!((client.ended, client.data_bytes), (0, 0));
    drop(client);
    let end = Instant::now() + HANG_LIMIT;
    while unsent(&http) > 0 {
        assert!(Instant::now() < end, "{} bytes are kept", unsent(&http));
    }
}

/// HTTP-81: a text that is the same for all clients takes no memory of its own.
#[test]
fn fixed_texts_cost_nothing_while_they_are_unread() {
    let (_server, http) = server(PATIENT);
    let mut client = Http2::new(&http, 0);
    for (stream, path) in streams().zip(
        ["/openapi.json", "/docs", "/play", "/page/play.js"]
            .iter()
            .cycle(),
    ) {
        client.get(stream, path, "*/*");
    }
    for _ in 0..5 {
        assert!(client.read_on());
    }
    assert_eq!(unsent(&http), 0);
    for stream in streams() {
        client.open_window(stream, 1 << 20);
    }
    client.read_until(STREAMS as usize);
}

/// HTTP-81: a client that reads gets all of its answers, at once or one after the other, in whatever order the requests come
/// to their turn.
#[test]
fn readers_get_all_answers() {
    let (_server, http) = server(PATIENT);
    for window in [1 << 20, 0] {
        let mut client = Http2::new(&http, window);
        for stream in streams() {
            client.get(stream, PICTURE, "image/png");
        }
        if window == 0 {
            for (count, stream) in streams().enumerate() {
                client.open_window(stream, 1 << 20);
                client.read_until(count + 1);
            }
        }
        client.read_until(STREAMS as usize);
        let whole = get(&http, PICTURE, "Accept: image/png\r\n").body.len();
        assert_eq!(client.data_bytes, whole * STREAMS as usize);
    }
}

/// HTTP-82: a client that keeps its windows closed is disconnected.
#[test]
fn client_that_reads_nothing_is_disconnected() {
    // The limit that is tried: 30 s would be long for a test.
    let (server, http) = server(Duration::from_millis(500));
    for path in ["/openapi.json", PICTURE, "/v1/eval?position=4HPwATDgc/ABMA"] {
        let before = server.handle.counters().timeouts.load(Ordering::Relaxed);
        let mut client = Http2::new(&http, 0);
        client.get(1, path, "*/*");
        let end = Instant::now() + HANG_LIMIT;
        while client.read_on() {
            assert!(Instant::now() < end, "{path}");
        }
        assert_eq!((client.ended, client.data_bytes), (0, 0), "{path}");
        let after = server.handle.counters().timeouts.load(Ordering::Relaxed);
        assert_eq!(after, before + 1, "{path}");
    }
    // The answer that comes late is the server's delay.
    let mut client = Http2::new(&http, 1 << 20);
    let trials = "/v1/rollout?position=4HPwATDgc/ABMA&trials=12960&time=1500";
    client.get(1, trials, "*/*");
    client.read_until(1);
}
