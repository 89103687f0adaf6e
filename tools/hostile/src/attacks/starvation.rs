//! Four clients, each of an address of its own, that ask what takes minutes.

use super::{Act, Attack, BOARD, LONG, WIDE, plain};
use crate::clients::{Client, herd};
use crate::server::Options;
use crate::stage::{Check, Outcome, Stage};
use std::time::{Duration, Instant};

const UBGI: &str = "ubgi\nnewgame\nset engine.ply 5\nset engine.filter huge\nposition gnubgid 4HPwATDgc/ABMA\ndice 4 3\n";

pub fn all() -> Vec<Attack> {
    let mut all = vec![
        plain(
            "long-4ply",
            "R-09 R-10",
            true,
            |stage| ask(stage, [LONG; 4]),
            "`plies=4` in the question",
        ),
        plain(
            "long-set",
            "R-09 R-10",
            false,
            |stage| {
                ask(
                    stage,
                    ["set plies=4 filter=huge\nmove 4HPwATDgc/ABMA 43\n"; 4],
                )
            },
            "`set plies=4`, then plain questions",
        ),
        plain(
            "long-spelling",
            "R-09 R-10",
            false,
            |stage| {
                ask(
                    stage,
                    [
                        "set PLIES=4 Filter=HUGE\nMOVE 4HPwATDgc/ABMA 43\n",
                        "move 4HPwATDgc/ABMA 43 PLIES=4\n",
                        "move 4HPwATDgc/ABMA 43 Plies=4 FILTER=huge\n",
                        "4HPwATDgc/ABMA 43 pLIES=4\n",
                    ],
                )
            },
            "the same in capitals",
        ),
        plain(
            "long-time",
            "R-09 R-10",
            true,
            |stage| {
                ask(
                    stage,
                    [
                        "move 4HPwATDgc/ABMA 43 time=600000\n",
                        "move 4HPwATDgc/ABMA 43 Time=600000\n",
                        "set TIME=600000\nmove 4HPwATDgc/ABMA 43\n",
                        "move 4HPwATDgc/ABMA 43 plies=4 time=600000\n",
                    ],
                )
            },
            "ten minutes of `time=`, in four spellings",
        ),
        plain(
            "long-interactive",
            "R-09 R-10",
            true,
            |stage| {
                ask(
                    stage,
                    ["move 4HPwATDgc/ABMA 43 plies=4 filter=huge queue=interactive\n"; 4],
                )
            },
            "`queue=interactive` for a long question",
        ),
        plain(
            "long-cube",
            "R-09 R-10",
            false,
            |stage| {
                ask(
                    stage,
                    [
                        "cube 4HPwATDgc/ABMA plies=4 queue=interactive\n",
                        "eval 4HPwATDgc/ABMA plies=4 queue=interactive\n",
                        "cube 4HPwATDgc/ABMA plies=4\n",
                        "eval 4HPwATDgc/ABMA plies=4\n",
                    ],
                )
            },
            "`cube` and `eval` with 4 plies",
        ),
        plain(
            "long-wide",
            "R-09 R-10",
            false,
            |stage| {
                ask(
                    stage,
                    ["move QAAS3j+QlKqSKg 11 plies=4 filter=huge queue=interactive\n"; 4],
                )
            },
            "4 plies with 2,051 plays",
        ),
        plain(
            "long-ubgi",
            "R-09 R-10",
            true,
            |stage| ask(stage, [&format!("{UBGI}go\n"); 4]),
            "UBGI's `engine.ply 5`",
        ),
        plain(
            "long-external",
            "R-09 R-10",
            true,
            |stage| {
                ask(
                    stage,
                    [&format!("evaluation fibsboard {BOARD} plies 4\n"); 4],
                )
            },
            "`evaluation fibsboard … plies 4`",
        ),
        plain("long-mix", "R-09 R-10", true, mix, "one of each"),
        plain(
            "long-unix",
            "R-09 R-10",
            false,
            long_unix,
            "four of the Unix socket",
        ),
        plain(
            "long-rollouts",
            "R-62",
            true,
            |stage| beside(stage, 1, 2, ROLLOUT, 2000),
            "two rollouts of 16,777,216 games of one address; the victims are long work",
        ),
        plain(
            "long-rollouts-10",
            "R-62",
            false,
            |stage| beside(stage, 10, 4, ROLLOUT, 5000),
            "four of them from each of ten addresses; the victims are long work",
        ),
        plain(
            "long-looks-10",
            "R-62",
            false,
            |stage| beside(stage, 10, 1, LONG, 5000),
            "4-ply looks of ten addresses; the victims are long work",
        ),
        plain(
            "wide-busy",
            "R-09 R-10",
            true,
            wide_busy,
            "0-ply questions with 2,051 plays from four clients, read and asked anew",
        ),
    ];
    all.push(Attack {
        name: "long-default",
        goals: "R-09 R-10",
        what: "a server whose own settings say 4 plies, and plain questions",
        quick: false,
        act: Act::Server(
            || Options::arguments(&["--plies", "4"]),
            |stage| ask(stage, ["move 4HPwATDgc/ABMA 43\n"; 4]),
        ),
    });
    all
}

