"""`gnubg_nn`'s training, settings and games with a cube, against the package itself where it is installed."""

import math
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from test_compat import weights_of_gnubg_nn

from gammond import Position, arrays, compat
from gammond.compat import gnubg_nn
from gammond.compat._weights import Weights, corrected

CONTACT, CRASHED = "OAHDPAABDAOAHDPAABDA", "AAAAAMPIPLABAAIAABAA"
CHANCES = ([0.6, 0.2, 0.01, 0.1, 0.01], [0.4, 0.1, 0.0, 0.2, 0.05])


@pytest.fixture
def weights() -> Iterator[Path]:
    """The weights of gnubg_nn, in use for the test."""
    file = weights_of_gnubg_nn()
    if file is None:
        pytest.skip("SKIPPED: needs the weights of gnubg_nn 1.1.0a11")
    compat.use_nets(file)
    yield file
    compat.use_nets(None)
    gnubg_nn.set.score(0, 0)
    gnubg_nn.set.cube(1)


def line(key: str, chances: list[float]) -> str:
    return " ".join([key, *map(str, chances)])


def keys(count: int) -> list[str]:
    """Keys of positions of all classes, from random games."""
    rng, found = random.Random(4), []
    while len(found) < count:
        position, turn = Position(), 0
        while not position.is_over:
            position = rng.choice(position.legal_plays((rng.randint(1, 6), rng.randint(1, 6)))).after
            turn += 1
            if turn % 7 == 0:
                found.append(position.to_text("key"))
    return found[:count]


def test_weight_files_are_written_as_they_are_read(weights: Path, tmp_path: Path) -> None:
    before = Weights.load(weights)
    gnubg_nn.net_save(str(tmp_path / "saved.weights"))
    after = Weights.load(tmp_path / "saved.weights")
    assert before.version == after.version and len(after.nets) == 6
    for name, net in before.nets.items():
        assert (net.numbers() == after.nets[name].numbers()).all() and net.slopes == after.nets[name].slopes
    boards = arrays.from_positions([Position.parse(key) for key in keys(200)])
    mine, engine = arrays.evaluate(boards, engine=compat.engine()), compat.use_nets(tmp_path / "saved.weights")
    assert (arrays.evaluate(boards, engine=engine) == mine).all()


def test_arrays_of_weights_give_the_values_of_the_engine(weights: Path) -> None:
    file = Weights.load(weights)
    boards = arrays.from_positions([Position.parse(key) for key in keys(600)])
    found, classes = arrays.evaluate(boards, engine=compat.engine()), arrays.class_of(boards)
    for name, number in (("contact", 10), ("crashed", 9), ("race", 8)):
        some = boards[classes == number]
        values = corrected(some, file.nets[name].chances(file.inputs(name, some))[1])
        assert len(some) > 20 and np.abs(values - found[classes == number]).max() < 2e-5


def test_inputs_of_gnubg_are_refused_for_positions_of_other_nets() -> None:
    race = arrays.from_positions([Position([1, 1], [1, 1])])
    for name, width, good, bad in (("race", 214, race, arrays.start()), ("contact", 250, arrays.start(), race)):
        found = arrays.features(good, f"gnubg-{name}")
        assert found.shape == (1, width) and found.any()
        with pytest.raises(ValueError, match=f"^boards: 'gnubg-{name}' expects positions with"):
            arrays.features(bad, f"gnubg-{name}")
    contact = arrays.from_positions([Position.parse(key) for key in keys(40)[:3]])
    assert (arrays.features(contact, "gnubg-base") == arrays.features(contact, "gnubg-contact")[:, :200]).all()


def test_binary_weights_are_read() -> None:
    from test_compat import WEIGHTS

    if not WEIGHTS.exists():
        pytest.skip(f"SKIPPED: needs gnubg's weights at {WEIGHTS}")
    file, engine = Weights.load(WEIGHTS), compat.use_nets(WEIGHTS)
    boards = arrays.start()
    values = file.nets["contact"].chances(file.inputs("contact", boards))[1]
    assert file.version == "1.00" and np.abs(values - arrays.evaluate(boards, engine=engine)).max() < 1e-6
    compat.use_nets(None)


