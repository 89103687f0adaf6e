//! The match file of `gammond play`: written after every action, so that nothing of a match is lost however it ends.

use crate::{Failure, platform, shown_path};
use gammond_base::escape::FileName;
use gammond_base::files::create_folder;
use gammond_base::journal::{check_writable, create_whole, write_whole};
use gammond_game::notation::{MatAction, MatGame, MatPlayer, MatchFile, SetUp};
use gammond_game::{Position, Rules};
use gammond_server::console::today;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Number of names that are tried for a match file before the error.
const NAMES_MAX: u32 = 1000;

/// Place of the match file.
enum Place {
    /// The match is not kept.
    Nowhere,
    /// A new file of this name.
    File(PathBuf),
    /// A new file in this folder, whose name begins so.
    Folder(PathBuf, String),
}

/// A match as it is played, and its file.
pub(super) struct HandMatch {
    pub(super) file: MatchFile,
    place: Place,
    /// The file, once there is one.
    path: Option<PathBuf>,
    /// The last error of writing it.
    unwritten: Option<String>,
}

impl HandMatch {
    /// Begins a match of these players; `save` is `none`, a file, or nothing for a new file in the user's data folder.
    ///
    /// # Errors
    /// When the file exists.
    pub(super) fn new(
        length: u8,
        names: [String; 2],
        rules: Rules,
        seed: u64,
        save: Option<&Path>,
    ) -> Result<HandMatch, Failure> {
        let day = today();
        let place = match save {
            Some(path) if path.as_os_str() == "none" => Place::Nowhere,
            Some(path) if path.exists() => {
                return Err(Failure::in_file(path)(
                    "exists already, expected the name of a new match file",
                ));
            }
            Some(path) => {
                check_writable(path).map_err(Failure::in_file(path))?;
                Place::File(path.to_owned())
            }
            None => {
                let [_, opponent] = &names;
                let folder = platform::data_folder().map(|folder| folder.join("gammond/matches"));
                let folder = folder.unwrap_or_else(|| PathBuf::from("."));
                Place::Folder(folder, format!("{day}-{}-{seed}", FileName::new(opponent)))
            }
        };
        let mut comments = vec![
            format!(" [EventDate \"{}\"]", day.replace('-', ".")),
            format!(" played with gammond play, seed {seed}"),
        ];
        if length == 0 {
            let [no_jacoby, no_beavers] = MatchFile::WITHOUT_JACOBY;
            comments.extend((!rules.jacoby).then(|| no_jacoby.to_owned()));
            comments.extend((!rules.beavers).then(|| no_beavers.to_owned()));
        }
        let file = MatchFile {
            length: length.into(),
            names,
            comments,
            games: Vec::new(),
        };
        Ok(HandMatch {
            file,
            place,
            path: None,
            unwritten: None,
        })
    }

    /// Begins a game of this score, in which `side` is on roll, from a position that it sees and a centred cube; without them
    /// from the start of the variant.
    pub(super) fn begin_game(
        &mut self,
        scores: [u32; 2],
        side: usize,
        set_up: Option<(Position, u32)>,
    ) {
        let set_up = set_up.map(|(position, value)| SetUp {
            position,
            value,
            owner: None,
        });
        let actions = set_up.map(|set_up| (player(side), MatAction::SetUp(set_up)));
        self.file.games.push(MatGame {
            scores,
            actions: actions.into_iter().collect(),
            ..MatGame::default()
        });
    }

    /// Adds an action of a side (0 or 1) to the game.
    pub(super) fn add(&mut self, side: usize, action: MatAction) {
        if let Some(game) = self.file.games.last_mut() {
            game.actions.push((player(side), action));
        }
        self.write();
    }

    /// Ends the game.
    pub(super) fn end_game(&mut self, winner: usize, points: u32) {
        if let Some(game) = self.file.games.last_mut() {
            game.result = Some((player(winner), points));
        }
        self.write();
    }

    /// Returns true if nothing was played.
    pub(super) fn is_empty(&self) -> bool {
        let mut actions = self.file.games.iter().flat_map(|game| &game.actions);
        actions.all(|(_, action)| matches!(action, MatAction::SetUp(_)))
    }

    /// Returns a line about where the match is; `None` if it is not to be kept.
    ///
    /// # Errors
    /// When the file could not be written.
    pub(super) fn place_line(&self) -> Result<Option<String>, Failure> {
        if let Some(error) = &self.unwritten {
            return Err(Failure::work(format!(
                "the match is not saved: {error}; --save FILE names another place"
            )));
        }
        Ok(self.path.as_ref().map(|path| {
            let path = shown_path(path);
            format!("The match is saved in {path}")
        }))
    }

    /// Writes the file; an error is reported at the end, when the person has played.
    fn write(&mut self) {
        let bytes = self.file.to_string().into_bytes();
        let written = match (&self.path, &self.place) {
            (Some(path), _) => write_whole(path, &bytes)
                .map(|()| None)
                .map_err(|error| (path.clone(), error)),
            (None, Place::Nowhere) => Ok(None),
            (None, Place::File(path)) => create_whole(path, &bytes)
                .map(|()| Some(path.clone()))
                .map_err(|error| (path.clone(), error)),
            (None, Place::Folder(folder, stem)) => create_in(folder, stem, &bytes),
        };
        self.unwritten = match written {
            Ok(new) => {
                self.path = new.or(self.path.take());
                None
            }
            Err((path, error)) => Some(format!("{}: {error}", shown_path(&path))),
        };
    }
}

/// Creates a file with a new name in a folder.
fn create_in(
    folder: &Path,
    stem: &str,
    bytes: &[u8],
) -> Result<Option<PathBuf>, (PathBuf, std::io::Error)> {
    create_folder(folder).map_err(|error| (folder.to_owned(), error))?;
    let mut number = 1;
    loop {
        let name = match number {
            1 => format!("{stem}.mat"),
            number => format!("{stem}-{number}.mat"),
        };
        let path = folder.join(name);
        match create_whole(&path, bytes) {
            Ok(()) => return Ok(Some(path)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < NAMES_MAX => {
                number += 1;
            }
            Err(error) => return Err((path, error)),
        }
    }
}

/// Returns the player of a side.
const fn player(side: usize) -> MatPlayer {
    match side {
        0 => MatPlayer::First,
        _ => MatPlayer::Second,
    }
}
