//! One match of a log of FIBS ([`super::fibs_log`]), followed from sentence to sentence and from board to board.

use super::record::{LENGTH_MAX, MatAction, MatPlayer, MatchFile, MatchReading, SetUp};
use super::recorder::{FieldError, Recorder, UNDOUBLED};
use crate::notation::error::Reason;
use crate::notation::fibs::{By, Message, moves_up, read_steps};
use crate::notation::{BoardDialect, BoardLine};
use crate::{CubeOwner, MatchScore, Play, Position, Roll, find_play, legal_plays};

/// Placeholder for the user's name in the user's own log, until a line gives the name.
pub(super) const YOU: &str = "You";

/// A line and its first byte.
pub(super) type LinePosition = (usize, usize);

/// A match of a log. The user, or the first one of a game that he watches, is the first player.
pub(super) struct Logged {
    pub(super) recorder: Recorder,
    /// Place where the match begins.
    place: LinePosition,
    /// True if the user plays the match, false if the user watches it.
    pub(super) own: bool,
    pub(super) names: [Option<String>; 2],
    /// Points to play to, 0 for an unlimited match.
    pub(super) length: Option<u32>,
    /// Scores from the last line that gave them.
    scores: [u32; 2],
    /// True if a game has begun and is not over.
    pub(super) running: bool,
    /// Roll that is not played yet.
    rolled: Option<(MatPlayer, Roll)>,
    /// Earlier roll whose play no line has given; a board may still show it.
    open: Option<(MatPlayer, Roll)>,
    /// Player of the play that the last board showed; the line with that play may follow.
    shown: Option<MatPlayer>,
    /// The last move that the user typed.
    typed: Option<String>,
    /// True if the match is over.
    pub(super) over: bool,
}

impl Logged {
    pub(super) fn new(place: LinePosition, names: [Option<String>; 2], own: bool) -> Logged {
        Logged {
            recorder: Recorder::default(),
            place,
            own,
            names,
            length: None,
            scores: [0; 2],
            running: false,
            rolled: None,
            open: None,
            shown: None,
            typed: None,
            over: false,
        }
    }

    /// Returns true if these two play the match, in either order.
    pub(super) fn is_between(&self, names: &[String; 2]) -> bool {
        let mut known = self.names.iter().flatten();
        known.all(|known| names.contains(known))
    }

    pub(super) fn has_no_game(&self) -> bool {
        self.recorder.file.games.is_empty()
    }

    /// Returns true if a player has acted, resigning included.
    pub(super) fn has_something_played(&self) -> bool {
        let mut games = self.recorder.file.games.iter();
        games.any(|game| {
            let mut actions = game.actions.iter();
            let acts = actions.any(|(_, action)| !matches!(action, MatAction::SetUp(_)));
            acts || game.result.is_some()
        })
    }

    /// Returns true if a player has won the match.
    pub(super) fn is_over(&self) -> bool {
        let length = self.length.unwrap_or(0);
        let score = MatchScore::at(length, self.scores, None);
        self.over || (!self.running && score.winner().is_some())
    }

    pub(super) fn give_up(&mut self, (line, at): LinePosition, wrong: FieldError) {
        self.recorder.give_up(line, at, wrong);
    }

    /// Records the user's input, where the log shows it, and the server's plays for him.
    pub(super) fn typed(&mut self, line: &str) {
        let line = line.trim_start_matches(['>', ' ']);
        let moves = ["move ", "m ", "The only possible move is ", "Bearing off: "];
        let steps = moves.iter().find_map(|word| line.strip_prefix(word));
        if let (Some(steps), true) = (steps, self.running) {
            self.typed = Some(steps.to_owned());
        }
    }

    pub(super) fn finish(mut self) -> MatchReading {
        self.recorder.file.names = self.names.map(Option::unwrap_or_default);
        self.recorder.file.length = self.length.unwrap_or(0);
        if self.recorder.file.length == 0 {
            let headers = MatchFile::WITHOUT_JACOBY.map(str::to_owned);
            self.recorder.file.comments.extend(headers);
        }
        let (line, at) = self.place;
        MatchReading {
            line,
            at,
            ..self.recorder.reading()
        }
    }

