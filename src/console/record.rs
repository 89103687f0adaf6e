//! The match played so far, as a match file, and navigation in it.

use super::hinted::Hint;
use super::table::{Seat, Table, TablePhase};
use gammond_game::notation::{
    MatAction, MatGame, MatPlayer, MatchFile, SetUp, position_after, steps_made,
};
use gammond_game::{MatchScore, Position, Variant};
use std::collections::BTreeMap;

/// Maximum number of actions kept of a game, and of games of a session: later ones are played but not kept.
const ACTIONS_MAX: usize = 4096;
const GAMES_MAX: usize = 1024;

/// The match so far and the place in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    pub(super) file: MatchFile,
    /// Returns the current game.
    pub(super) game: usize,
    /// The number of its actions before this place.
    pub(super) at: usize,
    /// `true` if the roll of the next action is shown.
    pub(super) rolled: bool,
    /// True if the board was set up since the last action.
    pub(super) set_up: bool,
    /// Hints that were given inside the record, by game and action.
    pub(super) hints: BTreeMap<(usize, usize), Hint>,
    /// Decisions of the engine while it played, by game and action.
    pub(super) decided: BTreeMap<(usize, usize), Decided>,
    /// True if the game shown was resigned, and its end is shown.
    pub(super) ended: bool,
}

/// A decision of the engine at an action of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Decided {
    /// True if the roll had several plays.
    pub(super) unforced: bool,
    /// A cube decision, and whether it was close or turned the cube.
    pub(super) cube: Option<bool>,
}

impl Seat {
    pub(super) const fn player(self) -> MatPlayer {
        match self {
            Seat::Top => MatPlayer::First,
            Seat::Bottom => MatPlayer::Second,
        }
    }

    pub(super) const fn from_player(player: MatPlayer) -> Seat {
        match player {
            MatPlayer::First => Seat::Top,
            MatPlayer::Second => Seat::Bottom,
        }
    }
}

impl Record {
    /// Starts a match without games.
    pub(super) fn begin(&mut self, length: u32, names: &[String; 2], variant: Variant) {
        let is_usual = variant == Variant::Backgammon;
        let variation = (!is_usual).then(|| format!(" [Variation \"{}\"]", variant.name()));
        *self = Record {
            file: MatchFile {
                length,
                names: names.clone(),
                comments: variation.into_iter().collect(),
                ..MatchFile::default()
            },
            ..Record::default()
        };
    }

    /// Starts a game at the table's score. It follows the current game, or replaces it if that one is not `finished`;
    /// games after the current one are dropped. A game beyond the limit is current, but not kept.
    pub(super) fn begin_game(&mut self, table: &Table, finished: bool) {
        let games = &mut self.file.games;
        games.truncate(self.game.saturating_add(usize::from(finished)));
        self.game = games.len();
        self.hints.retain(|(game, _), _| *game < games.len());
        self.decided.retain(|(game, _), _| *game < games.len());
        if games.len() < GAMES_MAX {
            games.push(MatGame {
                scores: table.score.points(),
                crawford: table.crawford_flag(),
                ..MatGame::default()
            });
        }
        (self.at, self.rolled, self.set_up, self.ended) = (0, false, false, false);
    }

    /// Sets the score and the Crawford flag of the current game to those of the table.
    pub(super) fn set_score(&mut self, table: &Table) {
        if let Some(game) = self.file.games.get_mut(self.game) {
            (game.scores, game.crawford) = (table.score.points(), table.crawford_flag());
        }
    }

    /// Returns whether an action at this place replaces actions or games after it.
    pub(super) fn has_more(&self) -> bool {
        let more = |game: &MatGame| self.at < game.actions.len();
        self.game.saturating_add(1) < self.file.games.len() || self.current().is_some_and(more)
    }

    /// Returns the record with what lies on the table and no action has followed yet: a board that was set up, dice that
    /// were thrown. Before its end the record stays as it is.
    pub(super) fn with_table(&self, table: &Table) -> Record {
        let mut record = self.clone();
        if table.playing() && !record.has_more() {
            record.set_up(table);
            if let Some(roll) = table.roll() {
                record.push(table, table.on_roll, MatAction::Rolled(roll));
            }
        }
        record
    }

