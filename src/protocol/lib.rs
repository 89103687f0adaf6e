//! Line protocols, requests in JSON, and the bodies of other programs' HTTP interfaces, as machines without I/O: bytes
//! in, [`Inquiry`]s out, and the text of their answers.
//!
//! [`answerer`] answers inquiries by the engine and the analysis of matches; the other modules use the engine's types
//! alone, so that they are tested with no net loaded. No module opens a socket. The normative texts are in
//! `protocol-specs/`.
//!
//! ```
//! use gammond_protocol::{Request, Options, parse_line};
//! let line = parse_line(b"#7 move 4HPwATDgc/ABMA 31 plies=1", &Options::default());
//! let line = line.unwrap().unwrap();
//! assert_eq!(line.id.as_deref(), Some("7"));
//! assert!(matches!(line.request, Request::Position(request) if request.settings.plies == 1));
//! ```
#![deny(clippy::indexing_slicing, clippy::cast_possible_truncation)]

pub mod answer;
pub mod answerer;
mod block;
mod choice;
mod dialect;
mod error_code;
pub mod external;
pub mod json;
pub mod message;
mod queue_place;
mod reply;
mod request;
mod request_error;
mod request_line;
mod session;
mod task;
pub mod ubgi;
pub mod verbs;
pub mod web;
mod words;

pub use block::MATCH_BYTES_MAX;
pub use choice::Defaults;
pub use dialect::{About, Cancel, CancelState, Dialect, Inquiry, LineAction, Reply};
pub use error_code::ErrorCode;
pub use gammond_base::lines::{FramedLine, LineCodec};
pub use gammond_engine::query::{AnswerStyle, Options, SettingError};
pub use gammond_game::notation::LINE_BYTES_MAX;
pub use queue_place::QueuePlace;
pub use request::{Line, MatchHeader, Refusal, Request};
pub use request_error::RequestError;
pub use request_line::{parse_line, verbs};
pub use session::Session;
pub use task::{InquiryTask, MatchProgress, MatchReport, MatchTask, ReportForm, TaskAnswer};
