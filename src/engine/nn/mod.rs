//! Feed-forward nets: shapes, kernels, quantisation, net files. Independent of backgammon.
//!
//! [`Mlp`] is a float net with one hidden layer, evaluated for many inputs at once by kernels in
//! `kernel` that give the same bits on every [`CpuLevel`]. [`IntegerNet`] is the inference path of
//! our own nets: two hidden layers in integers, exact on every CPU, made by [`quantise`] from a
//! [`FloatNet`]. [`ReluNet`] is a float net of several rectified layers. [`mod@format`] reads and writes net files.

mod activation;
mod float_net;
pub mod format;
mod integer;
mod kernel;
mod mlp;
mod parts;
mod quantise;
mod relu_net;
mod sigmoid;

pub use activation::{Activation, Limits};
pub use float_net::{FloatNet, INPUTS_MAX, InputGroup, RESULTS, SECOND_MAX, Shape, WIDTH_MAX};
pub use integer::{IntegerNet, Workspace};
pub use kernel::layout::{Accumulator, Aligned, InputDelta};
pub use kernel::{ActiveList, CpuLevel, Integers, Kernel, ROW_WIDTH, ROWS, Row, SPREAD_ROOM};
pub use mlp::{ACTIVE_MAX, DenseNet, Mlp, MlpError, OUTPUTS, SparseInput, TAIL};
pub use parts::{IntegerNetError, Parts, SHIFT_MAX, SecondBits};
pub use quantise::{InputUnits, first_layer_scale, quantise};
pub use relu_net::{DenseLayer, LAYERS_MAX, ReluNet, ReluNetError};
pub use sigmoid::sigmoid;
