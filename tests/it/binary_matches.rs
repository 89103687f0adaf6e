//! Matches in binary files: OGXM beside its own library, and eXtreme Gammon's `.xg` by its published layout: rules
//! MAT-30 to MAT-46. Four real `.xg` files lie in `tests/data/xg`, with the text of what was played; others are built from
//! the layout that 2,261 real records have.

use flate2::{Compression, write::ZlibEncoder};
use gammond_game::notation::{
    MatAction, MatGame, MatPlayer, MatchFile, MatchReading, SetUp, steps_made,
};
use gammond_game::{OFF, Play, Position, Roll};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const MATCHES: [&str; 5] = ["money3", "one1", "seven7", "seven7u", "three3"];

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn sample(name: &str) -> MatchFile {
    let bytes = std::fs::read(data("analysis").join(format!("{name}.mat"))).unwrap();
    MatchFile::parse(&bytes).unwrap()
}

fn told(reading: &MatchReading) -> Vec<String> {
    reading.faults.iter().map(ToString::to_string).collect()
}

/// The games as `.mat`, in which the order of steps is canonical enough.
fn games(
    file: &MatchFile,
) -> Vec<(
    Vec<MatPlayer>,
    [u32; 2],
    Option<(MatPlayer, u32)>,
    Vec<Position>,
)> {
    let start = file.start().unwrap();
    let boards = |game: &MatGame| {
        let mut position = start;
        let mut last = None;
        let mut boards = Vec::new();
        for &(player, action) in &game.actions {
            if last.is_some_and(|last| last != player) {
                position = position.swapped();
            }
            last = Some(player);
            if let MatAction::Play { play, .. } = action {
                position = steps_made(&position, &play).unwrap();
            }
            boards.push(position);
        }
        boards
    };
    let players = |game: &MatGame| game.actions.iter().map(|action| action.0).collect();
    let each = file.games.iter();
    each.map(|game| (players(game), game.scores, game.result, boards(game)))
        .collect()
}

/// MAT-30, MAT-31: written and read back, the match is the same; files that the format's own library wrote are read, and
/// what we write has the same bytes.
#[test]
fn ogxm_there_and_back() {
    for name in MATCHES {
        let file = sample(name);
        if name == "money3" {
            let error = file.ogxm().unwrap_err();
            assert_eq!(
                error.to_string(),
                "game 1: a beaver cannot be written as OGXM"
            );
            continue;
        }
        let bytes = file.ogxm().unwrap();
        let reading = MatchFile::read(&bytes).unwrap();
        assert_eq!(told(&reading), [""; 0], "{name}");
        assert_eq!(reading.file.names, file.names);
        assert_eq!(reading.file.length, file.length);
        assert_eq!(games(&reading.file), games(&file), "{name}");
        assert_eq!(reading.file.ogxm().unwrap(), bytes, "{name}");
    }
    // Made by the Python package ogxm 2.3.2 with an event, a date and an annotation.
    let bytes = std::fs::read(data("ogxm/three3.ogxm")).unwrap();
    let reading = MatchFile::read(&bytes).unwrap();
    assert_eq!(told(&reading), [""; 0]);
    assert_eq!(games(&reading.file), games(&sample("three3")));
    // The same without them.
    let bytes = std::fs::read(data("ogxm/plain.ogxm")).unwrap();
    assert_eq!(sample("three3").ogxm().unwrap(), bytes);
}

