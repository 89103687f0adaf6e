//! What the console keeps in files: the analysis, what lies on the table, where and when it was played. Rules CON-46 to
//! CON-48 of `protocol-specs/gnubg-console.md`; the answers are those of gnubg 1.07.001.

use crate::console_changes::{answer_by, engine_answer};
use crate::support::gnubg_wd;
use gammond_console::{ConsoleHost, NoHost};
use gammond_engine::engine::{Engine, Nets};
use gammond_engine::query::{Settings, Stop};
use gammond_game::Rules;
use gammond_game::notation::{MatAction, MatchFile, MatchFormat};
use gammond_report::analysis::analyse;
use gammond_server::console::EngineHost;

const XGID: &str = "set xgid XGID=-b--BAD-C---dC---c-eAa--A-:0:0:1";

/// CON-46: the file of an analysed match has luck, marks and remarks, as `gammond analyse --annotate-sgf` writes them, for
/// the parts that were analysed.
#[test]
fn saved_match_keeps_its_analysis() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.sgf");
    let file = crate::support::root().join("tests/data/analysis/money3.mat");
    let saved = |commands: &str, kind: &str| {
        let file = file.display();
        let path = path.display();
        let said = engine_answer(&format!("import mat {file};{commands};save {kind} {path}"));
        assert_eq!(said, "", "{commands}");
        std::fs::read_to_string(path.to_string()).unwrap()
    };
    let bytes = std::fs::read(&file).unwrap();
    let reading = MatchFile::read(&bytes).unwrap();
    let engine = Engine::builder().threads(1).build().unwrap();
    let settings = Settings::for_analysis(Some(0), None);
    let judged = analyse(&engine, &settings, &reading, Rules::default(), &Stop::new());
    let sgf = MatchFormat::named("sgf").unwrap();
    let wanted = judged.unwrap().write(&reading.file, sgf).unwrap();
    let whole = saved("analyse match", "match");
    assert_eq!(whole, String::from_utf8(wanted).unwrap());
    let game = saved("analyse match;previous game", "game");
    let (_, third) = whole.split_once("[game:2]").unwrap();
    let (_, alone) = game.split_once("[game:0]").unwrap();
    assert!(third.starts_with(alone), "{alone}");
    let plain = saved("analyse match;analyse clear match", "match");
    assert!(!plain.contains("LU[") && !plain.contains("C["), "{plain}");
    let luckless = saved("set analysis luck off;analyse match", "match");
    assert!(!luckless.contains("LU[") && luckless.contains("BM["));
    let plays = saved("set analysis cube off;analyse match", "match");
    assert!(whole.contains("BC[") && plays.contains("BM[") && !plays.contains("BC["));
}

/// Returns the answers to the last of commands before and after a file was written and read.
fn both(commands: &str, file: &str, asked: &str) -> [String; 2] {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.sgf");
    let path = path.display();
    let before = engine_answer(&format!("{commands};{asked}"));
    let again = format!("{commands};save {file} {path};load {file} {path};{asked}");
    [before, engine_answer(&again)]
}

/// CON-48: a board that was set up, and a roll without its play.
#[test]
fn files_have_what_lies_on_the_table() {
    for commands in [
        format!("{XGID}:00:0:0:0:5:10"),
        format!("{XGID}:31:0:0:0:5:10"),
        format!("{XGID}:31:0:0:0:5:10;8/5 6/5;set dice 42"),
        "new match 3;set turn 0;set dice 31".to_owned(),
        "new match 3;set turn 0;set board simple 0 1 2 0 0 0 5 0 3 0 0 0 0 0 0 0 0 0 0 -5 0 0 0 0 0 0".to_owned(),
    ] {
        for file in ["match", "position"] {
            for asked in ["show turn", "show dice", "show gnubgid"] {
                let [before, after] = both(&commands, file, asked);
                if asked != "show gnubgid" || file == "position" {
                    assert_eq!(before, after, "{commands}, {file}");
                }
            }
        }
        let [before, after] = both(&commands, "match", "show pipcount");
        assert_eq!(before, after, "{commands}");
    }
}

/// CON-48: the play of a roll that a file ends with takes its place.
#[test]
fn play_after_loading_has_one_roll() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rolled.sgf");
    let name = path.display();
    let rolled = "new match 3;set turn 1;set dice 31";
    engine_answer(&format!("{rolled};save match {name}"));
    engine_answer(&format!("load match {name};8/5 6/5;save match {name}"));
    let file = MatchFile::parse(&std::fs::read(&path).unwrap()).unwrap();
    let actions: Vec<_> = file.games[0]
        .actions
        .iter()
        .map(|(_, action)| action)
        .collect();
    assert!(
        matches!(
            actions[..],
            [MatAction::Play { .. }] | [MatAction::SetUp(_), MatAction::Play { .. }]
        ),
        "{actions:?}"
    );
}

