//! The best plays of a roll: `cargo run --release --example best_play -- 4HPwATDgc/ABMA 6 2`
#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use gammond_engine::{Engine, PlayQuery, Settings, Stop};
use gammond_game::notation::{PositionId, play_text};
use gammond_game::{MatchState, Roll};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let text = arguments.first().map_or("4HPwATDgc/ABMA", String::as_str);
    let position = text.parse::<PositionId>()?.position();
    let roll = match &arguments.get(1..) {
        Some([first, second]) => Roll::new(first.parse()?, second.parse()?)?,
        _ => Roll::new(6, 2)?,
    };
    let engine = Engine::builder().build()?;
    let query = PlayQuery::new(position, roll, MatchState::default());
    let settings = Settings::plies(2).with_top(5);
    let ranked = engine.rank_plays(&query, &settings, &Stop::never())?;
    for play in &ranked.plays {
        let loss = ranked.best().value.equity - play.value.equity;
        let text = play_text(&position, &play.play);
        println!(
            "{text:20} {:+.3} (-{loss:.3}), {}-ply",
            play.value.equity, play.plies
        );
    }
    Ok(())
}
