//! BGBlitz's `.bgf`: rules MAT-70 to MAT-75 of `protocol-specs/match-files.md`. A small writer makes the files, from the
//! members that the public reader of the package gammonview knows; `tools/bgf_reference.py` compares with that reader.

#[cfg(target_os = "linux")]
use crate::fair_work::peak_kib;
use crate::http::raw;
use crate::server::start;
use flate2::{Compression, write::GzEncoder, write::ZlibEncoder};
use gammond_base::rng::{below, stream};
use gammond_game::notation::{
    FileAnalysis, MatAction, MatGame, MatPlayer, MatchFile, MatchFormat, MatchReading, steps_made,
};
use gammond_game::{BAR, OFF, Play, Position, Roll, legal_plays};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::process::Command;

const LINE: &[u8] =
    b"{\"format\":\"BGF\",\"version\":\"1.0\",\"compress\":\"true\",\"useSmile\":\"true\"}\n";
const MATCHES: u64 = 20;
const NOTHING: i32 = -999;

/// Packing of the data behind the line.
#[derive(Clone, Copy, Debug)]
enum Packing {
    Gzip,
    Zlib,
    Stored,
}

/// A file, and what it holds.
struct Written {
    /// The match as JSON.
    value: Value,
    analyses: Vec<BTreeMap<usize, Values>>,
}

/// Equities of an analysis: of the cube, and of the candidates with their boards.
#[derive(Default)]
struct Values {
    cube: Option<[f64; 2]>,
    plays: Vec<(Position, f64)>,
}

fn packed(value: &Value, packing: Packing) -> Vec<u8> {
    let data = serde_smile::to_vec(value).unwrap();
    let data = match packing {
        Packing::Gzip => {
            let mut writer = GzEncoder::new(Vec::new(), Compression::default());
            writer.write_all(&data).unwrap();
            writer.finish().unwrap()
        }
        Packing::Zlib => {
            let mut writer = ZlibEncoder::new(Vec::new(), Compression::default());
            writer.write_all(&data).unwrap();
            writer.finish().unwrap()
        }
        Packing::Stored => data,
    };
    [LINE, &data].concat()
}

fn packing(number: u64) -> Packing {
    match number % 3 {
        0 => Packing::Gzip,
        1 => Packing::Zlib,
        _ => Packing::Stored,
    }
}

/// Plays a match at random: with cubes, passes, resignations, and games that break off.
fn random_match(number: u64) -> MatchFile {
    let mut rng = stream(59, number);
    let length = [0, 1, 3, 5, 7][usize::try_from(number % 5).unwrap()];
    let mut file = MatchFile {
        length,
        // The second reader sorts the players by their names.
        names: match number % 2 {
            0 => ["Ann", "Bob"],
            _ => ["Zoe", "Bob"],
        }
        .map(|name| format!("{name}{number}")),
        ..MatchFile::default()
    };
    let (mut scores, mut crawford_played) = ([0, 0], false);
    for game_number in 0.. {
        let over = match length {
            0 => game_number == 3,
            _ => scores.iter().any(|&score| score >= length),
        };
        if over {
            break;
        }
        let one_away = scores.iter().filter(|&&score| score + 1 == length).count() == 1;
        let crawford = length > 1 && one_away && !crawford_played;
        crawford_played |= crawford;
        let mut game = MatGame {
            scores,
            ..MatGame::default()
        };
        let breaks_off = number % 4 == 3 && game_number == 1;
        play_game(&mut game, &mut rng, !crawford && length != 1, breaks_off);
        let result = game.result;
        file.games.push(game);
        let Some((winner, points)) = result else {
            break;
        };
        scores[winner.index()] += points;
    }
    file
}

