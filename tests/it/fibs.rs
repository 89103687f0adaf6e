//! The FIBS bot: recorded transcripts, and whole matches against the server of `fibs_server`.
//!
//! Matches are played in simulated time: the machine gets its bytes and its clock from the test,
//! so a night of play takes seconds and a seed repeats it. `GAMMOND_FIBS_MATCHES` plays more of
//! them, `GAMMOND_FIBS_SOAK_MINUTES` plays for so long with all faults on (`tools/fibs-soak.sh`).

use crate::fibs_server::{Faults, Result, Server, Style};
use crate::support::{lines, shared};
use gammond::engine::Engine;
use gammond::game::Roll;
use gammond::notation::{Dialect, MatchFile};
use gammond::protocol::fibs::{
    Answer, Ask, Event, LineReader, Machine, MatchRecord, Message, Outcome, Output, Piece, Policy,
    Timing, name_line,
};
use gammond::query::{Settings, Stop};
use gammond::rng::{ChaCha8Rng, below, stream};
use gammond::service::fibs_link::{FibsConfig, Secret, answer, play};
use std::sync::OnceLock;

const TRANSCRIPTS: [&str; 10] = [
    "baldlies_matches_3pt",
    "baldlies_scenario",
    "baldlies_tap_faults",
    "baldlies_telnet_vs_clip",
    "jibs053_match_doubles",
    "jibs053_scenario",
    "jibs055_match_doubles",
    "jibs055_matches_3pt",
    "jibs055_scenario",
    "lines_known_to_gibbon",
];

fn engine() -> Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let build = || Engine::builder().threads(1).cache_mb(8).build().unwrap();
    ENGINE.get_or_init(build).clone()
}

/// The bytes of a row's text with its backslash escapes.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'r') => bytes.push(b'\r'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'x') => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = String::from_utf8(digits).unwrap();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap());
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    bytes
}

/// What each client of a transcript received.
fn received(path: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut clients: Vec<(String, Vec<u8>)> = Vec::new();
    for row in lines(path) {
        if row.starts_with('#') {
            continue;
        }
        let (client, text) = if let Some(text) = row.strip_prefix("S< ") {
            ("all".to_owned(), format!("{text}\\r\\n"))
        } else if let Some((head, text)) = row.split_once(" S< ") {
            (head.trim().to_owned(), text.to_owned())
        } else if let Some((head, text)) = row.split_once(" < ") {
            let client = head.split_whitespace().last().unwrap_or_default();
            (client.to_owned(), text.to_owned())
        } else {
            continue;
        };
        let bytes = unescape(&text);
        match clients.iter_mut().find(|(name, _)| *name == client) {
            Some((_, all)) => all.extend(bytes),
            None => clients.push((client, bytes)),
        }
    }
    clients
}

fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    LineReader::default().push(bytes, &mut pieces);
    pieces
}

/// FIBS-06, FIBS-08, FIBS-09: each board of each transcript is read; what is not known is counted.
#[test]
fn transcripts_are_understood() {
    let test = "transcripts_are_understood";
    let (mut total, mut unknown, mut boards) = (0, Vec::new(), 0);
    for name in TRANSCRIPTS {
        let Some(path) = shared(test, &format!("transcripts/fibs/{name}.txt")) else {
            return;
        };
        for (_, bytes) in received(&path) {
            let (mut motd, mut online) = (false, false);
            for piece in pieces(&bytes) {
                let Piece::Line(line) = piece else {
                    online = false;
                    continue;
                };
                if !line.contains("board:") && (motd || !online) {
                    // Banners and messages of the day say what they like.
                    online |= line.starts_with("1 ") || name.starts_with("lines");
                    motd &= line != "4";
                    continue;
                }
                motd |= line == "3";
                let named = name_line(&line);
                total += 1;
                for message in named {
                    match message {
                        Message::Board(board) => {
                            boards += 1;
                            if board.turn != 0 {
                                let view = board.view(Dialect::Fibs);
                                assert!(view.is_ok(), "{name}: {line}: {view:?}");
                            }
                        }
                        Message::BadBoard(error) => panic!("{name}: {line}: {error}"),
                        Message::Unknown => unknown.push(line.clone()),
                        _ => {}
                    }
                }
            }
        }
    }
    unknown.sort();
    unknown.dedup();
    eprintln!(
        "{total} lines, {boards} boards, {} unknown: {unknown:#?}",
        unknown.len()
    );
    assert!(boards > 1000, "{boards} boards");
    // Two rolls in one line, seen by watchers, and the banner after a refused login.
    assert!(unknown.len() < 12, "{unknown:#?}");
}

