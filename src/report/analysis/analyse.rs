//! A whole file analysed.

use super::MatchPart;
use super::judge::{Judgement, MARKS, judge, match_chances};
use super::replay::{Action, Decision, Terms, replay_from};
use super::totals::{Totals, fibs_difference};
use gammond_base::escape::Untrusted;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{MoveFilter, Options, Settings, Stop};
use gammond_game::notation::{MatGame, MatPlayer, MatchFile, MatchReading};
use gammond_game::{MatchScore, Rules, Variant};

/// A decision and its analysis by the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedDecision {
    /// The decision.
    pub decision: Decision,
    /// The losses of the decision.
    pub judgement: Judgement,
}

/// One game analysed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameAnalysis {
    /// Points before it.
    pub scores: [u32; 2],
    /// True for the Crawford game.
    pub crawford: bool,
    /// Decisions in order.
    pub decisions: Vec<JudgedDecision>,
    /// Winner and points; `None` for a game that was not finished.
    pub result: Option<(MatPlayer, u32)>,
    /// Losses from which on a decision is doubtful, bad, very bad.
    pub marks: [f64; 3],
}

/// A fault in a game, or one that the file reader reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The line of the file, from 1; 0 when it is unknown.
    pub line: usize,
    /// The game, from 1; 0 before the first one.
    pub game: usize,
    /// Description of the fault.
    pub message: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        if self.game > 0 {
            write!(f, "game {}: ", self.game)?;
        }
        f.write_str(&self.message)
    }
}

/// A match or money session analysed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analysis {
    /// Points to play to; 0 for money.
    pub length: u32,
    /// The variant of the game, which no position names.
    pub variant: Variant,
    /// The players.
    pub names: [Untrusted; 2],
    /// Day of the match as `YYYY-MM-DD`, if the file has it.
    pub date: Option<String>,
    /// Points after the last game that was finished.
    pub score: [u32; 2],
    /// Plies of the analysis.
    pub plies: u8,
    /// Them, or the level, in words: `2-ply`, `roller+`.
    pub level: String,
    /// The games.
    pub games: Vec<GameAnalysis>,
    /// The statistics of both players.
    pub totals: [Totals; 2],
    /// Result of the first player: match winning chances above those at the score of the first game, or points.
    pub result: f64,
    /// Faults of the file.
    pub faults: Vec<Fault>,
    /// Losses from which on a decision is doubtful, bad, very bad.
    pub marks: [f64; 3],
    /// True if only a part of the match was analysed.
    pub partial: bool,
}

impl Analysis {
    /// Returns the words behind `7-point match` for a match of a variant: ` of nackgammon`, nothing for backgammon.
    pub(super) fn of_variant(&self) -> String {
        match self.variant {
            Variant::Backgammon => String::new(),
            variant => format!(" of {}", variant.word()),
        }
    }

    /// Returns true if there is a decision: a roll whose play is unknown is none, unless requested.
    #[must_use]
    pub fn has_decision(&self) -> bool {
        let mut decisions = self.games.iter().flat_map(|game| &game.decisions);
        decisions.any(|one| !matches!(one.decision.action, Action::Unknown { open: false, .. }))
    }

    /// Returns the analysis with other losses from which on a decision is doubtful, bad, very bad.
    #[must_use]
    pub fn marked(mut self, marks: [f64; 3]) -> Analysis {
        self.marks = marks;
        for game in &mut self.games {
            game.marks = marks;
        }
        self.sum();
        self
    }

    /// Adds the statistics of the games.
    fn sum(&mut self) {
        self.totals = [Totals::default(); 2];
        for game in &self.games {
            for (sum, totals) in self.totals.iter_mut().zip(&game.totals()) {
                sum.add(totals);
            }
        }
    }

    /// Returns a player's result less the player's own luck and plus the opponent's: match winning chances, or points.
    #[must_use]
    pub fn luck_adjusted(&self, player: MatPlayer) -> f64 {
        let [first, second] = &self.totals;
        let adjusted = self.result - first.luck.cost + second.luck.cost;
        match player {
            MatPlayer::First => adjusted,
            MatPlayer::Second => -adjusted,
        }
    }

    /// Returns the difference of FIBS ratings that the luck-adjusted result shows.
    #[must_use]
    pub fn fibs_difference(&self, player: MatPlayer) -> Option<f64> {
        fibs_difference(0.5 + self.luck_adjusted(player), self.length)
    }

    /// Returns the FIBS rating that the errors show; not for money.
    #[must_use]
    pub fn fibs_rating(&self, player: MatPlayer) -> Option<f64> {
        let totals = self.totals.get(player.index())?;
        let [plays, cube] = totals.rating_loss(self.length)?;
        Some(2050.0 - plays - cube)
    }
}

