"""Labels and match sets as columns, to and from files (rules TL-01, TL-02, JR-01 to JR-03, BM-11)."""

import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from test_rules import play_match

from gammond import Match, Position, arrays, datasets
from gammond.env import VectorEnv

MATCHES = sorted((Path(__file__).parents[3] / "tests").rglob("*.mat"))


def program(folder: Path, *words: str) -> str:
    run = subprocess.run([sys.executable, "-m", "gammond", *words], capture_output=True, text=True, cwd=folder)
    assert run.returncode == 0, run.stderr
    return run.stdout


def same(one: datasets.Columns, other: datasets.Columns) -> bool:
    assert one.keys() == other.keys()
    for name, column in one.items():
        assert column.dtype.kind == other[name].dtype.kind and column.shape == other[name].shape, name
        assert (column == other[name]).all(), name
    return True


def some_labels() -> datasets.Columns:
    """TL-01: labels of all kinds, with returns outside of 0 to 1, siblings and horizons."""
    env, rng = VectorEnv(64, seed=2), np.random.default_rng(1)
    boards = np.concatenate([env.step((rng.random(64) * env.counts).astype(np.int64)).boards for _ in range(60)])
    chances = rng.integers(0, 65536, (len(boards), 5))
    classes = arrays.class_of(boards)
    return {
        "board": boards,
        "chances": chances.astype(np.float32) / np.float32(32767.5) - np.float32(0.5),
        "kind": np.where(classes == 10, 0, np.where(classes == 9, 2, 1)).astype(np.uint8),
        "sibling": rng.random(len(boards)) < 0.3,
        "horizon": rng.integers(0, 4, len(boards)).astype(np.uint8),
    }


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_labels_keep_every_bit_through_all_files(suffix: str, tmp_path: Path) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="SKIPPED: pyarrow cannot be installed")
    labels = some_labels()
    assert set(labels["kind"]) == {0, 1, 2}
    datasets.save_labels(tmp_path / "one.labels", **labels)
    read = datasets.load_labels(tmp_path / "one.labels")
    assert same(read, labels)
    datasets.save(tmp_path / f"one{suffix}", **read)
    again = datasets.load(tmp_path / f"one{suffix}")
    assert same(again, labels)
    datasets.save_labels(tmp_path / "two.labels", **again)
    assert (tmp_path / "two.labels").read_bytes() == (tmp_path / "one.labels").read_bytes()


def test_program_reads_labels_of_arrays_and_its_own_are_read(tmp_path: Path) -> None:
    labels = some_labels()
    datasets.save_labels(tmp_path / "mine.labels", **labels)
    datasets.save_labels(tmp_path / "mine.txt", board=labels["board"], chances=np.clip(labels["chances"], 0, 1))
    dumped = program(tmp_path, "sample", "dump", "mine.labels")
    assert dumped.splitlines() == (tmp_path / "mine.txt").read_text().splitlines()
    program(tmp_path, "sample", "theirs.labels", "--positions", "50")
    theirs = datasets.load_labels(tmp_path / "theirs.labels")
    (tmp_path / "theirs.txt").write_text("# a comment\n\n" + program(tmp_path, "sample", "dump", "theirs.labels"))
    text = datasets.load_labels(tmp_path / "theirs.txt")
    assert len(theirs["board"]) >= 50 and (text["board"] == theirs["board"]).all()
    assert np.abs(text["chances"] - np.clip(theirs["chances"], 0, 1)).max() < 6e-6
    assert (text["kind"] == theirs["kind"]).all()
    datasets.save_labels(tmp_path / "again.labels", **theirs)
    assert program(tmp_path, "sample", "dump", "again.labels") == program(tmp_path, "sample", "dump", "theirs.labels")


def test_labels_of_illegal_positions_are_left_out(tmp_path: Path) -> None:
    """TL-02."""
    labels = {name: column[:3] for name, column in some_labels().items()}
    datasets.save_labels(tmp_path / "good.labels", **labels)
    data = (tmp_path / "good.labels").read_bytes()
    head, body = data[: len(data) - 3 * 44 - 20], bytearray(data[len(data) - 3 * 44 :])
    # Two hundred checkers, both sides without a checker, both on the ace point.
    for number, (me, opponent) in enumerate(((b"\xff" * 12, b"\1"), (b"", b""), (b"\1", b"\0" * 11 + b"\x10"))):
        body[44 * number : 44 * number + 32] = me.ljust(16, b"\0") + opponent.ljust(16, b"\0")
    (tmp_path / "bad.labels").write_bytes(head + datasets._frame(0, bytes(body)) + datasets._frame(1, data[-3 * 44 :]))
    assert same(datasets.load_labels(tmp_path / "bad.labels"), labels)
    assert program(tmp_path, "sample", "dump", "bad.labels") == program(tmp_path, "sample", "dump", "good.labels")


