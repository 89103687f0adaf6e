//! Whole matches analysed: figures beside those that GNU Backgammon prints, files in both forms, damaged
//! files, and what the command prints.

use crate::support::gnubg_wd;
use gammond_engine::engine::{Engine, Nets};
use gammond_engine::query::{Settings, Stop};
use gammond_game::notation::{MatPlayer, MatchFile, MatchReading};
use gammond_game::{Rules, Score};
use gammond_report::analysis::{Analysis, DecisionKind, Totals, analyse, luck_word, rating_word};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

const MATCHES: [&str; 5] = ["money3", "one1", "seven7", "seven7u", "three3"];

fn gammond() -> Command {
    Command::new(env!("CARGO_BIN_EXE_gammond"))
}

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/analysis")
        .join(name)
}

fn reading(name: &str) -> MatchReading {
    let reading = MatchFile::read(&std::fs::read(data(name)).unwrap()).unwrap();
    assert_eq!(reading.faults, [], "{name}");
    reading
}

fn analysed(engine: &Engine, reading: &MatchReading) -> Analysis {
    let settings = Settings::for_analysis(Some(0), None);
    let rules = Rules::default();
    analyse(engine, &settings, reading, rules, &Stop::never()).unwrap()
}

/// MAT-20, MAT-21: what gnubg saved as `.sgf` and exported as `.mat` is the same match.
#[test]
fn both_forms_hold_the_same_match() {
    for name in MATCHES {
        let (mat, sgf) = (
            reading(&format!("{name}.mat")),
            reading(&format!("{name}.sgf")),
        );
        assert_eq!(mat.file.length, sgf.file.length, "{name}");
        assert_eq!(mat.file.names, sgf.file.names, "{name}");
        assert_eq!(mat.file.games.len(), sgf.file.games.len(), "{name}");
        for (one, other) in mat.file.games.iter().zip(&sgf.file.games) {
            assert_eq!(one.scores, other.scores, "{name}");
            assert_eq!(one.result, other.result, "{name}");
            assert_eq!(one.actions.len(), other.actions.len(), "{name}");
        }
        let printed = sgf.file.to_string();
        let again = MatchFile::parse(printed.as_bytes()).unwrap();
        assert_eq!(again.games.len(), mat.file.games.len(), "{name}");
        assert_eq!(again.to_string(), printed, "{name}");
    }
}

/// The first number of a text such as `-1.8016 (-15.994%)`.
fn number(text: &str) -> Option<f64> {
    let digits = |sign: char| sign.is_ascii_digit() || matches!(sign, '+' | '-' | '.');
    let start = text.find(digits)?;
    let rest = &text[start..];
    rest[..rest.find(|sign| !digits(sign)).unwrap_or(rest.len())]
        .parse()
        .ok()
}

/// Our figures under gnubg's labels, and how near they have to be.
type Figures = BTreeMap<&'static str, ([f64; 2], f64)>;

/// Counts, which have to be equal.
fn counts(analysis: &Analysis) -> Figures {
    let [a, b] = &analysis.totals;
    let mut figures = Figures::new();
    let mut put = |label, of: &dyn Fn(&Totals) -> u32| {
        figures.insert(label, ([of(a).into(), of(b).into()], 0.0));
    };
    put("Chequerplay: Total moves", &|own| own.plays.count);
    put("Chequerplay: Unforced moves", &|own| own.unforced);
    put("Chequerplay: Moves marked doubtful", &|own| {
        own.play_marks[0]
    });
    put("Chequerplay: Moves marked bad", &|own| own.play_marks[1]);
    put("Chequerplay: Moves marked very bad", &|own| {
        own.play_marks[2]
    });
    put("Luck: Rolls marked very lucky", &|own| own.luck_marks[0]);
    put("Luck: Rolls marked lucky", &|own| own.luck_marks[1]);
    put("Luck: Rolls marked unlucky", &|own| own.luck_marks[2]);
    put("Luck: Rolls marked very unlucky", &|own| own.luck_marks[3]);
    put("Cube: Total cube decisions", &|own| own.cube.count);
    put("Cube: Close or actual cube decisions", &|own| own.close);
    put("Cube: Doubles", &|own| own.doubles);
    put("Cube: Takes", &|own| own.takes);
    put("Cube: Passes", &|own| own.passes);
    put("Cube: Missed doubles below CP", &|own| own.missed[0].count);
    put("Cube: Missed doubles above CP", &|own| own.missed[1].count);
    put("Cube: Wrong doubles below DP", &|own| {
        own.wrong_doubles[0].count
    });
    put("Cube: Wrong takes", &|own| own.wrong_takes.count);
    put("Cube: Wrong passes", &|own| own.wrong_passes.count);
    figures
}

