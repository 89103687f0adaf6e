//! gnubg's external protocol on a socket.

use crate::server::Client;
use crate::server_process::Process;
use gammond_game::notation::PositionId;
use gammond_game::notation::external_play::{Reading, read_play};
use gammond_game::{Position, Roll};

const OPENING: &str = "board:ext:opp:7:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";

/// EXT-04: on a socket, with gnubg's framing, several in one packet, mixed with another session.
#[test]
fn on_a_socket_as_gnubg_frames_it() {
    let server = crate::server::start(|_| {});
    let mut gnubg = crate::server::Client::new(&server.address);
    let mut other = crate::server::Client::new(&server.address);
    other.send("ping\n");
    for _ in 0..20 {
        gnubg.send(format!("{OPENING}\n\0"));
        let play = gnubg.line();
        let reading = read_play(&Position::start(), Roll::new(3, 1).unwrap(), &play);
        assert!(matches!(reading, Reading::Played(_)), "{play:?}");
    }
    gnubg.send(format!("{OPENING}\n\0{OPENING}\n\0\0{OPENING}\r\n"));
    let plays: Vec<_> = (0..3).map(|_| gnubg.line()).collect();
    assert_eq!(plays[0], plays[2]);
    assert_eq!(other.line(), "{\"type\":\"pong\"}");
}

/// EXT-16, LV-04: a server with an error rate plays, doubles and answers doubles as people do; gnubg sends what it always
/// sends.
#[test]
fn server_with_an_error_rate_plays_as_people() {
    let server = Process::start(
        "exec \"$@\"",
        &["--listen", "127.0.0.1:0", "pr=15", "seed=5"],
    );
    let mut gnubg = Client::new(&server.addresses[0]);
    let mut lines = Client::new(&server.addresses[0]);
    let mut others = 0;
    for roll in [[6, 4], [5, 1], [4, 3], [6, 2], [5, 4], [2, 1]] {
        let [high, low] = roll;
        let dice = format!(":1:{high}:{low}:{high}:{low}:1");
        gnubg.send(format!("{}\n\0", OPENING.replace(":-1:3:1:3:1:1", &dice)));
        let roll = Roll::new(high, low).unwrap();
        let Reading::Played(after) = read_play(&Position::start(), roll, &gnubg.line()) else {
            panic!("no play of {roll}");
        };
        let after = PositionId::from(after).to_string();
        let question = format!("move 4HPwATDgc/ABMA {high}{low} length=7 answer=position");
        lines.send(format!(
            "{question}\n{question} pr=off plies=2 filter=swift\n"
        ));
        assert_eq!(after, lines.line(), "{roll}");
        others += usize::from(after != lines.line());
    }
    assert!(others > 0, "people play as the engine does");
    let doubled = OPENING.replace(":-1:3:1:3:1:1:1:1:0:", ":-1:0:0:0:0:1:1:1:1:");
    gnubg.send(format!("{doubled}\n\0"));
    assert_eq!(gnubg.line(), "take");
}
