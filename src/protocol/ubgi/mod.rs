//! UBGI, the line protocol between duel runners and engines, generations 0.1 and 0.2.
//!
//! [`Ubgi`] is the machine of one session, without I/O: a line goes in, and out comes text, a question for the
//! engine, or the end of the session. Rules UBGI-01 to UBGI-25 of `protocol-specs/ubgi.md`.
//!
//! ```
//! use gammond_protocol::ubgi::{UbgiAction, Ubgi};
//! let mut machine = Ubgi::default();
//! assert_eq!(machine.line(b"isready"), UbgiAction::Say("readyok\n".into()));
//! assert_eq!(machine.line(b"position gnubgid 4HPwATDgc/ABMA"), UbgiAction::Silence);
//! assert_eq!(machine.line(b"go"), UbgiAction::Say("error bad_state missing.dice\n".into()));
//! ```

mod keys;
mod options;

use super::dialect::{self, About, Dialect, Inquiry, Reply};
use super::external::{Spelling, spell};
use super::request_error::RequestError;
use crate::{InquiryTask, TaskAnswer};
use gammond_base::lines::FramedLine;
use gammond_engine::query::{
    CubeAnswer, CubeQuery, EngineAnswer, MoveFilter, Options, PlayQuery, Question as Asked,
    RankedPlays, Settings,
};
use gammond_game::notation::{PositionId, Xgid};
use gammond_game::{Cube, CubeOwner, MatchState, Position, Roll, Rules, Score};
use keys::{KEYS, PLY_MAX};
use options::Values;

/// The action for a line; a failed [`UbgiAction::Rebuild`] must be answered with an `error` line.
pub type UbgiAction = super::dialect::LineAction<Question>;

/// A `go`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Question {
    /// Query for the cube decision, if requested.
    pub cube: Option<CubeQuery>,
    /// Query for the play, if requested.
    pub play: Option<PlayQuery>,
    /// Settings of the search.
    pub settings: Settings,
}

impl Question {
    /// Returns the line that answers: `bestmove`, `bestcube` or `bestturn`, with its LF (UBGI-22 to 24).
    #[must_use]
    pub fn reply(&self, cube: Option<&CubeAnswer>, plays: Option<&RankedPlays>) -> String {
        let cube = cube.map(|answer| if answer.double { "double" } else { "nodouble" });
        let play = plays.and_then(|ranking| {
            let best = ranking.plays.first()?;
            Some(
                match spell(&ranking.position, &best.play, Spelling::Words) {
                    text if text.is_empty() => "pass".to_owned(),
                    text => text,
                },
            )
        });
        match (cube, play) {
            (None, Some(play)) => format!("bestmove {play}\n"),
            (Some(cube), None) => format!("bestcube {cube}\n"),
            (Some(cube), Some(play)) => format!("bestturn cube={cube} move={play}\n"),
            (None, None) => "error bad_state internal\n".into(),
        }
    }
}

impl From<Question> for Inquiry {
    fn from(question: Question) -> Inquiry {
        let settings = Settings {
            top: Some(1),
            ..question.settings.clone()
        };
        let asked = match (question.cube.clone(), question.play.clone()) {
            (Some(cube), Some(play)) => Asked::Turn(cube, play),
            (Some(cube), None) => Asked::Cube(cube),
            (None, Some(play)) => Asked::Plays(play),
            (None, None) => return Inquiry::new(InquiryTask::About, settings, question),
        };
        let mut inquiry = Inquiry::new(asked, settings, question);
        inquiry.fallback_to_static = true;
        inquiry
    }
}

impl Reply for Question {
    fn write(
        &self,
        found: Result<&TaskAnswer, &RequestError>,
        _: &About<'_>,
        out: &mut Vec<u8>,
    ) -> bool {
        let text = match found {
            Ok(TaskAnswer::Engine(EngineAnswer::Plays(plays))) => self.reply(None, Some(plays)),
            Ok(TaskAnswer::Engine(EngineAnswer::Cube(cube))) => self.reply(Some(cube), None),
            Ok(TaskAnswer::Engine(EngineAnswer::Turn(cube, plays))) => {
                self.reply(Some(cube), Some(plays))
            }
            Ok(_) => self.reply(None, None),
            Err(error) => format!("error bad_state {}\n", error.code),
        };
        out.extend_from_slice(text.as_bytes());
        found.is_ok()
    }
}

