//! Sentences about decisions, each refuted or confirmed by a second count of its values.

use crate::second_count::{Block, block, checkers, drawn, entering, hits, points};
use crate::support;
use gammond_engine::bearoff::Tables;
use gammond_engine::engine::Engine;
use gammond_engine::equity::CubePoints;
use gammond_engine::query::{
    CubeQuery, EvalQuery, ExplainAnswer, ExplainQuery, ExplainedDecision, ExplainedPlays, Language,
    RankedPlay, Settings, Stop,
};
use gammond_game::notation::{parse_play, parse_position};
use gammond_game::{
    Chances, Cube, CubeOwner, MatchState, Position, Roll, Rules, Score, reference_plays,
};
use gammond_report::explain::{Sentence, differences, sentences};
use std::collections::BTreeSet;

fn engine() -> Engine {
    Engine::builder().threads(2).build().unwrap()
}

fn query(position: Position, state: MatchState, roll: Option<Roll>) -> ExplainQuery {
    ExplainQuery {
        position,
        state,
        roll,
        play: None,
        language: Language::English,
    }
}

fn explained(engine: &Engine, query: &ExplainQuery) -> ExplainAnswer {
    let settings = Settings::default();
    engine.explain(query, &settings, &Stop::never()).unwrap()
}

/// A side by a second count.
struct Counted {
    mine: Vec<u8>,
    theirs: Vec<u8>,
    /// Throws of the other side that hit.
    shots: Vec<[u8; 2]>,
}

impl Counted {
    fn of(position: &Position) -> Counted {
        Counted {
            mine: checkers(&position.me().counts()),
            theirs: checkers(&position.opponent().counts()),
            shots: hits(&position.swapped()).0,
        }
    }

    fn made(&self) -> Vec<u8> {
        points(&self.mine, 2)
    }

    fn blots(&self) -> usize {
        points(&self.mine, 1).len() - self.made().len()
    }

    fn back(&self) -> usize {
        self.mine.iter().filter(|&&point| point > 18).count()
    }

    fn stacked(&self) -> usize {
        let heavy = points(&self.mine, 5);
        let over = |point: &u8| self.mine.iter().filter(|other| *other == point).count() - 4;
        heavy.iter().map(over).sum()
    }

    fn longest(&self) -> u8 {
        block(&self.mine, &self.theirs).map_or(1, |block| block.to - block.from + 1)
    }

    fn has_contact(&self) -> bool {
        let (Some(mine), Some(theirs)) = (self.mine.iter().max(), self.theirs.iter().max()) else {
            return false;
        };
        mine + theirs > 24
    }
}

/// Returns the throws as words, each once, in the order of the rolls.
fn words(throws: &[[u8; 2]]) -> String {
    let seen: BTreeSet<[u8; 2]> = throws.iter().copied().collect();
    let words = seen.iter().map(|[high, low]| format!("{high}{low}"));
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the effective pip count by its definition: 49/6 of the mean of the distribution of rolls.
fn effective(side: gammond_game::Side) -> Option<f64> {
    let distribution = Tables::shared().distribution(side)?;
    let mean = (0..)
        .zip(distribution.win)
        .map(|(rolls, value)| f64::from(rolls) * f64::from(value));
    Some(mean.sum::<f64>() / 65535.0 * 49.0 / 6.0)
}

/// Returns the texts of a number that are right: a rounded one may be rounded either way at the middle.
fn near(text: &str, value: f64, digits: usize) -> bool {
    let step = 0.1_f64.powi(digits as i32);
    let has_digits = text.split_once('.').map_or(0, |(_, after)| after.len()) == digits;
    let found: f64 = text.parse().unwrap();
    has_digits && (found - value).abs() <= 0.5 * step + 2e-4 * step + 1e-4 * value.abs() * step
}

fn value<'a>(sentence: &'a Sentence, name: &str) -> &'a str {
    let found = sentence.values.iter().find(|(other, _)| *other == name);
    let found = found.unwrap_or_else(|| panic!("{sentence:?} has no {name}"));
    assert!(sentence.text.contains(&found.1), "{sentence:?}");
    &found.1
}

