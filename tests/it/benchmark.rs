//! Scoring of benchmark files against published sums and recorded cube measures.

use crate::support::{gnubg_wd, rows, rows_are, shared};
use gammond_arena::benchmark::cube::cube_loss;
use gammond_arena::benchmark::summary::{Counting, groups, score};
use gammond_arena::benchmark::{ScorableRecord, charge, read};
use gammond_arena::player::PlayerSpec;
use gammond_engine::equity::MatchEquityTable;
use gammond_engine::equity::doubling0::{DecisionState, decide};
use gammond_game::{Category, Chances, Position};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;
use std::process::Command;

fn items(path: &Path) -> Vec<gammond_arena::benchmark::Item> {
    let file = read(&mut BufReader::new(File::open(path).unwrap())).unwrap();
    assert_eq!(file.wrong, []);
    file.items
}

/// Our own benchmark is whole: its card's numbers of records, every play legal, every record consistent.
#[test]
fn the_own_benchmark_is_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/benchmark");
    for (kind, wanted) in [
        ("contact", 1781),
        ("crashed", 970),
        ("back-game", 100),
        ("race", 2200),
        ("cube", 2000),
    ] {
        let mut count = 0;
        for number in 1.. {
            let path = folder.join(format!("{kind}-{number}.bm"));
            if !path.exists() {
                break;
            }
            count += items(&path).len();
        }
        assert_eq!(count, wanted, "{kind}");
    }
}

/// The published error rates of players that always take the candidate of a rank.
///
///
#[test]
fn rank_scores_match_the_sample() {
    let test = "rank_scores_match_the_sample";
    let wanted = [
        (
            "contact.bm",
            10,
            ["0.000000", "69.957504", "111.733782", "239.794968"],
        ),
        (
            "crashed.bm",
            8,
            ["0.000000", "56.109311", "132.917015", "209.967700"],
        ),
        (
            "race.bm",
            8,
            ["0.000000", "14.039950", "16.169250", "50.483247"],
        ),
    ];
    for (file, count, rates) in wanted {
        let Some(path) = shared(test, &format!("data/benchmark-sample/{file}")) else {
            return;
        };
        let items = items(&path);
        assert_eq!(items.len(), count);
        for (rank, wanted) in rates.iter().enumerate() {
            let mut sum = 0.0;
            for item in &items {
                let ScorableRecord::Play(record) = &item.record else {
                    panic!("no m record");
                };
                // A position that is never among the candidates of these files.
                let nowhere = Position::new(&[15; 25].map(|_| 0), &{
                    let mut counts = [0; 25];
                    counts[0] = 1;
                    counts
                })
                .unwrap();
                let last = record.candidates.len() - 1;
                let chosen = if rank == 3 {
                    nowhere
                } else {
                    record.candidates[rank.min(last)].position
                };
                let charged = charge(record, &chosen);
                assert_eq!(charged.listed.is_none(), rank == 3);
                sum += charged.loss;
            }
            let rate = 1000.0 * sum / count as f64;
            assert_eq!(format!("{rate:.6}"), *wanted, "{file} rank {rank}");
        }
    }
}

fn probabilities(value: &serde_json::Value) -> [f64; 5] {
    std::array::from_fn(|k| value[k].as_f64().unwrap())
}

fn chances(value: &serde_json::Value) -> Chances {
    Chances::from_array(probabilities(value).map(|p| p as f32))
}

fn position(row: &serde_json::Value) -> Position {
    let id = row["id"].as_str().unwrap();
    gammond_game::notation::parse_position(id.as_bytes())
        .unwrap()
        .position
}

