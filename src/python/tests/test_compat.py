"""The compatible modules against recorded calls of the originals, with gnubg's weights."""

import importlib.util
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from gammond import compat
from gammond.compat import gnubg, gnubg_nn

WEIGHTS = Path(os.environ.get("GAMMOND_GNUBG_WD", "/usr/lib/gnubg/gnubg.wd"))
HERE = Path(__file__).parent
RECORDINGS = HERE.parents[2].parent / "shared" / "transcripts" / "python"


def weights_of_gnubg_nn() -> Path | None:
    """The weights that `gnubg_nn` comes with: version 1.01."""
    given = os.environ.get("GAMMOND_GNUBG_101_TEXT")
    if given:
        return Path(given)
    found = importlib.util.find_spec("gnubg_nn")
    if found is None or found.origin is None:
        return None
    file = Path(found.origin).parent / "data" / "gnubg.weights"
    return file if file.exists() else None


needs_weights = pytest.mark.skipif(not WEIGHTS.exists(), reason=f"SKIPPED: needs gnubg's weights at {WEIGHTS}")


def recorded(name: str) -> list[dict]:
    """All recordings beside the project, else the small share in tests/data."""
    file = RECORDINGS / name
    if not file.exists():
        print(f"SKIPPED: the whole of {name} needs the recordings; a share of it is compared")
        file = HERE / "data" / name
    return [json.loads(line) for line in file.read_text().splitlines()]


def plain(value):
    """Tuples as the lists that JSON has."""
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return value


def near(mine, theirs, within: float = 1e-4) -> bool:
    """Equal shapes and types, numbers within 1e-4 or a named difference."""
    if isinstance(theirs, bool) or isinstance(mine, bool) or isinstance(theirs, (str, type(None))):
        return mine == theirs
    if isinstance(theirs, dict):
        return isinstance(mine, dict) and mine.keys() == theirs.keys() and all(near(mine[k], theirs[k], within) for k in mine)
    if isinstance(theirs, list):
        return isinstance(mine, list) and len(mine) == len(theirs) and all(near(a, b, within) for a, b in zip(mine, theirs))
    if isinstance(theirs, int) and isinstance(mine, int):
        return mine == theirs
    return type(mine) is type(theirs) and abs(mine - theirs) <= within


def steps(moves) -> list:
    return sorted(map(tuple, moves))


def same_nn(call: str, ahead: bool, mine, theirs) -> str:
    """`same`, a named difference, or `wrong`."""
    if isinstance(theirs, dict) and "raises" in theirs:
        if theirs["message"] == "Not implemented for money" and not isinstance(mine, Exception):
            return "money-cube"
        if call == "best_move" and theirs["raises"] == "TypeError" and not isinstance(mine, Exception):
            return "side-letter"
        good = type(mine).__name__ == theirs["raises"] and str(mine) == theirs["message"]
        return "same" if good else "wrong"
    if near(mine, theirs):
        return "same"
    if call == "probabilities" and ahead and near(mine, theirs, 0.12):
        return "look-ahead"
    if call == "moves" and theirs:
        if isinstance(theirs[0], str):
            return "play-order" if sorted(mine) == sorted(theirs) else "wrong"
        by_key = {key: steps(moves) for key, moves in theirs}
        return "play-order" if {key for key, _ in mine} == by_key.keys() else "wrong"
    if call == "best_move" and theirs and mine:
        listed = isinstance(theirs[-1], list) and theirs[-1] and isinstance(theirs[-1][0], list)
        if listed and isinstance(theirs[-1][0][0], str):
            ours = {one[0]: one for one in mine[-1]}
            shared = [one for one in theirs[-1] if one[0] in ours]
            if len(ours) != len(theirs[-1]) or (len(shared) != len(ours) and not ahead):
                return "wrong"
            for name, within in (("play-order", 1e-4), ("rounding", 2.5e-4), ("look-ahead", 0.12)):
                if all(near(ours[one[0]][2:], one[2:], within) for one in shared):
                    return name if ahead or name != "look-ahead" else "wrong"
            return "wrong"
        first, other = (mine[0], theirs[0]) if isinstance(theirs[0][0], list) else (mine, theirs)
        return "play-order" if steps(first) == steps(other) else "look-ahead" if ahead else "wrong"
    if call == "pub_best_move":
        pairs = [list(zip(one[::2], one[1::2])) for one in (mine, theirs)]
        return "play-order" if steps(pairs[0]) == steps(pairs[1]) else "wrong"
    return "wrong"


