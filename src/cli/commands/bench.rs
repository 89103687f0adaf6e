//! `gammond bench`.

use super::bench_files::{Judged, Read, RecordSet};
use super::{bench_depths, bench_regret, bench_values};
use crate::{
    Common, Failure, Format, InputFile, Measured, Output, OutputFile, Picture, ProgressArgs,
    farmed, known, shown_path, stopped, write_drawing,
};
use gammond_arena::benchmark::scoring::Scoring;
use gammond_arena::benchmark::summary::{
    Compared, Counting, GroupScore, Scored, groups, paired_by_group, position,
};
use gammond_arena::benchmark::{Generation, Item, ScorableRecord};
use gammond_arena::player::Player;
use gammond_base::escape::{CsvCell, csv_line};
use gammond_base::stats::Running;
use gammond_engine::equity::MatchEquityTable;
use gammond_game::{Class, Group};
use gammond_job::{Runner, Whole};
use gammond_report::render::bars::{self, Bar, Row};
use gammond_report::render::signed;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::ExitCode;

farmed! {
    /// Arguments of the subcommand.
    #[command(
        subcommand_negates_reqs = true,
        override_usage = "gammond bench [OPTIONS] <FILE>...\n       gammond bench <COMMAND>"
    )]
    struct Args as Job {
        /// Benchmark files (`m`, `o` and `c` records).
        #[arg(required = true, value_name = "FILE")]
        files: Vec<InputFile>,
        /// Choices that the file does not list: charge the worst listed loss, or leave them out.
        #[arg(long, default_value = "worst")]
        outside: Outside,
        /// All files together by who rolled them out: our rollouts (`ours`), those of another program (`other`), or one
        /// after the other (`both`), which must be of the same decisions.
        #[arg(long, value_name = "JUDGE", conflicts_with = "records")]
        judge: Option<Judged>,
        /// Leave out records in which nothing can be decided.
        #[arg(long)]
        interesting: bool,
        /// Groups of races by how far back their checkers stand: those of both sides within so many of their own
        /// points, and all others.
        #[arg(long, value_delimiter = ',', value_name = "POINTS", conflicts_with = "records")]
        by_range: Vec<Whole<1, 24>>,
        /// Comma-separated values instead of a table.
        #[arg(long)]
        csv: bool,
        /// Draw the losses by group of ten decisions or more, with their errors, into this file as well: SVG, or points
        /// where its name ends with `.png`.
        #[arg(long, value_name = "FILE", conflicts_with = "records")]
        svg: Option<OutputFile>,
        /// One line a record instead of sums (comma-separated): the groups of the position, the place of the choice in
        /// the list (0: not listed) and its loss in points; of positions the scores with an error and the cube measure;
        /// of cube actions the match winning chances in percent that doubling and taking lose.
        #[arg(long)]
        records: bool,
        /// Keep scores in this file; the same command resumes from it after a stop.
        #[arg(long, value_name = "FILE")]
        journal: Option<OutputFile>,
        #[command(flatten)]
        players: Measured,
    }
    dropped {
        #[command(subcommand)]
        other: Option<Other>,
        #[command(flatten)]
        progress: ProgressArgs,
    }
}

/// Other measurements of players.
#[derive(clap::Subcommand, Debug)]
pub(crate) enum Other {
    /// Errors of static equities beside labels, by group of positions.
    #[command(
        after_help = "Example: gammond bench values labels.txt --player gammond:nets=gnubg.wd"
    )]
    Values(Box<bench_values::Args>),
    /// Losses of players at decisions that deeper searches evaluate.
    Regret(Box<bench_regret::Args>),
    /// Change of the values of positions with each ply, by group of positions.
    Depths(Box<bench_depths::Args>),
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outside {
    Worst,
    Skip,
}

#[cfg(feature = "farm")]
crate::farmed::carried_as_it_is!(Outside);

/// The scores of one player.
struct Scores<'a> {
    name: String,
    scored: &'a [Scored],
}

