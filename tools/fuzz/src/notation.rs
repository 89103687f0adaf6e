//! Notations: one function for each parser.
//!
//! Each reads arbitrary bytes and asserts what must hold whatever they are: no panic inside, an
//! error that points into the text and fits on a line, and a value that prints and reads back to
//! itself.

use std::fmt::Display;

use gammond_game::notation::{
    BenchmarkRecord, BoardDialect, BoardLine, Form, GnubgId, MatchFile, MatchFormat, MatchId,
    MatchView, NotationError, Ogid, ParsedPosition, PositionId, PositionKey, Xgid, XgidView,
    parse_play, parse_position, parse_roll, parse_training_line, plain_play_text, play_text,
    split_position,
};
use gammond_game::{Position, Roll};

/// Bytes that a fuzz target reads, at most: the longest request line.
const LONGEST: usize = 4096;

/// Checks a result; gives the value if there is one.
fn checked<T>(data: &[u8], result: Result<T, NotationError>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(error) => {
            assert!(error.at() <= data.len(), "{error} at {}", error.at());
            let message = error.to_string();
            assert!(!message.chars().any(char::is_control), "{message:?}");
            assert!(message.len() < 200, "{message}");
            None
        }
    }
}

/// Prints a value and reads it again.
fn again<T>(value: &T, read: impl Fn(&[u8]) -> Result<T, NotationError>)
where
    T: Display + PartialEq + std::fmt::Debug,
{
    let printed = value.to_string();
    let same = read(printed.as_bytes());
    assert_eq!(same.as_ref(), Ok(value), "{printed}");
}

/// Any form of a position: [`parse_position`], [`split_position`] and the printers.
pub fn fuzz_position(data: &[u8]) {
    let (position, rest) = split_position(data);
    assert!(position.len() + rest.len() <= data.len());
    let Some(parsed) = checked(data, parse_position(data)) else {
        return;
    };
    let ParsedPosition { position, roll, .. } = parsed;
    let state = parsed.state.unwrap_or_default();
    for form in Form::ALL {
        let offer = parsed.offer.filter(|_| parsed.is_doubled());
        let roll = roll.filter(|_| offer.is_none());
        let printed = form.print(&position, &state, roll, offer);
        let same = checked(printed.as_bytes(), parse_position(printed.as_bytes()));
        assert_eq!(same.map(|same| same.position), Some(position), "{printed}");
    }
}

/// Position ID and 20-letter key.
pub fn fuzz_position_id(data: &[u8]) {
    if let Some(id) = checked(data, PositionId::parse(data)) {
        again(&id, PositionId::parse);
    }
    if let Some(key) = checked(data, PositionKey::parse(data)) {
        again(&key, PositionKey::parse);
    }
    if let Some((bytes, _)) = data.split_first_chunk::<10>()
        && let Ok(key) = PositionKey::from_bytes(*bytes)
    {
        assert_eq!(key.bytes(), *bytes);
    }
}

/// Match ID and GNUbg ID, strict and pasted.
pub fn fuzz_match_id(data: &[u8]) {
    if let Some(id) = checked(data, MatchId::parse(data)) {
        again(&id, MatchId::parse);
        if let Some(view) = checked(data, id.view()) {
            let MatchView {
                state,
                roll,
                offer,
                on_roll,
            } = view;
            let printed = MatchId::of(&state, roll, offer, on_roll);
            assert_eq!(printed.view().map(|view| view.state), Ok(state));
        }
    }
    if let Some(id) = checked(data, GnubgId::parse(data)) {
        again(&id, GnubgId::parse);
    }
    if let Some(id) = checked(data, GnubgId::find(data)) {
        again(&id, GnubgId::find);
    }
}

/// XGID.
pub fn fuzz_xgid(data: &[u8]) {
    let Some(xgid) = checked(data, Xgid::parse(data)) else {
        return;
    };
    again(&xgid, Xgid::parse);
    assert_eq!(xgid.turned().turned(), xgid);
    if let Some(view) = checked(xgid.to_string().as_bytes(), xgid.view()) {
        let XgidView {
            position,
            state,
            roll,
            offer,
            no_cube,
        } = view;
        let same = Xgid::of(&position, &state, roll, offer).view();
        assert_eq!(
            same,
            Ok(XgidView {
                no_cube: false,
                ..view
            })
        );
        assert_eq!(xgid.turned().view().map(|view| view.no_cube), Ok(no_cube));
    }
}

