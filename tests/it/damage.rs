//! files with one byte flipped or cut short are refused with their name, or are harmless; they
//! never end the program. Nets of ours have a checksum: `nn::format::native` refuses every flip.

use gammond::bearoff::{Database, Numbering, OneSided, Tables, TwoSided};
use gammond::equity::MatchEquityTable;
use gammond::game::{Position, Score};
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
    check_database(folder.path(), "one.bd", one_sided.as_bytes());
    for cubeful in [true, false] {
        let two_sided = TwoSided::made(numbering, cubeful);
        check_database(folder.path(), "two.bd", two_sided.as_bytes());
    }
    std::fs::write(folder.path().join("gnubg_os0.bd"), b"gnubg-OS-").unwrap();
    let refused = Tables::open(folder.path()).unwrap_err().to_string();
    assert!(refused.contains("gnubg_os0.bd"), "{refused}");
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
