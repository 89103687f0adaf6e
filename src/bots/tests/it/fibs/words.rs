//! Recorded transcripts, and the words of differently behaving servers.

use super::*;

pub(super) const TRANSCRIPTS: [&str; 10] = [
    "baldlies_matches_3pt",
    "baldlies_scenario",
    "baldlies_tap_faults",
    "baldlies_telnet_vs_clip",
    "jibs053_match_doubles",
    "jibs053_scenario",
    "jibs055_match_doubles",
    "jibs055_matches_3pt",
    "jibs055_scenario",
    "lines_known_to_gibbon",
];

/// The bytes of a row's text with its backslash escapes.
pub(super) fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'r') => bytes.push(b'\r'),
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'x') => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = String::from_utf8(digits).unwrap();
                bytes.push(u8::from_str_radix(&digits, 16).unwrap());
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    bytes
}

/// What each client of a transcript received.
pub(super) fn received(path: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut clients: Vec<(String, Vec<u8>)> = Vec::new();
    for row in lines(path) {
        if row.starts_with('#') {
            continue;
        }
        let (client, text) = if let Some(text) = row.strip_prefix("S< ") {
            ("all".to_owned(), format!("{text}\\r\\n"))
        } else if let Some((head, text)) = row.split_once(" S< ") {
            (head.trim().to_owned(), text.to_owned())
        } else if let Some((head, text)) = row.split_once(" < ") {
            let client = head.split_whitespace().last().unwrap_or_default();
            (client.to_owned(), text.to_owned())
        } else {
            continue;
        };
        let bytes = unescape(&text);
        match clients.iter_mut().find(|(name, _)| *name == client) {
            Some((_, all)) => all.extend(bytes),
            None => clients.push((client, bytes)),
        }
    }
    clients
}

fn pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    LineReader::default().push(bytes, &mut pieces);
    pieces
}

/// FIBS-06, FIBS-08, FIBS-09: each board of each transcript is read; what is not known is counted.
#[test]
fn transcripts_are_understood() {
    let test = "transcripts_are_understood";
    let (mut total, mut unknown, mut boards) = (0, Vec::new(), 0);
    for name in TRANSCRIPTS {
        let Some(path) = shared(test, &format!("transcripts/fibs/{name}.txt")) else {
            return;
        };
        for (_, bytes) in received(&path) {
            let (mut motd, mut online) = (false, false);
            for piece in pieces(&bytes) {
                let Piece::Line(line) = piece else {
                    online = false;
                    continue;
                };
                if !line.contains("board:") && (motd || !online) {
                    // Banners and messages of the day say what they like.
                    online |= line.starts_with("1 ") || name.starts_with("lines");
                    motd &= line != "4";
                    continue;
                }
                motd |= line == "3";
                let named = name_line(&line);
                total += 1;
                for message in named {
                    match message {
                        Message::Board(board) => {
                            boards += 1;
                            if board.turn != 0 {
                                let view = board.view(BoardDialect::Fibs);
                                assert!(view.is_ok(), "{name}: {line}: {view:?}");
                            }
                        }
                        Message::BadBoard(error) => panic!("{name}: {line}: {error}"),
                        Message::Unknown => unknown.push(line.clone()),
                        _ => {}
                    }
                }
            }
        }
    }
    unknown.sort();
    unknown.dedup();
    eprintln!(
        "{total} lines, {boards} boards, {} unknown: {unknown:#?}",
        unknown.len()
    );
    assert!(boards > 1000, "{boards} boards");
    // Two rolls in one line, seen by watchers, and the banner after a refused login.
    assert!(unknown.len() < 12, "{unknown:#?}");
}

/// FIBS-12: the boards captured on fibs.com, field by field against the text.
#[test]
fn fibs_com_boards() {
    let Some(path) = shared(
        "fibs_com_boards",
        "transcripts/fibs/fibs_com_boards_csells.txt",
    ) else {
        return;
    };
    let mut count = 0;
    for text in lines(&path)
        .iter()
        .filter(|line| line.starts_with("board:"))
    {
        count += 1;
        let words: Vec<&str> = text.split(':').collect();
        let number = |at: usize| words[at].parse::<i32>().unwrap();
        let named = name_line(text);
        let [Message::Board(board)] = named.as_slice() else {
            panic!("{text}")
        };
        assert_eq!(board.to_string(), *text);
        if number(32) == 0 {
            continue;
        }
        let view = board.view(BoardDialect::Fibs).unwrap();
        // Read once more, by the rules of the specification, for the player named first.
        let (colour, direction) = (number(41), number(42));
        let mine = number(32) == colour;
        let side = |me: bool| {
            let sign = if me { colour } else { -colour };
            let down = (direction == -1) == me;
            let mut counts = [0_u8; 25];
            for point in 1..=24_usize {
                let place = if down { point } else { 25 - point };
                counts[point - 1] = u8::try_from((sign * number(6 + place)).max(0)).unwrap();
            }
            counts[24] = u8::try_from(number(if me { 47 } else { 48 })).unwrap();
            counts
        };
        let (me, other) = (side(mine), side(!mine));
        assert_eq!(view.position.me().counts(), me, "{text}");
        assert_eq!(view.position.opponent().counts(), other, "{text}");
        let at = if mine { 33 } else { 35 };
        let roll = Roll::new(number(at) as u8, number(at + 1) as u8).ok();
        assert_eq!(view.roll, roll, "{text}");
        assert_eq!(view.state.cube.value(), number(37) as u32);
        let scores = if mine { [4, 5] } else { [5, 4] };
        let score = view.state.score;
        if !score.is_money() {
            assert_eq!(
                [score.me(), score.opponent()],
                scores.map(|at| number(at) as u32)
            );
        }
    }
    assert_eq!(count, 156);
}

