//! Legal plays: GNU Backgammon's own, two slower generators, and perft.

use crate::support::{lines, rows, rows_are, shared};
use gammond_base::rng;
use gammond_game::notation::{PositionId, fibs_play_text, parse_play, plain_play_text, play_text};
use gammond_game::{
    LegalPlay, PlayGenerator, Position, Roll, Side, find_play, generate_plays, legal_plays, perft,
    reference_plays,
};
use rand::Rng;
use rayon::prelude::*;
use std::collections::BTreeSet;

fn position(id: &str) -> Position {
    id.parse::<PositionId>().unwrap().position()
}

/// 3,000 rolls, 50,442 plays. Holds PLAY-01, PLAY-02, PLAY-03, PLAY-04 and PLAY-05 by the sets of
/// results, PLAY-06, PLAY-10, PLAY-11, PLAY-12, PLAY-13 and PLAY-14 by the texts, PLAY-25 by reading them.
#[test]
fn plays_and_notation_are_gnubgs() {
    let Some(file) = shared("plays_and_notation_are_gnubgs", "oracle/movegen.jsonl.gz") else {
        return;
    };
    let rows = rows(&file);
    rows_are(&file, rows.len(), 3000, 200);
    for row in &rows {
        let before = position(row["id"].as_str().unwrap());
        let dice = [0, 1].map(|index| row["dice"][index].as_u64().unwrap() as u8);
        let roll = Roll::new(dice[0], dice[1]).unwrap();
        let text = |key: &str, index: usize| row[key][index].as_str().unwrap().to_owned();
        let theirs: BTreeSet<(String, String)> = (0..row["n"].as_u64().unwrap() as usize)
            .map(|index| (text("ids", index), text("moves", index)))
            .collect();
        let plays = legal_plays(&before, roll);
        let ours: BTreeSet<(String, String)> = plays
            .iter()
            .map(|play| {
                (
                    PositionId::from(play.after).to_string(),
                    play_text(&before, &play.play),
                )
            })
            .collect();
        assert_eq!(ours, theirs, "{row}");
        assert_eq!(plays.len(), theirs.len(), "{row}");
        for play in &plays {
            assert_eq!(
                find_play(&before, roll, &play.after),
                Some(play.play),
                "{row}"
            );
        }
        // What is printed is read as the same play.
        for (id, text) in &theirs {
            let meant = parse_play(text, &before, roll).unwrap();
            assert_eq!(&PositionId::from(meant.after).to_string(), id, "{text}");
        }
    }
}

/// PLAY-01 to PLAY-06 without gnubg: 10,000 positions of many kinds, all 21 rolls, also with the
/// dice the other way round.
#[test]
fn three_generators_agree_on_random_positions() {
    let compared: usize = (0..10_000)
        .into_par_iter()
        .map(|number| compare_generators(SEED, number))
        .sum();
    assert_eq!(compared, 210_000);
}

/// The same for as long as one likes: `tools/soak_rules.sh`.
#[test]
#[ignore = "long; tools/soak_rules.sh runs it"]
fn soak_three_generators() {
    let number = |name: &str, default: u64| {
        std::env::var(name).map_or(default, |value| value.parse().unwrap())
    };
    let (seed, count) = (
        number("GAMMOND_SOAK_SEED", 1),
        number("GAMMOND_SOAK_POSITIONS", 1_000_000),
    );
    let compared: usize = (0..count)
        .into_par_iter()
        .map(|number| compare_generators(seed, number))
        .sum();
    println!("seed {seed}: {count} positions, {compared} rolls, three generators agree");
}

const SEED: u64 = 20_261_121;

/// All rolls of random position `number`; returns how many were compared.
fn compare_generators(seed: u64, number: u64) -> usize {
    let (mut plays, mut positions) = (Vec::new(), Vec::new());
    let before = random_position(&mut rng::stream(seed, number));
    let generator = PlayGenerator::new(&before);
    for roll in Roll::ALL {
        let [high, low] = roll.dice();
        let roll = match number % 2 {
            0 => roll,
            _ => Roll::new(low, high).unwrap(),
        };
        let place = || format!("seed {seed} number {number} {before:?} {roll}");
        let slow = reference_plays(&before, roll);
        generator.plays_with_steps(roll, &mut plays);
        assert_eq!(plays, slow, "{}", place());
        generator.plays(roll, &mut positions);
        let results: Vec<Position> = slow.iter().map(|play| play.after).collect();
        assert_eq!(positions, results, "{}", place());
        let set: BTreeSet<Position> = results.iter().copied().collect();
        assert_eq!(set.len(), results.len(), "{}", place());
        assert_eq!(set, brute::results(&before, roll), "{}", place());
        // Each text is looked up among all plays, so a share of the positions must do.
        for play in slow.iter().filter(|_| number.is_multiple_of(50)) {
            check_texts(&before, roll, play);
        }
    }
    Roll::ALL.len()
}

