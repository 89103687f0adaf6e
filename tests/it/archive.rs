//! The archive of analysed matches (`analyse --db`, `players --db`): rules ANA-18, ANA-21 and ANA-22.

use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/analysis")
        .join(name)
}

/// `gammond LINE` in this folder.
fn gammond(at: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    command.args(line.split_whitespace()).current_dir(at);
    command
}

fn run(at: &Path, line: &str) -> Output {
    gammond(at, line).output().unwrap()
}

/// Exit code and what was said, which is one line and no panic.
#[track_caller]
fn refused(output: &Output) -> (Option<i32>, String) {
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    assert!(
        !output.status.success() && !said.contains("panicked"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    (output.status.code(), said)
}

fn number(db: &Connection, sql: &str) -> f64 {
    let found = db.query_row(sql, [], |row| row.get::<_, rusqlite::types::Value>(0));
    match found.unwrap() {
        rusqlite::types::Value::Integer(whole) => whole as f64,
        rusqlite::types::Value::Real(real) => real,
        other => panic!("{sql}: {other:?}"),
    }
}

fn sound(db: &Connection) {
    let said: String = db
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(said, "ok");
    assert_eq!(
        number(db, "SELECT count(*) FROM pragma_foreign_key_check"),
        0.0
    );
    let halves = "SELECT count(*) FROM matches WHERE id NOT IN \
        (SELECT match FROM sides GROUP BY match HAVING count(*) = 2) OR id NOT IN (SELECT match FROM decisions)";
    assert_eq!(number(db, halves), 0.0);
}

/// A folder with short matches between players of these names.
fn matches(count: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("in")).unwrap();
    let text = fs::read_to_string(data("one1.mat")).unwrap();
    for number in 0..count {
        let named = text.replacen("Alice :", &format!("Alice{number:02} :"), 1);
        fs::write(folder.path().join(format!("in/{number:02}.mat")), named).unwrap();
    }
    folder
}

/// A match is won at its last point; an unfinished one is not, whoever leads.
#[test]
fn unfinished_match_is_not_won() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = fs::read_to_string(data("three3.mat")).unwrap();
    let (start, _) = text.split_once("\n Game 3").unwrap();
    fs::write(at.join("led.mat"), start).unwrap();
    fs::copy(data("three3.mat"), at.join("won.mat")).unwrap();
    let db = "--db a.sqlite --format json";
    let output = run(at, &format!("analyse led.mat won.mat --plies 0 {db}"));
    assert!(output.status.success(), "{output:?}");
    let players = run(at, &format!("players {db}"));
    let players = String::from_utf8(players.stdout).unwrap();
    let won: Vec<_> = (players.lines())
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["won"].clone())
        .collect();
    assert_eq!(won, [1, 0], "{players}");
}

/// ANA-18: other nets make another analysis, also under the same name; archives of versions that knew nets by their names
/// alone keep their matches.
#[test]
fn nets_of_the_same_name_are_told_apart() {
    use sha2::Digest as _;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let nets = at.join("nets");
    fs::create_dir(&nets).unwrap();
    for entry in fs::read_dir(root.join("nets")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "net") {
            fs::copy(&path, nets.join(path.file_name().unwrap())).unwrap();
        }
    }
    let file = data("one1.mat");
    let said = |nets: &str| {
        let line = format!(
            "analyse {} --db a.sqlite --plies 0 --nets {nets}",
            file.display()
        );
        let output = run(at, &line);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let known = "1 match is in the archive already";
    assert!(!said("nets").contains(known));
    assert!(said("nets").contains(known));
    let name = || {
        let db = Connection::open(at.join("a.sqlite")).unwrap();
        let names = "SELECT group_concat(level || ' ' || nets || ' ' || met, ',') FROM matches";
        db.query_row(names, [], |row| row.get::<_, String>(0))
            .unwrap()
    };
    let float = root.join("nets/float/race.safetensors");
    let own = format!("net info {} --format json", nets.join("race.net").display());
    let own: serde_json::Value = serde_json::from_slice(&run(at, &own).stdout).unwrap();
    let other = format!(
        "net quantise {} nets/race.net --class race --bits 8 --shift 1 --name {}",
        float.display(),
        own["name"].as_str().unwrap()
    );
    let made = run(at, &other);
    assert!(made.status.success(), "{made:?}");
    assert!(!said("nets").contains(known));
    let both = name();
    let (first, second) = both.split_once(',').unwrap();
    assert_eq!(first, second);
    // The same two rows as one of a version without checksums of the nets.
    let mut summed = format!("{first}\0").into_bytes();
    summed.extend(fs::read(&file).unwrap());
    let old = sha2::Sha256::digest(&summed);
    let old: String = old.iter().map(|byte| format!("{byte:02x}")).collect();
    let db = Connection::open(at.join("a.sqlite")).unwrap();
    db.execute("UPDATE matches SET checksum = ? WHERE id = 1", [old])
        .unwrap();
    db.execute("UPDATE matches SET checksum = 'x' WHERE id = 2", [])
        .unwrap();
    drop(db);
    assert!(said("nets").contains(known));
}

