//! `gammond lab`: training goes on where it stopped, names what is wrong, and its curves are drawn.

use gammond_base::checksum::sha256;
use std::fs;
use std::path::Path;
use std::process::Command;

fn gammond(folder: &Path, words: &str) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(words.split(' '))
        .current_dir(folder)
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).unwrap();
    (output.status.code().unwrap(), text)
}

#[test]
fn the_command_trains_goes_on_and_plays() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| gammond(folder.path(), words);
    let small = "lab td a.net --representation quack-norm --hidden 3 --every 2 --seed 5";
    let (code, said) = run(&format!(
        "{small} --episodes 4 --against random --test-games 4"
    ));
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("after 4 games: "), "{said}");
    assert!(
        said.contains("a.net: quack-norm 28-3-1, 87 weights and 4 biases"),
        "{said}"
    );
    let four = sha256(&fs::read(folder.path().join("a.net")).unwrap());
    // Longer than before, then as long as before: each time the file of that length.
    let longer = |games: u32| {
        let more = format!("{small} --episodes {games} --against random --test-games 4");
        assert_eq!(run(&more).0, 0);
        sha256(&fs::read(folder.path().join("a.net")).unwrap())
    };
    assert_ne!(longer(6), four);
    assert_eq!(longer(4), four);
    let (code, said) = run(small);
    assert_eq!(code, 3, "{said}");
    assert!(
        said.contains("a net made with another tests.games"),
        "{said}"
    );
    let (code, said) = run("duel td:a.net hillclimb:a.net:sides=invert --games 2 --quiet");
    assert_eq!(code, 0, "{said}");
    // A net plays as it was trained.
    let inverted = small.replace("a.net", "i.net") + " --episodes 2 --sides invert";
    assert_eq!(run(&inverted).0, 0);
    let (code, said) = run("duel td:i.net td:i.net:sides=swap --games 2 --quiet");
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("td:i.net:sides=invert against td:i.net,"),
        "{said}"
    );
}

#[test]
fn commands_name_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| gammond(folder.path(), words);
    let (code, said) = run(
        "lab hillclimb b.net --representation quack --hidden 2 --hidden 2 --rounds 2 --curriculum 1 --guard 1 --outputs 4",
    );
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains("b.net: quack 26-2-2-4, 64 weights and 8 biases"),
        "{said}"
    );
    fs::write(
        folder.path().join("data.txt"),
        "OAHDPAABDAOAHDPAABDA 0.5 0.1 0 0.1 0\n# end\n",
    )
    .unwrap();
    let (code, said) = run("lab supervised data.txt c.net --hidden 2 --epochs 3 --rates steps");
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("1 positions\nepoch 1: mean error"), "{said}");
    fs::write(
        folder.path().join("data.txt"),
        "OAHDPAABDAOAHDPAABDA 0.5 0.1 0 0.1\n",
    )
    .unwrap();
    for (words, wanted, why) in [
        ("lab supervised data.txt d.net", 3, "data.txt: line 1: "),
        ("lab supervised none.txt d.net", 3, "none.txt: "),
        (
            "lab td data.txt",
            3,
            "data.txt: a file of this name exists already",
        ),
        (
            "lab td d.net --outputs 3",
            2,
            "3 outputs, expected 1, 4 or 5",
        ),
        (
            "lab td d.net --hidden 1 --hidden 1 --hidden 1",
            2,
            "3 hidden layers",
        ),
        (
            "lab td d.net --representation quak",
            2,
            "expected one of quack",
        ),
        (
            "lab td d.net --against nobody",
            2,
            "expected gammond, pubeval",
        ),
        (
            "duel td:data.txt random",
            3,
            "data.txt: line 1: is not a classic net",
        ),
        ("duel td:none.net random", 3, "none.net: "),
        (
            "duel expectiminimax:eval=pubeval random",
            2,
            "pubeval does not value positions",
        ),
    ] {
        let (code, said) = run(words);
        assert_eq!(code, wanted, "{words}: {said}");
        assert!(said.contains(why), "{words}: {said}");
        assert!(said.trim_end().lines().count() <= 3, "{words}: {said}");
        assert!(!folder.path().join("d.net").exists(), "{words}");
    }
}

