//! GNU Backgammon's text export, one game a file: boards as pictures, sentences between them, and its analyses. Rules
//! MAT-51 and MAT-52 of `protocol-specs/match-files.md`.

use super::file_analysis::{FileAnalysis, FileCube, FilePlay};
use super::record::{LENGTH_MAX, MatPlayer, SetUp};
use super::recorder::{FieldError, Recorder};
use crate::notation::error::{Code, NotationError, Reason, quoted};
use crate::notation::{MatchId, PositionId, parse_play};
use crate::{Chances, CubeOwner, Position, Roll};
use std::borrow::Cow;

const BEGIN: &str = "The score (after ";
/// Maximum number of candidates of a play that are kept.
const CANDIDATES_MAX: usize = 64;

/// Returns true if a text begins like such an export.
pub(super) fn is_gnubg_text(text: &[u8]) -> bool {
    text.trim_ascii_start().starts_with(BEGIN.as_bytes())
}

/// Reads a whole file; it may contain several exports in sequence.
pub(super) fn read(text: &str, recorder: &mut Recorder) -> Result<(), NotationError> {
    let mut reader = Reader {
        recorder,
        to_play: None,
        before: Position::start(),
        roll: None,
        analysis: FileAnalysis::default(),
        cube: Cube::default(),
    };
    let mut at = 0;
    for (number, line) in (1..).zip(text.split('\n')) {
        if let Err(wrong) = reader.line((number, at), line.trim_end()) {
            if reader.recorder.file.games.is_empty() {
                let (field, reason) = wrong;
                return Err(NotationError::new(Code::BadMatchFile, field, reason, at));
            }
            reader.recorder.give_up(number, at, wrong);
        }
        at += line.len() + 1;
    }
    reader.end_action();
    reader.end_roll();
    Ok(())
}

/// A cube analysis on its way in.
#[derive(Default)]
struct Cube {
    level: String,
    chances: Option<Chances>,
    no_double: Option<f64>,
    double_take: Option<f64>,
    double_pass: Option<f64>,
}

impl Cube {
    /// Returns the analysis as the doubler sees it. At an answer the export has the values of the player who answers: a
    /// pass loses there.
    fn done(self) -> Option<FileCube> {
        let double_pass = self.double_pass?;
        let answers = double_pass < 0.0;
        let sign = if answers { -1.0 } else { 1.0 };
        let seen = |chances: Chances| match answers {
            true => chances.inverted(),
            false => chances,
        };
        Some(FileCube {
            level: Cow::Owned(self.level),
            no_double: sign * self.no_double?,
            double_take: sign * self.double_take?,
            double_pass: sign * double_pass,
            chances: self.chances.map(seen),
        })
    }
}

/// A match on its way in, line by line.
struct Reader<'a> {
    recorder: &'a mut Recorder,
    /// The line of a turn without its action yet, the player on roll and the roll, if there is one.
    to_play: Option<(usize, MatPlayer, Option<Roll>)>,
    /// The board and the roll of the play whose analysis follows.
    before: Position,
    roll: Option<Roll>,
    /// Analysis of the last action.
    analysis: FileAnalysis,
    cube: Cube,
}