/// The old doubling procedure on all recorded rows: decisions and winning chances.
#[test]
fn doubling_without_lookahead_agrees_with_all_rows() {
    let test = "doubling_without_lookahead_agrees_with_all_rows";
    let Some(path) = shared(test, "oracle/cube-doubling0.jsonl.gz") else {
        return;
    };
    let table = MatchEquityTable::named("mec26").unwrap();
    let rows = rows(&path);
    rows_are(&path, rows.len(), 1800, 300);
    let mut wrong = Vec::new();
    for row in &rows {
        let position = position(row);
        let spot = DecisionState {
            mine: row["me_away"].as_i64().unwrap() as i32,
            theirs: row["opp_away"].as_i64().unwrap() as i32,
            cube: 1,
        };
        let race = (!position.has_contact()).then_some(&position);
        let got = decide(&probabilities(&row["probs"]), spot, race, &table);
        let answers = ["double", "take", "too_good"].map(|key| row[key].as_bool().unwrap());
        let values = ["nd_mwc", "dt_mwc", "dp_mwc"].map(|key| row[key].as_f64().unwrap());
        let close = [got.no_double, got.double_take, got.double_pass]
            .iter()
            .zip(values)
            .all(|(a, b)| (a - b).abs() < 1e-9);
        if got.answers() != answers || !close {
            wrong.push(format!("{row} got {got:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(5)]
    );
}

/// BM-32, BM-33: the cube measure over the 31 scores on all recorded rows.
#[test]
fn cube_measure_agrees_with_all_rows() {
    let Some(path) = shared(
        "cube_measure_agrees_with_all_rows",
        "oracle/cube-measure.jsonl",
    ) else {
        return;
    };
    let table = MatchEquityTable::named("mec26").unwrap();
    let rows = rows(&path);
    rows_are(&path, rows.len(), 100, 50);
    for row in &rows {
        let loss = cube_loss(
            &position(row),
            &chances(&row["net"]),
            &chances(&row["rollout"]),
            &table,
        );
        assert_eq!(
            u64::from(loss.errors),
            row["n_score_errors"].as_u64().unwrap(),
            "{row}"
        );
        assert!(
            (loss.measure - row["sum_measure"].as_f64().unwrap()).abs() < 2e-6,
            "{row} {loss:?}"
        );
        assert!(
            (loss.mwc - row["sum_mwc"].as_f64().unwrap()).abs() < 2e-6,
            "{row} {loss:?}"
        );
    }
}

/// A player that knows the rolled-out best plays nothing wrong; PubEval does.
#[test]
fn players_are_scored_by_group() {
    let test = "players_are_scored_by_group";
    let Some(path) = shared(test, "data/benchmark-sample/crashed.bm") else {
        return;
    };
    let items = items(&path);
    let table = MatchEquityTable::named("mec26").unwrap();
    let player = "pubeval".parse::<PlayerSpec>().unwrap().open().unwrap();
    let scored = score(&items, &*player, &table).unwrap();
    let counting = Counting::default();
    let groups = groups(&items, &scored, &counting);
    assert_eq!(groups[0].name, "all");
    assert_eq!(groups[0].plays.loss.count(), 8);
    assert!(groups[0].plays.loss.mean() > 0.0);
    let by_category: u64 = groups
        .iter()
        .filter(|group| group.name.starts_with("crashed: "))
        .map(|group| group.plays.loss.count())
        .sum();
    assert_eq!(by_category, 8);
}

#[test]
fn the_start_is_no_crashed_category() {
    assert_eq!(Category::of(&Position::start()), Category::Other);
}

/// Gnubg's weights choose on the sample what the real gnubg 0-ply chooses.
///
///
#[test]
fn gnubg_weights_on_the_sample() {
    let test = "gnubg_weights_on_the_sample";
    let Some(weights) = gnubg_wd(test) else {
        return;
    };
    let spec = format!("gammond:nets={}", weights.display());
    let player = spec.parse::<PlayerSpec>().unwrap().open().unwrap();
    let table = MatchEquityTable::named("mec26").unwrap();
    let mut printed = Vec::new();
    for file in ["contact.bm", "crashed.bm", "race.bm"] {
        let Some(path) = shared(test, &format!("data/benchmark-sample/{file}")) else {
            return;
        };
        let items = items(&path);
        let scored = score(&items, &*player, &table).unwrap();
        let counting = Counting::default();
        let group = &groups(&items, &scored, &counting)[0];
        printed.push(format!("{:.6}", group.plays.loss.mean()));
    }
    assert_eq!(printed, GNUBG_ON_THE_SAMPLE);
}

/// Error rates of gnubg 1.07.001 at 0-ply, cubeless, all legal plays looked at
/// (`tools/oracle/gnubg-sample.py`).
const GNUBG_ON_THE_SAMPLE: [&str; 3] = ["8.503308", "35.263284", "1.202975"];

/// Filters of `sample dump` keep some of the lines; duplicates are dropped and counted.
#[test]
fn dump_filters_keep_some_labels() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"));
        command
            .args(words)
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let made = run(&["sample", "own.labels", "--positions", "400"]);
    assert!(made.status.success(), "{made:?}");
    let dumped = |options: &[&str]| {
        let output = run(&[&["sample", "dump", "own.labels"], options].concat());
        assert!(output.status.success(), "{output:?}");
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        (lines, String::from_utf8(output.stderr).unwrap())
    };
    let (all, said) = dumped(&[]);
    assert_eq!(said, "");
    let (once, said) = dumped(&["--unique"]);
    let keys: std::collections::HashSet<&str> = all.iter().map(|line| &line[..20]).collect();
    assert_eq!(once.len(), keys.len());
    let count = format!("{} of {} labels", all.len() - once.len(), all.len());
    assert!(said.contains(&count), "{said}");
    for filter in [["--unsettled", "0.05"], ["--forced", "12"]] {
        let (kept, _) = dumped(&filter);
        assert!((1..all.len()).contains(&kept.len()), "{filter:?}");
        assert!(kept.iter().all(|line| all.contains(line)), "{filter:?}");
    }
}

/// `bench values`: labels that are the player's own values have no error, others have; what is damaged or does not
/// fit is refused.
#[test]
fn values_beside_labels() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
        command
            .args(words)
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let sampled = run(&["sample", "own.labels", "--positions", "400"]);
    assert!(sampled.status.success());
    let positions = run(&["sample", "dump", "own.labels", "--per-group", "20"]).stdout;
    std::fs::write(at("positions"), positions).unwrap();
    let labelled = run(&["label", "positions", "labels", "--plies", "0"]);
    assert!(labelled.status.success());
    let fast = "gammond:nets=embedded:fast";
    let bench = [
        "bench",
        "values",
        "labels",
        "--format",
        "json",
        "--against",
        fast,
    ];
    let output = run(&bench);
    assert!(output.status.success(), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let groups = json["groups"].as_array().unwrap();
    let group = |name: &str| groups.iter().find(|group| group["name"] == name).unwrap();
    let contact = group("contact");
    // Back games that were wanted count as contact too.
    assert!(contact["players"][0]["labels"].as_u64().unwrap() >= 20);
    let root = |index: usize| {
        contact["players"][index]["root_mean_square"]
            .as_f64()
            .unwrap()
    };
    // The labels have five decimals.
    assert!(root(0) < 3e-5 && root(1) > 1e-3, "{contact}");
    assert!(contact["difference"]["mean"].as_f64().unwrap() < 0.0);
    let sizes = &contact["difference"]["mean_error"];
    assert!(sizes["interval99"][1].as_f64().unwrap() < 0.0, "{sizes}");
    let twin = [&bench[..], &["--twin", "labels"]].concat();
    assert_eq!(run(&twin).stdout, output.stdout);
    let text = std::fs::read_to_string(at("labels")).unwrap();
    // The last label is missing; the lines before the first one say what the file is.
    let fewer = text.trim_end().rsplit_once('\n').unwrap().0;
    std::fs::write(at("fewer"), format!("{fewer}\n")).unwrap();
    let twin = [&bench[..], &["--twin", "fewer"]].concat();
    assert_eq!(run(&twin).status.code(), Some(3));
    std::fs::write(at("empty"), "").unwrap();
    // Files that are missing or empty leave the others, below one head (EXIT-04).
    let several = run(&[
        "bench", "values", "nope", "labels", "empty", "labels", "--csv",
    ]);
    assert_eq!(several.status.code(), Some(3));
    let [out, error] = [&several.stdout, &several.stderr].map(|text| String::from_utf8_lossy(text));
    assert_eq!(out.matches("file,").count(), 1, "{out}");
    assert_eq!(out.matches("\n\"labels\",contact,").count(), 2, "{out}");
    assert!(
        error.contains("nope: ") && error.contains("empty: contains no label"),
        "{error}"
    );
    std::fs::write(at("labels"), text + "nonsense\n").unwrap();
    assert_eq!(run(&bench).status.code(), Some(1));
    let without = ["bench", "values", "labels", "--player", "pubeval"];
    assert_eq!(run(&without).status.code(), Some(2));
}

/// What is no benchmark file, and options that nobody takes, are refused, not counted as a pass.
#[test]
fn foreign_files_and_idle_options_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"));
        let output = command.args(words).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), error, output.stdout)
    };
    let good =
        "m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.114795 OAHDOEABCBOAHDPAABDA 0.0421133\n";
    std::fs::write(at("good.bm"), good).unwrap();
    std::fs::write(at("empty.bm"), "").unwrap();
    std::fs::write(at("junk.bm"), "hello\nworld\n").unwrap();
    std::fs::write(at("torn.bm"), format!("{good}m OAHDPAABDAOA")).unwrap();
    std::fs::write(at("cubes.bm"), "o OAHDPAABDAOAHDPAABDA 0.5 0.1 0 0.1 0\n").unwrap();
    for name in ["empty.bm", "junk.bm"] {
        let (code, error, _) = run(&["bench", &at(name), "--player", "random"]);
        assert!(
            code == Some(3) && error.contains("no m, o or c record"),
            "{error}"
        );
    }
    for name in ["empty.bm", "junk.bm", "torn.bm", "cubes.bm", "missing.bm"] {
        let gate = [
            "gate",
            "random",
            "--against",
            "pubeval",
            "--games",
            "2",
            "--bench",
            &at(name),
        ];
        let (code, error, out) = run(&gate);
        assert!(code == Some(3) && error.contains(name), "{code:?} {error}");
        assert!(!String::from_utf8_lossy(&out).contains("open"));
    }
    let (code, error, _) = run(&["bench", &at("good.bm"), "--met", "nosuch"]);
    assert!(code == Some(3) && error.contains("nosuch"), "{error}");
    let (code, error, _) = run(&[
        "bench",
        &at("good.bm"),
        "--player",
        "random",
        "--plies",
        "1",
    ]);
    assert!(
        code == Some(2) && error.contains("--plies: no player"),
        "{error}"
    );
    for command in ["duel", "tournament"] {
        let (code, error, _) = run(&[command, "random", "random", "--games", "0"]);
        assert!(code == Some(2) && error.contains("--games"), "{error}");
    }
}

