//! Errors of a player's static values beside deeper labels, by group.

use super::RECORD_LINE_BYTES_MAX;
use crate::player::Player;
use gammond_base::stats::Running;
use gammond_game::notation::{PositionChances, parse_training_line};
use gammond_game::{Group, Position};
use gammond_job::{Control, Progress};
use rayon::prelude::*;
use std::io::{self, BufRead, Read as _};

/// Errors of one player in one group, in points of equity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ValueTally {
    /// Squares of the errors, or products of the errors against two opinions.
    pub squares: Running,
    /// The errors without their signs.
    pub sizes: Running,
}

impl ValueTally {
    /// Returns the root of the mean square; 0 where noise has made that negative.
    #[must_use]
    pub fn root(&self) -> f64 {
        self.squares.mean().max(0.0).sqrt()
    }
}

/// A position and what its equity should be, by two sets of games with different dice (or twice the same).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LabelledPosition {
    /// The position.
    pub position: Position,
    /// Two opinions of the equity of the player on roll. Where they are independent, the mean product of the
    /// errors beside either is the mean square of the error beside the truth: the noise of the labels cancels.
    pub equities: [f64; 2],
}

/// Labels, and the other lines with the reasons.
pub type Labels = (Vec<PositionChances>, Vec<(u64, String)>);

/// Reads the training lines of a file (`KEY p0 p1 p2 p3 p4`) to the end.
///
/// # Errors
/// When `input` cannot be read.
pub fn read(input: &mut dyn BufRead) -> io::Result<Labels> {
    let (mut labels, mut wrong) = (Vec::new(), Vec::new());
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let mut bounded = (&mut *input).take(RECORD_LINE_BYTES_MAX as u64 + 1);
        if bounded.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.len() > RECORD_LINE_BYTES_MAX {
            // The rest is part of this line, not another one.
            let text = format!("line {number} is longer than {RECORD_LINE_BYTES_MAX} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        match parse_training_line(line.trim_ascii()) {
            Ok(label) => labels.extend(label),
            Err(reason) => wrong.push((number, reason.to_string())),
        }
    }
    Ok((labels, wrong))
}

/// Returns the labels with the opinions of `twins`, or their own twice; `None` when the twins are of other positions.
#[must_use]
pub fn valued(
    labels: &[PositionChances],
    twins: Option<&[PositionChances]>,
) -> Option<Vec<LabelledPosition>> {
    let twins = twins.unwrap_or(labels);
    let pairs = || labels.iter().zip(twins);
    let same =
        labels.len() == twins.len() && pairs().all(|(one, two)| one.position == two.position);
    let equity = |label: &PositionChances| f64::from(label.chances.equity());
    let both = pairs().map(|(one, two)| LabelledPosition {
        position: one.position,
        equities: [equity(one), equity(two)],
    });
    same.then(|| both.collect())
}

/// A group that has labels: what each player scored, and the difference of two.
#[derive(Clone, Debug)]
pub struct GroupErrors {
    /// The group.
    pub group: Group,
    /// One a player.
    pub tallies: Vec<ValueTally>,
    /// Errors of the first less those of the second, where there are two players.
    pub difference: Option<ErrorDifference>,
}

/// Errors of one player less those of another, position by position.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorDifference {
    /// Differences of the squared errors, in squared points, or of the products of errors against two opinions. A few
    /// positions with large errors dominate them.
    pub squares: Running,
    /// Differences of the absolute errors, in points. Both errors contain the labels' noise, which makes the difference
    /// at a position smaller.
    pub sizes: Running,
}

/// A player that has no static chances, by name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("player {0} has no static values")]
pub struct NoValues(pub String);

/// Number of labels between two calls for progress.
const STRETCH: usize = 4096;

/// Returns the errors of all players, by group; groups without labels are left out. After a stop they are of the
/// first labels: the second value is the number of those.
///
/// # Errors
/// [`NoValues`].
pub fn by_group(
    labels: &[LabelledPosition],
    players: &[Box<dyn Player>],
    control: &mut Control<'_>,
) -> Result<(Vec<GroupErrors>, usize), NoValues> {
    let mut all = vec![Vec::new(); players.len()];
    let total = Some(labels.len() as u64);
    let mut done = 0;
    for stretch in labels.chunks(STRETCH) {
        control.report_progress(Progress::new("labels", done as u64, total), false);
        if control.stop.is_triggered() {
            break;
        }
        for (player, found) in players.iter().zip(&mut all) {
            found.extend(errors(stretch, &**player).ok_or_else(|| NoValues(player.name()))?);
        }
        done += stretch.len();
    }
    control.report_progress(Progress::new("labels", done as u64, total), true);
    let labels = &labels[..done];
    let row = |group| GroupErrors {
        group,
        tallies: all.iter().map(|e| tally(labels, e, group)).collect(),
        difference: match &all[..] {
            [first, second] => Some(paired(labels, [first, second], group)),
            _ => None,
        },
    };
    let mut rows: Vec<GroupErrors> = Group::ALL.into_iter().map(row).collect();
    rows.retain(|row| row.tallies.iter().any(|tally| tally.squares.count() > 0));
    Ok((rows, done))
}

/// Returns the equity of the player's static chances less each opinion of the label; `None` when the player has no
/// static chances.
#[must_use]
pub fn errors(labels: &[LabelledPosition], player: &dyn Player) -> Option<Vec<[f64; 2]>> {
    let error = |label: &LabelledPosition| {
        let own = f64::from(player.chances(&label.position)?.equity());
        Some(label.equities.map(|right| own - right))
    };
    labels.par_iter().map(error).collect()
}

