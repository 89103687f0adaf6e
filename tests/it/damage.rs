//! files with one byte flipped or cut short are refused with their name, or are harmless; they
//! never end the program. Nets of ours have a checksum: `nn::format::native` refuses every flip.

use gammond_engine::bearoff::{
    Database, HEADER_BYTES, Numbering, OneSided, Tables, TwoSided, make,
};
use gammond_engine::equity::MatchEquityTable;
use gammond_game::{Position, Score};
use std::path::Path;
use std::process::{Command, Stdio};

/// Every byte with one of its bits flipped, every beginning, and one byte too many.
fn damaged(whole: &[u8]) -> impl Iterator<Item = Vec<u8>> + '_ {
    let flipped = (0..whole.len()).map(|at| {
        let mut bytes = whole.to_vec();
        bytes[at] ^= 1 << (at % 8);
        bytes
    });
    let cut = (0..whole.len()).map(|end| whole[..end].to_vec());
    flipped.chain(cut).chain([[whole, &[0]].concat()])
}

/// Opens every damaged form of a database; what opens must answer with finite numbers.
fn check_database(folder: &Path, name: &str, whole: &[u8]) {
    let path = folder.join(name);
    let (mut refused, mut all) = (0, 0);
    for bytes in damaged(whole) {
        let exact = bytes.len() == whole.len();
        std::fs::write(&path, &bytes).unwrap();
        all += 1;
        match Database::open(&path) {
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains(name), "{error}");
            }
            // gnubg's format has no checksum: a flipped number is a number.
            Ok(database) => {
                assert!(exact, "{} bytes of {} were taken", bytes.len(), whole.len());
                probe(&database);
            }
        }
    }
    assert!(refused > whole.len(), "{name}: {refused} of {all}");
}

fn probe(database: &Database) {
    let mut counts = [[0; 25]; 2];
    for (mine, theirs) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        counts[0].fill(0);
        counts[1].fill(0);
        (counts[0][mine], counts[1][theirs]) = (2, 1);
        let position = Position::new(&counts[0], &counts[1]).unwrap();
        let chances = match database {
            Database::OneSided(table) => table.chances(&position),
            Database::TwoSided(table) => table.chances(&position),
            other => panic!("{other:?}"),
        };
        // What it says may be wrong, but it says something.
        assert!(chances.is_none_or(|chances| chances.to_array().iter().all(|one| !one.is_nan())));
    }
}

#[test]
fn damaged_bearoff_databases() {
    let folder = tempfile::tempdir().unwrap();
    let numbering = Numbering::new(2, 2).unwrap();
    let one_sided = OneSided::made(numbering);
    check_database(folder.path(), "one.bd", one_sided.as_bytes().unwrap());
    for cubeful in [true, false] {
        let two_sided = TwoSided::made(numbering, cubeful);
        check_database(folder.path(), "two.bd", two_sided.as_bytes().unwrap());
    }
    std::fs::write(folder.path().join("gnubg_os0.bd"), b"gnubg-OS-").unwrap();
    let refused = Tables::open(folder.path()).unwrap_err().to_string();
    assert!(refused.contains("gnubg_os0.bd"), "{refused}");
}

/// BEAR-43: files of the right length with nonsense in them: each would be believed without a look
/// inside.
#[test]
fn databases_of_nonsense_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.bd");
    let filled = |whole: &[u8], byte: u8| {
        let mut bytes = whole.to_vec();
        bytes[HEADER_BYTES..].fill(byte);
        bytes
    };
    let numbering = Numbering::new(3, 3).unwrap();
    let refused = |bytes: Vec<u8>, wanted: &str| {
        std::fs::write(&path, bytes).unwrap();
        let error = Database::open(&path).unwrap_err().to_string();
        assert!(
            error.contains("x.bd: byte ") && error.contains(wanted),
            "{error}"
        );
    };
    let plain = make::one_sided(numbering, true, false);
    let two_sided = make::two_sided(numbering, true);
    for byte in [0, 0xff] {
        refused(
            filled(&plain, byte),
            "position 0 has no distribution of rolls",
        );
        refused(filled(&two_sided, byte), "the finished game");
    }
    // Indices that hold, values that do not.
    let mut compressed = make::one_sided(numbering, true, true);
    let values = HEADER_BYTES + 8 * numbering.positions();
    compressed[values..].fill(0xff);
    refused(compressed, "no distribution of rolls");
    // Normal laws: means and deviations that are no numbers, or no numbers of rolls.
    for number in [f32::NAN, f32::INFINITY, -1.0, 1e30] {
        let mut laws = b"gnubg-OS-01-02-1-0-1xxxxxxxxxxxxxxxxxxx\n".to_vec();
        for law in [[0.0_f32; 4], [1.0, 0.0, 0.0, number], [1.5, 0.5, 0.0, 0.0]] {
            laws.extend(law.iter().flat_map(|number| number.to_le_bytes()));
        }
        refused(laws, "position 1 has no distribution of rolls");
    }
}

