//! Runs one after the other, from random weights to the files that ship.
//!
//! A recipe is one TOML file with `[[stage]]`s, each a run with a plan of its own (see [`super::plan::Plan`]) in the
//! folder of its name. Where a plan names a net or an earlier folder, `stage:NAME` is what an earlier stage ended
//! with, and `stage:NAME:ROLE` its net of another role; `pruning = "stage:NAME"` is the pruning net of its nets,
//! where the stage defines it. After each stage its nets are rounded to integers, in `STAGE/nets`, and play against a
//! measure; `curve.csv` grows by a line. At the end the nets that `[[net]]` lists, the pruning net and the volatility
//! net, lie in `nets`. The folder must be new or the recipe's own. Killed at any moment, the same command goes on:
//! finished stages are only checked.

use super::error::{RunError, in_file};
use super::limits::{Checked, LABELS_MAX, within};
use super::plan::{Origin, Plan};
use super::pruning::{self, PruningPlan};
use super::run::{self, nets};
use super::run_journal::net_path;
use super::volatility::{self, VolatilityPlan};
use gammond_arena::duel::{AdjustedPlan, play_adjusted};
use gammond_arena::player::{Ours, PlayerSpec};
use gammond_base::files::create_folder;
use gammond_base::journal::write_whole;
use gammond_base::stop::Stop;
use gammond_engine::engine::{Engine, Nets};
use gammond_engine::eval::nets::Role;
use gammond_job::Control;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Prefix of a stage's name.
const STAGE: &str = "stage:";
/// Folder of the net files: those that ship, or those of a stage.
const NETS: &str = "nets";
const CURVE: &str = "curve.csv";
/// Marks folders that a recipe created: all files in them are its own.
const MARK: &str = "recipe.json";
/// The pruning net among them, or among the nets of a stage.
const PRUNING: &str = "pruning";
/// File with the results of a finished stage.
const DONE: &str = "stage.json";
/// File with the time spent on an unfinished stage so far.
const SPENT: &str = "spent.json";

/// A chain of runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingRecipe {
    /// The runs, in order.
    pub stage: Vec<Stage>,
    /// The net files that ship.
    pub net: Vec<ShippedNet>,
    /// Plan of the pruning net, which is trained on the nets that ship.
    pub pruning: Option<PruningPlan>,
    /// Plan of the volatility net, which is trained on them too.
    pub volatility: Option<VolatilityPlan>,
    /// Games after each stage that measure its nets.
    pub measure: Option<Measure>,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// Its name, and that of its folder: small letters, digits and hyphens.
    pub name: String,
    /// Plan of the run.
    pub plan: Plan,
    /// Plan of a pruning net that is trained on this stage's nets, for the plans of later stages.
    pub pruning: Option<PruningPlan>,
}

/// A net file that ships.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShippedNet {
    /// Role of the net: `contact`, `contact-ahead` …, which is the name of the file too.
    pub role: String,
    /// The stage whose last round made it.
    pub stage: String,
    /// The role that it had there, when that was another.
    pub from: Option<String>,
    /// Name in the header of the file.
    pub name: String,
}

/// Static play against a player, the luck taken out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The other player, as for `gammond duel`.
    pub against: String,
    /// Games after each stage.
    pub games: u64,
    /// Seed of the dice.
    pub seed: u64,
    /// Result that the last stage must reach, in points per game; below it the recipe fails.
    pub least: Option<f64>,
}

/// A finished stage.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Done {
    /// Seconds times threads; of a round that a kill cut off, without what was done before.
    seconds: f64,
    /// Points per game against the measure, and the standard error.
    points: Option<[f64; 2]>,
}

fn is_name(text: &str) -> bool {
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=40).contains(&text.len()) && text.bytes().all(good)
}

