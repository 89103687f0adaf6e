//! Analysis of a match sent in lines, within its time limit.

use super::engine_error::engine_error;
use crate::ErrorCode;
use crate::{MatchProgress, MatchReport, MatchTask, ReportForm, RequestError, TaskAnswer};
use gammond_base::packed::PackedText;
use gammond_engine::engine::{Engine, EngineError};
use gammond_engine::query::{Settings, Stop};
use gammond_game::notation::{MatchFile, MatchFormat, MatchReading};
use gammond_report::analysis::{Analysis, CSV_HEAD, Collected, JudgedMatch, Noted, Page};
use gammond_report::analysis::{analyse_json, analyse_noting};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Default time limit of a match, without `time=`.
const MATCH_TIME: Duration = Duration::from_secs(300);
/// Placeholder for the name of the file.
const NAME: &str = "-";

/// The client's callback for progress.
type Tell<'a> = dyn FnMut(&TaskAnswer) + Send + 'a;

/// Counts the steps of an analysis, and reports them if the client requested progress.
struct Watch<'a> {
    engine: &'a Engine,
    began: Duration,
    matches: usize,
    games: usize,
    matches_done: AtomicUsize,
    games_done: AtomicUsize,
    decisions_done: AtomicUsize,
    on_progress: Option<Mutex<&'a mut Tell<'a>>>,
}

impl<'a> Watch<'a> {
    fn new(
        engine: &'a Engine,
        task: &MatchTask,
        readings: &[MatchReading],
        on_progress: &'a mut Tell<'a>,
    ) -> Watch<'a> {
        Watch {
            engine,
            began: engine.now(),
            matches: readings.len(),
            games: readings.iter().map(|one| one.file.games.len()).sum(),
            matches_done: AtomicUsize::new(0),
            games_done: AtomicUsize::new(0),
            decisions_done: AtomicUsize::new(0),
            on_progress: task.progress.then(|| Mutex::new(on_progress)),
        }
    }

    fn note(&self, noted: Noted) {
        let counter = match noted {
            Noted::Decision => &self.decisions_done,
            Noted::Game => &self.games_done,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        // A thread that finds another one reporting does not wait for it.
        if let Some(Ok(mut on_progress)) = self.on_progress.as_ref().map(Mutex::try_lock) {
            let took = self.engine.now().saturating_sub(self.began);
            on_progress(&TaskAnswer::Judged(self.progress(), took));
        }
    }

    fn note_match(&self) {
        self.matches_done.fetch_add(1, Ordering::Relaxed);
    }

    fn progress(&self) -> MatchProgress {
        MatchProgress {
            matches: self.matches,
            matches_done: self.matches_done.load(Ordering::Relaxed),
            games: self.games,
            games_done: self.games_done.load(Ordering::Relaxed),
            decisions_done: self.decisions_done.load(Ordering::Relaxed),
        }
    }
}

/// Analyses the match with these settings; their time is that of the whole match.
pub(super) fn judge_match(
    (engine, collected): (&Engine, Option<&Collected>),
    task: &MatchTask,
    wanted: &Settings,
    stop: &Stop,
    on_progress: &mut (dyn FnMut(&TaskAnswer) + Send),
) -> Result<TaskAnswer, RequestError> {
    let readings = MatchFile::read_all(&task.text)?;
    let limit = wanted.time_ms.map_or(MATCH_TIME, Duration::from_millis);
    let settings = Settings {
        time_ms: None,
        ..wanted.clone()
    };
    let limited = match engine.ends_after(limit) {
        Some(end) => stop.child_until(end),
        None => stop.child(),
    };
    let watch = Watch::new(engine, task, &readings, on_progress);
    let note = &|noted| watch.note(noted);
    let engine = (engine, &settings);
    let judge_all = |stop: &Stop| {
        if task.form != ReportForm::Json {
            let judge = |reading: &MatchReading| {
                let analysis =
                    analyse_noting(engine, (reading, task.rules, task.part), stop, note)?;
                watch.note_match();
                if let Some(collected) = collected {
                    collected.push(JudgedMatch {
                        engine: engine.0.clone(),
                        settings: settings.clone(),
                        reading: reading.clone(),
                        analysis: analysis.clone(),
                    });
                }
                Ok(analysis)
            };
            return match task.form {
                ReportForm::All => in_all_forms(&readings, judge),
                form => in_form(form, &readings, judge),
            };
        }
        let mut analyses = Vec::with_capacity(readings.len());
        for reading in &readings {
            let judged = (reading, task.rules, task.part);
            analyses.push(analyse_json(engine, judged, NAME, stop, note)?);
            watch.note_match();
        }
        Ok(report(analyses))
    };
    match judge_all(&limited) {
        Ok(report) => Ok(TaskAnswer::Match(Box::new(report))),
        Err(EngineError::Stopped) if !stop.is_triggered() => {
            let message = format!("match takes longer than {} ms", limit.as_millis());
            Err(RequestError::new(ErrorCode::Timeout, "match", message))
        }
        Err(error) => Err(engine_error(&error)),
    }
}

