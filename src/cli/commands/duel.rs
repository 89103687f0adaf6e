//! `gammond duel`.

use crate::duels::{
    FailureArgs, FailureLog, Ratings, TermsArgs, failures, print_notes, watched, write_pair,
};
use crate::{
    Common, Count, Failure, Format, NetsArg, OutputFile, PlayerOptions, Points, ProgressArgs,
    farmed, finish, known, print,
};
use gammond_arena::duel::{
    AdjustedPlan, DuelPlan, DuelTerms, Duels, Failures, PlayedPair, Tally, play_adjusted,
    rules_text,
};
use gammond_arena::player::{Player, PlayerSpec, engine_builder};
use gammond_base::files::create_folder;
use gammond_base::stats::{Running, SprtVerdict, sequential};
use gammond_base::stop::Stop;
use gammond_engine::engine::{Engine, Nets};
use gammond_game::{MatchState, Rules, Variant};
use gammond_job::Runner;
use gammond_report::render::signed;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

farmed! {
    /// Arguments of the subcommand.
    struct Args as Job {
        /// Players: `gammond[:nets=PATH][:bearoff=DIR][:plies=N…]`, `pubeval`, `random`, `pipe:COMMAND`,
        /// `ubgi:COMMAND`, `external:HOST:PORT`; of the laboratory `linear[:FILE]`,
        /// `expectiminimax[:depth=2][:eval=PLAYER]`, `td:FILE`, `hillclimb:FILE`, `parts:FILE`; people: `pr:N`, `elo:N`.
        /// The program of `pipe:` reads lines `POSITIONID D1 D2` and writes the Position ID after its play.
        a: PlayerSpec,
        /// The other player.
        b: PlayerSpec,
        /// Games (with `--match` matches), played in pairs with the same dice and the sides changed.
        #[arg(long, default_value = "10000", value_name = "N")]
        games: Count,
        /// Stop earlier, once a sequential test (5 % errors) has decided between 0 and this many
        /// points per game (with `--match`, matches won less lost per match).
        #[arg(long, value_name = "POINTS")]
        decide: Option<Points>,
        /// Keep results in this file; the same command resumes from it after a stop.
        #[arg(long, value_name = "FILE")]
        journal: Option<OutputFile>,
        /// Take out the luck that these nets see: a path, `embedded` or `embedded:fast`. About a fiftieth of the
        /// games then gives the same precision. Such a duel does not stop early.
        #[arg(long, value_name = "NETS", conflicts_with = "decide")]
        luck_adjusted: Option<NetsArg>,
        /// Each game has dice of its own. Without this the two games of a pair have the same dice, and a player
        /// against itself is even whatever it does.
        #[arg(long)]
        independent_dice: bool,
        #[command(flatten)]
        terms: TermsArgs,
        #[command(flatten)]
        failures: FailureArgs,
    }
    refused {
        /// Write each pair of games as a match file into this folder, matches as a file each; pairs that the journal
        /// has are not played, and not written.
        #[arg(long, value_name = "DIR", conflicts_with = "luck_adjusted")]
        mat: Option<PathBuf>,
        /// Print each game when its pair is over: the board before each roll, and the play.
        #[arg(long, conflicts_with = "luck_adjusted")]
        watch: bool,
    }
    dropped {
        /// Show no progress while playing: `--progress none`.
        #[arg(long)]
        quiet: bool,
        #[command(flatten)]
        players: PlayerOptions,
        #[command(flatten)]
        progress: ProgressArgs,
    }
}