/// `--curve` keeps the scores and draws them; a file of another program is left as it is.
#[test]
fn curves_are_kept_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| gammond(folder.path(), words);
    let words = "lab hillclimb a.net --hidden 3 --rounds 4 --every 2 --against random --test-games 10 --curve c.csv";
    for _ in 0..2 {
        let (code, said) = run(words);
        assert_eq!(code, 0, "{said}");
    }
    let path = folder.path().join("c.csv");
    let text = fs::read_to_string(&path).unwrap();
    assert!(
        text.starts_with("rounds,points per game,standard error,name\n2,"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 3);
    let picture = fs::read_to_string(folder.path().join("c.svg")).unwrap();
    assert!(picture.starts_with("<svg"), "{picture}");
    fs::write(&path, "my thesis\n").unwrap();
    let (code, said) = run(words);
    assert!(code == 3 && said.contains("left unchanged"), "{said}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "my thesis\n");
    // A net of this kind is described, and two of them are watched.
    let (code, said) = run("net info a.net");
    assert!(
        code == 0
            && said.contains("classic net")
            && said.contains("198 - 3 - 1")
            && said.contains("first    594 weights")
            && said.contains("next     3 weights")
            && said.contains("; 1 biases"),
        "{said}"
    );
    let (code, said) = run("eval 4HPwATDgc/ABMA --nets a.net --format json");
    assert!(
        code == 0 && said.contains("classic td-gammon 198-3-1"),
        "{said}"
    );
    let (code, said) = run("duel td:a.net gammond:nets=a.net --games 4 --quiet");
    assert!(
        code == 0 && said.contains("td:a.net: won 50.00 %"),
        "{said}"
    );
    let (code, said) = run("duel td:a.net random --games 2 --watch --quiet");
    assert!(code == 0 && said.matches(" wins ").count() == 2, "{said}");
}

#[test]
#[ignore = "long; .ci/run test runs it"]
fn experiments_are_listed_and_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = |words: &str| gammond(folder.path(), words);
    let (code, said) = run("lab list");
    assert!(
        code == 0 && said.contains("random-even\n    claim: "),
        "{said}"
    );
    for _ in 0..2 {
        let (code, said) = run("lab run random-even expectiminimax-1 --seed 2");
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("random-even: reproduced\n"), "{said}");
    }
    let results = folder.path().join("lab-results.jsonl");
    let text = fs::read_to_string(&results).unwrap();
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(
        text.contains("gammond lab run random-even --seed 2"),
        "{text}"
    );
    let (code, said) = run("lab table lab-results.jsonl");
    assert_eq!(code, 0, "{said}");
    let row = "\n| random-even, seeds 2 | reproduced | reproduced | 5 | ";
    assert!(
        said.contains(row) && said.contains("\n| td0 | reproduced | not yet run | | |\n"),
        "{said}"
    );
    assert!(
        said.contains("\n- **random-even, seeds 2** (`gammond lab run random-even --seed 2`): "),
        "{said}"
    );
    assert!(said.lines().all(|line| line.len() <= 120), "{said}");
    // What does not fit a budget is left out.
    let (code, said) = run("lab run random-even td0 --budget 0.01 --results few.jsonl");
    assert!(
        code == 0 && said.contains("td0 does not fit the budget"),
        "{said}"
    );
    assert!(
        said.contains("random-even: reproduced\n") && !said.contains("td0: "),
        "{said}"
    );
    let (code, said) = run("lab table nothing.jsonl");
    assert!(code == 3 && said.contains("nothing.jsonl: "), "{said}");
    let (code, said) = run("lab run expectiminimax-gnubg");
    assert!(code == 2 && said.contains("--gnubg FILE"), "{said}");
    let (code, said) = run("lab run nothing");
    assert!(
        code == 2 && said.contains("'nothing' is no experiment"),
        "{said}"
    );
    for foreign in ["my notes\n", "{}\n", "[1]\n"] {
        fs::write(&results, foreign).unwrap();
        let (code, said) = run("lab run random-even");
        assert!(code == 3 && said.contains("line 1: not a result"), "{said}");
        assert_eq!(fs::read_to_string(&results).unwrap(), foreign);
    }
}