impl Checked for TrainingRecipe {
    fn fault(&self) -> Option<String> {
        if self.stage.is_empty() {
            return Some("stage: none is there".to_owned());
        }
        for (place, stage) in self.stage.iter().enumerate() {
            let name = &stage.name;
            let known = &self.stage[..place];
            if !is_name(name) || name == NETS {
                return Some(format!(
                    "stage.name: {name:?}, expected small letters, digits and hyphens, and not {NETS}"
                ));
            }
            if known.iter().any(|other| other.name == *name) {
                return Some(format!("stage.name: {name:?} is there twice"));
            }
            let fault = (stage.plan.fault()).or_else(|| watching(stage.pruning.as_ref()));
            let fault = fault.or_else(|| resolved(&stage.plan, known, Path::new("")).err());
            if let Some(fault) = fault {
                return Some(format!("stage {name}: {fault}"));
            }
        }
        for net in &self.net {
            let fault = net.source(&self.stage, Path::new("")).err();
            if let Some(fault) = fault {
                return Some(format!("net {}: {fault}", net.role));
            }
        }
        let measure = self.measure.as_ref();
        let measured = measure.and_then(|measure| {
            let against = measure.against.parse::<PlayerSpec>().err();
            let against = against.map(|error| format!("measure.against: {error}"));
            against.or_else(|| within("measure.games", measure.games as f64, 2.0, LABELS_MAX))
        });
        measured
            .or_else(|| watching(self.pruning.as_ref()))
            .or_else(|| {
                let plan = self.volatility.as_ref()?;
                let nets = plan.nets.is_some().then(|| WATCHED.to_owned());
                Some(format!("volatility: {}", nets.or_else(|| plan.fault())?))
            })
    }
}

/// Reason for refusing a small net's plan that names nets.
const WATCHED: &str = "nets: a recipe's own are watched, expected none named";

/// Returns the fault in the plan of a pruning net in a recipe, if any.
fn watching(plan: Option<&PruningPlan>) -> Option<String> {
    let plan = plan?;
    let nets = plan.nets.is_some().then(|| WATCHED.to_owned());
    Some(format!("pruning: {}", nets.or_else(|| plan.fault())?))
}

impl ShippedNet {
    fn role(&self) -> Result<Role, String> {
        let wanted = Role::named(&self.role).filter(|role| role.is_net());
        wanted.ok_or_else(|| format!("role: expected one of {}", Role::names(Role::nets())))
    }

    /// Returns the float net that it is made of.
    fn source(&self, stages: &[Stage], folder: &Path) -> Result<PathBuf, String> {
        let role = self.role()?;
        let from = match &self.from {
            None => role,
            Some(from) => Role::named(from).ok_or_else(|| format!("from: {from:?} is no role"))?,
        };
        last_net(&self.stage, from, stages, folder)
    }
}

/// Returns the text after `stage:`, if a plan has it in place of a path.
fn of_stage(path: &Path) -> Option<&str> {
    path.to_str()?.strip_prefix(STAGE)
}

/// Returns the net of a role that a stage ends with.
fn last_net(name: &str, role: Role, stages: &[Stage], folder: &Path) -> Result<PathBuf, String> {
    let stage = stages.iter().find(|stage| stage.name == name);
    let stage = stage.ok_or_else(|| format!("no earlier stage {name:?}"))?;
    if stage.plan.origin(role).is_none() || role == Role::Fast {
        return Err(format!("stage {name} trains no net {:?}", role.name()));
    }
    let rounds = stage.plan.rounds().len();
    Ok(net_path(&folder.join(name), rounds, role.name()))
}

