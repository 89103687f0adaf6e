//! The tables of hypergammon: against GNU Backgammon's, against themselves, against a count of their own, and after a kill.

use crate::support;
use gammond_engine::bearoff::{Database, HyperTable, HyperValue, make_hyper};
use gammond_game::{Chances, POINTS, Position, Roll, Side, reference_plays};
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

fn made(folder: &Path, checkers: usize) -> HyperTable {
    let path = folder.join("hyper.bd");
    assert!(make_hyper(&path, checkers, &mut |_| true).unwrap());
    open(&path)
}

fn open(path: &Path) -> HyperTable {
    match Database::open(path).unwrap() {
        Database::Hypergammon(table) => table,
        other => panic!("{other:?}"),
    }
}

/// All sides with 1 to so many checkers.
fn sides(checkers: usize) -> Vec<Side> {
    let mut found = vec![[0; POINTS]];
    let mut all = Vec::new();
    for _ in 0..checkers {
        let more = found.iter().flat_map(|counts: &[u8; POINTS]| {
            let rearmost = counts.iter().rposition(|&count| count > 0).unwrap_or(0);
            (rearmost..POINTS).map(|index| {
                let mut counts = *counts;
                counts[index] += 1;
                counts
            })
        });
        found = more.collect();
        all.extend(found.iter().filter_map(Side::from_counts));
    }
    all
}

fn legal(me: Side, opponent: Side) -> Option<Position> {
    Position::new(&me.counts(), &opponent.counts()).ok()
}

/// What a position with the opponent on roll is worth to me: chances, then owned, centred, centred by Jacoby, lent.
fn reply(value: &HyperValue) -> (Chances, [f64; 4]) {
    let [owned, centred, jacoby, lent] =
        [value.owned, value.centred, value.jacoby, value.lent].map(f64::from);
    let doubled = (2.0 * lent).min(1.0);
    let equities = [
        -lent,
        -centred.max(doubled),
        -jacoby.max(doubled),
        -owned.max(doubled),
    ];
    (value.chances.inverted(), equities)
}

/// Returns the worth to the winner, who has just borne off the last of so many checkers (HYPER-03).
fn won(loser: Side, checkers: u8) -> (Chances, [f64; 4]) {
    let points = match loser.occupied() >> 18 {
        _ if loser.on_board() < checkers => 1,
        0 => 2,
        _ => 3,
    };
    let [gammon, backgammon] = [2, 3].map(|least| f32::from(u8::from(points >= least)));
    let points = f64::from(points);
    let chances = Chances::from_array([1.0, gammon, backgammon, 0.0, 0.0]);
    (chances, [points, points, 1.0, points])
}

/// Returns the cubeless equity and the four equities from those after each play, by the slow generator of plays.
fn mean_of_best(
    position: &Position,
    mut worth: impl FnMut(&Position) -> (f64, [f64; 4]),
) -> [f64; 5] {
    let mut sums = [0.0; 5];
    for roll in Roll::ALL {
        let plays = reference_plays(position, roll);
        let after: Vec<Position> = match plays.is_empty() {
            true => vec![position.swapped()],
            false => plays.iter().map(|play| play.after).collect(),
        };
        let mut best = [f64::NEG_INFINITY; 5];
        for after in &after {
            let (cubeless, equities) = worth(after);
            best[0] = best[0].max(cubeless);
            for (best, equity) in best[1..].iter_mut().zip(equities) {
                *best = best.max(equity);
            }
        }
        for (sum, best) in sums.iter_mut().zip(best) {
            *sum += f64::from(roll.weight()) / 36.0 * best;
        }
    }
    sums
}

fn numbers(value: &HyperValue) -> [f64; 5] {
    let HyperValue {
        chances,
        owned,
        centred,
        jacoby,
        lent,
    } = *value;
    [chances.equity(), owned, centred, jacoby, lent].map(f64::from)
}