/// Returns the errors of those labels that belong to a group.
#[must_use]
pub fn tally(labels: &[LabelledPosition], errors: &[[f64; 2]], group: Group) -> ValueTally {
    let mut tally = ValueTally::default();
    for (_, [a, b]) in (labels.iter().zip(errors)).filter(|(l, _)| group.holds(&l.position)) {
        tally.squares.add(a * b);
        tally.sizes.add(f64::midpoint(*a, *b).abs());
    }
    tally
}

/// Returns the errors of the first player less those of the second, position by position.
#[must_use]
pub fn paired(
    labels: &[LabelledPosition],
    [first, second]: [&[[f64; 2]]; 2],
    group: Group,
) -> ErrorDifference {
    let size = |[a, b]: [f64; 2]| f64::midpoint(a, b).abs();
    let mut difference = ErrorDifference::default();
    let pairs = labels.iter().zip(first.iter().zip(second));
    for (_, (a, b)) in pairs.filter(|(label, _)| group.holds(&label.position)) {
        difference.squares.add(a[0] * a[1] - b[0] * b[1]);
        difference.sizes.add(size(*a) - size(*b));
    }
    difference
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::PlayerError;
    use gammond_base::rng::{ChaCha8Rng, stream, unit};
    use gammond_game::{Chances, Class, Roll};

    /// Always off by the same.
    struct ConstantError(f32);

    impl Player for ConstantError {
        fn name(&self) -> String {
            "off".to_owned()
        }

        fn play(
            &self,
            position: &Position,
            _: Roll,
            _: &mut ChaCha8Rng,
        ) -> Result<Position, PlayerError> {
            Ok(*position)
        }

        fn chances(&self, _: &Position) -> Option<Chances> {
            let win = 0.5 + self.0 / 2.0;
            Some(Chances::from_array([win, 0.0, 0.0, 0.0, 0.0]))
        }
    }

    /// Labels ten times as noisy as the error still show it, as their noise is independent.
    #[test]
    fn two_independent_labels_remove_the_noise() {
        let mut rng = stream(1, 0);
        let mut label = || {
            let mut noise = || 0.6 * (unit(&mut rng) - 0.5);
            LabelledPosition {
                position: Position::start(),
                equities: [noise(), noise()],
            }
        };
        let labels: Vec<LabelledPosition> = (0..400_000).map(|_| label()).collect();
        let contact = Group::Class(Class::Contact);
        let [near, far] = [0.03, 0.09].map(|by| errors(&labels, &ConstantError(by)).unwrap());
        let root = tally(&labels, &near, contact).root();
        assert!((root - 0.03).abs() < 0.003, "{root}");
        let difference = paired(&labels, [&near, &far], contact);
        let squares = difference.squares.mean();
        assert!((squares + 0.0072).abs() < 0.0003, "{difference:?}");
        // Noise brings the sizes closer together than the truth, 0.06, and does not turn them round.
        let [low, high] = difference.sizes.interval99();
        assert!(-0.06 < low && high < 0.0, "{difference:?}");
        let races = Group::Class(Class::Race);
        assert_eq!(tally(&labels, &near, races), ValueTally::default());
        let once = |label: &LabelledPosition| LabelledPosition {
            equities: [label.equities[0]; 2],
            ..*label
        };
        let once: Vec<LabelledPosition> = labels.iter().map(once).collect();
        let root = tally(
            &once,
            &errors(&once, &ConstantError(0.03)).unwrap(),
            contact,
        )
        .root();
        assert!(root > 0.1, "{root}");
    }

    /// The end of a line over the limit is no line of its own.
    #[test]
    fn a_line_over_the_limit_is_refused_as_a_whole() {
        let label = "OAHDPAABDAOAHDPAABDA 0.5 0 0 0 0\n";
        let long = format!("{label}{}{label}", "#".repeat(RECORD_LINE_BYTES_MAX));
        let error = read(&mut long.as_bytes()).unwrap_err().to_string();
        assert!(error.starts_with("line 2 is longer than"), "{error}");
        let fits = format!("{label}{}\n{label}", "#".repeat(RECORD_LINE_BYTES_MAX - 1));
        assert_eq!(read(&mut fits.as_bytes()).unwrap().0.len(), 2);
    }

    /// After a stop, the figures are those of the labels before it.
    #[test]
    fn a_stop_leaves_the_figures_of_the_first_labels() {
        use gammond_base::stop::Stop;
        let label = LabelledPosition {
            position: Position::start(),
            equities: [0.0; 2],
        };
        let labels = vec![label; 3 * STRETCH];
        let players: Vec<Box<dyn Player>> = vec![Box::new(ConstantError(0.1))];
        let stop = Stop::new();
        let trigger = stop.clone();
        let mut control = Control::new(stop, move |event| {
            if event.progress.done == STRETCH as u64 {
                trigger.trigger();
            }
        });
        let (rows, done) = by_group(&labels, &players, &mut control).unwrap();
        assert_eq!(done, STRETCH);
        assert_eq!(rows[0].tallies[0].squares.count(), STRETCH as u64);
        let (_, all) = by_group(&labels, &players, &mut Control::quiet()).unwrap();
        assert_eq!(all, labels.len());
    }
}