/// FIBS-12: the boards captured on fibs.com, field by field against the text.
#[test]
fn fibs_com_boards() {
    let Some(path) = shared(
        "fibs_com_boards",
        "transcripts/fibs/fibs_com_boards_csells.txt",
    ) else {
        return;
    };
    let mut count = 0;
    for text in lines(&path)
        .iter()
        .filter(|line| line.starts_with("board:"))
    {
        count += 1;
        let words: Vec<&str> = text.split(':').collect();
        let number = |at: usize| words[at].parse::<i32>().unwrap();
        let named = name_line(text);
        let [Message::Board(board)] = named.as_slice() else {
            panic!("{text}")
        };
        assert_eq!(board.to_string(), *text);
        if number(32) == 0 {
            continue;
        }
        let view = board.view(Dialect::Fibs).unwrap();
        // Read once more, by the rules of the specification, for the player named first.
        let (colour, direction) = (number(41), number(42));
        let mine = number(32) == colour;
        let side = |me: bool| {
            let sign = if me { colour } else { -colour };
            let down = (direction == -1) == me;
            let mut counts = [0_u8; 25];
            for point in 1..=24_usize {
                let place = if down { point } else { 25 - point };
                counts[point - 1] = u8::try_from((sign * number(6 + place)).max(0)).unwrap();
            }
            counts[24] = u8::try_from(number(if me { 47 } else { 48 })).unwrap();
            counts
        };
        let (me, other) = (side(mine), side(!mine));
        assert_eq!(view.position.me().counts(), me, "{text}");
        assert_eq!(view.position.opponent().counts(), other, "{text}");
        let at = if mine { 33 } else { 35 };
        let roll = Roll::new(number(at) as u8, number(at + 1) as u8).ok();
        assert_eq!(view.roll, roll, "{text}");
        assert_eq!(view.state.cube.value(), number(37) as u32);
        let scores = if mine { [4, 5] } else { [5, 4] };
        let score = view.state.score;
        if !score.is_money() {
            assert_eq!(
                [score.me(), score.opponent()],
                scores.map(|at| number(at) as u32)
            );
        }
    }
    assert_eq!(count, 156);
}

/// FIBS-02: the same messages whatever the chunks, on recorded bytes.
#[test]
fn any_chunking_of_a_transcript_is_the_same() {
    let test = "any_chunking_of_a_transcript_is_the_same";
    let Some(path) = shared(test, "transcripts/fibs/jibs055_scenario.txt") else {
        return;
    };
    for (_, bytes) in received(&path) {
        let whole = pieces(&bytes);
        for seed in 0..20 {
            let mut chance = stream(seed, 0);
            let (mut reader, mut parts) = (LineReader::default(), Vec::new());
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let cut = (1 + below(&mut chance, 40) as usize).min(rest.len());
                reader.push(&rest[..cut], &mut parts);
                rest = &rest[cut..];
            }
            assert_eq!(parts, whole);
        }
    }
}

/// FIBS-05, FIBS-06, FIBS-07: what servers glue together comes apart.
#[test]
fn glued_lines_come_apart() {
    let board = "board:You:bobby:3:0:1:-2:-1:0:2:-1:0:4:1:2:0:0:0:-5:4:0:0:0:0:-1:-5:0:0:0:1:1:0:-1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:2:0:0:0:0";
    let who = "5 someplayer - - 0 0 1418.61 23 1914 1041272421 192.168.40.3 MacFIBS someplayer@somewhere.com";
    let named = name_line(&format!("{board}{who}"));
    assert!(
        matches!(named.as_slice(), [Message::Board(line), Message::Who(who)]
        if line.to_string() == board && who.name == "someplayer" && who.experience == 23)
    );
    let named = name_line(&format!("> > {board}You roll 3 and 1."));
    assert!(matches!(
        named.as_slice(),
        [
            Message::Board(_),
            Message::Rolls {
                me: true,
                dice: [3, 1]
            }
        ]
    ));
    let named = name_line("bobby accepts the double.  The cube shows 2.You roll 3 and 1.");
    assert!(matches!(
        named.as_slice(),
        [Message::Takes { me: false }, Message::Rolls { .. }]
    ));
    let named = name_line(
        "You win the game and get 1 point. Congratulations!Score is 1-0 in a 3 point match.",
    );
    assert_eq!(
        named,
        [
            Message::WinsGame {
                me: true,
                points: 1
            },
            Message::Noise
        ]
    );
    // FIBS-04: what people say is no protocol.
    for text in ["12 joe ", "13 joe ", "15 joe "] {
        assert!(matches!(
            name_line(&format!("{text}{board}")).as_slice(),
            [Message::Said { .. }]
        ));
    }
}

