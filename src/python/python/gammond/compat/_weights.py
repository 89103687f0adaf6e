"""gnubg's weight files as arrays: read, evaluated, trained by steps of backpropagation, written as text.

`protocol-specs/gnubg-weights.md` specifies the files, `gnubg-evaluation.md` the arithmetic.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .. import _gammond

Floats = NDArray[np.float64]

_MAGIC = np.float32(472.3782)
#: The nets in the order of the binary file, and their lines in the text of version 1.01.
_BINARY = ("contact", "race", "crashed", "prune contact", "prune crashed", "prune race")
_TEXT = ("race", "prune race", "crashed", "prune crashed", "contact", "prune contact")
#: Maximum size of a weight file in bytes, as in the program.
_BYTES_MAX = 16 << 20
_HIDDEN_MAX = 1024
_INPUTS = {"contact": 250, "race": 214, "crashed": 250}
_PRUNE_INPUTS = 200
_OUTPUTS = 5


def _sigmoid(x: Floats) -> Floats:
    """Returns GE-11's s(-x): the logistic function with an exponential that is linear between tenths."""
    size = np.minimum(np.abs(x), 10.0)
    step = np.minimum(np.floor(10 * size), 99)
    grown = np.exp(step / 10) / 10 * (10 + (10 * size - np.floor(10 * size)))
    low = 1 / (1 + grown)
    found: Floats = np.where(x <= 0, low, 1 - low)
    return found


def corrected(boards: NDArray[np.int8], outputs: Floats) -> Floats:
    """Returns outputs after the removal of results that are impossible on these boards."""
    return _gammond.gnubg_corrected(boards, outputs.astype(np.float32)).astype(np.float64)


class WeightNet:
    """A net with one hidden layer: weights [inputs, hidden], outputs [5, hidden], the biases, the slopes of both layers."""

    def __init__(self, numbers: Floats, inputs: int, hidden: int, slopes: tuple[float, float]) -> None:
        ends = np.cumsum([inputs * hidden, _OUTPUTS * hidden, hidden])
        weights, outputs, self.hidden_bias, self.output_bias = np.split(numbers, ends)
        self.weights, self.outputs = weights.reshape(inputs, hidden), outputs.reshape(_OUTPUTS, hidden)
        self.slopes = slopes

    def numbers(self) -> NDArray[np.float32]:
        """Returns all numbers in the order of the file."""
        parts = (self.weights, self.outputs, self.hidden_bias, self.output_bias)
        found: NDArray[np.float32] = np.concatenate([part.reshape(-1) for part in parts]).astype(np.float32)
        return found

    def chances(self, inputs: Floats) -> tuple[Floats, Floats]:
        """Returns the hidden units and the five outputs of rows of inputs."""
        hidden = _sigmoid(self.slopes[0] * (inputs @ self.weights + self.hidden_bias))
        return hidden, _sigmoid(self.slopes[1] * (hidden @ self.outputs.T + self.output_bias))

    def step(self, inputs: Floats, targets: Floats, alpha: float, only: Sequence[int] = ()) -> None:
        """Takes a step of gradient descent for one row; with `only` the outputs and all other inputs keep their weights."""
        hidden, found = self.chances(inputs)
        change = alpha * (targets - found) * found * (1 - found)
        back = self.slopes[0] * hidden * (1 - hidden) * (change @ self.outputs)
        if only:
            rows = [row for row in only if 0 <= row < len(inputs)]
            self.weights[rows] += inputs[rows, None] * back
        else:
            self.outputs += change[:, None] * hidden
            self.output_bias += change
            seen = np.flatnonzero(inputs)
            self.weights[seen] += inputs[seen, None] * back
        self.hidden_bias += back


