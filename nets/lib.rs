//! The nets that gammond ships, as bytes: each is a file of this folder; its card is in `README.md`.

/// The nets, by file name.
pub static NETS: [(&str, &[u8]); 13] = [
    ("contact.net", include_bytes!("contact.net")),
    ("contact-ahead.net", include_bytes!("contact-ahead.net")),
    ("contact-behind.net", include_bytes!("contact-behind.net")),
    ("contact-board.net", include_bytes!("contact-board.net")),
    ("contact-anchor.net", include_bytes!("contact-anchor.net")),
    ("anchor-board.net", include_bytes!("anchor-board.net")),
    ("ahead-board.net", include_bytes!("ahead-board.net")),
    ("behind-anchor.net", include_bytes!("behind-anchor.net")),
    ("crashed.net", include_bytes!("crashed.net")),
    ("contact-fast.net", include_bytes!("contact-fast.net")),
    ("race.net", include_bytes!("race.net")),
    ("pruning.net", include_bytes!("pruning.net")),
    ("volatility.net", include_bytes!("volatility.net")),
];

/// `small.toml`: the recipe of a small net.
pub static SMALL_RECIPE: &str = include_str!("small.toml");

/// `people.txt`: the model of people's choices.
pub static PEOPLE: &str = include_str!("people.txt");
