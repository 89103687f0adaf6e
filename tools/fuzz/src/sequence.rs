//! Sequences for the machines that have a state: the fuzzer's bytes choose among commands, boards
//! and sentences that belong together, so that a session gets beyond its first line.

use gammond_bots::bgammon::{
    Ask as BgammonAsk, BgammonAnswer, BgammonMachine, BgammonOutput, BgammonTiming, MatchOffer,
};
use gammond_bots::fibs::{Answer, Ask, Machine, Output, Policy, Timing};
use gammond_engine::query::{Options, Settings};
use gammond_game::legal_plays;
use gammond_protocol::external::{Ask as ExternalAsk, External, ExternalAction as ExternalStep};
use gammond_protocol::ubgi::{Ubgi, UbgiAction as UbgiStep};

/// Bytes read as choices; zeros when they are used up.
struct Choices<'a> {
    data: &'a [u8],
}

impl Choices<'_> {
    fn byte(&mut self) -> usize {
        let Some((&first, rest)) = self.data.split_first() else {
            return 0;
        };
        self.data = rest;
        usize::from(first)
    }

    fn below(&mut self, end: usize) -> usize {
        self.byte() % end.max(1)
    }

    fn one_of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        let at = self.below(texts.len());
        texts.get(at).copied().unwrap_or_default()
    }

    const fn over(&self) -> bool {
        self.data.is_empty()
    }
}

/// Positions of all kinds: money and match, cubes, bearoffs, closed boards, one side finished, nonsense.
const POSITIONS: &[&str] = &[
    "4HPwATDgc/ABMA",
    "4HPwATDgc/ABMA:cAkAAAAAAAAA",
    "4HPwATDgc/ABMA:8IhuACAACAAE",
    "QAAS3j+QlKqSKg",
    "2wAAAAAAAAAAAA",
    "AAAAAAAAAAAAAA",
    "/wAAAAAAAAAAAA",
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
    "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:3:2:0:7:10",
    "XGID=-a-B--C-dE---eE---c-e----B-:0:0:-1:D:0:0:3:0:10",
    "AAAAAAAAAAAAAAAAAAAA",
    "4HPwATDgc/ABMA:",
    "nonsense",
];

const KEYS: &[&str] = &[
    "plies=0",
    "plies=1",
    "PLIES=1",
    "plies=9",
    "top=1",
    "top=65535",
    "top=-1",
    "cubeful=off",
    "filter=tiny",
    "filter=huge",
    "filter=swift",
    "prune=off",
    "noise=0.1",
    "noise=nan",
    "length=7",
    "length=0",
    "length=64",
    "length=65",
    "score=1:2",
    "score=6:6",
    "score=9:9",
    "crawford=on",
    "crawford=off",
    "jacoby=on",
    "beavers=off",
    "cube=2",
    "cube=4096",
    "cube=3",
    "owner=me",
    "owner=opponent",
    "owner=centred",
    "answer=text",
    "answer=position",
    "answer=json",
    "queue=bulk",
    "queue=interactive",
    "time=1",
    "trials=1",
    "seed=0",
    "truncate=5",
    "=",
    "plies",
    "plies=",
];

const VERBS: &[&str] = &[
    "move", "eval", "cube", "show", "convert", "rollout", "MOVE", "m", "o", "board:", "",
];

/// Returns a session of the request language: lines, without their ends.
#[must_use]
pub fn request_sequence(data: &[u8]) -> Vec<Vec<u8>> {
    let mut choices = Choices { data };
    let mut lines = Vec::new();
    while !choices.over() && lines.len() < 64 {
        let mut line = String::new();
        if choices.below(4) == 0 {
            line.push_str(choices.one_of(&["#7 ", "#id ", "# ", "#\u{e9} ", "  ", "\t"]));
        }
        match choices.below(8) {
            0 | 1 => {
                line.push_str("set");
                for _ in 0..choices.below(4) {
                    line.push(' ');
                    line.push_str(choices.one_of(KEYS));
                }
            }
            2 => line.push_str(choices.one_of(&[
                "get",
                "help",
                "version",
                "ping",
                "stats",
                "",
                "; note",
                "GET",
                "quit now",
                "set",
                "ping pong",
                "# comment",
                "s x",
                "quit",
            ])),
            _ => {
                line.push_str(choices.one_of(VERBS));
                line.push(' ');
                line.push_str(choices.one_of(POSITIONS));
                line.push(' ');
                line.push_str(choices.one_of(&["", "31", "66", "3-1", "6,6", "3 1", "77", "1"]));
                for _ in 0..choices.below(4) {
                    line.push(' ');
                    line.push_str(choices.one_of(KEYS));
                }
            }
        }
        let mut line = line.into_bytes();
        if choices.below(8) == 0 {
            let at = choices.below(line.len() + 1);
            let byte = [0, b'\r', 0xff, b' ', b'=', b'\t', 0x1b, b'"'];
            line.insert(at, byte.get(choices.below(8)).copied().unwrap_or(0));
        }
        line.retain(|&byte| byte != b'\n');
        lines.push(line);
    }
    lines
}