/// A player's own plies come first; the option holds where it names none.
#[test]
fn plies_beside_a_player_are_honoured() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("good.bm").display().to_string();
    let good = "m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.114795\n";
    std::fs::write(&file, good).unwrap();
    let bench = |player: &str, plies: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"));
        command.args(["bench", &file, "--player", player, "--plies", plies]);
        let output = command.args(["--format", "json"]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let fast = "gammond:nets=embedded:fast";
    assert!(bench(fast, "1").contains("plies=1 "));
    assert!(bench("gammond:plies=0", "1").contains("plies=0 "));
    let huge = bench("gammond:plies=1:filter=huge", "0");
    assert!(huge.contains("plies=1:filter=huge "), "{huge}");
}

/// Three players stand beside one another in a table, a row for each group; two do not.
#[test]
fn bench_of_three_players_has_a_table_by_group() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/benchmark");
    let bench = |others: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"));
        let file = folder.join("crashed-1.bm");
        command.arg("bench").arg(file).args(["--format", "text"]);
        for other in others {
            command.args(["--against", other]);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let head = "mean loss in thousandths of a point, its standard error\n1: gammond:plies=0 ";
    assert!(!bench(&["pubeval"]).contains(head));
    let text = bench(&["pubeval", "random"]);
    let (lines, table) = text.split_once(head).unwrap();
    let row = table
        .lines()
        .find(|line| line.starts_with("crashed "))
        .unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    // The losses of the rows above, rounded.
    for (at, player) in [(2, "gammond"), (5, "pubeval"), (8, "random")] {
        let block = lines.split(&format!(": {player}")).nth(1).unwrap();
        let line = block
            .lines()
            .find(|line| line.starts_with("crashed "))
            .unwrap();
        let whole: f64 = line.split_whitespace().nth(4).unwrap().parse().unwrap();
        assert_eq!(cells[at], format!("{whole:.3}"), "{row}");
    }
}

