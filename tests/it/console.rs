//! GNU Backgammon's text console: rules CON- of `protocol-specs/gnubg-console.md`, and the recorded sessions.
//!
//! `tests/data/console.tsv` names every session: how it is given, the dice that were thrown, and how many lines may
//! differ, with the reason. Numbers may differ in what gnubg's floats make of them; what differs more is a line.

use crate::server::{self, Running};
use crate::support::{gnubg_wd, recorded, wait_until};
use gammond_console::{
    AnalysedMatch, AnalysisRequest, Console, ConsoleAnswer, ConsoleHost, ConsoleOptions, NoHost,
    ScoreValues,
};
use gammond_engine::engine::{Engine, Nets};
use gammond_engine::query::{EngineAnswer, EvalQuery, Question, Settings, Stop};
use gammond_game::notation::MatchFile;
use gammond_game::{MatchState, Score};
use gammond_server::console::{EngineHost, Sinks, run};
use gammond_server::core::limits::Limits;
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Lines of the original's banner.
const BANNER: usize = 8;

/// An engine with the dice of a recording, and files that are kept here.
struct Recorded {
    inner: EngineHost,
    dice: VecDeque<u8>,
    files: BTreeMap<String, Vec<u8>>,
}

impl Recorded {
    fn new(nets: Option<&Path>, dice: &str) -> Recorded {
        let mut builder = Engine::builder().threads(1);
        if let Some(nets) = nets {
            builder = builder.nets(Nets::Path(nets.to_owned()));
        }
        Recorded {
            inner: EngineHost::new(builder.build().unwrap(), Stop::new(), None),
            dice: dice
                .bytes()
                .filter(u8::is_ascii_digit)
                .map(|die| die - b'0')
                .collect(),
            files: BTreeMap::new(),
        }
    }
}

impl ConsoleHost for Recorded {
    fn answer(&mut self, question: Question, settings: &Settings) -> Result<EngineAnswer, String> {
        self.inner.answer(question, settings)
    }

    fn resigns(&mut self, query: &EvalQuery, settings: &Settings) -> u8 {
        self.inner.resigns(query, settings)
    }

    fn die(&mut self) -> u8 {
        self.dice.pop_front().unwrap_or_else(|| self.inner.die())
    }

    fn seed(&mut self, seed: &[u32]) {
        self.inner.seed(seed);
    }

    fn read(&mut self, name: &str) -> Result<Vec<u8>, String> {
        if let Some(bytes) = self.files.get(name) {
            return Ok(bytes.clone());
        }
        match name {
            "cmds.txt" => return Ok(b"show score\n".to_vec()),
            "one 1.mat" => return self.read("one1.mat"),
            _ => {}
        }
        // Sessions also name files that are not there.
        let folders = ["data/analysis-sample", "analysis"].map(recorded);
        let mut folders = folders.iter().flatten();
        let bytes = folders.find_map(|folder| std::fs::read(folder.join(name)).ok());
        bytes.ok_or_else(|| "No such file or directory".to_owned())
    }

    fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), String> {
        self.files.insert(name.to_owned(), bytes.to_vec());
        Ok(())
    }

    fn connect(&mut self, _: u8, _: &str) -> Result<(), String> {
        Err("Connection refused".to_owned())
    }

    fn disconnect(&mut self, seat: u8) {
        self.inner.disconnect(seat);
    }

    fn ask_external(&mut self, seat: u8, line: &str) -> Result<String, String> {
        self.inner.ask_external(seat, line)
    }

    fn judge(&mut self, file: &MatchFile, how: &AnalysisRequest) -> Result<AnalysedMatch, String> {
        self.inner.judge(file, how)
    }

    fn stakes(&mut self, state: &MatchState) -> ScoreValues {
        self.inner.stakes(state)
    }

    fn gain(&mut self, score: Score, wins: bool, points: u32) -> f64 {
        self.inner.gain(score, wins, points)
    }

    fn match_equity_table(&self) -> String {
        self.inner.match_equity_table()
    }

    fn today(&self) -> [u32; 3] {
        self.inner.today()
    }

    fn now(&self) -> String {
        "DATE".to_owned()
    }
}

/// A row of `console.tsv`.
struct Session {
    name: String,
    in_file: bool,
    /// Nothing in it depends on the nets.
    any_nets: bool,
    dice: String,
    /// Lines that differ on standard output, standard error, and in files.
    differ: [usize; 3],
    files: Vec<String>,
}

fn sessions() -> Vec<Session> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/console.tsv");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    let session = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let [name, way, nets, dice, out, err, files, names, reason] = cells[..] else {
            panic!("{line}");
        };
        let differ = [out, err, files].map(|count| count.parse().unwrap());
        assert!(
            differ == [0; 3] || reason.len() > 8,
            "{name}: lines differ without a reason"
        );
        Session {
            name: name.to_owned(),
            in_file: way == "file",
            any_nets: nets == "any",
            dice: dice.to_owned(),
            differ,
            files: names
                .split(',')
                .filter(|name| *name != "-")
                .map(str::to_owned)
                .collect(),
        }
    };
    rows.map(session).collect()
}