/// UBGI: only `go` asks and only with what it needs, `quit` and nothing else ends, an answer is
/// whole lines, and a refusal changes nothing that can be read.
pub fn fuzz_ubgi_sequence(data: &[u8]) {
    let mut choices = Choices { data };
    let mut machine = Ubgi::new(&Options::default(), "embedded", 1, false);
    let mut placed = false;
    while !choices.over() {
        let line = ubgi_line(&mut choices);
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let before = machine.line(b"keys");
        let step = machine.line(line.as_bytes());
        match &step {
            UbgiStep::Say(text) | UbgiStep::Refuse(text) => {
                assert!(
                    text.ends_with('\n') && !text.contains('\0'),
                    "{line:?}: {text:?}"
                );
                assert!(text.len() < 8192 + 4 * line.len(), "{line:?}");
                if text.starts_with("error") {
                    assert_eq!(text.lines().count(), 1, "{line:?}: {text:?}");
                    assert_eq!(before, machine.line(b"keys"), "{line:?} was refused");
                }
            }
            UbgiStep::Ask(question) => {
                assert_eq!(words.first(), Some(&"go"), "{line:?} asks");
                assert!(placed, "{line:?} asks without a position");
                assert!(question.cube.is_some() || question.play.is_some());
                assert!(question.settings.plies <= Settings::PLIES_MAX);
            }
            UbgiStep::Rebuild { .. } => unreachable!("{line:?} rebuilds the engine of a server"),
            UbgiStep::Close(_) => assert_eq!(words.first(), Some(&"quit"), "{line:?} ends"),
            UbgiStep::Silence | UbgiStep::Cancel(_) => {}
        }
        match words.as_slice() {
            ["position", ..] => placed |= step == UbgiStep::Silence,
            ["newgame", ..] if step == UbgiStep::Silence => placed = false,
            _ => {}
        }
    }
}

fn ubgi_line(choices: &mut Choices<'_>) -> String {
    let first = choices.one_of(&[
        "ubgi",
        "isready",
        "keys",
        "get",
        "set",
        "setoption name",
        "newgame",
        "newsession type",
        "setscore",
        "setcube value",
        "setturn",
        "position gnubgid",
        "position xgid",
        "dice",
        "go",
        "go role",
        "stop",
        "quit",
        "nonsense",
        "",
    ]);
    let words = ubgi_words(first);
    format!("{first} {}", choices.one_of(words))
}

/// Returns the words that may follow the first ones.
fn ubgi_words(first: &str) -> &'static [&'static str] {
    match first {
        "get" | "set" => &[
            "engine.ply",
            "engine.ply 1",
            "engine.ply 5",
            "engine.ply 6",
            "game.length 5",
            "game.score 1:2",
            "game.score 9:9",
            "game.crawford true",
            "game.jacoby true",
            "engine.filter huge",
            "engine.threads 4",
            "engine.nets /dev/zero",
            "no.key 1",
            "",
        ],
        "setoption name" => &[
            "Ply value 3",
            "ply value 9",
            "Length value 5",
            "Score value 4:4",
            "Threads value 9",
            "Nets value x",
            "Crawford value true",
            "value",
            "",
        ],
        "newsession type" => &[
            "money",
            "match length 5",
            "match",
            "money jacoby on",
            "match length 99",
            "match length 3 crawford off",
            "chess",
            "",
        ],
        "setscore" => &["0 0", "1 2", "4 4", "99 0", "-1 0", "1", ""],
        "setcube value" => &[
            "2 owner p0",
            "4 owner p1",
            "1 owner center",
            "3 owner p0",
            "4096 owner p1",
            "8192 owner p0",
            "",
            "2",
        ],
        "setturn" => &["p0", "p1", "p2", ""],
        "position gnubgid" => POSITIONS,
        "position xgid" => POSITIONS,
        "dice" => &["3 1", "6 6", "0 1", "7 1", "3", "3 1 1", ""],
        "go" | "go role" => &[
            "",
            "chequer",
            "cube",
            "turn",
            "depth 2",
            "movetime 5",
            "chequer depth 9",
            "cube movetime -1",
            "nodes 5 trials 9",
            "depth",
            "nonsense",
        ],
        _ => &["", "x"],
    }
}