/// The state of one session.
#[derive(Clone, Debug)]
pub struct Ubgi {
    options: Values,
    /// True if this client may change nets and threads.
    may_rebuild: bool,
    base: Settings,
    position: Option<Position>,
    roll: Option<Roll>,
    state: MatchState,
}

impl Default for Ubgi {
    fn default() -> Self {
        Ubgi::new(&Options::default(), "embedded", 1, false)
    }
}

/// Money without Jacoby: the rules of a duel that counts points (UBGI-16).
const STATE: MatchState = MatchState::money(Rules {
    jacoby: false,
    beavers: false,
});

type CommandResult = Result<UbgiAction, &'static str>;

impl Ubgi {
    /// Returns a session with these settings; `nets` and `threads` are those of the engine.
    #[must_use]
    pub fn new(set: &Options, nets: &str, threads: usize, may_rebuild: bool) -> Ubgi {
        let base = set.over(Settings {
            // An answer is one play (UBGI-12).
            filter: MoveFilter::AUTO,
            ..Settings::default()
        });
        Ubgi {
            options: Values::new(&base, nets, threads),
            may_rebuild,
            base,
            position: None,
            roll: None,
            state: STATE,
        }
    }

    /// Returns true if a connection that begins with this line speaks UBGI.
    #[must_use]
    pub fn begins_with(line: &[u8]) -> bool {
        line.trim_ascii() == b"ubgi"
    }

    /// Takes one line, with or without its LF.
    pub fn line(&mut self, line: &[u8]) -> UbgiAction {
        let Ok(text) = std::str::from_utf8(line) else {
            return UbgiAction::Say("error bad_command encoding\n".into());
        };
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let Some((&command, rest)) = words.split_first() else {
            return UbgiAction::Silence;
        };
        let reply = match command {
            "ubgi" => Ok(UbgiAction::Say(self.handshake())),
            "isready" => Ok(UbgiAction::Say("readyok\n".into())),
            "quit" => return UbgiAction::Close(String::new()),
            "stop" => Ok(UbgiAction::Silence),
            "newgame" => {
                let state = STATE.with_variant(self.state.variant);
                (self.position, self.roll, self.state) = (None, None, state);
                self.options.games += 1;
                Ok(UbgiAction::Silence)
            }
            "keys" => Ok(UbgiAction::Say(self.keys())),
            "get" => self.get(rest),
            "set" => self.set(rest),
            "setoption" => self.setoption(rest),
            "position" => self.position(rest),
            "dice" => self.dice(rest),
            "newsession" => self.newsession(rest),
            "setscore" => self.setscore(rest),
            "setcube" => self.setcube(rest),
            "setturn" => match rest {
                ["p0" | "p1"] => Ok(UbgiAction::Silence),
                _ => Err("bad_value setturn"),
            },
            "go" => self.go(rest),
            _ => Err("bad_command unknown"),
        };
        reply.unwrap_or_else(|error| UbgiAction::Say(format!("error {error}\n")))
    }

    fn handshake(&self) -> String {
        let mut text = format!(
            "id name gammond\nid author gammond contributors\nid version {}\nproto 0.2\n",
            env!("CARGO_PKG_VERSION")
        );
        text += &self.keys();
        for key in KEYS.iter().filter(|key| self.may_rebuild || !key.engine) {
            text += &key.old_declaration(&self.value(key.name));
        }
        text + "ubgiok\n"
    }

    fn keys(&self) -> String {
        let offered = KEYS.iter().filter(|key| self.may_rebuild || !key.engine);
        offered
            .map(|key| key.declaration(&self.value(key.name)))
            .collect()
    }

    fn value(&self, name: &str) -> String {
        self.options.value(name, &self.state)
    }

    fn get(&self, words: &[&str]) -> CommandResult {
        let [name] = words else {
            return Err("bad_command get");
        };
        let key = keys::Key::named(name).ok_or("unsupported key")?;
        if key.engine && !self.may_rebuild {
            return Err("unsupported key");
        }
        Ok(UbgiAction::Say(format!(
            "value {} {}\n",
            key.name,
            self.value(key.name)
        )))
    }

