//! Every form of a position, both ways, against the recorded rows of the reference program and
//! against random values.

use gammond_game::notation::{
    BenchmarkRecord, BoardDialect, BoardLine, Form, GnubgId, MatAction, MatGame, MatPlayer,
    MatchFile, MatchId, Offer, PlayerNumber, PositionId, PositionKey, Seat, Xgid, parse_play,
    parse_position, parse_roll, parse_training_line, play_text,
};
use gammond_game::{
    BAR, Cube, CubeOwner, MatchState, POINTS, Play, Position, Roll, Rules, Score, legal_plays,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::support::{lines, rows, rows_are, shared};

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap()
}

fn number(row: &Value, field: &str) -> i64 {
    row[field].as_i64().unwrap()
}

fn counts(row: &Value, field: &str) -> [u8; 25] {
    serde_json::from_value(row[field].clone()).unwrap()
}

/// The state of a row of `ids.jsonl`, seen by the player on roll.
fn state_of(row: &Value) -> (MatchState, Option<Roll>) {
    let on_roll = number(row, "on_roll_player");
    let owner = match number(row, "cube_owner") {
        -1 => CubeOwner::Centred,
        owner if owner == on_roll => CubeOwner::Me,
        _ => CubeOwner::Opponent,
    };
    let length = number(row, "match_to") as u32;
    let mut scores = [number(row, "score0") as u32, number(row, "score1") as u32];
    if on_roll == 1 {
        scores.reverse();
    }
    if length == 0 {
        // The points of a money session are no part of a state.
        scores = [0, 0];
    }
    let crawford = number(row, "crawford") == 1;
    let score = Score::new(length, scores[0], scores[1], crawford).unwrap();
    let money = length == 0;
    let rules = Rules {
        jacoby: money && number(row, "jacoby") == 1,
        beavers: money,
    };
    let cube = Cube::new(number(row, "cube") as u32, owner).unwrap();
    let dice = [&row["dice"][0], &row["dice"][1]].map(|die| die.as_u64().unwrap() as u8);
    let roll = (dice != [0, 0]).then(|| Roll::new(dice[0], dice[1]).unwrap());
    (
        MatchState {
            cube,
            score,
            ..MatchState::money(rules)
        },
        roll,
    )
}

fn sorted(roll: Option<Roll>) -> Option<[u8; 2]> {
    roll.map(|roll| [roll.high(), roll.low()])
}

/// `ids.jsonl`: 500 of 500 rows, each form read and written.
#[test]
fn all_recorded_ids() {
    let Some(path) = shared("notation::all_recorded_ids", "oracle/ids.jsonl") else {
        return;
    };
    let rows = rows(&path);
    rows_are(&path, rows.len(), 500, 63);
    for row in &rows {
        let (state, roll) = state_of(row);
        let position = Position::new(&counts(row, "me"), &counts(row, "opp")).unwrap();
        let on_roll = match number(row, "on_roll_player") {
            0 => PlayerNumber::Zero,
            _ => PlayerNumber::One,
        };
        check_position_forms(row, position);
        check_match_id(row, &state, roll, on_roll);
        check_xgid(row, position, &state, roll, on_roll);
        check_board_line(row, position, &state, roll);
    }
}

fn check_position_forms(row: &Value, position: Position) {
    let id: PositionId = text(row, "id").parse().unwrap();
    assert_eq!(id.position(), position);
    assert_eq!(PositionId::from(position).to_string(), text(row, "id"));
    let key: PositionKey = text(row, "key").parse().unwrap();
    assert_eq!(key.position(), position);
    assert_eq!(PositionKey::from(position).to_string(), text(row, "key"));
    let bytes: [u8; 10] = serde_json::from_value(row["key_bytes"].clone()).unwrap();
    assert_eq!(key.bytes(), bytes);
    assert_eq!(PositionKey::from_bytes(bytes), Ok(key));
}