impl Reader<'_> {
    fn line(&mut self, (number, at): (usize, usize), line: &str) -> Result<(), FieldError> {
        let text = line.trim_start();
        if let Some(rest) = text.strip_prefix(BEGIN) {
            self.end_action();
            self.end_roll();
            return self.score((number, at), rest);
        }
        if self.recorder.has_given_up() {
            return match self.winner(text) {
                Some((winner, points)) => {
                    self.recorder.set_result(winner, points);
                    Ok(())
                }
                None => Ok(()),
            };
        }
        if let Some(rest) = text.strip_prefix("Move number ") {
            self.end_action();
            return self.turn(number, rest);
        }
        // Beside the sentences, the plays and the values of candidates begin with a star or a number.
        if let Some(sentence) = line.strip_prefix("* ") {
            match sentence.starts_with(' ') {
                true => self.value(sentence.trim_start()),
                false => return self.sentence((number, at), sentence),
            }
            return Ok(());
        }
        if let Some((winner, points)) = self.winner(text) {
            self.end_action();
            self.end_roll();
            self.recorder.set_result(winner, points);
            return Ok(());
        }
        match text
            .split_once(':')
            .map(|(key, value)| (key.trim(), value.trim()))
        {
            Some(("GNU Backgammon  Position ID", id)) => return self.position(number, id),
            Some(("Match ID", id)) => return self.match_id(number, id),
            _ => self.value(text),
        }
        Ok(())
    }

    /// Parses `2 games) is: Alice 2, Bob 1 (match to 3 points), Crawford game`
    fn score(&mut self, (number, at): (usize, usize), rest: &str) -> Result<(), FieldError> {
        let want = "a line such as 'The score (after 0 games) is: A 0, B 0 (match to 3 points)'";
        let bad = || {
            (
                "score",
                Reason::Value {
                    found: quoted(rest.as_bytes()),
                    want,
                },
            )
        };
        let (_, stated) = rest.split_once(") is: ").ok_or_else(bad)?;
        let (stated, kind) = match stated.rsplit_once(" (match to ") {
            Some((stated, kind)) => (stated, Some(kind)),
            None => (stated, None),
        };
        let length = match kind.and_then(|kind| kind.split_whitespace().next()) {
            None => 0,
            Some(length) => length
                .parse()
                .ok()
                .filter(|&length| length <= LENGTH_MAX)
                .ok_or_else(bad)?,
        };
        let (first, second) = stated.rsplit_once(", ").ok_or_else(bad)?;
        let player = |text: &str| -> Option<(String, u32)> {
            let (name, points) = text.trim_end().rsplit_once(' ')?;
            Some((name.to_owned(), points.parse().ok()?))
        };
        let (one, one_score) = player(first).ok_or_else(bad)?;
        let (other, other_score) = player(second).ok_or_else(bad)?;
        let (names, scores) = ([one, other], [one_score, other_score]);
        let file = &self.recorder.file;
        let last = file.games.last().map(|game| game.scores);
        let less =
            last.is_some_and(|last| last.iter().zip(&scores).any(|(before, now)| now < before));
        let another = file.names != names || file.length != length || less || scores == [0, 0];
        if last.is_some() && another {
            self.recorder.next_match(number, at)?;
        }
        self.recorder.file.names = names;
        self.recorder.file.length = length;
        self.recorder.begin()?;
        self.recorder.scores(scores);
        let crawford = kind.and_then(|kind| match kind {
            kind if kind.contains("post-Crawford") => Some(false),
            kind if kind.contains("Crawford") => Some(true),
            _ => None,
        });
        if let Some(crawford) = crawford {
            self.recorder.crawford(crawford);
        }
        Ok(())
    }

    fn player(&self, name: &str) -> Option<MatPlayer> {
        let [first, second] = &self.recorder.file.names;
        match name {
            name if name == first => Some(MatPlayer::First),
            name if name == second => Some(MatPlayer::Second),
            _ => None,
        }
    }

    /// Returns the player with whose name a sentence begins, and the rest of it.
    fn spoken<'a>(&self, sentence: &'a str) -> Option<(MatPlayer, &'a str)> {
        let [first, second] = &self.recorder.file.names;
        let rest = |name: &str| sentence.strip_prefix(name)?.strip_prefix(' ');
        let found = [
            (MatPlayer::First, rest(first)),
            (MatPlayer::Second, rest(second)),
        ];
        // If one of two names begins with the other, the longer one matches.
        let found = found
            .into_iter()
            .filter_map(|(player, rest)| Some((player, rest?)));
        found.min_by_key(|(_, rest)| rest.len())
    }

    /// Parses `1:  Bob to play 31` and `1:  Bob on roll, cube decision?`
    fn turn(&mut self, number: usize, rest: &str) -> Result<(), FieldError> {
        self.end_roll();
        let Some((_, stated)) = rest.split_once(':') else {
            return Ok(());
        };
        let stated = stated.trim();
        let (name, dice) = match stated.strip_suffix(" on roll, cube decision?") {
            Some(name) => (name, None),
            None => match stated.rsplit_once(" to play ") {
                Some((name, dice)) => (name, Some(dice)),
                None => return Ok(()),
            },
        };
        let bad = |field, text: &str, want| {
            let found = quoted(text.as_bytes());
            (field, Reason::Value { found, want })
        };
        let player = self.player(name.trim());
        let player = player.ok_or_else(|| bad("player", name, "the name of a player"))?;
        let rolled = |dice: &str| {
            let roll = match dice.trim().as_bytes() {
                &[one, two] => Roll::new(one.wrapping_sub(b'0'), two.wrapping_sub(b'0')).ok(),
                _ => None,
            };
            roll.ok_or_else(|| bad("roll", dice, "two dice such as 31"))
        };
        self.to_play = Some((number, player, dice.map(rolled).transpose()?));
        Ok(())
    }

    /// Reads the board of a turn: where the plays do not lead to it, it was set up.
    fn position(&mut self, number: usize, id: &str) -> Result<(), FieldError> {
        let (Some((_, player, _)), Ok(id)) = (self.to_play, PositionId::parse(id.as_bytes()))
        else {
            return Ok(());
        };
        let position = id.position();
        if position != self.recorder.board(player) && !self.recorder.starts_at(&position) {
            let (value, owner) = self.recorder.cube();
            let set_up = SetUp {
                position,
                value,
                owner,
            };
            self.recorder.set_up(number, player, set_up)?;
        }
        Ok(())
    }

    /// Reads the rules of a money session, and the cube before a roll: where the actions do not lead to it, it was set
    /// up, or turned by automatic doubles.
    fn match_id(&mut self, number: usize, id: &str) -> Result<(), FieldError> {
        let Ok(view) = MatchId::parse(id.as_bytes()).and_then(MatchId::view) else {
            return Ok(());
        };
        let file = &mut self.recorder.file;
        if file.length == 0 && file.header("Jacoby").is_none() {
            let word = if view.state.rules.jacoby { "On" } else { "Off" };
            file.comments.push(format!(" [Jacoby \"{word}\"]"));
        }
        self.recorder.jacoby(view.state.rules.jacoby);
        let Some((_, player, _)) = self.to_play else {
            return Ok(());
        };
        let value = view.state.cube.value();
        let owner = match view.state.cube.owner() {
            CubeOwner::Centred => None,
            CubeOwner::Me => Some(player),
            CubeOwner::Opponent => Some(player.other()),
        };
        // While a double is open, its value is not the cube's.
        if (value, owner) != self.recorder.cube() && !self.recorder.is_doubled() {
            let set_up = SetUp {
                position: self.recorder.board(player),
                value,
                owner,
            };
            self.recorder.set_up(number, player, set_up)?;
        }
        Ok(())
    }

    /// Parses `Bob moves 8/5 6/5`
    fn sentence(&mut self, (number, at): (usize, usize), sentence: &str) -> Result<(), FieldError> {
        self.end_action();
        let Some((player, action)) = self.spoken(sentence) else {
            return Ok(());
        };
        let text = match action.split_once(' ').unwrap_or((action, "")) {
            ("moves", play) => play,
            ("cannot", "move") => "",
            ("doubles" | "redoubles" | "beavers" | "raccoons", _) => {
                return self.recorder.double(number, player);
            }
            ("accepts", _) if self.recorder.is_doubled() => {
                return self.recorder.take(number, player);
            }
            ("rejects" | "refuses" | "drops" | "passes", _) if self.recorder.is_doubled() => {
                return self.recorder.drop(number, player);
            }
            // A resignation: the winner's line has the rest.
            _ => return Ok(()),
        };
        let Some((_, to_play, Some(roll))) = self.to_play.take() else {
            let why = Reason::Other("has no roll before it");
            return Err(("play", why));
        };
        if to_play != player {
            let why = Reason::Other("is by the player who did not roll");
            return Err(("play", why));
        }
        (self.before, self.roll) = (self.recorder.board(player), Some(roll));
        if let Some(wrong) = self.recorder.play_text(number, player, roll, text.trim())? {
            self.recorder.note(number, at, wrong);
        }
        Ok(())
    }

    /// Parses `Alice wins 2 points`
    fn winner(&self, text: &str) -> Option<(MatPlayer, u32)> {
        let (player, rest) = self.spoken(text)?;
        let (points, unit) = rest.strip_prefix("wins ")?.split_once(' ')?;
        let points = points.parse().ok()?;
        unit.starts_with("point").then_some((player, points))
    }

    /// Ends a roll that was not played before the game ended.
    fn end_roll(&mut self) {
        if let Some((line, player, Some(roll))) = self.to_play.take()
            && !self.recorder.has_given_up()
            && let Err(wrong) = self.recorder.rolled(line, player, roll)
        {
            self.recorder.give_up(line, 0, wrong);
        }
    }

    /// Completes and records the analysis of the last action.
    fn end_action(&mut self) {
        let mut analysis = std::mem::take(&mut self.analysis);
        analysis.cube = std::mem::take(&mut self.cube).done();
        if !analysis.is_empty() {
            self.recorder.analysed(analysis);
        }
        self.roll = None;
    }

    /// Reads a line of an analysis.
    fn value(&mut self, text: &str) {
        if let Some((level, _)) = text.split_once(" cubeless equity ") {
            self.cube = Cube {
                level: level.to_owned(),
                ..Cube::default()
            };
            return;
        }
        if let Some(chances) = chances(text) {
            let play = self
                .analysis
                .plays
                .last_mut()
                .filter(|play| play.chances.is_none());
            match play {
                Some(play) => play.chances = Some(chances),
                None => self.cube.chances = self.cube.chances.or(Some(chances)),
            }
            return;
        }
        let Some((digits, rest)) = text.split_once(". ") else {
            return;
        };
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return;
        }
        if let Some((named, equity)) = rest.split_once("Eq.:") {
            self.candidate(named, equity);
            return;
        }
        let Some((named, value)) = rest.trim().split_once("  ") else {
            return;
        };
        let value = number(value);
        let named = named.to_ascii_lowercase();
        match named.as_str() {
            "no double" | "no redouble" => self.cube.no_double = value,
            _ if named.ends_with(", pass") => self.cube.double_pass = value,
            _ if named.ends_with(", take") || named.ends_with(", beaver") => {
                self.cube.double_take = value;
            }
            _ => {}
        }
    }

    /// Parses `Cubeful 0-ply    24/20 13/11*`
    fn candidate(&mut self, named: &str, equity: &str) {
        let (level, play) = named.trim().split_once("  ").unwrap_or_default();
        let (Some(roll), Some(equity)) = (self.roll, number(equity)) else {
            return;
        };
        let Ok(legal) = parse_play(play.trim(), &self.before, roll) else {
            return;
        };
        if self.analysis.plays.len() < CANDIDATES_MAX {
            self.analysis.plays.push(FilePlay {
                level: Cow::Owned(level.to_owned()),
                after: legal.after,
                equity,
                chances: None,
            });
        }
    }
}

