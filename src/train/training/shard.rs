//! Labelled positions: in memory, and packed into the records of a journal.
//!
//! A label takes 44 bytes on disk: the two packed sides (16 bytes each), five targets, kind, and the
//! form of the targets. A luck-adjusted return may lie below 0 or above 1; cutting it off there would
//! teach that rare gammons are likelier than they are, so targets have room on both sides.

use gammond_base::rng::{ChaCha8Rng, below, unit};
use gammond_game::{Chances, Group, Position, Side};

/// Bytes of one label in a record.
pub(crate) const LABEL_BYTES: usize = 44;
/// Bit of the last byte of a label whose targets reach from -0.5 to 1.5; without it from 0 to 1.
const WIDE: u8 = 1;
/// Bit of the last byte of a label that is a sibling.
const SIBLING: u8 = 2;
/// Lowest bit of the horizon in the last byte, and the mask of its two bits.
const HORIZON: [u8; 2] = [2, 3];

/// A position of the player on roll and what its chances should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    /// The position.
    pub position: Position,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon; see [`Label::targets`].
    target: [u16; 5],
    /// 0 contact, 1 race, 2 crashed.
    pub kind: u8,
    /// True for another choice for the play that led to the label before this one; the difference between the two
    /// targets is free of the luck that is in both.
    pub sibling: bool,
    /// Number of plays of the game behind the difference to its partner, for a sibling.
    pub horizon: u8,
}

impl Label {
    /// Creates a label from float targets, kept between -0.5 and 1.5.
    #[must_use]
    pub fn new(position: Position, kind: u8, targets: [f32; 5]) -> Label {
        let target = targets.map(|c| ((c.clamp(-0.5, 1.5) + 0.5) * 32767.5).round() as u16);
        Label {
            position,
            target,
            kind,
            sibling: false,
            horizon: 0,
        }
    }

    /// Returns the same label with so many plays behind its difference, at most 3.
    #[must_use]
    pub(crate) const fn with_horizon(mut self, horizon: u8) -> Label {
        self.horizon = horizon & HORIZON[1];
        self
    }

    /// Returns the same label as a sibling of the one before it.
    #[must_use]
    pub(crate) const fn beside_the_last(mut self) -> Label {
        self.sibling = true;
        self
    }

    /// Returns the equity that the targets are worth.
    #[must_use]
    pub fn equity(&self) -> f32 {
        Chances::from_array(self.targets()).equity()
    }

    /// Returns the targets of the five outputs, correct on average over many labels; single ones may lie outside 0 to
    /// 1.
    #[must_use]
    pub fn targets(&self) -> [f32; 5] {
        self.target.map(|t| f32::from(t) / 32767.5 - 0.5)
    }

    /// Returns the targets as chances, brought into range.
    #[must_use]
    pub fn chances(&self) -> Chances {
        Chances::from_array(self.targets().map(|t| t.clamp(0.0, 1.0)))
    }
}

/// Labels of a pool that are trained on together: one, or two neighbours (a label and its sibling). Four bytes each:
/// the labels themselves are not copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family(u32);

/// Bit of a [`Family`] with a sibling.
const PAIR: u32 = 1 << 31;

impl Family {
    /// Returns the number of labels.
    #[must_use]
    pub const fn size(self) -> usize {
        1 + (self.0 >> 31) as usize
    }

    fn first(self) -> usize {
        (self.0 & !PAIR) as usize
    }
}

/// Returns the positions of at most `most` of the families, evenly spaced.
pub(super) fn some_positions(pool: &[Label], families: &[Family], most: usize) -> Vec<Position> {
    let step = families.len().div_ceil(most).max(1);
    let spaced = families.iter().step_by(step);
    spaced.map(|family| pool[family.first()].position).collect()
}

/// Selects the labels that `wanted` accepts; a sibling whose partner is not selected stands alone. Labels beyond
/// 2^31 are ignored.
#[must_use]
pub fn select(labels: &[Label], wanted: impl Fn(&Label) -> bool) -> Vec<Family> {
    let mut families = Vec::new();
    let mut open = false;
    for (index, label) in (0..PAIR).zip(labels) {
        let kept = wanted(label);
        let paired = kept && open && label.sibling;
        match families.last_mut() {
            Some(Family(partner)) if paired => *partner |= PAIR,
            _ if kept => families.push(Family(index)),
            _ => {}
        }
        open = kept && !paired;
    }
    families
}

