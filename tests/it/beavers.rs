//! Beavers in analyses: rule ANA-03 of `protocol-specs/analysis.md`, on last rolls of bear-offs whose values are exact.

use gammond_engine::engine::Engine;
use gammond_engine::query::{Settings, Stop};
use gammond_game::notation::{MatAction, MatGame, MatPlayer, MatchFile, MatchFormat, SetUp};
use gammond_game::{POINTS, Position, Rules};
use gammond_report::analysis::{Analysis, DecisionKind, analyse};
use std::process::Command;

use MatAction::{Beaver, Double, Drop, Take};
use MatPlayer::{First, Second};

/// The player on roll has these two checkers, the other one a checker on the ace point: this roll decides the game.
fn last_roll(points: [usize; 2]) -> Position {
    let (mut me, mut opponent) = ([0; POINTS], [0; POINTS]);
    for point in points {
        me[point - 1] += 1;
    }
    opponent[0] = 1;
    Position::new(&me, &opponent).unwrap()
}

/// A money game that is set up at the position, the first player on roll; he doubles, and this follows.
fn file(position: Position, cube: u32, answers: &[(MatPlayer, MatAction)]) -> MatchFile {
    let set_up = MatAction::SetUp(SetUp {
        position,
        value: cube,
        owner: None,
    });
    let begun = [(First, set_up), (First, Double(2 * cube))];
    MatchFile {
        names: ["Ann".to_owned(), "Bob".to_owned()],
        games: vec![MatGame {
            actions: [&begun[..], answers].concat(),
            ..MatGame::default()
        }],
        ..MatchFile::default()
    }
}

fn analysed(engine: &Engine, file: &MatchFile, beavers: bool) -> Analysis {
    let rules = Rules {
        jacoby: true,
        beavers,
    };
    let sgf = file
        .write(MatchFormat::named("sgf").unwrap(), None)
        .unwrap();
    let mut reading = MatchFile::read(&sgf).unwrap();
    assert_eq!(reading.faults, []);
    // What is read from the file, by the rules of the test.
    reading.file.comments.clear();
    let settings = Settings::for_analysis(Some(0), None);
    analyse(engine, &settings, &reading, rules, &Stop::never()).unwrap()
}

/// Player, action, best action and loss of every decision behind the double.
fn answers(analysis: &Analysis) -> Vec<(MatPlayer, String, String, f64)> {
    let rows = analysis.rows().skip(1);
    rows.map(|row| {
        (
            row.player,
            row.played.clone(),
            row.best.clone(),
            row.loss.unwrap(),
        )
    })
    .collect()
}

fn assert_answers(analysis: &Analysis, wanted: &[(MatPlayer, &str, &str, f64)]) {
    let found = answers(analysis);
    assert_eq!(found.len(), wanted.len(), "{found:?}");
    for (found, wanted) in found.iter().zip(wanted) {
        let words = (found.0, &*found.1, &*found.2);
        assert_eq!(words, (wanted.0, wanted.1, wanted.2), "{found:?}");
        assert!(
            (found.3 - wanted.3).abs() < 1e-3,
            "{found:?}, wanted {wanted:?}"
        );
    }
}

