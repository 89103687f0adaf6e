#!/usr/bin/env python3
"""Commands drawn by chance from the console's grammar, given to GNU Backgammon and to gammond side by side.

    tools/gnubg/console_random.py 'PROGRAM' [COMMANDS [SEED]]

PROGRAM is a command line such as 'target/release/gammond --nets /usr/lib/gnubg/gnubg.wd gnubg'. Commands are valid,
abbreviated, misspelt and out of order, in sessions of 40; nothing in them throws dice or lets a computer move. Behind each
session both programs are asked for all that `show` shows, and what differs is printed and counted by the command after
which it first differs. A misspelt text that GNU Backgammon reads in part and gammond refuses is counted apart. Ends with
1 where a program crashed or did not end in 60 seconds, or the states differ otherwise.
"""
import os
import random
import shlex
import subprocess
import sys
import tempfile

SESSION = 40
LIMIT = 60
BANNER = 8
ENV = {"PATH": "/usr/bin:/bin:/usr/games", "LANG": "C.UTF-8", "USER": "root", "LOGNAME": "root", "TERM": "dumb"}
SHOWS = ["board", "score", "turn", "dice", "cube", "jacoby", "beavers", "crawford", "postcrawford", "matchlength",
         "output", "automatic", "evaluation", "analysis", "player", "display", "pipcount"]
XGIDS = ["-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "-b--BAD-C---dC---c-eAa--A-:0:0:1:00:2:4:0:7:10",
         "b---BBD-C---dB---c-d-b--B-:1:1:1:00:0:0:1:0:10", "-b--BAD-C---dC---c-eAa--A-:0:0:-1:52:1:2:0:5:10",
         "----CCCBBAA----bb-cccb----:2:-1:1:00:3:3:0:9:10", "-b----E-C---eE---c-e----B-:0:0:1:00:2:0:1:3:10"]
PLAIN = ["set player 0 human", "set player 1 human", "set player both human", "set automatic game off",
         "set automatic roll off", "set automatic move on", "set automatic crawford off", "set automatic doubles 2",
         "new foo", "move 8/5 6/5", "move 24/20", "move 13/9 6/5", "m 13/8", "bar/24", "8/4 6/4", "double", "take",
         "beaver", "redouble", "show score", "show board", "set turn 0", "set turn 1", "set turn root", "set turn x",
         "set dice 3 1", "set dice 66", "set dice 7 1", "set dice", "set score 1 2", "set score 0 0", "set score -1 -2",
         "set score 9 9", "set crawford on", "set crawford off", "set postcrawford on", "set cube value 2",
         "set cube value 3", "set cube owner 0", "set cube owner 1", "set cube centre", "set cube use off",
         "set cube use on", "set jacoby on", "set jacoby off", "set beavers 0", "set beavers 3", "set matchlength 5",
         "set output mwc on", "set output mwc off", "set output matchpc off", "set output winpc on",
         "set output digits 4", "set output digits 9", "set output rawboard off", "set player 0 name Alice",
         "set player 1 name gnubg", "set player 0 name", "swap players", "show pipcount", "show cube",
         "set evaluation chequerplay evaluation plies 0", "set evaluation cubedecision evaluation plies 1",
         "set ev ch ev pl 2", "set evaluation chequer eval cubeful off", "set evaluation cube eval noise 0.01",
         "set evaluation movefilter 1 0 0 4 0.1", "set evaluation movefilter 2 0 -1", "set analysis chequer eval plies 1",
         "set analysis luck off", "set analysis moves on", "set an cube off", "set display off", "set display on",
         "set board simple 0 -2 0 0 0 0 5 0 3 0 0 0 -5 5 0 0 0 -3 0 -5 0 0 0 0 2 0", "set board 4HPwATDgc/ABMA",
         "set matchid cIkKAAAAAAAE", "set matchid MIGxABAACAAE", "set gnubgid 4HPwATDgc/ABMA:cAkAAAAAAAAE",
         "resign x", "resign normal", "decline", "agree", "accept", "clear hint", "# comment", "   ", "set", "show",
         "set evaluation plies 1", "set foo", "sh sc", "se ou mw on", "list foo", "export match foo", "hel foo"]


def misspelt(rng, line):
    at = rng.randrange(len(line) + 1)
    return line[:at] + rng.choice("xq7- ") + line[at + rng.randrange(2):]


def abbreviated(rng, line):
    words = line.split(" ")
    return " ".join(word[: max(2, len(word) - rng.randrange(4))] if word.isalpha() else word for word in words)


def command(rng):
    line = "set xgid XGID=" + rng.choice(XGIDS) if rng.random() < 0.15 else rng.choice(PLAIN)
    kind = rng.random()
    if kind < 0.12 and line.strip():
        return misspelt(rng, line)
    return abbreviated(rng, line) if kind < 0.3 and "XGID" not in line else line


def run(program, lines):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "commands")
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        try:
            done = subprocess.run(program + ["-t", "-q", "-r", "-c", path], cwd=folder, env=dict(ENV, HOME=folder),
                                  stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return None, "no end in %d s" % LIMIT
    text = done.stdout.decode(errors="replace")
    return "\n".join(text.split("\n")[BANNER:]), None if done.returncode == 0 else "exit code %d" % done.returncode


def refused(program, lines):
    """Returns true if the last command is none of the known ones and changed nothing."""
    known = PLAIN + ["set xgid XGID=" + xgid for xgid in XGIDS]
    return lines[-1] not in known and state(program, lines[:-1]) == state(program, lines)


def state(program, lines):
    mark = "Seed set to 987654."
    said, fault = run(program, lines + ["set display on", "set output rawboard off", "set seed 987654"] +
                      ["show " + what for what in SHOWS])
    return (said or "").split(mark)[-1], fault


def main():
    program = shlex.split(sys.argv[1])
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "needs"), __file__, "gnubg", program[0]]):
        sys.exit(3)
    program[0] = os.path.abspath(program[0])
    total = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
    rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    faults, given, differ, apart = 0, 0, {}, 0
    while given < total:
        lines = ["set player 0 human", "set automatic game off", "set automatic roll off"]
        lines += [command(rng) for _ in range(SESSION)]
        given += SESSION
        (theirs, bad), (ours, worse) = state(["gnubg"], lines), state(program + ["--strict-gnubg"], lines)
        if bad:
            print("gnubg: %s" % bad)
        if worse:
            faults += 1
            print("OURS %s: %r" % (worse, lines))
        if bad or worse or ours == theirs:
            continue
        # The shortest beginning of the session after which the states differ.
        low, high = 0, len(lines)
        while low < high:
            middle = (low + high) // 2
            if state(["gnubg"], lines[:middle])[0] == state(program + ["--strict-gnubg"], lines[:middle])[0]:
                low = middle + 1
            else:
                high = middle
        if refused(program + ["--strict-gnubg"], lines[:low]):
            apart += 1
            continue
        pair = [state(run_by, lines[:low])[0].split("\n") for run_by in (["gnubg"], program + ["--strict-gnubg"])]
        theirs, ours = next(((a, b) for a, b in zip(*pair) if a != b), ("", ""))
        key = lines[low - 1] if low else "(start)"
        differ[key] = differ.get(key, 0) + 1
        print("after %r: gnubg %r, ours %r\n      %r" % (key, theirs, ours, lines[3:low][-4:]), flush=True)
    count = sum(differ.values())
    print("%d commands in %d sessions: %d sessions end in another state, %d behind a misspelt text, %d faults of ours" %
          (given, given // SESSION, count, apart, faults))
    return 2 if faults else 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
