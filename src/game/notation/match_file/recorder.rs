//! Recording of a match from any format. The recorder follows the board and the cube, and adds what files leave out:
//! the player who accepted a beaver, the winner where none is given.

use super::file_analysis::FileAnalysis;
use super::game_end::GameEnd;
use super::record::{FileFault, MatAction, MatGame, MatPlayer, MatchFile, MatchReading, SetUp};
use crate::notation::error::{Code, NotationError, Reason};
use crate::notation::play_text::parse_steps;
use crate::notation::played::legal_steps;
use crate::notation::{parse_play, steps_made};
use crate::{Cube, CubeOwner, Play, Position, Roll, legal_plays};
use std::collections::BTreeMap;

/// A field and what is wrong with it.
pub(super) type FieldError = (&'static str, Reason);

/// Faults of a file that are kept.
const FAULTS_MAX: usize = 100;
/// Games of a file, and actions of a game, at most.
const GAMES_MAX: usize = 10_000;
const ACTIONS_MAX: usize = 10_000;
/// Matches of a file at most.
pub(super) const MATCHES_MAX: usize = 10_000;

/// Error for an answer without a double.
pub(super) const UNDOUBLED: FieldError = (
    "cube action",
    Reason::Other("answers a double that nobody made"),
);

/// A match on its way in, and those of the file before it.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    pub(super) file: MatchFile,
    before: Vec<MatchReading>,
    /// The line and the byte where the match begins.
    place: (usize, usize),
    lines: Vec<Vec<usize>>,
    faults: Vec<FileFault>,
    broken: Vec<usize>,
    /// The board of the game, seen by `on_roll`.
    position: Position,
    on_roll: Option<MatPlayer>,
    /// Player whose turn it is, once a player has rolled.
    next: Option<MatPlayer>,
    cube: u32,
    owner: Option<MatPlayer>,
    /// The doubler and the player who turned the cube last, while the answer is open.
    doubled: Option<(MatPlayer, MatPlayer)>,
    /// True if the rest of the game is skipped.
    given_up: bool,
    /// True if the file has named the winner.
    ended: bool,
    /// Points before the first game, where the file gives them before it.
    pub(super) start_scores: [u32; 2],
    /// The result stands, not by the column of a cell.
    certain: bool,
    analyses: Vec<BTreeMap<usize, FileAnalysis>>,
    /// The player who conceded last, and the points if they are known; nothing has happened since.
    conceded: Option<(MatPlayer, Option<u32>)>,
    /// The end of the game before.
    last_end: GameEnd,
}

impl Recorder {
    /// All matches of the file.
    pub(super) fn finish(mut self) -> Vec<MatchReading> {
        let mut all = std::mem::take(&mut self.before);
        all.push(self.reading());
        all
    }

    /// Returns the match as it was read.
    pub(super) fn reading(mut self) -> MatchReading {
        self.apply_concession();
        self.forget_usual_crawford();
        let (line, at) = self.place;
        MatchReading {
            file: self.file,
            faults: self.faults,
            broken: self.broken,
            lines: self.lines,
            line,
            at,
            analyses: self.analyses,
        }
    }

    /// Begins another match of the file, with the same terms until the file gives others.
    pub(super) fn next_match(&mut self, line: usize, at: usize) -> Result<(), FieldError> {
        if self.before.len() + 1 >= MATCHES_MAX {
            return Err(("match file", Reason::Other("has more than 10000 matches")));
        }
        let before = std::mem::take(&mut self.before);
        let done = std::mem::replace(
            self,
            Recorder {
                place: (line, at),
                ..Recorder::default()
            },
        );
        self.file.length = done.file.length;
        self.before = before;
        self.before.push(done.reading());
        Ok(())
    }

    /// Notes a fault; the rest of the game is passed over.
    pub(super) fn give_up(&mut self, line: usize, at: usize, wrong: FieldError) {
        self.note(line, at, wrong);
        self.given_up = true;
        self.broken.push(self.file.games.len());
    }

    /// Notes a fault that costs nothing more.
    pub(super) fn note(&mut self, line: usize, at: usize, (field, reason): FieldError) {
        if self.faults.len() < FAULTS_MAX {
            self.faults.push(FileFault {
                line,
                game: self.file.games.len(),
                error: NotationError::new(Code::BadMatchFile, field, reason, at),
            });
        }
    }