/// CON-48, MAT-51: a board that was set up before a double, or is a question, survives the text export.
#[test]
fn text_export_keeps_boards_that_were_set_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.txt");
    let name = path.display();
    for (commands, kinds) in [
        (format!("{XGID}:00:0:0:0:7:10"), &["double"][..]),
        (
            format!("{XGID}:00:0:0:0:7:10;double;take;set dice 31;8/5 6/5"),
            &["double", "take", "play"][..],
        ),
    ] {
        engine_answer(&format!("{commands};export match text {name}"));
        let reading = MatchFile::read(&std::fs::read(&path).unwrap()).unwrap();
        let engine = Engine::builder().threads(1).build().unwrap();
        let settings = Settings::for_analysis(Some(0), None);
        let judged = analyse(&engine, &settings, &reading, Rules::default(), &Stop::new()).unwrap();
        let found: Vec<_> = judged.rows().map(|row| row.kind.name()).collect();
        assert_eq!(found, kinds, "{}", std::fs::read_to_string(&path).unwrap());
        let board = judged.rows().next().unwrap().judged.decision.position;
        let id = gammond_game::notation::PositionId::from(board).to_string();
        assert_eq!(id, "yOfgATBYz8EBIQ");
    }
}

/// The text export of a position counts the actions of the record alone.
#[test]
fn text_export_of_a_position_counts_the_moves_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("position.txt");
    let name = path.display();
    for (commands, number) in [
        (format!("{XGID}:31:0:0:0:7:10"), 1),
        (
            "new match 3;set turn 1;set dice 31;8/5 6/5;set dice 42".to_owned(),
            3,
        ),
    ] {
        engine_answer(&format!("{commands};export position text {name}"));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(&format!("\nMove number {number}:")), "{text}");
    }
}

/// CON-47: `set matchinfo` is in all files, and leaves with the match.
#[test]
fn match_info_is_kept_with_the_match() {
    let folder = tempfile::tempdir().unwrap();
    let [sgf, mat, text] = ["a.sgf", "a.mat", "a.txt"].map(|name| folder.path().join(name));
    let set = "new match 3;set turn 1;set dice 31;8/5 6/5;set matchinfo event Open 2019;set matchinfo place Monte Carlo;\
        set matchinfo annotator me;set matchinfo comment a good one;set matchinfo date 2020-02-03;set matchinfo rating 0 1800";
    let shown = "gnubg (1800) vs. root (unknown rating), 2020-02-03\nEvent: Open 2019\nPlace: Monte Carlo\n\
        Annotator: me\na good one\n";
    let answer = |commands: &str| answer_by(&mut NoHost, commands);
    assert_eq!(answer(&format!("{set};show matchinfo")), shown);
    let [sgf_name, mat_name, text_name] = [&sgf, &mat, &text].map(|path| path.display());
    engine_answer(&format!(
        "{set};save match {sgf_name};export match mat {mat_name};export match text {text_name}"
    ));
    for load in [
        format!("load match {sgf_name}"),
        format!("import mat {mat_name}"),
    ] {
        assert_eq!(
            engine_answer(&format!("{load};show matchinfo")),
            shown,
            "{load}"
        );
    }
    let text = std::fs::read_to_string(text).unwrap();
    let head = "Match Information:\ngnubg's rating: 1800\nDate: 02/03/20\nEvent: Open 2019\nPlace: Monte Carlo\n\
        Annotator: me\nComments: a good one\n\n";
    assert!(text.contains(head), "{text}");
    for (commands, wanted) in [
        ("set matchinfo event", "Match event cleared.\n"),
        (
            "set matchinfo date 2019-02-29",
            "2019-02-29 is not a valid date (see `help set matchinfo date').\n",
        ),
        (
            "set matchinfo date 1752-12-31",
            "1752-12-31 is not a valid date (see `help set matchinfo date').\n",
        ),
        (
            "set matchinfo date 2020-2-29",
            "Match date set to 2020-02-29.\n",
        ),
        (
            "set matchinfo rating foo 3",
            "You must specify which player's rating to set (see `help set matchinfo rating').\n",
        ),
        ("set matchinfo rating 1", "Rating for root cleared.\n"),
    ] {
        assert_eq!(answer(&format!("new match 3;{commands}")), wanted);
    }
    let left = answer(&format!("{set};new match 5;show matchinfo"));
    assert!(!left.contains("Event"), "{left}");
}

/// CON-07, CON-49: what an open resignation and an open double are worth. The numbers are gnubg's with its nets.
#[test]
fn open_offers_have_the_values_of_the_original() {
    let Some(nets) = gnubg_wd("console_files::open_offers_have_the_values_of_the_original") else {
        return;
    };
    let engine = Engine::builder().nets(Nets::Path(nets)).threads(1);
    let mut host = EngineHost::new(engine.build().unwrap(), Stop::new(), None);
    let host: &mut dyn ConsoleHost = &mut host;
    let settings = "set evaluation chequerplay evaluation plies 0;set evaluation cubedecision evaluation plies 0";
    for (state, offer, wanted) in [
        ("52:0:0:0:5:10", "normal", "-0.508|+1.000 (+1.508)"),
        ("52:0:0:0:5:10", "gammon", "-0.508|+1.913 (+2.421)"),
        ("52:0:0:1:0:10", "gammon", "-0.331|+1.000 (+1.331)"),
    ] {
        let (before, after) = wanted.split_once('|').unwrap();
        let found = answer_by(
            host,
            &format!("{settings};{XGID}:{state};resign {offer};hint"),
        );
        assert_eq!(
            found,
            format!(
                "Equity before resignation : {before}\nEquity after resignation : {after}\nCorrect resign decision : Accept\n"
            ),
        );
    }
    let found = answer_by(
        host,
        &format!("{settings};{XGID}:00:0:0:0:5:10;double;eval"),
    );
    assert!(found.contains("0-ply cubeless equity +0.508"), "{found}");
}
