#!/usr/bin/env python3
"""BGBlitz's .bgf, read by us and by a second reader, the Python package gammonview: the same games, rolls, boards, cubes,
results, and the same equities of BGBlitz's own analysis.

  tools/bgf_reference.py GAMMOND FILE...        .bgf files; needs `pip install gammonview==3.1.0`
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, *sys.argv[1:],
                    "python:gvformat"], env=dict(os.environ, PYTHON=sys.executable)):
    sys.exit(3)
from gvanalysis.reconstruct_mat import reconstruct_mat
from gvformat.bgf import convert_bgf

TOLERANCE = 2e-4  # they keep four decimals


def analysed(program, file, *options):
    done = subprocess.run([program, "analyse", file, "--plies", "0", "--format", "json", *options],
                          capture_output=True, text=True)
    objects = [json.loads(line) for line in done.stdout.splitlines()]
    if not objects:
        sys.exit(f"{file}: {done.stderr.strip()}")
    return objects


def decisions(match):
    """All that a match holds, by the names of the players: game, player, roll, the position and what was done."""
    names = match["players"]
    found = []
    for row in match["decisions"]:
        found.append((row["game"], names[row["player"]], row["kind"], row["roll"], row["position"], row["played"]))
    return found


def results(match):
    """Winner and points of each game; none of one that broke off."""
    ends = (game["result"] for game in match["games"])
    return [end and (match["players"][end["winner"]], end["points"]) for end in ends]


def main():
    program, files = sys.argv[1], sys.argv[2:]
    wrong, actions, equities = [], 0, 0
    for file in map(pathlib.Path, files):
        theirs = convert_bgf(file)
        ours, compared = analysed(program, file, "--compare", "file")
        if ours["faults"]:
            wrong.append(f"{file.name}: our faults {ours['faults']}")
        with tempfile.TemporaryDirectory() as folder:
            mat = pathlib.Path(folder) / f"{file.stem}.mat"
            # A game that broke off has no points in the file; their winner is a guess.
            lines = [line for line in reconstruct_mat(theirs).splitlines() if line.strip() != "Wins"]
            mat.write_text("\n".join("0 point match" if line == "money game" else line for line in lines))
            [their_match] = analysed(program, mat)
        one, other = decisions(ours), decisions(their_match)
        actions += len(one)
        if one != other:
            pairs = [pair for pair in zip(one, other) if pair[0] != pair[1]]
            wrong.append(f"{file.name}: {len(one)} decisions of ours, {len(other)} of theirs; first difference {pairs[:1]}")
        if results(ours) != results(their_match):
            wrong.append(f"{file.name}: our results {results(ours)}, theirs {results(their_match)}")
        # The best equity of each play that both have, in order.
        best = [ply["analysis"]["best_equity"] for game in theirs["games"] for ply in game["plies"]
                if ply["action_id"] <= 20 and ply.get("moves") and ply.get("analysis", {}).get("alternatives")]
        mine = [row["equity"]["file"] for row in compared["decisions"] if row["kind"] == "play"]
        equities += len(mine)
        if len(best) != len(mine) or any(abs(a - b) > TOLERANCE for a, b in zip(best, mine)):
            wrong.append(f"{file.name}: {len(mine)} best equities of plays of ours, {len(best)} of theirs, or other ones")
        cubes = []
        for game in theirs["games"]:
            for ply in game["plies"]:
                analysis = ply.get("analysis", {})
                analysis = analysis.get("cube_decision") or analysis.get("missed_double") or analysis
                if "double_take_equity" in analysis:
                    none, take = analysis.get("no_double_equity"), analysis["double_take_equity"]
                    cubes.append((none, take))
        ours_cubes = [row["values"] for row in compared["decisions"] if row["kind"] == "cube" and row["values"]]
        pairs = [(values[0]["file"], values[1]["file"]) for values in ours_cubes]
        missing = [pair for pair in pairs
                   if not any(abs(pair[0] - none) < TOLERANCE and abs(pair[1] - take) < TOLERANCE for none, take in cubes)]
        equities += len(pairs)
        if missing:
            wrong.append(f"{file.name}: {len(missing)} of {len(pairs)} cubes of ours are not theirs: {missing[:2]}")
    print(f"{len(files)} matches, {actions} decisions, {equities} analyses, {len(wrong)} wrong")
    print("\n".join(wrong))
    sys.exit(bool(wrong) or not actions)


main()
