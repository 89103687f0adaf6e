//! The rules of `protocol-specs/` for positions, XGIDs, board lines, benchmark files, match files
//! and errors: one test a rule, named after it.

use gammond_game::notation::{
    BenchmarkRecord, BoardDialect, BoardLine, BoardView, Form, GnubgId, MatchFile, MatchId,
    MatchView, Offer, ParsedPosition, PlayerNumber, PositionId, PositionKey, Xgid, XgidView,
    parse_position, parse_training_line, split_position,
};
use gammond_game::{Cube, CubeOwner, MatchState, Position, Roll, Rules, Score};

const START: &str = "4HPwATDgc/ABMA";
const KEY: &str = "OAHDPAABDAOAHDPAABDA";
const XG_START: &str = "-b----E-C---eE---c-e----B-";
/// Fields 6 to 31 of the start, player 1 moving towards lower places.
const BOARD: &str = "0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0";

fn read(text: &str) -> ParsedPosition {
    parse_position(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The error of a text: code, message, place.
fn error(text: &str) -> (String, String, usize) {
    let error = parse_position(text.as_bytes()).expect_err(text);
    (error.code().to_owned(), error.to_string(), error.at())
}

fn match_view(text: &str) -> MatchView {
    text.parse::<MatchId>().unwrap().view().unwrap()
}

fn xgid(fields: &str) -> XgidView {
    let text = format!("XGID={XG_START}:{fields}");
    text.parse::<Xgid>().unwrap().view().unwrap()
}

fn xgid_error(fields: &str) -> String {
    error(&format!("XGID={XG_START}:{fields}")).1
}

fn board(head: &str, tail: &str) -> BoardLine {
    format!("board:{head}:{BOARD}:{tail}").parse().unwrap()
}

fn external(head: &str, tail: &str) -> BoardView {
    board(head, tail).view(BoardDialect::External).unwrap()
}

fn fibs(head: &str, tail: &str) -> BoardView {
    board(head, tail).view(BoardDialect::Fibs).unwrap()
}

fn scores(state: MatchState) -> (u32, u32, u32) {
    (
        state.score.length(),
        state.score.me(),
        state.score.opponent(),
    )
}

fn record(line: &str) -> BenchmarkRecord {
    line.parse().unwrap()
}

fn record_error(line: &str) -> String {
    line.parse::<BenchmarkRecord>().expect_err(line).to_string()
}

#[test]
fn pid_01_to_06_keys() {
    // PID-01: my rearmost checkers stand on index 23, the opponent's ace point.
    let start = read(START).position;
    assert_eq!((start.me().count(23), start.opponent().count(23)), (2, 2));
    // PID-02: see `malformed.tsv` for what is refused; a finished game is a position.
    assert!(read("AQAAAAAAAAAAAA").position.is_over());
    assert!(error("AAAAAAAAAAAAAA").1.contains("borne off all"));
    // PID-03, PID-04: one checker of the opponent on its ace point is bit 0 of byte 0.
    let mut bytes = [0; 10];
    bytes[0] = 1;
    let key = PositionKey::from_bytes(bytes).unwrap();
    assert_eq!(key.position().opponent().count(0), 1);
    // PID-05: what follows the last point must be zero.
    bytes[9] = 0x80;
    assert!(PositionKey::from_bytes(bytes).is_err());
    // PID-06: 14 checkers of the opponent are off, so mine begin at bit 26.
    let few: PositionKey = "AAAAABNMAAAAAAAAAAAA".parse().unwrap();
    assert_eq!(
        (few.position().opponent().off(), few.position().me().off()),
        (14, 10)
    );
}

#[test]
fn pid_10_to_13_position_ids() {
    // PID-10, PID-13.
    assert_eq!(PositionId::from(Position::start()).to_string(), START);
    // PID-11: the last character's spare bits.
    assert_eq!(read("4HPwATDgc/ABMP").position, Position::start());
    // PID-12.
    assert!(PositionId::parse(b"4HPwATDgc/ABM").is_err());
    assert!(PositionId::parse(b"4hpwatdgc/abma").is_err());
}

#[test]
fn mid_01_to_05_match_ids() {
    // MID-01: 64-point match, 2-cube of player 1, player 1 on roll, 12 to 34, 6-5.
    let score = Score::new(64, 34, 12, false).unwrap();
    let cube = Cube::new(2, CubeOwner::Me).unwrap();
    let rules = Rules {
        jacoby: false,
        beavers: false,
    };
    let state = MatchState {
        cube,
        score,
        ..MatchState::money(rules)
    };
    let roll = Some(Roll::new(5, 6).unwrap());
    let id = MatchId::of(&state, roll, None, PlayerNumber::One);
    assert_eq!(
        (id.cube_log(), id.owner(), id.length()),
        (1, Some(PlayerNumber::One), 64)
    );
    assert_eq!(
        (id.score(PlayerNumber::Zero), id.score(PlayerNumber::One)),
        (12, 34)
    );
    assert_eq!(id.game_state(), 1);
    // MID-02: bits that mean nothing survive.
    let odd: MatchId = "////////////".parse().unwrap();
    assert_eq!(odd.to_string(), "////////////");
    assert!(odd.view().is_err());
    // MID-03: the same state with the other player on roll.
    let other = MatchId::of(&state, roll, None, PlayerNumber::Zero);
    assert_ne!(other, id);
    assert_eq!(other.view().unwrap().state, id.view().unwrap().state);
    // MID-04: see `malformed.tsv`; a score at the length is one of them.
    assert!(
        error(&format!("{START}:cAmgAFAAAAAE"))
            .1
            .contains("not below")
    );
    // MID-05: larger die first; owner 2 is nobody.
    assert_eq!(id.dice(), [6, 5]);
    assert_eq!(
        match_view("YAkAAAAAAAAE").state.cube.owner(),
        CubeOwner::Centred
    );
}

#[test]
fn mid_06_to_08_match_ids() {
    // MID-06: recorded from gnubg after player 1 doubled.
    let view = match_view("cBGgAAAAAAAE");
    assert_eq!(
        (view.offer, view.on_roll),
        (Some(Offer::Double), PlayerNumber::One)
    );
    assert_eq!(view.state.cube, Cube::CENTRED);
    let again = MatchId::of(&view.state, None, view.offer, view.on_roll);
    assert_eq!(again.to_string(), "cBGgAAAAAAAE");
    // MID-07: money with points.
    let money = match_view("cAkAAAAAAAAE").state;
    assert!(money.score.is_money() && money.rules.beavers && !money.rules.jacoby);
    let with_points = "cAkAAAAAAAAE".parse::<MatchId>().unwrap().with_scores(3, 9);
    assert_eq!(with_points.view().unwrap().state, money);
    assert_eq!(with_points.score(PlayerNumber::One), 9);
    // MID-08: no rules of money play in a match.
    let state = match_view("cAmgAAAAAAAA").state;
    assert!(!state.rules.jacoby && !state.rules.beavers);
    assert_eq!(
        MatchId::of(&state, None, None, PlayerNumber::One).to_string(),
        "cAmgAAAAAAAE"
    );
}

#[test]
fn gid_and_pt_forms() {
    // GID-01, PT-04.
    assert_eq!(read(&format!("{START}:cAkAAAAAAAAE")).form, Form::GnubgId);
    assert_eq!(error(&format!("{START}:x")).0, "bad-match-id");
    // GID-02.
    let pasted = format!(" Match ID   : cAkAAAAAAAAE\n Position ID: {START}");
    let id = GnubgId::find(pasted.as_bytes()).unwrap();
    assert_eq!(id.to_string(), format!("{START}:cAkAAAAAAAAE"));
    assert_eq!(read(&pasted).form, Form::GnubgId);
    // PT-01.
    assert_eq!(read(&format!(" \t{START} ")).form, Form::PositionId);
    assert_eq!(error("board:x").0, "bad-board");
    // PT-02.
    assert_eq!(error("xgid=").0, "bad-xgid");
    assert_eq!(
        read(&format!("{XG_START}:0:0:1:00:0:0:0:0:10")).form,
        Form::Xgid
    );
    // PT-03.
    assert_eq!(read(KEY).form, Form::Key);
    // PT-05.
    let bare = read(START);
    assert_eq!((bare.state, bare.roll, bare.offer), (None, None, None));
    // PT-06: blanks in a name do not cut a board line.
    let line = format!("board:a b:c:0:0:0:{BOARD}:1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1");
    let request = format!("{line} plies=2");
    let (position, rest) = split_position(request.as_bytes());
    assert_eq!((position, rest), (line.as_bytes(), &b" plies=2"[..]));
    let (position, rest) = split_position(b"  4HPwATDgc/ABMA 31");
    assert_eq!((position, rest), (START.as_bytes(), &b" 31"[..]));
    // PT-07.
    let state = MatchState::default();
    let printed = Form::Xgid.print(&Position::start(), &state, None, None);
    assert_eq!(printed, format!("XGID={XG_START}:0:0:1:00:0:0:3:0:10"));
}

#[test]
fn xg_01_to_05() {
    // XG-01.
    let small = format!("xgid={XG_START}:0:0:1:00:0:0:0:0:10");
    let printed = small.parse::<Xgid>().unwrap().to_string();
    assert_eq!(printed, format!("XGID={}", &small[5..]));
    // XG-02: places 0 and 25 are bars.
    let dashes = "-".repeat(22);
    let view = read(&format!("XGID=b-A{dashes}B:0:0:1:00:0:0:0:0:10"));
    assert_eq!(
        (
            view.position.me().count(24),
            view.position.opponent().count(24)
        ),
        (2, 2)
    );
    assert_eq!(view.position.me().count(1), 1);
    // XG-03: sixteen checkers, and a checker on the other's bar.
    let sixteen = error("XGID=P-a-----------------------:0:0:1:00:0:0:0:0:10").1;
    assert_eq!(
        sixteen,
        "XGID position has a checker on the other player's bar"
    );
    let sixteen = error("XGID=-Pa-----------------------:0:0:1:00:0:0:0:0:10").1;
    assert!(sixteen.contains("16 checkers"), "{sixteen}");
    // XG-04.
    let cube = xgid("12:-1:1:00:0:0:0:0:10").state.cube;
    assert_eq!((cube.value(), cube.owner()), (4096, CubeOwner::Opponent));
    assert!(xgid_error("13:-1:1:00:0:0:0:0:10").contains("cube is 8192"));
    // XG-05: points 3 and 1 seen from the top.
    let view = xgid("0:1:-1:00:3:1:0:5:10");
    assert_eq!(scores(view.state), (5, 1, 3));
    assert_eq!(view.state.cube.owner(), CubeOwner::Opponent);
}

#[test]
fn xg_06_to_12() {
    // XG-06.
    let offers = ["D", "B", "R"].map(|letter| xgid(&format!("0:0:1:{letter}:0:0:3:0:10")).offer);
    let wanted = [Offer::Double, Offer::Beaver, Offer::Raccoon].map(Some);
    assert_eq!(offers, wanted);
    assert_eq!(xgid("0:0:1:00:0:0:0:0:10").roll, None);
    assert_eq!(
        xgid("0:0:1:36:0:0:0:0:10").roll,
        Some(Roll::new(3, 6).unwrap())
    );
    // XG-07.
    assert_eq!(scores(xgid("0:0:1:00:7:2:0:0:10").state), (0, 0, 0));
    // XG-08.
    assert!(xgid("0:0:1:00:4:0:1:5:10").state.score.is_crawford());
    let rules = ["0", "1", "2", "3"].map(|rules| {
        let rules = xgid(&format!("0:0:1:00:0:0:{rules}:0:10")).state.rules;
        (rules.jacoby, rules.beavers)
    });
    assert_eq!(
        rules,
        [(false, false), (true, false), (false, true), (true, true)]
    );
    assert!(xgid_error("0:0:1:00:0:0:2:5:10").starts_with("XGID rules field is"));
    // XG-09.
    assert!(xgid_error("0:0:1:00:0:0:0:256:10").contains("match length is 256"));
    // XG-10.
    assert!(xgid("0:0:1:00:0:0:0:0:0").no_cube && !xgid("0:0:1:00:0:0:0:0:10").no_cube);
    // XG-11: every field in turn.
    let fields = "0:0:1:00:0:0:0:0:10";
    for (end, name) in [
        (0, "cube"),
        (1, "cube owner"),
        (3, "player on roll"),
        (5, "roll"),
        (8, "score of the bottom player"),
        (10, "score of the top player"),
        (12, "rules field"),
        (14, "match length"),
        (16, "largest cube"),
    ] {
        assert_eq!(
            xgid_error(&fields[..end]),
            format!("XGID {name} is missing")
        );
    }
    // XG-12.
    let text = "XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:2:0:3:8";
    let turned = text.parse::<Xgid>().unwrap().turned();
    assert_eq!(
        turned.to_string(),
        "XGID=----BCB-B--bdD-A-b-e--b-A-:1:-1:1:63:2:0:0:3:8"
    );
    assert_eq!(turned.view(), text.parse::<Xgid>().unwrap().view());
}

#[test]
fn bl_01_to_08() {
    let tail = "1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    // BL-01.
    let short = format!("board:a:b:0:0:0:{BOARD}:1:3:1");
    assert_eq!(error(&short).1, "board field 35 (die) is missing");
    assert!(
        error(&format!("board:a:b:0:0:0:{BOARD}:{tail}:0"))
            .1
            .contains("more than 52")
    );
    // BL-02.
    assert_eq!(
        board("\"a:b\":'c d':0:0:0", tail).names,
        ["\"a:b\"", "'c d'"]
    );
    // BL-03: a line between games is read and only then refused.
    let text = format!("board:a:b:0:0:0:{BOARD}:0{}", &tail[1..]);
    let line: BoardLine = text.parse().unwrap();
    assert_eq!(line.to_string(), text);
    assert!(line.view(BoardDialect::External).is_err());
    // BL-04: both seats of the start.
    let one = external("a:b:0:0:0", tail);
    let zero = external("a:b:0:0:0", &format!("-{tail}"));
    assert_eq!((one.ascending, zero.ascending), (false, true));
    assert_eq!(one.position, zero.position);
    assert_eq!((one.place(6), zero.place(6)), (6, 19));
    // BL-05, BL-06: a checker of the first player on place 25.
    let barred = format!("{}1:1", BOARD.strip_suffix("2:0").unwrap());
    let text = format!("board:a:b:0:0:0:{barred}:{tail}");
    let line: BoardLine = text.parse().unwrap();
    assert_eq!(
        line.view(BoardDialect::External)
            .unwrap()
            .position
            .me()
            .count(24),
        1
    );
    // BL-07: FIBS reads field 47 instead, and counts 14 checkers.
    let error = line.view(BoardDialect::Fibs).unwrap_err();
    assert!(error.to_string().contains("missing to 15"), "{error}");
    let told = text.replace(":25:0:0:0:0:", ":25:0:0:1:0:");
    let view = told
        .parse::<BoardLine>()
        .unwrap()
        .view(BoardDialect::Fibs)
        .unwrap();
    assert_eq!(view.position.me().count(24), 1);
    // BL-08.
    let doubled = "1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1";
    assert!(external("a:b:5:0:0", doubled).first_on_roll);
    assert!(!fibs("You:b:5:0:0", doubled).first_on_roll);
    assert_eq!(fibs("You:b:5:0:0", doubled).offer, Some(Offer::Double));
    let both_zero = "1:0:0:0:0:2:0:0:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    assert_eq!(external("a:b:0:0:0", both_zero).offer, Some(Offer::Double));
}

#[test]
fn bl_09_to_16() {
    let tail = "1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    let doubled = "1:0:0:0:0:1:1:1:1:1:-1:0:25:0:0:0:0:0:0:0:1";
    // BL-09: player 1 is on roll; its points stand second, but first when it has doubled.
    assert_eq!(scores(external("a:b:7:1:3", tail).state), (7, 3, 1));
    assert_eq!(scores(external("a:b:7:1:3", doubled).state), (7, 1, 3));
    assert_eq!(scores(fibs("a:b:7:1:3", tail).state), (7, 1, 3));
    let raw = board("a:b:7:1:3", tail)
        .view(BoardDialect::RawBoard)
        .unwrap();
    assert_eq!(scores(raw.state), (7, 1, 3));
    // BL-10.
    let owners = ["1:1", "1:0", "0:1"].map(|flags| {
        let tail = format!("1:3:1:3:1:2:{flags}:0:1:-1:0:25:0:0:0:0:0:0:0:1");
        external("a:b:7:1:3", &tail).state.cube.owner()
    });
    assert_eq!(
        owners,
        [CubeOwner::Centred, CubeOwner::Me, CubeOwner::Opponent]
    );
    // BL-11: fields 51 and 52.
    let crawford = |flags: &str, dialect| {
        let tail = format!("1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:{flags}");
        let state = board("a:b:5:4:0", &tail).view(dialect).unwrap().state;
        state.score.is_crawford()
    };
    let both = |flags| {
        (
            crawford(flags, BoardDialect::External),
            crawford(flags, BoardDialect::Fibs),
        )
    };
    assert_eq!(both("0:0"), (true, true));
    assert_eq!(both("0:1"), (false, true));
    assert_eq!(both("1:0"), (false, false));
    // BL-12: 300 points to play to, 241 and 296 made.
    assert_eq!(scores(external("a:b:99:40:95", tail).state), (99, 95, 40));
    assert_eq!(
        scores(external("a:b:300:241:296", tail).state),
        (255, 251, 196)
    );
    assert!(external("a:b:9999:40:95", tail).state.score.is_money());
    // BL-13: only the second pair of dice.
    let second = "1:0:0:6:4:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";
    assert_eq!(
        external("a:b:0:0:0", second).roll,
        Some(Roll::new(6, 4).unwrap())
    );
    assert_eq!(external("a:b:0:0:0", doubled).roll, None);
    // BL-14.
    assert_eq!(external("a:b:0:0:0", tail).state.rules, Rules::default());
    // BL-15.
    assert_eq!(
        board("a:b:0:0:0", tail).guess_dialect(),
        BoardDialect::External
    );
    assert_eq!(
        board("You:b:0:0:0", tail).guess_dialect(),
        BoardDialect::Fibs
    );
    let redoubles = format!("{}5", &tail[..tail.len() - 1]);
    assert_eq!(
        board("a:b:0:0:0", &redoubles).guess_dialect(),
        BoardDialect::Fibs
    );
    // BL-16.
    let state = external("a:b:7:1:3", tail).state;
    let roll = Some(Roll::new(3, 1).unwrap());
    let written = BoardLine::external(["b", "a"], &Position::start(), &state, roll, None);
    assert_eq!(written, board("a:b:7:1:3", tail));
}

#[test]
fn bm_01_to_11() {
    // BM-01.
    assert_eq!(record("z what"), BenchmarkRecord::Other("z what".into()));
    assert_eq!(
        record(&format!("o  {KEY} 0 0 0 0 0 \r")),
        record(&format!("o {KEY} 0 0 0 0 0"))
    );
    // BM-02.
    assert_eq!(PositionKey::from(Position::start()).to_string(), KEY);
    // BM-03, BM-05: 4-2 from the start, worked example of the published files.
    let line = format!("m {KEY} 2 4 JIGHPAABDAOAHDPAABDA 0.114795 OAHDOEABCBOAHDPAABDA 0.0421133");
    let BenchmarkRecord::Play(play) = record(&line) else {
        panic!()
    };
    let best = &play.candidates[0];
    assert_eq!((best.position.opponent().count(3), best.loss), (2, 0.0));
    assert_eq!(
        (play.equity, play.candidates[1].loss),
        (0.114795, 0.0421133)
    );
    // BM-04.
    let BenchmarkRecord::Position(rolled) = record(&format!("o {KEY} 0.5 0.4 0.3 0.2 0.1")) else {
        panic!()
    };
    assert_eq!(rolled.chances.to_array(), [0.5, 0.4, 0.3, 0.2, 0.1]);
    // BM-06: the order of the dice is kept.
    assert_eq!(play.roll.dice(), [2, 4]);
    // BM-07, BM-08.
    let odd = format!("m {KEY} 2 4 {KEY} -1.9303400 {KEY} .5 {KEY} 6.07967E-6");
    let printed = format!("m {KEY} 2 4 {KEY} -1.93034 {KEY} 0.5 {KEY} 6.07967e-06");
    assert_eq!(record(&odd).to_string(), printed);
    assert!(record_error(&format!("m {KEY} 2 4 {KEY} inf")).contains("'inf'"));
    // BM-09: nobody can play when the game is over, but a play can end it.
    let over = "ABAAAAAAAAAAAAAAAAAA";
    assert!(record_error(&format!("m {over} 2 4 {KEY} 1")).contains("game is over"));
    record(&format!("m AAAAABNMAAAAAAAAAAAA 2 4 {over} 1"));
    record(&format!("#R {over} 1 1 0 0 0"));
    // BM-10.
    assert_eq!(
        record_error(&format!("m {KEY} 2 4 {KEY} 1 {KEY}")),
        "loss is missing"
    );
    // BM-11.
    let line = format!("{KEY} 0.52538 0.14924 0.00683 0.12566 0.00534");
    let trained = parse_training_line(line.as_bytes()).unwrap().unwrap();
    assert_eq!(trained.training_line(), line);
    assert_eq!(parse_training_line(b"# comment"), Ok(None));
}

#[test]
fn mat_01_to_09() {
    let text = "\
; comment
 5 point match

 Game 1
 Alice : 0                      Bob : 0
  1)                             52: 13/11 13/8
  2) 64: 8/2 6/2                  Doubles => 2
  3)  Takes                      61: 13/7 8/7
  4) 65: 13/8 13/7                Doubles => 4
  5)  Drops                       Wins 2 points

 Game 2
 Alice : 0                      Bob : 2
  1) 41: 24/23 13/9              62: 24/18 18/16*
      Wins 5 points and the match
