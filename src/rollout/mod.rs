//! Seeded trials, variance reduction, truncation, stopping rules, merging of parts.
