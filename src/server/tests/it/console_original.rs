//! Answers of the console that are gnubg 1.07.001's for the same commands, and what they are with `--corrected`; rules
//! CON-33 and CON-37 to CON-43 of `protocol-specs/gnubg-console.md`.

use gammond_console::{Console, ConsoleOptions};
use gammond_engine::engine::Engine;
use gammond_engine::query::Stop;
use gammond_game::notation::{MatAction, MatchFile};
use gammond_server::console::EngineHost;

const STATIC: &str = "set evaluation chequerplay evaluation plies 0\nset evaluation cubedecision evaluation plies 0\n\
    set analysis chequerplay evaluation plies 0\nset analysis cubedecision evaluation plies 0\n";

/// Returns the answer to the last of the lines, in a command file.
fn last_answer(lines: &str, strict: bool) -> String {
    let engine = Engine::builder().threads(1).build().unwrap();
    let mut host = EngineHost::new(engine, Stop::new(), None);
    let mut console = Console::new(ConsoleOptions {
        user: "root".to_owned(),
        plays_on: false,
        strict,
        ..ConsoleOptions::default()
    });
    let mut last = String::new();
    for line in STATIC.lines().chain(lines.lines()) {
        let answer = console.line(line.as_bytes(), &mut host);
        last = answer.out + &answer.err;
    }
    last
}

/// Returns the numbers in a text.
fn numbers(text: &str) -> Vec<f64> {
    let words = text.split(|sign: char| !(sign.is_ascii_digit() || matches!(sign, '.' | '-')));
    words.filter_map(|word| word.parse().ok()).collect()
}

fn fixture(name: &str) -> String {
    let folder = crate::support::root().join("tests/data");
    folder.join(name).to_str().unwrap().to_owned()
}

/// CON-33: windows of a race without gammons, as gnubg prints them.
#[test]
fn marketwindow_of_a_match_shows_both_windows() {
    let window = |state: &str| {
        let race = "set xgid XGID=----CCCBBAA----bb-cccb----";
        last_answer(&format!("{race}:{state}:10\nshow marketwindow\n"), true)
    };
    let near = |found: &str, wanted: &[f64]| {
        let found = numbers(found);
        let same = found.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 0.15);
        assert!(
            found.len() == wanted.len() && same,
            "{found:?}, expected {wanted:?}"
        );
    };
    let live = window("0:0:1:00:0:2:0:5");
    let (_, live) = live
        .split_once("\n\n\nPlayer gnubg market window:\n\n")
        .unwrap();
    near(
        live,
        &[42.14, 71.27, 42.14, 80.86, 57.86, 79.08, 57.86, 82.39],
    );
    assert!(
        live.ends_with("%\n\n") && live.contains("%\nLive cube: "),
        "{live}"
    );
    let at_once = window("0:0:-1:00:5:4:0:7");
    let (_, at_once) = at_once.split_once("market window:\n\n").unwrap();
    near(at_once, &[41.58, 63.21, 66.74, 75.08, 58.42, 73.81]);
    assert!(
        at_once.contains("Dead cube (opponent redoubles):"),
        "{at_once}"
    );
    // The match is decided with this game: the cube changes nothing.
    let dead = window("2:-1:1:00:2:0:0:3");
    assert_eq!(
        dead.matches("Dead cube:   -nan% - 100.00%\n").count(),
        2,
        "{dead}"
    );
}

/// CON-37: the table as far as the match goes.
#[test]
fn met_is_shown_up_to_the_length_of_the_match() {
    let table = "Pre-Crawford table:\n\n             1-away    2-away    3-away \n\
        \x20  1-away   50.0000   67.7360   75.0760 \n   2-away   32.2640   50.0000   59.9470 \n\
        \x20  3-away   24.9240   40.0530   50.0000 \n\n\
        Post-Crawford table for player 0 (gnubg):\n\n             1-away    2-away    3-away \n\
        \x20  1-away   50.0000   48.8030   32.2640 \n\n\
        Post-Crawford table for player 1 (root):\n\n             1-away    2-away    3-away \n\
        \x20  1-away   50.0000   48.8030   32.2640 \n\n";
    let strict = last_answer("new match 3\nshow met\n", true);
    let head = "Match equity table: Kazaross XG2 25 point MET\n(/usr/share/gnubg/met/Kazaross-XG2.xml)\nGenerated ";
    assert!(
        strict.starts_with(head) && strict.ends_with(table),
        "{strict}"
    );
    let corrected = last_answer("new match 3\nshow met\n", false);
    assert_eq!(
        corrected,
        format!("Match equity table: Kazaross-XG2\n\n{table}")
    );
    let whole = last_answer("show met\n", false);
    assert!(whole.contains("\n  64-away    0.0000 "), "{whole}");
}