/// Returns what decides the analysis by these settings, in words: `2-ply swift`, `roller noise=0.05`. Other settings have
/// another name.
#[must_use]
pub fn level_name(settings: &Settings) -> String {
    let name = match settings.level {
        Some(level) => level.name().to_owned(),
        None => format!("{}-ply", settings.plies),
    };
    // A filter has no effect on static values; a level is usually given without plies.
    let filter = match (settings.level, settings.plies) {
        (None, 0) => settings.filter,
        (None, _) => MoveFilter::LARGE,
        (Some(_), _) => MoveFilter::SWIFT,
    };
    let usual = Settings {
        level: settings.level,
        ..Settings::for_analysis(Some(settings.plies), Some(filter))
    };
    let mut others = Options::of(settings).beyond(&Options::of(&usual));
    let filter = others.filter.take().and_then(|filter| filter.name());
    let others = Some(others.canonical(" ")).filter(|text| !text.is_empty());
    let words = [filter.map(str::to_owned), others];
    let words = words.into_iter().flatten().map(|word| format!(" {word}"));
    name + &words.collect::<String>()
}

/// Number of decisions analysed in one parallel batch. The analyses of earlier batches may have been dropped.
const JUDGED_TOGETHER: usize = 512;

/// A finished step of an analysis.
#[derive(Clone, Copy, Debug)]
pub enum Noted {
    /// A decision.
    Decision,
    /// A game.
    Game,
}

/// A callback for finished steps, called on all threads of the engine.
pub type Note<'a> = dyn Fn(Noted) + Sync + 'a;

/// Receiver of a match during its analysis. `head` is the analysis without games.
pub(super) trait Sink {
    /// Receives the next decisions of game `number`, counted from 1.
    fn decisions(&mut self, number: usize, judged: Vec<JudgedDecision>);

    /// Receives the end of a game: all but its decisions.
    fn game(&mut self, head: &Analysis, number: usize, game: GameAnalysis, totals: &[Totals; 2]);
}

/// Keeps everything.
#[derive(Default)]
struct Kept {
    games: Vec<GameAnalysis>,
    decisions: Vec<JudgedDecision>,
}

impl Sink for Kept {
    fn decisions(&mut self, _: usize, judged: Vec<JudgedDecision>) {
        self.decisions.extend(judged);
    }

    fn game(&mut self, _: &Analysis, _: usize, mut game: GameAnalysis, _: &[Totals; 2]) {
        let mut decisions = std::mem::take(&mut self.decisions);
        decisions.shrink_to_fit();
        game.decisions = decisions;
        self.games.push(game);
    }
}

/// Analyses every decision of a match, on all threads of the engine. `Stop` ends it without a result.
///
/// # Errors
/// [`EngineError`].
pub fn analyse(
    engine: &Engine,
    settings: &Settings,
    reading: &MatchReading,
    rules: Rules,
    stop: &Stop,
) -> Result<Analysis, EngineError> {
    analyse_noting(
        (engine, settings),
        (reading, rules, MatchPart::default()),
        stop,
        &|_| {},
    )
}

/// Analyses like [`analyse`] and calls `note` for each step.
///
/// # Errors
/// [`EngineError`].
pub fn analyse_noting(
    engine: (&Engine, &Settings),
    judged: (&MatchReading, Rules, MatchPart),
    stop: &Stop,
    note: &Note<'_>,
) -> Result<Analysis, EngineError> {
    let mut kept = Kept::default();
    let head = judge_games(engine, judged, stop, note, &mut kept)?;
    Ok(Analysis {
        games: kept.games,
        ..head
    })
}

/// Returns a day such as `2026.11.21` as `2026-11-21`; `None` if there is no such day.
fn iso_date(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split(['.', '-', '/']).collect();
    let &[year, month, day] = parts.as_slice() else {
        return None;
    };
    let is_number = |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit());
    let is_date = year.len() == 4 && parts.iter().all(is_number);
    let (month, day): (u8, u8) = (month.parse().ok()?, day.parse().ok()?);
    let number: u32 = year.parse().ok()?;
    let is_leap = number.is_multiple_of(if number.is_multiple_of(100) { 400 } else { 4 });
    let days = match month {
        2 => 28 + u8::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (is_date && (1..=days).contains(&day)).then(|| format!("{year}-{month:02}-{day:02}"))
}

