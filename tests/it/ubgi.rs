//! UBGI: rules UBGI- of `protocol-specs/ubgi.md`, and the recorded sessions.

use crate::answers::answer;
use crate::support::{lines, shared};
use gammond_engine::engine::Engine;
use gammond_game::notation::PositionId;
use gammond_game::notation::external_play::{Reading, read_play};
use gammond_game::{Position, Roll, legal_plays};
use gammond_protocol::ubgi::{Ubgi, UbgiAction};
use gammond_server::ubgi::run;

fn engine() -> Engine {
    Engine::builder().threads(1).build().unwrap()
}

/// What a whole session answers, as on standard input and output.
fn session(input: &str) -> String {
    let mut out = Vec::new();
    let machine = Ubgi::new(&Default::default(), "embedded", 1, true);
    let build = |nets: &str, threads: usize| match nets {
        "embedded" => Engine::builder()
            .threads(threads)
            .build()
            .map_err(|e| e.to_string()),
        _ => Err(format!("{nets}: no such file")),
    };
    run(
        engine(),
        machine,
        build,
        std::io::Cursor::new(input.to_owned()),
        &mut out,
    )
    .unwrap();
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

/// LV-04: with a limited strength the plays are those of people, another seed has others.
#[test]
fn strength_can_be_limited() {
    let best = |options: &str| {
        let found = session(&format!(
            "ubgi\n{options}newgame\nposition gnubgid 4HPwATDgc/ABMA\ndice 6 4\ngo role chequer\n"
        ));
        let line = found.lines().find(|line| line.starts_with("bestmove"));
        line.unwrap_or_else(|| panic!("{found}")).to_owned()
    };
    let limited = |seed| {
        best(&format!(
            "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1100\nsetoption name Seed value {seed}\n"
        ))
    };
    let free = best("setoption name UCI_Elo value 1100\n");
    let plays: std::collections::BTreeSet<String> = (0..12).map(limited).collect();
    assert!(plays.len() > 2, "{plays:?}");
    assert_eq!(best(""), free);
    // Each game of a session has its own choices, the same in the next session.
    let question = "newgame\nposition gnubgid 4HPwATDgc/ABMA\ndice 6 4\ngo role chequer\n";
    let games = || {
        session(&format!(
            "ubgi\nset engine.limit_strength true\nset engine.elo 1100\n{}",
            question.repeat(12)
        ))
    };
    let found = games();
    let plays: std::collections::BTreeSet<&str> =
        (found.lines().filter(|line| line.starts_with("bestmove"))).collect();
    assert!(plays.len() > 2, "{plays:?}");
    assert_eq!(found, games());
    let wrong = session("ubgi\nsetoption name UCI_Elo value 3000\n");
    assert!(wrong.contains("error bad_value"), "{wrong}");
}

/// UBGI-10, UBGI-12, UBGI-13, UBGI-14, UBGI-15, UBGI-27.
#[test]
fn handshake_and_options() {
    let text = session("ubgi\n");
    let found: Vec<&str> = text.lines().collect();
    assert!(found[0].starts_with("id name gammond"));
    assert!(found.contains(&"proto 0.2"));
    assert!(found.contains(&"key engine.ply int 1..5 1"), "{text}");
    let variants = "option name Variant type combo default backgammon var backgammon var nackgammon \
                    var hypergammon var hypergammon2 var hypergammon1";
    assert!(found.contains(&variants), "{text}");
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
    check(
        "set engine.level Roller+\nget engine.level\nsetoption name level value roller++\nget engine.level\n",
        "error bad_value engine.level\nvalue engine.level off\nvalue engine.level roller++\n",
    );
    check("set engine.ply 9\n", "error bad_value engine.ply\n");
    check("set engine.ply 0\n", "error bad_value engine.ply\n");
    check("set engine.ply\n", "error bad_command set\n");
    check(
        "set nosuch.key 1\nget nosuch.key\n",
        "error unsupported key\nerror unsupported key\n",
    );
    check(
        "set game.variant longgammon\nset game.variant nackgammon\nget game.variant\n",
        "error bad_value game.variant\nvalue game.variant nackgammon\n",
    );
    check(
        "set engine.threads 2\nget engine.threads\n",
        "value engine.threads 2\n",
    );
    check(
        "set engine.nets nowhere\nget engine.nets\nset engine.threads 2\nget engine.threads\n",
        "error bad_value engine.nets nowhere: no such file\nvalue engine.nets embedded\n\
         value engine.threads 2\n",
    );
    check(
        "set game.length 7\nset game.score 6:2\nset game.crawford true\nget game.score\n",
        "value game.score 6:2\n",
    );
    check("set game.score 6:2\n", "error bad_value game.score\n");
    let mut of_a_server = Ubgi::default();
    assert_eq!(
        of_a_server.line(b"set engine.threads 2"),
        UbgiAction::Say("error unsupported key\n".into())
    );
    let UbgiAction::Say(keys) = of_a_server.line(b"keys") else {
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
        "set game.variant hypergammon2\nposition gnubgid 4HPwATDgc/ABMA",
        "set game.variant hypergammon\nposition xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10",
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

/// UBGI-18, UBGI-19: dice of an XGID, and the Crawford rule.
#[test]
fn scores_and_dice_are_replaced() {
    let xgid = |dice: &str| {
        format!("position xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:{dice}:0:0:0:0:10\n")
    };
    check(
        &format!("{}{}go\n", xgid("31"), xgid("00")),
        "error bad_state missing.dice\n",
    );
    // A score says the same in both forms, and the rule that is off stays off.
    let start = "newsession type match length 5\n";
    for score in ["setscore 2 4", "set game.score 2:4"] {
        let get = format!("{score}\nget game.crawford\n");
        check(&format!("{start}{get}"), "value game.crawford true\n");
        let off = format!(
            "{start}set game.crawford false\n{get}{get}set game.crawford true\nget game.crawford\n"
        );
        check(
            &off,
            "value game.crawford false\nvalue game.crawford false\nvalue game.crawford true\n",
        );
    }
    check(
        &format!("{start}setscore 4294967295 0\n"),
        "error bad_value setscore\n",
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

/// The lines of a recorded session.
fn recorded(test: &str, name: &str) -> Vec<String> {
    let file = shared(test, &format!("transcripts/ubgi/{name}"));
    file.map_or_else(Vec::new, |file| lines(&file))
}

/// The commands of a recorded session, each with the lines that answered it.
fn commands(test: &str, name: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    for line in recorded(test, name) {
        if let Some(sent) = line.strip_prefix("> ") {
            found.push((sent.to_owned(), Vec::new()));
        } else if let Some(answer) = line.strip_prefix("< ")
            && let Some((_, answers)) = found.last_mut()
        {
            answers.push(answer.to_owned());
        }
    }
    found
}

/// A session beside the recorded one, with what it takes to judge its plays.
struct Replay {
    engine: Engine,
    machine: Ubgi,
    position: Option<Position>,
    roll: Option<Roll>,
}

impl Replay {
    fn new() -> Replay {
        Replay {
            engine: engine(),
            machine: Ubgi::default(),
            position: None,
            roll: None,
        }
    }

    fn send(&mut self, sent: &str) -> String {
        if let Some(id) = sent.strip_prefix("position gnubgid ")
            && let Ok(id) = id.parse::<PositionId>()
        {
            self.position = Some(id.position());
        }
        if let Some(dice) = sent.strip_prefix("dice ")
            && let Ok(roll) = gammond_game::notation::parse_roll(dice.as_bytes())
        {
            self.roll = Some(roll);
        }
        // That engine counts its plies as gnubg does (UBGI-12).
        let sent = if sent == "set engine.ply 0" {
            "set engine.ply 1"
        } else {
            sent
        };
        match self.machine.line(sent.as_bytes()) {
            UbgiAction::Say(text) => text,
            UbgiAction::Ask(question) => answer(&self.engine, *question),
            UbgiAction::Silence | UbgiAction::Close(_) => String::new(),
            other => panic!("{sent}: {other:?}"),
        }
    }

    /// A play in the plain spelling that is legal, and the recorded one where it is forced.
    fn check_play(&self, answer: &str, expected: &str) {
        let (position, roll) = (self.position.unwrap(), self.roll.unwrap());
        let found = answer.trim_end().strip_prefix("bestmove ");
        let found = found.unwrap_or_else(|| panic!("{expected}: {answer}"));
        let legal = legal_plays(&position, roll);
        if legal.is_empty() {
            assert_eq!((found, expected), ("pass", "pass"));
            return;
        }
        assert!(!found.contains(['*', '(']), "{found}");
        let mine = read_play(&position, roll, found);
        assert!(matches!(mine, Reading::Played(_)), "{found}");
        if legal.len() == 1 {
            assert_eq!(mine, read_play(&position, roll, expected), "forced");
        }
    }
}

/// Sessions of controllers: no error to what they send, legal plays, the forced ones as recorded.
#[test]
fn recorded_sessions() {
    for name in [
        "check-gnubg.txt",
        "duel-two-games-gnubg-side.txt",
        "duel-two-games-wildbg-side.txt",
    ] {
        let commands = commands("recorded_sessions", name);
        let (mut replay, mut plays) = (Replay::new(), 0);
        for (sent, answers) in &commands {
            let answer = replay.send(sent);
            assert!(!answer.starts_with("error"), "{name}: {sent}: {answer}");
            if let Some(expected) = answers
                .iter()
                .find_map(|line| line.strip_prefix("bestmove "))
            {
                plays += 1;
                replay.check_play(&answer, expected);
            }
            if answers.iter().any(|line| line == "readyok") {
                assert_eq!(answer, "readyok\n");
            }
        }
        assert!(commands.is_empty() || plays > 0, "{name}");
    }
}

/// Error codes of generation 0.1 in those of 0.2 (UBGI-03).
fn code_of_02(code: &str) -> &str {
    match code {
        "unknown_command" => "bad_command",
        "bad_argument" => "bad_value",
        "missing_context" => "bad_state",
        "unsupported_feature" => "unsupported",
        other => other,
    }
}

/// Beginnings of commands that the reference engine refuses and we obey.
const OFFERED: [&str; 12] = [
    "set game.variant nackgammon",
    "setoption ",
    "set engine.deterministic true",
    "get engine.eval_mode",
    "go",
    "stop",
    "position xgid ",
    " ubgi",
    "ubgi ",
    " ",
    "keys",
    "isready",
];

/// What it takes, or refuses with another code, and we refuse with this one.
const REFUSED: [(&str, &str); 8] = [
    ("position gnubgid", "bad_value"),
    ("setcube value 3 owner center", "bad_value"),
    ("setoption name Ply value 0", "bad_value"),
    ("newsession", "bad_command"),
    ("dice", "bad_value"),
    ("go foo", "bad_command"),
    ("go role dice", "bad_value"),
    ("set engine.threads 2", "unsupported"),
];

/// What of our answer does not go with the reference engine's.
fn mismatch(replay: &Replay, sent: &str, answers: &[String], answer: &str) -> Option<&'static str> {
    let code = |text: &str| {
        Some(
            text.strip_prefix("error ")?
                .split_whitespace()
                .next()?
                .to_owned(),
        )
    };
    let theirs = answers.iter().find_map(|line| code(line));
    let ours = code(answer);
    let listed = |code: &str| {
        REFUSED
            .iter()
            .any(|&(line, known)| sent.starts_with(line) && code == known)
    };
    match (&theirs, &ours) {
        (Some(theirs), Some(ours)) if ours == code_of_02(theirs) => return None,
        (_, Some(ours)) => return (!listed(ours)).then_some("error"),
        (Some(_), None) => {
            let offered = OFFERED.iter().any(|line| sent.starts_with(line));
            return (!offered).then_some("no error");
        }
        (None, None) => {}
    }
    let play = answers
        .iter()
        .find_map(|line| line.strip_prefix("bestmove "));
    match (play, answers) {
        // That engine answers `go cube` and `go turn` with a play.
        (Some(_), _) if sent == "go cube" => (!answer.starts_with("bestcube ")).then_some("cube"),
        (Some(_), _) if sent == "go turn" => (!answer.starts_with("bestturn ")).then_some("turn"),
        (Some(play), _) => {
            replay.check_play(answer, play);
            None
        }
        (None, []) => (!answer.is_empty()).then_some("not silent"),
        (None, [only]) => {
            let words = |text: &str| {
                text.split_whitespace()
                    .take(2)
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            (words(answer) != words(only)).then_some("text")
        }
        // `ubgi` and `keys`: other options, the same shape.
        _ => (answer.lines().count() < 2).then_some("lines"),
    }
}

/// UBGI-03, UBGI-10 to UBGI-25: every command that was tried on the reference engine. It mixes the
/// codes of two generations, keeps no dice, and refuses or takes some commands against the text.
#[test]
fn recorded_commands_and_errors() {
    for name in [
        "gnubg-01-handshake-and-errors.txt",
        "gnubg-02-go-spellings-and-moves.txt",
        "gnubg-03-no-move-and-finished.txt",
    ] {
        let mut replay = Replay::new();
        for (sent, answers) in commands("recorded_commands_and_errors", name) {
            let answer = replay.send(&sent);
            let wrong = mismatch(&replay, &sent, &answers, &answer);
            assert_eq!(
                wrong, None,
                "{name}: {sent:?}: {answers:?}, ours {answer:?}"
            );
        }
    }
}

/// The runner's own log of a duel: it counts the legal plays as we do, and each choice is one.
#[test]
fn recorded_log_of_a_duel() {
    let mut plies = 0;
    let lines = recorded("recorded_log_of_a_duel", "duel-game1-runner-log.txt");
    for line in &lines {
        let field = |name: &str| {
            let start = line.find(&format!("{name}="))? + name.len() + 1;
            let rest = &line[start..];
            Some(rest.split(['=']).next().unwrap_or(rest))
        };
        let (Some(id), Some(dice)) = (field("pos"), field("dice")) else {
            continue;
        };
        let word = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
        let position = word(id).parse::<PositionId>().unwrap().position();
        let roll =
            gammond_game::notation::parse_roll(word(dice).replace('/', "").as_bytes()).unwrap();
        let legal = legal_plays(&position, roll);
        let choice = field("choice")
            .unwrap()
            .trim_end_matches("legal_count")
            .trim();
        // It counts a pass as one.
        let count = legal.len().max(1).to_string();
        assert_eq!(word(field("legal_count").unwrap()), count, "{line}");
        if legal.is_empty() {
            assert_eq!(choice, "pass", "{line}");
        } else {
            let reading = read_play(&position, roll, choice);
            assert!(matches!(reading, Reading::Played(_)), "{line}: {choice:?}");
        }
        plies += 1;
    }
    assert!(lines.is_empty() || plies > 10, "{plies} plies");
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
