//! Matches between players: ours, other programs by pipe or socket.