/// What a session gives: standard output and error.
fn speak(host: &mut dyn ConsoleHost, input: &[u8], options: ConsoleOptions) -> [String; 2] {
    let mut sinks = Sinks {
        out: Vec::new(),
        err: Vec::new(),
    };
    run(&mut Console::new(options), host, input, &mut sinks, false).unwrap();
    [sinks.out, sinks.err].map(|bytes| String::from_utf8(bytes).unwrap())
}

fn options(in_file: bool, strict: bool) -> ConsoleOptions {
    ConsoleOptions {
        user: "root".to_owned(),
        plays_on: !in_file,
        strict,
        ..ConsoleOptions::default()
    }
}

/// A number of a line, with its digits behind the point.
fn number(word: &str) -> Option<(f64, i32)> {
    let bare =
        word.trim_matches(|sign: char| !(sign.is_ascii_digit() || matches!(sign, '+' | '-' | '.')));
    let value: f64 = bare.trim_start_matches("+-").parse().ok()?;
    let digits = bare.split_once('.').map_or(0, |(_, digits)| digits.len());
    Some((value, i32::try_from(digits).unwrap()))
}

/// Whether two lines are the same but for the last digits of numbers.
fn same(ours: &str, theirs: &str) -> bool {
    if ours == theirs {
        return true;
    }
    let split =
        |line: &str| -> Vec<String> { line.split([' ', '\t', ',']).map(str::to_owned).collect() };
    let (one, other) = (split(ours), split(theirs));
    // The columns stand where they stood: only their digits may be others.
    ours.len() == theirs.len()
        && one.len() == other.len()
        && one.iter().zip(&other).all(|(one, other)| {
            match (one == other, number(one), number(other)) {
                (true, ..) => true,
                (_, Some((a, digits)), Some((b, same))) => {
                    let last = 10_f64.powi(-digits);
                    digits == same
                        && digits > 0
                        && (a - b).abs() <= (2.001 * last).max(0.002 * b.abs())
                }
                _ => false,
            }
        })
}

/// Lines of either side that the other one has not, in the longest common order.
fn differing(ours: &str, theirs: &str) -> (usize, String) {
    let relevant = |text: &str| -> Vec<String> {
        let lines = text.split('\n').map(str::to_owned);
        lines
            .filter(|line| !line.starts_with("Output generated") && !line.starts_with(" by "))
            .collect()
    };
    let (mut one, mut other) = (relevant(ours), relevant(theirs));
    while one
        .first()
        .zip(other.first())
        .is_some_and(|(a, b)| same(a, b))
    {
        one.remove(0);
        other.remove(0);
    }
    while one
        .last()
        .zip(other.last())
        .is_some_and(|(a, b)| same(a, b))
    {
        one.pop();
        other.pop();
    }
    let mut common = vec![vec![0_usize; other.len() + 1]; one.len() + 1];
    for (i, a) in one.iter().enumerate().rev() {
        for (j, b) in other.iter().enumerate().rev() {
            common[i][j] = match same(a, b) {
                true => common[i + 1][j + 1] + 1,
                false => common[i + 1][j].max(common[i][j + 1]),
            };
        }
    }
    let first = |lines: &[String]| lines.first().cloned().unwrap_or_default();
    let shown = format!("ours {:?}, gnubg's {:?}", first(&one), first(&other));
    (one.len() + other.len() - 2 * common[0][0], shown)
}

/// CON-31: the dice of gnubg 1.07.001 for its seeds, also for those above 2^32.
#[test]
fn seeds_give_the_dice_of_gnubg() {
    for (seed, dice) in [
        ("0", "4 4,5 6,4 6"),
        ("1", "3 6,5 6,1 1"),
        ("4", "6 6,4 2,6 6"),
        ("6", "6 6,2 2,5 1"),
        ("4294967295", "1 1,6 4,5 4"),
        ("4294967296", "3 5,5 4,5 3"),
        ("4294967297", "2 2,6 5,3 2"),
        ("18446744073709551621", "3 4,5 6,2 4"),
        ("123456789012345678901234567890", "6 1,4 4,3 5"),
    ] {
        let said = program(&format!("set seed {seed}\ndicerolls 3\n"));
        let rolls: Vec<&str> = said.lines().filter(|line| line.len() == 3).collect();
        assert_eq!(rolls.join(","), dice, "{seed}: {said}");
    }
    // Rolls after equal dice of the opening, with a person on each side.
    let said = program(
        "set automatic roll off\nset automatic game off\nset player 0 human\nset player 1 human\nset seed 6\nnew match 3\n",
    );
    let openings: Vec<&str> = said
        .lines()
        .filter(|line| line.contains(" rolls "))
        .collect();
    let want = [
        "gnubg rolls 6, root rolls 6.",
        "gnubg rolls 2, root rolls 2.",
        "gnubg rolls 5, root rolls 1.",
    ];
    assert_eq!(openings, want, "{said}");
    let said = program(
        "set player 0 gnubg\nset player 1 gnubg\nset automatic game off\nset seed 1\nnew match 1\n",
    );
    let rolled: Vec<&str> = said
        .split("Rolled ")
        .skip(1)
        .map(|text| &text[..2])
        .collect();
    assert_eq!(rolled[..5], ["63", "56", "11", "26", "12"], "{said}");
}

