//! The rules of `protocol-specs/bgammon.md`, one by one.

use super::*;
use gammond_bots::bgammon::Ask;
use serde_json::json;

/// A board of a match to 5 points with the bot on roll, with these members in the place of the usual ones.
fn board(members: &Value) -> String {
    let mut board = json!({
        "Type": "board",
        "Player1": {"Name": "BOT_x", "Points": 0}, "Player2": {"Name": "joe", "Points": 0},
        "Board": [0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0,0,0],
        "Turn": 1, "Roll1": 0, "Roll2": 0, "Moves": [], "Winner": 0, "Points": 5, "Crawford": 0,
        "DoubleValue": 1, "DoublePlayer": 0, "DoubleOffered": false, "Available": null,
        "Forced": false, "Spectating": false,
    });
    for (name, value) in members.as_object().unwrap() {
        board[name] = value.clone();
    }
    format!("{board}\n")
}

const WELCOME: &str = "hello there\n{\"Type\":\"welcome\",\"PlayerName\":\"BOT_x\"}\n";

/// A bot that has logged in, without a pause between commands.
fn online() -> BgammonMachine {
    let timing = BgammonTiming {
        pace_ms: 0,
        ..BgammonTiming::default()
    };
    let mut machine = BgammonMachine::new(MatchOffer::default(), timing);
    machine.connected(0);
    machine.bytes(WELCOME.as_bytes(), 0);
    sent(&mut machine, 0);
    machine
}

/// The commands that the bot sends now, and its questions are left open.
fn sent(machine: &mut BgammonMachine, now: u64) -> Vec<String> {
    let mut lines = Vec::new();
    while let Some(output) = machine.poll(now) {
        match output {
            BgammonOutput::Send(line) => lines.push(line),
            BgammonOutput::Reconnect(_) => lines.push("reconnect".to_owned()),
            _ => {}
        }
    }
    lines
}

/// The number of the bot's question and the question, if it asks one now.
fn asked(machine: &mut BgammonMachine, now: u64) -> Option<(u64, Ask)> {
    let mut found = None;
    while let Some(output) = machine.poll(now) {
        match output {
            BgammonOutput::Decide(id, ask) => found = Some((id, *ask)),
            BgammonOutput::Send(line) => panic!("sent {line}"),
            _ => {}
        }
    }
    found
}

/// BGM-02, BGM-04, BGM-07, BGM-34: nothing is sent before `welcome` but the login line, and then the setting first.
#[test]
fn nothing_is_sent_before_welcome() {
    let mut machine = BgammonMachine::new(MatchOffer::default(), BgammonTiming::default());
    machine.connected(0);
    assert!(matches!(machine.poll(0), Some(BgammonOutput::Login)));
    machine.bytes(b"hello Welcome!\n", 5);
    machine.tick(20_000);
    assert!(machine.poll(20_000).is_none());
    // A board before the log-in is none of the bot's.
    machine.bytes(board(&json!({})).as_bytes(), 20_000);
    assert!(machine.poll(20_000).is_none());
    machine.bytes(WELCOME.as_bytes(), 20_001);
    assert_eq!(sent(&mut machine, 20_001), ["set autoplay 0"]);
    machine.tick(21_501);
    assert_eq!(sent(&mut machine, 21_501), ["create public 5 0 gammond"]);
    // No answer to the log-in: another try.
    let mut machine = BgammonMachine::new(MatchOffer::default(), BgammonTiming::default());
    machine.connected(0);
    assert!(matches!(machine.poll(0), Some(BgammonOutput::Login)));
    machine.tick(30_000);
    assert_eq!(sent(&mut machine, 30_000), ["reconnect"]);
}

/// BGM-10: `pong` while the engine computes; after 90 s of silence the bot reconnects.
#[test]
fn ping_is_answered_while_the_engine_computes() {
    let mut machine = online();
    machine.bytes(board(&json!({})).as_bytes(), 100);
    assert!(asked(&mut machine, 100).is_some());
    machine.bytes(b"{\"Type\":\"ping\",\"Message\":\"1795566649\"}\n", 200);
    assert_eq!(sent(&mut machine, 200), ["pong 1795566649"]);
    // What is behind a line end is no command.
    machine.bytes(b"{\"Type\":\"ping\",\"Message\":\"17\\nleave now\"}\n", 300);
    assert_eq!(sent(&mut machine, 300), ["pong 17leavenow"]);
    machine.tick(90_300);
    assert_eq!(sent(&mut machine, 90_300), ["reconnect"]);
}

