//! Boards, pictures, tables for terminals, and matches replayed and analysed, for people to read.
//!
//! [`analysis`] queries the engine for each decision of a match; [`explain`] makes sentences of facts; [`render`] makes text and SVG of positions and
//! values, and `picture` (feature `png`) makes PNG of SVG. No module uses a protocol or a socket.
#![deny(clippy::indexing_slicing, clippy::cast_possible_truncation)]

pub mod analysis;
pub mod explain;
#[cfg(feature = "png")]
pub mod picture;
pub mod render;
mod texts;
