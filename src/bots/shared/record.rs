//! A match as it is played, for its file (FIBS-28).
//!
//! Plays are checked against a board of its own. When lines were missed (the link broke in the
//! middle of a game, a match was resumed) the game keeps its result but loses its plays.

use gammond_game::notation::{MatAction, MatGame, MatPlayer, MatchFile, position_after};
use gammond_game::{Play, Position, Roll, find_play, legal_plays};
use std::fmt;

/// Prefix of the notes in a match file.
const NOTE: &str = " note:";
/// End of the line about missing plays.
const GAPS: &str = " games without all their plays";

/// Outcome of a match for the bot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MatchEnd {
    /// Won to the end.
    Won,
    /// Lost to the end.
    Lost,
    /// An unlimited match that the bot left.
    Left,
    /// The match is over with an unknown result: the link was broken.
    Unknown,
}

impl fmt::Display for MatchEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MatchEnd::Won => "won",
            MatchEnd::Lost => "lost",
            MatchEnd::Left => "left",
            MatchEnd::Unknown => "unknown",
        })
    }
}

/// A match, finished or not. The first player is the bot.
#[derive(Clone, Debug)]
pub struct MatchRecord {
    /// The opponent's name.
    pub opponent: String,
    /// Points to play to; `None` for an unlimited match.
    pub length: Option<u32>,
    /// Points of the bot and of the opponent.
    pub scores: [u32; 2],
    /// Outcome of the match; `None` while it is in progress.
    pub outcome: Option<MatchEnd>,
    /// The bot's rating before and after.
    pub ratings: [Option<f64>; 2],
    /// The games; the last one may be unfinished.
    pub games: Vec<MatGame>,
    /// Games whose plays are not complete.
    pub gaps: u32,
    /// Contradictions of the server, and the version that was kept.
    pub notes: Vec<String>,
    /// True if the end was not seen because the link was broken. The outcome then follows from the rating (FIBS-31).
    pub unseen: bool,
    /// The board of the running game seen by the player who moves next, if it is known.
    board: Option<(Position, Option<MatPlayer>)>,
    cube: u32,
    /// A play that was sent and is not confirmed yet.
    proposed: Option<(Roll, Play)>,
    /// The board that the server shows, the player to move, and the roll of the play before it, while the line with
    /// that play may still come (FIBS-36).
    untold: Option<(MatPlayer, Position, Option<Roll>)>,
    /// True if the running game has lost its plays.
    missing: bool,
    /// True if the match was broken off since the last board.
    broken: bool,
}

impl MatchRecord {
    /// Creates the record of a match that begins.
    #[must_use]
    pub fn new(opponent: &str, length: Option<u32>) -> MatchRecord {
        MatchRecord {
            opponent: opponent.to_owned(),
            length,
            scores: [0; 2],
            outcome: None,
            ratings: [None; 2],
            games: Vec::new(),
            gaps: 0,
            notes: Vec::new(),
            unseen: false,
            board: None,
            cube: 1,
            proposed: None,
            untold: None,
            missing: false,
            broken: false,
        }
    }

    /// Creates the record of a match that was not finished when its file was written (FIBS-29).
    #[must_use]
    pub fn resumed(file: &MatchFile) -> MatchRecord {
        let [_, opponent] = &file.names;
        let length = Some(file.length).filter(|&length| length > 0);
        let mut record = MatchRecord::new(opponent, length);
        for game in &file.games {
            record.begin_game(game.scores);
            for &(player, action) in &game.actions {
                match action {
                    MatAction::Play { roll, play } => record.play(player, roll, play),
                    MatAction::Double(_) => record.double(player),
                    MatAction::Take => record.take(player),
                    MatAction::Drop => record.drop(player),
                    // FIBS has no beavers, and the bot writes no roll without its play and no board.
                    MatAction::Beaver(_) | MatAction::Rolled(_) | MatAction::SetUp(_) => {}
                }
            }
            if let Some((winner, points)) = game.result {
                record.end_game(winner, points);
            }
        }
        let notes = file.comments.iter();
        let note = |text: &&String| text.starts_with(NOTE);
        record.notes = notes.filter(note).cloned().collect();
        let gaps = file
            .comments
            .iter()
            .filter_map(|text| text.strip_suffix(GAPS));
        record.gaps = gaps
            .filter_map(|count| count.trim().parse::<u32>().ok())
            .sum();
        record.interrupted();
        record
    }

