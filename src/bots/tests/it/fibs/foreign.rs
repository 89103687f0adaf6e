//! Faults that three foreign servers showed: each replayed from its transcript, and a whole match on
//! the simulated server with that habit.

use super::world::*;
use super::*;
use crate::fibs_server::Seen;
use gammond_game::Play;
use gammond_game::notation::fibs::{moves_up, read_steps};
use gammond_game::notation::{MatAction, MatPlayer};

/// A row of a transcript: when, in milliseconds, and what the bot got or sent.
pub(super) enum Row {
    Got(u64, Vec<u8>),
    Sent(u64, String),
}

/// The rows of a transcript in `tests/data/fibs-logs/faults`.
pub(super) fn rows(name: &str) -> Vec<Row> {
    let folder = crate::support::root().join("tests/data/fibs-logs");
    let text = std::fs::read_to_string(folder.join("faults").join(name)).unwrap();
    let rows: Vec<&str> = text.lines().filter(|row| !row.starts_with('#')).collect();
    rows.into_iter().map(row).collect()
}

fn row(row: &str) -> Row {
    let (time, rest) = row.split_once(' ').unwrap();
    let seconds = |text: &str| text.parse::<f64>().unwrap();
    let at = time
        .split(':')
        .fold(0.0, |sum, part| 60.0 * sum + seconds(part));
    let at = (at * 1000.0) as u64;
    // Some transcripts have whole packets with escapes, some have lines.
    let (packets, rest) = match rest.strip_prefix("bot ") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    match rest.split_at(2) {
        ("< ", text) if packets => Row::Got(at, words::unescape(text)),
        ("< ", text) => Row::Got(at, format!("{text}\n").into_bytes()),
        ("> ", text) => Row::Sent(at, text.trim_end_matches("\\r\\n").to_owned()),
        _ => panic!("{row}"),
    }
}

/// A machine to which a transcript is played.
struct Replay {
    machine: Machine,
    now: u64,
    asks: Vec<(u64, Ask)>,
    sent: Vec<String>,
    events: Vec<Event>,
}

impl Replay {
    /// A bot that has just logged in.
    fn new(user: &str, rating: f64) -> Replay {
        let timing = Timing {
            pace_ms: 0,
            ..Timing::default()
        };
        let machine = Machine::new(user, policy(), timing);
        let mut replay = Replay {
            machine,
            now: 0,
            asks: Vec::new(),
            sent: Vec::new(),
            events: Vec::new(),
        };
        replay.login(user, rating, 0);
        replay
    }

    fn login(&mut self, user: &str, rating: f64, at: u64) {
        self.now = self.now.max(at);
        self.machine.connected(self.now);
        let text = format!(
            "login: 1 {user} 1 h\n2 {user} 1 1 0 0 0 0 1 1 3 0 1 0 1 {rating:.2} 0 1 0 0 1 UTC\n3\n4\n"
        );
        self.got(text.as_bytes());
    }

    /// What the machine wants by now.
    fn outputs(&mut self) {
        while let Some(output) = self.machine.poll(self.now) {
            match output {
                Output::Decide(id, ask) => self.asks.push((id, *ask)),
                Output::Send(line) => self.sent.push(line),
                Output::Event(event) => self.events.push(*event),
                _ => {}
            }
        }
    }

    fn wait_until(&mut self, at: u64) {
        self.outputs();
        while self.now < at {
            self.now = self.machine.wake(self.now).min(at);
            self.machine.tick(self.now);
            self.outputs();
        }
    }

    fn got(&mut self, bytes: &[u8]) {
        self.machine.bytes(bytes, self.now);
        self.outputs();
    }

    /// Answers the open question by this play, as the bot of the transcript did.
    fn plays(&mut self, steps: &str) {
        let play: Play = read_steps(steps, moves_up(steps)).unwrap();
        let now = self.now;
        let open = self.asks.pop();
        let (id, _) = open.unwrap_or_else(|| panic!("{now}: no question is open for {steps}"));
        self.machine.answer(id, Answer::Play(play), self.now);
        self.outputs();
    }

