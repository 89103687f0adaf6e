//! gnubg's own server language (part B): every recorded line, answered as gnubg 1.07.001 answered
//! it. Rules EXT-40 to EXT-52 of `protocol-specs/gnubg-external.md`.

use crate::answers::reply;
use crate::external::{exchanges, transcripts};
use crate::support::gnubg_wd;
use gammond_engine::engine::{Engine, Nets};
use gammond_game::notation::external_play::read_play;
use gammond_game::notation::{BoardDialect, BoardLine};
use gammond_protocol::external::{Ask, External, ExternalAction, ExternalSettings, Question};

/// The largest difference to numbers that gnubg computed without look-ahead: Debian's gnubg has a
/// coarse table in the place of the sigmoid.
const STATIC_TOLERANCE: f64 = 2.5e-3;
/// With look-ahead a near-tie may send the search another way.
const DEEP_TOLERANCE: f64 = 8e-3;

struct Peer<'a> {
    engine: &'a Engine,
    machine: External,
}

/// An answer, and the question if there was one to compute.
type Answered = (String, Option<Box<Question>>);

impl Peer<'_> {
    fn ask(&mut self, line: &[u8]) -> Answered {
        match self.machine.line(line) {
            ExternalAction::Ask(question) => {
                let text = reply(self.engine, &question);
                self.machine.replied(&text);
                (question.preface.clone() + &text + "\n", Some(question))
            }
            ExternalAction::Say(text) => (text, None),
            ExternalAction::Silence | ExternalAction::Close(_) => (String::new(), None),
            other => panic!("{other:?}"),
        }
    }
}

/// Debug lines, and the rest.
fn split_debug(text: &str) -> (usize, String) {
    let debug = text
        .lines()
        .filter(|line| line.starts_with("DBG: "))
        .count();
    let rest = text.lines().filter(|line| !line.starts_with("DBG: "));
    (debug, rest.map(|line| line.to_owned() + "\n").collect())
}

fn numbers(text: &str) -> Vec<f64> {
    let words = text.split_whitespace();
    words.map(|word| word.parse().unwrap()).collect()
}

/// How an answer differs from gnubg's, if it does.
fn difference(
    line: &str,
    expected: &str,
    found: &str,
    question: Option<&Question>,
) -> Option<String> {
    let differs = |what: &str| {
        Some(format!(
            "{what}: {line}\n  gnubg {expected:?}\n  ours  {found:?}"
        ))
    };
    let ((debug, expected_text), (our_debug, found_text)) =
        (split_debug(expected), split_debug(found));
    if (debug > 0) != (our_debug > 0) {
        return differs("debug lines");
    }
    let (expected_text, found_text) = (expected_text.as_str(), found_text.as_str());
    match (
        expected_text.starts_with("Error: "),
        found_text.starts_with("Error: "),
    ) {
        (true, true) => {
            // gnubg's parser words its own complaints; one line is what matters (EXT-50).
            let one_line = found_text.matches('\n').count() == 1;
            return (!one_line).then(|| differs("error")).flatten();
        }
        (true, false) | (false, true) => return differs("error or not"),
        (false, false) => {}
    }
    let Some(question) = question else {
        let ours = found_text.starts_with("Interface: 2\nRFBF: 0\nEngine: ");
        let version =
            expected_text.starts_with("Interface: ") && ours && found_text.lines().count() == 4;
        return (!version && expected_text != found_text)
            .then(|| differs("text"))
            .flatten();
    };
    match &question.ask {
        Ask::Evaluation(_) => {
            let (theirs, ours) = (numbers(expected_text), numbers(found_text));
            let deep = question.settings.plies > 0;
            let tolerance = if deep {
                DEEP_TOLERANCE
            } else {
                STATIC_TOLERANCE
            };
            let six_decimals = found_text
                .split_whitespace()
                .all(|word| word.split('.').nth(1).map(str::len) == Some(6));
            let near = question.settings.noise > 0.0
                || theirs
                    .iter()
                    .zip(&ours)
                    .all(|(theirs, ours)| (theirs - ours).abs() <= tolerance);
            (ours.len() != 6 || theirs.len() != 6 || !near || !six_decimals)
                .then(|| differs("numbers"))
                .flatten()
        }
        Ask::Play(query, _) => {
            let [theirs, ours] = [expected_text, found_text]
                .map(|text| read_play(&query.position, query.roll, text.trim_end_matches('\n')));
            // Steps of two different dice are written in the order of the dice by gnubg.
            (theirs != ours).then(|| differs("play")).flatten()
        }
        _ => (expected_text != found_text)
            .then(|| differs("decision"))
            .flatten(),
    }
}

