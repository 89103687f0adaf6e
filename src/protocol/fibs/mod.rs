//! The FIBS bot as a machine without I/O: bytes in, commands and questions out.
//!
//! [`bytes`] cuts lines out of a telnet stream, [`clip`] names each line ([`strangers`]
//! says whose words are nobody's business), [`machine`] keeps the login
//! and the match, [`treaty`] is what goes in and out of it, [`policy`] says whom to play and what to say, [`record`] keeps the match for its
//! file. Nobody here knows a socket, a clock or an engine: time is passed in, questions go out and
//! their answers come back. Rules FIBS-01 to FIBS-37 of `protocol-specs/fibs.md`.
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
mod interrupted;
pub mod machine;
pub mod message;
mod play;
pub mod policy;
pub mod record;
mod sentences;
pub mod strangers;
pub mod treaty;

pub use bytes::{LineReader, Piece};
pub use clip::name_line;
pub use machine::Machine;
pub use message::{By, Message, Speech, Wanted, Who};
pub use policy::Policy;
pub use record::{MatchEnd, MatchRecord};
pub use treaty::{Answer, Ask, Counts, Event, Output, Timing};
