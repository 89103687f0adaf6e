//! Starts and variants of duels: START-01 to START-03, HYPER-08.

use gammond_arena::player::{Defaults, Player, PlayerSpec};
use gammond_base::rng::stream;
use gammond_engine::bearoff::{Database, HyperTable};
use gammond_game::notation::{MatAction, MatPlayer, MatchFile, PositionId};
use gammond_game::{Position, Roll, Variant, legal_plays};
use std::path::Path;

const ODD: &str = "4HPhASjgc/ABMA";
const NACK: &str = "4Dl4ADbgOXgANg";

/// Runs the program in a folder; true if it succeeds, and what it says.
fn run(at: &Path, words: &str) -> (bool, String) {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_gammond"))
        .args(words.split_whitespace())
        .current_dir(at)
        .output()
        .unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.success(), text)
}

/// Plays a duel of a classical player against a random one.
fn duel(at: &Path, words: &str) -> (bool, String) {
    run(at, &format!("duel pubeval random --seed 3 --quiet {words}"))
}

/// Returns the player on roll and the position at the start of each game in the match files of a folder.
fn starts(folder: &Path) -> Vec<(usize, String)> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    names.sort();
    let games = names.iter().flat_map(|path| {
        let reading = MatchFile::read(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!(reading.faults, []);
        reading.file.games
    });
    let start = |actions: &[(MatPlayer, MatAction)]| match actions[..2] {
        [(first, MatAction::SetUp(set_up)), (second, _)] => {
            assert_eq!(first, second);
            (first.index(), PositionId::from(set_up.position).to_string())
        }
        _ => panic!("{actions:?}"),
    };
    games.map(|game| start(&game.actions)).collect()
}

/// START-01 to START-03: duels from a position, from a file of them and from random ones, in which match files begin.
#[test]
fn duels_begin_at_given_positions() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let positions = |name: &str| -> Vec<String> {
        let all = starts(&at.join(name)).into_iter();
        all.map(|(_, position)| position).collect()
    };
    let text = format!("# two\n{ODD}\n{NACK} # of another variant\n");
    std::fs::write(at.join("two.txt"), text).unwrap();
    // Each player of a pair is on roll once.
    assert!(duel(at, &format!("--games 2 --start {ODD} --mat one")).0);
    let one = starts(&at.join("one"));
    assert_eq!(one, [(0, ODD.to_owned()), (1, ODD.to_owned())]);
    assert!(duel(at, "--games 6 --start two.txt --mat two").0);
    assert_eq!(positions("two"), [ODD, ODD, NACK, NACK, ODD, ODD]);
    assert!(duel(at, "--games 6 --start random --mat random").0);
    let random = positions("random");
    for pair in random.chunks(2) {
        assert_eq!(pair[0], pair[1]);
    }
    assert_ne!(random[0], random[2]);
    assert!(duel(at, "--games 6 --start random:3 --mat same").0);
    assert_eq!(positions("same"), random);
    // In a match each game has a start of its own.
    let words =
        "duel gammond gammond --match 5 --games 2 --start random --mat match --seed 3 --quiet";
    assert!(run(at, words).0);
    let games = positions("match");
    assert!(games.len() > 2 && games[0] != games[1], "{games:?}");
    // The luck of an opening roll is judged at the start of its game.
    let words = "duel pubeval linear --games 60 --start random --luck-adjusted embedded:fast --seed 3 --quiet";
    let (is_done, text) = run(at, words);
    let factor = text.trim().rsplit(' ').next().unwrap().parse::<f64>();
    assert!(
        is_done && text.contains("60 games") && factor.unwrap() > 2.0,
        "{text}"
    );
}

/// START-01: the starts are part of the identity of the work, and those that are none are refused.
#[test]
fn starts_of_a_duel_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(duel(at, &format!("--games 4 --start {ODD} --journal j")).0);
    for other in ["", "--start random", &format!("--start {NACK}")] {
        let (is_done, text) = duel(at, &format!("--games 4 --journal j {other}"));
        assert!(
            !is_done && text.contains("starts was '4HPhASjgc/ABMA'"),
            "{text}"
        );
    }
    for (bad, expected) in [
        ("--start hello", "nor is it a file"),
        ("--start random:x", "such as random:7"),
        (
            "--start 4HPwATDgc/ABMA --variant hypergammon",
            "at most 3 in hypergammon",
        ),
        ("--start AQAAAAAAAAAAAA", "over"),
    ] {
        let (is_done, text) = duel(at, bad);
        assert!(!is_done && text.contains(expected), "{text}");
    }
}

/// Compares the plays of one checker a side with those that the table values most; returns the number of real choices.
fn choices_as_solved(ours: &dyn Player, solved: &HyperTable) -> usize {
    let worth = |after: &Position| match Variant::Hypergammon1.outcome(after) {
        Some(outcome) => outcome.points() as f32,
        None => solved.probe(after).unwrap().chances.equity(),
    };
    // Each checker has the other one before it.
    let pairs = (0..24).flat_map(|mine| (24 - mine..24).map(move |theirs| [mine, theirs]));
    let (mut choices, mut chance) = (0, stream(1, 0));
    for sides in pairs {
        let [me, opponent] = sides.map(|index| std::array::from_fn(|at| u8::from(at == index)));
        let position = Position::new(&me, &opponent).unwrap();
        for roll in Roll::ALL {
            let plays = legal_plays(&position, roll);
            let all = || plays.iter().map(|play| worth(&play.after));
            let (least, most) = (all().fold(3.0, f32::min), all().fold(-3.0, f32::max));
            let after = worth(&ours.play(&position, roll, &mut chance).unwrap());
            assert!(
                after <= least + 1e-5,
                "{position:?} {roll}: {after} {least}"
            );
            choices += usize::from(most > least + 0.05);
        }
    }
    choices
}

/// HYPER-08: without the cube too gammond plays hypergammon by its table, and players that know fifteen checkers alone
/// refuse it.
#[test]
fn cubeless_hypergammon_is_played_by_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    assert!(run(at, "bearoff make hyper1.bd --hyper 1 --progress none").0);
    let Ok(Database::Hypergammon(solved)) = Database::open(&at.join("hyper1.bd")) else {
        panic!()
    };
    let variant = Variant::Hypergammon1;
    let defaults = Defaults {
        variant,
        ..Defaults::default()
    };
    let spec: PlayerSpec = format!("gammond:bearoff={}", at.display()).parse().unwrap();
    let ours = spec.open_with(&defaults).unwrap();
    ours.can_play(variant).unwrap();
    let other = spec.open().unwrap().can_play(variant).unwrap_err();
    assert!(
        other.to_string().contains("was opened for backgammon"),
        "{other}"
    );
    let choices = choices_as_solved(&*ours, &solved);
    assert!(choices > 100, "{choices}");
    let words = "--variant hypergammon1 --games 4 --seed 2 --quiet";
    let (is_done, text) = run(at, &format!("duel gammond:bearoff=. random {words}"));
    assert!(is_done && text.contains("at HyperGammon (1)"), "{text}");
    for refused in ["linear", "expectiminimax:eval=linear"] {
        let (is_done, text) = run(at, &format!("duel {refused} random {words}"));
        let expected = "knows games of 15 checkers a side alone, and hypergammon1 has 1";
        assert!(!is_done && text.contains(expected), "{text}");
    }
}
