//! Answers of an engine as Python objects.

use crate::rules::{Play, Position};
use crate::wrong;
use gammond_base::escape::Terminal;
use gammond_engine::query::{self, Candidate, Verdict};
use gammond_game::notation::MatchFile;
use gammond_game::{self as game, Roll};
use gammond_report::analysis;
use pyo3::prelude::*;

/// Chances of the player on roll, each 0 to 1; backgammons are part of gammons, gammons of wins.
#[pyclass(frozen, eq, get_all, module = "gammond")]
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct Chances {
    win: f64,
    win_gammon: f64,
    win_backgammon: f64,
    lose_gammon: f64,
    lose_backgammon: f64,
}

impl Chances {
    fn of(
        [
            win,
            win_gammon,
            win_backgammon,
            lose_gammon,
            lose_backgammon,
        ]: [f64; 5],
    ) -> Chances {
        Chances {
            win,
            win_gammon,
            win_backgammon,
            lose_gammon,
            lose_backgammon,
        }
    }

    fn array(&self) -> [f64; 5] {
        [
            self.win,
            self.win_gammon,
            self.win_backgammon,
            self.lose_gammon,
            self.lose_backgammon,
        ]
    }
}

impl From<game::Chances> for Chances {
    fn from(chances: game::Chances) -> Chances {
        Chances::of(chances.to_array().map(f64::from))
    }
}

#[pymethods]
impl Chances {
    /// The five numbers as a tuple.
    fn to_tuple(&self) -> (f64, f64, f64, f64, f64) {
        let [win, gammon, backgammon, lose_gammon, lose_backgammon] = self.array();
        (win, gammon, backgammon, lose_gammon, lose_backgammon)
    }

    /// Points without a cube.
    #[getter]
    fn equity(&self) -> f64 {
        let gammons = self.win_gammon - self.lose_gammon;
        2.0 * self.win - 1.0 + gammons + self.win_backgammon - self.lose_backgammon
    }

    fn __len__(&self) -> usize {
        5
    }

    fn __getitem__(&self, index: isize) -> PyResult<f64> {
        let index = if index < 0 { index + 5 } else { index };
        let found = usize::try_from(index)
            .ok()
            .and_then(|index| self.array().get(index).copied());
        found.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("expected 0 to 4"))
    }

    fn __repr__(&self) -> String {
        let [win, gammon, backgammon, lose_gammon, lose_backgammon] = self.array();
        format!(
            "Chances(win={win:.4}, win_gammon={gammon:.4}, win_backgammon={backgammon:.4}, \
             lose_gammon={lose_gammon:.4}, lose_backgammon={lose_backgammon:.4})"
        )
    }
}

/// The value of a position.
#[pyclass(frozen, get_all, module = "gammond")]
#[derive(Clone)]
pub(crate) struct Evaluation {
    /// Chances of the player on roll.
    chances: Chances,
    /// The class of the position.
    class_name: String,
    /// Cubeful equity where a cube is in play, else cubeless.
    equity: f64,
    /// Match winning chances; None for money.
    mwc: Option<f64>,
    cubeless: f64,
    cubeful: Option<f64>,
    plies: u8,
}

impl From<query::Evaluation> for Evaluation {
    fn from(found: query::Evaluation) -> Evaluation {
        let value = found.cubeful.unwrap_or(found.cubeless);
        Evaluation {
            chances: found.chances.into(),
            class_name: found.class.to_string(),
            equity: value.equity,
            mwc: value.mwc,
            cubeless: found.cubeless.equity,
            cubeful: found.cubeful.map(|value| value.equity),
            plies: found.plies,
        }
    }
}

#[pymethods]
impl Evaluation {
    fn __repr__(&self) -> String {
        let (equity, plies) = (self.equity, self.plies);
        format!(
            "<Evaluation {equity:+.4} at {plies} plies, {}>",
            self.chances.__repr__()
        )
    }
}

/// A play and its value.
#[pyclass(frozen, get_all, module = "gammond")]
#[derive(Clone)]
pub(crate) struct RankedPlay {
    play: Play,
    equity: f64,
    /// Equity lost against the best play.
    loss: f64,
    /// With `pr` or `elo` the share of the people who choose it; else None.
    share: Option<f64>,
    mwc: Option<f64>,
    /// Chances of the player who makes it.
    chances: Chances,
    plies: u8,
}

impl RankedPlay {
    pub(crate) fn new(
        all: &query::RankedPlays,
        number: usize,
        one: &query::RankedPlay,
    ) -> RankedPlay {
        RankedPlay {
            play: Play::made(all.position, all.roll, one.play, one.position),
            equity: one.value.equity,
            loss: one.loss(all.best()),
            share: all.share(number),
            mwc: one.value.mwc,
            chances: one.chances.into(),
            plies: one.plies,
        }
    }
}