def worth_the_same(line: dict) -> bool:
    """Whether the recorded play is among ours and worth as much as the best."""
    result = line["result"]
    if isinstance(result, dict) or not result:
        return False
    played = steps(result[0] if isinstance(result[0][0], list) else result)
    _, listed = gnubg_nn.best_move(*line["args"], list=1)
    equities = [one[3] for one in listed if steps(zip(one[1][::2], one[1][1::2])) == played]
    return bool(equities) and listed[0][3] - equities[0] <= 2.5e-4


def test_recorded_calls_of_gnubg_nn() -> None:
    weights = weights_of_gnubg_nn()
    if weights is None:
        pytest.skip("SKIPPED: needs the weights of gnubg_nn 1.1.0a11")
    compat.use_nets(weights)
    found, wrong = Counter(), []
    for line in recorded("gnubg_nn-1.1.0a11.jsonl"):
        second = line["args"][1] if line["call"] == "probabilities" else line["kwargs"].get("n", 0)
        ahead = second > 0
        try:
            mine = plain(getattr(gnubg_nn, line["call"])(*line["args"], **line["kwargs"]))
        except Exception as error:
            mine = error
        verdict = same_nn(line["call"], ahead, mine, line["result"])
        if verdict == "wrong" and line["call"] == "best_move" and worth_the_same(line):
            verdict = "equal-plays"
        found[line["call"], verdict] += 1
        if verdict == "wrong":
            wrong.append((line, mine))
        else:
            assert verdict == "same" or verdict in gnubg_nn.DIFFERENCES
    print(sorted(found.items()))
    for line, mine in wrong[:8]:
        print(json.dumps(line)[:700], "\n  ours:", str(mine)[:500])
    assert not wrong, (len(wrong), Counter(line["call"] for line, _ in wrong))


def same_module(call: str, mine, theirs) -> str:
    if isinstance(theirs, dict) and "raises" in theirs:
        if theirs["message"].startswith("Hints for cube actions") and not isinstance(mine, Exception):
            return "cube-hints"
        if call == "positionfromkey" and not isinstance(mine, Exception):
            return "tuples"
        good = type(mine).__name__ == theirs["raises"] and str(mine) == theirs["message"]
        return "same" if good else "wrong"
    if call == "rolloutcontext" and isinstance(mine, dict):
        mine = {**mine, "seed": theirs["seed"]}
        return "rollout-hints" if near(mine, theirs) else "wrong"
    if call == "findbestmove":
        pairs = [list(zip(one[::2], one[1::2])) for one in (mine, theirs)] if isinstance(mine, list) else [[], [[1, 1]]]
        return "same" if steps(pairs[0]) == steps(pairs[1]) else "wrong"
    if near(mine, theirs):
        return "same"
    searched = call in ("evaluate", "cfevaluate", "hint") and near(mine, theirs, 5e-3)
    return "search-numbers" if searched else "wrong"


@needs_weights
def test_recorded_calls_of_the_module_in_gnubg(capfd: pytest.CaptureFixture[str]) -> None:
    compat.use_nets(WEIGHTS)
    gnubg._console = None
    found, wrong = Counter(), []
    for line in recorded("gnubg-module-1.07.jsonl"):
        if "command" in line:
            gnubg.command(line["command"])
            continue
        args, theirs = line.get("args", []), line.get("result")
        try:
            mine = plain(getattr(gnubg, line["call"])(*args))
        except Exception as error:
            mine = error
        if line["call"] == "met":
            theirs, mine = line["rows"], [row[:5] for row in mine[0][:3]]
        verdict = same_module(line["call"], mine, theirs)
        found[line["call"], verdict] += 1
        if verdict == "wrong":
            wrong.append((line, mine))
        else:
            assert verdict == "same" or verdict in gnubg.DIFFERENCES
    capfd.readouterr()
    print(sorted(found.items()))
    for line, mine in wrong[:40]:
        print(json.dumps(line)[:420], "\n  ours:", str(mine)[:420])
    assert not wrong, (len(wrong), Counter(line["call"] for line, _ in wrong))


def marked(value):
    """Tuples and lists with their types, without day, names and result of a session."""
    if isinstance(value, dict):
        return {key: "…" if key in ("date", "name", "result") else marked(one) for key, one in value.items()}
    return [type(value).__name__, *map(marked, value)] if isinstance(value, (tuple, list)) else value


