//! Codes of functions, and the code and text of the last failure of each thread.

use gammond_engine::EngineError;
use gammond_protocol::{ErrorCode, RequestError};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The result of a function: 0, or the kind of its failure. `gammond_error_text` has the reason.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types, reason = "names of the header")]
pub enum GammondCode {
    /// The function did its work.
    GAMMOND_OK = 0,
    /// A pointer is NULL that must not be.
    GAMMOND_ERROR_NULL = 1,
    /// A handle is not one, or is closed.
    GAMMOND_ERROR_HANDLE = 2,
    /// The member `size` of a struct, or the size of a row, is too small.
    GAMMOND_ERROR_SIZE = 3,
    /// A text is not UTF-8.
    GAMMOND_ERROR_TEXT = 4,
    /// A text or an answer is too long, or there are too many files.
    GAMMOND_ERROR_TOO_LONG = 5,
    /// A value cannot be: a position, dice, a score, a setting, a match.
    GAMMOND_ERROR_VALUE = 6,
    /// A file of nets, bearoff databases or match equities is missing or damaged.
    GAMMOND_ERROR_FILE = 7,
    /// The work was stopped before there was an answer, or its time was over.
    GAMMOND_ERROR_STOPPED = 8,
    /// The system refuses threads.
    GAMMOND_ERROR_SYSTEM = 9,
    /// A fault of the library. It goes on with other calls.
    GAMMOND_ERROR_INTERNAL = 10,
}

/// A failure with its reason.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: GammondCode,
    text: String,
}

impl Failure {
    pub(crate) fn new(code: GammondCode, text: impl Into<String>) -> Failure {
        let text = text.into();
        Failure { code, text }
    }

    /// Returns the failure of a value of a field, with the reason behind its name.
    pub(crate) fn value(text: impl Into<String>) -> Failure {
        Failure::new(GammondCode::GAMMOND_ERROR_VALUE, text)
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        let code = match error {
            EngineError::File { .. } => GammondCode::GAMMOND_ERROR_FILE,
            EngineError::Threads(_) => GammondCode::GAMMOND_ERROR_SYSTEM,
            EngineError::Stopped => GammondCode::GAMMOND_ERROR_STOPPED,
            _ => GammondCode::GAMMOND_ERROR_VALUE,
        };
        Failure::new(code, error.to_string())
    }
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Failure {
        let code = match error.code {
            ErrorCode::Stopped | ErrorCode::Timeout => GammondCode::GAMMOND_ERROR_STOPPED,
            ErrorCode::Internal => GammondCode::GAMMOND_ERROR_INTERNAL,
            _ => GammondCode::GAMMOND_ERROR_VALUE,
        };
        Failure::new(code, error.message)
    }
}

/// The last failure of a thread.
struct Last {
    code: GammondCode,
    text: Option<CString>,
}

thread_local! {
    static LAST: RefCell<Last> = const {
        RefCell::new(Last { code: GammondCode::GAMMOND_OK, text: None })
    };
}

/// The text of a thread that has no failure, or is ending.
const NONE: &CStr = c"";

/// Runs the body of a function. An error and a panic become a code, and the text of the thread.
pub(crate) fn guarded(work: impl FnOnce() -> Result<(), Failure>) -> GammondCode {
    // What a panic leaves behind is dropped: handles hold no state that a call changes.
    let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = format!("internal error: {}", reason(panic.as_ref()));
        // The payload's own destructor may panic too.
        std::mem::forget(panic);
        Err(Failure::new(GammondCode::GAMMOND_ERROR_INTERNAL, text))
    });
    let Err(Failure { code, text }) = done else {
        return GammondCode::GAMMOND_OK;
    };
    let text = CString::new(text.replace('\0', " ")).ok();
    // A thread that is ending keeps no text.
    let _ = LAST.try_with(|last| {
        if let Ok(mut last) = last.try_borrow_mut() {
            *last = Last { code, text };
        }
    });
    code
}

fn reason(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or(panic.downcast_ref::<&str>().copied())
        .unwrap_or("panic")
}

/// Returns the code of the last call of this thread that failed; GAMMOND_OK if none has.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_error_code() -> GammondCode {
    let code = LAST.try_with(|last| last.try_borrow().map(|last| last.code));
    match code {
        Ok(Ok(code)) => code,
        _ => GammondCode::GAMMOND_OK,
    }
}

/// Returns the reason of the last call of this thread that failed, in one line; empty if none has. The text is valid until
/// another call of this thread fails, or the thread ends.
#[unsafe(no_mangle)]
pub extern "C" fn gammond_error_text() -> *const c_char {
    let text = LAST.try_with(|last| {
        let last = last.try_borrow().ok()?;
        last.text.as_ref().map(|text| text.as_ptr())
    });
    text.ok().flatten().unwrap_or(NONE.as_ptr())
}
