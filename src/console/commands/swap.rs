//! `swap players`.

use super::Command;

/// The command `swap`.
pub(super) static COMMAND: Command = Command {
    name: "swap",
    grammar: &["swap: players"],
    help: &[("players", "", "Exchange the players' seats")],
    run: |console, _, _, _| {
        if let Some(dice) = &mut console.table.dice {
            // The higher die stands first then, as in the record of the game.
            dice.sort_unstable_by(|one, other| other.cmp(one));
        }
        console.swap_players();
    },
    ..Command::BARE
};
