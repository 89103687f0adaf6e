//! A cube decision at a match score: `cargo run --release --example cube`
#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use gammond_engine::{CubeQuery, Engine, Settings, Stop};
use gammond_game::notation::parse_position;
use gammond_game::{MatchState, Score};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let position = parse_position(b"XGID=-a-B--C-dE---eE--b-cbA--B-:0:0:1:00:0:0:0:0:10")?.position;
    let engine = Engine::builder().build()?;
    for (mine, theirs) in [(0, 0), (5, 2), (2, 5)] {
        let state = MatchState {
            score: Score::new(7, mine, theirs, false)?,
            ..MatchState::default()
        };
        let query = CubeQuery::new(position, state);
        let answer = engine.cube_action(&query, &Settings::plies(2), &Stop::never())?;
        println!(
            "{mine}-{theirs} to 7: {}; no double {:+.3}, double and take {:+.3}, pass {:+.3}",
            answer.verdict,
            answer.no_double.equity,
            answer.double_take.equity,
            answer.double_pass.equity,
        );
    }
    Ok(())
}
