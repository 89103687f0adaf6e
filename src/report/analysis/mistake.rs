//! A mistake for a browser, with its board.

use super::rows::{DecisionKind, Row};
use crate::render::signed;
use crate::render::{Overlay, svg_board};
use gammond_base::escape::Markup;
use gammond_game::notation::{MatPlayer, play_text};
use std::fmt::Write as _;

/// Returns the name of a file without its folder.
pub(super) fn file_name(path: &str) -> Markup<'_> {
    Markup::new(path.rsplit('/').next().unwrap_or(path))
}

pub(super) fn of<'a>(player: MatPlayer, names: &[Markup<'a>; 2]) -> Markup<'a> {
    match player {
        MatPlayer::First => names[0],
        MatPlayer::Second => names[1],
    }
}

/// Writes a mistake with its board; `place` is where its match stands, in HTML.
pub(super) fn mistake(text: &mut String, row: &Row<'_>, names: &[Markup<'_>; 2], place: &str) {
    let (decision, judgement) = (&row.judged.decision, &row.judged.judgement);
    let roll = row.roll.map_or(String::new(), |roll| format!("{roll}: "));
    let mwc = row.loss_mwc.map_or(String::new(), |mwc| {
        format!(", {:.2} % of the match", 100.0 * mwc)
    });
    let _ = write!(
        text,
        "<article><h3>{}, game {} move {}: {roll}{}</h3><p><span class=\"mk\">{}</span>: loses {:.3}{mwc}; best {}</p>",
        of(row.player, names),
        row.game,
        row.turn,
        row.played,
        row.mark().unwrap_or_default(),
        row.loss.unwrap_or(0.0),
        row.best
    );
    let drawn = Overlay {
        roll: row.roll,
        // The arrows show the best play.
        play: judgement
            .best
            .as_ref()
            .filter(|_| row.kind == DecisionKind::Play),
        ..Overlay::default()
    };
    text.push_str(&svg_board(&decision.position, &decision.state, &drawn));
    if matches!(row.kind, DecisionKind::Take | DecisionKind::Beaver) {
        text.push_str("<p class=\"s\">The board is that of the player who doubled.</p>");
    }
    match (&judgement.plays, row.kind) {
        (Some(plays), DecisionKind::Play) => {
            text.push_str("<table><tr><th></th><th>play</th><th>equity</th><th>loss</th></tr>");
            let best = plays.best.first().map_or(0.0, |best| best.value.equity);
            let mut line = |rank: usize, play: &gammond_engine::query::RankedPlay| {
                let words = play_text(&decision.position, &play.play);
                let mark = if play.position == plays.played.position {
                    "▸ "
                } else {
                    ""
                };
                let (value, lost) = (play.value.equity, best - play.value.equity);
                let _ = write!(
                    text,
                    "<tr><td>{rank}</td><td>{mark}{words}</td><td>{value}</td><td>{lost:.3}</td></tr>",
                    value = signed(value, 3)
                );
            };
            for (rank, play) in (1..).zip(&plays.best) {
                line(rank, play);
            }
            if plays.rank > plays.best.len() {
                line(plays.rank, &plays.played);
            }
            text.push_str("</table>");
        }
        _ => {
            if let Some(cube) = row.cube_line() {
                let _ = write!(text, "<p>{cube}</p>");
            }
        }
    }
    let _ = write!(
        text,
        "<p class=\"s\">{place}{}</p></article>",
        row.position()
    );
}
