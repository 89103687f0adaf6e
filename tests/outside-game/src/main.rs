//! A stranger's program that needs no engine: rules, notations and match files.

use gammond_game::notation::{
    BoardLine, GnubgId, MatAction, MatchFile, MatchFormat, Ogid, PositionId, Xgid, parse_play,
    parse_position, parse_roll, play_text,
};
use gammond_game::{Cube, CubeOwner, MatchState, Position, Roll, Score, legal_plays};
use std::error::Error;

const FILE: &str = " 3 point match\n\n Game 1\n Ann : 0                   Bob : 0\n  1) 31: 8/5 6/5                 42: 8/4 6/4\n";

fn main() -> Result<(), Box<dyn Error>> {
    // Positions in every notation, both ways.
    let start = "4HPwATDgc/ABMA".parse::<PositionId>()?.position();
    assert_eq!(start, Position::start());
    assert_eq!((start.has_contact(), start.me().pips()), (true, 167));
    let xgid: Xgid = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10".parse()?;
    assert_eq!(xgid.view()?.position, start);
    assert!("4HPwATDgc/ABMA:cAkAAAAAAAAE".parse::<GnubgId>().is_ok());
    assert!(
        "11jjjjjhhhccccc:ooddddd88866666:N0N:52:W:IW:0:0:7:0"
            .parse::<Ogid>()
            .is_ok()
    );
    assert!("board:a:b".parse::<BoardLine>().is_err());
    let wrong = parse_position(b"hello").expect_err("no position");
    assert_eq!(
        (wrong.field(), wrong.code()),
        ("position ID", "bad-position")
    );

    // Rules.
    let roll = parse_roll(b"31")?;
    assert_eq!(roll, Roll::new(3, 1)?);
    let plays = legal_plays(&start, roll);
    let play = parse_play(b"8/5 6/5", &start, roll)?;
    assert_eq!(
        (plays.len(), play_text(&start, &play.play)),
        (16, "8/5 6/5".to_owned())
    );
    let state = MatchState {
        cube: Cube::new(2, CubeOwner::Me)?,
        score: Score::new(7, 3, 2, false)?,
        ..MatchState::default()
    };
    assert_eq!((state.score.length(), state.cube.value()), (7, 2));
    assert!(Score::new(7, 9, 2, false).is_err() && Roll::new(7, 1).is_err());

    // Match files: read, and written in each format that is written.
    let file: MatchFile = FILE.parse()?;
    let played = |file: &MatchFile| -> Vec<MatAction> {
        let games = file.games.iter();
        games
            .flat_map(|game| game.actions.iter().map(|(_, action)| *action))
            .collect()
    };
    assert_eq!((file.length, played(&file).len()), (3, 2));
    for format in MatchFormat::written() {
        let bytes = file.write(format, None)?;
        assert_eq!(MatchFormat::of(&bytes), format);
        assert_eq!(played(&MatchFile::parse(&bytes)?), played(&file));
    }
    println!("ok");
    Ok(())
}