#[track_caller]
fn near(found: [f64; 5], wanted: [f64; 5], position: &Position) {
    for (found, wanted) in found.into_iter().zip(wanted) {
        assert!(
            (found - wanted).abs() < 3e-6,
            "{position:?}: {found} {wanted}"
        );
    }
}

/// Each position's value follows from those of the positions that can come next (HYPER-04, HYPER-05).
fn follows_from_next(checkers: u8, step: usize) {
    let folder = tempfile::tempdir().unwrap();
    let table = made(folder.path(), checkers.into());
    let sides = sides(checkers.into());
    let mut checked = 0;
    let pairs = (sides.iter()).flat_map(|&me| sides.iter().map(move |&other| (me, other)));
    for (me, opponent) in pairs.step_by(step) {
        let Some(position) = legal(me, opponent) else {
            continue;
        };
        let found = mean_of_best(&position, |after| {
            let (chances, equities) = match after.opponent().on_board() {
                0 => won(after.me(), checkers),
                _ => reply(&table.probe(after).unwrap()),
            };
            (chances.equity().into(), equities)
        });
        near(found, numbers(&table.probe(&position).unwrap()), &position);
        checked += 1;
    }
    assert!(checked > 500, "{checked}");
}

#[test]
fn values_of_one_checker_follow_from_the_next_ones() {
    follows_from_next(1, 1);
}

#[test]
#[ignore = "makes a table for seconds; .ci/run test runs it"]
fn values_of_two_checkers_follow_from_the_next_ones() {
    follows_from_next(2, 61);
}

/// Near the end there is no contact, and all that can happen can be counted without a table.
#[test]
#[ignore = "makes a table for seconds; .ci/run test runs it"]
fn endings_equal_a_count_of_all_that_can_happen() {
    type Known = HashMap<Position, [f64; 5]>;
    fn counted(position: &Position, known: &mut Known) -> [f64; 5] {
        if let Some(found) = known.get(position) {
            return *found;
        }
        let found = mean_of_best(position, |after| {
            if after.opponent().on_board() == 0 {
                let (chances, equities) = won(after.me(), 2);
                return (chances.equity().into(), equities);
            }
            let [cubeless, owned, centred, jacoby, lent] = counted(after, known);
            let doubled = (2.0 * lent).min(1.0);
            let equities = [
                -lent,
                -centred.max(doubled),
                -jacoby.max(doubled),
                -owned.max(doubled),
            ];
            (-cubeless, equities)
        });
        known.insert(*position, found);
        found
    }
    let folder = tempfile::tempdir().unwrap();
    let table = made(folder.path(), 2);
    let sides = sides(2);
    let mut known = Known::new();
    let pairs = (sides.iter()).flat_map(|&me| sides.iter().map(move |&other| (me, other)));
    let endings = pairs.filter(|(me, other)| me.pips() + other.pips() <= 24);
    let mut checked = 0;
    for (me, opponent) in endings.step_by(7) {
        let position = legal(me, opponent).unwrap();
        near(
            numbers(&table.probe(&position).unwrap()),
            counted(&position, &mut known),
            &position,
        );
        checked += 1;
    }
    assert!(checked >= 200, "{checked}");
}

