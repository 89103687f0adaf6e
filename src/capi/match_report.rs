//! The analysis of a match.

use crate::ask::REQUEST_BYTES_MAX;
use crate::failure::{Failure, GammondCode, guarded};
use crate::memory::{self, Plain, fixed};
use crate::open::{engine_of, stop_of};
use crate::settings::options;
use gammond_game::MatchState;
use gammond_game::notation::{MatPlayer, MatchFile};
use gammond_report::analysis::{Analysis, Page, analyse};
use std::ffi::c_char;

/// Placeholder for the name of the file in reports.
const NAME: &str = "-";

/// A player's figures in a match.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GammondPlayer {
    /// The player's name, as much as fits.
    pub name: [c_char; 64],
    /// Points at the end.
    pub score: u32,
    /// Decisions that count for the error rate.
    pub decisions: u32,
    /// Decisions that count for the performance rating.
    pub counted: u32,
    /// 0.
    pub reserved: u32,
    /// Equity lost by all decisions, EMG.
    pub loss: f64,
    /// GNU Backgammon's error rate, thousandths a decision; NAN without decisions.
    pub error_rate: f64,
    /// Performance rating; NAN without decisions.
    pub performance: f64,
    /// Luck, EMG.
    pub luck: f64,
    /// The result without the luck: points of a money session, else match winning chance above even.
    pub luck_adjusted: f64,
}

/// The figures of an analysed match.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GammondMatch {
    /// sizeof(GammondMatch).
    pub size: u32,
    /// Length of the match; 0 for money games.
    pub length: u32,
    /// The number of games.
    pub games: u32,
    /// The number of faults of the text, which the report lists.
    pub faults: u32,
    /// Both players, in the order of the text.
    pub players: [GammondPlayer; 2],
}

// SAFETY: numbers, and arrays and structs of them; the size is first.
unsafe impl Plain for GammondMatch {}

impl GammondPlayer {
    fn new(analysis: &Analysis, player: MatPlayer) -> GammondPlayer {
        let sums = analysis.sums(player);
        let name = analysis.names.get(player.index());
        let count = |number: i64| u32::try_from(number).unwrap_or(u32::MAX);
        GammondPlayer {
            name: fixed(name.map_or("", |name| name.raw())),
            score: player.of(analysis.score),
            decisions: count(sums.decisions),
            counted: count(sums.counted),
            reserved: 0,
            loss: sums.loss,
            error_rate: sums.rate().unwrap_or(f64::NAN),
            performance: sums.performance().unwrap_or(f64::NAN),
            luck: sums.luck,
            luck_adjusted: analysis.luck_adjusted(player),
        }
    }
}

impl GammondMatch {
    fn new(analysis: &Analysis) -> GammondMatch {
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        GammondMatch {
            size: 0,
            length: analysis.length,
            games: count(analysis.games.len()),
            faults: count(analysis.faults.len()),
            players: [MatPlayer::First, MatPlayer::Second]
                .map(|player| GammondPlayer::new(analysis, player)),
        }
    }
}

/// Returns the report in one of its forms.
fn report(analysis: &Analysis, form: &str) -> Result<Vec<u8>, Failure> {
    let mut text = String::new();
    match form {
        "json" => {
            text.push('{');
            analysis.write_json(NAME, &mut |part| text.push_str(part));
        }
        "csv" => text = analysis.csv(NAME),
        "html" => {
            let mut page = Page::default();
            page.add(NAME, analysis);
            let mut bytes = Vec::new();
            page.finish().write_to(&mut bytes);
            return Ok(bytes);
        }
        form => {
            let shown: String = form.chars().take(40).collect();
            let reason = format!("form: '{shown}', expected json, csv or html");
            return Err(Failure::value(reason));
        }
    }
    Ok(text.into_bytes())
}

/// Analyses a match in any file form, `length` bytes of it. `settings` are those of `analyse`, such as "plies=1", or
/// NULL; `stop` is a handle or 0. Writes the figures into `figures` and the report into `answer`, as `form` says: "json",
/// "csv" or "html", NULL for json. Either may be NULL. The text of `answer` is freed by `gammond_free`. For a text with
/// more than one match use `gammond_ask`.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_analyse(
    engine: u64,
    text: *const c_char,
    length: usize,
    settings: *const c_char,
    stop: u64,
    figures: *mut GammondMatch,
    form: *const c_char,
    answer: *mut *mut c_char,
) -> GammondCode {
    guarded(|| {
        if !answer.is_null() {
            memory::put("answer", answer, std::ptr::null_mut())?;
        }
        let open = engine_of(engine)?;
        let settings = memory::text("settings", settings)?;
        let options =
            options("analyse", settings.as_deref().unwrap_or_default())?.or(&open.defaults);
        let write = match figures.is_null() {
            true => None,
            false => Some(memory::writer("figures", figures)?),
        };
        let form = memory::text("form", form)?;
        let text = memory::copied("text", text.cast::<u8>(), length, REQUEST_BYTES_MAX)?;
        let wrong = |reason: String| Failure::new(GammondCode::GAMMOND_ERROR_VALUE, reason);
        let readings =
            MatchFile::read_all(&text).map_err(|error| wrong(format!("text: {error}")))?;
        let [reading] = readings.as_slice() else {
            let reason = format!("text: {} matches, expected one", readings.len());
            return Err(wrong(reason));
        };
        let state = options.state(MatchState::default());
        let rules = state
            .map_err(|error| wrong(format!("settings: {error}")))?
            .rules;
        let stop = stop_of(stop)?;
        let analysis = analyse(&open.engine, &options.analysis(), reading, rules, &stop)?;
        if !answer.is_null() {
            let report = report(&analysis, form.as_deref().unwrap_or("json"))?;
            memory::give("answer", answer, report)?;
        }
        if let Some(write) = write {
            write(GammondMatch::new(&analysis));
        }
        Ok(())
    })
}
