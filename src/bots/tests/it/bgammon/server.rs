//! A bgammon server with one opponent, as a machine: commands of the bot in, events out.
//!
//! Written from the rules of `protocol-specs/bgammon.md`, with its own counting of legal steps. The opponent plays legal
//! plays at random. [`Faults`] make it cut connections, refuse commands, repeat and garble events.

use gammond_base::rng::{ChaCha8Rng, below, stream};
use gammond_game::notation::steps_made;
use gammond_game::{BAR, OFF, Play, Position, Roll, Step, legal_plays};
use serde_json::{Value, json};

/// Faults of a server, as chances in a thousand per command.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    pub(super) cuts: u32,
    pub(super) refusals: u32,
    pub(super) repeats: u32,
    pub(super) noise: u32,
    pub(super) absences: u32,
}

/// The two players; the bot is 0.
const BOT: usize = 0;

pub(super) struct Server {
    random: ChaCha8Rng,
    faults: Faults,
    /// Events for the bot.
    pub(super) out: Vec<String>,
    /// The connection is to be cut.
    pub(super) cut: bool,
    /// Commands that a correct bot never sends.
    pub(super) illegal: Vec<String>,
    pub(super) commands: u32,
    /// Scores of finished matches.
    pub(super) results: Vec<[u32; 2]>,
    /// Doubles, takes and passes of both players.
    pub(super) cubes: [u32; 3],
    game: Option<Game>,
    /// The opponent is away until so many commands have come.
    away: u32,
    /// Matches that the bot left before their end.
    pub(super) left: u32,
}

#[derive(Clone)]
struct Game {
    length: u32,
    scores: [u32; 2],
    crawford: u32,
    /// The bot as `me`.
    position: Position,
    before: Position,
    turn: usize,
    begun: bool,
    dice: [u8; 2],
    made: Vec<Step>,
    winner: Option<usize>,
    cube: u32,
    owner: Option<usize>,
    offered: bool,
}

/// The steps of one die by the player on roll.
fn steps_of(position: &Position, die: u8) -> Vec<Step> {
    let me = position.me();
    let open = |to: usize| position.opponent().count(23 - to) < 2;
    let bar = me.count(BAR) > 0;
    let mut steps = Vec::new();
    for from in 0..=BAR {
        if me.count(from) == 0 || bar && from != BAR {
            continue;
        }
        let die = usize::from(die);
        if from >= die {
            if open(from - die) {
                steps.push((from, from - die));
            }
        } else {
            let rear = me.rearmost().unwrap();
            if rear < 6 && (from + 1 == die || from == rear) {
                steps.push((from, OFF));
            }
        }
    }
    let step = |(from, to)| Step {
        from: u8::try_from(from).unwrap(),
        to: u8::try_from(to).unwrap(),
    };
    steps.into_iter().map(step).collect()
}

fn after(position: &Position, step: Step) -> Position {
    steps_made(position, &Play::from_steps(&[step]).unwrap()).unwrap()
}

/// The longest way on, in dice.
fn longest(position: &Position, dice: &[u8]) -> u32 {
    let mut most = 0;
    for (index, &die) in dice.iter().enumerate() {
        let mut rest = dice.to_vec();
        rest.remove(index);
        for step in steps_of(position, die) {
            let next = after(position, step);
            let more = match next.is_over() {
                true => 0,
                false => longest(&next, &rest),
            };
            most = most.max(1 + more);
        }
        if dice.iter().all(|other| *other == die) {
            break;
        }
    }
    most
}

fn numbers(step: Step) -> [i64; 2] {
    let from = if step.enters() {
        26
    } else {
        i64::from(step.from) + 1
    };
    let to = if step.bears_off() {
        0
    } else {
        i64::from(step.to) + 1
    };
    [from, to]
}

/// The numbers of a step of the opponent, in the bot's numbering.
fn mirrored(step: Step) -> [i64; 2] {
    let from = if step.enters() {
        27
    } else {
        24 - i64::from(step.from)
    };
    let to = if step.bears_off() {
        25
    } else {
        24 - i64::from(step.to)
    };
    [from, to]
}

impl Game {
    fn new(length: u32) -> Game {
        Game {
            length,
            scores: [0; 2],
            crawford: 0,
            position: Position::start(),
            before: Position::start(),
            turn: BOT,
            begun: false,
            dice: [0; 2],
            made: Vec::new(),
            winner: None,
            cube: 1,
            owner: None,
            offered: false,
        }
    }

