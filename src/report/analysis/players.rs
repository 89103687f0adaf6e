//! Sums of players over several matches: those of a folder, of a report, of an archive.

use super::analyse::Analysis;
use gammond_base::escape::Untrusted;
use gammond_game::notation::MatPlayer;
use std::collections::BTreeMap;

/// Sums over a player's matches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PlayerSums {
    /// Matches and money sessions.
    pub matches: i64,
    /// Those that the player won: a match with all its points, a session with a result above zero.
    pub won: i64,
    /// Decisions of GNU Backgammon's error rate (ANA-11).
    pub decisions: i64,
    /// Decisions of the performance rating (ANA-13).
    pub counted: i64,
    /// Losses in EMG.
    pub loss: f64,
    /// Luck in EMG.
    pub luck: f64,
}

impl PlayerSums {
    /// Returns GNU Backgammon's error rate, in thousandths.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.decisions > 0).then(|| 1000.0 * self.loss / self.decisions as f64)
    }

    /// Returns the performance rating.
    #[must_use]
    pub fn performance(&self) -> Option<f64> {
        (self.counted > 0).then(|| 500.0 * self.loss / self.counted as f64)
    }

    fn add(&mut self, other: &PlayerSums) {
        self.matches += other.matches;
        self.won += other.won;
        self.decisions += other.decisions;
        self.counted += other.counted;
        self.loss += other.loss;
        self.luck += other.luck;
    }
}

impl Analysis {
    /// Returns the sums of one player.
    #[must_use]
    pub fn sums(&self, player: MatPlayer) -> PlayerSums {
        let own = self.totals.get(player.index()).copied().unwrap_or_default();
        let result = player.of([self.result, -self.result]);
        let won = match self.length {
            0 => result > 0.0,
            length => player.of(self.score) >= length,
        };
        PlayerSums {
            matches: 1,
            won: won.into(),
            decisions: own.decisions().into(),
            counted: own.counted.into(),
            loss: own.loss()[0],
            luck: own.luck.emg,
        }
    }
}

/// The players of several matches.
#[derive(Clone, Debug, Default)]
pub struct PlayerList(BTreeMap<Untrusted, PlayerSums>);

impl PlayerList {
    /// Adds both players of a match.
    pub fn add(&mut self, analysis: &Analysis) {
        let players = [MatPlayer::First, MatPlayer::Second];
        for (name, player) in analysis.names.iter().zip(players) {
            let sums = self.0.entry(name.clone()).or_default();
            sums.add(&analysis.sums(player));
        }
    }

    /// Returns the players with their sums, in the order of their names.
    #[must_use]
    pub fn into_sums(self) -> Vec<(Untrusted, PlayerSums)> {
        self.0.into_iter().collect()
    }
}