/// FIBS-08: Jibs 0.55 doubles its apostrophes and leaves dots away.
#[test]
fn words_of_jibs_055() {
    assert_eq!(
        name_line("It''s your turn. Please roll or double"),
        [Message::RollOrDouble]
    );
    assert_eq!(name_line("It''s your turn to move."), [Message::PleaseMove]);
    assert_eq!(
        name_line("You can''t move."),
        [Message::CannotMove { me: true }]
    );
}

/// FIBS-08: Jibs 0.5.3 runs sentences together and mixes its quotes.
#[test]
fn words_of_jibs_053() {
    assert_eq!(
        name_line("jack accepts the double.The cube shows 2."),
        [Message::Takes { me: false }]
    );
    let join = "Type 'join' if you want to play the next game, type 'leave\" if you don't.";
    assert_eq!(name_line(join), [Message::JoinNext]);
    let won = Message::WinsGame {
        me: true,
        points: 2,
    };
    assert_eq!(
        name_line("You win the game and get 2 points. Congratulation!"),
        [won]
    );
}

/// FIBS-08: BaldLies has commands that it does not know.
#[test]
fn words_of_baldlies() {
    assert_eq!(
        name_line("The command `kibitz' is not yet implemented."),
        [Message::Noise]
    );
    assert_eq!(
        name_line("dora moves 6-home 5-home ."),
        [Message::Moves("6-home 5-home".into())]
    );
    let row = name_line(" *alice                   3                0 -  0");
    let length = Some(3);
    assert_eq!(
        row,
        [Message::SavedMatch {
            name: "alice".into(),
            length
        }]
    );
}

/// The bot and the server, in simulated time.
struct World {
    server: Server,
    machine: Machine,
    chance: ChaCha8Rng,
    now: u64,
    online: bool,
    /// Bytes on their way to the bot.
    wire: Vec<u8>,
    /// Cut the link after so many bytes of the server.
    cut_after: Option<usize>,
    received: usize,
    /// Split what arrives at random.
    split: bool,
    /// What is on the wire is held back until then.
    held_until: u64,
    quiet_since: u64,
    records: Vec<MatchRecord>,
    saved: u32,
    fatal: Option<&'static str>,
    quit: bool,
    decisions: u64,
}

fn policy() -> Policy {
    Policy {
        unlimited: true,
        unlimited_games: 2,
        saved_max: 50,
        drops_max: 10_000,
        ..Policy::default()
    }
}

impl World {
    fn new(server: Server, seed: u64) -> World {
        let machine = Machine::new(&server.name, policy(), Timing::default());
        World {
            server,
            machine,
            chance: stream(seed, 2),
            now: 0,
            online: false,
            wire: Vec::new(),
            cut_after: None,
            received: 0,
            split: true,
            held_until: 0,
            quiet_since: 0,
            records: Vec::new(),
            saved: 0,
            fatal: None,
            quit: false,
            decisions: 0,
        }
    }

    fn hang_up(&mut self) {
        self.online = false;
        self.wire.clear();
        self.server.disconnect();
        self.machine.disconnected(self.now);
    }

