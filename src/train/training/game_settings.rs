//! Settings of self-play games and of their labels.

use super::limits::{Checked, MARGIN_MAX, PLAYS_MAX, shares, within};
use super::siblings::SiblingSettings;
use gammond_engine::search::{Chooser, Filter};
use gammond_game::{Class, Position, Side, Variant};
use serde::{Deserialize, Serialize};

/// Settings for playing and labelling games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GameSettings {
    /// Weight of the rest of the game, 0 (1-ply labels) to 1 (whole games).
    pub lambda: f32,
    /// Variant whose start begins the other games: one of fifteen checkers a side.
    #[serde(skip_serializing_if = "is_usual")]
    pub variant: Variant,
    /// Share of games from random mirrored positions (START-03).
    #[serde(skip_serializing_if = "is_zero")]
    pub mirrored_starts: f64,
    /// Share of games from constructed odd positions.
    pub odd_starts: f64,
    /// Share of games from race positions.
    pub race_starts: f64,
    /// Share of games that begin after 2 to 21 random plays.
    pub random_starts: f64,
    /// Share of games with a little exploration: noise 0.06 in 15 % of the plays.
    pub mild: f64,
    /// Share of games with much exploration: noise 0.25 in 30 % of the plays.
    pub wild: f64,
    /// Chance per play that another good candidate is labelled too. Its label is its own 1-ply value with the
    /// correction that the rest of the game brought to the position chosen: the game's result counts for both, and
    /// their difference stays free of the dice.
    pub extra: f64,
    /// True if races are among such candidates.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub extra_races: bool,
    /// Greatest distance of such a candidate from the best play, in equity.
    pub extra_margin: f32,
    /// Other plays that are followed for some turns with the game's own dice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twins: Option<SiblingSettings>,
    /// Number of plays that are searched one play deeper when they are close together; 1 for none.
    pub contenders: usize,
    /// Distance up to which plays are close, in equity.
    pub contest_margin: f32,
    /// Plays that the quick net hands to the strong one for the mean over the rolls. The plays of the game itself are
    /// the best of all.
    pub filter_plays: usize,
    /// ... among those within this equity of its best.
    pub filter_margin: f32,
    /// True if the pruning net proposes plays instead of the quick net: as good a choice for a third of the time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pruning: bool,
    /// True if labels are the static values of the nets that play, for a smaller net that is to answer like them, in
    /// place of luck-adjusted returns: many more in the same time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub static_labels: bool,
    /// Labels are kept whose static equity differs by at least this from that at 1 ply. All are kept when neither this
    /// nor `forced` is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsettled: Option<f32>,
    /// Labels are kept of positions in which at least so many of the 36 rolls leave no play or one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forced: Option<u8>,
    /// Share of the other labels that are kept too.
    #[serde(skip_serializing_if = "is_zero")]
    pub others: f64,
}

/// Returns true for 0, which is left out of headers: those of older journals have no such field.
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

/// Returns true for the variant that is left out of headers.
fn is_usual(variant: &Variant) -> bool {
    *variant == Variant::Backgammon
}

impl Default for GameSettings {
    fn default() -> GameSettings {
        GameSettings {
            lambda: 0.5,
            variant: Variant::Backgammon,
            mirrored_starts: 0.0,
            odd_starts: 0.25,
            race_starts: 0.04,
            random_starts: 0.14,
            mild: 0.40,
            wild: 0.15,
            extra: 0.06,
            extra_races: false,
            extra_margin: 0.25,
            twins: None,
            contenders: 3,
            contest_margin: 0.04,
            filter_plays: 5,
            filter_margin: 0.25,
            pruning: false,
            static_labels: false,
            unsettled: None,
            forced: None,
            others: 0.0,
        }
    }
}

impl Checked for GameSettings {
    fn fault(&self) -> Option<String> {
        let margins = [
            ("extra_margin", self.extra_margin),
            ("contest_margin", self.contest_margin),
            ("filter_margin", self.filter_margin),
            ("unsettled", self.unsettled.unwrap_or(0.0)),
            ("twins.margin", self.twins.map_or(0.0, |twins| twins.margin)),
        ];
        let plays = [
            ("contenders", self.contenders),
            ("filter_plays", self.filter_plays),
        ];
        shares(&[
            ("lambda", self.lambda.into()),
            ("mirrored_starts", self.mirrored_starts),
            ("odd_starts", self.odd_starts),
            ("race_starts", self.race_starts),
            ("random_starts", self.random_starts),
            ("mild", self.mild),
            ("wild", self.wild),
            ("extra", self.extra),
            ("others", self.others),
            ("twins.share", self.twins.map_or(0.0, |twins| twins.share)),
            ("twins.wide", self.twins.map_or(0.0, |twins| twins.wide)),
        ])
        .or_else(|| {
            (margins.iter())
                .find_map(|&(name, margin)| within(name, margin.into(), 0.0, MARGIN_MAX))
        })
        .or_else(|| {
            (plays.iter()).find_map(|&(name, count)| within(name, count as f64, 1.0, PLAYS_MAX))
        })
        .or_else(|| {
            let (checkers, variant) = (self.variant.checkers(), self.variant);
            (checkers != Side::CHECKERS).then(|| {
                format!("variant: {variant} has {checkers} checkers a side, expected backgammon or nackgammon")
            })
        })
        .or_else(|| within("forced", f64::from(self.forced.unwrap_or(1)), 1.0, 36.0))
    }
}

/// Returns the kind of net that evaluates a position: 0 contact, 1 race, 2 crashed; `None` when a table does.
#[must_use]
pub fn kind(position: &Position) -> Option<u8> {
    match Class::of(position) {
        Class::Contact => Some(0),
        Class::Crashed => Some(2),
        Class::Race => Some(1),
        _ => None,
    }
}

impl GameSettings {
    /// Returns the filter of the plays that the strong net evaluates.
    #[must_use]
    pub fn filter(&self) -> Filter {
        Filter {
            plays: self.filter_plays,
            margin: self.filter_margin,
            by: if self.pruning {
                Chooser::Pruning
            } else {
                Chooser::Quick
            },
        }
    }
}
