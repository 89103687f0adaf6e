//! The table of the bot's states (FIBS-38): printed, compared with `fibs.md`, and each of its rows taken by recorded
//! or simulated matches.

use super::foreign::{Row, rows};
use super::machine::sent;
use super::matches::night;
use super::words::{TRANSCRIPTS, received};
use super::world::*;
use super::*;
use gammond_bots::fibs::transitions::{States, TRANSITIONS, Transition, Transitions, row_of};
use std::collections::BTreeMap;

/// A row that neither a recording nor a simulated match takes, with the reason, and lines that take it: `*N` waits so
/// many seconds, `!stop` asks the bot to stop.
pub(super) type Scripted = (&'static str, &'static str, &'static [&'static str]);

pub(super) const START: &str = "** You are now playing a 3 point match with alice";
pub(super) const MY_ROLL: &str = "board:You:alice:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0";
const THEIR_TURN: &str = "board:You:alice:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:0:0:6:5:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0";
/// Sixteen checkers.
const UNREADABLE: &str = "board:You:alice:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:3:0:-1:0:0:6:5:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0";
/// Nobody is on turn.
const NO_TURN: &str = "board:You:alice:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:0:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:0";
const JOIN_NEXT: &str = "Type 'join' if you want to play the next game, type 'leave' if you don't.";
const DOUBLE: &str = "alice doubles. Type 'accept' or 'reject'.";
pub(super) const MY_DOUBLE: &str = "You double. Please wait for alice to accept or reject.";

const FENCE: &str = "Value of 'boardstyle' set to 3.";
const REJECT: &str = "alice rejects. The game continues.";
pub(super) const ONLINE: &str = "3\r\n4";

pub(super) const NOT_PLAYED: &[Scripted] = &[
    (
        "| *Linked* | Timer | Offline |",
        "no simulated server is silent for five minutes",
        &[ONLINE, "*400"],
    ),
    (
        "| Settling | Started | NoBoard, Leaving |",
        "all simulated servers have a message of the day",
        &[START],
    ),
    (
        "| Joining | Idle | Free |",
        "hardly any simulated opponent invites and does not begin",
        &[
            ONLINE,
            "*9",
            FENCE,
            FENCE,
            "alice wants to play a 3 point match with you.",
            "*70",
            FENCE,
            FENCE,
            "*70",
        ],
    ),
    (
        "| MatchOver | Started | NoBoard, Leaving |",
        "the opponent is quicker than the rating",
        &[ONLINE, START, "You win the 3 point match 3-0 .", START],
    ),
    (
        "| *Match* | Started | NoBoard, Leaving |",
        "the line that ended the match before is lost",
        &[
            ONLINE,
            START,
            MY_ROLL,
            "** You are now playing a 3 point match with bob",
        ],
    ),
    (
        "| *Match* | Board | Leaving |",
        "no server shows five boards with errors in a row",
        &[
            ONLINE, START, UNREADABLE, UNREADABLE, UNREADABLE, UNREADABLE, UNREADABLE,
        ],
    ),
    (
        "| *Game* | NewGame | *Game* |",
        "the line that ended the game is lost while an offer is open",
        &[
            ONLINE,
            START,
            MY_ROLL,
            MY_DOUBLE,
            "Starting a new game with alice.",
        ],
    ),
    (
        "| *Game* | Rolls | *Game* |",
        "the answer to our double is lost",
        &[ONLINE, START, MY_ROLL, MY_DOUBLE, "You roll 3 and 1."],
    ),
    (
        "| MyCubeAnswer | Moves | *Game* |",
        "the end of the opponent's double is lost",
        &[
            ONLINE,
            START,
            DOUBLE,
            THEIR_TURN,
            "alice moves 12-15 17-23 .",
        ],
    ),
    (
        "| *Game* | Said | Resync, TheirAnswer |",
        "no simulated opponent talks to the bot",
        &[ONLINE, START, MY_ROLL, "15 alice roll"],
    ),
    (
        "| NoBoard, Resync | Timer | *Game* |",
        "simulated servers without `board` say so",
        &[
            ONLINE, "*9", FENCE, FENCE, START, MY_ROLL, "*4", FENCE, "*10", FENCE, "*20", FENCE,
            "*40",
        ],
    ),
    (
        "| TheirJoin | GameEnds | MyJoin |",
        "the end of the game is told again after our `join`",
        &[
            ONLINE,
            START,
            THEIR_TURN,
            JOIN_NEXT,
            "** Please wait for alice to join too.",
            "alice wins the game and gets 1 point. Sorry.",
        ],
    ),
    (
        "| *Break* | Board | *Game* |",
        "a board of a game that has not ended",
        &[ONLINE, START, NO_TURN, THEIR_TURN],
    ),
    (
        "| *Match* | Removed | MatchOver |",
        "the next match is broken off before the rating of the last one has come",
        &[
            ONLINE,
            START,
            "You win the 3 point match 3-0 .",
            START,
            "** Player alice has left the game. The game was saved.",
        ],
    ),
    (
        "| *Match* | Refused | Leaving |",
        "no simulated server refuses three answers to one board",
        &[
            ONLINE,
            START,
            MY_ROLL,
            "** You can't move there",
            "** You can't move there",
            "** You can't move there",
        ],
    ),
    (
        "| *Match* | Timer | Leaving |",
        "all simulated opponents play on",
        &[
            ONLINE, START, THEIR_TURN, "*70", "6", "*70", "6", "*70", "6", "*70", "6", "*70", "6",
            "*70",
        ],
    ),
    (
        "| *Game* | Decides | Leaving |",
        "no simulated opponent refuses three resignations",
        &[
            ONLINE, "*9", FENCE, FENCE, START, MY_ROLL, "!stop", "*4", FENCE, MY_ROLL, "*4",
            REJECT, "*2", FENCE, MY_ROLL, "*4", REJECT, "*2", FENCE, MY_ROLL, "*4", REJECT, "*2",
            FENCE, MY_ROLL,
        ],
    ),
];