#[pymethods]
impl RankedPlay {
    fn __repr__(&self) -> String {
        format!(
            "<{} {:+.4} ({:+.4})>",
            self.play.text(),
            self.equity,
            // Without the sign of a negative zero.
            0.0 - self.loss
        )
    }
}

/// A cube decision.
#[pyclass(frozen, get_all, module = "gammond")]
#[derive(Clone)]
pub(crate) struct CubeDecision {
    chances: Chances,
    cubeless: f64,
    no_double: f64,
    double_take: f64,
    double_pass: f64,
    /// The equity of the best action.
    equity: f64,
    mwc: Option<f64>,
    /// Verdict in words, such as `Double, take`.
    verdict: String,
    double: bool,
    take: bool,
    beaver: bool,
    /// With `pr` or `elo` the share of the people who double; else None.
    double_share: Option<f64>,
    /// With `pr` or `elo` the share of the people who take; else None.
    take_share: Option<f64>,
    plies: u8,
}

impl From<query::CubeAnswer> for CubeDecision {
    fn from(found: query::CubeAnswer) -> CubeDecision {
        let is_one = found.verdict != Verdict::NotAvailable;
        CubeDecision {
            chances: found.chances.into(),
            cubeless: found.cubeless.equity,
            no_double: found.no_double.equity,
            double_take: found.double_take.equity,
            double_pass: found.double_pass.equity,
            equity: found.optimal.equity,
            mwc: found.optimal.mwc,
            verdict: found.verdict.to_string(),
            double: is_one && found.double,
            take: is_one && found.take,
            beaver: is_one && found.beaver,
            double_share: found.people.as_ref().map(|people| people.double),
            take_share: found.people.as_ref().map(|people| people.take),
            plies: found.plies,
        }
    }
}

#[pymethods]
impl CubeDecision {
    fn __repr__(&self) -> String {
        format!(
            "<CubeDecision {}: no double {:+.4}, take {:+.4}, pass {:+.4}>",
            self.verdict, self.no_double, self.double_take, self.double_pass
        )
    }

    fn _repr_html_(&self) -> String {
        let rows = [
            ("No double", self.no_double),
            ("Double, take", self.double_take),
            ("Double, pass", self.double_pass),
        ];
        let rows =
            rows.map(|(name, equity)| format!("<tr><td>{name}</td><td>{equity:+.4}</td></tr>"));
        format!(
            "<table><caption>{}</caption>{}</table>",
            self.verdict,
            rows.concat()
        )
    }
}

/// The results of one candidate of a rollout.
#[pyclass(frozen, get_all, module = "gammond")]
#[derive(Clone)]
pub(crate) struct RolledOut {
    /// `position`, `no double`, `double, take`, or the play.
    name: String,
    play: Option<Play>,
    trials: u32,
    chances: Chances,
    /// Standard error of each chance.
    chance_errors: Chances,
    /// Cubeful where the cube is in play, else cubeless.
    equity: f64,
    /// Standard error of the equity; like the other errors infinite below 72 games.
    error: f64,
    cubeless: f64,
    cubeless_error: f64,
    mwc: Option<f64>,
}

#[pymethods]
impl RolledOut {
    fn __repr__(&self) -> String {
        format!(
            "<{} {:+.4} ±{:.4} in {} games>",
            self.name, self.equity, self.error, self.trials
        )
    }
}

/// A rollout, finished or partial.
#[pyclass(frozen, get_all, module = "gammond")]
#[derive(Clone)]
pub(crate) struct Rollout {
    /// Plays best first; no double before double, take.
    candidates: Vec<RolledOut>,
    /// `trials`, `se`, `jsd`, `time` or `stopped`.
    ended: String,
    cube: Option<CubeDecision>,
}

impl Rollout {
    /// Converts the answer about a position. Its plays are those of `given`, or else of the roll.
    pub(crate) fn new(
        position: game::Position,
        given: &[Play],
        roll: Option<Roll>,
        answer: query::RolloutAnswer,
    ) -> Rollout {
        let of = |one: query::RolledOut| {
            let one = one.reported();
            let (value, error) = one.value();
            let play = match one.candidate {
                Candidate::Play(play, after) => {
                    let mut given = given.iter();
                    let given = given.find(|one| (one.play, one.after) == (play, after));
                    let made = || roll.map(|roll| Play::made(position, roll, play, after));
                    given.copied().or_else(made)
                }
                _ => None,
            };
            let name = match (&play, one.candidate) {
                (Some(play), _) => play.text(),
                (None, Candidate::NoDouble) => "no double".to_owned(),
                (None, Candidate::DoubleTake) => "double, take".to_owned(),
                (None, _) => "position".to_owned(),
            };
            RolledOut {
                name,
                play,
                trials: one.trials,
                chances: Chances::of(one.chances),
                chance_errors: Chances::of(one.chance_errors),
                equity: value.equity,
                error: error.equity,
                cubeless: one.cubeless.equity,
                cubeless_error: one.cubeless_error.equity,
                mwc: value.mwc,
            }
        };
        Rollout {
            candidates: answer.candidates.into_iter().map(of).collect(),
            ended: answer.ended.name().to_owned(),
            cube: answer.cube.map(CubeDecision::from),
        }
    }
}

