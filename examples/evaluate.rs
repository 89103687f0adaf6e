//! What a position is worth: `cargo run --release --example evaluate -- 4HPwATDgc/ABMA`
#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use gammond_engine::{Engine, EvalQuery, Settings, Stop};
use gammond_game::notation::parse_position;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let text = std::env::args().nth(1).unwrap_or("4HPwATDgc/ABMA".into());
    // Any form: Position ID, GNUbg ID, XGID, 20-letter key, FIBS board line.
    let parsed = parse_position(text.as_bytes())?;
    let engine = Engine::builder().build()?;
    let query = EvalQuery::new(parsed.position, parsed.state.unwrap_or_default());
    let found = engine.evaluate(&query, &Settings::plies(2), &Stop::never())?;
    println!(
        "{} position, {}-ply, {}",
        found.class,
        found.plies,
        engine.net_name()
    );
    println!(
        "win {:.1} %, gammon {:.1} %",
        100.0 * found.chances.win,
        100.0 * found.chances.win_gammon
    );
    println!("cubeless {:+.3}", found.cubeless.equity);
    if let Some(cubeful) = found.cubeful {
        println!("cubeful  {:+.3}", cubeful.equity);
    }
    Ok(())
}
