//! The tables of hypergammon: against GNU Backgammon's, against themselves, against a count of their own, and after a kill.

use crate::support;
use gammond_engine::bearoff::{Database, HyperTable, HyperValue, make_hyper};
use gammond_engine::equity::AWAY_MAX;
use gammond_engine::{CubeQuery, Engine, EngineError, EvalQuery, PlayQuery, Settings, Stop};
use gammond_game::{
    Chances, Cube, CubeOwner, MatchState, POINTS, Position, Roll, Rules, Score, Side, Variant,
    reference_plays,
};
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

/// Returns my equities from those of the opponent, who is on roll and may double: owned, centred, centred by Jacoby, lent.
fn after_a_double([owned, centred, jacoby, lent]: [f64; 4]) -> [f64; 4] {
    let doubled = (2.0 * lent).min(1.0);
    [
        -lent,
        -centred.max(doubled),
        -jacoby.max(doubled),
        -owned.max(doubled),
    ]
}

/// Returns my chances and equities in a position with the opponent on roll.
fn reply(value: &HyperValue) -> (Chances, [f64; 4]) {
    let theirs = [value.owned, value.centred, value.jacoby, value.lent].map(f64::from);
    (value.chances.inverted(), after_a_double(theirs))
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

/// HYPER-03, HYPER-04, HYPER-05.
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
            let [cubeless, theirs @ ..] = counted(after, known);
            (-cubeless, after_a_double(theirs))
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

/// HYPER-06: with one checker each roll has a play, and our table is that of GNU Backgammon's `makehyper`.
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

/// HYPER-07: of two makers of one table the second is refused, and leaves nothing behind.
#[test]
fn second_maker_of_a_table_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hyper1.bd");
    let mut refusals = 0;
    let made = make_hyper(&path, 1, &mut |_| {
        let second = make_hyper(&path, 1, &mut |_| true);
        assert!(
            second
                .unwrap_err()
                .to_string()
                .contains("another gammond is using it")
        );
        refusals += 1;
        refusals < 3
    });
    assert!(!made.unwrap() && refusals == 3);
    assert!(make_hyper(&path, 1, &mut |_| true).unwrap());
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
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

/// An engine with the table of one checker.
fn engine(folder: &Path) -> Engine {
    assert!(make_hyper(&folder.join("hyper1.bd"), 1, &mut |_| true).unwrap());
    Engine::builder()
        .bearoff(folder)
        .threads(1)
        .build()
        .unwrap()
}

fn state(rules: Rules, owner: CubeOwner) -> MatchState {
    MatchState {
        cube: match owner {
            CubeOwner::Centred => Cube::CENTRED,
            owner => Cube::new(2, owner).unwrap(),
        },
        ..MatchState::money(rules).with_variant(Variant::Hypergammon1)
    }
}

/// HYPER-08: for money the engine's numbers are the table's, at every depth, with and without the Jacoby rule.
#[test]
fn answers_for_money_are_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let table = open(&folder.path().join("hyper1.bd"));
    let stop = Stop::never();
    let sides = sides(1);
    let positions = sides
        .iter()
        .flat_map(|&me| sides.iter().map(move |&it| (me, it)));
    let positions: Vec<Position> = positions
        .filter_map(|(me, it)| legal(me, it))
        .step_by(7)
        .collect();
    for (position, plies) in positions
        .iter()
        .flat_map(|position| [(position, 0), (position, 2)])
    {
        let value = table.probe(position).unwrap();
        let settings = Settings::plies(plies);
        for (jacoby, owner) in [
            (false, CubeOwner::Centred),
            (true, CubeOwner::Centred),
            (true, CubeOwner::Me),
        ] {
            let rules = Rules {
                jacoby,
                ..Rules::default()
            };
            let query = CubeQuery {
                position: *position,
                state: state(rules, owner),
            };
            let answer = engine.cube_action(&query, &settings, &stop).unwrap();
            let kept = match (owner, jacoby) {
                (CubeOwner::Me, _) => value.owned,
                (_, true) => value.jacoby,
                _ => value.centred,
            };
            let numbers =
                [answer.no_double, answer.double_take, answer.cubeless].map(|it| it.equity);
            let wanted = [kept, 2.0 * value.lent, value.chances.equity()].map(f64::from);
            for (found, wanted) in numbers.into_iter().zip(wanted) {
                assert!(
                    (found - wanted).abs() < 1e-5,
                    "{position:?} {plies}: {numbers:?}, {wanted}"
                );
            }
        }
    }
}

