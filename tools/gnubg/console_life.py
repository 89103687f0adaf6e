#!/usr/bin/env python3
"""The life of a wrapper around the console: one warm process, many cold starts, many at once, kills and closed pipes.

    tools/gnubg/console_life.py 'PROGRAM' [POSITIONS [STARTS]]

PROGRAM is a command line such as 'target/release/gammond gnubg'. Ends with 1 where memory grows, an answer is missing or
wrong, or a process does not end. Bounded: 10,000 positions, 1,000 starts, 50 at once, each start within 20 seconds.
"""
import os
import random
import shlex
import subprocess
import sys
import time

OPTIONS = ["-t", "-q", "--corrected"]
LIMIT = 20
AT_ONCE = 50
# What memory may grow from the first quarter on, in KiB: allocators keep some pages.
GROWTH_MAX = 4096


def position(rng):
    """A random race or contact position as the first field of an XGID."""
    points = [0] * 26
    for sign in (1, -1):
        left = 15
        while left:
            at = rng.randrange(1, 25)
            if points[at] * sign >= 0:
                points[at] += sign
                left -= 1
    letters = "-ABCDEFGHIJKLMNO"
    return "".join(letters[count] if count >= 0 else letters[-count].lower() for count in points)


def question(rng):
    dice = rng.choice(["00", "31", "52", "66", "64"])
    return "XGID=%s:0:0:1:%s:0:0:0:0:10" % (position(rng), dice)


def resident(pid):
    for line in open("/proc/%d/status" % pid):
        if line.startswith("VmRSS"):
            return int(line.split()[1])


def warm(program, count):
    rng = random.Random(1)
    child = subprocess.Popen(program + OPTIONS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    for line in ("set player both human", "set automatic roll off", "set evaluation chequerplay evaluation plies 0",
                 "set evaluation cubedecision evaluation plies 0"):
        child.stdin.write(line + "\n")
    sizes, begin = [], time.time()
    for number in range(count):
        child.stdin.write("set xgid %s\nhint\nset seed %d\n" % (question(rng), number))
        child.stdin.flush()
        text = ""
        for line in child.stdout:
            text += line
            if line == "Seed set to %d.\n" % number:
                break
        if not any(word in text for word in ("Eq.:", "Proper cube action", "no legal moves", "must set up a board")):
            print("no answer to question %d: %r" % (number, text[-300:]))
            return False
        if number % (count // 8) == 0:
            sizes.append(resident(child.pid))
    child.stdin.close()
    code = child.wait(LIMIT)
    growth = max(sizes[2:]) - sizes[2]
    print("%d positions in one process: %.1f s, %s KiB resident, growth %d" % (count, time.time() - begin, sizes, growth))
    return code == 0 and growth <= GROWTH_MAX


def cold(program, count):
    begin, times = time.time(), []
    for _ in range(count):
        started = time.time()
        done = subprocess.run(program + OPTIONS, input="set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10\nhint 1\n",
                              capture_output=True, text=True, timeout=LIMIT)
        times.append(time.time() - started)
        if done.returncode or "1. Cubeful" not in done.stdout:
            print("a cold start failed: %r" % done)
            return False
    times.sort()
    print("%d cold starts with a hint: %.0f s, median %.0f ms, slowest %.0f ms" %
          (count, time.time() - begin, 1000 * times[len(times) // 2], 1000 * times[-1]))
    return True


def together(program):
    children = [subprocess.Popen(program + OPTIONS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                for _ in range(AT_ONCE)]
    texts = [child.communicate("set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:21:0:0:0:0:10\nhint 1\n", timeout=LIMIT * 3)[0]
             for child in children]
    same = len(set(texts)) == 1 and "1. Cubeful" in texts[0]
    print("%d at once: %s" % (AT_ONCE, "all the same answer" if same else "answers differ"))
    return same


def broken(program):
    busy = "set xgid XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10\nset rollout trials 100000\nrollout\nhint\n"
    good = True
    # Killed in the middle of an answer: it is gone at once, by the signal.
    child = subprocess.Popen(program + OPTIONS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    child.stdin.write(busy)
    child.stdin.flush()
    time.sleep(0.5)
    child.terminate()
    good &= child.wait(LIMIT) == -15
    # SIGINT ends the rollout with what it has, and the session goes on.
    child = subprocess.Popen(program + OPTIONS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    child.stdin.write(busy.replace("hint\n", "show score\n"))
    child.stdin.close()
    time.sleep(0.5)
    child.send_signal(2)
    text = child.stdout.read()
    good &= child.wait(LIMIT) == 0 and "Rollout done" in text and text.rstrip().endswith("rule).")
    # The reader goes away while answers are still to come.
    child = subprocess.Popen(program + OPTIONS, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    child.stdout.close()
    try:
        child.stdin.write("show score\n" * 20000)
        child.stdin.close()
    except BrokenPipeError:
        pass
    good &= child.wait(LIMIT) == 0
    print("kill, SIGINT and closed pipes: %s" % ("as they should" if good else "WRONG"))
    return good


def main():
    program = shlex.split(sys.argv[1])
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "needs"), __file__, program[0]]):
        sys.exit(3)
    program[0] = os.path.abspath(program[0])
    positions = int(sys.argv[2]) if len(sys.argv) > 2 else 10000
    starts = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    good = [warm(program, positions), cold(program, starts), together(program), broken(program)]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
