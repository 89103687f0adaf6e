//! The archive of a `.bgf` file and the members of its objects: a line of JSON, then gzip or zlib of JSON in Smile's
//! encoding. Rules MAT-70 and MAT-71 of `protocol-specs/match-files.md`.

use super::recorder::FieldError;
use crate::notation::error::Reason;
use flate2::bufread::{MultiGzDecoder, ZlibDecoder};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::cell::Cell;
use std::fmt;
use std::io::{BufRead, Read};

/// Most bytes of unpacked data, as of an `.xg` file.
const UNPACKED_BYTES_MAX: usize = 64 << 20;
/// Most bytes of unpacked data for each packed byte, so that no small request takes much memory; a match with its
/// analyses has about ten.
const UNPACKED_RATIO_MAX: usize = 32;
/// Bytes of unpacked data that every file may have.
const UNPACKED_BYTES_MIN: usize = 1 << 20;
/// Most bytes of the line before the data.
const LINE_BYTES_MAX: usize = 4 << 10;
/// Maximum number of records of a game that are kept: more than a game can have actions.
const RECORDS_MAX: usize = 12_000;
/// Maximum number of candidates of a play that are kept; the program writes eight.
const CANDIDATES_MAX: usize = 32;
/// Points of a board: 24, and the bars of both players.
const BOARD: usize = 26;
/// Steps of a play.
const STEPS: usize = 4;
/// Maximum number of letters of a text that are kept.
const TEXT_LETTERS_MAX: usize = 1000;
/// Largest number that means that nothing was computed; the program writes -99 and -999.
const NOTHING: f64 = -98.0;

const FIELD: &str = "BGF file";
const SMILE: &[u8] = b":)\n";

pub(super) const fn wrong(why: &'static str) -> FieldError {
    (FIELD, Reason::Other(why))
}

/// Returns true if the first line is `{"format":"BGF","version":"1.0",…}`.
pub(super) fn is_bgf(bytes: &[u8]) -> bool {
    let has = |line: &[u8], word: &[u8]| line.windows(word.len()).any(|window| window == word);
    line(bytes).is_some_and(|(line, _)| {
        let line = line.trim_ascii_start();
        line.starts_with(b"{") && has(line, b"\"format\"") && has(line, b"\"BGF\"")
    })
}

/// Returns the first line and what follows it.
fn line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let head = bytes.get(..LINE_BYTES_MAX).unwrap_or(bytes);
    let end = head.iter().position(|&byte| byte == b'\n')?;
    bytes.split_at_checked(end + 1)
}

/// Returns the data in Smile's encoding, and the reason why it is not whole, if so.
pub(super) fn unpacked(bytes: &[u8]) -> Result<(Vec<u8>, Option<FieldError>), FieldError> {
    let (_, packed) = line(bytes).ok_or(wrong("has no data behind its first line"))?;
    let most = packed
        .len()
        .saturating_mul(UNPACKED_RATIO_MAX)
        .clamp(UNPACKED_BYTES_MIN, UNPACKED_BYTES_MAX);
    let limit = most as u64 + 1;
    let mut data = Vec::new();
    let read = match packed {
        [0x1f, 0x8b, ..] => MultiGzDecoder::new(packed)
            .take(limit)
            .read_to_end(&mut data),
        [0x78, ..] => ZlibDecoder::new(packed).take(limit).read_to_end(&mut data),
        _ => packed.take(limit).read_to_end(&mut data),
    };
    if data.len() > most {
        return Err(wrong(match most {
            UNPACKED_BYTES_MAX => "unpacks to more than 64 MiB",
            _ => "unpacks to more than 32 times its size",
        }));
    }
    match (data.starts_with(SMILE), read) {
        (true, Ok(_)) => Ok((data, None)),
        (true, Err(_)) => Ok((
            data,
            Some(wrong("is damaged: it cannot be unpacked to its end")),
        )),
        (false, Err(_)) => Err(wrong("is damaged: it cannot be unpacked")),
        (false, Ok(_)) => Err(wrong("holds no JSON in Smile's encoding")),
    }
}

/// A number. BGBlitz writes many of them as texts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Number(pub(super) Option<f64>);

impl Number {
    /// Returns a whole number.
    pub(super) fn whole(self) -> Option<i32> {
        let number = self
            .0
            .filter(|number| number.fract() == 0.0 && number.abs() < 1e9)?;
        #[expect(clippy::cast_possible_truncation, reason = "whole and small")]
        Some(number as i32)
    }

    /// Returns a number that was computed.
    pub(super) fn computed(self) -> Option<f64> {
        self.0.filter(|&number| number > NOTHING)
    }

    /// Returns true or false; `None` if the file has neither.
    pub(super) fn switch(self) -> Option<bool> {
        self.0.map(|number| number != 0.0)
    }
}