@pytest.mark.parametrize(
    "data",
    [b"", b"GNU Backgammon 1.01\n", b"GNU Backgammon 2\n", b"GNU Backgammon 1.01\nrace\n214 inf 5 0 .1 1\n", b"\0" * 40,
     np.float32(472.3782).tobytes() + np.float32(1).tobytes() + b"\xff" * 40],
)
def test_damaged_weight_files_are_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "damaged").write_bytes(data)
    with pytest.raises(ValueError, match="^path: .* is no weight file of gnubg"):
        Weights.load(tmp_path / "damaged")
    with pytest.raises(RuntimeError, match="^failed to load net"):
        gnubg_nn.net_load(str(tmp_path / "damaged"))


def test_trainer_lowers_its_errors_and_the_functions_see_it(weights: Path, tmp_path: Path) -> None:
    board = gnubg_nn.board_from_position_key(CONTACT)
    before = gnubg_nn.probabilities(board, 0)
    untouched = gnubg_nn.net_load(str(weights))
    trainer = gnubg_nn.Trainer([line(CONTACT, CHANCES[0]), line(CRASHED, CHANCES[1])])
    first = trainer.errors()
    for _ in range(30):
        trainer.train(1.0)
    assert trainer.errors()[0] < 0.8 * first[0]
    after = gnubg_nn.probabilities(board, 0)
    assert abs(after[0] - 0.6) < abs(before[0] - 0.6) / 2
    gnubg_nn.net_save(str(tmp_path / "trained.weights"))
    gnubg_nn.net_use(untouched)
    assert gnubg_nn.probabilities(board, 0) == before
    gnubg_nn.net_use(gnubg_nn.net_load(str(tmp_path / "trained.weights")))
    assert gnubg_nn.probabilities(board, 0) == pytest.approx(after, abs=1e-6)


@pytest.mark.parametrize(
    "arguments", [(), (1,), (0, 1), (1, 1), (0, 0, [0, 22, 23, 199]), (0, 1, [22, 23])], ids=str
)
def test_trainer_takes_the_steps_of_the_package(arguments: tuple, weights: Path, original, tmp_path: Path) -> None:
    rng = random.Random(1)
    rows = []
    for key in [CONTACT, CRASHED, *keys(60)]:
        # The package has random errors where a pruning net is wanted for a bearoff.
        if gnubg_nn.classify(key) < gnubg_nn.c_race:
            continue
        win = rng.random()
        rows.append(line(key, [round(share * win, 4) for share in (1, 0.3, 0.05)] + [round((1 - win) * 0.3, 4), 0.01]))
    original.net_use(original.net_load(str(weights)))
    mine, theirs = gnubg_nn.Trainer(rows, *arguments), original.Trainer(rows, *arguments)
    order = list(range(len(rows)))
    for alpha, turns in ((0.5, None), (2.0, order), (1.0, order[::-1])):
        assert mine.errors() == pytest.approx(theirs.errors(), abs=1e-3)
        for trainer in (mine, theirs):
            trainer.train(alpha) if turns is None else trainer.train(alpha, turns)
    assert mine.errors() == pytest.approx(theirs.errors(), abs=2e-3)
    gnubg_nn.net_save(str(tmp_path / "mine"))
    original.net_save(str(tmp_path / "theirs"))
    start, found, want = (Weights.load(path) for path in (weights, tmp_path / "mine", tmp_path / "theirs"))
    moved = 0.0
    for name, net in want.nets.items():
        for part in ("weights", "outputs", "hidden_bias", "output_bias"):
            change = np.abs(getattr(net, part) - getattr(start.nets[name], part)).max()
            difference = np.abs(getattr(net, part) - getattr(found.nets[name], part)).max()
            assert difference <= 0.03 * change + 2e-5, (name, part, change, difference)
            moved = max(moved, float(change))
    assert moved > 0.001
    # The package reads what this one writes.
    original.net_use(original.net_load(str(tmp_path / "mine")))
    original.net_use(original.net_load(str(weights)))