    /// Plays rows to the machine, its moves as in the transcript.
    fn run(&mut self, rows: impl IntoIterator<Item = Row>) {
        for row in rows {
            match row {
                Row::Got(at, bytes) => {
                    self.wait_until(at);
                    self.got(&bytes);
                }
                Row::Sent(at, line) => {
                    self.wait_until(at);
                    if let Some(steps) = line.strip_prefix("move ") {
                        self.plays(steps);
                    }
                }
            }
        }
    }

    fn count(&self, line: &str) -> usize {
        self.sent
            .iter()
            .filter(|sent| sent.starts_with(line))
            .count()
    }

    /// The match so far, as the state file would keep it.
    fn record(&mut self) -> MatchRecord {
        self.machine.disconnected(self.now);
        self.outputs();
        let records = self.events.iter().rev().find_map(|event| match event {
            Event::Progress { record, .. } => Some(record.clone()),
            _ => None,
        });
        *records.expect("no match")
    }
}

/// FIBS-18: after a broken link an invitation counts more than an older `who` line, and is answered.
#[test]
fn issue_39_invitation_after_broken_link_is_answered() {
    let mut replay = Replay::new("gbot", 6.35);
    replay.got(b"** You are now playing a 3 point match with bobby\n");
    let mut rows = rows("jibs055-invitation.log").into_iter().peekable();
    let broken = |row: &Row| matches!(row, Row::Got(at, _) if *at < 20_000);
    while let Some(row) = rows.next_if(broken) {
        replay.run([row]);
    }
    replay.machine.disconnected(20_000);
    replay.sent.clear();
    replay.now = 20_400;
    replay.machine.connected(replay.now);
    replay.got(b"login: ");
    replay.run(rows);
    replay.wait_until(replay.now + 1000);
    assert!(replay.count("invite bobby") > 0, "{:?}", replay.sent);
}

/// FIBS-18: a refusal without name and apostrophes is known by the invitation that is pending.
#[test]
fn issue_39_garbled_refusal_begins_a_new_match() {
    let mut replay = Replay::new("gbot", -8.89);
    replay.got(b"** You are now playing a 5 point match with bobby\n");
    replay.machine.disconnected(1);
    let rows = rows("jibs055-no-saved-match.log");
    let Some(Row::Got(first, _)) = rows.first() else {
        panic!("no rows")
    };
    replay.now = *first;
    replay.machine.connected(replay.now);
    replay.sent.clear();
    replay.run(rows);
    assert_eq!(replay.count("invite bobby"), 1, "{:?}", replay.sent);
    assert!(replay.count("join bobby") > 0, "{:?}", replay.sent);
    let named = name_line("** {0} didnt invite you.");
    assert!(
        matches!(named.as_slice(), [Message::InvitationRefused(_)]),
        "{named:?}"
    );
}

/// FIBS-18: a server of which no line about a saved match is understood: two tries, then a new match.
#[test]
fn two_tries_to_resume_then_a_new_match() {
    let mut replay = Replay::new("gbot", -8.89);
    replay.got(b"** You are now playing a 5 point match with bobby\n");
    replay.machine.disconnected(1);
    replay.login("gbot", -8.89, 1000);
    replay.got(b"** Not yet implemented: 'show saved'\n");
    let mut invitations = Vec::new();
    for _ in 0..3 {
        replay.sent.clear();
        replay.got(b"bobby wants to play a 5 point match with you.\n");
        replay.wait_until(replay.now + 4000);
        // What no version of any server has said so far.
        replay.got(b"There is nothing to go on with.\nValue of 'boardstyle' set to 3.\n");
        replay.wait_until(replay.now + 20_000);
        invitations.push((replay.count("invite bobby"), replay.count("join bobby")));
    }
    assert_eq!(invitations, [(1, 0), (1, 0), (0, 1)]);
    // A server that says that one is saved is believed each time.
    replay.sent.clear();
    replay.got(b"bobby wants to play a 5 point match with you.\n");
    let warning = b"WARNING: Don't accept if you want to continue the saved 5 point match!\n";
    replay.got(warning);
    replay.wait_until(replay.now + 40_000);
    assert_eq!(replay.count("join bobby"), 0, "{:?}", replay.sent);
}

