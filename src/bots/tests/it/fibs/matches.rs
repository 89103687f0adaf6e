//! Whole matches: every kind of server, every fault, the link cut anywhere.

use super::world::*;
use super::*;

/// FIBS-12 to FIBS-16: whole matches of all lengths on four kinds of server, nothing refused, every
/// result right. 30 matches a seed; `GAMMOND_FIBS_MATCHES` for more.
#[test]
fn whole_matches() {
    let wanted = std::env::var("GAMMOND_FIBS_MATCHES").ok();
    let count = wanted.map_or(30, |text| text.parse().unwrap());
    let faults = Faults {
        glue: 6,
        chatter: 10,
        repeat: 8,
        drop: 150,
        ..Faults::default()
    };
    // What happens depends on the nets: seeds are added until all kinds of events were seen.
    let first = std::env::var("GAMMOND_FIBS_SEED").map_or(112, |text| text.parse().unwrap());
    let mut worlds = Vec::new();
    let mut sums = Vec::new();
    for seed in first..first + 40 {
        worlds.extend(matches(count, faults, seed));
        sums = worlds[0].server.seen.kinds().to_vec();
        for world in &worlds[1..] {
            for (sum, (_, more)) in sums.iter_mut().zip(world.server.seen.kinds()) {
                sum.1 += more;
            }
        }
        let decisions: u64 = worlds.iter().map(|world| world.decisions).sum();
        eprintln!(
            "seeds {first} to {seed}: {} matches, {decisions} decisions, 0 refusals, 0 stalls, all \
             results right",
            count as u64 * (seed - first + 1)
        );
        if sums.iter().all(|(_, sum)| *sum > 0) {
            break;
        }
    }
    for (kind, sum) in &sums {
        eprintln!("{sum:>8} {kind}");
    }
    for (kind, sum) in &sums {
        assert!(*sum > 0, "no {kind}");
    }
    let saved: [fn(&World) -> u32; 2] = [
        |world| world.server.seen.saves,
        |world| world.server.seen.resumes,
    ];
    for what in saved {
        let sum: u32 = worlds.iter().map(what).sum();
        eprintln!("{sum:>8} saved, or resumed");
        assert!(sum > 0);
    }
}

/// FIBS-17: commands that the server loses, rolls that it forgets after a resume.
#[test]
fn a_server_that_loses_commands() {
    let faults = Faults {
        swallow: 12,
        chatter: 10,
        drop: 80,
        forget_roll: true,
        glue: 5,
        repeat: 5,
        ..Faults::default()
    };
    let worlds = matches(8, faults, 200);
    assert!(worlds.iter().any(|world| world.server.seen.swallowed > 0));
}

/// an engine that takes all of its 4 s again and again: each answer is on the wire at once
/// when it is known, but for the pace (FIBS-22), long before any server gives up.
#[test]
fn a_slow_engine_answers_in_time() {
    let mut took = Vec::new();
    for (style, seed) in STYLES.into_iter().zip(70..) {
        let faults = Faults {
            chatter: 10,
            repeat: 8,
            ..Faults::default()
        };
        let mut world = World::new(Server::new(style, faults, &PLAN[..3], seed), seed);
        world.think = 4001;
        world.play(3, "slow");
        world.check("slow");
        took.append(&mut world.took);
    }
    took.sort_unstable();
    let pace = Timing::default().pace_ms;
    eprintln!(
        "{} answers, the slowest after {:?} ms",
        took.len(),
        took.last()
    );
    assert!(took.len() > 200 && took.last() > Some(&3800));
    assert!(took.last() <= Some(&(4000 + pace)), "{:?}", took.last());
}

/// FIBS-15, FIBS-20, FIBS-31: the link is cut after byte k of a match; the match ends, never
/// by a play for an old board, and the bot knows that it ended, even when the cut hid its end.
#[test]
fn the_link_is_cut_after_any_byte() {
    let every = std::env::var("GAMMOND_FIBS_CUT_EVERY").ok();
    for style in [Style::Fibs, Style::Jibs055] {
        // A second match: some servers have no list of saved ones, and its start tells.
        let plan = [Some(1), Some(1)];
        let server = |seed| Server::new(style, Faults::default(), &plan, seed);
        let mut whole = World::new(server(5), 5);
        whole.play(1, "whole");
        let bytes = whole.received;
        assert!(bytes > 3000);
        let step = every
            .as_ref()
            .map_or(bytes / 40, |text| text.parse().unwrap());
        let (mut cuts, mut unseen, mut guessed) = (0, 0, 0);
        for cut in (1..bytes).step_by(step) {
            let mut world = World::new(server(5), 5);
            world.cut_after = Some(cut);
            let what = format!("{style:?} cut after {cut}");
            world.play(2, &what);
            world.check(&what);
            cuts += 1;
            let hidden = |record: &&MatchRecord| record.unseen;
            unseen += world.records.iter().filter(hidden).count();
            let known = |record: &&MatchRecord| record.outcome != Some(MatchEnd::Unknown);
            guessed += world.records.iter().filter(hidden).filter(known).count();
        }
        eprintln!(
            "{style:?}: {bytes} bytes, {cuts} cuts, {unseen} ends hidden, {guessed} of them known by the rating"
        );
    }
}