    /// One round: outputs, then bytes, then time.
    fn step(&mut self) {
        if !self.online {
            self.now += 1000;
            self.online = true;
            self.machine.connected(self.now);
            self.wire = self.server.connect();
        }
        while let Some(output) = self.machine.poll(self.now) {
            self.output(output);
            if !self.online {
                return;
            }
        }
        if !self.wire.is_empty() && self.now >= self.held_until {
            let delay = self.server.faults.delay;
            if self.server.one_in(delay) {
                self.held_until = self.now + u64::from(below(&mut self.chance, 15_000));
                return;
            }
            self.quiet_since = self.now;
            let all = self.wire.len();
            let mut count = if self.split {
                1 + below(&mut self.chance, 300) as usize
            } else {
                all
            };
            count = count.min(all);
            let cut = self
                .cut_after
                .map(|after| after.saturating_sub(self.received));
            if cut.is_some_and(|cut| cut <= count) {
                count = cut.unwrap_or(0);
            }
            let part: Vec<u8> = self.wire.drain(..count).collect();
            self.received += count;
            self.machine.bytes(&part, self.now);
            if cut == Some(count) {
                self.cut_after = None;
                self.hang_up();
            }
            return;
        }
        if self.server.closed && self.wire.is_empty() {
            self.hang_up();
            return;
        }
        self.now = self.machine.wake(self.now);
        self.machine.tick(self.now);
        if self.now > self.quiet_since + 5000 && self.wire.is_empty() {
            self.quiet_since = self.now;
            self.wire = self.server.idle();
        }
    }

    fn output(&mut self, output: Output) {
        match output {
            Output::Login => {
                let line = format!(
                    "login gammond 1008 {} {}",
                    self.server.name, self.server.password
                );
                let bytes = self.server.line(&line);
                self.wire.extend(bytes);
            }
            Output::Send(line) => {
                let bytes = self.server.line(&line);
                self.wire.extend(bytes);
            }
            Output::Decide(id, ask) => {
                self.decisions += 1;
                // The engine takes its time; the server may say something meanwhile.
                self.now += u64::from(below(&mut self.chance, 1500));
                let reply = decide(&ask, &mut self.chance);
                self.machine.answer(id, reply, self.now);
            }
            Output::Event(event) => match *event {
                Event::MatchFinished(record) => self.records.push(*record),
                Event::MatchSaved { .. } => self.saved += 1,
                _ => {}
            },
            Output::Reconnect(_) => self.hang_up(),
            Output::Fatal(reason) => {
                self.fatal = Some(reason);
                self.hang_up();
            }
            Output::Quit => {
                self.quit = true;
                self.hang_up();
            }
        }
    }

    /// Plays until so many matches are finished; a stall is a failure.
    fn play(&mut self, matches: usize, what: &str) {
        let mut last = (0, 0);
        while self.records.len() < matches {
            self.step();
            assert!(self.fatal.is_none(), "{what}: {:?}", self.fatal);
            if self.records.len() > last.0 {
                last = (self.records.len(), self.now);
            }
            // Ten hours for one match: the bot hangs.
            assert!(
                self.now < last.1 + 36_000_000,
                "{what}: stall in match {} at {}: {:?} {:?}",
                last.0,
                self.now,
                &self.server.commands[self.server.commands.len().saturating_sub(12)..],
                self.machine.counts(),
            );
        }
    }

    /// Every match of the server ended as the bot says.
    fn check(&self, what: &str) {
        assert!(
            self.server.refusals.is_empty(),
            "{what}: {:?}",
            self.server.refusals
        );
        let told: Vec<Result> = self.records.iter().map(result).collect();
        assert_eq!(told, self.server.results[..told.len()], "{what}");
        for record in &self.records {
            let won = record.scores[0] > record.scores[1];
            match record.length {
                Some(_) => assert_eq!(record.outcome == Some(Outcome::Won), won, "{what}"),
                None => assert_eq!(record.outcome, Some(Outcome::Left), "{what}"),
            }
            let text = record.file("tester", vec![" a match".into()]).to_string();
            let read = MatchFile::parse(text.as_bytes());
            let read = read.unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
            assert_eq!(read.games.len(), record.games.len(), "{what}");
            assert!(record.gaps > 0 || record.games.iter().all(|game| !game.actions.is_empty()));
        }
    }
}

fn result(record: &MatchRecord) -> Result {
    Result {
        opponent: record.opponent.clone(),
        length: record.length,
        scores: record.scores,
    }
}

