//! A game on the server: rules, boards and the opponent's whims.

use super::{Result, Server, Style};
use gammond_base::rng::below;
use gammond_game::{BAR, OFF, Play, Position, Roll, Step, legal_plays};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seat {
    Bot,
    Opponent,
}

impl Seat {
    fn index(self) -> usize {
        usize::from(self == Seat::Opponent)
    }
}

pub(crate) struct Table {
    pub(crate) length: Option<u32>,
    /// Points of the bot and of the opponent.
    pub(crate) scores: [u32; 2],
    pub(crate) turn: Seat,
    pub(crate) between: bool,
    bot_is_o: bool,
    /// Seen by the player whose turn it is.
    position: Position,
    dice: Option<Roll>,
    cube: u32,
    owner: Option<Seat>,
    doubled: bool,
    resigned: Option<(Seat, u32)>,
    /// The bot's offer was refused in this game.
    crawford: bool,
    crawford_played: bool,
    joined: bool,
    games: u32,
}

impl Table {
    pub(crate) fn new(length: Option<u32>, bot_is_o: bool) -> Table {
        Table {
            length,
            scores: [0; 2],
            turn: Seat::Bot,
            between: true,
            bot_is_o,
            position: Position::start(),
            dice: None,
            cube: 1,
            owner: None,
            doubled: false,
            resigned: None,
            crawford: false,
            crawford_played: false,
            joined: false,
            games: 0,
        }
    }

    /// What a save does not keep.
    pub(super) fn interrupt(&mut self, style: Style) {
        self.resigned = None;
        if style != Style::Fibs {
            self.doubled = false;
        }
        self.joined = false;
    }

    fn may_double(&self, seat: Seat) -> bool {
        !self.crawford && self.owner.is_none_or(|owner| owner == seat) && !self.doubled
    }

    /// The bot's view of the board.
    pub(super) fn board(&self, opponent: &str, style: Style) -> String {
        let sign = if self.bot_is_o { 1 } else { -1 };
        let (me, other) = match self.turn {
            Seat::Bot => (self.position.me(), self.position.opponent()),
            Seat::Opponent => (self.position.opponent(), self.position.me()),
        };
        let mut points = [0_i32; 26];
        for index in 0..24_usize {
            let mine = if self.bot_is_o { index + 1 } else { 24 - index };
            let his = if self.bot_is_o { 24 - index } else { index + 1 };
            points[mine] += sign * i32::from(me.count(index));
            points[his] -= sign * i32::from(other.count(index));
        }
        let (my_bar, his_bar) = (i32::from(me.count(BAR)), i32::from(other.count(BAR)));
        let (o_bar, x_bar) = if self.bot_is_o {
            (my_bar, his_bar)
        } else {
            (his_bar, my_bar)
        };
        (points[25], points[0]) = (o_bar, -x_bar);
        if style == Style::Jibs053 {
            // Its bars carry offsets.
            points[0] -= 13;
            points[25] += 16;
        }
        let dice = |seat: Seat| match self.dice {
            Some(roll) if self.turn == seat => roll.dice(),
            _ => [0, 0],
        };
        let [a, b] = dice(Seat::Bot);
        let [c, d] = dice(Seat::Opponent);
        let turn = match (self.between, self.turn) {
            (true, _) => 0,
            (false, Seat::Bot) => sign,
            (false, Seat::Opponent) => -sign,
        };
        let own = |seat: Seat| u8::from(self.owner.is_none_or(|owner| owner == seat));
        let doubled = u8::from(self.doubled && self.turn == Seat::Opponent && style == Style::Fibs);
        let home = match (self.bot_is_o, style) {
            (_, Style::Jibs055) | (false, _) => "25:0",
            (true, _) => "0:25",
        };
        let points: Vec<String> = points.iter().map(i32::to_string).collect();
        format!(
            "board:You:{opponent}:{}:{}:{}:{}:{turn}:{a}:{b}:{c}:{d}:{}:{}:{}:{doubled}:{sign}:{}:{home}:{}:{}:{my_bar}:{his_bar}:{}:0:{}:0",
            self.length.unwrap_or(9999),
            self.scores[0],
            self.scores[1],
            points.join(":"),
            self.cube,
            own(Seat::Bot),
            own(Seat::Opponent),
            -sign,
            me.off(),
            other.off(),
            self.pieces(),
            u8::from(self.crawford_played),
        )
    }

