//! The console after changes by hand: set-up positions, offers, the record and the score. The answers are those of
//! gnubg 1.07.001 for the same commands; rules CON-22 and CON-28 of `protocol-specs/gnubg-console.md`.

use gammond_console::{Console, ConsoleHost, ConsoleOptions, NoHost};
use gammond_engine::engine::Engine;
use gammond_engine::query::Stop;
use gammond_server::console::EngineHost;

const NO_GAME: &str = "No game in progress (type `new game' to start one).\n";
const XGID: &str = "set xgid XGID=-b----E-C---eE---c-e----B-";
/// The fastest settings of hints and of the analysis.
const STATIC: &str = "set evaluation chequerplay evaluation plies 0;set evaluation cubedecision evaluation plies 0;\
    set analysis chequerplay evaluation plies 0;set analysis cubedecision evaluation plies 0";

/// Runs commands that semicolons separate, between two human players without automatic rolls and games. Returns the
/// answer to the last one, without boards.
pub(crate) fn answer_by(host: &mut dyn ConsoleHost, commands: &str) -> String {
    let mut console = Console::new(ConsoleOptions {
        user: "root".to_owned(),
        ..ConsoleOptions::default()
    });
    let setup = "set player 0 human;set automatic roll off;set automatic game off";
    let mut last = String::new();
    for command in setup.split(';').chain(commands.split(';')) {
        let answer = console.line(command.as_bytes(), host);
        last = answer.out + &answer.err;
    }
    let board = [" |", "v|", "^|", " +", " GNU", "                 Match"];
    let is_board =
        |line: &&str| line.trim().is_empty() || board.iter().any(|part| line.starts_with(part));
    let words = last.lines().filter(|line| !is_board(line));
    words.fold(String::new(), |text, line| text + line + "\n")
}

/// Returns the answer to the last command, without an engine.
pub(crate) fn answer(commands: &str) -> String {
    // Dice that never differ leave 21 to gnubg at the top.
    answer_by(&mut NoHost, commands)
}

/// Returns the answer of a console with an engine.
pub(crate) fn engine_answer(commands: &str) -> String {
    let engine = Engine::builder().threads(1).build().unwrap();
    let mut host = EngineHost::new(engine, Stop::new(), None);
    answer_by(&mut host, &format!("{STATIC};{commands}"))
}

/// Checks the parts that the last command's answer must contain.
#[track_caller]
fn check(answer: fn(&str) -> String, cases: &[(&str, &str)]) {
    for (commands, part) in cases {
        let found = answer(commands);
        assert!(found.contains(part), "{commands}: {found}");
    }
}

/// A resigned game is awarded once, and nothing but an answer follows an open resignation.
#[test]
fn open_resignation_allows_only_an_answer() {
    let resigned = "new match 5;set turn 1;resign normal;accept";
    for command in ["accept", "reject"] {
        assert_eq!(answer(&format!("{resigned};{command}")), NO_GAME);
    }
    let score = answer(&format!("{resigned};accept;reject;show score"));
    assert!(
        score.contains("(after 1 game) is: gnubg 1, root 0"),
        "{score}"
    );
    let open = "new session;set turn 1;resign normal";
    let on_roll = "You are only allowed to double if you are on roll.\n";
    let resolve = "Please resolve the resignation first.\n";
    check(
        answer,
        &[
            (&format!("{open};double"), on_roll),
            (
                "new session;set turn 1;set dice 31;resign normal;8/5 6/5",
                "Please wait for gnubg to consider the resignation before moving.\n",
            ),
            ("new session;set turn 1;double;resign normal;take", resolve),
            (&format!("{open};clear turn"), resolve),
            (
                &format!("{open};double;take;accept"),
                "gnubg wins a single game and 1 point.",
            ),
            (
                "new session;set turn 1;double;roll",
                "Please wait for gnubg to consider the cube before moving.\n",
            ),
        ],
    );
}

