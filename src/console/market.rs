//! The cube at a match score: `show marketwindow` in a match, and `show met`.

use super::Console;
use super::host::ConsoleHost;
use gammond_game::{Chances, Score};

/// More points than any match has.
const WHOLE_MATCH: u32 = 64;
/// The table of the original, as it describes it.
const KAZAROSS: &str = "Kazaross-XG2";
const KAZAROSS_LINES: &str = "Match equity table: Kazaross XG2 25 point MET\n\
    (/usr/share/gnubg/met/Kazaross-XG2.xml)\n\
    Generated using XG rollouts to 9pts, GNUbg Supremo full rollouts to 15 points. \
    Extended to 25pts by projecting take points.\n\n";

/// A player before a cube decision of a match.
#[derive(Clone, Copy)]
struct Doubler {
    score: Score,
    /// Gammons and backgammons among the player's wins and among the other's.
    wins: [f64; 2],
    losses: [f64; 2],
}

impl Doubler {
    const fn other(self) -> Doubler {
        Doubler {
            score: self.score.swapped(),
            wins: self.losses,
            losses: self.wins,
        }
    }

    /// Returns the mean gain of match winning chance by a game of this result.
    fn mean(self, host: &mut dyn ConsoleHost, wins: bool, cube: u32) -> f64 {
        let [gammons, backgammons] = if wins { self.wins } else { self.losses };
        let shares = [1.0 - gammons - backgammons, gammons, backgammons];
        let parts = shares
            .into_iter()
            .zip(1_u32..)
            .map(|(share, times)| share * host.gain(self.score, wins, times.saturating_mul(cube)));
        parts.sum()
    }

    /// Returns the winning chance from which on a double to a cube that is not turned again gains.
    fn double_point(self, host: &mut dyn ConsoleHost, cube: u32, doubled: u32) -> f64 {
        let risk = self.mean(host, false, cube) - self.mean(host, false, doubled);
        let gain = self.mean(host, true, doubled) - self.mean(host, true, cube);
        risk / (risk + gain)
    }

    /// Returns the winning chance from which on such a double is passed.
    fn cash_point(self, host: &mut dyn ConsoleHost, cube: u32, doubled: u32) -> f64 {
        let (won, lost) = (
            self.mean(host, true, doubled),
            self.mean(host, false, doubled),
        );
        (host.gain(self.score, true, cube) - lost) / (won - lost)
    }

    /// Returns the winning chance from which on a double is passed, if the other player turns the cube again at the
    /// last moment.
    fn live_cash_point(self, host: &mut dyn ConsoleHost, cube: u32) -> f64 {
        let doubled = cube.saturating_mul(2);
        match self.cube_after(doubled) {
            Cube::Live => {
                let theirs = self.other().live_cash_point(host, doubled);
                let lost = host.gain(self.score, false, doubled);
                let won = self.mean(host, true, doubled);
                let passed = host.gain(self.score, true, cube);
                1.0 - theirs + theirs * (passed - lost) / (won - lost)
            }
            Cube::Dead => self.cash_point(host, cube, doubled),
            Cube::TurnedAtOnce => self.cash_point(host, cube, doubled.saturating_mul(2)),
        }
    }

    /// Returns the use that the other player has for the cube after a double.
    fn cube_after(self, doubled: u32) -> Cube {
        match (
            self.score.my_away() > doubled,
            self.score.opponent_away() > doubled,
        ) {
            (true, true) => Cube::Live,
            (false, true) => Cube::TurnedAtOnce,
            (_, false) => Cube::Dead,
        }
    }
}

/// The state of a doubled cube.
enum Cube {
    Live,
    /// The cube wins the match for the doubler, so that the other player has nothing to lose by turning it.
    TurnedAtOnce,
    /// The cube wins the match for the other player.
    Dead,
}

