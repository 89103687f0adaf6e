//! Choices as people make them: LV-06, LV-07 and LV-09 of `protocol-specs/levels.md` by what they lose.

use gammond_engine::people::{People, PlayOption};
use gammond_engine::query::{CubeQuery, EvalQuery, RankedPlays, Settings, Stop};
use gammond_engine::{Engine, PlayQuery};
use gammond_game::notation::parse_position;
use gammond_game::{MatchState, Position, Roll, Rules};

const RATES: [f64; 6] = [0.5, 2.0, 4.0, 8.0, 15.0, 40.0];

fn engine() -> Engine {
    Engine::builder().threads(1).build().unwrap()
}

/// Returns questions of a game that the engine plays at these settings.
fn questions(engine: &Engine, number: usize) -> Vec<PlayQuery> {
    let (mut position, mut all) = (Position::start(), Vec::new());
    for turn in 0.. {
        if all.len() == number {
            break;
        }
        let roll = Roll::ALL[(turn * 8 + turn / 21) % 21];
        let query = PlayQuery::new(position, roll, MatchState::money(Rules::default()));
        let settings = Settings::default().with_people(12.0, 5);
        let settings = Settings {
            plies: 0,
            ..settings
        };
        let ranked = engine
            .rank_plays(&query, &settings, &Stop::never())
            .unwrap();
        position = ranked.chosen().position;
        if ranked.legal > 1 {
            all.push(query);
        }
        if position.is_over() {
            position = Position::start();
        }
    }
    all
}

/// LV-06, LV-07, LV-08, LV-09.
#[test]
fn shares_add_up_and_losses_rise_with_the_error_rate() {
    let (engine, people) = (engine(), People::built_in());
    let mut losses = [0.0; RATES.len()];
    for query in questions(&engine, 150) {
        let ranked = engine
            .rank_plays(&query, &Settings::default(), &Stop::never())
            .unwrap();
        let option = |play| PlayOption::new(play, ranked.best());
        let plays: Vec<PlayOption> = ranked.plays.iter().map(option).collect();
        for (pr, lost) in RATES.iter().zip(&mut losses) {
            let dial = people.dial(*pr);
            let shares = people.play_shares(&dial, &query.position, query.roll, &plays);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            for (share, play) in shares.iter().zip(&plays) {
                assert!((0.0..=1.0).contains(share));
                assert!(
                    *share == 0.0 || f64::from(play.loss) <= dial.most,
                    "{pr} {play:?}"
                );
                *lost += share * f64::from(play.loss);
            }
        }
    }
    assert!(losses.is_sorted(), "{losses:?}");
    // Games at a rate of 12 without look-ahead: each rate loses roughly what it is asked for.
    for (pr, lost) in RATES.iter().zip(losses) {
        let rate = 500.0 * lost / 150.0;
        assert!((0.3..3.0).contains(&(rate / pr)), "{rate} for {pr}");
    }
}

/// LV-02, LV-10.
#[test]
fn the_choice_depends_on_question_and_seed_alone() {
    let engine = engine();
    let ask = |query, seed| {
        let settings = Settings {
            plies: 0,
            ..Settings::default().with_people(20.0, seed)
        };
        engine.rank_plays(query, &settings, &Stop::never()).unwrap()
    };
    let share_of_best = |query| {
        let ranked: RankedPlays = ask(query, 0);
        let place = ranked.plays.iter().position(|play| play == ranked.best());
        ranked.people.as_ref().unwrap().shares[place.unwrap()]
    };
    let all = questions(&engine, 20);
    let open = all
        .iter()
        .find(|query| (0.2..0.8).contains(&share_of_best(query)));
    let query = open.expect("a question that people answer in several ways");
    let share = share_of_best(query);
    let mut chosen = 0.0;
    const SEEDS: u64 = 1000;
    for seed in 0..SEEDS {
        let ranked = ask(query, seed);
        if seed < 20 {
            assert_eq!(ranked, ask(query, seed));
        }
        chosen += f64::from(u8::from(ranked.chosen() == ranked.best()));
    }
    let error = (share * (1.0 - share) / SEEDS as f64).sqrt();
    let found = chosen / SEEDS as f64;
    assert!(
        (found - share).abs() < 4.0 * error,
        "{found} chose it, expected {share}"
    );
}

