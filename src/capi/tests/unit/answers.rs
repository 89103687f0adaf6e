//! Answers of the functions.

use super::*;

/// C-05: a text is answered with the bytes of `gammond pipe`.
#[test]
fn texts_are_answered_as_on_a_pipe() {
    let mut request = std::fs::read("../../tests/data/requests.txt").unwrap();
    request.extend_from_slice(
        b"\nset plies=1 answer=text\n4HPwATDgc/ABMA 31\nnonsense\n\xff\xfe\n\0\n#x cancel 7\n",
    );
    request.extend_from_slice(&[b'x'; 5000]);
    request.extend_from_slice(b"\nanalyse plies=0\n");
    request.extend_from_slice(&std::fs::read("../../tests/data/analysis/one1.mat").unwrap());
    for end in [&b"\n.\nversion\nquit\nping\n"[..], b"\n"] {
        let request = [&request[..], end].concat();
        let engine = gammond_engine::Engine::builder()
            .threads(2)
            .build()
            .unwrap();
        let mut piped = Vec::new();
        let input = std::io::Cursor::new(request.clone());
        gammond_server::batch::run(
            &engine,
            Session::counting(Options::default()),
            input,
            &mut piped,
        )
        .unwrap();
        let timeless = |text: &[u8]| {
            let text = String::from_utf8(text.to_vec()).unwrap();
            let mut parts = text.split("\"elapsed_ms\":");
            let first = parts.next().unwrap_or_default().to_owned();
            parts.fold(first, |all, part| {
                all + part.trim_start_matches(|sign: char| sign.is_ascii_digit())
            })
        };
        let answered = ask(self::engine(), &request).unwrap();
        assert!(piped.len() > 5000);
        assert_eq!(timeless(&answered), timeless(&piped));
    }
}

/// C-06: answers as structs have the numbers of those as text.
#[test]
fn structs_and_texts_agree() {
    let near = |line: &str, name: &str, value: f64| {
        let (_, rest) = line.split_once(&format!("\"{name}\":")).unwrap();
        let number = rest.split([',', '}']).next().unwrap();
        let found: f64 = number.parse().unwrap();
        assert!(
            (found - value).abs() < 1e-6,
            "{name}: {found}, {value}: {line}"
        );
    };
    for (position, words_of_state) in [
        (c"XGID=-b----E-C---eE---c-e----B-:0:0:1:64:0:0:0:0:10", ""),
        (c"XGID=-b----E-C---eE---c-e----B-:1:1:1:21:2:4:0:7:10", ""),
        (c"XGID=-b----E-C---eE---c-e----B-:0:0:1:31:4:2:1:5:10", ""),
    ] {
        let question = asked(position, Some(c"plies=1"));
        let position = position.to_str().unwrap();
        let line = |verb: &str| {
            let request = format!("{verb} {position} plies=1{words_of_state}");
            String::from_utf8(ask(engine(), request.as_bytes()).unwrap()).unwrap()
        };
        let mut rows = [zeros::<GammondPlay>(); 64];
        let count = plays(&question, &mut rows).unwrap();
        let ranked = line("move");
        assert!(ranked.contains(&format!("\"legal\":{count}")));
        let best = &rows[0];
        near(&ranked, "equity", best.equity);
        assert!(ranked.contains(&format!("\"play\":\"{}\"", words(&best.text))));
        assert!(ranked.contains(&words(&best.position)));
        let mut value: GammondEvaluation = sized();
        assert_eq!(
            gammond_evaluate(engine(), &raw const question, &raw mut value),
            GAMMOND_OK
        );
        let position_alone = position
            .replace(":64:", ":00:")
            .replace(":21:", ":00:")
            .replace(":31:", ":00:");
        let request = format!("eval {position_alone} plies=1");
        let valued = String::from_utf8(ask(engine(), request.as_bytes()).unwrap()).unwrap();
        near(&valued, "win", value.chances.win.into());
        near(
            &valued,
            "lose_backgammon",
            value.chances.lose_backgammon.into(),
        );
        assert_eq!(value.mwc.is_nan(), question.match_length == 0);
        let mut cube: GammondCube = sized();
        assert_eq!(
            gammond_cube(engine(), &raw const question, &raw mut cube),
            GAMMOND_OK
        );
        let request = format!("cube {position_alone} plies=1");
        let decided = String::from_utf8(ask(engine(), request.as_bytes()).unwrap()).unwrap();
        if cube.may_double == 1 {
            near(&decided, "no_double", cube.no_double);
            near(&decided, "double_take", cube.double_take);
        } else {
            assert_eq!(question.crawford, 1);
        }
        assert!(decided.contains(&words(&cube.verdict)), "{decided}");
    }
}

