//! `gammond play`: games by hand in a terminal, or with plays that come from a file.

use crate::{Common, Failure, Output, PlayerOptions, columns};
use gammond_base::rng::{ChaCha8Rng, stream};
use gammond_engine::engine::Engine;
use gammond_engine::query::{MoveFilter, PlayQuery, RankedPlay, RankedPlays, Settings, Stop};
use gammond_game::notation::{LINE_BYTES_MAX, parse_play, play_text};
use gammond_game::{LegalPlay, MatchState, Position, Roll, Rules, find_play, legal_plays};
use gammond_protocol::render::{ScreenStyle, screen};
use gammond_train::player::{Defaults, Ours, Player, PlayerSpec};
use std::io::{BufRead, IsTerminal as _, Read as _};
use std::process::ExitCode;
use std::time::Duration;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The opponent, as for `duel`. `--nets` and `--plies` belong to the hints, not to it.
    #[arg(default_value = "gammond", value_name = "PLAYER")]
    player: String,
    /// Games to play, without a cube.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1000))]
    games: u64,
    #[command(flatten)]
    players: PlayerOptions,
}

/// Plays that a hint shows.
const HINTS: usize = 5;
/// A loss from here on is listed at the end.
const LISTED: f64 = 0.02;
/// Turns of the longest game.
const TURNS_MAX: u32 = 20_000;
/// Columns of a screen that does not say how many it has.
const COLUMNS: usize = 80;

const HELP: &str = "\
8/5 6/5      play; also 8-5 6-5, bar/20, 6/off, 8/5(2)
hint         the best plays and what they are worth
best         make the best play
plays        all legal plays
board        draw the board again; so does an empty line
pips         both pip counts
losses       what your plays have lost so far
quit         end
You are X and move from 24 to 1. The dice are thrown for you; there is no cube.
";

/// A decision of the person.
struct HumanDecision {
    game: u64,
    roll: Roll,
    played: String,
    best: String,
    loss: f64,
}

/// The table at which they sit.
struct GameTable<'a> {
    engine: Engine,
    settings: Settings,
    opponent: &'a dyn Player,
    state: MatchState,
    look: ScreenStyle,
    /// True if a person waits for a prompt.
    prompts: bool,
    out: Output,
    decided: Vec<HumanDecision>,
    game: u64,
    /// Points of the person.
    score: [u32; 2],
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let spec: PlayerSpec = args.player.parse()?;
    let opponent = spec.open_with(&Defaults {
        answer_time: Duration::from_secs(args.players.answer_time),
        ours: Ours {
            filter: Some(MoveFilter::AUTO),
            ..Ours::default()
        },
        ..Defaults::default()
    })?;
    let mut settings = Settings::plies(common.plies());
    settings.cubeful = false;
    let mut rules = Rules::default();
    rules.jacoby = false;
    let colour = anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let mut table = GameTable {
        engine: common.engine()?,
        settings,
        opponent: &*opponent,
        state: MatchState::money(rules),
        look: ScreenStyle::new(columns().unwrap_or(COLUMNS), colour),
        prompts: std::io::stdin().is_terminal(),
        out: Output::new(),
        decided: Vec::new(),
        game: 0,
        score: [0; 2],
    };
    let mut input = std::io::stdin().lock();
    table.say(&format!(
        "You play against {}, seed {}. Type help to see what you can type.",
        opponent.name(),
        common.seed
    ))?;
    for game in 0..args.games {
        table.game = game + 1;
        if !table.play(&mut input, common.seed, game)? {
            table.say("The game was not played to its end.")?;
            break;
        }
    }
    if args.games > 1 {
        let [own, other] = table.score;
        table.say(&format!("Points: you {own}, {} {other}.", opponent.name()))?;
    }
    table.losses()?;
    Ok(ExitCode::SUCCESS)
}

