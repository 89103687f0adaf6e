//! A FIBS server without sockets, for tests: commands in, the bytes that a server would send out.
//!
//! It speaks the recorded wordings of fibs.com and of three clones, plays the opponents itself by
//! chance, keeps the rules with the legal plays of the crate, and misbehaves on order. What the
//! bot does wrong is refused as a server would and written down.

mod table;

use gammond_base::rng::{ChaCha8Rng, below, stream};
use std::collections::VecDeque;
use std::fmt::Write as _;
pub(crate) use table::{Seat, Table};

/// Whose words and habits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    Fibs,
    BaldLies,
    Jibs053,
    Jibs055,
}

/// Misbehaviour, each as one in so many cases; 0 for never.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// No line end after a board.
    pub(crate) glue: u32,
    /// A command is lost.
    pub(crate) swallow: u32,
    /// Chat that looks like the protocol, unknown lines, bells.
    pub(crate) chatter: u32,
    /// A board is sent twice.
    pub(crate) repeat: u32,
    /// The opponent drops the connection at his turn.
    pub(crate) drop: u32,
    /// The opponent is gone when a command of the game arrives: it crosses that news.
    pub(crate) vanish: u32,
    /// No automatic roll and no prompt after a resume.
    pub(crate) forget_roll: bool,
    /// A board whose bar fields are wrong.
    pub(crate) wrong_bar: u32,
    /// A line of chat in the middle of a board.
    pub(crate) tear: u32,
    /// A command is answered by a logout.
    pub(crate) logout: u32,
    /// A link that broke is noticed only when the same user logs in again.
    pub(crate) linger: u32,
    /// What is sent arrives later (whoever carries the bytes looks at this).
    pub(crate) delay: u32,
    /// Apostrophes are doubled, whatever the style.
    pub(crate) quotes: bool,
    /// Lines end in LF alone, whatever the style.
    pub(crate) bare_lf: bool,
    /// A stranger's words that look like the protocol, in every form in which they can come.
    pub(crate) free_text: u32,
    /// The opponent forgets the saved match and invites to a new one.
    pub(crate) forget_saved: u32,
    /// The server warns of that.
    pub(crate) warns: bool,
    /// A board comes before the line that tells the play.
    pub(crate) board_first: bool,
    /// There is no command `board`.
    pub(crate) no_board: bool,
    /// The line that ends a game tells wrong points.
    pub(crate) wrong_points: u32,
    /// Ratings are below zero.
    pub(crate) low_ratings: bool,
    /// Resuming a match breaks the connection.
    pub(crate) resume_breaks: u32,
    /// After a login the opponent is listed as playing, and no later line corrects it (Jibs 0.55).
    pub(crate) stale_who: bool,
    /// Refusals of invitations lack names and apostrophes (Jibs 0.55).
    pub(crate) garbled_refusals: bool,
    /// The first game begins without `You are now playing` (Jibs 0.55).
    pub(crate) unannounced: bool,
    /// `board` is answered by `You are not playing.` (BaldLies).
    pub(crate) denies_board: u32,
    /// The line in which the bot wins a game has its points at the wrong place (Jibs 0.5.3).
    pub(crate) garbled_win: u32,
}

impl Faults {
    /// Everything at once, seldom enough for a match to end.
    pub(crate) const ALL: Faults = Faults {
        glue: 5,
        swallow: 40,
        chatter: 6,
        repeat: 8,
        drop: 100,
        vanish: 300,
        forget_roll: true,
        wrong_bar: 30,
        tear: 30,
        logout: 300,
        linger: 2,
        delay: 20,
        quotes: false,
        bare_lf: false,
        free_text: 12,
        forget_saved: 3,
        warns: false,
        board_first: false,
        no_board: false,
        wrong_points: 4,
        low_ratings: false,
        resume_breaks: 12,
        stale_who: false,
        garbled_refusals: false,
        unannounced: false,
        denies_board: 0,
        garbled_win: 0,
    };