    /// Steps that the roll allows.
    fn pieces(&self) -> usize {
        let plays = self.dice.map(|roll| legal_plays(&self.position, roll));
        plays
            .and_then(|plays| plays.first().map(|play| play.play.steps().len()))
            .unwrap_or(0)
    }

    /// A point of the player whose turn it is, as the board numbers it.
    fn word(&self, index: u8, style: Style) -> String {
        let descending = (self.turn == Seat::Bot) == self.bot_is_o;
        match usize::from(index) {
            BAR => "bar".into(),
            OFF if style == Style::BaldLies => "home".into(),
            OFF => "off".into(),
            index if descending => (index + 1).to_string(),
            index => (24 - index).to_string(),
        }
    }

    fn read(&self, word: &str) -> Option<u8> {
        let descending = (self.turn == Seat::Bot) == self.bot_is_o;
        match word {
            "bar" => Some(BAR as u8),
            "off" => Some(OFF as u8),
            number => {
                let number: u8 = number.parse().ok().filter(|n| (1..=24).contains(n))?;
                Some(if descending { number - 1 } else { 24 - number })
            }
        }
    }
}

impl Server {
    fn table(&mut self) -> &mut Table {
        self.table.as_mut().unwrap()
    }

    pub(super) fn send_board(&mut self) {
        let text = self
            .table
            .as_ref()
            .unwrap()
            .board(&self.opponent, self.style);
        self.say(&text);
        if self.one_in(self.faults.repeat) {
            self.say(&text);
        }
    }

    pub(super) fn begin_game(&mut self) {
        let opponent = self.opponent.clone();
        self.seen.games += 1;
        let table = self.table();
        table.between = false;
        table.position = Position::start();
        table.cube = 1;
        table.owner = None;
        table.doubled = false;
        table.resigned = None;
        table.games += 1;
        if let Some(length) = table.length {
            let one_away = table.scores.iter().any(|&score| score + 1 == length) && length > 1;
            table.crawford_played |= table.crawford;
            table.crawford = one_away && !table.crawford_played;
            let crawford = table.crawford;
            self.seen.crawford += u32::from(crawford);
        }
        // Jibs 0.55 announces a game after its first board, but for the first game to the one who joins.
        let first = self.table().games == 1 && self.faults.unannounced;
        if self.style != Style::Jibs055 || first {
            self.say(&format!("Starting a new game with {opponent}."));
        }
        let dice = loop {
            let dice = Roll::thrown(&mut self.chance);
            let [mine, other] = dice.dice();
            self.say(&format!("You rolled {mine}, {opponent} rolled {other}"));
            if mine != other {
                break dice;
            }
        };
        let [mine, other] = dice.dice();
        let table = self.table();
        table.dice = Some(dice);
        table.turn = if mine > other {
            Seat::Bot
        } else {
            Seat::Opponent
        };
        match self.table().turn {
            Seat::Bot => {
                self.say("It's your turn to move.");
                self.send_board();
            }
            Seat::Opponent => {
                self.say(&format!("{opponent} makes the first move."));
                self.send_board();
            }
        }
        if self.style == Style::Jibs055 && !first {
            self.say(&format!("Starting a new game with {opponent}."));
        }
        if self.table().turn == Seat::Opponent {
            self.opponent_plays();
            self.advance();
        }
    }

