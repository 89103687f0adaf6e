//! Lines that come late: what is sent twice on a slow link, and what must not be (FIBS-32).
//!
//! Each of these was found by the long runs with all faults on (`fibs::matches::soak`).

use super::machine::{logged_in, sent};
use super::world::*;
use super::*;

const FENCE: &[u8] = b"Value of 'boardstyle' set to 3.\r\n";
const BOARD: &str = "board:You:alice:9999:4:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0\r\n";

fn count(lines: &[String], wanted: &str) -> usize {
    lines.iter().filter(|line| *line == wanted).count()
}

/// A machine in a match; its game has gone on, and then the server was silent for so long that the
/// bot has sent a fence.
fn silent_match(length: &str) -> (Machine, u64) {
    let (_, mut machine, now) = logged_in();
    let begin = format!("** You are now playing {length} with alice\r\n");
    machine.bytes(begin.as_bytes(), now);
    let roll = b"Starting a new game with alice.\r\nYou rolled 1, alice rolled 2\r\nalice makes the first move.\r\n";
    machine.bytes(roll, now);
    machine.bytes(BOARD.as_bytes(), now);
    sent(&mut machine, now, 5000);
    let wins = b"alice gives up. You win 1 point.\r\n";
    machine.bytes(wins, now + 5000);
    let lines = sent(&mut machine, now + 5000, 12_000);
    assert_eq!(count(&lines, "set boardstyle 3"), 1, "{lines:?}");
    (machine, now + 17_000)
}

/// The answer to a fence that was sent before `leave` says nothing about it.
#[test]
fn leave_is_not_repeated_by_an_older_fence() {
    let (mut machine, now) = silent_match("an unlimited match");
    machine.stop(false, now);
    let ask = b"Type 'join' if you want to play the next game, type 'leave' if you don't.\r\n";
    machine.bytes(ask, now);
    let mut lines = sent(&mut machine, now, 3000);
    machine.bytes(FENCE, now + 3000);
    lines.extend(sent(&mut machine, now + 3000, 4000));
    assert_eq!(count(&lines, "leave"), 1, "{lines:?}");
    // Behind a later one it is: the server has lost the first.
    let mut late = sent(&mut machine, now + 7000, 16_000);
    assert_eq!(count(&late, "set boardstyle 3"), 1, "{late:?}");
    machine.bytes(FENCE, now + 23_000);
    late.extend(sent(&mut machine, now + 23_000, 3000));
    assert_eq!(count(&late, "leave"), 1, "{late:?}");
}

/// The same for `join`.
#[test]
fn join_is_not_repeated_by_an_older_fence() {
    let (mut machine, now) = silent_match("an unlimited match");
    let ask = b"Type 'join' if you want to play the next game, type 'leave' if you don't.\r\n";
    machine.bytes(ask, now);
    let mut lines = sent(&mut machine, now, 3000);
    machine.bytes(FENCE, now + 3000);
    lines.extend(sent(&mut machine, now + 3000, 4000));
    assert_eq!(count(&lines, "join"), 1, "{lines:?}");
}

/// An acceptance that nothing answers is followed by a fence, not by an invitation: its answer can
/// be on the way.
#[test]
fn an_acceptance_and_an_invitation_do_not_cross() {
    let (_, mut machine, now) = logged_in();
    let who = b"5 alice - - 1 0 1500.00 9 0 1795224913 127.0.0.1 x -\r\n6\r\n";
    machine.bytes(who, now);
    machine.bytes(b"  opponent          matchlength   score (your points first)\r\n **alice                        5                1 -  0\r\n", now);
    // Alice is free: the bot invites; her own invitation crosses it.
    let mut lines = sent(&mut machine, now, 2000);
    assert_eq!(count(&lines, "invite alice"), 1, "{lines:?}");
    let hers = b"alice wants to resume a saved match with you.\r\nType 'join alice' to accept.\r\n";
    machine.bytes(hers, now + 2000);
    lines = sent(&mut machine, now + 2000, 6000);
    assert_eq!(count(&lines, "join alice"), 0, "{lines:?}");
    assert_eq!(count(&lines, "set boardstyle 3"), 1, "{lines:?}");
    // The server has answered everything, and no match has begun: she may be joined.
    machine.bytes(FENCE, now + 8000);
    lines = sent(&mut machine, now + 8000, 2000);
    assert_eq!(count(&lines, "join alice"), 1, "{lines:?}");
    lines = sent(&mut machine, now + 10_000, 40_000);
    assert_eq!(count(&lines, "join alice"), 0, "{lines:?}");
    assert_eq!(count(&lines, "invite alice"), 0, "{lines:?}");
    assert!(count(&lines, "set boardstyle 3") > 0, "{lines:?}");
}

