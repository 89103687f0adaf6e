//! Rollouts (RO-01, Q-60 to Q-62): unbiased, the same bits for any number of threads and pieces, settings checked.

use gammond_base::rng::{below, stream};
use gammond_base::stats::Running;
use gammond_engine::bearoff::Tables;
use gammond_engine::engine::{Engine, Nets};
use gammond_engine::equity::{CubeEfficiency, MatchEquityTable};
use gammond_engine::eval::{Evaluator, NoShortcuts, SearchPolicy, Shortcuts};
use gammond_engine::query::{
    MoveFilter, RolloutAnswer, RolloutEnd, RolloutQuery, RolloutSettings, RolloutSide,
    RolloutSubject, Settings, Stop, Truncation,
};
use gammond_engine::rollout::{Rollout, RolloutError};
use gammond_engine::search::Context;
use gammond_game::notation::parse_position;
use gammond_game::{
    Chances, Class, Cube, CubeOwner, MatchState, Position, Roll, Rules, Score, legal_plays,
};

const NO_RULES: Rules = Rules {
    jacoby: false,
    beavers: false,
};

fn query(position: Position, state: MatchState, subject: RolloutSubject) -> RolloutQuery {
    RolloutQuery {
        position,
        state,
        subject,
    }
}

fn settings(trials: u32, cubeful: bool) -> RolloutSettings {
    let mut settings = RolloutSettings::default();
    settings.trials = trials;
    settings.cubeful = cubeful;
    settings
}

/// Judges by the exact tables, but believes in everything half as much: the same plays are best, and luck is only half
/// of what it is.
#[derive(Debug)]
struct Doubter(&'static Tables);

impl Evaluator for Doubter {
    fn name(&self) -> &str {
        "doubter"
    }

    fn class(&self, position: &Position) -> Class {
        match Class::of(position) {
            Class::Over => Class::Over,
            // No table is known to the one who asks.
            _ => Class::Race,
        }
    }

    fn evaluate(&self, _: Option<&Position>, positions: &[Position], out: &mut [Chances]) {
        for (position, out) in positions.iter().zip(out) {
            let exact = match position.outcome() {
                Some(outcome) => outcome.chances(),
                None => self.0.chances(position).unwrap(),
            };
            let win = 0.25 + exact.win / 2.0;
            *out = Chances::from_array([win, 0.0, 0.0, 0.0, 0.0]);
        }
    }

    fn policy(&self) -> &SearchPolicy {
        &SearchPolicy::GNUBG
    }

    fn shortcuts(&self) -> &dyn Shortcuts {
        &NoShortcuts
    }
}

/// Bearoff positions with 1 to 6 checkers a side, not too one-sided.
fn bearoffs(count: usize, checkers: u32) -> Vec<Position> {
    let mut rng = stream(11, 0);
    let mut side = || {
        let mut counts = [0; 25];
        for _ in 0..2 + below(&mut rng, checkers - 1) {
            counts[below(&mut rng, 6) as usize] += 1;
        }
        counts
    };
    let mut found = Vec::new();
    while found.len() < count {
        let position = Position::new(&side(), &side()).unwrap();
        let chances = Tables::shared().chances(&position).unwrap();
        if (0.1..0.9).contains(&chances.win) {
            found.push(position);
        }
    }
    found
}

/// Rolls out one position with an evaluator and without threads of its own.
fn rolled(
    evaluator: &dyn Evaluator,
    query: &RolloutQuery,
    settings: &RolloutSettings,
) -> RolloutAnswer {
    let (met, efficiency) = (MatchEquityTable::default(), CubeEfficiency::default());
    let stop = Stop::never();
    let context = Context {
        evaluator,
        met: &met,
        efficiency: &efficiency,
        cache: None,
        stop: &stop,
        budget: None,
    };
    let mut rollout = Rollout::new(context, query, settings).unwrap();
    let ended = rollout.run(settings.trials, &mut |_| {});
    rollout.answer(ended).unwrap()
}

/// Mean near 0, spread near 1: what is said of the errors is true, and there is no bias. The dice are spread evenly, so
/// the errors are a little smaller than they are said to be.
fn fair(zs: &Running) {
    let spread = zs.variance().sqrt();
    assert!(zs.mean().abs() < 3.0 / (zs.count() as f64).sqrt(), "{zs:?}");
    assert!((0.5..1.25).contains(&spread), "spread {spread}");
}

/// With and without the luck taken out (RO-06), results scatter around the exact value as they say they do (RO-07), with dice
/// that are spread evenly (RO-02).
#[test]
fn cubeless_rollouts_are_unbiased() {
    let doubter = Doubter(Tables::shared());
    let state = MatchState::money(NO_RULES);
    let mut errors = [Running::default(), Running::default()];
    for (kind, reduced) in [false, true].into_iter().enumerate() {
        let mut zs = Running::default();
        for (seed, position) in (1..).zip(bearoffs(50, 6)) {
            let mut settings = settings(1296, false);
            // With the same dice the errors of all positions would be alike.
            settings.seed = seed;
            settings.variance_reduction = reduced;
            settings.truncate = Truncation::Never;
            let found = rolled(
                &doubter,
                &query(position, state, RolloutSubject::Position),
                &settings,
            );
            let one = &found.candidates[0];
            let exact = f64::from(Tables::shared().chances(&position).unwrap().equity());
            let error = one.cubeless_error.equity;
            zs.add((one.cubeless.equity - exact) / error);
            errors[kind].add(error);
        }
        fair(&zs);
    }
    // Half of the luck seen: half of the scatter left.
    let share = errors[1].mean() / errors[0].mean();
    assert!((0.4..0.7).contains(&share), "{share}");
}

/// Both sides make the best of all plays (RO-04), also where pruning would leave it out: here it is how a backgammon is
/// saved, and games that were played by what pruning left ended in one ten times of a hundred more often.
#[test]
fn games_are_played_by_the_best_of_all_plays() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let position = parse_position(b"jM4AnDjugQAAAA").unwrap().position;
    let state = MatchState::money(NO_RULES);
    let query = query(position, state, RolloutSubject::Position);
    let backgammons = |prune, reduced| {
        let mut settings = settings(360, false);
        settings.search.prune = prune;
        settings.variance_reduction = reduced;
        let found = engine.rollout(&query, &settings, &Stop::never(), &mut |_| {});
        found.unwrap().candidates[0].chances[2]
    };
    // The same games with the same dice.
    assert_eq!(backgammons(true, false), backgammons(false, false));
    let (pruned, all) = (backgammons(true, true), backgammons(false, true));
    assert!((pruned - all).abs() < 0.02, "{pruned} {all}");
    assert!((0.28..0.38).contains(&all), "{all}");
}