/// Runs the console and returns what it prints.
fn program(commands: &str) -> String {
    program_with(&[], commands)
}

/// Runs the console with more options and returns what it prints.
fn program_with(more: &[&str], commands: &str) -> String {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["gnubg", "-t", "-q"])
        .args(more)
        .env("USER", "root")
        .env("LOGNAME", "root")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let text = format!("{commands}quit\ny\n");
    child
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Sessions of the list in which no line differs but by the last digits of numbers. The number may only rise.
const SAME_SESSIONS_MIN: usize = 88;

/// CON-02: no session of the list gets worse than it was.
#[test]
fn sessions_without_a_difference_only_get_more() {
    let same = sessions()
        .iter()
        .filter(|session| session.differ == [0; 3])
        .count();
    assert!(same >= SAME_SESSIONS_MIN, "{same} of {SAME_SESSIONS_MIN}");
}

/// CON-20: a script on a pipe gets the original's output to the letter, also where a line has no end and a hint does not
/// follow its settings; `--corrected` is without its faults.
#[test]
fn scripts_get_the_original_s_output_to_the_letter() {
    let lines = "new match 3\nset score 1 1\nshow score\nshow cube\n";
    let said = program(lines);
    let joined = "(match to 3 points)The cube is at 1, and is centred.";
    assert!(said.ends_with(joined), "{said}");
    let corrected = program_with(&["--corrected"], lines);
    assert!(
        corrected.ends_with("(match to 3 points)\nThe cube is at 1, and is centred.\n"),
        "{corrected}"
    );
    let plays = "set evaluation chequerplay evaluation plies";
    let hints = format!(
        "set xgid XGID=-b--BAD-C---dC---c-eAa--A-:0:0:1:63:0:0:0:0:10\n{plays} 0\nhint 1\n{plays} 1\nhint 1\n"
    );
    assert!(!program(&hints).contains("Cubeful 1-ply"));
    assert!(program_with(&["--corrected"], &hints).contains("Cubeful 1-ply"));
    // Missing digits of an ID are zeros, and signs that are none count as 63.
    let place = "set xgid XGID=-b--BAD-C---dC---c-eAa--A-:0:0:-1:00:0:0:0:0:10\n";
    let counted = program(&format!("{place}show pipcount =1\n"));
    assert!(
        counted.contains("The pip counts are: gnubg 0, root 19.\n"),
        "{counted}"
    );
}

/// CON-32: `eval` of a bear-off shows the rolls that both sides need, as gnubg 1.07.001 prints them.
#[test]
fn eval_of_a_bearoff_shows_its_rolls() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let want = std::fs::read_to_string(folder.join("console-bearoff.txt")).unwrap();
    for (place, table) in ["---A-AA------------a--b---", "------O------------o------"]
        .iter()
        .zip(want.split("====\n"))
    {
        let said = program(&format!(
            "set xgid XGID={place}:0:0:1:00:0:0:0:0:10\neval\n"
        ));
        assert!(said.contains(table), "{place}: {said}");
    }
    let start = program("set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10\neval\n");
    assert!(!start.contains("Effective pip count"), "{start}");
}

