//! Matches of the archive for the server's clients, and from their jobs (`serve --db`; HTTP-121 to HTTP-124).

use super::archive::{IS_OF_HTTP, error_text, file_name};
use super::{AnalysisKey, Archive};
use gammond_game::notation::parse_position;
use gammond_report::analysis::{JudgedMatch, MARK_NAMES, MARKS, mark, rating_word};
use gammond_server::http::{ArchiveFilter, ArchiveScope, ArchivedMatch, MatchArchive};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Maximum number of decisions of one match that are sent: an answer is made in memory.
const DECISIONS_MAX: usize = 50_000;
/// Both sides of each match.
const MATCHES: &str = "SELECT matches.id, one.name, other.name, played, length, own.score, their.score, own.error_rate, \
     their.error_rate, own.pr, their.pr, own.luck, their.luck, level, games, file, faults, variant FROM matches \
     JOIN sides AS own ON own.match = matches.id AND own.side = 0 JOIN players AS one ON one.id = own.player \
     JOIN sides AS their ON their.match = matches.id AND their.side = 1 JOIN players AS other ON other.id = their.player \
     LEFT JOIN dates ON dates.match = matches.id LEFT JOIN variants ON variants.match = matches.id";

impl MatchArchive for Archive {
    fn matches(&self, filter: &ArchiveFilter) -> Result<Vec<ArchivedMatch>, String> {
        let sql = format!(
            "{MATCHES} WHERE (?1 IS NULL OR matches.id < ?1) AND (?2 IS NULL OR length = ?2) \
             AND (?3 IS NULL OR played >= ?3) AND (?4 IS NULL OR played <= ?4) \
             AND (?5 IS NULL OR instr(lowercase(one.name), ?5) > 0 OR instr(lowercase(other.name), ?5) > 0) \
             AND (?8 IS NULL OR instr(lowercase(one.name), ?8) > 0 OR instr(lowercase(other.name), ?8) > 0 \
             OR instr(lowercase(file_name(file)), ?8) > 0) AND {} ORDER BY matches.id DESC LIMIT ?6",
            visible(7)
        );
        let connection = self.connection();
        let found = connection.prepare_cached(&sql).and_then(|mut asked| {
            let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
            let conditions = params![
                filter.before,
                filter.length,
                filter.from,
                filter.to,
                filter.player.as_deref().map(str::to_lowercase),
                limit,
                owners(&filter.scope),
                filter.text.as_deref().map(str::to_lowercase)
            ];
            let rows = asked.query_map(conditions, archived_match)?;
            rows.collect()
        });
        found.map_err(|error| error_text(&error))
    }

    fn analysis(&self, id: i64, scope: &ArchiveScope) -> Result<Option<Value>, String> {
        analysis(&self.connection(), id, scope).map_err(|error| error_text(&error))
    }

    fn add(&self, owner: &str, file: &[u8], judged: &[JudgedMatch]) -> Result<(), String> {
        // One job analyses the matches of a file, by one engine.
        let Some(first) = judged.first() else {
            return Ok(());
        };
        let analyser = AnalysisKey::of(&first.engine, &first.settings);
        let analyser = analyser.map_err(|error| error.to_string())?;
        for (number, one) in (1..).zip(judged) {
            // Names of files of clients are not ours.
            let name = match judged.len() {
                1 => "http".to_owned(),
                _ => format!("http#{number}"),
            };
            let key = analyser.of_match((file, judged.len()), &one.reading);
            self.add_for(Some(owner), &name, &key, &one.analysis)
                .map_err(|failure| failure.to_string())?;
        }
        Ok(())
    }
}

/// Returns the condition for a match that the client may see; its parameter is that of [`owners`].
fn visible(parameter: usize) -> String {
    format!(
        "(?{parameter} IS NULL OR NOT {IS_OF_HTTP} OR EXISTS (SELECT 1 FROM owners WHERE owners.match = matches.id \
         AND owner IN (SELECT value FROM json_each(?{parameter}))))"
    )
}

/// Returns the owners of a scope as a JSON array; `None` for all.
fn owners(scope: &ArchiveScope) -> Option<String> {
    match scope {
        ArchiveScope::All => None,
        ArchiveScope::Owners(names) => Some(json!(names).to_string()),
        // An unknown kind shows nothing that has an owner.
        _ => Some("[]".to_owned()),
    }
}