/// Sums, rates and ratings.
fn sums(analysis: &Analysis) -> Figures {
    let [a, b] = &analysis.totals;
    let mut figures = Figures::new();
    let mut put = |label, values: [f64; 2], near| {
        figures.insert(label, (values, near));
    };
    let milli = |rate: Option<f64>| -1000.0 * rate.unwrap_or(0.0);
    let plays = [a, b].map(|own| -own.plays.emg);
    put("Chequerplay: Error total EMG", plays, 0.01);
    let rate = [a, b].map(|own| milli(own.play_rate()));
    put("Chequerplay: Error rate mEMG", rate, 0.2);
    let luck = [a, b].map(|own| own.luck.emg);
    put("Luck: Luck total EMG", luck, 0.02);
    let cube = [a, b].map(|own| -own.cube.emg);
    put("Cube: Error total EMG", cube, 0.01);
    let all = [a, b].map(|own| -own.loss()[0]);
    put("Overall: Error total EMG", all, 0.01);
    let rate = [a, b].map(|own| milli(own.rate()));
    put("Overall: Error rate mEMG", rate, 0.2);
    let snowie = [(a, b), (b, a)].map(|(own, other)| milli(own.snowie_rate(other)));
    put("Overall: Snowie error rate", snowie, 0.1);
    let scale = if analysis.length == 0 { 1.0 } else { 100.0 };
    let result = scale * analysis.result;
    put("Overall: Actual result", [result, -result], 0.011);
    let players = [MatPlayer::First, MatPlayer::Second];
    let adjusted = players.map(|player| scale * analysis.luck_adjusted(player));
    put("Overall: Luck adjusted result", adjusted, 0.15);
    if analysis.length > 0 {
        let rating = players.map(|player| analysis.fibs_rating(player).unwrap());
        put("Overall: Error based abs. FIBS rating", rating, 4.0);
    }
    figures
}

/// ANA-01, ANA-02, ANA-03, ANA-05, ANA-06, ANA-08, ANA-10, ANA-15: totals, counts, marks, rates, ratings and their words, as gnubg prints them.
#[test]
fn the_tables_are_gnubgs() {
    let Some(weights) = gnubg_wd("the_tables_are_gnubgs") else {
        return;
    };
    let engine = Engine::builder().nets(Nets::Path(weights)).build().unwrap();
    let table = std::fs::read_to_string(data("printed.tsv")).unwrap();
    let (mut wrong, mut checked) = (Vec::new(), 0);
    // In `edited5` boards and cubes were set up, which only `.sgf` keeps whole; in `missed3` many doubles are missed.
    let files = MATCHES.map(|name| (name, "mat"));
    let more = [("edited5", "sgf"), ("missed3", "mat")];
    for (name, ending) in files.into_iter().chain(more) {
        let analysis = analysed(&engine, &reading(&format!("{name}.{ending}")));
        let mut figures = counts(&analysis);
        figures.extend(sums(&analysis));
        for row in table.lines() {
            let [_, label, texts @ ..] = &row.split('\t').collect::<Vec<_>>()[..] else {
                continue;
            };
            if !row.starts_with(&format!("{name}\t")) {
                continue;
            }
            for (at, text) in texts.iter().enumerate() {
                let totals = &analysis.totals[at];
                // After an accepted beaver gnubg's table leaves out doubles that its own marks show as missed; it counts
                // the answer, which it cannot analyse.
                let counted = [
                    "Cube: Close or actual cube decisions",
                    "Overall: Error rate mEMG",
                ];
                let excepted = name == "money3"
                    && (counted.contains(label)
                        || at == 1 && (label.starts_with("Cube") || label.starts_with("Overall")));
                let word = match *label {
                    "Chequerplay: Chequerplay rating" => rating_word(totals.play_rate()),
                    "Cube: Cube decision rating" => rating_word(totals.cube_rate()),
                    "Overall: Overall rating" => rating_word(totals.rate()),
                    "Luck: Luck rating" => luck_word(totals.luck_rate()),
                    _ => *text,
                };
                if word != *text && !excepted {
                    wrong.push(format!("{name} {label} of {at}: {word}, gnubg {text}"));
                }
                let (Some((values, near)), Some(theirs)) = (figures.get(*label), number(text))
                else {
                    continue;
                };
                checked += 1;
                if (values[at] - theirs).abs() > *near + 1e-9 && !excepted {
                    wrong.push(format!(
                        "{name} {label} of {at}: {}, gnubg {text}",
                        values[at]
                    ));
                }
            }
        }
    }
    assert!(checked > 300, "{checked}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

const THREE_GAMES: &str = " 5 point match

 Game 1
 Alice : 0                      Bob : 0
  1) 31: 8/5 6/5                 52: 13/8 13/11
  2)  Doubles => 2                Drops
      Wins 1 point

 Game 2
 Alice : 1                      Bob : 0
  1)                             64: 8/2 6/2
  2) 21: 13/11 6/5               55: 13/3 13/3
  3)  Doubles => 2                Takes
  4) 65: 24/13                   42: 8/4 6/4
      Wins 2 points

 Game 3
 Alice : 3                      Bob : 0
  1) 61: 13/7 8/7                43: 24/20 13/10
  2) 52: 13/8 13/11               Doubles => 2
  3)  Drops
                                  Wins 1 point
