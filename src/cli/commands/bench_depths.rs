//! `gammond bench depths`: change of the values of positions with each ply.

use super::label::read_with_warnings;
use crate::{Common, Failure, Format, ProgressArgs, finish};
use gammond_arena::benchmark::depths::{GroupDepths, by_group, equities};
use gammond_arena::player::PlayerSpec;
use gammond_engine::query::Settings;
use gammond_report::render::signed;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example:\n  gammond sample games.labels --positions 20000 --seed 7\n  \
    gammond sample dump games.labels --per-group 200 --seed 7 >positions.txt\n  \
    gammond bench depths positions.txt --deepest 2"
)]
pub(crate) struct Args {
    /// Positions, one a line: any position text, or lines of a training file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Look-ahead of the deepest values, in plies.
    #[arg(long, default_value_t = 3, value_name = "N",
        value_parser = clap::value_parser!(u8).range(1..=i64::from(Settings::PLIES_MAX)))]
    deepest: u8,
    /// Engine that evaluates the positions, as `gammond[:nets=PATH][:bearoff=DIR]`.
    #[arg(long, default_value = "gammond", value_name = "PLAYER")]
    player: PlayerSpec,
    #[command(flatten)]
    progress: ProgressArgs,
}

pub(super) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let PlayerSpec::Gammond(ours) = &args.player else {
        let text = "--player: that player does not look ahead; expected gammond[:nets=PATH]";
        return Err(Failure::usage(text));
    };
    common.start_threads();
    let (engine, settings) = ours.or(&common.ours()).engine(1)?;
    let (mut positions, damaged) = read_with_warnings(&args.file)?;
    positions.retain(|position| !position.is_over());
    if positions.is_empty() {
        return Err(Failure::in_file(&args.file)("no position"));
    }
    let mut control = common.control(args.progress)?;
    let found = equities(&engine, &settings, &positions, args.deepest, &mut control)?;
    drop(control);
    let rows = by_group(&positions, &found);
    let text = match common.format {
        Some(Format::Json) => json(&rows, engine.net_name()),
        _ => text_report(&rows, engine.net_name()),
    };
    let complete = found.len() == positions.len();
    let otherwise = "the figures are those of the first positions";
    let ended = finish(&text, complete, None, otherwise)?;
    Ok(if complete && damaged {
        ExitCode::FAILURE
    } else {
        ended
    })
}

fn text_report(rows: &[GroupDepths], net: &str) -> String {
    let mut text = format!(
        "{net}: cubeless equity at n plies less that at n + 1, in thousandths of a point: mean, its standard error, \
         root mean square\n"
    );
    let steps = rows.first().map_or(0, |row| row.steps.len());
    let heads: Vec<String> = (0..steps)
        .map(|n| format!("{:>25}", format!("{n} - {}", n + 1)))
        .collect();
    text.push_str(&format!(
        "{:<20} {:>9}{}\n",
        "group",
        "positions",
        heads.concat()
    ));
    for row in rows {
        let count = row.steps.first().map_or(0, |step| step.differences.count());
        text.push_str(&format!("{:<20} {count:>9}", row.group.to_string()));
        for step in &row.steps {
            let (mean, error) = (step.differences.mean(), step.differences.standard_error());
            let [mean, error, root] = [mean, error, step.root()].map(|value| 1000.0 * value);
            text.push_str(&format!(
                "  {:>7} ± {error:>5.2} {root:>6.1}",
                signed(mean, 2)
            ));
        }
        text.push('\n');
    }
    text
}

fn json(rows: &[GroupDepths], net: &str) -> String {
    let groups: Vec<_> = (rows.iter())
        .map(|row| {
            let steps: Vec<_> = (row.steps.iter().enumerate())
                .map(|(plies, step)| {
                    let differences = &step.differences;
                    serde_json::json!({
                        "plies": [plies, plies + 1], "positions": differences.count(),
                        "mean": differences.mean(), "standard_error": differences.standard_error(),
                        "root_mean_square": step.root(),
                    })
                })
                .collect();
            serde_json::json!({"name": row.group.to_string(), "steps": steps})
        })
        .collect();
    format!("{}\n", serde_json::json!({"nets": net, "groups": groups}))
}