/// A declined resignation counts until the turn passes, and only for its player.
#[test]
fn declined_resignation_counts_for_one_turn() {
    let declined = "new session;set turn 1;resign backgammon;decline";
    let moved = format!("{declined};set dice 31;8/5 6/5");
    check(
        answer,
        &[
            (
                &format!("{declined};resign normal"),
                "gnubg has already declined your offer of a backgammon.",
            ),
            (
                &format!("{moved};resign normal"),
                "gnubg offers to resign a single game.",
            ),
            (
                &format!("{moved};set dice 31;8/5 6/5;resign normal"),
                "root offers to resign a single game.",
            ),
        ],
    );
}

/// CON-28: what makes an offer impossible withdraws it; other changes leave it open.
#[test]
fn changes_withdraw_impossible_offers() {
    let double = "new session;set turn 1;double";
    let in_match = "new match 3;set score 2 0;set crawford off;set turn 1;double";
    let none = "The cube must have been offered before you can take it.\n";
    let taken = "gnubg accepts the cube at 2.\n";
    check(
        answer,
        &[
            (&format!("{double};set board 4HPwATDgc/ABMA;take"), none),
            (&format!("{double};set cube use off;take"), none),
            (&format!("{double};set cube use on;take"), taken),
            (&format!("{double};clear turn;take"), taken),
            (&format!("{in_match};set crawford on;take"), none),
            (&format!("{in_match};set postcrawford off;take"), none),
            (&format!("{in_match};set postcrawford on;take"), taken),
            (
                "new session;set turn 1;resign normal;set board 4HPwATDgc/ABMA;roll;show turn",
                "root is on move.\n",
            ),
            // The beavers of a withdrawn double no longer count.
            (
                &format!(
                    "set beavers 1;{double};beaver;set cube centre;set cube value 1;double;beaver"
                ),
                "gnubg accepts and immediately redoubles to 4.\n",
            ),
        ],
    );
}

/// CON-28: a set-up position starts a record with its own score, rules and names.
#[test]
fn set_up_position_starts_new_record() {
    let money = format!("{XGID}:0:0:1:31:0:0:0:0:10");
    let in_match = format!("{XGID}:0:0:1:31:3:4:0:5:10");
    let played = format!("{money};8/5 6/5;{in_match};8/5 6/5");
    check(
        answer,
        &[
            (
                &format!("{played};list match"),
                "Game 1: gnubg 4, root 3: not finished\n",
            ),
            (
                &format!("{played};previous;show score"),
                "gnubg 4, root 3 (match to 5 points",
            ),
            (
                &format!(
                    "new match 7;set turn 1;set dice 31;8/5 6/5;{money};8/5 6/5;previous;show score"
                ),
                "(money session",
            ),
            (
                "new match 7;set matchid cAmgAEAAAAAE;set dice 31;8/5 6/5;previous;show score",
                "(match to 5 points",
            ),
        ],
    );
    assert_eq!(answer(&format!("{played};list match")).lines().count(), 1);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.mat");
    let export = format!(
        "{in_match};8/5 6/5;set player 0 name Ada;export match mat {}",
        path.display()
    );
    assert_eq!(engine_answer(&export), "");
    let written = std::fs::read_to_string(path).unwrap();
    assert!(
        written.contains(" Ada : 4 ") && written.contains("root : 3"),
        "{written}"
    );
}

/// A new play has no analysis of the one that it replaces.
#[test]
fn replaced_play_loses_its_analysis() {
    let analysed = format!("{XGID}:0:0:1:31:0:0:0:0:10;8/5 6/5;set dice 42;8/4 6/4;analyse match");
    let kept = engine_answer(&format!("{analysed};previous;show board"));
    assert!(kept.contains("Rolled 42 ("), "{kept}");
    let replaced = format!("{analysed};previous;set dice 64;8/2 6/2");
    let shown = engine_answer(&format!("{replaced};previous;show board"));
    assert!(shown.contains("Rolled 64:\n"), "{shown}");
    // What was played before keeps its analysis; the statistics of the game are counts again.
    let before = engine_answer(&format!("{replaced};previous 2;show board"));
    assert!(before.contains("Rolled 31 ("), "{before}");
    let rating = |commands: &str| {
        let statistics = engine_answer(&format!("{commands};show statistics game"));
        let row = statistics
            .lines()
            .find(|line| line.starts_with("Luck rating"));
        row.unwrap_or_default().contains("None")
    };
    assert_eq!(
        [&analysed, &replaced].map(|commands| rating(commands)),
        [false, true]
    );
}

