//! The FIBS bot as a machine without I/O: bytes in, commands and questions out.
//!
//! [`bytes`] cuts lines out of a telnet stream, [`clip`] names each line, [`machine`] keeps the login
//! and the match, [`policy`] says whom to play and what to say, [`record`] keeps the match for its
//! file. Nobody here knows a socket, a clock or an engine: time is passed in, questions go out and
//! their answers come back. Rules FIBS-01 to FIBS-32 of `protocol-specs/fibs.md`.
//!
//! ```
//! use gammond::protocol::fibs::{Machine, Output, Policy, Timing};
//! let mut machine = Machine::new("tester", Policy::default(), Timing::default());
//! machine.connected(0);
//! machine.bytes(b"Welcome!\r\n\r\nlogin: ", 10);
//! assert!(matches!(machine.poll(10), Some(Output::Login)));
//! ```

pub mod bytes;
pub mod clip;
pub mod machine;
mod play;
pub mod policy;
pub mod record;

pub use bytes::{LineReader, Piece};
pub use clip::{Message, name_line};
pub use machine::{Answer, Ask, Event, Machine, Output, Timing};
pub use policy::Policy;
pub use record::{MatchRecord, Outcome};