/// Hint printed by a stopped command without a journal.
const RESUME: &str = "with --journal FILE the same command could resume";

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    common.start_threads();
    let variant = args.terms.variant();
    let players = common.players_at(variant, [&args.a, &args.b], &args.players)?;
    let [a, b] = &players[..] else {
        return Err(Failure::usage("two players are required"));
    };
    if let Some(nets) = &args.luck_adjusted {
        if args.failures.rule() != Failures::End {
            return Err(Failure::usage(
                "--on-failure: with --luck-adjusted a failing program ends the duel",
            ));
        }
        return adjusted(common, args, [&**a, &**b], &nets.0);
    }
    let plan = plan_of(common, args)?;
    let mut control = common.control(args.progress.quiet(args.quiet))?;
    let journal = args.journal.as_deref();
    let pair = [&**a, &**b];
    if let Some(folder) = &args.mat {
        create_folder(folder).map_err(Failure::in_file(folder))?;
    }
    let unwritten = Mutex::new(None);
    let (names, stop) = (pair.map(Player::name), control.stop.clone());
    let write = |played: PlayedPair| {
        if args.watch {
            let sets = played.sets.iter();
            let text: String = sets.map(|games| watched(&names, &plan, games)).collect();
            if print(text.as_bytes()).is_err() {
                stop.trigger();
            }
        }
        if args.mat.is_none() {
            return;
        }
        let folder = args.mat.as_deref().unwrap_or(Path::new("."));
        if let Err(error) = write_pair(folder, &names, &plan, played) {
            let mut first = unwritten.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(error);
            stop.trigger();
        }
    };
    let failure_log = FailureLog::default();
    let report_failure = |error: &_| failure_log.report(error);
    let duels = Duels::new(&plan, &pair, vec![[0, 1]])?
        .watched((args.watch || args.mat.is_some()).then_some(&write))
        .watching_failures(&report_failure);
    let outcome = Runner::new().journal(journal).run(&duels, &mut control)?;
    drop(control);
    print_notes(pair);
    let unwritten = unwritten.into_inner();
    if let Some(error) = unwritten.unwrap_or_else(PoisonError::into_inner) {
        let folder = args.mat.as_deref().unwrap_or(Path::new("."));
        return Err(Failure::unwritten(folder)(error));
    }
    let tallies = outcome.sum;
    let tally = tallies.into_iter().next().unwrap_or_default();
    let text = if common.format == Some(Format::Json) {
        json(&tally, pair, args, &plan)
    } else {
        text_report(&tally, pair, args, &plan)
    };
    let code = finish(&text, outcome.complete, journal, RESUME)?;
    // No game is left of a program that failed in all of them (EXIT-03).
    match tally.points.count() == 0 && tally.failed != [0, 0] {
        true => Ok(ExitCode::FAILURE),
        false => Ok(code),
    }
}

/// Returns the plan of a duel that keeps its luck.
fn plan_of(common: &Common, args: &Args) -> Result<DuelPlan, Failure> {
    Ok(DuelPlan {
        seed: common.seed(),
        pairs: args.games.get().div_ceil(2),
        decide: args.decide.map(Points::get),
        independent: args.independent_dice,
        terms: args.terms.terms(),
        variant: args.terms.variant(),
        starts: args.terms.starts(common.seed())?,
        failures: args.failures.rule(),
    })
}

/// Returns the engine that takes the luck out of games of a variant.
pub(super) fn luck_judge(common: &Common, variant: Variant, nets: &str) -> Result<Engine, Failure> {
    let which = match nets {
        "embedded" => Nets::Embedded,
        "embedded:fast" => Nets::EmbeddedFast,
        path => Nets::Path(path.into()),
    };
    let met = common.match_equity_table()?;
    let mut engine = engine_builder().nets(which).threads(1).met(met);
    if let Some(folder) = common.ours_at(variant).bearoff {
        engine = engine.bearoff(folder);
    }
    Ok(engine.build()?)
}