/// With the cube in play (RO-04), from any owner, against the exact cubeful equities.
#[test]
fn cubeful_rollouts_are_unbiased() {
    let engine = Engine::builder().threads(1).build().unwrap();
    for (slot, owner) in [CubeOwner::Me, CubeOwner::Centred, CubeOwner::Opponent]
        .into_iter()
        .enumerate()
    {
        let mut zs = Running::default();
        let state = MatchState {
            cube: Cube::new(2, owner).unwrap(),
            ..MatchState::money(NO_RULES)
        };
        for (seed, position) in (1..).zip(bearoffs(17, 6)) {
            let mut settings = settings(1296, true);
            settings.seed = seed;
            settings.variance_reduction = false;
            settings.truncate = Truncation::Never;
            let subject = RolloutSubject::Position;
            let evaluator = engine.evaluator().as_ref();
            let found = rolled(evaluator, &query(position, state, subject), &settings);
            let one = &found.candidates[0];
            let (value, error) = one.value();
            // A position is asked before the double: no double at the first turn. The exact value has it.
            let exact = Tables::shared().exact_cubeful(&position).unwrap();
            let first = engine
                .cube_action(
                    &gammond_engine::query::CubeQuery { position, state },
                    &Settings::plies(1),
                    &Stop::never(),
                )
                .unwrap();
            if owner != CubeOwner::Opponent && first.verdict.doubles() {
                continue;
            }
            if error.equity > 0.0 {
                zs.add((value.equity - f64::from(exact[slot])) / error.equity);
            }
        }
        assert!(zs.count() >= 5, "{zs:?}");
        fair(&zs);
    }
}

/// The exact tables know all luck: nothing scatters, and the exact value comes back.
#[test]
fn where_all_luck_is_known_nothing_scatters() {
    let engine = Engine::builder().threads(2).build().unwrap();
    for position in bearoffs(10, 6) {
        let mut settings = settings(36, false);
        settings.truncate = Truncation::Never;
        let query = query(
            position,
            MatchState::money(NO_RULES),
            RolloutSubject::Position,
        );
        let found = engine
            .rollout(&query, &settings, &Stop::never(), &mut |_| {})
            .unwrap();
        let exact = f64::from(Tables::shared().chances(&position).unwrap().equity());
        let one = &found.candidates[0];
        assert!(
            (one.cubeless.equity - exact).abs() < 1e-4,
            "{one:?} {exact}"
        );
        assert!(one.cubeless_error.equity < 1e-4);
    }
}