/// Checks the values of a sentence by their names.
#[track_caller]
fn whole(sentence: &Sentence, values: &[(&str, usize)]) {
    for (name, want) in values {
        assert_eq!(
            value(sentence, name),
            want.to_string(),
            "{sentence:?} {name}"
        );
    }
}

#[track_caller]
fn real(sentence: &Sentence, values: &[(&str, f64, usize)]) {
    for (name, want, digits) in values {
        let found = value(sentence, name);
        assert!(near(found, *want, *digits), "{sentence:?} {name}: {want}");
    }
}

/// The plays of a decision, valued by other questions to the engine than `explain`.
struct Judge<'a> {
    engine: &'a Engine,
    query: ExplainQuery,
    answer: &'a ExplainAnswer,
}

impl Judge<'_> {
    /// Checks every sentence, and that the facts that must be mentioned are.
    fn check(&self) -> usize {
        let found = sentences(self.answer, Language::English);
        for sentence in &found {
            assert!(
                sentence
                    .text
                    .contains(|letter: char| letter.is_ascii_digit()),
                "{sentence:?}"
            );
            assert!(!sentence.text.contains(['{', '}', '|']), "{sentence:?}");
            match &self.answer.decision {
                ExplainedDecision::Play(plays) => self.of_plays(plays, sentence),
                ExplainedDecision::Cube(_) => self.of_cube(sentence),
            }
        }
        if let ExplainedDecision::Play(plays) = &self.answer.decision {
            self.nothing_missing(plays, &found);
        }
        for language in Language::ALL {
            let others = sentences(self.answer, language);
            let same = |one: &Sentence| (one.rule, one.values.clone());
            assert!(found.iter().map(same).eq(others.iter().map(same)));
        }
        found.len()
    }

    /// Returns the value and chances of a play by a search of the position after it.
    fn valued(&self, play: &RankedPlay) -> (f64, Chances) {
        let after = EvalQuery {
            position: play.position,
            state: self.query.state.swapped(),
        };
        let found = self
            .engine
            .evaluate(&after, &Settings::default(), &Stop::never())
            .unwrap();
        (-found.cubeful.unwrap().equity, found.chances.inverted())
    }

    fn of_plays(&self, plays: &ExplainedPlays, sentence: &Sentence) {
        let before = Counted::of(&self.query.position);
        let best = Counted::of(&plays.best.ranked.position.swapped());
        let other = plays.other.as_ref();
        let beside = other.map(|other| Counted::of(&other.ranked.position.swapped()));
        let (equity, chances) = self.valued(&plays.best.ranked);
        let names = sentence
            .values
            .iter()
            .filter(|(name, _)| *name == "best" || *name == "other");
        for (name, text) in names {
            let play = if *name == "best" {
                &plays.best
            } else {
                other.unwrap()
            };
            let parsed = parse_play(text, &self.query.position, plays.roll).unwrap();
            assert_eq!(parsed.after, play.ranked.position, "{sentence:?}");
        }
        match sentence.rule {
            "best" | "equal" => {
                let (other_equity, _) = self.valued(&other.unwrap().ranked);
                real(sentence, &[("value", equity, 3)]);
                if sentence.rule == "best" {
                    let loss = ("loss", equity - other_equity, 3);
                    real(sentence, &[loss, ("other_value", other_equity, 3)]);
                }
            }
            "only" | "no_play" => {
                assert!(reference_plays(&self.query.position, plays.roll).len() < 2);
                real(sentence, &[("value", equity, 3)]);
            }
            "wins" | "gammons" => {
                let (_, theirs) = self.valued(&other.unwrap().ranked);
                let percent = |chance: f32| 100.0 * f64::from(chance);
                let all = if sentence.rule == "wins" {
                    vec![("win", chances.win), ("other_win", theirs.win)]
                } else {
                    vec![
                        ("gammon", chances.win_gammon),
                        ("lose", chances.lose_gammon),
                        ("other_gammon", theirs.win_gammon),
                        ("other_lose", theirs.lose_gammon),
                    ]
                };
                for (name, chance) in all {
                    real(sentence, &[(name, percent(chance), 1)]);
                }
            }
            rule if rule.starts_with("differ.") => {
                self.differs(plays, sentence, &best, &beside.unwrap());
            }
            _ => self.of_best_play(plays, sentence, &before, &best),
        }
    }

    /// Counts again what the best play does.
    fn of_best_play(
        &self,
        plays: &ExplainedPlays,
        sentence: &Sentence,
        before: &Counted,
        best: &Counted,
    ) {
        let number = |name| value(sentence, name).parse::<u8>().unwrap();
        match sentence.rule {
            "hits" => {
                let on_bar = |side: &[u8]| side.iter().filter(|&&point| point == 25).count();
                whole(
                    sentence,
                    &[("n", on_bar(&best.theirs) - on_bar(&before.theirs))],
                );
                assert!(number("n") > 0);
            }
            "enters" | "closed_out" => {
                let throws = entering(&plays.best.ranked.position);
                let n = best.theirs.iter().filter(|&&point| point == 25).count();
                whole(sentence, &[("n", n)]);
                assert_eq!(throws == 0, sentence.rule == "closed_out");
                if throws > 0 {
                    whole(sentence, &[("rolls", throws)]);
                }
            }
            "makes" | "breaks" | "makes_anchor" | "breaks_anchor" => {
                let point = match sentence.rule.ends_with("anchor") {
                    true => 25 - number("point"),
                    false => number("point"),
                };
                assert_eq!(point > 18, sentence.rule.ends_with("anchor"));
                let (was, is) = (before.made().contains(&point), best.made().contains(&point));
                assert_eq!(
                    (was, is),
                    match sentence.rule.starts_with("makes") {
                        true => (false, true),
                        false => (true, false),
                    }
                );
            }
            "makes_prime" => {
                assert!(best.longest() > before.longest() && best.longest() > 3);
                of_block(sentence, &block(&best.mine, &best.theirs).unwrap());
            }
            "escapes" => {
                whole(
                    sentence,
                    &[("n", before.back() - best.back()), ("left", best.back())],
                );
            }
            "shots" | "shots_many" | "no_shot" => of_shots(sentence, &best.shots),
            _ => self.of_race(sentence),
        }
    }

    fn differs(
        &self,
        plays: &ExplainedPlays,
        sentence: &Sentence,
        best: &Counted,
        other: &Counted,
    ) {
        let before = Counted::of(&self.query.position);
        let home = |side: &Counted| side.made().iter().filter(|&&point| point < 7).count();
        let bar = |side: &Counted| side.theirs.iter().filter(|&&point| point == 25).count();
        let count = |side: &Counted| match sentence.rule {
            "differ.shots" => side.shots.len(),
            "differ.blots" => side.blots(),
            "differ.hits" => bar(side) - bar(&before),
            "differ.home" => home(side),
            "differ.points" => side.made().len(),
            "differ.prime" => side.longest().into(),
            "differ.anchors" => side.made().iter().filter(|&&point| point > 18).count(),
            "differ.back" => side.back(),
            "differ.stacked" => side.stacked(),
            "differ.off" => before.mine.len() - side.mine.len(),
            other => panic!("{other}"),
        };
        if sentence.rule == "differ.effective" {
            let pips = |play: &RankedPlay| effective(play.position.opponent()).unwrap();
            let other = pips(&plays.other.as_ref().unwrap().ranked);
            real(
                sentence,
                &[("a", pips(&plays.best.ranked), 2), ("b", other, 2)],
            );
            return;
        }
        let (a, b) = (count(best), count(other));
        assert_ne!(a, b, "{sentence:?}");
        whole(sentence, &[("a", a), ("b", b)]);
    }

    /// Checks that nothing is left out that the rules promise.
    fn nothing_missing(&self, plays: &ExplainedPlays, found: &[Sentence]) {
        let best = Counted::of(&plays.best.ranked.position.swapped());
        let before = Counted::of(&self.query.position);
        if plays.best.ranked.play.is_pass() || !best.has_contact() {
            return;
        }
        let count = |rule: &str| found.iter().filter(|one| one.rule == rule).count();
        let gained = best
            .made()
            .iter()
            .filter(|point| !before.made().contains(point))
            .count();
        assert_eq!(count("makes") + count("makes_anchor"), gained);
        let lost = before
            .made()
            .iter()
            .filter(|point| !best.made().contains(point))
            .count();
        assert_eq!(count("breaks") + count("breaks_anchor"), lost);
        assert_eq!(count("escapes") > 0, before.back() > best.back());
        let told = ["shots", "shots_many", "no_shot", "differ.shots"]
            .iter()
            .any(|rule| count(rule) > 0);
        assert!(told || best.shots.is_empty(), "{found:?}");
        let hit = best.theirs.contains(&25) && !before.theirs.contains(&25);
        assert!(!hit || count("hits") == 1);
    }

    fn of_race(&self, sentence: &Sentence) {
        let position = &self.query.position;
        let counted = Counted::of(position);
        assert!(!counted.has_contact(), "{sentence:?}");
        let sum = |side: &[u8]| side.iter().map(|&point| usize::from(point)).sum::<usize>();
        let (mine, theirs) = (sum(&counted.mine), sum(&counted.theirs));
        match sentence.rule {
            "ahead" | "behind" => {
                assert_eq!(sentence.rule == "ahead", mine < theirs);
                let lead = mine.abs_diff(theirs);
                whole(sentence, &[("n", lead), ("mine", mine), ("theirs", theirs)]);
                real(
                    sentence,
                    &[("percent", 100.0 * lead as f64 / mine as f64, 1)],
                );
            }
            "level" => {
                whole(sentence, &[("mine", mine)]);
                assert_eq!(mine, theirs);
            }
            "effective" => {
                let [my_epc, their_epc] =
                    [position.me(), position.opponent()].map(|side| effective(side).unwrap());
                real(
                    sentence,
                    &[
                        ("mine", my_epc, 1),
                        ("my_waste", my_epc - mine as f64, 1),
                        ("theirs", their_epc, 1),
                        ("their_waste", their_epc - theirs as f64, 1),
                    ],
                );
            }
            "keith.roll" | "keith.take" | "keith.pass" => {
                let (mine, theirs) = (8.0 / 7.0 * keith(&counted.mine), keith(&counted.theirs));
                real(sentence, &[("mine", mine, 1), ("theirs", theirs, 0)]);
                let most = if self.query.state.cube.owner() == CubeOwner::Me {
                    3.0
                } else {
                    4.0
                };
                let rule = match (mine - theirs <= most, mine - theirs >= 2.0) {
                    (false, _) => "keith.roll",
                    (true, true) => "keith.take",
                    (true, false) => "keith.pass",
                };
                assert_eq!(sentence.rule, rule);
            }
            other => panic!("{other}: no second count"),
        }
    }

    fn of_cube(&self, sentence: &Sentence) {
        let ExplainQuery {
            position, state, ..
        } = self.query;
        let (settings, stop) = (Settings::default(), Stop::never());
        let cube = self
            .engine
            .cube_action(&CubeQuery { position, state }, &settings, &stop)
            .unwrap();
        let [none, take, pass] =
            [cube.no_double, cube.double_take, cube.double_pass].map(|value| value.equity);
        match sentence.rule {
            rule if rule.starts_with("cube.") || rule.starts_with("redouble.") => {
                real(sentence, &[("none", none, 3)]);
                let is_owned = state.cube.owner() == CubeOwner::Me;
                assert_eq!(rule.starts_with("re"), is_owned);
                let action = rule.split('.').nth(1).unwrap();
                assert!(state.double_refusal().is_none());
                match action {
                    "take" => assert!(take > none && take < pass),
                    "pass" => assert!(cube.double && take >= pass),
                    "too_good" => assert!(none > pass && !cube.double),
                    _ => assert!(!cube.double && none <= pass),
                }
                if action != "too_good" {
                    real(sentence, &[("take", take, 3)]);
                }
                if action != "roll" {
                    real(sentence, &[("pass", pass, 3)]);
                }
            }
            "results" | "results_gammons" => {
                let found = self
                    .engine
                    .evaluate(&EvalQuery { position, state }, &settings, &stop)
                    .unwrap();
                real(
                    sentence,
                    &[("win", 100.0 * f64::from(found.chances.win), 1)],
                );
                if sentence.rule == "results_gammons" {
                    let [won, lost] = [found.chances.win_gammon, found.chances.lose_gammon];
                    real(
                        sentence,
                        &[
                            ("gammon", 100.0 * f64::from(won), 1),
                            ("lose_gammon", 100.0 * f64::from(lost), 1),
                        ],
                    );
                }
            }
            "window" | "take_point" => self.of_window(sentence, &cube.chances),
            "vig" => {
                let dead = self.played_on(&cube.chances, 2 * state.cube.value());
                real(sentence, &[("vig", dead - take, 3)]);
            }
            _ => self.of_score(sentence),
        }
    }

    /// Counts again what the score makes of the cube, and what the rolls do.
    fn of_score(&self, sentence: &Sentence) {
        let ExplainQuery {
            position, state, ..
        } = self.query;
        let (settings, stop) = (Settings::default(), Stop::never());
        match sentence.rule {
            "no_decision" => {
                assert!(state.double_refusal().is_some());
                let found = self
                    .engine
                    .evaluate(&EvalQuery { position, state }, &settings, &stop)
                    .unwrap();
                real(sentence, &[("value", found.cubeful.unwrap().equity, 3)]);
            }
            "market_losers" => {
                let found = self
                    .engine
                    .rolls(&EvalQuery { position, state }, &settings, &stop)
                    .unwrap();
                real(
                    sentence,
                    &[("percent", 100.0 * found.market_losers.unwrap(), 1)],
                );
            }
            "dead" | "turned_at_once" => {
                let doubled = 2 * state.cube.value();
                let (mine, theirs) = (state.score.my_away(), state.score.opponent_away());
                assert!(match sentence.rule {
                    "dead" => theirs <= doubled,
                    _ => mine <= doubled && theirs > doubled,
                });
                let away = if sentence.rule == "dead" {
                    theirs
                } else {
                    mine
                };
                whole(
                    sentence,
                    &[("cube", doubled as usize), ("away", away as usize)],
                );
            }
            "gammon_value" => {
                let value = |side: MatchState| {
                    let points = side.cube.value();
                    let after =
                        |win, games| self.engine.met().after(side.score, win, games * points);
                    (after(true, 2) - after(true, 1)) / (after(true, 1) - after(false, 1))
                };
                real(
                    sentence,
                    &[
                        ("mine", value(state), 2),
                        ("theirs", value(state.swapped()), 2),
                    ],
                );
            }
            _ => self.of_board(sentence),
        }
    }

    /// Counts the board before the roll again.
    fn of_board(&self, sentence: &Sentence) {
        let position = self.query.position;
        let counted = Counted::of(&position);
        match sentence.rule {
            "you_enter" => {
                let n = counted.mine.iter().filter(|&&point| point == 25).count();
                whole(sentence, &[("n", n), ("rolls", entering(&position))]);
            }
            "you_hit" | "you_hit_many" => of_shots(sentence, &hits(&position).0),
            "your_prime" => of_block(sentence, &block(&counted.mine, &counted.theirs).unwrap()),
            "their_prime" => of_block(sentence, &block(&counted.theirs, &counted.mine).unwrap()),
            "your_timing" => {
                let block = block(&counted.mine, &counted.theirs).unwrap();
                whole(sentence, &[("pips", block.spare as usize)]);
            }
            "their_timing" => {
                let block = block(&counted.theirs, &counted.mine).unwrap();
                whole(sentence, &[("pips", block.spare as usize)]);
            }
            _ => self.of_race(sentence),
        }
    }

    /// Returns the value, in points or EMG, of playing on with a cube of this value that is not turned again.
    fn played_on(&self, chances: &Chances, points: u32) -> f64 {
        let state = self.query.state;
        let [win, gammon, backgammon, lose_gammon, lose_backgammon] =
            chances.to_array().map(f64::from);
        let shares = [
            (true, 1, win - gammon),
            (true, 2, gammon - backgammon),
            (true, 3, backgammon),
            (false, 1, 1.0 - win - lose_gammon),
            (false, 2, lose_gammon - lose_backgammon),
            (false, 3, lose_backgammon),
        ];
        let cube = state.cube.value();
        if state.score.is_money() {
            let sign = |won| if won { 1.0 } else { -1.0 };
            let value =
                |(won, games, share): (bool, u32, f64)| sign(won) * f64::from(games) * share;
            return f64::from(points / cube) * shares.into_iter().map(value).sum::<f64>();
        }
        let after = |won, points| self.engine.met().after(state.score, won, points);
        let mwc: f64 = shares
            .iter()
            .map(|&(won, games, share)| share * after(won, games * points))
            .sum();
        let (won, lost) = (after(true, cube), after(false, cube));
        (2.0 * mwc - won - lost) / (won - lost)
    }

    /// Checks the window: at its ends with a dead cube both actions are worth the same, the shares of gammons kept.
    fn of_window(&self, sentence: &Sentence, chances: &Chances) {
        let state = self.query.state;
        // Both values are linear in the chance to win, if the shares of gammons are kept.
        let at = |win: f64| {
            let scale = |chance: f32, of: f32, to: f64| match of > 0.0 {
                true => (f64::from(chance) / f64::from(of) * to) as f32,
                false => 0.0,
            };
            let (won, lost) = (chances.win, 1.0 - chances.win);
            Chances::from_array([
                win as f32,
                scale(chances.win_gammon, won, win),
                scale(chances.win_backgammon, won, win),
                scale(chances.lose_gammon, lost, 1.0 - win),
                scale(chances.lose_backgammon, lost, 1.0 - win),
            ])
        };
        let crossing = |value: &dyn Fn(f64) -> f64| {
            let (low, high) = (value(0.0), value(1.0));
            -low / (high - low)
        };
        let cube = state.cube.value();
        let doubled = |win: f64| self.played_on(&at(win), 2 * cube);
        let cash = crossing(&|win| doubled(win) - 1.0);
        let money = state.score.is_money();
        let live = match money {
            true => CubePoints::money(chances, state.rules.jacoby, state.rules.beavers).cash[1],
            false => f64::NAN,
        };
        let win = 100.0 * f64::from(chances.win);
        if sentence.rule == "take_point" {
            real(
                sentence,
                &[("win", 100.0 - win, 1), ("dead", 100.0 * (1.0 - cash), 1)],
            );
            if money {
                real(sentence, &[("live", 100.0 * (1.0 - live), 1)]);
            }
            return;
        }
        let first_jacoby = money && state.rules.jacoby && state.cube.owner() == CubeOwner::Centred;
        if !first_jacoby {
            let double = crossing(&|win| doubled(win) - self.played_on(&at(win), cube));
            real(sentence, &[("double", 100.0 * double, 1)]);
        }
        if money {
            real(sentence, &[("cash", 100.0 * live, 1)]);
        }
        real(sentence, &[("win", win, 1)]);
    }
}