/// Runs gnubg's language: every line has its one answer or question, and there is no unrequested output.
pub fn fuzz_external_sequence(data: &[u8]) {
    let mut choices = Choices { data };
    let mut machine = External::default();
    while !choices.over() {
        let line = external_line(&mut choices);
        match machine.line(line.as_bytes()) {
            ExternalStep::Say(text) | ExternalStep::Refuse(text) => {
                assert!(
                    text.ends_with('\n') && !text.contains('\0'),
                    "{line:?}: {text:?}"
                );
                assert!(text.len() < 4096 + 4 * line.len(), "{line:?}");
            }
            ExternalStep::Ask(question) => {
                assert!(question.settings.plies <= Settings::PLIES_MAX, "{line:?}");
                let known = match &question.ask {
                    ExternalAsk::Play(query, _) => {
                        query.position.me().pips() > 0 && query.position.opponent().pips() > 0
                    }
                    _ => true,
                };
                assert!(known, "{line:?}: a play in a finished game");
                let reply = choices.one_of(&[
                    "roll",
                    "double",
                    "take",
                    "drop",
                    "beaver",
                    "8/5 6/5",
                    "resign normal",
                    "",
                    "reject",
                ]);
                machine.replied(reply);
            }
            ExternalStep::Close(_) => {
                let word = line.trim_matches(['\0', '\r', ' ']).to_ascii_lowercase();
                assert!(word == "quit" || word == "exit", "{line:?} ends");
            }
            ExternalStep::Rebuild { .. } => unreachable!("{line:?} rebuilds the engine"),
            ExternalStep::Silence | ExternalStep::Cancel(_) => {}
        }
    }
}

fn external_line(choices: &mut Choices<'_>) -> String {
    let front = choices.one_of(&[
        "",
        "",
        "",
        "evaluation fibsboard ",
        "version",
        "help",
        "exit",
        "set debug on",
        "set debug x",
        "set interface new",
        "set prompt x",
        "external",
        "quit",
        "nonsense",
    ]);
    if !front.is_empty() && !front.ends_with(' ') {
        return front.to_owned();
    }
    let mut line = format!("{front}{}", board(choices));
    for _ in 0..choices.below(3) {
        line.push(' ');
        line.push_str(choices.one_of(&[
            "plies 0",
            "plies 4",
            "plies 9",
            "cubeful",
            "cubeless",
            "cube on",
            "prune off",
            "noise 0.5",
            "noise 1000",
            "deterministic on",
            "jacobyrule on",
            "crawfordrule off",
            "beavers on",
            "resignation 1",
            "resignation 3",
            "resignation 9",
            "fibsorder on",
            "x",
        ]));
    }
    line
}

/// Returns a board line, often with some fields that do not fit.
fn board(choices: &mut Choices<'_>) -> String {
    let board = choices.one_of(&[
        "board:tester:opp:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:3:1:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0",
        "board:tester:opp:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:0:0:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0",
        "board:tester:opp:5:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:0:0:6:4:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0",
        "board:tester:opp:9999:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:0:0:0:0:2:1:0:0:1:-1:0:25:0:0:0:0:0:0:0:0",
        "board:tester:opp:5:4:0:0:2:3:2:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:0:-2:-3:-2:0:0:0:1:6:5:0:0:2:1:0:0:1:-1:0:25:8:8:0:0:0:0:0:0",
        "board:ext:opp:7:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:3:1:3:1:1:1:1:0:1:-1:0:25:0:0:0:0:0:0:0:1",
        "board:tester:opp:5",
        "board:",
    ]);
    if choices.below(3) != 0 {
        return board.to_owned();
    }
    let mut fields: Vec<&str> = board.split(':').collect();
    for _ in 0..=choices.below(3) {
        let at = choices.below(fields.len());
        let field = choices.one_of(&[
            "0",
            "1",
            "-1",
            "2",
            "15",
            "-15",
            "99",
            "",
            "x",
            "6",
            "-2147483648",
            "opp",
        ]);
        if let Some(old) = fields.get_mut(at) {
            *old = field;
        }
    }
    fields.join(":")
}