/// FIBS-20, FIBS-28: the player who joins gets no line that announces the match; its first game is
/// recorded all the same, play by play.
#[test]
fn issue_39_joiner_records_the_first_game() {
    let rows = rows("jibs055-joiner.log");
    let Some(Row::Got(first, _)) = rows.first() else {
        panic!("no rows")
    };
    let mut replay = Replay::new("gbotb", -4.01);
    replay.machine.disconnected(1);
    replay.login("gbotb", -4.01, *first);
    let plays = rows.iter().filter(|row| match row {
        Row::Sent(_, line) => line.starts_with("move "),
        Row::Got(_, bytes) => bytes.starts_with(b"gbot moves") || bytes.ends_with(b"can't move.\n"),
    });
    let plays = plays.count();
    replay.run(rows);
    assert!(replay.count("join gbot") > 0, "{:?}", replay.sent);
    let record = replay.record();
    let [game] = record.games.as_slice() else {
        panic!("{record:?}")
    };
    assert_eq!((record.length, record.gaps), (Some(1), 0), "{record:?}");
    assert_eq!(game.actions.len(), plays, "{record:?}");
    let opening = Roll::new(5, 1).unwrap();
    let first = game.actions.first();
    assert!(
        matches!(first, Some((MatPlayer::Second, MatAction::Play { roll, .. })) if *roll == opening),
        "{first:?}"
    );
}

/// FIBS-17: `You are not playing.` in the middle of a match is checked before the match is left.
#[test]
fn issue_39_not_playing_is_checked() {
    let mut replay = Replay::new("gbot", 1500.0);
    replay.got(b"** You are now playing a 5 point match with alice\n");
    let mut rows = rows("baldlies-not-playing.log");
    let denies = |row: &Row| matches!(row, Row::Got(_, bytes) if bytes.starts_with(b"You are not"));
    let after = rows.split_off(rows.iter().position(denies).unwrap());
    replay.run(rows);
    replay.sent.clear();
    replay.run(after.into_iter().take(2));
    assert_eq!(replay.machine.opponent(), Some("alice"));
    assert_eq!(replay.sent, ["set boardstyle 3", "board"]);
    // The next board says what is to be answered.
    replay.asks.clear();
    for _ in 0..8 {
        // With those that the transcript lacks.
        replay.got(b"Value of 'boardstyle' set to 3.\n");
    }
    replay.got(b"board:You:alice:5:0:0:-1:-5:2:6:3:2:1:0:0:0:0:0:-3:0:0:0:0:0:0:-6:0:0:0:0:0:0:-1:0:0:0:0:2:0:1:0:1:-1:0:25:1:0:0:1:0:0:0:0\n");
    let asked = replay.asks.last().map(|(_, ask)| ask);
    assert!(matches!(asked, Some(Ask::Offer(_))), "{asked:?}");
    // Said again as the answer to a board that was asked for behind a fence it is true.
    replay.machine.tick(replay.now);
    for _ in 0..3 {
        replay.got(b"You are not playing.\n");
        assert_eq!(replay.machine.opponent(), Some("alice"));
        replay.got(b"Value of 'boardstyle' set to 3.\n");
    }
    replay.got(b"You are not playing.\n");
    assert_eq!(replay.machine.opponent(), None);
}

