//! A match that came in lines, judged within its time.

use super::engine_error::engine_error;
use crate::RequestError;
use crate::analysis::{analyse_json, analysis_settings};
use gammond_base::packed::PackedText;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{Found, MatchReport, MatchTask, Settings, Stop};
use gammond_game::notation::MatchFile;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a match may take unless `time=` says otherwise.
const MATCH_TIME: Duration = Duration::from_secs(300);
/// What stands for the name of the file.
const NAME: &str = "-";

/// Judges it, at the settings' depth and with the move filter of analyses.
pub(super) fn judge_match(
    engine: &Engine,
    task: &MatchTask,
    wanted: &Settings,
    stop: &Stop,
) -> Result<Found, RequestError> {
    let readings = MatchFile::read_all(&task.text)?;
    let limit = wanted.time_ms.map_or(MATCH_TIME, Duration::from_millis);
    let mut settings = wanted.clone();
    settings.filter = analysis_settings(0).filter;
    settings.time_ms = None;
    settings.top = None;
    settings.cubeful = true;
    let end = Instant::now() + limit;
    let judged = within(end, stop, |stop| {
        let readings = readings.iter();
        readings
            .map(|reading| analyse_json(engine, &settings, reading, (task.rules, NAME), stop))
            .collect::<Result<Vec<_>, EngineError>>()
    });
    match judged {
        Ok(analyses) => Ok(Found::Match(Box::new(report(analyses)))),
        Err(EngineError::Stopped) if !stop.is_triggered() => {
            let message = format!("match takes longer than {} ms", limit.as_millis());
            Err(RequestError::new("timeout", "match", message))
        }
        Err(error) => Err(engine_error(&error)),
    }
}

/// Joins the analyses of all matches in the text: the first one's members, with those of the others in the field `more`.
fn report(analyses: Vec<(PackedText, String)>) -> MatchReport {
    let (texts, lines): (Vec<PackedText>, Vec<String>) = analyses.into_iter().unzip();
    let mut texts = texts.into_iter();
    let first = texts.next().unwrap_or_default();
    let mut json = PackedText::default();
    let mut open = "\"more\":[{";
    for other in texts {
        json.push_str(std::mem::replace(&mut open, ",{"));
        json.append(other);
    }
    if !json.is_empty() {
        json.push_str("],");
    }
    json.append(first);
    MatchReport {
        json,
        line: lines.join(" | "),
    }
}

/// Works with a stop that is triggered with the client's own, or at the end of the time.
fn within<R>(end: Instant, stop: &Stop, work: impl FnOnce(&Stop) -> R) -> R {
    let own = stop.child();
    let (done, waits) = channel::<()>();
    std::thread::scope(|scope| {
        let watched = own.clone();
        scope.spawn(move || {
            let left = end.saturating_duration_since(Instant::now());
            if waits.recv_timeout(left) == Err(RecvTimeoutError::Timeout) {
                watched.trigger();
            }
        });
        // Dropped when the work is done, and when it panics: then the thread ends.
        let _done = done;
        work(&own)
    })
}