/// `bench depths`: differences of the values of `eval` at neighbouring depths, by group.
#[test]
fn bench_depths_tells_what_each_ply_changes() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"));
        command
            .args(words)
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    std::fs::write(folder.path().join("one"), "4HPwATDgc/ABMA\n").unwrap();
    let output = run(&[
        "bench",
        "depths",
        "one",
        "--deepest",
        "2",
        "--format",
        "json",
    ]);
    assert!(output.status.success(), "{output:?}");
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["groups"][0]["name"], "contact");
    let equity = |plies: &str| {
        let words = [
            "eval",
            "4HPwATDgc/ABMA",
            "cubeful=0",
            "--plies",
            plies,
            "--format",
            "json",
        ];
        let json: serde_json::Value = serde_json::from_slice(&run(&words).stdout).unwrap();
        json["equity"]["cubeless"].as_f64().unwrap()
    };
    let values = ["0", "1", "2"].map(equity);
    for (plies, pair) in values.windows(2).enumerate() {
        let mean = json["groups"][0]["steps"][plies]["mean"].as_f64().unwrap();
        assert!(
            (mean - (pair[0] - pair[1])).abs() < 2e-5,
            "{json} {values:?}"
        );
    }
    let text = run(&[
        "bench",
        "depths",
        "one",
        "--deepest",
        "1",
        "--format",
        "text",
    ])
    .stdout;
    assert!(String::from_utf8(text).unwrap().contains("0 - 1"));
    let refused = run(&["bench", "depths", "one", "--player", "pubeval"]);
    assert_eq!(refused.status.code(), Some(2));
}