class Weights:
    """The six nets of a weight file."""

    def __init__(self, version: str, nets: dict[str, WeightNet]) -> None:
        self.version, self.nets = version, nets

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Weights:
        """Reads `gnubg.weights` or `gnubg.wd`."""
        try:
            if Path(path).stat().st_size > _BYTES_MAX:
                raise ValueError(f"more than {_BYTES_MAX >> 20} MB")
            data = Path(path).read_bytes()
            text = data.startswith(b"GNU Backgammon")
            version, values = _from_text(data) if text else _from_binary(data)
        except (ValueError, IndexError, OverflowError) as error:
            raise ValueError(f"path: {os.fspath(path)} is no weight file of gnubg: {error}") from None
        return cls(version, values)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the text form, in which every number reads back as the same float32."""
        lines = [f"GNU Backgammon {self.version}"]
        for name in _TEXT:
            net = self.nets[name]
            inputs, hidden = net.weights.shape
            lines += [name, f"{inputs} {hidden} {_OUTPUTS} 0 {net.slopes[0]:.7f} {net.slopes[1]:.7f}"]
            lines += [f"{number:.9g}" for number in net.numbers().tolist()]
        Path(path).write_text("\n".join(lines) + "\n")

    def inputs(self, name: str, boards: NDArray[np.int8]) -> Floats:
        """Returns the inputs of boards for the net `name`."""
        kind = "base" if name.startswith("prune ") else name
        old = self.version == "1.00" and kind in ("contact", "crashed")
        return _gammond.features(boards, f"gnubg-{kind}{'-1.00' if old else ''}").astype(np.float64)


def _count(name: str, fields: Sequence[float]) -> int:
    """Returns the number of weights that follow the fields of a net."""
    inputs, hidden, outputs = (int(field) for field in fields[:3])
    if inputs != _INPUTS.get(name, _PRUNE_INPUTS) or outputs != _OUTPUTS or not 1 <= hidden <= _HIDDEN_MAX:
        raise ValueError(f"{name}: a net of {inputs}, {hidden}, {outputs} units")
    if not (fields[4] > 0 and fields[5] > 0):
        raise ValueError(f"{name}: slopes {fields[4]}, {fields[5]}, expected more than 0")
    return (inputs + _OUTPUTS + 1) * hidden + _OUTPUTS


def _net(name: str, fields: Sequence[float], numbers: NDArray[np.float32]) -> WeightNet:
    if len(numbers) != _count(name, fields) or not np.isfinite(numbers).all():
        raise ValueError(f"{name}: {len(numbers)} weights, expected {_count(name, fields)} finite ones")
    return WeightNet(numbers.astype(np.float64), int(fields[0]), int(fields[1]), (float(fields[4]), float(fields[5])))


def _version(text: str) -> str:
    if text not in ("1.00", "1.01"):
        raise ValueError(f"version {text}, expected 1.00 or 1.01")
    return text


def _from_text(data: bytes) -> tuple[str, dict[str, WeightNet]]:
    lines = [line for line in map(str.strip, data.decode("ascii").splitlines()) if line]
    version, at = _version(lines[0].split()[-1]), 1
    nets: dict[str, WeightNet] = {}
    while at < len(lines):
        name = _BINARY[len(nets) % len(_BINARY)]
        if lines[at][0].isalpha():
            words = lines[at].split()
            name, at = " ".join(words[: 2 if words[0] == "prune" else 1]), at + 1
        fields = [float(word) for word in lines[at].split()]
        if len(fields) != 6:
            raise ValueError(f"line of {len(fields)} fields, expected 6")
        end = at + 1 + _count(name, fields)
        nets[name] = _net(name, fields, np.array(lines[at + 1 : end], np.float32))
        at = end
    if nets.keys() != set(_TEXT):
        raise ValueError(f"nets {', '.join(nets) or 'none'}, expected {', '.join(_TEXT)}")
    return version, nets


def _from_binary(data: bytes) -> tuple[str, dict[str, WeightNet]]:
    if len(data) < 8 or np.frombuffer(data, "<f4", 1)[0] != _MAGIC:
        raise ValueError("neither the title of the text nor the number of the binary form")
    version, at = _version(f"{np.frombuffer(data, '<f4', 1, 4)[0]:.2f}"), 8
    nets: dict[str, WeightNet] = {}
    for name in _BINARY:
        counts, slopes = np.frombuffer(data, "<i4", 4, at), np.frombuffer(data, "<f4", 2, at + 16)
        fields = [float(field) for field in (*counts, *slopes)]
        numbers = np.frombuffer(data, "<f4", _count(name, fields), at + 24)
        nets[name] = _net(name, fields, numbers)
        at += 24 + 4 * len(numbers)
    if at != len(data):
        raise ValueError(f"{len(data) - at} bytes after the last net")
    return version, nets