def test_chances_of_the_constants_are_those_of_the_package(weights: Path, original) -> None:
    compared = 0
    for key in keys(300):
        board = gnubg_nn.board_from_position_key(key)
        kind = gnubg_nn.classify(board)
        assert kind == original.classify(board)
        # The package has random numbers where a pruning net is wanted for a bearoff.
        constants = ["p_prune"] * (kind >= gnubg_nn.c_race) + ["p_race"] * (kind < gnubg_nn.c_crashed) + ["p_0plus1"]
        for name in constants if kind else []:
            number = getattr(gnubg_nn, name)
            mine, theirs = gnubg_nn.probabilities(board, number), original.probabilities(board, number)
            # Of 0 and 1 ply: `look-ahead`.
            within = {"p_0plus1": 0.06, "p_prune": 2e-4 if kind > gnubg_nn.c_race else 6e-3}.get(name, 2e-4)
            assert mine == pytest.approx(theirs, abs=within), (key, name)
            compared += 1
        for number in (gnubg_nn.p_1srace, -1, -9):
            for module in (gnubg_nn, original):
                with pytest.raises(ValueError, match="^invalid ply$"):
                    module.probabilities(board, number)
    with pytest.raises(RuntimeError, match="^Not a race position$"):
        gnubg_nn.probabilities(gnubg_nn.board_from_position_key(CONTACT), gnubg_nn.p_osr)
    assert compared > 400


def test_errors_of_the_training_functions_are_those_of_the_package(weights: Path, original, tmp_path: Path) -> None:
    good = line(CONTACT, CHANCES[0])
    calls = [
        lambda g: g.Trainer(1),
        lambda g: g.Trainer(good),
        lambda g: g.Trainer([1]),
        lambda g: g.Trainer(["x"]),
        lambda g: g.Trainer([CONTACT]),
        lambda g: g.Trainer([CONTACT + " 0.5 0.1 0.05 0.1"]),
        lambda g: g.Trainer([good, CONTACT + " 0.5 0.1 0.05 0.1 a"]),
        lambda g: g.Trainer([good], 0, 0, 0),
        lambda g: g.Trainer([good]).train("a"),
        lambda g: g.Trainer([good]).train(1.0, []),
        lambda g: g.net_use(1),
        lambda g: g.net_use("x"),
        lambda g: g.equities.value(30, 3),
        lambda g: g.equities.value(-1, 3),
        lambda g: g.set.score(3, 5, 1),
        lambda g: g.set.score(1, 1, 1),
        lambda g: g.set.osdb("a"),
        lambda g: g.set.osdb(1.5),
        lambda g: g.set.shortcuts("x"),
        lambda g: g.set.ps("a", 8, 5, 0.1),
        lambda g: g.set.seed("x"),
        lambda g: g.set.equities(1),
        lambda g: g.set.equities("mec", 0.3),
        lambda g: g.evaluate_cube_decision(CONTACT, s=b"Q"),
    ]
    for number, call in enumerate(calls):
        raised = []
        for module in (gnubg_nn, original):
            module.set.score(7, 7)
            with pytest.raises((TypeError, ValueError, RuntimeError)) as error:
                call(module)
            raised.append((error.type, str(error.value)))
        assert raised[0] == raised[1], number
    for call in (lambda g: g.net_load("/nowhere/x"), lambda g: g.net_save("/nowhere/x"), lambda g: g.set.equities("x")):
        for module in (gnubg_nn, original):
            with pytest.raises(RuntimeError, match="^(failed to (load|save) net|Not a valid equities table name)"):
                call(module)
    assert all(math.isnan(value) for value in gnubg_nn.Trainer([]).errors()[::2])
    assert gnubg_nn.Trainer([]).errors()[1::2] == original.Trainer([]).errors()[1::2] == (0, 0, 0)


def test_trainer_refuses_what_makes_the_package_crash(weights: Path) -> None:
    trainer = gnubg_nn.Trainer([line(CONTACT, CHANCES[0])])
    for order in ([1], [-1]):
        with pytest.raises(ValueError, match="^order: "):
            trainer.train(1.0, order)
    trainer.train(0.0, np.arange(1))
    for alpha in (math.nan, math.inf):
        with pytest.raises(ValueError, match="^alpha: "):
            trainer.train(alpha)
    compat.use_nets(None)
    with pytest.raises(ValueError, match="^nets: "):
        gnubg_nn.Trainer([line(CONTACT, CHANCES[0])])
    with pytest.raises(ValueError, match="^nets: "):
        gnubg_nn.net_save("never")


def test_match_equities_are_those_of_the_package(weights: Path, original) -> None:
    def rows(module, most: int) -> np.ndarray:
        return np.array([[module.equities.value(a, b) for b in range(most)] for a in range(most)])

    for table, within in (("mec26", 1e-3), ((0.5, 0.1), 1e-3), ((0.5, 0.3), 1e-3)):
        for module in (gnubg_nn, original):
            module.set.equities(table) if isinstance(table, str) else module.set.equities(*table)
        assert np.abs(rows(gnubg_nn, 15) - rows(original, 15)).max() < within, table
    original.set.equities("snowie")
    gnubg_nn.set.equities("Kazaross-XG2")
    # Other tables: near one another.
    assert np.abs(rows(gnubg_nn, 15) - rows(original, 15)).max() < 0.04