/// ANA-21: the tables say what the report says, and their sums agree.
#[test]
fn the_tables_hold_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let file = data("three3.mat");
    let line = format!("analyse {} --db a.sqlite --format json", file.display());
    let output = run(at, &line);
    assert!(output.status.success(), "{output:?}");
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let db = Connection::open(at.join("a.sqlite")).unwrap();
    sound(&db);
    let rows = told["decisions"].as_array().unwrap().len() as f64;
    assert_eq!(number(&db, "SELECT count(*) FROM decisions"), rows);
    for side in [0, 1] {
        let of = |column: &str| {
            let sql = format!("SELECT {column} FROM sides WHERE side = {side}");
            number(&db, &sql)
        };
        let totals = &told["totals"][side];
        for (column, value) in [
            ("decisions", &totals["decisions"]),
            ("unforced", &totals["unforced"]),
            ("loss", &totals["loss"]["emg"]),
            ("luck", &totals["luck"]["emg"]),
            ("error_rate", &totals["error_rate"]["gnubg"]),
            ("pr", &totals["error_rate"]["pr"]),
            ("result", &totals["result"]),
            ("luck_adjusted_result", &totals["luck_adjusted_result"]),
            ("score", &told["score"][side]),
        ] {
            let value = value.as_f64().unwrap();
            assert!(
                (of(column) - value).abs() < 1e-6,
                "{column} of {side}: {value}"
            );
        }
        let sql =
            format!("SELECT sum(loss) FROM decisions WHERE side = {side} AND kind <> 'resign'");
        assert!((number(&db, &sql) - of("loss")).abs() < 1e-9);
        let sql = format!("SELECT sum(luck) FROM decisions WHERE side = {side}");
        assert!((number(&db, &sql) - of("luck")).abs() < 1e-9);
    }
    // The same file is not filed again; at another depth it is.
    let again = run(at, &line);
    assert!(again.stdout.is_empty());
    assert!(String::from_utf8_lossy(&again.stderr).contains("1 match is in the archive already"));
    let players = run(at, "players --db a.sqlite --format json");
    let players = String::from_utf8(players.stdout).unwrap();
    let first: serde_json::Value = serde_json::from_str(players.lines().next().unwrap()).unwrap();
    assert_eq!(
        (players.lines().count(), &first["name"], &first["matches"]),
        (2, &told["players"][0], &1.into())
    );
    let name = first["name"].as_str().unwrap();
    let history = run(at, &format!("players --db a.sqlite {name}"));
    let history = String::from_utf8(history.stdout).unwrap();
    assert!(
        history.contains(": 1 match;") && history.contains('#'),
        "{history}"
    );
    let nobody = refused(&run(at, "players --db a.sqlite Nobody"));
    assert_eq!(
        nobody,
        (
            Some(1),
            "gammond: a.sqlite: no player is called 'Nobody'".to_owned()
        )
    );
}