def test_matches_have_the_dictionaries_of_gnubg(capfd: pytest.CaptureFixture[str]) -> None:
    """CON-35: games with cubes, passes, beavers, resignations and the Crawford game, recorded with gnubg 1.07.001."""
    for line in (HERE / "data" / "gnubg-matches.jsonl").read_text().splitlines():
        session = json.loads(line)
        # The first answer is the shape of `met(4)`; a position's answers are those of `posinfo` and `cubeinfo`.
        theirs = [answer for answer in session["answers"] if isinstance(answer, dict)]
        gnubg._console = None
        for first in ("player 0 human", "player 1 human", "automatic game off", "automatic roll off", "seed 7"):
            gnubg.command(f"set {first}")
        ours = []
        for command in session["commands"]:
            if command == "?":
                ours.append(marked(gnubg.match()))
            else:
                gnubg.command(command)
        assert ours == theirs
    gnubg._console = None
    assert gnubg.match() is None
    table, one, other = gnubg.met(5)
    assert [len(row) for row in table] == [5] * 5
    assert one == other and one[:3] == pytest.approx([0.5, 0.48803, 0.32264], abs=1e-6)
    capfd.readouterr()


def shape(value):
    """The types of what a dictionary holds."""
    return {key: shape(one) for key, one in value.items()} if isinstance(value, dict) else type(value).__name__


@pytest.mark.parametrize("line", (HERE / "data" / "gnubg-analysed.jsonl").read_text().splitlines())
def test_analysed_matches_have_the_members_of_gnubg(line: str, capfd: pytest.CaptureFixture[str]) -> None:
    """CON-35: members of the analysis and of the statistics, recorded with gnubg 1.07.001."""
    theirs = json.loads(line)
    folders = (HERE / "data", HERE.parents[2] / "tests" / "data")
    file = next(folder / theirs["file"] for folder in folders if (folder / theirs["file"]).exists())
    gnubg._console = None
    for kind in ("chequerplay", "cubedecision"):
        gnubg.command(f"set analysis {kind} evaluation plies 0")
    gnubg.command(f'import mat "{file}"')
    if theirs["analysed"]:
        gnubg.command("analyse match")
    ours = gnubg.match(1, 1, 1, 1)
    capfd.readouterr()
    assert ours is not None
    info, stats = ours["match-info"], ours["stats"]
    assert sorted(info) == theirs["info"]
    assert shape(info.get("default-eval-context")) == theirs["context"]
    assert [shape(own) for own in stats.values()] == [theirs["stats"]] * 2
    assert [shape(own) for own in ours["games"][0]["stats"].values()] == [theirs["game"]] * 2
    counts = ("total-cube", "n-doubles", "n-takes", "n-drops")
    assert [own["moves"]["total-moves"] for own in stats.values()] == theirs["counts"][0]
    assert [[own["cube"][name] for name in counts] for own in stats.values()] == theirs["counts"][1]
    marks = ("skill", "luck", "cube-skill")
    for game, kinds in zip(ours["games"], theirs["actions"], strict=True):
        found = [sorted(set(action.get("analysis", {})) - set(marks)) for action in game["game"]]
        assert found == [theirs["kinds"][kind] for kind in kinds]
        for action in game["game"]:
            analysis = action.get("analysis", {})
            if "moves" in analysis:
                played = analysis["moves"][analysis["imove"]]
                assert sorted(played["move"]) == sorted(action["move"]) and len(played["probs"]) == 5
    assert not any("analysis" in action for game in gnubg.match(0)["games"] for action in game["game"])


def test_differences_stand_in_the_document() -> None:
    page = HERE.parents[2] / "protocol-specs" / "for-python.md"
    text = " ".join(page.read_text().split())
    for module in (gnubg_nn, gnubg):
        for name, difference in module.DIFFERENCES.items():
            assert f"- `{name}`: {difference}" in text, name


def test_names_are_installed_on_request(tmp_path: Path) -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, cwd=tmp_path)

    assert run("-m", "gammond.compat", "install-names", "--folder", str(tmp_path)).returncode == 0
    told = run("-c", "import gnubg_nn, gnubg; print(gnubg_nn.c_contact, gnubg.positionid is not None)")
    assert told.stdout.split() == ["5", "True"], told.stderr
    assert run("-m", "gammond.compat", "remove-names", "--folder", str(tmp_path)).returncode == 0
    assert not (tmp_path / "gnubg_nn.py").exists()
    (tmp_path / "gnubg.py").write_text("mine = 1\n")
    assert run("-m", "gammond.compat", "install-names", "--folder", str(tmp_path)).returncode == 1
    assert (tmp_path / "gnubg.py").read_text() == "mine = 1\n"


def test_scripts_of_gnubg_run_in_the_program(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import gnubg\ngnubg.command('set gnubgid 4HPwATDgc/ABMA:cAkKAAAAAAAA')\nprint(gnubg.hint(1)['hint'][0]['move'])\n"
    )
    run = subprocess.run(
        [sys.executable, "-m", "gammond", "gnubg", "-t", "-q", "-p", str(script)], capture_output=True, text=True
    )
    assert run.returncode == 0 and "/" in run.stdout.splitlines()[-1], run.stderr