/// CON-33: the cube points of a money session, those of Janowski (1993).
#[test]
fn marketwindow_shows_the_cube_points() {
    let race = "set xgid XGID=----CCCBBAA----bb-cccb----:0:0:1:00:0:0:0:0:10\nset evaluation cubedecision evaluation plies 0\n";
    let said = program(&format!("{race}show marketwindow\nshow kleinman\n"));
    for line in [
        "Cube parameter               Dead Cube      Live Cube\n",
        "Take Point (TP)               25.0",
        "Raccoon Point (RP)            50.0",
        "Cubeless Winning Chance: 0.6960\n\n",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let known = program(&format!("{race}show rolls\n"));
    assert!(
        known.ends_with("That command is not yet implemented.\n"),
        "{known}"
    );
}

/// CON-34: languages, records of players and resignations in command files are answered as by the original.
#[test]
fn a_resignation_in_a_command_file_stays_open() {
    let lines = "new match 3\nresign normal\nshow score\n";
    for (strict, score) in [(true, "(after 0 games)"), (false, "(after 1 game)")] {
        let mut host = Recorded::new(None, "13");
        let [out, _] = speak(&mut host, lines.as_bytes(), options(true, strict));
        let (_, last) = out.rsplit_once("The score ").unwrap();
        assert!(last.starts_with(score), "{strict}: {out}");
    }
    let mut host = Recorded::new(None, "");
    let lines = "set lang de\nset lang C\nrelational add match\nrelational show details Bob\n";
    let [out, err] = speak(&mut host, lines.as_bytes(), options(true, true));
    assert_eq!(out, "Locale is now 'C'\nNo match is being played.\n");
    assert_eq!(
        err,
        "Locale 'de' not supported by C library.\n\nEmpty player stats or player(s) not found\n"
    );
}

/// CON-01, CON-02, CON-04 to CON-08 (CON-05, CON-06, CON-07): the recorded sessions to the letter, but for lines that the list names. Without gnubg's weights only those
/// that no net has a say in.
#[test]
fn recorded_sessions_are_replayed() {
    let test = "recorded_sessions_are_replayed";
    let weights = gnubg_wd(test);
    let analysed = recorded("data/analysis-sample").is_some();
    let (mut replayed, mut wrong) = (0, Vec::new());
    for session in sessions() {
        if weights.is_none() && !session.any_nets {
            continue;
        }
        let path = |ending: &str| {
            let name = &session.name;
            recorded(&format!("transcripts/gnubg-console/{name}{ending}"))
        };
        let (Some(input), Some(out)) = (path(".in"), path(".out")) else {
            continue;
        };
        // gnubg's analysis in this file is only in the recordings.
        if !analysed && session.name == "f05-load-sgf-money-export" {
            continue;
        }
        let read =
            |path: &Path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let mut host = Recorded::new(weights.as_deref(), &session.dice);
        let [said, complained] = speak(
            &mut host,
            &std::fs::read(input).unwrap(),
            options(session.in_file, true),
        );
        let kept: String = read(&out).split_inclusive('\n').skip(BANNER).collect();
        let mut found = [
            differing(&said, &kept),
            (0, String::new()),
            (0, String::new()),
        ];
        found[1] = differing(
            &complained,
            &path(".err").map_or(String::new(), |path| read(&path)),
        );
        let mut listed = session.differ;
        for name in &session.files {
            let Some(kept) = path(&format!("--{name}")) else {
                // A clone of the repository has not all files that gnubg wrote.
                listed[2] = 0;
                continue;
            };
            let ours = host.files.get(name).cloned().unwrap_or_default();
            let (count, shown) = differing(&String::from_utf8_lossy(&ours), &read(&kept));
            found[2].0 += count;
            if found[2].1.is_empty() || count > 0 {
                found[2].1 = format!("{name}: {shown}");
            }
        }
        replayed += 1;
        let counts = [found[0].0, found[1].0, found[2].0];
        if counts != listed {
            wrong.push(format!(
                "{}: {counts:?} lines differ, listed {listed:?}: {found:?}",
                session.name
            ));
        }
    }
    // So many that no net has a say in are in a clone of the repository.
    assert!(replayed >= 17, "{replayed}");
    assert!(
        wrong.is_empty(),
        "{} of {replayed}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What one session says on standard output without the original's faults.
fn said(input: &str) -> String {
    let mut host = Recorded::new(None, "31");
    let [out, _] = speak(&mut host, input.as_bytes(), options(true, false));
    out
}

const CUBE: &str = "set xgid XGID=-b--BAD-C---dC---c-eAa--A-:0:0:1:00:0:0:0:0:10\n";

/// CON-20: what is better than in the original.
#[test]
fn the_original_s_faults_are_gone() {
    let score = said("new match 3\nset score 1 1\nshow score\n");
    assert_eq!(score.matches("(match to 3 points)\n").count(), 2, "{score}");
    let plays = "set evaluation chequerplay evaluation plies";
    let deeper = said(&format!(
        "set xgid XGID=-b--BAD-C---dC---c-eAa--A-:0:0:1:63:0:0:0:0:10\n{plays} 0\nhint 1\n{plays} 1\nhint 1\n"
    ));
    assert!(
        deeper.contains("Cubeful 0-ply") && deeper.contains("Cubeful 1-ply"),
        "{deeper}"
    );
    let refused = said(&format!(
        "{CUBE}set board simple 0 16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 -2 0\nhint\n"
    ));
    assert!(
        refused.ends_with("Illegal position.\nYou must set up a board first.\n"),
        "{refused}"
    );
    let alone = said("set gnubgid 4HPwATDgc/ABMA\nshow board\n");
    assert!(
        alone.contains(
            "Setting GNUbg ID 4HPwATDgc/ABMA:\n GNU Backgammon  Position ID: 4HPwATDgc/ABMA"
        ),
        "{alone}"
    );
    let mwc = said(
        "set xgid XGID=-b--BAD-C---dC---c-eAa--A-:0:0:1:52:2:4:0:7:10\nset output mwc on\nset output matchpc off\nset evaluation chequerplay evaluation plies 0\nhint 2\n",
    );
    assert!(mwc.contains("(-0.") && !mwc.contains("(+-"), "{mwc}");
}

/// CON-21: a rollout prints its numbers on a pipe too.
#[test]
fn a_rollout_has_its_numbers() {
    let small = "set rollout trials 36\nset rollout cubedecision plies 0\nset rollout truncation enable on\nset rollout truncation plies 3\n";
    let text = said(&format!("{small}{CUBE}rollout\nrollout =cube\n"));
    assert_eq!(
        text.matches("Rollout done. Printing final results.\n")
            .count(),
        2,
        "{text}"
    );
    assert!(text.contains("Current Position:\n  0."), "{text}");
    assert!(text.contains("36 games, Mersenne Twister"), "{text}");
    assert!(text.contains("Proper cube action:"), "{text}");
}

/// CON-36: a cube that wins the match already is not turned; the other player's is.
#[test]
fn dead_cube_is_not_turned() {
    let table = "set player 0 human\nset player 1 human\nset automatic game off\nset automatic roll off\n\
        new match 5\nset score 4 2\nset crawford off\n";
    let dead = said(&format!("{table}set turn 0\ndouble\n"));
    assert!(
        dead.ends_with("The cube is dead; you can't double any more.\n"),
        "{dead}"
    );
    let doubled = said(&format!("{table}set turn 1\ndouble\n"));
    assert!(
        !doubled.contains("dead") && doubled.contains("doubles."),
        "{doubled}"
    );
}

/// CON-22: nothing of one position is left in the answer to the next.
#[test]
fn a_position_leaves_nothing_behind() {
    let others = [
        "set xgid XGID=b---BBD-C---dB---c-d-b--B-:1:1:1:00:3:3:0:5:10\n",
        "set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:2:0:1:3:10\n",
        "set xgid XGID=----CCCBBAA----bb-cccb----:2:1:1:00:0:0:3:0:10\n",
    ];
    let hint = "set evaluation cubedecision evaluation plies 0\nhint\n";
    let fresh = said(&format!("{CUBE}{hint}"));
    let (_, answer) = fresh.rsplit_once("evaluation.\n").unwrap();
    assert!(answer.contains("Proper cube action"), "{answer}");
    for other in others {
        let after = said(&format!("{other}hint\n{CUBE}{hint}"));
        assert!(after.ends_with(answer), "after {other}: {after}");
    }
}

/// CON-03, CON-12: lines may come in any pieces, with CR LF, and the last one without an end.
#[test]
fn any_cutting_gives_the_same_answers() {
    struct Pieces<'a>(&'a [u8], usize);
    impl std::io::Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            let (piece, rest) = self.0.split_at(count);
            buffer[..count].copy_from_slice(piece);
            self.0 = rest;
            Ok(count)
        }
    }
    let input = format!("show score\r\n{CUBE}\nshow board\r\nfoo\nset seed 3  \nnew match 65");
    let whole = speak(&mut NoHost, input.as_bytes(), options(true, false));
    assert!(
        whole[0].contains("Seed set to 3  .\n") && whole[1].contains("`foo'"),
        "{whole:?}"
    );
    for size in [1, 2, 7] {
        let mut sinks = Sinks {
            out: Vec::new(),
            err: Vec::new(),
        };
        let mut console = Console::new(options(true, false));
        run(
            &mut console,
            &mut NoHost,
            Pieces(input.as_bytes(), size),
            &mut sinks,
            false,
        )
        .unwrap();
        assert_eq!(
            [sinks.out, sinks.err].map(|b| String::from_utf8(b).unwrap()),
            whole,
            "{size}"
        );
    }
    let long = vec![b'x'; 10_000];
    let [out, err] = speak(&mut NoHost, &long, options(true, false));
    assert_eq!((out.as_str(), err.lines().count()), ("", 1), "{err}");
}

