//! Lines in a wrong order, broken links and requests to stop, in each state (FIBS-15, FIBS-27, FIBS-38).

use super::states::{MY_DOUBLE, MY_ROLL, NOT_PLAYED, ONLINE, START, scripted};
use super::world::*;
use super::*;

/// Outputs of a bot without a server from `now` on, for so many milliseconds.
fn outputs(machine: &mut Machine, now: u64, ms: u64) -> Vec<Output> {
    let mut all = Vec::new();
    let mut at = now;
    while at < now + ms {
        all.extend(std::iter::from_fn(|| machine.poll(at)));
        at = machine.wake(at);
        machine.tick(at);
    }
    all
}

/// The opponents of the matches that are over, by these outputs.
fn finished(outputs: &[Output]) -> Vec<String> {
    let name = |output: &Output| match output {
        Output::Event(event) => match event.as_ref() {
            Event::MatchFinished(record) => Some(record.opponent.clone()),
            _ => None,
        },
        _ => None,
    };
    outputs.iter().filter_map(name).collect()
}

/// FIBS-15: whatever the bot has heard, after a broken link it logs in and asks for nothing of the old connection.
#[test]
fn link_that_breaks_in_any_state() {
    let mut count = 0;
    for (what, _, lines) in NOT_PLAYED {
        for heard in 0..=lines.len() {
            let (mut machine, now) = scripted(&lines[..heard]);
            machine.disconnected(now);
            assert_eq!(machine.opponent(), None, "{what}");
            machine.connected(now + 1000);
            machine.bytes(b"login: ", now + 1000);
            let first: Vec<Output> = std::iter::from_fn(|| machine.poll(now + 1000)).collect();
            let stale = |output: &Output| matches!(output, Output::Send(_) | Output::Decide(..));
            assert!(!first.iter().any(stale), "{what} after {heard}: {first:?}");
            let logins = first
                .iter()
                .filter(|output| matches!(output, Output::Login));
            assert_eq!(logins.count(), 1, "{what} after {heard}: {first:?}");
            machine.bytes(b"1 tester 1 h\r\n3\r\n4\r\n", now + 1000);
            assert!(machine.is_online(), "{what} after {heard}");
            assert_eq!(machine.transitions().unlisted, 0, "{what} after {heard}");
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
}

/// FIBS-27: asked twice, the bot ends within its time in every state, though the server is silent; asked three times,
/// at once.
#[test]
fn stop_in_any_state_ends_in_time() {
    let stop_ms = Timing::default().stop_ms;
    for (what, _, lines) in NOT_PLAYED {
        for heard in 0..=lines.len() {
            for (stops, ms) in [(2, stop_ms + 500), (3, 1)] {
                let (mut machine, now) = scripted(&lines[..heard]);
                for _ in 0..stops {
                    machine.stop(false, now);
                }
                let outputs = outputs(&mut machine, now, ms);
                let ends = outputs.iter().any(|output| matches!(output, Output::Quit));
                assert!(ends, "{what} after {heard}, {stops} stops: {outputs:?}");
            }
        }
    }
}

/// FIBS-10: nothing begins before the server has answered the login.
#[test]
fn match_before_the_login_is_ignored() {
    let mut machine = Machine::new("tester", policy(), Timing::default());
    machine.connected(0);
    machine.bytes(b"login: ", 0);
    machine.bytes(format!("{START}\r\n{MY_ROLL}\r\n").as_bytes(), 0);
    assert_eq!((machine.opponent(), machine.is_online()), (None, false));
    let sent = outputs(&mut machine, 0, 20_000);
    assert!(matches!(sent.as_slice(), [Output::Login]), "{sent:?}");
}

/// FIBS-29: a match against another opponent begins, and no line has ended the one before: its record is kept.
#[test]
fn match_against_another_opponent_keeps_the_record_of_the_first() {
    let lines = [ONLINE, START, "Starting a new game with alice.", MY_ROLL];
    let (mut machine, now) = scripted(&lines);
    outputs(&mut machine, now, 1000);
    machine.bytes(b"** You are now playing a 3 point match with bob\r\n", now);
    assert_eq!(machine.opponent(), Some("bob"));
    let told = outputs(&mut machine, now, 1000);
    let open = |output: &Output| match output {
        Output::Event(event) => match event.as_ref() {
            Event::Progress { record, open, .. } => *open && record.opponent == "alice",
            _ => false,
        },
        _ => false,
    };
    assert!(told.iter().any(open), "{told:?}");
    // The server does not list it as saved: it is over.
    machine.bytes(b"no saved games.\r\n", now);
    assert_eq!(finished(&outputs(&mut machine, now, 1000)), ["alice"]);
}

/// FIBS-28: a second match ends before the rating after the first one has come: both are reported.
#[test]
fn two_matches_end_before_a_rating() {
    let won = "You win the 3 point match 3-0 .";
    let lost = "bob wins the 3 point match 3-0 .";
    let next = "** You are now playing a 3 point match with bob";
    let (mut machine, now) = scripted(&[ONLINE, START, won, next, lost]);
    let told = outputs(&mut machine, now, 10_000);
    assert_eq!(finished(&told), ["alice", "bob"]);
}

/// FIBS-17: an open offer that the server did not name is closed when the opponent refuses a resignation.
#[test]
fn refused_resignation_closes_the_offer() {
    let open = "** alice hasn't accepted or rejected your resign yet.";
    let named = name_line(open);
    let mine = matches!(named.as_slice(), [Message::OfferOpen { mine: true, .. }]);
    assert!(mine, "{named:?}");
    for offer in [open, MY_DOUBLE] {
        let reject = "alice rejects. The game continues.";
        let fence = "Value of 'boardstyle' set to 3.";
        let (mut machine, now) = scripted(&[
            ONLINE, "*9", fence, fence, START, MY_ROLL, offer, reject, "*2", fence, MY_ROLL,
        ]);
        let told = outputs(&mut machine, now, 1000);
        let asks = told
            .iter()
            .any(|output| matches!(output, Output::Decide(..)));
        assert!(asks, "{offer}: {told:?}");
    }
}

/// FIBS-28: the double was hidden by a broken link, its answer was not: the game keeps its result alone.
#[test]
fn take_without_its_double_is_a_gap() {
    let mut record = MatchRecord::new("alice", Some(3));
    record.begin_game([0, 0]);
    record.take(gammond_game::notation::MatPlayer::Second);
    record.end_game(gammond_game::notation::MatPlayer::First, 2);
    assert_eq!(record.gaps, 1);
    let text = record.file("tester", Vec::new()).to_string();
    assert!(MatchFile::parse(text.as_bytes()).is_ok(), "{text}");
}