/// Of two analyses of a match, from files of other names, `players` counts the last one.
#[test]
fn match_analysed_twice_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let line = format!("analyse {} --db a.sqlite", data("three3.mat").display());
    assert!(run(at, &line).status.success());
    fs::copy(data("three3.mat"), at.join("copy.mat")).unwrap();
    assert!(
        run(at, "analyse copy.mat --db a.sqlite --plies 0")
            .status
            .success()
    );
    let db = Connection::open(at.join("a.sqlite")).unwrap();
    assert_eq!(number(&db, "SELECT count(*) FROM matches"), 2.0);
    let losses = |level: &str| {
        let sums = "SELECT sum(loss) FROM sides JOIN matches ON id = match WHERE level";
        number(&db, &format!("{sums} {level}"))
    };
    let lost = losses("= '0-ply'");
    assert_ne!(lost, losses("<> '0-ply'"));
    let players = run(at, "players --db a.sqlite --format json").stdout;
    let players = String::from_utf8(players).unwrap();
    let (mut told, mut name) = (0.0, String::new());
    for line in players.lines() {
        let one: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(one["matches"], 1, "{one}");
        let rate = one["error_rate"]["gnubg"].as_f64().unwrap();
        one["name"].as_str().unwrap().clone_into(&mut name);
        told += rate * one["decisions"].as_f64().unwrap() / 1000.0;
    }
    assert!((told - lost).abs() < 1e-6, "{told} {lost}");
    let history = String::from_utf8(run(at, &format!("players --db a.sqlite {name}")).stdout);
    let history = history.unwrap();
    assert!(
        history.contains(": 1 match;") && history.contains("copy.mat"),
        "{history}"
    );
}

/// ANA-22: what is not ours is refused by name, in both commands, and no byte of it changes.
#[test]
fn files_of_others_are_left_alone() {
    let folder = matches(1);
    let at = folder.path();
    let sqlite = |name: &str, sql: &str| {
        Connection::open(at.join(name))
            .unwrap()
            .execute_batch(sql)
            .unwrap();
    };
    fs::write(at.join("diary"), "dear diary").unwrap();
    fs::write(at.join("lines"), "{\"type\":\"analysis\"}\n").unwrap();
    fs::write(
        at.join("head"),
        b"SQLite format 3\0 and then nothing of the sort",
    )
    .unwrap();
    sqlite("theirs", "CREATE TABLE t (a); INSERT INTO t VALUES (1);");
    sqlite("named", "PRAGMA application_id = 7;");
    let ours = run(at, "analyse in --db ours");
    assert!(ours.status.success(), "{ours:?}");
    for (name, sql) in [
        ("newer", "PRAGMA user_version = 9"),
        ("changed", "ALTER TABLE sides ADD COLUMN age INTEGER"),
        (
            "trigger",
            "CREATE TRIGGER t AFTER INSERT ON matches BEGIN DELETE FROM players; END",
        ),
    ] {
        fs::copy(at.join("ours"), at.join(name)).unwrap();
        sqlite(name, sql);
    }
    for (name, why) in [
        ("diary", "is not an archive of gammond analyse"),
        (
            "lines",
            "holds JSON lines, as archives of earlier versions did: analyse the matches into a new file",
        ),
        (
            "head",
            "file is not a database; sqlite3 FILE .recover may save its contents",
        ),
        ("theirs", "is an SQLite file of another program"),
        ("named", "is an SQLite file of another program"),
        (
            "newer",
            "has tables of version 9, this program knows version 7",
        ),
        ("changed", "has other tables than this program makes"),
        ("trigger", "has other tables than this program makes"),
        ("in", "is a folder, not a regular file"),
    ] {
        let bytes = fs::read(at.join(name)).unwrap_or_default();
        for line in [
            format!("analyse in --db {name}"),
            format!("players --db {name}"),
        ] {
            let output = run(at, &line);
            let expected = (Some(3), format!("gammond: {name}: {why}"));
            assert_eq!(refused(&output), expected, "{line}");
            assert_eq!(fs::read(at.join(name)).unwrap_or_default(), bytes, "{line}");
        }
    }
    let missing = refused(&run(at, "players --db nowhere"));
    assert_eq!(missing.0, Some(3));
    assert!(!at.join("nowhere").exists());
    // Own views and tables beside ours are no fault.
    sqlite(
        "ours",
        "CREATE VIEW best AS SELECT * FROM history; CREATE TABLE notes (note)",
    );
    assert!(run(at, "players --db ours").status.success());
}

/// Names that SQLite would take for something else are names of files.
#[test]
fn names_of_files_are_only_names() {
    let folder = matches(1);
    let at = folder.path();
    for name in [":memory:", "file:a?mode=memory", "-a", "é.sqlite"] {
        let output = run(at, &format!("analyse in --db={name}"));
        assert!(output.status.success(), "{output:?}");
        sound(&Connection::open(at.join(name)).unwrap());
    }
    // An empty file is as good as none.
    fs::write(at.join("empty"), "").unwrap();
    assert!(run(at, "analyse in --db empty").status.success());
    fs::write(at.join("empty"), "").unwrap();
    assert_eq!(refused(&run(at, "players --db empty")).0, Some(3));
}

