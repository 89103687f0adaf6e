//! `gammond play`: a match or money games by hand, with lines from a pipe.

use gammond_game::notation::{MatAction, MatGame, MatPlayer, MatchFile};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `gammond play` in a folder, which is the data folder too; the exit code, and what it says.
fn play(at: &Path, words: &str, input: &[u8]) -> (i32, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .arg("play")
        .args(words.split_whitespace())
        .current_dir(at)
        .env("XDG_DATA_HOME", at.join("data"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), text)
}

fn best(count: usize) -> Vec<u8> {
    "best\n".repeat(count).into_bytes()
}

fn saved(path: &Path) -> MatchFile {
    let reading = MatchFile::read(&fs::read(path).unwrap()).unwrap();
    assert_eq!(reading.faults, []);
    reading.file
}

/// `--variant`: the game begins at the start of the variant, which the file names.
#[test]
fn another_variant_is_played() {
    let folder = tempfile::tempdir().unwrap();
    let words = "--variant nackgammon --seed 5 --plies 0 --save n.mat";
    let (code, said) = play(
        folder.path(),
        words,
        &[b"pips\n".to_vec(), best(500)].concat(),
    );
    assert_eq!(code, 0, "{said}");
    let file = saved(&folder.path().join("n.mat"));
    assert_eq!(file.variant(), Some(gammond_game::Variant::Nackgammon));
    assert!(said.contains("you 194, opponent"), "{said}");
    assert!(said.contains("decisions lost 0.000 points"), "{said}");
}

/// `--start`: every game begins at the position, with the person on roll; the file holds the board, and is analysed.
#[test]
fn game_begins_at_a_position() {
    let folder = tempfile::tempdir().unwrap();
    let words = "--start 4HPhASjgc/ABMA --seed 5 --plies 0 --save s.mat";
    let (code, said) = play(folder.path(), words, &best(500));
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("Game 1: you begin."), "{said}");
    let file = saved(&folder.path().join("s.mat"));
    let first = &file.games[0].actions[0];
    let MatAction::SetUp(set_up) = first.1 else {
        panic!("{first:?}")
    };
    let id = gammond_game::notation::PositionId::from(set_up.position);
    assert_eq!(id.to_string(), "4HPhASjgc/ABMA");
    assert!(said.contains("decisions lost 0.000 points"), "{said}");
    let (code, said) = play(folder.path(), "--start 4HPwATDgc --save t.mat", &[]);
    assert!(code != 0 && said.contains("expected 14"), "{said}");
    // A random start is the same for both players: the opening roll decides who begins, and the file is sound.
    for seed in 1..=4 {
        let words = format!("--start random:{seed} --seed {seed} --plies 0 --save r{seed}.mat");
        let (code, said) = play(folder.path(), &words, &best(500));
        assert_eq!(code, 0, "{said}");
        let file = saved(&folder.path().join(format!("r{seed}.mat")));
        let MatAction::SetUp(set_up) = file.games[0].actions[0].1 else {
            panic!("{said}")
        };
        assert_eq!(set_up.position, set_up.position.swapped());
        assert!(said.contains("decisions lost 0.000 points"), "{said}");
    }
}

/// A match with the cube is played to its end, and its file holds all of it.
#[test]
fn match_is_played_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let words = "--match 3 --seed 7 --plies 0 --name Ann --save m.mat";
    let (code, said) = play(at, words, &best(2000));
    assert_eq!(code, 0, "{said}");
    for part in [
        "You play a match to 3 points against gammond:plies=0",
        ", seed 7.",
        "Score: you ",
        " the match.",
        "decisions lost 0.000 points",
        "None of them lost 0.03 or more.",
        "The match is saved in m.mat",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let file = saved(&at.join("m.mat"));
    assert_eq!((file.length, file.names[0].as_str()), (3, "Ann"));
    assert!(file.header("EventDate").is_some());
    let last = file.games.last().unwrap();
    let (winner, points) = last.result.unwrap();
    assert!(winner.of(last.scores) + points >= 3);
    let wins = if winner == MatPlayer::First {
        "You win"
    } else {
        "gammond wins"
    };
    assert!(said.contains(&format!("{wins} the match.")), "{said}");
    let actions = file.games.iter().flat_map(|game| &game.actions);
    assert!(actions.clone().count() > 10);
    // The same seed throws the same dice; a file that is there is left alone.
    let again = play(at, &words.replace("m.mat", "n.mat"), &best(2000));
    assert_eq!(again.1.replace("n.mat", "m.mat"), said);
    let before = fs::read(at.join("m.mat")).unwrap();
    let (code, said) = play(at, words, &best(1));
    assert!(
        code == 3 && said.contains("m.mat: exists already"),
        "{said}"
    );
    assert_eq!(fs::read(at.join("m.mat")).unwrap(), before);
}