/// ANA-03: with 15 rolls of 36 that win, a double is worth -1/3 after a take and -2/3 after a beaver. With 19 of 36 it
/// is worth 1/9 and 2/9. With 34 it should be passed.
#[test]
#[expect(clippy::too_many_lines, reason = "one table of answers")]
fn beavers_are_judged() {
    let engine = Engine::builder().build().unwrap();
    let judged = |points, answers: &[(MatPlayer, MatAction)]| {
        analysed(&engine, &file(last_roll(points), 1, answers), true)
    };
    let third = 1.0 / 3.0;
    // Right, and not made.
    let missed = judged([6, 1], &[(Second, Take)]);
    assert_answers(&missed, &[(Second, "take", "beaver", third)]);
    let bob = &missed.totals[1];
    assert_eq!((bob.missed_beavers.count, bob.wrong_takes.count), (1, 0));
    assert_eq!(
        (bob.takes, bob.close, bob.counted, bob.cube_marks),
        (1, 1, 1, [0, 0, 1])
    );
    // Not in gnubg's rates, but in the performance rating.
    assert!(bob.cube.emg < 1e-6 && (bob.missed_beavers.emg - third).abs() < 1e-3);
    assert!((bob.performance().unwrap() - 500.0 * third).abs() < 1.0);
    let given_up = judged([6, 1], &[(Second, Drop)]);
    let bob = &given_up.totals[1];
    assert!((bob.wrong_passes.emg - 1.0 - third).abs() < 1e-3);
    assert!((bob.missed_beavers.emg - third).abs() < 1e-3);
    assert_answers(
        &judged([6, 1], &[(Second, Drop)]),
        &[(Second, "pass", "beaver", 1.0 + 2.0 * third)],
    );
    // Right and made; a raccoon loses as much again.
    let made = judged([6, 1], &[(Second, Beaver(4)), (First, Take)]);
    assert_answers(
        &made,
        &[
            (Second, "beaver", "beaver", 0.0),
            (First, "take", "take", 0.0),
        ],
    );
    let again = judged(
        [6, 1],
        &[(Second, Beaver(4)), (First, Beaver(8)), (Second, Take)],
    );
    assert_answers(
        &again,
        &[
            (Second, "beaver", "beaver", 0.0),
            (First, "raccoon", "take", 2.0 * third),
            (Second, "take", "beaver", 4.0 * third),
        ],
    );
    let given = judged([6, 1], &[(Second, Beaver(4)), (First, Drop)]);
    assert_answers(
        &given,
        &[
            (Second, "beaver", "beaver", 0.0),
            (First, "pass", "take", 2.0 - 2.0 * third),
        ],
    );
    // Wrong.
    let ninth = 1.0 / 9.0;
    let wrong = judged([5, 2], &[(Second, Beaver(4)), (First, Take)]);
    assert_answers(
        &wrong,
        &[
            (Second, "beaver", "take", ninth),
            (First, "take", "raccoon", 2.0 * ninth),
        ],
    );
    let [ann, bob] = &wrong.totals;
    assert_eq!(
        (bob.wrong_beavers.count, bob.takes, bob.close, bob.counted),
        (1, 0, 0, 1)
    );
    assert_eq!((ann.wrong_beavers.count, ann.takes, ann.doubles), (1, 1, 1));
    assert_answers(
        &judged([5, 2], &[(Second, Take)]),
        &[(Second, "take", "take", 0.0)],
    );
    // 34 rolls: equity 8/9 a cube, so that a take loses 7/9 and a beaver 23/9.
    let pass = judged(
        [2, 1],
        &[(Second, Beaver(4)), (First, Beaver(8)), (Second, Drop)],
    );
    assert!(
        answers(&pass)
            .iter()
            .all(|(_, _, _, loss)| loss.is_finite())
    );
    let cube_of_two = analysed(
        &engine,
        &file(last_roll([6, 1]), 2, &[(Second, Take)]),
        true,
    );
    assert_answers(&cube_of_two, &[(Second, "take", "beaver", third)]);
    assert!((cube_of_two.totals[1].missed_beavers.cost - 2.0 * third).abs() < 1e-3);
}

/// ANA-03: without beavers, in a match and at the highest cube there is none to miss.
#[test]
fn beavers_need_their_rule() {
    let engine = Engine::builder().build().unwrap();
    let position = last_roll([6, 1]);
    let taken = [(Second, Take)];
    let without = analysed(&engine, &file(position, 1, &taken), false);
    assert_answers(&without, &[(Second, "take", "take", 0.0)]);
    let highest = analysed(&engine, &file(position, 2048, &taken), true);
    assert_answers(&highest, &[(Second, "take", "take", 0.0)]);
    let mut file = file(position, 1, &taken);
    file.length = 7;
    assert_answers(
        &analysed(&engine, &file, true),
        &[(Second, "take", "take", 0.0)],
    );
}

/// ANA-03: the command lists a missed beaver with its values.
#[test]
fn missed_beaver_in_every_report() {
    let folder = tempfile::tempdir().unwrap();
    let file = file(last_roll([6, 1]), 1, &[(Second, Take)]);
    let sgf = file
        .write(MatchFormat::named("sgf").unwrap(), None)
        .unwrap();
    std::fs::write(folder.path().join("a.sgf"), sgf).unwrap();
    let run = |format: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args([
                "analyse", "a.sgf", "--all", "--format", format, "--html", "a.html",
            ])
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let text = run("text");
    assert!(text.contains("double and beaver -0.667"), "{text}");
    assert!(text.contains("missed beavers"), "{text}");
    let value: serde_json::Value = serde_json::from_str(&run("json")).unwrap();
    let row = &value["decisions"][1];
    assert_eq!(
        (&row["kind"], &row["played"], &row["best"]),
        (&"take".into(), &"take".into(), &"beaver".into())
    );
    assert_eq!(value["totals"][1]["cube"]["missed_beavers"]["count"], 1);
    let page = std::fs::read_to_string(folder.path().join("a.html")).unwrap();
    assert!(page.contains("best beaver"));
    let row = analysed(&Engine::builder().build().unwrap(), &file, true);
    assert!(row.rows().any(|row| row.kind == DecisionKind::Take));
}