    /// Records the board on the table if it was set up, in a new game where there is none.
    fn set_up(&mut self, table: &Table) {
        if self.file.games.is_empty() {
            self.file.length = table.score.length();
            self.begin_game(table, true);
            self.set_up = true;
        }
        let game = self.file.games.get_mut(self.game);
        let Some(game) = game.filter(|game| self.set_up && game.actions.len() < ACTIONS_MAX) else {
            return;
        };
        game.actions.truncate(self.at);
        let set_up = SetUp {
            position: table.position,
            value: table.cube,
            owner: table.owner.map(Seat::player),
        };
        game.actions
            .push((table.on_roll.player(), MatAction::SetUp(set_up)));
        self.at = game.actions.len();
        self.set_up = false;
    }

    /// Records an action.
    pub(super) fn push(&mut self, table: &Table, seat: Seat, action: MatAction) {
        self.set_up(table);
        let (number, at) = (self.game, self.at);
        self.file.games.truncate(number.saturating_add(1));
        let Some(game) = self.file.games.get_mut(number) else {
            return;
        };
        // An action in the middle of a game replaces the ones after it.
        game.actions.truncate(at);
        self.hints.retain(|place, _| *place < (number, at));
        self.decided.retain(|place, _| *place < (number, at));
        game.result = None;
        // A play has its roll.
        if matches!(game.actions.last(), Some((player, MatAction::Rolled(_))) if *player == seat.player())
        {
            game.actions.pop();
        }
        if game.actions.len() < ACTIONS_MAX {
            game.actions.push((seat.player(), action));
        }
        self.at = game.actions.len();
        self.rolled = false;
    }

    /// Returns the game and the number of the action that is recorded next.
    pub(super) fn next_place(&self) -> (usize, usize) {
        let set_up = self.set_up || self.file.games.is_empty();
        let actions = self.current().map_or(&[][..], |game| &game.actions);
        let last = actions.get(..self.at).and_then(<[_]>::last);
        let rolled = matches!(last, Some((_, MatAction::Rolled(_))));
        let number = self.at.saturating_sub(usize::from(rolled));
        (self.game, number.saturating_add(usize::from(set_up)))
    }

    pub(super) fn finish(&mut self, winner: Seat, points: u32) {
        if let Some(game) = self.file.games.get_mut(self.game) {
            game.result = Some((winner.player(), points));
        }
        self.ended = true;
    }

    /// Swaps the players.
    pub(super) fn swap(&mut self) {
        let file = &mut self.file;
        file.names.reverse();
        for game in &mut file.games {
            game.scores.reverse();
            game.result = game.result.map(|(player, points)| (player.other(), points));
            for (player, action) in &mut game.actions {
                *player = player.other();
                if let MatAction::SetUp(set_up) = action {
                    set_up.owner = set_up.owner.map(MatPlayer::other);
                }
            }
        }
    }

    /// Returns the current game.
    pub(super) fn current(&self) -> Option<&MatGame> {
        self.file.games.get(self.game)
    }

    /// Returns the Crawford flag of the current game; `None` for money.
    pub(super) fn crawford(&self) -> Option<bool> {
        let score = self.file.scores().nth(self.game)?;
        (self.file.length > 0).then_some(score.is_crawford())
    }

    /// Returns the table at the current place; `rules` has the settings that the file does not name. After a finished
    /// game, `crawford_rule` decides whether the next one can be the Crawford game.
    pub(super) fn table(&self, rules: &Table, crawford_rule: bool) -> Option<Table> {
        let game = self.current()?;
        let mut table = start_of(&self.file, self.game, rules);
        let mut actions = game.actions.iter().take(self.at);
        for (player, action) in &mut actions {
            apply(&mut table, Seat::from_player(*player), *action);
        }
        if let Some((player, action)) = game.actions.get(self.at) {
            let seat = Seat::from_player(*player);
            if self.rolled
                && let MatAction::Play { roll, .. } | MatAction::Rolled(roll) = action
            {
                (table.on_roll, table.decides) = (seat, seat);
                table.dice = Some(roll.dice());
            }
        } else if self.ended {
            let crawford_rule = crawford_rule && self.file.switch("Crawford") != Some(false);
            close(&mut table, game, crawford_rule);
        }
        Some(table)
    }
}

