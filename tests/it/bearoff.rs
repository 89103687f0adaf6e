//! `gammond bearoff`: databases made, described and asked, benchmarks of their positions.

use gammond_game::Position;

fn gammond(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_command_makes_describes_and_asks() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ts.bd");
    let (file, folder) = (file.to_str().unwrap(), folder.path().to_str().unwrap());
    let make = ["bearoff", "make", file, "--two-sided", "--points", "7"];
    let (code, out, _) = gammond(&[&make[..], &["--checkers", "2"]].concat());
    assert_eq!(code, Some(0));
    let made: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        (&made["kind"], &made["positions"]),
        (&"two-sided".into(), &36.into())
    );
    let (code, out, _) = gammond(&["bearoff", "info", file]);
    assert_eq!(code, Some(0));
    assert_eq!(
        made,
        serde_json::from_str::<serde_json::Value>(&out).unwrap()
    );

    // One checker on the ace point against one on the seven point: won, and the double is passed.
    let mut counts = [[0; 25]; 2];
    (counts[0][0], counts[1][6]) = (1, 1);
    let position = Position::new(&counts[0], &counts[1]).unwrap();
    let id = gammond_game::notation::PositionId::from(position).to_string();
    let (code, out, _) = gammond(&["bearoff", "probe", &id, "--bearoff", folder]);
    assert_eq!(code, Some(0));
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["class"], "bearoff-ts");
    assert_eq!(answer["equity"]["centred"], 1.0);
    assert_eq!(
        answer["rolls"]["me"]["all_off"],
        serde_json::json!([0.0, 1.0])
    );
    assert!(answer["rolls"].get("opponent").is_none());

    let (code, out, _) = gammond(&["bearoff", "info", "--format", "text"]);
    assert_eq!(code, Some(0));
    assert!(out.contains("tables bytes: 6830248\n"), "{out}");
}

/// A table of hypergammon is made, described, found among the databases and asked.
#[test]
fn tables_of_hypergammon() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hyper1.bd");
    let (file, folder) = (file.to_str().unwrap(), folder.path().to_str().unwrap());
    let (code, out, error) = gammond(&["bearoff", "make", file, "--hyper", "1"]);
    assert_eq!(code, Some(0), "{error}");
    let made: serde_json::Value = serde_json::from_str(&out).unwrap();
    let wanted = serde_json::json!({
        "kind": "hypergammon", "checkers": 1, "positions": 26, "cubeful": true, "bytes": 18_968, "source": file,
    });
    assert_eq!(made, wanted);
    let (_, out, _) = gammond(&["bearoff", "info", file]);
    assert_eq!(
        serde_json::from_str::<serde_json::Value>(&out).unwrap(),
        wanted
    );

    // My checker needs any roll, the opponent's is far: a gammon, so that I play on for two points; by Jacoby's rule I cash.
    let id = "XGID=-A-------------a----------:0:0:1:00:0:0:0:0:10";
    let probe = |checkers: &str| {
        gammond(&[
            "bearoff",
            "probe",
            id,
            "--hyper",
            checkers,
            "--bearoff",
            folder,
        ])
    };
    let (code, out, error) = probe("1");
    assert_eq!(code, Some(0), "{error}");
    let answer: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(answer["class"], "hypergammon");
    assert_eq!(answer["probabilities"]["win_gammon"], 1.0);
    assert_eq!(answer["equity"]["centred"], 2.0);
    assert_eq!(answer["equity"]["centred_jacoby"], 1.0);
    let (code, _, error) = probe("2");
    assert_eq!(code, Some(1));
    assert!(
        error.contains("no table of hypergammon with 2 checkers: gammond bearoff make --hyper 2"),
        "{error}"
    );
    let start = [
        "bearoff",
        "probe",
        "4HPwATDgc/ABMA",
        "--hyper",
        "1",
        "--bearoff",
        folder,
    ];
    let (code, _, error) = gammond(&start);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("a side has 15 checkers, expected at most 1"),
        "{error}"
    );
}

