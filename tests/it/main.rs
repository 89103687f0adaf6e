//! All integration tests, one binary. A module a subject.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests may fail loudly"
)]

mod about;
mod analyse;
mod analyse_files;
mod analyse_lines;
mod analysis_doors;
mod answers;
mod archive;
mod bearoff;
mod beavers;
mod benchmark;
mod benchmark_families;
mod benchmark_made;
mod bgammon;
mod bgf_files;
mod binary_matches;
mod by_hand;
mod cancel;
mod cli;
mod console;
mod damage;
mod duel;
mod duel_cube;
mod duel_starts;
mod escapes;
mod exit_codes;
mod external;
mod fair_work;
mod farm;
mod farm_faults;
mod farm_hostile;
mod farm_servers;
mod fibs;
#[path = "../../src/bots/tests/it/fibs_server/mod.rs"]
#[allow(dead_code, reason = "the tests of the bots use the rest of it")]
mod fibs_server;
mod fibs_soak;
mod field;
mod field_reports;
mod foreign_files;
// Public in the crate of the fuzz targets.
#[allow(unreachable_pub)]
#[path = "../../tools/fuzz/src/lib.rs"]
mod fuzz;
mod fuzz_corpus;
mod golden;
mod http;
mod http_access;
mod http_archive;
mod http_drop_ins;
mod http_events;
mod http_job_files;
mod http_jobs;
mod http_page;
mod http_unread;
mod jobs;
mod lab;
mod league;
mod malformed;
mod mcp;
mod nats;
mod page_folder;
mod page_strings;
mod pipeline;
mod puretd;
mod recipe;
mod rollout;
mod sequences;
mod server;
mod server_hostile;
mod server_process;
mod setting_doors;
mod setting_names;
mod tidy;
mod training;
mod ubgi;

use gammond_test_support as support;
