//! A stranger's program: everything here is what the documentation of gammond's root shows.

use gammond_engine::game::notation::{
    GnubgId, PositionId, Xgid, parse_play, parse_position, play_text,
};
use gammond_engine::game::{
    Chances, Cube, CubeOwner, MatchState, Position, Roll, Rules, Score, legal_plays,
};
use gammond_engine::{
    CubeQuery, Engine, EngineError, EvalQuery, MoveFilter, Nets, PlayQuery, Settings, Stop, Verdict,
};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    // Text and positions.
    let start = "4HPwATDgc/ABMA".parse::<PositionId>()?.position();
    assert_eq!(start, Position::start());
    assert_eq!(PositionId::from(start).to_string(), "4HPwATDgc/ABMA");
    let xgid: Xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10".parse()?;
    assert_eq!(xgid.view()?.position, start);
    assert!("4HPwATDgc/ABMA:cAkAAAAAAAAE".parse::<GnubgId>().is_ok());
    let wrong = parse_position(b"hello").expect_err("no position");
    assert_eq!(wrong.field(), "position ID");

    // Rules.
    let roll = Roll::new(3, 1)?;
    assert_eq!(legal_plays(&start, roll).len(), 16);
    assert!(Roll::new(7, 1).is_err());
    let play = parse_play(b"8/5 6/5", &start, roll)?;

    // Questions.
    let engine = Engine::builder().nets(Nets::Embedded).threads(2).build()?;
    let money = MatchState::money(Rules::default());
    let ranked = engine.rank_plays(
        &PlayQuery::new(start, roll, money),
        &Settings::plies(1).with_filter(MoveFilter::TINY).with_top(3),
        &Stop::never(),
    )?;
    assert_eq!(ranked.plays.len(), 3);
    assert_eq!(play_text(&start, &ranked.best().play), "8/5 6/5");
    assert_eq!(ranked.best().play, play.play);

    let settings = Settings::plies(0).with_cubeful(false);
    let found = engine.evaluate(&EvalQuery::new(start, money), &settings, &Stop::never())?;
    assert!(found.cubeful.is_none() && found.cubeless.mwc.is_none());
    let Chances {
        win, win_gammon, ..
    } = found.chances;
    assert!(win > 0.5 && win_gammon < win);

    let state = MatchState {
        cube: Cube::new(2, CubeOwner::Me)?,
        score: Score::new(7, 3, 2, false)?,
        ..MatchState::default()
    };
    let answer = engine.cube_action(&CubeQuery::new(start, state), &settings, &Stop::never())?;
    assert_eq!(answer.verdict, Verdict::NoRedoubleTake);

    // Stopped work says so; a missing file is an error and no panic.
    let stop = Stop::new();
    stop.trigger();
    let stopped = engine.evaluate(&EvalQuery::new(start, money), &Settings::plies(2), &stop);
    assert!(matches!(stopped, Err(EngineError::Stopped)));
    let missing = Engine::builder()
        .nets(Nets::Path("no/such/file".into()))
        .build();
    assert!(matches!(missing, Err(EngineError::File { .. })));
    println!("ok: {}", engine.net_name());
    Ok(())
}
