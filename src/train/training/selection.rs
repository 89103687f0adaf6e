//! Choice of the positions that games teach: unsettled ones, and those that leave little to choose.

use super::game_settings::GameSettings;
use super::one_ply::OnePlyEvaluator;
use super::shard::Label;
use gammond_base::rng::{ChaCha8Rng, unit};
use gammond_engine::search::Scratch;
use gammond_game::{Position, Roll, generate_plays};

/// Returns the number of the 36 rolls that leave no play or one; `plays` is scratch.
#[must_use]
pub fn forced_rolls(position: &Position, plays: &mut Vec<Position>) -> u32 {
    let forced = Roll::ALL.into_iter().filter(|&roll| {
        generate_plays(position, roll, plays);
        plays.len() < 2
    });
    forced.map(Roll::weight).sum()
}

/// Keeps, of the labels from `first` on, those that the settings choose (LB-10). A sibling stays with its partner.
pub(super) fn keep_selected(
    judges: OnePlyEvaluator<'_>,
    settings: &GameSettings,
    rng: &mut ChaCha8Rng,
    room: &mut Scratch,
    (labels, first): (&mut Vec<Label>, usize),
) {
    if settings.unsettled.is_none() && settings.forced.is_none() {
        return;
    }
    let mut plays = Vec::new();
    let mut is_selected = |label: &Label| {
        let position = &label.position;
        let gap = |room: &mut Scratch| {
            let one_ply = judges.one_ply(position, settings, room).equity();
            (one_ply - judges.static_chances(position).equity()).abs()
        };
        (settings.forced).is_some_and(|least| forced_rolls(position, &mut plays) >= least.into())
            || (settings.unsettled).is_some_and(|least| gap(room) >= least)
    };
    let made = labels.split_off(first.min(labels.len()));
    for family in made.chunk_by(|_, label| label.sibling) {
        // Drawn for each, so that the choice of one does not change the draws of the others.
        let by_lot = unit(rng) < settings.others;
        if by_lot || family.iter().any(&mut is_selected) {
            labels.extend(family);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::games::play;
    use crate::training::starts::Starts;
    use gammond_base::rng::stream;
    use gammond_engine::eval::nets::NetEvaluator;

    fn labels(settings: &GameSettings) -> Vec<Label> {
        let evaluator = NetEvaluator::embedded_fast().unwrap();
        let judges = OnePlyEvaluator::new(&evaluator);
        let (mut labels, mut room) = (Vec::new(), Scratch::default());
        for game in 0..3 {
            let rng = &mut stream(21, game);
            play(
                judges,
                settings,
                &Starts::default(),
                rng,
                &mut room,
                &mut labels,
            );
        }
        labels
    }

    /// LB-10: each setting keeps what it names, both together what either keeps, `others` a share of the rest.
    #[test]
    fn games_keep_the_selected_labels() {
        let all = GameSettings {
            extra: 0.5,
            ..GameSettings::default()
        };
        let forced = GameSettings {
            forced: Some(11),
            ..all
        };
        let unsettled = GameSettings {
            unsettled: Some(0.04),
            ..all
        };
        let both = GameSettings {
            forced: forced.forced,
            ..unsettled
        };
        let half = GameSettings {
            others: 0.5,
            ..both
        };
        let sizes = [all, forced, unsettled, both, half].map(|settings| labels(&settings).len());
        let [whole, forced_count, unsettled_count, either, some] = sizes;
        assert!(0 < forced_count && forced_count < whole, "{sizes:?}");
        assert!(0 < unsettled_count && unsettled_count < whole, "{sizes:?}");
        assert!(either >= forced_count.max(unsettled_count), "{sizes:?}");
        assert!(either <= forced_count + unsettled_count, "{sizes:?}");
        assert!(either < some && some < whole, "{sizes:?}");
        let mut plays = Vec::new();
        let kept = labels(&forced);
        for family in kept.chunk_by(|_, label| label.sibling) {
            let most = family
                .iter()
                .map(|label| forced_rolls(&label.position, &mut plays));
            assert!(most.max() >= Some(11));
        }
        // The labels themselves are those of games without a selection.
        let known = labels(&all);
        assert!(kept.iter().all(|label| known.contains(label)));
    }

    /// A player on the bar against a closed board has no play; at the start every roll leaves a choice.
    #[test]
    fn forced_rolls_are_counted() {
        let mut plays = Vec::new();
        assert_eq!(forced_rolls(&Position::start(), &mut plays), 0);
        let (mut mine, mut theirs) = ([0; 25], [0; 25]);
        mine[24] = 1;
        theirs[..6].fill(2);
        let closed = Position::new(&mine, &theirs).unwrap();
        assert_eq!(forced_rolls(&closed, &mut plays), 36);
    }
}
