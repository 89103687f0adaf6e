//! The bgammon bot: a machine without I/O, bytes and times in, commands and questions out; and its socket, clock and
//! engine.
//!
//! The server sends one JSON event a line. Every `board` event holds the whole state of the match, so the machine
//! decides from the last board alone; other events only report presence and refusals. Rules BGM-01 to BGM-61 of
//! `protocol-specs/bgammon.md`.
//!
//! ```
//! use gammond_bots::bgammon::{BgammonMachine, BgammonOutput, BgammonTiming, MatchOffer};
//! let mut machine = BgammonMachine::new(MatchOffer::default(), BgammonTiming::default());
//! machine.connected(0);
//! assert!(matches!(machine.poll(0), Some(BgammonOutput::Login)));
//! machine.bytes(b"hello there\n{\"Type\":\"welcome\",\"PlayerName\":\"BOT_x\"}\n", 10);
//! machine.tick(5000);
//! let sent = std::iter::from_fn(|| machine.poll(5000)).filter_map(|output| match output {
//!     BgammonOutput::Send(line) => Some(line),
//!     _ => None,
//! });
//! assert_eq!(sent.collect::<Vec<_>>(), ["set autoplay 0", "create public 5 0 gammond"]);
//! ```

mod answer;
mod config;
mod connection;
mod link;
mod machine;

pub use answer::answer;
pub use config::{BgammonConfig, BgammonError};
pub use link::{play, run};
pub use machine::{
    Ask, BgammonAnswer, BgammonMachine, BgammonOutput, BgammonTiming, Ended, MatchOffer,
    MatchOfferError,
};
