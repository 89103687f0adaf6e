//! Whole sessions by chance: sequences of commands, boards and sentences for every machine that has
//! a state. `GAMMOND_SEQUENCES` plays so many for each machine (a thousand otherwise),
//! `GAMMOND_SEQUENCES_SEED` begins elsewhere; a sequence that finds something is printed in hex and
//! belongs, as a file, into `tools/fuzz/corpus/`.

use crate::fuzz::{sequence, session};
use gammond_base::rng::{below, stream};
use rand::Rng as _;
use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name)
        .ok()
        .map_or(otherwise, |text| text.parse().unwrap())
}

/// Some sequences are repeated with a byte changed: deep states are reached by small steps.
fn play(name: &str, longest: u32, run: fn(&[u8])) {
    let count = number("GAMMOND_SEQUENCES", 1000);
    let seed = number("GAMMOND_SEQUENCES_SEED", 1);
    let mut chance = stream(seed, name.len() as u64);
    let mut data = Vec::new();
    for at in 0..count {
        if data.is_empty() || at % 4 == 0 {
            data.resize(1 + below(&mut chance, longest) as usize, 0);
            chance.fill_bytes(&mut data);
        } else {
            let place = below(&mut chance, data.len() as u32) as usize;
            data[place] = chance.next_u32() as u8;
        }
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run(&data))) {
            let hex = data.iter().fold(String::new(), |mut text, byte| {
                write!(text, "{byte:02x}").unwrap();
                text
            });
            eprintln!("{name}, sequence {at} of seed {seed}: {hex}");
            std::panic::resume_unwind(panic);
        }
    }
    println!("{name}: {count} sequences");
}

#[test]
fn request_sessions() {
    play("session", 400, session::fuzz_session);
}

#[test]
fn ubgi_sessions() {
    play("ubgi_sequence", 200, sequence::fuzz_ubgi_sequence);
}

#[test]
fn external_sessions() {
    play("external_sequence", 200, sequence::fuzz_external_sequence);
}

#[test]
fn fibs_sessions() {
    play("fibs_sequence", 300, sequence::fuzz_fibs_sequence);
}

#[test]
fn bgammon_sessions() {
    play("bgammon_sequence", 300, sequence::fuzz_bgammon_sequence);
}
