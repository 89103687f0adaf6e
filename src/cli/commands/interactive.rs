//! `gammond play`: a match or money games by hand in a terminal, or with plays that come from a file.

use super::hand_match::HandMatch;
use crate::duels::{StartArg, variant_header, variant_named};
use crate::{Common, Failure, Output, PlayerOptions, columns, folded};
use gammond_arena::player::{Defaults, Ours, Player, PlayerSpec};
use gammond_base::rng::{ChaCha8Rng, stream};
use gammond_engine::engine::Engine;
use gammond_engine::query::{
    EvalQuery, MoveFilter, Options, PlayQuery, RankedPlay, RankedPlays, Settings, Stop,
};
use gammond_game::notation::{
    LINE_BYTES_MAX, MatAction, MatPlayer, MatchFile, parse_play, play_text,
};
use gammond_game::{
    Act, Cube, CubeOwner, Game, GamePhase, LegalPlay, Margin, MatchScore, MatchState, Position,
    Roll, Rules, StartPositions, Variant, find_play, legal_plays,
};
use gammond_report::analysis::{Totals, WorstMistake, analyse};
use gammond_report::render::signed;
use gammond_report::render::{ScreenStyle, screen};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{BufRead, IsTerminal as _, Read as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The opponent, as for `duel`. `--nets` and `--plies` belong to the hints and the analysis, not to it.
    #[arg(default_value = "gammond", value_name = "PLAYER")]
    player: String,
    /// Play a match to so many points; without this, money games.
    #[arg(id = "match_length", long = "match", alias = "length", value_name = "POINTS", value_parser = clap::value_parser!(u8).range(1..))]
    length: Option<u8>,
    /// Money games to play.
    #[arg(long, default_value_t = 1, value_name = "N", conflicts_with = "match_length", value_parser = clap::value_parser!(u64).range(1..=1000))]
    games: u64,
    /// Answers to a double may turn the cube once more in money games: a beaver, and the raccoon against it.
    #[arg(long, conflicts_with = "match_length")]
    beavers: bool,
    /// In money games each throw of two equal dice that would begin a game doubles the cube, at most so often.
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "match_length", value_parser = clap::value_parser!(u8).range(..=12))]
    automatic_doubles: u8,
    /// Gammons count in money games though the cube was not turned.
    #[arg(long, conflicts_with = "match_length")]
    no_jacoby: bool,
    /// Variant of the games.
    #[arg(long, value_name = "NAME", value_parser = variant_named, default_value_t)]
    variant: Variant,
    /// Positions at which the games begin, in place of the start of the variant: a position, a file with one a line, or
    /// `random[:SEED]`. You are on roll, except at a position that is the same for both players: it begins with the opening
    /// roll.
    #[arg(long, value_name = "POSITION|FILE|random")]
    start: Option<StartArg>,
    /// Your name in the match file.
    #[arg(long, value_name = "NAME", default_value = "You")]
    name: String,
    /// Save the match in this new file, or nowhere: `none`. Without this it gets a file in `gammond/matches` in your data
    /// folder.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    #[command(flatten)]
    players: PlayerOptions,
}

/// Plays that a hint shows.
const HINTS: usize = 5;
/// Number of mistakes that are listed at the end.
const MISTAKES: usize = 3;
/// Turns of the longest game.
const TURNS_MAX: u32 = 20_000;
/// Number of columns of a screen of unknown width.
const COLUMNS: usize = 80;
/// Seeds that the program chooses have at most nine digits: people type them.
const SEEDS: u64 = 1_000_000_000;
/// The side of the person.
pub(super) const PERSON: usize = 0;

const HELP: &str = "\
8/5 6/5      play; also 8-5 6-5, bar/20, 6/off, 8/5(2)
roll         throw the dice; so does an empty line where you may double
double       turn the cube; redouble is the same
take, drop   answer a double; with --beavers also beaver, raccoon
resign       give the game up; also resign gammon, resign backgammon
hint         the best plays, or the cube decision, and what they are worth
best         do what the hint says
plays        all legal plays
board        draw the board again; so does an empty line where you play
pips         both pip counts
score        the score
losses       what your decisions have lost so far
quit         end; the match is saved
You are X and move from 24 to 1. The dice are thrown for you.
";