/// What is not such a table is never replaced, and options that do not fit are refused by name.
#[test]
fn tables_of_hypergammon_are_refused_with_the_right_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hyper1.bd");
    let file = file.to_str().unwrap();
    assert_eq!(
        gammond(&["bearoff", "make", file, "--hyper", "1"]).0,
        Some(0)
    );
    let refused = |arguments: &[&str], code: i32, wanted: &str| {
        let (found, _, error) = gammond(&[&["bearoff", "make"], arguments].concat());
        assert!(found == Some(code) && error.contains(wanted), "{error}");
    };
    refused(&[file, "--hyper", "4"], 2, "--hyper");
    refused(&[file, "--hyper", "2", "--points", "3"], 2, "--points");
    refused(
        &["h.race", "--hyper", "2"],
        2,
        "--hyper is for GNU Backgammon's format (*.bd)",
    );
    refused(
        &[file, "--hyper", "2"],
        3,
        "exists and is another bearoff database",
    );
    std::fs::write(file, "my thesis").unwrap();
    refused(
        &[file, "--hyper", "1"],
        3,
        "exists and is not a complete bearoff database",
    );
    assert_eq!(std::fs::read(file).unwrap(), b"my thesis");
}

/// 64 races of eight points and at most four checkers a side.
fn races_within_eight() -> Vec<String> {
    let id = |me: &[usize], opponent: &[usize]| {
        let mut counts = [[0; 25]; 2];
        me.iter().for_each(|&point| counts[0][point - 1] += 1);
        (opponent.iter()).for_each(|&point| counts[1][point - 1] += 1);
        let position = Position::new(&counts[0], &counts[1]).unwrap();
        gammond_game::notation::PositionId::from(position).to_string()
    };
    let pairs = (1..=8).flat_map(|a| (1..=8).map(move |b| (a, b)));
    pairs.map(|(a, b)| id(&[8, 7, a, b], &[a, b, 7])).collect()
}

/// Positions become a benchmark of exact equities, on which the tables' own player errs nowhere; a file that lists
/// other equities is set right; what no table covers is kept or left out.
#[test]
fn benchmarks_by_the_tables() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (table, positions, bench) = (path("8x4.race"), path("p.txt"), path("r.bm"));
    let make = ["bearoff", "make", &table, "--points", "8", "--checkers"];
    assert_eq!(gammond(&[&make[..], &["4"]].concat()).0, Some(0));
    let covered = races_within_eight();
    let text = format!("4HPwATDgc/ABMA\n{}\n", covered.join("\n"));
    std::fs::write(&positions, text).unwrap();
    let dir = folder.path().to_str().unwrap();
    let score = |file: &str, more: &[&str]| {
        let all = [&["bearoff", "score", file, "--bearoff", dir], more].concat();
        let (code, out, error) = gammond(&all);
        assert_eq!(code, Some(0), "{error}");
        (out, error)
    };
    let (made, said) = score(&positions, &[]);
    assert!(said.contains("1 not covered"), "{said}");
    let of = |text: &str, kind: &str| text.lines().filter(|it| it.starts_with(kind)).count();
    assert_eq!(of(&made, "o "), 64);
    assert!(of(&made, "m ") > 40, "{made}");
    // A record with a wrong equity and one that no table covers.
    let start =
        "m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.114795 OAHDOEABCBOAHDPAABDA 0.0421133";
    let play = made.lines().find(|line| line.starts_with("m ")).unwrap();
    let mut fields: Vec<&str> = play.split(' ').take(6).collect();
    fields[5] = "-0.5";
    let own = made.lines().filter(|line| !line.starts_with("#R"));
    let own: Vec<&str> = own.collect();
    let damaged = [&[&fields.join(" "), start][..], &own].concat().join("\n");
    std::fs::write(&bench, damaged).unwrap();
    let (again, _) = score(&bench, &["--covered"]);
    assert!(!again.contains(start) && again.lines().any(|line| line == play));
    assert_eq!(of(&again, "m "), of(&made, "m ") + 1);
    let (kept, _) = score(&bench, &[]);
    assert!(kept.contains(start) && of(&kept, "s ") == 1);

    std::fs::write(&bench, &made).unwrap();
    let rate = |player: &str| {
        let (code, out, error) = gammond(&[
            "bench",
            &bench,
            "--by-range",
            "6,8",
            "--csv",
            "--player",
            player,
        ]);
        assert_eq!(code, Some(0), "{error}");
        let rows = out.lines().skip(1);
        let rows: Vec<(String, String)> = rows
            .map(|row| {
                let field = |at| row.rsplit(',').nth(at).unwrap().to_owned();
                (field(16), field(14))
            })
            .collect();
        rows
    };
    let exact = rate(&format!("gammond:bearoff={dir}"));
    let names: Vec<&str> = exact.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(names, ["all", "within 8"]);
    assert!(exact.iter().all(|row| row.1 == "0.000000"), "{exact:?}");
    assert_ne!(rate("gammond:bearoff=none")[0].1, "0.000000");
}

