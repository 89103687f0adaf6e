//! Feed-forward nets: shapes, kernels, quantisation, net files. Knows no backgammon.
