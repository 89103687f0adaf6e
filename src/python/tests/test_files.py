"""Nets, tables and pictures in files, with other packages as witnesses where they are installed."""

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gammond import Engine, MatchState, Position, arrays
from gammond.env import VectorEnv
from gammond.nets import FloatNet, load_safetensors

MASTER = Path(__file__).parents[3] / "nets" / "float" / "contact-fast.safetensors"


def contact_boards(turns: int = 10) -> np.ndarray:
    env, rng, kept = VectorEnv(256, seed=1), np.random.default_rng(1), []
    for _ in range(turns):
        kept.append(env.step((rng.random(256) * env.counts).astype(np.int64)).boards)
    boards = np.concatenate(kept)
    return boards[arrays.class_of(boards) >= 9]


def test_float_net_gives_the_values_of_the_shipped_net() -> None:
    boards = contact_boards()
    found = FloatNet.load(MASTER).chances(arrays.features(boards, "base"))
    shipped = arrays.evaluate(boards, engine=Engine(nets="embedded:fast"))
    # The shipped net has 16-bit and 13-bit integers for the floats.
    assert np.abs(found - shipped).max() < 0.008 and np.abs(found - shipped).mean() < 0.0006


def test_float_net_is_written_as_the_program_reads_it(tmp_path: Path) -> None:
    net = FloatNet.load(MASTER)
    net.tensors["b3"] = net.tensors["b3"] + np.float32(0.25)
    net.save(tmp_path / "mine.safetensors")
    again, metadata = load_safetensors(tmp_path / "mine.safetensors")
    assert metadata == net.metadata and all((again[name] == net.tensors[name]).all() for name in net.tensors)
    for number, (name, tensor) in enumerate(net.tensors.items()):
        assert again[name].shape == tensor.shape, number
    words = ["net", "quantise", "mine.safetensors", "contact.net", "--class", "contact"]
    run = subprocess.run([sys.executable, "-m", "gammond", *words], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    boards = contact_boards(2)
    found = arrays.evaluate(boards, engine=Engine(nets=tmp_path / "contact.net"))
    assert np.abs(found - FloatNet(again, metadata).chances(arrays.features(boards, "base"))).max() < 0.008


def test_safetensors_of_the_package_of_that_name(tmp_path: Path) -> None:
    other = pytest.importorskip("safetensors.numpy", reason="SKIPPED: safetensors cannot be installed")
    tensors = other.load_file(MASTER)
    mine, _ = load_safetensors(MASTER)
    assert tensors.keys() == mine.keys() and all((tensors[name] == mine[name]).all() for name in mine)
    FloatNet(mine).save(tmp_path / "mine.safetensors")
    assert other.load_file(tmp_path / "mine.safetensors").keys() == mine.keys()


@pytest.mark.parametrize("data", [b"", b"\x08", b"\xff" * 16, (2).to_bytes(8, "little") + b"[]", (20).to_bytes(8, "little") + b'{"a":{"dtype":"F3"}}'])
def test_damaged_safetensors_are_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "damaged").write_bytes(data)
    with pytest.raises(ValueError, match="^path: .*safetensors"):
        load_safetensors(tmp_path / "damaged")


def test_net_with_missing_or_wrong_tensors_is_refused() -> None:
    tensors, _ = load_safetensors(MASTER)
    with pytest.raises(ValueError, match="without b3"):
        FloatNet({name: tensor for name, tensor in tensors.items() if name != "b3"})
    with pytest.raises(ValueError, match="w3 has shape"):
        FloatNet({**tensors, "w3": tensors["w3"].T})
    with pytest.raises(ValueError, match="^inputs: "):
        FloatNet(tensors).chances(np.zeros((1, 5), np.float32))


def test_tables_and_parquet_read_back(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="SKIPPED: pyarrow cannot be installed")
    from gammond import arrow

    boards = contact_boards(2)
    columns = {"board": boards, "chances": arrays.evaluate(boards), "seed": np.arange(len(boards))}
    table = arrow.to_table(**columns)
    assert str(table.schema.field("board").type).startswith("fixed_size_list<") and table.num_rows == len(boards)
    arrow.save_parquet(tmp_path / "labels.parquet", **columns)
    read = [arrow.from_table(table), arrow.from_table(table.slice(3, 5)), arrow.load_parquet(tmp_path / "labels.parquet")]
    for found, rows in zip(read, (slice(None), slice(3, 8), slice(None))):
        assert found.keys() == columns.keys()
        for name, array in columns.items():
            assert found[name].dtype == array.dtype and (found[name] == array[rows]).all()
    with pytest.raises(ValueError, match="^columns: "):
        arrow.to_table(board=boards, seed=np.arange(2))
    with pytest.raises(TypeError, match="^seed: "):
        arrow.to_table(seed=[1, 2])


def test_pictures_are_png() -> None:
    position = Position()
    picture = position.png(MatchState(7, (3, 2)), "31", width=300)
    assert picture[:8] == b"\x89PNG\r\n\x1a\n" and int.from_bytes(picture[16:20], "big") == 300
    assert len(position.play("31", "8/5 6/5").png()) > len(picture)
    for width in (0, 5000):
        with pytest.raises(ValueError, match="^width: "):
            position.png(width=width)


@pytest.mark.parametrize("name", ["gammond", "gammond._engine", "gammond._play"])
def test_docstrings_are_true(name: str) -> None:
    found = doctest.testmod(importlib.import_module(name))
    assert found.attempted and not found.failed
