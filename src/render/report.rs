//! Answers for people, in the manner of GNU Backgammon's own lists.

use crate::game::Chances;
use crate::query::{CubeAnswer, Equities, Evaluation, RankedPlay, RankedPlays};
use std::fmt::Write;

/// An evaluation in a few lines.
#[must_use]
pub fn evaluation(found: &Evaluation, net: &str) -> String {
    let mut text = format!("{} position, {}-ply, {net}\n", found.class, found.plies);
    let _ = writeln!(text, "  {}", chances(found.chances));
    let _ = writeln!(text, "Cubeless equity  {}", value(found.cubeless));
    if let Some(cubeful) = found.cubeful {
        let _ = writeln!(text, "Cubeful equity   {}", value(cubeful));
    }
    text
}

/// A ranked list of plays, at most `limit`; `spell` writes a play.
#[must_use]
pub fn plays(found: &RankedPlays, limit: usize, spell: impl Fn(&RankedPlay) -> String) -> String {
    let mut text = String::new();
    let best = found.plays.first().map_or(0.0, |play| play.value.equity);
    for (rank, play) in found.plays.iter().take(limit).enumerate() {
        let mut words = spell(play);
        if play.play.is_pass() {
            words = "cannot move".to_owned();
        }
        let _ = write!(text, "{:>3}. {}-ply  {words:<28} ", rank + 1, play.plies);
        let _ = write!(text, "{}", value(play.value));
        if rank > 0 {
            let _ = write!(text, " ({:+.4})", play.value.equity - best);
        }
        let _ = writeln!(text, "\n       {}", chances(play.chances));
    }
    let more = found.legal.saturating_sub(limit.min(found.plays.len()));
    if more > 0 {
        let _ = writeln!(text, "     and {more} more");
    }
    text
}

/// A cube decision; `verdict` is its wording.
#[must_use]
pub fn cube(found: &CubeAnswer, verdict: &str) -> String {
    let mut text = format!(
        "{}-ply cubeless equity {}\n",
        found.plies,
        value(found.cubeless)
    );
    let _ = writeln!(text, "  {}", chances(found.chances));
    for (name, one) in [
        ("No double", found.no_double),
        ("Double, take", found.double_take),
        ("Double, pass", found.double_pass),
    ] {
        let less = one.equity - found.optimal.equity;
        let _ = writeln!(text, "{name:<14} {} ({less:+.4})", value(one));
    }
    let _ = write!(text, "Proper cube action: {verdict}");
    if let Some(share) = found.percentage {
        let _ = write!(text, " ({:.1}%)", share * 100.0);
    }
    text.push('\n');
    text
}

fn value(value: Equities) -> String {
    match value.mwc {
        Some(mwc) => format!("{:+.4} ({:.2}% MWC)", value.equity, mwc * 100.0),
        None => format!("{:+.4}", value.equity),
    }
}

/// Wins, gammons, backgammons - losses, gammons, backgammons.
fn chances(chances: Chances) -> String {
    let [
        win,
        win_gammon,
        win_backgammon,
        lose_gammon,
        lose_backgammon,
    ] = chances.to_array();
    let lose = 1.0 - win;
    format!(
        "{win:.3} {win_gammon:.3} {win_backgammon:.3} - {lose:.3} {lose_gammon:.3} \
         {lose_backgammon:.3}"
    )
}
