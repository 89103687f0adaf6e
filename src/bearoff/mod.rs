//! One-sided and two-sided bearoff databases: making, reading, probing.
