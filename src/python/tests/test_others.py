"""The converters held to the other packages: random games in them, with the same boards and the same legal afterstates.

Each test is skipped by name where its package cannot be installed.
"""

import importlib.util
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from gammond import arrays


def rows(boards: Any) -> set[bytes]:
    return {bytes(row) for row in np.asarray(boards, np.int8)}


def afterstates(before: np.ndarray, dice: np.ndarray) -> set[bytes]:
    return rows(arrays.afterstates(before, dice)[0])


def gym_rules() -> ModuleType:
    """The module with gym-backgammon's rules alone: its package imports a window library that it does not require."""
    found = importlib.util.find_spec("gym_backgammon")
    if found is None or found.origin is None:
        pytest.skip("SKIPPED: gym-backgammon 0.0.1 cannot be installed")
    spec = importlib.util.spec_from_file_location("gym_rules", Path(found.origin).parent / "envs" / "backgammon.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_gym_backgammon_has_the_same_boards_and_plays() -> None:
    rules = gym_rules()
    rng, turns = random.Random(1), 0
    for _ in range(12):
        game, agent = rules.Backgammon(), rng.choice((rules.WHITE, rules.BLACK))
        while game.get_winner() is None:
            dice = rng.randint(1, 6), rng.randint(1, 6)
            seen = np.array([game.get_board_features(agent)])
            before = arrays.from_gym_backgammon(seen)
            assert np.allclose(arrays.to_gym_backgammon(before, agent == rules.WHITE), seen)
            # White's dice are negative there.
            plays = game.get_valid_plays(agent, tuple(-die for die in dice) if agent == rules.WHITE else dice)
            after = []
            for play in plays:
                saved = game.save_state()
                game.execute_play(agent, play)
                after.append(game.get_board_features(game.get_opponent(agent)))
                game.restore_state(saved)
            theirs = arrays.from_gym_backgammon(np.array(after)) if after else arrays.swapped(before)
            assert rows(theirs) == afterstates(before, np.array([dice], np.int8)), (arrays.to_positions(before)[0], dice)
            if plays:
                game.execute_play(agent, rng.choice(sorted(plays, key=repr)))
            agent, turns = game.get_opponent(agent), turns + 1
    assert turns > 500


def spiel_ends(state: Any, player: int, half_turns: int = 2) -> dict[str, Any]:
    """The states after each play of a turn: doubles are two actions there."""
    found: dict[str, Any] = {}
    for action in state.legal_actions():
        after = state.child(action)
        if half_turns > 1 and not after.is_terminal() and after.current_player() == player:
            found |= spiel_ends(after, player, half_turns - 1)
        else:
            found[str(after.observation_tensor(0))] = after
    return found


def test_open_spiel_has_the_same_boards_and_plays() -> None:
    spiel = pytest.importorskip("pyspiel", reason="SKIPPED: open_spiel cannot be installed")
    game, rng, turns = spiel.load_game("backgammon"), random.Random(1), 0
    for _ in range(8):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, chances = zip(*state.chance_outcomes())
                state.apply_action(rng.choices(actions, chances)[0])
                continue
            player, before = state.current_player(), None
            for observer in (0, 1):
                seen = np.array([state.observation_tensor(observer)], np.float32)
                dice, before = seen[:, 198:].astype(np.int8), arrays.from_open_spiel(seen, observer)
                assert (arrays.to_open_spiel(before, dice, player, observer) == seen).all()
            assert before is not None
            ends = list(spiel_ends(state, player).values())
            after = np.array([end.observation_tensor(0) for end in ends])
            theirs = arrays.from_open_spiel(after, 0, 1 - player)
            assert rows(theirs) == afterstates(before, dice), (arrays.to_positions(before)[0], dice)
            state, turns = rng.choice(ends), turns + 1
    assert turns > 300


def test_open_spiel_before_the_roll_wants_the_player() -> None:
    seen = arrays.to_open_spiel(arrays.start())
    seen[:, [194, 197]] = 0
    with pytest.raises(ValueError, match="^player: "):
        arrays.from_open_spiel(seen)
    assert (arrays.from_open_spiel(seen, player=0) == arrays.start()).all()


class Pgx:
    """pgx's environment, stepped for many states at once."""

    BATCH = 64

    def __init__(self) -> None:
        self.jax = pytest.importorskip("jax", reason="SKIPPED: jax cannot be installed")
        pgx = pytest.importorskip("pgx", reason="SKIPPED: pgx cannot be installed")
        env = pgx.make("backgammon")
        self.init, self.step = self.jax.jit(env.init), self.jax.jit(env.step)
        self.steps = self.jax.jit(self.jax.vmap(env.step, in_axes=(0, 0, None)))

    def key(self, number: int) -> Any:
        return self.jax.random.PRNGKey(number)

    def ends(self, state: Any) -> list[np.ndarray]:
        """Boards after each sequence of dice, seen by the next player: an action is one die there."""
        tree, found, known = self.jax.tree_util.tree_map, {}, set()
        front = [tree(np.asarray, state)]
        while front:
            stacked = tree(lambda *values: np.stack(values), *front)
            pairs = list(zip(*np.nonzero(stacked.legal_action_mask)))
            front = []
            for first in range(0, len(pairs), self.BATCH):
                some = pairs[first : first + self.BATCH]
                numbers, actions = map(np.array, zip(*some, *[pairs[0]] * (self.BATCH - len(some))))
                after = self.steps(tree(lambda values: values[numbers], stacked), actions, self.key(0))
                after = tree(np.asarray, after)
                for one in range(len(some)):
                    board = after._board[one]
                    if after.terminated[one]:
                        found[board.tobytes()] = arrays.swapped(arrays.from_pgx(board[None]))[0]
                    elif after._turn[one] != state._turn:
                        found[board.tobytes()] = arrays.from_pgx(board[None])[0]
                    elif (rest := board.tobytes() + after._playable_dice[one].tobytes()) not in known:
                        known.add(rest)
                        front.append(tree(lambda values: values[one], after))
        return list(found.values())


def test_pgx_has_the_same_boards_and_plays() -> None:
    pgx, rng, turns, more = Pgx(), random.Random(1), 0, 0
    for number in range(3):
        state, step = pgx.init(pgx.key(number)), 0
        while not state.terminated:
            if state._played_dice_num == 0:
                seen = np.asarray(state._board)[None]
                before, dice = arrays.from_pgx(seen), (np.asarray(state._dice)[None] + 1).astype(np.int8)
                assert (arrays.to_pgx(before) == seen).all()
                theirs, ours = rows(pgx.ends(state)), afterstates(before, dice)
                # pgx lets a player use fewer or smaller dice than he can: such plays are the only ones more.
                assert ours <= theirs, (arrays.to_positions(before)[0], dice)
                left = [arrays.pips(np.frombuffer(row, np.int8)[None])[0, 1] for row in ours]
                for row in theirs - ours:
                    assert arrays.pips(np.frombuffer(row, np.int8)[None])[0, 1] > max(left)
                turns, more, step = turns + 1, more + (theirs != ours), step + 1
            actions = np.flatnonzero(np.asarray(state.legal_action_mask))
            state, step = pgx.step(state, rng.choice(actions), pgx.key(1000 * number + step)), step + 1
    assert turns > 150 and more < turns / 20