/// Keith's count of a side by its checkers, without the seventh.
fn keith(side: &[u8]) -> f64 {
    let on = |point: u8| side.iter().filter(|&&other| other == point).count();
    let gaps = [4, 5, 6]
        .into_iter()
        .filter(|&point| on(point) == 0)
        .count();
    let pips: usize = side.iter().map(|&point| usize::from(point)).sum();
    let more = 2 * on(1).max(1) - 2 + on(2).max(1) - 1 + on(3).max(3) - 3;
    (pips + more + gaps) as f64
}

fn of_block(sentence: &Sentence, block: &Block) {
    let [from, to] = [block.from, block.to].map(usize::from);
    assert!(block.behind > 0 && to - from >= 3);
    whole(
        sentence,
        &[
            ("n", to - from + 1),
            ("from", from),
            ("to", to),
            ("behind", block.behind),
        ],
    );
}

fn of_shots(sentence: &Sentence, shots: &[[u8; 2]]) {
    match sentence.rule {
        "no_shot" => return assert!(shots.is_empty(), "{sentence:?}"),
        "shots" | "you_hit" => assert_eq!(value(sentence, "rolls"), words(shots)),
        _ => assert!(shots.len() > 20),
    }
    whole(sentence, &[("n", shots.len())]);
}

/// Returns the states in which the decisions are explained in turn.
fn states() -> Vec<MatchState> {
    let of_match = |length, me, opponent, crawford| MatchState {
        score: Score::new(length, me, opponent, crawford).unwrap(),
        ..MatchState::default()
    };
    let owned = |state: MatchState, value, owner| MatchState {
        cube: Cube::new(value, owner).unwrap(),
        ..state
    };
    let plain = MatchState::money(Rules {
        jacoby: false,
        beavers: false,
    });
    vec![
        MatchState::default(),
        plain,
        owned(plain, 2, CubeOwner::Me),
        owned(plain, 4, CubeOwner::Opponent),
        of_match(7, 3, 2, false),
        of_match(5, 4, 2, true),
        of_match(5, 4, 2, false),
        of_match(5, 2, 4, false),
        owned(of_match(9, 4, 6, false), 2, CubeOwner::Me),
        of_match(7, 5, 5, false),
    ]
}

