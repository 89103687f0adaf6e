//! The files of finished matches.

use gammond_base::escape::FileName;
use gammond_base::files::create_folder;
use gammond_base::journal::{check_writable, create_whole};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Maximum number of match files of one second.
const NAMES_MAX: u32 = 1000;

/// Checks that match files can be written in this folder, which is created if it is missing.
///
/// # Errors
/// If they cannot be written.
pub(crate) fn check_match_folder(folder: &Path) -> std::io::Result<()> {
    create_folder(folder)?;
    check_writable(&folder.join("match.mat"))
}

/// Writes the file of a finished match and returns its path.
///
/// # Errors
/// If the folder cannot be written.
pub fn write_match(folder: &Path, opponent: &str, text: &str) -> std::io::Result<PathBuf> {
    let seconds = unix_seconds();
    create_folder(folder)?;
    let opponent = FileName::new(opponent);
    let day = date(seconds);
    let time = seconds % 86_400;
    // Two matches can end in the same second, and be written at once: no file takes the place of
    // another, and none waits for another.
    let taken = |error: &std::io::Error| {
        matches!(
            error.kind(),
            std::io::ErrorKind::AlreadyExists | std::io::ErrorKind::WouldBlock
        )
    };
    for number in 0..NAMES_MAX {
        let path = folder.join(format!("{day}_{time:05}_{opponent}_{number}.mat"));
        match create_whole(&path, text.as_bytes()) {
            Err(error) if taken(&error) => {}
            done => return done.map(|()| path),
        }
    }
    Err(std::io::Error::other("too many matches in one second"))
}

/// Returns the seconds since 1970.
pub(crate) fn unix_seconds() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}

/// Returns the UTC date of these seconds since 1970: `2026-11-21`. The calendar repeats every 146097 days, counted from March.
#[must_use]
pub fn date(seconds: u64) -> String {
    let days = seconds / 86_400 + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The file is written whatever the opponent's name, and always inside the folder.
    #[test]
    fn match_of_any_opponent_is_written() {
        let folder = tempfile::tempdir().unwrap();
        for opponent in [
            &"x".repeat(3000),
            "../../etc/passwd\0",
            "\u{202e}\u{1b}[2J",
            "",
        ] {
            let path = write_match(folder.path(), opponent, "text").unwrap();
            assert_eq!(path.parent(), Some(folder.path()));
            assert!(path.file_name().unwrap().len() < 100);
        }
    }

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(951_782_400), "2000-02-29");
        assert_eq!(date(1_795_224_437), "2026-11-21");
        assert_eq!(date(4_107_542_399), "2100-02-28");
    }
}