/// MAT-32: money without Jacoby, NackGammon, a resignation, a cube that was set up, automatic doubles.
#[test]
fn ogxm_rules() {
    let read =
        |name: &str| MatchFile::read(&std::fs::read(data("ogxm").join(name)).unwrap()).unwrap();
    let nack = read("nack.ogxm");
    assert_eq!(told(&nack), [""; 0]);
    assert_ne!(nack.file.start(), Some(Position::start()));
    assert_eq!(nack.file.switch("Jacoby"), Some(false));
    assert_eq!(nack.file.games[0].result, Some((MatPlayer::Second, 2)));
    assert_eq!(nack.file.names, ["W\u{e9}i\u{df}", "black"]);
    let cube = read("cube.ogxm");
    let why = "game 1: game begins with another board or cube, which is not read";
    assert!(told(&cube)[0].ends_with(why), "{:?}", told(&cube));
    assert_eq!((cube.file.games.len(), told(&cube).len()), (2, 1));
    assert_eq!(cube.file.games[1].actions.len(), 1);
    // Made by the package too: a game with three automatic doubles, and a redouble to 16.
    let bytes = std::fs::read(data("ogxm/automatic.ogxm")).unwrap();
    let automatic = MatchFile::read(&bytes).unwrap();
    assert_eq!(told(&automatic), [""; 0]);
    let game = &automatic.file.games[0];
    let set_up = SetUp {
        position: Position::start(),
        value: 8,
        owner: None,
    };
    assert_eq!(
        game.actions[0],
        (MatPlayer::First, MatAction::SetUp(set_up))
    );
    assert_eq!(game.result, Some((MatPlayer::First, 16)));
    assert!(
        game.actions
            .contains(&(MatPlayer::Second, MatAction::Double(16)))
    );
    assert_eq!(automatic.file.ogxm().unwrap(), bytes);
    // Of no cube: so many doubles are a fault of the game.
    let mut many = bytes.clone();
    let at = bytes.windows(4).position(|tag| tag == b"GAME").unwrap() + 13;
    assert_eq!(many[at], 3);
    many[at] = 13;
    // The section of the checksum and the end.
    let end = many.len() - 21;
    let sum = crc32fast::hash(&many[..end]).to_le_bytes();
    many[end + 13..end + 17].copy_from_slice(&sum);
    let many = MatchFile::read(&many).unwrap();
    assert!(
        told(&many)[0].contains("cube is no power of two up to 4096"),
        "{:?}",
        told(&many)
    );
}

/// MAT-33: what is not whole is refused by name or tells its fault; nothing of it takes memory.
#[test]
fn ogxm_damaged() {
    let bytes = sample("three3").ogxm().unwrap();
    let error = |bytes: &[u8]| MatchFile::read(bytes).unwrap_err().to_string();
    let changed = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        bytes
    };
    assert_eq!(
        error(&changed(4, 1)),
        "OGXM file is not of version 2, which is read; the package ogxm makes it of version 1"
    );
    assert_eq!(error(&changed(15, 255)), "OGXM file ends too early");
    let two = [bytes.clone(), bytes.clone()].concat();
    assert_eq!(MatchFile::read_all(&two).unwrap().len(), 2);
    // What is wrong in the second one does not cost the first.
    let mut torn = two.clone();
    torn[bytes.len() + 4] = 1;
    let torn = MatchFile::read_all(&torn).unwrap();
    assert_eq!((told(&torn[0]).len(), told(&torn[1]).len()), (0, 1));
    assert_eq!(
        error(&[bytes.clone(), b"more".to_vec()].concat()),
        "OGXM file has more behind its end, and that is no other match"
    );
    assert_eq!(error(&changed(23, 255)), "section ends too early");
    let checksum = "checksum is wrong: the file is damaged";
    // Any one byte changed is noticed, before the section of the checksum, which is 17 bytes long.
    for at in 16..bytes.len() - 21 {
        let damaged = changed(at, bytes[at] ^ 0x55);
        match MatchFile::read(&damaged) {
            Err(error) => assert!(error.at() <= damaged.len()),
            Ok(reading) => assert!(!reading.faults.is_empty(), "byte {at}"),
        }
    }
    let last = bytes.len() - 5;
    assert_eq!(error(&changed(last, bytes[last] ^ 1)), checksum);
    for end in 0..bytes.len() {
        assert!(MatchFile::read(&bytes[..end]).is_err(), "{end}");
    }
    // A number of more than 63 bits in the place of a length.
    let mut endless = bytes[..25].to_vec();
    endless.extend([0xff; 40]);
    endless.extend(b"END!");
    let length = (endless.len() as u32).to_le_bytes();
    endless[12..16].copy_from_slice(&length);
    endless[20..24].copy_from_slice(&40_u32.to_le_bytes());
    assert_eq!(error(&endless), "match is too large a number");
}

/// How an `.xg` file is built.
#[derive(Clone, Copy)]
struct Build {
    compressed: bool,
    /// Version of the records: names are in one byte or two.
    version: i32,
}

const PLAIN: Build = Build {
    compressed: true,
    version: 30,
};

