//! GNU Backgammon's `.sgf`: one game tree a game. Only what was played is read; analyses are passed over.

use super::record::MatPlayer;
use super::recorder::{Recorder, Wrong};
use crate::game::{BAR, OFF, Play, Roll, Step};
use crate::notation::error::quoted;
use crate::notation::error::{Code, NotationError, Reason};
use crate::notation::syntax::{Parsed, refuse};
use nom::bytes::complete::{take_while, take_while1};

/// Game trees inside one another at most: variations.
const DEPTH_MAX: u32 = 64;

/// Whether a text is a collection of game trees.
pub(super) fn is_sgf(text: &[u8]) -> bool {
    let start = text.trim_ascii_start();
    let inside = start.strip_prefix(b"(").map(<[u8]>::trim_ascii_start);
    inside.is_some_and(|inside| inside.starts_with(b";"))
}

/// A property: its name and its values, as they stand.
struct Property<'a> {
    name: &'a [u8],
    values: Vec<String>,
}

impl Property<'_> {
    fn value(&self) -> &str {
        self.values.first().map_or("", String::as_str)
    }
}

fn blanks(input: &[u8]) -> Parsed<'_, &[u8]> {
    take_while(|byte: u8| byte.is_ascii_whitespace())(input)
}

/// property = letters value { value }
fn property(input: &[u8]) -> Parsed<'_, Property<'_>> {
    let (mut rest, name) = take_while1(|byte: u8| byte.is_ascii_alphabetic())(input)?;
    let mut values = Vec::new();
    loop {
        let (after, _) = blanks(rest)?;
        match after.split_first() {
            Some((b'[', inside)) => {
                let (after, text) = value(inside)?;
                values.push(text);
                rest = after;
            }
            _ if values.is_empty() => {
                return refuse(after, "property", Reason::Other("has no value in brackets"));
            }
            _ => return Ok((rest, Property { name, values })),
        }
    }
}

/// value = text "]"; a backslash takes the meaning from the sign behind it
fn value(input: &[u8]) -> Parsed<'_, String> {
    let mut text = Vec::new();
    let mut signs = input.iter().enumerate();
    while let Some((index, &byte)) = signs.next() {
        match byte {
            b']' => {
                let rest = input.get(index + 1..).unwrap_or_default();
                return Ok((rest, String::from_utf8_lossy(&text).into_owned()));
            }
            b'\\' => text.extend(signs.next().map(|(_, &next)| next)),
            _ => text.push(byte),
        }
    }
    refuse(input, "property", Reason::Other("has no closing bracket"))
}

/// Reads a whole file.
pub(super) fn read(text: &[u8], recorder: &mut Recorder) -> Result<(), NotationError> {
    let mut reader = Reader {
        text,
        counted: (0, 1),
        recorder,
        depth: 0,
        passed_over: false,
        root: Root::default(),
        rolled: None,
    };
    let mut rest = text;
    while let Some((&sign, after)) = rest.split_first() {
        let at = text.len() - rest.len();
        rest = match sign {
            b'(' => {
                reader.open(at);
                after
            }
            b')' => {
                reader.close(at);
                after
            }
            b';' => {
                reader.node(at);
                after
            }
            _ if sign.is_ascii_whitespace() => after,
            _ => match property(rest) {
                Ok((after, property)) => {
                    reader.property(at, &property);
                    after
                }
                Err(_) => {
                    let found = quoted(rest);
                    let want = "a property such as B[31qtst]";
                    reader.fault(at, ("game tree", Reason::Value { found, want }));
                    // The next game begins on a line of its own.
                    reader.depth = 0;
                    let next = after.windows(3).position(|three| three == b"\n(;");
                    next.and_then(|next| after.get(next..)).unwrap_or_default()
                }
            },
        };
    }
    if reader.depth > 0 {
        reader.fault(
            text.len(),
            ("game tree", Reason::Other("has no closing bracket")),
        );
    }
    if recorder.file.games.is_empty() {
        let reason = Reason::Other("has no game of backgammon");
        return Err(NotationError::new(Code::BadMatchFile, "file", reason, 0));
    }
    Ok(())
}

/// What the first node of a game says.
#[derive(Default)]
struct Root {
    length: u32,
    scores: [u32; 2],
    backgammon: bool,
    result: Option<(MatPlayer, u32)>,
    rules: String,
    begun: bool,
}

struct Reader<'a> {
    text: &'a [u8],
    /// A byte and the line it stands on.
    counted: (usize, usize),
    recorder: &'a mut Recorder,
    depth: u32,
    /// A variation ended: what follows of the game is another one.
    passed_over: bool,
    root: Root,
    /// Dice that were rolled, and who is to play them.
    rolled: Option<(MatPlayer, Option<Roll>)>,
}