/// Sentences of a server, of which some mean much.
const SENTENCES: &[&str] = &[
    "opp wants to play a 5 point match with you.",
    "opp wants to play an unlimited match with you.",
    "opp wants to resume a saved match with you.",
    "Type 'join opp' to accept.",
    "opp has 1 saved game.",
    "opp has no saved games.",
    "WARNING: Don't accept if you want to continue the saved match!",
    "** Player opp has joined you for a 5 point match.",
    "** You are now playing a 5 point match with opp",
    "opp has joined you. Your running match was loaded.",
    "Starting a new game with opp.",
    "You rolled 3, opp rolled 1",
    "It's your turn to move.",
    "It's your turn. Please roll or double",
    "It's your turn to roll or double.",
    "You roll 3 and 1.",
    "opp rolls 6 and 4.",
    "opp moves 24-18 13-9 .",
    "Please move 2 pieces.",
    "You can't move.",
    "opp can't move.",
    "opp doubles. Type 'accept' or 'reject'.",
    "You double. Please wait for opp to accept or reject.",
    "opp accepts the double. The cube shows 2.",
    "opp gives up. You win 1 point.",
    "opp wants to resign. You will win 1 point. Type 'accept' or 'reject'.",
    "opp wants to resign. You will win 2147483648 points. Type 'accept' or 'reject'.",
    "You accept and win 1 point.",
    "You reject. The game continues.",
    "You win the game and get 1 point. Congratulations!",
    "opp wins the game and gets 2 points. Sorry.",
    "You win the 5 point match 5-3 .",
    "opp wins the 5 point match 5-0 .",
    "score in 5 point match: opp-2 tester-1",
    "Type 'join' if you want to play the next game, type 'leave' if you don't.",
    "** Please wait for opp to join too.",
    "** Your opponent, opp, dropped connection. The game was saved.",
    "** Player opp has left the game. The game was saved.",
    "** You terminated the game. The game was saved.",
    "** You're not playing.",
    "** There is no one called opp",
    "** opp hasn't responded to your double yet.",
    "Value of 'boardstyle' set to 3.",
    "*** ATTENTION *** the server goes down in 1 minute",
    "no saved games.",
    "  opponent          matchlength   score (your points first)",
    "  opp                    5           1 -  3",
    "2 tester 1 1 0 0 0 0 1 1 2396 0 1 0 1 3457.85 0 0 0 0 0 Australia/Melbourne",
    "5 opp - - 1 0 1418.61 23 1914 1041272421 host client -",
    "6",
    "7 opp opp logs in.",
    "8 opp opp logs out.",
    "12 opp hello",
    "13 opp board:tester:opp:5",
    "Login incorrect",
    "login: ",
    "connection timed out.",
    "opp is away: You win the game and get 1 point.",
    "\u{7}\u{7}",
    "> ",
];

/// The FIBS bot beside a server that says true things at the wrong time: commands are single short
/// lines of printable text, plays and answers to offers come only after a decision that was asked
/// for, what is sent is bounded by what came, and a decision that was answered is not asked for
/// again without a new board.
pub fn fuzz_fibs_sequence(data: &[u8]) {
    let mut choices = Choices { data };
    let mut machine = Machine::new("tester", Policy::default(), Timing::default());
    let (mut now, mut heard, mut sent, mut asked) = (0, 0, 0, 0u32);
    machine.connected(now);
    machine.bytes(b"Welcome\r\nlogin: ", now);
    machine.bytes(LOGIN.as_bytes(), now);
    while !choices.over() {
        match choices.below(16) {
            0 => now += 100,
            1 => now += 1500,
            2 => now += 20_000,
            3 => {
                machine.disconnected(now);
                machine.connected(now);
                machine.bytes(b"login: ", now);
                machine.bytes(LOGIN.as_bytes(), now);
                heard += 20;
                asked = 0;
            }
            4 => machine.stop(choices.below(2) == 0, now),
            5..=7 => {
                let text = format!("{}\r\n", board(&mut choices));
                machine.bytes(text.as_bytes(), now);
                heard += 1;
            }
            8 => {
                // A line in parts.
                let text = format!("{}\r\n", choices.one_of(SENTENCES));
                let (one, two) = text.as_bytes().split_at(choices.below(text.len()));
                machine.bytes(one, now);
                now += 10;
                machine.bytes(two, now);
                heard += 1;
            }
            _ => {
                let text = format!("{}\r\n", choices.one_of(SENTENCES));
                machine.bytes(text.as_bytes(), now);
                heard += 1;
            }
        }
        now += 1;
        machine.tick(now);
        for _ in 0..64 {
            let Some(output) = machine.poll(now) else {
                break;
            };
            match output {
                Output::Send(command) => {
                    sent += 1;
                    judge(&command, &mut asked);
                }
                Output::Decide(id, ask) => {
                    asked += 1;
                    let answer = reply(&ask, &mut choices);
                    machine.answer(id, answer, now);
                }
                Output::Reconnect(_) => {
                    machine.disconnected(now);
                    machine.connected(now);
                    heard += 20;
                }
                Output::Fatal(_) | Output::Quit => return,
                Output::Login | Output::Event(_) => {}
            }
        }
    }
    assert!(
        sent <= 60 + 6 * heard + now / 1000,
        "{sent} commands for {heard} lines"
    );
}

