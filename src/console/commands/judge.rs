//! `analyse …`, `show statistics …`, `annotate …`: the analysis of the match.

use super::Command;
use crate::Console;
use crate::evals::Evals;
use crate::host::{AnalysedMatch, AnalysisRequest, ConsoleHost, PerGame, PlayerStatistics};
use crate::statistics::{StatisticsScope, table};
use crate::table::Seat;
use gammond_engine::query::Settings;
use gammond_game::Rules;
use gammond_game::notation::{MatAction, MatPlayer};
use gammond_report::analysis::{fibs_difference, rating_word};

/// The command `analyse`.
pub(super) static ANALYSE: Command = Command {
    name: "analyse",
    grammar: &[
        "analyse: clear=analyse-clear game match move rollout=analyse-rollout session",
        "analyse-clear: game match session move",
        "analyse-rollout: cube move match game",
    ],
    help: &[
        ("game", "", "Analyse the game that is shown"),
        ("match", "", "Analyse every game of the match"),
        ("move", "", "Analyse the decision that is shown"),
        ("session", "", "Analyse every game of the session"),
    ],
    run: |console, path, _, host| {
        if let [_, what @ ..] = path {
            console.analyse(what, host);
        }
    },
    ..Command::BARE
};

/// The command `analyze`, whose help the original does not have.
pub(super) static ANALYZE: Command = Command {
    name: "analyze",
    help: &[],
    ..ANALYSE
};

/// The command `annotate`.
pub(super) static ANNOTATE: Command = Command {
    name: "annotate",
    grammar: &[
        "annotate: clear=annotate-clear move=choices roll=marks cube=choices double=choices accept=choices \
            drop=choices pass=choices reject=choices resign=choices take=choices",
        "annotate-clear: comment luck skill",
        "choices: comment bad clear doubtful verybad",
        "marks: clear lucky unlucky verylucky veryunlucky",
    ],
    run: |console, path, _, _| {
        if let [_, "move", mark @ ("bad" | "doubtful" | "verybad")] = path {
            let word = if *mark == "verybad" { "very bad" } else { mark };
            console.say(&format!("Move marked as {word}."));
        }
    },
    ..Command::BARE
};

impl Console {
    /// Runs `analyse match|game|session|move|clear …`.
    pub(crate) fn analyse(&mut self, path: &[&str], host: &mut dyn ConsoleHost) {
        match path {
            ["clear", ..] => {
                self.judged = None;
                return;
            }
            ["rollout", ..] => {
                self.refuse("analyse rollout");
                return;
            }
            _ => {}
        }
        if self.record.file.games.is_empty() {
            self.say("No game in progress.");
            return;
        }
        if path == ["move"]
            && self
                .record
                .current()
                .is_none_or(|game| self.record.at >= game.actions.len())
        {
            self.complain("Please use `hint' on unfinished moves");
            return;
        }
        let how = self.judging();
        match host.judge(&self.record.file, &how) {
            Ok(judged) => self.judged = Some(judged),
            Err(reason) => self.complain(&format!("gammond: analyse: {reason}")),
        }
    }

    fn judging(&self) -> AnalysisRequest {
        AnalysisRequest {
            chequer: self.analysis.plays(),
            cube: self.analysis.cubes(),
            usual: Evals::analysis().plays(),
            rules: Rules {
                jacoby: self.table.jacoby,
                beavers: self.beavers > 0,
            },
            plays: self.export_plays,
            marks: self.marks,
            what: self.parts,
        }
    }

    /// Returns the analysis of the match, if there is one.
    #[must_use]
    pub const fn analysis(&self) -> Option<&AnalysedMatch> {
        self.judged.as_ref()
    }

    /// Returns the evaluation of plays in an analysis, and the losses from which on decisions are doubtful, bad, very
    /// bad.
    #[must_use]
    pub fn analysis_settings(&self) -> (Settings, [f64; 3]) {
        (self.analysis.plays(), self.marks)
    }

    /// Returns the statistics of each game, followed by those of the match. Without an analysis they have counts and
    /// results only.
    pub fn books(&self, host: &mut dyn ConsoleHost) -> Vec<[PlayerStatistics; 2]> {
        if let Some(judged) = &self.judged {
            return judged.books.clone();
        }
        let games = 0..self.record.file.games.len();
        let mut books: Vec<_> = games
            .map(|game| self.counted(StatisticsScope::Game, game, host))
            .collect();
        books.push(self.counted(StatisticsScope::Match, 0, host));
        books
    }

