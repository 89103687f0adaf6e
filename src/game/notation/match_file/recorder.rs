//! Recording of a match from any format. The recorder follows the board and the cube, and adds what files leave out:
//! the player who accepted a beaver, the winner where none is given.

use super::file_analysis::FileAnalysis;
use super::game_end::GameEnd;
use super::record::{FileFault, MatAction, MatGame, MatPlayer, MatchFile, MatchReading, SetUp};
use crate::notation::error::{Code, NotationError, Reason};
use crate::notation::play_text::parse_steps;
use crate::notation::played::legal_steps;
use crate::notation::{parse_play, steps_made};
use crate::{
    Act, CubeOwner, Game, GamePhase, MatchScore, MatchState, Play, Position, Roll, Rules, Variant,
    legal_plays,
};
use std::collections::BTreeMap;

/// A field and its fault.
pub(super) type FieldError = (&'static str, Reason);

/// Maximum number of faults of a file that are kept.
const FAULTS_MAX: usize = 100;
/// Maximum number of games of a file, and actions of a game.
const GAMES_MAX: usize = 10_000;
const ACTIONS_MAX: usize = 10_000;
/// Maximum number of matches of a file.
pub(super) const MATCHES_MAX: usize = 10_000;

/// Error for an answer without a double.
pub(super) const UNDOUBLED: FieldError = (
    "cube action",
    Reason::Other("answers a double that was not made"),
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
    /// Board, cube and turn. Its score is not used: files give the value of a game.
    game: Game,
    /// True if the rest of the game is skipped.
    given_up: bool,
    /// True if the file has named the winner.
    ended: bool,
    /// Points before the first game, where the file gives them before it.
    pub(super) start_scores: [u32; 2],
    /// True if the result is certain, not inferred from the column of a cell.
    certain: bool,
    analyses: Vec<BTreeMap<usize, FileAnalysis>>,
    /// The player who conceded last, and the points if given; no action has followed.
    conceded: Option<(MatPlayer, Option<u32>)>,
    /// The end of the game before.
    last_end: GameEnd,
}

impl Recorder {
    /// Returns all matches of the file.
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
        let is_known = !matches!(self.game.phase(), GamePhase::Opening | GamePhase::Answer(_));
        is_known.then(|| MatPlayer::at(self.game.on_roll()))
    }

    /// Begins a game. Its scores correct the result of the one before.
    pub(super) fn begin(&mut self) -> Result<(), FieldError> {
        if self.file.games.len() >= GAMES_MAX {
            return Err(("match file", Reason::Other("has more than 10000 games")));
        }
        self.apply_concession();
        self.last_end = self.end();
        let variant = self.file.variant();
        let jacoby = self.file.switch("Jacoby") == Some(true);
        self.game = self.new_game(variant.unwrap_or_default(), jacoby);
        self.ended = false;
        self.given_up = variant.is_none();
        self.certain = false;
        // A file may have ten thousand games of one action each.
        if let Some(ended) = self.file.games.last_mut() {
            ended.actions.shrink_to_fit();
        }
        self.file.games.push(MatGame::default());
        self.lines.push(Vec::new());
        self.analyses.push(BTreeMap::new());
        match variant {
            Some(_) => Ok(()),
            None => Err((
                "variation",
                Reason::Other("is not known here, expected Backgammon, NackGammon or HyperGammon"),
            )),
        }
    }

    /// Reads the first board of a file without headers: where it is that from which a variant starts, the file is of that
    /// variant, and nothing was set up. Returns true if so.
    pub(super) fn starts_at(&mut self, position: &Position) -> bool {
        let is_first = self.file.games.len() == 1 && !self.has_acted();
        if !is_first || self.file.header("Variation").is_some() {
            return false;
        }
        let mut variants = Variant::ALL.into_iter().skip(1);
        let Some(variant) = variants.find(|variant| variant.start() == *position) else {
            return false;
        };
        let name = variant.name();
        self.file.comments.push(format!(" [Variation \"{name}\"]"));
        let jacoby = self.file.switch("Jacoby") == Some(true);
        self.game = self.new_game(variant, jacoby);
        true
    }

    fn new_game(&self, variant: Variant, jacoby: bool) -> Game {
        let money = self.file.length == 0;
        let rules = Rules {
            jacoby: money && jacoby,
            beavers: true,
        };
        Game::new(MatchState::money(rules), true).with_variant(variant)
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
                // The text taken for the points and mark of a settlement was another.
                before.settled = self.last_end.points(winner, points, true) == (points, true);
            }
        } else if let Some(game) = self.file.games.last_mut() {
            game.scores = scores;
        }
    }

    /// Returns the points after the games so far.
    pub(super) fn scores_by_now(&self) -> [u32; 2] {
        let last = self.file.games.last();
        last.map_or(self.start_scores, MatGame::scores_after)
    }

    /// Returns the board as this player sees it.
    pub(super) fn board(&self, player: MatPlayer) -> Position {
        match self.game.on_roll() == player.index() {
            true => *self.game.position(),
            false => self.game.position().swapped(),
        }
    }

    /// Follows the play of the roll before it.
    fn follow_play(&mut self, after: Position) {
        let _ = self.game.played(after);
    }

    /// Follows an act. The readers of the match report acts against the rules.
    fn follow(&mut self, player: MatPlayer, act: Act) {
        let _ = self.game.follow(player.index(), act);
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

    /// Records that the file marks the game as the Crawford game, or not.
    pub(super) fn crawford(&mut self, crawford: bool) {
        let length = self.file.length;
        if let Some(game) = self.file.games.last_mut() {
            let possible = MatchScore::at(length, game.scores, None).is_crawford();
            game.crawford = possible.then_some(crawford);
        }
    }

    /// Records that the file says of a money game, before its first action, whether Jacoby's rule holds.
    pub(super) fn jacoby(&mut self, jacoby: bool) {
        let usual = self.file.switch("Jacoby") == Some(true);
        if self.file.length > 0 || jacoby == usual || self.has_acted() {
            return;
        }
        if let Some(game) = self.file.games.last_mut() {
            game.jacoby = Some(jacoby);
        }
        self.game = self.new_game(self.file.variant().unwrap_or_default(), jacoby);
    }

    /// Removes the file's Crawford flags that agree with the scores.
    fn forget_usual_crawford(&mut self) {
        let by_score = self.file.crawford_by_score();
        for (game, usual) in self.file.games.iter_mut().zip(by_score) {
            game.crawford = game.crawford.filter(|&crawford| crawford != usual);
        }
    }

    /// Records that a player concedes the game. The winner's line may have more, or may be missing.
    pub(super) fn concedes(&mut self, player: MatPlayer, points: Option<u32>) {
        self.conceded = Some((player, points));
    }

    /// Gives a conceded game a result, even where no line names the winner.
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
            self.points_are(player.other(), points.unwrap_or(self.game.stake()), true);
        }
    }

    /// Returns the state in which the game ends.
    fn end(&self) -> GameEnd {
        let game = self.file.games.last();
        let scores = game.map_or([0; 2], |game| game.scores);
        GameEnd {
            cube: self.game.stake(),
            doubled: self.is_doubled(),
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
            && points > self.game.stake().saturating_mul(3)
        {
            points = known;
        }
        self.result_is(winner, points);
        if let Some(game) = self.file.games.last_mut() {
            game.settled = settled;
        }
    }

    /// Follows a roll. The doubler's accepts a beaver.
    fn roll(&mut self, line: usize, player: MatPlayer, roll: Roll) -> Result<(), FieldError> {
        if matches!(self.game.phase(), GamePhase::Answer(2..))
            && self.game.on_roll() == player.index()
        {
            self.take(line, MatPlayer::at(self.game.actor()))?;
        }
        self.follow(player, Act::Roll(roll));
        Ok(())
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
        self.roll(line, player, roll)?;
        match parse_play(text, self.game.position(), roll) {
            Ok(legal) => {
                self.played(line, player, roll, (legal.play, legal.after))?;
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
        self.roll(line, player, roll)?;
        match legal_steps(self.game.position(), roll, &play) {
            Some(legal) => {
                self.played(line, player, roll, legal)?;
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
        (play, after): (Play, Position),
    ) -> Result<(), FieldError> {
        self.follow_play(after);
        self.push(line, player, MatAction::Play { roll, play })?;
        if let Some(end) = self.game.end() {
            self.result_is(MatPlayer::at(end.winner), end.points);
            self.certain = true;
        }
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
        // A pass is not a play where a checker can move.
        let followed = match play.is_pass() {
            true => None,
            false => steps_made(self.game.position(), &play),
        };
        match followed {
            Some(position) => {
                self.played(line, player, roll, (play, position.swapped()))?;
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
        self.roll(line, player, roll)?;
        let plays = legal_plays(self.game.position(), roll);
        let [only] = &plays[..] else {
            return Ok(false);
        };
        self.played(line, player, roll, (only.play, only.after))?;
        Ok(true)
    }

    /// Returns true if the player has a legal play.
    pub(super) fn can_play(&self, player: MatPlayer, roll: Roll) -> bool {
        !legal_plays(&self.board(player), roll).is_empty()
    }

    /// Notes after a double that the game is not the Crawford game. Returns the fault, unless the file begins there:
    /// then the Crawford game may have been before.
    pub(super) fn leave_crawford(&mut self) -> Option<FieldError> {
        if !self.file.scores().last()?.is_crawford() {
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
        self.roll(line, player, roll)?;
        self.follow_play(self.game.position().swapped());
        self.push(line, player, MatAction::Rolled(roll))
    }

    /// Returns the cube as it stands.
    pub(super) fn cube(&self) -> (u32, Option<MatPlayer>) {
        let on_roll = MatPlayer::at(self.game.on_roll());
        let owner = match self.game.state().cube.owner() {
            CubeOwner::Centred => None,
            CubeOwner::Me => Some(on_roll),
            CubeOwner::Opponent => Some(on_roll.other()),
        };
        (self.game.stake(), owner)
    }

    /// Returns a board and a cube that were set up, seen by this player, who is on roll.
    pub(super) fn set_up(
        &mut self,
        line: usize,
        player: MatPlayer,
        set_up: SetUp,
    ) -> Result<(), FieldError> {
        let position = set_up.position;
        if position.is_over() {
            let why = Reason::Other("has no checkers of a side: the game is over");
            return Err(("position", why));
        }
        let Ok(cube) = set_up.cube(player) else {
            let why = Reason::Other("is no power of two up to 4096");
            return Err(("cube", why));
        };
        if self.game.state().variant.check(&position).is_err() {
            let why = Reason::Other("has more checkers than its variation");
            return Err(("position", why));
        }
        self.game.set_up(player.index(), position, cube);
        self.push(line, player, MatAction::SetUp(set_up))
    }

    /// Returns a double, or a beaver if the other one has doubled.
    pub(super) fn double(&mut self, line: usize, player: MatPlayer) -> Result<(), FieldError> {
        let stake = self.game.stake();
        let (act, action) = match self.is_doubled() && self.game.actor() == player.index() {
            true => (Act::Beaver, MatAction::Beaver(stake.saturating_mul(4))),
            false => (Act::Double, MatAction::Double(stake.saturating_mul(2))),
        };
        self.follow(player, act);
        self.push(line, player, action)
    }

    /// Returns true if a double is open: without one, `accepts` refers to a resignation.
    pub(super) const fn is_doubled(&self) -> bool {
        matches!(self.game.phase(), GamePhase::Answer(_))
    }

    /// Records a take.
    pub(super) fn take(&mut self, line: usize, player: MatPlayer) -> Result<(), FieldError> {
        if !self.is_doubled() {
            return Err(UNDOUBLED);
        }
        self.follow(player, Act::Take);
        self.push(line, player, MatAction::Take)
    }

    /// Returns a pass.
    pub(super) fn drop(&mut self, line: usize, player: MatPlayer) -> Result<(), FieldError> {
        if !self.is_doubled() {
            return Err(UNDOUBLED);
        }
        self.follow(player, Act::Pass);
        self.push(line, player, MatAction::Drop)?;
        self.result_is(player.other(), self.game.stake());
        self.certain = true;
        Ok(())
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

    /// Records a winner without points: the next score line has them.
    pub(super) fn won_without_points(&mut self, winner: MatPlayer) {
        let known = self.file.games.last().and_then(|game| game.result);
        let points = known.map_or(self.game.stake(), |(_, points)| points);
        self.set_result(winner, points);
    }

    fn result_is(&mut self, winner: MatPlayer, points: u32) {
        if let Some(game) = self.file.games.last_mut() {
            game.result = Some((winner, points));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// MAT-10: by Jacoby's rule a gammon with a centred cube that was never turned is a single game, where the file
    /// gives no points.
    #[test]
    fn gammon_without_points_follows_jacobys_rule() {
        let (mut me, mut other) = ([0; 25], [0; 25]);
        (me[0], other[5]) = (1, 15);
        for (header, owner, points) in [
            (" [Jacoby \"On\"]", None, 1),
            (" [Jacoby \"On\"]", Some(MatPlayer::Second), 4),
            (" [Jacoby \"Off\"]", None, 2),
        ] {
            let mut recorder = Recorder::default();
            recorder.file.comments = vec![header.to_owned()];
            recorder.begin().unwrap();
            let set_up = SetUp {
                position: Position::new(&me, &other).unwrap(),
                value: if owner.is_none() { 1 } else { 2 },
                owner,
            };
            recorder.set_up(1, MatPlayer::First, set_up).unwrap();
            let roll = Roll::of(6, 5);
            (recorder.play_text(2, MatPlayer::First, roll, "1/off")).unwrap();
            let result = recorder.file.games[0].result;
            assert_eq!(
                result,
                Some((MatPlayer::First, points)),
                "{header} {owner:?}"
            );
        }
    }

    /// A double that is not answered is forgotten with the next roll: the double after it is not an answer to it.
    #[test]
    fn unanswered_double_is_no_beaver() {
        use MatPlayer::{First, Second};
        let mut recorder = Recorder::default();
        recorder.begin().unwrap();
        let roll = |recorder: &mut Recorder, player| {
            recorder.rolled(1, player, Roll::of(3, 1)).unwrap();
        };
        roll(&mut recorder, First);
        recorder.double(2, Second).unwrap();
        roll(&mut recorder, Second);
        recorder.double(3, First).unwrap();
        let actions = &recorder.file.games[0].actions;
        assert_eq!(actions[1], (Second, MatAction::Double(2)));
        assert_eq!(actions[3], (First, MatAction::Double(2)));
        recorder.double(4, Second).unwrap();
        assert_eq!(
            recorder.file.games[0].actions[4],
            (Second, MatAction::Beaver(4))
        );
        recorder.take(5, First).unwrap();
        assert_eq!(recorder.cube(), (4, Some(Second)));
    }
}