/// BM-40: comments go with the records that they describe; what a replaced file said of its rollouts goes away, but for cube
/// records, which stay under their settings.
#[test]
fn exact_records_have_no_comments_of_rollouts() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (positions, rolled, mixed) = (path("p"), path("r.bm"), path("c.bm"));
    // A race of two checkers a side, and the start, which no table covers.
    let race = &races_within_two();
    std::fs::write(&positions, format!("{race} 21\n4HPwATDgc/ABMA 31\n")).unwrap();
    let make = [
        "rollout",
        "--bm-in",
        &positions,
        "--out",
        &rolled,
        "--only",
        "all",
        "trials=36",
        "truncate=1",
    ];
    let (code, _, error) = gammond(&make);
    assert_eq!(code, Some(0), "{error}");
    let before = std::fs::read_to_string(&rolled).unwrap();
    let score = |file: &str, more: &[&str]| {
        let (code, out, error) = gammond(&[&["bearoff", "score", file], more].concat());
        assert_eq!(code, Some(0), "{error}");
        out
    };
    let records = |text: &str| text.lines().filter(|line| line.starts_with("m ")).count();
    assert_eq!(records(&before), 2, "{before}");
    let kept = score(&rolled, &[]);
    assert_eq!(
        (records(&kept), kept.matches("s exact").count()),
        (2, 1),
        "{kept}"
    );
    for gone in ["gammond rollout", "sha256", "s version"] {
        assert!(!kept.contains(gone), "{kept}");
    }
    // The lines of the start are as they were.
    let of_start = before.rsplit_once("\nr ").unwrap().1;
    assert!(
        of_start.contains(" games; ") && kept.ends_with(of_start),
        "{kept}"
    );
    assert_eq!(kept.matches(" games; ").count(), 1, "{kept}");
    let covered = score(&rolled, &["--covered"]);
    assert!(
        records(&covered) == 1 && !covered.contains(" games; "),
        "{covered}"
    );
    let cube = "s cubeAway 5\n# gammond rollout {\"job\":\"x\"}\nr 1\n# 36 games\nc OAHDPAABDAOAHDPAABDA 51 45 ND\n";
    std::fs::write(&mixed, format!("# about\n{cube}")).unwrap();
    assert!(score(&mixed, &[]).ends_with(&format!("\n# about\n{cube}")));
}

/// A race of two checkers a side.
fn races_within_two() -> String {
    let mut counts = [0; 25];
    (counts[0], counts[3]) = (1, 1);
    let position = Position::new(&counts, &counts).unwrap();
    gammond_game::notation::PositionId::from(position).to_string()
}

#[test]
fn score_of_a_line_without_position_fails() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.txt");
    std::fs::write(&file, "rubbish\n").unwrap();
    let file = file.to_str().unwrap();
    assert_eq!(gammond(&["bearoff", "score", file]).0, Some(1));
}