/// Runs the program in this folder.
fn run(at: &Path, line: &str) -> std::process::Output {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"));
    let words = line.split_whitespace();
    command.args(words).current_dir(at).output().unwrap()
}

/// The standard output of a run that ends well.
fn printed(at: &Path, line: &str) -> String {
    let output = run(at, line);
    assert!(output.status.success(), "{line}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// BM-39: below five numbers there is no interval, and one number has no standard error.
#[test]
fn figures_of_few_records_are_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let start = "OAHDPAABDAOAHDPAABDA";
    let play = format!("m {start} 2 4 JIGHPAABDAOAHDPAABDA 0.1 OAHDOEABCBOAHDPAABDA 0.04\n");
    std::fs::write(at.join("one.bm"), play).unwrap();
    std::fs::write(at.join("one"), format!("{start} 0.5 0 0 0 0\n")).unwrap();
    let fast = "--against gammond:nets=embedded:fast";
    let text = printed(at, &format!("bench one.bm --format text {fast}"));
    let unknown = "standard error unknown, 99 % interval unknown, 1 records\n";
    assert!(text.ends_with(unknown), "{text}");
    let regret = format!("bench regret one --judge gammond:plies=0 {fast}");
    let text = printed(at, &format!("{regret} --format text"));
    assert!(
        text.ends_with(" +- unknown, 99 % interval unknown\n"),
        "{text}"
    );
    let values = format!("bench values one {fast}");
    let text = printed(at, &format!("{values} --format text"));
    assert_eq!(
        text.matches(" [unknown]").count(),
        2 * text.matches("\ncontact ").count(),
        "{text}"
    );
    for (line, pointer) in [
        (format!("bench one.bm {fast}"), "/difference"),
        (regret, "/difference"),
        (values, "/groups/0/difference"),
    ] {
        let text = printed(at, &format!("{line} --format json"));
        let json: serde_json::Value = serde_json::from_str(&text).unwrap();
        let difference = json.pointer(pointer).unwrap();
        for key in ["standard_error", "interval99"] {
            assert!(
                difference[key].is_null() && difference.get(key).is_some(),
                "{text}"
            );
        }
    }
    // A single player has no difference.
    let text = printed(at, "bench values one --csv");
    assert!(text.lines().nth(1).unwrap().ends_with(",,,,"), "{text}");
}

/// BM-39: with `--outside skip` every column of the table is of the same records.
#[test]
fn table_of_players_has_the_same_records_in_each_column() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/benchmark/contact-1.bm");
    let text = std::fs::read_to_string(own).unwrap();
    let some: Vec<&str> = text.lines().take(150).collect();
    std::fs::write(at.join("x.bm"), some.join("\n")).unwrap();
    let players = "--player random --against pubeval --against gammond";
    let records = printed(at, &format!("bench x.bm --records {players}"));
    let listed: Vec<Vec<f64>> = (records.lines().skip(1))
        .map(|line| {
            line.split(',')
                .skip(6)
                .map(|cell| cell.parse().unwrap())
                .collect()
        })
        .filter(|cells: &Vec<f64>| [0, 2, 4].iter().all(|&at| cells[at] > 0.0))
        .collect();
    let mean = |at: usize| {
        1000.0 * listed.iter().map(|cells| cells[at]).sum::<f64>() / listed.len() as f64
    };
    let table = printed(
        at,
        &format!("bench x.bm --outside skip --format text {players}"),
    );
    let row = table
        .split("\ngroup")
        .nth(1)
        .unwrap()
        .lines()
        .nth(1)
        .unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells[..2], ["all", &listed.len().to_string()], "{table}");
    assert!((1..some.len()).contains(&listed.len()));
    for (at, loss) in [(2, 1), (5, 3), (8, 5)] {
        assert_eq!(cells[at], format!("{:.3}", mean(loss)), "{row}");
    }
}

