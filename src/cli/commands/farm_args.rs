//! Arguments of the commands that a farm runs, to the fields of a job and back.
//!
//! Every struct is taken apart field by field, without `..`: an option that is new does not compile before it is decided
//! whether, and in which form, it travels.

use super::farm_files::{JobFiles, JobPaths, output, some_output, words};
use super::{bench, bench_regret, duel, gate, label, rollout, sample, tournament};
use crate::duels::{FailureArgs, FailureRule, TermsArgs};
use crate::{Failure, PlayerOptions, ProgressArgs};
use gammond_farm::spec::{
    BenchSpec, DuelSpec, FailuresSpec, GateSpec, LabelSpec, List, OnlySpec, RegretSpec,
    RolloutFileSpec, RolloutSpec, SampleSpec, TermsSpec, TournamentSpec, Word,
};
use gammond_train::player::NotPortable;

pub(super) fn not_here(option: &str) -> Failure {
    Failure::usage(format!(
        "{option}: not on a farm, which divides the work itself"
    ))
}

pub(super) fn no_farm_command(name: &str) -> Failure {
    Failure::usage(format!(
        "a farm does not run '{name}'; it runs rollout, label, sample, bench, bench regret, duel, gate, tournament"
    ))
}

/// Converts a number whose type limits it to less than `T` holds.
pub(super) fn narrow<T: TryFrom<u64> + Default>(number: u64) -> T {
    T::try_from(number).unwrap_or_default()
}

/// Refuses what ends by the clock, which comes out differently on each machine.
pub(super) fn timeless(request: &[String]) -> Result<(), NotPortable> {
    let key = |word: &String| word.split_once('=').map(|(key, _)| key.to_owned());
    let keys = request.iter().filter_map(key);
    match keys.into_iter().any(|key| key.eq_ignore_ascii_case("time")) {
        true => Err(NotPortable(
            "time=: a farm computes what is the same on every machine; say how many trials, or se= or jsd="
                .to_owned(),
        )),
        false => Ok(()),
    }
}

pub(super) fn rollout_spec(
    args: &rollout::Args,
    job_files: &mut JobFiles,
) -> Result<RolloutSpec, Failure> {
    let rollout::Args {
        request,
        other_nets,
        file,
        progress: _,
    } = args;
    let rollout::FileArgs {
        bm_in,
        again,
        out,
        best,
        full,
        only,
        error_share,
        quota,
        before_roll,
        cube,
        contributor,
        sign,
        signers,
        part,
        merge,
    } = file;
    if part.is_some() {
        return Err(not_here("--part"));
    }
    if !merge.is_empty() {
        return Err(not_here("--merge"));
    }
    if contributor.is_some() {
        return Err(not_here("--contributor"));
    }
    if sign.is_some() || signers.is_some() {
        return Err(not_here("--sign"));
    }
    if cube.is_some() {
        return Err(not_here("--cube"));
    }
    if matches!(full, Some(Some(_))) {
        return Err(not_here("--full=N"));
    }
    let quota: Vec<String> = quota.iter().map(ToString::to_string).collect();
    let file = match out {
        None => None,
        Some(out) => Some(RolloutFileSpec {
            bm_in: job_files.files(bm_in)?,
            again: job_files.some_file(again.as_ref())?,
            out: output(out)?,
            best: u64::from(*best).try_into()?,
            full: full.is_some(),
            only: match only {
                rollout::Only::All => OnlySpec::All,
                rollout::Only::Decided => OnlySpec::Decided,
                rollout::Only::Disputed => OnlySpec::Disputed,
            },
            error_share: (*error_share).try_into()?,
            quota: words(&quota)?,
            before_roll: *before_roll,
        }),
    };
    Ok(RolloutSpec {
        request: words(request)?,
        other_nets: job_files.some_nets(other_nets.as_ref())?,
        file,
    })
}

pub(super) fn rollout_args(
    spec: RolloutSpec,
    job_paths: &JobPaths<'_>,
) -> Result<rollout::Args, NotPortable> {
    let RolloutSpec {
        request,
        other_nets,
        file,
    } = spec;
    let request = strings(request);
    timeless(&request)?;
    Ok(rollout::Args {
        request,
        other_nets: job_paths.some_nets(other_nets)?,
        file: match file {
            Some(file) => rollout_file_args(file, job_paths)?,
            None => rollout::FileArgs::none(),
        },
        progress: ProgressArgs::default(),
    })
}