fn put(record: &mut [u8], at: usize, value: i32) {
    record[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn board(position: &Position, turned: bool) -> [u8; 26] {
    let position = if turned {
        position.swapped()
    } else {
        *position
    };
    let mut numbers = [0_i8; 26];
    for (index, &count) in position.me().counts().iter().enumerate() {
        numbers[index + 1] += count as i8;
    }
    for (index, &count) in position.opponent().counts().iter().enumerate() {
        numbers[24 - index] -= count as i8;
    }
    numbers.map(i8::cast_unsigned)
}

fn put_single(record: &mut [u8], at: usize, value: f32) {
    record[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn record(kind: u8) -> Vec<u8> {
    let mut record = vec![0; 2560];
    record[8] = kind;
    record
}

fn sign(player: MatPlayer) -> i32 {
    player.of([1, -1])
}

fn played(player: MatPlayer, roll: Roll, play: &Play, [before, after]: [[u8; 26]; 2]) -> Vec<u8> {
    let mut line = record(3);
    line[9..35].copy_from_slice(&before);
    line[35..61].copy_from_slice(&after);
    put(&mut line, 64, sign(player));
    (68..100).step_by(4).for_each(|at| put(&mut line, at, -1));
    for (index, step) in play.steps().iter().enumerate() {
        // Points from 0, the bar is 24; a checker that is off lies below 0, by as many points as the die was too large.
        let to = if usize::from(step.to) == OFF {
            -1 - index as i32
        } else {
            step.to.into()
        };
        put(&mut line, 68 + 8 * index, step.from.into());
        put(&mut line, 72 + 8 * index, to);
    }
    let [one, two] = roll.dice();
    put(&mut line, 100, one.into());
    put(&mut line, 104, two.into());
    line
}

/// The first record.
fn head(file: &MatchFile, build: Build) -> Vec<u8> {
    let mut head = record(0);
    put(
        &mut head,
        92,
        if file.length == 0 {
            99999
        } else {
            file.length as i32
        },
    );
    head[100] = 1;
    head[101] = u8::from(file.switch("Jacoby") != Some(false));
    head[102] = 1;
    put(&mut head, 552, build.version);
    put(&mut head, 556, 0x494c_4d44);
    for (name, [wide, narrow]) in file.names.iter().zip([[880, 9], [1138, 50]]) {
        for (index, unit) in name.encode_utf16().enumerate() {
            head[wide + 2 * index..wide + 2 * index + 2].copy_from_slice(&unit.to_le_bytes());
        }
        head[narrow] = name.len() as u8;
        head[narrow + 1..narrow + 1 + name.len()].copy_from_slice(name.as_bytes());
    }
    head
}

/// The records of a match.
fn records(file: &MatchFile, build: Build) -> Vec<u8> {
    let mut all = head(file, build);
    for game in &file.games {
        let mut head = record(1);
        put(&mut head, 12, game.scores[0] as i32);
        put(&mut head, 16, game.scores[1] as i32);
        let mut position = file.start().unwrap();
        head[21..47].copy_from_slice(&board(&position, false));
        all.extend(head);
        let mut last = None;
        let mut doubling: Option<Vec<u8>> = None;
        for &(player, action) in &game.actions {
            if last.is_some_and(|last| last != player) {
                position = position.swapped();
            }
            last = Some(player);
            // The board before is always seen by the first player, the one after by the player who moves.
            let turned = player == MatPlayer::Second;
            match action {
                MatAction::Play { roll, play } => {
                    let before = board(&position, turned);
                    position = steps_made(&position, &play).unwrap();
                    let boards = [before, board(&position, false)];
                    all.extend(played(player, roll, &play, boards));
                }
                MatAction::Double(_) => {
                    let mut line = record(2);
                    put(&mut line, 12, sign(player));
                    put(&mut line, 16, 1);
                    put(&mut line, 20, -1);
                    line[36..62].copy_from_slice(&board(&position, turned));
                    doubling = Some(line);
                }
                MatAction::Beaver(_) => {
                    let line = doubling.as_mut().unwrap();
                    let at = if line[20] == 2 { 24 } else { 20 };
                    put(line, at, 2);
                }
                MatAction::Take | MatAction::Drop => {
                    let mut line = doubling.take().unwrap();
                    let at = match (line[20], line[24]) {
                        (2, 2) => 28,
                        (2, _) => 24,
                        _ => 20,
                    };
                    put(&mut line, at, i32::from(action == MatAction::Take));
                    all.extend(line);
                }
                other => panic!("{other:?}"),
            }
        }
        all.extend(doubling.into_iter().flatten());
        if let Some((winner, points)) = game.result {
            let mut end = record(4);
            put(&mut end, 24, sign(winner));
            put(&mut end, 28, points as i32);
            all.extend(end);
        }
    }
    all.extend(record(5));
    all
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The archive around the records; `whole` is the length that it says they have.
fn archive(records: &[u8], whole: usize, compressed: bool) -> Vec<u8> {
    let mut bytes = vec![0; 8232];
    bytes[..4].copy_from_slice(b"RGMH");
    put(&mut bytes, 4, 1);
    put(&mut bytes, 8, 8232);
    let picture = b"a picture";
    put(&mut bytes, 20, picture.len() as i32);
    bytes.extend(picture);
    let other = b"temp.xgi stands first";
    let packed = if compressed {
        zlib(records)
    } else {
        records.to_vec()
    };
    let mut list = Vec::new();
    for (name, data, start, whole) in [
        ("temp.xgi", &other[..], 0, other.len()),
        ("temp.xg", &packed, other.len(), whole),
    ] {
        let mut entry = vec![0; 532];
        entry[0] = name.len() as u8;
        entry[1..=name.len()].copy_from_slice(name.as_bytes());
        put(&mut entry, 512, whole as i32);
        put(&mut entry, 516, data.len() as i32);
        put(&mut entry, 520, start as i32);
        put(
            &mut entry,
            524,
            crc32fast::hash(if start > 0 { records } else { data }).cast_signed(),
        );
        entry[528] = u8::from(!compressed || start == 0);
        list.extend(entry);
    }
    let list = if compressed { zlib(&list) } else { list };
    bytes.extend(other);
    bytes.extend(packed);
    bytes.extend(&list);
    let mut trailer = vec![0; 36];
    put(&mut trailer, 4, 2);
    put(&mut trailer, 12, list.len() as i32);
    trailer[20] = u8::from(compressed);
    bytes.extend(trailer);
    bytes
}

fn xg(file: &MatchFile, build: Build) -> Vec<u8> {
    let records = records(file, build);
    archive(&records, records.len(), build.compressed)
}

/// MAT-40, MAT-41, MAT-43: matches packed or not, with names in one byte or two; beavers and
/// raccoons.
#[test]
fn xg_files() {
    let raccoon = b" 0 point match\n Game 1\n A : 0       B : 0\n  1) 31: 8/5 6/5      Doubles => 2\n  \
        2)  Beavers => 4          64: 24/14\n  3)  Doubles => 8       Beavers => 16\n  4)  Beavers => 32      \
        Takes\n  5) 21: 13/11 6/5\n";
    let mut matches: Vec<MatchFile> = MATCHES.map(sample).into();
    matches.push(MatchFile::parse(raccoon).unwrap());
    for file in matches {
        for (compressed, version) in [(true, 30), (false, 24), (false, 20)] {
            let build = Build {
                compressed,
                version,
            };
            let reading = MatchFile::read(&xg(&file, build)).unwrap();
            assert_eq!(told(&reading), [""; 0]);
            assert_eq!(reading.file.length, file.length);
            // In one byte there is no omega.
            if version >= 24 || file.names.concat().is_ascii() {
                assert_eq!(reading.file.names, file.names);
            }
            assert_eq!(games(&reading.file), games(&file));
        }
    }
}

/// MAT-40: a match to 99 points, the longest of the program, with scores near its end.
#[test]
fn xg_file_of_a_match_to_99_points() {
    let text = b" 99 point match\n Game 1\n A : 0       B : 0\n  1) 31: 8/5 6/5      Doubles => 2\n  2)  Takes\n \
        Game 2\n A : 97      B : 98\n  1)                   64: 24/14\n  2) 31: 8/5 6/5      21: 13/11 6/5\n";
    let file = MatchFile::parse(text).unwrap();
    let reading = MatchFile::read(&xg(&file, PLAIN)).unwrap();
    assert_eq!(told(&reading), [""; 0]);
    assert_eq!((reading.file.length, reading.file.games.len()), (99, 2));
    assert_eq!(games(&reading.file), games(&file));
    let again = MatchFile::read(reading.file.to_string().as_bytes()).unwrap();
    assert_eq!((again.file.length, games(&again.file)), (99, games(&file)));
}

/// MAT-55: the days of four real files, and days that are none.
#[test]
fn xg_day_of_the_match() {
    let read = |bytes: &[u8]| MatchFile::read(bytes).unwrap().file;
    for (name, day) in [
        ("one-game-drop", "2024.08.18"),
        ("whole-match-7pt", "2025.11.08"),
    ] {
        let bytes = std::fs::read(data(&format!("xg/{name}.xg"))).unwrap();
        assert_eq!(read(&bytes).header("EventDate"), Some(day), "{name}");
    }
    let file = sample("three3");
    for (days, day) in [
        (45_515.96, Some("2024.08.11")),
        (29_221.0, Some("1980.01.01")),
        (29_220.9, None),
        (0.0, None),
        (-1.0, None),
        (1e300, None),
        (f64::NAN, None),
        (f64::INFINITY, None),
    ] {
        let mut records = records(&file, PLAIN);
        records[128..136].copy_from_slice(&f64::to_le_bytes(days));
        let bytes = archive(&records, records.len(), true);
        assert_eq!(read(&bytes).header("EventDate"), day, "{days}");
    }
}

/// MAT-42: without a legal play that leads to the board behind it, the steps count; a fault costs its game.
#[test]
fn xg_faults() {
    let file = sample("three3");
    let whole = records(&file, PLAIN);
    let first = 2560 * 2;
    let changed = |change: &dyn Fn(&mut [u8])| {
        let mut records = whole.clone();
        change(&mut records[first..first + 2560]);
        MatchFile::read(&archive(&records, records.len(), true)).unwrap()
    };
    let games = file.games.len();
    for (change, message) in [
        (
            (&|line: &mut [u8]| put(line, 100, 7)) as &dyn Fn(&mut [u8]),
            "byte 5120, game 1: roll is not of two dice from 1 to 6",
        ),
        (
            &|line| put(line, 64, 0),
            "byte 5120, game 1: player is neither 1 nor -1",
        ),
        (
            &|line| line[14] = 3,
            "byte 5120, game 1: board is not the one that the plays before led to",
        ),
    ] {
        let reading = changed(change);
        assert_eq!(told(&reading), [message]);
        assert_eq!(reading.file.games.len(), games);
        assert_eq!(reading.file.games[1], file_of(&file).games[1]);
        assert_eq!(reading.file.games[0].actions, []);
    }
    // The board behind the play is damaged: the steps are played.
    let reading = changed(&|line| line[40] = line[40].wrapping_add(1));
    assert_eq!(told(&reading), [""; 0]);
    assert_eq!(
        reading.file.games[0].actions.len(),
        file.games[0].actions.len()
    );
    let reading = changed(&|line| {
        line[40] = line[40].wrapping_add(1);
        put(line, 68, 77);
    });
    assert_eq!(
        told(&reading),
        ["byte 5120, game 1: play has a step from or to no point"]
    );
}

/// As it is read from `.xg`: with canonical plays.
fn file_of(file: &MatchFile) -> MatchFile {
    MatchFile::read(&xg(file, PLAIN)).unwrap().file
}

/// MAT-44: cut off, packed without end, or with huge numbers: refused by name.
#[test]
fn xg_damaged() {
    let file = sample("one1");
    let error = |bytes: &[u8]| MatchFile::read(bytes).unwrap_err().to_string();
    let plain = xg(
        &file,
        Build {
            compressed: false,
            ..PLAIN
        },
    );
    let bytes = xg(&file, PLAIN);
    for end in (0..bytes.len())
        .step_by(101)
        .chain([8231, 8232, 8241, bytes.len() - 1])
    {
        let reading = MatchFile::read(&bytes[..end]);
        assert!(reading.is_err(), "{end}");
    }
    let tail = plain.len() - 36;
    let at_list = tail - 532;
    for (at, value, message) in [
        (8, -1, "XG file ends too early"),
        (20, i32::MAX, "XG file ends too early"),
        (
            tail + 12,
            i32::MAX,
            "XG file has a list of files that is longer than it",
        ),
        (tail + 12, 0, "XG file has no records of a match (temp.xg)"),
        (
            at_list + 516,
            -1,
            "XG file has records that lie outside of it",
        ),
        (
            at_list + 520,
            -1,
            "XG file has records that lie outside of it",
        ),
    ] {
        let mut bytes = plain.clone();
        put(&mut bytes, at, value);
        assert_eq!(error(&bytes), message, "{at}");
    }
    // A wrong checksum is a fault, and what is there is read.
    let mut bytes = plain.clone();
    bytes[at_list + 524] ^= 1;
    let reading = MatchFile::read(&bytes).unwrap();
    assert_eq!(
        told(&reading),
        ["byte 0: checksum is wrong: the file is damaged"]
    );
    assert_eq!(games(&reading.file), games(&file));
    // Any byte of the packed file changed: no panic.
    for at in (0..bytes.len()).step_by(29) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0xa5;
        if let Ok(reading) = MatchFile::read(&bytes) {
            assert!(reading.file.games.len() < 100);
        }
    }
}

/// MAT-40: what is packed without end takes no memory.
#[test]
fn xg_packed_without_end() {
    let error = |bytes: &[u8]| MatchFile::read(bytes).unwrap_err().to_string();
    // A hundred megabytes of nothing in few bytes, with an honest length and with a lying one.
    let mut bomb = ZlibEncoder::new(Vec::new(), Compression::fast());
    let nothing = vec![0; 1 << 20];
    for _ in 0..100 {
        bomb.write_all(&nothing).unwrap();
    }
    let bomb = bomb.finish().unwrap();
    for (says, message) in [
        (1 << 30, "XG file has more than 64 MiB of records"),
        (2560, "XG file unpacks to more bytes than it says"),
    ] {
        let mut bytes = archive(&bomb, says, false);
        // The bytes are there as they are, and said to be packed.
        let list = bytes.len() - 36 - 532;
        bytes[list + 528] = 0;
        assert_eq!(error(&bytes), message);
    }
}

/// MAT-41, MAT-44: records that are no match.
#[test]
fn xg_records_of_another_kind() {
    let error = |bytes: &[u8]| MatchFile::read(bytes).unwrap_err().to_string();
    let records = records(&sample("one1"), PLAIN);
    let mut other = records.clone();
    put(&mut other, 556, 7);
    assert_eq!(
        error(&archive(&other, other.len(), true)),
        "XG file has records of another kind"
    );
    other[8] = 1;
    assert_eq!(
        error(&archive(&other, other.len(), true)),
        "XG file does not begin with a match"
    );
    assert_eq!(error(&archive(&[], 0, true)), "XG file contains no match");
    let mut long = records.clone();
    put(&mut long, 92, 40000);
    assert_eq!(
        error(&archive(&long, long.len(), true)),
        "match length is not 0 to 32767"
    );
}

/// The command reads both from a folder, writes OGXM, and names the byte of what is wrong.
#[test]
fn the_command_knows_binary_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let input = at.join("in");
    std::fs::create_dir(&input).unwrap();
    let file = sample("one1");
    std::fs::write(input.join("a.xg"), xg(&file, PLAIN)).unwrap();
    std::fs::write(input.join("b.ogxm"), file.ogxm().unwrap()).unwrap();
    std::fs::write(input.join("c.ogxm"), b"OGXM\x01").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["analyse", "in", "--plies", "0", "--ogxm", "out"])
        .args(["--format", "csv"])
        .current_dir(at)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        said.trim(),
        "gammond: in/c.ogxm: byte 4: OGXM file is not of version 2, which is read; the package ogxm makes it of version 1"
    );
    let rows = String::from_utf8(output.stdout).unwrap();
    let of = |name: &str| -> Vec<&str> {
        let rows = rows.lines().filter_map(|row| row.strip_prefix(name));
        rows.collect()
    };
    assert_eq!(of("\"in/a.xg\""), of("\"in/b.ogxm\""));
    assert!(of("\"in/a.xg\"").len() > 20);
    let written = std::fs::read(at.join("out/a.ogxm")).unwrap();
    assert_eq!(MatchFile::read(&written).unwrap().file.games.len(), 1);
}

/// MAT-53, ANA-23: the analyses of a file are read and shown beside ours.
#[test]
#[expect(clippy::too_many_lines, reason = "one file, step by step")]
fn analyses_of_the_file_stand_beside_ours() {
    let text = b" 3 point match\n Game 1\n A : 0       B : 0\n  1) 31: 8/5 6/5      64: 24/14\n  2) 42: 8/4 6/4\n";
    let file = MatchFile::parse(text).unwrap();
    let mut records = records(&file, PLAIN);
    let plays: Vec<usize> = (0..records.len())
        .step_by(2560)
        .filter(|&at| records[at + 8] == 3)
        .collect();
    // Two candidates of the first roll, the second one played.
    let start = Position::start();
    let MatAction::Play { play, .. } = file.games[0].actions[0].1 else {
        panic!("{file:?}")
    };
    let other = gammond_game::notation::parse_play("24/23 13/10", &start, Roll::new(3, 1).unwrap())
        .unwrap();
    let boards = [
        board(&other.after, true),
        board(&steps_made(&start, &play).unwrap(), false),
    ];
    let line = &mut records[plays[0]..plays[0] + 2560];
    put(line, 124 + 64, 2);
    for (number, (candidate, equity)) in boards.iter().zip([0.25, 0.125]).enumerate() {
        let at = 124 + 68 + 26 * number;
        line[at..at + 26].copy_from_slice(candidate);
        line[124 + 1156 + 4 * number..][..2].copy_from_slice(&1002_i16.to_le_bytes());
        let numbers = [0.01, 0.1, 0.45, 0.55, 0.15, 0.02, equity];
        for (place, number_) in numbers.into_iter().enumerate() {
            put_single(line, 124 + 1284 + 28 * number + 4 * place, number_);
        }
    }
    // The cube before the third roll: not doubled.
    let mut cube = record(2);
    put(&mut cube, 12, 1);
    put(&mut cube, 64 + 28, 2);
    for (at, value) in [(88, 0.5), (92, 0.75), (96, 1.0)] {
        put_single(&mut cube, 64 + at, value);
    }
    records.splice(plays[2]..plays[2], cube);
    let bytes = archive(&records, records.len(), true);
    let reading = MatchFile::read(&bytes).unwrap();
    assert_eq!(told(&reading), [""; 0]);
    let [first, none, third] = [0, 1, 2].map(|action| reading.analyses[0].get(&action));
    assert_eq!(none, None);
    let plays = &first.unwrap().plays;
    assert_eq!(
        plays.iter().map(|play| play.equity).collect::<Vec<_>>(),
        [0.25, 0.125]
    );
    assert!(plays.iter().all(|play| play.level == "XG Roller++"));
    assert_eq!(plays[0].after, other.after);
    let chances = plays[1].chances.unwrap().to_array();
    assert_eq!(chances, [0.55, 0.15, 0.02, 0.1, 0.01]);
    let cube = third.unwrap().cube.clone().unwrap();
    assert_eq!(
        [cube.no_double, cube.double_take, cube.double_pass],
        [0.5, 0.75, 1.0]
    );
    assert_eq!(cube.level, "3-ply");

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.xg");
    std::fs::write(&path, bytes).unwrap();
    let run = |format: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args([
                "analyse",
                "a.xg",
                "--plies",
                "0",
                "--compare",
                "file",
                "--format",
                format,
            ])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stdout).unwrap()
    };
    let lines = run("json");
    let last: serde_json::Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(
        (&last["type"], &last["file"]),
        (&"comparison".into(), &"a.xg".into())
    );
    let decisions = last["decisions"].as_array().unwrap();
    assert_eq!(decisions.len(), 2);
    assert_eq!(decisions[0]["best"]["file"], "24/23 13/10");
    assert_eq!(decisions[0]["best"]["ours"], "8/5 6/5");
    assert_eq!(
        decisions[0]["loss"],
        serde_json::json!({"file": 0.125, "ours": 0.0})
    );
    assert_eq!(decisions[1]["kind"], "cube");
    assert_eq!(decisions[1]["best"]["file"], "double, take");
    assert_eq!(decisions[1]["loss"]["file"], 0.25);
    assert_eq!(last["values"].as_u64(), Some(4));
    let values = decisions
        .iter()
        .flat_map(|row| row["values"].as_array().unwrap());
    let sum: f64 = values
        .map(|pair| pair["file"].as_f64().unwrap() - pair["ours"].as_f64().unwrap())
        .sum();
    assert!((sum / 4.0 - last["mean_difference"].as_f64().unwrap()).abs() < 2e-6);
    let text = run("text");
    assert!(
        text.contains("file 24/23 13/10 +0.2500 (XG Roller++), ours 8/5 6/5"),
        "{text}"
    );
    assert!(
        text.contains("same best action in 0 of 2 decisions; 4 values"),
        "{text}"
    );
}