/// Returns the plan with the files of the stages before it in place of their names.
fn resolved(plan: &Plan, stages: &[Stage], folder: &Path) -> Result<Plan, String> {
    let net_of_stage = |path: &Path, role: Role| -> Result<Option<PathBuf>, String> {
        let Some(text) = of_stage(path) else {
            return Ok(None);
        };
        let (name, role) = match text.split_once(':') {
            None => (text, role),
            Some((name, role)) => {
                let found = Role::named(role);
                (name, found.ok_or_else(|| format!("{role:?} is no role"))?)
            }
        };
        last_net(name, role, stages, folder).map(Some)
    };
    let mut plan = plan.clone();
    for (role, origin) in plan.origins_mut() {
        // The filter of plays is some stage's contact net.
        let role = match role {
            Role::Fast => Role::Contact,
            role => role,
        };
        if let Origin::File(path) | Origin::Changed { from: path, .. } = origin
            && let Some(found) = net_of_stage(path, role)?
        {
            *path = found;
        }
    }
    if let Some(path) = &mut plan.pruning
        && let Some(name) = of_stage(path)
    {
        let with_one = |stage: &Stage| stage.name == name && stage.pruning.is_some();
        if !stages.iter().any(with_one) {
            return Err(format!(
                "pruning: no earlier stage {name:?} with a pruning net"
            ));
        }
        *path = small_path(&folder.join(name), PRUNING);
    }
    for earlier in &mut plan.earlier {
        if let Some(name) = of_stage(earlier) {
            if !stages.iter().any(|stage| stage.name == name) {
                return Err(format!("earlier: no earlier stage {name:?}"));
            }
            *earlier = folder.join(name);
        }
    }
    Ok(plan)
}

/// Takes an empty or new folder for the recipe, or a recipe's folder: files of other programs are never overwritten.
fn take_folder(recipe: &TrainingRecipe, folder: &Path) -> Result<(), RunError> {
    create_folder(folder).map_err(in_file(folder))?;
    let mark = folder.join(MARK);
    if mark.exists() {
        return Ok(());
    }
    let mut inside = std::fs::read_dir(folder).map_err(in_file(folder))?;
    if inside.next().is_some() {
        return Err(RunError::Plan {
            path: folder.to_owned(),
            reason: format!("holds other files and no {MARK}: expected a new or empty folder"),
        });
    }
    let text = serde_json::to_string(recipe).unwrap_or_default();
    write_whole(&mark, text.as_bytes()).map_err(in_file(&mark))
}

/// Runs or resumes all stages in folders of `folder`; returns false if `control` stopped it before the end. `report`
/// receives a line for each stage beside the lines of its log.
///
/// # Errors
/// [`RunError`]; also when the nets of the last stage are weaker than the recipe requires.
pub fn follow(
    recipe: &TrainingRecipe,
    folder: &Path,
    report: &mut dyn FnMut(&str),
    control: &mut Control<'_>,
) -> Result<bool, RunError> {
    let wrong = |reason: String| RunError::Plan {
        path: folder.to_owned(),
        reason,
    };
    take_folder(recipe, folder)?;
    let mut curve = String::from("hours of computing,points per game,standard error\n");
    let mut seconds = 0.0;
    let mut last = None;
    for (place, stage) in recipe.stage.iter().enumerate() {
        let at = folder.join(&stage.name);
        let plan = resolved(&stage.plan, &recipe.stage[..place], folder).map_err(wrong)?;
        let done_path = at.join(DONE);
        let known = known::<Done>(&done_path);
        let spent = StageTime::of(&at);
        let keep = || {
            if known.is_none() {
                spent.keep();
            }
        };
        let mut finished = |line: &str| {
            keep();
            report(line);
        };
        let ended = run::run(&plan, &at, &mut finished, control)?;
        keep();
        if !ended {
            return Ok(false);
        }
        if known.is_none() {
            write_nets(&plan, &at, &stage.name)?;
        }
        if !prune(stage.pruning.as_ref(), &at, report, control)? {
            return Ok(false);
        }
        let done = match known {
            Some(done) => done,
            None => {
                let seconds = spent.seconds();
                let Some(points) = measured(recipe, &at.join(NETS), control)? else {
                    return Ok(false);
                };
                let done = Done { seconds, points };
                let text = serde_json::to_string(&done).unwrap_or_default();
                write_whole(&done_path, text.as_bytes()).map_err(in_file(&done_path))?;
                done
            }
        };
        seconds += done.seconds;
        last = done.points;
        if let Some([points, error]) = done.points {
            let hours = seconds / 3600.0;
            curve.push_str(&format!("{hours:.4},{points:.4},{error:.4}\n"));
            let name = &stage.name;
            report(&format!(
                r#"{{"stage":"{name}","hours":{hours:.4},"points":{points:.4},"error":{error:.4}}}"#
            ));
        }
        let path = folder.join(CURVE);
        write_whole(&path, curve.as_bytes()).map_err(in_file(&path))?;
    }
    if !ship(recipe, folder, report, control)? {
        return Ok(false);
    }
    let least = recipe.measure.as_ref().and_then(|measure| measure.least);
    match (last, least) {
        (Some([points, _]), Some(least)) if points < least => Err(wrong(format!(
            "the last stage reaches {points:+.4} points per game, the recipe requires {least:+.4}"
        ))),
        _ => Ok(true),
    }
}

