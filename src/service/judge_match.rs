//! A match that came in lines, judged within its time.

use super::engine_error::engine_error;
use crate::analysis::{analyse, analysis_settings};
use crate::engine::{Engine, EngineError};
use crate::notation::MatchFile;
use crate::protocol::RequestError;
use crate::query::{Found, MatchReport, MatchTask, Settings, Stop};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a match may take unless `time=` says otherwise.
const MATCH_TIME: Duration = Duration::from_secs(300);
/// How often the clock and the asker's stop are looked at meanwhile.
const LOOK: Duration = Duration::from_millis(10);
/// What stands for the name of the file.
const NAME: &str = "-";

/// Judges it, at the settings' depth and with the move filter of analyses.
pub(super) fn judge_match(
    engine: &Engine,
    task: &MatchTask,
    wanted: &Settings,
    stop: &Stop,
) -> Result<Found, RequestError> {
    let reading = MatchFile::read(&task.text)?;
    let limit = wanted.time_ms.map_or(MATCH_TIME, Duration::from_millis);
    let mut settings = wanted.clone();
    settings.filter = analysis_settings(0).filter;
    settings.time_ms = None;
    settings.top = None;
    settings.cubeful = true;
    let end = Instant::now() + limit;
    let judged = within(end, stop, |stop| {
        analyse(engine, &settings, &reading, task.rules, stop)
    });
    match judged {
        Ok(analysis) => Ok(Found::Match(Box::new(MatchReport {
            json: analysis.json(NAME).to_string(),
            line: analysis.one_line(),
        }))),
        Err(EngineError::Stopped) if !stop.is_triggered() => {
            let message = format!("match takes longer than {} ms", limit.as_millis());
            Err(RequestError::new("timeout", "match", message))
        }
        Err(error) => Err(engine_error(&error)),
    }
}

/// Works with a stop that is triggered by the asker's own, or at the end of the time.
fn within<R>(end: Instant, stop: &Stop, work: impl FnOnce(&Stop) -> R) -> R {
    let own = Stop::new();
    let (done, waits) = channel::<()>();
    std::thread::scope(|scope| {
        let watched = own.clone();
        scope.spawn(move || {
            while waits.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if stop.is_triggered() || Instant::now() >= end {
                    watched.trigger();
                }
            }
        });
        // Dropped when the work is done, and when it panics: then nobody looks any more.
        let _done = done;
        work(&own)
    })
}