    /// All faults, with some habits of other servers by this number.
    pub(crate) fn with_habits(number: u64) -> Faults {
        let bit = |at: u64| number >> at & 1 == 1;
        Faults {
            warns: bit(0),
            board_first: bit(1),
            low_ratings: bit(2),
            quotes: bit(3),
            bare_lf: bit(4),
            stale_who: bit(5),
            garbled_refusals: bit(6),
            unannounced: bit(7),
            denies_board: if bit(8) { 20 } else { 0 },
            garbled_win: if bit(9) { 3 } else { 0 },
            ..Faults::ALL
        }
    }

    /// A server without `board`, and what can be survived without it.
    pub(crate) fn without_board(number: u64) -> Faults {
        Faults {
            no_board: true,
            swallow: 0,
            forget_roll: false,
            wrong_bar: 0,
            tear: 0,
            glue: 0,
            ..Faults::with_habits(number)
        }
    }
}

/// How a match ended, as the server sees it: points of the bot and of the opponent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Result {
    pub(crate) opponent: String,
    pub(crate) length: Option<u32>,
    pub(crate) scores: [u32; 2],
}

/// What happened, to see that a test covers it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) begun: u32,
    pub(crate) games: u32,
    pub(crate) crawford: u32,
    pub(crate) moves: u32,
    pub(crate) bot_doubles: u32,
    pub(crate) bot_redoubles: u32,
    pub(crate) bot_takes: u32,
    pub(crate) bot_drops: u32,
    pub(crate) opponent_doubles: u32,
    pub(crate) opponent_redoubles: u32,
    pub(crate) opponent_takes: u32,
    pub(crate) opponent_drops: u32,
    /// By games offered: 1, 2, 3.
    pub(crate) bot_resigns: [u32; 3],
    pub(crate) bot_resigns_taken: u32,
    pub(crate) bot_resigns_refused: u32,
    pub(crate) opponent_resigns: [u32; 3],
    pub(crate) opponent_resigns_taken: u32,
    pub(crate) opponent_resigns_refused: u32,
    pub(crate) saves: u32,
    pub(crate) resumes: u32,
    pub(crate) swallowed: u32,
    pub(crate) wrong_boards: u32,
    pub(crate) torn_boards: u32,
    pub(crate) logouts: u32,
    pub(crate) kicks: u32,
    /// Saved matches that a new one destroyed: none, ever.
    pub(crate) destroyed: u32,
    /// Invitations to new matches while one was saved.
    pub(crate) forgotten: u32,
    /// Wrong points told.
    pub(crate) wrong_points: u32,
    pub(crate) resume_breaks: u32,
    /// Saved matches that were asked for and did not exist.
    pub(crate) asked_in_vain: u32,
    /// Lines with a stranger's words.
    pub(crate) free_text: u32,
    /// Boards that were denied in a match.
    pub(crate) denied_boards: u32,
    /// Lines about a game that the bot has won and that were garbled.
    pub(crate) garbled_wins: u32,
    /// Rolls of the bot in Crawford games.
    pub(crate) crawford_rolls: u32,
    /// Commands that were refused because they crossed the news that the opponent is gone.
    pub(crate) crossed: u32,
}

