//! The bgammon bot: recorded sessions, whole matches against the server of `server.rs` in simulated time, and the program.

use crate::support::shared;
use gammond_base::rng::{ChaCha8Rng, below, stream};
use gammond_bots::bgammon::{
    Ask, BgammonAnswer, BgammonMachine, BgammonOutput, BgammonTiming, Ended, MatchOffer,
};
use gammond_game::notation::{MatchFile, position_after};
use gammond_game::{Play, Step, find_play, legal_plays};
use serde_json::Value;
use server::{Faults, Server};
use std::path::Path;

mod rules;
mod server;

/// A match in simulated time.
struct World {
    server: Server,
    machine: BgammonMachine,
    random: ChaCha8Rng,
    now: u64,
    ended: Vec<Ended>,
    /// Longest time between two events of the bot, in milliseconds.
    reconnects: u32,
    quit: bool,
}

impl World {
    fn new(seed: u64, length: u32, matches: u64, faults: Faults) -> World {
        let terms = MatchOffer::new(length, "a test", None).unwrap();
        let machine = BgammonMachine::new(terms, BgammonTiming::default());
        World {
            server: Server::new(seed, faults),
            machine: machine.with_matches(Some(matches)),
            random: stream(seed, 8),
            now: 0,
            ended: Vec::new(),
            reconnects: 0,
            quit: false,
        }
    }

    fn answer(&mut self, ask: &Ask) -> BgammonAnswer {
        match ask {
            Ask::Play { query, mine } => {
                assert!((1..=3).contains(mine));
                let plays = legal_plays(&query.position, query.roll);
                let count = u32::try_from(plays.len()).unwrap();
                match count {
                    0 => BgammonAnswer::Play(Play::PASS),
                    _ => BgammonAnswer::Play(plays[below(&mut self.random, count) as usize].play),
                }
            }
            Ask::RollOrDouble { .. } => match below(&mut self.random, 100) {
                0..8 => BgammonAnswer::Double,
                8 => BgammonAnswer::Resign,
                _ => BgammonAnswer::Roll,
            },
            Ask::Offer { .. } => match below(&mut self.random, 3) {
                0 => BgammonAnswer::Pass,
                _ => BgammonAnswer::Take,
            },
        }
    }

    /// The connection is lost, and another one made a second later.
    fn reconnect(&mut self) {
        self.reconnects += 1;
        self.machine.disconnected();
        self.outputs();
        self.now += 1000;
        self.server.connect();
        self.machine.connected(self.now);
    }

    fn outputs(&mut self) {
        while let Some(output) = self.machine.poll(self.now) {
            match output {
                BgammonOutput::Login => self.server.command("loginjson test/en BOT_tester"),
                BgammonOutput::Send(line) => {
                    assert!(!line.contains(['\n', '\r']), "{line:?}");
                    self.server.command(&line);
                }
                BgammonOutput::Decide(id, ask) => {
                    let answer = self.answer(&ask);
                    self.now += 20;
                    self.machine.answer(id, answer, self.now);
                }
                BgammonOutput::Ended(ended) => self.ended.push(*ended),
                BgammonOutput::Quit => self.quit = true,
                BgammonOutput::Reconnect(_) => self.server.cut = true,
                BgammonOutput::LoggedIn(name) => assert_eq!(name, "BOT_tester"),
                BgammonOutput::Started(name) => assert_eq!(name, "joe"),
                BgammonOutput::Notice(_) | BgammonOutput::Unreadable(_) => {}
            }
        }
    }

    fn run(&mut self) {
        self.server.connect();
        self.machine.connected(self.now);
        let mut quiet = 0;
        while !self.quit {
            self.outputs();
            if self.quit {
                break;
            }
            let events = std::mem::take(&mut self.server.out);
            if !events.is_empty() {
                quiet = 0;
                let text: String = events.iter().flat_map(|line| [line, "\n"]).collect();
                // In pieces of any size.
                let mut bytes = text.as_bytes();
                while !bytes.is_empty() {
                    let size = 1 + below(&mut self.random, 4000) as usize;
                    let (piece, rest) = bytes.split_at(size.min(bytes.len()));
                    self.machine.bytes(piece, self.now);
                    bytes = rest;
                }
                self.now += 5;
            } else if self.server.cut {
                self.reconnect();
            } else {
                quiet += 1;
                assert!(quiet < 100, "nothing happens at {}", self.now);
                let wake = self.machine.wake().max(self.now + 1);
                // The opponent is back before the bot gives the match up.
                if wake > self.now + 600_000 {
                    self.now += 60_000;
                    self.server.idle();
                } else {
                    self.now = wake;
                }
                // The server's ping.
                self.server
                    .out
                    .push("{\"Type\":\"ping\",\"Message\":\"1795566649\"}".to_owned());
                self.machine.tick(self.now);
            }
        }
    }
}

