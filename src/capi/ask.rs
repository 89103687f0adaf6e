//! Questions as text: the line protocol.

use crate::failure::{Failure, GammondCode, guarded};
use crate::memory;
use crate::open::{Open, engine_of, stop_of};
use gammond_engine::query::Stop;
use gammond_protocol::answerer::Answerer;
use gammond_protocol::{Dialect, LINE_BYTES_MAX, LineAction, LineCodec, Session};
use std::ffi::c_char;

/// Longest text of one call: as long as the longest match file.
pub(crate) const REQUEST_BYTES_MAX: usize = 16 << 20;
/// Length of an answer from which on no further line is answered.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// Answers request lines as `gammond pipe` does: with the same bytes. `set` holds for the lines behind it in the same text.
/// Questions that are stopped are answered as cancelled ones; the lines behind them are not answered.
fn answers(open: &Open, text: &[u8], stop: &Stop) -> Result<Vec<u8>, Failure> {
    let mut session = Session::counting(open.defaults.clone());
    let answerer = Answerer::new(&open.engine);
    let mut out = Vec::new();
    let mut codec = LineCodec::new(LINE_BYTES_MAX);
    codec.feed(text);
    codec.finish();
    let mut going = true;
    while let Some(line) = codec.peek().filter(|_| going && !stop.is_triggered()) {
        going = answer(&answerer, session.line(line), stop, &mut out);
        codec.consume();
        if out.len() > ANSWER_BYTES_MAX {
            let reason = format!("the answer is longer than {ANSWER_BYTES_MAX} bytes");
            return Err(Failure::new(GammondCode::GAMMOND_ERROR_TOO_LONG, reason));
        }
    }
    if going && !stop.is_triggered() {
        answer(&answerer, session.finish(), stop, &mut out);
    }
    Ok(out)
}

/// Appends the answer of one line. Returns false behind `quit`.
fn answer(answerer: &Answerer<'_>, action: LineAction, stop: &Stop, out: &mut Vec<u8>) -> bool {
    match action {
        LineAction::Silence | LineAction::Rebuild { .. } => {}
        LineAction::Ask(inquiry) => {
            answerer.answer(&inquiry, stop, out);
        }
        LineAction::Say(text) | LineAction::Refuse(text) => out.extend_from_slice(text.as_bytes()),
        LineAction::Cancel(cancel) => out.extend_from_slice(cancel.unknown().as_bytes()),
        LineAction::Close(text) => {
            out.extend_from_slice(text.as_bytes());
            return false;
        }
    }
    true
}

/// Answers request lines of the line protocol, `length` bytes of them, by a line each: JSON, or as `set answer=` says. An
/// error of a line is its answer; the function fails only if there is no answer. `answer` gets a text that
/// `gammond_free` frees, `answer_length`, which may be NULL, its length. `stop` is a handle or 0.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_ask(
    engine: u64,
    text: *const c_char,
    length: usize,
    stop: u64,
    answer: *mut *mut c_char,
    answer_length: *mut usize,
) -> GammondCode {
    guarded(|| {
        memory::put("answer", answer, std::ptr::null_mut())?;
        let open = engine_of(engine)?;
        let text = memory::copied("text", text.cast::<u8>(), length, REQUEST_BYTES_MAX)?;
        let found = answers(&open, &text, &stop_of(stop)?)?;
        if !answer_length.is_null() {
            memory::put("answer_length", answer_length, found.len())?;
        }
        memory::give("answer", answer, found)
    })
}

/// Frees a text that the library gave. NULL is allowed; any other address is a code.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_free(text: *mut c_char) -> GammondCode {
    guarded(|| memory::take_back(text))
}