/// C-06: a game is played by the structs alone: each play leads to the question of the other side.
#[test]
fn plays_lead_to_the_next_question() {
    let mut question = asked(START, None);
    let (mut turns, mut dice) = (0, 1_u32);
    loop {
        let mut die = || {
            dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (dice >> 16) as u8 % 6 + 1
        };
        question.dice = [die(), die()];
        let mut best = [zeros::<GammondPlay>()];
        plays(&question, &mut best).unwrap();
        question.points = best[0].after;
        turns += 1;
        assert!(turns < 1000);
        if best[0].wins > 0 {
            break;
        }
    }
    question.dice = [3, 1];
    assert_eq!(
        plays(&question, &mut [zeros::<GammondPlay>()]),
        Err(GAMMOND_ERROR_VALUE)
    );
    assert_eq!(reason(), "points: the game is over");
}

/// C-07: settings are those of the request, by their names in the line protocol.
#[test]
fn settings_are_those_of_the_request() {
    let refused = |settings: &CStr, said: &str| {
        let mut question = asked(START, Some(settings));
        question.dice = [6, 4];
        assert_eq!(plays(&question, &mut []), Err(GAMMOND_ERROR_VALUE));
        assert!(reason().contains(said), "{}", reason());
    };
    refused(c"plies=9", "plies");
    refused(c"plies", "'plies' is no setting (example: plies=2)");
    refused(c"trials=9", "trials");
    refused(c"plise=1", "plise");
    let mut question = asked(START, Some(c"plies=1 top=2"));
    question.dice = [6, 4];
    assert_eq!(plays(&question, &mut []), Ok(2));
    // Settings of an engine hold where a question has none of its own.
    let opts = GammondOptions {
        settings: c"plies=1".as_ptr(),
        ..options()
    };
    let engine = opened(&opts).unwrap();
    for (own, plies) in [(None, 1), (Some(c"plies=0"), 0)] {
        let question = asked(START, own);
        let mut value: GammondEvaluation = sized();
        assert_eq!(
            gammond_evaluate(engine, &raw const question, &raw mut value),
            GAMMOND_OK
        );
        assert_eq!(value.plies, plies);
    }
    let opts = GammondOptions {
        settings: c"length=7".as_ptr(),
        ..options()
    };
    assert_eq!(opened(&opts), Err(GAMMOND_ERROR_VALUE));
    assert_eq!(gammond_close(engine), GAMMOND_OK);
}

/// The argument of the callbacks.
#[derive(Default)]
struct Watched {
    calls: u32,
    /// A stop to trigger; 0 to return 1.
    stop: u64,
}

extern "C" fn stops(
    watched: *mut c_void,
    rows: *const GammondRolledOut,
    row_size: usize,
    count: usize,
) -> c_int {
    // SAFETY: the address of the test's struct.
    let watched = unsafe { watched.cast::<Watched>().as_mut() }.unwrap();
    watched.calls += 1;
    assert!(row_size == size_of::<GammondRolledOut>() && count == 3 && !rows.is_null());
    match watched.stop {
        0 => 1,
        stop => {
            assert_eq!(gammond_stop(stop), GAMMOND_OK);
            0
        }
    }
}

