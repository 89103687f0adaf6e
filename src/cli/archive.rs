//! The archive of analysed matches: `analyse --db`, `fibs --db`, `players`. An SQLite file whose tables are in
//! `archive.sql` and in `protocol-specs/analysis.md`.
//!
//! A match is stored as a whole or not at all, and only once, even if a program is killed or several programs store it
//! at the same time. A file of another program is left as it is. Each match is stored with the SHA-256 of its rows;
//! before figures are read from an archive, the structure of the file and every such digest are checked.

use super::{ArchiveKey, Failure, Played};
use gammond_base::escape::Untrusted;
use gammond_engine::people::People;
use gammond_game::Variant;
use gammond_game::notation::MatPlayer;
use gammond_report::analysis::{Analysis, PlayerSums, Row, Totals, class, phase};
use gammond_server::console::today;
use rusqlite::functions::FunctionFlags;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, TransactionBehavior, params};
use std::collections::HashSet;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Statements that create the tables.
const TABLES: &str = include_str!("archive.sql");
/// `gmmd`: marks the file as gammond's.
const APPLICATION_ID: i64 = 0x676d_6d64;
/// Version of the tables.
const VERSION: i64 = 7;
/// Tables that versions lack: the version up to which, and the beginning of the table's statement.
const ADDED: [(i64, &str); 6] = [
    (1, "CREATE TABLE digests"),
    (2, "CREATE TABLE dates"),
    (3, "CREATE TABLE filings"),
    (4, "CREATE TABLE owners"),
    (5, "CREATE TABLE found_by"),
    (6, "CREATE TABLE variants"),
];
/// Longest wait for another program's lock on the file.
const WAITED: Duration = Duration::from_secs(60);
/// Advice for the owner of a damaged file.
const RECOVER: &str = "; sqlite3 FILE .recover may save its contents";
/// Read the data that matches of earlier versions lack: its day, the day on which it was filed, its owners, the
/// shares of people who find its best plays, its variant.
const OPTIONAL: [&str; 5] = [
    "SELECT played FROM dates WHERE match = ?",
    "SELECT filed FROM filings WHERE match = ?",
    "SELECT owner FROM owners WHERE match = ? ORDER BY owner",
    "SELECT number, pr, share FROM found_by WHERE match = ? ORDER BY number, pr",
    "SELECT variant FROM variants WHERE match = ?",
];
/// True for a match that a request over HTTP has filed, also one of a version that kept no owners.
pub(super) const IS_OF_HTTP: &str = "(file = 'http' OR file LIKE 'http#%' OR EXISTS \
     (SELECT 1 FROM owners WHERE owners.match = matches.id))";
/// First bytes of every SQLite file.
const BEGINNING: &[u8; 16] = b"SQLite format 3\0";

/// The archive, open.
#[derive(Debug)]
pub(crate) struct Archive {
    path: PathBuf,
    /// One at a time: a match is filed in a moment.
    connection: Mutex<Connection>,
}

impl Archive {
    /// Opens an archive or makes a new one.
    pub(crate) fn open(path: &Path) -> Result<Archive, Failure> {
        Archive::opened(path, true)
    }

    /// Opens an archive that there is, and checks that nothing in it has changed since it was filed.
    pub(crate) fn existing(path: &Path) -> Result<Archive, Failure> {
        Archive::opened(path, false)
    }

