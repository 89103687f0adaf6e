//! What long commands survive: kill -9, a full disk, a folder that cannot be written, two at once,
//! another question on the same file. Needs root for the disks: small file systems of their own.

use super::{Act, Attack};
use crate::clients::Random;
use crate::server::{MemoryLimit, Scratch, wait};
use crate::stage::{Bench, Check};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub fn all() -> Vec<Attack> {
    let job = |name, what, act| Attack {
        name,
        goals: "R-40 R-41 R-42 R-44",
        what,
        quick: false,
        act: Act::Alone(act),
    };
    vec![
        job(
            "job-sample",
            "`sample`: killed, two at once, another seed, full and read-only disk",
            |bench| all_of(bench, &SAMPLE),
        ),
        job("job-label", "`label`, likewise", |bench| {
            all_of(bench, &LABEL)
        }),
        job("job-duel", "`duel --journal`, likewise", |bench| {
            all_of(bench, &DUEL)
        }),
        job("job-train", "`train`, likewise", |bench| {
            all_of(bench, &TRAIN)
        }),
        job("job-bearoff", "`bearoff make`, likewise", |bench| {
            all_of(bench, &BEAROFF)
        }),
    ]
}

/// A long command: its words, the file or folder that it makes, and a change that must be refused.
struct Job {
    /// `OUT` stands for what it makes, `IN` for its input, `OTHER` for the same input with another seed.
    words: &'static [&'static str],
    /// The same with another question; empty where a new run simply replaces what is there.
    changed: &'static [&'static str],
    input: &'static str,
    /// Also compared: what it prints.
    prints: bool,
}

const SAMPLE: Job = Job {
    words: &["sample", "OUT", "--positions", "6000", "--seed", "5"],
    changed: &["sample", "OUT", "--positions", "6000", "--seed", "6"],
    input: "",
    prints: false,
};
const LABEL: Job = Job {
    words: &["label", "IN", "OUT", "--plies", "1"],
    changed: &["label", "IN", "OUT", "--plies", "0"],
    input: "4HPwATDgc/ABMA\n4HPwATDgc/ABMA\n4HPhASLgc/ABMA\n",
    prints: false,
};
const DUEL: Job = Job {
    words: &[
        "duel",
        "gammond",
        "pubeval",
        "--games",
        "400",
        "--seed",
        "3",
        "--quiet",
        "--journal",
        "OUT",
    ],
    changed: &[
        "duel",
        "gammond",
        "pubeval",
        "--games",
        "400",
        "--seed",
        "4",
        "--quiet",
        "--journal",
        "OUT",
    ],
    input: "",
    prints: true,
};
const TRAIN: Job = Job {
    words: &["train", "IN", "--folder", "OUT"],
    changed: &["train", "OTHER", "--folder", "OUT"],
    input: PLAN,
    prints: false,
};
const BEAROFF: Job = Job {
    words: &["bearoff", "make", "OUT", "--points", "6", "--checkers", "9"],
    changed: &[],
    input: "",
    prints: false,
};

const PLAN: &str = "seed = 1
contact = \"ROOT/nets/float/contact.safetensors\"
race = \"ROOT/nets/float/race.safetensors\"
[[round]]
labels = 1500
pool = 1
rate = 1e-3
";

struct Place<'a> {
    bench: &'a Bench,
    job: &'a Job,
    limit: MemoryLimit,
    folder: &'a Path,
}

impl Place<'_> {
    fn start(&self, words: &[&str], out: &Path) -> Option<Child> {
        let input = self.folder.join("input");
        let root = std::env::current_dir()
            .unwrap_or_default()
            .display()
            .to_string();
        let text = match self.job.input.contains("ROOT") {
            true => self.job.input.replace("ROOT", &root),
            false => self.job.input.repeat(100),
        };
        // Written only when it is not there: some jobs look at the time of their input.
        if !input.exists() {
            let _ = fs::write(&input, &text);
        }
        let other = self.folder.join("other");
        let _ = fs::write(&other, text.replacen("seed = 1", "seed = 9", 1));
        let words: Vec<String> = words
            .iter()
            .map(|&word| match word {
                "OUT" => out.display().to_string(),
                "IN" => input.display().to_string(),
                "OTHER" => other.display().to_string(),
                word => word.to_owned(),
            })
            .collect();
        let printed = fs::File::create(self.folder.join("printed")).ok()?;
        let said = fs::File::create(self.folder.join("said")).ok()?;
        let mut command = self.bench.setup.command(&self.limit, "");
        command
            .args(words)
            .stdin(Stdio::null())
            .stdout(printed)
            .stderr(said)
            .spawn()
            .ok()
    }

    fn said(&self) -> String {
        let text = fs::read_to_string(self.folder.join("said")).unwrap_or_default();
        text.lines().last().unwrap_or_default().to_owned()
    }

    fn whole(&self, out: &Path) -> (Option<i32>, Vec<(String, Vec<u8>)>) {
        let status = self
            .start(self.job.words, out)
            .and_then(|mut child| finish(&mut child));
        let mut found = contents(out);
        if self.job.prints {
            found.push((
                "printed".to_owned(),
                fs::read(self.folder.join("printed")).unwrap_or_default(),
            ));
        }
        (status, found)
    }
}