/// A row as in `fibs.md`.
fn text(&(from, event, to): &Transition) -> String {
    let names = |states: &[States]| {
        let names: Vec<String> = states.iter().map(States::to_string).collect();
        names.join(", ")
    };
    format!("| {} | {event:?} | {} |", names(from), names(to))
}

/// FIBS-38: the table of the code is that of the specification.
#[test]
fn state_table_is_that_of_the_specification() {
    let rows: Vec<String> = TRANSITIONS.iter().map(text).collect();
    let table = rows.join("\n");
    println!("{table}");
    let page = include_str!("../../../../../protocol-specs/fibs.md");
    assert!(page.contains(&table), "expected in fibs.md:\n{table}");
}

/// Number of times that each row was taken.
#[derive(Default)]
struct Taken(BTreeMap<usize, u64>);

impl Taken {
    fn add(&mut self, what: &str, transitions: &Transitions) {
        assert_eq!(transitions.unlisted, 0, "{what}");
        for (&(before, event, after), count) in &transitions.taken {
            let row = row_of(before, event, after);
            let row = row.unwrap_or_else(|| panic!("{what}: {before} {event:?} {after}"));
            *self.0.entry(row).or_default() += count;
        }
    }
}

/// Plays the lines that a client of a recording received to a bot of its name, half a second each.
fn replay(user: &str, bytes: &[u8]) -> Machine {
    let mut machine = Machine::new(user, policy(), Timing::default());
    machine.connected(0);
    let mut now = 0;
    let mut chance = stream(1, 1);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        machine.bytes(line, now);
        now += 500;
        machine.tick(now);
        while let Some(output) = machine.poll(now) {
            if let Output::Decide(id, ask) = output {
                machine.answer(id, decide(&ask, &mut chance), now);
            }
        }
    }
    machine.disconnected(now);
    machine
}

/// The parts of recorded sessions that take the rows which no simulated match takes.
const CUT: &str = "tests/data/fibs-logs/free-and-joining.txt";