/// Returns the table before the first action of a game.
pub(super) fn start_of(file: &MatchFile, number: usize, rules: &Table) -> Table {
    let game = file.games.get(number);
    let score = file.scores().nth(number);
    let mut table = Table {
        phase: TablePhase::Playing,
        score: score.unwrap_or(MatchScore::new(file.length)),
        games: u32::try_from(number).unwrap_or(u32::MAX),
        jacoby: file.switch("Jacoby").unwrap_or(rules.jacoby),
        variant: file.variant().unwrap_or_default(),
        position: file.start().unwrap_or_default(),
        ..Table::default()
    };
    let first = game.and_then(|game| game.actions.first());
    let seat = first.map_or(Seat::Bottom, |(player, _)| Seat::from_player(*player));
    (table.on_roll, table.decides) = (seat, seat);
    table
}

/// Gives the turn to a seat and turns the position if needed.
fn take_turn(table: &mut Table, seat: Seat) {
    if table.on_roll != seat {
        table.position = table.position.swapped();
        table.on_roll = seat;
    }
    table.decides = seat;
}

/// Applies an action.
pub(super) fn apply(table: &mut Table, seat: Seat, action: MatAction) {
    match action {
        MatAction::SetUp(set_up) => {
            take_turn(table, seat);
            table.position = set_up.position;
            table.cube = set_up.value;
            table.owner = set_up.owner.map(Seat::from_player);
            table.dice = None;
        }
        MatAction::Play { roll, play } => {
            take_turn(table, seat);
            let after = position_after(&table.position, roll, &play);
            let after =
                after.or_else(|| steps_made(&table.position, &play).map(|board| board.swapped()));
            let after: Position = after.unwrap_or_else(|| table.position.swapped());
            table.pass_on(after);
        }
        MatAction::Rolled(roll) => {
            take_turn(table, seat);
            table.dice = Some(roll.dice());
        }
        MatAction::Double(_) => {
            take_turn(table, seat);
            table.doubled = true;
            table.decides = seat.other();
        }
        MatAction::Beaver(_) => {
            table.cube = table.cube.saturating_mul(2);
            // The beaverer keeps the cube through a raccoon.
            table.owner = Some(table.on_roll.other());
            table.beavers += 1;
            table.decides = seat.other();
        }
        MatAction::Take => {
            table.cube = table.cube.saturating_mul(2);
            table.owner = Some(table.on_roll.other());
            (table.doubled, table.beavers) = (false, 0);
            table.decides = table.on_roll;
        }
        MatAction::Drop => {
            table.phase = TablePhase::Dropped;
            table.doubled = false;
        }
    }
}

/// Applies the end of a game.
fn close(table: &mut Table, game: &MatGame, crawford_rule: bool) {
    let Some((winner, points)) = game.result else {
        return;
    };
    let winner = Seat::from_player(winner);
    let dropped = table.phase == TablePhase::Dropped;
    let over = table.position.is_over();
    let phase = match (dropped, over) {
        (true, _) => TablePhase::Dropped,
        (_, true) => TablePhase::Over,
        _ => TablePhase::Resigned,
    };
    if phase == TablePhase::Resigned {
        let games = (points / table.cube.max(1)).clamp(1, 3);
        table.resigned = u8::try_from(games).unwrap_or(1);
        take_turn(table, winner.other());
    }
    table.finish(phase, winner, points, crawford_rule);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_beyond_the_limit_are_not_kept() {
        let table = Table::default();
        let mut record = Record::default();
        record.begin(0, &["A", "B"].map(str::to_owned), Variant::Backgammon);
        for _ in 0..GAMES_MAX + 2 {
            record.begin_game(&table, true);
            record.push(&table, Seat::Top, MatAction::Double(2));
            record.push(&table, Seat::Bottom, MatAction::Drop);
            record.finish(Seat::Top, 1);
        }
        assert_eq!(record.file.games.len(), GAMES_MAX);
        let kept = |game: &MatGame| game.actions.len() == 2 && game.result.is_some();
        assert!(record.file.games.iter().all(kept));
    }
}
