//! The bot's choice of opponents, and its rules of conduct (FIBS-24 to FIBS-27).
//!
//! A [`Policy`] is read from TOML; missing keys have the values of [`Policy::default`].

use gammond_base::toml::{TomlFault, parse_toml};
use gammond_game::Score;
use gammond_game::notation::fibs::{MatchTerms, Who};
use serde::Deserialize;

/// Maximum number of characters of a text that the bot sends.
const TEXT_MAX: usize = 400;

/// Longest wait of a policy, a year, in seconds.
const SECONDS_MAX: u64 = 366 * 24 * 60 * 60;
/// Most matches, games or answers of a policy.
const COUNT_MAX: u64 = 1_000_000_000;
/// Bound of ratings, on both sides of 0.
const RATING_MAX: f64 = 100_000.0;

/// Selection of opponents and behaviour of the bot.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Shortest match, in points.
    pub length_min: u32,
    /// Longest match, in points.
    pub length_max: u32,
    /// Lengths between them that are not played.
    pub length_except: Vec<u32>,
    /// True if unlimited matches are played.
    pub unlimited: bool,
    /// Games of an unlimited match after which the bot leaves; 0 for never.
    pub unlimited_games: u32,
    /// Lowest rating of an opponent; 0 for any (some servers have ratings below 0).
    pub rating_min: f64,
    /// Highest rating of an opponent.
    pub rating_max: f64,
    /// Least experience of an opponent.
    pub experience_min: u32,
    /// Names that are never played.
    pub blocklist: Vec<String>,
    /// Names of other bots: neither played nor answered.
    pub bots: Vec<String>,
    /// True if the bot plays other bots.
    pub play_bots: bool,
    /// Number of matches that a user may drop before the bot declines to play that user.
    pub drops_max: u32,
    /// Saved matches above which no new ones are begun.
    pub saved_max: usize,
    /// Saved matches that an opponent may have before no new one is begun with him; 0: not checked.
    pub opponent_saved_max: u32,
    /// Names that the bot may invite when it is idle.
    pub invite: Vec<String>,
    /// Length of the matches to which it invites.
    pub invite_length: u32,
    /// Seconds between invitations.
    pub invite_every_s: u64,
    /// Sent by kibitz at the start of a new match; nothing when empty. `{lengths}` as in `help`.
    pub greeting: Vec<String>,
    /// Answer to a `tell`. `{lengths}` becomes the lengths that the bot plays.
    pub help: String,
    /// Maximum number of answers to one person in an hour.
    pub answers_max: u32,
    /// True if a `tell` of `report` is answered with the figures of the last match, for the user who played it.
    pub report: bool,
    /// Seconds of silence of the opponent before a reminder.
    pub remind_s: u64,
    /// Seconds of silence of the opponent before the bot leaves.
    pub leave_s: u64,
    /// True if lost games are resigned.
    pub resign: bool,
    /// True if the game is resigned, not played out, after a signal to stop.
    pub resign_on_stop: bool,
    /// Names whose `tell` of `finish` ends the bot after this match.
    pub owners: Vec<String>,
}

impl Default for Policy {
    fn default() -> Self {
        let words = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Policy {
            length_min: 1,
            length_max: 13,
            length_except: Vec::new(),
            unlimited: false,
            unlimited_games: 0,
            rating_min: 0.0,
            rating_max: 10_000.0,
            experience_min: 0,
            blocklist: Vec::new(),
            bots: words(&[
                "GammonBot",
                "MonteCarlo",
                "MissManners",
                "RepBotNG",
                "TourneyBot",
            ]),
            play_bots: false,
            drops_max: 3,
            saved_max: 7,
            opponent_saved_max: 20,
            invite: Vec::new(),
            invite_length: 5,
            invite_every_s: 300,
            greeting: words(&[
                "Hello, I am a computer program. If I ever stop, kibitz move, roll or join.",
            ]),
            help: "I am a computer program and play {lengths}: invite me.".into(),
            answers_max: 3,
            report: true,
            remind_s: 60,
            leave_s: 360,
            resign: true,
            resign_on_stop: false,
            owners: Vec::new(),
        }
    }
}

/// Reason why a policy file cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// An error of TOML or of its keys.
    #[error(transparent)]
    Toml(#[from] TomlFault),
    /// No length is left.
    #[error("length_min is above length_max")]
    Lengths,
    /// A number beyond its limits.
    #[error("{key}: {found}, expected {least} to {most}")]
    Range {
        /// The key.
        key: &'static str,
        /// The number.
        found: f64,
        /// Smallest that is taken.
        least: f64,
        /// Greatest accepted number.
        most: f64,
    },
    /// A text that would be more than one line.
    #[error("{0:?} has a line end or another control character: one line, please")]
    Control(String),
    /// A text that is too long; its beginning.
    #[error("{0:?}… is longer than {TEXT_MAX} characters")]
    Long(String),
    /// A text that cannot be a user's name.
    #[error("{0:?} is no user's name")]
    Name(String),
}

