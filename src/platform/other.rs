//! Systems that are not like Linux: Windows.

use super::types::FileId;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};

/// Nothing that can be named here makes its opener wait.
pub(crate) fn without_waiting(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}

/// What something is that is neither file nor folder.
pub(crate) fn special(_: FileType) -> &'static str {
    "a device"
}

/// Reads at a place. One reader at a time: the file has one place for all.
pub(crate) fn read_exact_at(mut file: &File, space: &mut [u8], at: u64) -> io::Result<()> {
    use std::sync::{Mutex, PoisonError};
    static ONE: Mutex<()> = Mutex::new(());
    let _alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(space)
}

/// Not known here.
pub(crate) fn file_id(_: &Metadata) -> Option<FileId> {
    None
}

/// Who may read a file is not told in its metadata here.
#[cfg(feature = "cli")]
pub(crate) fn rights_of_others(_: &Metadata) -> Option<u32> {
    None
}

/// CPU time of one thread is not asked for here.
#[cfg(feature = "cli")]
pub(crate) fn thread_time() -> Option<std::time::Duration> {
    None
}

/// Memory that this process holds is not asked for here.
#[cfg(feature = "cli")]
pub(crate) fn resident_bytes() -> Option<u64> {
    None
}

/// Programs that we start.
#[cfg(feature = "train")]
mod programs {
    use std::process::{Child, Command};

    /// A command of the system's shell.
    pub(crate) fn shell(command: &str) -> Command {
        let mut shell = Command::new("cmd");
        shell.args(["/C", command]);
        shell
    }

    /// There are no process groups; the child itself is ended by whoever calls this.
    pub(crate) fn end_group(_: &Child) {}
}

#[cfg(feature = "train")]
pub(crate) use programs::{end_group, shell};

/// What the server needs.
#[cfg(feature = "serve")]
mod serving {
    use super::super::types::FileId;
    use std::io;
    use std::path::Path;

    fn no_unix_sockets() -> io::Error {
        io::Error::new(
            io::ErrorKind::Unsupported,
            "this system has no Unix sockets; take HOST:PORT",
        )
    }

    /// Stands where others have streams of Unix sockets; there is never one.
    pub(crate) type LocalStream = tokio::net::TcpStream;

    /// Nobody has one.
    #[derive(Debug)]
    pub(crate) enum LocalListener {}

    impl LocalListener {
        pub(crate) fn bind(_: &Path) -> io::Result<LocalListener> {
            Err(no_unix_sockets())
        }

        pub(crate) async fn accept(&self) -> io::Result<(LocalStream, u32)> {
            match *self {}
        }
    }

    pub(crate) async fn is_left(_: &Path) -> bool {
        false
    }

    pub(crate) fn socket_id(_: &Path) -> Option<FileId> {
        None
    }

    /// Not known before something is written to it.
    pub(crate) fn hung_up<S>(_: &S) -> bool {
        false
    }

    /// There is no systemd.
    #[derive(Debug)]
    pub(crate) struct NotifySocket;

    impl NotifySocket {
        pub(crate) fn new(_: &str) -> io::Result<NotifySocket> {
            Err(io::ErrorKind::Unsupported.into())
        }

        pub(crate) fn send(&self, _: &[u8]) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(feature = "serve")]
pub(crate) use serving::{LocalListener, LocalStream, NotifySocket, hung_up, is_left, socket_id};

/// Not done here.
#[cfg(feature = "serve")]
pub(crate) fn give_way(_: i32) {}

/// Not known here.
#[cfg(feature = "farm")]
pub(crate) fn others_are_busy(_: std::time::Instant) -> bool {
    false
}

/// Signals, for the program alone.
#[cfg(feature = "cli")]
mod hearing {
    use super::super::types::Told;
    use std::io;
    use tokio::signal::windows;

    /// What a program is told, again and again.
    pub(crate) enum Ear {
        End(windows::CtrlShutdown),
        Interrupt(windows::CtrlC),
        Never,
    }

    impl Ear {
        pub(crate) fn new(told: Told) -> io::Result<Ear> {
            Ok(match told {
                Told::End => Ear::End(windows::ctrl_shutdown()?),
                Told::Interrupt => Ear::Interrupt(windows::ctrl_c()?),
                Told::Reload => Ear::Never,
            })
        }

        /// Waits for the next time; false when there will be none.
        pub(crate) async fn hears(&mut self) -> bool {
            match self {
                Ear::End(end) => end.recv().await.is_some(),
                Ear::Interrupt(interrupt) => interrupt.recv().await.is_some(),
                Ear::Never => std::future::pending().await,
            }
        }
    }
}

#[cfg(feature = "cli")]
pub(crate) use hearing::Ear;