    fn may_double(&self, player: usize) -> bool {
        self.length > 1
            && self.crawford != 1
            && self.cube < 64
            && self.owner.is_none_or(|owner| owner == player)
    }

    fn seen_by(&self, player: usize, position: &Position) -> Position {
        match player {
            BOT => *position,
            _ => position.swapped(),
        }
    }

    /// The dice that are left, by the pips of the steps made: a bear-off can have used a larger die.
    fn dice_left(&self) -> Vec<u8> {
        let [one, other] = self.dice;
        let mut dice = match one == other {
            true => vec![one; 4],
            false => vec![one, other],
        };
        for step in &self.made {
            let pips = match step.bears_off() {
                true => step.from + 1,
                false => step.from - step.to,
            };
            let exact = dice.iter().position(|&die| die == pips);
            let larger = dice.iter().position(|&die| die > pips);
            dice.remove(exact.or(larger).unwrap());
        }
        dice
    }

    /// The steps that are legal now.
    fn available(&self) -> Vec<Step> {
        let [one, other] = self.dice;
        if one == 0 || other == 0 || self.winner.is_some() {
            return Vec::new();
        }
        let finals: Vec<Position> =
            legal_plays(&self.seen_by(self.turn, &self.before), Roll::of(one, other))
                .into_iter()
                .map(|legal| legal.after.swapped())
                .collect();
        let dice = self.dice_left();
        let now = self.seen_by(self.turn, &self.position);
        let mut found: Vec<Step> = Vec::new();
        for (index, &die) in dice.iter().enumerate() {
            let mut rest = dice.clone();
            rest.remove(index);
            for step in steps_of(&now, die) {
                if !found.contains(&step) && reaches(&after(&now, step), &rest, &finals) {
                    found.push(step);
                }
            }
        }
        found
    }

    fn board(&self, opponent: &str) -> Value {
        let mut board = [0_i64; 28];
        let (me, other) = (self.position.me(), self.position.opponent());
        board[0] = i64::from(me.off());
        board[25] = -i64::from(other.off());
        board[26] = i64::from(me.count(BAR));
        board[27] = -i64::from(other.count(BAR));
        for index in 0..24 {
            board[index + 1] += i64::from(me.count(index));
            board[24 - index] -= i64::from(other.count(index));
        }
        let available: Vec<[i64; 2]> = match self.turn {
            BOT => self.available().into_iter().map(numbers).collect(),
            _ => self.available().into_iter().map(mirrored).collect(),
        };
        let moves: Vec<[i64; 2]> = match self.turn {
            BOT => self.made.iter().copied().map(numbers).collect(),
            _ => self.made.iter().copied().map(mirrored).collect(),
        };
        let player = |player: Option<usize>| player.map_or(0, |player| player + 1);
        json!({
            "Type": "board", "Player": "", "Started": 1,
            "Player1": {"Number": 1, "Name": "BOT_tester", "Points": self.scores[0], "Entered": true},
            "Player2": {"Number": 2, "Name": opponent, "Points": self.scores[1], "Entered": true},
            "Variant": 0, "Board": board.to_vec(),
            "Turn": if self.begun { self.turn + 1 } else { 0 },
            "Roll1": self.dice[0], "Roll2": self.dice[1], "Roll3": 0,
            "Moves": moves, "Winner": player(self.winner), "Points": self.length,
            "Crawford": self.crawford, "DoubleValue": self.cube, "DoublePlayer": player(self.owner),
            "DoubleOffered": self.offered, "PlayerNumber": 1,
            "Available": if available.is_empty() { Value::Null } else { json!(available) },
            "Forced": false, "Spectating": false,
        })
    }

    /// BGM-43, counted by points instead of by sides.
    fn concession(&self, loser: usize) -> u32 {
        let side = self.seen_by(loser, &self.position).me().counts();
        let far = side[18..].iter().any(|&count| count > 0);
        match (far, side.iter().sum::<u8>()) {
            (true, _) => 3,
            (false, 15) => 2,
            _ => 1,
        }
    }
}

fn reaches(position: &Position, dice: &[u8], finals: &[Position]) -> bool {
    if longest(position, dice) == 0 || position.is_over() {
        return finals.contains(position);
    }
    dice.iter().enumerate().any(|(index, &die)| {
        let mut rest = dice.to_vec();
        rest.remove(index);
        let mut steps = steps_of(position, die).into_iter();
        steps.any(|step| reaches(&after(position, step), &rest, finals))
    })
}