    /// Plays on until the bot has to do something.
    pub(super) fn advance(&mut self) {
        let opponent = self.opponent.clone();
        while let Some(table) = &self.table {
            if table.between || table.resigned.is_some() {
                return;
            }
            if table.doubled {
                match table.turn {
                    Seat::Opponent => return,
                    Seat::Bot => self.opponent_answers_double(),
                }
                continue;
            }
            match (table.turn, table.dice) {
                (Seat::Bot, None) => {
                    // Their toggle works the other way round: they can roll all by themselves.
                    let rolls = matches!(self.style, Style::Jibs053 | Style::Jibs055)
                        && below(&mut self.chance, 4) == 0;
                    if table.may_double(Seat::Bot) && !rolls {
                        let prompt = match below(&mut self.chance, 2) {
                            0 => "It's your turn. Please roll or double",
                            _ => "It's your turn to roll or double.",
                        };
                        self.say(prompt);
                        return;
                    }
                    if self.style == Style::BaldLies && table.crawford {
                        return;
                    }
                    self.bot_rolls();
                    return;
                }
                (Seat::Bot, Some(_)) => return,
                (Seat::Opponent, None) => {
                    if self.one_in(self.faults.drop) {
                        return self.opponent_drops();
                    }
                    if self.opponent_offers() {
                        return;
                    }
                    let dice = Roll::thrown(&mut self.chance);
                    let [a, b] = dice.dice();
                    self.table().dice = Some(dice);
                    self.say("");
                    self.say(&format!("{opponent} rolls {a} and {b}."));
                    self.send_board();
                    self.opponent_plays();
                }
                (Seat::Opponent, Some(_)) => self.opponent_plays(),
            }
        }
    }

    /// Doubles or resigns by whim: says whether the bot has to answer.
    fn opponent_offers(&mut self) -> bool {
        let opponent = self.opponent.clone();
        let may = self.table().may_double(Seat::Opponent) && self.table().cube < 16;
        if may && self.one_in(10) {
            self.seen.opponent_doubles += 1;
            self.seen.opponent_redoubles += u32::from(self.table().cube > 1);
            self.table().doubled = true;
            self.say(&format!("{opponent} doubles. Type 'accept' or 'reject'."));
            return true;
        }
        if self.one_in(60) {
            let games = 1 + below(&mut self.chance, 3);
            let points = games * self.table().cube;
            self.seen.opponent_resigns[games as usize - 1] += 1;
            self.table().resigned = Some((Seat::Opponent, games));
            let noun = if points == 1 { "point" } else { "points" };
            self.say(&format!(
                "{opponent} wants to resign. You will win {points} {noun}. Type 'accept' or 'reject'."
            ));
            return true;
        }
        false
    }

    fn opponent_answers_double(&mut self) {
        let opponent = self.opponent.clone();
        if self.one_in(3) {
            let points = self.table().cube;
            self.seen.opponent_drops += 1;
            let told = self.told_points(points);
            self.say(&format!("{opponent} gives up. You win {told}."));
            self.end_game(Seat::Bot, points);
            return;
        }
        let table = self.table();
        table.doubled = false;
        table.cube *= 2;
        table.owner = Some(Seat::Opponent);
        let cube = table.cube;
        self.seen.opponent_takes += 1;
        match self.style {
            Style::Jibs053 | Style::Jibs055 => {
                self.say(&format!(
                    "{opponent} accepts the double.The cube shows {cube}."
                ));
            }
            _ => self.say(&format!(
                "{opponent} accepts the double.  The cube shows {cube}."
            )),
        }
        self.bot_rolls();
    }

    fn bot_rolls(&mut self) {
        let dice = Roll::thrown(&mut self.chance);
        let [a, b] = dice.dice();
        self.table().dice = Some(dice);
        self.say(&format!("You roll {a} and {b}."));
        self.send_board();
        match self.table().pieces() {
            0 => {
                self.say("You can't move.");
                let table = self.table();
                table.position = table.position.swapped();
                table.turn = Seat::Opponent;
                table.dice = None;
                self.send_board();
                self.advance();
            }
            // As the clones do.
            1 => self.say("Please move 1 pieces."),
            count => self.say(&format!("Please move {count} pieces.")),
        }
    }