/// The engine's answers, with a little recklessness so that all kinds of offers happen.
fn decide(ask: &Ask, chance: &mut ChaCha8Rng) -> Answer {
    let reckless = below(chance, 40) == 0;
    match ask {
        Ask::RollOrDouble { .. } if reckless => Answer::Double,
        Ask::Play { resign: true, .. } if reckless && below(chance, 10) == 0 => {
            Answer::Resign(1 + below(chance, 3) as u8)
        }
        ask => answer(&engine(), ask, &Settings::plies(0), &Stop::never()).unwrap(),
    }
}

const PLAN: [Option<u32>; 10] = [
    Some(1),
    Some(3),
    Some(5),
    None,
    Some(7),
    Some(1),
    Some(3),
    Some(3),
    None,
    Some(5),
];

const STYLES: [Style; 4] = [Style::Fibs, Style::BaldLies, Style::Jibs053, Style::Jibs055];

fn matches(count: usize, faults: Faults, seed: u64) -> Vec<World> {
    let per_style = count.div_ceil(STYLES.len());
    STYLES
        .iter()
        .zip(seed..)
        .map(|(&style, seed)| {
            let plan: Vec<_> = PLAN.iter().copied().cycle().take(per_style).collect();
            let mut world = World::new(Server::new(style, faults, &plan, seed), seed);
            world.play(per_style, &format!("{style:?} seed {seed}"));
            world.check(&format!("{style:?} seed {seed}"));
            world
        })
        .collect()
}

/// FIBS-12 to FIBS-16: whole matches of all lengths on four kinds of server, nothing refused, every
/// result right. 30 matches; `GAMMOND_FIBS_MATCHES` for more.
#[test]
fn whole_matches() {
    let wanted = std::env::var("GAMMOND_FIBS_MATCHES").ok();
    let count = wanted.map_or(30, |text| text.parse().unwrap());
    let faults = Faults {
        glue: 6,
        chatter: 10,
        repeat: 8,
        drop: 150,
        ..Faults::default()
    };
    let worlds = matches(count, faults, 100);
    let sum = |of: fn(&World) -> u32| worlds.iter().map(of).sum::<u32>();
    let decisions: u64 = worlds.iter().map(|world| world.decisions).sum();
    let seen: Vec<_> = worlds.iter().map(|world| world.server.seen).collect();
    eprintln!("{count} matches, {decisions} decisions: {seen:?}");
    assert!(sum(|world| world.server.seen.bot_doubles) > 0);
    assert!(sum(|world| world.server.seen.bot_takes) > 0);
    assert!(sum(|world| world.server.seen.bot_drops) > 0);
    assert!(sum(|world| world.server.seen.opponent_drops) > 0);
    assert!(sum(|world| world.server.seen.redoubles) > 0);
    assert!(sum(|world| world.server.seen.bot_resigns) > 0);
    assert!(sum(|world| world.server.seen.resigns_accepted) > 0);
    assert!(sum(|world| world.server.seen.crawford) > 0);
    assert!(sum(|world| world.server.seen.resumes) > 0);
    for games in 1..=3 {
        assert!(
            seen.iter().any(|seen| seen.resigns[games] > 0),
            "resignation of {games}"
        );
    }
}

/// FIBS-17: commands that the server loses, rolls that it forgets after a resume.
#[test]
fn a_server_that_loses_commands() {
    let faults = Faults {
        swallow: 12,
        chatter: 10,
        drop: 80,
        forget_roll: true,
        glue: 5,
        repeat: 5,
        ..Faults::default()
    };
    let worlds = matches(8, faults, 200);
    assert!(worlds.iter().any(|world| world.server.seen.swallowed > 0));
}

/// FIBS-15, FIBS-20: the link is cut after byte k of a match; the match ends, and never by a play
/// for an old board.
#[test]
fn the_link_is_cut_after_any_byte() {
    for style in [Style::Fibs, Style::Jibs055] {
        let server = |seed| Server::new(style, Faults::default(), &[Some(1)], seed);
        let mut whole = World::new(server(5), 5);
        whole.play(1, "whole");
        let bytes = whole.received;
        assert!(bytes > 3000);
        let every = std::env::var("GAMMOND_FIBS_CUT_EVERY").ok();
        let step = every.map_or(bytes / 40, |text| text.parse().unwrap());
        for cut in (60..bytes).step_by(step) {
            let mut world = World::new(server(5), 5);
            world.cut_after = Some(cut);
            let what = format!("{style:?} cut after {cut}");
            while world.server.results.is_empty() || world.server.busy() {
                world.step();
                assert!(
                    world.now < 36_000_000,
                    "{what}: stall: {:?}",
                    world.server.commands.last()
                );
            }
            for _ in 0..100 {
                world.step();
            }
            assert!(
                world.server.refusals.is_empty(),
                "{what}: {:?}",
                world.server.refusals
            );
            // When the cut is behind the last play nobody tells the bot how the match ended.
            match world.records.first() {
                Some(record) => assert_eq!(result(record), world.server.results[0], "{what}"),
                None => assert!(cut + 600 > bytes, "{what}: no record"),
            }
        }
    }
}