    fn set(&mut self, words: &[&str]) -> CommandResult {
        let Some((name, value)) = words.split_first().filter(|(_, value)| !value.is_empty()) else {
            return Err("bad_command set");
        };
        let key = keys::Key::named(name).ok_or("unsupported key")?;
        self.change(key, &value.join(" "), false)
    }

    /// Handles `setoption name NAME value VALUE`
    fn setoption(&mut self, words: &[&str]) -> CommandResult {
        let ["name", rest @ ..] = words else {
            return Err("bad_command setoption");
        };
        let at = rest.iter().position(|word| *word == "value");
        let (name, value) = rest.split_at(at.ok_or("bad_command setoption")?);
        let value = value.get(1..).unwrap_or_default().join(" ");
        let key = keys::Key::named_old(&name.join(" ")).ok_or("unsupported option")?;
        self.change(key, &value, true)
    }

    fn change(&mut self, key: &'static keys::Key, value: &str, old: bool) -> CommandResult {
        if key.engine && !self.may_rebuild {
            return Err("unsupported key");
        }
        // The longest error names the key; keys are all fixed, so the text is a constant.
        let Some(value) = key.accept(value, old) else {
            return Ok(UbgiAction::Say(format!("error bad_value {}\n", key.name)));
        };
        if !self.options.change(key.name, &value, &mut self.state) {
            return Ok(UbgiAction::Say(format!("error bad_value {}\n", key.name)));
        }
        if key.name == "game.variant" {
            (self.position, self.roll) = (Some(self.state.variant.start()), None);
        }
        if key.engine {
            return Ok(UbgiAction::Rebuild {
                nets: self.options.nets.clone(),
                threads: self.options.threads,
            });
        }
        Ok(UbgiAction::Silence)
    }

    fn position(&mut self, words: &[&str]) -> CommandResult {
        match words {
            ["gnubgid", id] => {
                let id = PositionId::parse(id.as_bytes()).map_err(|_| "bad_value position")?;
                self.position = Some(self.of_variant(id.position())?);
            }
            ["gnubgid", ..] => return Err("bad_value position"),
            ["xgid", id] => {
                let view = Xgid::parse(id.as_bytes()).and_then(Xgid::view);
                let view = view.map_err(|_| "bad_value position")?;
                self.position = Some(self.of_variant(view.position)?);
                self.state = view.state.with_variant(self.state.variant);
                self.roll = view.roll;
            }
            ["xgid", ..] => return Err("bad_value position"),
            _ => return Err("bad_command position"),
        }
        Ok(UbgiAction::Silence)
    }

