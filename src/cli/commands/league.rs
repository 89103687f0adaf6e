//! `gammond league`: players against each other with the luck taken out, their losses on sets of decisions, and their
//! speed, as one table. The folder keeps every result: the same command goes on, and a further player plays its own games.

use super::bench::measure_table;
use super::bench_files::Read;
use super::duel::luck_judge;
use crate::duels::{TermsArgs, print_notes};
use crate::{
    Common, Count, Failure, Format, InputFile, NetsArg, PlayerOptions, ProgressArgs, print,
    program, stopped,
};
use gammond_arena::benchmark::scoring::Scoring;
use gammond_arena::benchmark::summary::{ActionTally, Counting, PlayTally, Scored, groups};
use gammond_arena::duel::{AdjustedPlan, DuelPlan, DuelTerms, Duels, play_adjusted};
use gammond_arena::player::{Player, PlayerError, PlayerSpec};
use gammond_base::checksum::sha256;
use gammond_base::files::create_folder;
use gammond_base::journal::write_whole;
use gammond_base::rng;
use gammond_base::stats::Running;
use gammond_engine::engine::{COMMIT, Engine};
use gammond_engine::nn::CpuLevel;
use gammond_engine::query::Stop;
use gammond_game::{MatchState, Position, Roll, Rules, perf_positions};
use gammond_job::{Control, Runner};
use gammond_report::render::league::{Estimate, League, LeaguePlayer, LeagueSet};
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Folder of the league: it keeps all results, and gets league.html, league.md and league.json.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Players, as for `duel`.
    #[arg(required = true, num_args = 2.., value_name = "PLAYER")]
    players: Vec<PlayerSpec>,
    /// Games (with `--match` matches) between any two, in pairs with the same dice.
    #[arg(long, default_value = "1000", value_name = "N")]
    games: Count,
    /// Nets that see the luck of the dice, which is taken out: a path, `embedded` or `embedded:fast`.
    #[arg(long, default_value = "embedded", value_name = "NETS")]
    judge: NetsArg,
    /// Benchmark files with `m` or `c` records, on which each player is rated, such as families of positions by one judge or
    /// another, or folders with them. Files that differ in a number at the end of their names are one set: contact-1.bm,
    /// contact-2.bm.
    #[arg(long, value_name = "FILE.bm", num_args = 1..)]
    bench: Vec<InputFile>,
    #[command(flatten)]
    terms: TermsArgs,
    #[command(flatten)]
    with: PlayerOptions,
    #[command(flatten)]
    progress: ProgressArgs,
}

/// Decisions of which the time is taken, the most time of a first round of them, and of the round that counts.
const TIMED_DECISIONS: usize = 400;
const WARM_AT_MOST: Duration = Duration::from_secs(1);
const TIMED_AT_MOST: Duration = Duration::from_secs(5);
/// Seed of their positions, and of the coins of players that throw such.
const TIMED_SEED: u64 = 1;

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    common.start_threads();
    let players = common.players_at(args.terms.variant(), &args.players, &args.with)?;
    let plan = DuelPlan {
        terms: args.terms.terms(),
        variant: args.terms.variant(),
        ..DuelPlan::default()
    };
    // A player that cannot play this is named before hours of games of the others.
    let borrowed: Vec<&dyn Player> = players.iter().map(|player| &**player).collect();
    Duels::new(&plan, &borrowed, Vec::new())?;
    let identities: Vec<String> = (players.iter())
        .map(|player| Ok(identity(&**player)?))
        .collect::<Result<_, Failure>>()?;
    if let Some(name) = repeated(&players, &identities) {
        return Err(Failure::usage(format!(
            "player '{name}' is there twice, expected players that differ"
        )));
    }
    let benches = Bench::read(&args.bench)?;
    let work = Work {
        common,
        args,
        judge: luck_judge(common, args.terms.variant(), &args.judge.0)?,
        players,
        identities,
    };
    // As long as nothing else computes.
    let times: Vec<f64> = (work.players.iter())
        .map(|player| Ok(microseconds(&**player)?))
        .collect::<Result<_, Failure>>()?;
    create_folder(&args.folder).map_err(Failure::in_file(&args.folder))?;
    let mut control = common.control(args.progress)?;
    let results = work.duels(&mut control)?;
    let sets = match &results {
        Some(_) => work.sets(&benches, &mut control)?,
        None => None,
    };
    drop(control);
    print_notes(work.players.iter().map(|player| &**player));
    let (Some(results), Some(sets)) = (results, sets) else {
        return Ok(stopped(Some(&args.folder), ""));
    };
    let league = work.league(&results, sets, &times);
    write(&args.folder, &league)?;
    let text = match common.format {
        Some(Format::Json) => json(&league)?,
        _ => league.markdown(),
    };
    print(text.as_bytes())?;
    let damaged = benches.iter().any(|bench| bench.read.damaged);
    Ok(ExitCode::from(u8::from(damaged)))
}

