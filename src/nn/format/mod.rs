//! Net files: one module a format.

pub mod gnubg;
pub mod native;
pub mod safetensors;