/// What is printed is read as the same play, in every form; PLAY-15 and PLAY-16 name every step.
fn check_texts(before: &Position, roll: Roll, legal: &LegalPlay) {
    let fibs = fibs_play_text(&legal.play, false);
    for text in [
        play_text(before, &legal.play),
        plain_play_text(before, &legal.play),
        fibs.clone(),
    ] {
        let read = parse_play(&text, before, roll).map(|read| read.after);
        assert_eq!(read, Ok(legal.after), "{before:?} {roll} {text}");
    }
    assert_eq!(fibs.split(' ').count(), legal.play.steps().len());
}

/// PERFT-01, PERFT-02, PERFT-03: counts that GNU Backgammon gave (`tools/perft_gnubg.py`).
#[test]
fn perft_counts_are_gnubgs() {
    let mut counts = 0;
    let folder = crate::support::root().join("tests/data/perft");
    for file in std::fs::read_dir(folder).unwrap() {
        for line in lines(&file.unwrap().path()) {
            if line.starts_with('#') {
                continue;
            }
            let words: Vec<&str> = line.split_whitespace().collect();
            let &[id, depth, count] = words.as_slice() else {
                panic!("{line}");
            };
            let (depth, count): (u32, u64) = (depth.parse().unwrap(), count.parse().unwrap());
            assert_eq!(perft(&position(id), depth), count, "{line}");
            counts += 1;
        }
    }
    assert!(counts >= 80, "{counts} counts");
}

/// The same count of the start without the fast generator.
#[test]
fn perft_of_the_start_by_brute_force() {
    let second: Vec<Position> = Roll::ALL
        .iter()
        .flat_map(|&roll| brute::results(&Position::start(), roll))
        .collect();
    assert_eq!(second.len(), 447);
    let third: usize = second
        .par_iter()
        .map(|position| {
            let count = |&roll: &Roll| brute::results(position, roll).len().max(1);
            Roll::ALL.iter().map(count).sum::<usize>()
        })
        .sum();
    assert_eq!(third, 202_782);
}

/// Whatever is played, nothing appears or vanishes but what is borne off, and nobody moves back.
#[test]
fn plays_keep_checkers_and_pips() {
    for number in 0..500 {
        let before = random_position(&mut rng::stream(7, number));
        let mut out = Vec::new();
        for roll in Roll::ALL {
            generate_plays(&before, roll, &mut out);
            let [first, second] = roll.dice().map(u32::from);
            let dice = if roll.is_double() {
                4 * first
            } else {
                first + second
            };
            for after in &out {
                let (mover, other) = (after.opponent(), after.me());
                assert!(mover.pips() < before.me().pips());
                assert!(before.me().pips() - mover.pips() <= dice);
                assert_eq!(other.on_board(), before.opponent().on_board());
                assert!(mover.on_board() <= before.me().on_board());
                assert!(other.pips() >= before.opponent().pips());
                let again = Position::new(&after.me().counts(), &after.opponent().counts());
                assert_eq!(again, Ok(*after));
            }
        }
    }
}

/// A position out of a random game, or with checkers put anywhere, of every kind.
fn random_position(rng: &mut impl Rng) -> Position {
    loop {
        let kind = rng::below(rng, 8);
        let position = match kind {
            0..=2 => played_position(rng),
            // Anywhere; at home; bearing off under fire; few checkers.
            3 => placed_position(rng, 15, 25, 25),
            4 => placed_position(rng, 15, 7, 9),
            5 | 6 => placed_position(rng, 9, 6, 25),
            _ => placed_position(rng, 6, 25, 25),
        };
        match position {
            Some(position) if !position.is_over() => return position,
            _ => {}
        }
    }
}

fn played_position(rng: &mut impl Rng) -> Option<Position> {
    let mut position = Position::start();
    for _ in 0..rng::below(rng, 90) {
        if position.is_over() {
            return None;
        }
        let plays = reference_plays(&position, gammond_game::Roll::thrown(rng));
        position = match plays.len() as u32 {
            0 => position.swapped(),
            count => plays[rng::below(rng, count) as usize].after,
        };
    }
    Some(position)
}