/// End of a game.
pub(super) enum GameEnd {
    /// A side won this many points.
    Won(usize, u32),
    /// The person left, or there are no more lines.
    Left,
}

/// A step of a game: on with something, or its end.
pub(super) type Step<T> = Result<ControlFlow<GameEnd, T>, Failure>;

/// The person's decision: the board as seen from there.
#[derive(Clone, Copy)]
pub(super) struct View {
    /// Seen by the person.
    pub(super) position: Position,
    pub(super) state: MatchState,
    pub(super) roll: Option<Roll>,
    /// How often the cube was turned before this player's answer; 0 if there is nothing to answer.
    pub(super) offered: u8,
}

/// The table at which they sit.
pub(super) struct GameTable<'a> {
    pub(super) engine: Engine,
    /// Settings of hints and of the analysis.
    pub(super) settings: Settings,
    pub(super) opponent: &'a dyn Player,
    /// Name of the opponent in sentences.
    pub(super) name: String,
    rules: Rules,
    /// Most automatic doubles of a game.
    automatic_doubles: u8,
    variant: Variant,
    /// Positions at the start of the games, seen by the person on roll.
    starts: StartPositions,
    seed: u64,
    score: MatchScore,
    length: u8,
    pub(super) saved: HandMatch,
    pub(super) look: ScreenStyle,
    /// True if a person waits for a prompt.
    prompts: bool,
    out: Output,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let spec: PlayerSpec = args.player.parse()?;
    let mut options = Options::default();
    // People have the filter with which they are measured (LV-05).
    options.filter = spec.people().is_none().then_some(MoveFilter::AUTO);
    let opponent = spec.open_with(&Defaults {
        variant: args.variant,
        answer_time: Duration::from_secs(args.players.answer_time),
        ours: Ours {
            options: Box::new(options),
            bearoff: common.ours_at(args.variant).bearoff,
            ..Ours::default()
        },
        met: common.match_equity_table()?,
    })?;
    // Not from the clock: two programs that start together have different dice.
    let seed = common
        .seed
        .unwrap_or_else(|| RandomState::new().hash_one(std::process::id()) % SEEDS);
    let length = args.length.unwrap_or(0);
    let first_word = || args.player.split(':').next().unwrap_or_default().to_owned();
    let people = spec.people();
    let rules = Rules {
        jacoby: !args.no_jacoby,
        beavers: args.beavers,
    };
    let saved_as = people
        .clone()
        .unwrap_or_else(|| args.player.replace(':', " "));
    let names = [args.name.clone(), saved_as];
    let colour = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let mut table = GameTable {
        engine: common.engine()?,
        settings: Settings::for_analysis(common.plies, None),
        opponent: &*opponent,
        name: people.unwrap_or_else(first_word),
        rules,
        automatic_doubles: args.automatic_doubles,
        variant: args.variant,
        starts: match &args.start {
            None => StartPositions::Usual,
            Some(start) => start.positions(args.variant, seed)?,
        },
        seed,
        score: MatchScore::new(length.into()),
        length,
        saved: HandMatch::new(length, names, rules, seed, args.save.as_deref())?,
        look: ScreenStyle::new(columns().unwrap_or(COLUMNS), colour),
        prompts: std::io::stdin().is_terminal(),
        out: Output::new(),
    };
    table
        .saved
        .file
        .comments
        .extend(variant_header(table.variant));
    let start = table.starts.of(table.variant, 0);
    let state = MatchState::money(Rules::default()).with_variant(table.variant);
    let stop = Stop::never();
    table.engine.context_of(&start, &state, &stop)?;
    table.opponent.can_play(table.variant)?;
    table.begin(args)?;
    let mut input = std::io::stdin().lock();
    let played = table.play(&mut input, args.games);
    // However the match ended, the person learns where its file is.
    let ended = table.end();
    played.and(ended).map(|()| ExitCode::SUCCESS)
}

