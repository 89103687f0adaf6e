//! The FIBS bot: a machine without I/O, bytes in, commands and questions out; and its socket, clock and engine.
//!
//! [`gammond_game::notation::fibs`] cuts lines out of a telnet stream and names each one; [`free_text`] recognises
//! lines that contain other users' words. [`machine`] keeps the login and the match; [`interface`] is its interface.
//! [`policy`] selects opponents and messages, [`crate::shared::record`] keeps the match for its file. No module of the
//! machine uses a socket, a clock or an engine: time is passed in, questions go out and their answers come back.
//! [`link`] connects it to a server. Rules FIBS-01 to FIBS-38 of `protocol-specs/fibs.md`.
//!
//! ```
//! use gammond_bots::fibs::{Machine, Output, Policy, Timing};
//! let mut machine = Machine::new("tester", Policy::default(), Timing::default());
//! machine.connected(0);
//! machine.bytes(b"Welcome!\r\n\r\nlogin: ", 10);
//! assert!(matches!(machine.poll(10), Some(Output::Login)));
//! ```

mod answer;
pub mod config;
mod keep;
pub mod link;
pub mod machine;
pub mod state;

pub use crate::shared::{MatchEnd, MatchRecord, Secret, SecretError};
pub use answer::answer;
pub use config::{FibsConfig, FibsError, MatchArchiver, StateError};
pub use gammond_game::notation::fibs::{
    By, LineReader, MatchTerms, Message, Piece, SpeechKind, Who, free_text, name_line,
};
pub use link::{play, run};
pub use machine::interface::{Answer, Ask, BotCounters, Event, Output, Timing};
pub use machine::policy::Policy;
pub use machine::{Machine, interface, policy, transitions};