/// BGM-20: a board that comes again changes nothing, and an answer about an earlier board is dropped.
#[test]
fn repeated_board_is_decided_once() {
    let mut machine = online();
    machine.bytes(board(&json!({})).as_bytes(), 100);
    let (first, _) = asked(&mut machine, 100).unwrap();
    machine.bytes(board(&json!({})).as_bytes(), 110);
    assert!(asked(&mut machine, 110).is_none());
    machine.bytes(
        board(&json!({"DoubleOffered": true, "Turn": 2})).as_bytes(),
        120,
    );
    let (second, ask) = asked(&mut machine, 120).unwrap();
    assert!(matches!(ask, Ask::Offer { mine: 3, .. }));
    machine.answer(first, BgammonAnswer::Double, 130);
    assert_eq!(sent(&mut machine, 130), Vec::<String>::new());
    machine.answer(second, BgammonAnswer::Take, 140);
    assert_eq!(sent(&mut machine, 140), ["ok"]);
}

/// BGM-30, BGM-31, BGM-32: one step a command, in an order that the server allows, and `ok` at the end.
#[test]
fn steps_are_sent_one_at_a_time() {
    let mut machine = online();
    // On the bar, with 4 and 2.
    let mut points = json!([
        0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 1, 0, 1, 0
    ]);
    let dice = |points: &Value, moves: Value, available: Value| {
        board(
            &json!({"Board": points, "Roll1": 4, "Roll2": 2, "Moves": moves, "Available": available}),
        )
    };
    let text = dice(&points, json!([]), json!([[26, 21], [26, 23]]));
    machine.bytes(text.as_bytes(), 100);
    let (id, ask) = asked(&mut machine, 100).unwrap();
    let Ask::Play { query, .. } = ask else {
        panic!("{ask:?}")
    };
    let play = Play::from_steps(&[Step { from: 23, to: 21 }, Step { from: 24, to: 20 }]).unwrap();
    assert!(position_after(&query.position, query.roll, &play).is_some());
    machine.answer(id, BgammonAnswer::Play(play), 110);
    assert_eq!(sent(&mut machine, 110), ["move bar/21"]);
    // Nothing more before the board.
    machine.bytes(
        b"{\"Type\":\"moved\",\"Player\":\"BOT_x\",\"Moves\":[[26,21]]}\n",
        120,
    );
    assert_eq!(sent(&mut machine, 120), Vec::<String>::new());
    points[26] = json!(0);
    points[21] = json!(1);
    let text = dice(
        &points,
        json!([[26, 21]]),
        json!([[24, 22], [21, 19], [13, 11]]),
    );
    machine.bytes(text.as_bytes(), 130);
    assert_eq!(sent(&mut machine, 130), ["move 24/22"]);
    points[24] = json!(0);
    points[22] = json!(1);
    let text = dice(&points, json!([[26, 21], [24, 22]]), Value::Null);
    machine.bytes(text.as_bytes(), 140);
    assert_eq!(sent(&mut machine, 140), ["ok"]);
    // The same turn after a lost connection begins anew.
    machine.disconnected();
    machine.connected(1000);
    machine.bytes(WELCOME.as_bytes(), 1000);
    sent(&mut machine, 1000);
    machine.bytes(text.as_bytes(), 1010);
    assert_eq!(sent(&mut machine, 1010), ["reset"]);
    // Without a step the turn ends at once.
    let dance = board(&json!({"Roll1": 6, "Roll2": 6}));
    machine.bytes(dance.as_bytes(), 1020);
    assert_eq!(sent(&mut machine, 1020), ["ok"]);
}

/// BGM-33: the server rolls where the bot may not double; after a take the bot rolls at once.
#[test]
fn server_rolls_where_no_double_is_possible() {
    let mut machine = online();
    machine.bytes(board(&json!({"Crawford": 1})).as_bytes(), 100);
    assert_eq!(sent(&mut machine, 100), Vec::<String>::new());
    machine.tick(3000);
    assert_eq!(sent(&mut machine, 3000), Vec::<String>::new());
    machine.tick(3100);
    assert_eq!(sent(&mut machine, 3100), ["roll"]);
    let mut machine = online();
    machine.bytes(board(&json!({})).as_bytes(), 100);
    let (id, _) = asked(&mut machine, 100).unwrap();
    machine.answer(id, BgammonAnswer::Double, 110);
    assert_eq!(sent(&mut machine, 110), ["double"]);
    machine.bytes(board(&json!({"DoubleOffered": true})).as_bytes(), 120);
    assert_eq!(sent(&mut machine, 120), Vec::<String>::new());
    let taken = board(&json!({"DoubleValue": 2, "DoublePlayer": 2}));
    machine.bytes(taken.as_bytes(), 130);
    assert_eq!(sent(&mut machine, 130), ["roll"]);
}

