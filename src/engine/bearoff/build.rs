//! The build script: packs the nets, and makes the default bearoff tables, which the program then includes; of the
//! two-sided one, in a release program, only the plays that it takes to make it.
#![allow(dead_code, reason = "the program uses the rest of these files")]
#![allow(unused_imports, reason = "the program uses the rest of these files")]
#![allow(unreachable_pub, reason = "the modules are the program's")]
#![allow(
    clippy::disallowed_methods,
    reason = "`.ci/run wasm` forbids the program files, not its build"
)]

mod make;
mod numbering;
#[path = "../packed.rs"]
mod packed;

use numbering::Numbering;
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=bearoff/build.rs");
    println!("cargo::rerun-if-changed=bearoff/make");
    println!("cargo::rerun-if-changed=bearoff/numbering.rs");
    println!("cargo::rerun-if-changed=packed.rs");
    let folder = std::env::var("OUT_DIR")?;
    let folder = Path::new(&folder);
    for (name, net) in gammond_nets::NETS {
        std::fs::write(folder.join(name), pack(net)?)?;
    }
    std::fs::write(folder.join("people.txt"), gammond_nets::PEOPLE)?;
    let one_sided = Numbering::new(6, 15).ok_or("no such numbering")?;
    if std::env::var_os("CARGO_FEATURE_TABLES").is_some() {
        let table = make::one_sided(one_sided, true, true);
        std::fs::write(folder.join("os0.bd"), pack(&table)?)?;
    }
    println!("cargo::rustc-check-cfg=cfg(endings_made)");
    let two_sided = Numbering::new(6, 6).ok_or("no such numbering")?;
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        let best = make::best_plays(two_sided);
        if make::two_sided_by(two_sided, &best) != make::two_sided(two_sided, true) {
            return Err("the best plays make another table".into());
        }
        std::fs::write(folder.join("ts0.plays"), best)?;
        println!("cargo::rustc-cfg=endings_made");
        name_commit();
    } else {
        // Programs that are not optimised would take seconds to make it.
        std::fs::write(folder.join("ts0.bd"), make::two_sided(two_sided, true))?;
    }
    Ok(())
}

/// Packs bytes for [`packed::unpack`].
fn pack(plain: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let (numbers, last) = plain.as_chunks();
    let numbers = numbers.iter().map(|number| i16::from_le_bytes(*number));
    let zigzag = numbers.map(|number| (number << 1 ^ number >> 15).to_le_bytes());
    let (mut planes, high): (Vec<u8>, Vec<u8>) = zigzag.map(|[low, high]| (low, high)).unzip();
    planes.extend(high.iter().chain(last));
    let packed = miniz_oxide::deflate::compress_to_vec(&planes, 9);
    if packed::unpack(&packed) != plain {
        return Err("bytes are not what they were before they were packed".into());
    }
    Ok(packed)
}

/// Compiles the commit's name into the program. Only in release builds: the others would be rebuilt after every
/// commit.
fn name_commit() {
    let git = |arguments: &[&str]| {
        let output = std::process::Command::new("git")
            .args(arguments)
            .output()
            .ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // Not the commit of a folder around an unpacked package.
    let ours = git(&["ls-files", "--error-unmatch", "bearoff/build.rs"]).is_some();
    if let Some(commit) = git(&["rev-parse", "--short=10", "HEAD"]).filter(|_| ours) {
        println!("cargo::rustc-env=GAMMOND_COMMIT={commit}");
    }
    if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|_| ours) {
        println!("cargo::rerun-if-changed={log}");
    }
}