    /// Returns true if the rest of the game is skipped.
    pub(super) const fn has_given_up(&self) -> bool {
        self.given_up
    }

    /// Returns true if the file has named the winner of the game.
    pub(super) const fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns true if the game has an action.
    pub(super) fn has_acted(&self) -> bool {
        let game = self.file.games.last();
        game.is_some_and(|game| !game.actions.is_empty())
    }

    /// Returns the player whose turn it is, once a player has rolled and no double is open.
    pub(super) fn turn(&self) -> Option<MatPlayer> {
        self.next.filter(|_| self.doubled.is_none())
    }

    /// A game begins. Its scores correct the result of the one before.
    pub(super) fn begin(&mut self) -> Result<(), FieldError> {
        if self.file.games.len() >= GAMES_MAX {
            return Err(("match file", Reason::Other("has more than 10000 games")));
        }
        self.apply_concession();
        self.last_end = self.end();
        let start = self.file.start();
        self.position = start.unwrap_or_default();
        self.on_roll = None;
        self.next = None;
        self.cube = 1;
        self.owner = None;
        self.doubled = None;
        self.ended = false;
        self.given_up = start.is_none();
        self.certain = false;
        // A file may have ten thousand games of one action each.
        if let Some(ended) = self.file.games.last_mut() {
            ended.actions.shrink_to_fit();
        }
        self.file.games.push(MatGame::default());
        self.lines.push(Vec::new());
        self.analyses.push(BTreeMap::new());
        match start {
            Some(_) => Ok(()),
            None => Err((
                "variation",
                Reason::Other("is not known here, expected Backgammon or NackGammon"),
            )),
        }
    }

    /// Sets the points before the game. They correct the previous winner where only a column gave it.
    pub(super) fn scores(&mut self, scores: [u32; 2]) {
        if let [.., before, game] = &mut self.file.games[..] {
            game.scores = scores;
            let won = [0, 1].map(|side: usize| {
                let score = |of: &[u32; 2]| of.get(side).copied().unwrap_or_default();
                score(&scores).checked_sub(score(&before.scores))
            });
            let told = match won {
                [Some(points @ 1..), Some(0)] => Some((MatPlayer::First, points)),
                [Some(0), Some(points @ 1..)] => Some((MatPlayer::Second, points)),
                _ => None,
            };
            // In money sessions some programs begin each game at 0.
            if let Some((winner, points)) = told
                && told != before.result
            {
                before.result = told;
                // What was taken for points and the mark of a settlement was something else.
                before.settled = self.last_end.points(winner, points, true) == (points, true);
            }
        } else if let Some(game) = self.file.games.last_mut() {
            game.scores = scores;
        }
    }

    /// Returns the points after the games so far.
    pub(super) fn scores_by_now(&self) -> [u32; 2] {
        let Some(game) = self.file.games.last() else {
            return self.start_scores;
        };
        let mut scores = game.scores;
        if let Some((winner, points)) = game.result
            && let Some(score) = scores.get_mut(winner.index())
        {
            *score = score.saturating_add(points);
        }
        scores
    }

    /// Returns the board as this player sees it.
    pub(super) fn board(&self, player: MatPlayer) -> Position {
        match self.on_roll {
            Some(last) if last != player => self.position.swapped(),
            _ => self.position,
        }
    }

    fn turn_to(&mut self, player: MatPlayer) {
        if self.on_roll.is_some_and(|last| last != player) {
            self.position = self.position.swapped();
        }
        self.on_roll = Some(player);
    }

    fn push(
        &mut self,
        line: usize,
        player: MatPlayer,
        action: MatAction,
    ) -> Result<(), FieldError> {
        if let (Some(game), Some(lines)) = (self.file.games.last_mut(), self.lines.last_mut()) {
            if game.actions.len() >= ACTIONS_MAX {
                return Err(("game", Reason::Other("has more than 10000 actions")));
            }
            game.actions.push((player, action));
            lines.push(line);
        }
        self.conceded = None;
        Ok(())
    }

