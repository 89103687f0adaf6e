//! GNU Backgammon's `.sgf`: one game tree a game. Only the actions are read; analyses are passed over.

use super::record::{LENGTH_MAX, MatPlayer, SetUp};
use super::recorder::{FieldError, Recorder, UNDOUBLED};
use crate::notation::error::quoted;
use crate::notation::error::{Code, NotationError, Reason};
use crate::notation::syntax::{Parsed, refuse};
use crate::{BAR, OFF, POINTS, Play, Position, Roll, Step, Variant};
use nom::bytes::complete::{take_while, take_while1};

/// Game trees inside one another at most: variations.
const DEPTH_MAX: u32 = 64;

/// Returns true if a text is a collection of game trees.
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
pub(super) fn read(text: &str, recorder: &mut Recorder) -> Result<(), NotationError> {
    let text = text.as_bytes();
    let mut reader = Reader {
        text,
        counted: (0, 1),
        recorder,
        depth: 0,
        passed_over: false,
        root: Root::default(),
        rolled: None,
        edit: None,
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

/// The properties of the first node of a game.
#[derive(Default)]
struct Root {
    length: u32,
    /// A length that no match has.
    refused_length: Option<String>,
    scores: [u32; 2],
    /// The number of the game in its match, from 0.
    game: Option<u32>,
    names: [Option<String>; 2],
    headers: Vec<String>,
    backgammon: bool,
    /// Winner, points, and true if the other player resigned.
    result: Option<(MatPlayer, u32, bool)>,
    rules: String,
    /// True if the program that wrote it marks the Crawford game.
    marks_crawford: bool,
    /// True if the file is ours: no resignation means that the players settled the game.
    writes_resignations: bool,
    begun: bool,
}

struct Reader<'a> {
    text: &'a [u8],
    /// A byte and the line it stands on.
    counted: (usize, usize),
    recorder: &'a mut Recorder,
    depth: u32,
    /// True after the end of a variation: the rest of the game is another one and is skipped.
    passed_over: bool,
    root: Root,
    /// Dice that were rolled, and who is to play them.
    rolled: Option<(MatPlayer, Option<Roll>)>,
    /// Position set up since the last action.
    edit: Option<Edit>,
}

/// The merged properties of consecutive set-up nodes.
#[derive(Clone, Copy, Default)]
struct Edit {
    /// The checkers of White and of Black, each by their own numbers.
    board: Option<[[u8; POINTS]; 2]>,
    cube: Option<u32>,
    owner: Option<Option<MatPlayer>>,
    player: Option<MatPlayer>,
}

impl Reader<'_> {
    fn line(&mut self, at: usize) -> usize {
        let (from, line) = self.counted;
        let between = self.text.get(from..at).unwrap_or_default();
        let more = between.iter().filter(|&&byte| byte == b'\n').count();
        self.counted = (at.max(from), line + more);
        line + more
    }

    fn fault(&mut self, at: usize, wrong: FieldError) {
        let line = self.line(at);
        self.recorder.give_up(line, at, wrong);
    }

    fn open(&mut self, at: usize) {
        if self.depth == 0 {
            self.root = Root::default();
            self.passed_over = false;
            self.rolled = None;
            self.edit = None;
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
                self.leave_edit(at, None);
                self.leave_roll(at);
                if let Some((winner, points, resigned)) = self.root.result {
                    self.recorder.set_result(winner, points);
                    if !resigned && self.root.writes_resignations {
                        self.recorder.no_resignation();
                    }
                }
            }
            _ => self.passed_over = true,
        }
    }

    /// Begins a node: a second one ends the first.
    fn node(&mut self, at: usize) {
        if self.root.backgammon {
            self.begin(at);
        }
    }

    /// Begins the game, once.
    fn begin(&mut self, at: usize) {
        if self.root.begun || self.depth > 1 {
            return;
        }
        self.root.begun = true;
        if self.is_another_match() {
            let line = self.line(at);
            if let Err(wrong) = self.recorder.next_match(line, at) {
                self.fault(at, wrong);
                self.passed_over = true;
                return;
            }
        }
        let crawford = self.crawford();
        let names = std::mem::take(&mut self.root.names);
        for (place, name) in self.recorder.file.names.iter_mut().zip(names) {
            if let Some(name) = name {
                *place = name;
            }
        }
        let first = self.recorder.file.games.is_empty();
        if first {
            self.recorder.file.length = self.root.length;
            let headers = std::mem::take(&mut self.root.headers);
            self.recorder.file.comments.extend(headers);
            let rules = std::mem::take(&mut self.root.rules);
            let comments = &mut self.recorder.file.comments;
            for rule in rules.split(':') {
                let header = match (rule.to_ascii_lowercase().as_str(), Variant::named(rule)) {
                    ("jacoby", _) => "Jacoby \"On\"".to_owned(),
                    ("nobeavers", _) => "Beaver \"Off\"".to_owned(),
                    ("nocube", _) => "CubeLimit \"1\"".to_owned(),
                    (_, Some(variant)) => format!("Variation \"{}\"", variant.name()),
                    _ => continue,
                };
                comments.push(format!(" [{header}]"));
            }
            if self.root.length == 0 && !rules.to_ascii_lowercase().contains("jacoby") {
                comments.push(" [Jacoby \"Off\"]".to_owned());
            }
        }
        let jacoby = self.root.rules.to_ascii_lowercase().contains("jacoby");
        let begun = self.recorder.begin();
        if !first {
            self.recorder.jacoby(jacoby);
        }
        let [white, black] = self.root.scores;
        self.recorder.scores([white, black]);
        if let Some(crawford) = crawford {
            self.recorder.crawford(crawford);
        }
        let refused = self.root.refused_length.take();
        if let Err(wrong) = begun {
            self.fault(at, wrong);
        } else if let Some(length) = refused {
            self.fault(at, bad("match length", &length, "a number from 0 to 32767"));
        } else if !self.root.backgammon {
            self.fault(
                at,
                ("game tree", Reason::Other("is not of backgammon (GM[6])")),
            );
        }
    }

    /// Returns the Crawford flag in the rules: `Some(true)` for `CrawfordGame`, `Some(false)` for `Crawford` alone if
    /// the program marks Crawford games, else `None`.
    fn crawford(&self) -> Option<bool> {
        let rules = self.root.rules.to_ascii_lowercase();
        let has = |name: &str| rules.split(':').any(|rule| rule == name);
        (has("crawfordgame") || (has("crawford") && self.root.marks_crawford))
            .then(|| has("crawfordgame"))
    }

    /// Returns true if the game belongs to another match than the games before it: other players, another length, or
    /// again the first game of a match.
    fn is_another_match(&self) -> bool {
        let file = &self.recorder.file;
        let stated = file.names.iter().zip(&self.root.names);
        let differs = |(known, name): (&String, &Option<String>)| {
            name.as_ref().is_some_and(|name| name != known)
        };
        let others = stated.filter(|&pair| differs(pair)).count();
        let length = self.root.length;
        let again = match self.root.game {
            Some(0) => self.root.scores == [0, 0] && (length > 0 || others > 0),
            Some(_) => others == 2,
            None => others > 0,
        };
        !file.games.is_empty() && (length != file.length || again)
    }

    fn property(&mut self, at: usize, property: &Property<'_>) {
        if !self.root.begun {
            self.head(property);
        }
        // Property of the game before, while this one has not begun.
        let given_up = self.root.begun && self.recorder.has_given_up();
        if given_up || self.passed_over {
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
                if self.rolled.is_none_or(|(whose, _)| whose != player) {
                    self.leave_roll(at);
                    self.rolled = Some((player, None));
                }
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
            b"AE" | b"AW" | b"AB" | b"CV" | b"CP" => self.edit(property),
            _ => Ok(()),
        };
        if let Err(wrong) = wrong {
            self.begin(at);
            self.fault(at, wrong);
        }
    }

    /// Reads a property of the first node.
    fn head(&mut self, property: &Property<'_>) {
        let value = property.value();
        match property.name {
            b"GM" => self.root.backgammon = value.trim() == "6",
            b"PW" => self.name(MatPlayer::First, value),
            b"PB" => self.name(MatPlayer::Second, value),
            b"AP" => {
                let marks = ["GNU Backgammon", "gammond"];
                self.root.marks_crawford = marks.iter().any(|name| value.starts_with(name));
                self.root.writes_resignations = value.starts_with("gammond");
            }
            b"RU" => self.root.rules = value.to_owned(),
            b"MI" => {
                for part in &property.values {
                    let (key, text) = part.split_once(':').unwrap_or((part, ""));
                    let number = text.trim().parse::<u32>();
                    if key == "length" {
                        match number.ok().filter(|&length| length <= LENGTH_MAX) {
                            Some(length) => self.root.length = length,
                            None => self.root.refused_length = Some(text.to_owned()),
                        }
                        continue;
                    }
                    let Ok(number) = number else {
                        continue;
                    };
                    let [white, black] = &mut self.root.scores;
                    match key {
                        "game" => self.root.game = Some(number),
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
            b"AN" => self.header("Transcriber", value),
            b"GC" => self.header("Comment", value),
            b"WR" => self.header("Player 1 Elo", value),
            b"BR" => self.header("Player 2 Elo", value),
            b"DT" => self.header("EventDate", &value.replace('-', ".")),
            _ => {}
        }
    }

    fn name(&mut self, player: MatPlayer, name: &str) {
        if let Some(place) = self.root.names.get_mut(player.index()) {
            *place = Some(name.to_owned());
        }
    }

    fn header(&mut self, key: &str, value: &str) {
        if !value.is_empty() {
            let value = value.replace(['"', '\n', '\r'], " ");
            self.root.headers.push(format!(" [{key} \"{value}\"]"));
        }
    }

    /// Returns a property that sets something up.
    fn edit(&mut self, property: &Property<'_>) -> Result<(), FieldError> {
        let value = property.value().trim();
        let begun = self.root.begun;
        // Before the first action of a file the board is the usual one.
        let board = match begun {
            true => self.recorder.board(MatPlayer::First),
            false => Position::start(),
        };
        let edit = self.edit.get_or_insert_default();
        match property.name {
            b"CV" => {
                let want = "a value such as CV[4]";
                edit.cube = Some(value.parse().map_err(|_| bad("cube", value, want))?);
            }
            b"CP" => {
                edit.owner = Some(match value {
                    "c" => None,
                    "w" => Some(MatPlayer::First),
                    "b" => Some(MatPlayer::Second),
                    _ => return Err(bad("cube", value, "CP[c], CP[w] or CP[b]")),
                });
            }
            name => {
                let now = [board.me().counts(), board.opponent().counts()];
                let [white, black] = edit.board.get_or_insert(now);
                // A set-up node without `PL` leaves the turn as it is.
                edit.player = self.rolled.map(|(player, _)| player).or(edit.player);
                for value in &property.values {
                    let wrong = || bad("position", value, "points from a to y such as AW[f]");
                    let (from, to) = value.trim().split_once(':').unwrap_or((value, value));
                    let (&[from @ b'a'..=b'y'], &[to @ b'a'..=b'y']) =
                        (from.trim().as_bytes(), to.trim().as_bytes())
                    else {
                        return Err(wrong());
                    };
                    for letter in from..=to {
                        let mut counts = [
                            (MatPlayer::First, &mut *white),
                            (MatPlayer::Second, &mut *black),
                        ]
                        .map(|(side, counts)| {
                            let place = point(side, letter).map(usize::from);
                            place.and_then(|place| counts.get_mut(place))
                        });
                        match (name, &mut counts) {
                            (b"AE", counts) => {
                                for count in counts.iter_mut().flatten() {
                                    **count = 0;
                                }
                            }
                            (b"AW", [Some(count), _]) | (_, [_, Some(count)]) => {
                                **count = count.saturating_add(1);
                            }
                            _ => return Err(wrong()),
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Applies the pending set-up when a player acts or the game ends.
    fn leave_edit(&mut self, at: usize, acting: Option<MatPlayer>) {
        let Some(edit) = self.edit.take() else { return };
        if self.recorder.has_given_up() {
            return;
        }
        let turn = edit.player.or(self.recorder.turn()).or(acting);
        let player = turn.unwrap_or(MatPlayer::First);
        let (value, owner) = self.recorder.cube();
        let position = match edit.board {
            None => Some(self.recorder.board(player)),
            Some([white, black]) => match player {
                MatPlayer::First => Position::new(&white, &black).ok(),
                MatPlayer::Second => Position::new(&black, &white).ok(),
            },
        };
        let line = self.line(at);
        let why = "is invalid: both sides on a point, no checkers, or more than 15 of a side";
        let done = position
            .ok_or(("position", Reason::Other(why)))
            .and_then(|position| {
                let set_up = SetUp {
                    position,
                    value: edit.cube.unwrap_or(value),
                    owner: edit.owner.unwrap_or(owner),
                };
                self.recorder.set_up(line, player, set_up)
            });
        if let Err(wrong) = done {
            self.recorder.give_up(line, at, wrong);
        }
    }

    /// Records dice that were set up and never played.
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

    fn action(&mut self, at: usize, player: MatPlayer, text: &str) -> Result<(), FieldError> {
        let text = text.trim();
        let played = match text {
            "double" | "take" | "drop" => None,
            _ => Some(play(player, text)?),
        };
        let set_up = self.rolled.is_some_and(|(whose, _)| whose == player);
        self.leave_edit(at, Some(player));
        match (played, set_up) {
            (Some(_), true) => self.rolled = None,
            _ => self.leave_roll(at),
        }
        if self.recorder.has_given_up() {
            return Ok(());
        }
        let line = self.line(at);
        if played.is_some() && self.recorder.turn().is_some_and(|turn| turn != player) {
            // GNU Backgammon's `set turn` leaves no trace but this.
            let why = Reason::Other("was the other player's; it was given to this one");
            self.recorder.note(line, at, ("turn", why));
            let (value, owner) = self.recorder.cube();
            let position = self.recorder.board(player);
            let turned = SetUp {
                position,
                value,
                owner,
            };
            self.recorder.set_up(line, player, turned)?;
        }
        match (text, played) {
            ("double", _) => {
                if let Some(wrong) = self.recorder.leave_crawford() {
                    self.recorder.note(line, at, wrong);
                }
                self.recorder.double(line, player)
            }
            ("take", _) => self
                .recorder
                .take(line, player)
                .or_else(|wrong| self.undoubled(line, at, wrong)),
            // gnubg saves a roll before its play so.
            (_, Some((roll, play))) if play.is_pass() && self.recorder.can_play(player, roll) => {
                self.rolled = Some((player, Some(roll)));
                Ok(())
            }
            (_, Some((roll, play))) => {
                if let Some(wrong) = self.recorder.play_steps(line, player, roll, play)? {
                    self.recorder.note(line, at, wrong);
                }
                Ok(())
            }
            _ => self
                .recorder
                .drop(line, player)
                .or_else(|wrong| self.undoubled(line, at, wrong)),
        }
    }

    /// Records a fault for an answer without a double; the game continues.
    fn undoubled(&mut self, line: usize, at: usize, wrong: FieldError) -> Result<(), FieldError> {
        if wrong == UNDOUBLED {
            self.recorder.note(line, at, wrong);
            return Ok(());
        }
        Err(wrong)
    }
}

/// Returns the own index of a player of a letter on the board; `y` is the bar.
fn point(player: MatPlayer, letter: u8) -> Option<u8> {
    match letter {
        b'a'..=b'x' => Some(match player {
            MatPlayer::First => letter - b'a',
            MatPlayer::Second => b'x' - letter,
        }),
        b'y' => u8::try_from(BAR).ok(),
        b'z' => u8::try_from(OFF).ok(),
        _ => None,
    }
}

fn bad(field: &'static str, found: &str, want: &'static str) -> FieldError {
    let found = quoted(found.as_bytes());
    (field, Reason::Value { found, want })
}

/// Parses `W+2`, `B+8R`
fn result(text: &str) -> Option<(MatPlayer, u32, bool)> {
    let (winner, points) = text.trim().split_once('+')?;
    let winner = match winner {
        "W" => MatPlayer::First,
        "B" => MatPlayer::Second,
        _ => return None,
    };
    let digits = points.trim_end_matches(|c: char| !c.is_ascii_digit());
    Some((winner, digits.parse().ok()?, points.ends_with('R')))
}

/// Parses two digits.
fn dice(text: &str) -> Option<Roll> {
    let [first, second] = text.trim().as_bytes() else {
        return None;
    };
    Roll::new(first.wrapping_sub(b'0'), second.wrapping_sub(b'0')).ok()
}

/// play = die die { letter letter }
fn play(player: MatPlayer, text: &str) -> Result<(Roll, Play), FieldError> {
    let wrong = || bad("play", text, "a roll and pairs of letters such as 31qtst");
    let roll = text.get(..2).and_then(dice).ok_or_else(wrong)?;
    let letters = text.as_bytes().get(2..).unwrap_or_default();
    let steps: Option<Vec<Step>> = (letters.chunks(2))
        .map(|pair| match pair {
            &[from, to] => Some(Step {
                from: point(player, from)?,
                to: point(player, to)?,
            }),
            _ => None,
        })
        .collect();
    let play = steps.and_then(|steps| Play::from_steps(&steps));
    Ok((roll, play.ok_or_else(wrong)?))
}

#[cfg(test)]
mod tests {
    use crate::Roll;
    use crate::notation::{MatAction, MatPlayer, MatchFile};

    /// A length that no other form could hold costs the game that states it.
    #[test]
    fn impossible_lengths_are_refused() {
        for length in ["22222222", "32768", "-1", "seven"] {
            let text = format!("(;FF[4]GM[6]MI[length:{length}][game:0]PW[A]PB[B]\n;W[31hefe])");
            let reading = MatchFile::read(text.as_bytes()).unwrap();
            let [fault] = &reading.faults[..] else {
                panic!("{:?}", reading.faults)
            };
            let want = "expected a number from 0 to 32767";
            assert!(fault.to_string().ends_with(want), "{fault}");
            assert!(reading.file.games[0].actions.is_empty());
        }
    }

    /// MAT-22: a roll that was set up; an invalid board ends its game and no other one.
    #[test]
    fn recorder_keeps_set_up_positions() {
        let text = "(;FF[4]GM[6]MI[length:3][game:0][ws:0][bs:0]PW[A]PB[B\\]]RE[W+1R]\n;B[31qtst]C[a (;comment\\]]\n\
            ;PL[W];DI[66])\n(;FF[4]GM[6]MI[length:3][game:1][ws:1][bs:0]PW[A]PB[B]\n;W[65xrmh]\n;AE[a:y])\n\
            (;FF[4]GM[6]MI[length:3][game:2][ws:1][bs:1]PW[A]PB[B]RE[B+2]\n;W[62xrmk]\n;B[double]\n;W[drop])";
        let reading = MatchFile::read(text.as_bytes()).unwrap();
        let faults: Vec<String> = reading.faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            faults,
            [
                "line 6, game 2: position is invalid: both sides on a point, no checkers, or more than 15 of a side"
            ]
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

    /// MAT-85: each game of a money session has Jacoby's rule or not, in its result too, and is written so.
    #[test]
    fn games_have_jacobys_rule_of_their_own() {
        let game = |number: usize, rules: &str| {
            format!(
                "(;FF[4]GM[6]MI[length:0][game:{number}][ws:0][bs:0]PW[A]PB[B]RU[{rules}]\n;W[31hefe])\n"
            )
        };
        let games = [game(0, "Jacoby"), game(1, ""), game(2, "Jacoby")];
        let reading = MatchFile::read(games.concat().as_bytes()).unwrap();
        assert!(reading.faults.is_empty(), "{:?}", reading.faults);
        let jacoby = |file: &MatchFile| {
            file.games
                .iter()
                .map(|game| game.jacoby)
                .collect::<Vec<_>>()
        };
        assert_eq!(jacoby(&reading.file), [None, Some(false), None]);
        assert_eq!(reading.file.jacoby(&reading.file.games[1]), Some(false));
        let written = reading.file.sgf(&[false; 3], &|_, _| None);
        assert_eq!(written.matches("RU[Jacoby]").count(), 2, "{written}");
        let again = MatchFile::read(written.as_bytes()).unwrap();
        assert_eq!(jacoby(&again.file), [None, Some(false), None]);
        let without = MatchFile::read(games[1..].concat().as_bytes()).unwrap();
        assert_eq!(jacoby(&without.file), [None, Some(true)]);
    }

    /// MAT-22: automatic doubles before the first roll, also in a game behind another one, and a turn given away.
    #[test]
    fn cubes_and_turns_that_were_set_up() {
        let text = "(;FF[4]GM[6]MI[length:0][game:0][ws:0][bs:0]PW[A]PB[B]CV[2]RE[W+2R]\n;B[31qtst])\n\
            (;FF[4]GM[6]MI[length:0][game:1][ws:2][bs:0]PW[A]PB[B]CV[4]\n;W[31hefe]\n;W[42hdfd]\n;CP[b]\n;CV[8]\n;B[double]\n;W[take])";
        let reading = MatchFile::read(text.as_bytes()).unwrap();
        let faults: Vec<String> = reading.faults.iter().map(ToString::to_string).collect();
        assert_eq!(
            faults,
            ["line 5, game 2: turn was the other player's; it was given to this one"]
        );
        let cubes = reading.file.games.iter().flat_map(|game| &game.actions);
        let cubes: Vec<_> = cubes
            .filter_map(|(player, action)| match action {
                MatAction::SetUp(set_up) => Some((*player, set_up.value, set_up.owner)),
                MatAction::Double(value) => Some((*player, *value, None)),
                _ => None,
            })
            .collect();
        let [a, b] = [MatPlayer::First, MatPlayer::Second];
        let want = [
            (b, 2, None),
            (a, 4, None),
            (a, 4, None),
            (b, 8, Some(b)),
            (b, 16, None),
        ];
        assert_eq!(cubes, want);
        // Written again, automatic doubles are in the first nodes, and what was set up later stays there.
        let text = reading.file.sgf(&[false; 2], &|_, _| None);
        assert_eq!(
            [
                text.matches("]CV[2]RE[W+2R]").count(),
                text.matches("]CV[4]\n;W[31").count()
            ],
            [1, 1],
            "{text}"
        );
        assert_eq!(
            MatchFile::read(text.as_bytes()).unwrap().file.games,
            reading.file.games
        );
    }
}