/// Time spent on a stage, over all runs of the program that worked on it.
struct StageTime {
    path: PathBuf,
    before: f64,
    begun: Instant,
}

impl StageTime {
    fn of(stage: &Path) -> StageTime {
        let path = stage.join(SPENT);
        StageTime {
            before: known::<f64>(&path)
                .filter(|seconds| *seconds >= 0.0)
                .unwrap_or(0.0),
            path,
            begun: Instant::now(),
        }
    }

    /// Returns the seconds times threads.
    fn seconds(&self) -> f64 {
        self.before + self.begun.elapsed().as_secs_f64() * rayon::current_num_threads() as f64
    }

    /// Writes the hours to a file. The curve shows them; a run does not fail for them.
    fn keep(&self) {
        let _ = write_whole(&self.path, format!("{:.1}", self.seconds()).as_bytes());
    }
}

/// Reads a JSON file; `None` if it is missing or cannot be parsed.
fn known<T: serde::de::DeserializeOwned>(path: &Path) -> Option<T> {
    serde_json::from_slice(&std::fs::read(path).ok()?).ok()
}

/// Returns the nets of a finished run, rounded to integers.
fn write_nets(plan: &Plan, at: &Path, name: &str) -> Result<(), RunError> {
    let rounds = plan.rounds().len();
    let Some(found) = nets(plan, at, rounds)? else {
        return Err(RunError::Plan {
            path: at.to_owned(),
            reason: format!("the nets of round {rounds} are missing or damaged"),
        });
    };
    let folder = at.join(NETS);
    create_folder(&folder).map_err(in_file(&folder))?;
    for (role, bytes) in found.integers(name)? {
        let path = folder.join(format!("{}.net", role.name()));
        write_whole(&path, &bytes).map_err(in_file(&path))?;
    }
    Ok(())
}

/// Converts an error of games between nets.
fn played(error: impl std::fmt::Display, path: &Path) -> RunError {
    RunError::Plan {
        path: path.to_owned(),
        reason: format!("measure: {error}"),
    }
}

/// Returns our player with the nets of a folder.
#[must_use]
pub(crate) fn player_of(nets: &Path) -> PlayerSpec {
    PlayerSpec::Gammond(Ours {
        nets: Some(nets.to_owned()),
        ..Ours::default()
    })
}

/// Plays the nets of a folder against another player, statically. Returns the luck-adjusted mean and its standard
/// error, in points per game; `None` if it was stopped.
///
/// # Errors
/// [`RunError`]: nets that are not there, games that fail.
pub fn compare(
    nets: &Path,
    other: &PlayerSpec,
    (games, seed): (u64, u64),
    control: &mut Control<'_>,
) -> Result<Option<[f64; 2]>, RunError> {
    let ours = player_of(nets)
        .open()
        .map_err(|error| played(error, nets))?;
    let other = other.open().map_err(|error| played(error, nets))?;
    let judge = Engine::builder()
        .nets(Nets::EmbeddedFast)
        .threads(1)
        .build()?;
    let stop = Stop::never();
    let plan = AdjustedPlan {
        seed,
        pairs: games.div_ceil(2),
        ..AdjustedPlan::default()
    };
    control.task = "measure".to_owned();
    let judge = (judge.context(&stop), judge.identity()?);
    let end = play_adjusted(&plan, [&*ours, &*other], judge, None, control);
    let end = end.map_err(|error| played(error, nets))?;
    let seen = end.sum.adjusted;
    Ok((end.complete).then_some([seen.mean(), seen.standard_error()]))
}