    fn opponent_plays(&mut self) {
        let (opponent, style) = (self.opponent.clone(), self.style);
        let table = self.table.as_ref().unwrap();
        let plays = legal_plays(&table.position, table.dice.unwrap());
        // Home quickly, few blots, and a little chance.
        let values: Vec<i32> = plays
            .iter()
            .map(|play| {
                let mine = play.after.opponent();
                let blots = (0..24).filter(|&index| mine.count(index) == 1).count() as i32;
                let bar = i32::from(play.after.me().count(BAR));
                10 * i32::from(mine.off()) + 8 * bar - 3 * blots
            })
            .collect();
        let mut best: Option<(i32, usize)> = None;
        for (at, value) in values.into_iter().enumerate() {
            let value = value + below(&mut self.chance, 8) as i32;
            if best.is_none_or(|(old, _)| value > old) {
                best = Some((value, at));
            }
        }
        let table = self.table.as_mut().unwrap();
        let text = match best {
            None => {
                table.position = table.position.swapped();
                format!("{opponent} can't move.")
            }
            Some((_, at)) => {
                let mut text = format!("{opponent} moves");
                for step in plays[at].play.steps() {
                    let (from, to) = (table.word(step.from, style), table.word(step.to, style));
                    text += &format!(" {from}-{to}");
                }
                table.position = plays[at].after;
                text + if style == Style::Fibs { " ." } else { "." }
            }
        };
        table.turn = Seat::Bot;
        table.dice = None;
        if self.faults.board_first && self.table().position.outcome().is_none() {
            self.send_board();
            self.say(&text);
            return;
        }
        self.say(&text);
        self.finish_play(Seat::Opponent);
    }

    /// Points as the line that ends a game tells them: now and then wrong, where the score that the
    /// server shows later says what is right.
    fn told_points(&mut self, points: u32) -> String {
        let scores = !matches!(self.style, Style::Jibs053 | Style::Jibs055);
        let shown = scores || self.table().length.is_some();
        let told = match shown && self.one_in(self.faults.wrong_points) {
            true => {
                self.seen.wrong_points += 1;
                points % 3 + 1
            }
            false => points,
        };
        let noun = if told == 1 { "point" } else { "points" };
        format!("{told} {noun}")
    }

    /// After a play: the end of the game, or a board.
    fn finish_play(&mut self, mover: Seat) {
        let table = self.table();
        match table.position.outcome() {
            Some(outcome) => {
                let points = outcome.margin as u32 * table.cube;
                let told = self.told_points(points);
                let opponent = self.opponent.clone();
                match mover {
                    Seat::Bot if self.one_in(self.faults.garbled_win) => {
                        self.seen.garbled_wins += 1;
                        self.say(&format!(
                            "{points} win the game and get %1 points. Congratulation!"
                        ));
                    }
                    Seat::Bot => self.say(&format!(
                        "You win the game and get {told}. Congratulations!"
                    )),
                    Seat::Opponent => {
                        self.say(&format!("{opponent} wins the game and gets {told}. Sorry."))
                    }
                }
                self.end_game(mover, points);
            }
            None => self.send_board(),
        }
    }

    fn end_game(&mut self, winner: Seat, points: u32) {
        let (name, opponent) = (self.name.clone(), self.opponent.clone());
        let table = self.table();
        table.scores[winner.index()] += points;
        table.between = true;
        table.joined = false;
        table.doubled = false;
        let (scores, length) = (table.scores, table.length);
        let [mine, other] = scores;
        if self.faults.garbled_win > 0 {
            // Jibs shows the last board with the new score and a player on roll.
            self.table().between = false;
            self.send_board();
            self.table().between = true;
        }
        match length {
            Some(length) if mine.max(other) >= length => {
                let won = mine >= length;
                self.rate(won, length);
                self.table = None;
                match won {
                    true => self.say(&format!(
                        "You win the {length} point match {mine}-{other} ."
                    )),
                    false => self.say(&format!(
                        "{opponent} wins the {length} point match {other}-{mine} ."
                    )),
                }
                self.results.push(Result {
                    opponent,
                    length: Some(length),
                    scores,
                });
                self.who_bot();
                self.who_opponent();
            }
            _ => {
                if self.style != Style::Jibs053 && self.style != Style::Jibs055 {
                    let what =
                        length.map_or("unlimited".into(), |length| format!("{length} point"));
                    self.say(&format!(
                        "score in {what} match: {name}-{mine} {opponent}-{other}"
                    ));
                }
                let quote = if self.style == Style::Jibs053 {
                    '"'
                } else {
                    '\''
                };
                self.say(&format!(
                    "Type 'join' if you want to play the next game, type 'leave{quote} if you don't."
                ));
            }
        }
    }

