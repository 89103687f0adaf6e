//! Our own engine as a player.

use super::{
    CubePlayer, Defaults, Player, PlayerError, best_answer, engine_builder, may_turn_again,
};
use crate::search_fields::search_fields;
use gammond_base::rng::{ChaCha8Rng, Rng};
use gammond_engine::engine::{Engine, EngineError, Nets};
use gammond_engine::equity::MatchEquityTable;
use gammond_engine::query::{CubeAnswer, CubeQuery, Options, PlayQuery, Settings, Stop};
use gammond_engine::search::{self, Stopped};
use gammond_game::{
    Act, Chances, MatchState, Position, Roll, Rules, Side, Variant, generate_plays,
};
use gammond_job::Header;
use std::borrow::Cow;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// The embedded nets, as players and the option `--nets` call them.
pub(super) const EMBEDDED: &str = "embedded";
/// The embedded fast nets, as players and the option `--nets` call them.
pub(super) const FAST: &str = "embedded:fast";

/// Name of the choice without bearoff databases but those of the program, for players and the option `--bearoff`.
pub(super) const NO_BEAROFF: &str = "none";

/// Settings of our engine as a player; callers supply the missing ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ours {
    /// Nets; the embedded ones when left out.
    pub nets: Option<PathBuf>,
    /// Settings of its decisions, those of players ([`gammond_engine::query::Scope::is_of_player`]) alone.
    pub options: Box<Options>,
    /// Folder with bearoff databases; only those of the program when left out, or `none`.
    pub bearoff: Option<PathBuf>,
    /// Games of the one-sided rollouts that evaluate races without a table; `None` for a net.
    pub osr: Option<u32>,
}

impl Ours {
    /// Returns this specification, filled up from `other` where it has no value.
    #[must_use]
    pub fn or(&self, other: &Ours) -> Ours {
        Ours {
            nets: self.nets.clone().or_else(|| other.nets.clone()),
            options: Box::new(self.options.or(&other.options)),
            bearoff: self.bearoff.clone().or_else(|| other.bearoff.clone()),
            osr: self.osr.or(other.osr),
        }
    }

    /// Returns the engine, with so many threads (0 for one a core), and its settings: cubeless.
    ///
    /// # Errors
    /// When the files cannot be read.
    pub fn engine(&self, threads: usize) -> Result<(Engine, Settings), EngineError> {
        self.engine_with(threads, MatchEquityTable::default())
    }

    /// Creates the engine of [`Ours::engine`] for matches by this table.
    fn engine_with(
        &self,
        threads: usize,
        met: MatchEquityTable,
    ) -> Result<(Engine, Settings), EngineError> {
        let nets = match &self.nets {
            None => Nets::Embedded,
            Some(path) if path == Path::new(EMBEDDED) => Nets::Embedded,
            Some(path) if path == Path::new(FAST) => Nets::EmbeddedFast,
            Some(path) => Nets::Path(path.clone()),
        };
        let mut builder = engine_builder().nets(nets).threads(threads).met(met);
        let bearoff = self.bearoff.as_ref();
        if let Some(folder) = bearoff.filter(|folder| folder.as_os_str() != NO_BEAROFF) {
            builder = builder.bearoff(folder);
        }
        if let Some(games) = self.osr {
            builder = builder.osr(games);
        }
        let engine = builder.build()?;
        Ok((engine, self.options.search().with_cubeful(false)))
    }

    /// Returns the short name of the people that it plays as: `PR 8`, `Elo 1700`; `None` without a rate.
    pub(super) fn people(&self) -> Option<String> {
        let pr = self.options.pr.map(|pr| format!("PR {pr}"));
        pr.or_else(|| self.options.elo.map(|elo| format!("Elo {elo}")))
    }

    /// Formats the player's name for reports and journals.
    fn name(&self, plies: u8, net: &str) -> String {
        // `pr:8` as it is written, not `gammond:pr=8`.
        let mut options = self.options.clone();
        let pr = options.pr.take().map(|pr| format!("pr:{pr}"));
        let people = pr.or_else(|| options.elo.take().map(|elo| format!("elo:{elo}")));
        let mut name = people.unwrap_or_else(|| "gammond".to_owned());
        if let Some(path) = (self.nets.as_ref()).filter(|path| *path != Path::new(EMBEDDED)) {
            name.push_str(&format!(":nets={}", path.display()));
        }
        // A level takes the place of plies; without one they are named in any case.
        options.plies = options.level.is_none().then_some(plies);
        name.push_str(&format!(":{}", options.canonical(":")));
        if let Some(folder) = &self.bearoff {
            name.push_str(&format!(":bearoff={}", folder.display()));
        }
        if let Some(games) = self.osr {
            name.push_str(&format!(":osr={games}"));
        }
        format!("{name} ({net})")
    }
}