/// Repeats each family as often as `weight` of its first label, the fraction at random.
#[must_use]
pub fn repeated(
    labels: &[Label],
    families: &[Family],
    rng: &mut ChaCha8Rng,
    weight: impl Fn(&Label) -> f32,
) -> Vec<Family> {
    let mut all = Vec::new();
    for family in families {
        let Some(first) = labels.get(family.first()) else {
            continue;
        };
        let copies = (f64::from(weight(first)) + unit(rng)).floor() as usize;
        all.extend(std::iter::repeat_n(*family, copies));
    }
    all
}

/// Shuffles families.
pub(crate) fn shuffle(families: &mut [Family], rng: &mut ChaCha8Rng) {
    for i in (1..families.len()).rev() {
        families.swap(i, below(rng, i as u32 + 1) as usize);
    }
}

/// Returns the labels of families; a sibling comes behind its partner.
pub fn gather<'a>(
    labels: &'a [Label],
    families: impl IntoIterator<Item = &'a Family>,
) -> impl Iterator<Item = Label> {
    families.into_iter().flat_map(|family| {
        let from = family.first();
        let members = labels.get(from..from + family.size()).unwrap_or_default();
        let member = |(place, label): (usize, &Label)| Label {
            sibling: place > 0,
            ..*label
        };
        members.iter().enumerate().map(member)
    })
}

/// Returns the labels in random order, each taken while one of its groups has fewer than `wanted`.
#[must_use]
pub fn by_group(labels: &[Label], wanted: usize, seed: u64) -> Vec<Label> {
    let mut families = select(labels, |_| true);
    shuffle(&mut families, &mut gammond_base::rng::stream(seed, 0));
    let mut counts = [0; Group::ALL.len()];
    let mut chosen: Vec<Label> = gather(labels, &families).collect();
    chosen.retain(|label| {
        let own = Group::ALL.map(|group| group.holds(&label.position));
        let short = own.iter().zip(&counts).any(|(own, n)| *own && *n < wanted);
        for (own, count) in own.iter().zip(&mut counts) {
            *count += usize::from(*own && short);
        }
        short
    });
    chosen
}

/// Keeps one of the siblings that differ in the horizon alone: the one with the longest horizon up to `most`. Keeps all
/// other labels.
#[must_use]
pub(crate) fn at_horizon(labels: impl IntoIterator<Item = Label>, most: u8) -> Vec<Label> {
    let mut kept: Vec<Label> = Vec::new();
    for label in labels {
        if label.horizon > most {
            continue;
        }
        match kept.last_mut() {
            Some(last) if label.horizon > 0 && last.sibling && last.position == label.position => {
                *last = label;
            }
            _ => kept.push(label),
        }
    }
    kept
}

/// Packs labels into the bytes of one record.
#[must_use]
pub fn pack(labels: &[Label]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(labels.len() * LABEL_BYTES);
    for label in labels {
        bytes.extend_from_slice(&label.position.me().packed().to_le_bytes());
        bytes.extend_from_slice(&label.position.opponent().packed().to_le_bytes());
        for target in label.target {
            bytes.extend_from_slice(&target.to_le_bytes());
        }
        let form = WIDE | if label.sibling { SIBLING } else { 0 } | label.horizon << HORIZON[0];
        bytes.extend_from_slice(&[label.kind, form]);
    }
    bytes
}

