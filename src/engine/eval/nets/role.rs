//! Roles of our nets, and the positions that each role covers.

use gammond_game::{Class, Position};

/// Player with a clear lead in a contact position. Plays of one roll differ in this only by their hits, so the nets
/// that share contact positions by it are seldom compared with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RaceLead {
    /// The pip counts are within [`LEAD_PIPS`].
    Level,
    /// The player on roll has at least [`LEAD_PIPS`] fewer pips to go.
    Ahead,
    /// ... more pips to go.
    Behind,
}

/// Smallest clear lead, in pips.
pub const LEAD_PIPS: i32 = 30;

impl RaceLead {
    /// Returns the lead at `position`.
    #[inline]
    #[must_use]
    pub fn of(position: &Position) -> RaceLead {
        let lead = position.opponent().pips() as i32 - position.me().pips() as i32;
        match lead {
            LEAD_PIPS.. => RaceLead::Ahead,
            _ if lead <= -LEAD_PIPS => RaceLead::Behind,
            _ => RaceLead::Level,
        }
    }
}

/// Points of one's own home that make a board of one's own: see [`Role::Board`].
pub const BOARD_POINTS: u32 = 4;

/// Role of a net; its name is the class in the header of a net file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Role {
    /// Contact, without the parts that have nets of their own.
    Contact,
    /// Crashed positions.
    Crashed,
    /// Contact, the player on roll leads clearly (see [`RaceLead`]).
    Ahead,
    /// ... trails clearly.
    Behind,
    /// Neither leads clearly, and the player on roll has made [`BOARD_POINTS`] points of the own home, and none in the opponent's.
    Board,
    /// Neither leads clearly, and the player on roll has made a point in the opponent's home, and fewer of the own.
    Anchor,
    /// Neither leads clearly, and the player on roll has both.
    AnchorBoard,
    /// The player on roll leads clearly, and has made [`BOARD_POINTS`] points of the own home.
    AheadBoard,
    /// The player on roll trails clearly, and has made a point in the opponent's home.
    BehindAnchor,
    /// Races that no table covers.
    Race,
    /// All contact, quickly: the fast nets, and choosing candidates.
    Fast,
    /// Ranking plays inside the look-ahead.
    Pruning,
    /// Standard deviation of the winning chance over the next roll; for the cube.
    Volatility,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 13] = [
        Role::Contact,
        Role::Crashed,
        Role::Ahead,
        Role::Behind,
        Role::Board,
        Role::Anchor,
        Role::AnchorBoard,
        Role::AheadBoard,
        Role::BehindAnchor,
        Role::Race,
        Role::Fast,
        Role::Pruning,
        Role::Volatility,
    ];

    /// Number of roles for positions with contact, starting with [`Role::Contact`]; they are the first of [`Role::ALL`].
    pub const IN_CONTACT: usize = 9;

    /// Returns its name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Role::Contact => "contact",
            Role::Crashed => "crashed",
            Role::Ahead => "contact-ahead",
            Role::Behind => "contact-behind",
            Role::Board => "contact-board",
            Role::Anchor => "contact-anchor",
            Role::AnchorBoard => "anchor-board",
            Role::AheadBoard => "ahead-board",
            Role::BehindAnchor => "behind-anchor",
            Role::Race => "race",
            Role::Fast => "contact-fast",
            Role::Pruning => "pruning",
            Role::Volatility => "volatility",
        }
    }

    /// Returns the role of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Role> {
        Role::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Returns true if its net has inputs, two layers and chances as results; the others have files of their own kind.
    pub const fn is_net(self) -> bool {
        !matches!(self, Role::Pruning | Role::Volatility)
    }

    /// Returns the roles whose nets [`Role::is_net`] holds for.
    pub fn nets() -> impl Iterator<Item = Role> {
        Role::ALL.into_iter().filter(|role| role.is_net())
    }

    /// Returns the names of roles, for messages.
    pub fn names(roles: impl Iterator<Item = Role>) -> String {
        roles.map(Role::name).collect::<Vec<_>>().join(", ")
    }

    /// Returns the role of the strong net for a position; `None` when a table or the rules answer.
    #[must_use]
    pub fn of(position: &Position) -> Option<Role> {
        match Class::of(position) {
            Class::Contact => Some(Role::in_contact(position)),
            Class::Crashed => Some(Role::Crashed),
            Class::Race => Some(Role::Race),
            _ => None,
        }
    }

    /// Returns the role of the strong net for a position of [`Class::Contact`]. Apart from the lead, only points made by
    /// the player on roll count. A play of the opponent does not change them, so the plays of one roll seldom need
    /// several nets.
    #[inline]
    #[must_use]
    pub fn in_contact(position: &Position) -> Role {
        let made = position.me().made();
        let board = (made & HOME).count_ones() >= BOARD_POINTS;
        let anchor = made & FAR_HOME != 0;
        match (RaceLead::of(position), board, anchor) {
            (RaceLead::Level, false, false) => Role::Contact,
            (RaceLead::Level, true, false) => Role::Board,
            (RaceLead::Level, false, true) => Role::Anchor,
            (RaceLead::Level, true, true) => Role::AnchorBoard,
            (RaceLead::Ahead, false, _) => Role::Ahead,
            (RaceLead::Ahead, true, _) => Role::AheadBoard,
            (RaceLead::Behind, _, false) => Role::Behind,
            (RaceLead::Behind, _, true) => Role::BehindAnchor,
        }
    }

    /// Returns the role whose net is used where this role has no net of its own.
    #[must_use]
    pub const fn parent(self) -> Option<Role> {
        match self {
            Role::Crashed | Role::Ahead | Role::Behind => Some(Role::Contact),
            Role::Board | Role::Anchor | Role::AnchorBoard => Some(Role::Contact),
            Role::AheadBoard => Some(Role::Ahead),
            Role::BehindAnchor => Some(Role::Behind),
            Role::Contact | Role::Race | Role::Fast | Role::Pruning | Role::Volatility => None,
        }
    }

    /// Returns this role, its parent, and so on.
    pub fn line(self) -> impl Iterator<Item = Role> {
        std::iter::successors(Some(self), |role| role.parent())
    }
}

/// The points of the own home, in [`gammond_game::Side::made`].
const HOME: u32 = 0b11_1111;
/// The points of the opponent's home.
const FAR_HOME: u32 = HOME << 18;

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
        // The starting position has the anchor on the 24 point.
        assert_eq!(Role::of(&Position::start()), Some(Role::Anchor));
        for role in Role::ALL {
            let shared = (role as usize) < Role::IN_CONTACT;
            assert_eq!(shared, role.line().last() == Some(Role::Contact));
        }
    }
}