/// Analyses game by game; returns everything but the games.
pub(super) fn judge_games(
    (engine, settings): (&Engine, &Settings),
    (reading, rules, part): (&MatchReading, Rules, MatchPart),
    stop: &Stop,
    note: &Note<'_>,
    sink: &mut dyn Sink,
) -> Result<Analysis, EngineError> {
    let file = &reading.file;
    let score = score_after(file);
    let mut head = Analysis {
        length: file.length,
        variant: file.variant().unwrap_or_default(),
        names: file.names.clone().map(Untrusted::from),
        date: (file.header("EventDate").or_else(|| file.header("Date"))).and_then(iso_date),
        score,
        plies: settings.plies,
        level: level_name(settings),
        totals: [Totals::default(); 2],
        result: result(engine, file, score),
        games: Vec::new(),
        faults: file_faults(reading),
        marks: MARKS,
        partial: !part.is_all(),
    };
    let terms = Terms::of(file, rules);
    for ((number, game), terms) in (1..).zip(&file.games).zip(&terms) {
        let mut replay = replay_from(game, terms);
        if let Some((action, reason)) = replay.fault {
            let lines = reading.lines.get(number - 1);
            let line = lines.and_then(|lines| lines.get(action)).copied();
            head.faults.push(Fault {
                line: line.unwrap_or(0),
                game: number,
                message: reason.to_owned(),
            });
        }
        if reading.broken.contains(&number) {
            let resigns = |one: &Decision| matches!(one.action, Action::Resign { .. });
            replay.decisions.retain(|one| !resigns(one));
        }
        let number_of_game = u32::try_from(number).unwrap_or(u32::MAX);
        let wanted = |one: &Decision| part.has((number_of_game, one.turn), one.player.index());
        if head.partial {
            replay.decisions.retain(wanted);
        }
        let mut totals = [Totals::default(); 2];
        for decisions in replay.decisions.chunks(JUDGED_TOGETHER) {
            let judged = judge_all((engine, settings), decisions, stop, note)?;
            judged
                .iter()
                .for_each(|one| book(&mut totals, one, &head.marks));
            sink.decisions(number, judged);
        }
        for (sum, totals) in head.totals.iter_mut().zip(&totals) {
            sum.add(totals);
        }
        let game = GameAnalysis {
            scores: game.scores,
            crawford: terms.score.is_crawford(),
            decisions: Vec::new(),
            result: game.result,
            marks: head.marks,
        };
        sink.game(&head, number, game, &totals);
        note(Noted::Game);
    }
    head.faults.sort_by_key(|fault| (fault.game, fault.line));
    Ok(head)
}

/// Analyses decisions on all threads of the engine.
fn judge_all(
    (engine, settings): (&Engine, &Settings),
    decisions: &[Decision],
    stop: &Stop,
    note: &Note<'_>,
) -> Result<Vec<JudgedDecision>, EngineError> {
    let judge_decision = |decision: &Decision| {
        let judgement = judge(engine, settings, decision, stop)?;
        note(Noted::Decision);
        Ok(JudgedDecision {
            decision: *decision,
            judgement,
        })
    };
    engine.map(decisions, judge_decision)
}

/// Returns the faults that the file reader reported.
fn file_faults(reading: &MatchReading) -> Vec<Fault> {
    let faults = reading.faults.iter().map(|fault| Fault {
        line: fault.line,
        game: fault.game,
        message: match fault.line {
            0 => format!("byte {}: {}", fault.error.at(), fault.error),
            _ => fault.error.to_string(),
        },
    });
    faults.collect()
}

impl GameAnalysis {
    /// Returns the statistics of both players. They are computed on each call: a match may have ten thousand games.
    #[must_use]
    pub fn totals(&self) -> [Totals; 2] {
        let mut totals = [Totals::default(); 2];
        for judged in &self.decisions {
            book(&mut totals, judged, &self.marks);
        }
        totals
    }
}

/// Adds a decision to its player's statistics.
pub(super) fn book(totals: &mut [Totals; 2], judged: &JudgedDecision, marks: &[f64; 3]) {
    let JudgedDecision {
        decision,
        judgement,
    } = judged;
    if let Some(books) = totals.get_mut(decision.player.index()) {
        books.book(decision, judgement);
        books.book_marks(decision, judgement, marks);
    }
}

/// Returns the points after the last game that was finished.
fn score_after(file: &MatchFile) -> [u32; 2] {
    let last = file.games.last();
    // Some files begin each money game at nothing.
    if file.length == 0 {
        let mut score = MatchScore::new(0);
        for (winner, points) in file.games.iter().filter_map(|game| game.result) {
            score.add(winner.index(), points);
        }
        return score.points();
    }
    last.map_or([0; 2], MatGame::scores_after)
}

/// Returns the result of the first player.
fn result(engine: &Engine, file: &MatchFile, score: [u32; 2]) -> f64 {
    let [first, second] = score;
    if file.length == 0 {
        return f64::from(first) - f64::from(second);
    }
    let mut scores = file.scores();
    let before = scores.next().unwrap_or(MatchScore::new(file.length));
    let mut after = scores.last().unwrap_or(before);
    // A game that is not finished is the Crawford game or not; after a finished one the next may be.
    if file.games.last().is_some_and(|game| game.result.is_some()) {
        after.follow(score, None);
    }
    let chances = |score| match_chances(engine, score);
    (chances(&before).zip(chances(&after))).map_or(0.0, |(before, after)| after - before)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iso_date_is_a_day_of_the_calendar() {
        for (text, date) in [
            ("2026.11.21", Some("2026-11-21")),
            ("2026/2/28", Some("2026-02-28")),
            ("2024.02.29", Some("2024-02-29")),
            ("2026.02.31", None),
            ("1900.02.29", None),
            ("2026.04.31", None),
            ("2026.13.01", None),
            ("2026.01.00", None),
        ] {
            assert_eq!(iso_date(text).as_deref(), date, "{text}");
        }
    }
}
