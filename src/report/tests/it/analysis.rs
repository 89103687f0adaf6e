//! Matches judged: losses and luck against those of GNU Backgammon, decision by decision.

use crate::support::gnubg_wd;
use gammond_engine::engine::{Engine, Nets};
use gammond_engine::people::People;
use gammond_engine::query::{CubeQuery, PlayQuery, Settings, Stop};
use gammond_game::Rules;
use gammond_game::notation::{MatPlayer, MatchFile};
use gammond_report::analysis::{
    Action, DecisionKind, Judgement, Terms, analyse, judge, replay_from,
};

/// In the last one gnubg set up boards and cubes, which only its `.sgf` keeps.
const MATCHES: [&str; 5] = [
    "three3.mat",
    "seven7.mat",
    "seven7u.mat",
    "one1.mat",
    "edited5.sgf",
];

/// What gnubg says about one action: kind, loss, luck.
struct Told {
    game: usize,
    player: MatPlayer,
    kind: String,
    loss: Option<f64>,
    luck: Option<f64>,
}

fn told(name: &str) -> (MatchFile, Vec<Told>) {
    let folder = crate::support::root().join("tests/data/analysis");
    let file = std::fs::read(folder.join(name)).unwrap();
    let file = MatchFile::parse(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
    let rows = std::fs::read_to_string(folder.join(name).with_extension("tsv")).unwrap();
    let rows = rows.lines().filter(|row| !row.starts_with('#')).map(|row| {
        let words: Vec<&str> = row.split('\t').collect();
        Told {
            game: words[0].parse().unwrap(),
            player: match words[1] {
                "0" => MatPlayer::First,
                _ => MatPlayer::Second,
            },
            kind: words[2].to_owned(),
            loss: words[3].parse().ok(),
            luck: words[4].parse().ok(),
        }
    });
    (file, rows.collect())
}

/// Judges every decision of the matches; calls `each` with what gnubg says of the deed and, before
/// it, of not doubling.
fn compare(engine: &Engine, mut each: impl FnMut(&str, &Told, Option<&Told>, &Judgement)) {
    for name in MATCHES {
        let (file, told) = told(name);
        let terms = Terms::of(&file, Rules::default());
        for (number, game) in file.games.iter().enumerate() {
            let replay = replay_from(game, &terms[number]);
            assert_eq!(replay.fault, None, "{name} game {}", number + 1);
            let mut rows = told.iter().filter(|row| row.game == number + 1);
            for decision in &replay.decisions {
                // gnubg says nothing of those.
                if matches!(
                    decision.action,
                    Action::Resign { .. } | Action::Unknown { .. }
                ) {
                    continue;
                }
                let mut row = rows.next().unwrap();
                let mut no_double = None;
                if row.kind == "cube" {
                    no_double = Some(row);
                    row = rows.next().unwrap();
                }
                let kind = match decision.action {
                    Action::Play { .. } => "move",
                    Action::Double => "double",
                    Action::Take => "take",
                    Action::Drop => "drop",
                    other => panic!("{name}: {other:?}"),
                };
                assert_eq!(
                    (row.kind.as_str(), row.player),
                    (kind, decision.player),
                    "{name}"
                );
                let settings = Settings::plies(0);
                let judgement = judge(engine, &settings, decision, &Stop::never()).unwrap();
                each(name, row, no_double, &judgement);
            }
            // What gnubg judges after the last deed is a decision not to double before a resignation.
            assert!(
                rows.all(|row| row.kind == "cube"),
                "{name} game {}",
                number + 1
            );
        }
    }
}

/// With gnubg's weights: every loss within 0.002 EMG of gnubg's, every luck within 0.005.
#[test]
fn losses_and_luck_are_gnubgs() {
    let Some(weights) = gnubg_wd("losses_and_luck_are_gnubgs") else {
        return;
    };
    let engine = Engine::builder().nets(Nets::Path(weights)).threads(1);
    let engine = engine.build().unwrap();
    let (mut losses, mut lucks) = (0, 0);
    let (mut worst_loss, mut worst_luck) = (0.0_f64, 0.0_f64);
    let mut wrong = Vec::new();
    compare(&engine, |name, row, no_double, judgement| {
        let pairs = [
            (row.loss, judgement.loss, "loss"),
            (
                no_double.and_then(|row| row.loss),
                judgement.cube_loss,
                "no double",
            ),
        ];
        for (theirs, ours, what) in pairs {
            // What is forced, or not worth a thought, costs nothing.
            let (theirs, ours) = (theirs.unwrap_or(0.0), ours.unwrap_or(0.0));
            losses += 1;
            worst_loss = worst_loss.max((theirs - ours).abs());
            if (theirs - ours).abs() > 0.002 {
                wrong.push(format!(
                    "{name} game {} {} {what}: {ours} gnubg {theirs}",
                    row.game, row.kind
                ));
            }
        }
        if let Some(theirs) = row.luck {
            let ours = judgement.luck.unwrap();
            lucks += 1;
            worst_luck = worst_luck.max((theirs - ours).abs());
            if (theirs - ours).abs() > 0.005 {
                wrong.push(format!(
                    "{name} game {}: luck {ours} gnubg {theirs}",
                    row.game
                ));
            }
        }
    });
    eprintln!(
        "{losses} losses, the worst {worst_loss:.4} off; {lucks} lucks, the worst {worst_luck:.4} off"
    );
    assert!(lucks > 200);
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// With our own nets: the luck of each player in each match has gnubg's sign and size, roughly.
#[test]
fn our_own_nets_see_the_same_luck() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let mut sums = std::collections::BTreeMap::<_, [f64; 2]>::new();
    compare(&engine, |name, row, _, judgement| {
        let key = (name.to_owned(), row.player == MatPlayer::First);
        let sum = sums.entry(key).or_default();
        sum[0] += judgement.luck.unwrap_or(0.0);
        sum[1] += row.luck.unwrap_or(0.0);
    });
    assert_eq!(sums.len(), 2 * MATCHES.len());
    for (key, [ours, gnubgs]) in sums {
        let near = (ours - gnubgs).abs() < 0.3 + 0.1 * gnubgs.abs();
        assert!(near, "{key:?}: {ours:.3}, gnubg {gnubgs:.3}");
    }
}

/// ANA-31: a mistake has the shares of the people who find the best choice, the same as LV-03's.
#[test]
fn mistake_has_shares_of_people_who_find_the_best_choice() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let (settings, stop) = (Settings::plies(0), Stop::never());
    let analyses = MATCHES.map(|name| {
        let file = crate::support::root()
            .join("tests/data/analysis")
            .join(name);
        let reading = MatchFile::read(&std::fs::read(file).unwrap()).unwrap();
        analyse(&engine, &settings, &reading, Rules::default(), &stop).unwrap()
    });
    let (mut plays, mut cubes) = (0, 0);
    for row in analyses.iter().flat_map(|analysis| analysis.rows()) {
        let expected = row.mark().is_some() && row.kind != DecisionKind::Resign;
        assert_eq!(row.found_by().is_some(), expected, "{row:?}");
        let Some(found) = row.found_by() else {
            continue;
        };
        let decision = &row.judged.decision;
        for (pr, found) in People::COACHED.into_iter().zip(found) {
            let with = Settings {
                plies: 0,
                filter: settings.filter,
                ..settings.clone().with_people(pr, 1)
            };
            let share = match row.roll {
                Some(roll) => {
                    let query = PlayQuery::new(decision.position, roll, decision.state);
                    let ranked = engine.rank_plays(&query, &with, &stop).unwrap();
                    let people = ranked.people.as_ref().unwrap();
                    let best = people.best.position;
                    let place = ranked.plays.iter().position(|play| play.position == best);
                    people.shares[place.unwrap()]
                }
                None => {
                    let query = CubeQuery::new(decision.position, decision.state);
                    let answer = engine.cube_action(&query, &with, &stop).unwrap();
                    let shares = answer.people.unwrap();
                    match row.best.as_str() {
                        "double" => shares.double,
                        "no double" => 1.0 - shares.double,
                        "take" => shares.take,
                        _ => 1.0 - shares.take,
                    }
                }
            };
            assert!((share - found).abs() < 1e-9, "{share} {found} {row:?}");
        }
        *if row.roll.is_some() {
            &mut plays
        } else {
            &mut cubes
        } += 1;
    }
    assert!(
        plays > 5 && cubes > 0,
        "{plays} plays, {cubes} cube actions"
    );
    let mistakes = analyses[0].worst_of(MatPlayer::First, 1);
    let words = mistakes[0].found_by.as_ref().unwrap();
    assert!(words.starts_with("the best choice is found by "), "{words}");
    assert!(words.ends_with(" % of players of PR 15"), "{words}");
}
