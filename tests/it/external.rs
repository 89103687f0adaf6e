//! gnubg's external protocol on a socket.

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
