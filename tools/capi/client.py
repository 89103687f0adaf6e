"""Plays a game through the C library with the header read by ctypes: client.py LIBRARY."""
import _ctypes, ctypes, math, os, random, sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from header_types import Header

header = Header(os.path.join(HERE, "..", "..", "src", "capi", "gammond.h"))
gammond = header.load(os.path.abspath(sys.argv[1]))
Question, Play, Cube = (header.types[f"Gammond{name}"] for name in ("Question", "Play", "Cube"))


def check(code):
    assert code == 0, gammond.gammond_error_text()


engine = ctypes.c_uint64()
check(gammond.gammond_open(None, ctypes.byref(engine)))
question = Question(size=ctypes.sizeof(Question))
check(gammond.gammond_read_question(b"4HPwATDgc/ABMA", ctypes.byref(question)))
dice, turns, wins = random.Random(1), 0, 0
while not wins:
    cube = Cube(size=ctypes.sizeof(Cube))
    check(gammond.gammond_cube(engine, ctypes.byref(question), ctypes.byref(cube)))
    assert cube.verdict and math.isnan(cube.mwc)
    question.dice[:] = [dice.randint(1, 6), dice.randint(1, 6)]
    plays, count = (Play * 3)(), ctypes.c_size_t()
    check(gammond.gammond_best_plays(engine, ctypes.byref(question), plays, ctypes.sizeof(Play), 3, ctypes.byref(count)))
    assert plays[0].loss == 0 and (count.value < 2 or plays[1].equity <= plays[0].equity)
    question.points[:] = plays[0].after
    wins, turns = plays[0].wins, turns + 1


def progress(user, rows, row_size, count):
    seen.append((rows[0].trials, row_size, count))
    return len(seen) > 1


seen = []
check(gammond.gammond_read_question(b"4HPwATDgc/ABMA 31", ctypes.byref(question)))
question.settings = b"trials=1000000"
callback = header.types["GammondProgress"](progress)
rollout = header.types["GammondRollout"](size=ctypes.sizeof(header.types["GammondRollout"]))
check(gammond.gammond_rollout(engine, ctypes.byref(question), callback, None, ctypes.byref(rollout), None, 0, 0))
assert rollout.ended == 4 and seen[-1][1:] == (ctypes.sizeof(header.types["GammondRolledOut"]), 3)
assert gammond.gammond_evaluate(engine, None, None) == header.values["GAMMOND_ERROR_NULL"]
check(gammond.gammond_close(engine))
# A program that unloads it: its threads may still end.
_ctypes.dlclose(gammond._handle)
print(f"ctypes: a game of {turns} turns")