/// The best play is that after which the opponent's value is least; the gammon of a lonely checker counts.
#[test]
fn best_plays_are_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let table = open(&folder.path().join("hyper1.bd"));
    let state = state(Rules::default(), CubeOwner::Opponent);
    for roll in Roll::ALL {
        let position = Variant::Hypergammon1.start();
        let query = PlayQuery {
            position,
            roll,
            state,
        };
        let ranked = engine
            .rank_plays(&query, &Settings::plies(0), &Stop::never())
            .unwrap();
        let worth = |after: &Position| reply(&table.probe(after).unwrap()).1[3];
        let plays = reference_plays(&position, roll);
        let best = plays
            .iter()
            .map(|play| worth(&play.after))
            .fold(f64::NEG_INFINITY, f64::max);
        let found = ranked.best().value.equity;
        assert!((found - best).abs() < 1e-5, "{roll}: {found} {best}");
    }
}

/// The variant's own match equity table: even at even scores, monotone but for the model of the cube, complementary, and
/// used at match scores.
#[test]
fn matches_have_the_variants_own_equities() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let met = engine.met_of(Variant::Hypergammon1);
    assert_eq!(met.name(), "hypergammon1");
    assert_eq!(engine.met_of(Variant::Nackgammon), engine.met());
    for mine in 1..=AWAY_MAX as u32 {
        assert_eq!(met.before_crawford(mine, mine), 0.5);
        for theirs in 1..AWAY_MAX as u32 {
            let (near, far) = (
                met.before_crawford(mine, theirs),
                met.before_crawford(mine, theirs + 1),
            );
            assert!(near < far + 1e-5, "{mine} {theirs}: {near} {far}");
            assert!((near + met.before_crawford(theirs, mine) - 1.0).abs() < 1e-12);
        }
    }
    // A gammon is far more usual than in backgammon: who needs two points against one has more than that.
    assert!(met.before_crawford(2, 1) > engine.met().before_crawford(2, 1) + 0.05);
    let query = |length, away: [u32; 2]| EvalQuery {
        position: Variant::Hypergammon1.start(),
        state: MatchState {
            score: Score::new(length, length - away[0], length - away[1], false).unwrap(),
            ..state(Rules::default(), CubeOwner::Centred)
        },
    };
    let mwc = |length, away| {
        let found = engine.evaluate(&query(length, away), &Settings::plies(0), &Stop::never());
        found.unwrap().cubeful.unwrap().mwc.unwrap()
    };
    assert!(mwc(7, [2, 7]) > 0.8 && mwc(7, [7, 2]) < 0.3);
}

/// Without the table, and with more checkers than the variant has, one clear sentence.
#[test]
fn what_cannot_be_answered_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let engine = engine(folder.path());
    let ask = |variant: Variant, position: Position| {
        let state = MatchState::money(Rules::default()).with_variant(variant);
        engine.evaluate(
            &EvalQuery { position, state },
            &Settings::plies(0),
            &Stop::never(),
        )
    };
    let refused = ask(Variant::Hypergammon, Variant::Hypergammon.start());
    assert!(matches!(
        refused,
        Err(EngineError::NoTable(Variant::Hypergammon))
    ));
    let refused = ask(Variant::Hypergammon1, Position::start());
    assert!(matches!(refused, Err(EngineError::Position(_))));
    assert!(ask(Variant::Hypergammon1, Variant::Hypergammon1.start()).is_ok());
}