fn check_match_id(row: &Value, state: &MatchState, roll: Option<Roll>, on_roll: PlayerNumber) {
    let written = text(row, "match_id");
    let id: MatchId = written.parse().unwrap();
    assert_eq!(id.to_string(), written);
    let view = id.view().unwrap();
    assert_eq!((view.state, view.on_roll), (*state, on_roll));
    assert_eq!(sorted(view.roll), sorted(roll));
    let [zero, one] = ["score0", "score1"].map(|field| number(row, field) as u16);
    assert_eq!(
        MatchId::of(state, roll, None, on_roll)
            .with_scores(zero, one)
            .to_string(),
        written
    );
    let gnubg_id: GnubgId = text(row, "gnubg_id").parse().unwrap();
    assert_eq!(gnubg_id.to_string(), text(row, "gnubg_id"));
    assert_eq!(gnubg_id.match_id, id);
    let parsed = parse_position(text(row, "gnubg_id").as_bytes()).unwrap();
    assert_eq!(parsed.form, Form::GnubgId);
    assert_eq!(parsed.state, Some(*state));
}

fn check_xgid(
    row: &Value,
    position: Position,
    state: &MatchState,
    roll: Option<Roll>,
    on_roll: PlayerNumber,
) {
    let written = text(row, "xgid");
    let xgid: Xgid = written.parse().unwrap();
    assert_eq!(xgid.to_string(), written);
    let view = xgid.view().unwrap();
    assert_eq!((view.position, view.roll), (position, roll));
    assert_eq!(
        (view.state.cube, view.state.score),
        (state.cube, state.score)
    );
    // An XGID carries beavers, a Match ID does not: compare what both have.
    assert_eq!(view.state.rules.jacoby, state.rules.jacoby);
    let turned = match xgid.on_roll {
        Seat::Bottom => xgid,
        Seat::Top => xgid.turned(),
    };
    let printed = Xgid {
        bottom_score: turned.bottom_score,
        top_score: turned.top_score,
        ..Xgid::of(&view.position, &view.state, view.roll, view.offer)
    };
    assert_eq!(printed, turned);
    // gnubg swaps the players when the top one is on roll, so the side on roll is player 1.
    assert_eq!(xgid.on_roll == Seat::Bottom, on_roll == PlayerNumber::One);
    let read_as = GnubgId {
        position: PositionId::from(view.position),
        match_id: MatchId::of(&view.state, view.roll, view.offer, PlayerNumber::One)
            .with_scores(turned.top_score, turned.bottom_score),
    };
    assert_eq!(read_as.to_string(), text(row, "xgid_read_as"));
}

fn check_board_line(row: &Value, position: Position, state: &MatchState, roll: Option<Roll>) {
    let written = text(row, "fibs_board");
    let line: BoardLine = written.parse().unwrap();
    assert_eq!(line.to_string(), written);
    let view = line.view(BoardDialect::RawBoard).unwrap();
    assert_eq!(view.position, position, "{written}");
    assert_eq!(view.state.cube, state.cube, "{written}");
    assert_eq!(sorted(view.roll), sorted(roll));
    let (seen, told) = (view.state.score, state.score);
    assert_eq!(seen, told, "{written}");
}

/// All texts that follow a `board:` in the transcripts of a folder.
fn boards(folder: &std::path::Path) -> Vec<String> {
    let mut boards = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        for line in lines(&entry.unwrap().path()) {
            let mut rest = line.as_str();
            while let Some(at) = rest.find("board:") {
                rest = &rest[at..];
                let end = rest.find(['\\', ' ', ',']).unwrap_or(rest.len());
                boards.push(rest[..end].to_owned());
                rest = &rest["board:".len()..];
            }
        }
    }
    boards
}

#[test]
fn boards_of_real_fibs_sessions() {
    let Some(folder) = shared("notation::boards_of_real_fibs_sessions", "transcripts/fibs") else {
        return;
    };
    let (mut read, mut between_games, mut refused) = (0, 0, Vec::new());
    for text in boards(&folder)
        .iter()
        .filter(|text| text.matches(':').count() == 52)
    {
        let line: BoardLine = text.parse().unwrap();
        assert_eq!(line.to_string(), *text);
        match line.view(BoardDialect::Fibs) {
            Ok(_) => read += 1,
            Err(_) if line.turn == 0 => between_games += 1,
            Err(error) => refused.push((error.to_string(), text.clone())),
        }
    }
    assert!(read > 3300, "{read} read, {between_games} between games");
    assert_eq!(refused, []);
}

