//! The nets that gammond ships, as bytes: each is a file of this folder; its card is in `README.md`.

/// `contact.net`.
pub static CONTACT: &[u8] = include_bytes!("contact.net");
/// `contact-ahead.net`.
pub static CONTACT_AHEAD: &[u8] = include_bytes!("contact-ahead.net");
/// `contact-behind.net`.
pub static CONTACT_BEHIND: &[u8] = include_bytes!("contact-behind.net");
/// `contact-board.net`.
pub static CONTACT_BOARD: &[u8] = include_bytes!("contact-board.net");
/// `contact-anchor.net`.
pub static CONTACT_ANCHOR: &[u8] = include_bytes!("contact-anchor.net");
/// `anchor-board.net`.
pub static ANCHOR_BOARD: &[u8] = include_bytes!("anchor-board.net");
/// `ahead-board.net`.
pub static AHEAD_BOARD: &[u8] = include_bytes!("ahead-board.net");
/// `behind-anchor.net`.
pub static BEHIND_ANCHOR: &[u8] = include_bytes!("behind-anchor.net");
/// `crashed.net`.
pub static CRASHED: &[u8] = include_bytes!("crashed.net");
/// `contact-fast.net`.
pub static CONTACT_FAST: &[u8] = include_bytes!("contact-fast.net");
/// `race.net`.
pub static RACE: &[u8] = include_bytes!("race.net");
/// `pruning.net`.
pub static PRUNING: &[u8] = include_bytes!("pruning.net");
/// `volatility.net`.
pub static VOLATILITY: &[u8] = include_bytes!("volatility.net");

/// `small.toml`: the recipe of a small net.
pub static SMALL_RECIPE: &str = include_str!("small.toml");