/// C-09: a rollout is stopped by its callback and by a stop; what is stopped before it has an answer is a code.
#[test]
fn work_can_be_stopped() {
    let mut question = asked(START, Some(c"trials=1000000"));
    question.dice = [6, 4];
    let mut rows = [zeros::<GammondRolledOut>(); 4];
    let size = size_of::<GammondRolledOut>();
    let mut roll = |question: &GammondQuestion| {
        let (mut end, rows) = (sized::<GammondRollout>(), &mut rows);
        let mut watched = Watched {
            stop: question.stop,
            ..Watched::default()
        };
        let user = (&raw mut watched).cast();
        let place = rows.as_mut_ptr();
        let code = gammond_rollout(
            engine(),
            question,
            Some(stops),
            user,
            &raw mut end,
            place,
            size,
            4,
        );
        assert_eq!(code, GAMMOND_OK, "{}", reason());
        assert!(watched.calls > 0);
        assert_eq!((end.ended, end.candidates, end.has_cube), (4, 3, 0));
        assert!(rows[0].trials > 0 && rows[0].trials < 1_000_000);
        assert_eq!(words(&rows[3].name), "");
    };
    roll(&question);
    assert_eq!(gammond_stop_new(&raw mut question.stop), GAMMOND_OK);
    roll(&question);
    let mut value: GammondEvaluation = sized();
    question.settings = c"plies=3".as_ptr();
    let stopped = gammond_evaluate(engine(), &raw const question, &raw mut value);
    assert_eq!((stopped, value.plies), (GAMMOND_ERROR_STOPPED, 0));
    assert_eq!(gammond_stop_free(question.stop), GAMMOND_OK);
}

/// C-09: a rollout of the cube has its decision, and the same seed the same numbers.
#[test]
fn rollouts_have_their_candidates() {
    let settings = c"trials=36 seed=3";
    let mut question = asked(START, Some(settings));
    let mut end: GammondRollout = sized();
    let mut rows = [zeros::<GammondRolledOut>(); 2];
    let size = size_of::<GammondRolledOut>();
    let mut roll = |question: &GammondQuestion, rows: &mut [GammondRolledOut]| {
        let (first, count) = (rows.as_mut_ptr(), rows.len());
        let code = gammond_rollout(
            engine(),
            question,
            None,
            null_mut(),
            &raw mut end,
            first,
            size,
            count,
        );
        assert_eq!(code, GAMMOND_OK, "{}", reason());
        end
    };
    let end = roll(&question, &mut rows);
    assert_eq!(
        (end.candidates, end.ended, end.has_cube, rows[0].trials),
        (1, 0, 0, 36)
    );
    let equity = rows[0].equity;
    question.rollout_cube = 1;
    let end = roll(&question, &mut rows);
    assert_eq!((end.candidates, end.has_cube), (2, 1));
    assert_eq!(
        (words(&rows[0].name), words(&rows[1].name)),
        ("no double".into(), "double, take".into())
    );
    assert_eq!(words(&end.cube.verdict), "No double, beaver");
    question.rollout_cube = 0;
    roll(&question, &mut rows);
    assert_eq!(rows[0].equity, equity);
}