#[test]
fn boards_of_real_external_sessions() {
    let name = "notation::boards_of_real_external_sessions";
    let Some(folder) = shared(name, "transcripts/gnubg-external") else {
        return;
    };
    let (mut read, mut refused) = (0, 0);
    for text in boards(&folder)
        .iter()
        .filter(|text| text.matches(':').count() == 52)
    {
        match text.parse::<BoardLine>() {
            Ok(line) => {
                assert_eq!(line.to_string(), text.replace(":+", ":"));
                match line.view(BoardDialect::External) {
                    Ok(_) => read += 1,
                    Err(_) => refused += 1,
                }
            }
            Err(_) => refused += 1,
        }
    }
    // b04 and b05 hold boards that gnubg refuses or misreads: no turn, die 7, 17 checkers.
    assert!(read > 600 && refused < 40, "{read} read, {refused} refused");
}

/// Reading a benchmark file and writing it back changes nothing but how numbers are spelled.
#[test]
fn benchmark_sample_files() {
    let folder = "data/benchmark-sample";
    let Some(folder) = shared("notation::benchmark_sample_files", folder) else {
        return;
    };
    let mut records = [0; 3];
    for file in ["contact.bm", "crashed.bm", "race.bm", "cube.bm"] {
        for line in lines(&folder.join(file)) {
            let record: BenchmarkRecord = line.parse().unwrap();
            let printed = record.to_string();
            assert_eq!(printed.parse::<BenchmarkRecord>().unwrap(), record);
            for (ours, theirs) in printed.split(' ').zip(line.split(' ')) {
                let same = || Some(ours.parse::<f64>().ok()? == theirs.parse::<f64>().ok()?);
                assert!(ours == theirs || same() == Some(true), "{line}\n{printed}");
            }
            assert_eq!(printed.split(' ').count(), line.split(' ').count());
            match record {
                BenchmarkRecord::Play(play) => {
                    records[0] += 1;
                    assert!(play.candidates.is_sorted_by(|a, b| a.loss <= b.loss));
                    let legal = legal_plays(&play.position, play.roll);
                    for candidate in &play.candidates {
                        assert!(legal.iter().any(|play| play.after == candidate.position));
                    }
                }
                BenchmarkRecord::Position(_) => records[1] += 1,
                _ => records[2] += 1,
            }
        }
    }
    // 10 + 8 + 8 plays, 9 positions; each play has a comment, each position a seed, each file an `s`.
    assert_eq!(records, [26, 9, 26 + 9 + 4]);
    let mut trained = 0;
    for line in lines(&folder.join("train-sample.txt")) {
        if let Some(record) = parse_training_line(line.as_bytes()).unwrap() {
            assert_eq!(record.training_line(), line);
            trained += 1;
        }
    }
    assert!(trained > 5, "{trained}");
}

/// A match of random legal plays with cubes, printed and read back.
#[test]
fn match_files_read_back() {
    let mut seed = 7_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % below
    };
    let mut file = MatchFile {
        length: 7,
        names: ["first".to_owned(), "second one".to_owned()],
        ..MatchFile::default()
    };
    let mut scores = [0, 0];
    while scores[0] < 7 && scores[1] < 7 {
        let (game, winner, points) = random_game(&mut next, scores);
        scores[usize::from(winner == MatPlayer::Second)] += points;
        file.games.push(game);
    }
    let printed = file.to_string();
    assert_eq!(printed.parse::<MatchFile>().unwrap(), file, "{printed}");
    assert!(printed.trim_end().ends_with("and the match"));
    if let Some(path) = std::env::var_os("GAMMOND_MAT_OUT") {
        std::fs::write(path, printed).unwrap();
    }
}

