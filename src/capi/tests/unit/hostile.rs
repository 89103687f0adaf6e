//! What no program should pass: handles, NULLs, sizes, lengths, texts. And threads.

use super::*;

/// C-01: the text of a failure is the thread's own, and success leaves it.
#[test]
fn each_thread_has_its_last_failure() {
    std::thread::scope(|scope| {
        let fails = |handle: u64| {
            move || {
                assert_eq!(
                    (gammond_error_code(), reason()),
                    (GAMMOND_OK, String::new())
                );
                assert_eq!(gammond_close(handle), GAMMOND_ERROR_HANDLE);
                let said = format!("{handle} is no open engine");
                for _ in 0..100 {
                    assert!(gammond_interface() >= 1);
                    assert_eq!(ask(engine(), b"ping").unwrap(), b"{\"type\":\"pong\"}\n");
                    // `ask` frees a text twice.
                    assert!(reason().contains("has been freed"));
                }
                assert_eq!(gammond_close(handle), GAMMOND_ERROR_HANDLE);
                assert_eq!(
                    (gammond_error_code(), reason()),
                    (GAMMOND_ERROR_HANDLE, said)
                );
            }
        };
        scope.spawn(fails(u64::MAX));
        scope.spawn(fails(u64::MAX - 1));
    });
}

/// C-02: a handle that is none, is closed, or is of another kind is a code.
#[test]
fn wrong_handles_are_codes() {
    let mut stop = 0;
    assert_eq!(gammond_stop_new(&raw mut stop), GAMMOND_OK);
    let closed = opened(&options()).unwrap();
    assert_eq!(gammond_close(closed), GAMMOND_OK);
    for wrong in [0, closed, stop, u64::MAX] {
        assert_eq!(ask(wrong, b"ping"), Err(GAMMOND_ERROR_HANDLE));
        assert_eq!(gammond_close(wrong), GAMMOND_ERROR_HANDLE);
    }
    for wrong in [0, closed, engine()] {
        assert_eq!(gammond_stop(wrong), GAMMOND_ERROR_HANDLE);
        assert_eq!(gammond_stop_free(wrong), GAMMOND_ERROR_HANDLE);
    }
    let mut question = asked(START, None);
    question.stop = closed;
    let mut found: GammondEvaluation = sized();
    assert_eq!(
        gammond_evaluate(engine(), &raw const question, &raw mut found),
        GAMMOND_ERROR_HANDLE
    );
    assert_eq!(gammond_stop_free(stop), GAMMOND_OK);
    assert_eq!(gammond_stop(stop), GAMMOND_ERROR_HANDLE);
}

extern "C" fn closes_the_engine(
    engine: *mut c_void,
    _: *const GammondRolledOut,
    _: usize,
    _: usize,
) -> c_int {
    // SAFETY: the address of the test's handle.
    let engine = unsafe { engine.cast::<u64>().as_mut() }.unwrap();
    // The first call closes it, a second finds it closed.
    gammond_close(std::mem::take(engine));
    0
}

/// C-02: an engine that is closed during a call lives until the call ends.
#[test]
fn closing_during_a_call_lets_it_end() {
    let engine = opened(&options()).unwrap();
    let question = asked(START, Some(c"trials=72 seed=1"));
    let mut open = engine;
    let mut end: GammondRollout = sized();
    let code = gammond_rollout(
        engine,
        &raw const question,
        Some(closes_the_engine),
        (&raw mut open).cast(),
        &raw mut end,
        null_mut(),
        0,
        0,
    );
    assert_eq!((code, end.ended, end.candidates), (GAMMOND_OK, 0, 1));
    assert_eq!(open, 0, "the callback was called");
    assert_eq!(ask(engine, b"ping"), Err(GAMMOND_ERROR_HANDLE));
}