";

/// ANA-09: forty-five ways to damage the second of three games: each has its own words, with the line, and the games
/// beside it are judged as if nothing were wrong.
#[test]
fn a_damaged_game_costs_nothing_else() {
    let engine = Engine::builder().build().unwrap();
    let whole = MatchFile::read(THREE_GAMES.as_bytes()).unwrap();
    assert_eq!(whole.faults, []);
    let whole = analysed(&engine, &whole);
    assert_eq!(whole.faults, []);
    let rows = std::fs::read_to_string(data("damaged.tsv")).unwrap();
    let rows: Vec<&str> = rows.lines().filter(|row| !row.starts_with('#')).collect();
    let messages: std::collections::BTreeSet<_> =
        rows.iter().map(|row| row.rsplit('\t').next()).collect();
    assert_eq!((rows.len(), messages.len()), (45, 45));
    for row in rows {
        let row = row.replace("\\n", "\n");
        let [from, to, message] = row.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let text = THREE_GAMES.replacen(from, to, 1);
        assert_ne!(text, THREE_GAMES, "{to}");
        let analysis = analysed(&engine, &MatchFile::read(text.as_bytes()).unwrap());
        let faults: Vec<String> = analysis.faults.iter().map(ToString::to_string).collect();
        assert_eq!(faults, [message], "{to}");
        assert_eq!(analysis.games.len(), 3, "{to}");
        for at in [0, 2] {
            assert_eq!(
                analysis.games[at].decisions,
                whole.games[at].decisions,
                "{to}: game {}",
                at + 1
            );
        }
    }
}