fn play_game(game: &mut MatGame, rng: &mut impl rand::Rng, cube: bool, breaks_off: bool) {
    let (mut value, mut owner) = (1, None);
    let mut position = Position::start();
    let mut player = [MatPlayer::First, MatPlayer::Second][below(rng, 2) as usize];
    for turn in 0.. {
        if breaks_off && turn == 25 {
            return;
        }
        let may_double =
            cube && turn > 0 && value < 16 && owner.is_none_or(|owner| owner == player);
        if may_double && below(rng, 25) == 0 {
            game.actions.push((player, MatAction::Double(2 * value)));
            if below(rng, 4) == 0 {
                game.actions.push((player.other(), MatAction::Drop));
                game.result = Some((player, value));
                return;
            }
            game.actions.push((player.other(), MatAction::Take));
            (value, owner) = (2 * value, Some(player.other()));
        }
        if turn > 20 && below(rng, 150) == 0 {
            game.result = Some((player.other(), value * (1 + below(rng, 3))));
            return;
        }
        let mut die = || u8::try_from(below(rng, 6)).unwrap() + 1;
        let (one, mut two) = (die(), die());
        if turn == 0 && one == two {
            two = one % 6 + 1;
        }
        let roll = Roll::of(one, two);
        let plays = legal_plays(&position, roll);
        // Mostly the way home, so that games end with bearing off.
        let home = |after: &Position| {
            after
                .opponent()
                .counts()
                .iter()
                .zip(1_u32..)
                .map(|(&count, point)| u32::from(count) * point)
                .sum::<u32>()
        };
        let chosen = match below(rng, 3) {
            _ if plays.is_empty() => None,
            0 => plays.get(below(rng, u32::try_from(plays.len()).unwrap()) as usize),
            _ => plays.iter().min_by_key(|play| home(&play.after)),
        };
        let play = chosen.map_or(Play::PASS, |play| play.play);
        position = chosen.map_or(position.swapped(), |play| play.after);
        game.actions.push((player, MatAction::Play { roll, play }));
        if let Some(outcome) = position.outcome() {
            let points = u32::try_from(outcome.points().abs()).unwrap();
            game.result = Some((player, value * points));
            return;
        }
        player = player.other();
    }
}

fn sign(player: MatPlayer) -> i32 {
    match player {
        MatPlayer::First => -1,
        MatPlayer::Second => 1,
    }
}

/// Steps by the numbers of the player who moves; `joined` gives only where a checker begins and ends.
fn steps(play: &Play, joined: bool) -> [Vec<i32>; 2] {
    let number = |index: u8| match usize::from(index) {
        OFF => 0,
        index => i32::try_from(index).unwrap() + 1,
    };
    let mut pairs: Vec<[i32; 2]> = play
        .steps()
        .iter()
        .map(|step| [number(step.from), number(step.to)])
        .collect();
    if let ([[first, middle], [next, last]], true) = (&pairs[..], joined) {
        if middle == next {
            pairs = vec![[*first, *last]];
        } else if last == first {
            pairs = vec![[*next, *middle]];
        }
    }
    pairs.resize(4, [-1, -1]);
    [0, 1].map(|end| pairs.iter().map(|pair| pair[end]).collect())
}

/// A number as BGBlitz writes it.
fn text(number: f64) -> Value {
    json!(format!("{number:.9}"))
}

/// An equity: in money play it is not normalised, in matches it is a chance as well.
fn equity(value: f64, money: bool) -> Value {
    let (emg, chance) = match money {
        true => (json!(NOTHING), json!(NOTHING)),
        false => (text(value), text(chance(value))),
    };
    json!({
        "emg": emg, "hasEMG": !money, "matchEquity": chance,
        "myWins": text(0.5), "myGammon": text(0.125), "myBackGammon": 0,
        "oppGammon": text(0.25), "oppBackGammon": text(0.0625),
    })
}

/// The chance of the match at an equity.
fn chance(value: f64) -> f64 {
    0.4375 + 0.0625 * value
}

fn cube([none, take]: [f64; 2], money: bool) -> Value {
    let of = |value: f64| text(if money { value } else { chance(value) });
    let mut whole = equity(none - 0.25, money);
    whole["cubeDecision"] = json!({
        "eqNoDouble": of(none), "eqDoubleTake": of(take), "eqDoublePass": of(1.0), "eqCubeFul": of(none),
        "stateOnMove": if take.min(1.0) > none { "DOUBLE" } else { "NO_DOUBLE" },
        "stateOther": if take <= 1.0 { "ACCEPT" } else { "REJECT" },
        "hasDoubled": null, "hasAccepted": null,
    });
    whole
}