/// CON-09: more plies than the engine looks ahead are taken.
#[test]
fn seven_plies_are_taken() {
    let out = said(
        "set evaluation cubedecision evaluation plies 7\nset evaluation cubedecision evaluation plies 8\n",
    );
    assert!(
        out.starts_with(
            "`eval' and `hint' cube decisions will use 7 ply evaluation.\nValid numbers of plies"
        ),
        "{out}"
    );
}

/// CON-13: on standard input a turn is shown when it comes, in a file of commands when it is asked for.
#[test]
fn a_turn_is_shown_when_it_comes_on_standard_input_only() {
    let input =
        "set player both human\nset automatic roll off\nnew game\nset dice 3 1\nmove 8/5 6/5\n";
    let boards = |in_file| {
        let mut host = Recorded::new(None, "31");
        let [out, _] = speak(&mut host, input.as_bytes(), options(in_file, false));
        out.matches("Position ID").count()
    };
    assert_eq!((boards(true), boards(false)), (2, 3));
}

/// CON-25: Jacoby's rule can be brought back to the game on the board, but for the original's way.
#[test]
fn set_jacoby_on_holds_for_the_game_on_the_board() {
    let lines =
        "set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10\nset jacoby on\nshow score\n";
    let by = |strict| {
        let mut host = Recorded::new(None, "31");
        speak(&mut host, lines.as_bytes(), options(true, strict)).concat()
    };
    assert!(by(false).contains("money session, with Jacoby rule"));
    assert!(by(true).contains("money session, without Jacoby rule"));
}