/// The games of an ended match as a file that other programs read.
fn file(ended: &Ended) -> MatchFile {
    let text = ended.record.file(&ended.user, Vec::new()).to_string();
    MatchFile::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// BGM-46, BGM-60: matches of all lengths against a server without faults: no illegal command, the scores of both sides agree, and
/// every play of every game is in the file.
#[test]
fn matches_without_faults_are_played_and_recorded() {
    let mut cubes = [0; 3];
    for seed in 0..60 {
        let length = [1, 2, 3, 5, 7, 11][usize::try_from(seed % 6).unwrap()];
        let mut world = World::new(seed, length, 2, Faults::default());
        world.run();
        assert_eq!(world.server.illegal, Vec::<String>::new(), "seed {seed}");
        assert_eq!(world.server.left, 0);
        let scores: Vec<[u32; 2]> = world
            .ended
            .iter()
            .map(|ended| ended.record.scores)
            .collect();
        assert_eq!(scores, world.server.results, "seed {seed}");
        assert_eq!(scores.len(), 2);
        for ended in &world.ended {
            assert_eq!(ended.record.gaps, 0, "seed {seed}");
            assert_eq!(ended.record.notes, Vec::<String>::new(), "seed {seed}");
            let read = file(ended);
            assert_eq!(read.length, length);
            assert_eq!(read.games.len(), ended.record.games.len());
            assert!(read.games.iter().all(|game| game.result.is_some()));
        }
        for (sum, count) in cubes.iter_mut().zip(world.server.cubes) {
            *sum += count;
        }
    }
    assert!(cubes.iter().all(|&count| count > 20), "{cubes:?}");
}

/// BGM-35, BGM-50, BGM-51, BGM-61: refusals, absences, lost connections and noise cost no match, and no command is sent in a
/// loop.
#[test]
fn matches_with_faults_end_with_the_right_score() {
    let faults = Faults {
        cuts: 10,
        refusals: 20,
        repeats: 100,
        noise: 50,
        absences: 5,
    };
    let mut reconnects = 0;
    for seed in 100..140 {
        let mut world = World::new(seed, 5, 2, faults);
        world.run();
        assert_eq!(world.server.left, 0, "seed {seed}");
        assert_eq!(world.server.results.len(), 2, "seed {seed}");
        let scores: Vec<[u32; 2]> = world
            .ended
            .iter()
            .map(|ended| ended.record.scores)
            .collect();
        assert_eq!(scores, world.server.results, "seed {seed}");
        for ended in &world.ended {
            file(ended);
        }
        // A turn is at most six commands without faults.
        assert!(world.server.commands < 6000, "{}", world.server.commands);
        reconnects += world.reconnects;
    }
    assert!(reconnects > 40, "{reconnects}");
}

/// BGM-40: a bot creates matches and joins none; a request to stop waits for the end of the match, the second one does not.
#[test]
fn stop_waits_for_the_match() {
    let mut world = World::new(3, 3, 5, Faults::default());
    world.server.connect();
    world.machine.connected(0);
    for _ in 0..40 {
        world.outputs();
        let events = std::mem::take(&mut world.server.out);
        let text = events.join("\n") + "\n";
        world.machine.bytes(text.as_bytes(), world.now);
        world.now = world.machine.wake().max(world.now + 1);
        world.machine.tick(world.now);
    }
    assert_eq!(world.machine.opponent(), Some("joe"));
    world.machine.stop(world.now);
    world.outputs();
    assert!(!world.quit);
    world.machine.stop(world.now);
    world.outputs();
    assert!(world.quit);
    assert_eq!(world.server.left, 1);
    assert_eq!(world.server.illegal, Vec::<String>::new());
}

/// The events and commands of one client of a recorded session.
fn session(path: &Path) -> Vec<(char, String)> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter_map(|line| {
        let (_, rest) = line.trim_start().split_once(' ')?;
        let rest = rest.strip_prefix('A')?;
        let kind = rest.chars().next()?;
        Some((kind, rest.get(2..).unwrap_or_default().to_owned()))
    });
    lines.collect()
}

