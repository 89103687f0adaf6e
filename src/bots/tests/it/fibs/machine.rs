//! The machine's manners and single situations.

use super::world::*;
use super::*;

/// FIBS-10: a refused login is the end, on every kind of server.
#[test]
fn a_wrong_password_is_final() {
    for style in STYLES {
        let mut server = Server::new(style, Faults::default(), &[], 1);
        let mut machine = Machine::new("tester", policy(), Timing::default());
        machine.connected(0);
        machine.bytes(&server.connect(), 1);
        assert!(matches!(machine.poll(1), Some(Output::Login)));
        machine.bytes(&server.line("login gammond 1008 tester wrong"), 2);
        assert!(
            matches!(machine.poll(2), Some(Output::Fatal(_))),
            "{style:?}"
        );
    }
}

/// A machine that is logged in, its settings sent.
pub(super) fn logged_in() -> (Server, Machine, u64) {
    let mut server = Server::new(Style::Fibs, Faults::default(), &[Some(3)], 7);
    let mut machine = Machine::new("tester", policy(), Timing::default());
    machine.connected(0);
    machine.bytes(&server.connect(), 0);
    let now = talk(&mut server, &mut machine, 0, 200);
    (server, machine, now)
}

/// Server and machine talk from `now` on, for so many turns; the time afterwards.
pub(super) fn talk(server: &mut Server, machine: &mut Machine, mut now: u64, turns: usize) -> u64 {
    for _ in 0..turns {
        now = machine.wake(now);
        machine.tick(now);
        while let Some(output) = machine.poll(now) {
            let line = match output {
                Output::Login => "login gammond 1008 tester s3cretW0rd".to_owned(),
                Output::Send(line) => line,
                _ => continue,
            };
            machine.bytes(&server.line(&line), now);
        }
    }
    now
}

pub(super) fn sent(machine: &mut Machine, now: u64, ms: u64) -> Vec<String> {
    let mut sent = Vec::new();
    let mut at = now;
    while at < now + ms {
        while let Some(output) = machine.poll(at) {
            if let Output::Send(line) = output {
                sent.push(line);
            }
        }
        at = machine.wake(at);
        machine.tick(at);
    }
    sent
}

/// FIBS-11: only toggles that are wrong are flipped.
#[test]
fn settings_after_login() {
    let (server, _, _) = logged_in();
    let toggles: Vec<&str> = server
        .commands
        .iter()
        .filter_map(|line| line.strip_prefix("toggle "))
        .collect();
    assert_eq!(toggles, ["moreboards", "automove", "silent", "ready"]);
    for line in ["set boardstyle 3", "set redoubles none", "show saved"] {
        assert!(server.commands.iter().any(|sent| sent == line), "{line}");
    }
}

/// FIBS-18: a warning that comes after the invitation.
#[test]
fn a_saved_match_is_not_destroyed() {
    let (_, mut machine, now) = logged_in();
    let invitation =
        b"alice wants to play a 3 point match with you.\r\nType 'join alice' to accept.\r\n";
    machine.bytes(invitation, now);
    machine.bytes(
        b"WARNING: Don't accept if you want to continue the saved 5 point match!\r\n",
        now + 900,
    );
    let lines = sent(&mut machine, now + 900, 10_000);
    assert!(lines.iter().any(|line| line == "invite alice"), "{lines:?}");
    assert!(
        !lines.iter().any(|line| line.starts_with("join")),
        "{lines:?}"
    );
}

/// FIBS-18: somebody who repeats his invitation again and again is joined all the same, once.
#[test]
fn an_impatient_opponent() {
    let (_, mut machine, now) = logged_in();
    let mut lines = Vec::new();
    for at in (now..now + 1600).step_by(400) {
        machine.bytes(b"alice wants to play a 3 point match with you.\r\n", at);
        lines.extend(sent(&mut machine, at, 400));
    }
    lines.extend(sent(&mut machine, now + 1600, 400));
    let count = |wanted: &str| lines.iter().filter(|line| *line == wanted).count();
    assert_eq!(count("join alice"), 1, "{lines:?}");
    assert_eq!(count("show savedcount alice"), 1, "{lines:?}");
}