/// OGID.
pub fn fuzz_ogid(data: &[u8]) {
    let Some(ogid) = checked(data, Ogid::parse(data)) else {
        return;
    };
    again(&ogid, Ogid::parse);
    if let Some(view) = checked(ogid.to_string().as_bytes(), ogid.view()) {
        let same = Ogid::of(
            &view.position,
            &view.state,
            view.roll,
            view.offer,
            view.on_roll,
        );
        let same = same
            .view()
            .map(|same| (same.position, same.state, same.roll, same.offer));
        let want = (view.position, view.state, view.roll, view.offer);
        assert_eq!(same, Ok(want));
    }
}

/// FIBS board line.
pub fn fuzz_board_line(data: &[u8]) {
    let Some((line, length)) = checked(data, BoardLine::parse_prefix(data)) else {
        return;
    };
    assert!(length <= data.len());
    again(&line, BoardLine::parse);
    for dialect in [
        BoardDialect::External,
        BoardDialect::Fibs,
        BoardDialect::RawBoard,
    ] {
        if let Some(view) = checked(line.to_string().as_bytes(), line.view(dialect)) {
            let names = ["a", "b"];
            let same =
                BoardLine::external(names, &view.position, &view.state, view.roll, view.offer);
            let same = same.view(BoardDialect::External);
            assert_eq!(same.map(|same| same.position), Ok(view.position));
        }
    }
}

/// A line of a benchmark or training file.
pub fn fuzz_benchmark_line(data: &[u8]) {
    let data = data.get(..LONGEST).unwrap_or(data);
    if let Some(record) = checked(data, BenchmarkRecord::parse(data)) {
        // Numbers are printed with six digits, so only the second reading is the same as the first.
        let printed = record.to_string();
        let rounded = checked(
            printed.as_bytes(),
            BenchmarkRecord::parse(printed.as_bytes()),
        );
        assert!(rounded.is_some(), "{printed}");
        if let Some(rounded) = rounded {
            assert_eq!(rounded.to_string(), printed);
        }
    }
    if let Some(Some(record)) = checked(data, parse_training_line(data)) {
        let printed = record.training_line();
        let same = checked(printed.as_bytes(), parse_training_line(printed.as_bytes()));
        assert_eq!(
            same.flatten().map(|same| same.position),
            Some(record.position)
        );
    }
}

/// The text of a play: the first byte chooses the roll, the next 14 the position.
pub fn fuzz_play(data: &[u8]) {
    let Some((&choice, text)) = data.split_first() else {
        return;
    };
    let Some(&roll) = Roll::ALL.get(usize::from(choice) % Roll::ALL.len()) else {
        return;
    };
    let (position, text) = match text.split_at_checked(14) {
        Some((id, rest)) => match PositionId::parse(id) {
            Ok(id) => (id.position(), rest),
            Err(_) => (Position::start(), text),
        },
        None => (Position::start(), text),
    };
    let text = text.get(..64).unwrap_or(text);
    if let Some(legal) = checked(text, parse_play(text, &position, roll)) {
        for printed in [
            play_text(&position, &legal.play),
            plain_play_text(&position, &legal.play),
        ] {
            let same = parse_play(&printed, &position, roll);
            assert_eq!(same.map(|same| same.after), Ok(legal.after), "{printed}");
        }
    }
}

/// A match file.
pub fn fuzz_mat(data: &[u8]) {
    if let Some(file) = checked(data, MatchFile::parse(data)) {
        let printed = file.to_string();
        let same = checked(printed.as_bytes(), MatchFile::parse(printed.as_bytes()));
        assert_eq!(same.map(|same| same.to_string()), Some(printed));
    }
    // What is read with faults can be printed and read again as well.
    if let Some(reading) = checked(data, MatchFile::read(data)) {
        assert_eq!(reading.file.games.len(), reading.lines.len());
        for (game, lines) in reading.file.games.iter().zip(&reading.lines) {
            assert_eq!(game.actions.len(), lines.len());
        }
        for fault in reading.faults {
            checked(data, Err::<(), _>(fault.error));
            assert!(fault.line > 0 || MatchFormat::of(data).is_binary());
        }
        let printed = reading.file.to_string();
        assert!(reading.file.games.is_empty() || MatchFile::read(printed.as_bytes()).is_ok());
    }
}