fn random_game(
    next: &mut impl FnMut(usize) -> usize,
    scores: [u32; 2],
) -> (MatGame, MatPlayer, u32) {
    let mut position = Position::start();
    let mut player = [MatPlayer::First, MatPlayer::Second][next(2)];
    let (mut cube, mut owner) = (1, None);
    let mut game = MatGame {
        scores,
        ..MatGame::default()
    };
    loop {
        let may_double = !game.actions.is_empty() && owner != Some(player.other());
        if may_double && cube < 4 && next(20) == 0 {
            cube *= 2;
            game.actions.push((player, MatAction::Double(cube)));
            if next(4) == 0 {
                game.actions.push((player.other(), MatAction::Drop));
                game.result = Some((player, cube / 2));
                return (game, player, cube / 2);
            }
            game.actions.push((player.other(), MatAction::Take));
            owner = Some(player.other());
        }
        let roll = Roll::new(1 + next(6) as u8, 1 + next(6) as u8).unwrap();
        let legal = legal_plays(&position, roll);
        let play = if legal.is_empty() {
            Play::PASS
        } else {
            let chosen = legal[next(legal.len())];
            position = chosen.after.swapped();
            chosen.play
        };
        game.actions.push((player, MatAction::Play { roll, play }));
        if position.is_over() {
            let gammon = position.opponent().off() == 0;
            let points = if gammon { 2 * cube } else { cube };
            game.result = Some((player, points));
            return (game, player, points);
        }
        position = position.swapped();
        player = player.other();
    }
}

/// Random legal positions: checkers dropped on points that the other side does not hold.
fn positions() -> impl Strategy<Value = Position> {
    let drops = || (0..=15_usize, prop::collection::vec(0..25_usize, 15));
    (drops(), drops()).prop_filter_map("illegal", |((mine, me), (others, opponent))| {
        let (mut my_counts, mut counts) = ([0_u8; 25], [0_u8; 25]);
        me.iter()
            .take(mine)
            .for_each(|&point| my_counts[point] += 1);
        for &point in opponent.iter().take(others) {
            if point == 24 || my_counts[23 - point] == 0 {
                counts[point] += 1;
            }
        }
        Position::new(&my_counts, &counts).ok()
    })
}

fn states() -> impl Strategy<Value = MatchState> {
    let owners = prop::sample::select(vec![CubeOwner::Centred, CubeOwner::Me, CubeOwner::Opponent]);
    let rules = (any::<bool>(), any::<bool>());
    let score = (0..=255_u32, 0..255_u32, 0..255_u32, any::<bool>());
    (0..=12_u32, owners, score, rules).prop_map(
        |(log, owner, (length, me, opponent, crawford), (jacoby, beavers))| {
            let (me, opponent) = (me % length.max(1), opponent % length.max(1));
            let score = Score::new(length, me, opponent, crawford)
                .or_else(|_| Score::new(length, me, opponent, false))
                .unwrap();
            let money = score.is_money();
            MatchState {
                cube: Cube::new(1 << log, owner).unwrap(),
                score,
                ..MatchState::money(Rules {
                    jacoby: jacoby && money,
                    beavers: beavers && money,
                })
            }
        },
    )
}

