//! `gammond config print`: the settings in force, as a configuration file.

use crate::options::kernels_word;
use crate::{Cli, Common, Failure, config};
use clap::{ArgAction, CommandFactory};
use gammond_engine::nn::CpuLevel;
use std::fmt::Write as _;
use std::process::ExitCode;

/// Arguments of the subcommand.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: ConfigCommand,
}

#[derive(clap::Subcommand, Debug)]
enum ConfigCommand {
    /// Print the options in force, and those of every subcommand, as a configuration file.
    #[command(after_help = "Example: gammond config print --plies 2 > new.toml")]
    Print,
    /// Print where the configuration file is searched.
    #[command(after_help = "Example: gammond config path")]
    Path,
}

pub(crate) fn run(common: &Common, args: &Args) -> Result<ExitCode, Failure> {
    let path = config::default_file();
    let path = common.config.clone().or(path);
    let shown = path
        .as_ref()
        .map_or("nowhere".to_owned(), |path| path.display().to_string());
    match args.action {
        ConfigCommand::Path => crate::print(format!("{shown}\n").as_bytes()),
        ConfigCommand::Print => {
            let there = path.is_some_and(|path| path.exists());
            let state = if there { "read" } else { "not there" };
            let mut text = format!("# {shown} ({state})\n\n");
            options_in_force(common, &mut text);
            subcommands(&mut text);
            crate::print(text.as_bytes())
        }
    }
}

/// Writes the options in force. Defaults are comments: in a file they would replace the own defaults of commands.
fn options_in_force(common: &Common, text: &mut String) {
    let mut line = |key: &str, value: Option<toml::Value>, is_set: bool| {
        let hidden = if is_set { "" } else { "# " };
        let value = value.map_or_else(String::new, |value| format!(" {value}"));
        let _ = writeln!(text, "{hidden}{key} ={value}");
    };
    let is_default = |id: &str, value: &str| {
        let command = Cli::command();
        let found = command.get_arguments().find(|one| one.get_id() == id);
        found.is_some_and(|one| one.get_default_values().iter().any(|known| known == value))
    };
    let path = |path: &Option<std::path::PathBuf>| {
        path.as_ref()
            .map(|path| toml::Value::from(path.display().to_string()))
    };
    let nets = &common.nets;
    line("nets", Some(nets.clone().into()), !is_default("nets", nets));
    let plies = i64::from(common.plies());
    line("plies", Some(plies.into()), common.plies.is_some());
    line(
        "threads",
        common
            .threads
            .and_then(|threads| i64::try_from(threads).ok())
            .map(Into::into),
        common.threads.is_some(),
    );
    line("bearoff", path(&common.bearoff), common.bearoff.is_some());
    line("met", Some(common.met_name().into()), common.met.is_some());
    let kernels = kernels_word(CpuLevel::detect());
    line("kernels", Some(kernels.into()), common.kernels.is_some());
    line(
        "seed",
        i64::try_from(common.seed()).ok().map(Into::into),
        common.seed.is_some(),
    );
    line(
        "format",
        common
            .format
            .map(|format| format!("{format:?}").to_lowercase().into()),
        common.format.is_some(),
    );
    let log = &common.log;
    line("log", Some(log.clone().into()), !is_default("log", log));
    line("log-json", Some(common.log_json.into()), common.log_json);
}

/// Writes the options of each subcommand with their defaults, as comments.
fn subcommands(text: &mut String) {
    for command in Cli::command().get_subcommands() {
        let own: Vec<_> = command
            .get_arguments()
            .filter_map(|argument| Some((argument, argument.get_long()?)))
            .filter(|(_, name)| !matches!(*name, "help" | "version"))
            .collect();
        if own.is_empty() {
            continue;
        }
        let _ = writeln!(text, "\n# [{}]", command.get_name());
        for (argument, name) in own {
            let defaults: Vec<String> = argument
                .get_default_values()
                .iter()
                .map(|value| toml::Value::from(value.to_string_lossy().into_owned()).to_string())
                .collect();
            let value = match (argument.get_action(), defaults.as_slice()) {
                (ArgAction::SetTrue, _) => "false".to_owned(),
                (ArgAction::Append, values) => format!("[{}]", values.join(", ")),
                (_, [value]) => value.clone(),
                (_, values) => values.join(", "),
            };
            let _ = writeln!(text, "# {name} = {value}");
        }
    }
}
