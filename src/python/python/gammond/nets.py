"""Float nets of the package's own kind: read and written as safetensors, evaluated with numpy.

`FloatNet` has the layers of a shipped net in float32. `gammond net quantise IN.safetensors OUT.net --class contact`
converts its file to a net that `Engine(nets=...)` loads.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

#: Maximum size of the header of a safetensors file in bytes, as in its format.
_HEADER_MAX = 100_000_000


def load_safetensors(path: str | os.PathLike[str]) -> tuple[dict[str, Floats], dict[str, str]]:
    """Reads a safetensors file of float32 tensors: the tensors by name, and the metadata."""
    data = Path(path).read_bytes()
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or not 2 <= length <= min(len(data) - 8, _HEADER_MAX):
        raise ValueError(f"path: {os.fspath(path)} is no safetensors file: a header of {length} bytes")
    try:
        header = json.loads(data[8 : 8 + length])
        metadata = header.pop("__metadata__", {})
        body, tensors = memoryview(data)[8 + length :], {}
        for name, one in header.items():
            first, end = one["data_offsets"]
            if one["dtype"] != "F32" or not 0 <= first <= end <= len(body):
                raise ValueError(f"tensor '{name}' of {one['dtype']}, bytes {first} to {end} of {len(body)}")
            tensors[name] = np.frombuffer(body[first:end], "<f4").reshape(one["shape"])
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"path: {os.fspath(path)} is no safetensors file of float32: {error}") from None
    return tensors, metadata


def save_safetensors(
    path: str | os.PathLike[str], tensors: dict[str, Floats], metadata: dict[str, str] | None = None
) -> None:
    """Writes float32 tensors as a safetensors file."""
    header: dict[str, object] = {"__metadata__": metadata} if metadata else {}
    first, parts = 0, []
    for name, tensor in tensors.items():
        part = np.ascontiguousarray(tensor, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [first, first + len(part)]}
        first += len(part)
        parts.append(part)
    text = json.dumps(header).encode()
    # Tensors begin at a multiple of eight bytes.
    text += b" " * (-len(text) % 8)
    Path(path).write_bytes(b"".join([len(text).to_bytes(8, "little"), text, *parts]))


class FloatNet:
    """A net of two hidden layers and five chances, in float32.

    `tensors` are `w_NAME` [inputs, width] for each group of inputs, `b1`, `w2` [second, width], `b2`, `w3` [5, second]
    and `b3`. `metadata` selects the activations: `first_layer` = `squared`, `first_limit` = `2`, `second_layer` = `relu`.
    """

    def __init__(self, tensors: dict[str, Floats], metadata: dict[str, str] | None = None) -> None:
        missing = {"b1", "w2", "b2", "w3", "b3"} - tensors.keys()
        groups = [name for name in tensors if name.startswith("w_")]
        if missing or not groups:
            raise ValueError(f"tensors: without {', '.join(sorted(missing)) or 'w_NAME'}")
        self.tensors, self.metadata = tensors, dict(metadata or {})
        self._first = np.concatenate([tensors[name] for name in groups])
        width, second = self._first.shape[1], len(tensors["b2"])
        want = {"b1": (width,), "w2": (second, width), "w3": (5, second), "b3": (5,)}
        for name, shape in want.items():
            if tensors[name].shape != shape:
                raise ValueError(f"tensors: {name} has shape {tensors[name].shape}, expected {shape}")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> FloatNet:
        """Reads a net from a safetensors file."""
        return cls(*load_safetensors(path))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the net as a safetensors file."""
        save_safetensors(path, self.tensors, self.metadata)

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return len(self._first)

    def chances(self, inputs: Floats) -> Floats:
        """Returns the chances to win, to win a gammon, a backgammon, to lose a gammon, a backgammon: float32[N, 5]."""
        if inputs.ndim != 2 or inputs.shape[1] != self.inputs:
            raise ValueError(f"inputs: shape {inputs.shape}, expected [N, {self.inputs}]")
        first = np.clip(inputs @ self._first + self.tensors["b1"], 0, float(self.metadata.get("first_limit", "1")))
        if self.metadata.get("first_layer") == "squared":
            first = first * first
        second = np.maximum(first @ self.tensors["w2"].T + self.tensors["b2"], 0)
        if self.metadata.get("second_layer") != "relu":
            second = np.minimum(second, 1)
        found: Floats = (1 / (1 + np.exp(-(second @ self.tensors["w3"].T + self.tensors["b3"])))).astype(np.float32)
        return found


__all__ = ["FloatNet", "load_safetensors", "save_safetensors"]