/// FIBS-28: a garbled line about a game that was won, and one that is not understood at all.
#[test]
fn issue_39_garbled_win_does_not_swallow_the_game() {
    let garbled: Vec<String> = rows("jibs053-garbled-win.log")
        .into_iter()
        .filter_map(|row| match row {
            Row::Got(_, bytes) => Some(String::from_utf8(bytes).unwrap().trim().to_owned()),
            Row::Sent(..) => None,
        })
        .filter(|line| line.contains("%1"))
        .collect();
    let [garbled] = garbled.as_slice() else {
        panic!("{garbled:?}")
    };
    let win = Message::WinsGame {
        by: By::Me,
        points: 2,
    };
    assert_eq!(name_line(garbled), [win]);
    // What a player called `win` says is talk.
    for talk in [12, 13, 14, 15, 16, 19] {
        let named = name_line(&format!("{talk} win the game and get %1 points"));
        let win = |message: &Message| matches!(message, Message::WinsGame { .. });
        assert!(!named.iter().any(win), "{named:?}");
    }
    for line in [
        garbled.as_str(),
        "16 win the game and get %1 points. Congratulation!",
        "",
    ] {
        let mut replay = Replay::new("gbot", 1500.0);
        replay.got(
            b"** You are now playing a 5 point match with gbotb\nStarting a new game with gbotb.\n",
        );
        let board = |mine: u32, points: &str, turn: i32, dice: &str, off: u32| {
            format!(
                "board:You:gbotb:5:{mine}:0:0:{points}:{turn}:{dice}:1:1:1:0:1:-1:0:25:{off}:0:0:0:0:2:0:0\n"
            )
        };
        // The bot bears off its last two; the opponent has all of his.
        let last = "2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0:0:0:0:0:0";
        let over = "0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-15:0:0:0:0:0:0";
        replay.got(board(0, last, 1, "5:2:0:0", 13).as_bytes());
        replay.plays("1-off 1-off");
        replay.got(format!("{line}\n{}", board(2, over, 1, "0:0:0:0", 15)).as_bytes());
        replay.got(b"Type 'join' if you want to play the next game, type 'leave\" if you don't.\n");
        assert_eq!(replay.count("join"), 1, "{line}: {:?}", replay.sent);
        let start = "-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0";
        replay.got(b"Starting a new game with gbotb.\nYou rolled 4, gbotb rolled 1\n");
        replay.got(board(2, start, 1, "4:1:0:0", 0).as_bytes());
        let record = replay.record();
        let results: Vec<_> = record.games.iter().map(|game| game.result).collect();
        assert_eq!(
            results,
            [Some((MatPlayer::First, 2)), None],
            "{line}: {record:?}"
        );
        let scores: Vec<_> = record.games.iter().map(|game| game.scores).collect();
        assert_eq!(scores, [[0, 0], [2, 0]], "{line}: {record:?}");
    }
}

/// Plays whole matches on a server with this habit.
fn with_habit(style: Style, faults: Faults, seen: fn(&Seen) -> u32) -> Vec<MatchRecord> {
    let mut times = 0;
    let mut records = Vec::new();
    for seed in 900..908 {
        let plan = [Some(3), Some(1), Some(2)];
        let mut world = World::new(Server::new(style, faults, &plan, seed), seed);
        let what = format!("{style:?} {faults:?} seed {seed}");
        world.play(plan.len(), &what);
        world.check(&what);
        times += seen(&world.server.seen);
        records.append(&mut world.records);
    }
    assert!(times > 0, "{style:?} {faults:?}: never seen");
    records
}

/// FIBS-18: `who` lines that stay wrong after a broken link.
#[test]
fn server_lists_the_opponent_as_playing() {
    let faults = Faults {
        logout: 40,
        stale_who: true,
        ..Faults::default()
    };
    for style in STYLES {
        with_habit(style, faults, |seen| seen.logouts);
    }
}

/// FIBS-18: refusals without names.
#[test]
fn server_garbles_its_refusals() {
    let faults = Faults {
        logout: 12,
        garbled_refusals: true,
        ..Faults::default()
    };
    with_habit(Style::Jibs055, faults, |seen| seen.asked_in_vain);
}

