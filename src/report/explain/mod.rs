//! Sentences about a decision, each made from facts of [`ExplainAnswer`] where its rule holds.
//!
//! The texts lie in `sentences.tsv`, a row for each rule. A sentence has at least one number, and its values are the facts
//! that license it.

mod difference;

pub use crate::texts::SentenceValue;
pub use difference::{FactDifference, differences};

use crate::render::signed;
use crate::texts::text;
use gammond_engine::equity::CubeUse;
use gammond_engine::query::{
    CubeAnswer, CubeFacts, ExplainAnswer, ExplainedDecision, ExplainedPlay, ExplainedPlays,
    Language, RaceFacts, RankedPlay,
};
use gammond_game::notation::play_text;
use gammond_game::{CubeOwner, MatchState, Position, Prime, Roll, SideFacts};

/// Differences of which sentences are made, at most.
const DIFFERENCES_MAX: usize = 3;
/// Weight of a difference from which on a sentence is made of it.
const WEIGHT_MIN: f64 = 1.0;
/// Points of a block from which on it is mentioned.
const PRIME_MIN: u8 = 4;
/// Throws up to which the rolls that hit are listed.
const LISTED_MAX: u32 = 20;
/// Chance from which on gammons are mentioned: less is shown as 0.0%.
const GAMMON_MIN: f32 = 0.0005;
/// Distance of a gammon value from that of money from which on it is mentioned.
const GAMMON_VALUE_MIN: f64 = 0.05;

/// A sentence with the rule that made it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sentence {
    /// The rule: a row of the table.
    pub rule: &'static str,
    /// The values in it.
    pub values: Vec<SentenceValue>,
    /// The text.
    pub text: String,
}

/// Returns the sentences about a decision, the most important first.
#[must_use]
pub fn sentences(answer: &ExplainAnswer, language: Language) -> Vec<Sentence> {
    let mut writer = Writer {
        language,
        found: Vec::new(),
    };
    match &answer.decision {
        ExplainedDecision::Play(plays) => {
            writer.plays(answer, plays);
            if let Some(race) = &answer.race {
                writer.race(race, &answer.position);
            }
        }
        ExplainedDecision::Cube(cube) => {
            writer.cube(cube, &answer.state);
            writer.board(answer);
            if let Some(race) = &answer.race {
                writer.race(race, &answer.position);
                if cube.decision.is_some() && answer.state.score.is_money() {
                    writer.keith(race, &answer.state);
                }
            }
        }
    }
    writer.found
}

/// Returns the text of a play in a sentence.
#[must_use]
pub fn play_name(before: &Position, ranked: &RankedPlay) -> String {
    play_text(before, &ranked.play)
}

/// Collects sentences.
struct Writer {
    language: Language,
    found: Vec<Sentence>,
}

impl Writer {
    fn say(&mut self, rule: &'static str, values: Vec<SentenceValue>) {
        if let Some(text) = text(rule, &values, self.language) {
            self.found.push(Sentence { rule, values, text });
        }
    }

    fn plays(&mut self, answer: &ExplainAnswer, plays: &ExplainedPlays) {
        let best = &plays.best;
        let value = ("value", equity(best.ranked.value.equity));
        if best.ranked.play.is_pass() {
            return self.say("no_play", vec![value]);
        }
        let name = play_name(&answer.position, &best.ranked);
        let named = ("best", name.clone());
        match &plays.other {
            None => self.say("only", vec![named, value]),
            Some(other) => {
                let names = [named, ("other", play_name(&answer.position, &other.ranked))];
                self.compare(&names, best, other);
                for difference in differences(&answer.board, plays)
                    .into_iter()
                    .take(DIFFERENCES_MAX)
                    .take_while(|difference| difference.weight >= WEIGHT_MIN)
                {
                    let (a, b) = (
                        difference.text(difference.best),
                        difference.text(difference.other),
                    );
                    let values = [&names[..], &[("a", a), ("b", b)]].concat();
                    self.say(difference.rule, values);
                }
            }
        }
        self.play(&name, &answer.board.me, best);
    }

    /// Compares values and chances of two plays.
    fn compare(&mut self, names: &[SentenceValue], best: &ExplainedPlay, other: &ExplainedPlay) {
        let loss = other.ranked.loss(&best.ranked);
        let value = ("value", equity(best.ranked.value.equity));
        if loss > 0.0 {
            let values = [
                ("loss", format!("{loss:.3}")),
                value,
                ("other_value", equity(other.ranked.value.equity)),
            ];
            self.say("best", [names, &values].concat());
        } else {
            self.say("equal", [names, &[value]].concat());
        }
        let (mine, theirs) = (&best.ranked.chances, &other.ranked.chances);
        let wins = [
            ("win", percent(mine.win)),
            ("other_win", percent(theirs.win)),
        ];
        self.say("wins", [names, &wins].concat());
        let gammons = [mine, theirs].map(|chances| [chances.win_gammon, chances.lose_gammon]);
        if gammons.concat().iter().any(|&chance| chance >= GAMMON_MIN) {
            let [[gammon, lose], [other_gammon, other_lose]] =
                gammons.map(|pair| pair.map(percent));
            let values = [
                ("gammon", gammon),
                ("lose", lose),
                ("other_gammon", other_gammon),
                ("other_lose", other_lose),
            ];
            self.say("gammons", [names, &values].concat());
        }
    }