impl Reader<'_> {
    fn line(&mut self, at: usize) -> usize {
        let (from, line) = self.counted;
        let between = self.text.get(from..at).unwrap_or_default();
        let more = between.iter().filter(|&&byte| byte == b'\n').count();
        self.counted = (at.max(from), line + more);
        line + more
    }

    fn fault(&mut self, at: usize, wrong: Wrong) {
        let line = self.line(at);
        self.recorder.give_up(line, at, wrong);
    }

    fn open(&mut self, at: usize) {
        if self.depth == 0 {
            self.root = Root::default();
            self.passed_over = false;
            self.rolled = None;
        }
        self.depth += 1;
        if self.depth == DEPTH_MAX {
            self.fault(at, ("game tree", Reason::Other("has too many variations")));
        }
    }

    fn close(&mut self, at: usize) {
        self.depth = self.depth.saturating_sub(1);
        match self.depth {
            0 => {
                self.begin(at);
                self.leave_roll(at);
                if let Some((winner, points)) = self.root.result {
                    self.recorder.told_result(winner, points);
                }
            }
            _ => self.passed_over = true,
        }
    }

    /// A second node ends the first one.
    fn node(&mut self, at: usize) {
        if self.root.backgammon {
            self.begin(at);
        }
    }

    /// The game begins, once.
    fn begin(&mut self, at: usize) {
        if self.root.begun || self.depth > 1 {
            return;
        }
        self.root.begun = true;
        let first = self.recorder.file.games.is_empty();
        if first {
            self.recorder.file.length = self.root.length;
            let rules = std::mem::take(&mut self.root.rules);
            let comments = &mut self.recorder.file.comments;
            for rule in rules.split(':') {
                let header = match rule.to_ascii_lowercase().as_str() {
                    "jacoby" => "Jacoby \"On\"",
                    "nackgammon" => "Variation \"NackGammon\"",
                    "hypergammon1" | "hypergammon2" | "hypergammon3" => "Variation \"HyperGammon\"",
                    "nocube" => "CubeLimit \"1\"",
                    _ => continue,
                };
                comments.push(format!(" [{header}]"));
            }
            if self.root.length == 0 && !rules.to_ascii_lowercase().contains("jacoby") {
                comments.push(" [Jacoby \"Off\"]".to_owned());
            }
        }
        let begun = self.recorder.begin();
        let [white, black] = self.root.scores;
        self.recorder.scores([white, black]);
        if let Err(wrong) = begun {
            self.fault(at, wrong);
        } else if !self.root.backgammon {
            self.fault(
                at,
                ("game tree", Reason::Other("is not of backgammon (GM[6])")),
            );
        }
    }

    fn property(&mut self, at: usize, property: &Property<'_>) {
        if !self.root.begun {
            self.head(at, property);
        }
        if self.recorder.has_given_up() || self.passed_over {
            return;
        }
        let wrong = match property.name {
            b"W" => self.action(at, MatPlayer::First, property.value()),
            b"B" => self.action(at, MatPlayer::Second, property.value()),
            b"PL" => {
                let player = match property.value() {
                    "W" | "w" | "White" | "white" => MatPlayer::First,
                    _ => MatPlayer::Second,
                };
                self.leave_roll(at);
                self.rolled = Some((player, None));
                Ok(())
            }
            b"DI" => match (dice(property.value()), &mut self.rolled) {
                (Some(roll), Some((_, rolled))) => {
                    *rolled = Some(roll);
                    Ok(())
                }
                (None, _) => Err(bad("roll", property.value(), "dice such as DI[31]")),
                (Some(_), None) => Ok(()),
            },
            b"AE" | b"AW" | b"AB" | b"CV" | b"CP" if self.root.begun => {
                let why = Reason::Other("is a position that was set up, which is not read");
                Err(("game tree", why))
            }
            _ => Ok(()),
        };
        if let Err(wrong) = wrong {
            self.fault(at, wrong);
        }
    }

    /// A property of the first node.
    fn head(&mut self, at: usize, property: &Property<'_>) {
        let value = property.value();
        match property.name {
            b"GM" => self.root.backgammon = value.trim() == "6",
            b"PW" => self.name(MatPlayer::First, value),
            b"PB" => self.name(MatPlayer::Second, value),
            b"RU" => self.root.rules = value.to_owned(),
            b"MI" => {
                for part in &property.values {
                    let (key, number) = part.split_once(':').unwrap_or((part, ""));
                    let Ok(number) = number.trim().parse::<u32>() else {
                        continue;
                    };
                    let [white, black] = &mut self.root.scores;
                    match key {
                        "length" => self.root.length = number,
                        "ws" => *white = number,
                        "bs" => *black = number,
                        _ => {}
                    }
                }
            }
            b"RE" => self.root.result = result(value),
            b"EV" => self.header("Event", value),
            b"RO" => self.header("Round", value),
            b"PC" => self.header("Site", value),
            b"DT" => self.header("EventDate", &value.replace('-', ".")),
            b"CV" if value.trim() != "1" => {
                let why =
                    Reason::Other("begins with a cube that was turned before, which is not read");
                self.begin(at);
                self.fault(at, ("game tree", why));
            }
            _ => {}
        }
    }

    fn name(&mut self, player: MatPlayer, name: &str) {
        if let Some(place) = self.recorder.file.names.get_mut(player.index()) {
            *place = name.to_owned();
        }
    }

    fn header(&mut self, key: &str, value: &str) {
        if self.recorder.file.games.is_empty() && !value.is_empty() {
            let value = value.replace(['"', '\n', '\r'], " ");
            let comments = &mut self.recorder.file.comments;
            comments.push(format!(" [{key} \"{value}\"]"));
        }
    }

    /// Dice that were set up and never played.
    fn leave_roll(&mut self, at: usize) {
        if let Some((player, Some(roll))) = self.rolled.take()
            && !self.recorder.has_given_up()
        {
            let line = self.line(at);
            if let Err(wrong) = self.recorder.rolled(line, player, roll) {
                self.recorder.give_up(line, at, wrong);
            }
        }
    }

    fn action(&mut self, at: usize, player: MatPlayer, text: &str) -> Result<(), Wrong> {
        let text = text.trim();
        let played = match text {
            "double" | "take" | "drop" => None,
            _ => Some(play(player, text)?),
        };
        let set_up = self.rolled.is_some_and(|(whose, _)| whose == player);
        match (played, set_up) {
            (Some(_), true) => self.rolled = None,
            _ => self.leave_roll(at),
        }
        let line = self.line(at);
        match (text, played) {
            ("double", _) => self.recorder.double(line, player),
            ("take", _) => self.recorder.take(line, player),
            (_, Some((roll, play))) => {
                if let Some(wrong) = self.recorder.play_steps(line, player, roll, play)? {
                    self.recorder.note(line, at, wrong);
                }
                Ok(())
            }
            _ => self.recorder.drop(line, player),
        }
    }
}