/// Plays the duel with the luck taken out.
fn adjusted(
    common: &Common,
    args: &Args,
    players: [&dyn Player; 2],
    nets: &str,
) -> Result<ExitCode, Failure> {
    let variant = args.terms.variant();
    let engine = luck_judge(common, variant, nets)?;
    let mut control = common.control(args.progress.quiet(args.quiet))?;
    let journal = args.journal.as_deref();
    let stop = Stop::never();
    let state = MatchState::money(Rules::default()).with_variant(variant);
    let context = engine.context_of(&variant.start(), &state, &stop)?;
    let judge = (context, engine.identity()?);
    let plan = AdjustedPlan {
        seed: common.seed(),
        pairs: args.games.get().div_ceil(2),
        independent: args.independent_dice,
        terms: args.terms.terms(),
        variant,
        starts: args.terms.starts(common.seed())?,
    };
    let outcome = play_adjusted(&plan, players, judge, journal, &mut control)?;
    drop(control);
    print_notes(players);
    let (seen, terms) = (outcome.sum, plan.terms);
    let (names, games) = (players.map(Player::name), 2 * seen.points.count());
    let text = if common.format == Some(Format::Json) {
        let mut value = serde_json::json!({
            "players": names, "seed": common.seed(), terms.unit(): games, "judge": engine.net_name(),
            "variance_factor": seen.factor(),
        });
        extend(&mut value, variant_json(plan.variant));
        extend(&mut value, results(&seen.adjusted, terms));
        let unadjusted = match terms {
            DuelTerms::Match(_) => share(&seen.points),
            DuelTerms::Cubeless | DuelTerms::Money(_) => seen.points,
        };
        let (mean, error) = (unadjusted.mean(), unadjusted.known_error());
        extend(
            &mut value,
            serde_json::json!({"unadjusted": mean, "unadjusted_error": error}),
        );
        if let DuelTerms::Match(_) = terms {
            extend(
                &mut value,
                Ratings::of(&share(&seen.adjusted), terms).json(),
            );
        }
        format!("{value}\n")
    } else {
        let mut text = format!(
            "{} against {}{}, seed {}, luck judged by {}\n{}with the luck {}; variance / {:.0}\n",
            names[0],
            names[1],
            of_variant(plan.variant),
            common.seed(),
            engine.net_name(),
            headline(games, &seen.adjusted, terms),
            brief(&seen.points, terms),
            seen.factor()
        );
        if let DuelTerms::Match(_) = terms {
            text.push_str(&Ratings::of(&share(&seen.adjusted), terms).text_report());
        }
        text
    };
    finish(&text, outcome.complete, journal, RESUME)
}

/// Returns the words for a variant that is not the usual one.
fn of_variant(variant: Variant) -> String {
    match variant {
        Variant::Backgammon => String::new(),
        other => format!(" at {}", other.name()),
    }
}

/// Returns the member for a variant that is not the usual one.
fn variant_json(variant: Variant) -> serde_json::Value {
    match variant {
        Variant::Backgammon => serde_json::Value::Null,
        other => serde_json::json!({"variant": other.name()}),
    }
}

/// Text in place of an interval.
const TOO_FEW: &str = "too few games for an interval";

/// Returns matches won less lost as the share won.
fn share(points: &Running) -> Running {
    points.scaled(0.5, 0.5)
}

/// Formats the number of games and their result.
fn headline(games: u64, points: &Running, terms: DuelTerms) -> String {
    let played = match terms {
        DuelTerms::Cubeless => format!("{games} games"),
        DuelTerms::Money(rules) => format!("{games} money games, {}", rules_text(rules)),
        DuelTerms::Match(length) => {
            let won = share(points);
            let interval = match won.share_interval99() {
                Some([low, high]) => {
                    format!("99 % interval {:.2} to {:.2}", 100.0 * low, 100.0 * high)
                }
                None => TOO_FEW.to_owned(),
            };
            return format!(
                "{games} matches to {length} points: won {:.2} %, standard error {:.2}, {interval}\n",
                100.0 * won.mean(),
                100.0 * won.share_error()
            );
        }
    };
    let error = known(points.known_error(), 4);
    let interval = match points.shown_interval99() {
        Some([low, high]) => format!("99 % interval {} to {}", signed(low, 4), signed(high, 4)),
        None => TOO_FEW.to_owned(),
    };
    let mean = signed(points.mean(), 4);
    format!("{played}: {mean} points per game, standard error {error}, {interval}\n")
}

/// Formats the mean and standard error.
fn brief(points: &Running, terms: DuelTerms) -> String {
    match terms {
        DuelTerms::Match(_) => {
            let won = share(points);
            format!(
                "{:.2} +- {:.2} %",
                100.0 * won.mean(),
                100.0 * won.share_error()
            )
        }
        DuelTerms::Cubeless | DuelTerms::Money(_) => {
            let error = known(points.known_error(), 4);
            format!("{} +- {error}", signed(points.mean(), 4))
        }
    }
}