/// ANA-16, ANA-17, ANA-18, ANA-19: text, JSON and commas; the report is one file without a script; an archive is not
/// written twice.
#[test]
fn the_command_reports() {
    let folder = tempfile::tempdir().unwrap();
    let (html, db) = (folder.path().join("r.html"), folder.path().join("a.sqlite"));
    let remarks = folder.path().join("remarks");
    let file = data("seven7.mat");
    let mut command = gammond();
    command
        .arg("analyse")
        .arg(&file)
        .args(["--html"])
        .arg(&html)
        .arg("--db")
        .arg(&db);
    command.arg("--annotate").arg(&remarks);
    let run = command.output().unwrap();
    assert!(run.status.success(), "{run:?}");
    let text = String::from_utf8(run.stdout).unwrap();
    for part in [
        "7-point match",
        "error rate, GNU Backgammon's",
        "The worst 10 of",
        "FIBS rating by errors",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let page = std::fs::read_to_string(&html).unwrap();
    assert!(page.contains("<svg") && page.ends_with("</html>\n"));
    for outside in ["<script", "src=", "href=", "url(", "@import"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let again = gammond()
        .arg("analyse")
        .arg(&file)
        .arg("--db")
        .arg(&db)
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(again.stdout).unwrap(), "");
    let remarked = std::fs::read(remarks.join("seven7.mat")).unwrap();
    let plain = std::fs::read(&file).unwrap();
    assert!(String::from_utf8_lossy(&remarked).contains("very bad"));
    let games = |bytes: &[u8]| MatchFile::parse(bytes).unwrap().games;
    assert_eq!(games(&remarked), games(&plain));
    let json = gammond()
        .arg("analyse")
        .arg(&file)
        .args(["--format", "json"])
        .output()
        .unwrap();
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        (&value["type"], &value["length"]),
        (&"analysis".into(), &7.into())
    );
    assert_eq!(value["totals"][0]["unforced"], 39);
    assert_eq!(value["level"], "2-ply swift");
    let csv = gammond()
        .arg("analyse")
        .arg(&file)
        .args(["--plies", "0", "--format", "csv"])
        .output()
        .unwrap();
    let lines = String::from_utf8(csv.stdout).unwrap();
    assert_eq!(
        lines.lines().count(),
        1 + value["decisions"].as_array().unwrap().len()
    );
    let damaged = folder.path().join("damaged.mat");
    std::fs::write(&damaged, THREE_GAMES.replace("Takes", "")).unwrap();
    let run = gammond().arg("analyse").arg(&damaged).output().unwrap();
    assert_eq!(run.status.code(), Some(1));
}

/// A folder with four matches, four texts that are none, and matches in folders that are left out.
fn folder_of_matches() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    for (name, file) in [
        ("a.mat", "one1.mat"),
        ("b.mat", "three3.mat"),
        ("sub/c.mat", "seven7.mat"),
        ("sub/d.mat", "money3.mat"),
        (".hidden/e.mat", "one1.mat"),
        ("target/f.mat", "one1.mat"),
        ("sub/node_modules/g.mat", "one1.mat"),
        ("venv/h.mat", "one1.mat"),
    ] {
        let path = at.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::copy(data(file), path).unwrap();
    }
    for name in ["notes.txt", "todo.txt", "sub/list.txt", "sub/more.txt"] {
        std::fs::write(at.join(name), "milk, bread\n").unwrap();
    }
    folder
}

fn analysed_in(at: &Path, line: &str) -> (Option<i32>, String, String) {
    let run = gammond()
        .current_dir(at)
        .args(line.split(' '))
        .output()
        .unwrap();
    let [out, error] = [run.stdout, run.stderr].map(|text| String::from_utf8(text).unwrap());
    (run.status.code(), out, error)
}

/// ANA-24, ANA-25: a folder gets a line a match, the totals of the players, and a line about the files that are no
/// matches; folders of other programs are read only when they are named.
#[test]
fn folder_gets_a_line_a_match() {
    let folder = folder_of_matches();
    let at = folder.path();
    let (code, out, error) = analysed_in(at, "analyse . --plies 0");
    assert_eq!(code, Some(3), "{error}");
    let lines: Vec<&str> = out.lines().collect();
    assert!(
        lines[0].starts_with("match ") && lines[0].ends_with(" file"),
        "{out}"
    );
    for (line, name) in lines[1..5]
        .iter()
        .zip(["./a.mat", "./b.mat", "./sub/c.mat", "./sub/d.mat"])
    {
        assert!(line.ends_with(name) && line.contains(", game "), "{line}");
    }
    assert_eq!(lines[5], "");
    assert!(
        lines[6].starts_with("player ") && lines[7].starts_with("Alice  "),
        "{out}"
    );
    assert_eq!(lines.len(), 9, "{out}");
    assert_eq!(
        error,
        "gammond: 4 files are no matches: ./notes.txt, ./sub/list.txt, ./sub/more.txt and 1 more (--full gives the reasons)\n"
    );
    let (_, full, error) = analysed_in(at, "analyse . --plies 0 --full");
    assert_eq!(full.matches("The worst ").count(), 4, "{full}");
    assert_eq!(error.lines().count(), 4, "{error}");
    let (code, named, _) = analysed_in(at, "analyse a.mat target/f.mat venv .hidden --plies 0");
    assert_eq!(code, Some(0));
    assert_eq!(named.lines().count(), 9, "{named}");
    // Three files are printed whole, four are not.
    let three = analysed_in(at, "analyse a.mat b.mat sub/c.mat --plies 0").1;
    assert_eq!(three.matches("analysed at 0-ply").count(), 3, "{three}");
    let four = analysed_in(at, "analyze a.mat b.mat sub/c.mat sub/d.mat --plies 0").1;
    assert_eq!(four.matches("analysed at 0-ply").count(), 0, "{four}");
    // Programs get what they got.
    let json = analysed_in(at, "analyse . --plies 0 --format json").1;
    let types = json.lines().map(|line| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        value["type"].as_str().unwrap().to_owned()
    });
    let types: Vec<String> = types.collect();
    assert_eq!(types.iter().filter(|one| *one == "analysis").count(), 4);
    assert_eq!(types.iter().filter(|one| *one == "error").count(), 4);
}