/// CON-38: what differs by player is shown by player, and later plies only where they are enabled.
#[test]
fn rollout_settings_of_each_player_are_shown() {
    let own = "set rollout player 1 chequerplay plies 1\n";
    let shown = last_answer(&format!("{own}show rollout\n"), true);
    for part in [
        "Chequer play parameters:\nPlayer 0:\n        0-ply evaluation.\n",
        "Player 1:\n        1-ply evaluation.\n",
        "Cube decision parameters:\nPlayer 0:\n",
        "Move filter:\n      Move filter for 1 ply:\n",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let later = "set rollout later enable on\nset rollout later plies 3\nset rollout truncation enable on\n\
        set rollout truncation cubedecision plies 1\nset rollout limit enable on\n";
    let shown = last_answer(&format!("{later}show rollout\n"), true);
    for part in [
        "Chequer play parameters: for first 3 plies:\n        0-ply",
        "Cube decision parameters: after 3 plies:\n        2-ply",
        "Move filter after 3 plies:\n",
        "Truncation point Cube evaluation:\n        1-ply evaluation.\n",
        "if both equities STD\n\t(cubeful and cubeless) are less than 0.0100\n",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let filter = "set rollout movefilter 2 0 3 2 0.1\n";
    let complaint =
        "You must specify a valid level 0..1 for the filter (see `help set rollout movefilter')";
    assert_eq!(last_answer(filter, true), complaint);
    assert_eq!(last_answer(filter, false), "");
    let changed = "keep the first 3 0-ply moves and up to 2 more moves within equity 0.1\n";
    for (strict, players) in [(true, 2), (false, 0)] {
        let shown = last_answer(&format!("{filter}show rollout\n"), strict);
        assert_eq!(shown.matches("\nPlayer ").count(), players, "{shown}");
        assert_eq!(shown.matches(changed).count(), 1, "{shown}");
    }
}

/// CON-39: Nackgammon is played from its own start, from the next match on.
#[test]
fn nackgammon_is_played_from_its_start() {
    let begun =
        "set variation nackgammon\nset player 0 human\nset automatic roll off\nnew match 3\n";
    let board = last_answer(&format!("{begun}show board\n"), true);
    assert!(board.contains("Position ID: 4Dl4ADbgOXgANg\n"), "{board}");
    let named = last_answer(
        &format!("{begun}set variation standard\nshow variation\n"),
        true,
    );
    assert_eq!(
        named,
        "You are playing: Nackgammon\nDefault variation is: Standard backgammon\n"
    );
    let next = last_answer(
        &format!("{begun}set variation standard\nnew match 3\nshow variation\n"),
        true,
    );
    assert!(
        next.starts_with("You are playing: Standard backgammon\n"),
        "{next}"
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nack.mat");
    let path = file.to_str().unwrap();
    last_answer(&format!("{begun}export match mat \"{path}\"\n"), true);
    let written = std::fs::read_to_string(&file).unwrap();
    assert!(
        written.contains("; [Variation \"NackGammon\"]\n"),
        "{written}"
    );
    let fewer = begun.replace("nackgammon", "1-chequer-hypergammon");
    let board = last_answer(&format!("{fewer}show board\n"), true);
    assert!(board.contains("Position ID: AACAAAAAAgAAAA\n"), "{board}");
    assert!(!board.contains("X X\n"), "no checker is off: {board}");
}

/// MAT-22, CON-39: the record of a game begins with the cube that automatic doubles have left.
#[test]
fn record_keeps_the_cube_of_automatic_doubles() {
    let folder = tempfile::tempdir().unwrap();
    let path = |end: &str| folder.path().join(format!("auto.{end}"));
    let [mat, sgf] = ["mat", "sgf"].map(|end| path(end).to_str().unwrap().to_owned());
    let seats = [0, 1].map(|seat| {
        format!(
            "set player {seat} gnubg\nset player {seat} chequerplay evaluation plies 0\n\
            set player {seat} cubedecision evaluation plies 0\n"
        )
    });
    let (mut usual, mut doubled) = (0, 0);
    for seed in 1..=12 {
        let begun = format!(
            "{}set rng mersenne\nset seed {seed}\nset automatic doubles 3\nset automatic game off\nnew session\n",
            seats.concat()
        );
        let played = last_answer(&begun, true);
        let value = 1 << played.matches("The cube is now at ").count();
        let save = format!("{begun}export match mat \"{mat}\"\nsave match \"{sgf}\"\n");
        last_answer(&save, true);
        for end in ["mat", "sgf"] {
            let text = std::fs::read_to_string(path(end)).unwrap();
            let file = MatchFile::parse(text.as_bytes()).unwrap();
            let (_, first) = file.games[0].actions[0];
            let found = match first {
                MatAction::SetUp(set_up) => set_up.value,
                _ => 1,
            };
            assert_eq!(found, value, "seed {seed}: {text}");
            let in_root = format!("]CV[{value}]RE[");
            assert_eq!(text.contains(&in_root), end == "sgf" && value > 1, "{text}");
        }
        (usual, doubled) = (
            usual + u32::from(value == 1),
            doubled + u32::from(value > 1),
        );
    }
    assert!(usual > 0 && doubled > 0, "{usual} {doubled}");
}

/// CON-40: IDs of ended games, short ones, and Crawford flags at other scores.
#[test]
fn match_ids_without_a_game_are_read_as_gnubg_does() {
    let no_dice = "There must be a game in progress to set the dice.\n";
    let cases = [
        ("cAhgAAAAAAAE", "No game in progress.\n", ""),
        (
            "cIhlAAAAAAAE",
            "There must be a game in progress to set the dice.\nNo game",
            "",
        ),
        ("QohlAAAAAAAE", no_dice, "QglgAAAAAAAE"),
        (
            "QohlAAAAAAAE",
            "The cube has been set to 4.\n",
            "QglgAAAAAAAE",
        ),
        ("cIplAAAAAAAE", no_dice, "cApgAAAAAAAE"),
        (
            "URRxAAAAAAAE",
            "Stepping back to the offering of the cube. There must be",
            "UQlgAAAAAAAE",
        ),
        ("xxxx", "The cube has been set to 128.\n", "BwFgAAAAAAAA"),
        ("cAkA", "", "cAkAAAAAAAAA"),
        ("hwFgABAAAAAE", "", "BwFgABAAAAAE"),
        ("////", "Illegal match ID '////'\n", ""),
    ];
    for (id, said, shown) in cases {
        let answer = last_answer(&format!("set matchid {id}\n"), true);
        assert!(answer.contains(said), "{id}: {answer}");
        let is = answer.contains("Match ID   : ");
        assert_eq!(is, !shown.is_empty(), "{id}: {answer}");
        assert!(
            answer.contains(&format!("Match ID   : {shown}")) || !is,
            "{id}: {answer}"
        );
    }
    let short = last_answer("set matchid cAkA\n", false);
    assert_eq!(short, "Illegal match ID 'cAkA'\n");
    // A side without checkers keeps its dice on the board.
    let borne_off = "set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10\nset board /1AAAAAAAAAAAA\nshow board\n";
    let board = last_answer(borne_off, true);
    assert!(board.contains("Rolled 31"), "{board}");
}

/// CON-41: `Close or actual cube decisions`, and what a beaverer misses.
#[test]
fn answers_to_beavers_are_actual_and_the_beaverer_misses_nothing() {
    let file = fixture("console-beaver.mat");
    let analysed = format!(
        "set player 0 human\nimport mat \"{file}\"\nanalyse match\nshow statistics match\n"
    );
    let said = last_answer(&analysed, true);
    let row = |name: &str| {
        let line = said.lines().find(|line| line.starts_with(name)).unwrap();
        numbers(line.strip_prefix(name).unwrap())
    };
    // A double and the take of the beaver.
    assert!(row("Close or actual cube decisions")[0] >= 2.0, "{said}");
    assert_eq!(row("Takes")[0], 2.0, "{said}");
    for missed in [
        "Missed doubles below CP (EMG (Points))",
        "Missed doubles above CP (EMG (Points))",
    ] {
        assert_eq!(row(missed), [0.0, 0.0], "{said}");
    }
    assert!(!said.contains("Advantage"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let twice = folder.path().join("twice.mat");
    let text = std::fs::read_to_string(&file).unwrap();
    let (_, game) = text.split_once(" Game 1\n").unwrap();
    let again = game.replacen("Bob : 0", "Bob : 16", 1);
    std::fs::write(&twice, format!("{text}\n Game 2\n{again}")).unwrap();
    let counted = format!(
        "import mat \"{}\"\nshow statistics match\n",
        twice.display()
    );
    let said = last_answer(&counted, true);
    let mean = "Advantage (actual) in ppg                -16.000                 +16.000";
    assert!(said.contains(mean), "{said}");
}

/// CON-41: the engine loses nothing by its own decisions.
#[test]
fn decisions_of_the_engine_are_counted_without_an_analysis() {
    let played = "set player 0 chequerplay evaluation plies 0\nset player 0 cubedecision evaluation plies 0\n\
        set player 1 gnubg\nset player 1 chequerplay evaluation plies 0\nset player 1 cubedecision evaluation plies 0\n\
        set display off\nset automatic game off\nset seed 22\nnew match 3\nshow statistics match\n";
    let said = last_answer(played, true);
    for part in [
        "Chequerplay rating                       Supernatural            Supernatural",
        "Chequerplay errors rating loss              0.0                     0.0",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let unforced = said
        .lines()
        .find(|line| line.starts_with("Unforced moves"))
        .unwrap();
    assert!(
        numbers(unforced).iter().all(|count| *count > 0.0),
        "{unforced}"
    );
}

/// CON-42: a match is written as gnubg writes it.
#[test]
fn exported_match_has_the_form_of_gnubg() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("out.mat");
    let path = file.to_str().unwrap();
    let source = fixture("console-beaver.mat");
    let export = |strict| {
        let lines = format!("import mat \"{source}\"\nexport match mat \"{path}\"\n");
        last_answer(&lines, strict);
        std::fs::read_to_string(&file).unwrap()
    };
    let strict = export(true);
    for part in [
        "; [EventDate \"2026.11.21\"]\n\n 0 point match\n\n Game 1\n",
        "\n  4)  Takes                      64: 8/2* 6/2 \n",
        "\n 16) 22:                         53: ",
        "\n                                  Wins 16 points\n\n",
    ] {
        assert!(strict.contains(part), "{part}: {strict}");
    }
    assert!(!export(false).lines().any(|line| line.ends_with(' ')));
}

/// CON-43: a command's help.
#[test]
fn help_names_the_arguments_of_a_command() {
    let said = last_answer("help hint\n", true);
    let wanted = "hint - Give hints on cube action or best legal moves\n\nUsage: hint [value] \n";
    assert_eq!(said, wanted);
    let said = last_answer("help new match\n", true);
    assert!(said.ends_with("Usage: new match [points] \n"), "{said}");
}

/// CON-07: a choice of the cube that is worth as much as the best one.
#[test]
fn equal_choice_of_the_cube_has_a_minus() {
    let won = "set xgid XGID=-A---------------------aa-:0:0:1:00:0:0:0:0:10\neval\n";
    for (strict, line) in [(true, "(-0.000)"), (false, "(+0.000)")] {
        let said = last_answer(won, strict);
        let line = format!("3. No double           +1.000  {line}\n");
        assert!(said.contains(&line), "{said}");
    }
}

/// CON-45: the counts of races at and around their limits, as gnubg prints them.
#[test]
fn counts_of_races_are_those_of_the_original() {
    let recorded = std::fs::read_to_string(fixture("console-races.txt")).unwrap();
    let (ids, mut rest) = recorded.split_once("\n\n").unwrap();
    let engine = Engine::builder().threads(1).build().unwrap();
    let mut host = EngineHost::new(engine, Stop::new(), None);
    let mut console = Console::new(ConsoleOptions {
        strict: true,
        ..ConsoleOptions::default()
    });
    for id in ids.lines() {
        for count in ["keith", "thorp", "isight", "8912", "kleinman"] {
            let line = format!("show {count} {id}");
            let said = console.line(line.as_bytes(), &mut host).out;
            let next = rest.strip_prefix(&said);
            rest = next.unwrap_or_else(|| panic!("{line}: {said:?}, expected {rest:.300?}"));
        }
    }
    assert_eq!((rest, ids.lines().count()), ("", 48));
}

/// CON-45: the effective pip counts of a bear-off beside those that gnubg rolls out.
#[test]
fn effective_pips_are_near_those_that_the_original_rolls_out() {
    let said = last_answer("show onesidedrollout dwAAAOwAAAAAAA\n", true);
    let after = |name: &str| {
        let line = said.lines().find(|line| line.starts_with(name)).unwrap();
        numbers(line)
    };
    // gnubg's, of 5,760 games.
    for (name, rolled) in [
        ("0.", [0.296, 0.704]),
        ("gnubg", [22.389, 13.389]),
        ("root", [29.841, 6.841]),
    ] {
        let mut found = after(name);
        found.retain(|value| *value != 0.0);
        let near = |(found, rolled): (&f64, &f64)| (found - rolled).abs() < 0.1;
        assert!(
            found.len() == 2 && found.iter().zip(&rolled).all(near),
            "{said}"
        );
    }
}

/// CON-45.
#[test]
fn what_the_original_has_in_windows_alone_is_refused_in_its_words() {
    for what in ["rolls", "temperaturemap", "scoremap"] {
        let said = last_answer(&format!("new session\nshow {what}\n"), true);
        assert_eq!(said, "That command is not yet implemented.\n");
        let said = last_answer(&format!("show {what}\n"), true);
        assert!(said.starts_with("No game in progress"), "{said}");
    }
}
