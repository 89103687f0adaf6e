//! Stakes, costs of failures and match files: the common parts of `duel` and `tournament`.

use super::{Failure, InputFile, farmed};
use gammond_arena::duel::{
    DuelAction, DuelPlan, DuelTerms, Failures, PlayedGame, PlayedPair, Tally, elo, fibs,
};
use gammond_arena::player::{Player, PlayerError};
use gammond_base::files::read_text;
use gammond_base::journal::write_whole;
use gammond_base::stats::Running;
use gammond_game::notation::{
    MatAction, MatGame, MatPlayer, MatchFile, SetUp, parse_position, play_text,
};
use gammond_game::{
    Cube, CubeOwner, MatchScore, MatchState, Rules, StartPositions, Variant, find_play,
};
use gammond_job::Whole;
use gammond_report::render::board;
use gammond_report::render::signed;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::Path;
use std::str::FromStr;
use std::sync::Mutex;

farmed! {
    /// Options for the stakes of a duel's games.
    struct TermsArgs as TermsJob {
        /// Money games with the cube; else single games without a cube.
        #[arg(long, conflicts_with = "match_length")]
        cube: bool,
        /// With `--cube`: gammons count though the cube was not turned.
        #[arg(long, requires = "cube")]
        no_jacoby: bool,
        /// With `--cube`: a player who is doubled may beaver, and the doubler raccoon.
        #[arg(long, requires = "cube")]
        beavers: bool,
        /// Matches to so many points with the cube, Crawford rule, table `--met`: pairs of matches, counted by who wins them.
        #[arg(id = "match_length", long = "match", value_name = "POINTS")]
        match_length: Option<Whole<1, 255>>,
        /// Variant of the games: backgammon (without this), nackgammon, hypergammon, hypergammon2, hypergammon1.
        #[arg(long, value_name = "NAME", value_parser = variant_named)]
        variant: Option<Variant>,
        /// Positions at which the games begin: a position, a file with one a line (each pair takes the next), or
        /// `random[:SEED]`, other mirrored ones for each pair. A position that is the same for both players begins with the
        /// opening roll; at another one the player on roll begins, once each player of a pair.
        #[arg(long, value_name = "POSITION|FILE|random")]
        start: Option<StartArg>,
    }
}

#[cfg(feature = "farm")]
crate::farmed::carried_as_it_is!(Variant);

/// Positions at which games begin: a text of [`StartPositions::parse`], or a file of positions.
#[derive(Clone, Debug)]
pub(crate) enum StartArg {
    Text(String),
    File(InputFile),
}

/// Most bytes of a file of positions.
const STARTS_BYTES_MAX: u64 = 16 << 20;

impl FromStr for StartArg {
    type Err = String;

    fn from_str(text: &str) -> Result<StartArg, String> {
        match parse_position(text.as_bytes()) {
            _ if text.starts_with(StartPositions::RANDOM) => Ok(StartArg::Text(text.to_owned())),
            Ok(_) => Ok(StartArg::Text(text.to_owned())),
            Err(_) if Path::new(text).exists() => Ok(StartArg::File(InputFile(text.into()))),
            Err(error) => Err(format!("{error}; nor is it a file, or random[:SEED]")),
        }
    }
}

impl StartArg {
    /// Returns the positions of a variant; random ones without a seed have that of the command.
    pub(crate) fn positions(&self, variant: Variant, seed: u64) -> Result<StartPositions, Failure> {
        match self {
            StartArg::Text(text) => StartPositions::parse(text, variant, seed)
                .map_err(|error| Failure::usage(format!("--start: {error}"))),
            StartArg::File(path) => {
                let text = read_text(path, STARTS_BYTES_MAX).map_err(Failure::in_file(path))?;
                StartPositions::read(&text, variant).map_err(Failure::in_file(path))
            }
        }
    }
}

#[cfg(feature = "farm")]
mod start_job {
    use super::StartArg;
    use crate::Failure;
    use crate::farmed::{Carry, JobFiles, JobPaths};
    use gammond_job::{FileNumber, NotPortable, Word};
    use serde::{Deserialize, Serialize};