fn rolls() -> impl Strategy<Value = Option<Roll>> {
    prop::option::of((1..=6_u8, 1..=6_u8).prop_map(|(a, b)| Roll::new(a, b).unwrap()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn printed_positions_read_back(
        position in positions(), state in states(), roll in rolls(), doubled: bool,
    ) {
        // Nobody doubles with the opponent's cube: such a Match ID says that a raccoon waits (MID-09).
        let doubled = doubled && state.cube.owner() != CubeOwner::Opponent;
        let (roll, offer) = if doubled { (None, Some(Offer::Double)) } else { (roll, None) };
        for form in Form::ALL {
            let printed = form.print(&position, &state, roll, offer);
            let parsed = parse_position(printed.as_bytes()).unwrap();
            prop_assert_eq!(parsed.form, form);
            prop_assert_eq!(parsed.position, position);
            let Some(seen) = parsed.state else { continue };
            prop_assert_eq!((seen.cube, seen.score), (state.cube, state.score), "{}", printed);
            // Neither carries the Jacoby rule (BL-12, OGID-34).
            if !matches!(form, Form::BoardLine | Form::Ogid) {
                prop_assert_eq!(seen.rules.jacoby, state.rules.jacoby);
            }
            prop_assert_eq!(sorted(parsed.roll), sorted(roll));
            prop_assert_eq!(parsed.offer, offer);
            // What was read prints to the same text.
            prop_assert_eq!(form.print(&position, &seen, parsed.roll, parsed.offer), printed);
        }
    }

    #[test]
    fn match_ids_of_any_bits_survive(bits in prop::collection::vec(0..64_u8, 12)) {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let text: String = bits.iter().map(|&bit| DIGITS[usize::from(bit)] as char).collect();
        let id: MatchId = text.parse().unwrap();
        prop_assert_eq!(id.to_string(), text);
        if let Ok(view) = id.view() {
            let again = MatchId::of(&view.state, view.roll, view.offer, view.on_roll);
            let same = again.view().unwrap();
            prop_assert_eq!((same.state, same.offer), (view.state, view.offer));
        }
    }

    #[test]
    fn turning_an_xgid_changes_nothing_for_the_player_on_roll(
        position in positions(), state in states(), roll in rolls(),
    ) {
        let xgid = Xgid::of(&position, &state, roll, None);
        prop_assert_eq!(xgid.turned().view().unwrap(), xgid.view().unwrap());
        prop_assert_eq!(xgid.turned().turned(), xgid);
        let text = xgid.turned().to_string();
        prop_assert_eq!(text.parse::<Xgid>().unwrap().to_string(), text);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_position(&bytes);
        let _ = BoardLine::parse(&bytes);
        let _ = Xgid::parse(&bytes);
        let _ = GnubgId::find(&bytes);
    }

    #[test]
    fn damaged_texts_never_panic(
        position in positions(), state in states(), roll in rolls(),
        form in prop::sample::select(Form::ALL.to_vec()),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3_u8), 1..4),
    ) {
        let mut text = form.print(&position, &state, roll, None).into_bytes();
        for (index, byte, how) in changes {
            if text.is_empty() {
                break;
            }
            let at = index.index(text.len());
            match how {
                0 => text[at] = byte,
                1 => text.insert(at, byte),
                _ => { text.remove(at); }
            }
        }
        match parse_position(&text) {
            Ok(parsed) => prop_assert!(parsed.position.me().on_board() <= 15),
            Err(error) => {
                prop_assert!(error.at() <= text.len());
                prop_assert!(!error.to_string().contains('\n'));
            }
        }
    }
}

