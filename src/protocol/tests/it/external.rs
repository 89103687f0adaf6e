//! gnubg's external protocol: rules EXT- of `protocol-specs/gnubg-external.md`, and the recorded
//! dialogues with gnubg 1.07.001.

use crate::answers::reply;
use crate::support::{lines, shared};
use gammond_engine::engine::Engine;
use gammond_engine::query::Level;
use gammond_game::notation::PositionId;
use gammond_game::notation::external_play::{Reading, read_play};
use gammond_game::{CubeOwner, Position, Roll, legal_plays};
use gammond_protocol::external::{
    Ask, External, ExternalAction, ExternalSettings, Question, Spelling,
};
use std::path::PathBuf;

const OPENING: &str = "board:ext:opp:7:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1";

/// A board with these fields (numbered from 1) in the place of the opening's.
fn board(changes: &[(usize, i32)]) -> String {
    let mut fields: Vec<String> = OPENING.split(':').map(str::to_owned).collect();
    for &(field, value) in changes {
        fields[field] = value.to_string();
    }
    fields.join(":")
}

fn engine() -> Engine {
    Engine::builder().threads(1).build().unwrap()
}

fn asked(machine: &mut External, line: &str) -> Question {
    match machine.line(format!("\0{line}\n").as_bytes()) {
        ExternalAction::Ask(question) => *question,
        other => panic!("{line}: {other:?}"),
    }
}

fn said(machine: &mut External, line: &str) -> String {
    match machine.line(line.as_bytes()) {
        ExternalAction::Say(text) => text,
        other => panic!("{line}: {other:?}"),
    }
}

/// EXT-01, EXT-10, EXT-11, EXT-12: the three questions, seen from both seats.
#[test]
fn questions_and_seats() {
    for turn in [1, -1] {
        let mut machine = External::default();
        let question = asked(&mut machine, &board(&[(32, turn)]));
        let Ask::Play(query, Spelling::Words) = question.ask else {
            panic!("{question:?}");
        };
        assert_eq!(query.position, Position::start());
        assert_eq!(query.roll.to_string(), "31");
        let line = board(&[(32, turn), (33, 0), (34, 0), (35, 0), (36, 0)]);
        let question = asked(&mut machine, &line);
        assert!(matches!(question.ask, Ask::RollOrDouble(_)), "{question:?}");
        let line = board(&[(32, -turn), (33, 0), (34, 0), (35, 0), (36, 0), (40, 1)]);
        let question = asked(&mut machine, &line);
        assert!(matches!(question.ask, Ask::Offer(_, false)), "{question:?}");
    }
}

/// EXT-13, EXT-14: names and scores, Crawford, Jacoby.
#[test]
fn scores_in_both_orders() {
    let dice = [(33, 0), (34, 0), (35, 0), (36, 0)];
    let score = |changes: &[(usize, i32)]| {
        let all = [&dice[..], &[(4, 3), (5, 5)], changes].concat();
        let question = asked(&mut External::default(), &board(&all));
        let state = match question.ask {
            Ask::RollOrDouble(query) | Ask::Offer(query, _) => query.state,
            other => panic!("{other:?}"),
        };
        (state.score.me(), state.score.opponent())
    };
    // The score of the side on roll first.
    assert_eq!(score(&[(32, -1)]), (3, 5));
    assert_eq!(score(&[(32, 1)]), (5, 3));
    assert_eq!(score(&[(32, -1), (40, 1)]), (5, 3));
    assert_eq!(score(&[(32, 1), (40, 1)]), (3, 5));
    let play = |changes: &[(usize, i32)], rules: ExternalSettings| match asked(
        &mut External::new(rules),
        &board(changes),
    )
    .ask
    {
        Ask::Play(query, _) => query.state,
        other => panic!("{other:?}"),
    };
    let crawford = play(&[(3, 3), (4, 2), (52, 0)], ExternalSettings::default());
    assert!(crawford.score.is_crawford() && crawford.score.me() == 2);
    let post = play(
        &[(3, 3), (4, 1), (5, 2), (51, 1)],
        ExternalSettings::default(),
    );
    assert!(post.score.is_post_crawford());
    let money = play(&[(3, 0)], ExternalSettings::default());
    assert!(money.score.is_money() && money.rules.jacoby && money.rules.beavers);
    let mut rules = ExternalSettings::default();
    rules.jacoby = false;
    rules.beavers = 0;
    let money = play(&[(3, 0)], rules);
    assert!(!money.rules.jacoby && !money.rules.beavers);
}