/// a server that changes its words and habits in the middle of a match, again and again, tears, glues,
/// interleaves strangers' words and cuts the link: the match goes on by what the boards say.
#[test]
fn a_server_of_mixed_habits() {
    let rounds = std::env::var("GAMMOND_FIBS_MIXED").map_or(2, |text| text.parse().unwrap());
    let first = std::env::var("GAMMOND_FIBS_SEED").map_or(804, |text| text.parse().unwrap());
    let (mut changes, mut failed) = (0, Vec::new());
    for seed in first..first + rounds {
        let told = std::panic::catch_unwind(|| mixed(seed));
        match told {
            Ok(more) => changes += more,
            Err(_) => failed.push(seed),
        }
    }
    eprintln!("{changes} changes in {rounds} plans, failed {failed:?}");
    assert!(failed.is_empty() && changes > 20, "seeds {failed:?}");
}

/// A plan of matches on one server of all kinds; says how often it changed.
fn mixed(seed: u64) -> u32 {
    let mut world = World::new(
        Server::new(Style::Fibs, Faults::with_habits(seed), &PLAN, seed),
        seed,
    );
    let what = format!("mixed seed {seed}");
    let mut changes = 0;
    play_plan(&mut world, &what, |world| {
        if below(&mut world.chance, 80) == 0 {
            changes += 1;
            let habits = u64::from(below(&mut world.chance, 32));
            world.server.style = STYLES[below(&mut world.chance, 4) as usize];
            world.server.faults = Faults::with_habits(habits);
            world.split = below(&mut world.chance, 3) > 0;
        }
        // A server that rolls by itself and tears the board that says so may be asked to roll once more. It refuses, and
        // nothing is lost. Any other refusal is a failure.
        let refusals = &mut world.server.refusals;
        refusals.retain(|refusal| refusal != "roll: ** You did already roll the dice.");
    });
    changes
}

/// All matches of the plan, the link cut once in each, and `after` called after each step; then everything is checked.
fn play_plan(world: &mut World, what: &str, mut after: impl FnMut(&mut World)) {
    for number in 1..=PLAN.len() {
        let cut = below(&mut world.chance, 20_000) as usize;
        world.cut_after = Some(world.received + cut);
        let start = world.now;
        while world.server.results.len() < number || world.server.busy() {
            world.step();
            assert!(
                world.now < start + 36_000_000,
                "{what}: stall in match {number}"
            );
            after(world);
        }
    }
    world.check(what);
}

/// All faults and broken links, 16 plans of matches; `tools/fibs-soak.sh` sets the minutes of a
/// longer run.
#[test]
fn soak() {
    let minutes = std::env::var("GAMMOND_FIBS_SOAK_MINUTES");
    let minutes: u64 = minutes.map_or(0, |text| text.parse().unwrap());
    // The soak test lasts as long as it was asked to.
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60 * minutes);
    let first = std::env::var("GAMMOND_FIBS_SEED").map_or(1000, |text| text.parse().unwrap());
    let (mut played, mut lost, mut unseen, mut unknown, mut crossed, mut seed) =
        (0, 0, 0, 0, 0, first);
    let mut failed = Vec::new();
    while seed < first + 16 || std::time::Instant::now() < end {
        let Ok(world) = std::panic::catch_unwind(|| night(seed)) else {
            failed.push(seed);
            seed += 1;
            continue;
        };
        let hidden = world.records.iter().filter(|record| record.unseen);
        unseen += hidden.clone().count();
        let unsettled = |record: &&MatchRecord| record.outcome == Some(MatchEnd::Unknown);
        unknown += hidden.filter(unsettled).count();
        lost += world.server.results.len() - world.records.len();
        crossed += world.server.seen.crossed;
        played += PLAN.len();
        seed += 1;
        if seed % 100 == 0 {
            let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
            let memory = status.lines().find(|line| line.starts_with("VmRSS"));
            eprintln!(
                "{played} matches to seed {seed}, ends hidden {unseen}, how unknown of {unknown}, crossed {crossed}, not told yet {lost}, failed \
                 {failed:?}, {}",
                memory.unwrap_or_default()
            );
        }
    }
    eprintln!(
        "{played} matches of seeds {first} to {}, ends hidden {unseen}, how unknown of {unknown}, crossed {crossed}",
        seed - 1
    );
    assert!(failed.is_empty(), "seeds {failed:?}");
}

/// A plan of matches with all faults on and a cut in each.
pub(super) fn night(seed: u64) -> World {
    let style = STYLES[seed as usize % 4];
    let habits = seed / 4;
    let faults = match seed % 5 {
        4 => Faults::without_board(habits),
        _ => Faults::with_habits(habits),
    };
    let mut world = World::new(Server::new(style, faults, &PLAN, seed), seed);
    let what = format!("soak seed {seed}");
    play_plan(&mut world, &what, |_| ());
    // Only the last one may still be looked for.
    let later = world.server.results.len() - world.records.len();
    assert!(later <= 1, "{what}");
    world
}
