//! Boards, pictures, tables of terminals, and matches replayed and judged, for people to read.
//!
//! [`analysis`] asks the engine about each decision of a match; [`render`] makes text and SVG of positions and values,
//! and `picture` (feature `png`) makes PNG of SVG. No module knows a protocol or a socket.
#![deny(clippy::indexing_slicing, clippy::cast_possible_truncation)]

pub mod analysis;
#[cfg(feature = "png")]
pub mod picture;
pub mod render;