/// What EXT-51 says is different.
fn is_meant_to_differ(line: &str, expected: &str, found: &str) -> bool {
    let board = line
        .split_whitespace()
        .find(|word| word.starts_with("board:"));
    let board = board.and_then(|text| text.parse::<BoardLine>().ok());
    if !found.starts_with("Error: ") {
        // The cube is the other side's.
        let no_cube = board.is_some_and(|board| {
            let [first, second] = board.may_double;
            first != second && (first == 0) == (board.turn * board.colour > 0)
        });
        // A long line ends gnubg.
        let died = expected.is_empty() && line.len() > 254;
        return died
            || expected.starts_with("Error: syntax error")
            || (no_cube && (expected, found) == ("double\n", "roll\n"));
    }
    let impossible = board.is_none_or(|board| board.view(BoardDialect::External).is_err());
    impossible || found.starts_with("Error: resignation is ")
}

/// EXT-40, EXT-41, EXT-42, EXT-43, EXT-44, EXT-45, EXT-46, EXT-47, EXT-50, EXT-51, EXT-52.
#[test]
fn every_recorded_request_is_answered_as_gnubg_answered_it() {
    let test = "every_recorded_request_is_answered_as_gnubg_answered_it";
    let Some(weights) = gnubg_wd(test) else {
        return;
    };
    let nets = Nets::Path(weights);
    let engine = Engine::builder().nets(nets).threads(1).build().unwrap();
    let (mut all, mut meant, mut wrong) = (0, 0, Vec::new());
    for file in transcripts(test, "b") {
        let mut peer = Peer {
            engine: &engine,
            machine: External::server(ExternalSettings::default()),
        };
        for (line, expected) in exchanges(&file) {
            let (found, question) = peer.ask(&line);
            let [line, expected] =
                [&line, &expected].map(|text| String::from_utf8_lossy(text).into_owned());
            all += 1;
            if let Some(text) = difference(&line, &expected, &found, question.as_deref()) {
                if is_meant_to_differ(&line, &expected, &found) {
                    meant += 1;
                } else {
                    wrong.push(text);
                }
            }
        }
    }
    eprintln!(
        "{all} requests, {meant} meant to differ, {} differ",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        all == 0 || (all > 200 && meant * 4 < all),
        "{meant} of {all}"
    );
}

/// The board of a race to 7 points at this score: a small lead for the side of `turn`, `ending` from the cube on.
fn race(score: [u32; 2], turn: i32, ending: &str) -> String {
    let [first, second] = score;
    let points = "0:2:2:3:3:3:2:0:0:0:0:0:0:0:0:0:0:0:0:-3:-3:-3:-2:-2:-2:0";
    format!(
        "board:me:you:7:{first}:{second}:{points}:{turn}:0:0:0:0:1:{ending}:1:-1:0:25:0:0:0:0:0:0:0:1"
    )
}

/// EXT-45: a pending double turns the evaluation round, whether the doubled field or the two may-double
/// fields say so; the scores belong to the same players as in the decision on that line (EXT-13).
#[test]
fn evaluation_with_pending_double_is_that_of_the_other_side() {
    let engine = Engine::builder().threads(1).build().unwrap();
    let mut peer = Peer {
        engine: &engine,
        machine: External::server(ExternalSettings::default()),
    };
    let mut evaluate = |board: String| {
        let line = format!("evaluation fibsboard {board} plies 0 cubeful\n");
        let (text, _) = peer.ask(line.as_bytes());
        numbers(&text)
    };
    for (first, second) in [(0, 0), (1, 5), (3, 2)] {
        for turn in [1, -1] {
            let plain = evaluate(race([second, first], -turn, "1:1:0"));
            for pending in ["1:1:1", "0:0:0", "0:0:1"] {
                let found = evaluate(race([first, second], turn, pending));
                assert_eq!(found, plain, "{first}-{second} {turn} {pending}");
            }
        }
    }
}

/// EXT-13, EXT-45: takes and passes of gnubg 1.07.001 at scores where the other order of the scores says the opposite:
/// score, side on roll, gnubg's answer to the double.
const GNUBG_ANSWERS: &[([u32; 2], i32, &str)] = &[
    ([1, 6], 1, "drop"),
    ([3, 6], 1, "drop"),
    ([5, 6], 1, "drop"),
    ([5, 6], -1, "take"),
    ([6, 1], 1, "take"),
    ([6, 3], 1, "take"),
    ([6, 5], 1, "take"),
    ([6, 5], -1, "drop"),
];

#[test]
fn scores_of_an_offer_belong_to_the_players_as_gnubg_reads_them() {
    let Some(weights) = gnubg_wd("scores_of_an_offer_belong_to_the_players_as_gnubg_reads_them")
    else {
        return;
    };
    let nets = Nets::Path(weights);
    let engine = Engine::builder().nets(nets).threads(1).build().unwrap();
    for &(score, turn, expected) in GNUBG_ANSWERS {
        let mut peer = Peer {
            engine: &engine,
            machine: External::server(ExternalSettings::default()),
        };
        let (found, _) = peer.ask((race(score, turn, "1:1:1") + "\n").as_bytes());
        assert_eq!(found.trim(), expected, "{score:?} {turn}");
        let [first, second] = score;
        let other = race([second, first], turn, "1:1:1") + "\n";
        let (other, _) = peer.ask(other.as_bytes());
        assert_ne!(other.trim(), expected, "{score:?} {turn}");
    }
}
