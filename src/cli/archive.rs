//! The archive of analysed matches: `analyse --db`, `fibs --db`, `players`.

use super::Failure;
use crate::analysis::{Analysis, level_name};
use crate::engine::Engine;
use crate::query::Settings;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// What is judged alike has the same checksum: the file, the depth, the nets and the match equity table.
pub(crate) fn archive_sum(engine: &Engine, settings: &Settings, bytes: &[u8]) -> String {
    let level = level_name(settings);
    let level = format!("{level} {} {}", engine.net_name(), engine.met().name());
    let mut summed = level.into_bytes();
    summed.push(0);
    summed.extend_from_slice(bytes);
    crate::job::sha256(&summed)
}

/// The archive: what each match came to, a JSON object a line.
pub(crate) struct Archive {
    path: PathBuf,
    known: HashSet<String>,
    file: std::fs::File,
}

/// Longest archive that is read.
pub(crate) const ARCHIVE_BYTES_MAX: u64 = 4 << 30;

impl Archive {
    pub(crate) fn open(path: &Path) -> Result<Archive, Failure> {
        let mut known = HashSet::new();
        let mut cut = false;
        if path.exists() {
            let text =
                crate::files::read_text(path, ARCHIVE_BYTES_MAX).map_err(Failure::in_file(path))?;
            for (number, line) in (1..).zip(text.lines()) {
                let value: Option<serde_json::Value> = serde_json::from_str(line).ok();
                let checksum = value
                    .as_ref()
                    .and_then(|value| value.get("checksum")?.as_str());
                match checksum {
                    Some(checksum) => drop(known.insert(checksum.to_owned())),
                    // The last line of a program that was killed.
                    // What a program that was killed left behind; but no file of somebody else's.
                    None if number > 1 || !text.contains('\n') && line.starts_with('{') => {}
                    None => return Err(Failure::in_file(path)("is no archive of this command")),
                }
            }
            cut = !text.is_empty() && !text.ends_with('\n');
        }
        let mut file = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .map_err(Failure::in_file(path))?;
        if cut {
            use std::io::Write as _;
            file.write_all(b"\n").map_err(Failure::in_file(path))?;
        }
        Ok(Archive {
            path: path.to_owned(),
            known,
            file,
        })
    }

    pub(crate) fn has(&self, checksum: &str) -> bool {
        self.known.contains(checksum)
    }

    pub(crate) fn add(
        &mut self,
        name: &str,
        checksum: &str,
        analysis: &Analysis,
    ) -> Result<(), Failure> {
        use std::io::Write as _;
        let mut value = analysis.summary(name);
        if let Some(object) = value.as_object_mut() {
            object.insert("checksum".to_owned(), checksum.into());
        }
        self.known.insert(checksum.to_owned());
        let line = format!("{value}\n");
        let written = self.file.write_all(line.as_bytes());
        written.map_err(Failure::unwritten(&self.path))
    }
}