    fn opened(path: &Path, make: bool) -> Result<Archive, Failure> {
        let fault = |error: rusqlite::Error| Failure::in_file(path)(error_text(&error));
        if path.exists() || !make {
            looks_right(path, make)?;
        }
        if make {
            // The system's error is clearer than SQLite's about an unwritable file; an empty file counts as none.
            let mut options = std::fs::OpenOptions::new();
            let opened = options.create(true).append(true).open(path);
            opened.map_err(Failure::in_file(path))?;
        }
        // SQLite takes some names for something else: none of them begins with a slash.
        let whole = std::path::absolute(path).map_err(Failure::in_file(path))?;
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags.set(OpenFlags::SQLITE_OPEN_CREATE, make);
        let mut connection = Connection::open_with_flags(&whole, flags).map_err(fault)?;
        connection.busy_timeout(WAITED).map_err(fault)?;
        add_functions(&connection).map_err(fault)?;
        // SQL from the file is never run.
        let guarded = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;";
        connection.execute_batch(guarded).map_err(fault)?;
        let mut state = state(&connection).map_err(fault)?;
        if (state == State::Empty && make) || state.is_old() {
            state = brought_up(&mut connection)
                .map_err(|error| Failure::unwritten(path)(error_text(&error)))?;
        }
        let wrong = match state {
            State::Ours => None,
            State::Empty => Some("contains no match".to_owned()),
            State::Foreign => Some("is an SQLite file of another program".to_owned()),
            State::Version(found) => Some(format!(
                "has tables of version {found}, this program knows version {VERSION}"
            )),
            State::Changed => Some("has other tables than this program makes".to_owned()),
        };
        let wrong = match wrong {
            None if !make => damage(&connection).map_err(fault)?,
            wrong => wrong,
        };
        match wrong {
            Some(wrong) => Err(Failure::in_file(path)(wrong)),
            None => Ok(Archive {
                path: path.to_owned(),
                connection: Mutex::new(connection),
            }),
        }
    }

    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns true if the match is in the archive, even if another program has just added it.
    pub(crate) fn has(&self, key: &ArchiveKey) -> Result<bool, Failure> {
        let connection = self.connection();
        let found = connection
            .prepare_cached("SELECT 1 FROM matches WHERE checksum IN (?, ?)")
            .and_then(|mut asked| asked.exists([&key.checksum, &key.checksum_by_names]));
        found.map_err(|error| Failure::in_file(&self.path)(error_text(&error)))
    }

    /// Files a match, once.
    pub(crate) fn add(
        &self,
        name: &str,
        key: &ArchiveKey,
        analysis: &Analysis,
    ) -> Result<(), Failure> {
        self.add_for(None, name, key, analysis)
    }

    /// Files a match for a client of the server, once; one that another client has filed gets one more owner.
    pub(super) fn add_for(
        &self,
        owner: Option<&str>,
        name: &str,
        key: &ArchiveKey,
        analysis: &Analysis,
    ) -> Result<(), Failure> {
        let mut connection = self.connection();
        filed(&mut connection, owner, name, key, analysis)
            .map_err(|error| Failure::unwritten(&self.path)(error_text(&error)))
    }

    /// Returns every player's sums, in the order of their names. Of several analyses of a match the last one counts.
    pub(crate) fn players(&self) -> Result<Vec<(Untrusted, PlayerSums)>, Failure> {
        // An unfinished match is not won.
        const SUMS: &str = "SELECT name, count(*), \
             sum(CASE length WHEN 0 THEN coalesce(result, 0.0) > 0 ELSE score >= length END), sum(decisions), \
             sum(counted), coalesce(sum(loss), 0.0), coalesce(sum(luck), 0.0) FROM history JOIN latest USING (match) \
             GROUP BY name ORDER BY name";
        let connection = self.connection();
        let all = find_latest(&connection).and_then(|()| {
            let mut asked = connection.prepare(SUMS)?;
            let rows = asked.query_map([], |row| {
                let sums = PlayerSums {
                    matches: row.get(1)?,
                    won: row.get(2)?,
                    decisions: row.get(3)?,
                    counted: row.get(4)?,
                    loss: row.get(5)?,
                    luck: row.get(6)?,
                };
                Ok((row.get::<_, String>(0)?.into(), sums))
            })?;
            rows.collect()
        });
        all.map_err(|error| Failure::in_file(&self.path)(error_text(&error)))
    }

