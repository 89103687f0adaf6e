"""Figures of the package for BENCHMARKS.md: `python src/python/bench.py [--rust PROGRAM] [--wheel WHEEL]`.

PROGRAM is the example `million` of the library, built with --release: the Rust loop beside which the call from numpy is
measured. Other environments are measured where they are installed. With a WHEEL only the first steps in a fresh virtual
environment are measured.
"""

import argparse
import importlib.util
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np

from gammond import Engine, Position, arrays
from gammond.env import VectorEnv


class Rate:
    """The fastest of some runs, by the clock and by the processors' time: a machine with other work has slow clocks."""

    def __init__(self, times: int, count: float, call, threads: int = 1) -> None:
        clock, busy = [], []
        for _ in range(times):
            start, used = time.perf_counter(), time.process_time()
            call()
            clock.append(time.perf_counter() - start)
            busy.append(time.process_time() - used)
        self.clock, self.free = count / min(clock), count / (min(busy) / threads)

    def __str__(self) -> str:
        return f"{self.clock:,.0f} a second ({self.free:,.0f} with free processors)"


def boards_of_games(count: int) -> np.ndarray:
    """Boards of random games."""
    env, rng, kept = VectorEnv(4096, seed=1), np.random.default_rng(1), []
    while len(kept) * 4096 < count:
        kept.append(env.step((rng.random(4096) * env.counts).astype(np.int64)).boards)
    return np.concatenate(kept)[:count]


def rust_loop(program: str, threads: int) -> float:
    """Positions a second of the example `million` with free processors: what a million more than one cost."""
    used = []
    for count in ("1000", "1001000"):
        times = []
        for _ in range(3):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([program, count], capture_output=True, text=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        used.append(min(times))
    return 1e6 / ((used[1] - used[0]) / threads)


def open_spiel_turns() -> str:
    try:
        import pyspiel
    except ImportError:
        return "not installed"
    game, rng = pyspiel.load_game("backgammon"), np.random.default_rng(1)
    turns, start, used = 0, time.perf_counter(), time.process_time()
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
    busy = time.process_time() - used
    return f"{turns / busy:,.0f} turns a second with a free processor (one game at a time)"


def gym_turns() -> str:
    found = importlib.util.find_spec("gym_backgammon")
    if found is None or found.origin is None:
        return "not installed"
    # The rules alone: the package imports a window library that it does not require.
    spec = importlib.util.spec_from_file_location("gym_rules", Path(found.origin).parent / "envs" / "backgammon.py")
    rules = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rules)
    rng, turns, start, used = random.Random(1), 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start < 3:
        game, agent = rules.Backgammon(), rules.WHITE
        while game.get_winner() is None:
            sign = -1 if agent == rules.WHITE else 1
            plays = list(game.get_valid_plays(agent, (sign * rng.randint(1, 6), sign * rng.randint(1, 6))))
            if plays:
                game.execute_play(agent, rng.choice(plays))
            agent, turns = game.get_opponent(agent), turns + 1
    return f"{turns / (time.process_time() - used):,.0f} turns a second with a free processor (one game at a time)"


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
    start, used, steps = time.perf_counter(), time.process_time(), 0
    while time.perf_counter() - start < 5:
        key, one = jax.random.split(key)
        state = act(one, state)
        jax.block_until_ready(state.observation)
        steps += n
    # A step of pgx plays one die; a turn has two to four of them.
    busy = time.process_time() - used
    return f"{steps / busy:,.0f} dice a second of a free processor"


def first_steps(wheel: str) -> None:
    """Prints the seconds of each step of a new user."""
    with tempfile.TemporaryDirectory() as folder:
        python = Path(folder) / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
        first = "import gammond; print(gammond.Engine().evaluate('4HPwATDgc/ABMA').equity)"
        picture = "import gammond; gammond.Position()._repr_svg_(); gammond.Position()._repr_png_()"
        steps = [
            ("a virtual environment", [sys.executable, "-m", "venv", str(python.parent.parent)]),
            ("`pip install` of the wheel, with numpy", [python, "-m", "pip", "install", "-q", wheel]),
            ("first evaluation, with start and import", [python, "-c", first]),
            ("the same again", [python, "-c", first]),
            ("first picture, SVG and PNG, with start and import", [python, "-c", picture]),
        ]
        print("| step | seconds | processor seconds |\n|---|---:|---:|")
        for name, command in steps:
            start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
            clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(f"| {name} | {clock:.1f} | {used:.1f} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rust")
    parser.add_argument("--wheel", type=os.path.abspath)
    args = parser.parse_args()
    if args.wheel:
        first_steps(args.wheel)
        return
    engine, million = Engine(cache_mb=0), boards_of_games(1_000_000)
    print(f"{engine}, numpy {np.__version__}")
    arrays.evaluate(million[:20000], engine=engine)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    threads = engine.threads
    rate = Rate(5, 1e6, lambda: arrays.evaluate(million, engine=engine), threads)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(f"evaluate a million boards: {rate}, peak memory +{grown / 1024:.0f} MB")
    if args.rust:
        rust = rust_loop(args.rust, threads)
        print(f"the Rust loop, with the making of its positions: {rust:,.0f} with free processors; from numpy {rate.free / rust:.0%}")
    some, dice = million[:100_000], np.random.default_rng(2).integers(1, 7, (100_000, 2)).astype(np.int8)
    plays = len(arrays.afterstates(some, dice)[0])
    print(f"afterstates: plays {Rate(5, plays, lambda: arrays.afterstates(some, dice), threads)}, {plays / len(some):.1f} a board")
    env, rng = VectorEnv(1024, seed=3), np.random.default_rng(1)

    def play() -> None:
        for _ in range(300):
            env.step((rng.random(1024) * env.counts).astype(np.int64))

    print(f"VectorEnv(1024), random plays: turns {Rate(3, 1024 * 300, play)}, one processor")
    print(f"OpenSpiel: {open_spiel_turns()}")
    print(f"gym-backgammon: {gym_turns()}")
    print(f"pgx on the processor: {pgx_turns()}")
    cached, position = Engine(threads=1), Position.parse("4HPwATDgc/ABMA")
    for name, one in (("a Position", position), ("a text", "4HPwATDgc/ABMA")):
        loops = 100_000
        rate = Rate(5, loops, lambda: [cached.evaluate(one) for _ in range(loops)])
        print(f"evaluate one position again ({name}): {1e6 / rate.clock:.2f} µs ({1e6 / rate.free:.2f} with a free processor)")
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