    /// Marks the match as broken off; it may resume later, or end unseen.
    pub fn interrupted(&mut self) {
        self.broken = true;
        self.proposed = None;
    }

    /// Begins a game at this score of the bot and the opponent.
    pub fn begin_game(&mut self, scores: [u32; 2]) {
        self.explain();
        let empty = |game: &MatGame| game.result.is_none() && game.actions.is_empty();
        if !self.missing && self.games.last().is_some_and(empty) {
            self.games.pop();
        }
        self.scores = scores;
        self.proposed = None;
        self.cube = 1;
        self.missing = false;
        self.board = Some((Position::start(), None));
        self.games.push(MatGame {
            scores,
            ..MatGame::default()
        });
    }

    /// Compares the record with the position that the server shows, `player` to move, and discards the game's plays
    /// when no play explains it. `rolls` are the last rolls of both.
    pub fn check(
        &mut self,
        player: MatPlayer,
        position: &Position,
        scores: [u32; 2],
        rolls: [Option<Roll>; 2],
    ) {
        let broken = std::mem::take(&mut self.broken);
        if self.games.last().is_none_or(|game| game.result.is_some()) {
            self.settle_last(scores);
            self.begin_game(scores);
            if *position != Position::start() {
                self.untold = Some((player, *position, mover_roll(player, rolls)));
            }
            return;
        }
        if scores != self.scores && position.is_over() {
            // The last board of the game with the score after it: the line between was garbled.
            self.confirm();
            self.explain();
            self.settle_last(scores);
            self.board = None;
            return;
        }
        if scores != self.scores {
            self.scores_shown(scores, broken);
        }
        if self.both_danced(player, position) {
            self.explain();
        }
        if self.agrees(player, position) {
            return;
        }
        self.confirm();
        if self.agrees(player, position) {
            return;
        }
        if self.untold.is_some() {
            self.explain();
            if self.agrees(player, position) {
                return;
            }
        }
        self.untold = Some((player, *position, mover_roll(player, rolls)));
        if broken {
            self.explain();
        }
    }

    /// Returns true if two dances that no line reported explain why the same checkers are shown again.
    fn both_danced(&self, player: MatPlayer, position: &Position) -> bool {
        self.untold.is_some_and(|(shown_to, shown, roll)| {
            let danced = |roll: Roll| legal_plays(position, roll).is_empty();
            shown_to != player && shown == position.swapped() && roll.is_some_and(danced)
        }) && self.agrees(player, position)
    }

    fn agrees(&self, player: MatPlayer, position: &Position) -> bool {
        self.board.is_none_or(|(known, on_roll)| {
            known == *position && on_roll.is_none_or(|on_roll| on_roll == player)
        })
    }

    /// Infers a play from the board when the line of the play did not arrive (FIBS-36). If no play of the roll leads
    /// to that board, the plays of the game are lost.
    fn explain(&mut self) {
        let Some((player, after, roll)) = self.untold.take() else {
            return;
        };
        let Some((before, on_roll)) = self.board else {
            return;
        };
        let mover = player.other();
        let play = roll
            .filter(|_| on_roll.is_none_or(|on_roll| on_roll == mover))
            .and_then(|roll| Some((roll, find_play(&before, roll, &after)?)));
        match play {
            Some((roll, play)) => self.play(mover, roll, play),
            None => self.gap(),
        }
    }

    /// Handles a score of the server's board that differs from the record's.
    fn scores_shown(&mut self, scores: [u32; 2], broken: bool) {
        // The link hid the end of this game: the board belongs to a later one.
        let played = self.missing
            || self
                .games
                .last()
                .is_some_and(|game| !game.actions.is_empty());
        if broken && played {
            self.settle_last(scores);
            self.begin_game(scores);
            return self.gap();
        }
        let running = self.games.pop();
        self.settle_last(scores);
        self.scores = scores;
        if let Some(mut game) = running {
            game.scores = scores;
            self.games.push(game);
        }
    }