/// The log of a client of FIBS: what follows the beginning of a match, and sentences and boards that the bytes choose from
/// those of matches played, saved, loaded again and watched. Every match of it can be printed and read again.
pub fn fuzz_fibs_log(data: &[u8]) {
    const LINES: [&str; 24] = [
        "1 me 1795224299 127.0.0.1",
        "Starting a new game with bob.",
        "** You are now playing a 3 point match with bob",
        "** Player eve has joined you for an unlimited match.",
        "You are now playing with bob. Your running match was loaded.",
        "** Player bob has left the game. The game was saved.",
        "You rolled 3, bob rolled 1",
        "bob rolls 3 and 1.",
        "You roll 6 and 5.",
        "bob moves 8-5 6-5 .",
        "bob moves 17-20 19-20 .",
        "You can't move.",
        "bob doubles. Type 'accept' or 'reject'.",
        "You accept the double. The cube shows 2.",
        "bob gives up. You win 1 point.",
        "You win the game and get 2 points. Congratulations!",
        "You win the 3 point match 3-1 .",
        "You're now watching ann.",
        "ann and joe start a 5 point match.",
        "ann and joe are resuming their 5-point match.",
        "ann rolled 6, joe rolled 1",
        "joe moves 12-14 17-23 .",
        "ann wins a 5 point match against joe  5-3 .",
        "You stop watching ann.",
    ];
    const BOARD: &str = ":3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:2:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0";
    let mut text = b"Starting a new game with bob.\nYou rolled 3, bob rolled 1\n".to_vec();
    let mut chosen = text.clone();
    for &byte in data.iter().take(128) {
        match LINES.get(usize::from(byte) % (LINES.len() + 8)) {
            Some(line) => chosen.extend(line.as_bytes()),
            None => {
                let names = ["You:bob", "You:eve", "ann:joe", "joe:ann"];
                let names = names.get(usize::from(byte >> 6)).unwrap_or(&"You:bob");
                let board = BOARD.replacen(":3:", if byte & 1 == 0 { ":3:" } else { ":5:" }, 1);
                chosen.extend(format!("board:{names}{board}").bytes());
            }
        }
        chosen.push(b'\n');
    }
    text.extend(data);
    for log in [text, chosen] {
        fuzz_mat(&log);
        for reading in MatchFile::read_all(&log).unwrap_or_default() {
            assert!(!reading.file.games.is_empty() && reading.line > 0 && reading.at < log.len());
            assert_eq!(reading.file.games.len(), reading.lines.len());
            let printed = reading.file.to_string();
            let again = MatchFile::read_all(printed.as_bytes());
            assert_eq!(again.map(|again| again.len()), Ok(1), "{printed}");
        }
    }
}

/// GNU Backgammon's `.sgf`: what follows the first node's head. What is read without fault is the same when it is written
/// and read again.
pub fn fuzz_sgf(data: &[u8]) {
    let mut text = b"(;FF[4]GM[6]MI[length:5][game:0][ws:0][bs:0]PW[a]PB[b]".to_vec();
    text.extend(data);
    fuzz_mat(&text);
    let Ok(file) = MatchFile::parse(&text) else {
        return;
    };
    let printed = file.sgf(&[], &|_, _| None);
    let same = MatchFile::parse(printed.as_bytes()).map(|same| same.games.len());
    assert_eq!(same, Ok(file.games.len()), "{printed}");
}

/// OGXM: the text as a file, and as the actions of a game. What is read without fault is the same when it is written and
/// read again.
pub fn fuzz_ogxm(data: &[u8]) {
    fuzz_mat(data);
    let mut file =
        b"OGXM\x02\0\0\0\x02\0\0\0\0\0\0\0MTCH\x08\0\0\0\x01\x07\x03\x05\0\x01a\x01b".to_vec();
    let length = u32::try_from(data.len()).unwrap_or_default();
    file.extend(b"GAME");
    file.extend(length.to_le_bytes());
    file.push(1);
    file.extend(data);
    file.extend(b"END!");
    let length = u32::try_from(file.len()).unwrap_or_default();
    if let Some(place) = file.get_mut(12..16) {
        place.copy_from_slice(&length.to_le_bytes());
    }
    fuzz_mat(&file);
    if let Ok(Ok(bytes)) = MatchFile::parse(&file).as_ref().map(MatchFile::ogxm) {
        let again = MatchFile::parse(&bytes);
        assert_eq!(again.as_ref().map(MatchFile::ogxm), Ok(Ok(bytes.clone())));
    }
}

