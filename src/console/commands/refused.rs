//! Commands of the original that are understood and refused by name, or change nothing here.

use super::Command;

/// A command without keywords that is refused.
const REFUSED: Command = Command {
    run: |console, path, _, _| console.refuse(path.first().unwrap_or(&"")),
    ..Command::BARE
};

/// The command `calibrate`.
pub(super) static CALIBRATE: Command = Command {
    name: "calibrate",
    ..REFUSED
};

/// The command `copy`.
pub(super) static COPY: Command = Command {
    name: "copy",
    ..REFUSED
};

/// The command `external`.
pub(super) static EXTERNAL: Command = Command {
    name: "external",
    ..REFUSED
};

/// The command `invert`.
pub(super) static INVERT: Command = Command {
    name: "invert",
    grammar: &["invert: matchequitytable met"],
    ..REFUSED
};

/// The command `history`.
pub(super) static HISTORY: Command = Command {
    name: "history",
    ..Command::BARE
};

/// The command `cmark`.
pub(super) static CMARK: Command = Command {
    name: "cmark",
    grammar: &[
        "cmark: match=parts game=parts move=cmark-move cube=cmark-cube",
        "parts: clear show",
        "cmark-move: clear set=cmark-move-set show",
        "cmark-move-set: rollout none",
        "cmark-cube: clear set=cmark-cube-set show",
        "cmark-cube-set: rollout none",
    ],
    ..Command::BARE
};
