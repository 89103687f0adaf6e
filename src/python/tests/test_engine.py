"""The engine: same answers as the program, threads, asyncio, interrupts."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gammond
from gammond import Engine, Match, MatchState, Position, Roll, arrays, settings

XGID_WITH_DICE = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:7:10"
POSITIONS = ["4HPwATDgc/ABMA", "sGfwATDgc/ABMA", "4HPiASjgc/ABMA", "0HPwASLgc/ABMA", "2G1BMBhsnncAAA", "tm0LAAButwMAAA"]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def program(lines: list[str]) -> list[dict]:
    """What the program of the package answers to requests."""
    run = subprocess.run(
        [sys.executable, "-m", "gammond", "pipe"], input="\n".join(lines) + "\n", capture_output=True, text=True
    )
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert len(answers) == len(lines), run.stderr
    return answers


def same(number: float, written: float) -> bool:
    """Answers are written with six digits."""
    return round(number, 6) == written or abs(number - written) <= 5.000001e-7


@pytest.mark.parametrize("plies", [0, 1, 2])
def test_numbers_are_those_of_the_program(engine: Engine, plies: int) -> None:
    state = MatchState(7, (3, 2))
    lines, mine = [], []
    for text in POSITIONS[:4]:
        lines.append(f"move {text} 52 plies={plies}")
        lines.append(f"cube {text} plies={plies}")
        lines.append(f"eval {text} plies={plies} length=7 score=3-2")
        ranked = engine.best_plays(text, "52", plies=plies)
        decision = engine.cube(text, plies=plies)
        value = engine.evaluate(text, state, plies=plies)
        mine.append((ranked, decision, value))
    answers = program(lines)
    for number, (ranked, decision, value) in enumerate(mine):
        move, cube, evaluated = answers[3 * number : 3 * number + 3]
        assert [str(one.play) for one in ranked] == [play["play"] for play in move["plays"]]
        for one, play in zip(ranked, move["plays"]):
            assert same(one.equity, play["equity"]) and same(one.chances.win, play["probabilities"]["win"])
            assert same(one.loss, play["loss"])
        for name in ("no_double", "double_take", "double_pass"):
            assert same(getattr(decision, name), cube[name])
        assert decision.verdict == cube["verdict"]
        assert same(value.chances.win, evaluated["probabilities"]["win"])


def test_rollout_is_that_of_the_program(engine: Engine) -> None:
    mine = engine.rollout("4HPwATDgc/ABMA", "31", trials=72, seed=3, top=2)
    [answer] = program(["rollout 4HPwATDgc/ABMA 31 trials=72 seed=3 top=2"])
    text = json.dumps(answer)
    for one in mine.candidates:
        assert one.trials == 72
        assert f"{one.name}" in text
        assert f"{round(one.equity, 6)}" in text, (one, text)


def test_rollout_returns_the_plays_it_was_given(engine: Engine) -> None:
    plays = [Position().play("62", "24/18 13/11"), Position().play("31", "8/5 6/5")]
    reports: list[set[gammond.Play]] = []
    rolled = engine.rollout(
        Position(), plays=plays, trials=36, progress=lambda known: reports.append({one.play for one in known.candidates})
    )
    assert {one.play for one in rolled.candidates} == {*plays} and all(report == {*plays} for report in reports)
    assert engine.rollout(Position(), "13", plays=plays[1:], trials=36).candidates[0].play == plays[1]
    with pytest.raises(ValueError, match="^plays: 24/18 13/11 is a play of another roll"):
        engine.rollout(Position(), "31", plays=plays, trials=36)


def test_people_of_a_rate_have_shares(engine: Engine) -> None:
    ranked = engine.best_plays("4HPwATDgc/ABMA", "64", pr=8, seed=3, top=0)
    shares = [one.share for one in ranked if one.share is not None]
    assert len(shares) == len(ranked) and abs(sum(shares) - 1) < 1e-6
    answer = engine.ask("move", "4HPwATDgc/ABMA", "64", pr=8, seed=3, top=0)
    assert all(same(one.share, play["share"]) for one, play in zip(ranked, answer["plays"], strict=True))
    assert engine.best_plays("4HPwATDgc/ABMA", "64")[0].share is None
    decision = engine.cube("4HPwATDgc/ABMA", pr=8)
    assert decision.double_share is not None and decision.double_share < 0.05
    assert decision.take_share is not None and decision.take_share > 0.95
    assert engine.cube("4HPwATDgc/ABMA").take_share is None


def test_rankings_show_themselves(engine: Engine) -> None:
    ranked = engine.best_plays("4HPwATDgc/ABMA", "31")
    assert str(ranked[0].play) == "8/5 6/5" and ranked[0].loss == 0
    assert "8/5 6/5" in ranked._repr_html_() and str(ranked).splitlines()[0].startswith("  1. 8/5 6/5")
    assert "<table>" in engine.cube("4HPwATDgc/ABMA")._repr_html_()


def test_ten_threads_get_the_same_bits(engine: Engine) -> None:
    want = [engine.evaluate(text, plies=1).equity for text in POSITIONS]
    with ThreadPoolExecutor(10) as pool:
        runs = list(pool.map(lambda _: [engine.evaluate(text, plies=1).equity for text in POSITIONS], range(40)))
    assert all(run == want for run in runs)
    assert engine.submit("evaluate", POSITIONS[0], plies=1).result().equity == want[0]


def test_asyncio_goes_on_while_the_engine_computes(engine: Engine) -> None:
    async def both() -> tuple[int, float]:
        ticks = 0
        task = asyncio.create_task(engine.run("rollout", POSITIONS[0], trials=144, plies=0))
        while not task.done():
            await asyncio.sleep(0.001)
            ticks += 1
        return ticks, task.result().candidates[0].equity

    ticks, equity = asyncio.run(both())
    assert ticks > 1 and equity == engine.rollout(POSITIONS[0], trials=144).candidates[0].equity


def test_interrupt_ends_a_rollout(engine: Engine) -> None:
    # Where the shell started the tests in the background, SIGINT is ignored and Python installs no handler.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    seen: list[float] = []

    def interrupt() -> None:
        while not seen:
            time.sleep(0.005)
        seen.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    helper = threading.Thread(target=interrupt)
    helper.start()
    with pytest.raises(KeyboardInterrupt):
        engine.rollout(POSITIONS[0], trials=1 << 20, progress=lambda known: seen.append(known.candidates[0].trials))
    print(f"interrupted after {1000 * (time.monotonic() - seen[-1]):.1f} ms")
    helper.join()
    signal.signal(signal.SIGINT, before)


def test_cancel_ends_submitted_work_that_has_begun(engine: Engine) -> None:
    begun = threading.Event()
    future = engine.submit("rollout", POSITIONS[0], trials=1 << 22, progress=lambda known: begun.set())
    assert begun.wait(60) and future.cancel()
    with pytest.raises(CancelledError):
        future.result(timeout=60)
    search = engine.submit(lambda: [engine.evaluate(text, plies=4, prune=False) for text in POSITIONS * 1000])
    time.sleep(0.2)
    assert search.cancel() and isinstance(search.exception(timeout=60), CancelledError) and not search.cancel()

    async def cancelled() -> None:
        await asyncio.wait_for(engine.run("rollout", POSITIONS[0], trials=1 << 22), 0.2)

    with pytest.raises(asyncio.TimeoutError):
        asyncio.run(cancelled())
    # The engine goes on, and its threads are free.
    assert engine.submit("rollout", POSITIONS[0], trials=36).result(timeout=60).ended == "trials"


def test_exception_of_the_callback_ends_a_rollout(engine: Engine) -> None:
    with pytest.raises(ZeroDivisionError):
        engine.rollout(POSITIONS[0], trials=1 << 20, progress=lambda known: 1 / 0)


def test_progress_reports_grow(engine: Engine) -> None:
    trials: list[int] = []
    engine.rollout(POSITIONS[0], trials=360, progress=lambda known: trials.append(known.candidates[0].trials))
    assert trials == sorted(trials) and len(trials) > 1


def test_matches_are_analysed(engine: Engine) -> None:
    from test_rules import play_out

    match = Match(0, ("Ann", "Bob"))
    match.add(play_out(2))
    analysis = engine.analyse(match)
    decisions = json.loads(analysis.json())
    assert decisions and "Ann" in analysis.text() and analysis.html().startswith("<!DOCTYPE html>")
    # ANA-01.
    assert "analysed at 2-ply swift" in analysis.text()
    assert "analysed at 1-ply\n" in engine.analyse(match, plies=1).text()
    assert analysis.csv().count("\n") > 10
    assert len(Match.read(analysis.sgf().encode())) == 1


@pytest.mark.parametrize(
    ("call", "kind", "name"),
    [
        (lambda e: Engine(plies=9), ValueError, "plies"),
        (lambda e: Engine(threads=100000), ValueError, "threads"),
        (lambda e: Engine(cache_mb=10**9), ValueError, "cache_mb"),
        (lambda e: Engine(nets="/nowhere/gnubg.wd"), OSError, "/nowhere/gnubg.wd"),
        (lambda e: Engine(met="/nowhere/table.xml"), ValueError, "met"),
        (lambda e: e.evaluate("hello"), ValueError, "position"),
        (lambda e: e.evaluate(5), TypeError, "position"),
        (lambda e: e.evaluate("4HPwATDgc/ABMA", plies=-1), ValueError, "plies"),
        (lambda e: e.best_plays("4HPwATDgc/ABMA", "31", level="world"), ValueError, "level"),
        (lambda e: e.best_plays("4HPwATDgc/ABMA", "31", filter="fine"), ValueError, "filter"),
        (lambda e: e.rollout("4HPwATDgc/ABMA", truncate="soon"), ValueError, "truncate"),
        (lambda e: e.rollout("4HPwATDgc/ABMA", "31", cube=True), ValueError, "cube"),
        (lambda e: e.rollout("4HPwATDgc/ABMA", trials=0), ValueError, "trials"),
        (lambda e: e.rollout("4HPwATDgc/ABMA", trials=36, error=float("nan")), ValueError, "error"),
        (lambda e: e.rollout("4HPwATDgc/ABMA", trials=36, lead=float("nan")), ValueError, "lead"),
        (lambda e: e.rollout("4HPwATDgc/ABMA", "31", trials=36, top=0), ValueError, "top"),
        (lambda e: e.rollout("4HPwATDgc/ABMA", trials=36, time_ms=-1), ValueError, "time_ms"),
        (lambda e: e.cube(Position([0] * 25, [15])), ValueError, "position"),
        (lambda e: arrays.cube(arrays.from_positions([Position(), Position([0] * 25, [15])]), engine=e), ValueError, "boards"),
        (lambda e: Match().add_game((0, 0), [(-1, "take", None)]), ValueError, "player"),
        (lambda e: Position().steps_text([(300, 1)]), ValueError, "steps"),
    ],
)
def test_wrong_arguments_are_named(engine: Engine, call, kind, name: str) -> None:
    with pytest.raises(kind, match=f"^{name}: "):
        call(engine)


def test_arrays_give_the_numbers_of_single_calls(engine: Engine) -> None:
    positions = [Position.parse(text) for text in POSITIONS]
    boards = arrays.from_positions(positions)
    for plies in (0, 1):
        values = arrays.evaluate(boards, plies, engine)
        assert values.shape == (len(positions), 5) and values.dtype == np.float32
        for row, position in zip(values, positions):
            found = engine.evaluate(position, plies=plies, cubeful=False).chances
            assert [float(value) for value in row] == list(found.to_tuple())
    dice = np.array([[3, 1]] * len(positions))
    after, equities = arrays.best(boards, dice, engine=engine)
    for row, equity, position in zip(arrays.to_positions(after), equities, positions):
        best = engine.best_plays(position, "31", cubeful=False)[0]
        assert best.play.after == row and np.float32(best.equity) == equity and repr(best).endswith(" (+0.0000)>")
    cubes, actions = arrays.cube(boards[:2], engine=engine)
    for row, action, position in zip(cubes, actions, positions):
        found = engine.cube(position)
        assert list(row) == [found.no_double, found.double_take, found.double_pass]
        assert list(action) == [found.double, found.take]


def test_program_keeps_its_exit_codes() -> None:
    def code(*words: str) -> int:
        return subprocess.run([sys.executable, "-m", "gammond", *words], capture_output=True).returncode

    assert code("move", "4HPwATDgc/ABMA", "31") == 0
    assert code("nonsense") == 2
    assert code("net", "info", "/nowhere/x.net") == 3
    assert "gammond" in gammond.__name__ and Roll(3, 1) == Roll(1, 3)


TEXTS = Path(__file__).resolve().parents[3] / "tests/data/position-texts"


def test_copied_texts_bring_their_state_and_roll(engine: Engine) -> None:
    play = (TEXTS / "bgblitz-play-en.txt").read_text(encoding="utf-8")
    parsed = gammond.parse(play)
    assert parsed.state is not None and parsed.state.length == 7 and str(parsed.roll) == "21"
    found = engine.best_plays(play, plies=0)
    assert str(found) == str(engine.best_plays(parsed.position, "21", parsed.state, plies=0))
    assert str(found) != str(engine.best_plays(play, "21", MatchState(), plies=0))
    assert engine.best_plays(play, "66", plies=0)[0].play.roll == Roll(6, 6)
    for name in ("bgblitz-cube-de.txt", "bgblitz-cube-jp.txt"):
        text = (TEXTS / name).read_text(encoding="utf-8")
        parsed = gammond.parse(text)
        assert parsed.state is not None and parsed.roll is None
        own, given = engine.cube(text, plies=0), engine.cube(parsed.position, parsed.state, plies=0)
        assert str(own) == str(given) and str(own) != str(engine.cube(text, MatchState(), plies=0))
        assert engine.evaluate(text).equity == engine.evaluate(parsed.position, parsed.state).equity
        assert Position.parse(text) == parsed.position
        with pytest.raises(ValueError, match="^roll: is missing"):
            engine.best_plays(text)
    own, given = engine.rollout(play, trials=36, top=2), engine.rollout(play, "21", gammond.parse(play).state, trials=36, top=2)
    assert [one.equity for one in own.candidates] == [one.equity for one in given.candidates] and len(own.candidates) == 2


def test_settings_are_those_of_the_table(engine: Engine) -> None:
    """Every name of the types is taken, with None for "not given"; others are refused by name."""
    calls: list[tuple[type, Any]] = [
        (settings.SearchSettings, lambda **some: Engine(threads=1, cache_mb=1, **some)),
        (settings.ValueSettings, lambda **some: engine.evaluate("4HPwATDgc/ABMA", **some)),
        (settings.CubeSettings, lambda **some: engine.cube("4HPwATDgc/ABMA", **some)),
        (settings.PlaySettings, lambda **some: engine.best_plays("4HPwATDgc/ABMA", "31", **some)),
        (settings.RolloutSettings, lambda **some: engine.rollout("4HPwATDgc/ABMA", **({"trials": 36} | some))),
        (settings.AnalysisSettings, lambda **some: engine.analyse(gammond.Match(), **some)),
    ]
    for kind, call in calls:
        for name in kind.__annotations__:
            call(**{name: 36 if name == "trials" else None})
        with pytest.raises(TypeError, match=r"has no argument 'ply', expected one of plies, "):
            call(ply=1)
    noisy = [engine.evaluate("4HPwATDgc/ABMA", noise=noise).equity for noise in (0, 0.2)]
    assert noisy[0] == engine.evaluate("4HPwATDgc/ABMA").equity != noisy[1]
    assert engine.cube("4HPwATDgc/ABMA", level="Roller").equity != engine.cube("4HPwATDgc/ABMA", plies=2).equity
    deep = Engine(threads=1, cache_mb=1, plies=2, filter="tiny").best_plays("4HPwATDgc/ABMA", "31")
    assert str(deep) == str(engine.best_plays("4HPwATDgc/ABMA", "31", plies=2, filter="tiny"))
    for name, value, error in [
        ("noise", 1.5, ValueError),
        ("noise", True, TypeError),
        ("plies", 1.0, TypeError),
        ("plies", 1 << 70, ValueError),
        ("cubeful", 1, TypeError),
        ("level", 2, TypeError),
        ("time", -1, ValueError),
        ("trials", 36, TypeError),
    ]:
        with pytest.raises(error, match=name):
            engine.evaluate("4HPwATDgc/ABMA", **{name: value})


def test_a_cube_of_the_opponent_is_no_decision(engine: Engine) -> None:
    found = engine.cube("XGID=-b----E-C---eE---c-e----B-:1:-1:1:00:0:0:0:0:10")
    assert (found.verdict, found.double, found.take, found.beaver) == ("Unknown cube decision", False, False, False)


def test_ask_answers_as_the_program(engine: Engine) -> None:
    start = POSITIONS[0]
    asked = [
        (engine.ask("rolls", start, plies=0), f"rolls {start} plies=0"),
        (engine.ask("rolls", start, plies=np.int64(0)), f"rolls {start} plies=0"),
        (engine.ask("scores", start, away=3), f"scores {start} away=3"),
        (engine.ask("scores", start, (6, 4), away=3), f"scores {start} 64 away=3"),
        (engine.ask("cubes", start, Roll(6, 4)), f"cubes {start} 64"),
        (engine.ask("cubes", Position.parse(start), state=MatchState(7, (2, 4))), f"cubes {start} length=7 score=2-4"),
        (engine.ask("move", start, "31", plays=["24/20", "8/5 6/5"]), f'move {start} 31 plays="24/20; 8/5 6/5"'),
        (engine.ask("eval", start, cubeful=False), f"eval {start} cubeful=off"),
        (engine.ask("scores", XGID_WITH_DICE, cube=True, away=2), f"scores cube {XGID_WITH_DICE} away=2"),
    ]
    assert [answer for answer, _ in asked] == program([line for _, line in asked])
    for call, field in [
        (lambda: engine.ask("scores", start, away=65), "away"),
        (lambda: engine.ask("move", start, "31", noise=float("nan")), "noise"),
        (lambda: engine.ask("move", start, "31", noise=np.float32("inf")), "noise"),
        (lambda: engine.ask("scores", "rubbish"), "position"),
        (lambda: engine.ask("score", start), "verb"),
        (lambda: engine.ask("move", start, "31", plays=["8/2"]), "plays"),
    ]:
        with pytest.raises(ValueError, match=field):
            call()