/// CON-28: the score and the Crawford flag are those of the game on the board, also after navigation and in files.
#[test]
fn score_set_by_hand_is_recorded() {
    let play = "set turn 1;set dice 31;8/5 6/5";
    let post_crawford = format!("{XGID}:0:0:1:31:2:0:0:3:10;8/5 6/5;previous");
    check(
        answer,
        &[
            (
                &format!("new match 5;set score 3 1;{play};previous;show score"),
                "gnubg 3, root 1 (match to 5 points)",
            ),
            (
                &format!("new match 5;{play};set score 3 1;previous;show score"),
                "gnubg 3, root 1 (match to 5 points)",
            ),
            (
                &format!("{post_crawford};show score"),
                "(match to 3 points, post-Crawford play)",
            ),
            (
                &format!("new match 3;{play};set score 2 1;set crawford off;previous;show score"),
                "post-Crawford play",
            ),
            (
                "set automatic crawford off;new match 2;set turn 1;set dice 31;8/5 6/5;resign normal;accept;new game;\
                 set turn 1;set dice 31;8/5 6/5;previous;show score",
                "post-Crawford play",
            ),
            // A score that is set between games is that of the next one.
            (
                "new match 5;set turn 1;resign normal;accept;set score 3 1;new game;list match",
                "Game 1: gnubg 0, root 0: gnubg wins 1 point\nGame 2: gnubg 3, root 1: not finished\n",
            ),
        ],
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("match.sgf");
    for what in ["match", "game", "position"] {
        let save = format!(
            "{post_crawford};set score 2 1;save {what} {path}",
            path = path.display()
        );
        let loaded = engine_answer(&format!("{save};load match {};show score", path.display()));
        let score = "gnubg 2, root 1 (match to 3 points, post-Crawford play)";
        assert!(loaded.contains(score), "{what}: {loaded}");
    }
}

/// CON-28: a leader one point away plays the Crawford game against a player without points; a flag that is set stays.
#[test]
fn set_score_decides_the_crawford_game() {
    let scores = [
        ("4 0", "Crawford game"),
        ("0 4", "Crawford game"),
        ("4 2", "post-Crawford play"),
        ("4 0;set score 4 2", "Crawford game"),
        ("4 0;set crawford off;set score 4 0", "Crawford game"),
        ("4 0;set score 3 1;set score 4 2", "post-Crawford play"),
        ("4 4", "post-Crawford play"),
    ];
    for (score, rule) in scores {
        let found = answer(&format!("new match 5;set score {score};show score"));
        assert!(
            found.contains(&format!("(match to 5 points, {rule})")),
            "{score}: {found}"
        );
    }
}

/// A Crawford flag at double match point changes nothing, and a match that is over has no decisions.
#[test]
fn hints_at_extreme_scores() {
    check(
        engine_answer,
        &[
            (&format!("{XGID}:0:0:1:31:4:4:1:5:10;hint 1"), "8/5 6/5"),
            (
                "new match 5;set score 4 4;set crawford on;set turn 1;hint",
                "You cannot double.\n",
            ),
            (
                &format!("{XGID}:0:0:1:31:4:4:1:5:10;set player 1 gnubg;play"),
                "root moves 8/5 6/5.\n",
            ),
            (
                "set matchid cAmgAFAAAAAE;hint",
                "The match is already over.\n",
            ),
        ],
    );
}

/// CON-28: games that no longer follow are dropped.
#[test]
fn play_and_new_game_drop_what_no_longer_follows() {
    let play = "set turn 1;set dice 31;8/5 6/5";
    let game = format!("{play};resign 1;accept");
    let three = format!("new match 7;{game};new game;{game};new game;{game}");
    for (commands, games) in [
        (three.clone(), 3),
        (format!("{three};first game;{play}"), 1),
        (format!("{three};first game;new game"), 1),
        (format!("{three};first game;next 9;new game"), 2),
        (format!("{three};previous game;{play}"), 2),
        (format!("{three};new game;{play};new game"), 4),
        (format!("new match 5;{play};new game;resign 1;accept"), 1),
    ] {
        let listed = answer(&format!("{commands};list match"));
        assert_eq!(listed.lines().count(), games, "{commands}: {listed}");
    }
}

/// CON-07: an answer to a beaver has no hint; through a raccoon the cube stays with the beaverer.
#[test]
fn beaver_sequence_has_no_hint() {
    let raccoon = "set beavers 3;new session;set turn 1;double;beaver";
    for commands in [raccoon.to_owned(), format!("{raccoon};beaver")] {
        let hint = engine_answer(&format!("{commands};hint"));
        assert_eq!(
            hint,
            "This decision is part of beaver/raccoon sequence and cannot be hinted\n"
        );
    }
    let cube = answer(&format!("{raccoon};beaver;show cube"));
    assert!(
        cube.contains("The cube is at 4, and is owned by gnubg."),
        "{cube}"
    );
}

/// CON-29: a bearoff that is forced, or that bears off a checker with every die, needs no command.
#[test]
fn automatic_bearoff_plays_what_gnubg_plays() {
    for (own, dice, play) in [
        ("0 2 2 2 0 0 0", "31", "3/off 1/off"),
        ("0 2 2 2 0 0 0", "65", "3/off(2)"),
        ("0 1 1 0 1 0 1", "41", "4/off 1/off"),
        ("0 4 1 1 0 0 0", "11", "1/off(4)"),
        ("0 1 1 0 0 0 0", "11", "2/off 1/off"),
        ("0 0 0 0 0 0 2", "54", "6/2 6/1"),
        // No play, or several, bear off with every die.
        ("0 2 2 2 0 0 0", "11", ""),
        ("0 1 0 0 0 2 0", "31", ""),
        ("0 1 1 0 1 0 1", "63", ""),
        // A checker is not home, or the sides can meet.
        ("0 2 2 2 0 0 0 1", "61", ""),
        ("0 -1 2 2 0 0 0", "32", ""),
    ] {
        let between = " 0".repeat(19 - own.split(' ').count());
        let board = format!("set board simple {own}{between} -2 -2 -2 0 0 0 0");
        let moved = answer(&format!(
            "set automatic bearoff on;new session;set turn 1;{board};set rng manual;roll;{dice}"
        ));
        let made = moved.lines().next().unwrap_or_default();
        let expected = match play {
            "" => String::new(),
            play => format!("root moves {play}."),
        };
        assert_eq!(made, expected, "{own} with {dice}");
    }
    let forced = answer(
        "set automatic move on;new session;set turn 1;set board simple 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 -2 -2 0 0 0 0;\
         set rng manual;roll;31",
    );
    assert!(
        forced.starts_with("root moves 1/off.\nroot wins a single game"),
        "{forced}"
    );
}

/// A refused board has no rollout either.
#[test]
fn refused_board_has_no_rollout() {
    let refused =
        "new session;set board simple 0 16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 0";
    let rollout = engine_answer(&format!("{refused};rollout"));
    assert_eq!(rollout, "No position specified and no game in progress.\n");
}

/// A match of length 0 is a session.
#[test]
fn match_of_length_zero_is_a_session() {
    let started = "A new session has been started.\n";
    check(
        answer,
        &[
            ("set matchlength 0;new match", started),
            ("new match 0", started),
            ("new match 65", "only for matches of length 64"),
        ],
    );
}

/// `end game` throws its own dice, and the next line is a command again.
#[test]
fn end_game_needs_no_manual_dice() {
    let ended = "new session;set rng manual;end game";
    let said = engine_answer(ended);
    assert!(said.starts_with("Game complete.\n"), "{said}");
    assert!(engine_answer(&format!("{ended};show score")).contains("(after 1 game)"));
    assert_eq!(
        engine_answer(&format!("{ended};new session")),
        "A new session has been started.\nEnter dice: \n"
    );
}

/// CON-22, PT-12: a Snowie position becomes the current one, with its names, seats, score and roll.
#[test]
fn import_of_snowie_position_sets_names_and_turn() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let line = include_str!("../../../../tests/data/field-reports/snowie-position.txt");
    let rolled = "3;0;0;0;0;Bob the 2nd;gnubg;1;2;0;1;0;0;-2;0;0;0;0;5;0;3;0;0;0;-5;5;0;0;0;-3;0;-5;0;0;0;0;2;0;6;5;\n";
    std::fs::write(path("second"), line).unwrap();
    std::fs::write(path("first"), rolled).unwrap();
    for (name, command, want) in [
        ("second", "show turn", "Bob is on roll.\n"),
        ("second", "show score", "Ann 0, Bob 0 (match to 5 points)"),
        ("second", "show dice", "Bob has not yet rolled the dice.\n"),
        ("first", "show dice", "Bob the 2nd has rolled 6 and 5.\n"),
        (
            "first",
            "show score",
            "Bob the 2nd 2, gnubg 0 (match to 3 points, Crawford game)",
        ),
        (
            "first",
            "show crawford",
            "This game is the Crawford game.\n",
        ),
    ] {
        let found = engine_answer(&format!("import snowietxt {};{command}", path(name)));
        assert!(found.contains(want), "{name} {command}: {found}");
    }
}