pub(super) fn rollout_file_args(
    spec: RolloutFileSpec,
    job_paths: &JobPaths<'_>,
) -> Result<rollout::FileArgs, NotPortable> {
    let RolloutFileSpec {
        bm_in,
        again,
        out,
        best,
        full,
        only,
        error_share,
        quota,
        before_roll,
    } = spec;
    let quota = strings(quota).into_iter().map(|quota| {
        let read = quota.parse();
        read.map_err(|_| NotPortable("a quota of the job is none".to_owned()))
    });
    Ok(rollout::FileArgs {
        bm_in: job_paths.files(bm_in)?,
        again: job_paths.some_file(again)?,
        out: Some(job_paths.output(out)),
        best: narrow(best.into()),
        full: full.then_some(None),
        only: match only {
            OnlySpec::All => rollout::Only::All,
            OnlySpec::Decided => rollout::Only::Decided,
            OnlySpec::Disputed => rollout::Only::Disputed,
        },
        error_share: error_share.into(),
        quota: quota.collect::<Result<_, _>>()?,
        before_roll,
        cube: None,
        contributor: None,
        sign: None,
        signers: None,
        part: None,
        merge: Vec::new(),
    })
}

pub(super) fn strings(words: List<Word>) -> Vec<String> {
    let words: Vec<Word> = words.into();
    words.into_iter().map(String::from).collect()
}

pub(super) fn label_spec(
    args: &label::Args,
    job_files: &mut JobFiles,
) -> Result<LabelSpec, Failure> {
    let label::Args {
        input,
        output: written,
        games,
        progress: _,
    } = args;
    let games = games.map(|games| u64::from(games).try_into());
    Ok(LabelSpec {
        input: job_files.file(input)?,
        output: output(written)?,
        games: games.transpose()?,
    })
}

pub(super) fn label_args(
    spec: LabelSpec,
    job_paths: &JobPaths<'_>,
) -> Result<label::Args, NotPortable> {
    let LabelSpec {
        input,
        output,
        games,
    } = spec;
    Ok(label::Args {
        input: job_paths.file(input)?,
        output: job_paths.output(output),
        games: games.map(|games| narrow(games.into())),
        progress: ProgressArgs::default(),
    })
}

pub(super) fn sample_spec(
    args: &sample::Args,
    job_files: &mut JobFiles,
) -> Result<SampleSpec, Failure> {
    let sample::Args {
        other,
        file,
        positions,
        games,
        disagreements,
        from,
        progress: _,
    } = args;
    let file = match (other, file) {
        (None, Some(file)) => file,
        _ => return Err(no_farm_command("sample dump")),
    };
    let plies = disagreements.map(|plies| u64::from(plies).try_into());
    Ok(SampleSpec {
        file: output(file)?,
        positions: (*positions as u64).try_into()?,
        games: job_files.some_file(games.as_ref())?,
        disagreements: plies.transpose()?,
        from: job_files.some_file(from.as_ref())?,
    })
}

pub(super) fn sample_args(
    spec: SampleSpec,
    job_paths: &JobPaths<'_>,
) -> Result<sample::Args, NotPortable> {
    let SampleSpec {
        file,
        positions,
        games,
        disagreements,
        from,
    } = spec;
    Ok(sample::Args {
        other: None,
        file: Some(job_paths.output(file)),
        positions: narrow(positions.into()),
        games: job_paths.some_file(games)?,
        disagreements: disagreements.map(|plies| narrow(plies.into())),
        from: job_paths.some_file(from)?,
        progress: ProgressArgs::default(),
    })
}

pub(super) fn bench_spec(
    args: &bench::Args,
    job_files: &mut JobFiles,
) -> Result<BenchSpec, Failure> {
    let bench::Args {
        other: _,
        files,
        outside,
        interesting,
        by_range,
        csv,
        svg,
        records,
        journal,
        players,
        progress: _,
    } = args;
    let by_range: Result<Vec<_>, NotPortable> = (by_range.iter())
        .map(|&points| u64::from(points).try_into())
        .collect();
    Ok(BenchSpec {
        files: job_files.files(files)?,
        skip_outside: *outside == bench::Outside::Skip,
        interesting: *interesting,
        by_range: by_range?.try_into()?,
        csv: *csv,
        svg: some_output(svg.as_ref())?,
        records: *records,
        journal: some_output(journal.as_ref())?,
        players: job_files.measured(players)?,
    })
}

