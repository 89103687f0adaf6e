//! What a telnet client or TinyFugue writes down of a match on FIBS: the server's lines, among everything else that it
//! says. The sentences are those that the bot hears ([`crate::notation::fibs`]); plays of one's own are seen in the boards.

use super::record::{LENGTH_MAX, MatPlayer, MatchFile, SetUp};
use super::recorder::{Recorder, UNDOUBLED, Wrong};
use crate::game::{CubeOwner, Play, Position, Roll, find_play, legal_plays};
use crate::notation::error::{Code, NotationError, Reason};
use crate::notation::fibs::{
    By, LineReader, Message, Piece, Wanted, moves_up, name_line, read_steps,
};
use crate::notation::{BoardDialect, BoardLine};

/// How the user is called in his own log, until it tells his name.
const YOU: &str = "You";

/// What the lines begin with that only such a log has; lines of other files are not looked at closer.
const SIGNS: [&str; 3] = [
    "board:",
    "Starting a new game with ",
    "You are now playing ",
];

/// Whether a text is such a log.
pub(super) fn is_fibs_log(text: &str) -> bool {
    text.lines().any(|line| {
        let line = line
            .trim_start_matches(['>', ' '])
            .trim_start_matches("** ");
        SIGNS.iter().any(|sign| line.starts_with(sign))
    })
}

/// Reads a whole log.
pub(super) fn read(text: &[u8], recorder: &mut Recorder) -> Result<(), NotationError> {
    let mut log = Log {
        recorder,
        names: [None, None],
        length: None,
        scores: [0; 2],
        running: false,
        rolled: None,
        open: None,
        shown: None,
        typed: None,
        over: false,
        second: false,
    };
    let mut at = 0;
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let mut pieces = Vec::new();
        let mut reader = LineReader::default();
        reader.push(line, &mut pieces);
        reader.push(b"\n", &mut pieces);
        for piece in pieces {
            let Piece::Line(line) = piece else { continue };
            log.typed(&line);
            for message in name_line(&line) {
                if let Err(wrong) = log.message((number, at), message) {
                    log.recorder.give_up(number, at, wrong);
                }
            }
        }
        at += line.len() + 1;
    }
    log.finish();
    if recorder.file.games.is_empty() {
        let reason = Reason::Other("has no game of a match in it");
        return Err(NotationError::new(
            Code::BadMatchFile,
            "FIBS log",
            reason,
            0,
        ));
    }
    Ok(())
}

/// A line and its first byte.
type Place = (usize, usize);

/// A log on its way in. The user, or the first one of a game that he watches, is the first player.
struct Log<'a> {
    recorder: &'a mut Recorder,
    names: [Option<String>; 2],
    /// Points to play to, 0 for an unlimited match.
    length: Option<u32>,
    /// By the last line that told them.
    scores: [u32; 2],
    /// A game has begun and is not over.
    running: bool,
    /// A roll that is not played yet.
    rolled: Option<(MatPlayer, Roll)>,
    /// One before it of which no line has told the play: a board may show it yet.
    open: Option<(MatPlayer, Roll)>,
    /// Whose play a board has shown last: the line that tells it may follow.
    shown: Option<MatPlayer>,
    /// The last move that the user typed.
    typed: Option<String>,
    /// The match is over: what follows is another one.
    over: bool,
    /// That was said.
    second: bool,
}

