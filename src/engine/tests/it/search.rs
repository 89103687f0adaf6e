//! Look-ahead, rankings and cube decisions with GNU Backgammon's weights against its recorded
//! answers; determinism; odd input.

use crate::equity::{chances, state, verdict_code};
use crate::support::{gnubg_wd, rows, shared};
use gammond_engine::engine::{Engine, Nets};
use gammond_engine::query::{
    CubeAnswer, CubeQuery, EvalQuery, MoveFilter, PlayQuery, RankedPlay, RankedPlays, SETTLED_TIE,
    Settings, Stop, settled,
};
use gammond_game::notation::{PositionId, parse_position};
use gammond_game::{
    Chances, Cube, CubeOwner, MatchState, Position, Roll, Rules, Score, legal_plays,
};
use serde_json::Value;

fn position(row: &Value) -> Position {
    let id = row["id"].as_str().unwrap();
    parse_position(id.as_bytes()).unwrap().position
}

fn engine(test: &str) -> Option<Engine> {
    let weights = gnubg_wd(test)?;
    Some(Engine::builder().nets(Nets::Path(weights)).build().unwrap())
}

/// All rows with `GAMMOND_TEST_ALL` or `GAMMOND_ORACLE_ALL`, else every `step`th.
fn sample(rows: Vec<Value>, ply: u64, step: usize) -> Vec<Value> {
    (rows.into_iter().filter(|row| row["ply"] == ply))
        .step_by(if all() { 1 } else { step })
        .collect()
}

fn rank(engine: &Engine, row: &Value, settings: &Settings) -> RankedPlays {
    let dice = &row["dice"];
    let die = |index: usize| dice[index].as_u64().unwrap() as u8;
    let query = PlayQuery {
        position: position(row),
        roll: Roll::new(die(0), die(1)).unwrap(),
        state: state(row),
    };
    engine.rank_plays(&query, settings, &Stop::never()).unwrap()
}

fn decide(engine: &Engine, row: &Value, settings: &Settings) -> CubeAnswer {
    let query = CubeQuery {
        position: position(row),
        state: state(row),
    };
    engine
        .cube_action(&query, settings, &Stop::never())
        .unwrap()
}

/// How rankings compare with recorded ones.
#[derive(Debug, Default)]
struct Agreement {
    rows: usize,
    same_best: usize,
    /// Given up by the reference's own numbers.
    loss: f64,
    worst: f64,
    /// Rows where the same plays were looked at at the full depth.
    same_depth: usize,
    /// Differences in the value of the best play.
    value: f64,
}

fn compare(engine: &Engine, rows: &[Value], plies: u8) -> Agreement {
    let mut found = Agreement::default();
    for row in rows.iter().filter(|row| row["n"].as_u64().unwrap() > 0) {
        let ours = rank(engine, row, &Settings::plies(plies));
        let theirs = row["moves"].as_array().unwrap();
        assert_eq!(ours.legal, theirs.len(), "{row}");
        let equity = |play: &Value| play["eq"].as_f64().unwrap();
        let of = |position: &Position| {
            let id = PositionId::from(*position).to_string();
            theirs
                .iter()
                .find(|play| play["id"] == id.as_str())
                .unwrap()
        };
        found.rows += 1;
        let best = of(&ours.plays[0].position);
        // Shallower plays may show more: what is lost is counted against the reference's choice.
        let loss = (equity(&theirs[0]) - equity(best)).max(0.0);
        let same = best["id"] == theirs[0]["id"] || loss == 0.0;
        found.same_best += usize::from(same);
        found.loss += loss;
        found.worst = found.worst.max(loss);
        let depths = |play: &gammond_engine::query::RankedPlay| {
            let other = of(&play.position);
            // Of plays that are worth the same, ours looks deeper at those that bear off faster (PLY-13).
            let is_tied = (equity(best) - equity(other)).abs() < 1e-4;
            is_tied || u64::from(play.plies) == other["ply"].as_u64().unwrap()
        };
        found.same_depth += usize::from(ours.plays.iter().all(depths));
        found.value += (ours.plays[0].value.equity - equity(best)).abs();
    }
    found
}

fn moves(test: &str, ply: u8, step: usize) -> Option<Agreement> {
    let path = shared(test, "oracle/moves.jsonl.gz")?;
    let engine = engine(test)?;
    let rows = sample(rows(&path), ply.into(), step);
    let found = compare(&engine, &rows, ply);
    println!("{ply}-ply plays: {found:?}");
    Some(found)
}