/// BGBlitz's `.bgf`: the text as a file, as JSON in Smile's encoding, and as the members of records of a game.
pub fn fuzz_bgf(data: &[u8]) {
    const LINE: &[u8] = b"{\"format\":\"BGF\"}\n";
    fuzz_mat(data);
    fuzz_mat(&[LINE, data].concat());
    fuzz_mat(&[LINE, b":)\n\x01", data].concat());
    // A match of one game whose records hold small numbers, a byte each: green and red take turns.
    let small = |byte: u8| 0xc0 | byte & 0x1f;
    let key = |name: &str| {
        let length = u8::try_from(name.len()).unwrap_or(1);
        [&[0x7f + length], name.as_bytes()].concat()
    };
    let mut file = [LINE, b":)\n\0\xfa"].concat();
    file.extend(key("games"));
    file.extend(b"\xf8\xfa");
    file.extend(key("moves"));
    file.push(0xf8);
    for (number, record) in data.chunks(10).enumerate() {
        file.push(0xfa);
        file.extend(key("player"));
        file.push(small(1 + u8::from(number % 2 == 1)));
        let mut bytes = record.iter().copied();
        for name in ["red", "green"] {
            file.extend(key(name));
            file.push(small(2 * (bytes.next().unwrap_or(1) % 7)));
        }
        for name in ["from", "to"] {
            file.extend(key(name));
            file.push(0xf8);
            for byte in bytes.by_ref().take(4) {
                // A point from -1 to 25: zigzag, in a byte, or in a number of one byte.
                let zigzag = (2 * (byte % 27)).checked_sub(2).unwrap_or(1);
                match zigzag {
                    0..32 => file.push(small(zigzag)),
                    _ => file.extend([0x24, 0x80 | zigzag]),
                }
            }
            file.push(0xf9);
        }
        file.push(0xfb);
    }
    file.extend(b"\xf9\xfb\xf9\xfb");
    fuzz_mat(&file);
}

/// Bytes of a record of an `.xg` file that differ from nothing.
const XG_BYTES: usize = 116;

/// eXtreme Gammon's `.xg`: the text as a file, as packed records, and as the beginnings of records.
pub fn fuzz_xg(data: &[u8]) {
    fuzz_mat(data);
    let packed = xg_archive(data, 1 << 16, 0);
    fuzz_mat(&packed);
    let mut records = vec![0; 2560];
    if let Some(place) = records.get_mut(92) {
        *place = 5;
    }
    if let Some(place) = records.get_mut(556..560) {
        place.copy_from_slice(b"DMLI");
    }
    for chunk in data.chunks(XG_BYTES) {
        let mut record = vec![0; 8];
        record.extend(chunk);
        record.resize(2560, 0);
        records.extend(record);
    }
    fuzz_mat(&xg_archive(&records, records.len(), 1));
}

/// Returns a file with these records; `stored` is 1, or 0 for packed ones.
fn xg_archive(records: &[u8], whole: usize, stored: u8) -> Vec<u8> {
    let number = |value: usize| u32::try_from(value).unwrap_or_default().to_le_bytes();
    let mut bytes = b"RGMH\x01\0\0\0".to_vec();
    bytes.extend(number(24));
    bytes.resize(24, 0);
    bytes.extend(records);
    let mut entry = b"\x07temp.xg".to_vec();
    entry.resize(512, 0);
    for value in [whole, records.len(), 0, 0] {
        entry.extend(number(value));
    }
    entry.extend([stored, 0, 0, 0]);
    bytes.extend(&entry);
    let mut trailer = vec![0; 12];
    trailer.extend(number(entry.len()));
    trailer.resize(36, 0);
    bytes.extend(trailer);
    bytes
}

/// A roll.
pub fn fuzz_roll(data: &[u8]) {
    if let Some(roll) = checked(data, parse_roll(data)) {
        again_roll(roll);
    }
}

fn again_roll(roll: Roll) {
    assert_eq!(parse_roll(roll.to_string().as_bytes()), Ok(roll));
}