    /// Attaches the file's own analysis to the action recorded last.
    pub(super) fn analysed(&mut self, analysis: FileAnalysis) {
        let actions = self.file.games.last().map_or(0, |game| game.actions.len());
        if let (Some(number), Some(analyses)) = (actions.checked_sub(1), self.analyses.last_mut())
            && !analysis.is_empty()
        {
            analyses.insert(number, analysis);
        }
    }

    /// The file says whether the game is the Crawford game.
    pub(super) fn crawford(&mut self, crawford: bool) {
        let length = self.file.length;
        if let Some(game) = self.file.games.last_mut() {
            let away = |score: &&u32| length > 1 && score.saturating_add(1) == length;
            let possible = game.scores.iter().filter(away).count() == 1;
            game.crawford = possible.then_some(crawford);
        }
    }

    /// Removes the file's Crawford flags that agree with the scores.
    fn forget_usual_crawford(&mut self) {
        let by_score = self.file.crawford_by_score();
        for (game, usual) in self.file.games.iter_mut().zip(by_score) {
            game.crawford = game.crawford.filter(|&crawford| crawford != usual);
        }
    }

    /// A player gives the game up. The winner's line may still say more, or may be missing.
    pub(super) fn concedes(&mut self, player: MatPlayer, points: Option<u32>) {
        self.conceded = Some((player, points));
    }

    /// A game that a player conceded has a result, even where nothing says who won.
    fn apply_concession(&mut self) {
        let Some((player, points)) = self.conceded.take() else {
            return;
        };
        let open = self
            .file
            .games
            .last()
            .is_some_and(|game| game.result.is_none());
        if open {
            self.points_are(player.other(), points.unwrap_or(self.cube), true);
        }
    }

    /// Returns the state in which the game ends.
    fn end(&self) -> GameEnd {
        let game = self.file.games.last();
        let scores = game.map_or([0; 2], |game| game.scores);
        GameEnd {
            cube: self.cube,
            doubled: self.doubled.is_some(),
            plain: self.certain || self.broken.last() == Some(&self.file.games.len()),
            needed: scores.map(|score| self.file.length.saturating_sub(score)),
        }
    }

    /// Records the winner and the points of the file.
    fn points_are(&mut self, winner: MatPlayer, points: u32, has_mark: bool) {
        let (mut points, settled) = self.end().points(winner, points, has_mark);
        if let Some(game) = self.file.games.last()
            && let Some((_, known)) = game.result
            && self.certain
            && !settled
            && points > self.cube.saturating_mul(3)
        {
            points = known;
        }
        self.result_is(winner, points);
        if let Some(game) = self.file.games.last_mut() {
            game.settled = settled;
        }
    }

    /// Returns a roll that is played accepts a beaver.
    fn before_roll(&mut self, line: usize, player: MatPlayer) -> Result<(), FieldError> {
        if let Some((doubler, last)) = self.doubled
            && self.beavered()
            && doubler == player
        {
            self.take(line, last.other())?;
        }
        self.turn_to(player);
        Ok(())
    }

    /// Returns true if the cube was turned more than once and the answer is open.
    fn beavered(&self) -> bool {
        let game = self.file.games.last();
        let last = game.and_then(|game| game.actions.last());
        matches!(last, Some((_, MatAction::Beaver(_))))
    }

    /// Returns a roll with its play in words. A play that is not legal is kept if the board can follow; then the reason
    /// comes back as well.
    pub(super) fn play_text(
        &mut self,
        line: usize,
        player: MatPlayer,
        roll: Roll,
        text: &str,
    ) -> Result<Option<FieldError>, FieldError> {
        self.before_roll(line, player)?;
        match parse_play(text, &self.position, roll) {
            Ok(legal) => {
                self.position = legal.after.swapped();
                let play = legal.play;
                self.played(line, player, roll, play)?;
                Ok(None)
            }
            Err(error) => {
                let wrong = ("play", error.reason().clone());
                let Ok(play) = parse_steps(text.as_bytes()) else {
                    return Err(wrong);
                };
                self.illegal(line, player, roll, play, wrong).map(Some)
            }
        }
    }