/// BGM-42: a pass is a resignation; BGM-44: so is one in the bot's own turn.
#[test]
fn pass_is_a_resignation() {
    for (members, answer) in [
        (
            json!({"Turn": 2, "DoubleOffered": true}),
            BgammonAnswer::Pass,
        ),
        (json!({}), BgammonAnswer::Resign),
        (
            json!({"Roll1": 3, "Roll2": 1, "Available": [[8, 5]]}),
            BgammonAnswer::Resign,
        ),
    ] {
        let mut machine = online();
        machine.bytes(board(&members).as_bytes(), 100);
        let (id, _) = asked(&mut machine, 100).unwrap();
        machine.answer(id, answer, 110);
        assert_eq!(sent(&mut machine, 110), ["resign"]);
    }
}

/// BGM-35: what is refused is tried more carefully, then seldom.
#[test]
fn refusals_do_not_become_a_loop() {
    let mut machine = online();
    let text = board(&json!({"Roll1": 3, "Roll2": 1, "Available": [[8, 5], [6, 5]]}));
    machine.bytes(text.as_bytes(), 100);
    let (id, _) = asked(&mut machine, 100).unwrap();
    let step = Step { from: 5, to: 4 };
    let play = Play::from_steps(&[Step { from: 7, to: 4 }, step]).unwrap();
    machine.answer(id, BgammonAnswer::Play(play), 100);
    assert_eq!(sent(&mut machine, 100), ["move 8/5"]);
    let (mut now, mut commands) = (100, Vec::new());
    while now < 600_000 {
        let refused =
            "{\"Type\":\"failedmove\",\"From\":0,\"To\":0,\"Reason\":\"Illegal move.\"}\n";
        machine.bytes(refused.as_bytes(), now);
        now = machine.wake().max(now + 1);
        machine.tick(now);
        while let Some(output) = machine.poll(now) {
            match output {
                BgammonOutput::Decide(id, _) => machine.answer(id, BgammonAnswer::Play(play), now),
                BgammonOutput::Send(line) if line == "board" => machine.bytes(text.as_bytes(), now),
                BgammonOutput::Send(line) => commands.push(line),
                _ => {}
            }
        }
    }
    assert!((10..25).contains(&commands.len()), "{commands:?}");
    assert!(
        commands.iter().all(|line| line == "move 8/5"),
        "{commands:?}"
    );
}

/// Passes the time with the server's pings until the bot sends another command than `pong`. Returns the time and the commands.
fn next_command(machine: &mut BgammonMachine, mut now: u64) -> (u64, Vec<String>) {
    loop {
        now += 10_000;
        machine.bytes(b"{\"Type\":\"ping\",\"Message\":\"1\"}\n", now);
        let mut commands = sent(machine, now);
        commands.retain(|line| line != "pong 1");
        if !commands.is_empty() {
            return (now, commands);
        }
        // The bot waits, it does not poll.
        let mut wakes = 0;
        while machine.wake() <= now {
            machine.tick(now);
            wakes += 1;
            assert!(wakes < 5, "wake is {} at {now}", machine.wake());
        }
    }
}

/// BGM-40, BGM-62: an opponent who is there and does nothing for an hour is left, one who is away after 15 minutes, and
/// another match is created.
#[test]
fn idle_opponent_is_left() {
    let mut machine = online();
    machine.bytes(board(&json!({"Turn": 2})).as_bytes(), 100);
    assert_eq!(machine.opponent(), Some("joe"));
    let (now, commands) = next_command(&mut machine, 100);
    assert_eq!((now, commands), (3_600_100, vec!["leave".to_owned()]));
    machine.bytes(b"{\"Type\":\"left\",\"Player\":\"BOT_x\"}\n", now + 10);
    machine.tick(now + 5010);
    assert_eq!(
        sent(&mut machine, now + 5010),
        ["create public 5 0 gammond"]
    );
    let mut machine = online();
    // His turn, his double, and the bot's turn.
    for members in [
        json!({"Turn": 2}),
        json!({"Turn": 2, "DoubleOffered": true}),
        json!({"Turn": 1}),
    ] {
        machine.bytes(board(&members).as_bytes(), 100);
        machine.bytes(b"{\"Type\":\"left\",\"Player\":\"joe\"}\n", 100);
        let (now, commands) = next_command(&mut machine, 100);
        assert_eq!((now, commands), (900_100, vec!["leave".to_owned()]));
        machine = online();
    }
}

