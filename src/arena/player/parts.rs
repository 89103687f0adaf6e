//! A player put together from parts that a TOML file names, as the players of the literature were: one for contact, one
//! for races, perhaps one for crashed positions, and the one-sided table when both sides are home.
//!
//! ```toml
//! name = "Player 3.1"
//! contact = "td:contact.net"
//! race = "td:race.net"
//! one_sided = true
//! ```
//!
//! Parts are written as players are; paths in them are seen from the folder of the file.

use super::{Player, PlayerError, best_by, check_fifteen};
use gammond_base::files::{self, TEXT_BYTES_MAX};
use gammond_base::rng::ChaCha8Rng;
use gammond_base::toml::parse_toml;
use gammond_engine::bearoff::Tables;
use gammond_game::{Chances, Class, Position, Roll, Variant};
use std::path::Path;

/// Contents of a file.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartsFile {
    pub(super) name: Option<String>,
    pub(super) contact: String,
    pub(super) crashed: Option<String>,
    pub(super) race: String,
    #[serde(default)]
    pub(super) one_sided: bool,
}

impl PartsFile {
    /// Reads the file that describes a player.
    pub(super) fn read(path: &Path) -> Result<PartsFile, PlayerError> {
        let text = files::read_text(path, TEXT_BYTES_MAX)
            .map_err(|error| PlayerError::in_file(path, error))?;
        parse_toml(&text).map_err(|fault| PlayerError::in_file(path, fault))
    }
}

/// The reason for refusing parts that are themselves put together from parts.
pub(super) const NESTED: &str = "parts within parts are not possible";

/// Cuts a name that a file gives to what fits on a line of a report.
pub(super) fn short_name(name: &str) -> String {
    let shown = name.chars().filter(|one| !one.is_control());
    shown.take(NAME_LETTERS_MAX).collect()
}

/// Letters of a name that a file gives.
const NAME_LETTERS_MAX: usize = 60;

/// A player of parts.
pub(super) struct Parts {
    name: String,
    contact: Box<dyn Player>,
    crashed: Option<Box<dyn Player>>,
    race: Box<dyn Player>,
    one_sided: bool,
}

impl Parts {
    /// Puts a player together; `open` makes a part and names its key in errors. Every part must have values.
    pub(super) fn new<'a, S: 'a>(
        (name, file): (&str, &Path),
        (contact, crashed, race): (&'a S, Option<&'a S>, &'a S),
        one_sided: bool,
        open: &dyn Fn(&S) -> Result<Box<dyn Player>, PlayerError>,
    ) -> Result<Parts, PlayerError> {
        let part = |key: &str, part: &S| {
            let wrong = |reason: &dyn std::fmt::Display| {
                PlayerError::in_file(file, format!("{key}: {reason}"))
            };
            let player = open(part).map_err(|error| wrong(&error))?;
            match player.chances(&Position::start()) {
                Some(_) => Ok(player),
                None => Err(wrong(&format!(
                    "{} does not value positions",
                    player.name()
                ))),
            }
        };
        Ok(Parts {
            name: name.to_owned(),
            contact: part("contact", contact)?,
            crashed: crashed
                .map(|crashed| part("crashed", crashed))
                .transpose()?,
            race: part("race", race)?,
            one_sided,
        })
    }

    fn value(&self, position: &Position) -> Chances {
        let part = match Class::of(position) {
            Class::Over => None,
            Class::Contact => Some(&self.contact),
            Class::Crashed => Some(self.crashed.as_ref().unwrap_or(&self.contact)),
            Class::Race => Some(&self.race),
            _ => {
                let table = self.one_sided.then(|| &Tables::shared().one_sided);
                if let Some(chances) = table.and_then(|table| table.chances(position)) {
                    return chances;
                }
                Some(&self.race)
            }
        };
        let over = || position.outcome().map(|outcome| outcome.chances());
        part.map_or_else(over, |part| part.chances(position))
            .unwrap_or_default()
    }
}

impl Player for Parts {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn identity(&self) -> Result<String, PlayerError> {
        let crashed = self.crashed.as_ref();
        let crashed = crashed.map_or(Ok("none".to_owned()), |part| part.identity())?;
        Ok(format!(
            "parts: contact [{}], crashed [{crashed}], race [{}], one-sided {}",
            self.contact.identity()?,
            self.race.identity()?,
            self.one_sided
        ))
    }

