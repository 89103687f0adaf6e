//! Files that programs of the field wrote and that were once misread: eXtreme Gammon's `.xg` (MAT-40 to MAT-46), and
//! texts of Backgammon Studio, Galaxy, XG and servers (MAT-47 to MAT-50). Names are replaced, analyses zeroed.

use gammond_game::notation::{MatAction, MatPlayer, MatchFile, MatchReading};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn read(name: &str) -> MatchReading {
    MatchFile::read(&std::fs::read(data(name)).unwrap()).unwrap()
}

/// Runs `gammond` and returns its exit code and the lines of its output as JSON.
fn gammond(words: &[&str]) -> (i32, Vec<Value>) {
    let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(words)
        .current_dir(data(""))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    (output.status.code().unwrap(), lines.collect())
}

fn analysed(name: &str) -> Value {
    let (code, mut lines) = gammond(&["analyse", name, "--plies", "0", "--format", "json"]);
    assert_eq!(code, 0, "{name}: {}", lines[0]["faults"]);
    assert_eq!(lines.len(), 1, "{name}");
    let mut analysis = lines.remove(0);
    analysis.as_object_mut().unwrap().remove("file");
    analysis
}

/// MAT-42, MAT-43, MAT-46: real files give the decisions, losses and result that their players' texts give.
#[test]
fn xg_files_give_what_their_texts_give() {
    for (name, decisions, unforced, score) in [
        ("one-game-drop", 13, None, [3, 4]),
        ("resigned-after-roll", 65, Some([17, 18]), [3, 3]),
        ("whole-match-7pt", 285, Some([86, 66]), [9, 2]),
    ] {
        let binary = analysed(&format!("xg/{name}.xg"));
        assert_eq!(
            binary["decisions"].as_array().unwrap().len(),
            decisions,
            "{name}"
        );
        assert_eq!(binary["score"], serde_json::json!(score), "{name}");
        if let Some(unforced) = unforced {
            let count = |player: usize| binary["totals"][player]["unforced"].clone();
            assert_eq!([count(0), count(1)], unforced, "{name}");
        }
        let text = analysed(&format!("xg/{name}.mat"));
        for key in [
            "length",
            "players",
            "score",
            "decisions",
            "totals",
            "games",
            "faults",
        ] {
            assert_eq!(binary[key], text[key], "{name}: {key}");
        }
    }
}

/// MAT-45: the game's own record says that it is played after the Crawford game; the `.mat` that is written says so too
/// (MAT-54).
#[test]
fn xg_game_after_the_crawford_game_may_be_doubled() {
    let binary = analysed("xg/double-drop-at-once.xg");
    assert_eq!(binary["decisions"].as_array().unwrap().len(), 4);
    assert_eq!(binary["games"][0]["crawford"], false);
    assert_eq!(binary["score"], serde_json::json!([2, 6]));
    let file = read("xg/double-drop-at-once.xg").file;
    let printed = file.to_string();
    assert!(
        printed.contains(" Game 1 (after the Crawford game)\n"),
        "{printed}"
    );
    let again = MatchFile::parse(printed.as_bytes()).unwrap();
    assert_eq!(again.crawford_games(), [false]);
    assert_eq!(again.to_string(), printed);
}

/// MAT-44: a roll that was resigned before it was played.
#[test]
fn xg_roll_resigned_before_its_play_is_no_fault() {
    let reading = read("xg/resigned-after-roll.xg");
    assert_eq!(reading.faults, []);
    let game = &reading.file.games[0];
    assert!(matches!(
        game.actions.last(),
        Some((MatPlayer::Second, MatAction::Rolled(_)))
    ));
    assert_eq!(game.result, Some((MatPlayer::First, 2)));
}

/// MAT-47, MAT-48, MAT-49, MAT-50: texts are read without a fault, and no result is lost.
#[test]
fn texts_of_other_programs_keep_the_result() {
    for (name, score, decisions) in [
        ("concedes-after-roll", [0, 1], 5),
        ("concedes-right-cell", [2, 0], 9),
        ("zero-roll-unknown", [1, 0], 6),
        ("unknown-without-roll-last-game", [0, 1], 3),
        ("last-roll-without-play", [1, 0], 7),
        ("settled-points", [0, 2], 8),
        ("losses-behind-repeated-number", [0, 3], 6),
    ] {
        let analysis = analysed(&format!("field-reports/{name}.mat"));
        assert_eq!(analysis["score"], serde_json::json!(score), "{name}");
        let found = analysis["decisions"].as_array().unwrap().len();
        assert_eq!(found, decisions, "{name}: {:#}", analysis["decisions"]);
        let reading = read(&format!("field-reports/{name}.mat"));
        let printed = reading.file.to_string();
        let again = MatchFile::read(printed.as_bytes()).unwrap();
        assert_eq!(again.faults, [], "{printed}");
        assert_eq!(again.file.to_string(), printed, "{name}");
        let results =
            |file: &MatchFile| -> Vec<_> { file.games.iter().map(|game| game.result).collect() };
        assert_eq!(results(&again.file), results(&reading.file), "{name}");
    }
}