/// CON-44, LV-04: the computer plays as people of a rate do, in the same way each time that the same commands come.
#[test]
fn computer_plays_as_people_of_a_rate() {
    let mut other = 0;
    for [high, low] in [
        [4, 3],
        [6, 2],
        [2, 1],
        [6, 4],
        [5, 1],
        [4, 1],
        [5, 4],
        [6, 3],
    ] {
        let start = format!("{XGID}:0:0:1:{high}{low}:0:0:0:0:10;set player 1 gnubg");
        let plain = engine_answer(&format!("{start};play"));
        let people = format!("{start};set player 1 pr 12;play");
        let found = engine_answer(&people);
        assert_eq!(found, engine_answer(&people));
        let moves = |text: &str| {
            let (_, rest) = text.split_once(" moves ")?;
            rest.split_once('.').map(|(play, _)| play.to_owned())
        };
        other += u32::from(moves(&found).unwrap() != moves(&plain).unwrap());
        let off = format!("{start};set player 1 pr 12;set player 1 pr off;play");
        assert_eq!(engine_answer(&off), plain);
    }
    assert!(
        (1..8).contains(&other),
        "{other} of 8 plays are not the best"
    );
}

/// CON-44: the answers to the commands about people, and what `show player` prints then.
#[test]
fn players_as_people_are_named() {
    let cases = [
        (
            "set player gnubg pr 8",
            "gnubg will decide as people with an error rate (PR) of 8.0 do.",
        ),
        (
            "set player gnubg elo 1700",
            "gnubg will decide as people with an error rate (PR) of 13.2 do.",
        ),
        (
            "set player gnubg pr off",
            "gnubg will decide by evaluations.",
        ),
        (
            "set player 1 pr 8",
            "no effect until you `set player root gnu'",
        ),
        (
            "set player gnubg pr",
            "setting 'pr' is '', expected 0.5 to 40",
        ),
        (
            "set player gnubg pr 99",
            "setting 'pr' is '99', expected 0.5 to 40",
        ),
        (
            "set player gnubg elo 5",
            "setting 'elo' is '5', expected 1000 to 2030",
        ),
        (
            "set player 0 gnubg;set player gnubg pr 8;show player",
            "Type: gnubg, as people of PR 8.0",
        ),
        (
            "set player both gnubg;set player both pr 8;show player",
            "Name: root\n  Type: gnubg, as people of PR 8.0",
        ),
        ("help set player", "|pr N|elo N>"),
    ];
    check(answer, &cases);
    // Keywords of the original keep their abbreviations.
    let abbreviated = answer("set player gnubg e");
    assert!(abbreviated.contains("external"), "{abbreviated}");
}