def test_damaged_labels_are_refused_and_a_torn_end_is_left_out(tmp_path: Path) -> None:
    """JR-01, JR-02, JR-03: magic line, checksums, torn end, a record that is there twice."""
    labels = some_labels()
    datasets.save_labels(tmp_path / "whole.labels", **labels)
    data = (tmp_path / "whole.labels").read_bytes()
    assert data.startswith(b"gammond journal 2\n")
    record = datasets._frame(1, data[-44:])
    for torn in (record[:-1], record[:10]):
        (tmp_path / "torn.labels").write_bytes(data + torn)
        with pytest.warns(UserWarning, match="^cut off after 1 whole records"):
            assert same(datasets.load_labels(tmp_path / "torn.labels"), labels)
    # Space that a system reserved.
    (tmp_path / "torn.labels").write_bytes(data + bytes(64))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert same(datasets.load_labels(tmp_path / "torn.labels"), labels)
    for nothing, reason in [(data[:-3], "cut off after 0 whole records"), (data[:30], "cut off after 0 whole records"), (b"", "it is empty")]:
        (tmp_path / "torn.labels").write_bytes(nothing)
        with pytest.raises(ValueError, match=f"^path: .* is no file of labels: {reason}"):
            datasets.load_labels(tmp_path / "torn.labels")
    (tmp_path / "twice.labels").write_bytes(data + data[-len(labels["board"]) * 44 - 20 :])
    assert same(datasets.load_labels(tmp_path / "twice.labels"), labels)
    for at in (25, len(data) - 5):
        damaged = bytearray(data)
        damaged[at] ^= 1
        (tmp_path / "damaged.labels").write_bytes(damaged)
        with pytest.raises(ValueError, match="^path: .* is no file of labels: damaged at byte "):
            datasets.load_labels(tmp_path / "damaged.labels")
    for text in ("hello", "OAHDPAABDAOAHDPAABDA 0.5", "OAHDPAABDAOAHDPAABDA 1 2 3 4 nan", "4HPwATDgc/ABMA 1 0 0 0 0"):
        (tmp_path / "wrong.txt").write_text(text)
        with pytest.raises(ValueError, match="^path: .* line 1: "):
            datasets.load_labels(tmp_path / "wrong.txt")


def test_columns_are_checked(tmp_path: Path) -> None:
    labels = some_labels()
    calls = [
        (lambda: datasets.save_labels(tmp_path / "x", board=labels["board"]), ValueError, "columns"),
        (lambda: datasets.save_labels(tmp_path / "x", board=labels["board"], chances=labels["chances"][:5]), ValueError, "columns"),
        (lambda: datasets.save_labels(tmp_path / "x", board=labels["board"], chances=labels["chances"][:, :4]), ValueError, "chances"),
        (lambda: datasets.save_labels(tmp_path / "x", board=labels["board"], chances=labels["chances"] * np.nan), ValueError, "chances"),
        (lambda: datasets.save_labels(tmp_path / "x", board=labels["board"], chances=labels["chances"] + 2), ValueError, "chances"),
        (lambda: datasets.save_labels(tmp_path / "x", board=labels["chances"], chances=labels["chances"]), TypeError, "boards"),
        (lambda: datasets.save(tmp_path / "x.npy", board=[1]), TypeError, "board"),
        (lambda: datasets.save(tmp_path / "x.npy", board=np.zeros((1, 2, 3))), ValueError, "board"),
        (lambda: datasets.save(tmp_path / "x.csv", board=labels["board"]), ValueError, "path"),
        (lambda: datasets.load(tmp_path / "x.csv"), ValueError, "path"),
        (lambda: datasets.matches_of({"match": np.zeros(1)}), ValueError, "columns"),
    ]
    for call, kind, name in calls:
        with pytest.raises(kind, match=f"^{name}: "):
            call()
    np.save(tmp_path / "plain.npy", np.zeros(3))
    with pytest.raises(ValueError, match="^path: .* has no columns"):
        datasets.load(tmp_path / "plain.npy")
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    with pytest.raises(ValueError):
        datasets.load(tmp_path / "objects.npy")


