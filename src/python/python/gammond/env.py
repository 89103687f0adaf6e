"""Environments for reinforcement learning: many games at once, and wrappers for Gymnasium and PettingZoo.

An action is the number of an afterstate, a position after a legal play of the roll. Boards have the layout of
`gammond.arrays`, seen by the player to act.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _gammond
from ._gammond import Position

#: Phases and their actions: an afterstate; 0 roll or 1 double; 0 pass or 1 take.
PLAY, DOUBLE, ANSWER = 0, 1, 2

#: Number of actions of the wrappers: no roll of a played game has more afterstates.
ACTIONS_MAX = 1024


class Step(NamedTuple):
    """The result of a step of `VectorEnv`."""

    #: int8[n, 26], the boards, seen by the next player to act.
    boards: NDArray[np.int8]
    #: float32[n], the rewards of the player of this action; with an opponent, those of the agent.
    rewards: NDArray[np.float32]
    #: bool[n], true if the episode ended. The boards are then those of a new episode.
    done: NDArray[np.bool_]


#: A position in any form of text, or as a `Position`; several of them; or ``random``, ``random:SEED``.
Start = Union[str, Position, Sequence[Union[str, Position]]]


def _starts(start: Start | None) -> str | None:
    if start is None or isinstance(start, str):
        return start
    positions = [start] if isinstance(start, Position) else start
    return "\n".join(one if isinstance(one, str) else one.to_text() for one in positions)


class VectorEnv:
    """`n` games at once, each with its own stream of dice; the same seed and actions give the same games.

    Without an `opponent` the caller acts for both players in turn. With one (a player spec of the program: ``random``,
    ``pubeval``, ``gammond:plies=0``) the agent is player 0 and the environment plays the opponent's turns. With `match`
    an episode is a match to `match` points, with reward 1 or -1 at its end; else an episode is a game and its reward is
    the points. With `cube` there are cube actions, see `phases`. Games are of a `variant`: ``backgammon``,
    ``nackgammon``, ``hypergammon``, ``hypergammon2`` or ``hypergammon1``.

    `start` replaces the start of the variant: a position, a sequence of them, of which each episode takes the next, or
    ``random``, mirrored ones by the seed (``random:7`` by another one). A position that is the same for both players begins
    with the opening roll; at another one player 0 is on roll.
    """

    def __init__(
        self,
        n: int,
        opponent: str | None = None,
        match: int | None = None,
        cube: bool = False,
        seed: int = 0,
        variant: str = "backgammon",
        start: Start | None = None,
    ) -> None:
        self._games = _gammond.Games(n, opponent, match or 0, cube, seed, variant, _starts(start))

    @property
    def num_envs(self) -> int:
        """The number of games."""
        return len(self._games)

    def reset(self, seed: int | None = None, start: Start | None = None) -> NDArray[np.int8]:
        """Restarts all games, without a seed with new dice, without a `start` as before, and returns the boards."""
        self._games.reset(seed, _starts(start))
        return self._games.boards()

    @property
    def boards(self) -> NDArray[np.int8]:
        """int8[n, 26], seen by the player to act."""
        return self._games.boards()

    @property
    def dice(self) -> NDArray[np.uint8]:
        """uint8[n, 2]; 0 and 0 before the roll."""
        return self._games.dice()

    @property
    def counts(self) -> NDArray[np.int64]:
        """int64[n], the number of actions of each game."""
        return self._games.counts()

    @property
    def players(self) -> NDArray[np.uint8]:
        """uint8[n], the player to act: 0 or 1."""
        return self._games.players()

    @property
    def phases(self) -> NDArray[np.uint8]:
        """uint8[n], the phase: `PLAY` (an afterstate), `DOUBLE` (0 roll, 1 double), `ANSWER` (0 pass, 1 take)."""
        return self._games.phases()

    @property
    def states(self) -> NDArray[np.int32]:
        """int32[n, 6]: length, own score, opponent's score, cube, owner (1 own, 0 centred, -1 opponent), Crawford."""
        return self._games.states()

    def afterstates(self) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
        """Returns the boards after each action, the opponent on roll, and the offset of each game's first."""
        return self._games.afterstates()

    def step(self, actions: NDArray[np.int64]) -> Step:
        """Performs one action in every game."""
        actions = np.asarray(actions)
        if actions.dtype.kind not in "iu":
            raise TypeError(f"actions: dtype {actions.dtype}, expected int64")
        if actions.ndim != 1:
            raise ValueError(f"actions: shape {actions.shape}, expected [{self.num_envs}]")
        rewards, done = self._games.step(np.ascontiguousarray(actions, dtype=np.int64))
        return Step(self._games.boards(), rewards, done)