/// FIBS-38: recorded and simulated matches take no change of state that the table does not have, and each that it has.
#[test]
fn every_row_of_the_state_table_is_taken() {
    let mut taken = Taken::default();
    let cut = crate::support::root().join(CUT);
    let test = "fibs::states::every_row_of_the_state_table_is_taken";
    let recorded = TRANSCRIPTS
        .iter()
        .filter_map(|name| shared(test, &format!("transcripts/fibs/{name}.txt")));
    for path in std::iter::once(cut).chain(recorded) {
        for (client, bytes) in received(&path) {
            let machine = replay(client.trim_start_matches("reg:"), &bytes);
            taken.add(&path.display().to_string(), machine.transitions());
        }
    }
    for (user, name) in FAULTS {
        let bytes = rows(name).into_iter().filter_map(|row| match row {
            Row::Got(_, bytes) => Some(bytes),
            Row::Sent(..) => None,
        });
        let login = format!("login: 1 {user} 1 h\n3\n4\n").into_bytes();
        let bytes: Vec<u8> = std::iter::once(login).chain(bytes).flatten().collect();
        taken.add(name, replay(user, &bytes).transitions());
    }
    for seed in 1000..1032 {
        let world = night(seed);
        taken.add(&format!("seed {seed}"), world.machine.transitions());
    }
    for (seed, after) in (0..40).zip([300, 900, 2500, 7000, 9000].into_iter().cycle()) {
        let world = stopped(seed, after);
        taken.add(&format!("stopped {seed}"), world.machine.transitions());
    }
    let mut wrong = Vec::new();
    for (number, row) in TRANSITIONS.iter().enumerate() {
        let count = taken.0.get(&number).copied().unwrap_or(0);
        let row = text(row);
        let reason = NOT_PLAYED.iter().find(|(listed, ..)| *listed == row);
        println!(
            "{count:>8} {row} {}",
            reason.map_or("", |(_, reason, _)| reason)
        );
        if count == 0 && reason.is_none() {
            wrong.push(row);
        }
    }
    assert!(
        wrong.is_empty(),
        "never taken, and no reason listed: {wrong:#?}"
    );
}

/// FIBS-38: each row that is not played is taken by its lines.
#[test]
fn rows_that_are_not_played_are_taken_by_their_lines() {
    for (listed, reason, lines) in NOT_PLAYED {
        let row = TRANSITIONS.iter().position(|row| text(row) == *listed);
        let row = row.unwrap_or_else(|| panic!("no row of the table: {listed}"));
        let mut taken = Taken::default();
        taken.add(listed, scripted(lines).0.transitions());
        assert!(
            taken.0.contains_key(&row),
            "{listed} ({reason}): {:?}",
            taken.0
        );
    }
}

/// A bot that has got these lines after its login, and the time then.
pub(super) fn scripted(lines: &[&str]) -> (Machine, u64) {
    let stops = Policy {
        resign_on_stop: true,
        ..policy()
    };
    let mut machine = Machine::new("tester", stops, Timing::default());
    machine.connected(0);
    machine.bytes(b"login: 1 tester 1 h\r\n", 0);
    let mut now = 0;
    for line in lines {
        if let Some(seconds) = line
            .strip_prefix('*')
            .and_then(|text| text.parse::<u64>().ok())
        {
            sent(&mut machine, now, 1000 * seconds);
            now += 1000 * seconds;
        } else if *line == "!stop" {
            machine.stop(false, now);
        } else {
            machine.bytes(format!("{line}\r\n").as_bytes(), now);
        }
    }
    (machine, now)
}

/// Recordings of single faults, with the name of the bot in each.
const FAULTS: [(&str, &str); 5] = [
    ("gbot", "jibs055-invitation.log"),
    ("gbot", "jibs055-no-saved-match.log"),
    ("gbotb", "jibs055-joiner.log"),
    ("gbot", "baldlies-not-playing.log"),
    ("gbot", "jibs053-garbled-win.log"),
];

/// A simulated match in which the bot is asked to stop once or twice, after some steps.
fn stopped(seed: u64, after: u32) -> World {
    let style = STYLES[seed as usize % 4];
    let faults = Faults::with_habits(seed);
    let mut world = World::new(Server::new(style, faults, &PLAN, seed), seed);
    let stops = Policy {
        resign_on_stop: seed.is_multiple_of(3),
        ..policy()
    };
    world.machine = Machine::new("tester", stops, Timing::default());
    for _ in 0..after {
        world.step();
    }
    world.stop(seed.is_multiple_of(2));
    if seed.is_multiple_of(5) {
        for _ in 0..20 {
            world.step();
        }
        world.stop(false);
    }
    world.play_to_stop(&format!("stopped {seed}"));
    world
}