fn archived_match(row: &Row<'_>) -> rusqlite::Result<ArchivedMatch> {
    let file: String = row.get(15)?;
    let pair = |at: usize| Ok::<_, rusqlite::Error>([number(row, at)?, number(row, at + 1)?]);
    Ok(ArchivedMatch {
        id: row.get(0)?,
        players: [row.get(1)?, row.get(2)?],
        date: row.get(3)?,
        length: row.get(4)?,
        score: [row.get(5)?, row.get(6)?],
        error_rates: pair(7)?,
        pr: pair(9)?,
        luck: pair(11)?,
        judged: row.get(13)?,
        games: row.get(14)?,
        file: file_name(&file).to_owned(),
        fault_count: row.get(16)?,
        variant: row.get(17)?,
    })
}

/// Returns a number with six decimals, as answers have them.
fn number(row: &Row<'_>, at: impl rusqlite::RowIndex) -> rusqlite::Result<Option<f64>> {
    row.get::<_, Option<f64>>(at)
        .map(|value| value.map(rounded))
}

fn rounded(value: f64) -> f64 {
    // No zero with a sign.
    (value * 1e6).round() / 1e6 + 0.0
}

/// Returns a match in the form of the JSON report (ANA-16), without the members that are not filed.
fn analysis(
    connection: &Connection,
    id: i64,
    scope: &ArchiveScope,
) -> rusqlite::Result<Option<Value>> {
    // Other programs may write meanwhile: all parts are of one moment.
    let transaction = connection.unchecked_transaction()?;
    let head = format!("{MATCHES} WHERE matches.id = ?1 AND {}", visible(2));
    let head = transaction
        .prepare_cached(&head)?
        .query_row(params![id, owners(scope)], archived_match)
        .optional()?;
    let Some(head) = head else {
        return Ok(None);
    };
    let unit = if head.length == 0 { "points" } else { "mwc" };
    let sides = "SELECT * FROM sides WHERE match = ? ORDER BY side";
    let mut asked = transaction.prepare_cached(sides)?;
    let totals = asked
        .query_map([id], |row| side(row, unit, &head.players))?
        .collect::<rusqlite::Result<Vec<Value>>>()?;
    let mut games = BTreeMap::new();
    let sql = "SELECT * FROM decisions WHERE match = ? ORDER BY number LIMIT ?";
    let mut asked = transaction.prepare_cached(sql)?;
    let most = i64::try_from(DECISIONS_MAX).unwrap_or(i64::MAX);
    let finders = found_by(&transaction, id)?;
    let decisions = asked
        .query_map([id, most], |row| {
            let mut decision = decision(row, &mut games)?;
            if let Some(shares) = finders.get(&row.get("number")?) {
                decision["found_by"] = json!(shares);
            }
            Ok(decision)
        })?
        .collect::<rusqlite::Result<Vec<Value>>>()?;
    let (nets, met): (String, String) =
        transaction.query_row("SELECT nets, met FROM matches WHERE id = ?", [id], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
    let mut found = json!({
        "type": "analysis",
        "id": id,
        "players": head.players,
        "date": head.date,
        "file": head.file,
        "length": head.length,
        "level": head.judged,
        "nets": nets,
        "met": met,
        "marks": MARKS,
        "score": head.score,
        "totals": totals,
        "games": shown(&games, head.score, head.length),
        "cut": decisions.len() >= DECISIONS_MAX,
        "decisions": decisions,
        "fault_count": head.fault_count,
    });
    if let Some(variant) = head.variant {
        found["variant"] = variant.into();
    }
    Ok(Some(found))
}

/// Returns the shares of the people of some error rates who find the best action, by the number of the decision.
fn found_by(connection: &Connection, id: i64) -> rusqlite::Result<BTreeMap<i64, Vec<Value>>> {
    let sql = "SELECT number, pr, share FROM found_by WHERE match = ? ORDER BY number, pr";
    let mut asked = connection.prepare_cached(sql)?;
    let mut rows = asked.query([id])?;
    let mut found: BTreeMap<i64, Vec<Value>> = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let share = json!({"pr": row.get::<_, f64>("pr")?, "share": number(row, "share")?});
        found.entry(row.get("number")?).or_default().push(share);
    }
    Ok(found)
}

/// Returns a player's totals.
fn side(row: &Row<'_>, unit: &str, players: &[String; 2]) -> rusqlite::Result<Value> {
    let count = |name: &str| row.get::<_, i64>(name);
    let value = |name: &str| number(row, name);
    let player = count("side")?;
    let rate = value("error_rate")?;
    Ok(json!({
        "player": player,
        "name": if player == 0 { &players[0] } else { &players[1] },
        "moves": count("moves")?,
        "unforced": count("unforced")?,
        "cube_decisions": count("cube_decisions")?,
        "close": count("close")?,
        "decisions": count("decisions")?,
        "counted": count("counted")?,
        "plays": {"loss": {"emg": value("play_loss")?}},
        "cube": {"loss": {"emg": value("cube_loss")?}},
        "loss": {"emg": value("loss")?, unit: value("cost")?},
        "luck": {"emg": value("luck")?, unit: value("luck_cost")?},
        "error_rate": {"gnubg": rate, "snowie": value("snowie")?, "pr": value("pr")?},
        "rating": rating_word(rate.map(|rate| rate / 1000.0)),
        "result": value("result")?,
        "luck_adjusted_result": value("luck_adjusted_result")?,
        "fibs_rating": value("fibs_rating")?,
    }))
}