/// ANA-26: the report of several matches begins with players, the worst mistakes of all, and links to the matches.
#[test]
fn report_of_a_folder_has_a_first_page() {
    let folder = folder_of_matches();
    let at = folder.path();
    analysed_in(at, "analyse . --plies 0 --html all.html");
    let page = std::fs::read_to_string(at.join("all.html")).unwrap();
    let (front, rest) = page.split_once("<h2>Matches</h2>").unwrap();
    assert!(front.contains("<h1>4 matches</h1>") && front.contains("<td>Alice</td>"));
    assert_eq!(front.matches("<article>").count(), 12);
    let losses: Vec<f64> = front
        .split(": loses ")
        .skip(1)
        .map(|text| number(&text[..5]).unwrap())
        .collect();
    assert!(losses.is_sorted_by(|one, other| one >= other), "{losses:?}");
    assert!(rest.find("<a href=\"#m4\">").unwrap() < rest.find("<h1 id=\"m1\">").unwrap());
    for link in page.split("href=\"#").skip(1) {
        let (name, _) = link.split_once('"').unwrap();
        assert_eq!(page.matches(&format!("id=\"{name}\"")).count(), 1, "{name}");
    }
    analysed_in(at, "analyse a.mat --plies 0 --html one.html");
    let page = std::fs::read_to_string(at.join("one.html")).unwrap();
    assert!(!page.contains("worst mistakes of all") && !page.contains("href="));
}

/// ANA-19: a file without a match has another exit code than a match with a fault; the others are analysed.
#[test]
fn file_without_a_match_has_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("none.mat"), "no match\n").unwrap();
    let none = [folder.path().join("none.mat"), data("seven7.mat")];
    let run = gammond()
        .arg("analyse")
        .args(none)
        .args(["--plies", "0"])
        .output()
        .unwrap();
    assert_eq!(run.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&run.stdout).contains("7-point match"));
}

/// EXIT-04: a match of a variant whose table is not there is an error by its name; the others are analysed.
#[test]
fn match_without_its_table_stops_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let hyper = "; [Variation \"HyperGammon (2)\"]\n 1 point match\n\n Game 1\n \
        Alice : 0                      Bob : 0\n  1) 31: 24/20                  52: 24/17\n";
    std::fs::copy(data("one1.mat"), at.join("a.mat")).unwrap();
    std::fs::write(at.join("b.mat"), hyper).unwrap();
    std::fs::copy(data("three3.mat"), at.join("c.mat")).unwrap();
    let (code, out, error) = analysed_in(at, "analyse . --plies 0 --html all.html");
    assert_eq!(code, Some(1), "{error}");
    assert!(out.contains("a.mat") && out.contains("c.mat"), "{out}");
    assert!(
        error.contains("b.mat: hypergammon2 needs its table"),
        "{error}"
    );
    let page = std::fs::read_to_string(at.join("all.html")).unwrap();
    assert!(page.contains("c.mat"));
    let (_, out, _) = analysed_in(at, "analyse . --plies 0 --format json");
    let kind =
        |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["type"].clone();
    let kinds: Vec<_> = out.lines().map(kind).collect();
    assert_eq!(kinds, ["analysis", "error", "analysis"]);
}