/// Returns the number of rolls of each player, those of unknown plays among them, and the number of unknown plays.
fn rolls(reading: &MatchReading) -> ([usize; 2], usize) {
    let (mut rolls, mut unknown) = ([0, 0], 0);
    for (player, action) in reading.file.games.iter().flat_map(|game| &game.actions) {
        let is_unknown = matches!(action, MatAction::Rolled(_));
        unknown += usize::from(is_unknown);
        if is_unknown || matches!(action, MatAction::Play { .. }) {
            rolls[player.index()] += 1;
        }
    }
    (rolls, unknown)
}

/// MAT-48: rolls without a play in servers' records: forced ones are played, and the game goes on behind the others.
#[test]
fn rolls_without_plays_do_not_end_a_game() {
    for (name, wanted, unknown, faults) in [
        ("forced-play-left-out.mat", [34, 33], 1, 1),
        ("bearoff-left-out.mat", [21, 20], 0, 0),
        ("play-chosen-by-server.mat", [20, 19], 5, 4),
        ("open-roll.sgf", [1, 1], 1, 0),
    ] {
        let reading = read(&format!("field-reports/{name}"));
        let found = (rolls(&reading), reading.faults.len());
        assert_eq!(
            found,
            ((wanted, unknown), faults),
            "{name}: {:?}",
            reading.faults
        );
    }
}

/// MAT-54: a double in the Crawford game is one fault; at the start of a file it shows that the game is another.
#[test]
fn double_in_the_crawford_game_is_read() {
    for (name, faults) in [
        ("first-game-at-match-point", 0),
        ("double-in-crawford-game", 1),
    ] {
        let path = format!("field-reports/{name}.mat");
        let reading = read(&path);
        assert_eq!(reading.faults.len(), faults, "{name}: {:?}", reading.faults);
        let (code, lines) = gammond(&["analyse", &path, "--plies", "0", "--format", "json"]);
        assert_eq!(code, i32::from(faults > 0), "{name}");
        let decisions = lines[0]["decisions"].as_array().unwrap();
        let kinds = |kind: &str| decisions.iter().filter(|one| one["kind"] == kind).count();
        assert_eq!(kinds("take"), 1, "{name}: {decisions:#?}");
        let (played, _) = rolls(&reading);
        assert!(decisions.len() > played.iter().sum(), "{name}");
        let again = MatchFile::read(&reading.file.ogxm().unwrap()).unwrap();
        assert_eq!(again.faults.len(), faults, "{name}: {:?}", again.faults);
        let games = |file: &MatchFile| {
            let games = file.games.iter();
            games.map(|game| game.actions.len()).collect::<Vec<_>>()
        };
        assert_eq!(games(&again.file), games(&reading.file), "{name}");
        assert_eq!(
            again.file.crawford_games(),
            reading.file.crawford_games(),
            "{name}"
        );
    }
}

/// MAT-26: the bars in Snowie's position line: that of the other player first, that of the player on roll last.
#[test]
fn bars_of_snowie_positions() {
    let set_up = |name: &str| {
        let reading = read(&format!("field-reports/{name}"));
        let actions = reading.file.games.iter().flat_map(|game| &game.actions);
        let mut found = actions.filter_map(|(player, action)| match action {
            MatAction::SetUp(set_up) => Some((*player, set_up.position)),
            _ => None,
        });
        (found.next_back().unwrap(), reading)
    };
    let (of_text, text) = set_up("one-on-bar.txt");
    let (of_sgf, _) = set_up("one-on-bar.sgf");
    assert_eq!(of_text, of_sgf);
    let id = gammond_game::notation::PositionId::from(of_text.1).to_string();
    assert_eq!(id, "sBsAUAGfA4BRAA");
    let again = MatchFile::read(text.file.to_string().as_bytes()).unwrap();
    assert_eq!(again.file.games, text.file.games);
    let ((_, both), _) = set_up("both-on-bar.txt");
    assert_eq!(
        (both.me().counts()[24], both.opponent().counts()[24]),
        (2, 1)
    );
    let (_, game) = set_up("illegal-play-one-on-bar.mat");
    assert_eq!(game.faults.len(), 1, "{:?}", game.faults);
    let actions = &game.file.games[0].actions;
    assert_eq!(actions.last().unwrap().1, MatAction::Drop);
}