def _mask(count: int) -> NDArray[np.int8]:
    mask = np.zeros(ACTIONS_MAX, np.int8)
    mask[:count] = 1
    return mask


try:
    import gymnasium
    from gymnasium import spaces
except ImportError:  # pragma: no cover
    pass
else:

    class GymnasiumEnv(gymnasium.Env[Any, Any]):
        """One agent against an opponent, for Gymnasium. Actions are taken modulo the number of legal ones.

        `reset(options={"start": …})` begins this and later episodes at a `start` of `VectorEnv`.

        The observation of a step that ends the episode is the first one of another game: do not use its value.
        """

        metadata = {"render_modes": ["ansi"]}

        def __init__(
            self,
            opponent: str = "pubeval",
            match: int | None = None,
            cube: bool = False,
            render_mode: str | None = None,
            variant: str = "backgammon",
            start: Start | None = None,
        ) -> None:
            self._make = (1, opponent, match, cube)
            self._variant = variant
            self._start = start
            self._env: VectorEnv | None = None
            self.render_mode = render_mode
            self.action_space = spaces.Discrete(ACTIONS_MAX)
            self.observation_space = spaces.Dict(
                {
                    "board": spaces.Box(-15, 15, (26,), np.int8),
                    "dice": spaces.Box(0, 6, (2,), np.uint8),
                    "state": spaces.Box(-1, 4096, (6,), np.int32),
                    "phase": spaces.Discrete(3),
                    "action_mask": spaces.Box(0, 1, (ACTIONS_MAX,), np.int8),
                }
            )

        def _seen(self) -> tuple[dict[str, Any], dict[str, Any]]:
            assert self._env is not None
            env = self._env
            count = int(env.counts[0])
            observation = {
                "board": env.boards[0],
                "dice": env.dice[0],
                "state": env.states[0],
                "phase": np.int64(env.phases[0]),
                "action_mask": _mask(count),
            }
            return observation, {"afterstates": env.afterstates()[0], "actions": count}

        def reset(
            self, *, seed: int | None = None, options: dict[str, Any] | None = None
        ) -> tuple[dict[str, Any], dict[str, Any]]:
            super().reset(seed=seed)
            self._start = (options or {}).get("start", self._start)
            if self._env is None or seed is not None:
                dice = seed if seed is not None else int(self.np_random.integers(2**32))
                self._env = VectorEnv(*self._make, seed=dice, variant=self._variant, start=self._start)
            else:
                self._env.reset(start=self._start)
            return self._seen()

        def step(self, action: Any) -> tuple[dict[str, Any], float, bool, bool, dict[str, Any]]:
            if self._env is None:
                raise ValueError("env: reset comes first")
            action = int(action) % int(self._env.counts[0])
            _, rewards, done = self._env.step(np.array([action]))
            observation, info = self._seen()
            return observation, float(rewards[0]), bool(done[0]), False, info

        def render(self) -> Any:
            if self._env is None or self.render_mode != "ansi":
                return None
            return _gammond.to_positions(self._env.boards)[0].board(_gammond.MatchState(variant=self._variant))


