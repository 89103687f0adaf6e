//! A player of one's own against a classical one: `cargo run --release --example own_player`
#![allow(clippy::print_stdout, reason = "it is what an example is for")]

use gammond_arena::duel::{DuelPlan, play_duel};
use gammond_arena::player::{Player, PlayerError, PlayerSpec, best_by};
use gammond_base::rng::ChaCha8Rng;
use gammond_game::{Position, Roll};
use gammond_job::Control;
use std::error::Error;

/// Leaves as few single checkers as it can, and hits where it can.
struct Careful;

impl Player for Careful {
    fn name(&self) -> String {
        "careful".to_owned()
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        _: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        // Positions after a play are seen by the opponent: we are the opponent there.
        let worth = |after: &Position| {
            let (mine, theirs) = (after.opponent().counts(), after.me().counts());
            let blots = mine.iter().filter(|&&count| count == 1).count() as i32;
            let hits = i32::from(theirs[gammond_game::BAR]);
            (3 * hits - 2 * blots + i32::from(after.opponent().off())) as f32
        };
        Ok(best_by(position, roll, worth))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let random = "random".parse::<PlayerSpec>()?.open()?;
    let plan = DuelPlan {
        seed: 1,
        pairs: 500,
        ..DuelPlan::default()
    };
    let tally = play_duel(&plan, [&Careful, &*random], None, &mut Control::quiet())?.sum;
    println!(
        "careful against random: {:+.3} points a game over {} games",
        tally.points.mean(),
        tally.games(),
    );
    Ok(())
}