/// Writer of a report in one form.
struct FormWriter {
    form: ReportForm,
    text: PackedText,
    page: Page,
}

impl FormWriter {
    fn new(form: ReportForm) -> FormWriter {
        let mut text = PackedText::default();
        if form == ReportForm::Csv {
            text.push_str(CSV_HEAD);
        }
        FormWriter {
            form,
            text,
            page: Page::default(),
        }
    }

    fn add(&mut self, reading: &MatchReading, analysis: &Analysis) {
        let text = &mut self.text;
        match self.form {
            ReportForm::Html => self.page.add(NAME, analysis),
            ReportForm::Csv => analysis.write_csv(NAME, &mut |row| text.push_str(row)),
            ReportForm::File(format) => {
                // Formats that hold notes have a form for every match.
                let file = analysis.write(&reading.file, format).unwrap_or_default();
                text.push_str(&String::from_utf8_lossy(&file));
            }
            ReportForm::Json | ReportForm::All => {}
        }
    }

    fn finish(self) -> PackedText {
        match self.form {
            ReportForm::Html => self.page.finish(),
            _ => self.text,
        }
    }
}

/// Analyses the matches in the text one after the other and writes them so, or a page about all of them.
fn in_form(
    form: ReportForm,
    readings: &[MatchReading],
    judge: impl Fn(&MatchReading) -> Result<Analysis, EngineError>,
) -> Result<MatchReport, EngineError> {
    let mut writer = FormWriter::new(form);
    let mut lines = Vec::with_capacity(readings.len());
    for reading in readings {
        let analysis = judge(reading)?;
        lines.push(analysis.one_line());
        writer.add(reading, &analysis);
    }
    Ok(MatchReport {
        text: writer.finish(),
        line: lines.join(" | "),
        parts: Vec::new(),
    })
}

/// Analyses the matches once and writes them in all forms.
fn in_all_forms(
    readings: &[MatchReading],
    judge: impl Fn(&MatchReading) -> Result<Analysis, EngineError>,
) -> Result<MatchReport, EngineError> {
    let files = MatchFormat::written().filter(|format| format.has_notes());
    let forms = [ReportForm::Html, ReportForm::Csv].into_iter();
    let forms = forms.chain(files.map(ReportForm::File));
    let mut writers: Vec<FormWriter> = forms.map(FormWriter::new).collect();
    let mut analyses = Vec::with_capacity(readings.len());
    for reading in readings {
        let analysis = judge(reading)?;
        let mut members = PackedText::default();
        analysis.write_json(NAME, &mut |part| members.push_str(part));
        analyses.push((members, analysis.one_line()));
        for writer in &mut writers {
            writer.add(reading, &analysis);
        }
    }
    let MatchReport {
        text: json, line, ..
    } = report(analyses);
    let mut text = PackedText::default();
    text.push_str("{");
    text.append(json);
    // Each report has the line end of an answer; that of the last one comes with the answer itself.
    let mut parts = vec![(ReportForm::Json, text.len() + 1)];
    for writer in writers {
        let (form, written) = (writer.form, writer.finish());
        parts.push((form, written.len() + 1));
        text.push_str("\n");
        text.append(written);
    }
    Ok(MatchReport { text, line, parts })
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
        text: json,
        line: lines.join(" | "),
        parts: Vec::new(),
    }
}
