//! Append-only, checksummed record file that makes a long job resumable.