/// Answer to an invitation; the text of a refusal is for the user who invited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InvitationAnswer {
    /// Join.
    Play,
    /// Send this.
    Decline(String),
    /// Send nothing.
    Ignore,
}

impl Policy {
    /// Reads a policy file.
    ///
    /// # Errors
    /// [`PolicyError`], which names the key and the reason in one line.
    pub fn parse(text: &str) -> Result<Policy, PolicyError> {
        let policy: Policy = parse_toml(text)?;
        policy.check_numbers()?;
        if policy.length_min > policy.length_max {
            return Err(PolicyError::Lengths);
        }
        policy.check_texts()?;
        Ok(policy)
    }

    /// Checks that every number is within limits that a clock and a server can work with (FIBS-24).
    fn check_numbers(&self) -> Result<(), PolicyError> {
        let (count, seconds) = (COUNT_MAX as f64, SECONDS_MAX as f64);
        let length = f64::from(Score::LENGTH_MAX);
        let all = [
            ("length_min", f64::from(self.length_min), 0.0, length),
            ("length_max", f64::from(self.length_max), 0.0, length),
            ("invite_length", f64::from(self.invite_length), 0.0, length),
            ("unlimited_games", self.unlimited_games.into(), 0.0, count),
            ("rating_min", self.rating_min, -RATING_MAX, RATING_MAX),
            ("rating_max", self.rating_max, -RATING_MAX, RATING_MAX),
            ("experience_min", self.experience_min.into(), 0.0, count),
            ("drops_max", self.drops_max.into(), 0.0, count),
            ("saved_max", self.saved_max as f64, 0.0, count),
            (
                "opponent_saved_max",
                self.opponent_saved_max.into(),
                0.0,
                count,
            ),
            ("answers_max", self.answers_max.into(), 0.0, count),
            ("invite_every_s", self.invite_every_s as f64, 0.0, seconds),
            ("remind_s", self.remind_s as f64, 0.0, seconds),
            ("leave_s", self.leave_s as f64, 0.0, seconds),
        ];
        // NaN is within nothing.
        let beyond =
            |&&(_, found, least, most): &&(_, f64, f64, f64)| !(least..=most).contains(&found);
        match all.iter().find(beyond) {
            None => Ok(()),
            Some(&(key, found, least, most)) => Err(PolicyError::Range {
                key,
                found,
                least,
                most,
            }),
        }
    }

    /// Checks the texts: a line end in a text would be a command of its own (FIBS-35).
    fn check_texts(&self) -> Result<(), PolicyError> {
        for text in self.greeting.iter().chain([&self.help]) {
            if text.chars().any(char::is_control) {
                return Err(PolicyError::Control(text.clone()));
            }
            if text.chars().count() > TEXT_MAX {
                return Err(PolicyError::Long(text.chars().take(20).collect()));
            }
        }
        let names = [&self.blocklist, &self.bots, &self.invite, &self.owners];
        for name in names.into_iter().flatten() {
            let good = |c: char| !c.is_whitespace() && !c.is_control();
            if name.is_empty() || !name.chars().all(good) {
                return Err(PolicyError::Name(name.clone()));
            }
        }
        Ok(())
    }

    /// Returns the lengths that are played, as text.
    #[must_use]
    pub fn lengths(&self) -> String {
        let Policy {
            length_min,
            length_max,
            ..
        } = self;
        let mut text = match length_min == length_max {
            true if *length_min == 1 => "matches of 1 point".to_owned(),
            true => format!("matches of {length_min} points"),
            false => format!("matches of {length_min} to {length_max} points"),
        };
        let mut except: Vec<u32> = self.length_except.clone();
        except.retain(|length| (length_min..=length_max).contains(&length));
        except.sort_unstable();
        except.dedup();
        let except: Vec<String> = except.iter().map(u32::to_string).collect();
        if let Some((last, others)) = except.split_last() {
            text += " but not ";
            if !others.is_empty() {
                text += &format!("{} or ", others.join(", "));
            }
            text += last;
        }
        if self.unlimited {
            text += ", and unlimited ones";
        }
        text
    }

    /// Returns the answer to a `tell`.
    #[must_use]
    pub fn help(&self) -> String {
        self.help.replace("{lengths}", &self.lengths())
    }

    /// Returns the greeting at the start of a new match.
    #[must_use]
    pub fn greeting(&self) -> Vec<String> {
        let lengths = self.lengths();
        let lines = self.greeting.iter();
        lines
            .map(|line| line.replace("{lengths}", &lengths))
            .collect()
    }

    /// Returns true if matches of this kind are played.
    #[must_use]
    pub fn allows(&self, wanted: MatchTerms) -> bool {
        match wanted {
            MatchTerms::Resume => true,
            MatchTerms::Unlimited => self.unlimited,
            MatchTerms::Points(length) => {
                (self.length_min..=self.length_max).contains(&length)
                    && !self.length_except.contains(&length)
            }
        }
    }