/// ANA-18: a report has every file that is named, also those of the archive, which are filed once.
#[test]
fn report_has_the_matches_of_the_archive() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    std::fs::copy(data("one1.mat"), at.join("a.mat")).unwrap();
    std::fs::copy(data("three3.mat"), at.join("c.mat")).unwrap();
    analysed_in(at, "analyse a.mat --plies 0 --db d.sqlite");
    analysed_in(
        at,
        "analyse a.mat c.mat --plies 0 --db d.sqlite --html r.html",
    );
    let page = std::fs::read_to_string(at.join("r.html")).unwrap();
    assert!(page.contains("a.mat") && page.contains("c.mat"));
    let (_, out, error) = analysed_in(at, "analyse a.mat c.mat --plies 0 --db d.sqlite");
    assert!(
        out.is_empty() && error.contains("2 matches are in the archive"),
        "{error}"
    );
}

/// MAT-25: a money match without beavers is judged so from the `.sgf` that is written of it.
#[test]
fn beavers_that_are_off_stay_off() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let text = "; [Jacoby \"Off\"]\n; [Beaver \"Off\"]\n 0 point match\n\n Game 1\n \
        Alice : 0                      Bob : 0\n  1) 31: 8/5 6/5                 Doubles => 2\n  2)  Takes\n";
    std::fs::write(at.join("a.mat"), text).unwrap();
    let take = |line: &str| {
        let (_, out, _) = analysed_in(at, line);
        let take = out.lines().find(|line| line.contains(": take"));
        take.map(str::to_owned)
    };
    let before = take("analyse a.mat --plies 0 --all --annotate-sgf s");
    assert!(
        before.as_ref().is_some_and(|line| !line.contains("loses")),
        "{before:?}"
    );
    assert_eq!(take("analyse s/a.sgf --plies 0 --all"), before);
    let with = text.replace("; [Beaver \"Off\"]\n", "");
    std::fs::write(at.join("a.mat"), with).unwrap();
    let beaver = take("analyse a.mat --plies 0 --all");
    assert!(beaver.is_some_and(|line| line.contains("best beaver")));
}

/// Names with tags in them do not become part of the page.
#[test]
fn names_are_only_text() {
    let engine = Engine::builder().build().unwrap();
    let text = THREE_GAMES.replace("Alice", "<script>alert(1)</script>");
    let analysis = analysed(&engine, &MatchFile::read(text.as_bytes()).unwrap());
    let mut page = gammond_report::analysis::Page::default();
    page.add("a\"><b>.mat", &analysis);
    let page = page.finish().into_string();
    assert!(page.contains("&lt;script&gt;"));
    // Both players' figures come first.
    let place = |part: &str| page.find(part).unwrap();
    assert!(place("result without luck") < place("The worst"));
    assert!(!page.contains("<script") && !page.contains("<b>"));
}

/// MAT-15, ANA-04: a game given up is judged: too early here, and the other one was right to accept.
#[test]
fn a_resignation_is_judged() {
    let engine = Engine::builder().build().unwrap();
    let analysis = analysed(&engine, &MatchFile::read(THREE_GAMES.as_bytes()).unwrap());
    let rows: Vec<_> = analysis
        .rows()
        .filter(|row| row.kind == DecisionKind::Resign)
        .collect();
    let [row] = &rows[..] else { panic!("{rows:?}") };
    assert_eq!(
        (row.game, row.played.as_str(), row.best.as_str()),
        (2, "single game", "play on")
    );
    assert!(row.loss.unwrap() > 0.3, "{:?}", row.loss);
    assert_eq!(row.judged.judgement.accept_loss, Some(0.0));
}

/// MAT-15, MAT-16: a game that a fault ends has no resignation: its result is that of plays that were not read.
#[test]
fn fault_hides_resignation() {
    let engine = Engine::builder().build().unwrap();
    let text = THREE_GAMES.replacen("42: 8/4 6/4", "42: 8/4 6/x", 1);
    let reading = MatchFile::read(text.as_bytes()).unwrap();
    assert_eq!(reading.broken, [2]);
    let analysis = analysed(&engine, &reading);
    assert_eq!(analysis.games[1].result, Some((MatPlayer::First, 2)));
    assert!(!analysis.rows().any(|row| row.kind == DecisionKind::Resign));
    assert_eq!(analysis.totals[1].resignations.count, 0);
}

