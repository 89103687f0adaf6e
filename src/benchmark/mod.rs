//! Running benchmark files: losses, categories, cube measures, resume.
