//! Nets of one small layer: rows as tables of places and counts, five linear outputs (NF-30 of `protocol-specs/net-file.md`).
//!
//! As the outputs are linear, their slopes are multiplied into one row of weights ([`Answer`]); a position then takes
//! a few rows added up, a clip and a dot product.

use super::class_net::NetError;
use super::inputs::InputSet;
use crate::nn::format::native::{self, Label};
use crate::nn::{
    Activation, CpuLevel, IntegerNetError, Limits, Parts, RESULTS, ROW_WIDTH, ROWS, Row,
};
use gammond_game::Position;

/// Largest combined weight: 64 products with 255 stay far inside 32 bits.
const WEIGHT_MAX: f32 = 16_383.0;

/// A small net.
#[derive(Debug, Clone)]
pub(super) struct SmallNet {
    /// Terms of the sums: for each of the 64 groups of four bits of a packed position, for each count there.
    pub(super) rows: Box<[Row; ROWS]>,
    pub(super) bias: Row,
    pub(super) shift: u32,
    /// Weights of each output, in units of the result.
    outputs: [[f32; ROW_WIDTH]; RESULTS],
    pub(super) cpu: CpuLevel,
}

/// Query of a small net: a weight on each output.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    /// Integers to multiply the units with.
    pub(super) weights: Row,
    /// Value of one unit of the sum.
    pub(super) unit: f64,
}

/// Returns true if the contents of a file are those of a net of this class.
pub(super) fn is_of_class(bytes: &[u8], class: &str) -> bool {
    native::class(bytes).is_some_and(|found| found == class.as_bytes())
}

impl SmallNet {
    /// Parses the contents of a net file of this class. Returns its parts too, because a file may hold more than a
    /// net.
    pub(super) fn parse(
        name: &str,
        bytes: &[u8],
        class: &str,
    ) -> Result<(SmallNet, Parts), NetError> {
        let (label, parts) =
            native::read(bytes).map_err(|error| NetError::File(name.to_owned(), error))?;
        if label.class != class {
            return Err(NetError::Other {
                file: name.to_owned(),
                found: label.class,
                wanted: class.to_owned(),
            });
        }
        let net = SmallNet::new(name, class, &label, &parts)?;
        Ok((net, parts))
    }

    /// Creates a net from the parts of a file; `class` is for error messages.
    pub(super) fn new(
        name: &str,
        class: &str,
        label: &Label,
        parts: &Parts,
    ) -> Result<SmallNet, NetError> {
        let net = |error| NetError::Net(name.to_owned(), error);
        parts.check().map_err(net)?;
        let (inputs, shape) = (InputSet::COUNTS, parts.shape);
        if label.inputs != inputs.name() || shape.inputs != inputs.inputs() {
            return Err(NetError::Inputs(name.to_owned(), label.inputs.clone()));
        }
        if shape.width > ROW_WIDTH || shape.second != RESULTS {
            let text = format!(
                "a {class} net of {} units and {} outputs",
                shape.width, shape.second
            );
            return Err(net(IntegerNetError::Shape(text)));
        }
        if parts.activation != Activation::Crelu || parts.limits != Limits::default() {
            let text = format!("a {class} net whose units are not clipped to 0..=1");
            return Err(net(IntegerNetError::Shape(text)));
        }
        let mut rows: Box<[Row; ROWS]> = vec![Row::ZERO; ROWS]
            .try_into()
            .unwrap_or_else(|_| Box::new([Row::ZERO; ROWS]));
        for (index, row) in rows.iter_mut().enumerate() {
            // 32 groups a side, of which 26 are locations.
            let (place, count) = (index / 16, index % 16);
            for (input, factor) in inputs.of_count(place / 32, place % 32, count) {
                let weights = &parts.rows[input * shape.width..][..shape.width];
                for (sum, weight) in row.0.iter_mut().zip(weights) {
                    *sum = sum.wrapping_add(weight.wrapping_mul(factor));
                }
            }
        }
        let mut bias = Row::ZERO;
        bias.0[..shape.width].copy_from_slice(&parts.bias);
        let outputs = std::array::from_fn(|k| {
            let mut output = [0.0; ROW_WIDTH];
            let weights = &parts.second[k * shape.width..][..shape.width];
            for (value, weight) in output.iter_mut().zip(weights) {
                *value = f32::from(*weight) * parts.scales[k];
            }
            output
        });
        Ok(SmallNet {
            rows,
            bias,
            shift: parts.shift,
            outputs,
            cpu: CpuLevel::detect(),
        })
    }

    /// Returns the same net on another level of this CPU.
    pub(super) fn at(&self, cpu: CpuLevel) -> SmallNet {
        SmallNet {
            cpu,
            ..self.clone()
        }
    }

    /// Returns the outputs together, each times its slope (NF-32).
    pub(super) fn answer(&self, slopes: &[f32; RESULTS]) -> Answer {
        let mut combined = [0.0f32; ROW_WIDTH];
        for (slope, output) in slopes.iter().zip(&self.outputs) {
            for (sum, weight) in combined.iter_mut().zip(output) {
                *sum += slope * weight;
            }
        }
        let most = combined.iter().fold(1e-9f32, |most, w| most.max(w.abs()));
        let unit = most / WEIGHT_MAX;
        Answer {
            weights: Row(combined.map(|weight| (weight / unit).round() as i16)),
            unit: f64::from(unit),
        }
    }
}

/// Returns the packed sides as four words: the player on roll, then the opponent.
#[inline(always)]
pub(super) fn words(position: &Position) -> [u64; 4] {
    let (me, opponent) = (position.me().packed(), position.opponent().packed());
    [
        me as u64,
        (me >> 64) as u64,
        opponent as u64,
        (opponent >> 64) as u64,
    ]
}