/// ANA-15: the result of a match that begins at another score counts from there.
#[test]
fn result_counts_from_the_first_score() {
    let engine = Engine::builder().build().unwrap();
    let text = " 5 point match\n\n Game 1 (after the Crawford game)\n Alice : 4      Bob : 2\n  \
        1) 31: 8/5 6/5                 42: 8/4 6/4\n                                  Wins 3 points and the match\n";
    let analysis = analysed(&engine, &MatchFile::read(text.as_bytes()).unwrap());
    let before = engine.met().at(Score::new(5, 4, 2, false).unwrap());
    assert!((0.6..0.8).contains(&before), "{before}");
    assert!((analysis.result + before).abs() < 1e-9);
}

/// ANA-05: a double as the first roll of a game, which automatic doubles leave in files, has its luck.
#[test]
fn opening_double_has_luck() {
    let engine = Engine::builder().build().unwrap();
    let text = " 5 point match\n\n Game 1\n Alice : 0      Bob : 0\n  1) 33: 8/5 8/5 6/3 6/3         42: 8/4 6/4\n";
    let analysis = analysed(&engine, &MatchFile::read(text.as_bytes()).unwrap());
    let luck = analysis.rows().next().unwrap().luck.unwrap();
    // GNU Backgammon's: +0.263.
    assert!((0.2..0.35).contains(&luck), "{luck}");
}

/// MAT-17.
#[test]
fn a_file_that_is_too_long() {
    let mut text = THREE_GAMES.as_bytes().to_vec();
    text.resize((16 << 20) + 1, b'\n');
    let error = MatchFile::read(&text).unwrap_err();
    assert_eq!(error.to_string(), "match file is longer than 16 MiB");
}

/// ANA-20: the parts and the classes add up to the whole, and the marks go by the losses that are asked for.
#[test]
fn groups_and_marks() {
    let engine = Engine::builder().build().unwrap();
    let analysis = analysed(&engine, &reading("seven7.mat"));
    for groups in [analysis.by_phase(), analysis.by_class()] {
        for player in [0, 1] {
            let mut sum = Totals::default();
            groups
                .iter()
                .for_each(|(_, totals)| sum.add(&totals[player]));
            let whole = &analysis.totals[player];
            assert_eq!(
                (sum.decisions(), sum.counted, sum.play_marks, sum.cube_marks),
                (
                    whole.decisions(),
                    whole.counted,
                    whole.play_marks,
                    whole.cube_marks
                )
            );
            assert!((sum.loss()[0] - whole.loss()[0]).abs() < 1e-9);
            assert!(sum.decisions() > 0);
        }
    }
    let first = &analysis.by_phase()[0];
    let opening = first.1[0].plays.count;
    // Four games of three moves at most, those who did not begin with fewer.
    assert!(
        first.0 == "opening" && (8..=12).contains(&opening),
        "{opening}"
    );
    let marks = |analysis: &Analysis| analysis.totals[0].play_marks;
    let strict = analysis.clone().marked([0.001, 10.0, 10.0]);
    assert!(marks(&strict)[0] > marks(&analysis).iter().sum());
    assert_eq!(marks(&strict)[1..], [0, 0]);
    assert_eq!(
        strict.worst().len(),
        strict
            .rows()
            .filter(|row| row.mark().is_some() && row.kind != DecisionKind::Resign)
            .count()
    );
    assert_eq!(strict.marked(gammond_report::analysis::MARKS), analysis);
}

