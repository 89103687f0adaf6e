//! The laboratory: training that survives kills, refuses what is not its own, and learns.

use gammond_arena::player::classic::{ClassicFile, ClassicShape, Representation, Sides};
use gammond_base::stop::Stop;
use gammond_job::Control;
use gammond_train::lab::hillclimb::HillPlan;
use gammond_train::lab::td::TdPlan;
use gammond_train::lab::{LabError, TrainingLoop, check_target, run_training, write_net};
use std::fs;
use std::path::Path;

fn td(episodes: u64) -> TdPlan<'static> {
    TdPlan {
        shape: ClassicShape::new(Representation::TdGammon196, &[6], 4).unwrap(),
        range: 0.1,
        seed: 7,
        alpha: 0.1,
        half_life: Some(100.0),
        lambda: 0.5,
        sides: Sides::Swap,
        episodes,
        every: 2,
        tests: None,
    }
}

fn climb(rounds: u64) -> HillPlan<'static> {
    HillPlan {
        shape: ClassicShape::new(Representation::QuackNorm, &[4], 1).unwrap(),
        range: 0.1,
        seed: 7,
        mutation: 0.5,
        alpha: 0.05,
        best_of: 3,
        sides: Sides::Swap,
        teacher: None,
        rounds,
        every: 2,
        tests: None,
    }
}

/// Stopped after each step and begun again, a course makes the same journal as in one go.
fn survives<C: TrainingLoop>(course: &C) {
    let folder = tempfile::tempdir().unwrap();
    let [whole, pieces] = ["whole", "pieces"].map(|name| folder.path().join(name));
    run_training(course, Some(&whole), &mut Control::quiet()).unwrap();
    let mut runs = 0;
    loop {
        let stop = Stop::new();
        let token = stop.clone();
        let (mut first, mut seen) = (true, 0);
        let mut control = Control::new(stop, move |event| {
            // The first event tells where it begins: stop behind the first step from there.
            if !first && event.progress.done > seen {
                token.trigger();
            }
            if first {
                seen = event.progress.done;
            }
            first = false;
        });
        let end = run_training(course, Some(&pieces), &mut control).unwrap();
        runs += 1;
        if end.complete {
            break;
        }
        // A kill in the middle of a record.
        let mut bytes = fs::read(&pieces).unwrap();
        bytes.extend(b"torn");
        fs::write(&pieces, bytes).unwrap();
    }
    assert_eq!(runs, course.steps());
    assert_eq!(fs::read(&whole).unwrap(), fs::read(&pieces).unwrap());
}

#[test]
fn stopped_training_ends_with_the_same_bytes() {
    survives(&td(6));
    survives(&climb(6));
}

#[test]
fn training_writes_only_its_own_files() {
    let folder = tempfile::tempdir().unwrap();
    let journal = folder.path().join("journal");
    let plan = td(2);
    let end = run_training(&plan, Some(&journal), &mut Control::quiet()).unwrap();
    // Another seed, another kind of work, somebody else's file.
    let mut other = td(2);
    other.seed = 8;
    let holds = |error: String, why: &str| assert!(error.contains(why), "{error}");
    let refused = |result: Result<(), LabError>, why: &str| {
        holds(result.unwrap_err().to_string(), why);
    };
    let run = |journal: &Path, plan: &TdPlan<'_>| {
        let end = run_training(plan, Some(journal), &mut Control::quiet());
        end.err().unwrap().to_string()
    };
    let before = fs::read(&journal).unwrap();
    holds(run(&journal, &other), "seed was '7', now it is '8'");
    let climbed = run_training(&climb(2), Some(&journal), &mut Control::quiet()).map(drop);
    refused(climbed, "job was 'lab td'");
    assert_eq!(fs::read(&journal).unwrap(), before);
    let foreign = folder.path().join("foreign");
    fs::write(&foreign, "my thesis\n").unwrap();
    holds(run(&foreign, &plan), "not a file of gammond's");
    let header = plan.header().unwrap();
    refused(check_target(&foreign, &header), "no whole classic net");
    assert_eq!(fs::read_to_string(&foreign).unwrap(), "my thesis\n");
    // A net may be replaced by the same work only.
    let net = folder.path().join("a.net");
    write_net(&net, &end.state.net, &header, 2).unwrap();
    write_net(&net, &end.state.net, &header, 4).unwrap();
    let kept = fs::read(&net).unwrap();
    let others = other.header().unwrap();
    let written = write_net(&net, &end.state.net, &others, 2);
    refused(written, "a net made with another seed; left unchanged");
    assert_eq!(fs::read(&net).unwrap(), kept);
    let file = ClassicFile::load(&net).unwrap();
    assert_eq!(file.net, end.state.net);
    fs::write(&net, ClassicFile::of(file.net).text()).unwrap();
    refused(
        check_target(&net, &header),
        "without the settings that made it",
    );
}