/// Measures the nets if the recipe has a `measure`; the outer `None` if it was stopped.
fn measured(
    recipe: &TrainingRecipe,
    nets: &Path,
    control: &mut Control<'_>,
) -> Result<Option<Option<[f64; 2]>>, RunError> {
    let Some(measure) = &recipe.measure else {
        return Ok(Some(None));
    };
    let other = measure.against.parse::<PlayerSpec>();
    let other = other.map_err(|error| played(error, nets))?;
    let found = compare(nets, &other, (measure.games, measure.seed), control)?;
    Ok(found.map(Some))
}

/// Writes the files that ship; false when it was stopped before the last.
fn ship(
    recipe: &TrainingRecipe,
    folder: &Path,
    report: &mut dyn FnMut(&str),
    control: &mut Control<'_>,
) -> Result<bool, RunError> {
    let nets = folder.join(NETS);
    create_folder(&nets).map_err(in_file(&nets))?;
    for net in &recipe.net {
        let wrong = |reason| RunError::Plan {
            path: folder.to_owned(),
            reason,
        };
        let role = net.role().map_err(wrong)?;
        let source = net.source(&recipe.stage, folder).map_err(wrong)?;
        let float = super::net::Net::load(&source).map_err(in_file(&source))?;
        let path = nets.join(format!("{}.net", role.name()));
        let bytes = float.to_integer(&net.name, role.name())?;
        write_whole(&path, &bytes).map_err(in_file(&path))?;
    }
    if !prune(recipe.pruning.as_ref(), folder, report, control)? {
        return Ok(false);
    }
    let Some(wanted) = &recipe.volatility else {
        return Ok(true);
    };
    let plan = VolatilityPlan {
        nets: Some(nets),
        ..wanted.clone()
    };
    small_net(folder, "volatility", wanted, control, |control| {
        volatility::train(&plan, report, control)
    })
}

/// Returns the path of a small net that was trained on the other nets of a folder.
fn small_path(folder: &Path, name: &str) -> PathBuf {
    folder.join(NETS).join(format!("{name}.net"))
}

/// Makes the pruning net of the nets in a stage's or the recipe's folder, where one is required and missing; `false`
/// when it was stopped.
fn prune(
    plan: Option<&PruningPlan>,
    folder: &Path,
    report: &mut dyn FnMut(&str),
    control: &mut Control<'_>,
) -> Result<bool, RunError> {
    let Some(wanted) = plan else {
        return Ok(true);
    };
    let plan = PruningPlan {
        nets: Some(folder.join(NETS)),
        ..wanted.clone()
    };
    small_net(folder, PRUNING, wanted, control, |control| {
        pruning::train(&plan, report, control)
    })
}