/// BGM-50, BGM-51: after its own lost connection the bot does not know who is there, and tries; a board without a name is
/// that of the same match.
#[test]
fn rejoined_match_goes_on() {
    let mut machine = online();
    let text = board(&json!({"Crawford": 1, "Roll1": 6, "Roll2": 6}));
    machine.bytes(
        board(&json!({"Turn": 2, "Roll1": 2, "Roll2": 1})).as_bytes(),
        100,
    );
    machine.bytes(b"{\"Type\":\"left\",\"Player\":\"joe\"}\n", 110);
    machine.disconnected();
    machine.connected(5000);
    machine.bytes(WELCOME.as_bytes(), 5000);
    sent(&mut machine, 5000);
    machine.bytes(text.as_bytes(), 5010);
    assert_eq!(sent(&mut machine, 5010), ["ok"]);
    // The opponent is away: the name is empty, the match is the same, and the bot waits without polling.
    let alone = json!({"Player2": {"Name": "", "Points": 0}});
    machine.bytes(board(&alone).as_bytes(), 5020);
    assert_eq!(machine.opponent(), Some("joe"));
    let (now, commands) = next_command(&mut machine, 5020);
    assert_eq!((now, commands), (905_020, vec!["leave".to_owned()]));
    let mut machine = online();
    machine.bytes(board(&json!({"Turn": 2})).as_bytes(), 100);
    machine.bytes(board(&alone).as_bytes(), 200);
    machine.bytes(
        b"{\"Type\":\"joined\",\"Player\":\"joe\",\"PlayerNumber\":2}\n",
        300,
    );
    assert!(asked(&mut machine, 300).is_some());
}

/// A match that is over is left after the rest, whether the opponent leaves first or not, and counts for the limit.
#[test]
fn finished_match_is_left_without_the_opponent() {
    for leaves in [true, false] {
        let mut machine = online().with_matches(Some(1));
        let lost = |points: u32, winner: u32| {
            board(&json!({
                "Board": [10,2,1,0,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-15,0,0],
                "Turn": 2, "Roll1": 4, "Roll2": 6, "Moves": [[24, 25]], "Winner": winner,
                "Player2": {"Name": "joe", "Points": points},
            }))
        };
        let before = board(&json!({
            "Board": [10,2,1,0,2,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-1,-14,0,0],
            "Turn": 2, "Roll1": 4, "Roll2": 6, "Player2": {"Name": "joe", "Points": 4},
        }));
        machine.bytes(before.as_bytes(), 90);
        machine.bytes(lost(4, 2).as_bytes(), 100);
        machine.bytes(lost(5, 2).as_bytes(), 110);
        if leaves {
            machine.bytes(b"{\"Type\":\"left\",\"Player\":\"joe\"}\n", 500);
        }
        assert_eq!(machine.wake(), 2110);
        machine.tick(2110);
        assert_eq!(sent(&mut machine, 2110), ["leave", "disconnect"]);
    }
}

/// BGM-44, BGM-46: a pass that shows in the score alone is in the record.
#[test]
fn pass_between_two_boards_is_recorded() {
    let mut machine = online();
    machine.bytes(board(&json!({"Turn": 0})).as_bytes(), 100);
    machine.bytes(board(&json!({})).as_bytes(), 200);
    machine.bytes(board(&json!({"DoubleOffered": true})).as_bytes(), 300);
    let next = json!({"Turn": 0, "Player1": {"Name": "BOT_x", "Points": 3}});
    machine.bytes(board(&next).as_bytes(), 400);
    machine.abandon();
    let mut ended = None;
    while let Some(output) = machine.poll(400) {
        if let BgammonOutput::Ended(found) = output {
            ended = Some(found);
        }
    }
    let text = ended.unwrap().record.file("BOT_x", Vec::new()).to_string();
    let read = MatchFile::parse(text.as_bytes()).unwrap();
    assert!(
        text.contains("Drops") && text.contains("Wins 3 points"),
        "{text}"
    );
    assert_eq!(read.games[0].result.map(|(_, points)| points), Some(3));
}

/// A pace that is slower than the wait for an effect delays commands and changes none of them.
#[test]
fn slow_pace_changes_no_decision() {
    let timing = BgammonTiming {
        pace_ms: 60_000,
        ..BgammonTiming::default()
    };
    let mut machine = BgammonMachine::new(MatchOffer::default(), timing);
    machine.connected(0);
    machine.bytes(WELCOME.as_bytes(), 0);
    machine.bytes(board(&json!({"Turn": 0})).as_bytes(), 10);
    assert_eq!(sent(&mut machine, 10), ["set autoplay 0", "roll"]);
    machine.bytes(board(&json!({})).as_bytes(), 20);
    let (id, _) = asked(&mut machine, 20).unwrap();
    machine.answer(id, BgammonAnswer::Double, 30);
    let mut now = 30;
    let mut commands = Vec::new();
    while now < 60_010 {
        now = (now + 5000).min(60_010);
        machine.bytes(b"{\"Type\":\"ping\",\"Message\":\"1\"}\n", now);
        commands.extend(
            sent(&mut machine, now)
                .into_iter()
                .filter(|line| line != "pong 1"),
        );
    }
    assert_eq!(commands, ["double"]);
}