/// Changes by hand withdraw what was offered, and the cube rests in the Crawford game.
#[test]
fn changes_by_hand_withdraw_offers() {
    let money =
        "set player 0 human\nset xgid XGID=b---BBD-C---dB---c-d-b--B-:1:1:1:00:0:0:1:0:10\n";
    for (lines, shown) in [
        ("double\nset dice 3 1\n", "Match ID   : UYkF"),
        ("double\nset cube value 4\n", "Match ID   : UgkA"),
        ("resign normal\nset cube value 4\n", "Match ID   : UgkA"),
    ] {
        let said = said(&format!("{money}{lines}show board\n"));
        let (_, last) = said.rsplit_once("Match ID").unwrap();
        assert!(
            format!("Match ID{last}").starts_with(shown),
            "{lines}: {said}"
        );
    }
    let resigned = said(&format!("{money}resign normal\nset turn 0\n"));
    assert!(
        resigned.contains("Please resolve the resignation first."),
        "{resigned}"
    );
    let crawford = "set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:00:2:0:1:3:10\n";
    for line in ["set cube value 2", "set cube owner 0", "set cube centre"] {
        let said = said(&format!("{crawford}{line}\n"));
        assert!(
            said.contains("The cube is disabled during the Crawford game."),
            "{line}: {said}"
        );
    }
    // Who is one away alone keeps the Crawford game.
    let moved = said(&format!("{crawford}set score 1 2\nshow crawford\n"));
    assert!(moved.contains("This game is the Crawford game."), "{moved}");
    let ended = said(&format!("{crawford}set score 2 2\nshow crawford\n"));
    assert!(
        ended.contains("This game is not the Crawford game"),
        "{ended}"
    );
}

/// The statistics of a game in a match count its change of the match winning chance, as the original prints it: before
/// and after the analysis, and in the text export.
#[test]
fn statistics_of_a_game_count_its_chances() {
    let input = "import mat three3.mat\nfirst game\nshow statistics game\nanalyse match\nshow statistics game\n\
        next game\nshow statistics game\nshow statistics match\nexport match text out.txt\n";
    let mut host = Recorded::new(None, "");
    let [out, _] = speak(&mut host, input.as_bytes(), options(true, false));
    let results = |text: &str| {
        let lines = text
            .lines()
            .filter(|line| line.starts_with("Actual result"));
        lines
            .map(|line| {
                line.split_whitespace()
                    .skip(2)
                    .collect::<Vec<_>>()
                    .join(" ")
            })
            .collect::<Vec<_>>()
    };
    let [first, second, whole] = ["-9.95% +9.95%", "+27.68% -27.68%", "+50.00% -50.00%"];
    assert_eq!(results(&out), [first, first, second, whole]);
    let exported = std::str::from_utf8(&host.files["out.txt"]).unwrap();
    assert_eq!(results(exported), [first]);
    assert!(
        out.contains("Luck based FIBS rating diff.             -202.2"),
        "{out}"
    );
}

/// CON-24: `set analysis` counts for hints where that is wanted.
#[test]
fn hints_follow_the_analysis_where_that_is_wanted() {
    for (follows, depth) in [(false, "2-ply"), (true, "0-ply")] {
        let mut host = Recorded::new(None, "");
        let options = ConsoleOptions {
            hint_follows_analysis: follows,
            ..options(true, false)
        };
        let input = format!("set analysis cubedecision evaluation plies 0\n{CUBE}hint\n");
        let [out, _] = speak(&mut host, input.as_bytes(), options);
        assert!(out.contains(&format!("{depth} cubeless equity")), "{out}");
    }
}

/// A server with consoles, at most `connections` of them.
fn serves(connections: usize, change: impl FnOnce(&mut Limits)) -> Running {
    server::start(|config| {
        config.console = vec!["127.0.0.1:0".parse().unwrap()];
        config.limits.connections_per_peer = connections;
        change(&mut config.limits);
    })
}

fn connect(server: &Running) -> TcpStream {
    TcpStream::connect(server.console.as_ref().unwrap()).unwrap()
}

