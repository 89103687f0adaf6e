//! What a net of ours is for, and which positions are whose.

use crate::game::{Class, Position};

/// Who leads a contact position clearly. Plays of one roll differ in this only by what they hit, so
/// the nets that share contact positions by it are seldom compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lead {
    /// The pip counts are within [`LEAD_PIPS`].
    Level,
    /// The player on roll has at least [`LEAD_PIPS`] fewer pips to go.
    Ahead,
    /// ... more pips to go.
    Behind,
}

/// What counts as a clear lead, in pips.
pub const LEAD_PIPS: i32 = 30;

impl Lead {
    /// Who leads at `position`.
    #[inline]
    #[must_use]
    pub fn of(position: &Position) -> Lead {
        let lead = position.opponent().pips() as i32 - position.me().pips() as i32;
        match lead {
            LEAD_PIPS.. => Lead::Ahead,
            _ if lead <= -LEAD_PIPS => Lead::Behind,
            _ => Lead::Level,
        }
    }
}

/// What a net is for; its name is the class in the header of a net file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Contact, and whatever of it has no net of its own.
    Contact,
    /// Crashed positions.
    Crashed,
    /// Contact, the player on roll leads clearly (see [`Lead`]).
    Ahead,
    /// ... trails clearly.
    Behind,
    /// Races that no table covers.
    Race,
    /// All contact, quickly: the fast nets, and choosing candidates.
    Fast,
    /// Ranking plays inside the look-ahead.
    Pruning,
    /// How far the next roll moves the winning chance; for the cube.
    Volatility,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 8] = [
        Role::Contact,
        Role::Crashed,
        Role::Ahead,
        Role::Behind,
        Role::Race,
        Role::Fast,
        Role::Pruning,
        Role::Volatility,
    ];

    /// Its name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Role::Contact => "contact",
            Role::Crashed => "crashed",
            Role::Ahead => "contact-ahead",
            Role::Behind => "contact-behind",
            Role::Race => "race",
            Role::Fast => "contact-fast",
            Role::Pruning => "pruning",
            Role::Volatility => "volatility",
        }
    }

    /// The role of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Which strong net a position is for; none when a table or the rules answer.
    #[must_use]
    pub fn of(position: &Position) -> Option<Role> {
        match Class::of(position) {
            Class::Contact => Some(match Lead::of(position) {
                Lead::Level => Role::Contact,
                Lead::Ahead => Role::Ahead,
                Lead::Behind => Role::Behind,
            }),
            Class::Crashed => Some(Role::Crashed),
            Class::Race => Some(Role::Race),
            _ => None,
        }
    }

    /// Whether a contact net answers for this role where it has no net of its own.
    #[must_use]
    pub const fn shares_contact(self) -> bool {
        matches!(self, Role::Crashed | Role::Ahead | Role::Behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_have_names_and_places() {
        for (place, role) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role as usize, place);
            assert_eq!(Role::named(role.name()), Some(role));
        }
        assert_eq!(Role::named("contact-4"), None);
        assert_eq!(Role::of(&Position::start()), Some(Role::Contact));
    }
}