/// IDs of states that the real gnubg was in come back as they were, text for text, pending beavers (MID-09) and games that
/// are over (MID-10) among them; a match that is over has no state, and its ID comes back all the same (MID-04).
#[test]
fn gnubg_ids_come_back_as_they_were() {
    let path = crate::support::root().join("tests/data/gnubg_ids.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    let mut seen = std::collections::BTreeMap::<String, u32>::new();
    for line in text.lines().filter(|line| !line.starts_with(';')) {
        let (id, kind) = line.split_once(' ').unwrap();
        let parsed = match parse_position(id.as_bytes()) {
            Ok(parsed) => parsed,
            Err(error) => {
                wrong.push(format!("{line}: {error}"));
                continue;
            }
        };
        let state = parsed.state.unwrap_or_default();
        let back = parsed.gnubg_id(&state).to_string();
        if parsed.final_score.is_some() {
            *seen.entry("match over".to_owned()).or_default() += 1;
            if back != id || parsed.match_id.unwrap().view().is_ok() {
                wrong.push(format!("{line}: {back}"));
            }
            continue;
        }
        let offer = match parsed.offer {
            Some(Offer::Double) => "double",
            Some(Offer::Beaver) => "beaver",
            Some(Offer::Raccoon) => "raccoon",
            Some(Offer::Resignation(_)) => "resigned",
            _ => "none",
        };
        *seen.entry(offer.to_owned()).or_default() += 1;
        let pending = ["double", "beaver", "raccoon", "resigned"].contains(&kind);
        if back != id || (pending && offer != kind) {
            wrong.push(format!("{line}: {back} {offer}"));
        }
        // What a state holds is enough to write the bits of a game that is being played.
        let match_id = parsed.match_id.unwrap();
        let view = match_id.view().unwrap();
        let new = MatchId::of(&view.state, view.roll, view.offer, view.on_roll);
        let plain = match_id.with_scores(0, 0);
        if match_id.game_state() == 1 && new.with_scores(0, 0) != plain {
            wrong.push(format!("{line}: {match_id:?} becomes {new:?}"));
        }
        // An XGID tells the same of everything that it has a place for.
        if match_id.game_state() == 1 && !matches!(parsed.offer, Some(Offer::Resignation(_))) {
            let xgid = Xgid::of(&parsed.position, &state, parsed.roll, parsed.offer).to_string();
            let again = parse_position(xgid.as_bytes()).unwrap();
            let (a, b) = (
                MatchId::of(&state, parsed.roll, parsed.offer, PlayerNumber::One),
                again.gnubg_id(&again.state.unwrap()),
            );
            if a != b.match_id || again.offer != parsed.offer {
                wrong.push(format!("{line}: {xgid} is {b}, expected {a}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        seen["beaver"] >= 50 && seen["resigned"] >= 50 && seen["raccoon"] >= 20,
        "{seen:?}"
    );
    assert!(seen["match over"] >= 10, "{seen:?}");
}

/// A setting that changes the state changes the ID; who is on roll stays.
#[test]
fn settings_change_a_match_id() {
    let parsed = parse_position(b"4HPwATDgc/ABMA:MAEgAAAAAAAA").unwrap();
    let mut state = parsed.state.unwrap();
    assert_eq!(
        parsed.gnubg_id(&state).to_string(),
        "4HPwATDgc/ABMA:MAEgAAAAAAAA"
    );
    state.cube = Cube::new(2, CubeOwner::Me).unwrap();
    let changed = parsed.gnubg_id(&state).match_id;
    assert_eq!(
        (changed.cube_log(), changed.owner(), changed.on_roll()),
        (1, Some(PlayerNumber::Zero), PlayerNumber::Zero)
    );
}

/// PLAY-30, PLAY-31, PLAY-32, PLAY-33, PLAY-34: the table of free texts in the document.
#[test]
fn play_in_free_text_is_read_as_the_table_says() {
    let start: Position = Position::start();
    let mut me = [0; POINTS];
    me[BAR] = 1;
    let opponent: [u8; POINTS] = std::array::from_fn(|index| u8::from(index < 6) * 2);
    let dance = Position::new(&me, &opponent).unwrap();
    let document = crate::support::root().join("protocol-specs/play-notation.md");
    let document = std::fs::read_to_string(document).unwrap();
    let rows = document
        .lines()
        .skip_while(|line| !line.starts_with("| position | roll | text |"));
    let rows: Vec<&str> = rows
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .collect();
    assert!(rows.len() >= 60, "{} rows", rows.len());
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [position, roll, text, meaning] = cells[..] else {
            panic!("{row}");
        };
        let position = match position {
            "start" => start,
            "dance" => dance,
            id => id.parse::<PositionId>().unwrap().position(),
        };
        let roll = parse_roll(roll.as_bytes()).unwrap();
        let text = text.trim_matches('`').trim();
        let read = match parse_play(text, &position, roll) {
            Ok(meant) if meant.play.is_pass() => "pass".to_owned(),
            Ok(meant) => play_text(&position, &meant.play),
            Err(error) => {
                assert!(error.at() <= text.len(), "{row}");
                "refused".to_owned()
            }
        };
        assert_eq!(read, meaning, "{row}");
    }
}