    /// Corrects the last game by the score after it, which decides who won how many points (FIBS-28).
    fn settle_last(&mut self, scores: [u32; 2]) {
        let number = self.games.len();
        let Some(game) = self.games.last_mut() else {
            if scores != [0; 2] && scores != self.scores {
                let [mine, theirs] = scores;
                self.notes.push(format!(
                    "{NOTE} the games before the score of {mine}-{theirs} are missing"
                ));
            }
            return;
        };
        let [mine, theirs] = game.scores;
        let [now_mine, now_theirs] = scores;
        let gain = match (now_mine.checked_sub(mine), now_theirs.checked_sub(theirs)) {
            (Some(points @ 1..), Some(0)) => Some((MatPlayer::First, points)),
            (Some(0), Some(points @ 1..)) => Some((MatPlayer::Second, points)),
            _ => None,
        };
        match (game.result, gain) {
            (has_content, Some(gain)) if has_content == Some(gain) => {}
            (None, Some(gain)) => game.result = Some(gain),
            (Some((winner, points)), Some(gain)) => {
                let [one, other] = [(winner, points), gain].map(|(winner, points)| match winner {
                    MatPlayer::First => format!("{points} for us"),
                    MatPlayer::Second => format!("{points} for {}", self.opponent),
                });
                game.result = Some(gain);
                self.notes.push(format!(
                    "{NOTE} game {number}: the server reported {one}, its score {other}"
                ));
            }
            (_, None) => {
                let after = match game.result {
                    Some((MatPlayer::First, points)) => [mine.saturating_add(points), theirs],
                    Some((MatPlayer::Second, points)) => [mine, theirs.saturating_add(points)],
                    None => [mine, theirs],
                };
                if after != scores {
                    self.gaps += 1;
                    self.notes.push(format!(
                        "{NOTE} game {number}: the server's score after it is {now_mine}-{now_theirs}; \
                         games between are missing"
                    ));
                }
            }
        }
        self.scores = scores;
    }

    /// Compares the server's score after a game with ours. If they differ, the line that ended the game was lost, or
    /// wrong.
    pub fn set_reported_score(&mut self, scores: [u32; 2]) {
        let start = self.games.last().map_or(self.scores, |game| game.scores);
        // The score before the game does not show its end.
        if scores == self.scores || scores == start {
            return;
        }
        self.explain();
        self.settle_last(scores);
        self.board = None;
    }

    /// Applies the score that the server sends when the match is resumed, between two games or within one.
    pub fn score_resumed(&mut self, scores: [u32; 2]) {
        if scores == self.scores {
            return;
        }
        if self.broken && !self.games.is_empty() {
            self.settle_last(scores);
            self.board = None;
        }
        self.scores = scores;
    }

    /// Ends the match, with the final score of the bot and the opponent if the server sent it.
    pub fn match_over(&mut self, winner: MatPlayer, scores: Option<[u32; 2]>) {
        self.confirm();
        self.explain();
        if let Some(scores) = scores {
            self.set_reported_score(scores);
        }
        self.outcome = Some(match winner {
            MatPlayer::First => MatchEnd::Won,
            MatPlayer::Second => MatchEnd::Lost,
        });
        // A match that was won has an ending, with or without a report.
        let open = self.games.last().is_some_and(|game| game.result.is_none());
        if let (true, Some(length)) = (open, self.length) {
            let [mine, theirs] = self.scores;
            let points = length
                .saturating_sub(match winner {
                    MatPlayer::First => mine,
                    MatPlayer::Second => theirs,
                })
                .max(1);
            let number = self.games.len();
            self.notes.push(format!(
                "{NOTE} game {number}: the server did not report its points; {points} or more"
            ));
            self.end_game(winner, points);
        }
    }

    /// Notes a play of the bot that is on its way to the server.
    pub fn propose(&mut self, roll: Roll, play: Play) {
        self.proposed = Some((roll, play));
    }

    /// Confirms the bot's last play, which the server has accepted.
    pub fn confirm(&mut self) {
        if let Some((roll, play)) = self.proposed.take() {
            self.play(MatPlayer::First, roll, play);
        }
    }

    fn gap(&mut self) {
        self.board = None;
        self.untold = None;
        self.gaps += u32::from(!std::mem::replace(&mut self.missing, true));
        if let Some(game) = self.games.last_mut() {
            game.actions.clear();
        }
    }

    fn push(&mut self, player: MatPlayer, action: MatAction) {
        if self.board.is_some()
            && let Some(game) = self.games.last_mut()
        {
            game.actions.push((player, action));
        }
    }