fn finish(child: &mut Child) -> Option<i32> {
    let status = wait(child, Duration::from_secs(60));
    let _ = child.kill();
    let _ = child.wait();
    status.map(|status| status.code().unwrap_or(-1))
}

/// Every file under a path with its bytes; times in progress reports are not results.
fn contents(path: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    if let Ok(entries) = fs::read_dir(path) {
        for entry in entries.flatten() {
            for (name, bytes) in contents(&entry.path()) {
                found.push((format!("{}/{name}", entry.file_name().display()), bytes));
            }
        }
    } else if let Ok(bytes) = fs::read(path) {
        found.push((String::new(), bytes));
    }
    found.retain(|(name, _)| !name.contains("log") && !name.contains("lock"));
    found.sort();
    found
}

fn all_of(bench: &Bench, job: &Job) -> Vec<Check> {
    let Ok(scratch) = Scratch::new() else {
        return vec![Check::new("folder", "none", false)];
    };
    let place = Place {
        bench,
        job,
        limit: MemoryLimit::new(bench.setup.memory_mib),
        folder: &scratch.0,
    };
    let begun = Instant::now();
    let (status, reference) = place.whole(&scratch.0.join("reference.bd"));
    let took = begun.elapsed();
    let mut checks = vec![Check::new(
        "undisturbed",
        format!("{status:?} {}", place.said()),
        status == Some(0),
    )];
    if status == Some(0) {
        checks.push(killed(&place, &reference, took));
        checks.extend(at_once(&place, &reference));
        checks.extend(disks(&place));
    }
    checks
}

fn killed(place: &Place<'_>, reference: &[(String, Vec<u8>)], took: Duration) -> Check {
    let out = place.folder.join("killed.bd");
    let mut random = Random(0xDEAD_BEEF_1234_5679);
    let mut kills = 0;
    while kills < 10 {
        let Some(mut child) = place.start(place.job.words, &out) else {
            break;
        };
        let pause = took.mul_f64(0.05 + random.below(60) as f64 / 100.0);
        if wait(&mut child, pause).is_some() {
            break;
        }
        let _ = child.kill();
        let _ = child.wait();
        kills += 1;
    }
    let (status, found) = place.whole(&out);
    let same = found == *reference;
    let found = format!(
        "{status:?} after {kills} kills, same bytes: {same}, {}",
        place.said()
    );
    Check::new(
        "kill -9 and on",
        found,
        status == Some(0) && same && kills > 0,
    )
}

fn at_once(place: &Place<'_>, reference: &[(String, Vec<u8>)]) -> Vec<Check> {
    let out = place.folder.join("twice.bd");
    let mut first = place.start(place.job.words, &out);
    std::thread::sleep(Duration::from_millis(150));
    let second = place
        .start(place.job.words, &out)
        .and_then(|mut child| finish(&mut child));
    let said = place.said();
    let first = first.as_mut().and_then(finish);
    let mut found = contents(&out);
    if place.job.prints {
        found.push(reference.last().cloned().unwrap_or_default());
    }
    let same = found == *reference;
    // The first may have ended before the second began: then it has nothing to do.
    let holds = first == Some(0) && same && second.is_some();
    let mut checks = vec![Check::new(
        "two at once",
        format!("{first:?} and {second:?}, same bytes: {same}, {said}"),
        holds,
    )];
    if !place.job.changed.is_empty() {
        let before = contents(&out);
        let status = place
            .start(place.job.changed, &out)
            .and_then(|mut child| finish(&mut child));
        let kept = contents(&out) == before;
        checks.push(Check::new(
            "another question",
            format!("{status:?}, kept {kept}: {}", place.said()),
            kept && status.is_some_and(|code| code > 0),
        ));
    }
    checks
}

fn disks(place: &Place<'_>) -> Vec<Check> {
    let mut checks = Vec::new();
    for (what, options) in [("full disk", "size=4k"), ("read-only disk", "size=1m")] {
        let disk = place.folder.join("disk");
        let _ = fs::create_dir(&disk);
        let mount = |words: &[&str]| {
            Command::new("mount")
                .args(words)
                .arg(&disk)
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        if !mount(&["-t", "tmpfs", "-o", options, "none"]) {
            checks.push(Check::new(what, "not tried: mounting needs root", true));
            continue;
        }
        if what == "read-only disk" {
            mount(&["-o", "remount,ro"]);
        }
        let status = place
            .start(place.job.words, &disk.join("out.bd"))
            .and_then(|mut child| finish(&mut child));
        let said = place.said();
        let _ = Command::new("umount").arg(&disk).status();
        let holds =
            status.is_some_and(|code| code > 0) && !said.is_empty() && !said.contains("panicked");
        checks.push(Check::new(what, format!("{status:?}: {said}"), holds));
    }
    checks
}
