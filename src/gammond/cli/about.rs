//! Version, commit, nets and CPU level of this program.

use gammond_engine::engine::{COMMIT, Engine};
use gammond_engine::nn::CpuLevel;

/// Returns the text of `--version`.
pub(super) fn version() -> String {
    let nets = Engine::builder().threads(1).build();
    let nets = nets.map_or("no nets".to_owned(), |engine| engine.net_name().to_owned());
    format!(
        "{} (commit {COMMIT}, nets {}, {} kernels)",
        env!("CARGO_PKG_VERSION"),
        nets.trim_start_matches("gammond "),
        CpuLevel::detect().name()
    )
}

/// Text that `gammond` alone prints on a terminal.
pub(super) const GREETING: &str = "\
gammond: a backgammon engine for programs and people. Three things to try:

  gammond move 4HPwATDgc/ABMA 31                  the best plays of a roll
  gammond cube 4HPwATDgc/ABMA length=7 score=3-2  double or not, take or pass
  echo \"4HPwATDgc/ABMA 31\" | gammond pipe         one JSON line, for programs

`gammond doctor` says what this machine has, `gammond --help` lists commands.
";
