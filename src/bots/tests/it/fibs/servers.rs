//! What differs between fibs.com and its clones, a test each; and each kind of misbehaviour alone.

use super::world::*;
use super::*;

/// Plays matches on one kind of server until `seen`, and checks them.
fn played(style: Style, faults: Faults, seen: fn(&World) -> bool) -> World {
    for seed in 300..330 {
        let plan = [Some(3), Some(1), Some(2)];
        let mut world = World::new(Server::new(style, faults, &plan, seed), seed);
        let what = format!("{style:?} {faults:?} seed {seed}");
        world.play(plan.len(), &what);
        world.check(&what);
        if seen(&world) {
            return world;
        }
    }
    panic!("{style:?} {faults:?}: never seen");
}

/// A machine in a match, and what it asks after these lines.
fn asked(lines: &str) -> Vec<Ask> {
    let (_, mut machine, now) = machine::logged_in();
    machine.bytes(
        b"** You are now playing a 3 point match with alice\r\nStarting a new game with alice.\r\n",
        now,
    );
    machine.bytes(lines.as_bytes(), now);
    let mut asks = Vec::new();
    let mut at = now;
    while at < now + 20_000 {
        while let Some(output) = machine.poll(at) {
            match output {
                Output::Decide(_, ask) => asks.push(*ask),
                // The server answers `board` with the last board of the lines.
                Output::Send(line) if line == "board" => {
                    let board = lines.lines().rfind(|line| line.starts_with("board:"));
                    machine.bytes(format!("{}\r\n", board.unwrap()).as_bytes(), at);
                }
                _ => {}
            }
        }
        at = machine.wake(at);
        machine.tick(at);
    }
    asks
}

const DOUBLED: &str = "alice doubles. Type 'accept' or 'reject'.\r\n\
    board:You:alice:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:0:0:0:0:1:1:1:";

/// FIBS-14: fibs.com marks a double in the board.
#[test]
fn fibs_com_marks_a_double_in_the_board() {
    let asks = asked(&format!("{DOUBLED}1:1:-1:0:25:0:0:0:0:0:0:0:0\r\n"));
    assert!(matches!(asks.as_slice(), [Ask::Offer(_)]), "{asks:?}");
}

/// FIBS-14: the clones leave that field at 0; the sentence counts.
#[test]
fn clones_do_not_mark_a_double_in_the_board() {
    let asks = asked(&format!("{DOUBLED}0:1:-1:0:25:0:0:0:0:0:0:0:0\r\n"));
    assert!(matches!(asks.as_slice(), [Ask::Offer(_)]), "{asks:?}");
}

/// FIBS-06: fibs.com leaves the line end behind a board away.
#[test]
fn fibs_com_glues_the_next_line_to_a_board() {
    let faults = Faults {
        glue: 2,
        ..Faults::default()
    };
    played(Style::Fibs, faults, |world| world.server.seen.moves > 5);
}

/// FIBS-16: BaldLies neither rolls nor prompts in the Crawford game.
#[test]
fn baldlies_leaves_the_roll_of_the_crawford_game_to_the_bot() {
    played(Style::BaldLies, Faults::default(), |world| {
        world.server.seen.crawford > 0
    });
}

/// FIBS-26: BaldLies knows no kibitz: the greeting is refused and nothing is lost.
#[test]
fn baldlies_knows_no_kibitz() {
    let world = played(Style::BaldLies, Faults::default(), |world| {
        let kibitz = |line: &String| line.starts_with("kibitz ");
        world.server.commands.iter().any(kibitz)
    });
    assert_eq!(world.machine.counts().refused, 0);
}

/// FIBS-08: BaldLies bears off to `home`; the record of the match stays whole.
#[test]
fn baldlies_bears_off_to_home() {
    let world = played(Style::BaldLies, Faults::default(), |world| {
        world.records.iter().all(|record| record.gaps == 0)
    });
    assert_eq!(world.records.len(), 3);
}

