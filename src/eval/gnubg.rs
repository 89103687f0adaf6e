//! Static evaluation with GNU Backgammon's weight files.