/// Returns all that decides what a player plays.
fn identity(player: &dyn Player) -> Result<String, PlayerError> {
    let plays = player.identity()?;
    let cube = player.with_cube().map(|player| player.cube_identity());
    let cube = cube.transpose()?.unwrap_or_default();
    Ok(format!("{plays} {cube}").trim_end().replace('\n', "; "))
}

/// Returns the name of the first player whose twin is before it in the list.
fn repeated(players: &[Box<dyn Player>], identities: &[String]) -> Option<String> {
    let twin =
        |(at, one): &(usize, &String)| identities.iter().take(*at).any(|other| other == *one);
    let (at, _) = identities.iter().enumerate().find(twin)?;
    Some(players.get(at)?.name())
}

/// Benchmark files of one set.
struct Bench {
    name: String,
    read: Read,
}

impl Bench {
    /// Reads all sets, in the order of their first files.
    fn read(paths: &[InputFile]) -> Result<Vec<Bench>, Failure> {
        let mut sets: Vec<Bench> = Vec::new();
        let files: Vec<Vec<PathBuf>> = (paths.iter())
            .map(|path| files_of(path).map_err(Failure::in_file(path)))
            .collect::<Result<_, Failure>>()?;
        for path in files.iter().flatten() {
            let stem = path
                .file_stem()
                .unwrap_or(path.as_os_str())
                .to_string_lossy();
            let name = match stem.rsplit_once('-') {
                Some((name, number)) if number.bytes().all(|one| one.is_ascii_digit()) => name,
                _ => &stem,
            };
            let at = sets.iter().position(|set| set.name == name);
            let at = at.unwrap_or_else(|| {
                let (name, read) = (name.to_owned(), Read::default());
                sets.push(Bench { name, read });
                sets.len() - 1
            });
            if let Some(set) = sets.get_mut(at) {
                set.read.add(path)?;
            }
        }
        Ok(sets)
    }
}

/// Returns a file, or those of a folder whose names end with `.bm`, in the order of their names.
fn files_of(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files: Vec<PathBuf> = (std::fs::read_dir(path)?)
        .map(|file| Ok(file?.path()))
        .collect::<io::Result<_>>()?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "bm"));
    files.sort();
    match files.is_empty() {
        true => Err(io::Error::other(
            "the folder has no file that ends with .bm",
        )),
        false => Ok(files),
    }
}

/// Returns the mean time of a player's decision, in microseconds: positions of random games, one after another.
fn microseconds(player: &dyn Player) -> Result<f64, PlayerError> {
    let mut stream = rng::stream(TIMED_SEED, 0);
    let positions = perf_positions(TIMED_DECISIONS, |bound| rng::below(&mut stream, bound));
    let decisions = || positions.iter().zip(Roll::ALL.into_iter().cycle());
    // The first round starts programs and unpacks nets.
    timed(player, decisions(), WARM_AT_MOST)?;
    let (seconds, count) = timed(player, decisions(), TIMED_AT_MOST)?;
    Ok(seconds * 1e6 / f64::from(count.max(1)))
}

/// Has a player decide until so much time is over. Returns the seconds and the number of decisions.
fn timed<'a>(
    player: &dyn Player,
    decisions: impl Iterator<Item = (&'a Position, Roll)>,
    at_most: Duration,
) -> Result<(f64, u32), PlayerError> {
    let mut chance = rng::stream(TIMED_SEED, 1);
    let (begun, mut count) = (Instant::now(), 0);
    for (position, roll) in decisions {
        player.play(position, roll, &mut chance)?;
        count += 1;
        if begun.elapsed() > at_most {
            break;
        }
    }
    Ok((begun.elapsed().as_secs_f64(), count))
}

