//! Positions, labels, trainer, net gate.
