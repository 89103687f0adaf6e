//! Static evaluation with our own nets.

use super::Evaluator;
use crate::game::{Chances, Class, Position};

/// Placeholder until the nets land: a race-like guess from the pip counts.
#[derive(Debug, Default)]
pub struct OwnEvaluator;

impl Evaluator for OwnEvaluator {
    fn name(&self) -> &str {
        "pips"
    }

    fn class(&self, position: &Position) -> Class {
        Class::of(position)
    }

    fn evaluate(&self, _near: Option<&Position>, positions: &[Position], out: &mut [Chances]) {
        for (position, chances) in positions.iter().zip(out) {
            let lead = position.opponent().pips() as f32 + 4.0 - position.me().pips() as f32;
            let win = if position.opponent().on_board() == 0 {
                0.0
            } else {
                (0.5 + lead * 0.01).clamp(0.01, 0.99)
            };
            *chances = Chances {
                win,
                ..Chances::default()
            };
        }
    }
}