/// EXT-15: no thinking where we may not double.
#[test]
fn roll_where_no_double_is_possible() {
    let dice = [(33, 0), (34, 0), (35, 0), (36, 0)];
    for changes in [
        &[(37, 2), (39, 0)][..],
        &[(3, 3), (4, 2), (52, 0)],
        &[(3, 5), (4, 3), (37, 2), (38, 0)],
        &[(3, 3), (4, 2), (5, 1), (51, 1)],
        &[(3, 0), (37, 4096), (38, 0)],
    ] {
        let line = board(&[&dice[..], changes].concat());
        assert_eq!(said(&mut External::default(), &line), "roll\n", "{line}");
    }
}

/// EXT-17, EXT-18, EXT-19: doubles, beavers, raccoons.
#[test]
fn turned_cubes() {
    let dice = [(3, 0), (33, 0), (34, 0), (35, 0), (36, 0)];
    let line = |changes: &[(usize, i32)]| board(&[&dice[..], changes].concat());
    let mut machine = External::default();
    let double = line(&[(32, 1), (40, 1)]);
    assert!(matches!(
        asked(&mut machine, &double).ask,
        Ask::Offer(_, true)
    ));
    machine.replied("beaver");
    assert!(
        matches!(asked(&mut machine, &double).ask, Ask::Offer(_, false)),
        "a beaver that was refused is not said again"
    );
    let mut machine = External::new({
        let mut rules = ExternalSettings::default();
        rules.beavers = 0;
        rules
    });
    assert!(matches!(
        asked(&mut machine, &double).ask,
        Ask::Offer(_, false)
    ));
    // We are player 0, doubled and were beavered: on roll, the cube the opponent's.
    let mut machine = External::default();
    asked(&mut machine, &line(&[(32, -1)]));
    let beaver = line(&[(32, -1), (37, 2), (39, 0), (40, 1)]);
    let Ask::Raised(query, true) = asked(&mut machine, &beaver).ask else {
        panic!("a beaver");
    };
    assert_eq!(query.state.cube.value(), 4);
    assert_eq!(query.state.cube.owner(), CubeOwner::Opponent);
    // He doubled, we beavered, he raccooned: he is on roll.
    let mut machine = External::default();
    asked(&mut machine, &line(&[(32, -1)]));
    let raccoon = line(&[(32, 1), (37, 2), (38, 0), (40, 1)]);
    assert!(matches!(
        asked(&mut machine, &raccoon).ask,
        Ask::Raised(_, false)
    ));
}