#[test]
fn match_equity_tables_without_end_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep.xml");
    std::fs::write(&path, "<a>".repeat(1_000_000)).unwrap();
    let error = MatchEquityTable::load(&path).unwrap_err().to_string();
    assert!(error.contains("more than 16 deep"), "{error}");
    std::fs::write(&path, "<a/>".repeat(2_000_000)).unwrap();
    let error = MatchEquityTable::load(&path).unwrap_err().to_string();
    assert!(error.contains("longer than"), "{error}");
}

/// Every option that takes a file, given a pipe that nobody writes into and a device without end:
/// all end at once and say why.
#[test]
fn pipes_and_devices_are_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let databases = folder.path().join("databases");
    std::fs::create_dir(&databases).unwrap();
    std::os::unix::fs::symlink(&pipe, databases.join("x.bd")).unwrap();
    let databases = databases.display().to_string();
    for (file, kind) in [
        (pipe.to_str().unwrap(), "a pipe"),
        ("/dev/zero", "a device"),
    ] {
        for arguments in [
            &["pipe", "--nets", file][..],
            &["pipe", "--met", file],
            &["pipe", "--config", file],
            &["pipe", "--bearoff", &databases],
            &["bearoff", "info", file],
            &["net", "info", file],
            &["bench", file],
            &["label", file, "out"],
            &["sample", "--games", file, "out"],
            &["train", "--folder", "out", file],
            &["fibs", "--user", "a", "--policy", file],
            &["fibs", "--user", "a", "--state", file],
        ] {
            let run = Command::new(env!("CARGO_BIN_EXE_gammond"))
                .args(arguments)
                .current_dir(folder.path())
                .env_remove("GAMMOND_CONFIG")
                .env("GAMMOND_FIBS_PASSWORD", "secret")
                .env("GAMMOND_FIBS_SERVER", "127.0.0.1:1")
                .stdin(Stdio::null())
                .output()
                .unwrap();
            let error = String::from_utf8_lossy(&run.stderr);
            let kind = if arguments.contains(&&*databases) {
                "a pipe"
            } else {
                kind
            };
            assert!(
                error.contains(kind) && error.contains("not a regular file"),
                "{arguments:?}: {error}"
            );
            let named = error.contains(file) || error.contains("x.bd");
            assert!(named && !run.status.success(), "{arguments:?}: {error}");
        }
    }
}

#[test]
fn damaged_match_equity_tables() {
    let text = "<?xml version=\"1.0\"?>\n<met><info><name>small</name><length>2</length></info>\n\
        <pre-crawford-table type=\"explicit\"><row><me>0.5</me><me>0.7</me></row>\n\
        <row><me>0.3</me><me>0.5</me></row></pre-crawford-table>\n\
        <post-crawford-table type=\"explicit\" player=\"both\"><row><me>0.5</me><me>0.49</me></row>\n\
        </post-crawford-table></met>";
    text.parse::<MatchEquityTable>().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("small.xml");
    let mut refused = 0;
    for bytes in damaged(text.as_bytes()) {
        std::fs::write(&path, &bytes).unwrap();
        let Ok(table) = MatchEquityTable::load(&path) else {
            refused += 1;
            continue;
        };
        for away in 1..=5 {
            let score = Score::new(7, 7 - away, 3, false).unwrap();
            assert!(
                (0.0..=1.0).contains(&table.at(score)),
                "{}",
                String::from_utf8_lossy(&bytes)
            );
        }
    }
    assert!(refused > text.len(), "{refused}");
}

/// The exit code and what was said of a program run that only reads its configuration.
fn run_with(config: &Path) -> (Option<i32>, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["completions", "bash", "--config"])
        .arg(config)
        .env_remove("GAMMOND_CONFIG")
        .stdout(Stdio::null())
        .output()
        .unwrap();
    (
        run.status.code(),
        String::from_utf8_lossy(&run.stderr).into_owned(),
    )
}

#[test]
fn damaged_configurations() {
    let text = "plies = 1\n[serve]\nlisten = [\"127.0.0.1:0\"]\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.toml");
    std::fs::write(&path, text).unwrap();
    assert_eq!(run_with(&path).0, Some(0));
    let mut refused = 0;
    for bytes in damaged(text.as_bytes()) {
        std::fs::write(&path, &bytes).unwrap();
        let shown = String::from_utf8_lossy(&bytes).into_owned();
        match run_with(&path) {
            (Some(0), _) => {}
            (Some(3), said) => {
                refused += 1;
                assert!(said.contains("damaged.toml"), "{shown:?}: {said}");
            }
            // A value that the option cannot have.
            (Some(2), said) => {
                refused += 1;
                assert!(!said.is_empty(), "{shown:?}");
            }
            (code, said) => panic!("{shown:?}: {code:?} {said}"),
        }
    }
    assert!(refused > text.len() / 2, "{refused}");
}
