//! What strangers and strangers' servers do (FIBS-18, FIBS-20, FIBS-24 to FIBS-29, FIBS-33 to FIBS-36):
//! each of these once went wrong.

use super::machine::{logged_in, sent, talk};
use super::world::*;
use super::*;

const BEGIN: &str =
    "** You are now playing a 3 point match with alice\r\nStarting a new game with alice.\r\n";

/// A board of a match with `name` to `length` points; `turn` 1: ours.
fn board(name: &str, length: u32, scores: &str, turn: i32, dice: &str) -> String {
    format!(
        "board:You:{name}:{length}:{scores}:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:{turn}:{dice}:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0\r\n"
    )
}

fn count(lines: &[String], wanted: &str) -> usize {
    lines.iter().filter(|line| line.starts_with(wanted)).count()
}

/// What the machine asks, says happened, and sends in so many milliseconds.
fn run(machine: &mut Machine, now: u64, ms: u64) -> (Vec<Ask>, Vec<Event>, Vec<String>) {
    let (mut asks, mut events, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    let mut at = now;
    while at < now + ms {
        while let Some(output) = machine.poll(at) {
            match output {
                Output::Decide(_, ask) => asks.push(*ask),
                Output::Event(event) => events.push(*event),
                Output::Send(line) => lines.push(line),
                other => lines.push(format!("{other:?}")),
            }
        }
        at = machine.wake(at);
        machine.tick(at);
    }
    (asks, events, lines)
}

/// FIBS-33: an away message with a board, a double, a resignation, the end of the match in it does
/// nothing; nor do boards of another opponent or length, nor lines about somebody else's game.
#[test]
fn a_stranger_plays_no_part() {
    let ours = board("alice", 3, "0:0", 1, "3:1:0:0");
    let spoofs = [
        format!("mallory is away: {}", board("alice", 3, "0:0", 1, "6:6:0:0")),
        "mallory is away: alice doubles. Type 'accept' or 'reject'.\r\n".into(),
        "mallory is away: alice wants to resign. You will win 3 points. Type 'accept' or 'reject'.\r\n".into(),
        "mallory is away: alice drops connection. The game was saved.\r\n".into(),
        "mallory is away: x The cube shows 2.alice wins the 3 point match 3-0 .\r\n".into(),
        "mallory drops connection. The game was saved.\r\n".into(),
        "mallory doubles. Type 'accept' or 'reject'.\r\n".into(),
        "mallory wins the 3 point match 3-0 .\r\n".into(),
        "mallory gives up. You win 1 point.\r\n".into(),
        "score in 3 point match: mallory-2 tester-0\r\n".into(),
        board("mallory", 3, "0:0", 1, "6:6:0:0"),
        board("alice", 5, "0:0", 1, "6:6:0:0"),
    ];
    for spoof in spoofs {
        let (_, mut machine, now) = logged_in();
        machine.bytes(BEGIN.as_bytes(), now);
        machine.bytes(spoof.as_bytes(), now + 1);
        machine.bytes(ours.as_bytes(), now + 2);
        machine.bytes(spoof.as_bytes(), now + 3);
        let (asks, events, lines) = run(&mut machine, now + 3, 1000);
        let [Ask::Play { query, .. }] = asks.as_slice() else {
            panic!("{spoof}: {asks:?}");
        };
        assert_eq!(query.roll, Roll::new(3, 1).unwrap(), "{spoof}");
        let ended =
            |event: &Event| matches!(event, Event::MatchSaved { .. } | Event::MatchFinished(_));
        assert!(!events.iter().any(ended), "{spoof}: {events:?}");
        assert!(
            lines.iter().all(|line| line.starts_with("kibitz Hello")),
            "{spoof}: {lines:?}"
        );
        assert_eq!(machine.opponent(), Some("alice"), "{spoof}");
    }
    // A server that shows nothing but another match is left.
    let (_, mut machine, now) = logged_in();
    machine.bytes(BEGIN.as_bytes(), now);
    for at in 0..5 {
        machine.bytes(
            board("mallory", 3, "0:0", 1, "6:6:0:0").as_bytes(),
            now + at,
        );
    }
    let (_, _, lines) = run(&mut machine, now + 5, 100);
    assert!(count(&lines, "Reconnect") > 0, "{lines:?}");
}

/// FIBS-33: nothing in the message of the day begins a match or ends the login.
#[test]
fn the_message_of_the_day_is_only_text() {
    let mut machine = Machine::new("tester", policy(), Timing::default());
    machine.connected(0);
    machine.bytes(b"login: ", 1);
    let text = format!(
        "1 tester 1 h\r\n2 tester 1 1 0 1 0 0 1 1 0 0 0 0 1 1500.00 0 0 0 1 0 UTC\r\n3\r\n{}\
         5 alice - - 1 0 1500.00 0 0 1 h x -\r\nalice wants to play a 3 point match with you.\r\n",
        board("alice", 3, "0:0", 1, "6:6:0:0")
    );
    machine.bytes(text.as_bytes(), 2);
    let (asks, _, lines) = run(&mut machine, 2, 4000);
    assert!(
        asks.is_empty() && lines.iter().all(|line| line == "Login"),
        "{asks:?} {lines:?}"
    );
    assert_eq!(machine.opponent(), None);
    machine.bytes(b"4\r\n", 5000);
    let (_, _, lines) = run(&mut machine, 5000, 4000);
    assert!(count(&lines, "toggle") > 0);
}

/// FIBS-18, FIBS-25: the saved match is asked for first, warned or not; when the server knows none,
/// the new one is played.
#[test]
fn a_saved_match_is_asked_for_without_a_warning() {
    let (_, mut machine, now) = logged_in();
    machine.bytes(b"  opponent          matchlength   score (your points first)\r\n  dave                         5                4 -  0\r\n", now);
    machine.bytes(
        b"dave wants to play a 3 point match with you.\r\nType 'join dave' to accept.\r\n",
        now,
    );
    let (_, _, lines) = run(&mut machine, now, 8000);
    assert_eq!(count(&lines, "join"), 0, "{lines:?}");
    assert_eq!(count(&lines, "invite dave"), 1, "{lines:?}");
    assert_eq!(
        count(&lines, "tell dave We have a saved match"),
        1,
        "{lines:?}"
    );
    // That he is away for a moment is no reason to forget the match.
    machine.bytes(b"** There is no one called dave\r\n", now + 8000);
    machine.bytes(
        b"dave wants to play a 3 point match with you.\r\n",
        now + 8100,
    );
    let (_, _, lines) = run(&mut machine, now + 8100, 8000);
    assert_eq!(
        (count(&lines, "join"), count(&lines, "invite dave")),
        (0, 1),
        "{lines:?}"
    );
    machine.bytes(
        b"** There's no saved match with dave. Please give a match length.\r\n",
        now + 16_200,
    );
    let (_, _, lines) = run(&mut machine, now + 16_200, 4000);
    assert_eq!(count(&lines, "join dave"), 1, "{lines:?}");
}

/// FIBS-18: the link breaks before the answer to `join`, on a server without a list of saved matches: the match
/// that may have begun is asked for before a new one is joined.
#[test]
fn match_without_a_start_line_is_queried() {
    let mut machine = Machine::new("tester", policy(), Timing::default());
    let mut now = 0;
    for (invitation, joins, asks) in [("3 point", 1, 0), ("5 point", 0, 1)] {
        let mut server = Server::new(Style::Jibs055, Faults::default(), &[Some(3)], 7);
        machine.connected(now);
        machine.bytes(&server.connect(), now);
        now = talk(&mut server, &mut machine, now, 300);
        let text = format!("alice wants to play a {invitation} match with you.\r\n");
        machine.bytes(text.as_bytes(), now);
        let lines = sent(&mut machine, now, 4000);
        now += 4000;
        assert_eq!(count(&lines, "join alice"), joins, "{lines:?}");
        assert_eq!(count(&lines, "invite alice"), asks, "{lines:?}");
        machine.disconnected(now);
        now += 60_000;
    }
}

/// FIBS-18: two invitations within a moment: first come, first served; the second is answered, and
/// taken when the first is gone.
#[test]
fn two_invitations_at_once() {
    let (_, mut machine, now) = logged_in();
    machine.bytes(b"carol wants to play a 3 point match with you.\r\n", now);
    machine.bytes(
        b"dave wants to play a 1 point match with you.\r\n",
        now + 300,
    );
    let (_, _, lines) = run(&mut machine, now + 300, 6000);
    assert_eq!(count(&lines, "join carol"), 1, "{lines:?}");
    assert_eq!(count(&lines, "join dave"), 0, "{lines:?}");
    assert_eq!(
        count(&lines, "tell dave Somebody else was quicker"),
        1,
        "{lines:?}"
    );
    machine.bytes(b"** Error: can't find player carol\r\n", now + 6300);
    let (_, _, lines) = run(&mut machine, now + 6300, 4000);
    assert_eq!(count(&lines, "join dave"), 1, "{lines:?}");
}

/// FIBS-34: a double is answered where there is no `board`.
#[test]
fn a_double_without_the_command_board() {
    for refusal in [
        "** Unknown command: 'board'\r\n",
        "** Unknown command: ''board''\r\n",
        "** Not yet implemented: 'board'\r\n",
        "The command `board' is not yet implemented.\r\n",
    ] {
        let (_, mut machine, now) = logged_in();
        machine.bytes(BEGIN.as_bytes(), now);
        machine.bytes(board("alice", 3, "0:0", -1, "0:0:0:0").as_bytes(), now);
        machine.bytes(b"alice doubles. Type 'accept' or 'reject'.\r\n", now + 10);
        let (asks, _, lines) = run(&mut machine, now + 10, 1900);
        assert!(
            asks.is_empty() && count(&lines, "board") == 1,
            "{asks:?} {lines:?}"
        );
        machine.bytes(refusal.as_bytes(), now + 2000);
        let (asks, _, lines) = run(&mut machine, now + 2000, 3000);
        assert!(
            matches!(asks.as_slice(), [Ask::Offer(_)]),
            "{refusal}: {asks:?}"
        );
        assert_eq!(count(&lines, "board"), 0, "{lines:?}");
    }
}

/// FIBS-36: the order of the board and of the line that tells the play makes no difference to the
/// record.
#[test]
fn both_orders_give_the_same_record() {
    let games = |board_first| {
        let faults = Faults {
            board_first,
            ..Faults::default()
        };
        let plan = [Some(3), Some(1)];
        let mut world = World::new(Server::new(Style::Fibs, faults, &plan, 77), 77);
        world.split = false;
        world.play(2, "both orders");
        world.check("both orders");
        let records = world.records.iter();
        records
            .map(|record| (record.games.clone(), record.gaps))
            .collect::<Vec<_>>()
    };
    let (one, other) = (games(false), games(true));
    assert_eq!(one, other);
    assert!(
        one.iter()
            .all(|(games, gaps)| *gaps == 0 && !games.is_empty())
    );
}

fn finished(events: Vec<Event>) -> Option<MatchRecord> {
    events.into_iter().find_map(|event| match event {
        Event::MatchFinished(record) => Some(*record),
        _ => None,
    })
}

/// FIBS-28: the score is the truth, the file says both, and no game lacks its ending.
#[test]
fn a_sentence_and_a_score_that_disagree() {
    let (_, mut machine, now) = logged_in();
    machine.bytes(BEGIN.as_bytes(), now);
    machine.bytes(board("alice", 3, "0:0", -1, "0:0:0:0").as_bytes(), now);
    machine.bytes(
        b"alice accepts and wins 1 point.\r\nscore in 3 point match: tester-0 alice-2\r\n\
          Type 'join' if you want to play the next game, type 'leave' if you don't.\r\n",
        now + 10,
    );
    machine.bytes(
        b"Starting a new game with alice.\r\nYou rolled 1, alice rolled 2\r\n",
        now + 20,
    );
    machine.bytes(board("alice", 3, "0:2", -1, "0:0:2:1").as_bytes(), now + 30);
    // The line that ends the game is missing.
    machine.bytes(b"You win the 3 point match 4-2 .\r\n", now + 40);
    let (_, events, _) = run(&mut machine, now + 40, 5000);
    let record = finished(events).unwrap();
    let results: Vec<_> = record
        .games
        .iter()
        .map(|game| game.result.unwrap().1)
        .collect();
    assert_eq!(
        (results, record.scores, record.gaps),
        (vec![2, 4], [4, 2], 0)
    );
    let text = record.file("tester", Vec::new()).to_string();
    assert!(
        text.contains("; note: game 1: the server reported 1 for alice, its score 2 for alice"),
        "{text}"
    );
    assert!(
        !text.contains("without all their plays") && text.contains("and the match"),
        "{text}"
    );
}

/// FIBS-25: who leaves is not invited again at once; after a broken link of our own the match goes
/// on at once.
#[test]
fn opponent_of_a_lost_match_is_invited_again() {
    let who = b"5 alice - - 1 0 1500.00 9 0 1795224913 127.0.0.1 x -\r\n6\r\n";
    let (_, mut machine, now) = logged_in();
    machine.bytes(BEGIN.as_bytes(), now);
    machine.bytes(board("alice", 3, "0:0", -1, "0:0:0:0").as_bytes(), now);
    machine.bytes(
        b"** Player alice has left the game. The game was saved.\r\n",
        now + 100,
    );
    machine.bytes(who, now + 110);
    let lines = sent(&mut machine, now + 110, 170_000);
    assert_eq!(count(&lines, "invite"), 0, "{lines:?}");
    machine.bytes(b"20 still there\r\n", now + 170_000);
    let lines = sent(&mut machine, now + 170_110, 30_000);
    assert_eq!(count(&lines, "invite alice"), 1, "{lines:?}");
    // She accepts; our link breaks a minute later.
    let at = now + 200_200;
    machine.bytes(
        b"alice has joined you. Your running match was loaded.\r\n",
        at,
    );
    machine.bytes(board("alice", 3, "0:0", -1, "0:0:0:0").as_bytes(), at + 10);
    machine.disconnected(at + 60_000);
    machine.connected(at + 61_000);
    machine.bytes(b"login: ", at + 61_010);
    machine.bytes(
        b"1 tester 1 h\r\n2 tester 1 1 0 0 0 0 1 1 0 0 1 0 0 1500.00 0 0 1 0 1 UTC\r\n3\r\n4\r\n",
        at + 61_020,
    );
    machine.bytes(who, at + 61_030);
    machine.bytes(b"  opponent          matchlength   score (your points first)\r\n **alice                        3                0 -  0\r\n", at + 61_040);
    machine.bytes(
        b"Value of 'boardstyle' set to 3.\r\nValue of 'boardstyle' set to 3.\r\n",
        at + 61_050,
    );
    let lines = sent(&mut machine, at + 61_050, 10_000);
    assert_eq!(count(&lines, "invite alice"), 1, "{lines:?}");
}

/// FIBS-25: a server that breaks when a match is resumed is asked less and less often.
#[test]
fn a_resume_that_breaks_the_server() {
    let (_, mut machine, mut now) = logged_in();
    let mut waits = Vec::new();
    for _ in 0..3 {
        machine.bytes(
            b"5 alice - - 1 0 1500.00 9 0 1795224913 127.0.0.1 x -\r\n",
            now,
        );
        machine.bytes(b"  opponent          matchlength   score (your points first)\r\n **alice                        3                0 -  0\r\n", now);
        let begun = now;
        while count(&sent(&mut machine, now, 1000), "invite alice") == 0 {
            now += 1000;
            machine.bytes(b"Value of 'boardstyle' set to 3.\r\n", now);
            assert!(now < begun + 10_000_000, "never");
        }
        waits.push(now - begun);
        now += 2000;
        machine.disconnected(now);
        machine.connected(now + 100);
        machine.bytes(b"login: ", now + 110);
        machine.bytes(b"1 tester 1 h\r\n2 tester 1 1 0 0 0 0 1 1 0 0 1 0 0 1500.00 0 0 1 0 1 UTC\r\n3\r\n4\r\n", now + 120);
        now += 200;
    }
    assert!(waits[1] > 100_000 && waits[2] > 300_000, "{waits:?}");
}

/// FIBS-19: the answer to our kibitz says that there is no match any more.
#[test]
fn not_watching_or_playing() {
    let (_, mut machine, now) = logged_in();
    machine.bytes(BEGIN.as_bytes(), now);
    machine.bytes(board("alice", 3, "0:0", -1, "0:0:0:0").as_bytes(), now);
    sent(&mut machine, now, 2000);
    let denial = b"** You're not watching or playing.\r\n";
    for _ in 0..3 {
        machine.bytes(denial, now + 2000);
        assert_eq!(machine.opponent(), Some("alice"));
        machine.bytes(b"Value of 'boardstyle' set to 3.\r\n", now + 2000);
    }
    machine.bytes(denial, now + 2000);
    assert_eq!(machine.opponent(), None);
    machine.stop(false, now + 2000);
    let (_, _, lines) = run(&mut machine, now + 2000, 1000);
    assert_eq!(lines, ["bye", "Quit"]);
}

/// FIBS-20, FIBS-26: a new match whose board comes before its start line is a new one: greeted, and
/// not told twice.
#[test]
fn a_board_before_the_start_line() {
    for announced in [true, false] {
        let (_, mut machine, now) = logged_in();
        machine.bytes(b"alice wants to play a 3 point match with you.\r\n", now);
        sent(&mut machine, now, 5000);
        machine.bytes(
            board("alice", 3, "0:0", -1, "0:0:6:5").as_bytes(),
            now + 5000,
        );
        if announced {
            machine.bytes(BEGIN.as_bytes(), now + 5001);
        }
        machine.bytes(b"alice moves 12-18 12-17 .\r\n", now + 5002);
        let (_, events, lines) = run(&mut machine, now + 5002, 3000);
        assert_eq!(count(&lines, "kibitz Hello"), 1, "{lines:?}");
        let started: Vec<MatchTerms> = events
            .iter()
            .filter_map(|event| match event {
                Event::MatchStarted { wanted, .. } => Some(*wanted),
                _ => None,
            })
            .collect();
        assert_eq!(started, [MatchTerms::Points(3)]);
    }
}

/// FIBS-28, FIBS-29: after a restart the games before it are still there.
#[test]
fn a_restart_keeps_the_games() {
    let (_, mut machine, now) = logged_in();
    machine.bytes(BEGIN.as_bytes(), now);
    machine.bytes(board("alice", 3, "0:0", -1, "0:0:0:0").as_bytes(), now);
    machine.bytes(
        b"alice accepts and wins 1 point.\r\nscore in 3 point match: tester-0 alice-1\r\n",
        now + 10,
    );
    let (_, events, _) = run(&mut machine, now + 10, 100);
    let kept = events.into_iter().rev().find_map(|event| match event {
        Event::Progress {
            record,
            rating,
            open,
        } => Some((record, rating, open)),
        _ => None,
    });
    let (record, rating, open) = kept.unwrap();
    let file = record.file("tester", Vec::new());
    let file = MatchFile::parse(file.to_string().as_bytes()).unwrap();
    // The new run.
    let (_, mut machine, now) = logged_in();
    machine.remember(MatchRecord::resumed(&file), rating, open);
    machine.bytes(
        b"alice has joined you. Your running match was loaded.\r\n",
        now,
    );
    machine.bytes(board("alice", 3, "0:1", -1, "0:0:0:0").as_bytes(), now + 10);
    machine.bytes(b"alice wins the 3 point match 3-0 .\r\n", now + 20);
    let (_, events, _) = run(&mut machine, now + 20, 5000);
    let record = finished(events).unwrap();
    let results: Vec<_> = record
        .games
        .iter()
        .map(|game| game.result.unwrap().1)
        .collect();
    assert_eq!((results, record.scores), (vec![1, 2], [0, 3]));
}

/// FIBS-10: hang-ups never end the bot; a login that does not complete is given up.
#[test]
fn hang_ups_and_endless_logins() {
    let mut machine = Machine::new("tester", policy(), Timing::default());
    for round in 0..20 {
        let now = round * 1000;
        machine.connected(now);
        machine.bytes(b"login: ", now + 1);
        assert!(matches!(machine.poll(now + 1), Some(Output::Login)));
        machine.disconnected(now + 2);
        let (_, _, lines) = run(&mut machine, now + 2, 100);
        assert!(lines.is_empty(), "{lines:?}");
    }
    for prompt in ["", "WELCOME\r\n", "login: "] {
        let mut machine = Machine::new("tester", policy(), Timing::default());
        machine.connected(0);
        for at in 0..40 {
            machine.bytes(prompt.as_bytes(), at * 1000);
            machine.bytes(b"\r\nplease wait\r\n", at * 1000);
            let (_, _, lines) = run(&mut machine, at * 1000, 1000);
            if count(&lines, "Reconnect") > 0 || count(&lines, "Fatal") > 0 {
                break;
            }
            assert!(at < 32, "{prompt:?}");
        }
    }
}

/// FIBS-27: asked three times the bot ends at once; asked twice it waits 10 s at most for a server
/// that does not answer; the policy for the first one does not matter.
#[test]
fn a_server_that_does_not_answer_leave() {
    for after_match in [true, false] {
        let playing = || {
            let (_, mut machine, now) = logged_in();
            machine.bytes(BEGIN.as_bytes(), now);
            machine.bytes(board("alice", 3, "0:0", -1, "0:0:0:0").as_bytes(), now);
            machine.stop(after_match, now);
            machine.stop(after_match, now + 10);
            (machine, now + 10)
        };
        let (mut machine, now) = playing();
        let (_, _, lines) = run(&mut machine, now, 9000);
        assert_eq!(
            (count(&lines, "leave"), count(&lines, "Quit")),
            (1, 0),
            "{lines:?}"
        );
        let (_, _, lines) = run(&mut machine, now + 9000, 2000);
        assert_eq!(count(&lines, "Quit"), 1, "{lines:?}");
        let (mut machine, now) = playing();
        machine.stop(after_match, now + 10);
        let (_, _, lines) = run(&mut machine, now + 10, 10);
        assert_eq!(count(&lines, "Quit"), 1, "{lines:?}");
    }
}

/// FIBS-17: the apology goes out, before `leave`.
#[test]
fn the_apology_is_sent() {
    let (_, mut machine, now) = logged_in();
    machine.bytes(BEGIN.as_bytes(), now);
    machine.bytes(board("alice", 3, "0:0", -1, "0:0:0:0").as_bytes(), now);
    sent(&mut machine, now, 5000);
    for at in 0..3 {
        machine.bytes(b"** You can't move like that.\r\n", now + 5000 + at);
    }
    let lines = sent(&mut machine, now + 5003, 5000);
    let at = |begins: &str| lines.iter().position(|line| line.starts_with(begins));
    assert!(
        at("kibitz Sorry").unwrap() < at("leave").unwrap(),
        "{lines:?}"
    );
}

/// FIBS-35: whatever a text or a name holds, one command is one line; and a terminal gets no escape.
#[test]
fn control_characters_go_nowhere() {
    for bad in [
        "help = \"a\\nresign b\"",
        "greeting = [\"a\\rresign b\"]",
        "invite = [\"a b\"]",
    ] {
        assert!(Policy::parse(bad).is_err(), "{bad}");
    }
    // A policy made by a program is held to it as well.
    let lines_in = Policy {
        greeting: vec!["hello\r\nresign b".into()],
        ..policy()
    };
    let mut machine = Machine::new("tester", lines_in, Timing::default());
    machine.connected(0);
    machine.bytes(b"login: ", 1);
    machine.bytes(
        b"1 tester 1 h\r\n2 tester 1 1 0 0 0 0 1 1 0 0 1 0 0 1500.00 0 0 1 0 1 UTC\r\n3\r\n4\r\n",
        2,
    );
    machine.bytes(
        b"** You are now playing a 3 point match with ali\x1b[2J\x9bce\r\n",
        3,
    );
    machine.bytes(board("ali[2Jce", 3, "0:0", -1, "0:0:0:0").as_bytes(), 4);
    let lines = sent(&mut machine, 4, 20_000);
    assert!(count(&lines, "kibitz hello  resign b") == 1, "{lines:?}");
    assert!(
        lines
            .iter()
            .all(|line| !line.contains(|c: char| c.is_control()))
    );
    assert_eq!(machine.opponent(), Some("ali[2Jce"));
}

/// FIBS-24, FIBS-26: what is told is what the policy says; ratings below zero are ratings.
#[test]
fn reports_of_a_match_are_correct() {
    let lengths = |text: &str| Policy::parse(text).unwrap().lengths();
    assert_eq!(lengths(""), "matches of 1 to 13 points");
    assert_eq!(
        lengths("length_max = 5\nlength_except = [2, 9, 2]"),
        "matches of 1 to 5 points but not 2"
    );
    assert_eq!(
        lengths("length_max = 9\nlength_except = [4, 2, 6]\nunlimited = true"),
        "matches of 1 to 9 points but not 2, 4 or 6, and unlimited ones"
    );
    assert_eq!(lengths("length_max = 1"), "matches of 1 point");
    let policy = Policy::parse("length_max = 7").unwrap();
    assert_eq!(
        policy.help(),
        "I am a computer program and play matches of 1 to 7 points: invite me."
    );
    let who = |rating| Who {
        name: "joe".into(),
        opponent: None,
        ready: true,
        away: false,
        rating,
        experience: 0,
        client: "-".into(),
    };
    let plays = |policy: &Policy, rating| {
        let verdict = policy.judge("joe", MatchTerms::Points(3), Some(&who(rating)), 0, 0);
        verdict == gammond_bots::fibs::policy::InvitationAnswer::Play
    };
    assert!(plays(&policy, -120.0) && plays(&policy, 1500.0));
    let strong = Policy::parse("rating_min = 1600.0").unwrap();
    assert!(!plays(&strong, 1500.0) && !plays(&strong, -120.0) && plays(&strong, 1700.0));
}

/// Each habit of other servers alone, on every kind of server.
#[test]
fn each_habit_alone() {
    type Case = (&'static str, Faults, fn(&Server) -> u32);
    let none = Faults::default;
    #[rustfmt::skip]
    let cases: [Case; 8] = [
        ("strangers' words", Faults { free_text: 2, ..none() }, |s| s.seen.free_text),
        ("forgets the saved match", Faults { forget_saved: 1, drop: 8, ..none() }, |s| s.seen.forgotten),
        ("forgets it, warned", Faults { forget_saved: 1, warns: true, drop: 8, ..none() }, |s| s.seen.forgotten),
        ("board first", Faults { board_first: true, ..none() }, |s| s.seen.moves),
        ("no board", Faults { no_board: true, drop: 20, ..none() }, |s| s.seen.bot_takes + s.seen.bot_drops),
        ("wrong points", Faults { wrong_points: 1, ..none() }, |s| s.seen.wrong_points),
        ("ratings below zero", Faults { low_ratings: true, ..none() }, |s| s.seen.moves),
        ("a resume that breaks", Faults { resume_breaks: 2, drop: 8, ..none() }, |s| s.seen.resume_breaks),
    ];
    for (name, faults, seen) in cases {
        for style in STYLES {
            let mut sum = 0;
            for seed in 500..530 {
                let plan = [Some(3), Some(1), Some(2)];
                let mut world = World::new(Server::new(style, faults, &plan, seed), seed);
                let what = format!("{name} on {style:?} seed {seed}");
                world.play(plan.len(), &what);
                world.check(&what);
                sum += seen(&world.server);
                if sum > 0 {
                    break;
                }
            }
            assert!(sum > 0, "{name} on {style:?}: never seen");
        }
    }
}