fn bad(field: &'static str, found: &str, want: &'static str) -> Wrong {
    let found = quoted(found.as_bytes());
    (field, Reason::Value { found, want })
}

/// `W+2`, `B+8R`
fn result(text: &str) -> Option<(MatPlayer, u32)> {
    let (winner, points) = text.trim().split_once('+')?;
    let winner = match winner {
        "W" => MatPlayer::First,
        "B" => MatPlayer::Second,
        _ => return None,
    };
    let digits = points.trim_end_matches(|c: char| !c.is_ascii_digit());
    Some((winner, digits.parse().ok()?))
}

/// Two digits.
fn dice(text: &str) -> Option<Roll> {
    let [first, second] = text.trim().as_bytes() else {
        return None;
    };
    Roll::new(first.wrapping_sub(b'0'), second.wrapping_sub(b'0')).ok()
}

/// play = die die { letter letter }
fn play(player: MatPlayer, text: &str) -> Result<(Roll, Play), Wrong> {
    let wrong = || bad("play", text, "a roll and pairs of letters such as 31qtst");
    let roll = text.get(..2).and_then(dice).ok_or_else(wrong)?;
    let letters = text.as_bytes().get(2..).unwrap_or_default();
    let point = |letter: u8| -> Option<u8> {
        match letter {
            b'a'..=b'x' => Some(match player {
                MatPlayer::First => letter - b'a',
                MatPlayer::Second => b'x' - letter,
            }),
            b'y' => u8::try_from(BAR).ok(),
            b'z' => u8::try_from(OFF).ok(),
            _ => None,
        }
    };
    let steps: Option<Vec<Step>> = (letters.chunks(2))
        .map(|pair| match pair {
            &[from, to] => Some(Step {
                from: point(from)?,
                to: point(to)?,
            }),
            _ => None,
        })
        .collect();
    let play = steps.and_then(|steps| Play::from_steps(&steps));
    Ok((roll, play.ok_or_else(wrong)?))
}

#[cfg(test)]
mod tests {
    use crate::game::Roll;
    use crate::notation::{MatAction, MatPlayer, MatchFile};

    /// MAT-22: a roll that was set up; a position that was set up ends its game and no other one.
    #[test]
    fn what_was_set_up() {
        let text = "(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[A]PB[B\\]]RE[W+1R]\n;B[31qtst]C[a (;comment\\]]\n\
            ;PL[W];DI[66])\n(;FF[4]GM[6]MI[length:3][game:1][ws:1][bs:0]PW[A]PB[B]\n;W[65xrmh]\n;AE[a:y])\n\
            (;FF[4]GM[6]MI[length:3][game:2][ws:1][bs:1]PW[A]PB[B]RE[B+2]\n;W[62xrmk]\n;B[double]\n;W[drop])";
        let reading = MatchFile::read(text.as_bytes()).unwrap();
        let faults: Vec<String> = reading.faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            faults,
            ["line 6, game 2: game tree is a position that was set up, which is not read"]
        );
        let [first, second, third] = &reading.file.games[..] else {
            panic!("{:?}", reading.file)
        };
        let rolled = MatAction::Rolled(Roll::of(6, 6));
        assert_eq!(first.actions[1], (MatPlayer::First, rolled));
        assert_eq!(second.actions.len(), 1);
        assert_eq!(third.actions.len(), 3);
        assert_eq!(third.result, Some((MatPlayer::Second, 2)));
    }
}