/// FIBS-02: the same messages whatever the chunks, on recorded bytes.
#[test]
fn any_chunking_of_a_transcript_is_the_same() {
    let test = "any_chunking_of_a_transcript_is_the_same";
    let Some(path) = shared(test, "transcripts/fibs/jibs055_scenario.txt") else {
        return;
    };
    for (_, bytes) in received(&path) {
        let whole = pieces(&bytes);
        for seed in 0..20 {
            let mut chance = stream(seed, 0);
            let (mut reader, mut parts) = (LineReader::default(), Vec::new());
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let cut = (1 + below(&mut chance, 40) as usize).min(rest.len());
                reader.push(&rest[..cut], &mut parts);
                rest = &rest[cut..];
            }
            assert_eq!(parts, whole);
        }
    }
}

/// FIBS-05, FIBS-06, FIBS-07: what servers glue together comes apart.
#[test]
fn glued_lines_come_apart() {
    let board = "board:You:bobby:3:0:1:-2:-1:0:2:-1:0:4:1:2:0:0:0:-5:4:0:0:0:0:-1:-5:0:0:0:1:1:0:-1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:2:0:0:0:0";
    let who = "5 someplayer - - 0 0 1418.61 23 1914 1041272421 192.168.40.3 MacFIBS someplayer@somewhere.com";
    let named = name_line(&format!("{board}{who}"));
    assert!(
        matches!(named.as_slice(), [Message::Board(line), Message::Who(who)]
        if line.to_string() == board && who.name == "someplayer" && who.experience == 23)
    );
    let named = name_line(&format!("> > {board}You roll 3 and 1."));
    assert!(matches!(
        named.as_slice(),
        [
            Message::Board(_),
            Message::Rolls {
                by: By::Me,
                dice: [3, 1]
            }
        ]
    ));
    let named = name_line("bobby accepts the double.  The cube shows 2.You roll 3 and 1.");
    assert!(matches!(
        named.as_slice(),
        [Message::Takes { by: By::Name(_) }, Message::Rolls { .. }]
    ));
    let named = name_line(
        "You win the game and get 1 point. Congratulations!Score is 1-0 in a 3 point match.",
    );
    assert_eq!(
        named,
        [
            Message::WinsGame {
                by: By::Me,
                points: 1
            },
            Message::Noise
        ]
    );
    // The beginning of the board was torn off, anywhere.
    for at in 1..board.len() {
        let torn = board.get(at..).unwrap();
        let named = name_line(&format!(
            "{torn}You win the game and get 8 points. Congratulations!"
        ));
        let wins = matches!(
            named.as_slice(),
            [Message::WinsGame {
                by: By::Me,
                points: 8
            }]
        );
        assert!(wins, "{torn}: {named:?}");
        assert!(
            !name_line(torn)
                .iter()
                .any(|message| matches!(message, Message::Board(_)))
        );
    }
    // FIBS-04: what people say is no protocol.
    for text in ["12 joe ", "13 joe ", "15 joe "] {
        assert!(matches!(
            name_line(&format!("{text}{board}")).as_slice(),
            [Message::Said { .. }]
        ));
    }
}

/// FIBS-08: Jibs 0.55 doubles its apostrophes and leaves dots away.
#[test]
fn words_of_jibs_055() {
    assert_eq!(
        name_line("It''s your turn. Please roll or double"),
        [Message::RollOrDouble]
    );
    assert_eq!(name_line("It''s your turn to move."), [Message::PleaseMove]);
    assert_eq!(
        name_line("You can''t move."),
        [Message::CannotMove { by: By::Me }]
    );
}

/// FIBS-08: Jibs 0.5.3 runs sentences together and mixes its quotes.
#[test]
fn words_of_jibs_053() {
    assert_eq!(
        name_line("jack accepts the double.The cube shows 2."),
        [Message::Takes {
            by: By::Name("jack".into())
        }]
    );
    let join = "Type 'join' if you want to play the next game, type 'leave\" if you don't.";
    assert_eq!(name_line(join), [Message::JoinNext]);
    let won = Message::WinsGame {
        by: By::Me,
        points: 2,
    };
    assert_eq!(
        name_line("You win the game and get 2 points. Congratulation!"),
        [won]
    );
}

/// FIBS-08: BaldLies has commands that it does not know.
#[test]
fn words_of_baldlies() {
    assert_eq!(
        name_line("The command `kibitz' is not yet implemented."),
        [Message::Noise]
    );
    assert_eq!(
        name_line("dora moves 6-home 5-home ."),
        [Message::Moves {
            name: "dora".into(),
            steps: "6-home 5-home".into()
        }]
    );
    let row = name_line(" *alice                   3                0 -  0");
    let length = Some(3);
    assert_eq!(
        row,
        [Message::SavedMatch {
            name: "alice".into(),
            length
        }]
    );
}

/// FIBS-11: instant redoubles are switched off; where an opponent's offer mentions them it is an
/// offer like any other.
#[test]
fn words_of_redoubles() {
    for line in [
        "alice doubles. Type 'accept' or 'reject'.",
        "alice doubles. Type 'accept', 'reject' or 'redouble'.",
        "alice redoubles to 4. Type 'accept', 'reject' or 'redouble'.",
    ] {
        let name = "alice".to_owned();
        assert_eq!(name_line(line), [Message::Doubles { name }], "{line}");
    }
}