/// EXT-30, EXT-31, EXT-32: what is lost is resigned once.
#[test]
fn resignations() {
    // Player 0 has five checkers on its ace point, player 1 one on its own.
    let mut lost: Vec<(usize, i32)> = (6..=31).map(|field| (field, 0)).collect();
    lost.extend([(7, 1), (30, -5), (3, 0), (32, -1)]);
    let line = board(&lost);
    let mut machine = External::default();
    assert_eq!(said(&mut machine, &line), "resign normal\n");
    assert!(
        matches!(asked(&mut machine, &line).ask, Ask::Play(..)),
        "declined: play on"
    );
    // Declined before the dice: not offered again behind them, nor a turn later, as long as no
    // more is lost than was offered.
    let no_dice = board(&[&lost[..], &[(33, 0), (34, 0), (35, 0), (36, 0)]].concat());
    let mut machine = External::default();
    assert_eq!(said(&mut machine, &no_dice), "resign normal\n");
    let step = machine.line(no_dice.as_bytes());
    assert!(
        !matches!(&step, ExternalAction::Say(text) if text.starts_with("resign")),
        "{step:?}"
    );
    assert!(
        matches!(asked(&mut machine, &line).ask, Ask::Play(..)),
        "the same turn"
    );
    let later = board(&[&lost[..], &[(30, -4), (7, 0)]].concat());
    let step = machine.line(later.as_bytes());
    assert!(
        !matches!(&step, ExternalAction::Say(text) if text.starts_with("resign")),
        "{step:?}"
    );
    // In the next game it may be offered anew.
    asked(&mut machine, OPENING);
    assert_eq!(said(&mut machine, &line), "resign normal\n");
    let mut rules = ExternalSettings::default();
    rules.resign = false;
    asked(&mut External::new(rules), &line);
    let not_lost = board(&[&lost[..], &[(30, -4)]].concat());
    asked(&mut External::default(), &not_lost);
}

/// EXT-02, EXT-20, EXT-21, EXT-22, EXT-26: replies from many positions read back to what was meant.
#[test]
fn replies_are_what_gnubg_takes() {
    let engine = engine();
    let mut position = Position::start();
    let mut seed = 12345_u32;
    let mut dances = 0;
    for turn in 0..2000 {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let roll = Roll::ALL[(seed >> 16) as usize % 21];
        let state = gammond_game::MatchState::default();
        let line = gammond_game::notation::BoardLine::external(
            ["me", "you"],
            &position,
            &state,
            Some(roll),
            None,
        )
        .to_string();
        let mut rules = ExternalSettings::default();
        rules.resign = false;
        let question = asked(&mut External::new(rules), &line);
        let text = reply(&engine, &question);
        let legal = legal_plays(&position, roll);
        let reading = read_play(&position, roll, &text);
        let Reading::Played(after) = reading else {
            panic!(
                "turn {turn}: {} {roll}: {text:?} is {reading:?}",
                PositionId::from(position)
            );
        };
        if legal.is_empty() {
            assert_eq!(text, "", "EXT-22");
            dances += 1;
        }
        // A random play, so that strange positions are met.
        position = match legal.get((seed >> 8) as usize % legal.len().max(1)) {
            Some(play) => play.after,
            None => after,
        };
        if position.is_over() {
            position = Position::start();
        }
    }
    assert!(dances > 0, "no dance was met");
}

/// EXT-23: a blot hit on the way is spelt out.
#[test]
fn intermediate_hits_are_spelt_out() {
    let files = transcripts("intermediate_hits_are_spelt_out", "a15");
    let mut played = 0;
    for file in &files {
        for (line, reply) in exchanges(file) {
            let ExternalAction::Ask(question) = External::default().line(&line) else {
                continue;
            };
            let Ask::Play(query, _) = &question.ask else {
                continue;
            };
            let text = String::from_utf8_lossy(&reply).into_owned();
            if let Reading::Played(after) = read_play(&query.position, query.roll, text.trim_end())
            {
                played += 1;
                assert!(
                    legal_plays(&query.position, query.roll)
                        .iter()
                        .any(|play| play.after == after)
                );
            }
        }
    }
    assert!(files.is_empty() || played > 0, "no play was recorded");
}

pub(crate) fn transcripts(test: &str, prefix: &str) -> Vec<PathBuf> {
    let Some(folder) = shared(test, "transcripts/gnubg-external") else {
        return Vec::new();
    };
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with(prefix)
        })
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// The bytes behind `> ` or `< ` in a transcript.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let (&kind, after) = rest.split_first().unwrap();
        rest = after;
        bytes.push(match kind {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'0' => 0,
            b'x' => {
                let (hex, after) = rest.split_at(2);
                rest = after;
                u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap()
            }
            other => other,
        });
    }
    bytes
}