impl GameTable<'_> {
    fn say(&mut self, line: &str) -> Result<(), Failure> {
        self.out.line(line)
    }

    fn board(&mut self, position: &Position, roll: Roll) -> Result<(), Failure> {
        let text = screen::position(position, &self.state, Some(roll), self.look);
        self.say(text.trim_end_matches('\n'))
    }

    /// Plays a game; false when the person left it.
    fn play(&mut self, input: &mut impl BufRead, seed: u64, game: u64) -> Result<bool, Failure> {
        let mut dice = stream(seed, 2 * game);
        let mut chance = stream(seed, 2 * game + 1);
        let mut roll = loop {
            let opening = Roll::thrown(&mut dice);
            if !opening.is_double() {
                break opening;
            }
        };
        let [own, other] = roll.dice();
        let mut person = own > other;
        let begins = if person {
            "you begin"
        } else {
            "the opponent begins"
        };
        self.say(&format!("Game {}: {begins}.", game + 1))?;
        let mut position = Position::start();
        for _ in 0..TURNS_MAX {
            position = if person {
                match self.human_turn(input, &position, roll)? {
                    Some(after) => after,
                    None => return Ok(false),
                }
            } else {
                self.turn_of_opponent(&position, roll, &mut chance)?
            };
            if let Some(outcome) = position.outcome() {
                let points = outcome.points().unsigned_abs();
                let kind = ["game", "gammon", "backgammon"];
                let kind = kind[(points as usize).clamp(1, 3) - 1];
                self.score[usize::from(!person)] += points;
                let who = if person {
                    "You win"
                } else {
                    "The opponent wins"
                };
                self.say(&format!("{who} a {kind}: {points}."))?;
                return Ok(true);
            }
            person = !person;
            roll = Roll::thrown(&mut dice);
        }
        Ok(false)
    }

    fn turn_of_opponent(
        &mut self,
        position: &Position,
        roll: Roll,
        chance: &mut ChaCha8Rng,
    ) -> Result<Position, Failure> {
        let after = self.opponent.play(position, roll, chance)?;
        let play = match find_play(position, roll, &after) {
            Some(play) if !play.is_pass() => play_text(position, &play),
            _ => "cannot move".to_owned(),
        };
        let name = self.opponent.name();
        self.say(&format!("{name} rolls {roll}: {play}"))?;
        Ok(after)
    }

    /// Returns the position after the play that the person makes; none when there are no more lines, or the person
    /// goes.
    fn human_turn(
        &mut self,
        input: &mut impl BufRead,
        position: &Position,
        roll: Roll,
    ) -> Result<Option<Position>, Failure> {
        self.board(position, roll)?;
        let legal = legal_plays(position, roll);
        if legal.is_empty() {
            self.say(&format!("You roll {roll} and cannot move."))?;
            return Ok(Some(position.swapped()));
        }
        let mut ranked = None;
        loop {
            if self.prompts {
                self.out.print(b"> ")?;
                self.out.flush()?;
            }
            let Some(line) = line_of(input)? else {
                return Ok(None);
            };
            if self.out.is_closed() {
                return Ok(None);
            }
            match line.trim().to_lowercase().as_str() {
                "" | "board" => self.board(position, roll)?,
                "help" | "?" => self.say(HELP.trim_end())?,
                "quit" | "exit" | "resign" => return Ok(None),
                "losses" => self.losses()?,
                "pips" => {
                    let pips = [position.me(), position.opponent()].map(|side| side.pips());
                    self.say(&format!("you {}, opponent {}", pips[0], pips[1]))?;
                }
                "plays" => {
                    let texts = legal.iter().map(|one| play_text(position, &one.play));
                    let texts = texts.collect::<Vec<_>>().join("\n");
                    self.say(&texts)?;
                }
                "hint" => {
                    let found = self.rank(&mut ranked, position, roll)?;
                    let limit = (self.settings.plies, HINTS);
                    let spell = |one: &RankedPlay| play_text(position, &one.play);
                    let text = screen::plays(found, &self.state, limit, self.look, spell);
                    self.say(text.trim_end_matches('\n'))?;
                }
                "best" => {
                    let best = self.rank(&mut ranked, position, roll)?.best();
                    let chosen = LegalPlay {
                        play: best.play,
                        after: best.position,
                    };
                    let after = self.decide(&mut ranked, (position, roll), chosen)?;
                    return Ok(Some(after));
                }
                _ => match parse_play(line.trim(), position, roll) {
                    Ok(chosen) => {
                        let after = self.decide(&mut ranked, (position, roll), chosen)?;
                        return Ok(Some(after));
                    }
                    Err(error) => {
                        let typed: String = line.trim().chars().take(40).collect();
                        let typed = typed.escape_debug();
                        self.say(&format!("'{typed}': {error}; type help, or plays"))?;
                    }
                },
            }
        }
    }

    /// All plays of the roll, best first; computed once a turn.
    fn rank<'r>(
        &self,
        ranked: &'r mut Option<RankedPlays>,
        position: &Position,
        roll: Roll,
    ) -> Result<&'r RankedPlays, Failure> {
        match ranked {
            Some(found) => Ok(found),
            None => {
                let query = PlayQuery::new(*position, roll, self.state);
                let found = (self.engine).rank_plays(&query, &self.settings, &Stop::never())?;
                Ok(ranked.insert(found))
            }
        }
    }

    /// Makes a play and keeps what it lost.
    fn decide(
        &mut self,
        ranked: &mut Option<RankedPlays>,
        (position, roll): (&Position, Roll),
        chosen: LegalPlay,
    ) -> Result<Position, Failure> {
        let found = self.rank(ranked, position, roll)?;
        let best = found.best();
        let own = found.plays.iter().find(|one| one.position == chosen.after);
        let worth = own.map_or(best.value.equity, |one| one.value.equity);
        let decided = HumanDecision {
            game: self.game,
            roll,
            played: play_text(position, &chosen.play),
            best: play_text(position, &best.play),
            loss: (best.value.equity - worth).max(0.0),
        };
        if found.plays.len() > 1 {
            self.decided.push(decided);
        }
        Ok(chosen.after)
    }

    /// Prints the losses of the person's plays.
    fn losses(&mut self) -> Result<(), Failure> {
        let count = self.decided.len();
        // An empty sum would be -0.
        let sum = self.decided.iter().fold(0.0, |sum, one| sum + one.loss);
        let mean = 1000.0 * sum / count.max(1) as f64;
        let mut text = format!(
            "Your {count} decisions lost {sum:.3} points by {} at {} plies: {mean:.1} thousandths each.",
            self.engine.net_name(),
            self.settings.plies
        );
        let mut worst: Vec<&HumanDecision> =
            (self.decided.iter().filter(|one| one.loss >= LISTED)).collect();
        worst.sort_by(|a, b| b.loss.total_cmp(&a.loss));
        for one in worst {
            text.push_str(&format!(
                "\n{:.3}  game {}, {}: {} instead of {}",
                one.loss, one.game, one.roll, one.played, one.best
            ));
        }
        self.say(&text)
    }
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
        // What is beyond belongs to the same line, and is not read as another.
        let rest = input.fill_buf().map_err(failed)?;
        let end = rest.iter().position(|&byte| byte == b'\n');
        ended = end.is_some() || rest.is_empty();
        let used = end.map_or(rest.len(), |end| end + 1);
        input.consume(used);
    }
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}