impl Seen {
    /// What a match can contain, by name.
    pub(crate) fn kinds(&self) -> [(&'static str, u32); 22] {
        let [bot_1, bot_2, bot_3] = self.bot_resigns;
        let [opponent_1, opponent_2, opponent_3] = self.opponent_resigns;
        [
            ("matches begun", self.begun),
            ("games", self.games),
            ("Crawford games", self.crawford),
            ("plays of the bot", self.moves),
            ("doubles of the bot", self.bot_doubles),
            ("redoubles of the bot", self.bot_redoubles),
            ("takes of the bot", self.bot_takes),
            ("drops of the bot", self.bot_drops),
            ("doubles of the opponent", self.opponent_doubles),
            ("redoubles of the opponent", self.opponent_redoubles),
            ("takes of the opponent", self.opponent_takes),
            ("drops of the opponent", self.opponent_drops),
            ("resignations of 1 by the bot", bot_1),
            ("resignations of 2 by the bot", bot_2),
            ("resignations of 3 by the bot", bot_3),
            ("of the bot's accepted", self.bot_resigns_taken),
            ("of the bot's refused", self.bot_resigns_refused),
            ("resignations of 1 by the opponent", opponent_1),
            ("resignations of 2 by the opponent", opponent_2),
            ("resignations of 3 by the opponent", opponent_3),
            ("of the opponent's accepted", self.opponent_resigns_taken),
            ("of the opponent's refused", self.opponent_resigns_refused),
        ]
    }
}

pub(crate) struct Server {
    pub(crate) style: Style,
    pub(crate) faults: Faults,
    pub(crate) name: String,
    pub(crate) password: String,
    pub(crate) opponent: String,
    /// Lengths of the matches to come; `None` is unlimited.
    pub(crate) plan: VecDeque<Option<u32>>,
    pub(crate) results: Vec<Result>,
    /// What the bot did wrong.
    pub(crate) refusals: Vec<String>,
    /// All commands of the bot but the login.
    pub(crate) commands: Vec<String>,
    pub(crate) seen: Seen,
    /// What `show savedcount` answers.
    pub(crate) saved_by_others: u32,
    pub(crate) closed: bool,
    pub(crate) logged_in: bool,
    ready: bool,
    invited: Option<Option<u32>>,
    resume_invited: bool,
    table: Option<Table>,
    saved: Option<Table>,
    /// A session that broke and that the server has not given up yet.
    lingering: bool,
    opponent_away: bool,
    ratings: [f64; 2],
    experience: [u32; 2],
    chance: ChaCha8Rng,
    out: String,
}

impl Server {
    pub(crate) fn new(style: Style, faults: Faults, plan: &[Option<u32>], seed: u64) -> Server {
        Server {
            style,
            faults,
            name: "tester".into(),
            password: "s3cretW0rd".into(),
            opponent: "alice".into(),
            plan: plan.iter().copied().collect(),
            results: Vec::new(),
            refusals: Vec::new(),
            commands: Vec::new(),
            seen: Seen::default(),
            saved_by_others: 0,
            closed: false,
            logged_in: false,
            ready: false,
            invited: None,
            resume_invited: false,
            table: None,
            saved: None,
            lingering: false,
            opponent_away: false,
            ratings: [if faults.low_ratings { -200.0 } else { 1500.0 }; 2],
            experience: [0; 2],
            chance: stream(seed, 1),
            out: String::new(),
        }
    }

    pub(crate) fn busy(&self) -> bool {
        self.table.is_some() || self.saved.is_some()
    }

    pub(crate) fn one_in(&mut self, count: u32) -> bool {
        count > 0 && below(&mut self.chance, count) == 0
    }

    fn say(&mut self, line: &str) {
        let mut line = line.to_owned();
        let quotes = self.faults.quotes || self.style == Style::Jibs055;
        if quotes && !line.starts_with(|c: char| c.is_ascii_digit()) {
            line = line.replace('\'', "''");
        }
        if line.starts_with("board:") {
            self.spoil(&mut line);
        }
        self.out.push_str(&line);
        if line.starts_with("board:") && self.one_in(self.faults.glue) {
            return;
        }
        self.out.push_str(self.line_end());
        if self.logged_in && self.one_in(self.faults.chatter) {
            self.chatter();
        }
        if self.logged_in && self.one_in(self.faults.free_text) {
            self.stranger();
        }
    }