/// ANA-22: three programs at once file every match once.
#[test]
fn several_programs_at_once() {
    let folder = matches(5);
    let at = folder.path();
    let line = "analyse in --db a.sqlite --threads 1";
    let running: Vec<_> = (0..3)
        .map(|_| {
            let mut command = gammond(at, line);
            command.stdout(std::process::Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    let db = Connection::open(at.join("a.sqlite")).unwrap();
    sound(&db);
    assert_eq!(number(&db, "SELECT count(*) FROM matches"), 5.0);
    assert_eq!(number(&db, "SELECT count(*) FROM sides"), 10.0);
    assert_eq!(number(&db, "SELECT count(*) FROM players"), 6.0);
}

/// ANA-22: killed at any moment, the archive is sound, and the same command goes on to the same end.
#[test]
fn killed_and_continued() {
    let folder = matches(6);
    let at = folder.path();
    let line = "analyse in --threads 1 --db";
    assert!(run(at, &format!("{line} whole.sqlite")).status.success());
    let mut seen = std::collections::BTreeSet::new();
    for round in 0..8_u64 {
        let mut child = gammond(at, &format!("{line} a.sqlite"));
        let mut child = child.stdout(std::process::Stdio::null()).spawn().unwrap();
        // Each round is killed at another moment: the moment is what is tested.
        std::thread::sleep(std::time::Duration::from_millis(60 + 37 * round));
        child.kill().unwrap();
        child.wait().unwrap();
        if let Ok(db) = Connection::open(at.join("a.sqlite"))
            && number(&db, "SELECT count(*) FROM sqlite_schema") > 0.0
        {
            sound(&db);
            seen.insert(number(&db, "SELECT count(*) FROM matches") as u64);
        }
    }
    eprintln!("matches after each kill: {seen:?}");
    assert!(run(at, &format!("{line} a.sqlite")).status.success());
    let dump = |name: &str| {
        let db = Connection::open(at.join(name)).unwrap();
        sound(&db);
        let mut rows = db
            .prepare("SELECT file, side, name, decisions.number, decisions.loss, position FROM decisions \
                JOIN matches ON matches.id = match JOIN sides USING (match, side) JOIN players ON players.id = player \
                ORDER BY 1, 4")
            .unwrap();
        let rows = rows.query_map([], |row| {
            let loss: Option<f64> = row.get(4)?;
            let (file, name, position): (String, String, String) =
                (row.get(0)?, row.get(2)?, row.get(5)?);
            Ok(format!("{file} {name} {loss:?} {position}"))
        });
        rows.unwrap().collect::<Result<Vec<_>, _>>().unwrap()
    };
    assert_eq!(dump("a.sqlite"), dump("whole.sqlite"));
}

/// ANA-22: a full disk is told, what was filed before is kept, and with room the command goes on.
#[cfg(unix)]
#[test]
fn full_disk() {
    let folder = matches(6);
    let at = folder.path();
    // In blocks of 512 bytes: no room for the tables; for the tables alone; for some matches.
    for blocks in [1, 100, 130] {
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\"");
        let output = Command::new("sh")
            .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_gammond")])
            .args("analyse in --db a.sqlite --threads 1".split(' '))
            .current_dir(at)
            .output()
            .unwrap();
        let (_, said) = refused(&output);
        assert!(said.starts_with("gammond: a.sqlite: "), "{said}");
    }
    let before = number(
        &Connection::open(at.join("a.sqlite")).unwrap(),
        "SELECT count(*) FROM matches",
    );
    assert!((1.0..6.0).contains(&before), "{before}");
    assert!(run(at, "analyse in --db a.sqlite").status.success());
    let db = Connection::open(at.join("a.sqlite")).unwrap();
    sound(&db);
    assert_eq!(number(&db, "SELECT count(*) FROM matches"), 6.0);
}

/// Bytes overwritten and ends cut off: an error on one line or an answer, never a panic.
#[test]
fn damaged_archives() {
    let folder = matches(2);
    let at = folder.path();
    assert!(run(at, "analyse in --db whole").status.success());
    let whole = fs::read(at.join("whole")).unwrap();
    let mut refusals = 0;
    for round in 0..24_usize {
        let mut bytes = whole.clone();
        match round % 2 {
            0 => bytes.truncate(whole.len() * round / 24),
            _ => {
                for place in 0..200 {
                    let at = (place * 7919 + round * 104_729) % bytes.len();
                    bytes[at] = bytes[at].wrapping_add(1 + (round as u8));
                }
            }
        }
        fs::write(at.join("a"), &bytes).unwrap();
        for line in ["players --db a", "players --db a Bob"] {
            let output = run(at, line);
            if !output.status.success() {
                refused(&output);
                refusals += 1;
            }
        }
    }
    assert!(refusals > 20, "{refusals}");
}

/// Every value of every table, in an order that does not depend on the file.
fn contents(path: &Path) -> Vec<String> {
    let db = Connection::open(path).unwrap();
    let mut all = Vec::new();
    for table in ["players", "matches", "sides", "decisions"] {
        let sql = format!("SELECT * FROM {table} ORDER BY 1, 2");
        let mut asked = db.prepare(&sql).unwrap();
        let columns = asked.column_count();
        let rows = asked.query_map([], |row| {
            let value = |at| row.get::<_, rusqlite::types::Value>(at);
            (0..columns).map(value).collect::<Result<Vec<_>, _>>()
        });
        let rows = rows
            .unwrap()
            .map(|row| format!("{table} {:?}", row.unwrap()));
        all.extend(rows);
    }
    all
}

/// ANA-22: a flipped bit is noticed before figures are shown, or nothing that is filed has changed by it.
#[test]
fn flipped_bits_change_no_figure_unnoticed() {
    let folder = matches(2);
    let at = folder.path();
    assert!(run(at, "analyse in --db whole").status.success());
    let (whole, filed) = (
        fs::read(at.join("whole")).unwrap(),
        contents(&at.join("whole")),
    );
    let (mut noticed, mut harmless) = (0, 0);
    for round in 0..120_usize {
        let mut bytes = whole.clone();
        let place = (round * 104_729 + 57) % bytes.len();
        bytes[place] ^= 1 << (round % 8);
        fs::write(at.join("a"), &bytes).unwrap();
        let output = run(at, "players --db a");
        if output.status.success() {
            assert!(contents(&at.join("a")) == filed, "byte {place}");
            harmless += 1;
        } else {
            assert_eq!(refused(&output).0, Some(3), "{output:?}");
            noticed += 1;
        }
    }
    eprintln!("{noticed} flips noticed, {harmless} in unused bytes");
    // Most bytes of a small archive are unused.
    assert!(noticed > 20, "{noticed}");
    // A change that leaves the structure sound.
    fs::write(at.join("a"), &whole).unwrap();
    let sql = "UPDATE decisions SET loss = 0.5 WHERE match = 1 AND number = 1";
    let db = Connection::open(at.join("a")).unwrap();
    db.execute_batch(sql).unwrap();
    let (code, said) = refused(&run(at, "players --db a"));
    assert_eq!(code, Some(3));
    assert!(
        said.contains("in/00.mat") && said.contains("does not have its checksum"),
        "{said}"
    );
}

/// ANA-22: an archive of an old version gets the tables that it lacks when it is opened, and none if its tables are others.
#[test]
fn archive_of_an_old_version_is_brought_up() {
    let folder = matches(2);
    let at = folder.path();
    assert!(run(at, "analyse in --db a").status.success());
    let players = run(at, "players --db a").stdout;
    let sql = |sql: &str| {
        Connection::open(at.join("a"))
            .unwrap()
            .execute_batch(sql)
            .unwrap()
    };
    let db = Connection::open(at.join("a")).unwrap();
    let dated = "SELECT count(*) FROM dates WHERE played = '2026-11-21'";
    assert_eq!(number(&db, dated), 2.0);
    drop(db);
    sql(
        "DROP TABLE digests; DROP TABLE dates; DROP TABLE filings; DROP TABLE owners; DROP TABLE found_by; \
         DROP TABLE variants; PRAGMA user_version = 1",
    );
    assert_eq!(run(at, "players --db a").stdout, players);
    // The digests of version 2 are those of matches without a date.
    sql(
        "DROP TABLE dates; DROP TABLE filings; DROP TABLE owners; DROP TABLE found_by; DROP TABLE variants; PRAGMA user_version = 2",
    );
    assert_eq!(run(at, "players --db a").stdout, players);
    // So are those of version 3.
    sql(
        "DROP TABLE filings; DROP TABLE owners; DROP TABLE found_by; DROP TABLE variants; PRAGMA user_version = 3",
    );
    assert_eq!(run(at, "players --db a").stdout, players);
    sql("DROP TABLE owners; DROP TABLE found_by; DROP TABLE variants; PRAGMA user_version = 4");
    assert_eq!(run(at, "players --db a").stdout, players);
    sql("DROP TABLE found_by; DROP TABLE variants; PRAGMA user_version = 5");
    assert_eq!(run(at, "players --db a").stdout, players);
    sql("DROP TABLE variants; PRAGMA user_version = 6");
    assert_eq!(run(at, "players --db a").stdout, players);
    let db = Connection::open(at.join("a")).unwrap();
    assert_eq!(number(&db, "SELECT count(*) FROM digests"), 2.0);
    assert_eq!(number(&db, "PRAGMA user_version"), 7.0);
    drop(db);
    sql(
        "DROP TABLE digests; DROP TABLE dates; DROP TABLE filings; DROP TABLE owners; DROP TABLE found_by; DROP TABLE variants; \
         PRAGMA user_version = 1; \
         ALTER TABLE sides ADD COLUMN age INTEGER",
    );
    let (_, said) = refused(&run(at, "players --db a"));
    assert!(said.contains("has other tables"), "{said}");
    let db = Connection::open(at.join("a")).unwrap();
    assert_eq!(number(&db, "PRAGMA user_version"), 1.0);
}

/// ANA-27: the matches of a player stand in the order of their days, whatever the order of filing; those without a day
/// have that of filing, and in archives that did not keep it they come first.
#[test]
fn history_is_in_the_order_of_the_days() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = fs::read_to_string(data("one1.mat")).unwrap();
    let dated = "; [EventDate \"2026.11.21\"]";
    // The names of the opponents make them different matches.
    for (file, head) in [
        ("a.mat", "; [EventDate \"2025.03.01\"]"),
        ("b.mat", "; no day"),
        ("c.mat", "; [EventDate \"2024.12.31\"]"),
        ("d.mat", "; [Date \"2025.02.28\"]"),
    ] {
        let text = text
            .replace(dated, head)
            .replace("Bob :", &format!("Bob{file} :"));
        fs::write(at.join(file), text).unwrap();
        let line = format!("analyse {file} --db db --plies 0");
        assert!(run(at, &line).status.success());
    }
    let files = |line: &str| {
        let text = String::from_utf8(run(at, line).stdout).unwrap();
        let parsed = |line| serde_json::from_str::<serde_json::Value>(line).unwrap();
        let lines: Vec<serde_json::Value> = text.lines().map(parsed).collect();
        let file = |one: &serde_json::Value| one["file"].as_str().unwrap().to_owned();
        (lines.iter().map(file).collect::<Vec<_>>().join(" "), lines)
    };
    let json = "players --db db Alice --format json";
    let (order, lines) = files(json);
    assert_eq!(order, "c.mat d.mat a.mat b.mat");
    assert_eq!(lines[1]["date"], "2025-02-28");
    let filed = lines[3]["filed"].as_str().unwrap();
    assert!(
        lines[3]["date"].is_null() && filed.starts_with("20"),
        "{filed}"
    );
    let text = String::from_utf8(run(at, "players --db db Alice").stdout).unwrap();
    assert!(
        text.contains("\n 2024-12-31 ") && text.contains(&format!("\n({filed}) ")),
        "{text}"
    );
    let csv = String::from_utf8(run(at, "players --db db Alice --format csv").stdout).unwrap();
    assert_eq!(csv.lines().count(), 5, "{csv}");
    assert!(csv.starts_with("date,filed,file,against,"), "{csv}");
    assert!(
        csv.contains(&format!(
            "\n\"2025-03-01\",\"{filed}\",\"a.mat\",\"Boba.mat\",1,"
        )),
        "{csv}"
    );
    let csv = String::from_utf8(run(at, "players --db db --format csv").stdout).unwrap();
    assert!(csv.starts_with("name,matches,won,"), "{csv}");
    assert!(csv.contains("\n\"Alice\",4,"), "{csv}");
    // The day of filing is part of what the digest guards.
    let db = Connection::open(at.join("db")).unwrap();
    db.execute_batch("UPDATE filings SET filed = '2000-01-01'")
        .unwrap();
    assert_eq!(refused(&run(at, json)).0, Some(3));
    db.execute_batch(
        "DROP TABLE filings; DROP TABLE owners; DROP TABLE found_by; DROP TABLE variants; DROP TABLE digests; DROP TABLE dates; PRAGMA user_version = 1",
    )
    .unwrap();
    assert_eq!(files(json).0, "a.mat b.mat c.mat d.mat");
}

/// A bar ends where its rate does: the longest bar is that of the worst match.
#[test]
fn bars_are_not_cut() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::copy(data("one1.mat"), at.join("a.mat")).unwrap();
    assert!(run(at, "analyse a.mat --db db --plies 0").status.success());
    let db = Connection::open(at.join("db")).unwrap();
    db.execute_batch(
        "UPDATE sides SET loss = 0.095 * decisions WHERE side = 0; \
         DROP TABLE filings; DROP TABLE owners; DROP TABLE found_by; DROP TABLE variants; DROP TABLE digests; DROP TABLE dates; PRAGMA user_version = 1",
    )
    .unwrap();
    let text = String::from_utf8(run(at, "players --db db Alice").stdout).unwrap();
    assert!(
        text.contains("a bar of 30 signs for a rate of 100;"),
        "{text}"
    );
    assert!(
        text.contains(" 95.00 ") && text.matches('#').count() == 28,
        "{text}"
    );
}