fn opening(length: u32) -> RolloutQuery {
    let state = if length == 0 {
        MatchState::default()
    } else {
        MatchState {
            score: Score::new(length, 0, length - 2, false).unwrap(),
            ..MatchState::default()
        }
    };
    let plays = legal_plays(&Position::start(), Roll::new(3, 1).unwrap());
    let plays = plays
        .iter()
        .take(2)
        .map(|play| (play.play, play.after))
        .collect();
    query(Position::start(), state, RolloutSubject::Plays(plays))
}

/// RO-01: the same bits for any number of threads, and for a run in pieces.
#[test]
fn threads_and_pieces_change_no_bit() {
    for length in [0, 5] {
        let query = opening(length);
        let mut settings = settings(90, true);
        settings.truncate = Truncation::Turns(7);
        let run = |threads: usize| {
            let engine = Engine::builder().threads(threads).build().unwrap();
            engine
                .rollout(&query, &settings, &Stop::never(), &mut |_| {})
                .unwrap()
        };
        let one = run(1);
        assert_eq!(one.candidates.len(), 2);
        assert_eq!(one.ended, RolloutEnd::Trials);
        assert!(
            one.candidates
                .iter()
                .all(|candidate| candidate.trials == 90)
        );
        for threads in [2, 3, 8] {
            assert_eq!(run(threads), one);
        }
        let engine = Engine::builder().threads(2).build().unwrap();
        let stop = Stop::never();
        let mut pieces = Rollout::new(engine.context(&stop), &query, &settings).unwrap();
        for trials in [10, 77, 90] {
            assert_eq!(pieces.run(trials, &mut |_| {}), RolloutEnd::Trials);
        }
        assert_eq!(pieces.answer(RolloutEnd::Trials).unwrap(), one);
    }
}

/// A double that is turned at once and a cube that is left alone, in units of the undoubled cube (RO-03).
#[test]
fn a_cube_decision_has_two_alternatives() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let mut settings = settings(144, true);
    settings.truncate = Truncation::Turns(5);
    let ask = |state| {
        let query = query(Position::start(), state, RolloutSubject::Cube);
        engine.rollout(&query, &settings, &Stop::never(), &mut |_| {})
    };
    let found = ask(MatchState::money(NO_RULES)).unwrap();
    let cube = found.cube.unwrap();
    let [none, take] = &found.candidates[..] else {
        panic!("{:?}", found.candidates)
    };
    assert_eq!(cube.no_double.equity, none.value().0.equity);
    assert_eq!(cube.double_take.equity, take.value().0.equity);
    // Nobody doubles at once: the opponent owns the cube at 2 then.
    assert!(!cube.double && cube.take && take.value().0.equity < none.value().0.equity - 0.2);
    let crawford = MatchState {
        score: Score::new(3, 2, 0, true).unwrap(),
        ..MatchState::default()
    };
    let refused = ask(crawford).unwrap_err().to_string();
    assert!(refused.contains("may not be turned"), "{refused}");
}

/// The chances and the cubeful value of a match are of one piece: at double match point only the win counts. Games are cut
/// off when they are races (RO-05).
#[test]
fn at_double_match_point_the_win_counts() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let state = MatchState {
        score: Score::new(5, 4, 4, false).unwrap(),
        ..MatchState::default()
    };
    let mut settings = settings(72, true);
    settings.truncate = Truncation::Race;
    let query = query(Position::start(), state, RolloutSubject::Position);
    let found = engine
        .rollout(&query, &settings, &Stop::never(), &mut |_| {})
        .unwrap();
    let one = &found.candidates[0];
    let mwc = one.cubeful.unwrap().mwc.unwrap();
    assert!((mwc - one.chances[0]).abs() < 1e-5, "{one:?}");
    assert!((0.45..0.6).contains(&mwc));
}

/// Where games are cut off in a race, one-sided rollouts can say what it is worth (RO-05, OSR-05).
#[test]
fn races_agree_with_one_sided_rollouts() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let (mut me, mut opponent) = ([0; 25], [0; 25]);
    (me[7], me[9], me[5]) = (5, 4, 6);
    (opponent[8], opponent[6], opponent[5]) = (4, 4, 7);
    let position = Position::new(&me, &opponent).unwrap();
    let query = query(position, MatchState::default(), RolloutSubject::Position);
    let mut settings = settings(72, false);
    settings.truncate = Truncation::Race;
    let mut win = |games| {
        settings.leaf_osr = games;
        let stop = Stop::never();
        let found = engine.rollout(&query, &settings, &stop, &mut |_| {});
        found.unwrap().candidates[0].chances[0]
    };
    let (by_net, by_osr) = (win(None), win(Some(1296)));
    assert!(
        by_net != by_osr && (by_net - by_osr).abs() < 0.02,
        "{by_net} {by_osr}"
    );
}