/// PLY-01, PLY-07.
#[test]
fn static_rankings_agree_with_gnubg() {
    let Some(found) = moves("static_rankings_agree_with_gnubg", 0, 1) else {
        return;
    };
    assert!(
        found.same_best as f64 >= 0.99 * found.rows as f64,
        "{found:?}"
    );
    assert!(found.worst < 0.001, "{found:?}");
}

fn deeper_rankings(test: &str, ply: u8, step: usize) {
    let Some(found) = moves(test, ply, step) else {
        return;
    };
    let rows = found.rows as f64;
    assert!(found.same_best as f64 >= 0.97 * rows, "{found:?}");
    assert!(found.loss < 0.0005 * rows, "{found:?}");
    assert!(found.same_depth as f64 >= 0.95 * rows, "{found:?}");
}

#[test]
fn one_ply_rankings_agree_with_gnubg() {
    deeper_rankings("one_ply_rankings_agree_with_gnubg", 1, 1);
}

/// PLY-01, PLY-03, PLY-04, PLY-06, PLY-07.
#[test]
fn two_ply_rankings_agree_with_gnubg() {
    deeper_rankings("two_ply_rankings_agree_with_gnubg", 2, 1);
}

#[test]
fn three_ply_rankings_agree_with_gnubg() {
    deeper_rankings("three_ply_rankings_agree_with_gnubg", 3, 4);
}

/// PLY-02, CUBE-07, CUBE-08, CUBE-09.
#[test]
fn deep_cube_decisions_agree_with_gnubg() {
    let test = "deep_cube_decisions_agree_with_gnubg";
    let Some(path) = shared(test, "oracle/cube.jsonl.gz") else {
        return;
    };
    let Some(engine) = engine(test) else { return };
    let all = rows(&path);
    let (mut count, mut near) = (0, 0);
    let mut verdicts: i32 = 0;
    let mut far = Vec::new();
    for (ply, step) in [(1_u8, 1), (2, 1), (3, 4)] {
        for row in sample(all.clone(), ply.into(), step) {
            let ours = decide(&engine, &row, &Settings::plies(ply));
            let difference = |ours: gammond_engine::query::Equities, key: &str| {
                // Far behind, EMG cancels in single precision: chances are compared there.
                let emg = (ours.equity - row[key].as_f64().unwrap()).abs();
                match (ours.mwc, row[format!("{key}_mwc")].as_f64()) {
                    (Some(mwc), Some(theirs)) if row["match_len"].as_u64() > Some(30) => {
                        emg.min((mwc - theirs).abs())
                    }
                    _ => emg,
                }
            };
            let worst = difference(ours.no_double, "nd").max(difference(ours.double_take, "dt"));
            count += 1;
            near += usize::from(worst <= 1e-3);
            verdicts +=
                i32::from(verdict_code(ours.verdict) == row["verdict_code"].as_u64().unwrap());
            if worst > 1e-3 {
                println!(
                    "{ply}-ply {worst:.5} {:?} {:?}: {row}",
                    ours.no_double, ours.double_take
                );
            }
            if worst > 0.02 {
                far.push(row["gnubgid"].to_string());
            }
        }
    }
    println!("{near} of {count} within 0.001, {verdicts} verdicts equal, far: {far:?}");
    assert!(near as f64 >= 0.97 * f64::from(count), "{near} of {count}");
    assert!(far.is_empty(), "{far:?}");
    assert_eq!(verdicts, count, "{verdicts} of {count} verdicts");
}

/// Whether everything is to be tested, however long it takes.
fn all() -> bool {
    let names = ["GAMMOND_TEST_ALL", "GAMMOND_ORACLE_ALL"];
    names.iter().any(|name| std::env::var_os(name).is_some())
}