/// ANA-08: the game after the last one of a file is the Crawford game where the first side comes to need one point, but not
/// without the rule, and not where the file says that it was before.
#[test]
fn result_of_open_match_knows_its_crawford_game() {
    let engine = Engine::builder().build().unwrap();
    let chance = |[one, other]: [u32; 2], crawford| {
        engine
            .met()
            .at(Score::new(5, one, other, crawford).unwrap())
    };
    for (head, game, [one, other], crawford) in [
        ("", "", [3, 2], true),
        ("; [Crawford \"Off\"]\n", "", [3, 2], false),
        ("", " (after the Crawford game)", [2, 4], false),
    ] {
        let text = format!(
            "{head} 5 point match\n\n Game 1{game}\n A : {one}                      B : {other}\n  \
             1)                             31: 8/5 6/5\n  2)  Doubles => 2                Drops\n      \
             Wins 1 point\n"
        );
        let reading = MatchFile::read(text.as_bytes()).unwrap();
        assert_eq!(reading.faults, [], "{text}");
        let analysis = analysed(&engine, &reading);
        assert_eq!(analysis.score, [one + 1, other], "{text}");
        let gained = chance([one + 1, other], crawford) - chance([one, other], false);
        assert!((analysis.result - gained).abs() < 1e-9, "{text}");
    }
}

/// ANA-01: at a level the play that was made is rolled out beside the best ones, so that all values are of one kind.
#[test]
fn a_level_judges_what_was_played() {
    let engine = Engine::builder().build().unwrap();
    let text =
        " 1 point match\n\n Game 1\n A : 0                     B : 0\n  1) 31: 24/23 24/21\n";
    let mut settings = Settings::for_analysis(Some(0), None);
    settings.level = gammond_engine::query::Level::named("roller");
    let reading = MatchFile::read(text.as_bytes()).unwrap();
    let analysis = analyse(
        &engine,
        &settings,
        &reading,
        Rules::default(),
        &Stop::never(),
    )
    .unwrap();
    assert_eq!(analysis.level, "roller large");
    let row = analysis.rows().next().unwrap();
    let searched = Settings::for_analysis(Some(2), None);
    let searched = analyse(
        &engine,
        &searched,
        &reading,
        Rules::default(),
        &Stop::never(),
    )
    .unwrap();
    let plies = searched.rows().next().unwrap();
    let value = |row: &gammond_report::analysis::Row<'_>| {
        row.judged
            .judgement
            .plays
            .as_ref()
            .unwrap()
            .played
            .value
            .equity
    };
    // The play is no candidate of the level itself; a rollout never hits the search's value exactly.
    assert!((value(&row) - value(&plies)).abs() > 1e-9);
    assert!(row.loss.unwrap() > 0.08, "{:?}", row.loss);
}

/// ANA-01: where the filter leaves one play alone, so that the search itself does not look ahead, that one and the one that was played are
/// looked at to the full depth all the same, as gnubg does (which finds the played one best here, from 0.48 behind without look-ahead).
#[test]
fn both_plays_are_judged_at_the_full_depth() {
    use gammond_report::analysis::{Action, Decision, judge};
    let Some(weights) = gnubg_wd("both_plays_are_judged_at_the_full_depth") else {
        return;
    };
    let engine = Engine::builder().nets(Nets::Path(weights)).build().unwrap();
    let parsed = gammond_game::notation::parse_position(b"7gzAAHjfDQAgAA:cIllAAAAAAAE").unwrap();
    let roll = gammond_game::Roll::new(3, 1).unwrap();
    let played = gammond_game::notation::parse_play("21/18 2/1", &parsed.position, roll).unwrap();
    let decision = Decision {
        player: MatPlayer::Second,
        position: parsed.position,
        state: parsed.state.unwrap(),
        action: Action::Play {
            roll,
            after: played.after,
            opening: false,
            may_double: false,
        },
        number: 0,
        turn: 1,
    };
    let plays = |plies| {
        let judged = judge(
            &engine,
            &Settings::for_analysis(Some(plies), None),
            &decision,
            &Stop::never(),
        );
        let judged = judged.unwrap();
        (judged.loss.unwrap(), judged.plays.unwrap())
    };
    assert!((plays(0).0 - 0.4765).abs() < 0.002);
    let (loss, judged) = plays(2);
    assert_eq!((loss, judged.rank, judged.played.plies), (0.0, 1, 2));
    // As gnubg saved it: -0.676739 and -0.682078.
    assert!(
        (judged.best[0].value.equity + 0.676_739).abs() < 0.005,
        "{judged:?}"
    );
    assert!(
        (judged.best[1].value.equity + 0.682_078).abs() < 0.005,
        "{judged:?}"
    );
}