/// Writes a match; `joined`: steps of one checker in one, as the program has them.
fn written(file: &MatchFile, joined: bool) -> Written {
    let money = file.length == 0;
    let mut analyses = Vec::new();
    let mut games = Vec::new();
    let crawford = file.crawford_games();
    for (game, crawford) in file.games.iter().zip(crawford) {
        let mut values = BTreeMap::new();
        let moves = moves(game, (money, joined), &mut values);
        analyses.push(values);
        let [green, red] = game.scores;
        let mut points = vec![0; 26];
        for (index, count) in [
            (0, -2),
            (5, 5),
            (7, 3),
            (11, -5),
            (12, 5),
            (16, -3),
            (18, -5),
            (23, 2),
        ] {
            points[23 - index] = count;
        }
        let ended = game
            .actions
            .last()
            .is_some_and(|(_, action)| *action == MatAction::Drop);
        let resigned = game.result.is_some() && !ended && !board_after(game).is_over();
        games.push(json!({
            "scoreGreen": green, "scoreRed": red, "isCrawford": crawford,
            "initial": {"points": points, "cube": 1, "cubeOwner": 0, "onMove": 0},
            "moves": moves,
            "wonPoints": game.result.map_or(0, |(_, points)| points),
            "wasResignation": resigned,
        }));
    }
    let mut last = file.games.last().map_or([0, 0], |game| game.scores);
    if let Some((winner, points)) = file.games.last().and_then(|game| game.result) {
        last[winner.index()] += points;
        if !money {
            last = last.map(|score| score.min(file.length));
        }
    }
    let [green, red] = &file.names;
    let value = json!({
        "nameGreen": green, "nameRed": red, "matchlen": file.length, "games": games,
        "finalGreen": last[0], "finalRed": last[1],
        "useCrawford": true, "useJacoby": false, "useBeaver": true, "cubeLimit": 64,
        "event": "Club", "site": "", "date": "2024.05.17", "version": {"program": "test", "build": [1, 2.5, null]},
    });
    Written { value, analyses }
}

fn board_after(game: &MatGame) -> Position {
    let mut position = Position::start();
    let mut last = None;
    for &(player, action) in &game.actions {
        if let MatAction::Play { play, .. } = action {
            if last.is_some_and(|last| last != player) {
                position = position.swapped();
            }
            last = Some(player);
            position = steps_made(&position, &play).unwrap();
        }
    }
    position
}