impl GameTable<'_> {
    pub(super) fn say(&mut self, text: &str) -> Result<(), Failure> {
        self.out.line(folded(text).trim_end_matches('\n'))
    }

    /// Prints the kind of game, the opponent, and the source of the dice.
    fn begin(&mut self, args: &Args) -> Result<(), Failure> {
        let what = match (self.length, args.games) {
            (0, 1) => "a money game".to_owned(),
            (0, games) => format!("{games} money games"),
            (length, _) => format!("a match to {}", points(length.into())),
        };
        let text = format!(
            "You play {what} against {}, seed {}. Type help to see what you can type.",
            self.opponent.name(),
            self.seed
        );
        self.say(&text)?;
        if self.opponent.with_cube().is_none() {
            let text = format!(
                "{} does not know the cube: gammond doubles and takes for it.",
                self.name
            );
            self.say(&text)?;
        }
        Ok(())
    }

    /// Plays games until the match is over, all games are played, or the person leaves.
    fn play(&mut self, input: &mut impl BufRead, games: u64) -> Result<(), Failure> {
        for game in 0.. {
            let is_over = match self.length {
                0 => game >= games,
                _ => self.score.winner().is_some(),
            };
            if is_over {
                break;
            }
            match self.game(input, game)? {
                GameEnd::Left => {
                    self.say("The game was not played to its end.")?;
                    break;
                }
                GameEnd::Won(winner, points) => {
                    self.score.add(winner, points);
                    self.saved.end_game(winner, points);
                    let text = self.score_line();
                    self.say(&text)?;
                }
            }
        }
        if let Some(winner) = self.score.winner() {
            let who = if winner == PERSON {
                "You win".to_owned()
            } else {
                format!("{} wins", self.name)
            };
            let text = self.look.strong(&format!("{who} the match."));
            self.say(&text)?;
        }
        Ok(())
    }

    fn score_line(&self) -> String {
        let [own, other] = self.score.points();
        let name = &self.name;
        let state = self.score.state(PERSON, self.rules);
        match self.length {
            0 => format!("Points: you {own}, {name} {other}."),
            length if self.score.winner().is_none() && state.score.is_crawford() => {
                format!("Score: you {own}, {name} {other}, to {length}; Crawford game.")
            }
            length => format!("Score: you {own}, {name} {other}, to {length}."),
        }
    }

    /// Plays a game.
    fn game(&mut self, input: &mut impl BufRead, game: u64) -> Result<GameEnd, Failure> {
        let mut dice = stream(self.seed, 2 * game);
        let mut chance = stream(self.seed, 2 * game + 1);
        let (number, start) = (game + 1, self.starts.of(self.variant, game));
        let mut game = self.begun(start, &mut dice)?;
        let begins = match game.on_roll() {
            PERSON => "you begin".to_owned(),
            _ => format!("{} begins", self.name),
        };
        let crawford = match game.state().score.is_crawford() {
            true => ", the Crawford game",
            false => "",
        };
        let title = format!("\nGame {number}{crawford}: {begins}.");
        let title = self.look.strong(&title);
        self.say(&title)?;
        let value = game.state().cube.value();
        if value > 1 {
            self.say(&format!("Automatic doubles: the cube is at {value}."))?;
        }
        let set_up = (start != self.variant.start() || value > 1).then_some((start, value));
        self.saved
            .begin_game(self.score.points(), game.on_roll(), set_up);
        for _ in 0..TURNS_MAX {
            // The person has the board before the eyes who has just decided to roll.
            let is_drawn = game.on_roll() == PERSON && game.double_refusal().is_none();
            if let Some(left) = self.cube_turn(input, &mut game, &mut chance)? {
                return Ok(left);
            }
            if game.phase() == GamePhase::Turn {
                game.act(Act::Roll(Roll::thrown(&mut dice)))?;
            }
            if let GamePhase::Play(roll) = game.phase() {
                let (turn, position, state) = (game.on_roll(), *game.position(), *game.state());
                let after = match turn {
                    PERSON => match self.human_turn(input, &position, (state, roll), is_drawn)? {
                        ControlFlow::Continue(after) => after,
                        ControlFlow::Break(end) => return Ok(end),
                    },
                    _ => self.turn_of_opponent(&position, &state, roll, &mut chance)?,
                };
                let play = find_play(&position, roll, &after).unwrap_or_default();
                self.saved.add(turn, MatAction::Play { roll, play });
                game.played(after)?;
            }
            if let Some(end) = game.end() {
                let what = match end.margin {
                    // After the last play the loser is on roll.
                    Some(margin) => win(game.state(), margin),
                    None => points(end.points),
                };
                let text = match end.winner {
                    PERSON => format!("You win {what}."),
                    _ => format!("{} wins {what}.", self.name),
                };
                let text = self.look.strong(&text);
                self.say(&text)?;
                return Ok(GameEnd::Won(end.winner, end.points));
            }
        }
        Ok(GameEnd::Left)
    }

    /// Returns a game from this position, after the opening roll if it begins with one.
    fn begun(&self, start: Position, dice: &mut ChaCha8Rng) -> Result<Game, Failure> {
        let mut state = (self.score.state(PERSON, self.rules)).with_variant(self.variant);
        let game = Game::new(state, true).with_start(start);
        if game.phase() != GamePhase::Opening {
            return Ok(game);
        }
        let mut left = self.automatic_doubles;
        let mut roll = Roll::thrown(dice);
        while roll.is_double() {
            let doubled = Cube::new(2 * state.cube.value(), CubeOwner::Centred);
            if let (1.., Ok(doubled)) = (left, doubled) {
                (left, state.cube) = (left - 1, doubled);
            }
            roll = Roll::thrown(dice);
        }
        let mut game = Game::new(state, true).with_start(start);
        game.act(Act::Roll(roll))?;
        Ok(game)
    }

    fn turn_of_opponent(
        &mut self,
        position: &Position,
        state: &MatchState,
        roll: Roll,
        chance: &mut ChaCha8Rng,
    ) -> Result<Position, Failure> {
        let after = match self.opponent.with_cube() {
            Some(player) => player.play_in(position, state, roll, chance)?,
            None => self.opponent.play(position, roll, chance)?,
        };
        let play = match find_play(position, roll, &after) {
            Some(play) if !play.is_pass() => play_text(position, &play),
            _ => "cannot move".to_owned(),
        };
        let text = format!("{} rolls {roll}: {play}", self.name);
        self.say(&text)?;
        Ok(after)
    }

    /// Asks the person for a play; returns the position after it.
    fn human_turn(
        &mut self,
        input: &mut impl BufRead,
        position: &Position,
        (state, roll): (MatchState, Roll),
        is_drawn: bool,
    ) -> Step<Position> {
        let view = View {
            position: *position,
            state,
            roll: Some(roll),
            offered: 0,
        };
        let legal = legal_plays(position, roll);
        if !is_drawn {
            self.draw(&view)?;
        }
        if legal.is_empty() {
            self.say(&format!("You roll {roll} and cannot move."))?;
            return Ok(ControlFlow::Continue(position.swapped()));
        }
        if is_drawn {
            self.say(&format!("You roll {roll}."))?;
        }
        loop {
            let line = match self.ask(input, &view, &roll.to_string())? {
                ControlFlow::Continue(line) => line,
                ControlFlow::Break(end) => return Ok(ControlFlow::Break(end)),
            };
            match line.as_str() {
                "" => self.draw(&view)?,
                "plays" => {
                    let texts = legal.iter().map(|one| play_text(position, &one.play));
                    let texts = texts.collect::<Vec<_>>().join("\n");
                    self.say(&texts)?;
                }
                "hint" => {
                    let found = self.rank(&view, roll)?;
                    let limit = (self.settings.plies, HINTS);
                    let spell = |one: &RankedPlay| play_text(position, &one.play);
                    let text = screen::plays(&found, &state, limit, self.look, spell);
                    self.say(&text)?;
                }
                "best" => {
                    let after = self.rank(&view, roll)?.best().position;
                    return Ok(ControlFlow::Continue(after));
                }
                "roll" | "double" | "redouble" => {
                    self.say("The dice are thrown: it is your play.")?
                }
                text => match parse_play(text, position, roll) {
                    Ok(LegalPlay { after, .. }) => return Ok(ControlFlow::Continue(after)),
                    Err(error) => self.complain(&line, &format!("{error}; type help, or plays"))?,
                },
            }
        }
    }

    /// Asks the person for a line about the decision. Commands that are possible everywhere are done here.
    pub(super) fn ask(
        &mut self,
        input: &mut impl BufRead,
        view: &View,
        prompt: &str,
    ) -> Step<String> {
        loop {
            if self.prompts {
                let prompt = self.look.strong(&format!("{prompt}> "));
                self.out.print(prompt.as_bytes())?;
                self.out.flush()?;
            }
            let line = line_of(input)?.filter(|_| !self.out.is_closed());
            let Some(line) = line else {
                if self.prompts {
                    self.say("")?;
                }
                return Ok(ControlFlow::Break(GameEnd::Left));
            };
            let line = line.trim().to_lowercase();
            let mut words = line.split_whitespace();
            match (words.next(), words.next()) {
                (Some("help" | "?"), _) => self.say(HELP)?,
                (Some("quit" | "exit"), _) => return Ok(ControlFlow::Break(GameEnd::Left)),
                (Some("board"), _) => self.draw(view)?,
                (Some("losses"), _) => self.losses()?,
                (Some("score"), _) => {
                    let text = self.score_line();
                    self.say(&text)?;
                }
                (Some("pips"), _) => {
                    let sides = [view.position.me(), view.position.opponent()];
                    let [own, other] = sides.map(|side| side.pips());
                    self.say(&format!("you {own}, opponent {other}"))?;
                }
                (Some("resign"), _) if view.offered > 0 => {
                    self.say("A double waits for your answer: take or drop.")?;
                }
                (Some("resign"), more) => match margin(more) {
                    None => {
                        self.complain(&line, "expected resign, resign gammon or resign backgammon")?
                    }
                    Some(margin) => {
                        if let Some(end) = self.resign(view, margin)? {
                            return Ok(ControlFlow::Break(end));
                        }
                    }
                },
                _ => return Ok(ControlFlow::Continue(line)),
            }
        }
    }

    /// Offers the game to the opponent, who accepts if playing on cannot be worth more.
    fn resign(&mut self, view: &View, margin: Margin) -> Result<Option<GameEnd>, Failure> {
        let query = EvalQuery::new(view.position, view.state);
        let kind = kind(margin);
        if !self.engine.accept_resignation(&query, margin as u8)? {
            let text = format!("{} wants more than a {kind} and plays on.", self.name);
            self.say(&text)?;
            return Ok(None);
        }
        let lost = view.state.points(margin);
        let what = win(&view.state, margin);
        let text = format!("{} accepts and wins {what}.", self.name);
        let text = self.look.strong(&text);
        self.say(&text)?;
        Ok(Some(GameEnd::Won(1 - PERSON, lost)))
    }

    pub(super) fn complain(&mut self, line: &str, message: &str) -> Result<(), Failure> {
        let typed: String = line.chars().take(40).collect();
        let typed = typed.escape_debug();
        self.say(&format!("'{typed}': {message}"))
    }

    pub(super) fn draw(&mut self, view: &View) -> Result<(), Failure> {
        let text = screen::position(&view.position, &view.state, view.roll, self.look);
        // The drawing is that of a player on roll.
        let mut text = text.replace("X: player on roll", "X: you");
        if view.offered == 1 {
            text = text.replace("     on roll", &format!("     {} doubles", self.name));
        }
        self.out.line(text.trim_end_matches('\n'))
    }

    /// Ranks all plays of the roll, best first.
    fn rank(&self, view: &View, roll: Roll) -> Result<RankedPlays, Failure> {
        let query = PlayQuery::new(view.position, roll, view.state);
        Ok(self
            .engine
            .rank_plays(&query, &self.settings, &Stop::never())?)
    }

    /// Prints the losses of the person's decisions, and the worst of them.
    fn losses(&mut self) -> Result<(), Failure> {
        let file = self.saved.file.to_string();
        let Ok(reading) = MatchFile::read(file.as_bytes()) else {
            return self.say("There is nothing to analyse yet.");
        };
        let (engine, settings) = (&self.engine, &self.settings);
        let analysis = analyse(engine, settings, &reading, self.rules, &Stop::never())?;
        let figures = |totals: &Totals| {
            let performance = totals.performance();
            let performance = performance.map_or("n/a".to_owned(), |pr| format!("{pr:.2}"));
            format!("PR {performance}, luck {}", signed(totals.luck.emg, 2))
        };
        let [own, other] = &analysis.totals;
        if own.decisions() == 0 {
            return self.say("You have had no decision yet.");
        }
        let [loss, _] = own.loss();
        let mut text = format!(
            "Your {} lost {loss:.3} points by {} at {}: {}; {}: {}.",
            counted(own.decisions(), "decision"),
            self.engine.net_name(),
            analysis.level,
            figures(own),
            self.name,
            figures(other)
        );
        let worst = analysis.worst_of(MatPlayer::First, MISTAKES);
        let title = match worst.len() {
            0 => "None of them lost 0.03 or more.",
            1 => "Your worst mistake:",
            _ => "Your worst mistakes:",
        };
        text.push_str(&format!("\n{title}"));
        for WorstMistake {
            line,
            position,
            found_by,
        } in worst
        {
            text.push_str(&format!("\n  {line}\n      {position}"));
            if let Some(found_by) = found_by {
                text.push_str(&format!("\n      {found_by}"));
            }
        }
        self.say(&text)
    }

    /// Reports the losses and where the match is.
    fn end(&mut self) -> Result<(), Failure> {
        if self.saved.is_empty() {
            return Ok(());
        }
        self.say("")?;
        self.losses()?;
        if let Some(line) = self.saved.place_line()? {
            self.say(&format!("{line}; gammond analyse shows every decision."))?;
        }
        Ok(())
    }
}

