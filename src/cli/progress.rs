//! Progress display of long commands, and how they are stopped.
//!
//! On a terminal a bar with the time to the end; in a log a line a minute; for programs one JSON
//! object a second on stderr. Ctrl-C (SIGINT, SIGTERM) ends the command with its figures so far; a
//! second one ends it at once.

use super::{Failure, Output, folded, platform};
use gammond_base::stop::Stop;
use gammond_job::{Control, ProgressEvent};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde_json::json;
use std::fmt::Write;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Between two lines of a log.
const LINE_PERIOD: Duration = Duration::from_secs(60);
/// Between two JSON objects.
const JSON_PERIOD: Duration = Duration::from_secs(1);
/// Exit code of a command that was stopped before its end.
const STOPPED: u8 = 1;

/// Options of commands that may take long.
#[derive(clap::Args, Debug, Clone, Copy, Default)]
pub(crate) struct ProgressArgs {
    /// Style of the progress display on stderr: by default a bar on a terminal, else a line a minute.
    #[arg(long, value_name = "HOW", default_value = "auto")]
    progress: Shown,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shown {
    /// A bar on a terminal, lines elsewhere.
    #[default]
    Auto,
    /// Bars on the terminal.
    Bar,
    /// A line a minute.
    Lines,
    /// One JSON object a second.
    Json,
    /// No progress.
    None,
}

impl ProgressArgs {
    /// Returns the control of the command's jobs: they show their progress and end on signals.
    pub(crate) fn control(self) -> Result<Control<'static>, Failure> {
        let mut drawing = Drawing::new(match self.progress {
            Shown::Auto if std::io::stderr().is_terminal() => Shown::Bar,
            Shown::Auto => Shown::Lines,
            shown => shown,
        });
        Ok(Control::new(signals()?, move |event| drawing.draw(event)))
    }

    /// Reports to people the results of a long command, and their file.
    pub(crate) fn report_made(self, count: usize, what: &str, path: &Path) {
        let ending = if count == 1 { "" } else { "s" };
        self.report(&format!("{count} {what}{ending} in {}", path.display()));
    }

    /// Reports a text about the work to people.
    pub(crate) fn report(self, text: &str) {
        if !matches!(self.progress, Shown::Json | Shown::None) {
            stderr_line!("gammond: {text}");
        }
    }

    /// Turns progress off, also against the options.
    pub(crate) const fn quiet(mut self, quiet: bool) -> ProgressArgs {
        if quiet {
            self.progress = Shown::None;
        }
        self
    }
}

/// Returns a token that SIGINT, SIGTERM and Ctrl-C trigger; the second signal ends the program as signals do.
pub(crate) fn signals() -> Result<Stop, Failure> {
    let stop = Stop::new();
    if let Some(flag) = stop.flag() {
        platform::flag_end_request(flag)
            .map_err(|error| Failure::work(super::within("signals", error)))?;
    }
    Ok(stop)
}

/// Reports that the command was stopped and how to resume it, and returns its exit code. Figures so far have been
/// printed.
pub(crate) fn stopped(saved: Option<&Path>, otherwise: &str) -> ExitCode {
    match saved {
        Some(path) => stderr_line!(
            "gammond: stopped; everything so far is in {}: the same command resumes from there",
            path.display()
        ),
        None => stderr_line!("gammond: stopped; {otherwise}"),
    }
    ExitCode::from(STOPPED)
}

/// Prints the figures of a job and, when it was stopped, how to resume it.
pub(crate) fn finish(
    text: &str,
    complete: bool,
    saved: Option<&Path>,
    otherwise: &str,
) -> Result<ExitCode, Failure> {
    let mut out = Output::new();
    out.print(folded(text).as_bytes())?;
    out.flush()?;
    Ok(if complete {
        ExitCode::SUCCESS
    } else {
        stopped(saved, otherwise)
    })
}

/// State of the progress display.
struct Drawing {
    shown: Shown,
    bar: Option<ProgressBar>,
    task: String,
    begun: Instant,
    told: Instant,
    /// True if programs have got the event that it begins.
    begins_told: bool,
}

impl Drawing {
    fn new(shown: Shown) -> Drawing {
        let now = Instant::now();
        Drawing {
            shown,
            bar: None,
            task: String::new(),
            begun: now,
            told: now,
            begins_told: false,
        }
    }

    fn draw(&mut self, event: &ProgressEvent) {
        if event.task != self.task {
            self.clear();
            self.task.clone_from(&event.task);
            self.begun = Instant::now();
        }
        match self.shown {
            Shown::None => {}
            Shown::Bar | Shown::Auto => self.bar(event),
            Shown::Lines => {
                if self.told.elapsed() >= LINE_PERIOD {
                    self.told = Instant::now();
                    stderr_line!("gammond: {}", line(event, self.begun.elapsed()));
                }
            }
            Shown::Json => {
                if event.last || !self.begins_told || self.told.elapsed() >= JSON_PERIOD {
                    self.told = Instant::now();
                    self.begins_told = true;
                    stderr_line!("{}", object(event, self.begun.elapsed()));
                }
            }
        }
    }

    fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    fn bar(&mut self, event: &ProgressEvent) {
        if event.last {
            return self.clear();
        }
        let progress = &event.progress;
        let bar = self.bar.get_or_insert_with(|| {
            let bar = ProgressBar::with_draw_target(progress.total, ProgressDrawTarget::stderr());
            // The last part is cut where the terminal ends: a bar of two lines cannot be overwritten.
            let unit = progress.unit;
            let template = if progress.total.is_some() {
                format!(
                    "{{prefix}}{{bar:16}} {{human_pos}}/{{human_len}} {unit}{{left}}{{wide_msg}}"
                )
            } else {
                format!("{{prefix}}{{spinner}} {{human_pos}} {unit}{{wide_msg}}")
            };
            if let Ok(style) = ProgressStyle::with_template(&template) {
                let style = style.with_key("left", |state: &ProgressState, to: &mut dyn Write| {
                    let _ = to.write_str(&remaining_text(state.eta()));
                });
                bar.set_style(style.progress_chars("=> "));
            }
            // The work of an earlier run does not count for this one's speed.
            bar.set_position(event.resumed);
            bar.reset_eta();
            bar
        });
        if !event.task.is_empty() {
            bar.set_prefix(format!("{}  ", event.task));
        }
        bar.set_message(if progress.figures.is_empty() {
            String::new()
        } else {
            format!(", {}", progress.figures)
        });
        bar.set_position(progress.done);
    }
}

impl Drop for Drawing {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Returns the units done a second since the beginning of this run, and the seconds to the end.
fn rate(event: &ProgressEvent, since: Duration) -> (f64, Option<f64>) {
    let progress = &event.progress;
    let done = progress.done.saturating_sub(event.resumed) as f64;
    let rate = done / since.as_secs_f64().max(1e-9);
    let left = progress
        .total
        .map(|total| total.saturating_sub(progress.done));
    let left = left.filter(|_| rate > 0.0).map(|left| left as f64 / rate);
    (rate, left)
}

fn line(event: &ProgressEvent, since: Duration) -> String {
    let progress = &event.progress;
    let (rate, left) = rate(event, since);
    let mut text = String::new();
    if !event.task.is_empty() {
        text.push_str(&format!("{}: ", event.task));
    }
    text.push_str(&progress.done.to_string());
    if let Some(total) = progress.total {
        text.push_str(&format!(" of {total}"));
    }
    text.push_str(&format!(" {}, {rate:.3} a second", progress.unit));
    if let Some(left) = left {
        text.push_str(&format!(", {} left", duration(left)));
    }
    if !progress.figures.is_empty() {
        text.push_str(&format!("; {}", progress.figures));
    }
    text
}

/// Returns the time to the end for a bar: an empty text before there is an estimate.
fn remaining_text(eta: Duration) -> String {
    if eta.is_zero() {
        return String::new();
    }
    format!(", {} left", duration(eta.as_secs_f64().max(1.0)))
}

fn duration(seconds: f64) -> String {
    let seconds = seconds.min(1e12) as u64;
    let (minutes, hours) = (seconds / 60, seconds / 3600);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes} min"),
        _ => format!("{hours} h {} min", minutes % 60),
    }
}

fn object(event: &ProgressEvent, since: Duration) -> serde_json::Value {
    let progress = &event.progress;
    let (rate, left) = rate(event, since);
    json!({
        "type": "progress",
        "task": event.task,
        "unit": progress.unit,
        "done": progress.done,
        "total": progress.total,
        "resumed": event.resumed,
        "saved": event.saved,
        "per_second": rate,
        "seconds_left": left,
        "figures": progress.figures,
        "last": event.last,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_job::Progress;

    #[test]
    fn progress_lines_show_share_and_remaining_time() {
        let progress = Progress::new("games", 300, Some(1000)).figures("+0.1 +- 0.2".to_owned());
        let mut event = ProgressEvent {
            task: String::new(),
            progress,
            resumed: 100,
            saved: Some(300),
            last: false,
        };
        let said = line(&event, Duration::from_secs(10));
        assert_eq!(
            said,
            "300 of 1000 games, 20.000 a second, 35 s left; +0.1 +- 0.2"
        );
        assert_eq!(
            object(&event, Duration::from_secs(10))["seconds_left"],
            35.0
        );
        event.progress.total = None;
        event.task = "round 2".to_owned();
        let said = line(&event, Duration::from_secs(10));
        assert_eq!(said, "round 2: 300 games, 20.000 a second; +0.1 +- 0.2");
        assert_eq!(remaining_text(Duration::ZERO), "");
        assert_eq!(remaining_text(Duration::from_millis(300)), ", 1 s left");
        assert_eq!(remaining_text(Duration::from_secs(90)), ", 1 min left");
        assert_eq!(
            [59.0, 61.0, 7300.0].map(duration),
            ["59 s", "1 min", "2 h 1 min"]
        );
    }
}
