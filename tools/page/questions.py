#!/usr/bin/env python3
"""The questions that come with the page Quiz: decisions of matches between opponents who err as people do, judged at 2 plies
and rolled out.

    gammond duel gammond:pr=14 gammond:pr=8 --match 7 --games 150 --seed 78 --mat DIR --quiet
    gammond analyse --plies 2 --format json DIR/*.mat > reports.json
    tools/page/questions.py GAMMOND rolled.jsonl reports.json > src/server/http/paths/page/questions.json

Of each theme the same number, from what most people find to what few do: a player has erred there, and a tenth at least of the
players of PR 8 find the best choice. A question stays only if the rollout of the best three plays, or of the cube decision,
finds the same best choice. The answers of the rollouts are kept in rolled.jsonl; the same command goes on from there.
"""
import base64, functools, json, subprocess, sys
from pathlib import Path

PER_THEME = 46
ROLLOUT = "trials=324 seed=1"
THEMES = ["opening", "blitz", "prime", "back game", "race", "cube", "middle"]
# Losses of questions: neither a matter of taste, nor a slip of the hand.
LOSS = (0.05, 0.5)
# Races have smaller ones.
LOSS_RACE = 0.012
FOUND = (0.1, 0.92)
OPENING_MOVES = 5
BAR, HOME = 24, 6
BACK_GAME_PIPS = 40
LINE = 147


def sides(position):
    """The checkers of the player on roll and of the opponent, index 0 the ace point, 24 the bar (PID-03 to PID-10)."""
    bits = "".join(f"{byte:08b}"[::-1] for byte in base64.b64decode(position[:14] + "=="))
    found, place = [[0] * 25, [0] * 25], 0
    for bit in bits:
        if place >= 50:
            break
        if bit == "1":
            found[place // 25][place % 25] += 1
        else:
            place += 1
    return found[1], found[0]


def pips(side):
    return sum(count * (at + 1) for at, count in enumerate(side))


def last(side):
    return max((at for at, count in enumerate(side) if count), default=-1)


def prime(side):
    """The length of the longest row of made points."""
    longest = here = 0
    for count in side[:BAR]:
        here = here + 1 if count >= 2 else 0
        longest = max(longest, here)
    return longest


def theme(one):
    me, other = sides(one["position"])
    if one["kind"] != "play":
        return "cube"
    if last(me) + last(other) < 23:
        return "race"
    for back, front in [(me, other), (other, me)]:
        if sum(back[at] >= 2 for at in range(18, BAR)) >= 2 and pips(back) >= pips(front) + BACK_GAME_PIPS:
            return "back game"
    if one["move"] <= OPENING_MOVES:
        return "opening"
    if any(prime(front) >= 4 and any(back[at] for at in range(18, BAR + 1)) for back, front in [(me, other), (other, me)]):
        return "prime"
    if any(back[BAR] + sum(back[18:BAR]) >= 2 and back[BAR] > 0 and sum(front[at] >= 2 for at in range(HOME)) >= 3
           for back, front in [(me, other), (other, me)]):
        return "blitz"
    return "middle"


def reports(text):
    """The reports of a run: a line for each file, whose further matches stand in `more`."""
    for line in text.splitlines():
        first = json.loads(line)
        yield from [first, *first.get("more", [])]


class Rollouts:
    """Whether rollouts find the same best choice: by a program, with the answers of earlier runs."""

    def __init__(self, program, journal):
        self.pipe = subprocess.Popen([program, "pipe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.known = {}
        if Path(journal).exists():
            for line in Path(journal).read_text().splitlines():
                question, answer = json.loads(line)
                self.known[question] = answer
        self.journal = open(journal, "a", encoding="utf-8")

    def answer(self, question):
        if question not in self.known:
            self.pipe.stdin.write(question + "\n")
            self.pipe.stdin.flush()
            answer = json.loads(self.pipe.stdout.readline())
            if answer["type"] != "rollout":
                sys.exit(f"{question}: {answer}")
            kept = {name: answer[name] for name in ("double", "take") if name in answer}
            kept["best"] = answer["candidates"][0].get("play")
            self.known[question] = kept
            print(json.dumps([question, kept]), file=self.journal, flush=True)
        return self.known[question]

    def confirm(self, row):
        kind, position, roll, _, best = row[:5]
        if kind == "play":
            return self.answer(f"rollout {position} {roll} top=3 {ROLLOUT}")["best"] == best
        answer = self.answer(f"rollout cube {position} {ROLLOUT}")
        return best == {"double": ["no double", "double"], "take": ["pass", "take"]}[kind][answer[kind]]


def listed(values, text=functools.partial(json.dumps, separators=(",", ":"))):
    """A list in JSON, in lines of some length. Columns of equal things pack better than rows."""
    lines = [""]
    for piece in map(text, values):
        if len(lines[-1]) + len(piece) > LINE:
            lines.append("")
        lines[-1] += f"{piece},"
    return f"[{chr(10).join(lines).rstrip(',')}]"


def main():
    if subprocess.call([str(Path(__file__).resolve().parent.parent / "needs"), __file__]):
        sys.exit(3)
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    rollouts = Rollouts(sys.argv[1], sys.argv[2])
    found = {name: [] for name in THEMES}
    seen, rates = set(), None
    for file in sys.argv[3:]:
        for report in reports(Path(file).read_text()):
            for one in report["decisions"]:
                shares = one.get("found_by")
                if shares is None or one["kind"] not in ("play", "double", "take") or not one["best"]:
                    continue
                least = LOSS_RACE if theme(one) == "race" else LOSS[0]
                if not least <= one["loss"]["emg"] <= LOSS[1] or not FOUND[0] <= shares[1]["share"] <= FOUND[1]:
                    continue
                roll = "".join(map(str, one.get("roll") or []))
                if (one["position"], roll) in seen:
                    continue
                seen.add((one["position"], roll))
                rates = [share["pr"] for share in shares]
                row = [one["kind"], one["position"], roll, theme(one), one["best"], *(round(100 * share["share"]) for share in shares)]
                found[row[3]].append(row)
    rows = []
    for name in THEMES:
        ranked = sorted(found[name], key=lambda row: -row[6])
        number = min(PER_THEME, len(ranked))
        # Evenly from the easiest to the hardest; where a rollout finds otherwise, the next one.
        kept = 0
        for place in range(number):
            end = (place + 1) * len(ranked) // number
            row = next((row for row in ranked[place * len(ranked) // number:end] if rollouts.confirm(row)), None)
            if row:
                rows.append(row)
                kept += 1
        print(f"{name}: {kept} of {len(ranked)}", file=sys.stderr)
    if not rows:
        sys.exit("the reports have no decision that is a question")
    kind, position, roll, themes, best, *shares = map(listed, zip(*rows))
    columns = {"rates": listed(rates), "kind": kind, "position": position, "roll": roll, "theme": themes, "best": best, "shares": listed(shares, str)}
    print("{" + ",\n".join(f'"{name}":{values}' for name, values in columns.items()) + "}")


main()