/// Makes a net that watches those in a stage's or the recipe's folder, unless it is there; `false` when it was
/// stopped. The plan is kept beside it, in `NAME.json`.
///
/// # Errors
/// [`RunError`]; also when a net is there that another plan made.
fn small_net(
    folder: &Path,
    name: &str,
    plan: &impl Serialize,
    control: &mut Control<'_>,
    train: impl FnOnce(&mut Control<'_>) -> Result<Option<Vec<u8>>, RunError>,
) -> Result<bool, RunError> {
    let path = small_path(folder, name);
    let made_by = folder.join(format!("{name}.json"));
    let text = serde_json::to_string(plan).unwrap_or_default();
    if path.exists() {
        return match std::fs::read(&made_by) {
            Ok(bytes) if bytes == text.as_bytes() => Ok(true),
            _ => Err(RunError::Plan {
                path,
                reason: format!(
                    "is there already, and {name}.json is not of the recipe's plan; delete it or take another folder"
                ),
            }),
        };
    }
    write_whole(&made_by, text.as_bytes()).map_err(in_file(&made_by))?;
    control.task = format!("{name}.net");
    let Some(bytes) = train(control)? else {
        return Ok(false);
    };
    write_whole(&path, &bytes).map_err(in_file(&path))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gammond_base::toml::parse_toml;

    const PLAN: &str = "seed = 1\nrace = { first = 64, second = 16 }\n[[stage.plan.round]]\nlabels = 100\npool = 1\nrate = 1e-3\n";

    fn fault(text: &str) -> Option<String> {
        parse_toml::<TrainingRecipe>(text).unwrap().fault()
    }

    fn stage(name: &str, contact: &str, more: &str) -> String {
        format!("[[stage]]\nname = \"{name}\"\n[stage.plan]\ncontact = {contact}\n{more}{PLAN}")
    }

    #[test]
    fn faults_are_named() {
        let random = "{ first = 64, second = 16 }";
        let first = stage("one", random, "");
        let net = "[[net]]\nrole = \"contact\"\nstage = \"one\"\nname = \"n\"\n";
        assert_eq!(fault(&format!("{net}{first}")), None);
        for (text, wanted) in [
            (format!("{net}{}", stage("One", random, "")), "stage.name"),
            (format!("{net}{}", stage("nets", random, "")), "stage.name"),
            (format!("{net}{first}{first}"), "twice"),
            (
                format!("{net}{first}{}", stage("two", "\"stage:three\"", "")),
                "stage two: no earlier stage \"three\"",
            ),
            (
                format!("{net}{first}{}", stage("two", "\"stage:one:crashed\"", "")),
                "trains no net",
            ),
            (
                format!(
                    "{net}{first}{}",
                    stage("two", random, "pruning = \"stage:one\"\n")
                ),
                "pruning: no earlier stage \"one\" with a pruning net",
            ),
            (
                format!(
                    "{net}{first}{}",
                    stage("two", "\"stage:one\"", "earlier = [\"stage:x\"]\n")
                ),
                "earlier",
            ),
            (
                format!(
                    "{net}{}",
                    stage("one", random, &format!("parts.crashed = {random}\n"))
                ),
                "parts: \"crashed\", expected one of contact-board, ",
            ),
            (
                format!(
                    "{net}{}",
                    stage(
                        "one",
                        random,
                        "parts.anchor-board = { first = 65, second = 16 }\n"
                    )
                ),
                "first: 65",
            ),
            (
                format!("{}{first}", net.replace("\"one\"", "\"x\"")),
                "net contact: no earlier",
            ),
            (
                format!("{}{first}", net.replace("contact", "pruning")),
                "role",
            ),
        ] {
            let found = fault(&text).unwrap_or_default();
            assert!(found.contains(wanted), "{text}: {found}");
        }
    }

    #[test]
    fn parts_ship_from_stages_that_train_them() {
        let net = "[[net]]\nrole = \"behind-anchor\"\nstage = \"one\"\nname = \"n\"\n";
        let random = "{ first = 64, second = 16 }";
        let parts = format!("parts.behind-anchor = {random}\n");
        let with = format!("{net}{}", stage("one", random, &parts));
        assert_eq!(fault(&with), None);
        let without = fault(&format!("{net}{}", stage("one", random, ""))).unwrap_or_default();
        assert!(
            without.contains("trains no net \"behind-anchor\""),
            "{without}"
        );
    }

    #[test]
    fn stages_find_results_of_earlier_stages() {
        let text = format!(
            "net = []\n{}{}",
            stage("one", "{ first = 64, second = 16 }", ""),
            stage(
                "two",
                "\"stage:one\"",
                "ahead = \"stage:one:contact\"\nearlier = [\"stage:one\", \"else\"]\n"
            )
        );
        let recipe: TrainingRecipe = parse_toml(&text).unwrap();
        assert_eq!(recipe.fault(), None);
        let plan = resolved(&recipe.stage[1].plan, &recipe.stage[..1], Path::new("f")).unwrap();
        let net = Origin::File(PathBuf::from("f/one/round-1-contact.net"));
        assert_eq!((&plan.contact, plan.ahead.as_ref()), (&net, Some(&net)));
        assert_eq!(
            plan.earlier,
            [PathBuf::from("f/one"), PathBuf::from("else")]
        );
    }
}