/// C-13: a match is analysed to figures and a report.
#[test]
fn matches_are_analysed() {
    let file = std::fs::read("../../tests/data/analysis/three3.mat").unwrap();
    let analysed = |text: &[u8], settings: &CStr, form: Option<&CStr>| {
        let mut figures: GammondMatch = sized();
        let mut answer = null_mut();
        let (form, place) = (form.map_or(null(), CStr::as_ptr), &raw mut answer);
        let (start, settings) = (text.as_ptr().cast(), settings.as_ptr());
        match gammond_analyse(
            engine(),
            start,
            text.len(),
            settings,
            0,
            &raw mut figures,
            form,
            place,
        ) {
            GAMMOND_OK => {
                let report = self::text(answer);
                assert_eq!(gammond_free(answer), GAMMOND_OK);
                Ok((figures, report))
            }
            code => Err(code),
        }
    };
    let (figures, json) = analysed(&file, c"plies=0", None).unwrap();
    assert_eq!(figures.length, 3);
    let [first, second] = figures.players;
    assert!(first.decisions > 0 && first.loss > 0.0 && second.performance > 0.0);
    assert!(json.starts_with('{') && json.ends_with('}') && json.contains(&words(&first.name)));
    assert!(
        analysed(&file, c"plies=0", Some(c"csv"))
            .unwrap()
            .1
            .lines()
            .count()
            > 10
    );
    assert!(
        analysed(&file, c"plies=0", Some(c"html"))
            .unwrap()
            .1
            .starts_with("<!DOCTYPE html")
    );
    let refused = |text: &[u8], settings: &CStr, form: Option<&CStr>, said: &str| {
        assert_eq!(
            analysed(text, settings, form).unwrap_err(),
            GAMMOND_ERROR_VALUE
        );
        assert!(reason().contains(said), "{}", reason());
    };
    refused(
        &file,
        c"plies=0",
        Some(c"pdf"),
        "'pdf', expected json, csv or html",
    );
    refused(&file, c"trials=1", None, "trials");
    refused(b"hello", c"", None, "text: ");
    refused(b"", c"", None, "text: ");
    refused(
        &[&file[..], &file[..]].concat(),
        c"plies=0",
        None,
        "expected one",
    );
}

/// C-14: nets by name, by path and as bytes; what cannot be opened is a code, and the handle 0.
#[test]
fn nets_are_opened_by_name_path_and_bytes() {
    let value = |engine: u64| {
        let question = asked(START, None);
        let mut value: GammondEvaluation = sized();
        assert_eq!(
            gammond_evaluate(engine, &raw const question, &raw mut value),
            GAMMOND_OK
        );
        assert_eq!(gammond_close(engine), GAMMOND_OK);
        value.chances
    };
    let named = |name: &CStr| {
        opened(&GammondOptions {
            nets: name.as_ptr(),
            ..options()
        })
    };
    let strong = value(named(c"embedded").unwrap());
    let fast = value(named(c"embedded:fast").unwrap());
    assert_ne!(strong, fast);
    assert_eq!(value(named(c"../../nets").unwrap()), strong);
    let path = c"../../nets/contact-fast.net";
    let by_path = value(named(path).unwrap());
    let bytes = std::fs::read(path.to_str().unwrap()).unwrap();
    let file = GammondFile {
        name: c"contact.net".as_ptr(),
        bytes: bytes.as_ptr(),
        length: bytes.len(),
    };
    let open = |files: &[GammondFile]| {
        let mut engine = 0;
        let code = gammond_open_bytes(&options(), files.as_ptr(), files.len(), &raw mut engine);
        (code, engine)
    };
    let (code, engine) = open(&[file]);
    assert_eq!(code, GAMMOND_OK, "{}", reason());
    assert_eq!(value(engine), by_path);
    assert_eq!(open(&[]), (GAMMOND_ERROR_FILE, 0));
    assert_eq!(
        open(&[GammondFile {
            length: 100,
            ..file
        }]),
        (GAMMOND_ERROR_FILE, 0)
    );
    assert_eq!(
        open(&[GammondFile {
            length: usize::MAX,
            ..file
        }]),
        (GAMMOND_ERROR_TOO_LONG, 0)
    );
    assert_eq!(
        open(&[GammondFile {
            bytes: null(),
            ..file
        }]),
        (GAMMOND_ERROR_NULL, 0)
    );
    assert_eq!(named(c"/no/such.net"), Err(GAMMOND_ERROR_FILE));
    assert!(reason().contains("/no/such.net"));
}

/// C-14: options that cannot be, and other files that are not there.
#[test]
fn wrong_options_open_nothing() {
    let opts = options();
    for opts in [
        GammondOptions {
            threads: 513,
            ..opts
        },
        GammondOptions {
            threads: u32::MAX,
            ..opts
        },
        GammondOptions {
            cache_mb: u32::MAX,
            ..opts
        },
        GammondOptions {
            settings: c"a=b".as_ptr(),
            ..opts
        },
    ] {
        assert_eq!(opened(&opts), Err(GAMMOND_ERROR_VALUE));
    }
    for opts in [
        GammondOptions {
            met: c"/no/met".as_ptr(),
            ..opts
        },
        GammondOptions {
            bearoff: c"/no/folder".as_ptr(),
            ..opts
        },
    ] {
        assert_eq!(opened(&opts), Err(GAMMOND_ERROR_FILE));
    }
}