/// Returns the mean, error and interval under the names that suit the terms.
fn results(points: &Running, terms: DuelTerms) -> serde_json::Value {
    let (name, mean, error, interval) = match terms {
        DuelTerms::Match(_) => {
            let won = share(points);
            let (error, interval) = (Some(won.share_error()), won.share_interval99());
            ("matches_won", won.mean(), error, interval)
        }
        DuelTerms::Cubeless | DuelTerms::Money(_) => {
            let (error, interval) = (points.known_error(), points.shown_interval99());
            ("points_per_game", points.mean(), error, interval)
        }
    };
    let mut value = serde_json::json!({
        name: mean, "standard_error": error, "interval99": interval,
    });
    if let Some(text) = terms.text() {
        extend(&mut value, serde_json::json!({"terms": text}));
    }
    value
}

/// Adds the fields of `more`.
fn extend(value: &mut serde_json::Value, more: serde_json::Value) {
    if let (Some(value), serde_json::Value::Object(more)) = (value.as_object_mut(), more) {
        value.extend(more);
    }
}

fn verdict(tally: &Tally, args: &Args) -> Option<(f64, &'static str)> {
    let (ratio, verdict) = sequential(&tally.points, 0.0, args.decide?.get());
    let word = match verdict {
        SprtVerdict::Open => "open",
        SprtVerdict::Lower => "lower",
        SprtVerdict::Higher => "higher",
    };
    Some((ratio, word))
}

fn text_report(tally: &Tally, players: [&dyn Player; 2], args: &Args, plan: &DuelPlan) -> String {
    let (games, names) = (tally.games(), players.map(Player::name));
    let mut text = format!(
        "{} against {}{}, seed {}\n",
        names[0],
        names[1],
        of_variant(plan.variant),
        plan.seed
    );
    text.push_str(&headline(games, &tally.points, plan.terms));
    let percent = |n: u64| 100.0 * n as f64 / games.max(1) as f64;
    for (name, [wins, gammons, backgammons]) in names.iter().zip(tally.wins) {
        let (wins, gammons, backgammons) = (percent(wins), percent(gammons), percent(backgammons));
        match plan.terms {
            DuelTerms::Cubeless => text.push_str(&format!(
                "{name}: won {wins:.2} %, gammons {gammons:.2} %, backgammons {backgammons:.2} %\n"
            )),
            DuelTerms::Money(_) => text.push_str(&format!("{name}: won {wins:.2} %\n")),
            DuelTerms::Match(_) => {}
        }
    }
    text.push_str(&Ratings::of(&tally.won, plan.terms).text_report());
    text.push_str(&failures(tally, [&names[0], &names[1]], plan));
    if let Some((ratio, word)) = verdict(tally, args) {
        text.push_str(&format!(
            "sequential test: {word} (log ratio {})\n",
            signed(ratio, 3)
        ));
    }
    text
}

fn json(tally: &Tally, players: [&dyn Player; 2], args: &Args, plan: &DuelPlan) -> String {
    let mut value = serde_json::json!({
        "players": players.map(Player::name),
        "seed": plan.seed,
        plan.terms.unit(): tally.games(),
        "sequential": verdict(tally, args).map(|v| v.1),
    });
    extend(&mut value, variant_json(plan.variant));
    extend(&mut value, results(&tally.points, plan.terms));
    extend(&mut value, Ratings::of(&tally.won, plan.terms).json());
    match plan.terms {
        DuelTerms::Cubeless => extend(&mut value, serde_json::json!({"wins": tally.wins})),
        DuelTerms::Money(_) | DuelTerms::Match(_) => {
            let wins = tally.wins.map(|[wins, _, _]| wins);
            extend(&mut value, serde_json::json!({"wins": wins}));
        }
    }
    if tally.failed != [0, 0] {
        let failed = serde_json::json!({"failed": tally.failed, "void": tally.void});
        extend(&mut value, failed);
    }
    format!("{value}\n")
}