/// The server's lines after a good password.
const LOGIN: &str = "1 tester 1041253132 192.168.40.3\r\n\
    2 tester 1 1 0 0 0 0 1 1 2396 0 1 0 1 3457.85 0 0 0 0 0 Australia/Melbourne\r\n3\r\n4\r\n";

fn judge(command: &str, asked: &mut u32) {
    assert!(command.len() < 512, "{command:?}");
    assert!(!command.contains(|c: char| c.is_control()), "{command:?}");
    let first = command.split(' ').next().unwrap_or_default();
    if ["move", "roll", "double", "accept", "reject", "resign"].contains(&first) {
        assert!(*asked > 0, "{command:?} was decided by nobody");
    }
}

fn reply(ask: &Ask, choices: &mut Choices<'_>) -> Answer {
    match ask {
        Ask::Play { query, .. } => {
            let plays = legal_plays(&query.position, query.roll);
            match plays.get(choices.below(plays.len())) {
                Some(legal) => Answer::Play(legal.play),
                None => Answer::Play(gammond_game::Play::default()),
            }
        }
        Ask::RollOrDouble { .. } if choices.below(8) == 0 => Answer::Double,
        Ask::RollOrDouble { .. } => Answer::Roll,
        Ask::Offer(_) | Ask::Resignation { .. } if choices.below(2) == 0 => Answer::Accept,
        Ask::Offer(_) | Ask::Resignation { .. } => Answer::Reject,
    }
}

/// Events of a bgammon server, true ones and others. `#` is the place of a board's members.
const EVENTS: &[&str] = &[
    r#"{"Type":"welcome","PlayerName":"BOT_x"}"#,
    r#"{"Type":"joined","Player":"BOT_x","GameID":1,"PlayerNumber":1}"#,
    r#"{"Type":"joined","Player":"joe","GameID":1,"PlayerNumber":2}"#,
    r#"{"Type":"left","Player":"joe"}"#,
    r#"{"Type":"left","Player":"BOT_x"}"#,
    r#"{"Type":"ping","Message":"17"}"#,
    r#"{"Type":"ping","Message":"17\nleave"}"#,
    r#"{"Type":"failedmove","From":0,"To":0,"Reason":"Illegal move."}"#,
    r#"{"Type":"failedroll","Reason":"no"}"#,
    r#"{"Type":"failedok","Reason":"no"}"#,
    r#"{"Type":"failedcreate","Reason":"no"}"#,
    r#"{"Type":"notice","Message":"Connection terminated: banned"}"#,
    r#"{"Type":"win","Player":"joe","Points":1}"#,
    "hello",
    "{",
];