try:
    from gymnasium import spaces as _spaces
    from pettingzoo import AECEnv  # type: ignore[import-untyped,unused-ignore]
except ImportError:  # pragma: no cover
    pass
else:
    _AECEnv: Any = AECEnv

    class PettingZooEnv(_AECEnv):
        """Both players, for PettingZoo. Illegal actions raise `ValueError`; `action_mask` is 1 for legal actions.

        `reset(options={"start": …})` begins this and later episodes at a `start` of `VectorEnv`.

        An observation has the board, the dice and the state (see `VectorEnv`), all seen by its agent. After the end of
        an episode it is that of another game.
        """

        metadata = {"render_modes": ["ansi"], "name": "gammond_v0", "is_parallelizable": False}

        def __init__(
            self,
            match: int | None = None,
            cube: bool = False,
            render_mode: str | None = None,
            variant: str = "backgammon",
            start: Start | None = None,
        ) -> None:
            super().__init__()
            self._make = (1, None, match, cube)
            self._variant = variant
            self._start = start
            self.render_mode = render_mode
            self.possible_agents = ["player_0", "player_1"]
            self.agents: list[str] = []
            space = _spaces.Dict(
                {
                    "observation": _spaces.Box(-15, 4096, (34,), np.int16),
                    "action_mask": _spaces.Box(0, 1, (ACTIONS_MAX,), np.int8),
                }
            )
            self.observation_spaces: dict[str, Any] = {agent: space for agent in self.possible_agents}
            self.action_spaces: dict[str, Any] = {agent: _spaces.Discrete(ACTIONS_MAX) for agent in self.possible_agents}
            self._seed = 0

        def observation_space(self, agent: str) -> Any:
            return self.observation_spaces[agent]

        def action_space(self, agent: str) -> Any:
            return self.action_spaces[agent]

        def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
            self._seed = self._seed + 1 if seed is None else seed
            self._start = (options or {}).get("start", self._start)
            self._env = VectorEnv(*self._make, seed=self._seed, variant=self._variant, start=self._start)
            self.agents = self.possible_agents[:]
            self.rewards = {agent: 0.0 for agent in self.agents}
            self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
            self.terminations = {agent: False for agent in self.agents}
            self.truncations = {agent: False for agent in self.agents}
            self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
            self.agent_selection = self.possible_agents[int(self._env.players[0])]

        def observe(self, agent: str) -> dict[str, NDArray[Any]]:
            env = self._env
            acts = self.possible_agents[int(env.players[0])] == agent
            board, state = env.boards[0], env.states[0]
            if not acts:
                board = _gammond.swapped(env.boards)[0]
                state = state[[0, 2, 1, 3, 4, 5]] * [1, 1, 1, 1, -1, 1]
            parts = [board, env.dice[0], state]
            count = int(env.counts[0]) if acts and agent == self.agent_selection else 0
            return {"observation": np.concatenate(parts).astype(np.int16), "action_mask": _mask(count)}

        def step(self, action: Any) -> None:
            agent = self.agent_selection
            if self.terminations[agent] or self.truncations[agent]:
                self._was_dead_step(action)
                return
            other = self.possible_agents[1 - self.possible_agents.index(agent)]
            _, rewards, done = self._env.step(np.array([int(action)]))
            self._cumulative_rewards[agent] = 0.0
            self.rewards = {agent: float(rewards[0]), other: -float(rewards[0])}
            if done[0]:
                self.terminations = {one: True for one in self.agents}
                self.agent_selection = other
            else:
                self.agent_selection = self.possible_agents[int(self._env.players[0])]
            self._accumulate_rewards()

        def render(self) -> str | None:
            if self.render_mode != "ansi":
                return None
            return _gammond.to_positions(self._env.boards)[0].board(_gammond.MatchState(variant=self._variant))

        def close(self) -> None:
            pass


__all__ = ["ACTIONS_MAX", "ANSWER", "DOUBLE", "PLAY", "Step", "VectorEnv"]