/// HYPER-06: with one checker nobody is kept from playing, and our table is that of GNU Backgammon's `makehyper`.
#[test]
fn table_of_one_checker_equals_makehypers() {
    let folder = tempfile::tempdir().unwrap();
    let program = [Path::new("/usr/games/makehyper"), Path::new("makehyper")]
        .into_iter()
        .find(|program| {
            Command::new(program)
                .arg("-v")
                .stdout(Stdio::null())
                .status()
                .is_ok()
        });
    let Some(program) = program else {
        let test = "hyper::table_of_one_checker_equals_makehypers";
        return support::missing(test, "makehyper (apt-get install gnubg)");
    };
    let theirs = folder.path().join("theirs.bd");
    let done = Command::new(program)
        .args(["-n", "-c", "1", "-t", "1e-7", "-f"])
        .arg(&theirs)
        .stdout(Stdio::null())
        .status();
    assert!(done.unwrap().success());
    let (ours, theirs) = (made(folder.path(), 1), open(&theirs));
    assert_eq!(ours.file_bytes(), theirs.file_bytes());
    let sides = sides(1);
    let mut checked = 0;
    for (me, opponent) in sides
        .iter()
        .flat_map(|&me| sides.iter().map(move |&it| (me, it)))
    {
        let Some(position) = legal(me, opponent) else {
            continue;
        };
        let [ours, theirs] = [&ours, &theirs].map(|table| table.probe(&position).unwrap());
        near(numbers(&ours), numbers(&theirs), &position);
        for (ours, theirs) in ours
            .chances
            .to_array()
            .into_iter()
            .zip(theirs.chances.to_array())
        {
            assert!(
                (ours - theirs).abs() < 2e-6,
                "{position:?}: {ours} {theirs}"
            );
        }
        checked += 1;
    }
    assert_eq!(checked, 601);
}

/// HYPER-07: killed anywhere, the same command leads to the same bytes; another file is left alone.
#[test]
fn resumed_table_equals_one_made_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hyper1.bd");
    let part = folder.path().join("hyper1.bd.part");
    assert!(make_hyper(&path, 1, &mut |_| true).unwrap());
    let whole = fs::read(&path).unwrap();
    assert!(!part.exists());
    let mut kept = Vec::new();
    for most in [0, 1, 60, 200, 401] {
        fs::remove_file(&path).unwrap();
        let mut left = most;
        let stopped = make_hyper(&path, 1, &mut |_| {
            left -= 1;
            left >= 0
        });
        assert!(!stopped.unwrap() && !path.exists(), "{most}");
        if part.exists() {
            kept = fs::read(&part).unwrap();
        }
        let mut first = None;
        let resumed = make_hyper(&path, 1, &mut |stage| {
            first.get_or_insert(stage.sweeps);
            true
        });
        assert!(resumed.unwrap() && !part.exists(), "{most}");
        assert_eq!(first > Some(0), most >= 60, "{most}");
        assert!(fs::read(&path).unwrap() == whole, "{most}");
    }
    let refused = |bytes: &[u8], checkers: usize, wanted: &str| {
        fs::write(&part, bytes).unwrap();
        let error = make_hyper(&path, checkers, &mut |_| true)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains(wanted) && error.contains("hyper1.bd.part"),
            "{error}"
        );
        assert_eq!(fs::read(&part).unwrap(), bytes);
    };
    refused(b"my thesis", 1, "left unchanged");
    refused(&kept, 2, "left unchanged");
    for length in [0, 7, 23, 24, 100, kept.len() - 1] {
        refused(&kept[..length], 1, "left unchanged");
    }
    let mut damaged = kept.clone();
    damaged[500] ^= 4;
    refused(&damaged, 1, "wrong checksum");
}

/// HYPER-01.
#[test]
fn damaged_tables_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hyper1.bd");
    assert!(make_hyper(&path, 1, &mut |_| true).unwrap());
    let whole = fs::read(&path).unwrap();
    let refused = |bytes: &[u8]| Database::parse("h.bd", bytes.to_vec()).is_err();
    assert!(!refused(&whole));
    assert!(refused(&whole[..whole.len() - 1]) && refused(&[&whole[..], &[0]].concat()));
    let mut other = whole.clone();
    // The first number of the pair 0-1: the winner has won.
    other[40 + 28] ^= 1;
    assert!(refused(&other));
    let more = Position::new(
        &std::array::from_fn(|index| u8::from(index < 2)),
        &std::array::from_fn(|index| u8::from(index == 4)),
    );
    let Ok(Database::Hypergammon(table)) = Database::parse("h.bd", whole) else {
        panic!()
    };
    assert_eq!(table.probe(&more.unwrap()), None);
}