#[test]
fn rollout_ends_at_its_error_target_or_when_stopped() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let mut settings = settings(5000, false);
    settings.truncate = Truncation::Turns(2);
    settings.error = Some(0.01);
    let start = query(
        Position::start(),
        MatchState::default(),
        RolloutSubject::Position,
    );
    let never = Stop::never();
    let found = engine
        .rollout(&start, &settings, &never, &mut |_| {})
        .unwrap();
    assert_eq!(found.ended, RolloutEnd::Error);
    let one = &found.candidates[0];
    assert!(one.trials >= 324 && one.trials < 5000 && one.cubeless_error.equity <= 0.01);
    // One play is far worse: after the first look it is left alone.
    settings.error = None;
    settings.lead = Some(2.33);
    let found = engine
        .rollout(&opening(0), &settings, &never, &mut |_| {})
        .unwrap();
    assert_eq!(found.ended, RolloutEnd::Lead);
    // Told to stop in the middle: what is known by then.
    settings.lead = None;
    let stop = Stop::new();
    let found = engine.rollout(&start, &settings, &stop, &mut |known| {
        if known.candidates[0].trials >= 72 {
            stop.trigger();
        }
    });
    let found = found.unwrap();
    assert_eq!(
        (found.ended, found.candidates[0].trials),
        (RolloutEnd::Stopped, 180)
    );
    stop.trigger();
    assert!(
        engine
            .rollout(&start, &settings, &stop, &mut |_| {})
            .is_err()
    );
}

#[test]
fn deeper_and_later_players_play() {
    let engine = Engine::builder().threads(2).build().unwrap();
    let mut settings = settings(4, true);
    settings.sides = [1, 0].map(|plies| RolloutSide {
        plies,
        cube_plies: 1,
        filter: None,
    });
    settings.late = Some((3, RolloutSide::default()));
    settings.leaf_plies = 1;
    settings.truncate = Truncation::Turns(5);
    for reduced in [true, false] {
        settings.variance_reduction = reduced;
        let found = engine
            .rollout(&opening(0), &settings, &Stop::never(), &mut |_| {})
            .unwrap();
        assert!(
            found
                .candidates
                .iter()
                .all(|one| one.cubeless.equity.abs() < 2.0)
        );
    }
}

/// RO-08: each side plays by its own filter and its own nets; the other side's nets decide something, and with the same nets for
/// both nothing changes.
#[test]
fn sides_play_by_their_own_nets_and_filters() {
    let engine = |other: Option<Nets>| {
        let builder = Engine::builder().threads(1);
        let builder = match other {
            Some(nets) => builder.other_nets(nets),
            None => builder,
        };
        builder.build().unwrap()
    };
    let rolled = |engine: &Engine, change: &dyn Fn(&mut RolloutSettings)| {
        let mut settings = settings(36, true);
        settings.truncate = Truncation::Turns(4);
        change(&mut settings);
        let found = (engine.rollout(&opening(0), &settings, &Stop::never(), &mut |_| {})).unwrap();
        let first = &found.candidates[0];
        (first.trials, first.chances.map(f64::to_bits))
    };
    let one = engine(None);
    let alone = rolled(&one, &|_| {});
    assert_eq!(rolled(&engine(Some(Nets::Embedded)), &|_| {}), alone);
    assert_ne!(rolled(&engine(Some(Nets::EmbeddedFast)), &|_| {}), alone);
    let deep = |filter| {
        move |settings: &mut RolloutSettings| {
            settings.variance_reduction = false;
            settings.truncate = Truncation::Turns(3);
            settings.sides[1].plies = 2;
            settings.sides[1].filter = filter;
        }
    };
    let normal = rolled(&one, &deep(None));
    assert_eq!(rolled(&one, &deep(Some(MoveFilter::NORMAL))), normal);
    // Of the 2-ply filter only the best static play is left.
    let mut none = MoveFilter::NORMAL;
    none.levels[1][0].accept = 1;
    none.levels[1][0].extra = 0;
    assert_ne!(rolled(&one, &deep(Some(none))), normal);
}