impl Args {
    /// Checks before any work what is written, and how.
    fn check(&self, common: &Common) -> Result<(), Failure> {
        if let Some(path) = &self.svg {
            Picture::named(path).check(path)?;
        }
        if self.records && common.format == Some(Format::Json) {
            return Err(Failure::usage(
                "--records are comma-separated values: leave out --format json",
            ));
        }
        Ok(())
    }

    /// Returns the ranges of points.
    fn ranges(&self) -> Vec<u8> {
        let ranges = self.by_range.iter();
        ranges.map(|points| points.to::<u8>()).collect()
    }
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    match &args.other {
        Some(Other::Values(args)) => return bench_values::run(common, args),
        Some(Other::Regret(args)) => return bench_regret::run(common, args),
        Some(Other::Depths(args)) => return bench_depths::run(common, args),
        None => {}
    }
    common.start_threads();
    let players = args.players.open(common)?;
    let table = measure_table(common)?;
    let counting = Counting {
        keep_outside: args.outside == Outside::Worst,
        interesting_only: args.interesting,
        ranges: args.ranges(),
    };
    args.check(common)?;
    let mut read = Read::of(&args.files, args.judge)?;
    if read.unread == args.files.len() {
        return Ok(read.exit_code());
    }
    if common.met.is_some() {
        read.items.iter_mut().for_each(Item::forget_pass);
    }
    let of_all = players.iter().map(|player| &**player).collect();
    let job = Scoring::new(&read.items, of_all, &table, &read.sources)?;
    let mut control = common.control(args.progress)?;
    let journal = args.journal.as_deref();
    let outcome = Runner::new().journal(journal).run(&job, &mut control)?;
    drop(control);
    let mut bars = Vec::new();
    let mut out = Output::new();
    let mut from = 0;
    for (number, set) in read.sets.iter().enumerate() {
        let is_first = number == 0;
        // After a stop: the scores so far.
        let scored = outcome.sum.first().map_or(0, Vec::len);
        let to = (from + set.records).min(scored);
        let items = read.items.get(from..to).unwrap_or_default();
        if items.is_empty() && !outcome.complete && from > 0 {
            break;
        }
        let all: Vec<Scores> = (players.iter().zip(&outcome.sum))
            .map(|(player, scored)| Scores {
                name: player.name(),
                scored: scored.get(from..to).unwrap_or_default(),
            })
            .collect();
        from = to;
        bars.extend(rows(&set.path, items, &all, &counting));
        let text = if args.records {
            each_record(&set.path, items, &all, is_first)
        } else if args.csv {
            csv(&set.path, items, &all, &counting, is_first)
        } else if common.format == Some(Format::Json) {
            json(set, items, &all, &counting, &table)
        } else {
            text_report(set, items, &all, &counting, &table)
        };
        out.print(text.as_bytes())?;
    }
    out.flush()?;
    draw(args.svg.as_deref(), &players, &bars)?;
    if !outcome.complete {
        let otherwise = "the figures are those of the first records; with --journal FILE the same command could resume";
        return Ok(stopped(journal, otherwise));
    }
    Ok(read.exit_code())
}

/// Fewest decisions of a group that is drawn beside all: the mean of a few is as large as chance makes it, and its bar makes
/// the others small.
const DRAWN_MIN: u64 = 10;