/// FIBS-24, FIBS-26: refusals and answers are polite, short and few.
#[test]
fn manners() {
    let (_, mut machine, now) = logged_in();
    for at in 0..20 {
        machine.bytes(b"carol wants to play a 99 point match with you.\r\n12 carol who are you?\r\n12 MissManners hello\r\n", now + at);
    }
    let lines = sent(&mut machine, now + 20, 60_000);
    let told = |words: &str| {
        let begins = format!("tell carol {words}");
        lines
            .iter()
            .filter(|line| line.starts_with(&begins))
            .count()
    };
    // Refusals do not use up the answers.
    assert_eq!(
        told("Sorry, I play matches of 1 to 13 points"),
        3,
        "{lines:?}"
    );
    assert_eq!(told("I am a computer program"), 3, "{lines:?}");
    assert!(
        !lines
            .iter()
            .any(|line| line.contains("MissManners") || line.starts_with("join"))
    );
}

/// FIBS-18: the length of a match can change between invitation and acceptance.
#[test]
fn a_match_outside_the_policy_is_left() {
    let (_, mut machine, now) = logged_in();
    machine.bytes(
        b"** You are now playing a 99 point match with alice\r\n",
        now,
    );
    let lines = sent(&mut machine, now, 5000);
    assert_eq!(
        lines.first().map(String::as_str),
        Some("leave"),
        "{lines:?}"
    );
}

/// FIBS-13, FIBS-14: an answer to a board that is not shown any more is thrown away.
#[test]
fn no_answer_for_an_old_board() {
    let (_, mut machine, now) = logged_in();
    let board = |dice: &str| {
        format!(
            "board:You:alice:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:{dice}:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0\r\n"
        )
    };
    machine.bytes(
        b"** You are now playing a 3 point match with alice\r\nStarting a new game with alice.\r\n",
        now,
    );
    machine.bytes(board("3:1").as_bytes(), now);
    let mut asked = Vec::new();
    while let Some(output) = machine.poll(now) {
        if let Output::Decide(id, ask) = output {
            asked.push((id, ask));
        }
    }
    let [(id, ask)] = asked.as_slice() else {
        panic!("{asked:?}")
    };
    let reply = answer(&engine(), ask, &Settings::plies(0), &Stop::never()).unwrap();
    machine.bytes(board("6:5").as_bytes(), now + 10);
    machine.answer(*id, reply, now + 20);
    assert_eq!(machine.counts().stale, 1);
    let lines = sent(&mut machine, now + 20, 3000);
    assert!(
        !lines.iter().any(|line| line.starts_with("move")),
        "{lines:?}"
    );
}

/// FIBS-19: a silent opponent is asked once and then left.
#[test]
fn a_silent_opponent() {
    let (_, mut machine, now) = logged_in();
    machine.bytes(
        b"** You are now playing a 3 point match with alice\r\nStarting a new game with alice.\r\n",
        now,
    );
    machine.bytes(b"board:You:alice:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:0:0:6:5:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0\r\n", now);
    let mut machine_now = now;
    let mut lines = Vec::new();
    for _ in 0..10 {
        lines.extend(sent(&mut machine, machine_now, 60_000));
        machine_now += 60_000;
        machine.bytes(b"7 carol carol logs in.\r\n", machine_now);
    }
    assert_eq!(
        lines
            .iter()
            .filter(|line| *line == "kibitz Are you there?")
            .count(),
        1
    );
    assert!(lines.iter().any(|line| line == "leave"), "{lines:?}");
}

/// FIBS-27: asked to stop, the bot finishes the match first when told so, and says goodbye.
#[test]
fn stopping() {
    let mut left_early = 0;
    for (after_match, seed) in (11..20).map(|seed| (seed == 11, seed)) {
        // A long match, which its first game seldom decides.
        let plan = [Some(if after_match { 3 } else { 13 }), Some(3)];
        let mut world = World::new(
            Server::new(Style::Fibs, Faults::default(), &plan, seed),
            seed,
        );
        while world.server.seen.moves < 3 {
            world.step();
            assert!(world.now < 36_000_000, "does not play");
        }
        world.stop(after_match);
        world.play_to_stop("stopping");
        let ended = world.server.results.len();
        assert_eq!(world.records.len(), ended);
        assert!(ended == 1 || !after_match);
        left_early += 1 - ended;
        assert_eq!(
            world.server.commands.last().map(String::as_str),
            Some("bye")
        );
    }
    assert!(left_early > 0);
}

/// FIBS-25: a saved match is resumed before anything new.
#[test]
fn saved_matches_first() {
    let faults = Faults {
        drop: 6,
        ..Faults::default()
    };
    let mut world = World::new(
        Server::new(Style::Fibs, faults, &[Some(3), Some(1)], 21),
        21,
    );
    world.play(2, "saved first");
    world.check("saved first");
    assert!(world.saved > 0 && world.server.seen.resumes > 0);
    assert_eq!(world.records[0].length, Some(3));
}