thread_local! {
    /// Plays and their chances of one decision.
    static SCRATCH: RefCell<(Vec<Position>, Vec<Chances>)> = const { RefCell::new((Vec::new(), Vec::new())) };
}

/// Our engine; its settings are those of cubeless games.
pub(super) struct Gammond {
    name: String,
    engine: Engine,
    settings: Settings,
    /// Settings of games with the cube.
    cubeful: Settings,
    /// State of cubeless games.
    cubeless: MatchState,
}

/// Returns true if a search alone does not follow these settings: small rollouts, and a time.
fn needs_engine(settings: &Settings) -> bool {
    settings.level.is_some() || settings.time_ms.is_some()
}

/// Returns the settings of a decision: a player that chooses as people do has a new seed for each, or it would make the same
/// choice each time that a position comes back.
fn by_chance<'a>(settings: &'a Settings, chance: &mut ChaCha8Rng) -> Cow<'a, Settings> {
    match settings.pr {
        None => Cow::Borrowed(settings),
        Some(_) => Cow::Owned(Settings {
            seed: settings.seed ^ chance.next_u64(),
            ..settings.clone()
        }),
    }
}

impl Gammond {
    /// Returns the player with these nets and this look-ahead.
    pub(super) fn open(ours: &Ours, defaults: &Defaults) -> Result<Gammond, EngineError> {
        let (engine, settings) = ours.engine_with(1, defaults.met.clone())?;
        let rules = Rules {
            jacoby: false,
            beavers: false,
        };
        let settings = settings.with_top(1);
        Ok(Gammond {
            name: ours.name(settings.plies, engine.net_name()),
            engine,
            cubeful: settings.clone().with_cubeful(true),
            settings,
            cubeless: MatchState::money(rules).with_variant(defaults.variant),
        })
    }

    fn context<'a>(
        &'a self,
        position: &Position,
        state: &MatchState,
        stop: &'a Stop,
    ) -> Result<search::Context<'a>, EngineError> {
        self.engine.context_of(position, state, stop)
    }

    /// Returns the best play by a search, on the calling thread: the engine's own pool has one thread, and would
    /// delay all other games.
    fn searched_play(
        &self,
        query: &PlayQuery,
        settings: &Settings,
        chance: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        let (settings, stop) = (&*by_chance(settings, chance), Stop::never());
        let ranked = match needs_engine(settings) {
            true => self.engine.rank_plays(query, settings, &stop)?,
            false => {
                let context = self.context(&query.position, &query.state, &stop)?;
                search::rank_plays(context, query, settings)
                    .map_err(|Stopped| EngineError::Stopped)?
            }
        };
        let best = ranked.plays.first();
        Ok(best.map_or_else(|| query.position.swapped(), |play| play.position))
    }

    /// Returns the right cube action, by a search on the calling thread.
    fn cube_action(
        &self,
        query: &CubeQuery,
        chance: &mut ChaCha8Rng,
    ) -> Result<CubeAnswer, EngineError> {
        let (settings, stop) = (&*by_chance(&self.cubeful, chance), Stop::never());
        match needs_engine(settings) {
            true => self.engine.cube_action(query, settings, &stop),
            false => {
                let context = self.context(&query.position, &query.state, &stop)?;
                search::cube_action(context, query, settings)
                    .map_err(|Stopped| EngineError::Stopped)
            }
        }
    }

    /// Returns true if its nets know the variant, which otherwise has a table.
    const fn plays_by_nets(&self) -> bool {
        self.cubeless.variant.checkers() == Side::CHECKERS
    }

    fn static_play(&self, position: &Position, roll: Roll) -> Position {
        SCRATCH.with_borrow_mut(|(after, chances)| {
            generate_plays(position, roll, after);
            let reference = position.swapped();
            if after.len() < 2 {
                return after.first().copied().unwrap_or(reference);
            }
            chances.resize(after.len(), Chances::default());
            self.engine
                .evaluator()
                .evaluate(Some(&reference), after, chances);
            // The first of equals, in the generator's order.
            let mut best = (f32::MAX, reference);
            for (chances, &after) in chances.iter().zip(after.iter()) {
                if chances.equity() < best.0 {
                    best = (chances.equity(), after);
                }
            }
            best.1
        })
    }
}