#[expect(
    clippy::too_many_lines,
    reason = "one record after the other, as the format has them"
)]
fn moves(
    game: &MatGame,
    (money, joined): (bool, bool),
    values: &mut BTreeMap<usize, Values>,
) -> Vec<Value> {
    const NONE: [i32; 4] = [-1; 4];
    let mut moves = Vec::new();
    let mut position = Position::start();
    let mut last = None;
    for (number, &(player, action)) in game.actions.iter().enumerate() {
        let figure = number as f64 / 64.0 % 0.75;
        match action {
            MatAction::Play { roll, play } => {
                if last.is_some_and(|last| last != player) {
                    position = position.swapped();
                }
                last = Some(player);
                let [one, two] = roll.dice();
                let before = (number > 0 && number % 3 == 0).then_some([figure, figure + 0.125]);
                let mut record = json!({
                    "player": sign(player), "ply": "2",
                    "equity": before.map_or_else(|| equity(figure, money), |values| cube(values, money)),
                    "luck": {"luckPlain": text(0.5)}, "pr": {"checkerError": -99, "cubeError": -99},
                });
                let mut found = Values {
                    cube: before,
                    plays: Vec::new(),
                };
                let after = steps_made(&position, &play).unwrap();
                if play.is_pass() {
                    record["from"] = json!([one, -1, -1, -1]);
                    record["to"] = json!([two, -1, -1, -1]);
                    record["dancingEquity"] = equity(-figure, money);
                } else {
                    let [from, to] = steps(&play, joined);
                    (record["from"], record["to"]) = (json!(from), json!(to));
                    (record["red"], record["green"]) = (json!(one), json!(two));
                    record["dancingEquity"] = Value::Null;
                    let other = legal_plays(&position, roll)
                        .iter()
                        .copied()
                        .find(|other| other.after.opponent() != after.me());
                    let candidates = [
                        Some((play, after.swapped())),
                        other.map(|other| (other.play, other.after)),
                    ];
                    let mut list = Vec::new();
                    for (place, (play, after)) in candidates.into_iter().flatten().enumerate() {
                        let value = figure - 0.25 * place as f64;
                        let mut eq = equity(value, money);
                        if money {
                            eq["cubeDecision"] =
                                json!({"eqCubeFul": text(value), "eqNoDouble": NOTHING});
                        }
                        let [from, to] = steps(&play, false);
                        list.push(json!({"eq": eq, "ply": 2, "played": place == 0, "move": {"from": from, "to": to}}));
                        found.plays.push((after, value));
                    }
                    record["moveAnalysis"] = json!(list);
                }
                position = after;
                moves.push(record);
                values.insert(number, found);
            }
            MatAction::Double(_) => {
                let pair = [figure, figure + 0.5];
                let taken = game
                    .actions
                    .get(number + 1)
                    .is_some_and(|next| next.1 == MatAction::Take);
                let mut record = json!({"player": sign(player), "from": NONE, "to": NONE, "ply": 3, "equity": cube(pair, money)});
                record["equity"]["cubeDecision"]["hasDoubled"] = json!(true);
                record["equity"]["cubeDecision"]["hasAccepted"] = json!(taken);
                moves.push(record);
                moves.push(json!({"player": sign(player.other()), "from": NONE, "to": NONE, "equity": null}));
                for number in [number, number + 1] {
                    let plays = Vec::new();
                    values.insert(
                        number,
                        Values {
                            cube: Some(pair),
                            plays,
                        },
                    );
                }
            }
            _ => {}
        }
    }
    // The program leaves a record behind the end of some games.
    if moves.len() % 2 == 0 {
        moves.push(json!({"player": 1, "from": NONE, "to": NONE, "equity": {"cubeDecision": {"hasDoubled": null}}}));
    }
    moves
}

fn read(bytes: &[u8]) -> MatchReading {
    MatchFile::read(bytes).unwrap()
}

fn faults(reading: &MatchReading) -> Vec<String> {
    reading.faults.iter().map(ToString::to_string).collect()
}

/// The boards after each play, with the players.
fn boards(game: &MatGame) -> Vec<(MatPlayer, Position)> {
    let mut position = Position::start();
    let mut last = None;
    let mut boards = Vec::new();
    for &(player, action) in &game.actions {
        if let MatAction::Play { play, .. } = action {
            if last.is_some_and(|last| last != player) {
                position = position.swapped();
            }
            last = Some(player);
            position = steps_made(&position, &play).unwrap();
            boards.push((player, position));
        }
    }
    boards
}

/// Everything but the plays, whose steps may stand in another order.
fn other_actions(game: &MatGame) -> Vec<(MatPlayer, Option<Roll>, Option<MatAction>)> {
    let of = |&(player, action): &(MatPlayer, MatAction)| match action {
        MatAction::Play { roll, .. } => (player, Some(roll), None),
        action => (player, None, Some(action)),
    };
    game.actions.iter().map(of).collect()
}

fn assert_same(reading: &MatchReading, file: &MatchFile, number: u64) {
    assert_eq!(faults(reading), [""; 0], "match {number}");
    let found = &reading.file;
    assert_eq!((found.length, &found.names), (file.length, &file.names));
    assert_eq!(found.games.len(), file.games.len(), "match {number}");
    assert_eq!(found.crawford_games(), file.crawford_games());
    for (found, game) in found.games.iter().zip(&file.games) {
        assert_eq!(
            (found.scores, found.result),
            (game.scores, game.result),
            "match {number}"
        );
        assert_eq!(other_actions(found), other_actions(game), "match {number}");
        assert_eq!(boards(found), boards(game), "match {number}");
        assert!(!found.settled);
    }
}