/// The steps that a `moved` event lists.
fn moved(event: &Value) -> Vec<Step> {
    let step = |pair: &Value| {
        let number = |index: usize| u8::try_from(pair[index].as_i64().unwrap()).unwrap();
        let from = if number(0) == 26 { 24 } else { number(0) - 1 };
        let to = if number(1) == 0 { 25 } else { number(1) - 1 };
        Step { from, to }
    };
    event["Moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(step)
        .collect()
}

/// A recorded session that a bot follows: the engine's answers are those of the recorded client.
struct Replay {
    lines: Vec<(char, String)>,
    machine: BgammonMachine,
    now: u64,
    ended: Vec<Ended>,
}

impl Replay {
    fn new(path: &Path) -> Replay {
        let timing = BgammonTiming {
            pace_ms: 0,
            ..BgammonTiming::default()
        };
        let mut machine = BgammonMachine::new(MatchOffer::default(), timing);
        machine.connected(0);
        Replay {
            lines: session(path),
            machine,
            now: 0,
            ended: Vec::new(),
        }
    }

    /// The word of the command that the client sent at once after this line, and the command.
    fn command_after(&self, at: usize) -> Option<(&str, &str)> {
        let (_, text) = self.lines.get(at + 1).filter(|(kind, _)| *kind == '>')?;
        Some((text.split(' ').next()?, text))
    }

    /// All steps of the client in the turn of this line.
    fn steps(&self, at: usize) -> Vec<Step> {
        let later = self.lines.iter().skip(at + 1);
        let events = later.filter(|(kind, _)| *kind == '<');
        events
            .map(|(_, text)| serde_json::from_str::<Value>(text).unwrap())
            .take_while(|event| {
                event["Type"] != "board" || event["Turn"] == 1 && event["Roll1"] != 0
            })
            .filter(|event| event["Type"] == "moved")
            .flat_map(|event| moved(&event))
            .collect()
    }

    /// The client's answer; `None` where it did something else first.
    fn answer(&self, at: usize, ask: &Ask) -> Option<BgammonAnswer> {
        let word = self.command_after(at).map(|(word, _)| word);
        Some(match (ask, word) {
            (Ask::Play { query, .. }, Some("move")) => {
                let play = Play::from_steps(&self.steps(at)).unwrap_or_default();
                let after = position_after(&query.position, query.roll, &play);
                let after = after.expect("the recorded play is legal");
                BgammonAnswer::Play(find_play(&query.position, query.roll, &after).unwrap())
            }
            (Ask::Play { .. }, _) => return None,
            (Ask::RollOrDouble { .. }, Some("double")) => BgammonAnswer::Double,
            (Ask::RollOrDouble { .. }, Some("resign")) => BgammonAnswer::Resign,
            (Ask::RollOrDouble { .. }, _) => BgammonAnswer::Roll,
            (Ask::Offer { .. }, Some("ok")) => BgammonAnswer::Take,
            (Ask::Offer { .. }, _) => BgammonAnswer::Pass,
        })
    }

    /// Passes an event to the bot. Returns the commands that it sends.
    fn event(&mut self, at: usize) -> Vec<String> {
        self.now += 1;
        let line = format!("{}\n", self.lines[at].1);
        self.machine.bytes(line.as_bytes(), self.now);
        let mut sent = Vec::new();
        while let Some(output) = self.machine.poll(self.now) {
            match output {
                BgammonOutput::Send(line) => sent.push(line),
                BgammonOutput::Ended(ended) => self.ended.push(*ended),
                BgammonOutput::Decide(id, ask) => {
                    if let Some(answer) = self.answer(at, &ask) {
                        self.machine.answer(id, answer, self.now);
                    }
                }
                _ => {}
            }
        }
        sent
    }
}

/// Real sessions: at each board the bot does what the recorded client did, and its record of the match has every play of both
/// players.
#[test]
fn recorded_sessions_are_followed() {
    for (name, scores, games) in [
        ("one-point", [0, 1], 1),
        ("four-points-crawford", [3, 4], 3),
    ] {
        let test = "recorded_sessions_are_followed";
        let Some(path) = shared(test, &format!("transcripts/bgammon/{name}.txt")) else {
            return;
        };
        let mut replay = Replay::new(&path);
        let mut compared = 0;
        for at in 0..replay.lines.len() {
            if replay.lines[at].0 != '<' {
                continue;
            }
            let sent = replay.event(at);
            let event = serde_json::from_str::<Value>(&replay.lines[at].1).unwrap_or_default();
            let begins = event["Type"] == "board" && event["Moves"] == serde_json::json!([]);
            let Some((word, wanted)) = replay.command_after(at).filter(|_| begins) else {
                continue;
            };
            if ["roll", "double", "move", "ok", "resign"].contains(&word) {
                let same = sent.iter().any(|line| line.split(' ').next() == Some(word));
                assert!(same, "{name} line {at}: sent {sent:?}, recorded {wanted}");
                compared += 1;
            }
        }
        let [whole] = replay.ended.as_slice() else {
            panic!("{name}: {} matches", replay.ended.len());
        };
        assert!(compared > 20, "{name}: {compared}");
        assert_eq!(whole.record.scores, scores, "{name}");
        assert_eq!(whole.record.gaps, 0, "{name}: {:?}", whole.record.notes);
        assert_eq!(whole.record.games.len(), games, "{name}");
        file(whole);
    }
}