    /// Returns a player's matches by their days, those without any first; of several analyses of a match the last one.
    /// The day is that of the match, or the one on which it was filed.
    pub(crate) fn history(&self, name: &str) -> Result<Vec<Played>, Failure> {
        const MATCHES: &str = "SELECT file, against, length, score, against_score, coalesce(result, 0.0), decisions, \
             counted, coalesce(loss, 0.0), coalesce(luck, 0.0), played, filed FROM history JOIN latest USING (match) \
             LEFT JOIN dates USING (match) LEFT JOIN filings USING (match) WHERE name = ? \
             ORDER BY coalesce(played, filed, ''), match";
        let connection = self.connection();
        let all = find_latest(&connection).and_then(|()| {
            let mut asked = connection.prepare(MATCHES)?;
            let rows = asked.query_map([name], |row| {
                let result: f64 = row.get(5)?;
                let (length, score): (i64, i64) = (row.get(2)?, row.get(3)?);
                Ok(Played {
                    file: row.get::<_, String>(0)?.into(),
                    against: row.get::<_, String>(1)?.into(),
                    length,
                    score: [score, row.get(4)?],
                    result,
                    date: row.get(10)?,
                    filed: row.get(11)?,
                    sums: PlayerSums {
                        matches: 1,
                        won: i64::from(match length {
                            0 => result > 0.0,
                            length => score >= length,
                        }),
                        decisions: row.get(6)?,
                        counted: row.get(7)?,
                        loss: row.get(8)?,
                        luck: row.get(9)?,
                    },
                })
            })?;
            rows.collect()
        });
        all.map_err(|error| Failure::in_file(&self.path)(error_text(&error)))
    }
}

/// Adds the functions `lowercase` and `file_name` to SQL. SQLite's own `lower` changes the letters of ASCII alone.
fn add_functions(connection: &Connection) -> rusqlite::Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    connection.create_scalar_function("lowercase", 1, flags, |of| {
        of.get::<String>(0).map(|text| text.to_lowercase())
    })?;
    connection.create_scalar_function("file_name", 1, flags, |of| {
        of.get::<String>(0).map(|path| file_name(&path).to_owned())
    })
}

/// Returns the name of an archived file without its folders, which are not a client's business.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

/// Kind of an open SQLite file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ours,
    Empty,
    Foreign,
    Version(i64),
    Changed,
}

impl State {
    /// Returns true for an archive of a version before this one.
    fn is_old(self) -> bool {
        matches!(self, State::Version(version) if (1..VERSION).contains(&version))
    }
}

/// Checks, before SQLite opens it, that the file is a regular one that begins as one of SQLite, or an empty one where
/// a new archive may be.
fn looks_right(path: &Path, make: bool) -> Result<(), Failure> {
    let file = gammond_base::files::open(path).map_err(Failure::in_file(path))?;
    let mut start = Vec::new();
    file.take(BEGINNING.len() as u64)
        .read_to_end(&mut start)
        .map_err(Failure::in_file(path))?;
    let wrong = match &start[..] {
        [] if make => return Ok(()),
        [] => "contains no match",
        start if start == BEGINNING => return Ok(()),
        [b'{', ..] => {
            "holds JSON lines, as archives of earlier versions did: analyse the matches into a new file"
        }
        _ => "is not an archive of gammond analyse",
    };
    Err(Failure::in_file(path)(wrong))
}

/// Returns the statements of [`TABLES`].
fn statements() -> impl Iterator<Item = &'static str> {
    let all = TABLES.split(';').map(str::trim);
    all.filter(|statement| !statement.is_empty())
}

/// Reads the state of a file, in one transaction: another program may be creating the tables right now.
fn state(connection: &Connection) -> rusqlite::Result<State> {
    let transaction = connection.unchecked_transaction()?;
    state_within(&transaction)
}

fn state_within(connection: &Connection) -> rusqlite::Result<State> {
    let number = |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get(0));
    let (application, version): (i64, i64) = (number("application_id")?, number("user_version")?);
    let count = "SELECT count(*) FROM sqlite_schema";
    let objects: i64 = connection.query_row(count, [], |row| row.get(0))?;
    if (application, version, objects) == (0, 0, 0) {
        return Ok(State::Empty);
    }
    if application != APPLICATION_ID {
        return Ok(State::Foreign);
    }
    if version != VERSION {
        return Ok(State::Version(version));
    }
    // Additional tables and views are their owner's; triggers would change the filed matches.
    let mut ours = connection.prepare("SELECT 1 FROM sqlite_schema WHERE sql = ?")?;
    for statement in statements() {
        if !ours.exists([statement])? {
            return Ok(State::Changed);
        }
    }
    let triggers = "SELECT 1 FROM sqlite_schema WHERE type = 'trigger'";
    let found = connection
        .query_row(triggers, [], |_| Ok(()))
        .optional()?
        .is_some();
    Ok(if found { State::Changed } else { State::Ours })
}

