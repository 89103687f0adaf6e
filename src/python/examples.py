"""The package in use; type checkers read this file, and `.ci/run python` runs it."""

import numpy as np

import gammond
from gammond import Engine, Game, Match, MatchState, Player, Position, arrays
from gammond.env import VectorEnv


def evaluate_and_rank(engine: Engine) -> str:
    """A position's value, the best play of a roll, a cube decision in a match."""
    position = Position.parse("4HPwATDgc/ABMA")
    value = engine.evaluate(position, plies=1)
    ranked = engine.best_plays(position, "31")
    decision = engine.cube(position, MatchState(7, (3, 2)))
    return f"{value.chances.win:.3f} {ranked[0].play} {decision.verdict}"


def play_a_match(engine: Engine) -> str:
    """PubEval and the engine play a game; the match file is analysed."""
    pubeval, game = Player("pubeval"), Game(seed=3)
    while not game.is_over:
        roll = game.roll()
        if game.player == 0:
            game.play(engine.best_plays(game.position, roll, top=1)[0].play)
        else:
            game.play(pubeval.play(game.position, roll))
    match = Match(0, ("gammond", "pubeval"))
    match.add(game)
    return engine.analyse(Match.read(match.to_mat().encode())[0]).text()


def learn_from_arrays() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """A greedy policy over afterstates: the inputs of a net for every play of 256 games."""
    env, rng = VectorEnv(256, seed=1), np.random.default_rng(1)
    for _ in range(10):
        env.step((rng.random(env.num_envs) * env.counts).astype(np.int64))
    values, _ = env.afterstates()
    return arrays.features(values, "tesauro")


if __name__ == "__main__":
    shared = gammond.Engine()
    print(evaluate_and_rank(shared))
    print(play_a_match(shared).splitlines()[0])
    print(learn_from_arrays().shape)