    /// Records a play by the numbers of the mover.
    pub fn play(&mut self, player: MatPlayer, roll: Roll, play: Play) {
        let after = |record: &MatchRecord| {
            let (position, on_roll) = record.board?;
            let turn = on_roll.is_none_or(|on_roll| on_roll == player);
            position_after(&position, roll, &play).filter(|_| turn)
        };
        let mut found = after(self);
        if let Some((next, shown, _)) = self.untold {
            if found == Some(shown) && next == player.other() {
                // The line that a board came before.
                self.untold = None;
            } else {
                self.explain();
                found = after(self);
            }
        }
        if self.board.is_none() {
            return;
        }
        match found {
            Some(after) => {
                self.push(player, MatAction::Play { roll, play });
                self.board = Some((after, Some(player.other())));
            }
            None => self.gap(),
        }
    }

    /// Records a double.
    pub fn double(&mut self, player: MatPlayer) {
        self.explain();
        self.push(player, MatAction::Double(self.cube.saturating_mul(2)));
    }

    /// Records a take.
    pub fn take(&mut self, player: MatPlayer) {
        self.cube = self.cube.saturating_mul(2);
        self.answer_double(player, MatAction::Take);
    }

    /// Records the pass of a double.
    pub fn drop(&mut self, player: MatPlayer) {
        self.answer_double(player, MatAction::Drop);
    }

    /// Records the answer to a double. If the line with the double did not arrive, the plays of the game are lost.
    fn answer_double(&mut self, player: MatPlayer, answer: MatAction) {
        let last = self.games.last().and_then(|game| game.actions.last());
        let doubled = matches!(last, Some((by, MatAction::Double(_))) if *by == player.other());
        match doubled || self.board.is_none() {
            true => self.push(player, answer),
            false => self.gap(),
        }
    }

    /// Ends a game whose last line was lost or garbled. The last board gives the winner, unless a player resigned.
    pub fn end_unsaid(&mut self) {
        self.confirm();
        self.explain();
        if let Some((position, Some(player))) = self.board
            && let Some(outcome) = position.outcome()
        {
            let winner = if outcome.won { player } else { player.other() };
            self.end_game(winner, self.cube.saturating_mul(outcome.margin as u32));
        }
    }

    /// Ends a game.
    pub fn end_game(&mut self, winner: MatPlayer, points: u32) {
        self.explain();
        // Jibs 0.5.3 sends two lines: one player concedes, and the other one wins.
        if self.games.last().is_some_and(|game| game.result.is_some()) {
            return;
        }
        let slot = match winner {
            MatPlayer::First => self.scores.first_mut(),
            MatPlayer::Second => self.scores.last_mut(),
        };
        if let Some(score) = slot {
            *score = score.saturating_add(points);
        }
        self.board = None;
        if let Some(game) = self.games.last_mut() {
            game.result = Some((winner, points));
        }
    }

    /// Returns the match as a file that begins with `comments`.
    #[must_use]
    pub fn file(&self, user: &str, mut comments: Vec<String>) -> MatchFile {
        if self.length.is_none() {
            // MAT-23: programs take Jacoby for granted in money play, and FIBS has it not.
            comments.extend(MatchFile::WITHOUT_JACOBY.map(str::to_owned));
        }
        comments.extend(self.notes.iter().cloned());
        if self.gaps > 0 {
            comments.push(format!(" {}{GAPS}", self.gaps));
        }
        if self.unseen {
            let how = self.outcome.unwrap_or(MatchEnd::Unknown);
            comments.push(format!(" the end was not seen; by the rating: {how}"));
        }
        MatchFile {
            length: self.length.unwrap_or(0),
            names: [user.to_owned(), self.opponent.clone()],
            comments,
            games: self
                .games
                .iter()
                .filter(|game| has_content(game))
                .cloned()
                .collect(),
        }
    }
}

/// Returns the roll of the player who moved before `player`.
fn mover_roll(player: MatPlayer, [mine, theirs]: [Option<Roll>; 2]) -> Option<Roll> {
    match player {
        MatPlayer::First => theirs,
        MatPlayer::Second => mine,
    }
}

/// Returns true if the game has an action or a result: the last game of a match whose end was hidden can be empty.
fn has_content(game: &MatGame) -> bool {
    !game.actions.is_empty() || game.result.is_some()
}