/// FIBS-20: matches that begin with their first game: every one is recorded, play by play.
#[test]
fn server_announces_no_match() {
    let faults = Faults {
        unannounced: true,
        ..Faults::default()
    };
    for style in [Style::Jibs053, Style::Jibs055] {
        for record in with_habit(style, faults, |seen| seen.begun) {
            assert_eq!(record.gaps, 0, "{record:?}");
            let resigned = |play: &MatAction| !matches!(play, MatAction::Play { .. });
            for game in &record.games {
                let plays = game.actions.iter().filter(|(_, play)| !resigned(play));
                // The bot of these tests resigns by whim, also in its first turn.
                let lost = matches!(game.result, Some((MatPlayer::Second, _)));
                assert!(plays.count() > 0 || lost, "{record:?}");
            }
        }
    }
}

/// FIBS-17: `You are not playing.` as the answer to `board` now and then.
#[test]
fn server_denies_the_match() {
    let faults = Faults {
        denies_board: 4,
        ..Faults::default()
    };
    with_habit(Style::BaldLies, faults, |seen| seen.denied_boards);
}

/// FIBS-28: garbled lines about games that the bot has won.
#[test]
fn server_garbles_wins() {
    let faults = Faults {
        garbled_win: 1,
        ..Faults::default()
    };
    for record in with_habit(Style::Jibs053, faults, |seen| seen.garbled_wins) {
        assert_eq!(record.gaps, 0, "{record:?}");
        let mut scores = [0, 0];
        for game in &record.games {
            assert_eq!(game.scores, scores, "{record:?}");
            let (winner, points) = game.result.unwrap();
            scores[usize::from(winner == MatPlayer::Second)] += points;
        }
        assert_eq!(scores, record.scores, "{record:?}");
    }
}

/// FIBS-16: a server that neither rolls nor prompts in the Crawford game is waited for once.
#[test]
fn server_waits_for_rolls_in_crawford_games() {
    let mut rolls = 0;
    for seed in 910..920 {
        let plan = [Some(3), Some(3)];
        let server = Server::new(Style::BaldLies, Faults::default(), &plan, seed);
        let mut world = World::new(server, seed);
        world.play(plan.len(), "Crawford");
        world.check("Crawford");
        rolls += world.server.seen.crawford_rolls;
        let commands = world.server.commands.windows(3);
        let waited = commands.filter(|window| *window == ["set boardstyle 3", "board", "roll"]);
        assert!(waited.count() <= 1, "{:?}", world.server.commands);
    }
    assert!(rolls > 20, "{rolls} rolls");
}

/// FIBS-27: asked to stop while the server is dead, the bot ends within five minutes, whenever its
/// link broke and whatever it waits for.
#[test]
fn stop_with_a_dead_server_ends_in_time() {
    let timing = Timing::default();
    for (what, turn, dice) in [("our turn", 1, "3:1:0:0"), ("his turn", -1, "0:0:0:0")] {
        for asked_after in [0, 50_000, 200_000] {
            let mut replay = Replay::new("tester", 1500.0);
            replay.got(b"** You are now playing a 3 point match with alice\nStarting a new game with alice.\n");
            let board = format!(
                "board:You:alice:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:{turn}:{dice}:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0\n"
            );
            replay.got(board.as_bytes());
            // Nothing comes any more.
            let asked = replay.now + asked_after;
            replay.wait_until(asked);
            replay.machine.stop(false, asked);
            let mut online = true;
            while replay.machine.stop_waits(replay.now) {
                let at = replay.now + 250;
                replay.now = at;
                if online {
                    replay.machine.tick(at);
                }
                while let Some(output) = replay.machine.poll(at) {
                    if let Output::Reconnect(_) = output {
                        // And no connection is accepted.
                        online = false;
                        replay.machine.disconnected(at);
                    }
                }
                if let Some(deadline) = replay.machine.stop_deadline() {
                    assert!(deadline <= asked + timing.hidden_ms, "{what}");
                }
            }
            let took = replay.now - asked;
            assert!(took <= timing.hidden_ms + 250, "{what}: {took} ms");
        }
    }
}
