//! The commands: each is declared in its file, with its keywords, its help and its work, and has one line of
//! [`COMMANDS`].

mod clear;
mod dicerolls;
mod eval;
mod files;
mod help;
pub(crate) mod hint;
mod judge;
mod navigate;
mod offers;
pub(crate) mod play;
mod prices;
mod quit;
mod race;
mod refused;
mod relational;
mod rollout;
mod set;
mod show;
mod swap;

use crate::Console;
use crate::host::ConsoleHost;
use crate::words::Words;

/// The commands in the order in which their beginnings are tried, which is that of the help.
pub(crate) static COMMANDS: [&Command; 47] = [
    &offers::ACCEPT,
    &offers::AGREE,
    &judge::ANALYSE,
    &judge::ANALYZE,
    &judge::ANNOTATE,
    &play::END,
    &offers::BEAVER,
    &refused::CALIBRATE,
    &clear::COMMAND,
    &refused::CMARK,
    &refused::COPY,
    &offers::DECLINE,
    &dicerolls::COMMAND,
    &offers::DOUBLE,
    &offers::DROP,
    &prices::EQ2MWC,
    &eval::COMMAND,
    &quit::EXIT,
    &files::EXPORT,
    &refused::EXTERNAL,
    &navigate::FIRST,
    &help::COMMAND,
    &hint::COMMAND,
    &refused::HISTORY,
    &refused::INVERT,
    &files::IMPORT,
    &navigate::LIST,
    &files::LOAD,
    &play::MOVE,
    &prices::MWC2EQ,
    &play::NEW,
    &navigate::NEXT,
    &offers::PASS,
    &play::PLAY,
    &navigate::PREVIOUS,
    &quit::QUIT,
    &offers::REDOUBLE,
    &offers::REJECT,
    &relational::COMMAND,
    &offers::RESIGN,
    &play::ROLL,
    &rollout::COMMAND,
    &files::SAVE,
    &set::COMMAND,
    &show::COMMAND,
    &swap::COMMAND,
    &offers::TAKE,
];

/// The work of a command: its keywords in full, its arguments, and the host.
type Run = fn(&mut Console, &[&'static str], &mut Words<'_>, &mut dyn ConsoleHost);

/// A command.
pub(crate) struct Command {
    /// The keyword.
    pub(crate) name: &'static str,
    /// A short name beside the beginnings of the keyword, or nothing.
    pub(crate) alias: &'static str,
    /// Places of keywords, a line each, the first of them the place after the command. A line is the name of the place,
    /// a colon, and the keywords there in the order in which they are tried, those behind which others follow with `=`
    /// and the name of that place.
    pub(crate) grammar: &'static [&'static str],
    /// For the help: the keywords after the command, the arguments, and the effect.
    help: &'static [(&'static str, &'static str, &'static str)],
    pub(crate) run: Run,
}

impl Command {
    /// A command without keywords, help and effect, for the fields that a command does not need.
    const BARE: Command = Command {
        name: "",
        alias: "",
        grammar: &[],
        help: &[],
        run: |_, _, _, _| {},
    };

    /// Returns the command with this name.
    pub(crate) fn named(name: &str) -> Option<&'static Command> {
        COMMANDS.into_iter().find(|command| command.name == name)
    }
}