    /// Says what the best play does.
    fn play(&mut self, name: &str, before: &SideFacts, play: &ExplainedPlay) {
        let facts = &play.facts;
        let best = || ("best", name.to_owned());
        let (me, opponent) = (&facts.after.me, &facts.after.opponent);
        if facts.hits > 0 {
            self.say("hits", vec![best(), number("n", facts.hits)]);
        }
        if let Some(rolls) = opponent.entering {
            let rule = if rolls == 0 { "closed_out" } else { "enters" };
            let values = vec![number("n", opponent.bar), number("rolls", rolls)];
            self.say(rule, values);
        }
        // Without contact points and blots have no meaning.
        if !play.ranked.position.has_contact() {
            return;
        }
        let mut points = |all: &[u8], home: &'static str, anchor: &'static str| {
            for &point in all {
                let (rule, point) = match point {
                    19.. => (anchor, 25 - point),
                    _ => (home, point),
                };
                self.say(rule, vec![best(), number("point", point)]);
            }
        };
        points(&facts.made, "makes", "makes_anchor");
        points(&facts.broken, "breaks", "breaks_anchor");
        let longer = |prime: &Prime| before.prime.is_none_or(|old| prime.length() > old.length());
        if let Some(prime) = mentioned(me).filter(longer) {
            let mut values = block(&prime);
            values.push(best());
            self.say("makes_prime", values);
        }
        if facts.escaped > 0 {
            let values = vec![best(), number("n", facts.escaped), number("left", me.back)];
            self.say("escapes", values);
        }
        // The difference has been mentioned, without the rolls.
        let said = self.found.iter().any(|one| one.rule == "differ.shots");
        match me.shots.number() {
            0 if !said && before.shots.number() > 0 => self.say("no_shot", vec![best()]),
            n if said && n > LISTED_MAX => {}
            0 => {}
            n => self.hitting(("shots", "shots_many"), n, &me.shots.rolls, Some(best())),
        }
    }

    /// Names the number of throws that hit, and their rolls if they are few.
    fn hitting(
        &mut self,
        (few, many): (&'static str, &'static str),
        n: u32,
        all: &[Roll],
        best: Option<SentenceValue>,
    ) {
        let mut values: Vec<SentenceValue> = best.into_iter().collect();
        values.push(number("n", n));
        if n > LISTED_MAX {
            return self.say(many, values);
        }
        values.push(("rolls", rolls(all)));
        self.say(few, values);
    }

    fn cube(&mut self, cube: &CubeFacts, state: &MatchState) {
        let chances = &cube.chances;
        match &cube.decision {
            Some(decision) => self.decision(decision, state.cube.owner()),
            None => self.say("no_decision", vec![("value", equity(cube.value.equity))]),
        }
        let mut results = vec![("win", percent(chances.win))];
        let rule = if chances.win_gammon.max(chances.lose_gammon) >= GAMMON_MIN {
            results.extend([
                ("gammon", percent(chances.win_gammon)),
                ("lose_gammon", percent(chances.lose_gammon)),
            ]);
            "results_gammons"
        } else {
            "results"
        };
        self.say(rule, results);
        if let Some(window) = &cube.window {
            let point = |chance: f64| format!("{:.1}", 100.0 * chance);
            let [dead, live] = window.cash;
            if window.double < live {
                let values = vec![
                    ("double", point(window.double)),
                    ("cash", point(live)),
                    ("win", percent(chances.win)),
                ];
                self.say("window", values);
            }
            let values = vec![
                ("win", percent(1.0 - chances.win)),
                ("dead", point(1.0 - dead)),
                ("live", point(1.0 - live)),
            ];
            self.say("take_point", values);
        }
        if let Some(share) = cube.market_losers {
            let percent = format!("{:.1}", 100.0 * share);
            self.say("market_losers", vec![("percent", percent)]);
        }
        let doubled = number("cube", 2 * state.cube.value());
        match cube.after_double {
            Some(CubeUse::Dead) if !state.score.is_money() => {
                let away = number("away", state.score.opponent_away());
                self.say("dead", vec![doubled, away]);
            }
            Some(CubeUse::TurnedAtOnce) => {
                let away = number("away", state.score.my_away());
                self.say("turned_at_once", vec![doubled, away]);
            }
            Some(CubeUse::Live) => {
                let vig = cube.recube_vig.filter(|vig| *vig >= 0.0005);
                if let Some(vig) = vig {
                    self.say("vig", vec![("vig", format!("{vig:.3}"))]);
                }
            }
            _ => {}
        }
        let [mine, theirs] = cube.gammon_values;
        let is_odd = |value: f64| (value - 0.5).abs() >= GAMMON_VALUE_MIN;
        if !state.score.is_money() && (is_odd(mine) || is_odd(theirs)) {
            let value = |value: f64| format!("{value:.2}");
            let values = vec![("mine", value(mine)), ("theirs", value(theirs))];
            self.say("gammon_value", values);
        }
    }

