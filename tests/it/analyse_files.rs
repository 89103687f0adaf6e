//! Match files of many programs, and what is written back: rules MAT-10 to MAT-14, MAT-24 and MAT-25.

use gammond::analysis::{Deed, Terms, analyse, analysis_settings, replay_from};
use gammond::engine::Engine;
use gammond::game::Rules;
use gammond::notation::{MatPlayer, MatchFile, MatchReading, play_text};
use gammond::query::Stop;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(name)
}

fn letter(player: MatPlayer) -> char {
    player.of(['A', 'B'])
}

/// What a file tells, action by action.
fn told(reading: &MatchReading) -> String {
    let terms = Terms::of(&reading.file, Rules::default());
    let games = reading.file.games.iter().zip(&terms).map(|(game, terms)| {
        let replay = replay_from(game, terms);
        assert_eq!(replay.fault, None);
        let actions = replay.decisions.iter().filter_map(|decision| {
            let done = match decision.deed {
                Deed::Play { roll, after, .. } => {
                    let play = gammond::game::find_play(&decision.position, roll, &after).unwrap();
                    format!("{} {}", sorted(roll), play_text(&decision.position, &play))
                }
                Deed::Unknown { roll } => format!("{} ?", sorted(roll)),
                Deed::Double => "double".to_owned(),
                Deed::Take => "take".to_owned(),
                Deed::Drop => "pass".to_owned(),
                Deed::Beaver => "beaver".to_owned(),
                Deed::BeaverAnswer { taken } => if taken { "take" } else { "pass" }.to_owned(),
                _ => return None,
            };
            Some(format!("{} {}", letter(decision.player), done.trim_end()))
        });
        let actions: Vec<String> = actions.collect();
        let [first, second] = game.scores;
        let crawford = if terms.crawford { " Crawford" } else { "" };
        let end = game.result.map_or(String::new(), |(winner, points)| {
            format!("; {} wins {points}", letter(winner))
        });
        format!("{first}-{second}{crawford}: {}{end}", actions.join(", "))
    });
    let games: Vec<String> = games.collect();
    let [one, other] = &reading.file.names;
    format!(
        "{}\t{one}\t{other}\t{}",
        reading.file.length,
        games.join(" | ")
    )
}

fn sorted(roll: gammond::Roll) -> String {
    let [one, two] = roll.dice();
    format!("{}{}", one.max(two), one.min(two))
}

/// MAT-10 to MAT-14: twenty dialects, each with what it tells; written as ours and read again it tells the same.
#[test]
fn twenty_dialects() {
    let table = std::fs::read_to_string(data("dialects/expected.tsv")).unwrap();
    let rows: Vec<&str> = table.lines().filter(|row| !row.starts_with('#')).collect();
    assert_eq!(rows.len(), 20);
    for row in rows {
        let (name, expected) = row.split_once('\t').unwrap();
        let bytes = std::fs::read(data("dialects").join(name)).unwrap();
        let reading = MatchFile::read(&bytes).unwrap();
        assert_eq!(reading.faults, [], "{name}");
        assert_eq!(told(&reading), expected, "{name}");
        let again = MatchFile::read(reading.file.to_string().as_bytes()).unwrap();
        let games = |told: String| told.rsplit('\t').next().unwrap().to_owned();
        assert_eq!(games(told(&again)), games(told(&reading)), "{name}");
    }
}

const OLDMOVES: &str = "Score is 0-0 in a 5 point match.
alice is X - bob is O
X: (3 1) 8-5 6-5
O: (5 2) 12-17 12-14
X: (6 4) 24-18 18-14
O: (6 6) can't move
X: doubles
O: accepts
X: (5 5) 13-8 13-8 8-3 8-3
O: (6 1) bar-7
O: wins
Score is 0-2 in a 5 point match.
alice is X - bob is O
O: (6 5) 1-7 7-12
X: (4 2) 8-4 6-4
O: doubles
X: rejects
O: wins
";

/// MAT-24: both players' numbers, the bar, cubes and a game given up, whose points the next score tells; a fault costs its game only.
#[test]
fn oldmoves_of_fibs() {
    let reading = MatchFile::read(OLDMOVES.as_bytes()).unwrap();
    assert_eq!(reading.faults, []);
    assert_eq!(
        told(&reading),
        "5\talice\tbob\t0-0: A 31 8/5 6/5, B 52 13/11 13/8, A 64 24/14*, B 66, A double, B take, A 55 13/3(2), \
         B 61 bar/18; B wins 2 | 0-2: B 65 24/13, A 42 8/4 6/4, B double, A pass; B wins 1"
    );
    let damaged = OLDMOVES.replace("O: (6 6) can't move", "O: (6 6) dances");
    let reading = MatchFile::read(damaged.as_bytes()).unwrap();
    let faults: Vec<String> = reading.faults.iter().map(ToString::to_string).collect();
    assert_eq!(faults.len(), 1);
    assert!(
        faults[0].starts_with("line 6, game 1: row is"),
        "{faults:?}"
    );
    assert_eq!(reading.file.games[1].actions.len(), 4);
    let money = OLDMOVES.replace("a 5 point match", "an unlimited match");
    let money = MatchFile::read(money.as_bytes()).unwrap();
    assert_eq!(
        (money.file.length, money.file.switch("Jacoby")),
        (0, Some(false))
    );
    assert!(MatchFile::read(b"Score is nothing").is_err());
}

/// MAT-25: what is written as `.sgf` tells the same, with luck and marks at the actions.
#[test]
fn sgf_is_written_and_read_back() {
    let engine = Engine::builder().build().unwrap();
    for name in [
        "money3.mat",
        "seven7.sgf",
        "seven7u.mat",
        "three3.mat",
        "one1.mat",
    ] {
        let bytes = std::fs::read(data("analysis").join(name)).unwrap();
        let reading = MatchFile::read(&bytes).unwrap();
        let settings = analysis_settings(0);
        let analysis = analyse(
            &engine,
            &settings,
            &reading,
            Rules::default(),
            &Stop::never(),
        );
        let text = analysis.unwrap().sgf(&reading.file);
        for part in ["LU[", "BM[2]", "C[game 1 move"] {
            assert!(text.contains(part) || name == "one1.mat", "{name}: {part}");
        }
        let again = MatchFile::read(text.as_bytes()).unwrap();
        assert_eq!(again.faults, [], "{name}");
        assert_eq!(told(&again), told(&reading), "{name}");
    }
}