/// C-15: a text of any form fills a question, and values that cannot be are refused by their name.
#[test]
fn questions_are_read_from_texts() {
    let question = asked(c"XGID=-b----E-C---eE---c-e----B-:1:1:1:21:2:4:0:7:10", None);
    assert_eq!(
        (question.cube, question.cube_owner, question.dice),
        (2, 1, [2, 1])
    );
    assert_eq!(
        (
            question.match_length,
            question.my_score,
            question.opponent_score
        ),
        (7, 2, 4)
    );
    let question = asked(c"4HPwATDgc/ABMA 64 length=5 score=3-4 crawford=on", None);
    assert_eq!(
        (question.dice, question.match_length, question.crawford),
        ([6, 4], 5, 1)
    );
    let question = asked(c"4HPwATDgc/ABMA jacoby=off", None);
    assert_eq!(
        (question.dice, question.no_jacoby, question.no_beavers),
        ([0, 0], 1, 0)
    );
    let mut no_question: GammondQuestion = sized();
    for wrong in [
        c"",
        c" ",
        c"4HPwATDgc/ABMA 71",
        c"4HPwATDgc/ABMA plies=x",
        c"4HPwATDgc/ABMA variant=nackgammon",
    ] {
        let code = gammond_read_question(wrong.as_ptr(), &raw mut no_question);
        assert_eq!(code, GAMMOND_ERROR_VALUE, "{wrong:?}");
    }
    let code = gammond_read_question(c"hello".as_ptr(), &raw mut no_question);
    assert_eq!(code, GAMMOND_ERROR_VALUE);
    assert!(reason().starts_with("text: "), "{}", reason());
    let refused = |change: fn(&mut GammondQuestion), said: &str| {
        let mut question = asked(START, None);
        question.dice = [3, 1];
        change(&mut question);
        assert_eq!(plays(&question, &mut []), Err(GAMMOND_ERROR_VALUE));
        assert!(reason().starts_with(said), "{}", reason());
    };
    refused(|question| question.points[3] = 16, "points: ");
    refused(|question| question.points[0] = 1, "points: ");
    refused(|question| question.points = [i8::MIN; 26], "points: ");
    refused(|question| question.points = [0; 26], "points: ");
    refused(|question| question.dice = [0, 3], "dice: 0 and 3");
    refused(|question| question.dice = [7, 255], "dice: 7 and 255");
    refused(|question| question.dice = [0, 0], "dice: none");
    refused(|question| question.cube = 3, "state: cube is 3");
    refused(|question| question.cube_owner = 3, "cube_owner: 3");
    refused(
        |question| question.match_length = 256,
        "state: match length",
    );
    refused(|question| question.my_score = 1, "state: ");
    refused(|question| question.crawford = 2, "crawford: 2");
    refused(|question| question.no_beavers = 9, "no_beavers: 9");
}

/// C-16: structs keep the sizes of version 1, and the version is that of the package.
#[test]
fn layout_is_that_of_the_first_interface() {
    let sizes = [
        size_of::<GammondOptions>(),
        size_of::<GammondQuestion>(),
        size_of::<GammondEvaluation>(),
        size_of::<GammondPlay>(),
        size_of::<GammondCube>(),
        size_of::<GammondRolledOut>(),
        size_of::<GammondRollout>(),
        size_of::<GammondPlayer>(),
        size_of::<GammondMatch>(),
    ];
    #[cfg(target_pointer_width = "64")]
    assert_eq!(sizes, [48, 72, 64, 160, 120, 208, 136, 120, 256]);
    assert!(sizes.iter().all(|size| size % 8 == 0));
    assert_eq!(text(gammond_version()), env!("CARGO_PKG_VERSION"));
    assert_eq!(gammond_interface(), 1);
}