    /// Returns the position if its checkers are those of the variant.
    fn of_variant(&self, position: Position) -> Result<Position, &'static str> {
        let checked = self.state.variant.check(&position);
        checked.map(|()| position).map_err(|_| "bad_value position")
    }

    fn dice(&mut self, words: &[&str]) -> CommandResult {
        let die = |text: &str| match text.as_bytes() {
            [byte @ b'1'..=b'6'] => Ok(byte - b'0'),
            _ => Err("bad_value dice"),
        };
        let [first, second] = words else {
            return Err("bad_value dice");
        };
        let roll = Roll::new(die(first)?, die(second)?).map_err(|_| "bad_value dice")?;
        self.roll = Some(roll);
        Ok(UbgiAction::Silence)
    }

    /// Handles `newsession type <money|match> [length N] [jacoby on|off] [crawford on|off]`, any order.
    fn newsession(&mut self, words: &[&str]) -> CommandResult {
        const WRONG: &str = "bad_value newsession";
        let (mut length, mut jacoby, mut crawford, mut is_match) = (None, None, None, None);
        for pair in words.chunks(2) {
            let [name, value] = pair else {
                return Err(WRONG);
            };
            match (*name, *value) {
                ("type", "money") => is_match = Some(false),
                ("type", "match") => is_match = Some(true),
                ("length", text) => length = Some(points(text).filter(|&n| n > 0).ok_or(WRONG)?),
                ("jacoby", text) => jacoby = Some(on_off(text).ok_or(WRONG)?),
                ("crawford", text) => crawford = Some(on_off(text).ok_or(WRONG)?),
                _ => return Err(WRONG),
            }
        }
        if words.is_empty() {
            return Err("bad_command newsession");
        }
        let mut state = STATE.with_variant(self.state.variant);
        state.rules.jacoby = jacoby.unwrap_or(false);
        if is_match.unwrap_or(length.is_some()) {
            state.score = Score::new(length.unwrap_or(1), 0, 0, false).map_err(|_| WRONG)?;
            state.rules.jacoby = false;
        }
        self.options.crawford_rule = crawford.unwrap_or(true);
        self.state = state;
        Ok(UbgiAction::Silence)
    }

    fn setscore(&mut self, words: &[&str]) -> CommandResult {
        const WRONG: &str = "bad_value setscore";
        let [mine, theirs] = words else {
            return Err(WRONG);
        };
        let (mine, theirs) = (points(mine).ok_or(WRONG)?, points(theirs).ok_or(WRONG)?);
        let length = self.state.score.length();
        // In money play the points already won mean nothing.
        if length > 0 {
            let score = self.options.score_of(length, mine, theirs);
            self.state.score = score.ok_or(WRONG)?;
        }
        Ok(UbgiAction::Silence)
    }

    /// Handles `setcube value N owner <center|p0|p1>`, any order; p0 is the player on roll.
    fn setcube(&mut self, words: &[&str]) -> CommandResult {
        const WRONG: &str = "bad_value setcube";
        let (mut value, mut owner) = (None, None);
        for pair in words.chunks(2) {
            match pair {
                ["value", text] => value = Some(points(text).ok_or(WRONG)?),
                ["owner", "center" | "centre"] => owner = Some(CubeOwner::Centred),
                ["owner", "p0"] => owner = Some(CubeOwner::Me),
                ["owner", "p1"] => owner = Some(CubeOwner::Opponent),
                _ => return Err(WRONG),
            }
        }
        let (value, owner) = (value.ok_or(WRONG)?, owner.ok_or(WRONG)?);
        self.state.cube = Cube::new(value, owner).map_err(|_| WRONG)?;
        Ok(UbgiAction::Silence)
    }

    fn go(&self, words: &[&str]) -> CommandResult {
        let mut settings = self.options.settings(&self.base);
        let mut rest = words;
        let mut role = "chequer";
        loop {
            rest = match rest {
                [] => break,
                ["role", word, more @ ..] => {
                    role = word;
                    more
                }
                ["role"] => return Err("bad_value go"),
                ["movetime", text, more @ ..] => {
                    let time = points(text).map(u64::from);
                    let time = time.filter(|&time| time <= Settings::TIME_MS_MAX);
                    settings.time_ms = Some(time.ok_or("bad_value go")?);
                    more
                }
                ["depth", text, more @ ..] => {
                    let depth = points(text)
                        .filter(|&depth| depth > 0)
                        .ok_or("bad_value go")?;
                    let plies = u64::from(depth).min(PLY_MAX) - 1;
                    settings.plies = u8::try_from(plies).unwrap_or(0);
                    // A client that sets a depth gets it.
                    settings.level = None;
                    more
                }
                ["nodes" | "trials", text, more @ ..] => {
                    points(text).ok_or("bad_value go")?;
                    more
                }
                [word @ ("chequer" | "cube" | "turn"), more @ ..] => {
                    role = word;
                    more
                }
                _ => return Err("bad_command go"),
            };
        }
        if !matches!(role, "chequer" | "cube" | "turn") {
            return Err("bad_value go");
        }
        let position = self.position.ok_or("bad_state missing.position")?;
        if position.is_over() {
            return Err("bad_state game.over");
        }
        let state = self.state;
        let play = match (role, self.roll) {
            ("cube", _) => None,
            (_, None) => return Err("bad_state missing.dice"),
            (_, Some(roll)) => Some(PlayQuery {
                position,
                roll,
                state,
            }),
        };
        let cube = (role != "chequer").then_some(CubeQuery { position, state });
        Ok(UbgiAction::Ask(Box::new(Question {
            cube,
            play,
            settings,
        })))
    }
}

impl Dialect for Ubgi {
    fn line(&mut self, line: FramedLine<'_>) -> dialect::LineAction {
        match line {
            FramedLine::Line(line) => Ubgi::line(self, line).map(Inquiry::from),
            FramedLine::TooLong => {
                dialect::LineAction::Refuse("error bad_command line_too_long\n".into())
            }
        }
    }

    fn interrupts(&self, line: &[u8]) -> bool {
        line.trim_ascii() == b"stop"
    }
}

fn points(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok())?
}

fn on_off(text: &str) -> Option<bool> {
    match text {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}
