//! The console as the driver of an external player: CON-26 and CON-27 of `protocol-specs/gnubg-console.md`. The
//! questions are those that gnubg 1.07.001 was recorded to send.

use gammond_console::{Console, ConsoleOptions};
use gammond_engine::engine::Engine;
use gammond_engine::query::Stop;
use gammond_server::console::{EngineHost, Sinks, run};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;

/// The checkers of the start position in a board line, from the bar of player 0 to the bar of player 1.
const START: &str = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0";

/// An external player that sends these replies, one for each question, and then closes the connection.
struct Peer {
    address: String,
    questions: JoinHandle<Vec<String>>,
}

impl Peer {
    fn new(replies: &[&str]) -> Peer {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let replies: Vec<String> = replies.iter().map(|&reply| reply.to_owned()).collect();
        let questions = std::thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut questions = Vec::new();
            for reply in replies {
                let (mut line, mut end) = (Vec::new(), Vec::new());
                reader.read_until(b'\n', &mut line).unwrap();
                reader.read_until(b'\0', &mut end).unwrap();
                assert_eq!(end, b"\0", "a line end and a zero byte end a question");
                questions.push(String::from_utf8(line).unwrap().trim_end().to_owned());
                (&stream).write_all(reply.as_bytes()).unwrap();
            }
            questions
        });
        Peer { address, questions }
    }
}

fn host() -> EngineHost {
    let engine = Engine::builder().threads(1).build().unwrap();
    EngineHost::new(engine, Stop::new(), None)
}

/// Runs the script, in which `PEER` is the address of an external player with these replies. Returns standard output
/// without boards, standard error, and the questions.
fn drive(script: &str, replies: &[&str]) -> (String, String, Vec<String>) {
    let peer = Peer::new(replies);
    let script = script.replace("PEER", &peer.address);
    let mut sinks = Sinks {
        out: Vec::new(),
        err: Vec::new(),
    };
    {
        let mut console = Console::new(ConsoleOptions::default());
        run(
            &mut console,
            &mut host(),
            script.as_bytes(),
            &mut sinks,
            false,
        )
        .unwrap();
    }
    let [out, err] = [sinks.out, sinks.err].map(|bytes| String::from_utf8(bytes).unwrap());
    let words = out
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with([' ', 'v', '^']));
    let out = words.fold(String::new(), |text, line| text + line + "\n");
    (out, err, peer.questions.join().unwrap())
}

/// Commands that set up the start position with seat 0 or 1 on roll.
fn begin(new: &str, turn: u8) -> String {
    format!(
        "set player 0 human\nset player 0 name top\nset player 1 name low\nset automatic roll off\n{new}\n\
         set board 4HPwATDgc/ABMA\nset turn {turn}\n"
    )
}

fn question(names: &str, middle: &str) -> String {
    format!("board:{names}:{START}:{middle}:1:-1:0:25:0:0:0:0:0:0:0:1")
}

/// CON-26: the questions of a play, a double, a redouble and a beaver, for both seats.
#[test]
fn questions_are_those_of_the_original() {
    let play =
        begin("new match 7", 0) + "set dice 3 1\nset player 0 external PEER\nplay\nshow board\n";
    let (out, err, asked) = drive(&play, &["8/5 6/5\n"]);
    assert_eq!(asked, [question("top:low:7:0:0", "-1:3:1:3:1:1:1:1:0")]);
    assert!(
        out.contains("top moves 8/5 6/5.\n") && err.is_empty(),
        "{out} {err}"
    );

    let double = begin("new match 7", 1) + "set score 3 5\nset player 0 external PEER\ndouble\n";
    let (out, _, asked) = drive(&double, &["take\n"]);
    assert_eq!(asked, [question("low:top:7:5:3", "1:0:0:0:0:1:1:1:1")]);
    assert!(out.contains("top accepts the cube at 2.\n"), "{out}");

    let redouble = begin("new match 7", 0)
        + "set score 3 1\nset cube value 2\nset cube owner 0\nset player 1 external PEER\ndouble\n";
    let (out, _, asked) = drive(&redouble, &["Drop, of course\n"]);
    assert_eq!(asked, [question("low:top:7:1:3", "-1:0:0:0:0:2:0:1:1")]);
    assert!(
        out.contains("low refuses the cube and gives up 2 points.\n"),
        "{out}"
    );

    let beaver = begin("new session", 0) + "set player 0 external PEER\nplay\nbeaver\n";
    let (out, _, asked) = drive(&beaver, &["double\n", "a\n"]);
    assert_eq!(
        asked,
        [
            question("top:low:0:0:0", "-1:0:0:0:0:1:1:1:0"),
            question("top:low:0:0:0", "-1:0:0:0:0:2:1:0:1"),
        ]
    );
    assert!(
        out.contains("low accepts and immediately redoubles to 4.\n"),
        "{out}"
    );
}

/// CON-27: a reply that is none leaves the turn where it is, with a reason, and `play` asks again.
#[test]
fn replies_that_are_none_leave_the_turn() {
    let script = begin("new match 7", 0)
        + "set dice 3 1\nset player 0 external PEER\n"
        + &"play\n".repeat(8);
    let replies = [
        "cannot move\n",
        "8/5 6/1\n",
        "\n",
        "Error: no idea\n",
        "resign everything\n",
        "\u{fffd}\r\n",
        "bar/20 13/off(2)(2)\n",
        "24/23 13/10\r\nand more\n",
    ];
    let (out, err, asked) = drive(&script, &replies);
    assert_eq!(
        asked,
        vec![question("top:low:7:0:0", "-1:3:1:3:1:1:1:1:0"); 8]
    );
    assert_eq!(err.lines().count(), 5, "{err}");
    assert!(err.starts_with(
        "gammond: the external player of top replied `cannot move', expected a legal play such as `8/5 6/5'; \
         `play' asks again\n"
    ));
    assert!(
        out.contains("Error: no idea\nUnknown keyword `everything' (see `help resign').\n"),
        "{out}"
    );
    assert!(out.ends_with("top moves 24/23 13/10.\n"), "{out}");
}

/// CON-27: a closed connection, an address at which nothing listens, and a resignation to an external player.
#[test]
fn connections_end_and_fail_with_a_reason() {
    let script = begin("new match 7", 0)
        + "set player 1 external 127.0.0.1:1\nset player 1 external\nset player 1 external no/such/socket\n\
           set dice 3 1\nset player 0 external PEER\nshow player\nplay\nplay\nset player 0 human\nmove 8/5 6/5\n";
    let (out, err, _) = drive(&script, &[]);
    assert_eq!(
        err,
        "127.0.0.1:1: Connection refused\nno/such/socket: No such file or directory\n"
    );
    for part in [
        "You must specify the name of the socket to the external\nplayer (see `help set player external').\n",
        "External connection closed.\nExternal connection closed.\nMoves for top must now be entered manually.\n",
    ] {
        assert!(out.contains(part), "{part:?} in {out}");
    }
    let script = begin("new match 7", 1) + "set player 0 external PEER\nresign normal\nresign 3\n";
    let (out, _, _) = drive(&script, &[]);
    assert!(out.contains("top declines the single game.\n"), "{out}");
    assert!(
        out.contains("top accepts and wins a backgammon.\n"),
        "{out}"
    );
}