/// Creates the tables, or those that an archive of an old version lacks, unless another program has done so by now.
fn brought_up(connection: &mut Connection) -> rusqlite::Result<State> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let before = state_within(&transaction)?;
    if before == State::Empty {
        for statement in statements() {
            transaction.execute(statement, [])?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    if let State::Version(found) = before
        && before.is_old()
    {
        for (version, table) in ADDED {
            let mut missing = statements().filter(|statement| statement.starts_with(table));
            if let Some(statement) = missing.next().filter(|_| found <= version) {
                transaction.execute(statement, [])?;
            }
        }
        if found == 1 {
            file_digests(&transaction)?;
        }
    }
    if before == State::Empty || before.is_old() {
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    let state = state_within(&transaction)?;
    // An old archive with other tables stays as it is.
    if state == State::Ours {
        transaction.commit()?;
    }
    Ok(state)
}

/// Returns the SHA-256 of everything that is filed about a match, each value with its type and length.
fn digest(connection: &Connection, number: i64) -> rusqlite::Result<String> {
    const ROWS: [&str; 3] = [
        "SELECT * FROM matches WHERE id = ?",
        "SELECT sides.*, name FROM sides LEFT JOIN players ON players.id = player WHERE match = ? ORDER BY side",
        "SELECT * FROM decisions WHERE match = ? ORDER BY number",
    ];
    let mut bytes = Vec::new();
    for sql in ROWS {
        add_rows(connection, sql, number, &mut bytes)?;
        bytes.push(b';');
    }
    for sql in OPTIONAL {
        let before = bytes.len();
        add_rows(connection, sql, number, &mut bytes)?;
        // A match without them has the digest that it had before there were such tables.
        if bytes.len() > before {
            bytes.push(b';');
        }
    }
    Ok(gammond_base::checksum::sha256(&bytes))
}

/// Adds all values of the rows that a statement finds about a match, each with its type and length.
fn add_rows(
    connection: &Connection,
    sql: &str,
    number: i64,
    bytes: &mut Vec<u8>,
) -> rusqlite::Result<()> {
    let mut asked = connection.prepare_cached(sql)?;
    let columns = asked.column_count();
    let mut rows = asked.query([number])?;
    while let Some(row) = rows.next()? {
        for column in 0..columns {
            match row.get_ref(column)? {
                ValueRef::Null => bytes.push(b'n'),
                ValueRef::Integer(value) => {
                    bytes.push(b'i');
                    bytes.extend(value.to_le_bytes());
                }
                ValueRef::Real(value) => {
                    bytes.push(b'r');
                    bytes.extend(value.to_bits().to_le_bytes());
                }
                ValueRef::Text(value) | ValueRef::Blob(value) => {
                    bytes.push(b't');
                    bytes.extend((value.len() as u64).to_le_bytes());
                    bytes.extend(value);
                }
            }
        }
    }
    Ok(())
}

/// Fills the temporary table `latest` with the last analysis of each match: matches with the same names, score and
/// decisions are the same, analysed at several levels or from several files.
fn find_latest(connection: &Connection) -> rusqlite::Result<()> {
    const PLAYED: [&str; 2] = [
        "SELECT length, name, score, result FROM matches JOIN sides ON match = matches.id \
         JOIN players ON players.id = player WHERE matches.id = ? ORDER BY side",
        "SELECT game, move, side, kind, position, roll, played FROM decisions WHERE match = ? ORDER BY number",
    ];
    connection.execute_batch(
        "CREATE TEMP TABLE IF NOT EXISTS latest (match INTEGER PRIMARY KEY); DELETE FROM latest;",
    )?;
    let mut asked = connection.prepare("SELECT id FROM matches ORDER BY id DESC")?;
    let numbers = asked.query_map([], |row| row.get::<_, i64>(0))?;
    let mut seen = HashSet::new();
    for number in numbers {
        let number = number?;
        let mut bytes = Vec::new();
        for sql in PLAYED {
            add_rows(connection, sql, number, &mut bytes)?;
        }
        if seen.insert(gammond_base::checksum::sha256(&bytes)) {
            connection.execute("INSERT INTO latest VALUES (?)", [number])?;
        }
    }
    Ok(())
}

/// Stores the digests of all matches.
fn file_digests(connection: &Connection) -> rusqlite::Result<()> {
    let mut asked = connection.prepare("SELECT id FROM matches")?;
    let all: Vec<i64> = asked
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    all.into_iter()
        .try_for_each(|number| file_digest(connection, number))
}

fn file_digest(connection: &Connection, number: i64) -> rusqlite::Result<()> {
    let sum = digest(connection, number)?;
    let mut asked = connection.prepare_cached("INSERT INTO digests VALUES (?, ?)")?;
    asked.execute(params![number, sum])?;
    Ok(())
}

/// Returns the damage: in the structure of the file, or a match whose rows do not have their digest.
fn damage(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let transaction = connection.unchecked_transaction()?;
    let found: String = transaction.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    if found != "ok" {
        let first = found.lines().last().unwrap_or_default();
        return Ok(Some(format!("is damaged: {first}{RECOVER}")));
    }
    // Digests without a match count as well: their match is lost.
    let mut asked = transaction.prepare(
        "SELECT id, file, sha256 FROM matches LEFT JOIN digests ON digests.match = matches.id \
         UNION ALL SELECT NULL, NULL, sha256 FROM digests WHERE match NOT IN (SELECT id FROM matches)",
    )?;
    let mut rows = asked.query([])?;
    while let Some(row) = rows.next()? {
        let (number, file, sum): (Option<i64>, Option<String>, Option<String>) =
            (row.get(0)?, row.get(1)?, row.get(2)?);
        let same = match (number, &sum) {
            (Some(number), Some(sum)) => digest(&transaction, number)? == *sum,
            _ => false,
        };
        if !same {
            let file = file.unwrap_or_default();
            return Ok(Some(format!(
                "is damaged: a match of '{file}' does not have its checksum; restore a copy, or analyse its matches \
                 into a new file"
            )));
        }
    }
    Ok(None)
}

fn filed(
    connection: &mut Connection,
    owner: Option<&str>,
    name: &str,
    key: &ArchiveKey,
    analysis: &Analysis,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let added = transaction
        .prepare_cached(
            "INSERT INTO matches (checksum, file, length, games, level, nets, met, faults) \
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8 WHERE NOT EXISTS (SELECT 1 FROM matches WHERE checksum IN (?1, ?9))",
        )?
        .execute(params![
            key.checksum,
            name,
            analysis.length,
            analysis.games.len() as i64,
            key.level,
            key.nets,
            key.met,
            analysis.faults.len() as i64,
            key.checksum_by_names,
        ])?;
    if added > 0 {
        let number = transaction.last_insert_rowid();
        let [first, second] = &analysis.totals;
        for (side, own, other) in [
            (MatPlayer::First, first, second),
            (MatPlayer::Second, second, first),
        ] {
            file_side(&transaction, number, analysis, side, [own, other])?;
        }
        for (index, row) in (1..).zip(analysis.rows()) {
            file_row(&transaction, number, index, &row)?;
        }
        if let Some(date) = &analysis.date {
            let mut asked = transaction.prepare_cached("INSERT INTO dates VALUES (?, ?)")?;
            asked.execute(params![number, date])?;
        }
        if analysis.variant != Variant::default() {
            let mut asked = transaction.prepare_cached("INSERT INTO variants VALUES (?, ?)")?;
            asked.execute(params![number, analysis.variant.word()])?;
        }
        let mut asked = transaction.prepare_cached("INSERT INTO filings VALUES (?, ?)")?;
        asked.execute(params![number, today()])?;
        file_digest(&transaction, number)?;
    }
    if let Some(owner) = owner {
        file_owner(&transaction, key, owner)?;
    }
    transaction.commit()
}

/// Adds an owner to a match. Matches that a command has filed have none: all clients see them.
fn file_owner(connection: &Connection, key: &ArchiveKey, owner: &str) -> rusqlite::Result<()> {
    let sql = format!(
        "SELECT id FROM matches WHERE checksum IN (?1, ?2) AND {IS_OF_HTTP} \
         AND NOT EXISTS (SELECT 1 FROM owners WHERE owners.match = matches.id AND owner = ?3)"
    );
    let mut asked = connection.prepare_cached(&sql)?;
    let numbers: Vec<i64> = asked
        .query_map([&key.checksum, &key.checksum_by_names, owner], |row| {
            row.get(0)
        })?
        .collect::<rusqlite::Result<_>>()?;
    for number in numbers {
        connection.execute("INSERT INTO owners VALUES (?, ?)", params![number, owner])?;
        connection.execute("DELETE FROM digests WHERE match = ?", [number])?;
        file_digest(connection, number)?;
    }
    Ok(())
}

fn file_side(
    connection: &Connection,
    number: i64,
    analysis: &Analysis,
    side: MatPlayer,
    [own, other]: [&Totals; 2],
) -> rusqlite::Result<()> {
    let [first, second] = &analysis.names;
    let (name, sign) = match side {
        MatPlayer::First => (first, 1.0),
        MatPlayer::Second => (second, -1.0),
    };
    connection
        .prepare_cached("INSERT INTO players (name) VALUES (?) ON CONFLICT (name) DO NOTHING")?
        .execute([name.raw()])?;
    let milli = |rate: Option<f64>| rate.map(|rate| 1000.0 * rate);
    let [loss, cost] = own.loss();
    let sql = "INSERT INTO sides VALUES (?, ?, (SELECT id FROM players WHERE name = ?), \
         ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    connection.prepare_cached(sql)?.execute(params![
        number,
        side.index() as i64,
        name.raw(),
        side.of(analysis.score),
        // No zero with a sign.
        sign * analysis.result + 0.0,
        analysis.luck_adjusted(side),
        own.plays.count,
        own.unforced,
        own.cube.count,
        own.close,
        own.decisions(),
        own.counted,
        own.plays.emg,
        own.cube.emg,
        loss,
        cost,
        own.luck.emg,
        own.luck.cost,
        milli(own.rate()),
        milli(own.snowie_rate(other)),
        own.performance(),
        analysis.fibs_rating(side),
    ])?;
    Ok(())
}

