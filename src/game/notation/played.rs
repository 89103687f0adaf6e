//! Positions after the steps of a play.

use crate::{OFF, Play, Position, Roll, Step, legal_plays};

/// Returns the position after these steps in any order, the other player on roll, if they are a legal play of the roll;
/// also if they are the pass and nothing can be played.
#[must_use]
pub fn position_after(position: &Position, roll: Roll, play: &Play) -> Option<Position> {
    legal_steps(position, roll, play).map(|(_, after)| after)
}

/// Returns the same, with the play in a step for each die, because some programs join them.
pub(crate) fn legal_steps(
    position: &Position,
    roll: Roll,
    play: &Play,
) -> Option<(Play, Position)> {
    let plays = legal_plays(position, roll);
    if play.is_pass() {
        return plays.is_empty().then(|| (*play, position.swapped()));
    }
    let moved = |play: &Play| {
        let mut counts = [0_i8; OFF + 1];
        for step in play.steps() {
            for (at, change) in [(step.from, -1), (step.to, 1)] {
                if let Some(count) = counts.get_mut(usize::from(at)) {
                    *count += change;
                }
            }
        }
        counts
    };
    let target = moved(play);
    let sorted = |play: &Play| {
        let steps = play.steps().iter();
        let mut steps: Vec<(u8, u8)> = steps.map(|step| (step.from, step.to)).collect();
        steps.sort_unstable();
        steps
    };
    let exact = plays
        .iter()
        .find(|legal| sorted(&legal.play) == sorted(play));
    if let Some(legal) = exact {
        return Some((*play, legal.after));
    }
    let joined = plays.iter().find(|legal| moved(&legal.play) == target);
    joined.map(|legal| (legal.play, legal.after))
}

/// Returns the board after these steps, legal or not, the player who made them still *me*; `None` where there is no
/// checker at a source, or the result is no position. Steps that cannot be made one after the other as they stand are
/// made from the back of the board to the front, as those of a legal play in any order can be.
#[must_use]
pub fn steps_made(position: &Position, play: &Play) -> Option<Position> {
    made_in_order(position, play.steps()).or_else(|| {
        let mut steps = play.steps().to_vec();
        steps.sort_by_key(|step| std::cmp::Reverse(step.from));
        made_in_order(position, &steps)
    })
}

fn made_in_order(position: &Position, steps: &[Step]) -> Option<Position> {
    let (mut me, mut opponent) = (position.me().counts(), position.opponent().counts());
    for step in steps {
        let source = me.get_mut(usize::from(step.from))?;
        *source = source.checked_sub(1)?;
        let to = usize::from(step.to);
        let Some(facing) = 23_usize.checked_sub(to) else {
            continue;
        };
        *me.get_mut(to)? += 1;
        let hit = std::mem::take(opponent.get_mut(facing)?);
        *opponent.last_mut()? += hit;
    }
    Position::new(&me, &opponent).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Binary files list the steps of a checker that plays on in any order.
    #[test]
    fn steps_in_any_order_lead_to_one_board() {
        let step = |from, to| Step { from, to };
        let made = |steps: &[Step]| {
            let play = Play::from_steps(steps).unwrap();
            steps_made(&Position::start(), &play)
        };
        let there = [step(23, 22), step(22, 21), step(21, 20)];
        let back = [there[2], there[1], there[0]];
        assert!(made(&there).is_some());
        assert_eq!(made(&back), made(&there));
        assert_eq!(made(&[step(22, 21)]), None);
    }
}