fn assert_analyses(found: &BTreeMap<usize, FileAnalysis>, values: &BTreeMap<usize, Values>) {
    let near = |one: f64, other: f64| assert!((one - other).abs() < 1e-6, "{one}, {other}");
    let with_values = values
        .iter()
        .filter(|(_, values)| values.cube.is_some() || !values.plays.is_empty());
    assert!(found.keys().eq(with_values.map(|(number, _)| number)));
    for (number, analysis) in found {
        let Values { cube, plays } = &values[number];
        assert_eq!(
            (analysis.cube.is_some(), analysis.plays.len()),
            (cube.is_some(), plays.len())
        );
        if let (Some(found), Some([none, take])) = (&analysis.cube, cube) {
            near(found.no_double, *none);
            near(found.double_take, *take);
            near(found.double_pass, 1.0);
            assert_eq!(
                found.chances.unwrap().to_array(),
                [0.5, 0.125, 0.0, 0.25, 0.0625]
            );
        }
        for (found, (after, value)) in analysis.plays.iter().zip(plays) {
            assert_eq!((&found.after, &*found.level), (after, "2-ply"));
            near(found.equity, *value);
        }
    }
}

/// MAT-70, MAT-71, MAT-72, MAT-73, MAT-74: twenty matches are read as they were written, with their analyses.
#[test]
fn bgf_there_and_back() {
    let mut seen = [0; 7];
    for number in 0..MATCHES {
        let file = random_match(number);
        for joined in [false, true] {
            let written = written(&file, joined);
            let bytes = packed(&written.value, packing(number));
            assert_eq!(MatchFormat::of(&bytes).name(), "bgf");
            let reading = read(&bytes);
            assert_same(&reading, &file, number);
            for (found, values) in reading.analyses.iter().zip(&written.analyses) {
                assert_analyses(found, values);
            }
        }
        for game in &file.games {
            let has = |wanted: fn(&MatAction) -> bool| {
                game.actions.iter().any(|(_, action)| wanted(action))
            };
            let over = board_after(game).is_over();
            let drop = has(|action| *action == MatAction::Drop);
            let play = |wanted: fn(&Play) -> bool| {
                let mut plays = game.actions.iter().filter_map(|(_, action)| match action {
                    MatAction::Play { play, .. } => Some(play),
                    _ => None,
                });
                plays.any(wanted)
            };
            for (count, seen) in [
                has(|action| *action == MatAction::Take),
                drop,
                game.result.is_some() && !drop && !over,
                play(|play| {
                    play.steps()
                        .iter()
                        .any(|step| usize::from(step.from) == BAR)
                }),
                play(|play| play.steps().iter().any(|step| usize::from(step.to) == OFF)),
                play(Play::is_pass),
                game.result.is_none(),
            ]
            .into_iter()
            .zip(&mut seen)
            {
                *seen += u32::from(count);
            }
        }
    }
    // Takes, passes, resignations, bars, bear-offs, dances, games that break off.
    assert!(seen.iter().all(|&count| count >= 3), "{seen:?}");
}

/// Writes the files that `tools/bgf_reference.py` reads, into the folder of the variable `GAMMOND_BGF_FILES`.
#[test]
fn bgf_files_for_gammonview() {
    let Some(folder) = std::env::var_os("GAMMOND_BGF_FILES") else {
        return;
    };
    for number in 0..MATCHES {
        let written = written(&random_match(number), number % 2 == 1);
        let path = Path::new(&folder).join(format!("match-{number:02}.bgf"));
        std::fs::write(path, packed(&written.value, packing(number))).unwrap();
    }
}

/// A match of one game with these records, as JSON.
fn game_of(records: &Value) -> Value {
    json!({
        "matchlen": 5, "nameGreen": "Weiß", "nameRed": "赤",
        "games": [{"scoreGreen": 0, "scoreRed": 0, "moves": records}],
    })
}

fn play_record(player: i32, dice: [u8; 2], from: [i32; 4], to: [i32; 4]) -> Value {
    json!({"player": player, "from": from, "to": to, "red": dice[0], "green": dice[1]})
}