impl Player for Gammond {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn can_play(&self, variant: Variant) -> Result<(), PlayerError> {
        let opened = self.cubeless.variant;
        if variant.checkers() != opened.checkers() {
            return Err(PlayerError::Spec {
                text: self.name(),
                reason: format!("was opened for {opened}, not for {variant}"),
            });
        }
        let stop = Stop::never();
        let context = self.context(&variant.start(), &self.cubeless, &stop);
        Ok(context.map(drop)?)
    }

    fn identity(&self) -> Result<String, PlayerError> {
        // Not the name: it holds paths, and the same files may lie elsewhere.
        let (nets, sum) = (self.engine.net_name(), self.engine.identity()?);
        let settings = search_fields(Header::new("player", 1), &self.settings).text();
        let time = self.settings.time_ms.unwrap_or(0);
        Ok(format!(
            "gammond ({nets}) with {settings} time {time} sha256 {sum}"
        ))
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        chance: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        let settings = &self.settings;
        if self.plays_by_nets()
            && settings.plies == 0
            && settings.noise == 0.0
            && settings.pr.is_none()
            && !needs_engine(settings)
        {
            return Ok(self.static_play(position, roll));
        }
        let query = PlayQuery {
            position: *position,
            roll,
            state: self.cubeless,
        };
        self.searched_play(&query, &self.settings, chance)
    }

    fn with_cube(&self) -> Option<&dyn CubePlayer> {
        Some(self)
    }

    fn chances(&self, position: &Position) -> Option<Chances> {
        let (mut out, stop) = ([Chances::default()], Stop::never());
        let context = self.context(position, &self.cubeless, &stop).ok()?;
        let positions = std::slice::from_ref(position);
        context.evaluator.evaluate(None, positions, &mut out);
        Some(out[0])
    }
}

impl CubePlayer for Gammond {
    fn cube_identity(&self) -> Result<String, PlayerError> {
        Ok(self.engine.cube_identity())
    }

    fn play_in(
        &self,
        position: &Position,
        state: &MatchState,
        roll: Roll,
        chance: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        let query = PlayQuery {
            position: *position,
            roll,
            state: *state,
        };
        self.searched_play(&query, &self.cubeful, chance)
    }

    fn doubles(
        &self,
        position: &Position,
        state: &MatchState,
        chance: &mut ChaCha8Rng,
    ) -> Result<bool, PlayerError> {
        let (query, stop) = (CubeQuery::new(*position, *state), Stop::never());
        // People double where the engine does not consider it.
        if self.cubeful.pr.is_none() {
            let context = self.context(position, state, &stop)?;
            let considers = search::considers_double(context, &query, &self.cubeful);
            if !considers.map_err(|Stopped| EngineError::Stopped)? {
                return Ok(false);
            }
        }
        Ok(self.cube_action(&query, chance)?.double)
    }

    fn takes(
        &self,
        position: &Position,
        state: &MatchState,
        chance: &mut ChaCha8Rng,
    ) -> Result<bool, PlayerError> {
        let query = CubeQuery::new(*position, *state);
        Ok(self.cube_action(&query, chance)?.take)
    }

    fn answers(
        &self,
        position: &Position,
        state: &MatchState,
        turns: u8,
        chance: &mut ChaCha8Rng,
    ) -> Result<Act, PlayerError> {
        if turns > 1 || may_turn_again(state, turns) {
            let action = |query: &CubeQuery| self.cube_action(query, chance);
            let best = best_answer(position, state, turns, action)?.0;
            // People's takes and passes differ from the best ones, their beavers do not.
            if turns > 1 || best == Act::Beaver {
                return Ok(best);
            }
        }
        let takes = self.takes(position, state, chance)?;
        Ok(if takes { Act::Take } else { Act::Pass })
    }
}