pub(super) fn bench_args(
    spec: BenchSpec,
    job_paths: &JobPaths<'_>,
) -> Result<bench::Args, NotPortable> {
    let BenchSpec {
        files,
        skip_outside,
        interesting,
        by_range,
        csv,
        svg,
        records,
        journal,
        players,
    } = spec;
    let by_range: Vec<_> = by_range.into();
    Ok(bench::Args {
        other: None,
        files: job_paths.files(files)?,
        outside: match skip_outside {
            true => bench::Outside::Skip,
            false => bench::Outside::Worst,
        },
        interesting,
        by_range: (by_range.into_iter())
            .map(|points| narrow(points.into()))
            .collect(),
        csv,
        svg: job_paths.some_output(svg),
        records,
        journal: job_paths.some_output(journal),
        players: job_paths.measured(players)?,
        progress: ProgressArgs::default(),
    })
}

pub(super) fn regret_spec(
    args: &bench_regret::Args,
    job_files: &mut JobFiles,
) -> Result<RegretSpec, Failure> {
    let bench_regret::Args {
        file,
        decisions,
        judges,
        candidates,
        journal,
        players,
        progress: _,
    } = args;
    Ok(RegretSpec {
        file: job_files.file(file)?,
        decisions: u64::from(*decisions).try_into()?,
        judges: job_files.players(judges)?,
        candidates: u64::from(*candidates).try_into()?,
        journal: some_output(journal.as_ref())?,
        players: job_files.measured(players)?,
    })
}

pub(super) fn regret_args(
    spec: RegretSpec,
    job_paths: &JobPaths<'_>,
) -> Result<bench_regret::Args, NotPortable> {
    let RegretSpec {
        file,
        decisions,
        judges,
        candidates,
        journal,
        players,
    } = spec;
    Ok(bench_regret::Args {
        file: job_paths.file(file)?,
        decisions: narrow(decisions.into()),
        judges: job_paths.players(judges)?,
        candidates: narrow(candidates.into()),
        journal: job_paths.some_output(journal),
        players: job_paths.measured(players)?,
        progress: ProgressArgs::default(),
    })
}

pub(super) fn terms_spec(terms: &TermsArgs) -> Result<TermsSpec, Failure> {
    let TermsArgs {
        cube,
        no_jacoby,
        match_length,
    } = terms;
    Ok(match (match_length, cube) {
        (Some(length), _) => TermsSpec::Match(u64::from(*length).try_into()?),
        (None, true) => TermsSpec::Money { jacoby: !no_jacoby },
        (None, false) => TermsSpec::Cubeless,
    })
}

pub(super) fn terms_args(terms: TermsSpec) -> TermsArgs {
    let (cube, no_jacoby, match_length) = match terms {
        TermsSpec::Cubeless => (false, false, None),
        TermsSpec::Money { jacoby } => (true, !jacoby, None),
        TermsSpec::Match(length) => (false, false, Some(narrow(length.into()))),
    };
    TermsArgs {
        cube,
        no_jacoby,
        match_length,
    }
}

pub(super) const fn failures_spec(failures: &FailureArgs) -> FailuresSpec {
    match failures.on_failure {
        FailureRule::End => FailuresSpec::End,
        FailureRule::Void => FailuresSpec::Void,
        FailureRule::Forfeit => FailuresSpec::Forfeit,
    }
}

pub(super) const fn failures_args(failures: FailuresSpec) -> FailureArgs {
    FailureArgs {
        on_failure: match failures {
            FailuresSpec::End => FailureRule::End,
            FailuresSpec::Void => FailureRule::Void,
            FailuresSpec::Forfeit => FailureRule::Forfeit,
        },
    }
}