/// CON-30: over a connection, from the first byte, without files or connections of its own; one too many is told so.
#[test]
fn connections_have_a_console_each() {
    let server = serves(2, |_| {});
    let read = |mut stream: TcpStream| {
        let mut text = String::new();
        stream.read_to_string(&mut text).map(|_| text)
    };
    let (mut one, mut other) = (connect(&server), connect(&server));
    one.write_all(b"set score 3 2\n").unwrap();
    other
        .write_all(
            b"show score\nload match /etc/passwd\nset player 0 external 127.0.0.1:1\nfoo\nquit\n",
        )
        .unwrap();
    let text = read(other).unwrap();
    let parts = [
        "gnubg 0, user 0",
        "files are not for connections",
        "connections are not for connections",
    ];
    assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    assert!(text.ends_with("Unknown keyword `foo'.\n\n"), "{text}");
    // The place of the one that has left is free, and then there is none.
    let mut third = loop {
        let mut stream = connect(&server);
        let mut first = [0; 9];
        stream.read_exact(&mut first).unwrap();
        if !first.starts_with(b"gammond: ") {
            break stream;
        }
    };
    let refused = read(connect(&server)).unwrap();
    assert_eq!(refused, "gammond: too many connections of one address\n");
    third.write_all(b"quit\n").unwrap();
    one.write_all(b"quit\n").unwrap();
    assert!(read(one).unwrap().contains("gnubg 3, user 2"));
}

/// A rollout of many hours in the console's language.
const LONG: &str = "new game\nset board 4HPwATDgc/ABMA\nset rollout trials 1000000\n\
                    set rollout limit enable off\nset rollout jsd stop off\nshow score\nrollout\n";

/// True for the first line of a rollout's result, or of the message that it had no time.
fn has_ended(line: &str) -> bool {
    ["Rollout done", "used all the processor time"]
        .iter()
        .any(|part| line.contains(part))
}