/// Some decisions of every kind.
fn decisions() -> Vec<(Position, Roll, MatchState)> {
    let mut state = MatchState::default();
    let mut position = Position::start();
    let mut found = Vec::new();
    for (index, roll) in Roll::ALL.iter().cycle().take(240).enumerate() {
        state.score = match index % 4 {
            0 => Score::MONEY,
            1 => Score::new(7, 2, 4, false).unwrap(),
            2 => Score::new(5, 4, 1, true).unwrap(),
            _ => Score::new(9, 3, 8, false).unwrap(),
        };
        let owner = [CubeOwner::Centred, CubeOwner::Me, CubeOwner::Opponent][index % 3];
        state.cube = if state.score.is_crawford() || owner == CubeOwner::Centred {
            Cube::CENTRED
        } else {
            Cube::new(2, owner).unwrap()
        };
        found.push((position, *roll, state));
        let plays = legal_plays(&position, *roll);
        position = plays
            .get(index * 7 % plays.len().max(1))
            .map_or(position.swapped(), |play| play.after);
        if position.is_over() {
            position = Position::start();
        }
    }
    found
}

/// Every bit of the answers to some decisions with these settings.
fn answers(
    engine: &Engine,
    settings: &Settings,
    count: usize,
    skip: usize,
) -> Vec<(RankedPlays, CubeAnswer)> {
    let stop = Stop::never();
    (decisions().into_iter().skip(skip).take(count))
        .map(|(position, roll, state)| {
            let query = PlayQuery {
                position,
                roll,
                state,
            };
            let plays = engine.rank_plays(&query, settings, &stop).unwrap();
            let query = CubeQuery { position, state };
            (plays, engine.cube_action(&query, settings, &stop).unwrap())
        })
        .collect()
}

fn same_bits(nets: impl Fn() -> Nets) {
    let build = |threads, megabytes| {
        let builder = Engine::builder().nets(nets()).threads(threads);
        builder.cache_mb(megabytes).build().unwrap()
    };
    let reference = build(1, 64);
    // All 200 of every depth with GAMMOND_TEST_ALL.
    let (normal, swift) = (MoveFilter::NORMAL, MoveFilter::SWIFT);
    for (plies, count, filter) in [
        (0, 200, normal),
        (1, 40, normal),
        (2, 6, normal),
        (3, 1, normal),
        (2, 20, swift),
        (3, 2, swift),
    ] {
        let count = if all() { 200 } else { count };
        let skip = if plies == 3 { 12 } else { 0 };
        let settings = &Settings::plies(plies).with_filter(filter);
        let first = answers(&reference, settings, count, skip);
        assert_eq!(first, answers(&reference, settings, count, skip), "warm");
        for (threads, megabytes) in [(2, 0), (3, 1), (8, 16)] {
            let other = answers(&build(threads, megabytes), settings, count, skip);
            assert!(first == other, "{plies} plies, {threads} threads");
        }
    }
}

/// PLY-10.
#[test]
fn answers_are_the_same_bits_with_any_threads_and_cache() {
    same_bits(|| Nets::Embedded);
}

#[test]
#[ignore = "long; .ci/run test runs it"]
fn answers_of_gnubg_nets_are_the_same_bits_with_any_threads_and_cache() {
    let test = "answers_of_gnubg_nets_are_the_same_bits_with_any_threads_and_cache";
    if let Some(weights) = gnubg_wd(test) {
        same_bits(|| Nets::Path(weights.clone()));
    }
}

/// PLY-11: a 1-ply value of our own nets holds a quarter of the static one, those of 2 plies and of gnubg's nets none.
#[test]
fn one_ply_of_own_nets_is_mixed_with_the_static_value() {
    let own = Engine::builder().threads(1).build().unwrap();
    let mut settings = Settings::plies(0);
    (settings.cubeful, settings.prune) = (false, false);
    let value = |engine: &Engine, position, plies| {
        let query = EvalQuery {
            position,
            state: MatchState::default(),
        };
        let mut settings = settings.clone();
        settings.plies = plies;
        let found = engine.evaluate(&query, &settings, &Stop::never());
        f64::from(found.unwrap().chances.equity())
    };
    let stop = Stop::never();
    let by_hand = |engine: &Engine, position: Position| -> f64 {
        let best = |roll: Roll| {
            let state = MatchState::default();
            let query = PlayQuery {
                position,
                roll,
                state,
            };
            let ranked = engine.rank_plays(&query, &settings, &stop).unwrap();
            let weight = if roll.is_double() { 1.0 } else { 2.0 };
            weight * f64::from(ranked.plays[0].chances.equity())
        };
        Roll::ALL.into_iter().map(best).sum::<f64>() / 36.0
    };
    let engines = [
        Some((own, 0.25)),
        engine("one_ply_of_own_nets_is_mixed_with_the_static_value").map(|engine| (engine, 0.0)),
    ];
    for (engine, share) in engines.into_iter().flatten() {
        for (position, ..) in decisions().into_iter().take(9) {
            let (still, ahead) = (value(&engine, position, 0), by_hand(&engine, position));
            let expected = (1.0 - share) * ahead + share * still;
            let found = value(&engine, position, 1);
            assert!(
                (found - expected).abs() < 2e-5,
                "{position:?}: {found} {expected} {still}"
            );
        }
    }
}