def match_sets() -> list[Match]:
    """Matches of files and of random games, a money session and an empty match."""
    found = [match for file in MATCHES for match in Match.read(file)]
    found += [play_match(length, seed).to_match() for length, seed in ((3, 1), (7, 4))]
    set_up = Match(5, ("Ann", "Bob"))
    position = Position.parse("sGfwATDgc/ABMA")
    actions = [(1, "set-up", (position, 2, 0)), (1, "rolled", "21"), (0, "double", 4), (1, "beaver", 8), (0, "take", None)]
    set_up.add_game((1, 2), [*actions, (1, "play", ("66", [(25, 19)]))], None, False)
    set_up.add_game((1, 2), [], (1, 2), None, True)
    return [*found, set_up, Match(0)]


@pytest.mark.parametrize("suffix", [".npy", ".parquet"])
def test_match_sets_keep_every_action(suffix: str, tmp_path: Path) -> None:
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="SKIPPED: pyarrow cannot be installed")
    matches = match_sets()
    columns = datasets.match_columns(matches)
    datasets.save(tmp_path / f"matches{suffix}", **columns)
    read = datasets.load(tmp_path / f"matches{suffix}")
    assert same(read, columns)
    again = datasets.matches_of(read)
    # A match without a game has no row.
    assert len(again) == len([match for match in matches if len(match)]) > 3
    for match, other in zip((match for match in matches if len(match)), again):
        assert (match.length, match.names, match.games) == (other.length, other.names, other.games)
        mine, kept = ([line for line in one.to_mat().splitlines() if line[:1] != ";"] for one in (match, other))
        assert mine == kept


def test_columns_of_a_match_show_its_games() -> None:
    match = play_match(5, 2)
    columns = datasets.match_columns([match.to_match()])
    plays = [value for game in match.games for _, kind, value in game.actions if kind == "play"]
    rows = columns["kind"] == "play"
    assert (columns["board"][rows] == arrays.from_positions([play.before for play in plays])).all()
    assert [tuple(dice) for dice in columns["dice"][rows].tolist()] == [play.roll.dice for play in plays]
    ends = columns["kind"] == "end"
    assert [(int(player), int(points)) for player, points in zip(columns["player"][ends], columns["points"][ends])] == [
        game.result for game in match.games
    ]
    # A row of the winner has the points of the game, one of the loser their negative.
    for row in range(len(rows)):
        winner, points = match.games[columns["game"][row]].result
        assert columns["points"][row] == (points if columns["player"][row] == winner else -points)


def test_owner_of_a_beavered_cube_is_the_player_who_was_doubled() -> None:
    match = Match(0)
    match.add_game((0, 0), [(0, "double", 2), (1, "beaver", 4), (0, "take", None)])
    match.add_game((0, 0), [(1, "double", 2), (0, "beaver", 4), (1, "beaver", 8), (0, "take", None)])
    match.add_game((0, 0), [(0, "double", 2), (1, "take", None), (1, "double", 4), (0, "take", None)])
    columns = datasets.match_columns([match])
    owners = [columns["owner"][columns["game"] == game].tolist() for game in range(3)]
    assert owners == [[-1, 1, 1, 1], [-1, 0, 0, 0, 0], [-1, 1, 1, 0, 0]]
    assert columns["cube"].tolist() == [2, 4, 4, 4, 2, 4, 8, 8, 8, 2, 2, 4, 4, 4]


def test_rows_out_of_order_are_refused() -> None:
    columns = datasets.match_columns([play_match(3, 1).to_match()])
    for rows in (slice(0, -1), slice(None, None, -1)):
        with pytest.raises(ValueError, match="^kind: |^actions: "):
            datasets.matches_of({name: column[rows] for name, column in columns.items()})
    with pytest.raises(ValueError, match="^actions: "):
        Match(3).add_game((0, 0), [(0, "play", ("31", [(26, 1)]))])
    with pytest.raises(ValueError, match="^actions: "):
        Match(3).add_game((0, 0), [(0, "play", ("31", [(5, 1)] * 5))])
    with pytest.raises(TypeError, match="^actions: "):
        Match(3).add_game((0, 0), [(0, "play", "31")])
    with pytest.raises(TypeError, match="^actions: "):
        Match(3).add_game((0, 0), [(0, "set-up", 5)])
    with pytest.raises(ValueError, match="^actions: "):
        Match(3).add_game((0, 0), [(0, "resign", None)])