/// `open` shows an archive; it makes none.
#[test]
fn open_refuses_an_archive_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (code, said) = refused(&run(at, "open --port 0 --db nowhere"));
    assert_eq!(code, Some(3), "{said}");
    assert_eq!(said, refused(&run(at, "players --db nowhere")).1);
    assert!(!at.join("nowhere").exists());
}

/// ANA-17: two files of one name do not meet, and no file of somebody else is written over, nor one that is read.
#[test]
fn annotated_matches_are_written_over_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (name, from) in [("x/a.mat", "one1.mat"), ("y/a.mat", "three3.mat")] {
        fs::create_dir_all(at.join(name).parent().unwrap()).unwrap();
        fs::copy(data(from), at.join(name)).unwrap();
    }
    let names = || {
        let files = fs::read_dir(at.join("out")).unwrap();
        let mut names: Vec<_> = files.map(|one| one.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let good = |line: &str| {
        let output = run(at, line);
        assert!(output.status.success(), "{line}: {output:?}");
    };
    let refused = |line: &str, file: &str, why: &str| {
        let before = fs::read(at.join(file)).unwrap();
        let output = run(at, line);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{line}: {output:?}");
        assert!(said.contains(file) && said.contains(why), "{line}: {said}");
        assert!(fs::read(at.join(file)).unwrap() == before, "{line}");
    };
    let all = "analyse x y --annotate out --annotate-sgf out --ogxm out";
    good(all);
    let both = ["a.mat", "a.ogxm", "a.sgf", "a~2.mat", "a~2.ogxm", "a~2.sgf"];
    assert_eq!(names(), both);
    // Again, and with other remarks: the files are this command's.
    good(all);
    good("analyse x y --annotate out --annotate-sgf out --marks 0.01,0.02,0.03");
    assert_eq!(names(), both);
    // Remarks do not pile up.
    good("analyse out/a.mat --annotate twice");
    let seals = |name: &str| {
        let text = fs::read_to_string(at.join(name)).unwrap();
        text.matches("; judged by gammond, 2-ply swift").count()
    };
    assert_eq!([seals("out/a.mat"), seals("twice/a.mat")], [1, 1]);
    let theirs = "left unchanged";
    refused(
        "analyse x --annotate x",
        "x/a.mat",
        "files to analyse; left unchanged",
    );
    refused("analyse out/a.sgf --annotate-sgf out", "out/a.sgf", theirs);
    for name in ["a.mat", "a.sgf", "a.ogxm"] {
        fs::write(at.join("out").join(name), "of somebody else\n").unwrap();
        refused(all, &format!("out/{name}"), theirs);
        fs::remove_file(at.join("out").join(name)).unwrap();
    }
}

/// ANA-17: a match that is in the archive keeps the names of its files; another one of the same name gets others.
#[test]
fn matches_of_the_archive_keep_their_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for name in ["x", "y"] {
        fs::create_dir(at.join(name)).unwrap();
    }
    let one = fs::read_to_string(data("one1.mat")).unwrap();
    let two = one.replacen("Alice :", "Carol :", 1);
    let analysed = |folders: &str| {
        let line =
            format!("analyse {folders} --db a.sqlite --annotate out --annotate-sgf out --ogxm out");
        let output = run(at, &line);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    // A file of one match, and one of two.
    fs::write(at.join("x/a.mat"), &one).unwrap();
    fs::write(at.join("x/b.mat"), format!("{one}\n{two}")).unwrap();
    analysed("x");
    let kept = |name: &str| fs::read(at.join("out").join(name)).unwrap();
    let names = ["a.mat", "a.sgf", "a.ogxm", "b-2.mat"];
    let before = names.map(kept);
    fs::copy(data("three3.mat"), at.join("y/a.mat")).unwrap();
    fs::copy(data("three3.mat"), at.join("y/b-2.mat")).unwrap();
    let said = analysed("x y");
    assert!(said.contains("in the archive already"), "{said}");
    assert!(names.map(kept) == before);
    assert!(kept("a~2.mat") != kept("a.mat"));
    for name in ["a~2.sgf", "a~2.ogxm"] {
        assert!(at.join("out").join(name).exists(), "{name}");
    }
}

/// MAT-28, ANA-23: each match of a file is judged under a name of its own, written and filed on its own; of a log that grows only what is new.
#[test]
fn several_matches_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let one = fs::read_to_string(data("one1.mat")).unwrap();
    let both = format!("{one}\n{}", one.replacen("Alice :", "Carol :", 1));
    fs::write(at.join("both.mat"), both).unwrap();
    let line = "analyse both.mat --db a.sqlite --format json --annotate out --annotate-sgf out";
    let output = run(at, line);
    assert!(output.status.success(), "{output:?}");
    let told = String::from_utf8(output.stdout).unwrap();
    let told: Vec<serde_json::Value> = told
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<_> = told.iter().map(|told| told["file"].as_str()).collect();
    assert_eq!(names, [Some("both.mat#1"), Some("both.mat#2")]);
    let same = |key: &str| told[0][key] == told[1][key];
    assert!(same("decisions") && !same("players"));
    let written = fs::read_dir(at.join("out")).unwrap();
    let mut written: Vec<_> = written.map(|entry| entry.unwrap().file_name()).collect();
    written.sort();
    assert_eq!(
        written,
        ["both-1.mat", "both-1.sgf", "both-2.mat", "both-2.sgf"]
    );
    let second = fs::read_to_string(at.join("out/both-2.mat")).unwrap();
    assert!(
        second.contains("Carol :") && !second.contains("Alice :"),
        "{second}"
    );
    let db = Connection::open(at.join("a.sqlite")).unwrap();
    sound(&db);
    assert_eq!(number(&db, "SELECT count(*) FROM matches"), 2.0);
    assert_eq!(
        number(
            &db,
            "SELECT count(*) FROM matches WHERE file = 'both.mat#2'"
        ),
        1.0
    );
    let again = run(at, line);
    assert!(again.stdout.is_empty());
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(
        said.contains("2 matches are in the archive already"),
        "{said}"
    );

    let logs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fibs-logs");
    let log = String::from_utf8_lossy(&fs::read(logs.join("clip-first.log")).unwrap()).into_owned();
    fs::write(at.join("fibs.log"), &log).unwrap();
    let line = "analyse fibs.log --db a.sqlite --format csv";
    assert!(run(at, line).status.success());
    assert_eq!(number(&db, "SELECT count(*) FROM matches"), 3.0);
    let other = log.replace("bobby", "carol");
    fs::write(at.join("fibs.log"), format!("{log}{other}")).unwrap();
    let grown = run(at, line);
    let said = String::from_utf8_lossy(&grown.stderr).into_owned();
    assert!(said.contains("1 match is in the archive already"), "{said}");
    let rows = String::from_utf8(grown.stdout).unwrap();
    let mut rows = rows.lines().skip(1);
    assert!(rows.all(|row| row.starts_with("\"fibs.log#2\",") || row.starts_with("fibs.log#2,")));
    assert_eq!(number(&db, "SELECT count(*) FROM matches"), 4.0);
}
