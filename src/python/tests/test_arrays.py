"""Arrays and environments: reference functions, converters, hostile inputs."""

import warnings

import numpy as np
import pytest

from gammond import Position, arrays
from gammond.env import ACTIONS_MAX, ANSWER, DOUBLE, VectorEnv


def some_boards(n: int = 256, turns: int = 40) -> np.ndarray:
    """Boards of games at different turns."""
    env = VectorEnv(n, seed=7)
    rng = np.random.default_rng(1)
    kept = [env.boards]
    for _ in range(turns):
        kept.append(env.step((rng.random(n) * env.counts).astype(np.int64)).boards)
    return np.concatenate(kept)[:: turns // 8]


BOARDS = some_boards()


def test_afterstates_are_the_legal_plays() -> None:
    dice = np.random.default_rng(2).integers(1, 7, (len(BOARDS), 2))
    values, offsets = arrays.afterstates(BOARDS, dice)
    assert values.dtype == np.int8 and offsets.dtype == np.int64 and offsets[-1] == len(values)
    for number, position in enumerate(arrays.to_positions(BOARDS)):
        plays = position.legal_plays(tuple(int(die) for die in dice[number]))
        after = arrays.to_positions(values[offsets[number] : offsets[number + 1]])
        assert after == [play.after for play in plays]


def test_values_are_those_of_their_rows_in_any_order() -> None:
    # More than a task evaluates at once, so that the last task is a short one.
    boards = some_boards(1024, 64)
    values, order = arrays.evaluate(boards), np.random.default_rng(3).permutation(len(boards))
    assert len(set(arrays.class_of(boards))) >= 4 and len(boards) > 2 * 2048
    assert (arrays.evaluate(boards[order]) == values[order]).all()
    for row in order[:200]:
        assert (arrays.evaluate(boards[row : row + 1]) == values[row]).all()


def test_boards_read_back_and_turn_round() -> None:
    positions = arrays.to_positions(BOARDS)
    assert (arrays.from_positions(positions) == BOARDS).all()
    assert (arrays.swapped(arrays.swapped(BOARDS)) == BOARDS).all()
    assert [tuple(row) for row in arrays.pips(BOARDS)] == [position.pips for position in positions]
    assert [tuple(row) for row in arrays.off(BOARDS)] == [position.off for position in positions]
    assert (arrays.start(2)[0] == arrays.from_positions([Position()])[0]).all()


@pytest.mark.parametrize("name", ["gnubg", "xg", "pgx", "gym_backgammon", "open_spiel"])
def test_converters_read_back(name: str) -> None:
    other = getattr(arrays, f"to_{name}")(BOARDS)
    assert (getattr(arrays, f"from_{name}")(other) == BOARDS).all()


def test_layouts_of_others_are_theirs() -> None:
    start = arrays.start()
    pgx = [2, 0, 0, 0, 0, -5, 0, -3, 0, 0, 0, 5, -5, 0, 0, 0, 3, 0, 5, 0, 0, 0, 0, -2, 0, 0, 0, 0]
    assert arrays.to_pgx(start)[0].tolist() == pgx
    gym = arrays.to_gym_backgammon(start)[0]
    assert gym.shape == (198,) and gym[5 * 4 : 6 * 4].tolist() == [1, 1, 1, 1] and gym[-2:].tolist() == [1, 0]
    assert gym[98:102].tolist() == [1, 1, 0, 0]
    spiel = arrays.to_open_spiel(start)[0]
    assert spiel.shape == (200,) and spiel[:4].tolist() == [0, 1, 0, 0] and spiel[194] == 1 and spiel[197] == 0
    assert (arrays.from_xg(-start[:, ::-1], True) == start).all()
    # gnubg_nn: the opponent first.
    position = arrays.to_positions(BOARDS)[100]
    assert arrays.to_gnubg(BOARDS)[100].tolist() == [list(position.opponent), list(position.me)]


def test_features_have_their_widths() -> None:
    for name, width in (("tesauro", 198), ("base", 364), ("handcrafted", 40), ("quack", 26)):
        found = arrays.features(BOARDS, name)
        assert found.shape == (len(BOARDS), width) and found.dtype == np.float32
    with pytest.raises(ValueError, match="^name: "):
        arrays.features(BOARDS, "deep")


def hostile(rng: np.random.Generator) -> object:
    """An array that is wrong, or strange and right."""
    n = int(rng.integers(0, 5))
    base = BOARDS[rng.integers(0, len(BOARDS), n)]
    kinds = [
        lambda: base.astype(rng.choice(["f4", "f8", "?", "c8", "U3", "O", "M8[s]"]), copy=True)
        if n
        else base.astype("f4"),
        lambda: np.full((n, 26), np.nan),
        lambda: -np.abs(base),
        lambda: base.astype(np.int64) + int(rng.integers(100, 2**62)),
        lambda: (base.astype(np.int64) - 1).astype(np.uint64),
        lambda: rng.integers(-128, 128, (n, 26), dtype=np.int8),
        lambda: rng.integers(-128, 128, tuple(rng.integers(0, 30, int(rng.integers(0, 4)))), dtype=np.int8),
        lambda: np.asfortranarray(base),
        lambda: np.repeat(base, 2, axis=1)[:, ::2],
        lambda: np.repeat(base, 3, axis=0)[::3][::-1],
        lambda: np.lib.stride_tricks.as_strided(BOARDS, (n, 26), (0, 1), writeable=False),
        lambda: base.astype(rng.choice(["i2", "i4", "i8", ">i4"])),
        lambda: base.tolist(),
        lambda: rng.choice(np.array([None, 5, "boards", b"boards"], dtype=object)),
        lambda: memoryview(base.tobytes()),
    ]
    found = kinds[int(rng.integers(len(kinds)))]()
    if isinstance(found, np.ndarray) and rng.random() < 0.3:
        found.flags.writeable = False
    return found


#: Functions to other layouts, and their ways back.
ROUNDS = [
    (getattr(arrays, f"to_{name}"), getattr(arrays, f"from_{name}"))
    for name in ("gnubg", "xg", "pgx", "gym_backgammon", "open_spiel")
]


def test_hostile_arrays_are_refused_or_read_right() -> None:
    """2,000 arguments: each is a `ValueError` or `TypeError` that names the argument, or the right answer."""
    rng = np.random.default_rng(5)
    refused = answered = 0
    warnings.simplefilter("ignore")
    functions = [
        ("boards", arrays.class_of),
        ("boards", arrays.swapped),
        ("boards", arrays.to_positions),
        ("boards", arrays.evaluate),
        ("boards", lambda boards: arrays.features(boards, "tesauro")),
        ("boards", lambda boards: arrays.afterstates(boards, np.ones((len(boards), 2), np.int8))),
        ("dice", lambda dice: arrays.afterstates(arrays.start(1), dice)),
        ("boards", arrays.from_gnubg),
        ("boards", arrays.from_pgx),
        ("observations", arrays.from_open_spiel),
        ("observations", arrays.from_gym_backgammon),
        ("boards", arrays.from_xg),
        ("boards", arrays.off),
        ("boards", arrays.pips),
        ("boards", arrays.outcomes),
        *[("boards", there) for there, _ in ROUNDS],
        ("boards", lambda boards: arrays.best(boards, np.ones((len(boards), 2), np.int8))),
        ("boards", arrays.cube),
        ("actions", lambda actions: VectorEnv(2, seed=1).step(actions)),
    ]
    for _ in range(2000):
        value = hostile(rng)
        name, function = functions[int(rng.integers(len(functions)))]
        try:
            found = function(value)
        except (ValueError, TypeError) as error:
            if "len()" not in str(error):
                assert str(error).startswith(f"{name}: "), (error, value)
            refused += 1
            continue
        answered += 1
        if function is arrays.swapped:
            assert isinstance(value, np.ndarray)
            assert (found == -value[:, ::-1]).all()
        if function in dict(ROUNDS):
            assert (dict(ROUNDS)[function](found) == value).all()
    assert refused > 400 and answered > 200, (refused, answered)


def test_vector_env_plays_games_again() -> None:
    def games(seed: int) -> list[np.ndarray]:
        env, rng = VectorEnv(64, seed=seed), np.random.default_rng(0)
        return [env.step((rng.random(64) * env.counts).astype(np.int64)).boards for _ in range(50)]

    one, other, third = games(3), games(3), games(4)
    assert all((mine == theirs).all() for mine, theirs in zip(one, other))
    assert any((mine != theirs).any() for mine, theirs in zip(one, third))


def test_vector_env_rewards_who_acted() -> None:
    env, rng = VectorEnv(32, seed=1), np.random.default_rng(0)
    ended = 0
    for _ in range(400):
        players, counts = env.players, env.counts
        values, offsets = env.afterstates()
        actions = (rng.random(32) * counts).astype(np.int64)
        chosen = values[offsets[:-1] + actions]
        step = env.step(actions)
        won = -arrays.outcomes(chosen)
        assert (step.rewards == won).all() and ((won > 0) == step.done).all()
        going = ~step.done
        # The other player sees the board that was chosen.
        assert (step.boards[going] == chosen[going]).all() and (env.players[going] == 1 - players[going]).all()
        ended += int(step.done.sum())
    assert ended > 5


@pytest.mark.parametrize("opponent", ["random", "pubeval", "gammond:plies=0"])
def test_vector_env_against_an_opponent(opponent: str) -> None:
    env, rng = VectorEnv(16, opponent=opponent, seed=2), np.random.default_rng(0)
    total, done = 0.0, 0
    for _ in range(200):
        assert (env.players == 0).all()
        step = env.step((rng.random(16) * env.counts).astype(np.int64))
        total, done = total + float(step.rewards.sum()), done + int(step.done.sum())
    assert done > 16
    if opponent != "random":
        assert total < 0


@pytest.mark.parametrize("opponent", [None, "gammond:plies=0"])
def test_matches_with_the_cube_come_to_an_end(opponent: str | None) -> None:
    env, rng = VectorEnv(16, opponent=opponent, match=3, cube=True, seed=4), np.random.default_rng(0)
    phases, done, crawford = set(), 0, 0
    for _ in range(1500):
        counts = env.counts
        phases |= set(env.phases.tolist())
        states = env.states
        assert (states[:, 1:3] < 3).all() and (states[:, 0] == 3).all()
        crawford += int(states[:, 5].sum())
        step = env.step((rng.random(16) * counts).astype(np.int64))
        assert set(step.rewards[step.done].tolist()) <= {1.0, -1.0} and (step.rewards[~step.done] == 0).all()
        done += int(step.done.sum())
    assert done > 5 and crawford > 0
    assert {DOUBLE, ANSWER} <= phases or opponent is not None


def test_wrong_actions_change_nothing() -> None:
    env = VectorEnv(4, seed=1)
    before = env.boards
    for wrong in ([0, 0, 0], [0, 0, 0, 10**9], [0, 0, 0, -1]):
        with pytest.raises(ValueError, match="^actions: "):
            env.step(np.array(wrong))
    with pytest.raises(TypeError, match="^actions: "):
        env.step(np.zeros(4))
    assert (env.boards == before).all()
    with pytest.raises(ValueError, match="^n: "):
        VectorEnv(0)
    with pytest.raises(ValueError, match="^opponent: "):
        VectorEnv(1, opponent="nobody")
    assert ACTIONS_MAX >= 500


def test_environments_begin_at_positions() -> None:
    nack = Position.start("nackgammon")
    odd = Position.parse("4HPhASjgc/ABMA")
    env = VectorEnv(4, start=[nack, "4HPhASjgc/ABMA"])
    boards = [str(one.to_text()) for one in arrays.to_positions(env.boards)]
    assert boards == [nack.to_text(), odd.to_text()] * 2
    # The position is not the same for both players: player 0 is on roll.
    assert env.players[1] == 0 and env.players[3] == 0
    assert {one.to_text() for one in arrays.to_positions(env.reset(start=odd))} == {odd.to_text()}
    # With the cube player 0 may double first.
    assert (VectorEnv(2, cube=True, start=odd).phases == DOUBLE).all()
    random = VectorEnv(50, start="random:7").boards
    assert (random == VectorEnv(50, seed=9, start="random:7").boards).all()
    assert (random != VectorEnv(50, start="random:8").boards).any()
    assert (random == arrays.swapped(random)).all()
    for bad in ["hello", "random:x", [], "AAAAAAAAAAAAAA"]:
        with pytest.raises(ValueError, match="start"):
            VectorEnv(2, start=bad)
    with pytest.raises(ValueError, match="at most 3 in hypergammon"):
        VectorEnv(2, variant="hypergammon", start=odd)


def test_gymnasium_checks_its_wrapper() -> None:
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    from gammond.env import GymnasiumEnv

    checker.check_env(GymnasiumEnv("random"), skip_render_check=True)


def test_pettingzoo_checks_its_wrapper() -> None:
    api = pytest.importorskip("pettingzoo.test")
    from gammond.env import PettingZooEnv

    api.api_test(PettingZooEnv(), num_cycles=500)
    api.api_test(PettingZooEnv(match=3, cube=True), num_cycles=500)


def test_pettingzoo_shows_each_agent_its_own_board_and_state() -> None:
    pytest.importorskip("pettingzoo")
    from gammond.env import PettingZooEnv

    env, rng, told = PettingZooEnv(match=5, cube=True), np.random.default_rng(1), 0
    env.reset(seed=3)
    for _ in range(4000):
        actor = env.agent_selection
        waiting = next(agent for agent in env.agents if agent != actor)
        mine, other = env.observe(actor)["observation"], env.observe(waiting)["observation"]
        assert (other[:26] == -mine[25::-1]).all() and (other[26:28] == mine[26:28]).all()
        length, score, against, cube, owner, crawford = mine[28:].tolist()
        assert other[28:].tolist() == [length, against, score, cube, -owner, crawford]
        told += score != against and owner != 0
        env.step(int(rng.integers(env.observe(actor)["action_mask"].sum())))
        if any(env.terminations.values()):
            break
    assert told > 0