/// Doubles of both sides, takes and passes end up in the file, and points follow the cube.
#[test]
fn money_games_have_a_cube() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (code, said) = play(
        at,
        "--games 12 --seed 5 --plies 0 --save m.mat",
        &best(4000),
    );
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("You double to 2; gammond "), "{said}");
    assert!(said.contains("gammond doubles to 2."), "{said}");
    let file = saved(&at.join("m.mat"));
    assert_eq!((file.length, file.games.len()), (0, 12));
    assert_eq!(file.switch("Beaver"), Some(false));
    let mut points = [0; 2];
    for game in &file.games {
        let (winner, won) = game.result.unwrap();
        points[winner.index()] += won;
    }
    let [own, other] = points;
    assert!(
        said.contains(&format!("Points: you {own}, gammond {other}.")),
        "{said}"
    );
    let of = |wanted: fn(&MatAction) -> bool| {
        let actions = file.games.iter().flat_map(|game| &game.actions);
        actions.filter(|(_, action)| wanted(action)).count()
    };
    let doubles = of(|action| matches!(action, MatAction::Double(_)));
    let answers = of(|action| matches!(action, MatAction::Take | MatAction::Drop));
    assert!(doubles > 2 && answers == doubles, "{doubles} {answers}");
}

/// `--beavers`: a bad double is beavered, and the raccoon against it taken; the file and the result have the cube.
#[test]
fn beavers_and_raccoons_turn_the_cube() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let words = "--start AQAAAMD/HwAAAA --beavers --seed 5 --plies 0 --save";
    for (answer, cubes) in [("take", &[2, 4][..]), ("raccoon", &[2, 4, 8])] {
        let lines = [format!("double\nhint\n{answer}\n").into_bytes(), best(9)].concat();
        let (code, said) = play(at, &format!("{words} {answer}.mat"), &lines);
        assert_eq!(code, 0, "{said}");
        assert!(
            said.contains("You double to 2; gammond beavers to 4."),
            "{said}"
        );
        assert!(said.contains("drop -1.000, raccoon "), "{said}");
        assert_eq!(
            said.contains("You raccoon to 8; gammond takes."),
            answer == "raccoon"
        );
        let file = saved(&at.join(format!("{answer}.mat")));
        assert_eq!(file.switch("Beaver"), None);
        let game = &file.games[0];
        let turned = game.actions.iter().filter_map(|(_, action)| match action {
            MatAction::Double(value) | MatAction::Beaver(value) => Some(*value),
            _ => None,
        });
        assert_eq!(turned.collect::<Vec<_>>(), cubes, "{said}");
        let [.., last] = cubes else { panic!() };
        assert_eq!(
            game.result.unwrap(),
            (MatPlayer::Second, 2 * last),
            "{said}"
        );
    }
    let words = "--start AQAAAMD/HwAAAA --seed 5 --plies 0 --save none";
    let (code, said) = play(at, words, b"double\nquit\n");
    assert!(
        code == 0 && said.contains("You double to 2; gammond takes."),
        "{said}"
    );
}

/// `--automatic-doubles`: equal dice at the start double the cube, in the file too.
#[test]
fn automatic_doubles_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let words = "random --automatic-doubles 2 --games 12 --seed 1 --plies 0 --save auto.mat";
    let (code, said) = play(at, words, &best(4000));
    assert_eq!(code, 0, "{said}");
    let file = saved(&at.join("auto.mat"));
    let first = |game: &MatGame| match game.actions[0].1 {
        MatAction::SetUp(set_up) => set_up.value,
        _ => 1,
    };
    let values: Vec<u32> = file.games.iter().map(first).collect();
    let doubled = values.iter().filter(|value| **value > 1).count();
    assert!(
        doubled > 0 && doubled < 12 && values.iter().all(|value| *value <= 4),
        "{values:?}"
    );
    let said_so = said.matches("Automatic doubles: the cube is at ").count();
    assert_eq!(said_so, doubled, "{said}");
}