    /// Starts in a job.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(crate) enum StartJob {
        Text(Word),
        File(FileNumber),
    }

    impl Carry for StartArg {
        type Ported = StartJob;

        fn carry(&self, files: &mut JobFiles) -> Result<StartJob, Failure> {
            Ok(match self {
                StartArg::Text(text) => StartJob::Text(text.clone().try_into()?),
                StartArg::File(path) => StartJob::File(path.carry(files)?),
            })
        }

        fn unpack(job: StartJob, places: &JobPaths<'_>) -> Result<StartArg, NotPortable> {
            Ok(match job {
                StartJob::Text(text) => StartArg::Text(text.into()),
                StartJob::File(number) => StartArg::File(Carry::unpack(number, places)?),
            })
        }
    }
}

/// Reads a variant by its name as a setting, or by GNU Backgammon's.
pub(crate) fn variant_named(text: &str) -> Result<Variant, String> {
    let names = Variant::WORDS.join(", ");
    Variant::named(text).ok_or_else(|| format!("expected one of {names}"))
}

/// Returns the line of a match file that names the variant, if it is not the usual one.
pub(crate) fn variant_header(variant: Variant) -> Option<String> {
    let is_usual = variant == Variant::Backgammon;
    (!is_usual).then(|| format!(" [Variation \"{}\"]", variant.name()))
}

impl TermsArgs {
    pub(crate) fn variant(&self) -> Variant {
        self.variant.unwrap_or_default()
    }

    pub(crate) fn starts(&self, seed: u64) -> Result<StartPositions, Failure> {
        let positions = |start: &StartArg| start.positions(self.variant(), seed);
        self.start
            .as_ref()
            .map_or(Ok(StartPositions::Usual), positions)
    }

    pub(crate) fn terms(&self) -> DuelTerms {
        match (self.match_length, self.cube) {
            (Some(length), _) => DuelTerms::Match(length.to()),
            (None, true) => DuelTerms::Money(Rules {
                jacoby: !self.no_jacoby,
                beavers: self.beavers,
            }),
            (None, false) => DuelTerms::Cubeless,
        }
    }
}

farmed! {
    /// Options for games in which another program fails.
    struct FailureArgs as FailureJob {
        /// Treatment of games in which another program exits, is silent or answers an illegal play: `end` the duel,
        /// take the pair as `void`, or have the program `forfeit` the game by one point (or the match). Ten failures
        /// in a row end the duel in any case.
        #[arg(long, value_name = "RULE", value_enum, default_value_t = FailureRule::End)]
        on_failure: FailureRule,
    }
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FailureRule {
    End,
    Void,
    Forfeit,
}

#[cfg(feature = "farm")]
crate::farmed::carried_as_it_is!(FailureRule);

impl FailureArgs {
    pub(crate) const fn rule(&self) -> Failures {
        match self.on_failure {
            FailureRule::End => Failures::End,
            FailureRule::Void => Failures::Void,
            FailureRule::Forfeit => Failures::Forfeit,
        }
    }
}

/// Number of failures that are reported one by one.
const FAILURES_SHOWN_MAX: usize = 5;

/// Reports on standard error the first failures that a duel survives.
#[derive(Debug, Default)]
pub(crate) struct FailureLog(Mutex<usize>);

impl FailureLog {
    pub(crate) fn report(&self, error: &PlayerError) {
        let mut failure_log = self.0.lock().unwrap_or_else(|held| held.into_inner());
        *failure_log += 1;
        if *failure_log <= FAILURES_SHOWN_MAX {
            stderr_line!("gammond: {error}");
        }
    }
}

/// Prints to standard error the notes on how the players played.
pub(crate) fn print_notes<'a>(players: impl IntoIterator<Item = &'a dyn Player>) {
    for note in players.into_iter().filter_map(Player::note) {
        stderr_line!("gammond: {note}");
    }
}

/// Formats the failures of a duel; empty if there were none.
pub(crate) fn failures(tally: &Tally, names: [&str; 2], plan: &DuelPlan) -> String {
    let mut text = String::new();
    for (name, failed) in names.into_iter().zip(tally.failed) {
        if failed > 0 {
            let became = match plan.failures {
                Failures::Forfeit => "forfeited",
                Failures::Void | Failures::End => "void",
            };
            let unit = plan.terms.unit();
            text.push_str(&format!("{name} failed in {failed} {unit}: {became}\n"));
        }
    }
    if tally.gave_up() {
        text.push_str("ended early: one failure followed the other\n");
    }
    text
}

