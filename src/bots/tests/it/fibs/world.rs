//! The bot's machine and the test server in simulated time.

use super::*;

pub(super) fn engine() -> Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    let build = || Engine::builder().threads(1).cache_mb(8).build().unwrap();
    ENGINE.get_or_init(build).clone()
}

/// The bot and the server, in simulated time.
pub(super) struct World {
    pub(super) server: Server,
    pub(super) machine: Machine,
    pub(super) chance: ChaCha8Rng,
    pub(super) now: u64,
    pub(super) online: bool,
    /// Bytes on their way to the bot.
    pub(super) wire: Vec<u8>,
    /// Cut the link after so many bytes of the server.
    pub(super) cut_after: Option<usize>,
    pub(super) received: usize,
    /// Split what arrives at random.
    pub(super) split: bool,
    /// What is on the wire is held back until then.
    pub(super) held_until: u64,
    pub(super) delays: u32,
    pub(super) quiet_since: u64,
    pub(super) records: Vec<MatchRecord>,
    pub(super) saved: u32,
    pub(super) fatal: Option<&'static str>,
    pub(super) quit: bool,
    /// The bot has been asked to stop.
    pub(super) stopping: bool,
    pub(super) decisions: u64,
    /// The longest that the engine thinks, in milliseconds.
    pub(super) think: u32,
    /// Since when a question is open, and how long answers took to be sent.
    asked: Option<u64>,
    pub(super) took: Vec<u64>,
    /// Tells on stderr what goes over the wire.
    trace: bool,
}

pub(super) fn policy() -> Policy {
    Policy {
        unlimited: true,
        unlimited_games: 2,
        saved_max: 50,
        drops_max: 10_000,
        ..Policy::default()
    }
}

impl World {
    pub(super) fn new(server: Server, seed: u64) -> World {
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
            delays: 0,
            quiet_since: 0,
            records: Vec::new(),
            saved: 0,
            fatal: None,
            quit: false,
            stopping: false,
            decisions: 0,
            think: 1500,
            asked: None,
            took: Vec::new(),
            trace: std::env::var_os("GAMMOND_FIBS_TRACE").is_some(),
        }
    }

    fn trace(&self, what: &str, text: &str) {
        if self.trace {
            eprintln!("{:>9} {what} {text}", self.now);
        }
    }

    pub(super) fn stop(&mut self, after_match: bool) {
        self.stopping = true;
        self.machine.stop(after_match, self.now);
    }

    /// Plays until the bot has stopped.
    pub(super) fn play_to_stop(&mut self, what: &str) {
        let start = self.now;
        while !self.quit {
            self.step();
            assert!(self.now < start + 36_000_000, "{what}: does not stop");
        }
    }

    pub(super) fn hang_up(&mut self) {
        self.trace("LOST", &String::from_utf8_lossy(&self.wire));
        self.online = false;
        self.wire.clear();
        self.server.disconnect();
        self.machine.disconnected(self.now);
    }

    /// One round: outputs, then bytes, then time.
    pub(super) fn step(&mut self) {
        if !self.online {
            // As the link: who is to stop connects only when there is something to wait for.
            if self.stopping && !self.machine.stop_waits(self.now) {
                while let Some(output) = self.machine.poll(self.now) {
                    if matches!(output, Output::Event(_)) {
                        self.output(output);
                    }
                }
                self.quit = true;
                return;
            }
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
                self.delays += 1;
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
            self.trace("got", &String::from_utf8_lossy(&part));
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

    pub(super) fn output(&mut self, output: Output) {
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
                self.trace("SEND", &line);
                let word = line.split(' ').next().unwrap_or_default();
                if ["move", "roll", "double", "accept", "reject", "resign"].contains(&word)
                    && let Some(asked) = self.asked.take()
                {
                    self.took.push(self.now - asked);
                }
                let bytes = self.server.line(&line);
                self.wire.extend(bytes);
            }
            Output::Decide(id, ask) => {
                self.decisions += 1;
                // The engine takes its time; the server may say something meanwhile.
                self.asked = Some(self.now);
                self.now += u64::from(below(&mut self.chance, self.think));
                let reply = decide(&ask, &mut self.chance);
                self.machine.answer(id, reply, self.now);
            }
            Output::Event(event) => match *event {
                Event::MatchFinished(record) => {
                    let told = (record.scores, record.outcome, record.unseen, record.gaps);
                    self.trace("FINISHED", &format!("{told:?} {:?}", self.server.results));
                    self.records.push(*record);
                }
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
    pub(super) fn play(&mut self, matches: usize, what: &str) {
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
    pub(super) fn check(&self, what: &str) {
        assert!(
            self.server.refusals.is_empty(),
            "{what}: {:?}",
            self.server.refusals
        );
        assert_eq!(
            self.server.seen.destroyed, 0,
            "{what}: a saved match is gone"
        );
        for (record, result) in self.records.iter().zip(&self.server.results) {
            assert_eq!(record.opponent, result.opponent, "{what}");
            assert_eq!(record.length, result.length, "{what}");
            let won = result.scores[0] > result.scores[1];
            match record.outcome {
                Some(MatchEnd::Unknown) => assert!(record.unseen, "{what}"),
                Some(MatchEnd::Left) => assert!(record.length.is_none(), "{what}"),
                outcome => assert_eq!(outcome == Some(MatchEnd::Won), won, "{what}"),
            }
            if !record.unseen {
                assert_eq!(record.scores, result.scores, "{what}: {record:?}");
            }
        }
        assert!(self.records.len() <= self.server.results.len(), "{what}");
        for record in &self.records {
            let text = record.file("tester", vec![" a match".into()]).to_string();
            let read = MatchFile::parse(text.as_bytes());
            let read = read.unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
            let told = record.games.iter();
            let told = told.filter(|game| !game.actions.is_empty() || game.result.is_some());
            assert_eq!(read.games.len(), told.count(), "{what}");
            // Without plays are games that were resigned at once, and those with gaps.
            let empty = record.games.iter().filter(|game| game.actions.is_empty());
            let resigned: u32 = self.server.seen.bot_resigns.iter().sum();
            assert!(
                record.gaps > 0 || empty.count() <= resigned as usize,
                "{what}"
            );
        }
    }
}

/// The engine's answers, with a little recklessness so that all kinds of offers happen.
pub(super) fn decide(ask: &Ask, chance: &mut ChaCha8Rng) -> Answer {
    let reckless = below(chance, 40) == 0;
    match ask {
        Ask::RollOrDouble { .. } if reckless => Answer::Double,
        Ask::Play { resign: true, .. } if below(chance, 120) == 0 => {
            Answer::Resign(1 + below(chance, 3) as u8)
        }
        ask => answer(&engine(), ask, &Settings::plies(0), &Stop::never()).unwrap(),
    }
}

pub(super) const PLAN: [Option<u32>; 10] = [
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

pub(super) const STYLES: [Style; 4] =
    [Style::Fibs, Style::BaldLies, Style::Jibs053, Style::Jibs055];

pub(super) fn matches(count: usize, faults: Faults, seed: u64) -> Vec<World> {
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