    /// Returns a roll with the steps of its play; otherwise as [`Recorder::play_text`].
    pub(super) fn play_steps(
        &mut self,
        line: usize,
        player: MatPlayer,
        roll: Roll,
        play: Play,
    ) -> Result<Option<FieldError>, FieldError> {
        self.before_roll(line, player)?;
        match legal_steps(&self.position, roll, &play) {
            Some((play, after)) => {
                self.position = after.swapped();
                self.played(line, player, roll, play)?;
                Ok(None)
            }
            None => {
                let wrong = ("play", Reason::Other("is not legal with this roll"));
                self.illegal(line, player, roll, play, wrong).map(Some)
            }
        }
    }

    fn played(
        &mut self,
        line: usize,
        player: MatPlayer,
        roll: Roll,
        play: Play,
    ) -> Result<(), FieldError> {
        self.next = Some(player.other());
        self.push(line, player, MatAction::Play { roll, play })?;
        self.won_on_the_board();
        Ok(())
    }

    fn illegal(
        &mut self,
        line: usize,
        player: MatPlayer,
        roll: Roll,
        play: Play,
        wrong: FieldError,
    ) -> Result<FieldError, FieldError> {
        // Nothing played where something can be is no play at all.
        let followed = match play.is_pass() {
            true => None,
            false => steps_made(&self.position, &play),
        };
        match followed {
            Some(position) => {
                self.position = position;
                self.played(line, player, roll, play)?;
                Ok(wrong)
            }
            None => Err(wrong),
        }
    }

    /// Records a roll with its only legal play, which servers leave out. Returns false if there are several.
    pub(super) fn only_play(
        &mut self,
        line: usize,
        player: MatPlayer,
        roll: Roll,
    ) -> Result<bool, FieldError> {
        self.before_roll(line, player)?;
        let plays = legal_plays(&self.position, roll);
        let [only] = &plays[..] else {
            return Ok(false);
        };
        self.position = only.after.swapped();
        self.played(line, player, roll, only.play)?;
        Ok(true)
    }

    /// Returns true if the player has a legal play.
    pub(super) fn can_play(&self, player: MatPlayer, roll: Roll) -> bool {
        !legal_plays(&self.board(player), roll).is_empty()
    }

    /// Returns true if the game is the Crawford game, by its flag or by the scores.
    fn is_crawford(&self) -> bool {
        let length = self.file.length;
        let one_away = |game: &MatGame| {
            let away = |score: &&u32| length > 1 && score.saturating_add(1) == length;
            game.scores.iter().filter(away).count() == 1
        };
        let Some((game, before)) = self.file.games.split_last() else {
            return false;
        };
        let by_score = || one_away(game) && !before.iter().any(one_away);
        game.crawford.unwrap_or_else(by_score) && self.file.switch("Crawford") != Some(false)
    }

    /// A double shows that the game is not the Crawford game. Returns the fault, unless the file begins there: then the
    /// Crawford game may have been before.
    pub(super) fn leave_crawford(&mut self) -> Option<FieldError> {
        if !self.is_crawford() {
            return None;
        }
        let first = self.file.games.len() == 1;
        let game = self.file.games.last_mut()?;
        let flagged = game.crawford.replace(false) == Some(true);
        let why = Reason::Other("in the Crawford game; the game is read as one after it");
        (flagged || !first).then_some(("double", why))
    }

    /// Records a roll whose play is unknown.
    pub(super) fn rolled(
        &mut self,
        line: usize,
        player: MatPlayer,
        roll: Roll,
    ) -> Result<(), FieldError> {
        self.before_roll(line, player)?;
        self.next = Some(player.other());
        self.push(line, player, MatAction::Rolled(roll))
    }

    /// Returns the cube as it stands.
    pub(super) const fn cube(&self) -> (u32, Option<MatPlayer>) {
        (self.cube, self.owner)
    }