/// MAT-72: names beyond Latin-1; a dance that nothing marks; a way that hits, told by the marked candidate; a fault costs
/// its row where the game can go on.
#[test]
#[expect(clippy::too_many_lines, reason = "one table of records")]
fn bgf_records_of_plays() {
    let first = play_record(-1, [3, 1], [8, 6, -1, -1], [5, 5, -1, -1]);
    let reading = read(&packed(&game_of(&json!([first])), Packing::Gzip));
    assert_eq!(reading.file.names, ["Weiß", "赤"]);
    assert_eq!(
        (faults(&reading).len(), reading.file.games[0].actions.len()),
        (0, 1)
    );
    // Red has two checkers on the bar and green five points of his home and a checker on the sixth: no way in.
    let mut points = vec![0; 26];
    for index in 18..24 {
        points[index] = 2;
    }
    (points[17], points[25]) = (3, 2);
    for index in 0..6 {
        points[index] = -2;
    }
    points[6] = -1;
    let mut closed = game_of(&json!([
        play_record(1, [6, 4], [6, -1, -1, -1], [4, -1, -1, -1]),
        play_record(-1, [2, 1], [7, 7, -1, -1], [5, 6, -1, -1]),
    ]));
    closed["games"][0]["initial"] = json!({"points": points, "cube": 2, "cubeOwner": -1});
    let reading = read(&packed(&closed, Packing::Stored));
    assert_eq!(faults(&reading), [""; 0]);
    let actions = &reading.file.games[0].actions;
    let MatAction::SetUp(set_up) = actions[0].1 else {
        panic!("{actions:?}")
    };
    assert_eq!((set_up.value, set_up.owner), (2, Some(MatPlayer::First)));
    assert_eq!((set_up.position.me().count(BAR), actions.len()), (2, 3));
    assert!(matches!(actions[1].1, MatAction::Play { play, .. } if play.is_pass()));
    // 13/8 by 13/11*/8 or by 13/10/8.
    let hit = |way: i32| {
        let mut value = game_of(&json!([play_record(
            -1,
            [3, 2],
            [13, -1, -1, -1],
            [8, -1, -1, -1]
        )]));
        let mut points = vec![0; 26];
        (
            points[24 - 13],
            points[24 - 11],
            points[24 - 10],
            points[24 - 1],
        ) = (1, -1, -1, -13);
        for index in 18..23 {
            points[index] = 2;
        }
        points[24 - 8] = 4;
        value["games"][0]["initial"] = json!({"points": points});
        value["games"][0]["moves"][0]["moveAnalysis"] = json!([
            {"played": true, "move": {"from": [13, way, -1, -1], "to": [way, 8, -1, -1]}, "eq": {"emg": "0.5"}},
        ]);
        let reading = read(&packed(&value, Packing::Zlib));
        assert_eq!(faults(&reading), [""; 0]);
        let MatAction::SetUp(set_up) = reading.file.games[0].actions[0].1 else {
            panic!()
        };
        let MatAction::Play { play, .. } = reading.file.games[0].actions[1].1 else {
            panic!()
        };
        let after = steps_made(&set_up.position, &play).unwrap();
        after.opponent().counts()
    };
    let (eleven, ten) = (hit(11), hit(10));
    assert_eq!((eleven[25 - 11 - 1], ten[25 - 11 - 1]), (0, 1));
    assert_eq!((eleven[25 - 10 - 1], ten[25 - 10 - 1]), (1, 0));
    assert_eq!((eleven[BAR], ten[BAR]), (1, 1));
    // An illegal play is followed, a dance that could move is an unknown play, dice of 7 end the game.
    let mut dance = play_record(1, [0, 0], [4, -1, -1, -1], [2, -1, -1, -1]);
    dance["dancingEquity"] = json!({});
    let odd = game_of(&json!([
        play_record(-1, [3, 1], [8, 6, -1, -1], [4, 5, -1, -1]),
        dance,
        play_record(-1, [6, 5], [24, -1, -1, -1], [13, -1, -1, -1]),
        play_record(1, [7, 5], [24, -1, -1, -1], [13, -1, -1, -1]),
        play_record(-1, [6, 5], [24, -1, -1, -1], [13, -1, -1, -1]),
    ]));
    let reading = read(&packed(&odd, Packing::Gzip));
    let told: Vec<String> = faults(&reading)
        .iter()
        .map(|fault| fault.split_once(", ").unwrap().1.to_owned())
        .collect();
    assert_eq!(
        told,
        [
            "game 1: play is not legal with this roll",
            "game 1: play is none, but a checker can move",
            "game 1: roll is not of two dice from 1 to 6",
        ]
    );
    assert_eq!(
        (reading.file.games[0].actions.len(), &reading.broken[..]),
        (3, &[1][..])
    );
}

