//! The saved inputs of the fuzz targets, run as ordinary tests. A crash that fuzzing finds is put
//! into `tools/fuzz/corpus/TARGET` and stays there.

use std::fs;
use std::path::{Path, PathBuf};

use gammond_base::rng::{below, stream};
use gammond_server::http as service;

use crate::fuzz::{console, notation, protocol, sequence, session};
use crate::malformed::malformed;

type Target = (&'static str, fn(&[u8]));

/// Every target and what it runs.
const TARGETS: &[Target] = &[
    ("benchmark_line", notation::fuzz_benchmark_line),
    ("bgammon_sequence", sequence::fuzz_bgammon_sequence),
    ("bgf", notation::fuzz_bgf),
    ("board_line", notation::fuzz_board_line),
    ("console", console::fuzz_console),
    ("external", protocol::fuzz_external),
    ("external_sequence", sequence::fuzz_external_sequence),
    ("fibs_log", notation::fuzz_fibs_log),
    ("fibs_sequence", sequence::fuzz_fibs_sequence),
    ("http", service::fuzz_http),
    ("http_form", service::fuzz_http_form),
    ("http_query", service::fuzz_http_query),
    ("mat", notation::fuzz_mat),
    ("match_id", notation::fuzz_match_id),
    ("ogid", notation::fuzz_ogid),
    ("ogxm", notation::fuzz_ogxm),
    ("play", notation::fuzz_play),
    ("position", notation::fuzz_position),
    ("position_id", notation::fuzz_position_id),
    ("request", protocol::fuzz_request),
    ("roll", notation::fuzz_roll),
    ("session", session::fuzz_session),
    ("sgf", notation::fuzz_sgf),
    ("ubgi", protocol::fuzz_ubgi),
    ("ubgi_sequence", sequence::fuzz_ubgi_sequence),
    ("xg", notation::fuzz_xg),
    ("xgid", notation::fuzz_xgid),
];

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tools/fuzz")
        .join(name)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let read = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = read.map(|entry| entry.unwrap().path()).collect();
    found.sort();
    found
}

#[test]
fn every_target_is_replayed() {
    let targets: Vec<String> = entries(&folder("fuzz_targets"))
        .iter()
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    let known: Vec<&str> = TARGETS.iter().map(|&(name, _)| name).collect();
    assert_eq!(targets, known);
}

#[test]
fn the_saved_corpus_finds_nothing() {
    for &(name, run) in TARGETS {
        let inputs = entries(&folder("corpus").join(name));
        assert!(!inputs.is_empty(), "{name} has no corpus");
        for path in inputs {
            let data = fs::read(&path).unwrap();
            eprintln!("{}", path.display());
            run(&data);
            // Every beginning of it, too: that is what a slow peer sends.
            (0..data.len()).for_each(|end| run(&data[..end]));
        }
    }
}

#[test]
fn malformed_texts_harm_no_target() {
    for wrong in malformed() {
        TARGETS.iter().for_each(|(_, run)| run(&wrong.input));
    }
}

/// The saved inputs with bytes changed, taken out, doubled and mixed by chance, always the same; more of them with
/// `GAMMOND_MUTATIONS`, and only for one target with `GAMMOND_TARGET`.
#[test]
fn changed_inputs_find_nothing() {
    let setting = |name: &str| std::env::var(name).ok();
    let rounds = setting("GAMMOND_MUTATIONS").map_or(40, |text| text.parse::<u64>().unwrap());
    let only = setting("GAMMOND_TARGET");
    for &(name, run) in TARGETS {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let seeds: Vec<Vec<u8>> = entries(&folder("corpus").join(name))
            .iter()
            .map(|path| fs::read(path).unwrap())
            .collect();
        let mut chance = stream(20, 0);
        let mut below = |most: usize| below(&mut chance, most.max(1) as u32) as usize;
        for round in 0..rounds {
            let mut data = seeds[below(seeds.len())].clone();
            for _ in 0..=below(6) {
                let other = &seeds[below(seeds.len())];
                let at = below(data.len() + 1);
                let end = (at + 1 + below(8)).min(data.len());
                match below(5) {
                    0 => data[at..end]
                        .iter_mut()
                        .for_each(|byte| *byte = below(256) as u8),
                    1 => drop(data.drain(at..end)),
                    2 => data.extend_from_within(at..end),
                    3 => data.truncate(at.max(1)),
                    _ => {
                        let from = below(other.len() + 1);
                        let part = other[from..].iter().take(64);
                        data.splice(at..end, part.copied());
                    }
                }
            }
            data.truncate(4096);
            let told = std::panic::catch_unwind(|| run(&data));
            assert!(
                told.is_ok(),
                "{name}, round {round}: {}",
                data.escape_ascii()
            );
        }
    }
}