/// MAT-44, MAT-46: a position file begins with the board of its first record, whose cube may be turned.
#[test]
fn xg_position_begins_at_its_record() {
    let file = MatchFile::parse(b" 7 point match\n Game 1\n A : 2       B : 3\n").unwrap();
    let mut all = records(&file, PLAIN);
    all.truncate(2 * 2560);
    let id = gammond_game::notation::parse_position(b"4PPBA0DY1sgBIQ").unwrap();
    let mut line = record(3);
    line[9..35].copy_from_slice(&board(&id.position, true));
    put(&mut line, 64, -1);
    put(&mut line, 100, 6);
    put(&mut line, 104, 2);
    put(&mut line, 108, -1);
    all.extend(line);
    let reading = MatchFile::read(&archive(&all, all.len(), true)).unwrap();
    assert_eq!(told(&reading), [""; 0]);
    let [
        (player, MatAction::SetUp(set_up)),
        (_, MatAction::Rolled(roll)),
    ] = reading.file.games[0].actions[..]
    else {
        panic!("{:?}", reading.file.games[0].actions)
    };
    assert_eq!((player, roll.dice()), (MatPlayer::Second, [6, 2]));
    assert_eq!(set_up.position, id.position);
    assert_eq!((set_up.value, set_up.owner), (2, Some(MatPlayer::Second)));
}

