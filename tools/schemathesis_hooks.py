"""What schemathesis cannot know of gammond: positions, match files, and how long a question may take.

`schemathesis.toml` names this file.
"""
import base64
import pathlib

import schemathesis
from hypothesis import strategies as st

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Every form of a position; one whose game is over, and one that only says what it is.
POSITIONS = [
    "4HPwATDgc/ABMA",
    "4HPwATDgc/ABMA:cAkAAAAAAAAE",
    "OAHDPAABDAOAHDPAABDA",
    "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
    "XGID=-b----E-C---eE---c-e----B-:1:1:1:00:3:2:0:7:10",
    "11ccccchhhjjjjj:66666888dddddoo:N0N::W:C:0:0:0:0",
    "4HPwATDgc/ABMA:cIkFAAAAAAAE",
    "AAAAAAAAAAAAAA",
    "XGID=x",
]
# Milliseconds of a question with look-ahead, and of one of many.
TIME, TIME_OF_MANY = 200, 2
LOOKS_AHEAD = {"/v1/eval", "/v1/move", "/v1/cube", "/v1/rolls", "/v1/scores", "/v1/cubes", "/v1/explain", "/v1/opening", "/v1/reply", "/v1/rollout", "/v1/jobs/rollout", "/v1/analyse", "/v1/jobs/analyse"}
ROLLS_OUT = {"/v1/rollout", "/v1/jobs/rollout", "/v1/analyse", "/v1/jobs/analyse"}


def position_id(mine, theirs):
    """The Position ID of two lists of 25 numbers of checkers: points 1 to 24 as their player counts them, and the bar."""
    bits = "".join("1" * count + "0" for side in (theirs, mine) for count in side)
    number = int(bits.ljust(80, "0")[::-1], 2)
    return base64.b64encode(number.to_bytes(10, "little")).decode().rstrip("=")


@st.composite
def drawn(draw):
    """A legal position, most of them odd ones."""
    sides = []
    taken = set()
    for _ in range(2):
        counts = [0] * 25
        for _ in range(draw(st.integers(1, 15))):
            point = draw(st.integers(0, 24))
            # No point is of both: the other player counts from the other end.
            if point == 24 or (23 - point) not in taken:
                counts[point] += 1
        taken = {point for point in range(24) if counts[point]}
        sides.append(counts)
    return position_id(*sides)


schemathesis.openapi.format("backgammon-position", st.one_of(st.sampled_from(POSITIONS), drawn()))
MATCHES = [path.read_bytes() for path in sorted((ROOT / "tests/data/analysis").glob("*3.mat"))[:2]]
schemathesis.openapi.media_type("application/octet-stream", st.one_of(st.binary(), st.sampled_from(MATCHES)))


# Codes of requests that the description allows (HTTP-141), and of the second use of an Idempotency-Key.
OF_BACKGAMMON = {
    "bad-position", "bad-match-id", "bad-xgid", "bad-ogid", "bad-board", "bad-byte", "bad-play", "bad-score", "bad-cube",
    "bad-record", "bad-combination", "missing-roll", "game-over", "bad-match-file", "timeout", "key-reused",
}


NEEDS_A_TABLE = tuple(f"needs its table: gammond bearoff make --hyper {checkers}" for checkers in (1, 2, 3))


@schemathesis.check
def refused_for_backgammon(context, response, case):
    """A request that the description allows is refused only for what backgammon says of it."""
    if case.meta is None or not case.meta.generation.mode.is_positive or response.status_code not in (400, 422):
        return
    problem = response.json()
    code = problem.get("code")
    # The server has no table of hypergammon.
    if code == "bad-setting" and problem.get("detail", "").endswith(NEEDS_A_TABLE):
        return
    # An opening roll is no double.
    known = OF_BACKGAMMON | ({"bad-roll"} if case.operation.path.endswith(("/opening", "/reply")) else set())
    assert code in known, f"{code} to a request that the description allows"


def number(value):
    """A value of a query as a number; 0 for what is none."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return 0


# Requests with an object of settings: verbs, and the job of one.
VERBS = {"rollout", "rolls", "scores", "cubes", "explain", "eval", "move", "cube", "opening", "reply"}


def limited(question, path, time):
    """Gives a question with look-ahead so many milliseconds at most."""
    settings = question.setdefault("settings", {}) if path.rsplit("/", 1)[1] in VERBS else question
    deep = path in ROLLS_OUT or number(settings.get("plies")) >= 2 or settings.get("level", "off") != "off"
    # A time by itself lets a question look further ahead until it has passed.
    if (deep or settings.get("time")) and not 0 < number(settings.get("time")) <= time:
        settings["time"] = time


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps questions that are as described short; wrong ones are sent as they are."""
    if case.meta is None or not case.meta.generation.mode.is_positive:
        return
    path = case.operation.path
    if path == "/v1/jobs/{id}" and number((case.query or {}).get("wait")) > 1:
        case.query["wait"] = 1
    if path not in LOOKS_AHEAD:
        return
    if case.method.upper() == "GET":
        query = {"settings": case.query or {}}
        limited(query, path, TIME)
        case.query = query["settings"]
    elif path.endswith("/analyse"):
        query = dict(case.query or {})
        limited(query, path, TIME)
        case.query = query
    elif isinstance(case.body, list):
        for question in case.body:
            limited(question, path, TIME_OF_MANY if len(case.body) > 5 else TIME)
    elif isinstance(case.body, dict):
        limited(case.body, path, TIME)