/// A league to be played.
struct Work<'a> {
    common: &'a Common,
    args: &'a Args,
    /// Sees the luck.
    judge: Engine,
    players: Vec<Box<dyn Player>>,
    identities: Vec<String>,
}

/// Results of each player against each; `None` for itself.
type CrossResults = Vec<Vec<Option<Estimate>>>;

impl Work<'_> {
    /// Returns the place of a result in the folder. It is the same wherever its players stand in the list.
    fn journal(&self, kind: &str, of: &[&str]) -> PathBuf {
        let sum = sha256(of.join("\n").as_bytes());
        let short: String = sum.chars().take(16).collect();
        self.args.folder.join(format!("{kind}-{short}.journal"))
    }

    /// Plays all games that are not played yet. `None` after a stop.
    fn duels(&self, control: &mut Control<'_>) -> Result<Option<CrossResults>, Failure> {
        let (common, args) = (self.common, self.args);
        let plan = AdjustedPlan {
            seed: common.seed(),
            pairs: args.games.get().div_ceil(2),
            independent: false,
            terms: args.terms.terms(),
            variant: args.terms.variant(),
            starts: args.terms.starts(common.seed())?,
        };
        let stop = Stop::never();
        let state = MatchState::money(Rules::default()).with_variant(plan.variant);
        let judge = self.judge.identity()?;
        let mut results = vec![vec![None; self.players.len()]; self.players.len()];
        let mut named: Vec<_> = self
            .players
            .iter()
            .zip(&self.identities)
            .enumerate()
            .collect();
        named.sort_by_key(|(_, (_, identity))| identity.as_str());
        while let Some((first, (one, identity))) = named.pop() {
            for &(second, (other, others)) in &named {
                let context = self
                    .judge
                    .context_of(&plan.variant.start(), &state, &stop)?;
                let journal = self.journal("duel", &[identity, others]);
                let pair = [&**one, &**other];
                let outcome = play_adjusted(
                    &plan,
                    pair,
                    (context, judge.clone()),
                    Some(&journal),
                    control,
                )?;
                if !outcome.complete {
                    return Ok(None);
                }
                let seen = match plan.terms {
                    DuelTerms::Match(_) => outcome.sum.adjusted.scaled(50.0, 50.0),
                    DuelTerms::Cubeless | DuelTerms::Money(_) => outcome.sum.adjusted,
                };
                let (found, even) = (estimate(&seen), self.even());
                let mirrored = Estimate {
                    mean: 2.0 * even - found.mean,
                    ..found
                };
                for (of, against, result) in [(first, second, found), (second, first, mirrored)] {
                    if let Some(place) = results.get_mut(of).and_then(|row| row.get_mut(against)) {
                        *place = Some(result);
                    }
                }
            }
        }
        Ok(Some(results))
    }

    /// Rates all players on all files. `None` after a stop.
    fn sets(
        &self,
        benches: &[Bench],
        control: &mut Control<'_>,
    ) -> Result<Option<Vec<LeagueSet>>, Failure> {
        let table = measure_table(self.common)?;
        let mut sets = Vec::new();
        for Bench { name, read } in benches {
            let mut tallies = Vec::new();
            for (player, identity) in self.players.iter().zip(&self.identities) {
                let job = Scoring::new(&read.items, vec![&**player], &table, &read.sources)?;
                let journal = self.journal("scores", &[identity, &read.sources.concat()]);
                let outcome = Runner::new().journal(Some(&journal)).run(&job, control)?;
                if !outcome.complete {
                    return Ok(None);
                }
                let scored: Vec<Scored> = outcome.sum.into_iter().flatten().collect();
                let all = groups(&read.items, &scored, &Counting::default());
                tallies.push(all.into_iter().next().map(|all| (all.plays, all.actions)));
            }
            let plays = |tally: &(PlayTally, ActionTally)| tally.0.loss;
            let actions = |tally: &(PlayTally, ActionTally)| tally.1.loss;
            let both: [(_, &dyn Fn(&(PlayTally, ActionTally)) -> Running); 2] =
                [("plays", &plays), ("cube", &actions)];
            for (kind, losses) in both {
                let ratings: Vec<Running> = tallies
                    .iter()
                    .map(|one| one.as_ref().map(losses).unwrap_or_default())
                    .collect();
                let decisions = ratings.iter().map(Running::count).max().unwrap_or(0);
                if decisions == 0 {
                    continue;
                }
                // Half of a mean loss in thousandths of a point.
                let rating = |losses: &Running| {
                    (losses.count() > 0).then(|| estimate(&losses.scaled(0.5, 0.0)))
                };
                sets.push(LeagueSet {
                    name: name.clone(),
                    sha256: read.sources.clone(),
                    kind,
                    decisions,
                    ratings: ratings.iter().map(rating).collect(),
                });
            }
        }
        Ok(Some(sets))
    }

    /// Returns the result of two equal players.
    fn even(&self) -> f64 {
        match self.args.terms.terms() {
            DuelTerms::Cubeless | DuelTerms::Money(_) => 0.0,
            DuelTerms::Match(_) => 50.0,
        }
    }

    /// Puts the results in order, the best player first.
    fn league(&self, results: &CrossResults, sets: Vec<LeagueSet>, times: &[f64]) -> League {
        let terms = self.args.terms.terms();
        let means: Vec<Estimate> = results.iter().map(|row| mean(row)).collect();
        let mut order: Vec<usize> = (0..self.players.len()).collect();
        order.sort_by(|&a, &b| means[b].mean.total_cmp(&means[a].mean));
        let player = |&at: &usize| LeaguePlayer {
            name: self.players[at].name(),
            identity: self.identities[at].clone(),
            result: means[at],
            against: order.iter().map(|&other| results[at][other]).collect(),
            microseconds: times[at],
        };
        let reordered = |set: LeagueSet| LeagueSet {
            ratings: order.iter().map(|&at| set.ratings[at]).collect(),
            ..set
        };
        let (games, unit) = (2 * self.args.games.get().div_ceil(2), terms.unit());
        let stakes = terms.text().unwrap_or_else(|| "without a cube".to_owned());
        let variant = self.args.terms.variant();
        let seed = self.common.seed();
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        League {
            version: format!("gammond {} {COMMIT}", env!("CARGO_PKG_VERSION"))
                .trim_end()
                .to_owned(),
            command: command(),
            games: format!("{games} {unit} of {variant} between any two, {stakes}, seed {seed}"),
            unit: match terms {
                DuelTerms::Cubeless | DuelTerms::Money(_) => "points a game",
                DuelTerms::Match(_) => "per cent of matches won",
            },
            even: self.even(),
            seed,
            judge: self.judge.net_name().to_owned(),
            machine: format!(
                "one decision after another, {} kernels, {} threads",
                CpuLevel::detect().name(),
                self.common.threads.unwrap_or(processors)
            ),
            players: order.iter().map(player).collect(),
            sets: sets.into_iter().map(reordered).collect(),
        }
    }
}