#[pymethods]
impl Rollout {
    fn __repr__(&self) -> String {
        let all: Vec<String> = self.candidates.iter().map(RolledOut::__repr__).collect();
        format!("<Rollout {}>", all.join(", "))
    }

    fn _repr_html_(&self) -> String {
        let row = |one: &RolledOut| {
            let (name, equity, error, trials) = (&one.name, one.equity, one.error, one.trials);
            format!(
                "<tr><td>{name}</td><td>{equity:+.4}</td><td>±{error:.4}</td><td>{trials}</td></tr>"
            )
        };
        let rows: String = self.candidates.iter().map(row).collect();
        format!(
            "<table><tr><th></th><th>equity</th><th>error</th><th>games</th></tr>{rows}</table>"
        )
    }
}

/// A replayed and analysed match.
#[pyclass(frozen, module = "gammond")]
pub(crate) struct Analysis {
    pub(crate) file: MatchFile,
    pub(crate) analysis: analysis::Analysis,
}

#[pymethods]
impl Analysis {
    /// All decisions and totals as JSON, as `gammond analyse --format json` writes it.
    #[pyo3(signature = (name="match"))]
    fn json(&self, name: &str) -> String {
        let mut text = String::from("{");
        self.analysis
            .write_json(name, &mut |part| text.push_str(part));
        text
    }

    /// A report for a terminal, with `all` decisions or only the mistakes.
    #[pyo3(signature = (name="match", all=false))]
    fn text(&self, name: &str, all: bool) -> String {
        self.analysis.text(Terminal::new(name), all)
    }

    /// A report for a browser, with pictures of the mistakes.
    #[pyo3(signature = (name="match"))]
    fn html(&self, name: &str) -> String {
        let (mut page, mut bytes) = (analysis::Page::default(), Vec::new());
        page.add(name, &self.analysis);
        page.finish().write_to(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A table of all decisions.
    #[pyo3(signature = (name="match"))]
    fn csv(&self, name: &str) -> String {
        format!("{}{}", analysis::CSV_HEAD, self.analysis.csv(name))
    }

    /// The match as GNU Backgammon's SGF with the analysis.
    fn sgf(&self) -> String {
        let sgf = game::notation::MatchFormat::named("sgf");
        let bytes = sgf.map(|sgf| self.analysis.write(&self.file, sgf));
        let bytes = bytes.transpose().ok().flatten().unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Luck-adjusted result of the first player: points, or match winning chances above those at the first score.
    #[getter]
    fn luck_adjusted(&self) -> f64 {
        self.analysis
            .luck_adjusted(game::notation::MatPlayer::First)
    }

    fn __repr__(&self) -> String {
        format!("<Analysis {}>", self.analysis.one_line())
    }

    fn _repr_html_(&self) -> String {
        let page = self.html("match");
        let framed = page.replace('&', "&amp;").replace('"', "&quot;");
        format!("<iframe srcdoc=\"{framed}\" width=\"100%\" height=\"600\"></iframe>")
    }
}

/// The contents of a parsed text: position, match state and roll.
#[pyclass(frozen, get_all, module = "gammond")]
#[derive(Clone)]
pub(crate) struct Parsed {
    form: String,
    position: Position,
    state: Option<crate::rules::MatchState>,
    roll: Option<crate::rules::Roll>,
    warning: Option<String>,
}

/// Parses a position with its match state and roll, in any form.
#[pyfunction]
pub(crate) fn parse(text: &str) -> PyResult<Parsed> {
    let found = game::notation::parse_position(text.as_bytes());
    let found = found.map_err(|error| wrong::value("text", error))?;
    Ok(Parsed {
        form: found.form.name().to_owned(),
        position: Position(found.position),
        state: found.state.map(crate::rules::MatchState),
        roll: found.roll.map(crate::rules::Roll),
        warning: found.warning.map(str::to_owned),
    })
}

#[pymethods]
impl Parsed {
    fn __repr__(&self) -> String {
        format!("<Parsed {}: {}>", self.form, self.position.text())
    }
}