/// A long run with all faults and broken links; `tools/fibs-soak.sh` sets the minutes.
#[test]
fn soak() {
    let Some(minutes) = std::env::var_os("GAMMOND_FIBS_SOAK_MINUTES") else {
        return;
    };
    let minutes: u64 = minutes.to_str().unwrap().parse().unwrap();
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60 * minutes);
    let faults = Faults::ALL;
    let (mut played, mut lost, mut seed) = (0, 0, 1000);
    while std::time::Instant::now() < end {
        let mut world = World::new(
            Server::new(STYLES[seed as usize % 4], faults, &PLAN, seed),
            seed,
        );
        let what = format!("soak seed {seed}");
        for number in 1..=PLAN.len() {
            let cut = below(&mut world.chance, 20_000) as usize;
            world.cut_after = Some(world.received + cut);
            let start = world.now;
            while world.server.results.len() < number || world.server.busy() {
                world.step();
                assert!(
                    world.now < start + 36_000_000,
                    "{what}: stall in match {number}"
                );
            }
        }
        assert!(
            world.server.refusals.is_empty(),
            "{what}: {:?}",
            world.server.refusals
        );
        // Results that were on their way when the link broke are the only ones that may be missing.
        let told: Vec<Result> = world.records.iter().map(result).collect();
        let mut rest = world.server.results.iter();
        assert!(
            told.iter().all(|told| rest.any(|result| result == told)),
            "{what}"
        );
        lost += world.server.results.len() - told.len();
        played += PLAN.len();
        seed += 1;
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let memory = status
            .lines()
            .find(|line| line.starts_with("VmRSS"))
            .unwrap_or_default();
        eprintln!(
            "{played} matches ({lost} results never told), {} decisions here, {memory}",
            world.decisions
        );
    }
}

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
fn logged_in() -> (Server, Machine, u64) {
    let mut server = Server::new(Style::Fibs, Faults::default(), &[Some(3)], 7);
    let mut machine = Machine::new("tester", policy(), Timing::default());
    machine.connected(0);
    machine.bytes(&server.connect(), 0);
    let mut now = 0;
    for _ in 0..200 {
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
    (server, machine, now)
}

fn sent(machine: &mut Machine, now: u64, ms: u64) -> Vec<String> {
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

/// FIBS-24, FIBS-26: refusals and answers are polite, short and few.
#[test]
fn manners() {
    let (_, mut machine, now) = logged_in();
    for at in 0..20 {
        machine.bytes(b"carol wants to play a 99 point match with you.\r\n12 carol who are you?\r\n12 MissManners hello\r\n", now + at);
    }
    let lines = sent(&mut machine, now + 20, 60_000);
    let told = lines
        .iter()
        .filter(|line| line.starts_with("tell carol "))
        .count();
    assert_eq!(told, 3, "{lines:?}");
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
    for (after_match, seed) in [(true, 11), (false, 12)] {
        // A match that its first game does not decide.
        let plan = [Some(if after_match { 3 } else { 9 }), Some(3)];
        let mut world = World::new(
            Server::new(Style::Fibs, Faults::default(), &plan, seed),
            seed,
        );
        while world.server.seen.moves < 3 {
            world.step();
        }
        world.machine.stop(after_match, world.now);
        while !world.quit {
            world.step();
            assert!(world.now < 36_000_000, "does not stop");
        }
        assert_eq!(world.records.len(), usize::from(after_match));
        assert_eq!(
            world.server.commands.last().map(String::as_str),
            Some("bye")
        );
    }
}

/// FIBS-21, FIBS-22, FIBS-28 to FIBS-30: the real link over a real socket, with broken connections;
/// the password is nowhere in what the bot logs, writes or prints.
#[test]
fn over_a_socket() {
    let (log, logged) = log_to_memory();
    let folder = tempfile::tempdir().unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (done, finished) = tokio::sync::watch::channel(0_u32);
    let faults = Faults {
        glue: 5,
        chatter: 10,
        ..Faults::default()
    };
    let server = std::thread::spawn(move || serve(&listener, faults, &done));
    let mut config =
        FibsConfig::new(&address, "tester", Secret::new("s3cretW0rd\n").unwrap()).unwrap();
    config.policy = policy();
    config.timing = Timing {
        pace_ms: 0,
        warning_ms: 20,
        prompt_ms: 60,
        roll_ms: 80,
        resync_ms: 2000,
        rating_ms: 50,
        resume_ms: 300,
        ..Timing::default()
    };
    (config.pause_ms, config.backoff_ms) = (0, 5);
    config.state = Some(folder.path().join("state.json"));
    config.matches = Some(folder.path().join("matches"));
    let shown = format!("{config:?} {:?}", config.password);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    let limit = std::time::Duration::from_secs(300);
    let books = tracing::subscriber::with_default(log, || {
        runtime
            .block_on(async { tokio::time::timeout(limit, play(config, engine(), finished)).await })
    });
    let books = books.expect("the bot hangs").unwrap();
    let server = server.join().unwrap();
    assert!(server.refusals.is_empty(), "{:?}", server.refusals);
    assert_eq!(books.all.matches, 3);
    assert!(books.reconnects > 0);
    let mut text = shown + &logged();
    let files: Vec<_> = std::fs::read_dir(folder.path().join("matches"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(files.len(), 3);
    for file in files {
        let bytes = std::fs::read(&file).unwrap();
        MatchFile::parse(&bytes).unwrap();
        text += &String::from_utf8(bytes).unwrap();
    }
    let state = std::fs::read_to_string(folder.path().join("state.json")).unwrap();
    assert!(state.contains("alice"));
    text += &state;
    assert!(text.contains("logged in"), "nothing was logged");
    assert!(!text.contains("s3cretW0rd"), "the password leaks");
}

/// Serves three matches, cutting the first connections.
fn serve(
    listener: &std::net::TcpListener,
    faults: Faults,
    done: &tokio::sync::watch::Sender<u32>,
) -> Server {
    use std::io::{ErrorKind, Read, Write};
    let mut server = Server::new(Style::Fibs, faults, &[Some(1), Some(1), Some(3)], 42);
    for connection in 0.. {
        let (mut stream, _) = listener.accept().unwrap();
        stream.set_nodelay(true).unwrap();
        stream
            .set_read_timeout(Some(std::time::Duration::from_millis(40)))
            .unwrap();
        let _ = stream.write_all(&server.connect());
        let (mut text, mut buffer, mut written) = (Vec::new(), [0; 1000], 0);
        let limit = if connection < 4 {
            700 + 900 * connection
        } else {
            usize::MAX
        };
        loop {
            let mut out = Vec::new();
            match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => text.extend(&buffer[..count]),
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) =>
                {
                    out = server.idle();
                }
                Err(_) => break,
            }
            while let Some(end) = text.iter().position(|&byte| byte == b'\n') {
                let line: Vec<u8> = text.drain(..=end).collect();
                out.extend(server.line(&String::from_utf8(line).unwrap()));
            }
            written += out.len();
            if stream.write_all(&out).is_err() || written > limit || server.closed {
                break;
            }
            if server.results.len() == 3 && !server.busy() {
                done.send_modify(|count| *count = 1);
            }
        }
        let closed = server.closed;
        server.disconnect();
        if closed {
            break;
        }
    }
    server
}

/// A log of everything, in memory.
fn log_to_memory() -> (
    impl tracing::Subscriber + Send + Sync,
    impl FnOnce() -> String,
) {
    use std::sync::{Arc, Mutex};
    #[derive(Clone)]
    struct Sink(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let sink = Sink(Arc::default());
    let writer = sink.clone();
    let log = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_writer(move || writer.clone())
        .finish();
    let read = move || String::from_utf8_lossy(&sink.0.lock().unwrap()).into_owned();
    (log, read)
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
    let lines = sent(&mut machine, now, 6000);
    assert!(lines.iter().any(|line| line == "roll"), "{lines:?}");
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
