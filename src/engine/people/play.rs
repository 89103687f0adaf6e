//! Play as people of an error rate: one of their choices, the same for the same question and seed.

use super::{CubeOption, People, PlayOption, resign_as_people};
use crate::equity::{MatchEquityTable, Stakes};
use crate::query::{
    CubeAnswer, CubeQuery, CubeShares, EvalQuery, PeopleChoice, PlayQuery, RankedPlays, Settings,
};
use gammond_game::{MatchState, POINTS, Position};

impl People {
    /// Returns the shares of the people of an error rate who choose each of these plays, all of the roll.
    #[must_use]
    pub fn shares_in(&self, ranked: &RankedPlays, pr: f64) -> Vec<f64> {
        let option = |play| PlayOption::new(play, ranked.best());
        let options: Vec<PlayOption> = ranked.plays.iter().map(option).collect();
        self.play_shares(&self.dial(pr), &ranked.position, ranked.roll, &options)
    }

    /// Returns the shares of the people of an error rate who double and who take.
    #[must_use]
    pub fn cube_shares(&self, query: &CubeQuery, answer: &CubeAnswer, pr: f64) -> [f64; 2] {
        let dial = self.dial(pr);
        let [none, take, pass] = [answer.no_double, answer.double_take, answer.double_pass]
            .map(|value| value.equity as f32);
        let option = |gain, is_take| {
            CubeOption::new(
                &query.position,
                &query.state,
                [gain, pass - take],
                answer.chances,
                is_take,
            )
        };
        [
            self.double_share(&dial, &option(take.min(pass) - none, false)),
            self.take_share(&dial, &option(pass - take, true)),
        ]
    }
}

/// Returns the ranking of all plays with the share of each at the error rate of the settings, if they have one; none is
/// chosen.
pub(crate) fn with_shares(mut ranked: RankedPlays, settings: &Settings) -> RankedPlays {
    ranked.people = settings.pr.map(|pr| {
        Box::new(PeopleChoice {
            best: ranked.best().clone(),
            shares: People::built_in().shares_in(&ranked, pr),
        })
    });
    ranked
}

/// Returns the ranking with the play in front that a person of the error rate chooses, cut as the settings say; all plays
/// must be in it.
pub(crate) fn play_as_people(
    mut ranked: RankedPlays,
    query: &PlayQuery,
    settings: &Settings,
) -> RankedPlays {
    ranked = with_shares(ranked, settings);
    let Some(people) = &mut ranked.people else {
        return ranked;
    };
    let shares = &mut people.shares;
    let roll = query.roll.dice();
    let mut rest = drawn(&query.position, &query.state, settings.seed, roll);
    let chosen = shares.iter().position(|share| {
        rest -= share;
        rest < 0.0
    });
    // Rounding may leave a rest behind the last one.
    let chosen = chosen.unwrap_or(0);
    ranked.plays[..=chosen].rotate_right(1);
    shares[..=chosen].rotate_right(1);
    let top = settings.top.unwrap_or(usize::MAX).max(1);
    ranked.plays.truncate(top);
    shares.truncate(top);
    ranked
}

/// Returns the answer with the actions that people of the error rate choose.
pub(crate) fn act_as_people(
    mut answer: CubeAnswer,
    query: &CubeQuery,
    settings: &Settings,
    met: &MatchEquityTable,
) -> CubeAnswer {
    let Some(pr) = settings.pr else { return answer };
    let [double, take] = People::built_in().cube_shares(query, &answer, pr);
    let stakes = Stakes::new(query.state, met);
    let before = EvalQuery::new(query.position, query.state);
    let shares = CubeShares {
        double,
        take,
        resign: People::resign_share(&before, &stakes, &answer.chances).0,
        resigns: resign_as_people(&before, &stakes, &answer.chances, settings),
    };
    let draw = |purpose| drawn(&query.position, &query.state, settings.seed, [0, purpose]);
    // A double that is not legal stays none.
    let may_double = answer.verdict != crate::Verdict::NotAvailable;
    answer.double = may_double && draw(1) < shares.double;
    answer.take = draw(2) < shares.take;
    answer.beaver &= answer.take;
    answer.people = Some(Box::new(shares));
    answer
}

/// Returns a number from 0 to 1 that depends on the question and the seed alone.
pub(super) fn drawn(position: &Position, state: &MatchState, seed: u64, purpose: [u8; 2]) -> f64 {
    let mut bytes = [0; 2 * POINTS + 16];
    let score = &state.score;
    let (mine, theirs) = (position.me().counts(), position.opponent().counts());
    bytes[..POINTS].copy_from_slice(&mine);
    bytes[POINTS..2 * POINTS].copy_from_slice(&theirs);
    bytes[2 * POINTS..2 * POINTS + 8].copy_from_slice(&seed.to_le_bytes());
    let rest = [
        score.my_away() as u8,
        score.opponent_away() as u8,
        state.cube.value().trailing_zeros() as u8,
        purpose[0],
        purpose[1],
    ];
    bytes[2 * POINTS + 8..2 * POINTS + 13].copy_from_slice(&rest);
    let digest = md5::compute(bytes).0;
    let first = digest
        .first_chunk()
        .map_or(0, |eight| u64::from_le_bytes(*eight));
    (first >> 11) as f64 / (1u64 << 53) as f64
}