    pub(crate) fn show_statistics(&mut self, what: &str, host: &mut dyn ConsoleHost) {
        let extent = if what == "game" {
            StatisticsScope::Game
        } else {
            StatisticsScope::Match
        };
        if extent == StatisticsScope::Game && self.record.file.games.is_empty() {
            self.say("No game in progress.");
            return;
        }
        let text = self.statistics(extent, self.record.game, host);
        self.out.push_str(&text);
    }

    /// Returns the statistics of a game or the match. Games without analysis have counts only.
    pub(crate) fn statistics(
        &self,
        extent: StatisticsScope,
        game: usize,
        host: &mut dyn ConsoleHost,
    ) -> String {
        let length = self.record.file.length;
        let factor = self.style.rate_factor;
        // One game has no mean.
        let shown = match self.record.file.games.len() {
            ..2 => StatisticsScope::Game,
            _ => extent,
        };
        let of = |books: Option<&[PlayerStatistics; 2]>| {
            table(books, &self.names, length, shown, factor)
        };
        if self.record.file.games.is_empty() {
            return of(None);
        }
        let judged = self.judged.as_ref().and_then(|judged| match extent {
            StatisticsScope::Game => judged
                .books
                .get(game)
                .filter(|_| game + 1 < judged.books.len()),
            StatisticsScope::Match => judged.books.last(),
        });
        if let Some(books) = judged {
            return of(Some(books));
        }
        let books = self.counted(extent, game, host);
        of(Some(&books))
    }

    /// Counts plays, doubles, takes, passes and results of games without analysis.
    fn counted(
        &self,
        extent: StatisticsScope,
        game: usize,
        host: &mut dyn ConsoleHost,
    ) -> [PlayerStatistics; 2] {
        let mut books = [PlayerStatistics::default(), PlayerStatistics::default()];
        let length = self.record.file.length;
        let file = &self.record.file;
        let games = file.games.iter().zip(file.scores()).enumerate();
        let mut results = Vec::new();
        for (number, (game, score)) in
            games.filter(|(number, _)| extent == StatisticsScope::Match || *number == game)
        {
            for (at, (player, action)) in game.actions.iter().enumerate() {
                let own = Seat::from_player(*player).of_mut(&mut books);
                if let Some(decided) = self.record.decided.get(&(number, at)) {
                    own.unforced += u32::from(decided.unforced);
                    own.cube.count += u32::from(decided.cube.is_some());
                    own.close += u32::from(decided.cube == Some(true));
                }
                let [doubles, takes, passes] = &mut own.turned;
                match action {
                    MatAction::Play { .. } => own.plays.count += 1,
                    MatAction::Double(_) => *doubles += 1,
                    MatAction::Take => *takes += 1,
                    MatAction::Drop => *passes += 1,
                    _ => {}
                }
            }
            if let Some((winner, points)) = game.result {
                let wins = winner == MatPlayer::First;
                results.push(match (length, score.score(0)) {
                    (0, _) if wins => f64::from(points),
                    (0, _) => -f64::from(points),
                    (_, Ok(score)) => host.gain(score, wins, points),
                    (_, Err(_)) => 0.0,
                });
            }
        }
        let result: f64 = results.iter().sum();
        let per_game = match (length, extent) {
            (0, StatisticsScope::Match) => PerGame::of(&results),
            _ => PerGame::default(),
        };
        for (own, sign) in books.iter_mut().zip([1.0, -1.0]) {
            own.per_game = [if sign > 0.0 {
                per_game
            } else {
                per_game.swapped()
            }; 2];
            let luck = if own.plays.count > 0 { "None" } else { "n/a" };
            // The engine's own decisions lose nothing.
            let lost = |count: u32| (count > 0).then_some(0.0);
            let (plays, cube) = (lost(own.unforced), lost(own.close));
            let [play_word, cube_word, word] = [plays, cube, plays.or(cube)].map(rating_word);
            own.words = [play_word, luck, cube_word, word];
            if length > 0 {
                own.rating_loss = [plays, cube];
            }
            // Without a result both have `+0.000`.
            own.results = [sign * result + 0.0; 2];
            own.fibs_difference = fibs_difference(0.5 + sign * result, length);
        }
        books
    }
}