/// The results of the decisions of a game.
#[derive(Default)]
struct Game {
    /// Points before it; `None` if no position has them.
    score: Option<[u32; 2]>,
    crawford: bool,
    sides: [Side; 2],
}

/// Sums of a player in a game.
#[derive(Default)]
struct Side {
    loss: f64,
    luck: f64,
    /// Unforced plays and close cube decisions.
    counted: u32,
}

fn decision(row: &Row<'_>, games: &mut BTreeMap<i64, Game>) -> rusqlite::Result<Value> {
    let text = |name: &str| row.get::<_, String>(name);
    let (number_of_game, player): (i64, i64) = (row.get("game")?, row.get("side")?);
    let (kind, position) = (text("kind")?, text("position")?);
    let roll: Option<String> = row.get("roll")?;
    let roll: Option<Vec<u32>> =
        roll.map(|roll| roll.chars().filter_map(|die| die.to_digit(10)).collect());
    let (loss, luck) = (number(row, "loss")?, number(row, "luck")?);
    let (forced, close): (bool, bool) = (row.get("forced")?, row.get("close")?);
    let game = games.entry(number_of_game).or_default();
    let own = usize::from(player == 1);
    if game.score.is_none()
        && let Some(state) = parse_position(position.as_bytes())
            .ok()
            .and_then(|read| read.state)
    {
        // A take is seen by the player who doubled.
        let (me, other) = (state.score.me(), state.score.opponent());
        let first_is_me = (own == 0) != (kind == "take");
        game.score = Some(if first_is_me {
            [me, other]
        } else {
            [other, me]
        });
        game.crawford = state.score.is_crawford();
    }
    let [first, second] = &mut game.sides;
    let side = if own == 0 { first } else { second };
    side.loss += loss.filter(|_| kind != "resign").unwrap_or(0.0);
    side.luck += luck.unwrap_or(0.0);
    side.counted += u32::from((kind == "play" && !forced) || close);
    let mark = loss.and_then(|loss| mark(loss, &MARKS));
    let pair = |emg: Option<f64>, name: &str| {
        let mwc = number(row, name)?;
        Ok::<_, rusqlite::Error>(emg.map(|emg| json!({"emg": emg, "mwc": mwc})))
    };
    Ok(json!({
        "game": number_of_game,
        "move": row.get::<_, i64>("move")?,
        "player": player,
        "kind": kind,
        "position": position,
        "roll": roll,
        "played": text("played")?,
        "best": text("best")?,
        "loss": pair(loss, "loss_mwc")?,
        "luck": pair(luck, "luck_mwc")?,
        "forced": forced,
        "close": close,
        "mark": mark.and_then(|mark| MARK_NAMES.get(mark)),
        "phase": text("phase")?,
        "class": text("class")?,
    }))
}

/// Returns the games: scores before them, results (from the next scores), sums.
fn shown(games: &BTreeMap<i64, Game>, end: [i64; 2], length: i64) -> Vec<Value> {
    let scores = games
        .values()
        .map(|game| game.score.map(|score| score.map(i64::from)));
    let after = scores.clone().skip(1).chain([Some(end)]);
    let mut found = Vec::with_capacity(games.len());
    for (((number, game), before), after) in games.iter().zip(scores).zip(after) {
        // Positions of money games have no score.
        let known = before.zip(after).filter(|_| length > 0);
        let result = known.and_then(|(before, after)| {
            let won = [after[0] - before[0], after[1] - before[1]];
            let (winner, points) = (0_u8..).zip(won).find(|(_, points)| *points > 0)?;
            Some(json!({"winner": winner, "points": points}))
        });
        let totals = game.sides.iter().enumerate().map(|(player, side)| {
            let rate = (side.counted > 0).then(|| rounded(1000.0 * side.loss / f64::from(side.counted)));
            json!({"player": player, "loss": {"emg": rounded(side.loss)}, "luck": {"emg": rounded(side.luck)},
                "error_rate": {"gnubg": rate, "snowie": null, "pr": null}})
        });
        let totals: Vec<Value> = totals.collect();
        found.push(json!({"game": number, "score": known.map(|(before, _)| before), "crawford": game.crawford,
            "result": result, "totals": totals}));
    }
    found
}