/// The deepest search there is: a cube decision, and plays with few candidates.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn four_plies_work_and_are_the_same_bits() {
    let (position, roll, state) = decisions()[4];
    let mut settings = Settings::plies(4);
    settings.filter = MoveFilter::gnubg(2, 9.0, 2, 9.0);
    let answer = |threads, megabytes| {
        let builder = Engine::builder().threads(threads).cache_mb(megabytes);
        let engine = builder.build().unwrap();
        let query = CubeQuery { position, state };
        let cube = engine.cube_action(&query, &settings, &Stop::never());
        let query = PlayQuery {
            position,
            roll,
            state,
        };
        let plays = engine.rank_plays(&query, &settings, &Stop::never());
        (cube.unwrap(), plays.unwrap())
    };
    let (cube, ranked) = answer(2, 16);
    assert_eq!(cube.plies, 4);
    assert!(cube.no_double.equity.is_finite() && cube.double_take.equity.is_finite());
    let deep = ranked.plays.iter().filter(|play| play.plies == 4).count();
    assert!(ranked.legal > 2 && deep == 2, "{ranked:?}");
    assert_eq!((cube, ranked), answer(1, 1));
}

#[test]
fn a_deeper_play_is_never_below_a_shallower_one() {
    let engine = Engine::builder().build().unwrap();
    let answers = answers(&engine, &Settings::plies(2), 8, 4);
    assert_eq!(answers.len(), 8);
    for (ranked, _) in answers {
        let depths: Vec<u8> = ranked.plays.iter().map(|play| play.plies).collect();
        assert!(depths.is_sorted_by(|a, b| a >= b), "{depths:?}");
        if depths[0] > 0 {
            assert!(depths[1] == depths[0], "the best two are looked at equally");
        }
        for pair in ranked.plays.windows(2) {
            let [first, second] = pair else { continue };
            if first.plies == second.plies {
                let ahead = second.value.equity - first.value.equity;
                let races = !first.position.has_contact();
                let tie = if races { SETTLED_TIE } else { 0.0 };
                assert!(ahead <= tie, "{ranked:?}");
            }
        }
    }
}

/// PLY-12: what is looked at roll by roll is hardly ever another play, and then one that the whole search finds nearly as good;
/// the list is in order of depth and value, whatever was guessed on the way.
#[test]
fn a_swift_search_finds_the_plays_of_the_whole_one() {
    let engine = Engine::builder().build().unwrap();
    let swift = Settings::plies(2).with_filter(MoveFilter::SWIFT);
    let (mut same, mut loss, mut early) = (0, 0.0, 0);
    let whole = answers(&engine, &Settings::plies(2), 60, 0);
    for ((found, _), (whole, _)) in answers(&engine, &swift, 60, 0).iter().zip(&whole) {
        let best = &found.plays[0];
        let judged = whole.plays.iter().find(|play| play.play == best.play);
        let judged = judged.unwrap();
        if judged.plies == 2 {
            loss += whole.plays[0].value.equity - judged.value.equity;
        }
        same += usize::from(whole.plays[0].play == best.play);
        let deep = |ranked: &RankedPlays| ranked.plays.iter().filter(|p| p.plies == 2).count();
        early += usize::from(deep(found) < deep(whole));
        assert_eq!(found.plays.len(), whole.plays.len());
        for pair in found.plays.windows(2) {
            assert!(pair[0].plies >= pair[1].plies);
            if pair[0].plies == pair[1].plies {
                assert!(pair[0].value.equity >= pair[1].value.equity, "{found:?}");
            }
        }
    }
    assert!(same >= 55 && loss / 60.0 < 0.001, "{same} of 60, {loss}");
    assert!(early > 20, "{early}");
}