/// Questions and the answers right behind them.
pub(crate) fn exchanges(file: &std::path::Path) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut found: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for line in lines(file) {
        if let Some(sent) = line.strip_prefix("> ") {
            found.push((unescaped(sent), Vec::new()));
        } else if let Some(answer) = line.strip_prefix('<')
            && let Some((_, answers)) = found.last_mut()
        {
            answers.extend(unescaped(answer.strip_prefix(' ').unwrap_or(answer)));
        }
    }
    assert!(!found.is_empty(), "{} has no exchanges", file.display());
    found
}

/// EXT-03, EXT-05: every question gnubg was recorded to ask gets exactly one line that gnubg takes.
#[test]
fn every_recorded_question_gets_a_reply_that_gnubg_takes() {
    let engine = engine();
    let mut counts = [0; 3];
    for file in transcripts("every_recorded_question_gets_a_reply_that_gnubg_takes", "a") {
        let mut machine = External::default();
        for (line, _) in exchanges(&file) {
            let step = machine.line(&line);
            let shown = String::from_utf8_lossy(&line).into_owned();
            let ExternalAction::Ask(question) = step else {
                let ExternalAction::Say(text) = step else {
                    panic!("{shown}: {step:?}")
                };
                assert!(
                    [
                        "roll\n",
                        "resign normal\n",
                        "resign gammon\n",
                        "resign backgammon\n"
                    ]
                    .contains(&text.as_str()),
                    "{shown}: {text}"
                );
                continue;
            };
            let text = reply(&engine, &question);
            machine.replied(&text);
            assert!(!text.contains('\n'), "{shown}: {text:?}");
            match &question.ask {
                Ask::Play(query, _) => {
                    counts[0] += 1;
                    let reading = read_play(&query.position, query.roll, &text);
                    assert!(
                        matches!(reading, Reading::Played(_)),
                        "{shown}: {text:?} {reading:?}"
                    );
                    assert_eq!(
                        text.is_empty(),
                        legal_plays(&query.position, query.roll).is_empty()
                    );
                }
                Ask::RollOrDouble(_) => {
                    counts[1] += 1;
                    assert!(
                        ["roll", "double"].contains(&text.as_str()),
                        "{shown}: {text}"
                    );
                }
                Ask::Offer(query, _) => {
                    counts[2] += 1;
                    let allowed: &[_] = if query.state.score.is_money() {
                        &["take", "drop", "beaver"]
                    } else {
                        &["take", "drop"]
                    };
                    assert!(allowed.contains(&text.as_str()), "{shown}: {text}");
                }
                Ask::Raised(..) => assert!(["take", "drop"].contains(&text.as_str())),
                other => panic!("{shown}: {other:?}"),
            }
        }
    }
    if counts != [0; 3] {
        assert!(
            counts[0] > 100 && counts[1] > 50 && counts[2] > 10,
            "{counts:?}"
        );
    }
}

/// EXT-24, EXT-25: what gnubg was seen to take, to forfeit and to die of.
#[test]
fn replies_are_read_as_gnubg_reads_them() {
    let judge = |prefix: &str| {
        let mut found = Vec::new();
        for file in transcripts("replies_are_read_as_gnubg_reads_them", prefix) {
            for (line, answer) in exchanges(&file) {
                let ExternalAction::Ask(question) = External::default().line(&line) else {
                    continue;
                };
                let Ask::Play(query, _) = question.ask else {
                    continue;
                };
                let text = String::from_utf8_lossy(&answer).into_owned();
                if text.starts_with("re") || text.starts_with("Error") {
                    continue;
                }
                // gnubg reads up to the first LF.
                let text = text.split('\n').next().unwrap_or_default().to_owned();
                found.push((read_play(&query.position, query.roll, &text), text));
            }
        }
        found
    };
    for (reading, text) in judge("a03")
        .into_iter()
        .chain(judge("a16"))
        .chain(judge("a17"))
    {
        assert!(
            matches!(reading, Reading::Played(_)),
            "{text:?}: {reading:?}"
        );
    }
    for (reading, text) in judge("a04") {
        // The file also has empty replies, which gnubg takes for a play of nothing.
        assert_ne!(reading, Reading::Unreadable, "{text:?}");
    }
    let unreadable = judge("a05");
    let bad = unreadable
        .iter()
        .filter(|(reading, _)| *reading == Reading::Unreadable)
        .count();
    assert!(
        bad * 10 >= unreadable.len() * 7,
        "{bad} of {}",
        unreadable.len()
    );
}

