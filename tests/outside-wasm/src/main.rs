//! The answers to a list of questions, to the last bit: the same on every machine and in every build.

use gammond_engine::bearoff::{Numbering, make};
use gammond_engine::eval::nets::EMBEDDED;
use gammond_engine::game::{
    Cube, CubeOwner, MatchState, Position, Roll, Rules, Score, Side, perf_positions,
};
use gammond_engine::query::{Question, RolloutQuery, RolloutSettings, RolloutSubject, Truncation};
use gammond_engine::{CubeQuery, Engine, EvalQuery, MoveFilter, Nets, PlayQuery, Settings, Stop};
use std::error::Error;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A millisecond later each time it is asked.
fn clock() -> Duration {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    Duration::from_millis(ASKED.fetch_add(1, Ordering::Relaxed))
}

/// Returns a small number below `bound`, from a sequence that is the same everywhere.
fn draw(state: &mut u64, bound: u32) -> u32 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1);
    ((*state >> 33) % u64::from(bound)) as u32
}

fn side(points: &[usize]) -> Result<Side, Box<dyn Error>> {
    let mut counts = [0; 25];
    points.iter().for_each(|&point| counts[point - 1] += 1);
    Side::from_counts(&counts).ok_or_else(|| "no such side".into())
}

fn main() -> Result<(), Box<dyn Error>> {
    let stop = Stop::never();
    let mut seed = 1;
    let mut positions = perf_positions(400, |bound| draw(&mut seed, bound));
    // Of the two-sided table, of the one-sided one, between them, and beyond both.
    let homes: [&[usize]; 4] = [&[1, 2, 5], &[6, 6, 5, 4, 3, 2, 1], &[6; 15], &[7, 6, 3]];
    for [me, opponent] in [[0, 0], [1, 1], [0, 1], [2, 1], [3, 0], [3, 3]] {
        let position = Position::from_sides(side(homes[me])?, side(homes[opponent])?);
        positions.push(position);
    }
    let money = MatchState::money(Rules::default());
    let score = MatchState {
        cube: Cube::new(2, CubeOwner::Me)?,
        score: Score::new(7, 3, 2, false)?,
        ..MatchState::default()
    };
    let mut out = String::new();

    let builder = || Engine::builder().clock(clock).threads(0);
    let engine = builder().nets(Nets::Embedded).build()?;
    let sixty_two = Roll::new(6, 2)?;
    writeln!(out, "{} {}", engine.net_name(), engine.identity()?)?;
    for position in &positions {
        let query = EvalQuery::new(*position, money);
        writeln!(
            out,
            "{:?}",
            engine.evaluate(&query, &Settings::plies(0), &stop)?
        )?;
    }
    for position in positions.iter().step_by(60) {
        let query = PlayQuery::new(*position, sixty_two, score);
        writeln!(
            out,
            "{:?}",
            engine.rank_plays(&query, &Settings::plies(1), &stop)?
        )?;
    }

    let engine = builder().nets(Nets::EmbeddedFast).build()?;
    for position in positions.iter().step_by(20) {
        let query = EvalQuery::new(*position, score);
        writeln!(
            out,
            "{:?}",
            engine.evaluate(&query, &Settings::plies(1), &stop)?
        )?;
        let query = CubeQuery::new(*position, money);
        writeln!(
            out,
            "{:?}",
            engine.cube_action(&query, &Settings::plies(1), &stop)?
        )?;
    }
    let swift = Settings::plies(2).with_filter(MoveFilter::SWIFT);
    for position in positions.iter().step_by(130) {
        let query = PlayQuery::new(*position, sixty_two, money);
        writeln!(out, "{:?}", engine.rank_plays(&query, &swift, &stop)?)?;
        let rolls = Question::Rolls(EvalQuery::new(*position, money));
        writeln!(
            out,
            "{:?}",
            engine.answer(&rolls, &Settings::plies(0), &stop)?
        )?;
    }
    // As deep as the caller's clock allows.
    for milliseconds in [0, 60] {
        let query = PlayQuery::new(Position::start(), sixty_two, money);
        let settings = Settings::default().with_time_ms(milliseconds);
        writeln!(out, "{:?}", engine.rank_plays(&query, &settings, &stop)?)?;
    }
    for subject in [RolloutSubject::Position, RolloutSubject::Best(sixty_two, 2)] {
        let query = RolloutQuery {
            position: Position::start(),
            state: money,
            subject,
        };
        let mut settings = RolloutSettings::default();
        settings.trials = 36;
        settings.truncate = Truncation::Turns(4);
        let mut rounds = 0;
        let answer = engine.rollout(&query, &settings, &stop, &mut |_| rounds += 1)?;
        writeln!(out, "{rounds} {answer:?}")?;
    }

    // Nets and tables as bytes.
    let contact = EMBEDDED.iter().filter(|net| net.name() == "contact.net");
    let nets: Vec<_> = contact
        .map(|net| (net.name().to_owned(), net.bytes()))
        .collect();
    let numbering = Numbering::new(7, 3).ok_or("no such numbering")?;
    let table = ("one.bd".to_owned(), make::one_sided(numbering, true, true));
    let builder = builder().nets(Nets::Bytes(nets.into()));
    let engine = builder.bearoff_bytes(vec![table]).build()?;
    writeln!(
        out,
        "{:?} {}",
        engine.bearoff_databases(),
        engine.identity()?
    )?;
    for position in positions.iter().rev().take(20) {
        let query = EvalQuery::new(*position, money);
        writeln!(
            out,
            "{:?}",
            engine.evaluate(&query, &Settings::plies(0), &stop)?
        )?;
    }

    // Without a system a path and a time are refused in a sentence.
    if !cfg!(feature = "system") {
        let missing = Engine::builder().nets(Nets::Path("a.net".into())).build();
        let reason = missing.err().map(|error| error.to_string());
        let wanted = "a.net: this build opens no files; pass their contents as bytes";
        assert_eq!(reason.as_deref(), Some(wanted));
        let plain = Engine::builder().nets(Nets::EmbeddedFast).build()?;
        let settings = Settings::default().with_time_ms(5);
        let query = EvalQuery::new(Position::start(), money);
        let refused = plain.evaluate(&query, &settings, &stop).err();
        let reason = refused.map(|error| error.to_string()).unwrap_or_default();
        assert!(
            reason.starts_with("a time budget needs a clock"),
            "{reason}"
        );
    }
    print!("{out}");
    Ok(())
}