/// Of a player that does not know the cube gammond decides the doubles.
#[test]
fn opponent_without_a_cube_is_helped() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let (code, said) = play(
        at,
        "random --games 3 --seed 3 --plies 0 --save none",
        &best(900),
    );
    assert_eq!(code, 0, "{said}");
    for part in [
        "random does not know the cube: gammond doubles and takes for it.",
        "random rolls ",
        "You double to 2; random ",
        "Points: you ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(
        !said.contains("saved") && !at.join("data").exists(),
        "{said}"
    );
}

/// A game that was left is saved, in the data folder, under a new name each time; nothing is saved of nothing.
#[test]
fn unfinished_game_is_saved() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let matches = at.join("data/gammond/matches");
    // With this seed the person begins.
    let (code, said) = play(at, "--seed 1 --plies 0", b"quit\n");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("not played to its end"), "{said}");
    assert!(!said.contains("saved") && !matches.exists(), "{said}");
    for number in 1..=2 {
        let (code, said) = play(at, "--seed 1 --plies 0 --match 5", &best(3));
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("The match is saved in "), "{said}");
        assert_eq!(fs::read_dir(&matches).unwrap().count(), number);
    }
    let first = fs::read_dir(&matches).unwrap().next().unwrap().unwrap();
    let file = saved(&first.path());
    assert_eq!((file.games.len(), file.games[0].result), (1, None));
    // A place that cannot be written is refused before the match.
    let (code, said) = play(at, "--seed 1 --plies 0 --save none/such/m.mat", &best(3));
    assert_eq!(code, 3, "{said}");
    assert!(!said.contains("decisions lost"), "{said}");
    // What cannot be saved later is said at the end, after the analysis.
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("data"), "no folder").unwrap();
    let (code, said) = play(folder.path(), "--seed 1 --plies 0", &best(3));
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("the match is not saved: "), "{said}");
    assert!(said.contains("decisions lost"), "{said}");
}

/// A resignation that cannot be less than playing on is accepted; in a match the points follow.
#[test]
fn resignation_ends_the_game() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let input = [b"resign twice\nresign gammon\n".to_vec(), best(900)].concat();
    let (code, said) = play(at, "--match 4 --seed 3 --plies 0 --save m.mat", &input);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("'resign twice': expected resign, resign gammon"),
        "{said}"
    );
    assert!(
        said.contains("gammond accepts and wins a gammon: 2 points."),
        "{said}"
    );
    assert!(said.contains("Score: you 0, gammond 2, to 4."), "{said}");
    let file = saved(&at.join("m.mat"));
    assert_eq!(file.games[0].result, Some((MatPlayer::Second, 2)));
    // Jacoby: a gammon is worth a point while the cube is in the middle.
    let (_, said) = play(at, "--seed 3 --plies 0 --save none", b"resign backgammon\n");
    assert!(
        said.contains("wins a backgammon: 1 point, as the cube was not turned."),
        "{said}"
    );
}

/// Without `--seed` each evening has dice of its own.
#[test]
fn seeds_are_fresh() {
    let folder = tempfile::tempdir().unwrap();
    let seed = || {
        let (code, said) = play(folder.path(), "", b"");
        assert_eq!(code, 0, "{said}");
        let (_, rest) = said.split_once(", seed ").unwrap();
        rest.split_once('.').unwrap().0.to_owned()
    };
    let seeds = [seed(), seed(), seed()];
    assert!(seeds[0] != seeds[1] && seeds[1] != seeds[2], "{seeds:?}");
}

#[test]
fn a_person_may_type_anything() {
    let folder = tempfile::tempdir().unwrap();
    let mut lines =
        b"help\nhint\nplays\npips\nboard\n\nscore\n8/1 6/1 5/1\n\xff\xfe\x00\n".to_vec();
    lines.extend([b'x'; 20_000]);
    lines.extend(b"\nlosses\n");
    let words = "linear --games 2 --seed 1 --plies 0";
    let (code, said) = play(folder.path(), words, &lines);
    assert_eq!(code, 0, "{said}");
    for part in [
        "You play 2 money games against linear, seed 1.",
        "24 to 1",
        "X: you",
        "pips 167",
        "you 167, opponent 1",
        "Points: you 0, linear 0.",
        "'8/1 6/1 5/1': play",
        "You have had no decision yet.",
        "The game was not played to its end.",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    // The long line was one line.
    assert_eq!(said.matches("type help, or plays").count(), 3, "{said}");
    let (code, said) = play(folder.path(), "nobody", b"");
    assert_eq!((code, said.lines().count()), (2, 1), "{said}");
}
