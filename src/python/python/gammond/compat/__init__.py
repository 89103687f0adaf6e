"""Replacements for the modules of scripts that are written for gnubg, with the same names and shapes.

`gammond.compat.gnubg_nn` replaces the package `gnubg_nn`, `gammond.compat.gnubg` the module inside gnubg. Both
use the nets of this package; `use_nets` selects others, such as gnubg's own ``gnubg.wd``. The bare names
`gnubg_nn` and `gnubg` are installed only on request: ``python -m gammond.compat install-names``.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from .._engine import Engine
from ._weights import Weights

Nets = str | os.PathLike[str] | None


class ActiveNets:
    """Nets with their engine; those of a weight file of gnubg can be trained."""

    def __init__(self, source: Nets, met: Nets = None) -> None:
        self.source, self.met = source, met
        self._engine = Engine(nets=source, met=met)
        self._weights: Weights | None = None
        #: True if the engine has older weights than `weights`.
        self.trained = False

    @property
    def engine(self) -> Engine:
        """The engine, with the weights that training has changed."""
        if self.trained and self._weights is not None:
            with tempfile.TemporaryDirectory() as folder:
                self._weights.save(Path(folder) / "gnubg.weights")
                self._engine = Engine(nets=Path(folder) / "gnubg.weights", met=self.met)
            self.trained = False
        return self._engine

    @property
    def has_weights(self) -> bool:
        """True if the nets are from a weight file of gnubg."""
        return self._weights is not None or self.engine.net_name.startswith("gnubg ")

    @property
    def weights(self) -> Weights:
        """The weights as arrays; `ValueError` if the nets are not from a weight file of gnubg."""
        if self._weights is None:
            if self.source is None or not self.has_weights:
                raise ValueError("nets: expected those of a weight file of gnubg, such as use_nets('gnubg.weights')")
            self._weights = Weights.load(self.source)
        return self._weights

    def use_met(self, met: Nets) -> None:
        """Selects the match equity table: a name or a file."""
        changed = Engine(nets=self.source, met=met)
        self.met, self._engine, self.trained = met, changed, self._weights is not None


_active: ActiveNets | None = None


def active() -> ActiveNets:
    """Returns the nets of both modules."""
    global _active
    if _active is None:
        _active = ActiveNets(os.environ.get("GAMMOND_NETS"))
    return _active


def engine() -> Engine:
    """Returns the engine of both modules: the nets of `use_nets` or of the variable GAMMOND_NETS, else the package's."""
    return active().engine


def use_nets(nets: Nets | ActiveNets) -> Engine:
    """Selects the nets of both modules: a folder of gammond's, ``gnubg.wd`` or ``gnubg.weights``."""
    global _active
    _active = nets if isinstance(nets, ActiveNets) else ActiveNets(nets)
    return _active.engine


__all__ = ["engine", "use_nets"]