/// BEAR-44: what is made without a name is found without a name, and said by `version`.
#[test]
fn databases_are_found_in_the_users_data_folder() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str], input: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"));
        command.args(arguments).env("XDG_DATA_HOME", home.path());
        command
            .env_remove("GAMMOND_BEAROFF")
            .env_remove("GAMMOND_CONFIG");
        let (read, mut write) = std::io::pipe().unwrap();
        command.stdin(read);
        std::io::Write::write_all(&mut write, input.as_bytes()).unwrap();
        drop(write);
        let output = command.output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    };
    let made = run(&["bearoff", "make", "--points", "8", "--checkers", "3"], "");
    let made: serde_json::Value = serde_json::from_str(&made).unwrap();
    assert_eq!(
        (&made["kind"], &made["positions"]),
        (&"race table".into(), &165.into())
    );
    let file = home.path().join("gammond/bearoff/8x3.race");
    assert_eq!(made["source"], file.to_str().unwrap());
    run(
        &[
            "bearoff",
            "make",
            "--two-sided",
            "--points",
            "7",
            "--checkers",
            "2",
        ],
        "",
    );

    let mut counts = [[0; 25]; 2];
    (counts[0][7], counts[0][2], counts[1][6]) = (2, 1, 3);
    let position = Position::new(&counts[0], &counts[1]).unwrap();
    let id = gammond_game::notation::PositionId::from(position).to_string();
    let class = |arguments: &[&str]| {
        let arguments = [&["bearoff", "probe", &id], arguments].concat();
        let answer: serde_json::Value = serde_json::from_str(&run(&arguments, "")).unwrap();
        answer["class"].as_str().unwrap().to_owned()
    };
    assert_eq!(class(&[]), "bearoff-os");
    let version = run(&["pipe"], "version\nstats\n");
    for line in version.lines() {
        let found: serde_json::Value = serde_json::from_str(line).unwrap();
        let wanted = serde_json::json!(["one-sided 8x3", "two-sided 7x2"]);
        assert_eq!(found["bearoff"], wanted, "{line}");
    }
    let answer = run(&["pipe"], &format!("eval {id}\n"));
    assert!(answer.contains("\"bearoff-os\""), "{answer}");
    let without = run(&["pipe", "--bearoff", "none"], &format!("eval {id}\n"));
    assert!(without.contains("\"race\""), "{without}");
}

#[test]
fn the_command_refuses_with_the_right_exit_code() {
    let refused = |arguments: &[&str], wanted: i32, word: &str| {
        let (code, out, error) = gammond(&[&["bearoff"], arguments].concat());
        assert_eq!(code, Some(wanted), "{arguments:?}: {error}");
        assert!(out.is_empty() && error.contains(word), "{error}");
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.bd");
    let file = file.to_str().unwrap();
    for points in ["0", "11", "18", "19", "18446744073709551615"] {
        let wanted = format!("--points {points}, expected 1 to 10 (one-sided with 15 checkers)");
        refused(&["make", file, "--points", points], 2, &wanted);
    }
    let two_sided = ["make", file, "--two-sided", "--points", "12"];
    refused(
        &two_sided,
        2,
        "expected 1 to 10 (two-sided with 6 checkers)",
    );
    let race = folder.path().join("x.race");
    let race = ["make", race.to_str().unwrap(), "--points", "16"];
    refused(
        &race,
        2,
        "--points 16, expected 1 to 15 (race table with 15 checkers)",
    );
    let checkers = ["make", file, "--checkers", "16"];
    refused(&checkers, 2, "--checkers 16, expected 1 to 15");
    refused(
        &["make", file, "--points", "7", "--no-gammons"],
        2,
        "--no-gammons",
    );
    refused(&["info", file], 3, "x.bd");
    refused(&["probe", "4HPwATDgc/ABMA"], 1, "no database");
    refused(&["probe", "rubbish"], 1, "");
    std::fs::write(file, "gnubg-OS-06-15").unwrap();
    refused(&["info", file], 3, "byte 14: ");

    // What is not the same database is never replaced.
    let made = ["make", file, "--points", "2", "--checkers", "3"];
    for mine in ["my thesis", "gnubg-OS-06-15"] {
        std::fs::write(file, mine).unwrap();
        refused(
            &made,
            3,
            "x.bd: exists and is not a complete bearoff database",
        );
        assert_eq!(std::fs::read_to_string(file).unwrap(), mine);
    }
    std::fs::remove_file(file).unwrap();
    for _ in 0..2 {
        let (code, _, error) = gammond(&[&["bearoff"], &made[..]].concat());
        assert_eq!(code, Some(0), "{error}");
    }
    for other in [&["--points", "3"][..], &["--points", "2", "--two-sided"]] {
        let other = [&["make", file, "--checkers", "3"], other].concat();
        refused(&other, 3, "x.bd: exists and is another bearoff database");
    }
    let (link, target) = (folder.path().join("link.bd"), folder.path().join("none"));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    let link = ["make", link.to_str().unwrap(), "--points", "2"];
    refused(&link, 3, "link.bd: exists");
}