impl Server {
    pub(super) fn new(seed: u64, faults: Faults) -> Server {
        Server {
            random: stream(seed, 7),
            faults,
            out: Vec::new(),
            cut: false,
            illegal: Vec::new(),
            commands: 0,
            results: Vec::new(),
            cubes: [0; 3],
            game: None,
            away: 0,
            left: 0,
        }
    }

    fn chance(&mut self, thousandths: u32) -> bool {
        below(&mut self.random, 1000) < thousandths
    }

    fn say(&mut self, event: &Value) {
        self.out.push(event.to_string());
    }

    fn board(&mut self) {
        let Some(game) = &self.game else { return };
        let event = game.board("joe");
        self.say(&event);
        let repeats = self.faults.repeats;
        if self.chance(repeats) {
            self.say(&event);
        }
        let noise = self.faults.noise;
        if self.chance(noise) {
            self.noise(event);
        }
    }

    /// BGM-61: what a stranger or a fault can put beside the events. None of it may move a checker.
    fn noise(&mut self, mut board: Value) {
        let inner = board.to_string();
        self.say(&json!({"Type": "say", "Player": "joe", "Message": inner}));
        self.say(&json!({"Type": "notice", "Message": "{\"Type\":\"welcome\",\"PlayerName\":\"x\"}\n leave"}));
        self.say(&json!({"Type": "win", "Player": "somebody", "Points": 7, "Resigned": ""}));
        self.say(&json!({"Type": "left", "Player": "someone\" else"}));
        self.say(&json!({"Type": "joined", "Player": "joe", "GameID": 1, "PlayerNumber": 2}));
        self.say(&json!({"Type": "ping", "Message": "12\nleave"}));
        board["Board"].as_array_mut().unwrap().pop();
        self.say(&board);
        self.out.push("{\"Type\":\"board\",\"Board\":7}".to_owned());
        self.out.push("{\"Type\":".to_owned());
        self.out.push("\u{1b}[2J \0 hello".to_owned());
        self.say(&json!({"Type": "notice", "Message": "\u{1b}[2J clears a terminal"}));
        self.say(&json!({"Type": "achievements", "List": [1, {"a": null}]}));
    }

    /// A new connection: the bot has not logged in yet.
    pub(super) fn connect(&mut self) {
        self.cut = false;
        self.out = vec!["hello Welcome! Please log in".to_owned()];
    }