def test_xgid2anki_takes_the_program_for_gnubg(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xgid2anki", reason="SKIPPED: xgid2anki 0.2.0 cannot be installed")
    from xgid2anki.analyze_positions import analyze_positions
    from xgid2anki.parse_gnubg_eval import parse_gnubg_eval

    program = tmp_path / "gnubg"
    program.write_text(f"#!/bin/sh\nexec {sys.executable} -m gammond gnubg \"$@\"\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    xgids = ["XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:3:2:0:7:10"]
    found, code = analyze_positions(xgids, 1, 2, 2)
    assert code == 0
    move, cube = parse_gnubg_eval(found)
    assert move["moves"][0]["move"] == ["8/5", "6/5"] and len(move["eval"]) == 6
    assert cube["action"] == "cube" and cube["nd_emg"] > cube["dt_emg"]


def test_bearoff_numbers_read_back() -> None:
    # Answers of gnubg_nn 1.1.0a11 and of gnubg 1.07.
    known = {1: (1, 0, 0, 0, 0, 0), 7: (2, 0, 0, 0, 0, 0), 20: (0, 0, 1, 0, 1, 0), 27: (0, 0, 0, 0, 0, 2)}
    known |= {28: (3, 0, 0, 0, 0, 0), 1000: (3, 1, 1, 1, 1, 0), 54263: (0, 0, 0, 0, 0, 15)}
    for number, counts in known.items():
        assert gnubg_nn.bearoff_id_2_pos(number) == counts
        assert gnubg.positionfrombearoff(number) == counts + (0,) * 19
        assert gnubg.positionbearoff(list(counts) + [0] * 19) == number
    assert gnubg.positionfrombearoff() == (0,) * 25 and gnubg.positionbearoff([0] * 25) == 0
    for number in range(1, 54264, 37):
        assert gnubg.positionbearoff(gnubg.positionfrombearoff(number)) == number
    # Answers of gnubg 1.07 for other numbers of points and checkers.
    sizes = [([2, 0, 0, 0], 5, 5), ([0, 1, 0, 2], 5, 30), ([0, 1, 0, 2, 0, 0, 0, 0], 10, 94), ([0] * 10 + [1], 15, 11)]
    for counts, checkers, number in [*sizes, ([0, 3, 0, 1, 0, 2, 0, 1], 15, 4886)]:
        side = counts + [0] * (25 - len(counts))
        assert gnubg.positionbearoff(side, len(counts), checkers) == number
        assert gnubg.positionfrombearoff(number, len(counts), checkers) == tuple(side)
    for number in range(0, 3003, 11):
        assert gnubg.positionbearoff(gnubg.positionfrombearoff(number, 8, 6), 8, 6) == number
    for number in (0, -1, 54264):
        with pytest.raises(ValueError, match=r"bearoff id outside of range \[1,54264\)"):
            gnubg_nn.bearoff_id_2_pos(number)
        if number:
            with pytest.raises(ValueError, match="^invalid position number$"):
                gnubg.positionfrombearoff(number)
    with pytest.raises(ValueError, match="^side: "):
        gnubg.positionbearoff([0] * 6 + [1] + [0] * 18)
    for points, checkers in ((0, 15), (26, 15), (6, 16), (6, 0)):
        with pytest.raises(ValueError, match="^bearoff: "):
            gnubg.positionfrombearoff(1, points, checkers)
    with pytest.raises(ValueError, match="^counts: "):
        gnubg.positionbearoff([3, 3] + [0] * 23, 4, 5)


def test_one_checker_races_have_the_known_rolls() -> None:
    known = {1: (1, 0), 3: (1, 0), 5: (1.1389, 0.3458), 10: (1.8404, 0.5097), 24: (3.5021, 0.9203), 100: (12.8222, 1.834)}
    for pips, moments in known.items():
        assert gnubg_nn.one_checker_race(pips) == pytest.approx(moments, abs=2e-4)
    with pytest.raises(ValueError, match="^pips: "):
        gnubg_nn.one_checker_race(0)


def test_bearoff_answers_are_those_of_the_package(original) -> None:
    for number in range(1, 54264, 101):
        assert gnubg_nn.bearoff_id_2_pos(number) == original.bearoff_id_2_pos(number)
    for number in range(1, 54264, 1009):
        mine, theirs = gnubg_nn.bearoff_probabilities(number), original.bearoff_probabilities(number)
        assert len(mine) == len(theirs) and mine == pytest.approx(theirs, abs=1e-4), number
    for pips in range(1, 300, 7):
        assert gnubg_nn.one_checker_race(pips) == pytest.approx(original.one_checker_race(pips), abs=2e-4)