";
    // MAT-01, MAT-02, MAT-03, MAT-04, MAT-05, MAT-06, MAT-08: printing gives the text back.
    let file: MatchFile = text.parse().unwrap();
    assert_eq!(file.comments, [" comment"]);
    assert_eq!((file.length, file.names[1].as_str()), (5, "Bob"));
    assert_eq!(file.to_string(), text);
    // MAT-05, MAT-07: an empty cell where something can be played; a play that is not legal.
    let wrong = |from: &str, to: &str| {
        let text = text.replace(from, to);
        let error = text.parse::<MatchFile>().unwrap_err();
        (
            error.to_string(),
            text[error.at()..].lines().next().unwrap().to_owned(),
        )
    };
    assert_eq!(
        wrong("41: 24/23 13/9", "41:           ").0,
        "play is missing"
    );
    let (message, place) = wrong("41: 24/23 13/9", "41: 24/23 13/8");
    assert!(message.contains("not legal"), "{message}");
    assert!(place.starts_with("24/23 13/8"), "{place}");
    // MAT-07: joined steps.
    let joined = text.replace("61: 13/7 8/7", "61: 13/7, 8/7");
    assert_eq!(joined.parse::<MatchFile>().unwrap(), file);
    // MAT-09.
    let odd = MatchFile {
        names: ["a:b  c".into(), String::new()],
        games: file.games.clone(),
        ..MatchFile::default()
    };
    assert_eq!(
        odd.to_string().parse::<MatchFile>().unwrap().names,
        ["a b c", "player"]
    );
}

#[test]
fn err_01_to_04() {
    // ERR-01: the codes of this room.
    let codes = [
        START.replace('H', "!"),
        format!("{START}:"),
        "XGID=".into(),
        "board:".into(),
    ]
    .map(|text| error(&text).0);
    assert_eq!(
        codes,
        ["bad-position", "bad-match-id", "bad-xgid", "bad-board"]
    );
    // ERR-02: one printable line, whatever the text was.
    let (_, message, _) = error(&format!("XGID={XG_START}:0:0:1:\u{1}\u{7f}:0:0:0:0:10"));
    assert_eq!(
        message,
        "XGID roll is '??', expected 00, two dice, D, B or R"
    );
    // ERR-03: blanks in front count.
    assert_eq!(error("  4HPw_TDgc/ABMA").2, 6);
    // ERR-04: a score that cannot be, inside an XGID.
    assert_eq!(
        error(&format!("XGID={XG_START}:0:0:1:00:9:0:0:5:10")).0,
        "bad-xgid"
    );
}