/// Positions that the player on roll hardly loses any more: an opponent on the bar, and little left to bear off.
fn won_positions() -> Vec<Position> {
    let side = |points: &[(usize, u8)]| {
        let mut counts = [0; 25];
        for &(point, count) in points {
            counts[point - 1] = count;
        }
        counts
    };
    let me = [
        side(&[(1, 3), (2, 2)]),
        side(&[(1, 2), (2, 3), (3, 2)]),
        side(&[(1, 4), (2, 2), (3, 2), (4, 2)]),
        side(&[(1, 5), (2, 2), (3, 1)]),
        side(&[(1, 3), (2, 3), (3, 3), (4, 1)]),
        side(&[(1, 2), (2, 2), (4, 2), (5, 2)]),
    ];
    let opponent = [
        side(&[(6, 5), (8, 3), (13, 4), (15, 2), (25, 1)]),
        side(&[(12, 5), (13, 5), (14, 4), (25, 1)]),
        side(&[(10, 10), (16, 4), (25, 1)]),
    ];
    let pairs = me
        .iter()
        .flat_map(|me| opponent.iter().map(move |it| (me, it)));
    pairs
        .map(|(me, it)| Position::new(me, it).unwrap())
        .collect()
}

/// Where plays with contact win for certain, cubeful equities differ by rounding only, and the
/// cubeless ones decide. With gnubg's weights its order stays. Races: PLY-13.
#[test]
fn plays_that_win_for_certain_are_ranked_without_the_cube() {
    const NOISE: f64 = 0.0001;
    let ours = Engine::builder().threads(1).build().unwrap();
    let theirs = engine("plays_that_win_for_certain_are_ranked_without_the_cube");
    let (mut certain, mut decided) = (0, 0);
    for position in won_positions() {
        for roll in Roll::ALL {
            let state = MatchState::money(Rules::default());
            let query = PlayQuery {
                position,
                roll,
                state,
            };
            let settings = Settings::plies(0);
            let rank = |engine: &Engine, settings: &Settings| {
                engine
                    .rank_plays(&query, settings, &Stop::never())
                    .unwrap()
                    .plays
            };
            let ranked = rank(&ours, &settings);
            let mut cubeless = settings.clone();
            cubeless.cubeful = false;
            let without = rank(&ours, &cubeless);
            let of = |position: &Position| {
                let play = without.iter().find(|play| play.position == *position);
                play.unwrap().value.equity
            };
            let best = &ranked[0];
            for play in ranked
                .iter()
                .filter(|play| play.chances.win >= 0.999)
                .skip(1)
            {
                certain += 1;
                let ahead = play.value.equity - best.value.equity;
                assert!(ahead <= NOISE, "{position:?} {roll}");
                if !position.has_contact() {
                    continue;
                }
                let over = |position: &Position| position.is_over();
                if over(&play.position) == over(&best.position) && ahead > -1e-9 {
                    assert!(
                        of(&play.position) <= of(&best.position),
                        "{position:?} {roll}"
                    );
                    decided += usize::from(ahead > 0.0);
                }
            }
            if let Some(theirs) = &theirs {
                let ranked = rank(theirs, &settings);
                let rest = ranked.iter().filter(|play| !play.position.is_over());
                let values = rest.map(|play| play.value.equity);
                assert!(values.is_sorted_by(|a, b| a >= b), "{position:?} {roll}");
            }
        }
    }
    println!("{certain} plays that win for certain, {decided} rankings that noise had decided");
    assert!(certain > 5 && decided > 0, "{certain} {decided}");
}

/// PLY-09.
#[test]
fn a_stopped_search_ends_and_a_budget_always_answers() {
    let engine = Engine::builder().build().unwrap();
    let (position, roll, state) = decisions()[1];
    let query = PlayQuery {
        position,
        roll,
        state,
    };
    let stop = Stop::new();
    stop.trigger();
    assert!(
        engine
            .rank_plays(&query, &Settings::plies(4), &stop)
            .is_err()
    );
    let mut settings = Settings::default();
    settings.time_ms = Some(0);
    let ranked = engine
        .rank_plays(&query, &settings, &Stop::never())
        .unwrap();
    assert!(!ranked.plays.is_empty());
    settings.time_ms = Some(60);
    let cube = CubeQuery { position, state };
    assert!(engine.cube_action(&cube, &settings, &Stop::never()).is_ok());
    let eval = EvalQuery { position, state };
    assert!(engine.evaluate(&eval, &settings, &Stop::never()).is_ok());
}