/// Rating differences that a share of wins means on rating lists, with 99 % intervals: for people, and as JSON.
pub(crate) struct Ratings {
    /// The difference and its bounds; none for too few games.
    elo: Option<[f64; 3]>,
    fibs: Option<[f64; 3]>,
}

impl Ratings {
    /// Creates the ratings from the share of games (or matches) won, 0 to 1, one number for each pair.
    pub(crate) fn of(won: &Running, terms: DuelTerms) -> Ratings {
        let shares = won.share_interval99().map(|[low, high]| {
            let share = won.mean().clamp(0.0, 1.0);
            [share, low.min(share), high.max(share)]
        });
        Ratings {
            elo: shares.map(|shares| shares.map(elo)),
            fibs: shares.map(|shares| shares.map(|share| fibs(share, terms.length()))),
        }
    }

    pub(crate) fn text_report(&self) -> String {
        let (Some(elo), Some(fibs)) = (self.elo, self.fibs) else {
            return "difference in Elo and FIBS points: too few games\n".to_owned();
        };
        // A player who won all, or nothing, has a bound on one side only.
        let of = |[middle, low, high]: [f64; 3]| match (low.is_finite(), high.is_finite()) {
            (true, true) => format!(
                "{} ({} to {})",
                signed(middle, 0),
                signed(low, 0),
                signed(high, 0)
            ),
            (true, false) => format!("above {}", signed(low, 0)),
            (false, true) => format!("below {}", signed(high, 0)),
            (false, false) => "unknown".to_owned(),
        };
        format!(
            "difference with 99 % interval: Elo {}, FIBS {}\n",
            of(elo),
            of(fibs)
        )
    }

    /// Returns the ratings as JSON; infinite and unknown ones are null.
    pub(crate) fn json(&self) -> serde_json::Value {
        let of = |numbers: Option<[f64; 3]>| {
            let [middle, low, high] = numbers.map_or([None; 3], |numbers| numbers.map(Some));
            serde_json::json!({"difference": middle, "interval99": [low, high]})
        };
        serde_json::json!({"elo": of(self.elo), "fibs": of(self.fibs)})
    }
}

/// Writes a pair: single games as one money session of two, matches as a file each.
pub(crate) fn write_pair(
    folder: &Path,
    names: &[String; 2],
    plan: &DuelPlan,
    played: PlayedPair,
) -> io::Result<()> {
    let stem = format!("duel-{}-{:06}", plan.seed, played.number + 1);
    let write = |name: String, file: MatchFile| {
        write_whole(&folder.join(name), file.to_string().as_bytes())
    };
    let headers: &[&str] = match plan.terms {
        // Without a cube gammons count in any case.
        DuelTerms::Cubeless => &[" [CubeLimit \"1\"]"],
        DuelTerms::Money(_) | DuelTerms::Match(_) => &[],
    };
    let [no_jacoby, no_beavers] = MatchFile::WITHOUT_JACOBY;
    let rules = match plan.terms {
        DuelTerms::Money(rules) => Some(rules),
        DuelTerms::Cubeless => Some(PLAIN),
        DuelTerms::Match(_) => None,
    };
    let money = [
        (rules.is_some_and(|rules| !rules.jacoby), no_jacoby),
        (rules.is_some_and(|rules| !rules.beavers), no_beavers),
    ];
    let money = money
        .into_iter()
        .filter(|(is_written, _)| *is_written)
        .map(|(_, header)| header);
    let file = |length, games: Vec<MatGame>| MatchFile {
        length,
        names: names.clone(),
        comments: (money
            .clone()
            .chain(headers.iter().copied())
            .map(str::to_owned))
        .chain(variant_header(plan.variant))
        .collect(),
        games,
    };
    if let DuelTerms::Match(length) = plan.terms {
        for (number, games) in (1..).zip(played.sets) {
            let games = games.into_iter().map(|game| written(game.scores, game));
            let file = file(u32::from(length), games.collect());
            write(format!("{stem}-{number}.mat"), file)?;
        }
        return Ok(());
    }
    let (mut scores, mut games) = ([0; 2], Vec::new());
    for game in played.sets.into_iter().flatten() {
        let points = game.points;
        games.push(written(scores, game));
        if let Some(sum) = scores.get_mut(usize::from(points < 0)) {
            *sum += points.unsigned_abs();
        }
    }
    write(format!("{stem}.mat"), file(0, games))
}