/// C-03: NULL where a thing is needed is a code, of every function.
#[test]
fn nulls_are_codes() {
    let (engine, question) = (engine(), asked(START, None));
    let (none, null_text): (*const GammondQuestion, *const c_char) = (null(), null());
    let mut filled: GammondQuestion = sized();
    let mut value: GammondEvaluation = sized();
    let mut cube: GammondCube = sized();
    let mut end: GammondRollout = sized();
    let (mut count, mut none_opened) = (0, 0);
    let mut answer = null_mut();
    let q = &raw const question;
    let codes = [
        gammond_open(null(), null_mut()),
        gammond_open_bytes(null(), null(), 0, null_mut()),
        gammond_open_bytes(null(), null(), 1, &raw mut none_opened),
        gammond_stop_new(null_mut()),
        gammond_read_question(null_text, &raw mut filled),
        gammond_read_question(START.as_ptr(), null_mut()),
        gammond_evaluate(engine, none, &raw mut value),
        gammond_evaluate(engine, q, null_mut()),
        gammond_best_plays(engine, none, null_mut(), 0, 0, &raw mut count),
        gammond_best_plays(engine, q, null_mut(), 0, 0, null_mut()),
        gammond_best_plays(
            engine,
            q,
            null_mut(),
            size_of::<GammondPlay>(),
            1,
            &raw mut count,
        ),
        gammond_cube(engine, none, &raw mut cube),
        gammond_cube(engine, q, null_mut()),
        gammond_rollout(
            engine,
            none,
            None,
            null_mut(),
            &raw mut end,
            null_mut(),
            0,
            0,
        ),
        gammond_rollout(engine, q, None, null_mut(), null_mut(), null_mut(), 0, 0),
        gammond_rollout(engine, q, None, null_mut(), &raw mut end, null_mut(), 0, 1),
        gammond_ask(engine, null_text, 1, 0, &raw mut answer, null_mut()),
        gammond_ask(engine, START.as_ptr(), 1, 0, null_mut(), null_mut()),
        gammond_analyse(
            engine,
            null_text,
            1,
            null_text,
            0,
            null_mut(),
            null_text,
            null_mut(),
        ),
    ];
    for (number, code) in codes.into_iter().enumerate() {
        assert_eq!(code, GAMMOND_ERROR_NULL, "call {number}");
    }
    // Nothing to answer is an answer.
    assert_eq!(
        gammond_ask(engine, null_text, 0, 0, &raw mut answer, null_mut()),
        GAMMOND_OK
    );
    assert_eq!(text(answer), "");
    assert_eq!(gammond_free(answer), GAMMOND_OK);
    assert_eq!(gammond_free(null_mut()), GAMMOND_OK);
}

/// A struct of a later version: more bytes behind the members of this one.
#[repr(C)]
struct Longer<T> {
    now: T,
    later: [u64; 3],
}

/// C-04: a struct that is too small is refused, and what this version does not know of a larger one becomes 0.
#[test]
fn structs_have_their_size() {
    let mut question = asked(START, None);
    for wrong in [0, 4, question.size - 1, u32::MAX] {
        question.size = wrong;
        let mut value: GammondEvaluation = sized();
        let code = gammond_evaluate(engine(), &raw const question, &raw mut value);
        assert_eq!((code, value.plies), (GAMMOND_ERROR_SIZE, 0), "{wrong}");
    }
    question = asked(START, None);
    let mut longer = Longer {
        now: sized::<GammondEvaluation>(),
        later: [7; 3],
    };
    longer.now.size = size_of::<Longer<GammondEvaluation>>() as u32;
    let value = (&raw mut longer).cast::<GammondEvaluation>();
    assert_eq!(
        gammond_evaluate(engine(), &raw const question, value),
        GAMMOND_OK
    );
    assert_eq!(longer.later, [0; 3]);
    assert_eq!(
        longer.now.size as usize,
        size_of::<Longer<GammondEvaluation>>()
    );
    assert!(longer.now.chances.win > 0.5);

    let mut later = Longer {
        now: question,
        later: [0; 3],
    };
    later.now.size = size_of::<Longer<GammondQuestion>>() as u32;
    for (member, expected) in [(0, GAMMOND_OK), (1, GAMMOND_ERROR_SIZE)] {
        later.later[2] = member;
        let mut value: GammondEvaluation = sized();
        let question = (&raw const later).cast();
        assert_eq!(
            gammond_evaluate(engine(), question, &raw mut value),
            expected
        );
    }

    question.dice = [3, 1];
    let mut rows: [_; 3] = std::array::from_fn(|_| Longer {
        now: zeros::<GammondPlay>(),
        later: [7; 3],
    });
    let (mut count, size) = (0, size_of::<Longer<GammondPlay>>());
    let first = rows.as_mut_ptr().cast();
    let code = gammond_best_plays(
        engine(),
        &raw const question,
        first,
        size,
        2,
        &raw mut count,
    );
    assert_eq!((code, count), (GAMMOND_OK, 16));
    assert_eq!(words(&rows[0].now.text), "8/5 6/5");
    assert_eq!(
        rows.each_ref().map(|row| row.later),
        [[0; 3], [0; 3], [7; 3]]
    );
    let code = gammond_best_plays(
        engine(),
        &raw const question,
        first,
        size_of::<GammondPlay>() - 1,
        2,
        &raw mut count,
    );
    assert_eq!((code, count), (GAMMOND_ERROR_SIZE, 0));
}

