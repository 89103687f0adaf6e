//! The texts about the program: version, commit, nets and CPU level; the first page of its help.

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

/// The commands of the first page of help, by purpose; the others are named below them.
const GROUPS: [(&str, &[&str]); 5] = [
    (
        "Positions",
        &["move", "cube", "eval", "rollout", "show", "convert"],
    ),
    ("Matches", &["analyse", "players", "play"]),
    (
        "Servers and clients",
        &["pipe", "serve", "open", "gnubg", "ubgi", "fibs"],
    ),
    ("Players and nets", &["duel", "bench", "train"]),
    ("This machine", &["doctor", "config"]),
];

/// Returns the command with short help (`-h`) that shows a command's own options and names the common ones in one line.
fn with_short_help(command: clap::Command) -> clap::Command {
    let common = command.get_arguments().filter(|one| one.is_global_set());
    let names: Vec<String> = common
        .filter_map(|one| one.get_long())
        .map(|name| format!("--{name}"))
        .collect();
    let line = format!("Common options: {} (--help has more)", names.join(" "));
    let command = command.mut_args(|one| {
        let is_common = one.is_global_set();
        one.hide_short_help(is_common)
    });
    with_line(command, &line)
}

/// Adds a line to the short help of a command and its subcommands, before the example.
fn with_line(command: clap::Command, line: &str) -> clap::Command {
    let example = command.get_after_help().cloned().unwrap_or_default();
    let short = format!("{line}\n\n{example}");
    command
        .after_help(short)
        .after_long_help(example)
        .mut_subcommands(|one| with_line(one, line))
}

/// Returns the command with a first page of help that has its commands in groups.
pub(super) fn with_groups(command: clap::Command) -> clap::Command {
    let command = with_short_help(command);
    let about = |name: &str| {
        let found = command.get_subcommands().find(|one| one.get_name() == name);
        let about = found.and_then(|one| one.get_about());
        about.map_or_else(String::new, ToString::to_string)
    };
    let mut text = String::new();
    for (title, names) in GROUPS {
        text.push_str(&format!("{title}:\n"));
        for name in names {
            text.push_str(&format!("  {name:<9} {}\n", about(name)));
        }
        text.push('\n');
    }
    let grouped = |name: &str| GROUPS.iter().any(|(_, names)| names.contains(&name));
    let names = command.get_subcommands().map(clap::Command::get_name);
    let others: Vec<&str> = names.filter(|name| !grouped(name)).collect();
    let lines = others
        .chunks(8)
        .map(|names| format!("  {}", names.join(", ")));
    let others = lines.collect::<Vec<_>>().join(",\n");
    let text = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{text}More commands:\n{others}\n\nEach has `-h` with its \
         own options and an example, and `--help`.\n\n{{all-args}}{{after-help}}"
    );
    command
        .override_usage("gammond [OPTIONS] [COMMAND]")
        .help_template(text)
        .mut_subcommands(|one| one.hide(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    /// The first page of help has at most twenty commands, each once, and names all others.
    #[test]
    fn help_has_at_most_twenty_commands_and_names_all() {
        let command = super::super::Cli::command();
        let all: Vec<&str> = (command.get_subcommands())
            .map(clap::Command::get_name)
            .collect();
        let grouped: Vec<&str> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        assert!(grouped.len() <= 20 && grouped.iter().all(|name| all.contains(name)));
        let page = with_groups(command.clone()).render_long_help().to_string();
        for name in all {
            let places = grouped.iter().filter(|one| **one == name).count();
            assert!(places <= 1, "{name}");
            assert!(
                page.split([' ', ',', '\n']).any(|word| word == name),
                "{name}: {page}"
            );
        }
    }
}
