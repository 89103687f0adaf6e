//! The program itself: exit codes, configuration, pipes.

use crate::malformed::malformed;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Output, Stdio};

fn gammond() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gammond"));
    for (name, _) in std::env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("GAMMOND_"))
        {
            command.env_remove(name);
        }
    }
    command
}

/// Runs with arguments and all of stdin at once.
fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = gammond()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || {
        // A program that ends early closes the pipe; what it answered is looked at instead.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

fn answers(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_sample_of_requests_is_answered() {
    let sample = include_bytes!("../data/requests.txt");
    let output = run(&["pipe", "--threads", "2"], sample);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    let asked = sample
        .split(|&b| b == b'\n')
        .filter(|l| !l.is_empty() && l[0] != b';')
        .count();
    assert_eq!(text.lines().count(), asked);
    assert!(!text.contains("\"error\""), "{text}");
    assert_eq!(output.status.code(), Some(0));
    assert!(text.lines().next().unwrap().contains(r#""play":"8/5 6/5""#));
}

/// Every malformed line gets its own error, the good lines around it are answered, nothing panics,
/// and the exit code is 1.
#[test]
fn malformed_lines_cost_only_themselves() {
    let table = malformed();
    assert!(table.len() >= 60, "{} malformed lines", table.len());
    let mut input = Vec::new();
    for (number, bad) in table.iter().enumerate() {
        input.extend(format!("#good{number} 4HPwATDgc/ABMA 31\n").into_bytes());
        input.extend(&bad.input);
        input.push(b'\n');
    }
    // What no table of lines can hold: a megabyte without an end, and a last line without LF.
    input.extend(vec![b'A'; 1 << 20]);
    input.extend(b"\n\r\n\n4HPwATDgc/ABMA 31");
    let output = run(&["pipe", "top=1"], &input);
    let answers = answers(&output);
    let mut found = answers.iter();
    for (number, bad) in table.iter().enumerate() {
        let shown = String::from_utf8_lossy(&bad.input).into_owned();
        let good = found
            .next()
            .unwrap_or_else(|| panic!("no answer before {shown:?}"));
        assert_eq!(
            good["id"],
            format!("good{number}"),
            "before {shown:?}: {good}"
        );
        assert_eq!(good["plays"][0]["play"], "8/5 6/5");
        let error = found
            .next()
            .unwrap_or_else(|| panic!("no answer to {shown:?}"));
        assert_eq!(error["type"], "error", "{shown:?}: {error}");
        // The request parser looks at bytes first.
        let printable = bad.input.iter().all(|byte| (0x20..0x7f).contains(byte));
        let code = if printable { &bad.code } else { "bad-byte" };
        assert_eq!(error["code"], code, "{shown:?}: {error}");
        assert_eq!(error["line"], 2 * number + 2, "{shown:?}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(!message.is_empty() && !message.contains('\n'), "{error}");
    }
    assert_eq!(found.next().unwrap()["code"], "line-too-long");
    assert_eq!(found.next().unwrap()["type"], "move");
    assert_eq!(found.next(), None);
    assert_eq!(output.status.code(), Some(1));
    assert!(!String::from_utf8_lossy(&output.stderr).contains("panicked"));
}

#[test]
fn exit_codes_distinguish_failures() {
    let code = |arguments: &[&str]| run(arguments, b"").status.code();
    assert_eq!(code(&["pipe"]), Some(0));
    assert_eq!(code(&["--version"]), Some(0));
    assert_eq!(code(&["frobnicate"]), Some(2));
    assert_eq!(code(&["eval", "4HPwATDgc/ABM"]), Some(2));
    assert_eq!(code(&["pipe", "plies=9"]), Some(2));
    assert_eq!(code(&["pipe", "--nets", "no/such/file"]), Some(3));
    assert_eq!(code(&["pipe", "--met", "no/such/file"]), Some(3));
    assert_eq!(code(&["pipe", "--bearoff", "no/such/folder"]), Some(3));
    assert_eq!(code(&["pipe", "--config", "no/such/file"]), Some(3));
    assert_eq!(run(&["pipe"], b"nonsense\n").status.code(), Some(1));
}

#[test]
fn one_shot_commands_answer_as_the_wire_does() {
    let wire = run(&["pipe"], b"move 4HPwATDgc/ABMA 31 top=2\n").stdout;
    let shell = run(
        &["move", "4HPwATDgc/ABMA", "31", "top=2", "--format", "json"],
        b"",
    )
    .stdout;
    assert_eq!(wire, shell);
    let people = run(&["move", "4HPwATDgc/ABMA", "31", "--format", "text"], b"");
    assert!(
        String::from_utf8(people.stdout)
            .unwrap()
            .contains("  1 8/5 6/5")
    );
    for verb in ["eval", "cube", "show", "convert"] {
        for format in ["json", "text"] {
            let output = run(&[verb, "4HPwATDgc/ABMA", "--format", format], b"");
            assert_eq!(output.status.code(), Some(0), "{verb} {format}");
            assert!(!output.stdout.is_empty());
        }
    }
}

/// No subcommand and no terminal: a pipe.
#[test]
fn no_subcommand_is_a_pipe() {
    let output = run(&[], b"ping\n");
    assert_eq!(answers(&output)[0]["type"], "pong");
}

/// Built-in default < file < environment < command line.
#[test]
fn settings_come_from_file_environment_and_flags() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gammond.toml");
    std::fs::write(&file, "plies = 1\n\n[pipe]\nanswer = \"text\"\n").unwrap();
    let plies = |arguments: &[&str], environment: Option<&str>| {
        let mut command = gammond();
        if let Some(value) = environment {
            command.env("GAMMOND_PLIES", value);
        }
        let child = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn();
        let mut child = child.unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(b"set answer=json\nget\n")
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
        last["plies"].as_u64().unwrap()
    };
    let config = file.to_str().unwrap();
    assert_eq!(plies(&["pipe"], None), 0);
    assert_eq!(plies(&["pipe", "--config", config], None), 1);
    assert_eq!(plies(&["pipe", "--config", config], Some("2")), 2);
    assert_eq!(
        plies(&["pipe", "--config", config, "--plies", "3"], Some("2")),
        3
    );
    let text = run(&["pipe", "--config", config], b"ping\n");
    assert_eq!(text.stdout, b"pong\n");
    std::fs::write(&file, "plys = 1\n").unwrap();
    let wrong = run(&["pipe", "--config", config], b"");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("'plys' is not an option of gammond"));
    std::fs::write(&file, "[analyse]\nplies = 1\n").unwrap();
    let wrong = run(&["pipe", "--config", config], b"");
    assert_eq!(wrong.status.code(), Some(2));
    let said = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(said.contains("(example: plies = 1)"), "{said}");
}

/// What the command line excludes is not taken from the configuration file.
#[test]
fn command_line_wins_over_what_it_excludes() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gammond.toml");
    let text = "[play]\nmatch = 3\nsave = \"none\"\n[duel]\nmatch = 3\n";
    std::fs::write(&file, text).unwrap();
    let config = file.to_str().unwrap();
    let said = |line: &str| {
        let mut words: Vec<&str> = line.split(' ').collect();
        words.extend(["--config", config]);
        String::from_utf8(run(&words, b"quit\n").stdout).unwrap()
    };
    assert!(said("play").contains("a match to 3 points"));
    let games = said("play --games 2 --beavers");
    assert!(games.contains("You play 2 money games"), "{games}");
    let duel = "duel gammond gammond:noise=0.2 --games 2 --quiet";
    assert!(said(duel).contains("matches to 3 points"));
    let money = said(&format!("{duel} --cube --no-jacoby"));
    assert!(money.contains("2 money games, no Jacoby"), "{money}");
}

/// A bot on a pipe gets its answer while the pipe stays open.
#[test]
fn an_answer_comes_while_the_input_pauses() {
    let mut child = gammond()
        .arg("pipe")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    for id in ["a", "b", "c"] {
        writeln!(stdin, "#{id} 4HPwATDgc/ABMA 31 top=1").unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let answer: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(answer["id"], id);
    }
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// A reader that has seen enough ends the program quietly.
#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = gammond()
        .arg("pipe")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    // Ends with an error when the program has gone, which it may at any line.
    while writeln!(stdin, "4HPwATDgc/ABMA 31").is_ok() {}
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(
        output.stderr.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The same bytes whatever the number of threads.
#[test]
fn answers_do_not_depend_on_the_threads() {
    let sample = include_bytes!("../data/requests.txt").repeat(20);
    let one = run(&["pipe", "--threads", "1"], &sample).stdout;
    for threads in ["2", "3", "8"] {
        assert!(
            run(&["pipe", "--threads", threads], &sample).stdout == one,
            "{threads} threads"
        );
    }
}

/// Each page that the main manual page refers to is one that `gammond man` makes.
#[test]
fn the_manual_lists_only_pages_that_exist() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(&["man", "--folder", folder.path().to_str().unwrap()], b"");
    assert_eq!(output.status.code(), Some(0));
    let main = std::fs::read_to_string(folder.path().join("gammond.1")).unwrap();
    let mut listed = 0;
    for line in main.lines().filter(|line| line.starts_with("gammond\\-")) {
        let page = line.replace('\\', "");
        let name = page.strip_suffix("(1)").unwrap();
        assert!(folder.path().join(format!("{name}.1")).exists(), "{page}");
        let command = name.strip_prefix("gammond-").unwrap();
        let one = run(&["man", command], b"");
        let text = String::from_utf8(one.stdout).unwrap();
        assert!(text.contains(&format!(".TH {name} 1")), "{command}: {text}");
        listed += 1;
    }
    assert!(listed >= 20, "{main}");
    let nested = run(&["man", "bearoff", "make"], b"");
    assert!(
        String::from_utf8(nested.stdout)
            .unwrap()
            .contains(".TH gammond-bearoff-make 1")
    );
    assert_eq!(run(&["man", "nosuch"], b"").status.code(), Some(2));
}

#[test]
fn a_log_level_that_is_none_is_refused() {
    let output = run(&["eval", "4HPwATDgc/ABMA", "--log", "nonsense"], b"");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("'nonsense' is not a level"), "{text}");
}

/// Plays are spelt for people as in JSON: `13/9`, not `13/10 10/9`.
#[test]
fn people_see_the_spelling_of_the_wire() {
    let arguments = ["move", "4HPwATDgc/ABMA", "31", "top=16", "--format"];
    let json = run(&[&arguments[..], &["json"]].concat(), b"");
    let text = run(&[&arguments[..], &["text"]].concat(), b"");
    let text = String::from_utf8(text.stdout).unwrap();
    let plays = answers(&json)[0]["plays"].as_array().unwrap().clone();
    assert_eq!(plays.len(), 16);
    for play in plays {
        let spelt = play["play"].as_str().unwrap();
        assert!(text.contains(&format!(" {spelt} ")), "{spelt}: {text}");
    }
    assert!(!text.contains('\x1b'), "colour into a pipe");
}

#[test]
fn every_help_has_an_example() {
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let mut seen = 0;
    while let Some(words) = open.pop() {
        let line: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = String::from_utf8(run(&line, b"").stdout).unwrap();
        // Something to type, and not only how to read on.
        let example = help.split("\nExample:").nth(1).unwrap_or("");
        let name = words.join(" ");
        assert!(example.contains("gammond"), "{name}: {help}");
        assert!(!example.contains("--help"), "{name}: {help}");
        let (own, common) = (help.find("\nOptions:"), help.find("\nCommon options:"));
        assert!(own.is_none_or(|own| own < common.unwrap()), "{help}");
        seen += 1;
        // The first page has its commands in groups, and names the others below them.
        let first = words.is_empty();
        let commands = (help.lines())
            .skip_while(|line| !(line.starts_with("Commands:") || line.starts_with("Positions:")))
            .take_while(|line| !line.starts_with("Each has") && (first || !line.is_empty()))
            .filter_map(|line| line.strip_prefix("  "))
            .flat_map(|line| {
                let list = line
                    .split(' ')
                    .next()
                    .is_some_and(|name| name.ends_with(','));
                line.split(' ').take(if list { 99 } else { 1 })
            })
            .map(|name| name.trim_end_matches(','))
            .filter(|name| !name.is_empty() && *name != "help");
        open.extend(commands.map(|name| [words.clone(), vec![name.to_owned()]].concat()));
    }
    assert!(seen > 40, "{seen} commands");
}

/// `-h` shows a command's own options and the common ones in one line; `--help` shows all.
#[test]
fn short_help_folds_the_common_options() {
    for line in ["analyse -h", "rollout -h", "train -h", "net info -h", "-h"] {
        let words: Vec<&str> = line.split(' ').collect();
        let short = String::from_utf8(run(&words, b"").stdout).unwrap();
        assert!(!short.contains("\nCommon options:\n"), "{short}");
        let folded = short.find("\nCommon options: --nets --plies ").unwrap();
        let example = short.find("\nExample: gammond").unwrap();
        let own = short.find("\nOptions:\n");
        assert!(
            folded < example && own.is_none_or(|own| own < folded),
            "{short}"
        );
        let words: Vec<String> = words
            .iter()
            .map(|word| word.replace("-h", "--help"))
            .collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let long = String::from_utf8(run(&words, b"").stdout).unwrap();
        assert!(
            long.contains("\nCommon options:\n") && !long.contains("--help has more"),
            "{long}"
        );
        assert!(short.lines().count() + 10 < long.lines().count(), "{line}");
    }
}

/// A position in the place of a command asks for its plays or its chances; a Match ID may be a word of its own.
#[test]
fn position_without_command_is_answered() {
    let output = |line: &str| {
        let output = gammond().args(line.split(' ')).output().unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    for (typed, meant) in [
        ("4HPwATDgc/ABMA 31", "move 4HPwATDgc/ABMA 31"),
        (
            "4HPwATDgc/ABMA 31 plies=1",
            "move 4HPwATDgc/ABMA 31 plies=1",
        ),
        ("4HPwATDgc/ABMA", "eval 4HPwATDgc/ABMA"),
        (
            "4HPwATDgc/ABMA cAkAAAAAAAAE",
            "eval 4HPwATDgc/ABMA:cAkAAAAAAAAE",
        ),
        (
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
            "move XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
        ),
    ] {
        assert_eq!(output(typed), output(meant), "{typed}");
    }
}

/// Each wrong command line of `tests/data/mistakes.tsv` gets its message.
#[test]
fn mistakes_are_named_with_the_way_out() {
    let table = include_str!("../data/mistakes.tsv");
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("requests.txt", "4HPwATDgc/ABMA\n"),
        ("float.safetensors", "\x10\0\0\0\0\0\0\0{\"a\":1}         "),
        ("empty", ""),
        ("pw", "secret"),
        ("two.toml", "plies = \"two\"\n"),
        ("nosuch-option.toml", "nosuch = 1\n"),
        ("twice.toml", "plies = 1\nplies = 2\n"),
        ("wrong-key.toml", "lenght_max = 7\n"),
        ("long.toml", "leave_s = 31622401\n"),
        ("wrong-type.toml", "length_max = \"seven\"\n"),
        ("short.bm", "m OAHDPAABDAOAHDPAABDA 2 4 X\n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    for name in ["pw", "empty"] {
        use std::os::unix::fs::PermissionsExt as _;
        let only_mine = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(folder.path().join(name), only_mine).unwrap();
    }
    let mut tried = 0;
    for line in table.lines() {
        let Some((typed, said)) = line.split_once('\t') else {
            continue;
        };
        let output = gammond()
            .args(typed.split(' '))
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(
            text.contains(said),
            "gammond {typed}: {said:?} is not in {text:?}"
        );
        assert_ne!(output.status.code(), Some(0), "gammond {typed}");
        tried += 1;
    }
    assert!(tried >= 160, "{tried} mistakes");
}

/// The neurons of every kind of net as a picture: red where a weight is negative, green where it is positive.
#[test]
fn net_draw_takes_every_kind_of_net() {
    let float = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/float/race.safetensors");
    let folder = tempfile::tempdir().unwrap();
    let classic = folder.path().join("td.net");
    let classic = classic.to_str().unwrap();
    let made = run(
        &["lab", "td", classic, "--hidden", "4", "--episodes", "2"],
        b"",
    );
    assert!(made.status.success(), "{made:?}");
    let mut nets = vec![vec!["race.net"], vec![float], vec![classic]];
    let gnubg = crate::support::gnubg_wd("net_draw_takes_every_kind_of_net");
    if let Some(path) = &gnubg {
        let path = path.to_str().unwrap();
        nets.push(vec![path]);
        nets.push(vec![path, "--class", "crashed"]);
    }
    for net in nets {
        let output = run(
            &[&["net", "draw", "--neurons", "3"], &net[..]].concat(),
            b"",
        );
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{net:?}: {:?}", output.stderr);
        // The last panel has the biases of the next layer.
        assert_eq!(text.matches("<g ").count(), 3 + 1, "{net:?}");
        assert!(text.contains("then the bias; then the weights into the next layer"));
        assert!(text.contains("green positive, red negative"), "{net:?}");
        // A weight of 0 is white; every other colour is a shade of one of the two.
        let fills = text.split("fill=\"#").skip(1);
        let shades: Vec<[u8; 3]> = fills
            .map(|rest| [0, 2, 4].map(|at| u8::from_str_radix(&rest[at..at + 2], 16).unwrap()))
            .collect();
        let red = |c: &&[u8; 3]| c[0] == 255 && c[1] == c[2] && c[1] < 255;
        let green = |c: &&[u8; 3]| c[1] > c[0] && c[0] == c[2];
        let count = |of: &dyn Fn(&&[u8; 3]) -> bool| shades.iter().filter(of).count();
        let white = count(&|c| **c == [255; 3]);
        assert!(count(&red) > 20 && count(&green) > 20, "{net:?}");
        assert_eq!(count(&red) + count(&green) + white, shades.len(), "{net:?}");
    }
}

/// Float nets are known by what they hold: training writes them under names that end like those of net files.
#[test]
fn float_nets_are_told_from_net_files() {
    let float = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/float/race.safetensors");
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/nets/race.net");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (trained, made) = (at("round-1-race.net"), at("made.net"));
    std::fs::copy(float, &trained).unwrap();
    let fails = |arguments: &[&str], code: i32, why: &str| {
        let output = run(arguments, b"");
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {said}");
        assert!(said.contains(why), "{arguments:?}: {said}");
    };
    let position = "4HPwATDgc/ABMA";
    for nets in [&trained, folder.path().to_str().unwrap()] {
        fails(
            &["eval", position, "--nets", nets],
            3,
            "convert them to a net file first",
        );
    }
    let quantise = ["net", "quantise"];
    let class = ["--class", "race"];
    fails(
        &[&quantise[..], &[own, &made], &class].concat(),
        3,
        "is a net file already",
    );
    fails(
        &[&quantise[..], &[&trained, &made, "--class", "racing"]].concat(),
        2,
        "contact-board",
    );
    let output = run(&[&quantise[..], &[&trained, &made], &class].concat(), b"");
    assert!(output.status.success(), "{output:?}");
    // A net is replaced; the input and files of others are not.
    let output = run(&[&quantise[..], &[&trained, &made], &class].concat(), b"");
    assert!(output.status.success(), "{output:?}");
    let notes = at("keep.txt");
    std::fs::write(&notes, "my notes\n").unwrap();
    let around = folder.path().join(".").join("round-1-race.net");
    for (output, why) in [
        (trained.as_str(), "round-1-race.net: is the input"),
        (around.to_str().unwrap(), "round-1-race.net: is the input"),
        (notes.as_str(), "keep.txt: is not a net file"),
    ] {
        fails(
            &[&quantise[..], &[&trained, output], &class].concat(),
            3,
            why,
        );
    }
    assert_eq!(std::fs::read_to_string(&notes).unwrap(), "my notes\n");
    assert!(std::fs::read(&trained).unwrap() == std::fs::read(float).unwrap());
    let output = run(&["net", "info", "embedded:fast"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("for class contact-fast"), "{text}");
}

/// Pictures: a PNG of the width that was asked for, an SVG with the arrows of a play.
#[test]
fn show_draws_pictures() {
    let start = "4HPwATDgc/ABMA";
    let output = run(&["show", start, "31", "--png", "-", "--width", "612"], b"");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(&output.stdout[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(output.stdout[at..at + 4].try_into().unwrap());
    assert_eq!([number(16), number(20)], [612, 468]);
    // Not one colour only: the board is there.
    assert!(output.stdout.len() > 8_000, "{}", output.stdout.len());
    let with = ["show", start, "31", "--svg", "-", "--play", "8/5 6/5"];
    let text = String::from_utf8(run(&with, b"").stdout).unwrap();
    assert_eq!(text.matches("class=\"a\"").count(), 2);
}

/// Answers of several values as pictures, by the commands' own options.
#[test]
fn answers_are_drawn() {
    let start = "4HPwATDgc/ABMA";
    let scores = ["scores", start, "31", "away=3", "plies=0"];
    let with = [&scores[..], &["--svg", "-", "--theme", "dark"]].concat();
    let text = String::from_utf8(run(&with, b"").stdout).unwrap();
    assert!(
        text.starts_with("<svg") && text.ends_with("</svg>\n"),
        "{text}"
    );
    assert!(text.contains("For money: 8/5 6/5") && !text.contains("var("));
    for verb in ["rolls", "cubes", "explain"] {
        let output = run(
            &[verb, start, "plies=0", "--png", "-", "--width", "500"],
            b"",
        );
        assert_eq!(output.status.code(), Some(0), "{verb}");
        assert_eq!(output.stdout[..4], *b"\x89PNG", "{verb}");
        assert_eq!(output.stdout[16..20], 500_u32.to_be_bytes(), "{verb}");
    }
    let german = [&scores[..], &["--svg", "-", "--language", "de"]].concat();
    let text = String::from_utf8(run(&german, b"").stdout).unwrap();
    assert!(text.contains("Der beste Zug von 31"), "{text}");
    let german = [
        "explain",
        start,
        "31",
        "plies=0",
        "--svg",
        "-",
        "--language",
        "de",
    ];
    let text = String::from_utf8(run(&german, b"").stdout).unwrap();
    assert!(text.contains("mehr als"), "{text}");
    for wrong in [
        &["--language", "de"][..],
        &["--language", "pl", "--svg", "-"],
    ] {
        let refused = run(&[&scores[..], wrong].concat(), b"");
        assert_eq!(refused.status.code(), Some(2), "{wrong:?}");
    }
    let japanese = ["explain", start, "31", "language=ja"];
    let svg = run(&[&japanese[..], &["--svg", "-"]].concat(), b"");
    assert!(String::from_utf8(svg.stdout).unwrap().contains('は'));
    let refused = run(&[&japanese[..], &["--png", "-"]].concat(), b"");
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(
        message.contains("a PNG has Latin letters only"),
        "{message}"
    );
}

/// `--kernels` takes each name of this processor, whose answers have the same bytes, and refuses others with the names it
/// has.
#[test]
fn kernels_of_this_processor_answer_alike() {
    let asked = |kernels: &str| {
        let request = [
            "move",
            "4HPwATDgc/ABMA",
            "31",
            "plies=1",
            "--format",
            "json",
        ];
        run(&[&["--kernels", kernels][..], &request].concat(), b"")
    };
    let usual = asked("scalar").stdout;
    assert!(usual.starts_with(b"{"));
    let levels = gammond_engine::nn::CpuLevel::available();
    for level in &levels {
        let name = level.name().to_lowercase().replace(' ', "-");
        assert!(asked(&name).stdout == usual, "{name}");
        let about = run(&["--kernels", &name, "doctor"], b"").stdout;
        let kernels = format!("CPU       {} kernels", level.name());
        assert!(
            String::from_utf8(about).unwrap().contains(&kernels),
            "{name}"
        );
    }
    let refused = asked("mmx");
    assert_eq!(refused.status.code(), Some(2));
    let message = String::from_utf8(refused.stderr).unwrap();
    assert!(
        message.contains("'mmx'") && message.contains("scalar"),
        "{message}"
    );
}

#[test]
fn doctor_reports_the_installation() {
    let output = run(&["doctor"], b"");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{text}");
    for part in [
        "CPU ",
        "nets      gammond",
        "threads ",
        "bearoff   built in",
        "commit",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let broken = run(&["doctor", "--nets", "no/such/file"], b"");
    assert_eq!(broken.status.code(), Some(1));
    assert!(
        String::from_utf8(broken.stdout)
            .unwrap()
            .contains("UNUSABLE")
    );
    let version = String::from_utf8(run(&["--version"], b"").stdout).unwrap();
    let level = format!("{} kernels", gammond_engine::nn::CpuLevel::detect().name());
    assert!(version.contains(&level), "{version}");
    assert!(text.contains(&level), "{text}");
    assert!(
        version.contains("commit") && version.contains("kernels"),
        "{version}"
    );
}

/// A wrong value of a variable is reported with the variable's name.
#[test]
fn wrong_variable_is_named() {
    let output = gammond()
        .env("GAMMOND_THREADS", "several")
        .args(["eval", "4HPwATDgc/ABMA"])
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said.contains("'several' is from the variable GAMMOND_THREADS"),
        "{said}"
    );
}

/// What `config print` prints is a configuration file that says the same.
#[test]
fn the_printed_configuration_can_be_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("gammond");
    std::fs::create_dir(&place).unwrap();
    let print = || {
        let output = gammond()
            .env("XDG_CONFIG_HOME", folder.path())
            .args(["config", "print"])
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    std::fs::write(place.join("config.toml"), "plies = 2\nseed = 9\n").unwrap();
    let first = print();
    assert!(
        first.contains("plies = 2") && first.contains("seed = 9"),
        "{first}"
    );
    assert!(
        first.contains("# [serve]") && first.contains("(read)"),
        "{first}"
    );
    // A default is no choice: commands have defaults of their own.
    assert!(
        first.contains("\n# met = ") && first.contains("\n# log = "),
        "{first}"
    );
    std::fs::write(place.join("config.toml"), &first).unwrap();
    assert_eq!(print(), first);
}

/// The command line comes before the file, also for two settings of which one is in the place of the other.
#[test]
fn plies_of_the_command_line_outrank_a_level_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let file = at("level.toml", "[analyse]\nlevel = \"roller\"\n");
    let game =
        " 1 point match\n\n Game 1\n A : 0     B : 0\n  1) 31: 8/5 6/5     62: 24/18 13/11\n";
    let game = at("game.mat", game);
    let level = |options: &[&str]| {
        let output = run(
            &[&["analyse", &game, "--format", "json"][..], options].concat(),
            b"",
        );
        assert_eq!(output.status.code(), Some(0), "{options:?}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        report["level"].as_str().unwrap().to_owned()
    };
    assert_eq!(level(&["--plies", "0", "--config", &file]), "0-ply");
    assert_eq!(level(&["--config", &file]), "roller");
    assert_eq!(level(&["--level", "roller"]), "roller");
}

/// The signature of the built-in nets is the recorded one, whatever the threads.
/// `GAMMOND_REWRITE=1` records it anew: say in the commit why answers changed.
#[test]
fn the_bench_signature_is_the_recorded_one() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/bench_signature.txt"
    );
    let signature = |threads| {
        let output = run(&["signature", "--threads", threads], b"");
        String::from_utf8(output.stdout).unwrap()
    };
    let found = signature("1");
    assert_eq!(found, signature("3"));
    if std::env::var_os("GAMMOND_REWRITE").is_some() {
        std::fs::write(path, &found).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), found);
}

/// Numbers beyond their limits and settings that do not fit are wrong usage, told at the start.
#[test]
fn limits_of_the_command_line() {
    let refused = |arguments: &[&str], part: &str| {
        let output = run(arguments, b"");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {text}");
        assert!(text.contains(part), "{arguments:?}: {text}");
    };
    refused(&["pipe", "--threads", "1000000"], "512");
    refused(&["pipe", "--plies", "5"], "4");
    let forever = "18446744073709551615";
    refused(&["serve", "--idle-timeout", forever], "31622400");
    refused(&["serve", "--grace", forever], "86400");
    refused(&["serve", "--connections", "0"], "expected 1 to 1000000");
    refused(&["serve", "--queue", "99999999999"], "1000000");
    refused(&["serve", "--beavers", "200"], "12");
    refused(&["pipe", "length=7", "score=9:9"], "not below");
    refused(&["serve", "lenght=7"], "did you mean length?");
    refused(&["pipe", "Cargo.toml"], "gammond pipe < Cargo.toml");
}

/// `pipe --format text` prints text; `--answer` goes before it.
#[test]
fn a_pipe_prints_text() {
    let text = |arguments: &[&str]| {
        let output = run(arguments, b"ping\n");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(text(&["pipe", "--format", "text"]), "pong\n");
    let json = "{\"type\":\"pong\"}\n";
    assert_eq!(text(&["pipe", "--format", "json"]), json);
    assert_eq!(
        text(&["pipe", "--format", "text", "--answer", "json"]),
        json
    );
}

/// PLY-16: lines have the value of the depth, in every style.
#[test]
fn move_lines_report_the_depth_that_was_asked_for() {
    for style in ["json", "text"] {
        let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
            .args([
                "move",
                "4HPwATDgc/ABMA",
                "31",
                "plies=1",
                "top=1",
                "--format",
                style,
            ])
            .output()
            .unwrap();
        let answer = String::from_utf8(output.stdout).unwrap();
        let depth = if style == "json" {
            "\"plies\":1"
        } else {
            "1-ply"
        };
        assert!(
            answer.contains(depth) && !answer.contains("enough"),
            "{answer}"
        );
    }
}

/// The same by `convert`, through the program (MID-11).
#[test]
fn convert_keeps_the_text_of_ids() {
    use std::io::Write as _;
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gnubg_ids.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let ids: Vec<&str> = (text.lines().filter(|line| !line.starts_with(';')))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(["pipe", "--threads", "1"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let asked: String = ids.iter().map(|id| format!("convert {id}\n")).collect();
    let mut input = program.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(asked.as_bytes()).unwrap());
    let output = program.wait_with_output().unwrap();
    writer.join().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    assert_eq!(answers.lines().count(), ids.len());
    for (answer, id) in answers.lines().zip(ids) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        assert_eq!(text_of(&answer), id, "{answer}");
    }
}

fn text_of(answer: &Value) -> &str {
    answer["gnubgid"].as_str().unwrap_or("none")
}
