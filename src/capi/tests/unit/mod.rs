//! The functions called as C calls them. Rules C-01 to C-16 of `protocol-specs/c.md`.
#![allow(clippy::cast_possible_truncation, reason = "sizes of structs and dice")]

use super::answers::*;
use super::ask::*;
use super::decisions::*;
use super::failure::GammondCode::{self, *};
use super::failure::*;
use super::match_report::*;
use super::open::*;
use super::question::*;
use super::rollout::*;
use gammond_engine::query::Options;
use gammond_protocol::Session;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

mod answers;
mod hostile;

const START: &CStr = c"4HPwATDgc/ABMA";

/// Returns an engine of two threads for all tests.
fn engine() -> u64 {
    static ENGINE: OnceLock<u64> = OnceLock::new();
    *ENGINE.get_or_init(|| opened(&options()).unwrap())
}

fn options() -> GammondOptions {
    GammondOptions {
        size: size_of::<GammondOptions>() as u32,
        threads: 2,
        cache_mb: 0,
        reserved: 0,
        nets: null(),
        bearoff: null(),
        met: null(),
        settings: null(),
    }
}

fn opened(options: &GammondOptions) -> Result<u64, GammondCode> {
    let mut engine = u64::MAX;
    match gammond_open(options, &raw mut engine) {
        GAMMOND_OK => Ok(engine),
        code => {
            assert_eq!(engine, 0);
            Err(code)
        }
    }
}

fn reason() -> String {
    text(gammond_error_text())
}

fn text(address: *const c_char) -> String {
    // SAFETY: texts of this crate, which end with a NUL.
    let text = unsafe { CStr::from_ptr(address) };
    text.to_str().unwrap().to_owned()
}

fn words(array: &[c_char]) -> String {
    let bytes = array.iter().map(|sign| sign.to_ne_bytes()[0]);
    String::from_utf8(bytes.take_while(|&byte| byte != 0).collect()).unwrap()
}

/// Returns a struct of zeros with its size.
fn sized<T: super::memory::Plain>() -> T {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: zeros are a value of every `Plain` type, and the size is its first member.
    unsafe {
        value
            .as_mut_ptr()
            .cast::<u32>()
            .write(size_of::<T>() as u32);
        value.assume_init()
    }
}

fn asked(text: &CStr, settings: Option<&CStr>) -> GammondQuestion {
    let mut question: GammondQuestion = sized();
    assert_eq!(
        gammond_read_question(text.as_ptr(), &raw mut question),
        GAMMOND_OK,
        "{}",
        reason()
    );
    question.settings = settings.map_or(null(), CStr::as_ptr);
    question
}

fn ask(engine: u64, request: &[u8]) -> Result<Vec<u8>, GammondCode> {
    let (mut answer, mut length) = (null_mut(), usize::MAX);
    let text = request.as_ptr().cast();
    match gammond_ask(
        engine,
        text,
        request.len(),
        0,
        &raw mut answer,
        &raw mut length,
    ) {
        GAMMOND_OK => {
            // SAFETY: a text of this crate, which ends with a NUL.
            let found = unsafe { CStr::from_ptr(answer) }.to_bytes().to_vec();
            assert_eq!(found.len(), length);
            assert_eq!(gammond_free(answer), GAMMOND_OK);
            assert_eq!(gammond_free(answer), GAMMOND_ERROR_HANDLE);
            Ok(found)
        }
        code => {
            assert!(answer.is_null());
            Err(code)
        }
    }
}

fn plays(question: &GammondQuestion, rows: &mut [GammondPlay]) -> Result<usize, GammondCode> {
    let (mut count, size) = (0, size_of::<GammondPlay>());
    let rows = (rows.as_mut_ptr(), rows.len());
    match gammond_best_plays(engine(), question, rows.0, size, rows.1, &raw mut count) {
        GAMMOND_OK => Ok(count),
        code => Err(code),
    }
}

/// Returns a row of zeros.
fn zeros<T: super::memory::Plain>() -> T {
    // SAFETY: zeros are a value of every `Plain` type.
    unsafe { std::mem::zeroed() }
}
