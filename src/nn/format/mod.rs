//! Net files: one module a format.

pub mod gnubg;
