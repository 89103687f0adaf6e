//! A classic net as the static evaluator of an engine.

use super::{ClassicFile, ClassicNet, SCRATCH, Sides, made_sides, mover_chances};
use gammond_base::files;
use gammond_engine::eval::{Evaluator, NoShortcuts, SearchPolicy, Shortcuts};
use gammond_game::{Chances, Class, Position};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;

/// A net that evaluates every position that is not over, races too: it has no tables beside it.
#[derive(Debug)]
struct ClassicEvaluator {
    name: String,
    net: ClassicNet,
    sides: Sides,
}

/// Opens the classic net in a file; returns `None` if the file holds something else or cannot be read.
///
/// An engine's builder accepts it ([`gammond_engine::EngineBuilder::net_opener`]).
#[must_use]
pub fn open_nets(path: &Path) -> Option<Result<Arc<dyn Evaluator>, Box<dyn Error + Send + Sync>>> {
    let bytes = files::read(path, ClassicFile::BYTES_MAX).ok()?;
    let file = match ClassicFile::parse(ClassicFile::text_in(&bytes)?) {
        Ok(file) => file,
        Err(fault) => return Some(Err(fault.into())),
    };
    let sides = made_sides(&file).unwrap_or_default();
    let shape = file.net.shape();
    let layers: Vec<String> = shape.layers().iter().map(usize::to_string).collect();
    let name = format!(
        "classic {} {}",
        shape.representation().name(),
        layers.join("-")
    );
    Some(Ok(Arc::new(ClassicEvaluator {
        name,
        net: file.net,
        sides,
    })))
}

impl Evaluator for ClassicEvaluator {
    fn name(&self) -> &str {
        &self.name
    }

    fn class(&self, position: &Position) -> Class {
        match Class::of(position) {
            Class::Bearoff1 | Class::Bearoff2 | Class::BearoffOs | Class::BearoffTs => Class::Race,
            class => class,
        }
    }

    fn evaluate(&self, _: Option<&Position>, positions: &[Position], out: &mut [Chances]) {
        SCRATCH.with_borrow_mut(|scratch| {
            for (position, out) in positions.iter().zip(out) {
                *out = mover_chances(&self.net, self.sides, position, scratch).inverted();
            }
        });
    }

    fn policy(&self) -> &SearchPolicy {
        &SearchPolicy::GNUBG
    }

    fn shortcuts(&self) -> &dyn Shortcuts {
        &NoShortcuts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::classic::{ClassicPlayer, ClassicShape, Representation};
    use crate::player::{Player, engine_builder};
    use gammond_base::rng::stream;
    use gammond_engine::engine::Nets;
    use gammond_engine::query::{EvalQuery, Settings, Stop};
    use gammond_game::{MatchState, Rules};

    /// The content decides, not the name; the engine's static chances are the player's.
    #[test]
    fn an_engine_evaluates_with_a_classic_net() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("gnubg.weights");
        let engine = || engine_builder().nets(Nets::Path(path.clone())).threads(1);
        let mut bearoff = [0; 25];
        bearoff[2] = 4;
        let bearoff = Position::new(&bearoff, &bearoff).unwrap();
        for sides in Sides::ALL {
            let shape = ClassicShape::new(Representation::TdGammon198, &[5], 1).unwrap();
            let net = ClassicNet::random(shape, 0.5, &mut stream(3, 0));
            let file = ClassicFile {
                net: net.clone(),
                made: Some(format!("{{\"job\":\"x\",\"sides\":\"{}\"}}", sides.name())),
            };
            std::fs::write(&path, file.text()).unwrap();
            let engine = engine().build().unwrap();
            assert_eq!(engine.net_name(), "classic td-gammon 198-5-1");
            let player = ClassicPlayer::new("net", net, sides);
            for position in [Position::start(), bearoff] {
                let query = EvalQuery::new(position, MatchState::money(Rules::default()));
                let settings = Settings::plies(0).with_cubeful(false);
                let found = engine.evaluate(&query, &settings, &Stop::never()).unwrap();
                assert_eq!(Some(found.chances), player.chances(&position), "{sides:?}");
            }
        }
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("layers 198 5 1", "layers 198 6 1")).unwrap();
        let error = engine().build().unwrap_err().to_string();
        assert!(error.contains("gnubg.weights: line "), "{error}");
    }
}
