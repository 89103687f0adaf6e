//! `gammond open`: the server's pages in a browser.

use super::serve;
use crate::{Archive, Common, Failure, platform, stderr_line};
use gammond_server::http::{Http, HttpAccess, JobLimits, MatchArchive};
use gammond_server::{Address, Config};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

/// The usual port: browsers keep matches and comments by address, port included.
const PORT: u16 = 4380;

/// Pages of the server.
#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Page {
    #[value(alias = "explore")]
    Analyse,
    Play,
    Matches,
    Quiz,
    Status,
}

impl Page {
    const fn path(self) -> &'static str {
        match self {
            Page::Analyse => "",
            Page::Play => "play",
            Page::Matches => "matches",
            Page::Quiz => "quiz",
            Page::Status => "status",
        }
    }
}

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The page to open.
    #[arg(value_enum, default_value_t = Page::Analyse)]
    page: Page,
    /// Port of 127.0.0.1 for the server, 0 for a free one. Without it 4380 if that is free, else a free one; what pages keep
    /// in the browser belongs to the port.
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Archive of `gammond analyse --db` that the pages show.
    #[arg(long, value_name = "FILE")]
    db: Option<PathBuf>,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let port = args.port.unwrap_or_else(|| {
        let is_free = TcpListener::bind(("127.0.0.1", PORT)).is_ok();
        if is_free { PORT } else { 0 }
    });
    let address = Address::Tcp(format!("127.0.0.1:{port}"));
    let archive: Option<Arc<dyn MatchArchive>> = match &args.db {
        Some(path) => Some(Arc::new(Archive::existing(path)?)),
        None => None,
    };
    let (access, jobs) = (HttpAccess::default(), JobLimits::default());
    let http = Http::new(vec![address], access, jobs, archive).map_err(Failure::work)?;
    let mut config = Config::default().with(http);
    config.session = common.session(&[])?;
    serve::serve(common, config, common.engine()?, None, |server| {
        for address in server.addresses("http") {
            let url = format!("http://{address}/{}", args.page.path());
            stderr_line(format_args!("the page is at {url}; Ctrl-C ends the server"));
            open(&url);
        }
    })
}

/// Opens an address in the browser. Without one the person can still open it by hand.
fn open(url: &str) {
    let (program, first) = platform::OPENER;
    let mut command = Command::new(program);
    command.args(first).arg(url);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match command.spawn() {
        Ok(mut opener) => {
            // Some openers last as long as the browser.
            std::thread::spawn(move || {
                if !opener.wait().is_ok_and(|status| status.success()) {
                    stderr_line(format_args!(
                        "no browser was opened: open the address by hand"
                    ));
                }
            });
        }
        Err(error) => stderr_line(format_args!(
            "{program} does not start ({error}): open the address by hand"
        )),
    }
}
