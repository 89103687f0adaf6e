//! Match equity tables of games that are known: each score's chance from the game played there (HYPER-08).

use super::met::{AWAY_MAX, MatchEquityTable};
use gammond_game::Score;

impl MatchEquityTable {
    /// Returns the table of two equal players from the value of a game at each score, up to [`AWAY_MAX`] points; beyond
    /// them as any table (MET-03). `game` receives the table so far, which has all scores nearer the end, and returns the
    /// chance of the player on roll to win the match before the first dice are thrown.
    pub(crate) fn by_games(
        name: &str,
        mut game: impl FnMut(&MatchEquityTable, Score) -> f64,
    ) -> MatchEquityTable {
        let away = AWAY_MAX as u32;
        let mut pre = vec![vec![0.5; AWAY_MAX]; AWAY_MAX];
        let mut post = vec![0.5; AWAY_MAX];
        let mut table = MatchEquityTable::complete(name, &pre, &post);
        let mut ask = |table: &MatchEquityTable, [mine, theirs]: [u32; 2], crawford| {
            let length = mine.max(theirs);
            let score = Score::new(length, length - mine, length - theirs, crawford);
            score.map_or(0.5, |score| game(table, score))
        };
        for needs in 2..=away {
            post[needs as usize - 1] = ask(&table, [needs, 1], false);
            table = MatchEquityTable::complete(name, &pre, &post);
        }
        for needs in 2..=away {
            let trailer = ask(&table, [needs, 1], true);
            pre[needs as usize - 1][0] = trailer;
            pre[0][needs as usize - 1] = 1.0 - trailer;
        }
        for sum in 4..=2 * away {
            table = MatchEquityTable::complete(name, &pre, &post);
            for theirs in 2.max(sum.saturating_sub(away))..=sum / 2 {
                let mine = sum - theirs;
                let chance = match mine == theirs {
                    true => 0.5,
                    false => ask(&table, [mine, theirs], false),
                };
                pre[mine as usize - 1][theirs as usize - 1] = chance;
                pre[theirs as usize - 1][mine as usize - 1] = 1.0 - chance;
            }
        }
        MatchEquityTable::complete(name, &pre, &post)
    }
}
