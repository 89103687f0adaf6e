//! The FIBS bot as a machine without I/O: bytes in, commands and questions out.
//!
//! [`gammond_game::notation::fibs`] cuts lines out of a telnet stream and names each one; [`free_text`] recognises
//! lines that contain other users' words. [`machine`] keeps the login and the match; [`interface`] is its interface.
//! [`policy`] selects opponents and messages, [`crate::bot::record`] keeps the match for its file. No module here uses a socket,
//! a clock or an engine: time is passed in, questions go out and their answers come back. Rules FIBS-01 to FIBS-38 of
//! `protocol-specs/fibs.md`.
//!
//! ```
//! use gammond_protocol::fibs::{Machine, Output, Policy, Timing};
//! let mut machine = Machine::new("tester", Policy::default(), Timing::default());
//! machine.connected(0);
//! machine.bytes(b"Welcome!\r\n\r\nlogin: ", 10);
//! assert!(matches!(machine.poll(10), Some(Output::Login)));
//! ```

pub mod interface;
mod interrupted;
pub mod machine;
mod play;
pub mod policy;

pub use crate::bot::{MatchEnd, MatchRecord};
pub use gammond_game::notation::fibs::{
    By, LineReader, MatchTerms, Message, Piece, Speech, Who, free_text, name_line,
};
pub use interface::{Answer, Ask, BotCounters, Event, Output, Timing};
pub use machine::{Machine, transitions};
pub use policy::Policy;