/// Explains this number of decisions: three plays for each cube decision.
fn explain_many(number: usize, seed: u64) -> usize {
    let (engine, states) = (engine(), states());
    let mut found = 0;
    for (at, (position, roll)) in drawn(number, seed).into_iter().enumerate() {
        let mut query = query(
            position,
            states[at % states.len()],
            (at % 4 != 3).then_some(roll),
        );
        let plays = reference_plays(&position, roll);
        if at % 4 == 1 && !plays.is_empty() {
            query.play = Some(plays[at % plays.len()].after);
        }
        let answer = explained(&engine, &query);
        let judge = Judge {
            engine: &engine,
            query,
            answer: &answer,
        };
        found += judge.check();
    }
    found
}

#[test]
fn no_sentence_is_refuted() {
    assert!(explain_many(240, 3) > 1000);
}

/// The same of the number of decisions that the documents name.
#[test]
#[ignore = "long; .ci/run test runs it"]
fn no_sentence_of_2000_decisions_is_refuted() {
    let found = explain_many(2000, 41);
    println!("{found} sentences about 2,000 decisions");
    assert!(found > 10_000);
}

/// Each rule has a position where it holds and one where it must not; the second count agrees with all sentences of both.
#[test]
fn each_rule_holds_where_it_should_and_nowhere_else() {
    let engine = engine();
    let found = |id: &str| {
        let shown = parse_position(id.as_bytes()).unwrap();
        let query = query(shown.position, shown.state.unwrap(), shown.roll);
        let answer = explained(&engine, &query);
        let judge = Judge {
            engine: &engine,
            query,
            answer: &answer,
        };
        judge.check();
        let rules = sentences(&answer, Language::English);
        rules
            .into_iter()
            .map(|one| one.rule)
            .collect::<BTreeSet<_>>()
    };
    let read = |path: &str| std::fs::read_to_string(support::root().join(path)).unwrap();
    let cases = read("tests/data/explain.tsv");
    let mut tried = BTreeSet::new();
    for line in cases.lines().filter(|line| !line.starts_with('#')) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [rule, holds, not] = cells.as_slice() else {
            panic!("{line}");
        };
        assert!(
            found(holds).contains(rule),
            "{rule} does not hold in {holds}"
        );
        assert!(!found(not).contains(rule), "{rule} holds in {not}");
        assert!(tried.insert((*rule).to_owned()), "{rule} is there twice");
    }
    let table = read("src/report/explain/sentences.tsv");
    let rules = table
        .lines()
        .skip(1)
        .map(|line| line.split('\t').next().unwrap().to_owned());
    assert_eq!(tried, rules.collect::<BTreeSet<_>>());
}