/// A one-game match with these rows.
fn rows(rows: &str) -> MatchReading {
    let text = format!(
        " 5 point match\n\n Game 1\n A : 0                  B : 0\n  1) 31: 8/5 6/5           62: 24/18 13/11\n{rows}"
    );
    MatchFile::read(text.as_bytes()).unwrap()
}

/// MAT-48: a roll without a play is one where the game ends there, and a fault where it goes on.
#[test]
fn roll_without_play_is_a_fault_where_the_game_goes_on() {
    for (text, score, faults) in [
        (
            "  2) 64: 24/14              51:\n      Wins 1 point\n",
            [1, 0],
            0,
        ),
        ("  2) 64: 24/14              51:\n", [0, 0], 0),
        (
            "  2) 64:\n                              Wins 1 point\n",
            [0, 1],
            0,
        ),
        (
            "  2) 64:                    51: 13/8 6/5\n      Wins 2 points\n",
            [2, 0],
            1,
        ),
        (
            "  2) 64:                     Doubles => 2\n  3)  Takes\n      Wins 2 points\n",
            [2, 0],
            1,
        ),
    ] {
        let reading = rows(text);
        assert_eq!(reading.faults.len(), faults, "{text}: {:?}", reading.faults);
        let result = reading.file.games[0].result;
        let points = result.map_or([0, 0], |(winner, points)| {
            winner.of([[points, 0], [0, points]])
        });
        assert_eq!(points, score, "{text}");
    }
}

/// MAT-47: whoever concedes loses the cube, if no line says who wins how much.
#[test]
fn concession_alone_is_a_result() {
    for (text, result) in [
        (
            "  2) 64: 24/14              Concedes\n",
            (MatPlayer::First, 1),
        ),
        ("  2) Concedes\n", (MatPlayer::Second, 1)),
        ("  2) 64: Resigns\n", (MatPlayer::Second, 1)),
        ("  2)  Losses 3 points\n", (MatPlayer::Second, 3)),
        (
            "  2)  Doubles => 2          Takes\n  3) 64: 24/14   Concedes\n",
            (MatPlayer::First, 2),
        ),
        // Resigned, refused, and played on: the game was lost another way.
        (
            "  2)  Resigns               Rejects\n  3) 64: 24/14     Concedes\n",
            (MatPlayer::First, 1),
        ),
    ] {
        let reading = rows(text);
        assert_eq!(reading.faults, [], "{text}");
        assert_eq!(reading.file.games[0].result, Some(result), "{text}");
    }
    assert_eq!(
        rows("  2)  Resigns               Rejects\n  3) 64: 24/14\n")
            .file
            .games[0]
            .result,
        None
    );
}

/// MAT-50: 1000 are taken off what XG wrote for a settled game, not off a cube that high, and nobody resigned.
#[test]
fn settled_points_lose_the_thousand() {
    let reading = rows("  2) 64: 24/14\n                                   Wins 1003 point\n");
    let game = &reading.file.games[0];
    assert_eq!(
        (game.result, game.settled),
        (Some((MatPlayer::Second, 3)), true)
    );
    assert!(reading.file.to_string().contains("Wins 1003 points"));
    let sgf = MatchFile::read(reading.file.sgf(&[], &|_, _| None).as_bytes()).unwrap();
    assert_eq!(sgf.file.games, reading.file.games);
    let doubles = (0..9).map(|log| {
        let value = 2 << log;
        match log % 2 {
            0 => format!("  {})  Doubles => {value}        Takes\n", log + 2),
            _ => format!(
                "  {})                            Doubles => {value}\n  {})  Takes\n",
                log + 2,
                log + 3
            ),
        }
    });
    let doubles: String = doubles.collect();
    let high = rows(&format!("{doubles}      Wins 1536 points\n"));
    let game = high.file.games.last().unwrap();
    assert_eq!(
        (game.result, game.settled),
        (Some((MatPlayer::First, 1536)), false)
    );
}

