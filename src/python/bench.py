"""Figures of the package for BENCHMARKS.md: `python src/python/bench.py [--rust PROGRAM]`.

PROGRAM is the example `million` of the library, built with --release: the Rust loop beside which the call from numpy is
measured. Other environments are measured where they are installed.
"""

import argparse
import os
import re
import resource
import signal
import subprocess
import threading
import time

import numpy as np

from gammond import Engine, Position, arrays
from gammond.env import VectorEnv


def best_of(times: int, call) -> float:
    """The seconds of the fastest of some runs."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found)


def boards_of_games(count: int) -> np.ndarray:
    """Boards of random games."""
    env, rng, kept = VectorEnv(4096, seed=1), np.random.default_rng(1), []
    while len(kept) * 4096 < count:
        kept.append(env.step((rng.random(4096) * env.counts).astype(np.int64)).boards)
    return np.concatenate(kept)[:count]


def rust_loop(program: str) -> float:
    """Positions a second of the example `million`."""
    rates = []
    for _ in range(3):
        said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        rates.append(1e6 / float(re.search(r"in ([0-9.]+) s", said)[1]))
    return max(rates)


def open_spiel_turns() -> str:
    try:
        import pyspiel
    except ImportError:
        return "not installed"
    game, rng = pyspiel.load_game("backgammon"), np.random.default_rng(1)
    turns, start = 0, time.perf_counter()
    while time.perf_counter() - start < 3:
        state = game.new_initial_state()
        while not state.is_terminal() and turns < 10**7:
            if state.is_chance_node():
                actions = state.chance_outcomes()
                state.apply_action(actions[rng.integers(len(actions))][0])
            else:
                actions = state.legal_actions()
                state.apply_action(actions[rng.integers(len(actions))])
                turns += 1
    return f"{turns / (time.perf_counter() - start):,.0f} turns a second (one game at a time)"


def pgx_turns(n: int = 1024) -> str:
    try:
        import jax
        import pgx
    except ImportError:
        return "not installed"
    env = pgx.make("backgammon")
    init, step = jax.jit(jax.vmap(env.init)), jax.jit(jax.vmap(env.step))

    def act(key, state):
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        return step(state, jax.random.categorical(key, logits, axis=1), jax.random.split(key, n))

    act = jax.jit(act)
    state, key = init(jax.random.split(jax.random.PRNGKey(0), n)), jax.random.PRNGKey(1)
    state = act(key, state)
    jax.block_until_ready(state.observation)
    start, steps = time.perf_counter(), 0
    while time.perf_counter() - start < 5:
        key, one = jax.random.split(key)
        state = act(one, state)
        jax.block_until_ready(state.observation)
        steps += n
    # A step of pgx plays one die; a turn has two to four of them.
    return f"{steps / (time.perf_counter() - start):,.0f} dice a second"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rust")
    args = parser.parse_args()
    engine, million = Engine(cache_mb=0), boards_of_games(1_000_000)
    print(f"{engine}, numpy {np.__version__}")
    arrays.evaluate(million[:20000], engine=engine)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = best_of(3, lambda: arrays.evaluate(million, engine=engine))
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"evaluate a million boards: {1e6 / seconds:,.0f} a second, peak memory +{grown / 1024:.0f} MB")
    if args.rust:
        rust = rust_loop(args.rust)
        print(f"the Rust loop: {rust:,.0f} a second; from numpy {1e6 / seconds / rust:.1%} of it")
    some, dice = million[:100_000], np.random.default_rng(2).integers(1, 7, (100_000, 2)).astype(np.int8)
    plays = len(arrays.afterstates(some, dice)[0])
    seconds = best_of(5, lambda: arrays.afterstates(some, dice))
    print(f"afterstates: {plays / seconds:,.0f} plays a second ({plays / len(some):.1f} a board)")

    def turns(n: int, steps: int) -> float:
        env, rng = VectorEnv(n, seed=3), np.random.default_rng(1)

        def play() -> None:
            for _ in range(steps):
                env.step((rng.random(n) * env.counts).astype(np.int64))

        return n * steps / best_of(3, play)

    print(f"VectorEnv(1024), random plays: {turns(1024, 300):,.0f} turns a second")
    print(f"OpenSpiel: {open_spiel_turns()}")
    print(f"pgx on the processor: {pgx_turns()}")
    cached, position = Engine(threads=1), Position.parse("4HPwATDgc/ABMA")
    for name, one in (("a Position", position), ("a text", "4HPwATDgc/ABMA")):
        loops = 100_000
        seconds = best_of(3, lambda: [cached.evaluate(one) for _ in range(loops)])
        print(f"evaluate one position again ({name}): {1e6 * seconds / loops:.2f} µs")
    delays = []
    for _ in range(10):
        sent: list[float] = []

        def interrupt() -> None:
            time.sleep(0.15)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=interrupt).start()
        try:
            engine.rollout(position, trials=1 << 22)
        except KeyboardInterrupt:
            delays.append(time.perf_counter() - sent[0])
    print(f"Ctrl-C in a rollout: {1000 * max(delays):.0f} ms at most of {len(delays)}")


if __name__ == "__main__":
    main()