    /// Returns the player named in a line.
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

    /// Returns true if a line names a player of another match.
    fn is_of_others(&self, message: &Message) -> bool {
        let known = |name: &str| self.names.iter().flatten().any(|known| known == name);
        let complete = self.names.iter().flatten().all(|name| name != YOU);
        complete && message.opponent().is_some_and(|name| !known(name))
    }

    pub(super) fn handle(&mut self, place: LinePosition, message: Message) {
        if self.is_of_others(&message) {
            return;
        }
        if let Err(wrong) = self.message(place, message) {
            self.give_up(place, wrong);
        }
    }

    fn message(&mut self, place: LinePosition, message: Message) -> Result<(), FieldError> {
        match message {
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
            Message::WinsMatch { .. } => (self.over, self.running) = (true, false),
            action if self.running && !self.over => return self.action(place, action),
            _ => {}
        }
        Ok(())
    }

    /// Records the first roll of a game that is watched.
    pub(super) fn opening_roll(&mut self, place: LinePosition, [one, other]: &[(String, u8); 2]) {
        let known = |name: &String| self.names.iter().flatten().any(|known| known == name);
        if self.is_over() || one.1 == other.1 || !known(&one.0) || !known(&other.0) {
            return;
        }
        let games = &self.recorder.file.games;
        let begun = self.running && games.last().is_some_and(|game| game.actions.is_empty());
        if !begun {
            self.new_game(place);
        }
        let winner = if one.1 > other.1 { one } else { other };
        let roll = Roll::new(one.1, other.1).ok();
        self.rolled = roll.map(|roll| (self.named(&winner.0), roll));
    }

    pub(super) fn new_game(&mut self, place: LinePosition) {
        if let Err(wrong) = self.begin(self.scores) {
            self.give_up(place, wrong);
        }
    }