/// PLY-08.
#[test]
fn noise_weakens_and_repeats() {
    let engine = Engine::builder().build().unwrap();
    let (position, roll, state) = decisions()[1];
    let query = PlayQuery {
        position,
        roll,
        state,
    };
    let mut settings = Settings::default();
    settings.noise = 0.05;
    let once = engine
        .rank_plays(&query, &settings, &Stop::never())
        .unwrap();
    let again = engine
        .rank_plays(&query, &settings, &Stop::never())
        .unwrap();
    let clean = engine
        .rank_plays(&query, &Settings::default(), &Stop::never())
        .unwrap();
    assert_eq!(once, again);
    assert_ne!(once, clean);
}

#[test]
fn custom_filters_and_cubeless_searches() {
    let engine = Engine::builder().build().unwrap();
    let (position, roll, state) = decisions()[4];
    let query = PlayQuery {
        position,
        roll,
        state,
    };
    let mut settings = Settings::plies(1);
    settings.cubeful = false;
    settings.filter = MoveFilter::gnubg(3, 9.0, 2, 9.0);
    let ranked = engine
        .rank_plays(&query, &settings, &Stop::never())
        .unwrap();
    let deep = ranked.plays.iter().filter(|play| play.plies == 1).count();
    assert_eq!(deep, 3);
    for play in &ranked.plays {
        assert!((play.value.equity - f64::from(play.chances.equity())).abs() < 1e-5);
    }
    settings.top = Some(2);
    assert_eq!(
        engine
            .rank_plays(&query, &settings, &Stop::never())
            .unwrap()
            .plays
            .len(),
        2
    );
}

/// Scores and cubes at the edges: a clear error, or an answer of finite numbers.
///
/// MET-12.
#[test]
fn odd_scores_and_cubes_have_an_answer() {
    assert!(Score::new(256, 0, 0, false).is_err());
    assert!(Score::new(255, 254, 0, true).is_ok());
    assert!(Score::new(5, 5, 0, false).is_err());
    assert!(Score::new(0, 1, 0, false).is_err());
    assert!(Score::new(0, 0, 0, true).is_err());
    assert!(Score::new(5, 0, 0, true).is_err());
    assert!(Cube::new(3, CubeOwner::Me).is_err());
    assert!(Cube::new(8192, CubeOwner::Me).is_err());
    let engine = Engine::builder().build().unwrap();
    let owners = [CubeOwner::Centred, CubeOwner::Me, CubeOwner::Opponent];
    let lengths = [
        (0, 0, 0),
        (1, 0, 0),
        (2, 1, 0),
        (3, 1, 1),
        (64, 0, 0),
        (64, 63, 0),
        (64, 0, 63),
    ];
    for (length, me, opponent) in lengths {
        let crawford = length > 1 && (me + 1 == length) != (opponent + 1 == length);
        for crawford in [false, crawford] {
            for (value, owner) in [1, 2, 32, 64, 128, 4096]
                .into_iter()
                .flat_map(|value| owners.map(|owner| (value, owner)))
            {
                let mut state = MatchState::money(Rules::default());
                state.score = Score::new(length, me, opponent, crawford).unwrap();
                state.cube = Cube::new(value, owner).unwrap();
                for plies in [0, 1] {
                    let query = CubeQuery {
                        position: Position::start(),
                        state,
                    };
                    let settings = Settings::plies(plies);
                    let answer = engine
                        .cube_action(&query, &settings, &Stop::never())
                        .unwrap();
                    for value in [answer.no_double, answer.double_take, answer.double_pass] {
                        assert!(value.equity.is_finite(), "{state:?} {answer:?}");
                        assert!(value.mwc.is_none_or(|mwc| (0.0..=1.0).contains(&mwc)));
                        assert_eq!(value.mwc.is_some(), length > 0);
                    }
                    if plies == 0 {
                        let query = PlayQuery {
                            position: Position::start(),
                            roll: Roll::new(3, 1).unwrap(),
                            state,
                        };
                        let ranked = engine
                            .rank_plays(&query, &settings, &Stop::never())
                            .unwrap();
                        assert!(ranked.plays[0].value.equity.is_finite());
                    }
                }
            }
        }
    }
}