    /// A command of the game.
    pub(super) fn play(&mut self, word: &str, rest: &str) {
        let opponent = self.opponent.clone();
        let table = self.table.as_ref().unwrap();
        let resigned = table.resigned;
        if resigned.is_some() && !matches!(word, "accept" | "reject" | "board" | "leave") {
            return self.refuse(
                &format!("** {opponent} wanted to resign. Type 'accept' or 'reject'."),
                word,
            );
        }
        match word {
            "board" => self.send_board(),
            "leave" => self.leave(),
            "join" => self.join_next(),
            "roll" => self.command_roll(),
            "double" => self.command_double(),
            "accept" => self.command_accept(),
            "reject" => self.command_reject(),
            "resign" => self.command_resign(rest),
            "move" => match self.command_move(rest) {
                Ok(()) => {}
                Err(text) => self.refuse(&text, &format!("move {rest}")),
            },
            _ => self.refuse(&format!("** Unknown command: '{word}'"), word),
        }
    }

    fn leave(&mut self) {
        let mut table = self.table.take().unwrap();
        table.interrupt(self.style);
        let opponent = self.opponent.clone();
        self.say("** You terminated the game. The game was saved.");
        if table.length.is_none() && table.between {
            self.results.push(Result {
                opponent,
                length: None,
                scores: table.scores,
            });
        } else {
            self.saved = Some(table);
        }
        self.who_bot();
        self.who_opponent();
    }

    fn join_next(&mut self) {
        if !self.table().between {
            return self.refuse("** You're already playing.", "join");
        }
        let opponent = self.opponent.clone();
        if below(&mut self.chance, 2) == 0 {
            self.say(&format!("** Please wait for {opponent} to join too."));
        }
        self.begin_game();
    }

    fn command_roll(&mut self) {
        let table = self.table();
        if table.between || table.turn != Seat::Bot {
            return self.refuse("** It's not your turn to roll the dice.", "roll");
        }
        if table.dice.is_some() {
            return self.refuse("** You did already roll the dice.", "roll");
        }
        if table.doubled {
            return self.refuse("** alice hasn't responded to your double yet.", "roll");
        }
        self.seen.crawford_rolls += u32::from(self.table().crawford);
        self.bot_rolls();
    }

    fn command_double(&mut self) {
        let opponent = self.opponent.clone();
        let table = self.table();
        if table.between || table.turn != Seat::Bot || !table.may_double(Seat::Bot) {
            return self.refuse("** It's not your turn to double", "double");
        }
        if table.dice.is_some() {
            return self.refuse("** You can only double before you roll the dice.", "double");
        }
        table.doubled = true;
        let redouble = table.cube > 1;
        self.seen.bot_doubles += 1;
        self.seen.bot_redoubles += u32::from(redouble);
        self.say(&format!(
            "You double. Please wait for {opponent} to accept or reject."
        ));
        self.advance();
    }

    fn command_accept(&mut self) {
        let table = self.table();
        if let Some((Seat::Opponent, games)) = table.resigned.take() {
            let points = games * table.cube;
            self.seen.opponent_resigns_taken += 1;
            let told = self.told_points(points);
            self.say(&format!("You accept and win {told}."));
            return self.end_game(Seat::Bot, points);
        }
        if !(table.doubled && table.turn == Seat::Opponent) {
            return self.refuse("** alice didn't double or resign.", "accept");
        }
        table.doubled = false;
        table.cube *= 2;
        table.owner = Some(Seat::Bot);
        let cube = table.cube;
        self.seen.bot_takes += 1;
        self.say(&format!("You accept the double. The cube shows {cube}."));
        let dice = Roll::thrown(&mut self.chance);
        let [a, b] = dice.dice();
        self.table().dice = Some(dice);
        let opponent = self.opponent.clone();
        self.say(&format!("{opponent} rolls {a} and {b}."));
        self.send_board();
        self.opponent_plays();
        self.advance();
    }

    fn command_reject(&mut self) {
        let opponent = self.opponent.clone();
        let table = self.table();
        if table.resigned.take().is_some() {
            self.seen.opponent_resigns_refused += 1;
            self.say("You reject. The game continues.");
            return self.advance();
        }
        if !(table.doubled && table.turn == Seat::Opponent) {
            return self.refuse("** alice didn't double or resign.", "reject");
        }
        let points = table.cube;
        self.seen.bot_drops += 1;
        let told = self.told_points(points);
        self.say(&format!("You give up. {opponent} wins {told}."));
        self.end_game(Seat::Opponent, points);
    }