/// `--nets` names the nets of the engine that `bench depths` looks into, and of the judges of `bench regret`.
#[test]
fn common_nets_are_those_of_depths_and_judges() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::write(at.join("one"), "4HPwATDgc/ABMA\n").unwrap();
    let nets = |line: &str, name: &str| {
        let json: serde_json::Value = serde_json::from_str(&printed(at, line)).unwrap();
        json[name].to_string()
    };
    let depths = "bench depths one --deepest 1 --format json";
    let regret = "bench regret one --judge gammond:plies=0 --format json";
    for (line, name) in [(depths, "nets"), (regret, "judges")] {
        let fast = nets(&format!("{line} --nets embedded:fast"), name);
        assert_ne!(fast, nets(line, name), "{line}");
        let missing = run(at, &format!("{line} --nets nosuch"));
        assert_eq!(missing.status.code(), Some(3), "{line}");
    }
    let named = "--nets nosuch --player gammond:nets=embedded";
    assert!(nets(&format!("{depths} {named}"), "nets").contains("contact"));
}

/// `sample dump` prints labels only, and `label --games` has no use for plies that are set for all commands.
#[test]
fn journals_and_variables_of_other_commands() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let play = "m OAHDPAABDAOAHDPAABDA 2 4 JIGHPAABDAOAHDPAABDA 0.1 OAHDOEABCBOAHDPAABDA 0.04\n";
    std::fs::write(at.join("one.bm"), play).unwrap();
    std::fs::write(at.join("one"), "4HPwATDgc/ABMA\n").unwrap();
    printed(at, "bench one.bm --journal scores");
    let output = run(at, "sample dump scores");
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), output.stdout.len()),
        (Some(3), 0),
        "{said}"
    );
    let why = "scores: job is \"benchmark scores\", expected \"labels\"";
    assert!(said.contains(why), "{said}");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"));
    command.args(["label", "one", "labels", "--games", "2"]);
    let output = command
        .env("GAMMOND_PLIES", "2")
        .current_dir(at)
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let refused = run(at, "label one others --games 2 --plies 1");
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(
        refused.status.code() == Some(2) && said.contains("--plies: "),
        "{said}"
    );
}