/// PLY-05.
#[test]
fn a_dance_and_a_finished_game() {
    let engine = Engine::builder().build().unwrap();
    let mut mine = [0; 25];
    mine[24] = 2;
    mine[0] = 13;
    let mut theirs = [0; 25];
    theirs[..6].fill(2);
    theirs[12] = 3;
    let position = Position::new(&mine, &theirs).unwrap();
    let state = MatchState::default();
    for plies in [0, 1, 2] {
        let query = PlayQuery {
            position,
            roll: Roll::new(6, 6).unwrap(),
            state,
        };
        let ranked = engine
            .rank_plays(&query, &Settings::plies(plies), &Stop::never())
            .unwrap();
        assert_eq!((ranked.legal, ranked.plays.len()), (0, 1));
        assert!(ranked.plays[0].play.is_pass());
    }
    let over = Position::new(&mine, &[0; 25]).unwrap();
    let query = EvalQuery {
        position: over,
        state,
    };
    let value = engine
        .evaluate(&query, &Settings::plies(2), &Stop::never())
        .unwrap();
    assert_eq!(value.chances.win, 0.0);
    let lost = Chances {
        lose_gammon: 1.0,
        lose_backgammon: 1.0,
        ..Chances::default()
    };
    assert!(value.chances.lose_gammon <= lost.lose_gammon);
}

/// The values of the recorded states are read as they are meant.
#[test]
fn recorded_rows_are_understood() {
    let Some(path) = shared("recorded_rows_are_understood", "oracle/cube.jsonl.gz") else {
        return;
    };
    for row in rows(&path) {
        let probabilities = chances(&row["probs"]);
        assert!((0.0..=1.0).contains(&probabilities.win));
        assert!(state(&row).score.length() <= 64);
    }
}

/// A race in which the player on roll has `mine` checkers left at home and the opponent all of his at least `far`
/// points from home.
fn lopsided_race(chance: &mut gammond_base::rng::ChaCha8Rng, mine: u32, far: u32) -> Position {
    use gammond_base::rng::below;
    use gammond_game::POINTS;
    let (mut me, mut other) = ([0_u8; POINTS], [0_u8; POINTS]);
    for _ in 0..mine {
        me[below(chance, 6) as usize] += 1;
    }
    for _ in 0..15 {
        other[(far + below(chance, 12 - far / 2)).min(17) as usize] += 1;
    }
    Position::new(&me, &other).unwrap()
}

/// PLY-13, issue 39: in a race that is won or lost for certain no play that is worth the same as the first one takes
/// more checkers off, or leaves fewer pips; and such plays lose nothing.
#[test]
fn settled_races_bear_off_fast() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let mut chance = gammond_base::rng::stream(39, 0);
    let mut won = 0;
    let mut lost = 0;
    for number in 0..120_u8 {
        let position = lopsided_race(&mut chance, 2 + u32::from(number) % 7, 4);
        let position = match number % 3 {
            2 => position.swapped(),
            _ => position,
        };
        let query = PlayQuery {
            position,
            roll: Roll::thrown(&mut chance),
            state: MatchState::money(Rules::default()),
        };
        let settings = Settings::plies([0, 1, 0, 1, 0, 2][usize::from(number) % 6]);
        let ranked = engine
            .rank_plays(&query, &settings, &Stop::never())
            .unwrap();
        let best = ranked.best();
        let Some(wins) = settled(&best.position, &best.chances) else {
            continue;
        };
        won += u32::from(wins);
        lost += u32::from(!wins);
        let left = |play: &RankedPlay| {
            let side = play.position.opponent();
            (15 - side.off(), side.pips())
        };
        for play in ranked.plays.iter().filter(|play| play.equals(best)) {
            let (found, wanted) = (left(best), left(play));
            assert!(found <= wanted, "{query:?} {settings:?}: {best:?} {play:?}");
            assert_eq!(play.loss(best), 0.0, "{query:?}");
        }
    }
    assert!(won > 30 && lost > 10, "{won} won, {lost} lost");
}

/// PLY-15: the filter `auto` is `swift` for one play and `normal` for a list.
#[test]
fn filter_auto_depends_on_the_number_of_plays_asked_for() {
    let engine = Engine::builder().build().unwrap();
    let settings = |filter| Settings::plies(2).with_filter(filter);
    let (auto, swift) = (settings(MoveFilter::AUTO), settings(MoveFilter::SWIFT));
    let found = |settings: &Settings| answers(&engine, settings, 8, 0);
    let list = found(&auto);
    assert_eq!(list, found(&Settings::plies(2)));
    assert_ne!(list, found(&swift));
    assert_eq!(found(&auto.with_top(1)), found(&swift.with_top(1)));
}