    fn command_resign(&mut self, rest: &str) {
        let opponent = self.opponent.clone();
        let games = match rest {
            "n" => 1,
            "g" => 2,
            "b" => 3,
            _ => {
                let text = "** Type 'n' (normal), 'g' (gammon) or 'b' (backgammon) after resign.";
                return self.refuse(text, "resign");
            }
        };
        let points = games * self.table().cube;
        self.seen.bot_resigns[games as usize - 1] += 1;
        let noun = if points == 1 { "point" } else { "points" };
        self.say(&format!(
            "You want to resign. {opponent} will win {points} {noun}."
        ));
        if self.one_in(3) {
            self.seen.bot_resigns_refused += 1;
            return self.say(&format!("{opponent} rejects. The game continues."));
        }
        self.seen.bot_resigns_taken += 1;
        let told = self.told_points(points);
        self.say(&format!("{opponent} accepts and wins {told}."));
        self.end_game(Seat::Opponent, points);
    }

    fn command_move(&mut self, rest: &str) -> std::result::Result<(), String> {
        let table = self.table.as_mut().unwrap();
        if table.between || table.turn != Seat::Bot {
            return Err("** It's not your turn to move.".into());
        }
        let Some(dice) = table.dice else {
            return Err("** You have to roll the dice before moving.".into());
        };
        let mut steps = Vec::new();
        for word in rest.split_whitespace() {
            let pair = word
                .split_once('-')
                .and_then(|(from, to)| Some((table.read(from)?, table.read(to)?)));
            let (from, to) = pair
                .ok_or("** first move: legal words are 'bar', 'home', 'off', 'b', 'h' and 'o'.")?;
            steps.push(Step { from, to });
        }
        let play = Play::from_steps(&steps).ok_or("** Please don't give more than 4 moves.")?;
        if steps.len() != table.pieces() {
            return Err(format!("** You must give {} moves.", table.pieces()));
        }
        // The steps in their order, one die each, as a server checks them.
        let after = replay(&table.position, &play, dice)?;
        let legal = legal_plays(&table.position, dice);
        let found = legal.iter().find(|legal| legal.after == after);
        table.position = found
            .ok_or("** You can't move like that in your first move.")?
            .after;
        table.turn = Seat::Opponent;
        table.dice = None;
        self.seen.moves += 1;
        self.finish_play(Seat::Bot);
        self.advance();
        Ok(())
    }
}

/// The position after the steps, checked one by one.
fn replay(position: &Position, play: &Play, dice: Roll) -> std::result::Result<Position, String> {
    let (mut me, mut other) = (position.me().counts(), position.opponent().counts());
    let mut left: Vec<u8> = match dice.is_double() {
        true => vec![dice.high(); 4],
        false => dice.dice().to_vec(),
    };
    for step in play.steps() {
        let (from, to) = (usize::from(step.from), usize::from(step.to));
        if me[from] == 0 {
            return Err(format!("** You can't move from {from} in your first move."));
        }
        if me[BAR] > 0 && from != BAR {
            return Err("** You have to remove pieces from the bar in your first move.".into());
        }
        let die = if to == OFF {
            let far = me.iter().rposition(|&count| count > 0).unwrap();
            if far > 5 {
                return Err("** You can't remove this piece in your first move.".into());
            }
            let exact = left.iter().position(|&die| usize::from(die) == from + 1);
            exact.or_else(|| {
                left.iter()
                    .position(|&die| usize::from(die) > from + 1 && far == from)
            })
        } else {
            let pips = from
                .checked_sub(to)
                .ok_or("** You can't move home in your first move.")?;
            if other[23 - to] > 1 {
                return Err(format!("** You can't move to {to} in your first move."));
            }
            left.iter().position(|&die| usize::from(die) == pips)
        };
        left.remove(die.ok_or("** You can't move that many points in your first move.")?);
        me[from] -= 1;
        if to != OFF {
            me[to] += 1;
            other[BAR] += std::mem::take(&mut other[23 - to]);
        }
    }
    Position::new(&other, &me).map_err(|error| error.to_string())
}