fn file_row(
    connection: &Connection,
    number: i64,
    index: i64,
    row: &Row<'_>,
) -> rusqlite::Result<()> {
    let sql = "INSERT INTO decisions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
    connection.prepare_cached(sql)?.execute(params![
        number,
        index,
        row.game as i64,
        row.turn,
        row.player.index() as i64,
        row.kind.name(),
        row.position(),
        row.roll.map(|roll| roll.to_string()),
        row.played,
        row.best,
        row.loss,
        row.loss_mwc,
        row.luck,
        row.luck_mwc,
        row.forced,
        row.close,
        phase(&row.judged.decision),
        class(&row.judged.decision),
    ])?;
    for (pr, share) in
        (row.found_by().into_iter()).flat_map(|shares| People::COACHED.into_iter().zip(shares))
    {
        let mut asked = connection.prepare_cached("INSERT INTO found_by VALUES (?, ?, ?, ?)")?;
        asked.execute(params![number, index, pr, share])?;
    }
    Ok(())
}

/// Returns an error of SQLite on one line, and what its owner may do about it.
pub(super) fn error_text(error: &rusqlite::Error) -> String {
    use rusqlite::ErrorCode;
    let text = error.to_string();
    let text = text.lines().next().unwrap_or_default();
    let more = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "; another program has held it for a minute"
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => RECOVER,
        _ => "",
    };
    format!("{text}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A file whose tables are created at this moment is empty or an archive, never another program's.
    #[test]
    fn state_during_creation_is_empty_or_ours() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..40 {
            let path = folder.path().join(format!("{round}.sqlite"));
            let open = || {
                let connection = Connection::open(&path).unwrap();
                connection.busy_timeout(WAITED).unwrap();
                connection
            };
            let (reader, mut writer) = (open(), open());
            let done = AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    assert!(brought_up(&mut writer).unwrap() == State::Ours);
                    done.store(true, Ordering::Release);
                });
                loop {
                    let last = done.load(Ordering::Acquire);
                    let seen = state(&reader).unwrap();
                    assert!(matches!(seen, State::Empty | State::Ours), "round {round}");
                    if last {
                        assert!(seen == State::Ours);
                        break;
                    }
                }
            });
        }
    }
}