    /// Records a player's action in a game.
    fn action(&mut self, place: LinePosition, message: Message) -> Result<(), FieldError> {
        let (line, _) = place;
        match message {
            Message::OpeningRoll { mine, other, .. } if mine != other => {
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
                // Watchers get the opening roll twice.
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
                // A player who resigns may have rolled.
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

    /// Records a fault for an answer without a double, and continues.
    fn answered(
        &mut self,
        (line, at): LinePosition,
        answer: Result<(), FieldError>,
    ) -> Result<(), FieldError> {
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
            self.recorder.set_result(winner, points);
            if let Some(score) = self.scores.get_mut(winner.index()) {
                *score = score.saturating_add(points);
            }
        }
        (self.rolled, self.open, self.typed) = (None, None, None);
    }

    /// Sets the user's name where only `You` was known.
    pub(super) fn own_name(&mut self, name: &str) {
        let [own, _] = &mut self.names;
        if own.as_deref().is_none_or(|own| own == YOU) {
            *own = Some(name.to_owned());
        }
    }

    fn score(&mut self, reported: &[(String, u32); 2]) {
        let [_, second] = &self.names;
        let place = reported
            .iter()
            .position(|(name, _)| Some(name) == second.as_ref());
        let (first, second) = match (place, reported) {
            (Some(0), [one, other]) => (other, one),
            (_, [one, other]) => (one, other),
        };
        let ((name, points), (_, others)) = (first, second);
        self.own_name(name);
        self.scores = [*points, *others];
    }

    fn begin(&mut self, scores: [u32; 2]) -> Result<(), FieldError> {
        (self.rolled, self.open, self.typed) = (None, None, None);
        let begun = self.recorder.begin();
        self.recorder.scores(scores);
        (self.running, self.scores) = (begun.is_ok(), scores);
        begun
    }

    /// Records a play of a roll, in the server's words.
    fn moves(
        &mut self,
        place: LinePosition,
        player: MatPlayer,
        steps: &str,
    ) -> Result<(), FieldError> {
        let (line, at) = place;
        self.typed = None;
        self.leave_open(place)?;
        let Some((_, roll)) = self.rolled.take_if(|(rolled, _)| *rolled == player) else {
            if self.shown.take() == Some(player) {
                return Ok(());
            }
            // The next board shows where the game is.
            let why = Reason::Other("is shown, but not its roll");
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

    /// Settles a roll without a recorded play when the next event arrives: by the move that the user typed, or the
    /// only legal play. Otherwise a board may still show the play.
    fn settle(&mut self, place: LinePosition) -> Result<(), FieldError> {
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

    /// Returns a roll whose play nothing has shown.
    fn leave_open(&mut self, (line, at): LinePosition) -> Result<(), FieldError> {
        let Some((player, roll)) = self.open.take() else {
            return Ok(());
        };
        let why = Reason::Other("before this line is not shown");
        self.recorder.note(line, at, ("play", why));
        self.recorder.rolled(line, player, roll)
    }

    /// Settles the last play of a game, which the server sends only to watchers.
    fn last_play(&mut self, place: LinePosition, winner: MatPlayer) -> Result<(), FieldError> {
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
                let why = Reason::Other("before this line is not shown");
                self.recorder.note(line, at, ("play", why));
                self.recorder.rolled(line, winner, roll)
            }
        }
    }

    /// Records a board: it shows the play, and the rest of the match where the log begins in the middle. `swapped`:
    /// it names the second player first.
    pub(super) fn board(
        &mut self,
        place: LinePosition,
        board: &BoardLine,
        swapped: bool,
    ) -> Result<(), FieldError> {
        let (line, at) = place;
        let number = |number: i32| u32::try_from(number).unwrap_or(0);
        self.length.get_or_insert(match board.length {
            9999 => 0,
            length => number(length).min(LENGTH_MAX),
        });
        let mut scores = board.scores.map(number);
        if swapped {
            scores.reverse();
        }
        let Ok(view) = board.view(BoardDialect::Fibs) else {
            let why = Reason::Other("cannot be read; the plays around it show the rest");
            self.recorder.note(line, at, ("board", why));
            return Ok(());
        };
        let player = match view.first_on_roll != swapped {
            true => MatPlayer::First,
            false => MatPlayer::Second,
        };
        // Another score is that of a later game, whose plays are missing.
        let game = self.recorder.file.games.last();
        let middle = !self.running || game.is_some_and(|game| game.scores != scores);
        if middle {
            self.begin(scores)?;
        }
        if self.recorder.has_given_up() {
            return Ok(());
        }
        let reported = view.position;
        if !self.shows(place, player, reported, view.offer.is_some())? {
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
                position: reported,
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

    /// Returns true if the board is the current one, or one that a roll leads to; in that case the play is recorded.
    fn shows(
        &mut self,
        (line, _): LinePosition,
        player: MatPlayer,
        reported: Position,
        offered: bool,
    ) -> Result<bool, FieldError> {
        let turn = self
            .recorder
            .turn()
            .or(self.rolled.map(|(player, _)| player));
        // Some servers show watchers the player who has just played as on roll still.
        let turn = turn.is_none_or(|turn| turn == player) || offered || !self.own;
        if self.open.is_none() && self.recorder.board(player) == reported && turn {
            return Ok(true);
        }
        let mut unplayed = [self.open, self.rolled].into_iter().flatten();
        if let Some((_, roll)) = self
            .rolled
            .filter(|&(mover, _)| !self.own && mover == player)
            && let Some(play) = find_play(&self.recorder.board(player), roll, &reported.swapped())
        {
            return self.played(line, player, roll, play);
        }
        let Some((mover, roll)) = unplayed.find(|&(mover, _)| mover != player) else {
            return Ok(false);
        };
        let Some(play) = find_play(&self.recorder.board(mover), roll, &reported) else {
            return Ok(false);
        };
        self.played(line, mover, roll, play)
    }

    /// Returns a play that a board shows; the roll of the other one stays.
    fn played(
        &mut self,
        line: usize,
        mover: MatPlayer,
        roll: Roll,
        play: Play,
    ) -> Result<bool, FieldError> {
        self.rolled = self.rolled.filter(|&(roller, _)| roller != mover);
        (self.open, self.typed, self.shown) = (None, None, Some(mover));
        self.recorder
            .play_steps(line, mover, roll, play)
            .map(|_| true)
    }
}