/// A board event with a position of the list, mostly one that can be.
fn event_board(choices: &mut Choices<'_>) -> String {
    const BOARDS: &[&str] = &[
        "0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0,0,0",
        "10,2,1,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-3,-11,1,-1",
        "14,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-1,-14,0,0",
        "15,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,-2,0,-1,-2,-10,0,0",
        "0,-2,0,0,0,0,5,0,3",
    ];
    let board = choices.one_of(BOARDS);
    let name = choices.one_of(&["joe", "joe", "joe", "", "\\u0000\\n"]);
    let available = choices.one_of(&[
        "null",
        "[]",
        "[[8,5]]",
        "[[26,22],[1,0]]",
        "[[27,0],[0,99]]",
    ]);
    let moves = choices.one_of(&["null", "[]", "[]", "[[8,5]]", "[[1,0],[2,0]]"]);
    let mut number = |end| choices.below(end);
    format!(
        r#"{{"Type":"board","Player1":{{"Name":"BOT_x","Points":{}}},"Player2":{{"Name":"{name}","Points":{}}},"Board":[{board}],"Turn":{},"Roll1":{},"Roll2":{},"Moves":{moves},"Winner":{},"Points":{},"Crawford":{},"DoubleValue":{},"DoublePlayer":{},"DoubleOffered":{},"Available":{available},"Forced":{},"Spectating":{}}}"#,
        number(6),
        number(6),
        number(3),
        number(7),
        number(7),
        number(4) % 3,
        number(6),
        number(3),
        1 << number(8),
        number(3),
        number(2) == 1,
        number(8) == 7,
        number(16) == 15,
    )
}

/// The bgammon bot beside a server that sends anything: commands are single short lines of the bot's own words, and what is
/// sent is bounded by what came and by the time.
pub fn fuzz_bgammon_sequence(data: &[u8]) {
    let mut choices = Choices { data };
    let mut machine = BgammonMachine::new(MatchOffer::default(), BgammonTiming::default());
    let (mut now, mut heard, mut sent) = (0_u64, 0_u64, 0_u64);
    machine.connected(now);
    machine.bytes(
        b"hello\n{\"Type\":\"welcome\",\"PlayerName\":\"BOT_x\"}\n",
        now,
    );
    while !choices.over() {
        heard += 1;
        match choices.below(16) {
            0 => now += 100,
            1 => now = now.max(machine.wake()),
            2 => now += 20_000,
            3 => {
                machine.disconnected();
                machine.connected(now);
                machine.bytes(b"{\"Type\":\"welcome\",\"PlayerName\":\"BOT_x\"}\n", now);
            }
            4 => machine.stop(now),
            5..=11 => {
                let text = format!("{}\n", event_board(&mut choices));
                let (one, two) = text.as_bytes().split_at(choices.below(text.len()));
                machine.bytes(one, now);
                machine.bytes(two, now);
            }
            _ => machine.bytes(format!("{}\n", choices.one_of(EVENTS)).as_bytes(), now),
        }
        machine.tick(now);
        match drain(&mut machine, &mut choices, now) {
            Some(count) => sent += count,
            None => return,
        }
        assert!(sent <= 8 * heard + 20, "{sent} commands, {heard} events");
    }
}

/// Takes the machine's outputs and answers its questions. Returns the number of commands; `None` at the end.
fn drain(machine: &mut BgammonMachine, choices: &mut Choices<'_>, now: u64) -> Option<u64> {
    let (mut sent, mut decided) = (0, 0);
    while let Some(output) = machine.poll(now) {
        match output {
            BgammonOutput::Send(line) => {
                sent += 1;
                let word = line.split(' ').next().unwrap_or_default();
                let words =
                    "roll double ok resign move reset board leave disconnect create pong set";
                assert!(words.split(' ').any(|known| known == word), "{line:?}");
                assert!(
                    line.len() < 100 && !line.contains(char::is_control),
                    "{line:?}"
                );
            }
            BgammonOutput::Decide(id, ask) => {
                decided += 1;
                assert!(decided < 3, "asked again and again");
                machine.answer(id, bgammon_answer(&ask, choices), now);
            }
            BgammonOutput::Quit => return None,
            _ => {}
        }
    }
    Some(sent)
}

fn bgammon_answer(ask: &BgammonAsk, choices: &mut Choices<'_>) -> BgammonAnswer {
    match ask {
        BgammonAsk::Play { query, .. } => {
            let plays = legal_plays(&query.position, query.roll);
            let play = plays.get(choices.below(plays.len()));
            BgammonAnswer::Play(play.map_or_else(Default::default, |legal| legal.play))
        }
        BgammonAsk::RollOrDouble { .. } => [
            BgammonAnswer::Roll,
            BgammonAnswer::Double,
            BgammonAnswer::Resign,
        ][choices.below(3)],
        BgammonAsk::Offer { .. } => [BgammonAnswer::Take, BgammonAnswer::Pass][choices.below(2)],
    }
}