fn placed_position(rng: &mut impl Rng, most: u32, mine: u32, theirs: u32) -> Option<Position> {
    let mut me = [0; 25];
    let mut opponent = [0; 25];
    for _ in 0..1 + rng::below(rng, most) {
        me[rng::below(rng, mine) as usize] += 1;
    }
    if rng::below(rng, 3) == 0 {
        me[24] += rng::below(rng, 5) as u8;
    }
    for _ in 0..1 + rng::below(rng, most) {
        let index = rng::below(rng, theirs) as usize;
        if index == 24 || me[23 - index] == 0 {
            opponent[index] += 1;
        }
    }
    Position::new(&me, &opponent).ok()
}

#[test]
fn random_positions_are_of_many_kinds() {
    let positions: Vec<Position> = (0..2000)
        .map(|number| random_position(&mut rng::stream(20_261_121, number)))
        .collect();
    let share = |wanted: &dyn Fn(&Position) -> bool| {
        positions.iter().filter(|position| wanted(position)).count() * 100 / positions.len()
    };
    assert!(share(&|position| position.me().count(24) > 0) > 10);
    assert!(share(&|position| position.me().count(24) > 1) > 3);
    assert!(share(&|position| position.me().outside() == 0) > 10);
    assert!(share(&|position| position.me().outside() == 1) > 2);
    assert!(share(&|position| position.me().outside() == 0 && position.has_contact()) > 1);
    assert!(share(&|position| !position.has_contact()) > 5);
    assert!(share(&|position| position.me() == Side::START) < 50);
}

/// The third generator: every order of every step on plain arrays, then the rule book's filters.
mod brute {
    use super::{BTreeSet, Position, Roll};

    #[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
    struct Board {
        /// Mine are positive: places 1 to 24 by my numbering.
        points: [i8; 25],
        my_bar: i8,
        their_bar: i8,
    }

    pub(super) fn results(position: &Position, roll: Roll) -> BTreeSet<Position> {
        let (me, opponent) = (position.me().counts(), position.opponent().counts());
        let mut board = Board {
            points: [0; 25],
            my_bar: me[24] as i8,
            their_bar: opponent[24] as i8,
        };
        for point in 1..=24 {
            board.points[point] = me[point - 1] as i8 - opponent[24 - point] as i8;
        }
        let [first, second] = roll.dice();
        let hands: &[&[u8]] = match first == second {
            true => &[&[first; 4]],
            false => &[&[first, second], &[second, first]],
        };
        let mut ends = Vec::new();
        for hand in hands {
            let mut level = vec![board.clone()];
            let mut pips = 0;
            for (used, &die) in hand.iter().enumerate() {
                level = level
                    .iter()
                    .flat_map(|board| {
                        (1..=25).filter_map(move |from| step(board, from, i32::from(die)))
                    })
                    .collect();
                level.sort_unstable();
                level.dedup();
                pips += die;
                ends.extend(level.iter().map(|board| (used + 1, pips, board.clone())));
            }
        }
        // As many dice as possible; if only one, the larger.
        let most = ends.iter().map(|end| (end.0, end.1)).max();
        ends.iter()
            .filter(|end| Some((end.0, end.1)) == most)
            .map(|end| finished(&end.2))
            .collect()
    }

    fn step(board: &Board, from: usize, die: i32) -> Option<Board> {
        let mut after = board.clone();
        if from == 25 {
            if board.my_bar == 0 {
                return None;
            }
            after.my_bar -= 1;
        } else {
            if board.my_bar > 0 || board.points[from] <= 0 {
                return None;
            }
            after.points[from] -= 1;
        }
        let to = from as i32 - die;
        if to >= 1 {
            let point = &mut after.points[to as usize];
            if *point < -1 {
                return None;
            }
            if *point == -1 {
                *point = 0;
                after.their_bar += 1;
            }
            *point += 1;
            return Some(after);
        }
        // Bearing off: all at home, with the exact number or from the rearmost point.
        let behind = |from: usize| board.points[from + 1..].iter().any(|&count| count > 0);
        let home = board.my_bar == 0 && !behind(6);
        (home && (to == 0 || !behind(from))).then_some(after)
    }

    fn finished(board: &Board) -> Position {
        let mut me = [0; 25];
        let mut opponent = [0; 25];
        for point in 1..=24 {
            me[point - 1] = board.points[point].max(0) as u8;
            opponent[24 - point] = (-board.points[point]).max(0) as u8;
        }
        me[24] = board.my_bar as u8;
        opponent[24] = board.their_bar as u8;
        Position::new(&opponent, &me).unwrap()
    }
}