/// BM-39: the picture has the groups whose figures say something, and all together however few they are.
#[test]
fn groups_of_few_decisions_are_not_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let family = "tests/data/benchmark/families/prime-against-prime-1.bm";
    let records = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(family));
    let records = records.unwrap();
    let few: Vec<&str> = records
        .lines()
        .filter(|line| line.starts_with("m "))
        .collect();
    std::fs::write(at.join("many.bm"), &records).unwrap();
    std::fs::write(at.join("few.bm"), few[..3].join("\n")).unwrap();
    let drawn = |name: &str| {
        printed(at, &format!("bench {name}.bm --svg {name}.svg"));
        std::fs::read_to_string(at.join(format!("{name}.svg"))).unwrap()
    };
    let many = drawn("many");
    for (group, is_drawn) in [
        ("all", true),
        ("contact", true),
        ("prime against prime", true),
        ("back game", false),
        ("blitz", false),
    ] {
        let found = many.contains(&format!(">many: {group}<"));
        assert_eq!(found, is_drawn, "{group}: {many}");
    }
    let few = drawn("few");
    assert!(few.contains(">few: all<") && !few.contains(">few: contact<"));
}

/// EXIT-04, BM-39: a file that is not there leaves the others, one head stands above all lines, and one record shows no
/// error.
#[test]
fn other_files_are_scored_without_a_missing_one() {
    let families = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/benchmark/families");
    let bench = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args(["bench", "nope.bm", "snake-1.bm", "snake-other-1.bm"])
            .args(args)
            .current_dir(&families)
            .output()
            .unwrap();
        let [out, error] =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        (output.status.code(), out, error)
    };
    for args in [&["--csv"][..], &["--records"]] {
        let (code, out, error) = bench(args);
        assert_eq!(code, Some(3), "{error}");
        assert!(error.contains("nope.bm: "), "{error}");
        assert_eq!(out.matches("file,").count(), 1, "{out}");
        assert!(
            out.contains("snake-1.bm") && out.contains("snake-other-1.bm"),
            "{out}"
        );
    }
    let (_, out, _) = bench(&[]);
    let one = out.lines().find(|line| line.contains("back game 1-4"));
    assert!(
        one.is_some_and(|line| line.contains("+- unknown mEq")),
        "{one:?}"
    );
    let (_, out, _) = bench(&["--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    let groups = value["players"][0]["groups"].as_array().unwrap();
    let one = groups.iter().find(|group| group["plays"] == 1).unwrap();
    assert!(one["standard_error"].is_null(), "{one}");
    let (code, _, error) = bench(&["--records", "--format", "json"]);
    assert_eq!(code, Some(2), "{error}");
}