/// The facts in which plays differ are ranked by multiples of the least difference that matters.
#[test]
fn differences_are_ranked_by_weight() {
    let engine = engine();
    let roll = Roll::new(3, 1).unwrap();
    let mut query = query(Position::start(), MatchState::default(), Some(roll));
    let slot = parse_play("13/10 6/5", &query.position, roll).unwrap();
    query.play = Some(slot.after);
    let answer = explained(&engine, &query);
    let ExplainedDecision::Play(plays) = &answer.decision else {
        panic!("{answer:?}");
    };
    let other = plays.other.as_ref().unwrap();
    assert_eq!(other.ranked.position, slot.after);
    let found = differences(&answer.board, plays);
    let found: Vec<_> = found
        .iter()
        .map(|one| (one.fact, one.best, one.other, one.weight))
        .collect();
    // 18 throws fewer at 4 a unit; two blots, one point at home, one of the longest block and one in all at 1 a unit; a
    // fifth checker on the 13 point at 2 a unit.
    assert_eq!(
        found,
        [
            ("shots", 0.0, 18.0, 4.5),
            ("blots", 0.0, 2.0, 2.0),
            ("home", 2.0, 1.0, 1.0),
            ("prime", 2.0, 1.0, 1.0),
            ("points", 5.0, 4.0, 1.0),
            ("stacked", 1.0, 0.0, 0.5),
        ]
    );
    // The play of the query is the best one: the next best takes its place.
    query.play = Some(plays.best.ranked.position);
    let same = explained(&engine, &query);
    query.play = None;
    assert_eq!(same.decision, explained(&engine, &query).decision);
    for language in Language::ALL {
        let texts = sentences(&answer, language);
        assert!(texts.iter().all(|one| one.text.contains("8/5 6/5")));
    }
}

/// Effective pip counts whose mean number of rolls the throws show, and Trice's rule for stacks on the ace point: 7 for
/// each two checkers, and 1.
#[test]
fn effective_pips_of_ends_by_enumeration() {
    let side = |points: &[u8]| Position::from_points(points, &[1]).unwrap().me();
    let of = |points: &[u8]| effective(side(points)).unwrap();
    let near = |found: f64, rolls: f64| (found - rolls * 49.0 / 6.0).abs() < 1e-3;
    assert!(near(of(&[1]), 1.0) && near(of(&[2]), 1.0));
    // Doubles (1 in 6) take four off.
    assert!(near(of(&[4]), 2.0 - 1.0 / 6.0));
    // A checker on the 6 point: 27 of 36 throws take it off at once.
    assert!(near(of(&[0, 0, 0, 0, 0, 1]), 2.0 - 27.0 / 36.0));
    for checkers in [6, 8, 10, 12, 14] {
        let rule = 7.0 * f64::from(checkers) / 2.0 + 1.0;
        assert!((of(&[checkers]) - rule).abs() < 0.01, "{checkers}");
    }
}
