//! Labelled positions: in memory, and packed into the records of a journal.
//!
//! A label takes 44 bytes on disk: the two packed sides (16 bytes each), five targets in units of
//! 1/65535, kind, and a spare byte.

use crate::game::{Chances, Position, Side};

/// Bytes of one label in a record.
pub const LABEL_BYTES: usize = 44;

/// A position of the player on roll and what its chances should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Label {
    /// The position.
    pub position: Position,
    /// Win, win gammon, win backgammon, lose gammon, lose backgammon in units of 1/65535.
    pub target: [u16; 5],
    /// 0 contact, 1 race, 2 crashed.
    pub kind: u8,
}

impl Label {
    /// A label from float chances, brought into range.
    #[must_use]
    pub fn new(position: Position, kind: u8, chances: [f32; 5]) -> Label {
        let target = chances.map(|c| (c.clamp(0.0, 1.0) * 65535.0).round() as u16);
        Label {
            position,
            target,
            kind,
        }
    }

    /// The target as chances.
    #[must_use]
    pub fn chances(&self) -> Chances {
        Chances::from_array(self.target.map(|t| f32::from(t) / 65535.0))
    }
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
        bytes.extend_from_slice(&[label.kind, 0]);
    }
    bytes
}

/// The labels of a record; those that are no legal position are left out.
pub fn unpack(bytes: &[u8]) -> impl Iterator<Item = Label> + '_ {
    let (labels, _) = bytes.as_chunks::<LABEL_BYTES>();
    labels.iter().filter_map(|raw| {
        let side = |from: usize| -> Option<Side> {
            let packed = u128::from_le_bytes(raw.get(from..from + 16)?.try_into().ok()?);
            let counts = std::array::from_fn(|i| (packed >> (4 * i) & 15) as u8);
            Side::from_counts(&counts)
        };
        let position = Position::new(&side(0)?.counts(), &side(16)?.counts()).ok()?;
        let target =
            std::array::from_fn(|i| u16::from_le_bytes([raw[32 + 2 * i], raw[33 + 2 * i]]));
        Some(Label {
            position,
            target,
            kind: raw[42],
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
        assert_eq!(label.target[3..], [65535, 0]);
    }
}
