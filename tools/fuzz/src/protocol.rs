//! The machines of the line protocols, with arbitrary lines.

use gammond_engine::query::Settings;
use gammond_game::notation::external_play::{Reading, read_play};
use gammond_protocol::external::{Ask, External, ExternalAction};
use gammond_protocol::ubgi::{Ubgi, UbgiAction};
use gammond_protocol::{LINE_BYTES_MAX, Options, Request, Session, parse_line};

/// Runs the request lines of one session; errors point into their line, and the parser and the session agree on lines
/// without a request.
pub fn fuzz_request(data: &[u8]) {
    let mut session = Options::default();
    for line in data.split(|byte| *byte == b'\n') {
        let parsed = parse_line(line, &session);
        let nothing = line.len() <= LINE_BYTES_MAX && Session::passes_over(line);
        assert_eq!(parsed.is_none(), nothing);
        match parsed {
            None => {}
            Some(Err(refusal)) => {
                assert!(refusal.error.at <= line.len(), "{refusal:?}");
                assert!(!refusal.error.message.contains('\n'));
            }
            Some(Ok(line)) => {
                if let Request::Set(changed) = line.request {
                    session = *changed;
                }
                assert!(session.search().plies <= Settings::PLIES_MAX);
            }
        }
    }
}

/// Runs lines of gnubg's protocol in both directions; all output consists of whole lines.
pub fn fuzz_external(data: &[u8]) {
    let mut machine = External::default();
    for line in data.split(|byte| *byte == b'\n') {
        match machine.line(line) {
            ExternalAction::Say(text) => {
                assert!(text.ends_with('\n') && !text.contains('\0'), "{text:?}")
            }
            ExternalAction::Ask(question) => {
                if let Ask::Play(query, _) = &question.ask {
                    let text = String::from_utf8_lossy(data);
                    if let Reading::Played(after) = read_play(&query.position, query.roll, &text) {
                        let pips = |position: &gammond_game::Position| position.opponent().pips();
                        assert!(
                            pips(&after) <= query.position.me().pips(),
                            "checkers went back"
                        );
                    }
                }
                machine.replied("resign normal");
            }
            _ => {}
        }
    }
}

/// UBGI sessions: an answer is whole lines.
pub fn fuzz_ubgi(data: &[u8]) {
    let mut machine = Ubgi::new(&Options::default(), "embedded", 1, true);
    for line in data.split(|byte| *byte == b'\n') {
        if let UbgiAction::Say(text) = machine.line(line) {
            assert!(text.ends_with('\n'), "{text:?}");
        }
    }
}
