//! Linux, and systems like it.

use super::types::FileId;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt as _, FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};

/// Has the opening of a pipe or terminal return at once.
pub(crate) fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
}

/// What something is that is neither file nor folder.
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
pub(crate) fn read_exact_at(file: &File, space: &mut [u8], at: u64) -> io::Result<()> {
    file.read_exact_at(space, at)
}

/// Device and number of a file.
pub(crate) fn file_id(about: &Metadata) -> Option<FileId> {
    Some((about.dev(), about.ino()))
}

/// The rights of a file where others than its owner have any.
#[cfg(feature = "cli")]
pub(crate) fn rights_of_others(about: &Metadata) -> Option<u32> {
    let mode = about.mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

/// Programs that we start, with all that they start.
#[cfg(feature = "train")]
mod programs {
    use rustix::process::{Pid, Signal, kill_process_group};
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command};

    /// A command of the shell, in a process group of its own.
    pub(crate) fn shell(command: &str) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).process_group(0);
        shell
    }

    /// Ends the child's process group: a shell's children are not left behind.
    pub(crate) fn end_group(child: &Child) {
        if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            // Nothing can be done about one that is gone already.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

#[cfg(feature = "train")]
pub(crate) use programs::{end_group, shell};

/// What the server needs.
#[cfg(feature = "serve")]
mod serving {
    use super::super::types::FileId;
    use super::file_id;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    use std::io;
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileTypeExt as _;
    use std::os::unix::net::{SocketAddr, UnixDatagram};
    use std::path::Path;
    use tokio::net::{UnixListener, UnixStream};

    /// A stream of a Unix socket.
    pub(crate) type LocalStream = UnixStream;

    /// A listening Unix socket.
    #[derive(Debug)]
    pub(crate) struct LocalListener(UnixListener);

    impl LocalListener {
        /// Binds a path, at which nothing may lie.
        pub(crate) fn bind(path: &Path) -> io::Result<LocalListener> {
            UnixListener::bind(path).map(LocalListener)
        }

        /// The next stream, and the number of its user.
        pub(crate) async fn accept(&self) -> io::Result<(LocalStream, u32)> {
            let (stream, _) = self.0.accept().await?;
            let user = stream.peer_cred().map_or(u32::MAX, |peer| peer.uid());
            Ok((stream, user))
        }
    }

    /// Whether the socket of this path was left behind: nobody listens there.
    pub(crate) async fn is_left(path: &Path) -> bool {
        let answered = UnixStream::connect(path).await;
        matches!(answered, Err(error) if error.kind() == io::ErrorKind::ConnectionRefused)
    }

    /// The identity of a socket's file; `None` when there is no socket.
    pub(crate) fn socket_id(path: &Path) -> Option<FileId> {
        let about = std::fs::symlink_metadata(path).ok()?;
        if !about.file_type().is_socket() {
            return None;
        }
        file_id(&about)
    }

    /// Whether the peer of a connection has vanished; one that has only ended its side has not.
    pub(crate) fn hung_up<S: AsFd>(stream: &S) -> bool {
        let mut polled = [PollFd::new(stream, PollFlags::empty())];
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        match poll(&mut polled, Some(&now)) {
            Ok(1..) => polled.iter().any(|one| one.revents().intersects(gone)),
            _ => false,
        }
    }

    /// Where systemd hears how a service is.
    #[derive(Debug)]
    pub(crate) struct NotifySocket(UnixDatagram, SocketAddr);

    impl NotifySocket {
        /// A path, or a name with `@` before it.
        pub(crate) fn new(address: &str) -> io::Result<NotifySocket> {
            let target = match address.strip_prefix('@') {
                Some(name) => abstract_name(name)?,
                None => SocketAddr::from_pathname(address)?,
            };
            let socket = UnixDatagram::unbound()?;
            socket.set_nonblocking(true)?;
            Ok(NotifySocket(socket, target))
        }

        pub(crate) fn send(&self, bytes: &[u8]) -> io::Result<()> {
            self.0.send_to_addr(bytes, &self.1).map(drop)
        }
    }

    #[cfg(target_os = "linux")]
    fn abstract_name(name: &str) -> io::Result<SocketAddr> {
        use std::os::linux::net::SocketAddrExt as _;
        SocketAddr::from_abstract_name(name)
    }

    #[cfg(not(target_os = "linux"))]
    fn abstract_name(_: &str) -> io::Result<SocketAddr> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(feature = "serve")]
pub(crate) use serving::{LocalListener, LocalStream, NotifySocket, hung_up, is_left, socket_id};

/// Has this thread give way to others: so many steps of niceness. Other systems than Linux know that of
/// whole processes only; there nothing happens.
#[cfg(feature = "serve")]
pub(crate) fn give_way(steps: i32) {
    // One that is refused it computes at its old priority.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(steps);
    #[cfg(not(target_os = "linux"))]
    let _ = steps;
}

/// CPU time of the calling thread.
#[cfg(feature = "cli")]
pub(crate) fn thread_time() -> Option<std::time::Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let now = clock_gettime(ClockId::ThreadCPUTime);
    let seconds = u64::try_from(now.tv_sec).ok()?;
    let rest = u32::try_from(now.tv_nsec).ok()?;
    Some(std::time::Duration::new(seconds, rest))
}

/// Memory that this process holds now, in bytes, where the system tells.
#[cfg(feature = "cli")]
pub(crate) fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// Signals, for the program alone.
#[cfg(feature = "cli")]
mod hearing {
    use super::super::types::Told;
    use std::io;
    use tokio::signal::unix::{Signal, SignalKind};

    /// What a program is told, again and again.
    pub(crate) struct Ear(Signal);

    impl Ear {
        pub(crate) fn new(told: Told) -> io::Result<Ear> {
            let kind = match told {
                Told::End => SignalKind::terminate(),
                Told::Interrupt => SignalKind::interrupt(),
                Told::Reload => SignalKind::hangup(),
            };
            tokio::signal::unix::signal(kind).map(Ear)
        }

        /// Waits for the next time; false when there will be none.
        pub(crate) async fn hears(&mut self) -> bool {
            self.0.recv().await.is_some()
        }
    }
}

#[cfg(feature = "cli")]
pub(crate) use hearing::Ear;

/// Whether other programs use more than a quarter of the machine; looked at once a second, where the system tells it.
#[cfg(feature = "farm")]
pub(crate) fn others_are_busy(now: std::time::Instant) -> bool {
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
#[cfg(feature = "farm")]
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