pub(super) fn duel_spec(args: &duel::Args, job_files: &mut JobFiles) -> Result<DuelSpec, Failure> {
    let duel::Args {
        a,
        b,
        games,
        decide,
        journal,
        luck_adjusted,
        independent_dice,
        mat,
        watch,
        quiet: _,
        terms,
        failures,
        players: _,
        progress: _,
    } = args;
    if mat.is_some() {
        return Err(not_here("--mat"));
    }
    if *watch {
        return Err(not_here("--watch"));
    }
    Ok(DuelSpec {
        a: job_files.player(a)?,
        b: job_files.player(b)?,
        games: (*games).try_into()?,
        decide: decide.map(TryInto::try_into).transpose()?,
        journal: some_output(journal.as_ref())?,
        luck_adjusted: job_files.some_nets(luck_adjusted.as_ref())?,
        independent_dice: *independent_dice,
        terms: terms_spec(terms)?,
        failures: failures_spec(failures),
    })
}

pub(super) fn duel_args(
    spec: DuelSpec,
    job_paths: &JobPaths<'_>,
) -> Result<duel::Args, NotPortable> {
    let DuelSpec {
        a,
        b,
        games,
        decide,
        journal,
        luck_adjusted,
        independent_dice,
        terms,
        failures,
    } = spec;
    Ok(duel::Args {
        a: job_paths.player(&a)?,
        b: job_paths.player(&b)?,
        games: games.into(),
        decide: decide.map(Into::into),
        journal: job_paths.some_output(journal),
        luck_adjusted: job_paths.some_nets(luck_adjusted)?,
        independent_dice,
        mat: None,
        watch: false,
        quiet: false,
        terms: terms_args(terms),
        failures: failures_args(failures),
        players: PlayerOptions::default(),
        progress: ProgressArgs::default(),
    })
}

pub(super) fn gate_spec(args: &gate::Args, job_files: &mut JobFiles) -> Result<GateSpec, Failure> {
    let gate::Args {
        candidate,
        against,
        games,
        lead,
        bench,
        install,
        journal,
        progress: _,
        players: _,
    } = args;
    Ok(GateSpec {
        candidate: job_files.player(candidate)?,
        against: job_files.players(against)?,
        games: (*games).try_into()?,
        lead: (*lead).try_into()?,
        bench: job_files.files(bench)?,
        install: some_output(install.as_ref())?,
        journal: some_output(journal.as_ref())?,
    })
}

pub(super) fn gate_args(
    spec: GateSpec,
    job_paths: &JobPaths<'_>,
) -> Result<gate::Args, NotPortable> {
    let GateSpec {
        candidate,
        against,
        games,
        lead,
        bench,
        install,
        journal,
    } = spec;
    Ok(gate::Args {
        candidate: job_paths.player(&candidate)?,
        against: job_paths.players(against)?,
        games: games.into(),
        lead: lead.into(),
        bench: job_paths.files(bench)?,
        install: job_paths.some_output(install),
        journal: job_paths.some_output(journal),
        progress: ProgressArgs::default(),
        players: PlayerOptions::default(),
    })
}

pub(super) fn tournament_spec(
    args: &tournament::Args,
    job_files: &mut JobFiles,
) -> Result<TournamentSpec, Failure> {
    let tournament::Args {
        players,
        games,
        terms,
        failures,
        svg,
        with: _,
        journal,
        progress: _,
    } = args;
    Ok(TournamentSpec {
        players: job_files.players(players)?,
        games: (*games).try_into()?,
        terms: terms_spec(terms)?,
        failures: failures_spec(failures),
        svg: some_output(svg.as_ref())?,
        journal: some_output(journal.as_ref())?,
    })
}

pub(super) fn tournament_args(
    spec: TournamentSpec,
    job_paths: &JobPaths<'_>,
) -> Result<tournament::Args, NotPortable> {
    let TournamentSpec {
        players,
        games,
        terms,
        failures,
        svg,
        journal,
    } = spec;
    let players = job_paths.players(players)?;
    if players.len() < 2 {
        return Err(NotPortable("a tournament needs two players".to_owned()));
    }
    Ok(tournament::Args {
        players,
        games: games.into(),
        terms: terms_args(terms),
        failures: failures_args(failures),
        svg: job_paths.some_output(svg),
        with: PlayerOptions::default(),
        journal: job_paths.some_output(journal),
        progress: ProgressArgs::default(),
    })
}