#[test]
fn invalid_arguments_are_refused_by_name() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let start = query(
        Position::start(),
        MatchState::default(),
        RolloutSubject::Position,
    );
    let refused = |change: &dyn Fn(&mut RolloutSettings)| {
        let mut settings = RolloutSettings::default();
        change(&mut settings);
        let stop = Stop::never();
        let error = Rollout::new(engine.context(&stop), &start, &settings).unwrap_err();
        assert!(matches!(error, RolloutError::Setting { .. }));
        error.to_string()
    };
    assert_eq!(
        refused(&|s| s.trials = 0),
        "trials is 0, expected 1 to 16777216"
    );
    assert!(refused(&|s| s.trials = u32::MAX).starts_with("trials is 4294967295"));
    assert!(refused(&|s| s.truncate = Truncation::Turns(0)).starts_with("truncate is 0"));
    assert!(refused(&|s| s.sides[1].plies = 9).starts_with("plies is 9, expected 0 to 4"));
    assert!(refused(&|s| s.leaf_plies = 9).starts_with("leafplies is 9"));
    assert!(refused(&|s| s.leaf_osr = Some(0)).starts_with("osr is 0, expected 1 to 12960"));
    assert!(refused(&|s| s.error = Some(-1.0)).starts_with("se is -1"));
    assert!(refused(&|s| s.lead = Some(f64::NAN)).starts_with("jsd is NaN"));
}

/// RO-10, RO-11, RO-12: a level answers like a search, the plays it rolled out first; the same bits each time and for any
/// number of threads.
#[test]
fn levels_of_play_answer_like_searches() {
    use gammond_engine::query::{CubeQuery, EvalQuery, Level, PlayQuery};
    let state = MatchState::money(Rules::default());
    let position = Position::start();
    let stop = Stop::never();
    let answers = |threads| {
        let engine = Engine::builder().threads(threads).build().unwrap();
        let level = Settings::default().with_level(Level::Roller);
        let roll = Roll::new(3, 1).unwrap();
        let plays = PlayQuery::new(position, roll, state);
        let ranked = engine.rank_plays(&plays, &level, &stop).unwrap();
        let searched = engine
            .rank_plays(&plays, &Settings::plies(2), &stop)
            .unwrap();
        assert_eq!(ranked.plays.len(), searched.plays.len());
        assert_eq!(ranked.plays[0].position, searched.plays[0].position);
        let cube = engine.cube_action(&CubeQuery::new(position, state), &level, &stop);
        let cube = cube.unwrap();
        assert!(!cube.double && cube.take);
        let value = engine.evaluate(&EvalQuery::new(position, state), &level, &stop);
        let value = value.unwrap();
        let search = engine.evaluate(&EvalQuery::new(position, state), &Settings::plies(2), &stop);
        assert_ne!(value.cubeful, search.unwrap().cubeful);
        // A roll whose plays are open at two plies is rolled out.
        let open = PlayQuery::new(position, Roll::new(6, 2).unwrap(), state);
        let rolled = engine.rank_plays(&open, &level, &stop).unwrap();
        let searched = engine
            .rank_plays(&open, &Settings::plies(2), &stop)
            .unwrap();
        assert_ne!(rolled.plays[0].value, searched.plays[0].value);
        // The cube is the opponent's: the search answers.
        let owned = MatchState {
            cube: Cube::new(2, CubeOwner::Opponent).unwrap(),
            ..state
        };
        let query = CubeQuery::new(position, owned);
        let asked = engine.cube_action(&query, &level, &stop).unwrap();
        let searched = engine
            .cube_action(&query, &Settings::plies(2), &stop)
            .unwrap();
        assert_eq!(asked, searched);
        (ranked, rolled, cube, value)
    };
    assert_eq!(answers(1), answers(2));
}

/// an asker who wants to hear how it goes hears of each round; the last word is the answer's.
#[test]
fn progress_is_sent_on_request() {
    use gammond_engine::query::{EngineAnswer, Question, RolloutTask};
    let engine = Engine::builder().threads(1).build().unwrap();
    let heard = |progress| {
        let state = MatchState::money(Rules::default());
        let mut settings = settings(72, false);
        settings.truncate = Truncation::Turns(2);
        let question = Question::Rollout(Box::new(RolloutTask {
            query: query(Position::start(), state, RolloutSubject::Position),
            settings,
            roll: None,
            progress,
        }));
        let mut trials = Vec::new();
        let mut tell = |found: &EngineAnswer| {
            if let EngineAnswer::Progress(known, _) = found {
                trials.push(known.candidates[0].trials);
            }
        };
        let stop = Stop::never();
        let found = engine.answer_with_progress(&question, &Settings::default(), &stop, &mut tell);
        assert!(matches!(found.unwrap(), EngineAnswer::Rollout(..)));
        trials
    };
    assert_eq!(heard(true), [36, 72]);
    assert_eq!(heard(false), [0; 0]);
}