/// MAT-83: points that the cube cannot give end the match, without a resignation.
#[test]
fn points_that_the_cube_cannot_give_end_the_match() {
    for (name, score) in [
        ("wins-100-points.mat", [1, 5]),
        ("wins-16-points-cube-2.mat", [0, 7]),
    ] {
        let analysis = analysed(&format!("field-reports/{name}"));
        assert_eq!(analysis["score"], serde_json::json!(score), "{name}");
        assert_eq!(analysis["faults"], serde_json::json!([]), "{name}");
        let decisions = analysis["decisions"].as_array().unwrap();
        assert!(
            decisions.iter().all(|one| one["kind"] != "resign"),
            "{name}"
        );
    }
    // The next game is read, and its score counts where it differs.
    for (score, result) in [(5, 5), (16, 16), (0, 5)] {
        let reading = rows(&format!(
            "      Wins 16 points\n\n Game 2\n A : {score}     B : 0\n  1) 31: 8/5 6/5\n"
        ));
        assert_eq!(reading.faults, []);
        let [first, second] = &reading.file.games[..] else {
            panic!("{:?}", reading.file.games)
        };
        assert_eq!(first.result, Some((MatPlayer::First, result)));
        assert_eq!(second.actions.len(), 1);
    }
    // A resigned backgammon stays one, and so do points cut down to those that are needed.
    for (text, points, settled) in [
        ("      Wins 3 points\n", 3, false),
        ("      Wins 4 points\n", 5, true),
        ("      Wins 6 points\n", 5, true),
        (
            "  2)  Doubles => 2        Takes\n  3)  Losses 16 points\n",
            5,
            true,
        ),
        (
            "  2)  Doubles => 2        Takes\n      Wins 5 points\n",
            5,
            false,
        ),
        (
            "  2)  Doubles => 2        Takes\n      Wins 3 points\n",
            3,
            false,
        ),
        (
            "  2)  Doubles => 2        Drops\n      Wins 100 points\n",
            1,
            false,
        ),
    ] {
        let game = rows(text).file.games.remove(0);
        let (_, won) = game.result.unwrap();
        assert_eq!((won, game.settled), (points, settled), "{text}");
    }
}

/// MAT-50, MAT-83: a match is written as it was read, whatever its points are.
#[test]
fn points_of_any_size_read_back() {
    let doubles = (0..9).map(|log| {
        let value = 2 << log;
        match log % 2 {
            0 => format!("  {})  Doubles => {value}        Takes\n", log + 2),
            _ => format!(
                "  {})                            Doubles => {value}\n  {})  Takes\n",
                log + 2,
                log + 3
            ),
        }
    });
    let doubles: Vec<String> = doubles.collect();
    let around = |middle: u32| middle.saturating_sub(3)..=middle.saturating_add(3);
    let mut points: Vec<u32> = (0..=30)
        .chain(around(1000))
        .chain(around(u32::MAX))
        .collect();
    points.extend([23, 24, 1024].into_iter().flat_map(around));
    points.extend([100, 512, 1003, 1005, 1007, 1025, 1536, 2000, 2024, 2536]);
    for length in [0, 1, 5, 7, 25, 2000] {
        for turned in [0, 1, 2, 9] {
            let rows = doubles[..turned].concat();
            for open in ["", "  9)  Doubles => 2\n"] {
                for points in &points {
                    for (end, next) in [
                        (format!("      Wins {points} points\n"), None),
                        (format!("      Wins {points} points\n"), Some(*points)),
                        (format!("      Wins {points} points\n"), Some(5)),
                        ("      Wins 1 point\n".to_owned(), Some(*points)),
                        (format!(" 12)   Losses {points} points\n"), None),
                    ] {
                        let next = next.map(|score| {
                            format!("\n Game 2\n A : {score}      B : 0\n  1) 31: 8/5 6/5\n")
                        });
                        let text = format!(
                            " {length} point match\n\n Game 1\n A : 0      B : 0\n  1) 31: 8/5 6/5\n{rows}{open}{end}{}",
                            next.unwrap_or_default()
                        );
                        let file = MatchFile::read(text.as_bytes()).unwrap().file;
                        let printed = file.to_string();
                        let again = MatchFile::read(printed.as_bytes()).unwrap().file;
                        assert_eq!(again.to_string(), printed, "{text}");
                    }
                }
            }
        }
    }
}

