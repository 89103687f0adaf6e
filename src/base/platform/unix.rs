//! Linux, and systems like it.

use super::types::FileId;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};

/// Makes the opening of a pipe or terminal return at once.
pub(crate) fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
}

/// Names the kind of a file that is neither a regular file nor a folder.
pub(crate) fn special(kind: FileType) -> &'static str {
    if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

/// Reads at a place without moving the file's own.
pub fn read_exact_at(file: &File, space: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(space, at)
}

/// Returns the device and number of a file.
pub fn file_id(about: &Metadata) -> Option<FileId> {
    Some((about.dev(), about.ino()))
}

/// Returns the rights of a file where others than its owner have any.
pub(crate) fn rights_of_others(about: &Metadata) -> Option<u32> {
    let mode = about.mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

/// Returns the resident memory of this process in bytes; `None` where the system does not report it.
pub fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Returns true if other programs use more than a quarter of the machine. Checked at most once a second; false where the
/// system gives no figures.
pub fn others_are_busy(now: std::time::Instant) -> bool {
    use std::sync::{Mutex, PoisonError};
    use std::time::{Duration, Instant};
    static LAST: Mutex<Option<(Instant, [u64; 3], bool)>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((at, _, busy)) = &*last
        && now.saturating_duration_since(*at) < Duration::from_secs(1)
    {
        return *busy;
    }
    let Some(used) = ticks() else { return false };
    let busy = last.as_ref().is_some_and(|(_, before, _)| {
        let [all, others, own] = [0, 1, 2].map(|which: usize| {
            let of = |ticks: &[u64; 3]| ticks.get(which).copied().unwrap_or_default();
            of(&used).saturating_sub(of(before))
        });
        4 * others.saturating_sub(own) > all
    });
    *last = Some((now, used, busy));
    busy
}

/// Ticks of all processors, those that were used, those of this program.
fn ticks() -> Option<[u64; 3]> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let numbers = stat.lines().next()?.split_whitespace().skip(1);
    let all: Vec<u64> = numbers
        .take(8)
        .map(|one| one.parse().ok())
        .collect::<Option<_>>()?;
    let sum: u64 = all.iter().sum();
    // The fourth and fifth wait.
    let idle: u64 = all.iter().skip(3).take(2).sum();
    let own = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, own) = own.rsplit_once(')')?;
    let own = own.split_whitespace().skip(11).take(2);
    let own: u64 = own.filter_map(|one| one.parse::<u64>().ok()).sum();
    Some([sum, sum - idle, own])
}
