#!/usr/bin/env python3
"""Every match file that gammond writes, read by the real GNU Backgammon: the same games, plays, cubes and results.

    tools/mat_gnubg.py FOLDER [GAMMOND]

gnubg (it starts itself there) imports each FOLDER/*.mat, tells winner and points of each game and exports the match; what it exports must
be judged by `gammond analyse` as the file itself is: the same decisions in the same positions, the same results. Fails where it is not.
"""
import json
import os
import re
import subprocess
import sys


def in_gnubg(gnubg):
    folder = os.environ["FOLDER"]
    for text in ("set threads 1", "set confirm new off", "set confirm save off", "set display off"):
        gnubg.command(text)
    for name in sorted(file for file in os.listdir(folder) if file.endswith(".mat")):
        jacoby = re.search(r'\[Jacoby "Off"\]', open(f"{folder}/{name}", encoding="latin-1").read()) is None
        gnubg.command("set jacoby " + ("on" if jacoby else "off"))
        gnubg.command(f'import mat "{folder}/{name}"')
        gnubg.command(f'export match mat "{folder}/gnubg/{name}"')
        told = []
        for game in gnubg.match(0, 0, 0, 0)["games"]:
            info = game["info"]
            told.append([info.get("winner"), info.get("points-won")])
        with open(f"{folder}/gnubg/{name}.json", "w") as out:
            json.dump(told, out)


def ours(gammond, path):
    run = subprocess.run([gammond, "analyse", path, "--plies", "0", "--format", "json", "--threads", "1"], capture_output=True, text=True)
    return json.loads(run.stdout)


def main():
    folder = os.path.abspath(sys.argv[1])
    gammond = sys.argv[2] if len(sys.argv) > 2 else "target/release/gammond"
    # Where Debian has gnubg.
    os.environ["PATH"] += ":/usr/games"
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, "gnubg", folder, gammond]):
        sys.exit(3)
    os.makedirs(f"{folder}/gnubg", exist_ok=True)
    subprocess.run(["gnubg", "-t", "-q", "-p", os.path.abspath(__file__)], env=dict(os.environ, FOLDER=folder), check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wrong, files, games, decisions = [], 0, 0, 0
    for name in sorted(file for file in os.listdir(folder) if file.endswith(".mat")):
        files += 1
        one = ours(gammond, f"{folder}/{name}")
        if not os.path.exists(f"{folder}/gnubg/{name}"):
            wrong.append(f"{name}: gnubg does not read it")
            continue
        two = ours(gammond, f"{folder}/gnubg/{name}")
        told = json.load(open(f"{folder}/gnubg/{name}.json"))
        # gnubg's own export writes rows such as "Beavers => 4" behind a passed double: they are named, and the rest counts.
        two["faults"] = [fault for fault in two["faults"] if "behind the end of the game" not in fault["message"]]
        if one["faults"] or two["faults"]:
            wrong.append(f"{name}: faults {one['faults']} {two['faults']}")
        shape = lambda found: [(row["game"], row["player"], row["kind"], row["position"].split(":")[0], row["roll"] and sorted(row["roll"]),
                                row["played"] if row["kind"] != "play" else None) for row in found["decisions"]]
        if shape(one) != shape(two):
            pairs = zip(shape(one), shape(two))
            wrong.append(f"{name}: other decisions {next((pair for pair in pairs if pair[0] != pair[1]), 'at the end')}")
        results = [game["result"] and ["XO"[game["result"]["winner"]], game["result"]["points"]] for game in one["games"]]
        if results != [game if game[0] else None for game in told]:
            wrong.append(f"{name}: results {results}, gnubg {told}")
        games, decisions = games + len(one["games"]), decisions + len(one["decisions"])
    print("\n".join(wrong[:20]))
    print(f"{files} files, {games} games, {decisions} decisions read by gnubg; {len(wrong)} differ")
    sys.exit(bool(wrong) or not files)


if "gnubg" in globals():
    in_gnubg(globals()["gnubg"])
elif __name__ == "__main__":
    main()