/// Returns the words for a margin.
const fn kind(margin: Margin) -> &'static str {
    match margin {
        Margin::Single => "single game",
        Margin::Gammon => "gammon",
        Margin::Backgammon => "backgammon",
    }
}

/// Returns the margin that a word after `resign` names.
fn margin(word: Option<&str>) -> Option<Margin> {
    match word {
        None | Some("single" | "normal" | "1") => Some(Margin::Single),
        Some("gammon" | "2") => Some(Margin::Gammon),
        Some("backgammon" | "3") => Some(Margin::Backgammon),
        Some(_) => None,
    }
}

fn points(count: u32) -> String {
    counted(count, "point")
}

/// Returns a count with its noun.
fn counted(count: u32, word: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {word}{plural}")
}

/// Returns the words for a game won with this margin: a gammon may count as a single game (Jacoby).
fn win(state: &MatchState, margin: Margin) -> String {
    let (kind, won) = (kind(margin), state.points(margin));
    let whole = margin as u32 * state.cube.value();
    let why = if won < whole {
        ", as the cube was not turned"
    } else {
        ""
    };
    format!("a {kind}: {}{why}", points(won))
}

/// Returns the next line, or as much of it as a line may have; none at the end.
fn line_of(input: &mut impl BufRead) -> Result<Option<String>, Failure> {
    let failed = |error| Failure::work(crate::within("standard input", error));
    let mut line = Vec::new();
    let mut bounded = input.by_ref().take(LINE_BYTES_MAX as u64);
    if bounded.read_until(b'\n', &mut line).map_err(failed)? == 0 {
        return Ok(None);
    }
    let mut ended = line.ends_with(b"\n");
    while !ended {
        // The rest belongs to the same line, and is not read as another.
        let rest = input.fill_buf().map_err(failed)?;
        let end = rest.iter().position(|&byte| byte == b'\n');
        ended = end.is_some() || rest.is_empty();
        let used = end.map_or(rest.len(), |end| end + 1);
        input.consume(used);
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}