    /// One command of the bot.
    pub(super) fn command(&mut self, line: &str) {
        self.commands += 1;
        if self.away > 0 {
            self.away -= 1;
            if self.away == 0 {
                self.say(
                    &json!({"Type": "joined", "Player": "joe", "GameID": 1, "PlayerNumber": 2}),
                );
            }
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let game_word = matches!(word, "roll" | "move" | "ok" | "double" | "resign" | "reset");
        let running = self.game.as_ref().is_some_and(|game| game.winner.is_none());
        if game_word && running && self.faulty(word) {
            return;
        }
        match word {
            "loginjson" => self.login(rest),
            "create" => self.create(rest),
            "leave" => self.leave(),
            "board" => self.board(),
            "roll" => self.roll(),
            "move" => self.make(rest),
            "reset" => self.reset(),
            "ok" => self.ok(),
            "double" => self.double(),
            "resign" => self.concede(BOT),
            "pong" | "set" | "disconnect" => {}
            _ => self.illegal.push(line.to_owned()),
        }
    }

    /// Returns true if a fault takes the place of the command's effect.
    fn faulty(&mut self, word: &str) -> bool {
        let Faults {
            cuts,
            refusals,
            absences,
            ..
        } = self.faults;
        if self.away == 0 && self.chance(absences) {
            self.say(&json!({"Type": "left", "Player": "joe"}));
            self.away = 1 + below(&mut self.random, 3);
        }
        let kind = match word {
            "roll" => "failedroll",
            "ok" => "failedok",
            _ => "failedmove",
        };
        if self.away > 0 || self.chance(refusals) {
            self.say(&json!({"Type": kind, "Player": "", "From": 0, "To": 0, "Reason": "no"}));
            return true;
        }
        if self.chance(cuts) {
            // Before or after the effect of the command.
            self.cut = true;
            return self.chance(500);
        }
        false
    }

    /// The opponent comes back when the bot does nothing.
    pub(super) fn idle(&mut self) {
        if self.away > 0 {
            self.away = 0;
            self.say(&json!({"Type": "joined", "Player": "joe", "GameID": 1, "PlayerNumber": 2}));
        }
    }

    fn login(&mut self, rest: &str) {
        let mut words = rest.split(' ');
        assert!(words.next().is_some_and(|client| client.ends_with("/en")));
        assert_eq!(words.next(), Some("BOT_tester"));
        self.say(&json!({"Type": "welcome", "PlayerName": "BOT_tester", "Clients": 1, "Games": 0}));
        self.say(&json!({"Type": "list", "Player": "", "Games": null}));
        if self.game.is_some() {
            self.say(
                &json!({"Type": "joined", "Player": "BOT_tester", "GameID": 1, "PlayerNumber": 1}),
            );
            self.board();
        }
    }

    fn create(&mut self, rest: &str) {
        if self.game.is_some() {
            self.illegal.push(format!("create {rest}"));
            self.say(&json!({"Type": "failedcreate", "Reason": "leave first"}));
            return;
        }
        let length = rest.split(' ').nth(1).unwrap().parse().unwrap();
        self.game = Some(Game::new(length));
        self.say(
            &json!({"Type": "joined", "Player": "BOT_tester", "GameID": 1, "PlayerNumber": 1}),
        );
        let alone = self.game.as_ref().unwrap().board("");
        self.say(&alone);
        self.say(&json!({"Type": "joined", "Player": "joe", "GameID": 1, "PlayerNumber": 2}));
        self.board();
    }

    fn leave(&mut self) {
        match self.game.take() {
            Some(game) if game.scores.iter().any(|&score| score >= game.length) => {}
            Some(_) => self.left += 1,
            None => self.illegal.push("leave".to_owned()),
        }
        self.away = 0;
        self.say(&json!({"Type": "left", "Player": "BOT_tester"}));
    }

    fn refuse(&mut self, kind: &str, command: &str) {
        self.illegal.push(command.to_owned());
        self.say(&json!({"Type": kind, "Player": "", "From": 0, "To": 0, "Reason": "illegal"}));
    }

    fn die(&mut self) -> u8 {
        u8::try_from(below(&mut self.random, 6) + 1).unwrap()
    }

    fn roll(&mut self) {
        let Some(mut game) = self.game.take() else {
            return self.refuse("failedroll", "roll without a match");
        };
        if !game.begun && game.dice == [0; 2] {
            loop {
                game.dice = [self.die(), self.die()];
                self.say(&json!({"Type": "rolled", "Player": "BOT_tester", "Roll1": game.dice[0], "Roll2": 0}));
                if game.dice[0] != game.dice[1] {
                    break;
                }
            }
            game.begun = true;
            game.turn = usize::from(game.dice[1] > game.dice[0]);
            self.game = Some(game);
            self.board();
            return self.opponent();
        }
        let fits = game.begun && game.turn == BOT && game.dice == [0; 2] && !game.offered;
        let over = game.winner.is_some();
        self.game = Some(game);
        if !fits || over {
            return self.refuse("failedroll", "roll out of turn");
        }
        self.throw();
    }

    /// The player on turn rolls.
    fn throw(&mut self) {
        let dice = [self.die(), self.die()];
        if let Some(game) = &mut self.game {
            game.dice = dice;
        }
        self.say(&json!({"Type": "rolled", "Player": "", "Roll1": dice[0], "Roll2": dice[1]}));
        self.board();
    }

    fn make(&mut self, rest: &str) {
        let Some(game) = &mut self.game else {
            return self.refuse("failedmove", "move without a match");
        };
        let text = |step: &Step| {
            let [from, to] = numbers(*step);
            let from = if from == 26 {
                "bar".to_owned()
            } else {
                from.to_string()
            };
            let to = if to == 0 {
                "off".to_owned()
            } else {
                to.to_string()
            };
            format!("{from}/{to}")
        };
        let found = match game.turn == BOT && game.begun {
            true => game.available().into_iter().find(|step| text(step) == rest),
            false => None,
        };
        let Some(step) = found else {
            return self.refuse("failedmove", &format!("move {rest}"));
        };
        game.position = after(&game.position, step);
        game.made.push(step);
        if game.position.is_over() {
            return self.end(BOT);
        }
        self.say(&json!({"Type": "moved", "Player": "BOT_tester", "Moves": [numbers(step)]}));
        self.board();
    }

    fn reset(&mut self) {
        let Some(game) = &mut self.game else {
            return self.refuse("failedmove", "reset without a match");
        };
        game.position = game.before;
        game.made.clear();
        self.board();
    }

    fn ok(&mut self) {
        let Some(game) = &mut self.game else {
            return self.refuse("failedok", "ok without a match");
        };
        if game.turn != BOT && game.offered {
            game.offered = false;
            game.cube *= 2;
            game.owner = Some(BOT);
            self.cubes[1] += 1;
            self.board();
            return self.opponent();
        }
        if game.turn != BOT || game.dice[0] == 0 || !game.available().is_empty() {
            return self.refuse("failedok", "ok");
        }
        self.pass_turn();
        self.opponent();
    }

    /// The turn goes to the other player, who rolls at once if he may not double (BGM-33).
    fn pass_turn(&mut self) {
        let Some(game) = &mut self.game else { return };
        game.turn = 1 - game.turn;
        game.before = game.position;
        game.made.clear();
        game.dice = [0; 2];
        match game.may_double(game.turn) {
            true => self.board(),
            false => self.throw(),
        }
    }

    fn double(&mut self) {
        let Some(game) = &mut self.game else {
            return self.refuse("failedmove", "double without a match");
        };
        let fits = game.begun && game.turn == BOT && game.dice == [0; 2] && !game.offered;
        if !fits || !game.may_double(BOT) {
            return self.refuse("failedmove", "double");
        }
        game.offered = true;
        self.cubes[0] += 1;
        self.board();
        if self.chance(300) {
            self.cubes[2] += 1;
            return self.concede(1);
        }
        self.cubes[1] += 1;
        let Some(game) = &mut self.game else { return };
        game.offered = false;
        game.cube *= 2;
        game.owner = Some(1);
        self.board();
    }

    fn concede(&mut self, loser: usize) {
        let Some(game) = &mut self.game else {
            return self.refuse("failedmove", "resign without a match");
        };
        if loser == BOT && !(game.turn == BOT || game.offered) {
            return self.refuse("failedmove", "resign");
        }
        if loser == BOT && game.offered {
            self.cubes[2] += 1;
        }
        let points = game.concession(loser) * game.cube;
        self.finish(1 - loser, points);
    }

    fn end(&mut self, winner: usize) {
        let Some(game) = &self.game else { return };
        let outcome = game.seen_by(winner, &game.position).outcome().unwrap();
        let points = game.cube * u32::try_from(outcome.points()).unwrap();
        self.finish(winner, points);
    }

    /// BGM-46: the board with the old score, `win`, the board with the new one.
    fn finish(&mut self, winner: usize, points: u32) {
        let Some(game) = &mut self.game else { return };
        game.winner = Some(winner);
        self.board();
        self.say(&json!({"Type": "win", "Player": "", "Points": points, "Resigned": ""}));
        let Some(game) = &mut self.game else { return };
        game.scores[winner] += points;
        let scores = game.scores;
        if scores[winner] >= game.length {
            self.results.push(scores);
            return self.board();
        }
        let last = |score: u32| score + 1 == game.length;
        let crawford = match game.crawford {
            0 if scores.iter().any(|&score| last(score)) => 1,
            0 => 0,
            _ => 2,
        };
        *game = Game {
            scores,
            crawford,
            ..Game::new(game.length)
        };
        self.board();
    }

    /// The opponent acts until the bot must.
    fn opponent(&mut self) {
        loop {
            let Some(game) = &self.game else { return };
            if !game.begun || game.turn == BOT || game.winner.is_some() || game.offered {
                return;
            }
            if game.dice == [0; 2] {
                if game.may_double(1) && self.chance(60) {
                    self.cubes[0] += 1;
                    if let Some(game) = &mut self.game {
                        game.offered = true;
                    }
                    return self.board();
                }
                self.throw();
                continue;
            }
            if self.chance(5) {
                return self.concede(1);
            }
            self.opponent_plays();
        }
    }

    fn opponent_plays(&mut self) {
        let Some(mut game) = self.game.clone() else {
            return;
        };
        let mut moved = Vec::new();
        loop {
            let steps = game.available();
            if steps.is_empty() {
                break;
            }
            let step = steps[below(&mut self.random, u32::try_from(steps.len()).unwrap()) as usize];
            game.position = after(&game.position.swapped(), step).swapped();
            game.made.push(step);
            moved.push(mirrored(step));
            if game.position.is_over() {
                break;
            }
        }
        let over = game.position.is_over();
        self.game = Some(game);
        if over {
            return self.end(1);
        }
        if !moved.is_empty() {
            self.say(&json!({"Type": "moved", "Player": "joe", "Moves": moved}));
            self.board();
        }
        self.pass_turn();
    }
}