/// PT-09: a Crawford flag where nobody needs just one point is dropped with a warning, in every form that has one.
#[test]
fn crawford_flag_at_another_score_is_dropped_with_a_warning() {
    let board = "---bB-DCC-B-cA---a-dabb---";
    let flagged = format!("XGID={board}:2:1:1:00:4:2:1:7:10");
    let (code, shown) = gammond(&["show", &flagged, "--format", "json"]);
    assert_eq!(code, 0);
    assert_eq!(shown[0]["state"]["crawford"], false);
    let warning = "crawford is set, but not exactly one side is 1-away: the flag was dropped";
    assert_eq!(shown[0]["warning"], warning);
    let (_, plain) = gammond(&[
        "cube",
        &flagged.replace(":1:7:10", ":0:7:10"),
        "plies=0",
        "--format",
        "json",
    ]);
    let (_, dropped) = gammond(&["cube", &flagged, "plies=0", "--format", "json"]);
    assert_eq!(dropped[0]["warning"], warning);
    assert_eq!(plain[0].get("warning"), None);
    assert_eq!(plain[0]["equity"], dropped[0]["equity"]);
    for text in [
        "4HPwATDgc/ABMA:8AmgAAAAAAAE",
        "11ccccchhhjjjjj:66666888dddddoo:N0N::W:C:1:2:5C:0",
    ] {
        let (code, shown) = gammond(&["show", text, "--format", "json"]);
        assert_eq!((code, &shown[0]["warning"]), (0, &warning.into()), "{text}");
    }
    // Where somebody needs one point, and in a match to one point, there is nothing to say.
    for text in [
        format!("XGID={board}:0:0:1:00:6:2:1:7:10"),
        format!("XGID={board}:0:0:1:00:0:0:1:1:10"),
    ] {
        let (_, shown) = gammond(&["show", &text, "--format", "json"]);
        assert_eq!(shown[0].get("warning"), None, "{text}");
    }
    let (code, _) = gammond(&[
        "show",
        "4HPwATDgc/ABMA",
        "length=7",
        "score=4:2",
        "crawford=on",
    ]);
    assert_ne!(code, 0);
}

/// OGID-12, OGID-13: an OGID stands wherever a position may, and keeps its colours.
#[test]
fn ogid_is_read_and_written() {
    let text = "11jjjjjhhhccccc:ooddddd88866666:N0N:52:W:IW:0:0:7:0";
    let (code, shown) = gammond(&["show", text, "--format", "json"]);
    assert_eq!(code, 0);
    assert_eq!(shown[0]["roll"], serde_json::json!([2, 5]));
    assert_eq!(shown[0]["state"]["length"], 7);
    let same = "11ccccchhhjjjjj:66666888dddddoo:N0N:25:W:IW:0:0:7:0";
    let (_, converted) = gammond(&["convert", text]);
    assert_eq!(converted[0]["ogid"], same);
    let (_, changed) = gammond(&["convert", text, "score=1:2"]);
    assert_eq!(
        changed[0]["ogid"],
        "11ccccchhhjjjjj:66666888dddddoo:N0N:25:W:R:2:1:7:0"
    );
    let (_, money) = gammond(&["show", "11:mm:N0N", "jacoby=off", "--format", "json"]);
    assert_eq!(money[0]["state"]["jacoby"], false);
    // The bottom player of an XGID is Black.
    for (turn, colour) in [("1", "W"), ("-1", "B")] {
        let xgid = format!("XGID=-b----E-C---eE---c-e----B-:0:0:{turn}:00:0:0:0:0:10");
        let (_, converted) = gammond(&["convert", &xgid]);
        let ogid = converted[0]["ogid"].as_str().unwrap();
        assert!(ogid.contains(&format!("::{colour}:C:")), "{ogid}");
        let (_, back) = gammond(&["convert", ogid]);
        assert_eq!(back[0]["position"], converted[0]["position"]);
    }
    let beaver = "XGID=-b----E-C---eE---c-e----B-:0:0:1:B:0:0:3:0:10";
    let (_, converted) = gammond(&["convert", beaver]);
    assert_eq!(converted[0]["ogid"], Value::Null);
    let (_, shown) = gammond(&["show", beaver, "--format", "json"]);
    assert_eq!(shown[0]["offer"], "beaver");
    let error = gammond_game::notation::parse_position(b"11:mm:N0N:77").unwrap_err();
    assert_eq!((error.code(), error.at()), ("bad-ogid", 10));
}