    fn decision(&mut self, cube: &CubeAnswer, owner: CubeOwner) {
        let (none, pass) = (cube.no_double.equity, cube.double_pass.equity);
        let (first, again) = match (cube.double, cube.take) {
            (true, true) => ("cube.take", "redouble.take"),
            (true, false) => ("cube.pass", "redouble.pass"),
            _ if none > pass => ("cube.too_good", "redouble.too_good"),
            _ => ("cube.roll", "redouble.roll"),
        };
        let rule = if owner == CubeOwner::Me { again } else { first };
        let values = vec![
            ("none", equity(none)),
            ("take", equity(cube.double_take.equity)),
            ("pass", equity(pass)),
        ];
        self.say(rule, values);
    }

    /// Says what matters of the board before the roll.
    fn board(&mut self, answer: &ExplainAnswer) {
        let (me, opponent) = (&answer.board.me, &answer.board.opponent);
        if let Some(entering) = me.entering {
            let values = vec![number("n", me.bar), number("rolls", entering)];
            self.say("you_enter", values);
        }
        let n = opponent.shots.number();
        if n > 0 {
            self.hitting(("you_hit", "you_hit_many"), n, &opponent.shots.rolls, None);
        }
        let blocks = [
            (me, "your_prime", "your_timing"),
            (opponent, "their_prime", "their_timing"),
        ];
        for (side, rule, timing) in blocks {
            if let Some(prime) = mentioned(side) {
                self.say(rule, block(&prime));
                self.say(timing, vec![number("pips", prime.spare_pips)]);
            }
        }
    }

    fn race(&mut self, race: &RaceFacts, position: &Position) {
        let (mine, theirs) = (position.me().pips(), position.opponent().pips());
        let lead = f64::from(mine.abs_diff(theirs));
        let rule = match mine.cmp(&theirs) {
            std::cmp::Ordering::Less => "ahead",
            std::cmp::Ordering::Equal => "level",
            std::cmp::Ordering::Greater => "behind",
        };
        let share = format!("{:.1}", 100.0 * lead / f64::from(mine.max(1)));
        let values = vec![
            number("n", mine.abs_diff(theirs)),
            ("percent", share),
            number("mine", mine),
            number("theirs", theirs),
        ];
        self.say(rule, values);
        if let [Some(my_effective), Some(their_effective)] = race.effective {
            let pips = |pips: f64| format!("{pips:.1}");
            let values = vec![
                ("mine", pips(my_effective)),
                ("my_waste", pips(my_effective - f64::from(mine))),
                ("theirs", pips(their_effective)),
                ("their_waste", pips(their_effective - f64::from(theirs))),
            ];
            self.say("effective", values);
        }
    }

    fn keith(&mut self, race: &RaceFacts, state: &MatchState) {
        let advice = race.counts.by_keith();
        let doubles = match state.cube.owner() {
            CubeOwner::Me => advice.redouble,
            _ => advice.double,
        };
        let rule = match (doubles, advice.take) {
            (false, _) => "keith.roll",
            (true, true) => "keith.take",
            (true, false) => "keith.pass",
        };
        let [mine, theirs] = race.counts.keith;
        let values = vec![
            ("mine", format!("{mine:.1}")),
            ("theirs", format!("{theirs:.0}")),
        ];
        self.say(rule, values);
    }
}

/// Returns the block of a side if it is long enough and the other side has checkers behind it.
fn mentioned(side: &SideFacts) -> Option<Prime> {
    side.prime
        .filter(|prime| prime.length() >= PRIME_MIN && prime.behind > 0)
}

fn block(prime: &Prime) -> Vec<SentenceValue> {
    vec![
        number("n", prime.length()),
        number("from", prime.from),
        number("to", prime.to),
        number("behind", prime.behind),
    ]
}

fn number(name: &'static str, value: impl Into<u32>) -> SentenceValue {
    (name, value.into().to_string())
}

fn equity(value: f64) -> String {
    signed(value, 3)
}

fn percent(chance: f32) -> String {
    format!("{:.1}", 100.0 * f64::from(chance))
}

/// Returns rolls as words, the larger die first.
fn rolls(rolls: &[Roll]) -> String {
    let word = |roll: &Roll| format!("{}{}", roll.high(), roll.low());
    rolls.iter().map(word).collect::<Vec<_>>().join(" ")
}