/// A member of any type, of which texts and numbers are kept.
#[derive(Clone, Debug, Default)]
pub(super) struct Member {
    pub(super) number: Number,
    pub(super) text: String,
}

struct MemberVisitor;

impl<'de> Visitor<'de> for MemberVisitor {
    type Value = Member;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Member, E> {
        Ok(Member::number(if value { 1.0 } else { 0.0 }))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Member, E> {
        Ok(Member::number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Member, E> {
        Ok(Member::number(value as f64))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Member, E> {
        Ok(Member::number(value as f64))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Member, E> {
        Ok(Member::number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Member, E> {
        Ok(Member::number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Member, E> {
        let number = match value.trim() {
            "true" => Some(1.0),
            "false" => Some(0.0),
            text => text.parse().ok().filter(|number: &f64| number.is_finite()),
        };
        let text = value.chars().take(TEXT_LETTERS_MAX).collect();
        let number = Number(number);
        Ok(Member { number, text })
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Member, E> {
        Ok(Member::default())
    }

    fn visit_unit<E>(self) -> Result<Member, E> {
        Ok(Member::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Member, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Member::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Member, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Member::default())
    }
}

impl Member {
    fn number(number: f64) -> Member {
        Member {
            number: Number(Some(number).filter(|number| number.is_finite())),
            text: String::new(),
        }
    }
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Member, D::Error> {
        deserializer.deserialize_any(MemberVisitor)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        Member::deserialize(deserializer).map(|member| member.number)
    }
}

/// The first `MOST` elements of an array.
#[derive(Clone, Debug)]
pub(super) struct First<T, const MOST: usize>(pub(super) Vec<T>);

impl<T, const MOST: usize> Default for First<T, MOST> {
    fn default() -> Self {
        First(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for First<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut first = First::default();
        Elements(&mut first).deserialize(deserializer)?;
        Ok(first)
    }
}

/// Appends the elements of an array, so that the elements before a fault stay.
struct Elements<'a, T, const MOST: usize>(&'a mut First<T, MOST>);

impl<'de, T: Deserialize<'de>, const MOST: usize> DeserializeSeed<'de> for Elements<'_, T, MOST> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Elements<'_, T, MOST> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Elements(First(kept)) = self;
        while kept.len() < MOST {
            match seq.next_element()? {
                Some(element) => kept.push(element),
                None => return Ok(()),
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// The equity of a position. Chances are those of the player who moves, of gammons with backgammons.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Equity {
    /// Cubeless equity, in matches normalised to the cube.
    pub(super) emg: Number,
    /// False in money play, where `emg` is not written.
    #[serde(rename = "hasEMG")]
    pub(super) has_emg: Number,
    /// Cubeless chance of the match.
    pub(super) match_equity: Number,
    pub(super) my_wins: Number,
    pub(super) my_gammon: Number,
    pub(super) my_back_gammon: Number,
    pub(super) opp_gammon: Number,
    pub(super) opp_back_gammon: Number,
    pub(super) cube_decision: Option<CubeDecision>,
}

/// A decision about the cube: in matches chances of the match, in money play equities.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct CubeDecision {
    pub(super) eq_no_double: Number,
    pub(super) eq_double_take: Number,
    pub(super) eq_double_pass: Number,
    pub(super) eq_cube_ful: Number,
    pub(super) has_doubled: Number,
    pub(super) has_accepted: Number,
}

/// Steps of a play, by the numbers of the player who moves: 25 is the bar, 0 and below off, a `from` of -1 ends them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Steps {
    pub(super) from: First<Number, STEPS>,
    pub(super) to: First<Number, STEPS>,
}

/// A candidate of a play.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Candidate {
    pub(super) eq: Option<Equity>,
    #[serde(rename = "move")]
    pub(super) steps: Option<Steps>,
    pub(super) ply: Number,
    pub(super) played: Number,
}

/// A record of a game: a play, a double or its answer.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct GameRecord {
    /// -1 for green, 1 for red.
    pub(super) player: Number,
    pub(super) from: First<Number, STEPS>,
    pub(super) to: First<Number, STEPS>,
    /// The dice.
    pub(super) red: Number,
    pub(super) green: Number,
    pub(super) equity: Option<Equity>,
    pub(super) move_analysis: First<Candidate, CANDIDATES_MAX>,
    /// The value of the position after a roll that cannot be played.
    pub(super) dancing_equity: Option<IgnoredAny>,
    pub(super) ply: Number,
}

/// The board and the cube at the start of a game.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Initial {
    /// Points 1 to 24 by the numbers of red, green's checkers positive; the bar of green, that of red.
    pub(super) points: First<Number, BOARD>,
    pub(super) cube: Number,
    /// -1 for green, 1 for red.
    pub(super) cube_owner: Number,
}

/// The members of a game.
#[derive(Debug, Default)]
pub(super) struct GameMembers {
    pub(super) scores: [Number; 2],
    pub(super) is_crawford: Number,
    pub(super) won_points: Number,
    pub(super) was_resignation: Number,
    pub(super) initial: Option<Initial>,
    pub(super) records: First<GameRecord, RECORDS_MAX>,
}

/// The members of the match.
#[derive(Debug, Default)]
pub(super) struct MatchMembers {
    pub(super) names: [String; 2],
    pub(super) length: Number,
    pub(super) last_scores: [Number; 2],
    pub(super) use_crawford: Number,
    pub(super) use_jacoby: Number,
    pub(super) use_beaver: Number,
    pub(super) event: String,
    pub(super) site: String,
    pub(super) date: String,
}

/// Reads the data from the front and counts its bytes.
struct Counted<'a> {
    rest: &'a [u8],
    read: &'a Cell<usize>,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.rest.read(buffer)?;
        self.read.set(self.read.get() + count);
        Ok(count)
    }
}

impl BufRead for Counted<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        Ok(self.rest)
    }

    fn consume(&mut self, count: usize) {
        self.read.set(self.read.get() + count);
        self.rest.consume(count);
    }
}

impl MatchMembers {
    /// Reads the members of the match, as far as the data is sound. Its games are skipped.
    pub(super) fn of(data: &[u8]) -> MatchMembers {
        let mut members = MatchMembers::default();
        let mut deserializer = serde_smile::Deserializer::from_slice(data);
        // The reader of the games finds and reports the fault.
        let _ = deserializer.deserialize_map(&mut members);
        members
    }
}

impl<'de> Visitor<'de> for &mut MatchMembers {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a match")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let [green, red] = &mut self.names;
        let [last_green, last_red] = &mut self.last_scores;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "nameGreen" => *green = map.next_value::<Member>()?.text,
                "nameRed" => *red = map.next_value::<Member>()?.text,
                "event" => self.event = map.next_value::<Member>()?.text,
                "site" => self.site = map.next_value::<Member>()?.text,
                "date" => self.date = map.next_value::<Member>()?.text,
                "matchlen" => self.length = map.next_value()?,
                "finalGreen" => *last_green = map.next_value()?,
                "finalRed" => *last_red = map.next_value()?,
                "useCrawford" => self.use_crawford = map.next_value()?,
                "useJacoby" => self.use_jacoby = map.next_value()?,
                "useBeaver" => self.use_beaver = map.next_value()?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// Passes each game to `on_game` with the byte at which it begins, as far as the data is sound; `false` from it ends
/// the reading. Returns the byte of a fault in the data.
pub(super) fn each_game(
    data: &[u8],
    on_game: &mut dyn FnMut(GameMembers, usize) -> bool,
) -> Result<(), usize> {
    let read = Cell::new(0);
    let counted = Counted {
        rest: data,
        read: &read,
    };
    let mut deserializer = serde_smile::Deserializer::from_reader(counted);
    let mut games = Games {
        on_game,
        read: &read,
        goes_on: true,
    };
    match deserializer.deserialize_map(&mut games) {
        Ok(()) => Ok(()),
        Err(_) if !games.goes_on => Ok(()),
        Err(_) => Err(read.get()),
    }
}

struct Games<'a> {
    on_game: &'a mut dyn FnMut(GameMembers, usize) -> bool,
    read: &'a Cell<usize>,
    goes_on: bool,
}

impl<'de> Visitor<'de> for &mut Games<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a match with its games")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "games" => map.next_value_seed(&mut *self)?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while self.goes_on {
            let at = self.read.get();
            let mut game = GameMembers::default();
            // A game that breaks off is passed on with its actions so far.
            let next = seq.next_element_seed(&mut game);
            if matches!(next, Ok(None)) {
                return Ok(());
            }
            if next.is_ok() || game.begun() {
                self.goes_on = (self.on_game)(game, at);
            }
            next?;
        }
        Err(serde::de::Error::custom("further games are not read"))
    }
}

impl<'de> DeserializeSeed<'de> for &mut Games<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl GameMembers {
    /// Returns true if a record was read.
    fn begun(&self) -> bool {
        !self.records.0.is_empty()
    }
}

impl<'de> DeserializeSeed<'de> for &mut GameMembers {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut GameMembers {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a game")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let [green, red] = &mut self.scores;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "scoreGreen" => *green = map.next_value()?,
                "scoreRed" => *red = map.next_value()?,
                "isCrawford" => self.is_crawford = map.next_value()?,
                "wonPoints" => self.won_points = map.next_value()?,
                "wasResignation" => self.was_resignation = map.next_value()?,
                "initial" => self.initial = map.next_value()?,
                "moves" => map.next_value_seed(Elements(&mut self.records))?,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}