@pytest.mark.parametrize("score", [(7, 7), (2, 9), (9, 2), (3, 7), (4, 2)])
def test_cube_decisions_of_a_match_are_those_of_the_package(score: tuple[int, int], weights: Path, original) -> None:
    differences = []
    for module in (gnubg_nn, original):
        module.set.equities("mec26")
        module.set.score(*score)
    for key in keys(80):
        for side in (b"X", b"O"):
            mine = gnubg_nn.evaluate_cube_decision(key, s=side, i=1)
            theirs = original.evaluate_cube_decision(key, s=side, i=1)
            assert len(mine) == len(theirs) and list(map(type, mine)) == list(map(type, theirs))
            assert mine[5] == pytest.approx(theirs[5], abs=1e-3)
            differences.append(np.abs(np.array(mine[3:5]) - theirs[3:5]).max())
    # The original values a cube that can be redoubled lower: most after a take 4-away, 2-away.
    assert max(differences) < 0.075 and np.mean(differences) < 0.03, (max(differences), np.mean(differences))


def test_owner_of_the_cube_may_double_alone(weights: Path) -> None:
    gnubg_nn.set.score(7, 7)
    gnubg_nn.set.cube(2, b"X")
    assert len(gnubg_nn.evaluate_cube_decision(CONTACT, s=b"X", i=1)) == 6
    with pytest.raises(RuntimeError, match=r"^side \(O\) does not own cube$"):
        gnubg_nn.evaluate_cube_decision(CONTACT, s=b"O")
    with pytest.raises(ValueError, match="^cube: "):
        gnubg_nn.set.cube(3, b"X")
    with pytest.raises(ValueError, match="^side: "):
        gnubg_nn.set.cube(2)


def key_of(me: dict[int, int], opponent: dict[int, int]) -> str:
    sides = [[points.get(point, 0) for point in range(1, 26)] for points in (me, opponent)]
    return Position(*sides).to_text("key")


#: The side that rolls first wins before the other one moves; the other one wins with its next roll.
LOST, WON = key_of({6: 5, 5: 5, 4: 5}, {1: 1}), key_of({1: 1}, {1: 5, 2: 3})


@pytest.mark.parametrize("score", [(7, 7), (2, 9), (9, 2)])
def test_cube_games_end_as_those_of_the_package(score: tuple[int, int], weights: Path, original) -> None:
    for module in (gnubg_nn, original):
        module.set.equities("mec26")
        module.set.score(*score)
    for key in (LOST, WON):
        mine, theirs = gnubg_nn.cubeful_rollout(key, 36), original.cubeful_rollout(key, b"X")
        assert len(mine) == 13 and mine[2::2] == theirs[2::2] and mine == pytest.approx(theirs, abs=2e-3)


def test_cube_games_are_those_of_the_package_on_average(weights: Path, original) -> None:
    even = key_of({6: 5, 5: 5, 4: 5}, {6: 5, 5: 5, 4: 5})
    for module in (gnubg_nn, original):
        module.set.equities("mec26")
        module.set.score(7, 7)
        module.set.seed(1)
    mine, theirs = gnubg_nn.cubeful_rollout(even, 2000), original.cubeful_rollout(even, b"X")
    assert sum(mine[2::2]) == pytest.approx(1)
    assert np.abs(np.array(mine) - theirs).max() < 0.12, (mine, theirs)


def test_cube_games_are_reproducible_and_refuse_wrong_arguments(weights: Path) -> None:
    gnubg_nn.set.score(0, 0)
    results = []
    for _ in range(2):
        gnubg_nn.set.seed(5)
        results.append(gnubg_nn.cubeful_rollout(CONTACT, 72))
    assert results[0] == results[1] and sum(results[0][2::2]) == pytest.approx(1)
    for call, name in ((lambda: gnubg_nn.cubeful_rollout(CONTACT, 0), "ngames"), (lambda: gnubg_nn.cubeful_rollout(key_of({}, {1: 1}), 1), "pos")):
        with pytest.raises(ValueError, match=f"^{name}: "):
            call()