/// EXT-27, EXT-50, EXT-51: each damaged board has an error of its own, and the machine goes on.
#[test]
fn damaged_boards_are_refused() {
    let mut machine = External::default();
    let fields: Vec<&str> = OPENING.split(':').collect();
    for cut in 0..OPENING.len() {
        let line = &OPENING.as_bytes()[..cut];
        match machine.line(line) {
            ExternalAction::Say(text) => assert!(
                text.starts_with("Error: ") && text.ends_with('\n'),
                "{text}"
            ),
            ExternalAction::Silence => assert_eq!(cut, 0),
            other => panic!("{cut}: {other:?}"),
        }
    }
    for field in 1..fields.len() {
        for bad in ["", "x", "99", "-99", "4294967296"] {
            let mut changed: Vec<&str> = fields.clone();
            changed[field] = bad;
            // Whatever it is, it is a question or an error.
            let step = machine.line(changed.join(":").as_bytes());
            assert!(
                matches!(&step, ExternalAction::Ask(_))
                    || matches!(&step, ExternalAction::Say(text) if text.starts_with("Error: ")),
                "{step:?}"
            );
        }
    }
    asked(&mut machine, OPENING);
}

/// EXT-46, EXT-48, EXT-52.
#[test]
fn resignation_offers_debug_lines_and_detection() {
    assert!(External::begins_with(OPENING.as_bytes()));
    assert!(External::begins_with(b"\0SET debug on"));
    assert!(External::begins_with(b"evaluation fibsboard board:"));
    assert!(!External::begins_with(b"set plies=2"));
    assert!(!External::begins_with(b"version"));
    let mut machine = External::default();
    let question = asked(&mut machine, &format!("{} resignation 1", board(&[(3, 0)])));
    assert!(matches!(question.ask, Ask::Resignation(_, 1)));
    // Who is not lost gives something away by resigning.
    assert_eq!(reply(&engine(), &question), "accept");
    assert_eq!(said(&mut machine, "set debug on"), "Debug output ON\n");
    let question = asked(&mut machine, OPENING);
    assert!(
        question
            .preface
            .lines()
            .all(|line| line.starts_with("DBG: "))
    );
    assert!(question.preface.contains("4HPwATDgc/ABMA"));
}

/// EXT-44, RO-10: a level of play behind `evaluation`.
#[test]
fn levels_of_evaluations() {
    let mut machine = External::default();
    let line = |end: &str| format!("evaluation fibsboard {OPENING} {end}");
    let question = asked(&mut machine, &line("plies 1 level Roller+ cubeful"));
    assert_eq!(question.settings.level, Some(Level::RollerPlus));
    assert!(question.settings.cubeful);
    assert_eq!(asked(&mut machine, &line("plies 1")).settings.level, None);
    for wrong in ["level rollers", "level", "level \u{7f}"] {
        let text = said(&mut machine, &line(wrong));
        assert!(text.starts_with("Error: syntax error, level"), "{text}");
        let names = "expecting roller, roller+ or roller++";
        assert!(text.contains(names) && text.matches('\n').count() == 1);
    }
    // A board's decision has none.
    let text = said(&mut machine, &format!("{OPENING} level roller"));
    assert!(text.contains("unexpected LEVEL"), "{text}");
}
