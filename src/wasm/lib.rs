//! gammond as a WebAssembly module: requests and answers are texts in its memory. The host gives a clock and hears of
//! progress; nothing else is imported. `npm/module.js` wraps it for JavaScript.
//!
//! A call is `reserve` for the bytes of the input, then one of `open`, `ask`, `analyse`, `bgweb_moves`; the answer lies at
//! `answer_start`, `answer_length` bytes. The module has one thread, and so one engine and one text at a time.
#![allow(unsafe_code, reason = "exports of a module are unsafe attributes")]

use gammond_engine::{Engine, EngineError, NamedBytes, Nets, Stop};
use gammond_protocol::answerer::{Answerer, MessageAnswer};
use std::cell::RefCell;
use std::time::Duration;

/// Functions of the host.
mod host {
    #[link(wasm_import_module = "host")]
    unsafe extern "C" {
        /// Returns milliseconds since any fixed moment.
        pub(super) safe fn now() -> f64;
        /// Receives a line of progress; ends the work if it does not return 0.
        pub(super) fn progress(start: *const u8, length: usize) -> u32;
    }
}

fn clock() -> Duration {
    Duration::try_from_secs_f64(host::now() / 1000.0).unwrap_or_default()
}

/// Inputs and answers of the host, and the engine that it has opened.
#[derive(Default)]
struct Module {
    input: Vec<u8>,
    answer: Vec<u8>,
    engine: Option<Engine>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

/// Runs `work` on the input, keeps the answer, and returns 1 if it is no error.
fn answer(work: impl FnOnce(Vec<u8>, &mut Option<Engine>) -> MessageAnswer) -> u32 {
    let (input, mut engine) = MODULE.with_borrow_mut(|module| {
        let input = std::mem::take(&mut module.input);
        (input, module.engine.take())
    });
    // Not while the module is borrowed: the host may call while it hears of progress.
    let MessageAnswer { good, text } = work(input, &mut engine);
    MODULE.with_borrow_mut(|module| {
        module.answer = text;
        module.engine = engine;
    });
    good.into()
}

/// Returns where to write an input of so many bytes.
#[unsafe(no_mangle)]
extern "C" fn reserve(length: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        module.input = vec![0; length];
        module.input.as_mut_ptr()
    })
}

/// Returns where the last answer begins.
#[unsafe(no_mangle)]
extern "C" fn answer_start() -> *const u8 {
    MODULE.with_borrow(|module| module.answer.as_ptr())
}

/// Returns the length of the last answer in bytes.
#[unsafe(no_mangle)]
extern "C" fn answer_length() -> usize {
    MODULE.with_borrow(|module| module.answer.len())
}

/// Opens the engine: with the nets in the module, or with those in the input ([`NamedBytes::parse`]). The answer is empty or an error.
#[unsafe(no_mangle)]
extern "C" fn open(cache_megabytes: usize) -> u32 {
    answer(|input, engine| {
        let nets = match input.is_empty() {
            true => Ok(Nets::Embedded),
            false => (NamedBytes::parse(&input).map(Nets::Bytes))
                .ok_or("the file of nets is cut off or damaged"),
        };
        let built = nets.map_err(str::to_owned).and_then(|nets| {
            let builder = Engine::builder().clock(clock).threads(1);
            let built = builder.nets(nets).cache_mb(cache_megabytes).build();
            built.map_err(|error: EngineError| error.to_string())
        });
        match built {
            Ok(built) => {
                *engine = Some(built);
                MessageAnswer {
                    good: true,
                    text: Vec::new(),
                }
            }
            Err(message) => MessageAnswer {
                good: false,
                text: message.into_bytes(),
            },
        }
    })
}

/// Answers the request in the input: a line, or JSON.
#[unsafe(no_mangle)]
extern "C" fn ask() -> u32 {
    answer(|input, engine| {
        let Some(engine) = engine else {
            return unopened();
        };
        let stop = Stop::new();
        Answerer::new(engine).answer_message(&input, &stop, &mut |line| hear(line, &stop))
    })
}

/// Answers the body of a request for plays to bgweb-api in the input.
#[unsafe(no_mangle)]
extern "C" fn bgweb_moves() -> u32 {
    answer(|input, engine| match engine {
        Some(engine) => Answerer::new(engine).answer_bgweb(&input, &Stop::never()),
        None => unopened(),
    })
}

/// Analyses the match file in the input, before which stand `settings` bytes of settings and `form` bytes with the name of
/// the report.
#[unsafe(no_mangle)]
extern "C" fn analyse(settings: usize, form: usize) -> u32 {
    answer(|input, engine| {
        let Some(engine) = engine else {
            return unopened();
        };
        let (words, rest) = input.split_at(settings.min(input.len()));
        let (form, file) = rest.split_at(form.min(rest.len()));
        let [words, form] = [words, form].map(String::from_utf8_lossy);
        let stop = Stop::new();
        let mut on_progress = |line: &[u8]| hear(line, &stop);
        Answerer::new(engine).answer_match((&words, &form), file.to_vec(), &stop, &mut on_progress)
    })
}

/// Passes on a line of progress, and stops the work if the host wants that.
fn hear(line: &[u8], stop: &Stop) {
    // SAFETY: the host reads the bytes of the line and keeps nothing of it.
    if unsafe { host::progress(line.as_ptr(), line.len()) } != 0 {
        stop.trigger();
    }
}

fn unopened() -> MessageAnswer {
    MessageAnswer {
        good: false,
        text: b"the engine is not open".to_vec(),
    }
}