/// C-08: texts that are too long or not UTF-8 are codes; of a huge length nothing is read.
#[test]
fn texts_have_limits() {
    let short = c"ping";
    let mut answer = null_mut();
    for length in [usize::MAX, isize::MAX as usize, (16 << 20) + 1] {
        let code = gammond_ask(
            engine(),
            short.as_ptr(),
            length,
            0,
            &raw mut answer,
            null_mut(),
        );
        assert_eq!(code, GAMMOND_ERROR_TOO_LONG);
        let code = gammond_analyse(
            engine(),
            short.as_ptr(),
            length,
            null(),
            0,
            null_mut(),
            null(),
            null_mut(),
        );
        assert_eq!(code, GAMMOND_ERROR_TOO_LONG);
    }
    let long = CString::new(vec![b'a'; 1 << 20]).unwrap();
    let mut question: GammondQuestion = sized();
    assert_eq!(
        gammond_read_question(long.as_ptr(), &raw mut question),
        GAMMOND_ERROR_TOO_LONG
    );
    let middle = CString::new(vec![b'a'; 10_000]).unwrap();
    assert_eq!(
        gammond_read_question(middle.as_ptr(), &raw mut question),
        GAMMOND_ERROR_TOO_LONG
    );
    assert_eq!(
        gammond_read_question(c"\xff\xfe".as_ptr(), &raw mut question),
        GAMMOND_ERROR_TEXT
    );
    let question = GammondQuestion {
        settings: long.as_ptr(),
        ..asked(START, None)
    };
    let mut value: GammondEvaluation = sized();
    assert_eq!(
        gammond_evaluate(engine(), &raw const question, &raw mut value),
        GAMMOND_ERROR_TOO_LONG
    );
    let opts = GammondOptions {
        nets: c"\xe4".as_ptr(),
        ..options()
    };
    assert_eq!(opened(&opts), Err(GAMMOND_ERROR_TEXT));
    // Each of these lines has an answer of many.
    let many = b"help\n".repeat(100_000);
    assert_eq!(ask(engine(), &many), Err(GAMMOND_ERROR_TOO_LONG));
}

/// C-10: a text is freed once; another address is a code.
#[test]
fn texts_are_freed_once() {
    let mut own = [1_i8 as c_char, 0];
    assert_eq!(gammond_free(own.as_mut_ptr()), GAMMOND_ERROR_HANDLE);
    assert_eq!(
        gammond_free(null_mut::<c_char>().wrapping_add(8)),
        GAMMOND_ERROR_HANDLE
    );
    assert!(ask(engine(), b"version").is_ok());
}

/// C-11: threads that share an engine get the answers of one thread.
#[test]
fn threads_share_an_engine() {
    let requests: Vec<String> = (0..40)
        .map(|number| {
            format!(
                "4HPwATDgc/ABMA {}{} plies={}",
                number % 6 + 1,
                number / 6 % 6 + 1,
                number % 2
            )
        })
        .collect();
    let answers = || -> Vec<Vec<u8>> {
        requests
            .iter()
            .map(|request| ask(engine(), request.as_bytes()).unwrap())
            .collect()
    };
    let alone = answers();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..10).map(|_| scope.spawn(answers)).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}

/// C-12: a panic becomes a code.
#[test]
fn panics_become_codes() {
    assert_eq!(
        guarded(|| panic!("of the test {}", 1)),
        GAMMOND_ERROR_INTERNAL
    );
    assert_eq!(reason(), "internal error: of the test 1");
    assert_eq!(guarded(|| std::panic::panic_any(7)), GAMMOND_ERROR_INTERNAL);
    assert_eq!(reason(), "internal error: panic");
    let said = ask(engine(), b"show panic").unwrap();
    assert!(
        String::from_utf8(said)
            .unwrap()
            .contains("\"type\":\"error\"")
    );
    assert_eq!(ask(engine(), b"ping").unwrap(), b"{\"type\":\"pong\"}\n");
}