/// FIBS-28: the line that ended a game is lost; the score after it, or that of the match, tells.
#[test]
fn points_of_a_game_whose_end_was_lost() {
    let (_, mut machine, now) = logged_in();
    machine.bytes(
        b"** You are now playing a 3 point match with alice\r\nStarting a new game with alice.\r\n\
          You rolled 1, alice rolled 2\r\nalice makes the first move.\r\n",
        now,
    );
    machine.bytes(b"score in 3 point match: alice-2 tester-0\r\n", now + 1);
    machine.bytes(
        b"Starting a new game with alice.\r\nYou rolled 1, alice rolled 2\r\n",
        now + 2,
    );
    machine.bytes(
        b"alice wins the 3 point match 4-0 .\r\n5 tester - - 1 0 1490.00 3 0 1 127.0.0.1 x -\r\n",
        now + 3,
    );
    let mut records = Vec::new();
    while let Some(output) = machine.poll(now + 3) {
        if let Output::Event(event) = output
            && let Event::MatchFinished(record) = *event
        {
            records.push(record);
        }
    }
    let [record] = records.as_slice() else {
        panic!("{records:?}")
    };
    assert_eq!(
        (record.scores, record.outcome),
        ([0, 4], Some(MatchEnd::Lost))
    );
    let points = record.games.iter().filter_map(|game| game.result);
    assert_eq!(points.map(|(_, points)| points).collect::<Vec<_>>(), [2, 2]);
}

/// FIBS-27, FIBS-31: the link breaks in a match, anywhere in its last lines, and the bot is asked to
/// stop before it or just then: it learns first how the match ended, on every kind of server.
#[test]
fn a_stop_waits_for_the_end_that_a_broken_link_hid() {
    for style in STYLES {
        let server = || Server::new(style, Faults::default(), &[Some(1)], 5);
        let mut whole = World::new(server(), 5);
        whole.play(1, "whole");
        let bytes = whole.received;
        let mut hidden = 0;
        for (cut, before) in (bytes - 700..bytes)
            .step_by(25)
            .zip([true, false].iter().cycle())
        {
            let mut world = World::new(server(), 5);
            world.cut_after = Some(cut);
            while world.cut_after.is_some() && !world.quit {
                world.step();
                if *before && !world.stopping && world.received + 2000 > cut {
                    world.stop(true);
                }
            }
            if !before && !world.quit {
                world.stop(true);
            }
            let what = format!("{style:?} cut after {cut}");
            world.play_to_stop(&what);
            world.check(&what);
            assert_eq!(world.records.len(), world.server.results.len(), "{what}");
            hidden += world.records.iter().filter(|record| record.unseen).count();
            if world.server.results.is_empty() {
                assert!(world.server.busy(), "{what}: the match is saved");
            }
        }
        assert!(hidden > 0, "{style:?}: no end was hidden");
    }
}

/// FIBS-31: the wait for what the link hides has a limit, and who asks again does not wait.
#[test]
fn a_stop_does_not_wait_for_ever() {
    let hidden_ms = Timing::default().hidden_ms;
    let broken = || {
        let (_, mut machine, now) = logged_in();
        machine.bytes(
            b"** You are now playing a 3 point match with alice\r\n",
            now,
        );
        machine.disconnected(now);
        machine.stop(true, now);
        (machine, now)
    };
    let (machine, now) = broken();
    assert!(machine.stop_waits(now));
    assert!(!machine.stop_waits(now + hidden_ms));
    let (mut machine, now) = broken();
    machine.stop(true, now + 1);
    assert!(!machine.stop_waits(now + 1));
    // A server without a list says all that it knows at once.
    let (mut machine, now) = broken();
    machine.connected(now);
    machine.bytes(b"login: ", now);
    machine.bytes(b"1 tester 1795224437 127.0.0.1\r\n", now);
    assert!(machine.stop_waits(now));
    machine.bytes(b"** Not yet implemented: 'show saved'\r\n", now);
    let quits =
        std::iter::from_fn(|| machine.poll(now)).any(|output| matches!(output, Output::Quit));
    assert!(quits);
}
