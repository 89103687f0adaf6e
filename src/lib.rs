//! gammond: a GNU Backgammon-compatible backgammon engine.
//!
//! The rooms, lowest first; ARCHITECTURE.md says which may know which.

pub mod game;
pub mod journal;
pub mod nn;
pub mod rng;
pub mod stats;

pub mod bearoff;
pub mod equity;
pub mod notation;

pub mod query;

pub mod eval;
pub mod search;

pub mod engine;

pub mod benchmark;
pub mod duel;
pub mod protocol;
pub mod render;
pub mod service;
pub mod training;

pub mod cli;