/// LV-03, LV-05.
#[test]
fn all_plays_are_there_the_chosen_one_in_front() {
    let engine = engine();
    for query in questions(&engine, 30) {
        let plain = engine
            .rank_plays(&query, &Settings::default(), &Stop::never())
            .unwrap();
        let settings = Settings {
            pr: Some(15.0),
            ..Settings::default()
        };
        let ranked = engine
            .rank_plays(&query, &settings, &Stop::never())
            .unwrap();
        assert_eq!(ranked.best(), plain.best());
        assert_eq!(ranked.plays.len(), plain.plays.len());
        let front = ranked.chosen().position;
        let rest = plain.plays.iter().filter(|play| play.position != front);
        assert!(ranked.plays[1..].iter().eq(rest));
        let one = engine
            .rank_plays(&query, &settings.clone().with_top(1), &Stop::never())
            .unwrap();
        assert_eq!((one.plays.len(), one.chosen()), (1, ranked.chosen()));
    }
}

/// LV-07.
#[test]
fn people_double_and_take_by_what_it_gains() {
    let engine = engine();
    let shares = |position, pr| {
        let query = CubeQuery::new(position, MatchState::money(Rules::default()));
        let settings = Settings {
            pr: Some(pr),
            ..Settings::default()
        };
        let answer = engine
            .cube_action(&query, &settings, &Stop::never())
            .unwrap();
        let plain = engine
            .cube_action(&query, &Settings::default(), &Stop::never())
            .unwrap();
        assert_eq!(answer.verdict, plain.verdict);
        (*answer.people.clone().unwrap(), answer)
    };
    let won = parse_position(b"/wAAAKC7DQAAAA")
        .unwrap()
        .position
        .swapped();
    for pr in [2.0, 8.0, 12.0] {
        let (start, answer) = shares(Position::start(), pr);
        assert!(
            start.double < 0.01 && start.take > 0.99 && answer.take,
            "{pr} {start:?}"
        );
        // A race that is as good as won: a pass.
        let (shares, answer) = shares(won, pr);
        assert!(shares.take < 0.2, "{pr} {shares:?} {answer:?}");
    }
}

/// LV-13.
#[test]
fn people_resign_what_is_lost() {
    let engine = engine();
    let share = |id: &str, jacoby| {
        let parsed = parse_position(id.as_bytes()).unwrap();
        let state = MatchState::money(Rules {
            jacoby,
            beavers: false,
        });
        let settings = Settings {
            pr: Some(8.0),
            ..Settings::default()
        };
        let found = (0..200).map(|seed| {
            let settings = Settings {
                seed,
                ..settings.clone()
            };
            let query = EvalQuery::new(parsed.position, state);
            engine.resign_advice(&query, &settings).unwrap().games
        });
        let found: Vec<u8> = found.collect();
        let query = CubeQuery::new(parsed.position, state);
        let answer = engine
            .cube_action(&query, &settings, &Stop::never())
            .unwrap();
        let share = answer.people.unwrap().resign;
        let resigned = found.iter().filter(|games| **games > 0).count() as f64 / 200.0;
        let error = (share * (1.0 - share) / 200.0).sqrt();
        assert!(
            (resigned - share).abs() <= 4.0 * error,
            "{id}: {resigned} of {share}"
        );
        (share, found.into_iter().max().unwrap())
    };
    // The opponent has few checkers left; the second player has borne off none, which costs a gammon where one counts.
    assert_eq!(share("AQAAdHeOAgAAAA", true), (0.13, 1));
    assert_eq!(share("bwcAAOw2iwQQAA", true), (0.13, 1));
    assert_eq!(share("bwcAAOw2iwQQAA", false), (0.0, 0));
    assert_eq!(share("4HPwATDgc/ABMA", true), (0.0, 0));
}

/// LV-12.
#[test]
fn the_text_of_the_model_is_read_back() {
    let people = People::built_in();
    assert_eq!(People::parse(&people.text()).as_ref(), Some(people));
    let text = people.text();
    assert!(text.len() < 100_000, "{} bytes", text.len());
    for cut in [0, 10, text.len() / 2, text.len() - 20] {
        assert_eq!(People::parse(&text[..cut]), None, "cut at {cut}");
    }
    assert_eq!(People::parse(&text.replacen("dials", "dails", 1)), None);
}

/// LV-01.
#[test]
fn ratings_are_error_rates() {
    assert!((People::pr_of_elo(1800) - 9.446).abs() < 0.001);
    assert!(People::pr_of_elo(2030) < 1.0 && People::pr_of_elo(1000) > 39.0);
}