    /// Words of a stranger that look like what the server would say now.
    fn stranger(&mut self) {
        use gammond_bots::fibs::free_text::FORMS;
        self.seen.free_text += 1;
        let opponent = self.opponent.clone();
        let mut wishes = vec![
            format!("{opponent} drops connection. The game was saved."),
            "** You terminated the game. The game was saved.".to_owned(),
            "** You're not playing.".to_owned(),
            format!("{opponent} doubles. Type 'accept' or 'reject'."),
            format!(
                "{opponent} wants to resign. You will win 3 points. Type 'accept' or 'reject'."
            ),
            format!("{opponent} accepts the double. The cube shows 2.You roll 6 and 6."),
            "You win the game and get 1 point. Congratulations!You roll 6 and 6.".to_owned(),
            format!("You win the 3 point match 3-0 .{opponent} rolls 1 and 1."),
            "You roll 6 and 6.".to_owned(),
        ];
        if let Some(table) = &self.table {
            // The very board, with other dice.
            let board = table.board(&opponent, self.style);
            let mut fields: Vec<&str> = board.split(':').collect();
            (fields[33], fields[34]) = ("6", "6");
            wishes.extend([board.clone(), fields.join(":"), fields.join(":")]);
        }
        let wish = below(&mut self.chance, wishes.len() as u32) as usize;
        let wish = &wishes[wish];
        let form = below(&mut self.chance, 2 * FORMS.len() as u32) as usize;
        let line = match FORMS.get(form) {
            Some((_, form)) => form.replace("{*}", wish).replace("{}", "nosy"),
            // The seldom numbers of CLIP, and the away message once more.
            None => match form % 4 {
                0 => format!("9 nosy 1795224913 {wish}"),
                1 => format!("17 {wish}"),
                2 => format!("nosy is away: {wish}"),
                _ => format!("12 nosy {wish}"),
            },
        };
        self.out.push_str(&line);
        self.out.push_str(self.line_end());
    }

    fn line_end(&self) -> &'static str {
        match self.style {
            Style::Jibs055 => "\n",
            _ if self.faults.bare_lf => "\n",
            _ => "\r\n",
        }
    }

    /// Makes a board wrong in a way that its reader can see.
    fn spoil(&mut self, line: &mut String) {
        if self.one_in(self.faults.wrong_bar) {
            self.seen.wrong_boards += 1;
            let mut fields: Vec<String> = line.split(':').map(str::to_owned).collect();
            // Checkers on the bars of both that are not there.
            for at in [47, 48] {
                let bar: u32 = fields[at].parse().unwrap();
                fields[at] = (bar + 1).to_string();
            }
            *line = fields.join(":");
        } else if self.one_in(self.faults.tear) {
            self.seen.torn_boards += 1;
            let at = 7 + below(&mut self.chance, line.len() as u32 - 8) as usize;
            let end = self.line_end();
            line.insert_str(at, &format!("{end}15 nosy a word in between{end}"));
        }
    }

    fn chatter(&mut self) {
        let lines = [
            "15 alice doubles. Type 'accept' or 'reject'.",
            "13 loud board:You:alice:3:0:0:0:0",
            "12 nosy You roll 6 and 6.",
            "",
            "A line that nobody has ever seen",
            "bobby and carol start a 5 point match.",
            "\u{7}7 carol carol logs in.",
            "5 carol - - 1 0 1500.00 0 0 1795224913 127.0.0.1 other -",
            "20 something of the future",
            "nosy is watching you.",
            "nosy starts watching alice.",
            "nosy stops watching you.",
            "14 nosy alice rolls 6 and 6.",
            "nosy whispers: You win the game and get 3 points. Congratulations!",
        ];
        let at = below(&mut self.chance, lines.len() as u32) as usize;
        self.out.push_str(lines[at]);
        self.out.push_str(self.line_end());
    }

    fn refuse(&mut self, text: &str, command: &str) {
        self.refusals.push(format!("{command}: {text}"));
        self.say(text);
    }