/// Each line ten times from an address of its own, so that the next is there when one is done.
fn ask(stage: &Stage, lines: [&str; 4]) -> Outcome {
    let mut herd = Vec::new();
    for (n, line) in lines.iter().enumerate() {
        if let Ok(mut client) = Client::tcp(stage.tcp, n as u8 + 1, 0) {
            client.push(line.repeat(10).as_bytes());
            herd.push(client);
        }
    }
    stage.hold();
    Outcome {
        herd,
        ..Outcome::default()
    }
}

const ROLLOUT: &str = "rollout 4HPwATDgc/ABMA trials=16777216\n";

/// Time in which a victim must be answered on any machine; the timed checks are stricter.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);

/// Long work of others; the victims ask for long work as well, each time from an address of their own.
fn beside(stage: &Stage, addresses: u8, each: usize, line: &str, most_ms: u64) -> Outcome {
    let herd = herd(stage, addresses, each, line.as_bytes());
    let victims = [
        "rollout 4HPwATDgc/ABMA trials=36\n",
        "move 4HPwATDgc/ABMA 31 plies=3 top=1\n",
    ];
    let mut longest = [0.0_f64; 2];
    let mut answered = [0; 2];
    while stage.on() {
        for (at, line) in victims.iter().enumerate() {
            let begun = Instant::now();
            let answer = Client::tcp(stage.tcp, 200, 0).ok().and_then(|mut client| {
                client.send(line.as_bytes()).ok()?;
                client.line(ANSWER_LIMIT)
            });
            let good = answer.is_some_and(|answer| !answer.contains("\"type\":\"error\""));
            answered[at] += u32::from(good);
            longest[at] = longest[at].max(begun.elapsed().as_secs_f64() * 1e3);
        }
    }
    let mut checks = Vec::new();
    for ((what, longest), answered) in ["36 games", "3 plies"]
        .into_iter()
        .zip(longest)
        .zip(answered)
    {
        checks.push(Check::new(
            format!("{what} answered"),
            answered,
            answered > 0,
        ));
        let holds = longest <= most_ms as f64;
        checks.push(Check::timed(
            format!("{what} most ms"),
            format!("{longest:.0}"),
            holds,
        ));
    }
    Outcome {
        herd,
        checks,
        ..Outcome::default()
    }
}

fn mix(stage: &Stage) -> Outcome {
    let ubgi = format!("{UBGI}go\n");
    let external = format!("evaluation fibsboard {BOARD} plies 4\n");
    ask(
        stage,
        [
            "move 4HPwATDgc/ABMA 43 plies=4 queue=interactive\n",
            "move 4HPwATDgc/ABMA 43 Time=600000\n",
            &ubgi,
            &external,
        ],
    )
}

fn long_unix(stage: &Stage) -> Outcome {
    let mut herd = Vec::new();
    for _ in 0..4 {
        if let Ok(mut client) = Client::unix(&stage.unix) {
            client.push(LONG.repeat(10).as_bytes());
            herd.push(client);
        }
    }
    stage.hold();
    Outcome {
        herd,
        ..Outcome::default()
    }
}

fn wide_busy(stage: &Stage) -> Outcome {
    let mut herd: Vec<Client> = (1..=4)
        .filter_map(|n| Client::tcp(stage.tcp, n, 0).ok())
        .collect();
    for client in &mut herd {
        client.push(WIDE.repeat(16).as_bytes());
    }
    while stage.on() {
        for client in &mut herd {
            let mut taken = Vec::new();
            client.drain(&mut taken);
            let lines = taken.iter().filter(|&&byte| byte == b'\n').count();
            client.push(WIDE.repeat(lines).as_bytes());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Outcome {
        herd,
        ..Outcome::default()
    }
}