/// The fault of a file that breaks off before the length of the match.
fn broken_off(reading: &MatchReading) -> String {
    let [.., damage, length] = &faults(reading)[..] else {
        panic!("{:?}", faults(reading));
    };
    assert!(length.ends_with("match length is missing: the games are read as money play"));
    damage.clone()
}

/// MAT-75: what is cut off is read to there; what is too much or something else is refused by name.
#[test]
#[expect(clippy::too_many_lines, reason = "one list of damages")]
fn bgf_damaged() {
    let file = random_match(4);
    let written = written(&file, true);
    let whole = packed(&written.value, Packing::Stored);
    let error = |bytes: &[u8]| MatchFile::read(bytes).unwrap_err().to_string();
    let mut games = 0;
    for part in 1..10 {
        let reading = read(&whole[..LINE.len() + (whole.len() - LINE.len()) * part / 10]);
        let last = broken_off(&reading);
        assert!(
            last.ends_with("BGF file is damaged: its data breaks off"),
            "{last}"
        );
        assert!(reading.file.games.len() >= games);
        games = reading.file.games.len();
        for (found, game) in reading.file.games.iter().zip(&file.games) {
            assert!(boards(game).starts_with(&boards(found)));
        }
    }
    assert!(games + 1 >= file.games.len() && games > 2, "{games}");
    for packing in [Packing::Gzip, Packing::Zlib] {
        let bytes = packed(&written.value, packing);
        let reading = read(&bytes[..bytes.len() - 40]);
        let told = faults(&reading);
        assert!(
            told[0].ends_with("BGF file is damaged: it cannot be unpacked to its end"),
            "{told:?}"
        );
        assert_eq!(boards(&reading.file.games[0]), boards(&file.games[0]));
        // Any byte changed: no panic, and an answer.
        for at in (0..bytes.len()).step_by(bytes.len() / 300) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            let _ = MatchFile::read_all(&changed);
        }
    }
    assert_eq!(
        error(&[LINE, b"\x1f\x8b\x08\0"].concat()),
        "BGF file is damaged: it cannot be unpacked"
    );
    assert_eq!(
        error(&[LINE, b"{}"].concat()),
        "BGF file holds no JSON in Smile's encoding"
    );
    assert_eq!(
        error(&packed(&json!({"matchlen": 3}), Packing::Gzip)),
        "match file has no game"
    );
    assert_eq!(
        error(&packed(&json!([1, 2]), Packing::Gzip)),
        "BGF file is damaged: its data breaks off"
    );
    assert_eq!(
        error(&packed(&json!({"matchlen": -7}), Packing::Gzip)),
        "match length is not 0 to 32767"
    );
    // A hundred megabytes of nothing.
    let mut bomb = GzEncoder::new(LINE.to_vec(), Compression::fast());
    bomb.write_all(b":)\n\x01\xfa").unwrap();
    for _ in 0..100 {
        bomb.write_all(&vec![0; 1 << 20]).unwrap();
    }
    assert_eq!(
        error(&bomb.finish().unwrap()),
        "BGF file unpacks to more than 32 times its size"
    );
    // Depth without end, numbers of any kind, members of other types.
    let mut deep = [LINE, b":)\n\x01\xfa\x83game"].concat();
    deep.extend([0xf8].repeat(100_000));
    assert_eq!(error(&deep), "BGF file is damaged: its data breaks off");
    let odd = json!({"matchlen": "3", "games": [{"moves": [{"player": 1e300, "from": "x", "to": {}, "equity": 3}]}]});
    assert_eq!(
        error(&packed(&odd, Packing::Gzip)),
        "BGF file is damaged: its data breaks off"
    );
}