    fn can_play(&self, variant: Variant) -> Result<(), PlayerError> {
        check_fifteen(self, variant)
    }

    fn play(
        &self,
        position: &Position,
        roll: Roll,
        _: &mut ChaCha8Rng,
    ) -> Result<Position, PlayerError> {
        Ok(best_by(position, roll, |after| -self.value(after).equity()))
    }

    fn chances(&self, position: &Position) -> Option<Chances> {
        Some(self.value(position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::PlayerSpec;
    use crate::player::classic::{ClassicFile, ClassicNet, ClassicShape, Representation};
    use gammond_base::rng::stream;

    fn opened(path: &Path) -> Result<Box<dyn Player>, String> {
        let spec = format!("parts:{}", path.display()).parse::<PlayerSpec>();
        spec.unwrap().open().map_err(|error| error.to_string())
    }

    #[test]
    fn each_class_has_its_part() {
        let folder = tempfile::tempdir().unwrap();
        let shape = ClassicShape::new(Representation::Player31, &[5], 5).unwrap();
        let nets = [1, 2].map(|seed| ClassicNet::random(shape.clone(), 0.5, &mut stream(seed, 0)));
        for (name, net) in ["contact", "race"].iter().zip(&nets) {
            let text = ClassicFile::of(net.clone()).text();
            std::fs::write(folder.path().join(format!("{name}.net")), text).unwrap();
        }
        let path = folder.path().join("player.toml");
        let plan = "name = 'Player 3.1'\ncontact = 'td:contact.net'\nrace = 'td:race.net'\n";
        std::fs::write(&path, format!("{plan}one_sided = true\n")).unwrap();
        let player = opened(&path).unwrap();
        assert_eq!(player.name(), "Player 3.1");
        let part = |name: &str, position: &Position| {
            let net = folder.path().join(format!("{name}.net"));
            let spec = format!("td:{}", net.display()).parse::<PlayerSpec>();
            spec.unwrap().open().unwrap().chances(position).unwrap()
        };
        let start = Position::start();
        assert_eq!(player.chances(&start).unwrap(), part("contact", &start));
        let race = Position::from_points(&[1, 0, 0, 0, 0, 0, 2], &[2, 0, 0, 3]).unwrap();
        assert_eq!(player.chances(&race).unwrap(), part("race", &race));
        assert_ne!(part("race", &race), part("contact", &race));
        let home = Position::from_points(&[1, 2], &[2, 0, 0, 3]).unwrap();
        let exact = Tables::shared().one_sided.chances(&home);
        assert_eq!(player.chances(&home), exact);
        std::fs::write(&path, plan).unwrap();
        let without = opened(&path).unwrap();
        assert_eq!(without.chances(&home).unwrap(), part("race", &home));
        assert_ne!(without.identity().unwrap(), player.identity().unwrap());
    }

    #[test]
    fn faults_name_the_file_and_the_part() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("player.toml");
        for (text, said) in [
            ("contact = 'gammond'\n", "missing field `race`"),
            (
                "contact = 'gammond'\nrcae = 'gammond'\n",
                "did you mean race? (line 2)",
            ),
            (
                "contact = 'pubeval'\nrace = 'linear'\n",
                "contact: pubeval does not value positions",
            ),
            (
                "contact = 'nobody'\nrace = 'linear'\n",
                "contact: player \"nobody\"",
            ),
            ("contact = 'td:none.net'\nrace = 'linear'\n", "none.net: "),
            (
                "contact = 'parts:player.toml'\nrace = 'linear'\n",
                "contact: player \"parts:player.toml\": parts within parts",
            ),
            (
                "contact = 'expectiminimax:eval=parts:player.toml'\nrace = 'linear'\n",
                "parts within parts",
            ),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = opened(&path).err().unwrap();
            assert!(error.contains(said), "{said}: {error}");
            assert!(error.contains("player.toml: "), "{error}");
        }
    }
}
