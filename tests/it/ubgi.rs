//! UBGI: rules UBGI- of `protocol-specs/ubgi.md`, and the recorded sessions.

use crate::support::{lines, shared};
use gammond::engine::Engine;
use gammond::game::{Position, Roll, legal_plays};
use gammond::notation::PositionId;
use gammond::protocol::external::{Reading, read_play};
use gammond::protocol::ubgi::{Step, Ubgi};
use gammond::query::Stop;
use gammond::service::ubgi::{reply, run};

fn engine() -> Engine {
    Engine::builder().threads(1).build().unwrap()
}

/// What a whole session answers, as on standard input and output.
fn session(input: &str) -> String {
    let mut out = Vec::new();
    let machine = Ubgi::new(Default::default(), "embedded", 1, true);
    let build = |nets: &str, threads: usize| match nets {
        "embedded" => Engine::builder()
            .threads(threads)
            .build()
            .map_err(|e| e.to_string()),
        _ => Err(format!("{nets}: no such file")),
    };
    run(engine(), machine, build, input.as_bytes(), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn check(input: &str, expected: &str) {
    assert_eq!(session(input), expected, "{input}");
}

/// UBGI-01, UBGI-02, UBGI-03, UBGI-04, UBGI-11.
#[test]
fn lines_and_ends() {
    check(
        "isready\r\n\n   \n isready \nquit\nisready\n",
        "readyok\nreadyok\n",
    );
    check("isready", "readyok\n");
    check(
        "hello\nUBGI\nstop\nisready\n",
        "error bad_command unknown\nerror bad_command unknown\nreadyok\n",
    );
    check("\u{fffd}\n", "error bad_command unknown\n");
    let long = format!("{}\nisready\n", "x".repeat(10_000));
    check(&long, "error bad_command line_too_long\nreadyok\n");
}

/// UBGI-10, UBGI-12, UBGI-13, UBGI-14, UBGI-15.
#[test]
fn handshake_and_options() {
    let text = session("ubgi\n");
    let found: Vec<&str> = text.lines().collect();
    assert!(found[0].starts_with("id name gammond"));
    assert!(found.contains(&"proto 0.2"));
    assert!(found.contains(&"key engine.ply int 1..5 1"), "{text}");
    assert!(found.contains(&"option name Variant type combo default backgammon var backgammon"));
    assert_eq!(found.last(), Some(&"ubgiok"));
    assert!(!text.contains("error"));
    check("set engine.ply 3\nget engine.ply\n", "value engine.ply 3\n");
    check(
        "setoption name ply value 2\nget engine.ply\n",
        "value engine.ply 2\n",
    );
    check(
        "setoption name Variant value backgammon\nisready\n",
        "readyok\n",
    );
    check(
        "setoption name Jacoby value on\nget game.jacoby\n",
        "value game.jacoby true\n",
    );
    check("set engine.ply 9\n", "error bad_value engine.ply\n");
    check("set engine.ply 0\n", "error bad_value engine.ply\n");
    check("set engine.ply\n", "error bad_command set\n");
    check(
        "set nosuch.key 1\nget nosuch.key\n",
        "error unsupported key\nerror unsupported key\n",
    );
    check(
        "set game.variant nackgammon\n",
        "error bad_value game.variant\n",
    );
    check(
        "set engine.threads 2\nget engine.threads\n",
        "value engine.threads 2\n",
    );
    check(
        "set engine.nets nowhere\n",
        "error bad_value nowhere: no such file\n",
    );
    check(
        "set game.length 7\nset game.score 6:2\nset game.crawford true\nget game.score\n",
        "value game.score 6:2\n",
    );
    check("set game.score 6:2\n", "error bad_value game.score\n");
    let mut of_a_server = Ubgi::default();
    assert_eq!(
        of_a_server.line(b"set engine.threads 2"),
        Step::Say("error unsupported key\n".into())
    );
    let Step::Say(keys) = of_a_server.line(b"keys") else {
        panic!("keys")
    };
    assert!(!keys.contains("engine.threads") && !keys.contains("ubgiok"));
}

/// UBGI-16, UBGI-17, UBGI-18, UBGI-19, UBGI-20, UBGI-25.
#[test]
fn session_position_and_dice() {
    check("newgame\ngo\n", "error bad_state missing.position\n");
    check(
        "position gnubgid 4HPwATDgc/ABMA\ngo role chequer\n",
        "error bad_state missing.dice\n",
    );
    for bad in [
        "dice 7 1",
        "dice 3",
        "dice 3 1 2",
        "dice a b",
        "dice",
        "dice 3  x",
    ] {
        check(&format!("{bad}\n"), "error bad_value dice\n");
    }
    for bad in [
        "position gnubgid 4HPw",
        "position gnubgid !!!!!!!!!!!!!!",
        "position gnubgid ////////////AA",
        "position gnubgid",
        "position gnubgid 4HPwATDgc/ABMA:cAkAAAAAAAAA",
        "position xgid x",
    ] {
        check(&format!("{bad}\n"), "error bad_value position\n");
    }
    check(
        "position\nposition fen x\n",
        "error bad_command position\nerror bad_command position\n",
    );
    check(
        "newsession type money jacoby off\nnewsession type match length 7 crawford on\n\
         newsession length 7\nsetscore 3 4\nsetcube value 2 owner p0\nsetcube owner p1 value 4\nsetturn p0\n",
        "",
    );
    for (bad, what) in [
        ("newsession type foo", "newsession"),
        ("newsession type match length 0", "newsession"),
        ("newsession type money jacoby maybe", "newsession"),
        ("setscore 3", "setscore"),
        ("setscore -1 2", "setscore"),
        ("setcube value 2", "setcube"),
        ("setcube value 0 owner center", "setcube"),
        ("setcube value 3 owner center", "setcube"),
        ("setcube value 2 owner p3", "setcube"),
        ("setturn p2", "setturn"),
    ] {
        check(&format!("{bad}\n"), &format!("error bad_value {what}\n"));
    }
    check(
        "position gnubgid AAAAAAAAAAAAAA\n",
        "error bad_value position\n",
    );
    check(
        "newsession type match length 3\nsetscore 2 0\nget game.crawford\n",
        "value game.crawford true\n",
    );
    check(
        "position xgid XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:3:0:7:10\nget game.score\n",
        "value game.score 2:3\n",
    );
}

/// UBGI-21, UBGI-22, UBGI-23, UBGI-24: every spelling; position and dice stay.
#[test]
fn go_in_every_spelling() {
    let start = "position gnubgid 4HPwATDgc/ABMA\ndice 3 1\n";
    let expected = session(&format!("{start}go\n"));
    for go in [
        "go chequer",
        "go role chequer",
        "go role chequer nodes 5",
        "go trials 5 role chequer",
        "go depth 1",
    ] {
        check(&format!("{start}{go}\n"), &expected);
    }
    check(&format!("{start}go\ngo\n"), &expected.repeat(2));
    check(
        &format!("{start}go role dice\ngo foo\n"),
        "error bad_value go\nerror bad_command go\n",
    );
    let cube = session(&format!("{start}go cube\n"));
    assert!(
        ["bestcube double\n", "bestcube nodouble\n"].contains(&cube.as_str()),
        "{cube}"
    );
    let turn = session(&format!("{start}go role turn\n"));
    assert!(turn.starts_with("bestturn cube=nodouble move="), "{turn}");
    check(
        "position gnubgid 27YdAACYz8EDQA\ndice 6 5\ngo\n",
        "bestmove pass\n",
    );
}

/// Every question of the recorded sessions: no error to what controllers send, legal plays in the
/// plain spelling, and the forced ones as recorded.
#[test]
fn recorded_sessions() {
    for name in [
        "check-gnubg.txt",
        "duel-two-games-gnubg-side.txt",
        "duel-two-games-wildbg-side.txt",
        "gnubg-03-no-move-and-finished.txt",
    ] {
        let Some(file) = shared("recorded_sessions", &format!("transcripts/ubgi/{name}")) else {
            return;
        };
        let engine = engine();
        let mut machine = Ubgi::default();
        let (mut position, mut roll, mut answer) = (Position::start(), None, String::new());
        let mut plays = 0;
        for line in lines(&file) {
            if let Some(expected) = line.strip_prefix("< bestmove ") {
                let (position, roll): (Position, Roll) = (position, roll.unwrap());
                let found = answer
                    .trim_end()
                    .strip_prefix("bestmove ")
                    .unwrap()
                    .to_owned();
                let legal = legal_plays(&position, roll);
                plays += 1;
                if legal.is_empty() {
                    assert_eq!((found.as_str(), expected), ("pass", "pass"));
                    continue;
                }
                assert!(!found.contains(['*', '(']), "{found}");
                let mine = read_play(&position, roll, &found);
                assert!(matches!(mine, Reading::Played(_)), "{found}");
                if legal.len() == 1 {
                    assert_eq!(mine, read_play(&position, roll, expected), "forced");
                }
            }
            let Some(sent) = line.strip_prefix("> ") else {
                continue;
            };
            // A finished position, which gnubg takes and we refuse (UBGI-25).
            if sent == "position gnubgid AAAAAAAAAAAAAA" {
                break;
            }
            if let Some(id) = sent.strip_prefix("position gnubgid ") {
                position = id.parse::<PositionId>().unwrap().position();
            }
            if let Some(dice) = sent.strip_prefix("dice ") {
                roll = Some(gammond::notation::parse_roll(dice.as_bytes()).unwrap());
            }
            // That engine counts its plies as gnubg does.
            let sent = if sent == "set engine.ply 0" {
                "set engine.ply 1"
            } else {
                sent
            };
            answer = match machine.line(sent.as_bytes()) {
                Step::Say(text) => text,
                Step::Ask(question) => reply(&engine, &question, &Stop::never()),
                _ => String::new(),
            };
            assert!(!answer.starts_with("error"), "{name}: {sent}: {answer}");
        }
        assert!(plays > 0, "{name}");
    }
}

/// UBGI on the port of `gammond serve`: the first line chooses it.
#[test]
fn on_a_socket() {
    let server = crate::server::start(|_| {});
    let mut client = crate::server::Client::new(&server.address);
    client.send("ubgi\n");
    while client.line() != "ubgiok" {}
    client.send("newgame\nisready\nposition gnubgid 4HPwATDgc/ABMA\ndice 3 1\ngo role chequer\ngo cube\nset engine.threads 2\nisready\n");
    assert_eq!(client.line(), "readyok");
    assert!(client.line().starts_with("bestmove "));
    assert!(client.line().starts_with("bestcube "));
    assert_eq!(client.line(), "error unsupported key");
    assert_eq!(client.line(), "readyok");
}
