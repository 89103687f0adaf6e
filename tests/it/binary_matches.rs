//! Matches in binary files: OGXM beside its own library, and eXtreme Gammon's `.xg` by its published layout: rules
//! MAT-30 to MAT-44. No real `.xg` file lies here: these tests build them from the layout.

use flate2::{Compression, write::ZlibEncoder};
use gammond::game::{BAR, OFF, Play, Position, Roll};
use gammond::notation::{MatAction, MatGame, MatPlayer, MatchFile, MatchReading, steps_made};
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

/// MAT-32: money without Jacoby, NackGammon, a resignation, automatic doubles.
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
    assert_eq!(
        error(&two),
        "OGXM file has more behind its end; a stream of matches must be cut into files"
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
    /// Boards always as the first player sees them.
    fixed: bool,
    compressed: bool,
    /// Version of the records: names are in one byte or two.
    version: i32,
}

const PLAIN: Build = Build {
    fixed: false,
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
        let point = |index: u8| match usize::from(index) {
            BAR => 25,
            OFF => 0,
            index => index as i32 + 1,
        };
        put(&mut line, 68 + 8 * index, point(step.from));
        put(&mut line, 72 + 8 * index, point(step.to));
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
            let turned = build.fixed && player == MatPlayer::Second;
            match action {
                MatAction::Play { roll, play } => {
                    let before = board(&position, turned);
                    position = steps_made(&position, &play).unwrap();
                    let boards = [before, board(&position, turned)];
                    all.extend(played(player, roll, &play, boards));
                }
                MatAction::Double(_) => {
                    let mut line = record(2);
                    put(&mut line, 12, sign(player));
                    put(&mut line, 16, 1);
                    put(&mut line, 20, -1);
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

/// MAT-40, MAT-41, MAT-43: matches in both views of the board, packed or not, with names in one byte or two; beavers and
/// raccoons.
#[test]
fn xg_files() {
    let raccoon = b" 0 point match\n Game 1\n A : 0       B : 0\n  1) 31: 8/5 6/5      Doubles => 2\n  \
        2)  Beavers => 4          64: 24/14\n  3)  Doubles => 8       Beavers => 16\n  4)  Beavers => 32      \
        Takes\n  5) 21: 13/11 6/5\n";
    let mut matches: Vec<MatchFile> = MATCHES.map(sample).into();
    matches.push(MatchFile::parse(raccoon).unwrap());
    for file in matches {
        for (fixed, compressed, version) in [
            (false, true, 30),
            (true, true, 30),
            (true, false, 24),
            (false, false, 20),
        ] {
            let build = Build {
                fixed,
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
    assert_eq!(error(&archive(&[], 0, true)), "XG file has no match in it");
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
        .args(["analyse", "in", "--ogxm", "out", "--format", "csv"])
        .current_dir(at)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
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