/// Returns the first number of a text; it must be finite.
fn number(text: &str) -> Option<f64> {
    let word = text.split_whitespace().next()?;
    word.parse().ok().filter(|number: &f64| number.is_finite())
}

/// Parses `0.525 0.143 0.006 - 0.475 0.117 0.005`
pub(super) fn chances(text: &str) -> Option<Chances> {
    let (wins, losses) = text.split_once(" - ")?;
    let three = |text: &str| -> Option<[f32; 3]> {
        let mut numbers = text.split_whitespace().map(|word| {
            let number = word.parse::<f32>().ok();
            number.filter(|number| (0.0..=1.0).contains(number))
        });
        Some([numbers.next()??, numbers.next()??, numbers.next()??])
    };
    let ([win, win_gammon, win_backgammon], [_, lose_gammon, lose_backgammon]) =
        (three(wins)?, three(losses)?);
    Some(Chances {
        win,
        win_gammon,
        win_backgammon,
        lose_gammon,
        lose_backgammon,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{MatAction, MatchFile};

    const TURN: &str = "\
Move number 1:  Bob the 2nd to play 31

 GNU Backgammon  Position ID: 4HPwATDgc/ABMA
                 Match ID   : cIhlAAAAAAAE

* Bob the 2nd moves 8/5 6/5

Rolled 31 (+0.123):
*    1. Cubeful 0-ply    8/5 6/5                      Eq.: +0.159
       0.551 0.172 0.013 - 0.449 0.124 0.005
     2. Cubeful 0-ply    24/23 13/10                  Eq.: -0.010 (-0.169)
       0.500 0.172 0.013 - 0.500 0.124 0.005

";

    fn read(text: &str) -> Vec<crate::notation::MatchReading> {
        MatchFile::read_all(text.as_bytes()).unwrap()
    }

    /// MAT-51, MAT-52: the play, its analysis, a roll that was resigned, the names, the Crawford game.
    #[test]
    fn games_and_analyses_of_the_text_export_are_read() {
        let head = "The score (after 2 games) is: Bob 2, Bob the 2nd 1 (match to 3 points), Crawford game\n\n";
        let rest = "Move number 2:  Bob to play 64\n\nBob the 2nd wins 2 points\n";
        let all = read(&format!("{head}{TURN}{rest}"));
        let [one] = &all[..] else { panic!("{all:?}") };
        assert_eq!(one.faults, []);
        let game = &one.file.games[0];
        assert_eq!(one.file.names, ["Bob", "Bob the 2nd"]);
        assert_eq!(
            (one.file.length, one.file.crawford_games()),
            (3, vec![true])
        );
        assert_eq!(game.result, Some((MatPlayer::Second, 2)));
        assert!(matches!(
            game.actions[..],
            [
                (MatPlayer::Second, MatAction::Play { .. }),
                (MatPlayer::First, MatAction::Rolled(_))
            ]
        ));
        let plays = &one.analyses[0][&0].plays;
        assert_eq!(plays.len(), 2);
        assert_eq!(
            (plays[1].equity, &*plays[1].level),
            (-0.010, "Cubeful 0-ply")
        );
        assert_eq!(plays[0].chances.unwrap().win, 0.551);
    }

    /// MAT-51: another match begins with other players, or at no score.
    #[test]
    fn concatenated_exports_are_separate_matches() {
        let head = |score: &str| {
            format!(
                "The score (after 0 games) is: A 0, Bob the 2nd {score} (match to 3 points)\n{TURN}"
            )
        };
        let (first, second) = (head("0"), head("1"));
        assert_eq!(read(&format!("{first}{second}")).len(), 1);
        assert_eq!(read(&format!("{first}{second}{first}")).len(), 2);
        let set_up = first.replace("4HPwATDgc/ABMA", "sGfwATDgc/ABMA");
        let all = read(&set_up);
        assert!(matches!(
            all[0].file.games[0].actions[0].1,
            MatAction::SetUp(_)
        ));
    }

    /// MAT-51: a cube decision before a roll, and one of a double that was passed.
    #[test]
    fn cube_analyses_belong_to_their_action() {
        let cube = "Cube analysis\n0-ply cubeless equity +0.048 (Money: -0.019)\n  0.487 0.134 0.004 - 0.513 0.126 0.005\n\
            Cubeful equities:\n1. No double           -0.176\n2. Double, pass        +1.000  (+1.176)\n\
            3. Double, take        -0.785  (-0.609)\n";
        let text = format!(
            "The score (after 0 games) is: A 0, Bob the 2nd 0\n{TURN}* A doubles\n\n{cube}* Bob the 2nd rejects\n\nA wins 1 point\n"
        );
        let one = &read(&text)[0];
        assert_eq!(
            (one.file.length, one.file.switch("Jacoby")),
            (0, Some(false))
        );
        assert_eq!(one.file.games[0].result, Some((MatPlayer::First, 1)));
        let cube = one.analyses[0][&1].cube.clone().unwrap();
        assert_eq!(
            [cube.no_double, cube.double_take, cube.double_pass],
            [-0.176, -0.785, 1.0]
        );
        assert_eq!(cube.chances.unwrap().win, 0.487);
        assert!(!one.analyses[0].contains_key(&2));
    }

    /// MAT-52: an answer has the values of the player who answers; they are kept as the doubler sees them.
    #[test]
    fn analysis_of_an_answer_is_seen_by_the_doubler() {
        let cube = "Cube analysis\n0-ply cubeless equity +0.161 (Money: +0.159)\n  0.551 0.174 0.013 - 0.449 0.124 0.005\n\
            Cubeful equities:\n1. No double           +0.219\n2. Double, pass        -1.000  (-1.219)\n\
            3. Double, take        +0.694  (+0.475)\n";
        let text = format!(
            "The score (after 0 games) is: A 0, Bob the 2nd 0\n{TURN}* A doubles\n\n* Bob the 2nd accepts\n\n{cube}"
        );
        let cube = read(&text)[0].analyses[0][&2].cube.clone().unwrap();
        assert_eq!(
            [cube.no_double, cube.double_take, cube.double_pass],
            [-0.219, -0.694, 1.0]
        );
        let chances = cube.chances.unwrap();
        assert!((chances.win - 0.449).abs() < 1e-6);
        assert_eq!((chances.win_gammon, chances.lose_gammon), (0.124, 0.174));
    }

    /// MAT-51: the export names no variant, but its first board is where the games start.
    #[test]
    fn variant_is_that_of_the_first_board() {
        let head = "The score (after 0 games) is: A 0, Bob the 2nd 0\n";
        let turn = TURN.replace("4HPwATDgc/ABMA", "4Dl4ADbgOXgANg");
        let one = &read(&format!("{head}{turn}"))[0];
        assert_eq!(one.file.variant(), Some(crate::Variant::Nackgammon));
        let actions = &one.file.games[0].actions;
        assert!(
            matches!(actions[..], [(_, MatAction::Play { .. })]),
            "{actions:?}"
        );
        let one = &read(&format!("{head}{TURN}"))[0];
        assert_eq!(one.file.variant(), Some(crate::Variant::Backgammon));
    }

    /// MAT-51: the cube of automatic doubles stands in the Match ID alone; while a double is open the ID has another.
    #[test]
    fn cube_of_the_match_id_is_set_up() {
        let head = "The score (after 0 games) is: A 0, Bob the 2nd 0\n";
        // Centred at 2, as gnubg exports it.
        let automatic = TURN.replace("cIhlAAAAAAAE", "MQAOAAAAAAAA");
        let one = &read(&format!("{head}{automatic}"))[0];
        let [
            (player, MatAction::SetUp(set_up)),
            (_, MatAction::Play { .. }),
        ] = one.file.games[0].actions[..]
        else {
            panic!("{:?}", one.file.games)
        };
        assert_eq!(
            (player, set_up.value, set_up.owner),
            (MatPlayer::Second, 2, None)
        );
        assert_eq!(set_up.position, Position::start());
        let doubles = "Move number 2:  A to play 42\n\n* A moves 8/4 6/4\n\n* Bob the 2nd doubles\n\n* A accepts\n\n\
            Move number 4:  Bob the 2nd to play 31\n\n                 Match ID   : QYnlAAAAAAAE\n\n\
            * Bob the 2nd moves 24/23 13/10\n";
        let one = &read(&format!("{head}{TURN}{doubles}"))[0];
        assert_eq!(one.faults, []);
        assert_eq!(one.file.games[0].actions.len(), 5);
    }
}