impl Log<'_> {
    /// Keeps what the user types, where the log shows it, and what the server plays for him.
    fn typed(&mut self, line: &str) {
        let line = line.trim_start_matches(['>', ' ']);
        let moves = ["move ", "m ", "The only possible move is ", "Bearing off: "];
        let steps = moves.iter().find_map(|word| line.strip_prefix(word));
        if let (Some(steps), true) = (steps, self.running) {
            self.typed = Some(steps.to_owned());
        }
    }

    fn finish(&mut self) {
        let names = self
            .names
            .each_ref()
            .map(|name| name.clone().unwrap_or_default());
        self.recorder.file.names = names;
        self.recorder.file.length = self.length.unwrap_or(0);
        if self.recorder.file.length == 0 {
            let headers = MatchFile::WITHOUT_JACOBY.map(str::to_owned);
            self.recorder.file.comments.extend(headers);
        }
    }

    /// Which player a line speaks of.
    fn player(&self, by: &By) -> MatPlayer {
        match by {
            By::Me => MatPlayer::First,
            By::Name(name) => self.named(name),
        }
    }

    fn named(&self, name: &str) -> MatPlayer {
        match &self.names {
            [Some(first), _] if first == name => MatPlayer::First,
            _ => MatPlayer::Second,
        }
    }

    fn message(&mut self, place: Place, message: Message) -> Result<(), Wrong> {
        match message {
            Message::Welcome(name) => self.own_name(name),
            Message::Own(own) => self.own_name(own.name),
            Message::Started { name, wanted } => return self.started(place, name, wanted),
            Message::MatchLength(length) => {
                self.length = Some(length.unwrap_or(0).min(LENGTH_MAX));
            }
            Message::PointsFor { name, points } => {
                let at = self.named(&name).index();
                if let Some(score) = self.scores.get_mut(at) {
                    *score = points;
                }
            }
            Message::Score([one, other]) => self.score(&[one, other]),
            Message::NewGame(name) => {
                self.meet(YOU, &name);
                self.begin(place, self.scores)?;
            }
            Message::Board(board) => return self.board(place, &board),
            Message::WinsMatch { .. } => (self.over, self.running) = (true, false),
            action if self.running && !self.over => return self.action(place, action),
            _ => {}
        }
        Ok(())
    }

    /// What somebody does in a game.
    fn action(&mut self, place: Place, message: Message) -> Result<(), Wrong> {
        let (line, _) = place;
        match message {
            Message::OpeningRoll { name, mine, other } if mine != other => {
                self.meet(YOU, &name);
                let first = match mine > other {
                    true => MatPlayer::First,
                    false => MatPlayer::Second,
                };
                self.rolled = Roll::new(mine, other).ok().map(|roll| (first, roll));
            }
            Message::Rolls {
                by,
                dice: [one, two],
            } => {
                let player = self.player(&by);
                let bad = ("roll", Reason::Other("is not of two dice from 1 to 6"));
                let roll = Roll::new(one, two).map_err(|_| bad)?;
                // The opening roll is told twice to those who watch.
                if self.rolled != Some((player, roll)) {
                    self.settle(place)?;
                    self.rolled = Some((player, roll));
                }
            }
            Message::Moves { name, steps } => {
                let player = self.named(&name);
                return self.moves(place, player, &steps);
            }
            Message::CannotMove { by } => {
                let player = self.player(&by);
                return self.moves(place, player, "");
            }
            Message::Doubles { name } => {
                self.settle(place)?;
                return self.recorder.double(line, self.named(&name));
            }
            Message::YouDouble => {
                self.settle(place)?;
                return self.recorder.double(line, MatPlayer::First);
            }
            Message::Takes { by } => {
                let taken = self.recorder.take(line, self.player(&by));
                return self.answered(place, taken);
            }
            Message::GivesUp { by, points, .. } => {
                let player = self.player(&by);
                let passed = self.recorder.drop(line, player);
                self.answered(place, passed)?;
                self.won(player.other(), points);
            }
            Message::ResignationAccepted { by, points } => {
                self.leave_open(place)?;
                // Whoever gives up may have rolled.
                if let Some((player, roll)) = self.rolled.take() {
                    self.recorder.rolled(line, player, roll)?;
                }
                self.won(self.player(&by), points);
            }
            Message::WinsGame { by, points } => {
                let winner = self.player(&by);
                self.last_play(place, winner)?;
                self.won(winner, points);
            }
            _ => {}
        }
        Ok(())
    }

    /// An answer to a double that nobody made costs nothing.
    fn answered(&mut self, (line, at): Place, answer: Result<(), Wrong>) -> Result<(), Wrong> {
        match answer {
            Err(wrong) if wrong == UNDOUBLED => {
                self.recorder.note(line, at, wrong);
                Ok(())
            }
            other => other,
        }
    }

    fn won(&mut self, winner: MatPlayer, points: u32) {
        if std::mem::take(&mut self.running) {
            self.recorder.told_result(winner, points);
            if let Some(score) = self.scores.get_mut(winner.index()) {
                *score = score.saturating_add(points);
            }
        }
        (self.rolled, self.open, self.typed) = (None, None, None);
    }

    /// Names that were not known.
    fn meet(&mut self, first: &str, second: &str) {
        let [one, other] = &mut self.names;
        one.get_or_insert_with(|| first.to_owned());
        other.get_or_insert_with(|| second.to_owned());
    }

    /// The user's name, where only `You` was known.
    fn own_name(&mut self, name: String) {
        let [own, _] = &mut self.names;
        if own.as_deref().is_none_or(|own| own == YOU) {
            *own = Some(name);
        }
    }

    fn score(&mut self, told: &[(String, u32); 2]) {
        let [_, second] = &self.names;
        let place = told
            .iter()
            .position(|(name, _)| Some(name) == second.as_ref());
        let (first, second) = match (place, told) {
            (Some(0), [one, other]) => (other, one),
            (_, [one, other]) => (one, other),
        };
        let ((name, points), (_, others)) = (first, second);
        self.own_name(name.clone());
        self.scores = [*points, *others];
    }

    fn started(&mut self, place: Place, name: String, wanted: Wanted) -> Result<(), Wrong> {
        let [_, rival] = &self.names;
        let other = rival.as_ref().is_some_and(|known| *known != name);
        let begun = !self.recorder.file.games.is_empty();
        if begun && (self.over || other || wanted != Wanted::Resume) {
            self.another(place);
            return Ok(());
        }
        let [_, rival] = &mut self.names;
        *rival = Some(name.clone());
        self.meet(YOU, &name);
        match wanted {
            Wanted::Points(points) => self.length = Some(points.min(LENGTH_MAX)),
            Wanted::Unlimited => self.length = Some(0),
            Wanted::Resume => {}
        }
        Ok(())
    }

    /// Another match begins; one log is read as one match.
    fn another(&mut self, (line, at): Place) {
        if !std::mem::replace(&mut self.second, true) {
            let why = Reason::Other("begins behind another one, and one log is read as one match");
            self.recorder.note(line, at, ("match", why));
        }
        (self.over, self.running) = (true, false);
    }

    fn begin(&mut self, place: Place, scores: [u32; 2]) -> Result<(), Wrong> {
        let decided = |length: u32| length > 0 && scores.iter().any(|&score| score >= length);
        if !self.over && self.length.is_some_and(decided) {
            self.another(place);
        }
        if self.over {
            return Ok(());
        }
        (self.rolled, self.open, self.typed) = (None, None, None);
        let begun = self.recorder.begin();
        self.recorder.scores(scores);
        self.running = begun.is_ok();
        begun
    }

    /// A roll is played, in the words of the server.
    fn moves(&mut self, place: Place, player: MatPlayer, steps: &str) -> Result<(), Wrong> {
        let (line, at) = place;
        self.typed = None;
        self.leave_open(place)?;
        let Some((_, roll)) = self.rolled.take_if(|(rolled, _)| *rolled == player) else {
            if self.shown.take() == Some(player) {
                return Ok(());
            }
            // The next board shows where the game is.
            let why = Reason::Other("is told, but not its roll");
            self.recorder.note(line, at, ("play", why));
            return Ok(());
        };
        let play = match steps.is_empty() {
            true => Some(Play::PASS),
            false => read_steps(steps, moves_up(steps)),
        };
        let play = play.ok_or(("play", Reason::Other("is no list of steps such as 8-5 6-5")))?;
        if let Some(wrong) = self.recorder.play_steps(line, player, roll, play)? {
            self.recorder.note(line, at, wrong);
        }
        Ok(())
    }

    /// A roll that no line has told the play of when the next thing happens: what the user typed, or the only play.
    /// Otherwise a board may show it.
    fn settle(&mut self, place: Place) -> Result<(), Wrong> {
        self.leave_open(place)?;
        let Some((player, roll)) = self.rolled else {
            return Ok(());
        };
        let typed = self.typed.take().filter(|_| player == MatPlayer::First);
        if let Some(typed) = typed {
            // `8 5 6 5` and `8 o` are the same as `8-5 6-5` and `8-off`.
            let words: Vec<&str> = typed.split_whitespace().collect();
            let pairs = words.chunks(2).map(|pair| pair.join("-"));
            let steps = match typed.contains('-') {
                true => typed.clone(),
                false => pairs.collect::<Vec<_>>().join(" "),
            };
            return self.moves(place, player, &steps);
        }
        self.rolled = None;
        let plays = legal_plays(&self.recorder.board(player), roll);
        let only = match &plays[..] {
            [] => Play::PASS,
            [only] => only.play,
            _ => {
                self.open = Some((player, roll));
                return Ok(());
            }
        };
        let (line, _) = place;
        self.recorder
            .play_steps(line, player, roll, only)
            .map(|_| ())
    }

    /// A roll whose play nothing has shown.
    fn leave_open(&mut self, (line, at): Place) -> Result<(), Wrong> {
        let Some((player, roll)) = self.open.take() else {
            return Ok(());
        };
        let why = Reason::Other("before this line is not told");
        self.recorder.note(line, at, ("play", why));
        self.recorder.rolled(line, player, roll)
    }

    /// The play that ends a game is told by nobody but those who watch.
    fn last_play(&mut self, place: Place, winner: MatPlayer) -> Result<(), Wrong> {
        self.leave_open(place)?;
        let Some((_, roll)) = self.rolled.take_if(|(player, _)| *player == winner) else {
            return Ok(());
        };
        let plays = legal_plays(&self.recorder.board(winner), roll);
        let last = plays.iter().find(|play| play.after.is_over());
        let (line, at) = place;
        match last {
            Some(last) => self
                .recorder
                .play_steps(line, winner, roll, last.play)
                .map(|_| ()),
            None => {
                let why = Reason::Other("before this line is not told");
                self.recorder.note(line, at, ("play", why));
                self.recorder.rolled(line, winner, roll)
            }
        }
    }

    /// A board: it shows what was played, and the rest of the match where the log begins in the middle.
    fn board(&mut self, place: Place, board: &BoardLine) -> Result<(), Wrong> {
        let (line, at) = place;
        let [first, second] = &board.names;
        let [_, rival] = &self.names;
        let ours = self.names.iter().flatten().count() < 2
            || (first == YOU && rival.as_ref() == Some(second))
            || [Some(first), Some(second)] == self.names.each_ref().map(Option::as_ref);
        if self.over || !ours || board.turn == 0 {
            return Ok(());
        }
        self.meet(first, second);
        let number = |number: i32| u32::try_from(number).unwrap_or(0);
        self.length.get_or_insert(match board.length {
            9999 => 0,
            length => number(length).min(LENGTH_MAX),
        });
        let scores = board.scores.map(number);
        let Ok(view) = board.view(BoardDialect::Fibs) else {
            let why = Reason::Other("cannot be read; the plays around it tell the rest");
            self.recorder.note(line, at, ("board", why));
            return Ok(());
        };
        let player = match view.first_on_roll {
            true => MatPlayer::First,
            false => MatPlayer::Second,
        };
        let middle = !self.running;
        if middle {
            self.scores = scores;
            self.begin(place, scores)?;
        }
        if self.recorder.has_given_up() {
            return Ok(());
        }
        let told = view.position;
        if !self.shows(place, player, told, view.offer.is_some())? {
            let owner = match view.state.cube.owner() {
                CubeOwner::Centred => None,
                CubeOwner::Me => Some(player),
                CubeOwner::Opponent => Some(player.other()),
            };
            let why = match middle {
                true => "begins in the middle of a game",
                false => "is not the one that the plays before led to; the game goes on from it",
            };
            let field = if middle { "FIBS log" } else { "board" };
            self.recorder.note(line, at, (field, Reason::Other(why)));
            (self.rolled, self.open) = (None, None);
            let value = view.state.cube.value();
            let set_up = SetUp {
                position: told,
                value,
                owner,
            };
            self.recorder.set_up(line, player, set_up)?;
        }
        if let (Some(roll), None) = (view.roll, self.rolled) {
            self.rolled = Some((player, roll));
        }
        Ok(())
    }

    /// Whether the board is the one that is known, or that a roll leads to, which is played then.
    fn shows(
        &mut self,
        (line, _): Place,
        player: MatPlayer,
        told: Position,
        offered: bool,
    ) -> Result<bool, Wrong> {
        let turn = self
            .recorder
            .turn()
            .or(self.rolled.map(|(player, _)| player));
        let turn = turn.is_none_or(|turn| turn == player) || offered;
        if self.open.is_none() && self.recorder.board(player) == told && turn {
            return Ok(true);
        }
        let unplayed = [self.open, self.rolled].into_iter().flatten();
        let Some((mover, roll)) = unplayed.into_iter().find(|&(mover, _)| mover != player) else {
            return Ok(false);
        };
        let before = self.recorder.board(mover);
        let Some(play) = find_play(&before, roll, &told) else {
            return Ok(false);
        };
        // The roll of the player on roll stays.
        self.rolled = self.rolled.filter(|&(roller, _)| roller == player);
        (self.open, self.typed, self.shown) = (None, None, Some(mover));
        self.recorder
            .play_steps(line, mover, roll, play)
            .map(|_| true)
    }
}