/// MET-03, XG-09: matches longer than 64 points are read, shown and judged.
#[test]
fn long_matches_are_judged() {
    let xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:90:3:0:99:10";
    let (code, shown) = gammond(&["show", xgid, "--format", "json"]);
    assert_eq!((code, &shown[0]["state"]["length"]), (0, &99.into()));
    let xgid = xgid.replace(":31:", ":00:");
    let (code, cube) = gammond(&["cube", &xgid, "plies=0", "--format", "json"]);
    assert_eq!(code, 0, "{cube:?}");
    let text = " 99 point match\n\n Game 1\n A : 97         B : 3\n  1) 31: 8/5 6/5      62: 24/18 13/11\n\
        \x20     Wins 1 point\n\n Game 2\n A : 98         B : 3\n  1) 31: 8/5 6/5      62: 24/18 13/11\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("long.mat");
    std::fs::write(&path, text).unwrap();
    let analysis = analysed(path.to_str().unwrap());
    assert_eq!(analysis["faults"], serde_json::json!([]));
    assert_eq!(analysis["games"][1]["crawford"], true);
    assert_eq!(analysis["decisions"].as_array().unwrap().len(), 6);
}

/// A match file of any form gives positions to roll out; an ending or the contents tell it from a list of positions.
#[test]
fn every_match_file_is_a_source_of_positions() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::copy(data("analysis/one1.sgf"), at("one1.sgf")).unwrap();
    std::fs::copy(data("analysis/one1.mat"), at("one1.txt")).unwrap();
    std::fs::copy(data("xg/one-game-drop.xg"), at("game.xg")).unwrap();
    let made = |name: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args(["rollout", "--bm-in", name, "--out"])
            .arg(at(name).with_extension("bm"))
            .args([
                "--best",
                "2",
                "trials=1",
                "truncate=1",
                "plies=0",
                "--quota",
                "contact=2",
                "--only",
                "all",
            ])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{name}: {said}");
        assert!(!said.contains("line 1"), "{said}");
    };
    for name in ["one1.sgf", "one1.txt", "game.xg"] {
        made(name);
    }
    // Board lines stand in lists of positions as well as in logs.
    assert!(!MatchFile::is_meant(Some("txt"), b"board:a:b:1\n"));
    assert!(!MatchFile::is_meant(None, b"4HPwATDgc/ABMA 31\n"));
    assert!(MatchFile::is_meant(Some("log"), b"board:a:b:1\n"));
    assert!(MatchFile::is_meant(None, b"; a comment\n 7 point match\n"));
}

/// MAT-31: a last roll that was not played is left out of OGXM; the rest of the match is written.
#[test]
fn ogxm_leaves_out_a_roll_that_was_not_played() {
    let file = read("xg/resigned-after-roll.xg").file;
    let bytes = file.ogxm().unwrap();
    let again = MatchFile::parse(&bytes).unwrap();
    assert_eq!(again.games[0].result, file.games[0].result);
    assert_eq!(
        again.games[0].actions.len() + 1,
        file.games[0].actions.len()
    );
}

/// BM-30: the heading of the cube measure names what was computed, and the table that was asked for is used.
#[test]
fn cube_measure_says_what_was_computed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("o.bm");
    std::fs::write(
        &file,
        "o OAHDPAABDAOAHDPAABDA 0.625 0.24924 0.00683 0.12566 0.00534\n",
    )
    .unwrap();
    let measured = |more: &[&str]| {
        let mut words = vec![
            "bench",
            file.to_str().unwrap(),
            "--player",
            "gammond:nets=embedded:fast:plies=2",
        ];
        words.extend(more);
        words.extend(["--format", "json"]);
        let (code, lines) = gammond(&words);
        assert_eq!(code, 0);
        lines[0].clone()
    };
    let usual = measured(&[]);
    assert_eq!(
        usual["cube_measure"],
        serde_json::json!({"chances": "static", "met": "mec26"})
    );
    let asked = measured(&["--met", "kazaross-xg2"]);
    assert_eq!(asked["cube_measure"]["met"], "Kazaross-XG2");
}

/// MAT-51: gnubg's text export is read as a match.
#[test]
fn gnubg_text_export_is_read() {
    let analysis = analysed("field-reports/gnubg-text-export.txt");
    assert_eq!(
        analysis["players"],
        serde_json::json!(["Player One", "Player Two"])
    );
    assert_eq!(analysis["decisions"].as_array().unwrap().len(), 1);
    assert_eq!(analysis["length"], 3);
}