/// Returns the windows of both players at a score seen by the player at the top, with the shares of gammons and of
/// backgammons among the wins of each.
pub(super) fn windows(
    score: Score,
    cube: u32,
    rates: [[f64; 2]; 2],
    names: &[String; 2],
    host: &mut dyn ConsoleHost,
) -> String {
    let [wins, losses] = rates;
    let top = Doubler {
        score,
        wins,
        losses,
    };
    let mut text = "\n\n".to_owned();
    for (name, player) in names.iter().zip([top, top.other()]) {
        let doubled = cube.saturating_mul(2);
        let mut window = |doubled| {
            let points = [
                player.double_point(host, cube, doubled),
                player.cash_point(host, cube, doubled),
            ];
            let [double, cash] = points.map(percent);
            format!("{double}% - {cash}%\n")
        };
        text += &format!("Player {name} market window:\n\n");
        match player.cube_after(doubled) {
            Cube::Live => {
                text += &format!("Dead cube: {}", window(doubled));
                let double = percent(player.double_point(host, cube, doubled));
                let cash = percent(player.live_cash_point(host, cube));
                text += &format!("Live cube:{double}% - {cash}%\n\n");
            }
            Cube::TurnedAtOnce => {
                let again = window(doubled.saturating_mul(2));
                text += &format!(
                    "Dead cube (opponent doesn't redouble): {}Dead cube (opponent redoubles):{again}\n",
                    window(doubled)
                );
            }
            Cube::Dead => text += &format!("Dead cube: {}", window(doubled)),
        }
    }
    text
}

/// Returns the winning chance from which on a double gains with a dead cube, seen by the player on roll.
pub(super) fn double_point(
    score: Score,
    cube: u32,
    chances: &Chances,
    host: &mut dyn ConsoleHost,
) -> f64 {
    let player = Doubler {
        score,
        wins: rates(chances),
        losses: rates(&chances.inverted()),
    };
    player.double_point(host, cube, cube.saturating_mul(2))
}

/// Formats a chance; there is none where the cube changes nothing.
fn percent(chance: f64) -> String {
    match chance.is_finite() {
        true => format!("{:6.2}", 100.0 * chance),
        false => format!("{:>6}", "-nan"),
    }
}

impl Console {
    /// Runs `show met`: the table as far as the match goes.
    pub(super) fn show_match_equities(&mut self, host: &mut dyn ConsoleHost) {
        let name = host.match_equity_table();
        let mut text = match self.options.strict && name == KAZAROSS {
            true => KAZAROSS_LINES.to_owned(),
            false => format!("Match equity table: {name}\n\n"),
        };
        let away = match self.table.score.length() {
            0 => WHOLE_MATCH,
            length => length.min(WHOLE_MATCH),
        };
        // A match that is won at once shows the number of points missing at the score.
        let mut at = |mine: u32, theirs: u32, crawford: bool| {
            let score = Score::new(
                WHOLE_MATCH,
                WHOLE_MATCH - mine,
                WHOLE_MATCH - theirs,
                crawford,
            );
            score.map_or(0.0, |score| 1.0 - host.gain(score, true, WHOLE_MATCH))
        };
        let head: String = (1..=away)
            .map(|needs| format!("{:>10}", format!("{needs}-away")))
            .collect();
        let row = |needs: u32, chances: Vec<f64>| {
            let chances = chances
                .iter()
                .map(|chance| format!("{:10.4}", 100.0 * chance));
            format!(
                "{:>9}{} \n",
                format!("{needs}-away"),
                chances.collect::<String>()
            )
        };
        let blank = " ".repeat(9);
        text += &format!("Pre-Crawford table:\n\n{blank}{head} \n");
        for mine in 1..=away {
            let chances = (1..=away).map(|theirs| at(mine, theirs, (mine == 1) != (theirs == 1)));
            text += &row(mine, chances.collect());
        }
        for (number, name) in self.names.iter().enumerate() {
            text +=
                &format!("\nPost-Crawford table for player {number} ({name}):\n\n{blank}{head} \n");
            text += &row(1, (1..=away).map(|needs| at(needs, 1, false)).collect());
        }
        self.out.push_str(&text);
        self.out.push('\n');
    }
}

/// Returns the shares of the player's wins that are gammons and backgammons.
pub(super) fn rates(chances: &Chances) -> [f64; 2] {
    let [win, gammon, backgammon] =
        [chances.win, chances.win_gammon, chances.win_backgammon].map(f64::from);
    match win > 0.0 {
        true => [(gammon - backgammon) / win, backgammon / win],
        false => [0.0; 2],
    }
}