fn estimate(seen: &Running) -> Estimate {
    Estimate {
        mean: seen.mean(),
        error: seen.standard_error(),
    }
}

/// Returns the mean over the opponents.
fn mean(row: &[Option<Estimate>]) -> Estimate {
    let count = row.iter().flatten().count().max(1) as f64;
    let sum: f64 = row.iter().flatten().map(|one| one.mean).sum();
    let squares: f64 = row.iter().flatten().map(|one| one.error.powi(2)).sum();
    Estimate {
        mean: sum / count,
        error: squares.sqrt() / count,
    }
}

/// Returns the command in words of a shell.
fn command() -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "-_./:=,+@%".contains(one);
    let quoted = |word: String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word,
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    let words = program::arguments().skip(1).map(quoted);
    std::iter::once("gammond".to_owned())
        .chain(words)
        .collect::<Vec<_>>()
        .join(" ")
}

fn json(league: &League) -> Result<String, Failure> {
    let text = serde_json::to_string(league).map_err(Failure::work)?;
    Ok(text + "\n")
}

/// Writes the league in all forms.
fn write(folder: &Path, league: &League) -> Result<(), Failure> {
    let forms = [
        ("league.html", league.html()),
        ("league.md", league.markdown()),
        ("league.json", json(league)?),
    ];
    for (name, text) in forms {
        let path = folder.join(name);
        write_whole(&path, text.as_bytes()).map_err(Failure::unwritten(&path))?;
    }
    Ok(())
}