/// SRV-21: a rollout that takes more processor time than a request may ends with its games so far, and the next command is
/// answered.
#[test]
fn a_console_s_command_has_a_limit_of_processor_time() {
    let server = serves(1, |limits| {
        // Processor time: other programs do not use it up.
        limits.request_cpu = Some(Duration::from_millis(300));
    });
    let mut stream = connect(&server);
    let input = format!("{LONG}show jacoby\n");
    stream.write_all(input.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
    assert!(lines.any(|line| has_ended(&line)));
    assert!(lines.any(|line| line.contains("Jacoby")));
}

/// SRV-15: answers before `quit` arrive, whatever the client sends behind it.
#[test]
fn answers_before_quit_arrive() {
    let server = serves(1, |_| {});
    let mut stream = connect(&server);
    let input = [
        "help\n".repeat(100),
        "quit\n".into(),
        "show score\n".repeat(2000),
    ];
    stream.write_all(input.concat().as_bytes()).unwrap();
    // Read late, so that the end of the connection can overtake the answers.
    std::thread::sleep(Duration::from_millis(200));
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    let help = text.matches("analyse").count();
    assert!(help >= 100, "{help} of 100 in {} bytes", text.len());
}

/// SRV-15: while the server ends, a command that runs is answered and those that wait are not begun.
#[test]
fn waiting_commands_end_with_the_server() {
    let server = serves(1, |limits| {
        // Processor time: other programs do not use it up.
        limits.request_cpu = Some(Duration::from_millis(100));
    });
    let mut stream = connect(&server);
    let input = format!("{LONG}{}", "rollout\n".repeat(100));
    stream.write_all(input.as_bytes()).unwrap();
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    assert!(lines.any(|line| has_ended(&line)));
    server.handle.drain();
    let more = lines.filter(|line| has_ended(line)).count();
    assert!(more < 50, "{more}");
}

/// a console whose connection is lost stops computing and leaves its place. SRV-15: one that computes while the server
/// ends is waited for, and ended with it.
#[test]
fn a_console_s_work_ends_with_its_connection() {
    let server = serves(1, |_| {});
    let counters = server.handle.counters();
    let wait_for = |open: u64| {
        wait_until("so many consoles are open", || {
            counters.connections.load(Ordering::Relaxed) == open
        });
    };
    for round in 0..2 {
        let mut stream = connect(&server);
        wait_for(1);
        stream.write_all(LONG.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        assert!(
            lines.any(|line| line.unwrap().contains("The score")),
            "{round}"
        );
        drop(lines);
        // Reset, not closed: a peer that only sends no more may still read.
        let linger = socket2::SockRef::from(&stream).set_linger(Some(Duration::ZERO));
        linger.unwrap();
        drop(stream);
        wait_for(0);
    }
    let mut stream = connect(&server);
    stream.write_all(LONG.as_bytes()).unwrap();
    server.handle.drain();
    server.handle.cut();
    drop(server);
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
}

/// CON-23: two computers play a match to its end, a session only one game, and nothing waits for an answer.
#[test]
fn computers_play_by_themselves() {
    let quick = "set player both gnubg\nset player both chequerplay evaluation plies 0\nset player both cubedecision evaluation plies 0\nset display off\n";
    let mut host = Recorded::new(None, "");
    host.seed(&[7]);
    let input = format!("{quick}new match 3\nshow score\nexport match mat x.mat\n");
    let [out, _] = speak(&mut host, input.as_bytes(), options(false, false));
    assert!(out.contains("has won the match."), "{out}");
    let file: MatchFile = String::from_utf8(host.files["x.mat"].clone())
        .unwrap()
        .parse()
        .unwrap();
    assert_eq!(file.length, 3);
    let [out, _] = speak(
        &mut host,
        format!("{quick}new session\nshow score\n").as_bytes(),
        options(false, false),
    );
    assert!(out.contains("(after 1 game)"), "{out}");
}

/// A reader that goes away ends the session without an error.
#[test]
fn a_closed_output_is_no_error() {
    struct Gone;
    impl std::io::Write for Gone {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut sinks = Sinks {
        out: Gone,
        err: Vec::new(),
    };
    let mut console = Console::new(ConsoleOptions::default());
    assert!(
        !run(
            &mut console,
            &mut NoHost,
            &b"show score\n"[..],
            &mut sinks,
            false
        )
        .unwrap()
    );
    let answer: ConsoleAnswer = console.line(b"show score", &mut NoHost);
    assert!(answer.out.starts_with("The score"));
}

mod program {
    use std::process::{Command, Stdio};

    fn gnubg(words: &[&str], input: &str) -> (i32, String, String) {
        let mut child = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args(words)
            .env("LOGNAME", "root")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        use std::io::Write as _;
        // Who does not read it has ended already.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code().unwrap(),
            text(output.stdout),
            text(output.stderr),
        )
    }

    /// CON-10: options, exit codes and streams of the original.
    #[test]
    fn it_is_started_as_the_original_is() {
        let score =
            "The score (after 0 games) is: gnubg 0, root 0 (money session, with Jacoby rule).\n";
        for words in [
            &["gnubg", "-t", "-q"][..],
            &["gnubg", "-tqr"],
            &["gnubg", "-t", "-q", "--no-rc", "-P", "x"],
        ] {
            let (code, out, err) = gnubg(words, "show score\nfoo\n");
            assert_eq!(
                (code, err.as_str()),
                (0, "Unknown keyword `foo'.\n\n"),
                "{words:?}"
            );
            let rest: Vec<&str> = out.split_inclusive('\n').skip(8).collect();
            assert_eq!(rest.concat(), score, "{words:?}");
        }
        let (code, _, err) = gnubg(&["gnubg", "-t", "-c", "nofile"], "");
        assert_eq!(
            (code, err.as_str()),
            (0, "nofile: No such file or directory\n")
        );
        let (code, _, err) = gnubg(&["gnubg", "--foo"], "");
        assert_eq!((code, err.as_str()), (1, "Unknown option --foo\n"));
        let (code, out, _) = gnubg(&["gnubg", "-t"], "quit\nshow score\n");
        assert_eq!((code, out.lines().count()), (0, 8));
    }

    /// CON-10, CON-35 (`src/python/tests/test_compat.py`): `-p` is a clear error without the Python package; with it, Python runs the script.
    #[cfg(unix)]
    #[test]
    fn python_scripts_run_where_the_package_is() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let python = folder.path().join("python3");
        let run = |script: &str| {
            std::fs::write(&python, script).unwrap();
            let mode = std::fs::Permissions::from_mode(0o755);
            std::fs::set_permissions(&python, mode).unwrap();
            let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
                .args(["gnubg", "-t", "-p", "a b.py"])
                .env("PATH", folder.path())
                .output()
                .unwrap();
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            (
                output.status.code(),
                text(output.stdout),
                text(output.stderr),
            )
        };
        let (code, _, err) = run("#!/bin/sh\nexit 1\n");
        assert_eq!(code, Some(1));
        assert!(
            err.starts_with("gammond: -p runs `python3' with the Python package gammond"),
            "{err}"
        );
        let (code, out, err) =
            run("#!/bin/sh\n[ \"$1\" = -c ] && exit 0\nprintf '%s|' \"$@\"\nexit 3\n");
        let words = "-m|gammond|gnubg|--nets|embedded|-p|a b.py|";
        assert_eq!((code, out.as_str(), err.as_str()), (Some(3), words, ""));
    }

    /// CON-11: under gnubg's names the program is this command; links are made and nothing is overwritten.
    #[cfg(unix)]
    #[test]
    fn links_are_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let (code, out, _) = gnubg(&["link-gnubg", path], "");
        assert!(code == 0 && out.contains("To undo it: rm "), "{out}");
        for name in ["gnubg", "gnubg-cli"] {
            let output = Command::new(folder.path().join(name))
                .args(["-t", "--version"])
                .output()
                .unwrap();
            assert!(output.status.success());
            assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 8);
        }
        // Twice is as good as once; another program is left alone.
        assert_eq!(gnubg(&["link-gnubg", path], "").0, 0);
        std::fs::remove_file(folder.path().join("gnubg")).unwrap();
        std::fs::write(folder.path().join("gnubg"), "other").unwrap();
        let (code, _, err) = gnubg(&["link-gnubg", path], "");
        assert!(code == 2 && err.contains("no link to gammond"), "{err}");
        assert_eq!(
            std::fs::read(folder.path().join("gnubg")).unwrap(),
            b"other"
        );
    }
}