/// Returns the labels of a record; those that are no legal position are left out.
pub fn unpack(bytes: &[u8]) -> impl Iterator<Item = Label> + '_ {
    let (labels, _) = bytes.as_chunks::<LABEL_BYTES>();
    labels.iter().filter_map(|raw| {
        let side = |from: usize| -> Option<Side> {
            let packed = u128::from_le_bytes(raw.get(from..from + 16)?.try_into().ok()?);
            let counts = std::array::from_fn(|i| (packed >> (4 * i) & 15) as u8);
            Side::from_counts(&counts)
        };
        let position = Position::new(&side(0)?.counts(), &side(16)?.counts()).ok()?;
        let mut target: [u16; 5] =
            std::array::from_fn(|i| u16::from_le_bytes([raw[32 + 2 * i], raw[33 + 2 * i]]));
        if raw[43] & WIDE == 0 {
            target = target.map(|t| 16384 + t / 2);
        }
        Some(Label {
            position,
            target,
            kind: raw[42],
            sibling: raw[43] & SIBLING != 0,
            horizon: raw[43] >> HORIZON[0] & HORIZON[1],
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_come_back() {
        let label = Label::new(Position::start(), 2, [0.5, 0.25, 0.125, 1.5, -1.0]);
        let back: Vec<Label> = unpack(&pack(&[label, label])).collect();
        assert_eq!(back, [label, label]);
        let targets = label.targets();
        let close = |a: f32, b: f32| (a - b).abs() < 2e-5;
        assert!(close(targets[0], 0.5) && close(targets[3], 1.5) && close(targets[4], -0.5));
        assert_eq!(label.chances().to_array()[3..], [1.0, 0.0]);
        let back: Vec<Label> = unpack(&pack(&[label, label.beside_the_last()])).collect();
        assert_eq!([back[0].sibling, back[1].sibling], [false, true]);
        // Labels of the earlier form.
        let mut bytes = pack(&[label]);
        bytes[43] = 0;
        bytes[32..34].copy_from_slice(&u16::MAX.to_le_bytes());
        let old = unpack(&bytes).next().unwrap();
        assert!(close(old.targets()[0], 1.0));
    }

    #[test]
    fn horizons_are_chosen() {
        let label = |t: f32| Label::new(Position::start(), 0, [t; 5]);
        let twin = |t: f32, horizon| label(t).beside_the_last().with_horizon(horizon);
        let all = [
            label(0.1),
            twin(0.2, 0),
            twin(0.3, 1),
            twin(0.4, 2),
            label(0.5),
            twin(0.6, 0),
        ];
        let back: Vec<Label> = unpack(&pack(&all)).collect();
        assert_eq!(back, all);
        for (most, place) in [(0, 1), (1, 2), (2, 3), (3, 3)] {
            let want = [all[0], all[place], all[4], all[5]];
            assert_eq!(at_horizon(all, most), want, "{most}");
        }
    }

    #[test]
    fn labels_are_repeated_by_weight() {
        let label = |kind| Label::new(Position::start(), kind, [0.5; 5]);
        let mut labels = Vec::new();
        for _ in 0..1000 {
            labels.extend([label(0), label(1), label(1).beside_the_last(), label(2)]);
        }
        let weight = |label: &Label| [0.0, 2.5, 1.0][usize::from(label.kind)];
        let families = select(&labels, |_| true);
        let families = repeated(
            &labels,
            &families,
            &mut gammond_base::rng::stream(3, 0),
            weight,
        );
        let all: Vec<Label> = gather(&labels, &families).collect();
        let count = |kind| all.iter().filter(|label| label.kind == kind).count();
        assert_eq!([count(0), count(2)], [0, 1000]);
        assert!((4900..5100).contains(&count(1)), "{}", count(1));
        let torn = all.windows(2).any(|w| w[1].sibling && w[0].sibling);
        assert!(!torn && 2 * all.iter().filter(|l| l.sibling).count() == count(1));
    }

    #[test]
    fn siblings_stay_together() {
        let label = |kind| Label::new(Position::start(), kind, [0.5; 5]);
        let mut labels = Vec::new();
        for kind in 0..50 {
            labels.push(label(kind));
            labels.push(label(kind).beside_the_last());
        }
        let mut families = select(&labels, |_| true);
        assert!(gather(&labels, &families).eq(labels.iter().copied()));
        shuffle(&mut families, &mut gammond_base::rng::stream(3, 0));
        let shuffled: Vec<Label> = gather(&labels, &families).collect();
        assert_ne!(shuffled, labels);
        assert_eq!(shuffled.len(), labels.len());
        for pair in shuffled.chunks(2) {
            assert!(pair[0].kind == pair[1].kind && !pair[0].sibling && pair[1].sibling);
        }
        let odd = select(&labels[1..], |label| label.kind < 2);
        let expected = [(0, false), (1, false), (1, true)];
        assert!(
            gather(&labels[1..], &odd)
                .map(|l| (l.kind, l.sibling))
                .eq(expected)
        );
        // The third of three in a row stands alone.
        let row = [labels[0], labels[1], labels[1]];
        let families = select(&row, |_| true);
        assert_eq!(
            families.iter().map(|f| f.size()).collect::<Vec<_>>(),
            [2, 1]
        );
    }
}