/// MAT-82, ANA-29, EXIT-07: the cube that a position file asks for is judged, and the play of a roll that is not
/// played; a file without any decision is no success.
#[test]
fn xg_position_is_an_open_question() {
    let file = MatchFile::parse(b" 7 point match\n Game 1\n A : 2       B : 3\n").unwrap();
    let mut head = records(&file, PLAIN);
    head.truncate(2 * 2560);
    let id = gammond_game::notation::parse_position(b"4PPBA0DY1sgBIQ").unwrap();
    let mut cube = record(2);
    put(&mut cube, 12, -1);
    put(&mut cube, 16, -2);
    cube[36..62].copy_from_slice(&board(&id.position, true));
    let mut unplayed = record(3);
    unplayed[9..35].copy_from_slice(&board(&id.position, true));
    unplayed[35..61].copy_from_slice(&board(&id.position, true));
    put(&mut unplayed, 64, -1);
    (68..100)
        .step_by(4)
        .for_each(|at| put(&mut unplayed, at, -1));
    put(&mut unplayed, 100, 6);
    put(&mut unplayed, 104, 2);
    let folder = tempfile::tempdir().unwrap();
    for (name, parts, kind) in [
        ("cube", vec![&head, &cube], Some("double")),
        ("play", vec![&head, &cube, &unplayed], Some("roll")),
        ("nothing", vec![&head], None),
    ] {
        let all = parts.into_iter().flatten().copied().collect::<Vec<u8>>();
        let path = folder.path().join(format!("{name}.xgp"));
        std::fs::write(&path, archive(&all, all.len(), true)).unwrap();
        let done = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .arg("analyse")
            .arg(&path)
            .args(["--plies", "0", "--format", "json"])
            .output()
            .unwrap();
        let said: serde_json::Value = serde_json::from_slice(&done.stdout).unwrap();
        let decisions = said["decisions"].as_array().unwrap();
        match kind {
            Some(kind) => {
                assert_eq!(
                    (decisions.len(), done.status.code()),
                    (1, Some(0)),
                    "{said}"
                );
                assert_eq!(
                    (&decisions[0]["kind"], &decisions[0]["played"]),
                    (&kind.into(), &"".into())
                );
                assert_ne!(decisions[0]["best"], "");
                assert_eq!(decisions[0]["loss"], serde_json::Value::Null);
            }
            None => {
                assert_eq!((decisions.len(), done.status.code()), (0, Some(1)));
                assert!(String::from_utf8_lossy(&done.stderr).contains("no decision"));
            }
        }
    }
}