/// Returns the losses of all players by group, as bars.
fn rows(path: &Path, items: &[Item], all: &[Scores<'_>], counting: &Counting) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let file = path
        .file_stem()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let mut add = |player: usize, (name, least): (String, u64), loss: &Running| {
        if loss.count() < least {
            return;
        }
        let at = rows.iter().position(|row| row.name == name);
        let at = at.unwrap_or_else(|| {
            let bars = vec![None; all.len()];
            rows.push(Row { name, bars });
            rows.len() - 1
        });
        let (value, error) = (loss.mean(), loss.standard_error());
        if let Some(bar) = rows.get_mut(at).and_then(|row| row.bars.get_mut(player)) {
            *bar = Some(Bar { value, error });
        }
    };
    for (player, Scores { scored, .. }) in all.iter().enumerate() {
        for group in groups(items, scored, counting) {
            let least = match group.name.as_str() {
                "all" => 1,
                _ => DRAWN_MIN,
            };
            let name = format!("{file}: {}", group.name);
            let cube = format!("{name}, cube");
            add(player, (name, least), &group.plays.loss);
            add(player, (cube, least), &group.actions.loss);
        }
    }
    rows
}

fn draw(path: Option<&Path>, players: &[Box<dyn Player>], rows: &[Row]) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    let names: Vec<String> = players.iter().map(|player| player.name()).collect();
    let title =
        format!("mean loss in thousandths of a point, groups of {DRAWN_MIN} decisions or more");
    let picture = bars::svg(&title, &names, rows);
    write_drawing(path, &picture)
}

/// Returns the match equity table of the cube measure: the requested one, else the one that the measure is defined
/// with (BM-31).
pub(super) fn measure_table(common: &Common) -> Result<MatchEquityTable, Failure> {
    const MEASURE: &str = "mec26";
    match common.met {
        Some(_) => common.match_equity_table(),
        None => MatchEquityTable::named(MEASURE).map_err(Failure::work),
    }
}

/// The losses of the first player less those of another.
struct Difference {
    compared: Compared,
    /// Number of the other player, from 2, and its name.
    other: (usize, String),
    /// `all`, or the group by range.
    group: String,
    losses: Running,
}