/// Returns the games of a pair, or of a match, as text: the board before each roll, the roll and the play.
pub(crate) fn watched(names: &[String; 2], plan: &DuelPlan, games: &[PlayedGame]) -> String {
    let (rules, length) = match plan.terms {
        DuelTerms::Money(rules) => (rules, 0),
        DuelTerms::Cubeless => (PLAIN, 0),
        DuelTerms::Match(length) => (PLAIN, length.into()),
    };
    let mut score = MatchScore::new(length);
    let mut text = String::new();
    for game in games {
        score.follow(game.scores, None);
        let state = score.state(0, rules).with_variant(plan.variant);
        text.push_str(&game_text(names, state, game));
    }
    text
}

/// The rules of games without a cube.
const PLAIN: Rules = Rules {
    jacoby: false,
    beavers: false,
};

/// Returns a game as text; `state` is that before it, seen by the first player.
fn game_text(names: &[String; 2], mut state: MatchState, game: &PlayedGame) -> String {
    let mut text = String::new();
    let name = |player: usize| names.get(player).map_or("", String::as_str);
    let seen_by = |state: MatchState, player: usize| match player {
        0 => state,
        _ => state.swapped(),
    };
    let owned_by = |player: usize| match player {
        0 => CubeOwner::Me,
        _ => CubeOwner::Opponent,
    };
    // The cube while it is offered: that after a take.
    let mut offered = state.cube;
    for action in &game.actions {
        let line = match *action {
            DuelAction::Played(turn) => {
                let seen = seen_by(state, turn.player);
                text.push_str(&board(&turn.before, &seen, Some(turn.roll)));
                let play = find_play(&turn.before, turn.roll, &turn.after);
                let play = play.map_or_else(String::new, |play| play_text(&turn.before, &play));
                format!("{} {}: {play}", name(turn.player), turn.roll)
            }
            DuelAction::Doubled(player, value) => {
                offered = Cube::new(value, owned_by(1 - player)).unwrap_or(offered);
                format!("{} doubles to {value}", name(player))
            }
            DuelAction::Beavered(player, value) => {
                offered = Cube::new(value, owned_by(player)).unwrap_or(offered);
                format!("{} beavers to {value}", name(player))
            }
            DuelAction::Took(player) => {
                state.cube = offered;
                format!("{} takes", name(player))
            }
            DuelAction::Passed(player) => format!("{} passes", name(player)),
        };
        text.push_str(&line);
        text.push_str("\n\n");
    }
    let winner = name(usize::from(game.points < 0));
    let points = game.points.unsigned_abs();
    text.push_str(&format!("{winner} wins {points}\n\n"));
    text
}

/// Returns a game as match files write it.
fn written(scores: [u32; 2], game: PlayedGame) -> MatGame {
    let side = |player: usize| match player {
        0 => MatPlayer::First,
        _ => MatPlayer::Second,
    };
    let action = |action: &DuelAction| match *action {
        DuelAction::Played(turn) => {
            let play = find_play(&turn.before, turn.roll, &turn.after)?;
            let roll = turn.roll;
            Some((side(turn.player), MatAction::Play { roll, play }))
        }
        DuelAction::Doubled(player, value) => Some((side(player), MatAction::Double(value))),
        DuelAction::Beavered(player, value) => Some((side(player), MatAction::Beaver(value))),
        DuelAction::Took(player) => Some((side(player), MatAction::Take)),
        DuelAction::Passed(player) => Some((side(player), MatAction::Drop)),
    };
    let winner = side(usize::from(game.points < 0));
    let actions: Vec<_> = game.actions.iter().map_while(action).collect();
    // The player who acts first sees the position.
    let begins = actions.first().map_or(MatPlayer::First, |(side, _)| *side);
    let set_up = game.start.map(|position| {
        let (value, owner) = (1, None);
        (
            begins,
            MatAction::SetUp(SetUp {
                position,
                value,
                owner,
            }),
        )
    });
    MatGame {
        scores,
        actions: set_up.into_iter().chain(actions).collect(),
        result: (game.points != 0).then_some((winner, game.points.unsigned_abs())),
        ..MatGame::default()
    }
}