    fn take_out(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.out)
            .chars()
            .map(|c| u8::try_from(u32::from(c)).unwrap())
            .collect()
    }

    /// A connection is made.
    pub(crate) fn connect(&mut self) -> Vec<u8> {
        self.closed = false;
        self.logged_in = false;
        self.ready = false;
        self.out = format!("WELCOME{0}{0}   to this server{0}login: ", self.line_end());
        self.take_out()
    }

    /// The connection is gone: a running match is saved.
    pub(crate) fn disconnect(&mut self) {
        self.logged_in = false;
        self.invited = None;
        self.resume_invited = false;
        if self.one_in(self.faults.linger) {
            self.lingering = true;
            return;
        }
        self.save();
    }

    /// The server, or a second login of the same user, throws the bot out.
    fn throw_out(&mut self, words: &str) {
        self.say(words);
        self.seen.logouts += 1;
        self.disconnect();
        self.closed = true;
    }

    fn save(&mut self) {
        if let Some(mut table) = self.table.take() {
            self.seen.saves += 1;
            table.interrupt(self.style);
            self.saved = Some(table);
        }
    }

    /// The opponent is gone when this command of the game arrives. The bot cannot know, for the news
    /// leaves only now: this one command may be refused.
    fn crosses(&mut self, word: &str) -> bool {
        let crosses = !matches!(word, "board" | "kibitz") && self.one_in(self.faults.vanish);
        if crosses {
            self.opponent_drops();
            self.seen.crossed += 1;
            self.say("** You're not playing.");
        }
        crosses
    }

    /// The opponent's connection breaks.
    fn opponent_drops(&mut self) {
        let opponent = self.opponent.clone();
        self.say(&format!("{opponent} drops connection. The game was saved."));
        self.say(&format!("8 {opponent} {opponent} drops connection."));
        self.save();
        self.opponent_away = true;
        self.who_bot();
    }

    /// Nothing happens for a while: whoever has something to do does it.
    pub(crate) fn idle(&mut self) -> Vec<u8> {
        if !self.logged_in || self.table.is_some() {
            return Vec::new();
        }
        let opponent = self.opponent.clone();
        if self.opponent_away {
            self.opponent_away = false;
            self.say(&format!("7 {opponent} {opponent} logs in."));
            self.who_opponent();
        } else if self.saved.is_some() && self.one_in(self.faults.forget_saved) {
            // He does not remember, or wants another one.
            self.seen.forgotten += 1;
            let length = self.plan.front().copied().flatten().unwrap_or(1);
            self.invited = Some(Some(length));
            self.say(&format!(
                "{opponent} wants to play a {length} point match with you."
            ));
            self.say(&format!("Type 'join {opponent}' to accept."));
            // As Jibs always does: it has no list of saved matches.
            if self.faults.warns || self.is_jibs() {
                self.say("WARNING: Don't accept if you want to continue the saved 3 point match!");
            }
        } else if self.saved.is_some() {
            self.resume_invited = true;
            self.say(&format!(
                "{opponent} wants to resume a saved match with you."
            ));
            self.say(&format!("Type 'join {opponent}' to accept."));
        } else if let Some(&length) = self.plan.front() {
            self.invited = Some(length);
            self.say("");
            match length {
                Some(length) => self.say(&format!(
                    "{opponent} wants to play a {length} point match with you."
                )),
                None => self.say(&format!(
                    "{opponent} wants to play an unlimited match with you."
                )),
            }
            self.say(&format!("Type 'join {opponent}' to accept."));
        }
        self.take_out()
    }

    /// A command of the bot.
    #[expect(clippy::too_many_lines, reason = "one table of commands")]
    pub(crate) fn line(&mut self, line: &str) -> Vec<u8> {
        let line = line.trim_end();
        if !self.logged_in {
            self.login(line);
            return self.take_out();
        }
        self.commands.push(line.to_owned());
        if self.one_in(self.faults.swallow) {
            self.seen.swallowed += 1;
            return Vec::new();
        }
        if self.one_in(self.faults.logout) {
            let words = match below(&mut self.chance, 2) {
                0 => "** You have been logged out by an administrator.",
                _ => "Closed old connection with user tester.",
            };
            self.throw_out(words);
            return self.take_out();
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "set" => {
                let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
                self.say(&format!("Value of '{name}' set to {value}."));
            }
            "toggle" => self.toggle(rest),
            "back" => self.say("Welcome back."),
            "time" if matches!(self.style, Style::Jibs053 | Style::Jibs055) => {
                self.say("** Not yet implemented: 'time'");
            }
            "time" => {
                self.say("Saturday, November 21 01:32:48 UTC  ( Sat Nov 21 01:32:48 2026 UTC )")
            }
            "show"
                if rest.starts_with("savedcount ")
                    && !matches!(self.style, Style::Jibs053 | Style::Jibs055) =>
            {
                let name = rest.trim_start_matches("savedcount ").to_owned();
                let count = self.saved_by_others;
                self.say(&match count {
                    0 => format!("{name} has no saved games."),
                    1 => format!("{name} has 1 saved game."),
                    _ => format!("{name} has {count} saved games."),
                });
            }
            "show" => self.show_saved(),
            "tell" => self.tell(rest),
            "kibitz" if self.style == Style::BaldLies => {
                self.say("The command `kibitz' is not yet implemented.");
            }
            "kibitz" => {
                self.say(&format!("19 {rest}"));
                self.say("** 1 user heard you.");
            }
            "bye" => {
                self.say("                              Goodbye.");
                self.disconnect();
                self.closed = true;
            }
            "invite" => self.invite(rest),
            "join" if !rest.is_empty() => self.join(rest),
            "board" if self.faults.no_board => self.say("** Unknown command: 'board'"),
            "board" if self.table.is_none() => self.say("** You're not playing."),
            "board" if self.one_in(self.faults.denies_board) => {
                self.seen.denied_boards += 1;
                self.say("You are not playing.");
            }
            _ if self.table.is_none() => self.refuse("** You're not playing.", line),
            _ if self.crosses(word) => {}
            _ => self.play(word, rest),
        }
        self.take_out()
    }

    fn tell(&mut self, rest: &str) {
        self.say(&format!("16 {rest}"));
        if rest.starts_with("nosy ") && self.faults.free_text > 0 {
            self.stranger();
        }
    }

    fn login(&mut self, line: &str) {
        let words: Vec<&str> = line.split(' ').collect();
        let good = matches!(words.as_slice(), ["login", client, "1008", name, password]
            if client.len() <= 20 && *name == self.name && *password == self.password);
        if !good {
            match self.style {
                Style::BaldLies => self.out.push_str("\r\nlogin: "),
                _ => {
                    self.say("Login incorrect");
                    self.out.push_str("login: ");
                }
            }
            return;
        }
        self.logged_in = true;
        if std::mem::take(&mut self.lingering) {
            self.seen.kicks += 1;
            self.say("** Warning: You are already logged in.");
            self.save();
        }
        let (name, rating, experience) = (self.name.clone(), self.ratings[0], self.experience[0]);
        self.say("");
        self.say(&format!("1 {name} 1795224437 127.0.0.1"));
        self.say(&format!(
            "2 {name} 1 1 0 1 0 0 1 1 {experience} 0 0 0 1 {rating:.2} 0 0 0 1 0 UTC"
        ));
        for line in [
            "3",
            "+---+",
            "4 things of the day; board:x",
            "You roll 1 and 1.",
            "+---+",
            "4",
        ] {
            self.out.push_str(line);
            self.out.push_str(self.line_end());
        }
        self.who_opponent();
        self.who_bot();
        if self.faults.stale_who {
            let (opponent, name) = (self.opponent.clone(), self.name.clone());
            self.who(&opponent, &name, true, self.ratings[1], self.experience[1]);
        }
    }

    pub(crate) fn is_jibs(&self) -> bool {
        matches!(self.style, Style::Jibs053 | Style::Jibs055)
    }

    fn who(&mut self, name: &str, opponent: &str, ready: bool, rating: f64, experience: u32) {
        let ready = u8::from(ready);
        self.say(&format!(
            "5 {name} {opponent} - {ready} 0 {rating:.2} {experience} 0 1795224913 127.0.0.1 x -"
        ));
        self.say("6");
    }

    fn who_opponent(&mut self) {
        if self.faults.stale_who && self.seen.begun > 0 {
            return;
        }
        let name = self.opponent.clone();
        let against = if self.table.is_some() {
            self.name.clone()
        } else {
            "-".into()
        };
        self.who(&name, &against, true, self.ratings[1], self.experience[1]);
    }

    fn who_bot(&mut self) {
        let name = self.name.clone();
        let against = if self.table.is_some() {
            self.opponent.clone()
        } else {
            "-".into()
        };
        self.who(
            &name,
            &against,
            self.ready,
            self.ratings[0],
            self.experience[0],
        );
    }

    fn toggle(&mut self, what: &str) {
        let text = match what {
            "ready" => {
                self.ready = !self.ready;
                match self.ready {
                    true => "** You're now ready to invite or join someone.",
                    false => "** You're now refusing to play with someone.",
                }
            }
            "moreboards" => "** Will send rawboards after rolling.",
            "automove" => "** Forced moves won't be done automatically.",
            "silent" => "** You won't hear what other players shout.",
            _ => "** Don't know how to toggle that",
        };
        self.say(text);
        self.who_bot();
    }

    fn show_saved(&mut self) {
        if matches!(self.style, Style::Jibs053 | Style::Jibs055) {
            self.say("** Not yet implemented: 'show saved'");
            return;
        }
        match &self.saved {
            None => self.say("no saved games."),
            Some(table) => {
                let length = table
                    .length
                    .map_or("unlimited".to_owned(), |length| length.to_string());
                let [mine, other] = table.scores;
                let row = format!(" *{:<21}{length:>9}{mine:>17} -{other:>3}", self.opponent);
                self.say("  opponent          matchlength   score (your points first)");
                self.say(&row);
            }
        }
    }

    fn invite(&mut self, rest: &str) {
        let opponent = self.opponent.clone();
        let none = match self.faults.garbled_refusals {
            true => "** Theres no saved match with {0}. Please give a match length.".to_owned(),
            false => format!("** There's no saved match with {rest}. Please give a match length."),
        };
        if rest != opponent {
            self.refuse(&none, "invite");
            return;
        }
        if self.table.is_some() {
            self.say("** You are already playing.");
            return;
        }
        if self.saved.is_none() {
            // Asking first harms nobody: the bot cannot always know.
            self.seen.asked_in_vain += 1;
            self.say(&none);
            return;
        }
        if self.opponent_away {
            self.say(&format!("** There is no one called {opponent}"));
            return;
        }
        self.say(&format!(
            "** You invited {opponent} to resume a saved match."
        ));
        self.say(&format!(
            "{opponent} has joined you. Your running match was loaded."
        ));
        self.resume();
    }

    fn join(&mut self, name: &str) {
        let opponent = self.opponent.clone();
        if name != opponent {
            self.refuse(&format!("** {name} didn't invite you."), "join");
        } else if self.resume_invited && self.saved.is_some() {
            self.say(&format!(
                "You are now playing with {opponent}. Your running match was loaded."
            ));
            self.resume();
        } else if let Some(length) = self.invited.take() {
            if self.saved.take().is_some() {
                self.seen.destroyed += 1;
            }
            self.plan.pop_front();
            match length {
                _ if self.faults.unannounced => {}
                Some(length) => self.say(&format!(
                    "** You are now playing a {length} point match with {opponent}"
                )),
                None => self.say(&format!(
                    "** You are now playing an unlimited match with {opponent}"
                )),
            }
            let bot_is_o = below(&mut self.chance, 2) == 0;
            self.table = Some(Table::new(length, bot_is_o));
            self.seen.begun += 1;
            self.who_bot();
            self.begin_game();
        } else if self.table.is_none() {
            // The invitation was withdrawn, or answered twice: a race that nobody is to blame for.
            self.say(&match self.faults.garbled_refusals {
                true => "** {0} didnt invite you.".to_owned(),
                false => format!("** {opponent} didn't invite you."),
            });
        } else {
            self.refuse("** You can't play two games at once", "join");
        }
    }

    fn resume(&mut self) {
        self.resume_invited = false;
        self.invited = None;
        if self.one_in(self.faults.resume_breaks) {
            self.seen.resume_breaks += 1;
            self.disconnect();
            self.closed = true;
            return;
        }
        self.table = self.saved.take();
        self.seen.resumes += 1;
        let Some(table) = &self.table else { return };
        let length = table.length;
        let [mine, other] = table.scores;
        let turn = if table.turn == Seat::Bot {
            &self.name
        } else {
            &self.opponent
        };
        if !matches!(self.style, Style::Jibs053 | Style::Jibs055) {
            let mut text = format!("turn: {turn}.\n");
            let _ = match length {
                Some(length) => writeln!(text, "match length: {length}"),
                None => writeln!(text, "unlimited matchlength"),
            };
            let _ = writeln!(text, "points for user {}: {mine}", self.name);
            let _ = writeln!(text, "points for user {}: {other}", self.opponent);
            for line in text.lines() {
                self.say(line);
            }
        }
        let between = self.table.as_ref().is_some_and(|table| table.between);
        if between {
            self.say("Type 'join' if you want to play the next game, type 'leave' if you don't.");
            return;
        }
        if self.faults.no_board {
            self.send_board();
        }
        let theirs = |table: &Table| table.turn == Seat::Opponent;
        if !self.faults.forget_roll || self.table.as_ref().is_some_and(theirs) {
            self.advance();
        }
    }

    fn rate(&mut self, won: bool, length: u32) {
        let n = f64::from(length);
        let difference = (self.ratings[0] - self.ratings[1]).abs();
        let upset = 1.0 / (10_f64.powf(difference * n.sqrt() / 2000.0) + 1.0);
        let underdog = (self.ratings[0] < self.ratings[1]) == won;
        let p = if underdog { 1.0 - upset } else { upset };
        for (at, won) in [(0, won), (1, !won)] {
            let k = (5.0 - f64::from(self.experience[at]) / 100.0).max(1.0);
            let change = 4.0 * k * n.sqrt() * p;
            self.ratings[at] += if won { change } else { -change };
            self.experience[at] += length;
        }
    }
}

/// One connection, until the bot says goodbye, the link breaks, or so many bytes are written; says
/// whether the server has closed it. After `quiet_ms` of silence the opponent does something.
pub(crate) fn connection(
    server: &mut Server,
    mut stream: std::net::TcpStream,
    quiet_ms: u64,
    limit: usize,
    mut look: impl FnMut(&mut Server),
) -> bool {
    use std::io::{ErrorKind, Read, Write};
    stream.set_nodelay(true).unwrap();
    // After such a silence the opponent acts: the bot must bear that at any moment.
    let quiet = std::time::Duration::from_millis(quiet_ms);
    stream.set_read_timeout(Some(quiet)).unwrap();
    let _ = stream.write_all(&server.connect());
    let (mut text, mut buffer, mut written) = (Vec::new(), [0; 1000], 0);
    loop {
        let mut out = Vec::new();
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => text.extend(&buffer[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                out = server.idle();
            }
            Err(_) => break,
        }
        while let Some(end) = text.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            out.extend(server.line(&String::from_utf8_lossy(&line)));
        }
        written += out.len();
        if stream.write_all(&out).is_err() || written > limit || server.closed {
            break;
        }
        look(server);
    }
    let closed = server.closed;
    server.disconnect();
    closed
}