    /// Returns a board and a cube that were set up, this player on roll, who sees the board.
    pub(super) fn set_up(
        &mut self,
        line: usize,
        player: MatPlayer,
        set_up: SetUp,
    ) -> Result<(), FieldError> {
        let SetUp {
            position,
            value,
            owner,
        } = set_up;
        if position.is_over() {
            let why = Reason::Other("has no checkers of a side: the game is over");
            return Err(("position", why));
        }
        if Cube::new(value, CubeOwner::Centred).is_err() {
            let why = Reason::Other("is no power of two up to 4096");
            return Err(("cube", why));
        }
        // The double of the player on roll stays unanswered.
        let open = value == self.cube;
        self.doubled = (self.doubled).filter(|&(doubler, _)| open && doubler == player);
        (self.position, self.on_roll, self.next) = (position, Some(player), Some(player));
        (self.cube, self.owner) = (value, owner);
        self.push(line, player, MatAction::SetUp(set_up))
    }

    /// Returns a double, or a beaver if the other one has doubled.
    pub(super) fn double(&mut self, line: usize, player: MatPlayer) -> Result<(), FieldError> {
        self.turn_to(player);
        match self.doubled {
            Some((doubler, last)) if last != player => {
                let value = self.cube.saturating_mul(4);
                self.cube = self.cube.saturating_mul(2);
                self.doubled = Some((doubler, player));
                self.push(line, player, MatAction::Beaver(value))
            }
            _ => {
                self.doubled = Some((player, player));
                let value = self.cube.saturating_mul(2);
                self.push(line, player, MatAction::Double(value))
            }
        }
    }

    /// Returns true if a double is open: without one, `accepts` refers to a resignation.
    pub(super) const fn is_doubled(&self) -> bool {
        self.doubled.is_some()
    }

    /// A take.
    pub(super) fn take(&mut self, line: usize, player: MatPlayer) -> Result<(), FieldError> {
        let Some((doubler, _)) = self.doubled.take() else {
            return Err(UNDOUBLED);
        };
        self.owner = Some(doubler.other());
        self.cube = self.cube.saturating_mul(2);
        self.turn_to(player);
        self.push(line, player, MatAction::Take)
    }

    /// Returns a pass.
    pub(super) fn drop(&mut self, line: usize, player: MatPlayer) -> Result<(), FieldError> {
        if self.doubled.take().is_none() {
            return Err(UNDOUBLED);
        }
        self.turn_to(player);
        self.push(line, player, MatAction::Drop)?;
        self.result_is(player.other(), self.cube);
        self.certain = true;
        Ok(())
    }

    fn won_on_the_board(&mut self) {
        let (Some(player), Some(outcome)) = (self.on_roll, self.position.outcome()) else {
            return;
        };
        let winner = if outcome.won { player } else { player.other() };
        let points = self.cube.saturating_mul(outcome.points().unsigned_abs());
        self.result_is(winner, points);
        self.certain = true;
    }

    /// Records the result given by the file. The board and a pass decide the winner, the file decides the points.
    pub(super) fn set_result(&mut self, winner: MatPlayer, points: u32) {
        self.end_with(winner, points, false);
    }

    /// Records a result as eXtreme Gammon writes it: more points by 1000 where the players settled the game.
    pub(super) fn set_result_or_settlement(&mut self, winner: MatPlayer, points: u32) {
        self.end_with(winner, points, true);
    }

    fn end_with(&mut self, winner: MatPlayer, points: u32, has_mark: bool) {
        let known = self.file.games.last().and_then(|game| game.result);
        let winner = match known {
            Some((known, _)) if self.certain => known,
            _ => winner,
        };
        self.points_are(winner, points, has_mark);
        // Nothing can follow.
        (self.given_up, self.ended) = (true, true);
    }

    /// Records that the file names a winner and no resignation: where the board and a pass did not end the game, it
    /// was settled.
    pub(super) fn no_resignation(&mut self) {
        let settled = !self.certain;
        if let Some(game) = self.file.games.last_mut() {
            game.settled = settled && game.result.is_some();
        }
    }

    /// The file says who won, and not how much: the next score line does.
    pub(super) fn won_without_points(&mut self, winner: MatPlayer) {
        let known = self.file.games.last().and_then(|game| game.result);
        let points = known.map_or(self.cube, |(_, points)| points);
        self.set_result(winner, points);
    }

    fn result_is(&mut self, winner: MatPlayer, points: u32) {
        if let Some(game) = self.file.games.last_mut() {
            game.result = Some((winner, points));
        }
    }
}