/// Returns the first player less each other: plays, then cube actions, each for all records and for the groups by
/// range.
fn differences(items: &[Item], all: &[Scores<'_>], counting: &Counting) -> Vec<Difference> {
    let Some((first, others)) = all.split_first() else {
        return Vec::new();
    };
    let of = |compared: Compared, (number, other): (usize, &Scores<'_>)| {
        let pair = [first.scored, other.scored];
        let mut found = paired_by_group(items, pair, (compared, counting));
        if counting.ranges.is_empty() {
            found.truncate(1);
        }
        let of_group = |(group, losses)| Difference {
            compared,
            other: (number, other.name.clone()),
            group,
            losses,
        };
        found.into_iter().map(of_group).collect::<Vec<_>>()
    };
    let with = |compared| {
        let numbered = (2..).zip(others);
        numbered.flat_map(move |other| of(compared, other))
    };
    (with(Compared::Plays).chain(with(Compared::Actions))).collect()
}

impl Difference {
    /// Returns one line.
    fn text(&self) -> String {
        let losses = &self.losses;
        let interval = match losses.known_interval99() {
            Some([low, high]) => format!("{} to {}", signed(low, 6), signed(high, 6)),
            None => "unknown".to_owned(),
        };
        let name = match (&self.other, self.group.as_str()) {
            ((2, _), "all") => "first minus second: ".to_owned(),
            ((2, _), group) => format!("{group}: first minus second: "),
            ((_, other), "all") => format!("{other}: first minus this: "),
            ((_, other), group) => format!("{other}: {group}: first minus second: "),
        };
        let (kind, unit) = match self.compared {
            Compared::Plays => ("", "mEq"),
            Compared::Actions => ("cube actions: ", "mEMG"),
        };
        format!(
            "{kind}{name}{} {unit}, standard error {}, 99 % interval {interval}, {} records\n",
            signed(losses.mean(), 6),
            known(losses.known_error(), 6),
            losses.count()
        )
    }

    fn json(&self) -> serde_json::Value {
        let name = match &self.other {
            (2, _) => self.group.clone(),
            (_, other) => format!("{other}: {}", self.group),
        };
        let losses = &self.losses;
        serde_json::json!({
            "name": name, "mean_meq": losses.mean(), "standard_error": losses.known_error(),
            "interval99": losses.known_interval99(), "records": losses.count(),
        })
    }
}

fn text_report(
    RecordSet {
        path, generation, ..
    }: &RecordSet,
    items: &[Item],
    all: &[Scores<'_>],
    counting: &Counting,
    table: &MatchEquityTable,
) -> String {
    let mut text = String::new();
    if let Some(generation) = generation {
        text.push_str(&format!("{}: {}\n", shown_path(path), generation.name()));
    }
    for Scores { name, scored } in all {
        text.push_str(&format!("{}: {name}\n", shown_path(path)));
        let groups = groups(items, scored, counting);
        if groups.iter().any(|group| group.cubes.measure.count() > 0) {
            text.push_str(&format!(
                "cube measure: static chances of the player, match equity table {}\n",
                table.name()
            ));
        }
        for group in groups {
            text.push_str(&lines_of(&group));
        }
    }
    if all.len() > 2 {
        text.push_str(&tables(items, all, counting));
    }
    for difference in differences(items, all, counting) {
        text.push_str(&difference.text());
    }
    text
}

/// Returns the losses of many players beside one another: a table of plays and one of cube actions, a row for each
/// group.
fn tables(items: &[Item], all: &[Scores<'_>], counting: &Counting) -> String {
    let mut text = "mean loss in thousandths of a point, its standard error\n".to_owned();
    for (number, Scores { name, .. }) in (1..).zip(all) {
        text.push_str(&format!("{number}: {name}\n"));
    }
    // A play that one player's file does not list would leave its column with fewer records than the others.
    let is_compared = |&at: &usize| {
        let is_listed = |one: &Scores<'_>| match one.scored.get(at) {
            Some(Scored::Play(score)) => score.listed.is_some(),
            _ => true,
        };
        counting.keep_outside || all.iter().all(is_listed)
    };
    let kept: Vec<usize> = (0..items.len()).filter(is_compared).collect();
    let items: Vec<Item> = (kept.iter().filter_map(|&at| items.get(at).cloned())).collect();
    let column = |Scores { scored, .. }: &Scores<'_>| {
        let scored: Vec<Scored> = (kept.iter().filter_map(|&at| scored.get(at).copied())).collect();
        groups(&items, &scored, counting)
    };
    let columns: Vec<Vec<GroupScore>> = all.iter().map(column).collect();
    text.push_str(&table_of("plays", &columns, |group| group.plays.loss));
    text.push_str(&table_of("cubes", &columns, |group| group.actions.loss));
    text
}

/// Returns the table of one kind of records, empty if there are none.
fn table_of(
    kind: &str,
    columns: &[Vec<GroupScore>],
    loss_of: impl Fn(&GroupScore) -> Running,
) -> String {
    let mut text = String::new();
    // A player without a cube has no groups of cube actions.
    for group in columns
        .iter()
        .max_by_key(|column| column.len())
        .into_iter()
        .flatten()
    {
        let losses: Vec<Running> = (columns.iter())
            .map(|column| {
                let found = column.iter().find(|other| other.name == group.name);
                found.map_or_else(Running::default, &loss_of)
            })
            .collect();
        let shown = |loss: &Running| match (loss.count(), loss.known_error()) {
            (0, _) => format!("{:>15}", "-"),
            (_, Some(error)) => format!("  {:>6.3} ± {error:>4.3}", loss.mean()),
            (_, None) => format!(" {:>6.3} unknown", loss.mean()),
        };
        let count = losses.iter().map(Running::count).max().unwrap_or(0);
        if count > 0 {
            let losses: String = losses.iter().map(shown).collect();
            text.push_str(&format!("{:<20} {count:>7}{losses}\n", group.name));
        }
    }
    if text.is_empty() {
        return text;
    }
    let heads: String = (1..=columns.len()).map(|n| format!("{n:>15}")).collect();
    format!("{:<20} {kind:>7}{heads}\n{text}", "group")
}

fn lines_of(group: &GroupScore) -> String {
    let mut text = String::new();
    let (plays, cubes) = (&group.plays, &group.cubes);
    if plays.loss.count() > 0 {
        text.push_str(&format!(
            "{:<20} {:>7} plays  ER {:>10.6} +- {} mEq  PR {:.3}  wrong {} ({:.2} %)  outside {}  \
             share {:.2} %\n",
            group.name,
            plays.loss.count(),
            plays.loss.mean(),
            known(plays.loss.known_error(), 6),
            plays.performance(),
            plays.wrong,
            plays.percent_wrong(),
            plays.outside,
            group.share
        ));
    }
    if cubes.measure.count() > 0 {
        text.push_str(&format!(
            "{:<20} {:>7} cubes  measure {:.4e} +- {}  MWC {:.4e}  wrong {}  at 7-7: double \
             {:.4e} take {:.4e}\n",
            group.name,
            cubes.measure.count(),
            cubes.measure.mean(),
            (cubes.measure.known_error())
                .map_or_else(|| "unknown".to_owned(), |error| format!("{error:.1e}")),
            cubes.mwc.mean(),
            cubes.wrong,
            cubes.simple[0].mean(),
            cubes.simple[1].mean()
        ));
    }
    let actions = &group.actions;
    if actions.double.count() > 0 {
        text.push_str(&format!(
            "{:<20} {:>7} cube actions  ER {:.4} +- {} mEMG  PR {:.3}  MWC lost: double {:.4} +- {} %, take \
             {:.4} +- {} %  wrong {}  share {:.2} %\n",
            group.name,
            actions.double.count(),
            actions.loss.mean(),
            known(actions.loss.known_error(), 4),
            actions.performance(),
            actions.double.mean(),
            known(actions.double.known_error(), 4),
            actions.take.mean(),
            known(actions.take.known_error(), 4),
            actions.wrong,
            group.share
        ));
    }
    text
}

/// The first line of [`csv`].
const CSV_HEAD: &str = "file,player,group,plays,er_meq,standard_error,wrong,outside,cubes,cube_measure,cube_mwc,\
     cube_wrong,share_percent,actions,double_mwc_percent,take_mwc_percent,actions_wrong,action_er_memg,\
     action_standard_error\n";

fn csv(
    path: &Path,
    items: &[Item],
    all: &[Scores<'_>],
    counting: &Counting,
    is_first: bool,
) -> String {
    let mut text = String::from(if is_first { CSV_HEAD } else { "" });
    for Scores { name, scored } in all {
        for group in groups(items, scored, counting) {
            let (plays, cubes) = (&group.plays, &group.cubes);
            let number = |value: f64| CsvCell::plain(format_args!("{value:.6}"));
            let perhaps = |value: Option<f64>| value.map_or_else(|| CsvCell::plain(""), number);
            let small = |value: f64| CsvCell::plain(format_args!("{value:.6e}"));
            text.push_str(&csv_line([
                CsvCell::text(&path.display().to_string()),
                CsvCell::text(name),
                CsvCell::plain(&group.name),
                CsvCell::plain(plays.loss.count()),
                number(plays.loss.mean()),
                perhaps(plays.loss.known_error()),
                CsvCell::plain(plays.wrong),
                CsvCell::plain(plays.outside),
                CsvCell::plain(cubes.measure.count()),
                small(cubes.measure.mean()),
                small(cubes.mwc.mean()),
                CsvCell::plain(cubes.wrong),
                number(group.share),
                CsvCell::plain(group.actions.double.count()),
                number(group.actions.double.mean()),
                number(group.actions.take.mean()),
                CsvCell::plain(group.actions.wrong),
                number(group.actions.loss.mean()),
                perhaps(group.actions.loss.known_error()),
            ]));
        }
    }
    text
}

fn json(
    RecordSet {
        path, generation, ..
    }: &RecordSet,
    items: &[Item],
    all: &[Scores<'_>],
    counting: &Counting,
    table: &MatchEquityTable,
) -> String {
    let players: Vec<_> = all
        .iter()
        .map(|Scores { name, scored }| {
            let groups: Vec<_> = groups(items, scored, counting)
                .iter()
                .map(|group| {
                    serde_json::json!({
                        "name": group.name,
                        "share_percent": group.share,
                        "actions": group.actions.double.count(),
                        "double_mwc_percent": group.actions.double.mean(),
                        "take_mwc_percent": group.actions.take.mean(),
                        "actions_wrong": group.actions.wrong,
                        "action_er_memg": group.actions.loss.mean(),
                        "action_standard_error": group.actions.loss.known_error(),
                        "action_pr": group.actions.performance(),
                        "plays": group.plays.loss.count(),
                        "er_meq": group.plays.loss.mean(),
                        "pr": group.plays.performance(),
                        "standard_error": group.plays.loss.known_error(),
                        "wrong": group.plays.wrong,
                        "outside": group.plays.outside,
                        "cubes": group.cubes.measure.count(),
                        "cube_measure": group.cubes.measure.mean(),
                        "cube_mwc": group.cubes.mwc.mean(),
                        "cube_wrong": group.cubes.wrong,
                        "double_mwc_at_7_7": group.cubes.simple[0].mean(),
                        "take_mwc_at_7_7": group.cubes.simple[1].mean(),
                    })
                })
                .collect();
            serde_json::json!({"player": name, "groups": groups})
        })
        .collect();
    let of = |compared: Compared| {
        let all = differences(items, all, counting).into_iter();
        let kept = all.filter(move |difference| difference.compared == compared);
        kept.map(|difference| difference.json()).collect::<Vec<_>>()
    };
    let (mut plays, actions) = (of(Compared::Plays), of(Compared::Actions));
    // The first is of all records.
    let difference = (!plays.is_empty()).then(|| plays.remove(0));
    let mut value = serde_json::json!({
        "file": path.display().to_string(), "generation": generation.map(Generation::name),
        "players": players, "difference": difference,
        "cube_measure": {"chances": "static", "met": table.name()},
    });
    if !plays.is_empty() {
        value["differences"] = plays.into();
    }
    if !actions.is_empty() {
        value["action_differences"] = actions.into();
    }
    format!("{value}\n")
}

fn each_record(path: &Path, items: &[Item], all: &[Scores<'_>], is_first: bool) -> String {
    let mut text = String::new();
    if is_first {
        text.push_str("file,line,kind,class,groups,interesting");
        for index in 1..=all.len() {
            text.push_str(&format!(",choice_{index},loss_points_{index}"));
        }
        text.push('\n');
    }
    for (at, item) in items.iter().enumerate() {
        let kind = match item.record {
            ScorableRecord::Play(_) => "m",
            ScorableRecord::Position(_) => "o",
            ScorableRecord::Action(..) => "c",
        };
        let class = Class::of(position(item));
        let groups: Vec<String> = (Group::ALL.iter())
            .filter(|group| group.holds(position(item)))
            .map(ToString::to_string)
            .collect();
        text.push_str(&format!(
            "{},{},{kind},{class},{},{}",
            CsvCell::text(&path.display().to_string()),
            item.line,
            CsvCell::plain(groups.join("; ")),
            item.interesting
        ));
        for Scores { scored, .. } in all {
            text.push_str(&match scored.get(at) {
                Some(Scored::Play(score)) => {
                    let choice = score.listed.map_or(0, |index| index + 1);
                    format!(",{choice},{}", score.loss)
                }
                Some(Scored::Cube(Some(loss))) => format!(",{},{:e}", loss.errors, loss.measure),
                Some(Scored::Action(Some(loss))) => format!(",{},{}", loss.double, loss.take),
                _ => ",,".to_owned(),
            });
        }
        text.push('\n');
    }
    text
}