    /// Returns true if this name is on the list of bots.
    #[must_use]
    pub fn is_bot(&self, name: &str) -> bool {
        self.bots.iter().any(|bot| bot == name)
    }

    /// Decides on an invitation by `name`: `who` if known, with `drops` dropped matches, while the bot has `saved`
    /// saved matches.
    #[must_use]
    pub fn judge(
        &self,
        name: &str,
        wanted: MatchTerms,
        who: Option<&Who>,
        drops: u32,
        saved: usize,
    ) -> InvitationAnswer {
        let decline = |text: &str| InvitationAnswer::Decline(text.to_owned());
        if self.blocklist.iter().any(|blocked| blocked == name) {
            return InvitationAnswer::Ignore;
        }
        if self.is_bot(name) && !self.play_bots {
            return InvitationAnswer::Ignore;
        }
        // A saved match is finished whatever the other rules require.
        if wanted == MatchTerms::Resume {
            return InvitationAnswer::Play;
        }
        if drops > self.drops_max {
            return decline("Sorry, too many of our matches were dropped.");
        }
        if saved >= self.saved_max {
            return decline("Sorry, I have too many saved matches to begin another one.");
        }
        if !self.allows(wanted) {
            return InvitationAnswer::Decline(format!("Sorry, I play {}.", self.lengths()));
        }
        match who {
            Some(who) if who.experience < self.experience_min => {
                decline("Sorry, I play more experienced players only.")
            }
            Some(who)
                if self.rating_min != 0.0 && who.rating < self.rating_min
                    || who.rating > self.rating_max =>
            {
                decline("Sorry, I play other ratings.")
            }
            _ => InvitationAnswer::Play,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The owners' page has every key with its default.
    #[test]
    fn the_page_for_owners_explains_every_key() {
        let page = include_str!("../../../../protocol-specs/fibs-bot.md");
        let (_, rest) = page.split_once("```toml\nlength_min").unwrap();
        let (block, _) = rest.split_once("```").unwrap();
        let block = format!("length_min{block}");
        assert_eq!(Policy::parse(&block).unwrap(), Policy::default());
        // The error for an unknown key names those that there are.
        let told = Policy::parse("unknown_key = 1").unwrap_err().to_string();
        let (_, known) = told.split_once("known are ").unwrap();
        let keys: Vec<&str> = known.trim_end_matches(" (line 1)").split(", ").collect();
        assert!(keys.len() > 20, "{told}");
        for key in keys {
            let line = block
                .lines()
                .find(|line| line.starts_with(&format!("{key} = ")));
            assert!(line.is_some_and(|line| line.contains('#')), "{key}");
        }
    }

    /// FIBS-24: selection of opponents.
    #[test]
    fn invitations() {
        let policy =
            Policy::parse("length_max = 7\nlength_except = [2]\nblocklist = [\"bad\"]").unwrap();
        let judge = |name, wanted| policy.judge(name, wanted, None, 0, 0);
        assert_eq!(judge("joe", MatchTerms::Points(7)), InvitationAnswer::Play);
        assert!(matches!(
            judge("joe", MatchTerms::Points(2)),
            InvitationAnswer::Decline(_)
        ));
        assert!(matches!(
            judge("joe", MatchTerms::Points(9)),
            InvitationAnswer::Decline(_)
        ));
        assert!(matches!(
            judge("joe", MatchTerms::Unlimited),
            InvitationAnswer::Decline(_)
        ));
        assert_eq!(judge("joe", MatchTerms::Resume), InvitationAnswer::Play);
        assert_eq!(
            judge("bad", MatchTerms::Points(7)),
            InvitationAnswer::Ignore
        );
        assert_eq!(
            judge("MissManners", MatchTerms::Points(7)),
            InvitationAnswer::Ignore
        );
        let many = policy.judge("joe", MatchTerms::Points(1), None, 4, 0);
        assert!(matches!(many, InvitationAnswer::Decline(_)));
        assert!(
            Policy::parse("lenght_max = 7")
                .unwrap_err()
                .to_string()
                .contains("lenght_max")
        );
    }

    #[test]
    fn numbers_have_limits() {
        for (text, said) in [
            ("length_max = 256", "length_max: 256, expected 0 to 255"),
            (
                "rating_min = nan",
                "rating_min: NaN, expected -100000 to 100000",
            ),
            (
                "drops_max = 4000000000",
                "drops_max: 4000000000, expected 0 to 1000000000",
            ),
            // In milliseconds it would be more than the clock can hold.
            ("leave_s = 9223372036854775807", "leave_s: 922337203685477"),
            ("remind_s = 31622401", "remind_s: 31622401, expected"),
            (
                "invite_every_s = 31622401",
                "invite_every_s: 31622401, expected",
            ),
        ] {
            let found = Policy::parse(text).unwrap_err().to_string();
            assert!(found.starts_with(said), "{text}: {found}");
        }
        assert!(Policy::parse("leave_s = 31622400\nlength_max = 255").is_ok());
    }
}