/// FIBS-31: Jibs has no list of saved matches; what the cut link hid is known at the next start.
#[test]
fn jibs_has_no_list_of_saved_matches() {
    for style in [Style::Jibs053, Style::Jibs055] {
        let new = || {
            let plan = [Some(1), Some(1)];
            World::new(Server::new(style, Faults::default(), &plan, 31), 31)
        };
        let mut whole = new();
        whole.play(1, "whole");
        // Cut before the words about the end, which are among the last ones.
        let hidden = (1..600).step_by(20).find(|before| {
            let mut world = new();
            world.cut_after = Some(whole.received - before);
            world.play(2, "jibs");
            world.check("jibs");
            world.records[0].unseen && !world.records[1].unseen
        });
        assert!(hidden.is_some(), "{style:?}");
    }
}

/// FIBS-01, FIBS-08: Jibs 0.55 ends lines in LF alone, doubles its apostrophes, and announces a
/// game after its first board.
#[test]
fn jibs_055_announces_a_game_after_its_board() {
    played(Style::Jibs055, Faults::default(), |world| {
        world.server.seen.games > 3
    });
}

/// FIBS-31: Jibs 0.55 puts the change of the rating in its place: that says nothing.
#[test]
fn jibs_055_ratings_that_are_changes_prove_nothing() {
    let (_, mut machine, now) = machine::logged_in();
    machine.bytes(
        b"** You are now playing a 3 point match with alice\r\nStarting a new game with alice.\r\n",
        now,
    );
    machine.disconnected(now + 10);
    machine.connected(now + 20);
    machine.bytes(b"login: ", now + 30);
    let welcome = "1 tester 1 h\r\n2 tester 1 1 0 0 0 0 1 1 3 0 1 0 1 4.00 0 0 1 0 0 UTC\r\n3\r\n4\r\nno saved games.\r\n";
    let mut outcome = None;
    while machine.poll(now + 40).is_some() {}
    machine.bytes(welcome.as_bytes(), now + 50);
    while let Some(output) = machine.poll(now + 60) {
        if let Output::Event(event) = output
            && let Event::MatchFinished(record) = *event
        {
            assert!(record.unseen);
            outcome = record.outcome;
        }
    }
    assert_eq!(outcome, Some(MatchEnd::Unknown));
}

/// FIBS-12: the bars of Jibs 0.5.3 carry offsets; fields 47 and 48 are the truth.
#[test]
fn jibs_053_bars_carry_offsets() {
    played(Style::Jibs053, Faults::default(), |world| {
        world.machine.counts().bad_boards == 0
    });
}

/// FIBS-12: Jibs can roll by itself although the cube is free.
#[test]
fn jibs_rolls_although_the_cube_is_free() {
    played(Style::Jibs053, Faults::default(), |world| {
        world.server.seen.moves > 20
    });
}

/// each kind of misbehaviour alone, on every kind of server.
#[test]
fn each_fault_alone() {
    type Case = (&'static str, Faults, fn(&World) -> bool);
    let none = Faults::default;
    #[rustfmt::skip]
    let cases: [Case; 11] = [
        ("forced logout", Faults { logout: 40, ..none() }, |w| w.server.seen.logouts > 0),
        ("already logged in", Faults { logout: 40, linger: 1, ..none() }, |w| w.server.seen.kicks > 0),
        ("chatter of watchers, unknown lines", Faults { chatter: 2, ..none() }, |w| w.machine.counts().unknown > 0),
        ("delays", Faults { delay: 5, ..none() }, |w| w.delays > 0),
        ("chat inside boards", Faults { tear: 6, ..none() }, |w| w.server.seen.torn_boards > 0),
        ("wrong bar fields", Faults { wrong_bar: 6, ..none() }, |w| w.server.seen.wrong_boards > 0),
        ("apostrophes doubled", Faults { quotes: true, ..none() }, |w| w.server.seen.moves > 0),
        ("bare LF", Faults { bare_lf: true, ..none() }, |w| w.server.seen.moves > 0),
        ("commands lost", Faults { swallow: 10, ..none() }, |w| w.server.seen.swallowed > 0),
        ("rolls forgotten", Faults { drop: 10, forget_roll: true, ..none() }, |w| w.server.seen.resumes > 0),
        ("boards repeated late", Faults { repeat: 2, delay: 4, ..none() }, |w| w.delays > 0),
    ];
    for (name, faults, seen) in cases {
        for style in STYLES {
            let world = played(style, faults, seen);
            eprintln!("{name} on {style:?}: {:?}", world.machine.counts());
        }
    }
}