/// FIBS-16: who may double stands in the board even where nobody may.
#[test]
fn no_double_in_the_crawford_game() {
    let (_, mut machine, now) = logged_in();
    machine.bytes(
        b"alice has joined you. Your running match was loaded.\r\n",
        now,
    );
    machine.bytes(b"board:You:alice:3:2:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0\r\n", now);
    // No roll and no prompt comes: the server is asked once more.
    let mut lines = sent(&mut machine, now, 6000);
    machine.bytes(b"Value of 'boardstyle' set to 3.\r\nboard:You:alice:3:2:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0\r\n", now + 6000);
    lines.extend(sent(&mut machine, now + 6000, 3000));
    assert!(lines.iter().any(|line| line == "roll"), "{lines:?}");
    assert!(!lines.iter().any(|line| line == "double"), "{lines:?}");
}

/// FIBS-23: the bot keeps the link alive, and gives a dead one up.
#[test]
fn keep_alive() {
    let (_, mut machine, now) = logged_in();
    let lines = sent(&mut machine, now, 200_000);
    assert!(lines.iter().any(|line| line == "time"), "{lines:?}");
    machine.tick(now + 900_000);
    let mut gives_up = false;
    while let Some(output) = machine.poll(now + 900_000) {
        gives_up |= matches!(output, Output::Reconnect(_));
    }
    assert!(gives_up);
}

/// FIBS-24: who has too many saved matches elsewhere is told so and not joined.
#[test]
fn opponents_with_many_saved_matches() {
    for (count, joins) in [(20, true), (21, false)] {
        let (mut server, mut machine, now) = logged_in();
        server.saved_by_others = count;
        machine.bytes(
            b"alice wants to play a 3 point match with you.\r\nType 'join alice' to accept.\r\n",
            now,
        );
        let mut lines = Vec::new();
        let mut at = now;
        while at < now + 8000 {
            while let Some(output) = machine.poll(at) {
                if let Output::Send(line) = output {
                    machine.bytes(&server.line(&line), at);
                    lines.push(line);
                }
            }
            at = machine.wake(at);
            machine.tick(at);
        }
        assert!(lines.iter().any(|line| line == "show savedcount alice"));
        assert_eq!(lines.iter().any(|line| line == "join alice"), joins);
        let told = |line: &String| line.starts_with("tell alice Sorry");
        assert_eq!(lines.iter().any(told), !joins, "{lines:?}");
    }
}

/// FIBS-27: with `resign_on_stop` the game is resigned when the bot is asked to stop.
#[test]
fn resigning_to_stop() {
    for seed in 40..44 {
        let plan = [Some(9), Some(3)];
        let server = Server::new(Style::Fibs, Faults::default(), &plan, seed);
        let mut world = World::new(server, seed);
        let stops = Policy {
            resign_on_stop: true,
            ..policy()
        };
        world.machine = Machine::new("tester", stops, Timing::default());
        while world.server.seen.moves < 3 {
            world.step();
            assert!(world.now < 36_000_000, "does not play");
        }
        world.stop(false);
        world.play_to_stop("resigning");
        assert!(
            world.server.refusals.is_empty(),
            "{:?}",
            world.server.refusals
        );
        assert!(world.server.commands.iter().any(|line| line == "resign n"));
        assert_eq!(world.server.commands.last().unwrap(), "bye");
    }
}

/// FIBS-32: a board that was on its way when the bot asked is no answer: the roll that the bot has
/// sent already is not sent again before the server has answered everything.
#[test]
fn a_late_copy_of_a_board_is_no_answer() {
    let (_, mut machine, now) = logged_in();
    let board = "board:You:alice:3:2:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0\r\n";
    let late = format!("alice has joined you. Your running match was loaded.\r\n{board}");
    machine.bytes(late.as_bytes(), now);
    let first = sent(&mut machine, now, 6000);
    assert!(!first.iter().any(|line| line == "roll"), "{first:?}");
    // The answer to the first question: the roll may go.
    machine.bytes(
        format!("Value of 'boardstyle' set to 3.\r\n{board}").as_bytes(),
        now + 6000,
    );
    let rolls = sent(&mut machine, now + 6000, 4000);
    assert!(rolls.iter().any(|line| line == "roll"), "{rolls:?}");
    // Nothing comes; it asks again, and a copy of the board arrives late.
    let asks = sent(&mut machine, now + 10_000, 15_000);
    assert!(asks.iter().any(|line| line == "board"), "{asks:?}");
    machine.bytes(board.as_bytes(), now + 25_000);
    let then = sent(&mut machine, now + 25_000, 3000);
    assert!(!then.iter().any(|line| line == "roll"), "{then:?}");
}

