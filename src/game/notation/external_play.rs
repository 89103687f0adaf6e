//! gnubg's rules for reading the play that an external player sends (EXT-24 to EXT-26). The reply is checked by the
//! same rules before it is sent.

use crate::{BAR, Position, Roll, legal_plays};
use nom::branch::alt;
use nom::bytes::complete::{tag_no_case, take_while};
use nom::character::complete::{char, digit1};
use nom::combinator::{map, map_opt, value};
use nom::sequence::delimited;
use nom::{IResult, Parser};

/// Points at most in one reply.
const POINTS_MAX: usize = 8;
/// gnubg's number of the bar.
const BAR_POINT: u8 = 25;

/// The result of gnubg's reading of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A legal play that leads to this position, the opponent on roll; the same position turned
    /// round when nothing can be played.
    Played(Position),
    /// Readable but not legal: the turn would be lost.
    Forfeit,
    /// The play is not readable: gnubg 1.07.001 ends or plays something else.
    Unreadable,
}

/// Reads `text` as a play of `roll` in `position`.
#[must_use]
pub fn read_play(position: &Position, roll: Roll, text: &str) -> Reading {
    let Some(mut pairs) = pairs(text.as_bytes()) else {
        return Reading::Unreadable;
    };
    let legal = legal_plays(position, roll);
    if legal.is_empty() {
        return Reading::Played(position.swapped());
    }
    pairs.sort_by(|a, b| b.cmp(a));
    let after = applied(position, &pairs);
    match after.filter(|after| legal.iter().any(|play| play.after == *after)) {
        Some(after) => Reading::Played(after),
        None => Reading::Forfeit,
    }
}

/// Returns the position after gnubg's blind application of the pairs, the opponent on roll.
fn applied(position: &Position, pairs: &[(u8, u8)]) -> Option<Position> {
    let (mut me, mut opponent) = (position.me().counts(), position.opponent().counts());
    for &(from, to) in pairs {
        let source = me.get_mut(usize::from(from.checked_sub(1)?))?;
        if to >= from || *source == 0 {
            break;
        }
        *source -= 1;
        if to == 0 {
            continue;
        }
        let there = opponent.get_mut(usize::from(24_u8.checked_sub(to)?))?;
        if *there > 1 {
            break;
        }
        if *there == 1 {
            *there = 0;
            *opponent.get_mut(BAR)? += 1;
        }
        *me.get_mut(usize::from(to - 1))? += 1;
    }
    Position::new(&opponent, &me).ok()
}

#[derive(Clone, Copy)]
enum Token {
    Point(u8),
    Slash,
    Times(usize),
}

fn token(input: &[u8]) -> IResult<&[u8], Token> {
    let number = map_opt(digit1, |digits: &[u8]| {
        let text = std::str::from_utf8(digits).ok()?;
        text.parse::<u8>().ok().filter(|&point| point <= BAR_POINT)
    });
    let bar = value(
        BAR_POINT,
        alt((tag_no_case("bar"), tag_no_case("ba"), tag_no_case("b"))),
    );
    let off = value(
        0,
        alt((
            tag_no_case("off"),
            tag_no_case("of"),
            tag_no_case("o"),
            tag_no_case("-"),
        )),
    );
    let times = map_opt(
        delimited(char('('), digit1, char(')')),
        |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<usize>().ok(),
    );
    alt((
        map(alt((number, bar, off)), Token::Point),
        value(Token::Slash, char('/')),
        map(times, Token::Times),
    ))
    .parse(input)
}

/// Returns the points in order, each with whether a slash joins it to the one before.
fn points(text: &[u8]) -> Option<Vec<(u8, bool)>> {
    let mut points: Vec<(u8, bool)> = Vec::new();
    let mut slash = false;
    let mut rest = text;
    loop {
        let skipped: IResult<&[u8], &[u8]> =
            take_while(|byte: u8| byte.is_ascii_whitespace() || b"*,)".contains(&byte))(rest);
        rest = skipped.ok()?.0;
        if rest.is_empty() {
            break;
        }
        let (after, found) = token(rest).ok()?;
        rest = after;
        match found {
            Token::Slash if slash || points.is_empty() => return None,
            Token::Slash => slash = true,
            Token::Point(point) => {
                points.push((point, slash));
                slash = false;
            }
            Token::Times(times) => {
                if times < 2 || points.len() < 2 || slash {
                    return None;
                }
                let start = points.iter().rposition(|&(_, joined)| !joined)?;
                let chain = points.get(start..)?.to_vec();
                if points.len() + chain.len() * (times.min(POINTS_MAX) - 1) > POINTS_MAX {
                    return None;
                }
                for _ in 1..times {
                    points.extend_from_slice(&chain);
                }
            }
        }
        if points.len() > POINTS_MAX {
            return None;
        }
    }
    (!slash).then_some(points)
}

/// Parses source and destination pairs; a destination with a slash after it is the next source.
fn pairs(text: &[u8]) -> Option<Vec<(u8, u8)>> {
    let points = points(text)?;
    let mut flat: Vec<u8> = Vec::new();
    for (index, &(point, _)) in points.iter().enumerate() {
        let destination = flat.len() % 2 == 1;
        let wrong = if destination { BAR_POINT } else { 0 };
        if flat.len() >= POINTS_MAX || point == wrong {
            return None;
        }
        flat.push(point);
        let goes_on = points.get(index + 1).is_some_and(|&(_, joined)| joined);
        if destination && goes_on {
            if flat.len() >= POINTS_MAX || point == 0 {
                return None;
            }
            flat.push(point);
        }
    }
    let even = flat.len().is_multiple_of(2);
    let pair = |pair: &[u8]| match pair {
        &[from, to] => Some((from, to)),
        _ => None,
    };
    even.then(|| flat.chunks(2).map(pair).collect())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, accepted: bool) {
        let reading = read_play(&Position::start(), Roll::new(3, 1).unwrap(), text);
        assert_eq!(
            matches!(reading, Reading::Played(_)),
            accepted,
            "{text}: {reading:?}"
        );
    }

    fn check_unreadable(text: &str) {
        let reading = read_play(&Position::start(), Roll::new(3, 1).unwrap(), text);
        assert_eq!(reading, Reading::Unreadable, "{text}");
    }

    /// EXT-24, EXT-25: spellings that gnubg takes, and those that end it.
    #[test]
    fn gnubgs_grammar_of_plays() {
        for good in [
            "8/5 6/5",
            "8/5 6/5 \r",
            "6/5 8/5",
            "24/20",
            "8 5 6 5",
            "8/5,6/5",
            "8/5*6/5*",
            "24/23/20",
            "8/5 6/5 4/3",
        ] {
            check(good, true);
        }
        for illegal in ["8/4 6/5", "", "13/11", "25/22 24/23"] {
            check(illegal, false);
        }
        for bad in [
            "hello",
            "roll",
            "double",
            "take",
            "move 8/5 6/5",
            "8/5 6/5.",
            "cannot move",
            "none",
            "pass",
            "-",
            "0",
            "8-5",
            "99/5",
            "13/11(1)",
            "off/6",
            "8//5",
            "/8",
            "8/",
            "12/9 7/5 6",
            "13/11(5)",
            "8/25",
            "8/5/bar",
            "8/off/5",
            "(2)",
            "8/5(99999999999999999999999)",
        ] {
            check_unreadable(bad);
        }
    }
}