/// MAT-70, MAT-74, ANA-23: the command and the HTTP port take such a file, with the program's analysis beside ours.
#[test]
fn bgf_at_every_door() {
    let folder = tempfile::tempdir().unwrap();
    let file = random_match(4);
    let bytes = packed(&written(&file, true).value, Packing::Gzip);
    std::fs::write(folder.path().join("a.bgf"), &bytes).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args([
            "analyse",
            "a.bgf",
            "--plies",
            "0",
            "--compare",
            "file",
            "--format",
            "json",
        ])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.trim()), (Some(0), ""));
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        (&lines[0]["type"], &lines[0]["faults"]),
        (&json!("analysis"), &json!([]))
    );
    assert_eq!(lines[1]["type"], "comparison");
    let rows = lines[1]["decisions"].as_array().unwrap();
    let plays = rows
        .iter()
        .filter(|row| row["kind"] == "play" && row["level"] == "2-ply");
    let cubes = rows.iter().filter(|row| row["kind"] == "cube");
    assert!(plays.count() > 20 && cubes.count() > 3);
    let server = start(|config| config.http = vec!["127.0.0.1:0".parse().unwrap()]);
    let http = server.http.clone().unwrap();
    let head = format!(
        "POST /v1/analyse?plies=0 HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\n\
         Content-Type: application/octet-stream\r\nContent-Length: {}\r\n\r\n",
        bytes.len()
    );
    let answer = raw(&http, &[head.as_bytes(), &bytes].concat());
    assert_eq!(answer.status, 200);
    let same = answer.json();
    assert_eq!(
        (&same["players"], &same["decisions"]),
        (&lines[0]["players"], &lines[0]["decisions"])
    );
}

/// MAT-75, R-61: over HTTP, what unpacks to far more than it is, and depth without end, are refused, and take little
/// memory.
#[cfg(target_os = "linux")]
#[test]
fn bgf_bombs_over_http() {
    let (server, _, http) = crate::http::server();
    let send = |bytes: &[u8]| {
        let head = format!(
            "POST /v1/analyse?plies=0 HTTP/1.1\r\nHost: {http}\r\nConnection: close\r\n\
             Content-Type: application/octet-stream\r\nContent-Length: {}\r\n\r\n",
            bytes.len()
        );
        raw(&http, &[head.as_bytes(), bytes].concat())
    };
    // What an analysis brings into memory does not count.
    let whole = packed(&written(&random_match(4), true).value, Packing::Gzip);
    assert_eq!(send(&whole).status, 200);
    let gzip = |start: &[u8], rest: u8, mebibytes: usize| {
        let mut bomb = GzEncoder::new(LINE.to_vec(), Compression::best());
        bomb.write_all(start).unwrap();
        for _ in 0..mebibytes {
            bomb.write_all(&vec![rest; 1 << 20]).unwrap();
        }
        bomb.finish().unwrap()
    };
    let mut deep = [LINE, b":)\n\x01\xfa\x83game"].concat();
    deep.extend([0xf8].repeat(100_000));
    let before = peak_kib(server.id());
    for (bytes, want) in [
        (
            gzip(b":)\n\x01\xfa", 0, 200),
            "BGF file unpacks to more than 32 times its size",
        ),
        // Lists within lists.
        (
            gzip(b":)\n\x01\xfa\x83game", 0xf8, 50),
            "BGF file unpacks to more than 32 times its size",
        ),
        (deep, "BGF file is damaged: its data breaks off"),
    ] {
        for _ in 0..3 {
            let answer = send(&bytes);
            assert_eq!(answer.status, 422, "{}", answer.json());
            let message = answer.json()["detail"].clone();
            assert!(message.as_str().unwrap().contains(want), "{message}");
        }
    }
    let grown = peak_kib(server.id()).saturating_sub(before);
    assert!(grown < 16 << 10, "{grown} KiB");
    assert_eq!(send(&whole).status, 200);
}