/// FIBS-13: a copy of the board that was answered is a copy though it is written in another way, here with the
/// bars of Jibs 0.5.3: the play is not asked for again.
#[test]
fn a_copy_in_other_words_is_a_copy() {
    let (_, mut machine, now) = logged_in();
    let board = |bar: &str, other: &str| {
        format!(
            "board:You:alice:3:0:0:{bar}:3:0:0:0:0:4:1:0:-2:2:0:-2:2:0:0:0:-1:-2:-2:-2:-2:-2:3:0:{other}:-1:5:3:0:0:2:0:1:0:-1:1:25:0:0:0:0:0:2:0:0:0\r\n"
        )
    };
    machine.bytes(
        b"** You are now playing a 3 point match with alice\r\nStarting a new game with alice.\r\n",
        now,
    );
    let asked = |machine: &mut Machine, now: u64| {
        let mut asked = Vec::new();
        while let Some(output) = machine.poll(now) {
            if let Output::Decide(id, ask) = output {
                asked.push((id, ask));
            }
        }
        asked
    };
    machine.bytes(board("0", "0").as_bytes(), now);
    let first = asked(&mut machine, now);
    let [(id, ask)] = first.as_slice() else {
        panic!("{first:?}")
    };
    let reply = answer(&engine(), ask, &Settings::plies(0), &Stop::never()).unwrap();
    machine.answer(*id, reply, now + 10);
    let lines = sent(&mut machine, now + 10, 2000);
    assert!(
        lines.iter().any(|line| line.starts_with("move")),
        "{lines:?}"
    );
    machine.bytes(board("-13", "16").as_bytes(), now + 2010);
    let again = asked(&mut machine, now + 2010);
    assert!(again.is_empty(), "{again:?}");
}

/// FIBS-37: the figures of a match go to the one who played it, in few short lines, seldom, and not while somebody plays.
#[test]
fn the_report_of_a_match() {
    let (_, mut machine, now) = logged_in();
    let long = "x".repeat(500);
    let lines: Vec<String> = ["one", "two", &long, "four", "five"]
        .map(str::to_owned)
        .into();
    machine.set_report("carol", Some(lines));
    machine.set_report("dave", Some(Vec::new()));
    machine.set_report("alice", Some(vec!["a secret".to_owned()]));
    for at in 0..5 {
        machine.bytes(
            b"12 carol  Report \r\n12 dave report\r\n12 erin report\r\n",
            now + at,
        );
    }
    let lines = sent(&mut machine, now + 5, 60_000);
    let told = |begins: &str| lines.iter().filter(|line| line.starts_with(begins)).count();
    assert_eq!(told("tell carol"), 12, "{lines:?}");
    assert_eq!((told("tell carol one"), told("tell carol five")), (3, 0));
    assert!(lines.iter().all(|line| line.len() <= 140), "{lines:?}");
    assert_eq!(told("tell dave I am still judging"), 3, "{lines:?}");
    assert_eq!(
        told("tell erin I have judged no match of ours"),
        3,
        "{lines:?}"
    );
    assert_eq!(
        told("tell erin"),
        3,
        "nobody hears of the others' matches: {lines:?}"
    );
    // Switched off it is a word like any other.
    let quiet = Policy::parse("report = false").unwrap();
    assert!(!quiet.report && Policy::default().report);
    // While a match is played no line stands before a move.
    let now = now + 120_000;
    machine.bytes(
        b"** Player frank has joined you for a 3 point match.\r\n12 alice report\r\n",
        now,
    );
    let lines = sent(&mut machine, now, 60_000);
    assert!(
        !lines.iter().any(|line| line.contains("secret")),
        "{lines:?}"
    );
    let told = |line: &String| line.starts_with("tell alice I am playing");
    assert!(lines.iter().any(told), "{lines:?}");
}

/// MAT-23: the file of an unlimited match says what does not hold in it, and whoever reads it believes that.
#[test]
fn an_unlimited_match_says_its_rules() {
    let terms = |length| {
        let record = MatchRecord::new("joe", length);
        let text = record.file("bot", Vec::new()).to_string();
        let text = text + "\n Game 1\n bot : 0                      joe : 0\n  1) 31: 8/5 6/5\n";
        let file = MatchFile::parse(text.as_bytes()).unwrap();
        gammond_report::analysis::Terms::of(&file, gammond_game::Rules::default())[0].rules
    };
    assert_eq!((terms(None).jacoby, terms(None).beavers), (false, false));
    assert_eq!(
        (terms(Some(3)).jacoby, terms(Some(3)).beavers),
        (true, true)
    );
}
