#!/usr/bin/env python3
"""Every decision of matches judged by GNU Backgammon and by gammond, with the same weights.

    tools/analysis_gnubg.py FOLDER [PLIES [LENGTHS [GAMMOND]]]

Inside gnubg (it starts itself there) 0-ply players with noise play matches of these lengths (0: a money session of
three games with Jacoby and beavers; `7e`: a match to 7 points in which boards,
dice and cubes are set up in the middle of games), which are saved as .sgf and .mat into FOLDER and analysed; a FOLDER with .mat or .sgf files in it
has these read by gnubg instead, whatever LENGTHS says. Then `gammond analyse` reads the files. Prints how many losses lie within 0.002 EMG (0.005 with look-ahead) of gnubg's and how many lucks
within 0.005, the others one by one, and the totals of each player side by side, also those that the FIBS bot wrote
into the head of a file by the same weights (`--analyse`); fails below 99.5 %, when the
decisions are others, or when .sgf and .mat do not tell the same.
"""
import json
import os
import random
import re
import subprocess
import sys

MONEY_GAMES = 3


def in_gnubg(gnubg):
    command, folder = gnubg.command, os.environ["FOLDER"]
    plies = int(os.environ["PLIES"])
    for text in ("set threads 1", "set automatic game on", "set automatic roll on", "set display off",
                 "set confirm new off", "set confirm save off", "set jacoby on", "set beavers 3",
                 "set player 0 gnubg", "set player 1 gnubg",
                 f"set analysis chequerplay evaluation plies {plies}", f"set analysis cubedecision evaluation plies {plies}",
                 "set analysis limit off"):
        command(text)
    for player, noise in ((0, 0.06), (1, 0.03)):
        for kind in ("chequerplay", "cubedecision"):
            command(f"set player {player} {kind} evaluation plies 0")
            command(f"set player {player} {kind} evaluation noise {noise}")
    given = sorted(file for file in os.listdir(folder) if file.endswith((".mat", ".sgf")))
    for file in given:
        command(f'{"import mat" if file.endswith(".mat") else "load match"} "{folder}/{file}"')
        analyse(gnubg, f"{folder}/{file[:-4]}")
    lengths = [] if given else os.environ["LENGTHS"].split()
    for number, length in enumerate(lengths):
        if length.endswith("e"):
            edited(gnubg, number, int(length[:-1]), f"{folder}/match-{number:02}-{length}")
            continue
        length = int(length)
        for player in (0, 1):
            command(f"set player {player} gnubg")
        for text in ("set automatic roll on", "set automatic move on"):
            command(text)
        name = f"{folder}/match-{number:02}-{length}"
        command(f"set seed {1000 + number}")
        command("set automatic game " + ("on" if length else "off"))
        if length:
            command(f"new match {length}")
        else:
            command("new session")
            for _ in range(MONEY_GAMES - 1):
                command("new game")
        command(f'save match "{name}.sgf"')
        command(f'export match mat "{name}.mat"')
        analyse(gnubg, name)


def edited(gnubg, number, length, name):
    """A match of two games of which boards and cubes are set up by hand now and then."""
    command, chance, boards = gnubg.command, random.Random(number), []
    for text in ("set automatic game off", "set automatic roll off", "set automatic move off", "set automatic bearoff off",
                 "set player 0 human", "set player 1 human", f"set seed {2000 + number}",
                 f"new match {length}" if length else "new session"):
        command(text)
    context = dict(gnubg.evalcontext(), plies=0, deterministic=0, noise=0.05)
    for game in range(2):
        for step in range(40):
            try:
                if not gnubg.posinfo()["dice"][0]:
                    command("roll")
                play = gnubg.findbestmove(gnubg.board(), gnubg.cubeinfo(), context)
            except Exception:
                play = ()
            if play:
                words = {25: "bar", 0: "off"}
                steps = zip(play[::2], play[1::2])
                command("move " + " ".join(f"{words.get(a, a)}/{words.get(b, b)}" for a, b in steps if a))
            boards.append(gnubg.positionid())
            edit = chance.randrange(12)
            if edit == 0:
                command(f"set board {chance.choice(boards)}")
            elif edit == 1:
                command(f"set cube value {chance.choice((1, 2, 4))}")
                command(f"set cube owner {chance.randrange(2)}")
            elif edit == 2:
                command("set cube centre")
            elif edit == 3:
                command("roll")
                command(f"set board {chance.choice(boards)}")
            elif edit == 4:
                command("double")
                command("take")
        command("resign normal")
        command("accept")
        if game == 0:
            command("new game")
    command(f'save match "{name}.sgf"')
    analyse(gnubg, name)


def analyse(gnubg, name):
    gnubg.command("analyse match")
    with open(f"{name}.gnubg.jsonl", "w") as out:
        for row in rows(gnubg, gnubg.match(1, 1, 1, 1)):
            out.write(json.dumps(row) + "\n")


def rows(gnubg, match):
    """One row a decision, in order, as `gammond analyse` lists them."""
    length = match["match-info"]["match-length"]
    for number, game in enumerate(match["games"], 1):
        info = game["info"]
        scores = (info["score-X"], info["score-O"]) if length else (0, 0)
        cube, owner, doubler, turns = 1, -1, None, 0
        played_crawford = any(length and length - 1 in (g["info"]["score-X"], g["info"]["score-O"])
                              for g in match["games"][:number - 1])
        crawford = int(length > 1 and length - 1 in scores and not played_crawford)
        last = None
        for action in game["game"]:
            if action["action"] == "set":
                cube = action.get("cube", cube)
                owner = {"X": 0, "O": 1, "centered": -1}.get(action.get("cube-owner"), owner)
            if action["action"] in ("set", "resign"):
                continue
            kind, player = action["action"], "XO".index(action["player"])
            analysis = action.get("analysis") or {}

            def emg(value):
                if not length:
                    return value
                side = gnubg.cubeinfo(cube, owner, doubler if doubler is not None else player, length, scores, crawford)
                return gnubg.mwc2eq(value, side)

            def cube_values():
                if "nd-cubeful-eq" not in analysis:
                    return None
                return emg(analysis["nd-cubeful-eq"]), emg(analysis["dt-cubeful-eq"])

            row = {"game": number, "player": player}
            if kind == "move":
                values = cube_values()
                if values:
                    none, take = values
                    yield dict(row, kind="no double", loss=max(0.0, min(take, 1.0) - none), nd=none, dt=take)
                moves = analysis.get("moves") or []
                chosen = moves[analysis["imove"]]["score"] if moves else 0.0
                best = max((move["score"] for move in moves), default=0.0)
                yield dict(row, kind="play", loss=best - chosen, luck=analysis.get("luck-value"), dice=action["dice"])
            elif kind == "double" and turns == 0:
                doubler, turns = player, 1
                last = cube_values()
                none, take = last or (None, None)
                lost = max(none, min(take, 1.0)) - min(take, 1.0) if last else None
                yield dict(row, kind="double", loss=lost)
            elif kind in ("double", "beaver", "raccoon", "redouble"):
                turns += 1
                yield dict(row, kind="beaver")
            elif kind in ("take", "drop"):
                lost = None
                if turns == 1 and last:
                    _, take = last
                    lost = max(0.0, take - 1.0 if kind == "take" else 1.0 - take)
                yield dict(row, kind=kind if turns == 1 else "beaver", loss=lost)
                if kind == "take":
                    cube, owner = cube << turns, 1 - doubler
                doubler, turns = None, 0


def ours(gammond, path, plies):
    run = subprocess.run([gammond, "analyse", path, "--plies", str(plies), "--format", "json", "--threads", "1",
                          "--nets", "/usr/lib/gnubg/gnubg.wd", "--met", os.environ.get("MET", "kazaross-xg2")],
                         capture_output=True, text=True)
    found = json.loads(run.stdout)
    if run.returncode or found["faults"]:
        sys.exit(f"{path}: {found.get('faults')} {run.stderr}")
    return found


def kind_of(row):
    if row["kind"] == "double":
        return row["played"]
    if row["kind"] == "take":
        return {"take": "take", "pass": "drop"}[row["played"]]
    return row["kind"]


def totals_told(path):
    """Decisions, loss of each and luck of each player in the head of a match file, if there is one."""
    for line in open(path, encoding="latin-1"):
        if line.startswith("; match, "):
            found = re.findall(r"(\d+) decisions, ([\d.]+) lost by each, luck ([-+.\d]+)", line)
            return [(int(count), float(each), float(luck)) for count, each, luck in found]
    return []


def compare(folder, plies, gammond):
    near, all_losses, near_luck, all_lucks, heads, strange_heads, wrong = 0, 0, 0, 0, 0, 0, []
    tolerance = 0.002 if plies == 0 else 0.005
    for name in sorted({file[:-4] for file in os.listdir(folder) if file.endswith((".mat", ".sgf"))}):
        ending = "mat" if os.path.exists(f"{folder}/{name}.mat") else "sgf"
        read = ours(gammond, f"{folder}/{name}.{ending}", plies)
        same = ("decisions", "totals", "score", "length", "games")
        if os.path.exists(f"{folder}/{name}.sgf"):
            from_sgf = ours(gammond, f"{folder}/{name}.sgf", plies)
            if any(from_sgf[key] != read[key] for key in same):
                sys.exit(f"{name}: .sgf and .mat are not judged alike")
        theirs = [json.loads(line) for line in open(f"{folder}/{name}.gnubg.jsonl")]
        mine = [row for row in read["decisions"] if row["kind"] not in ("resign", "roll")]
        if [(row["game"], row["player"], kind_of(row)) for row in mine] != \
                [(row["game"], row["player"], row["kind"]) for row in theirs]:
            for one, two in zip(mine, theirs):
                if (one["game"], one["player"], kind_of(one)) != (two["game"], two["player"], two["kind"]):
                    sys.exit(f"{name}: other decisions than gnubg's: {one} {two}")
            sys.exit(f"{name}: {len(mine)} decisions, gnubg {len(theirs)}")
        sums = [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]]
        # What the decisions that differ, each counted by itself, may add to the distance of a total.
        apart = [[0.0, 0.0], [0.0, 0.0]]
        for one, two in zip(mine, theirs):
            if two.get("loss") is not None:
                loss = (one["loss"] or {"emg": 0.0})["emg"]
                all_losses += 1
                good = abs(loss - two["loss"]) <= tolerance
                near += good
                sums[one["player"]][0] += loss
                sums[one["player"]][1] += two["loss"]
                if not good:
                    apart[one["player"]][0] += abs(loss - two["loss"])
                    wrong.append(f"{name} game {one['game']} move {one['move']} {kind_of(one)} {one['played']}: loss "
                                 f"{loss:.4f}, gnubg {two['loss']:.4f} {one['position']}")
            if two.get("luck") is not None and one["luck"]:
                all_lucks += 1
                good = abs(one["luck"]["emg"] - two["luck"]) <= 0.005
                near_luck += good
                sums[one["player"]][2] += one["luck"]["emg"]
                sums[one["player"]][3] += two["luck"]
                if not good:
                    apart[one["player"]][1] += abs(one["luck"]["emg"] - two["luck"])
                    wrong.append(f"{name} game {one['game']} move {one['move']} luck {one['luck']['emg']:.4f}, gnubg "
                                 f"{two['luck']:.4f} {one['position']}")
        for at, (count, each, told_luck) in enumerate(totals_told(f"{folder}/{name}.{ending}")):
            told_loss = count * each
            # The loss of each decision is printed with four digits, luck with three.
            printed, (loss, gnubg_loss, luck, gnubg_luck) = 0.00005 * count, sums[at]
            ours_told = abs(told_loss - loss) <= 0.0001 + printed and abs(told_luck - luck) <= 0.0006
            near_gnubg = abs(told_loss - gnubg_loss) <= 0.002 + printed + apart[at][0] and \
                abs(told_luck - gnubg_luck) <= 0.005 + apart[at][1]
            if not ours_told or not near_gnubg:
                wrong.append(f"{name}: the head says loss {told_loss:.4f} and luck {told_luck:+.3f} of player {at}, "
                             f"the analysis loss {loss:.4f} and luck {luck:+.3f}")
                strange_heads += 1
            heads += 1
        both = "; ".join(f"loss {a:.3f} gnubg {b:.3f} luck {c:+.3f} gnubg {d:+.3f}" for a, b, c, d in sums)
        print(f"{name}: {len(mine)} decisions; {both}")
    print("\n".join(wrong[:50]))
    print(f"{near} of {all_losses} losses within {tolerance} ({100 * near / max(all_losses, 1):.3f} %), "
          f"{near_luck} of {all_lucks} lucks within 0.005 ({100 * near_luck / max(all_lucks, 1):.3f} %), "
          f"{heads - strange_heads} of {heads} totals in heads of files")
    sys.exit(near < 0.995 * all_losses or near_luck < 0.995 * all_lucks or strange_heads > 0 or not all_losses)


def main():
    folder = os.path.abspath(sys.argv[1])
    plies = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    lengths = sys.argv[3] if len(sys.argv) > 3 else "0 1 3 5 7"
    gammond = sys.argv[4] if len(sys.argv) > 4 else "target/release/gammond"
    # Where Debian has gnubg.
    os.environ["PATH"] += ":/usr/games"
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, "gnubg", gammond]):
        sys.exit(3)
    os.makedirs(folder, exist_ok=True)
    if not any(file.endswith(".jsonl") for file in os.listdir(folder)):
        environment = dict(os.environ, FOLDER=folder, LENGTHS=lengths, PLIES=str(plies))
        subprocess.run(["gnubg", "-t", "-q", "-p", os.path.abspath(__file__)], env=environment, check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    compare(folder, plies, gammond)


if "gnubg" in globals():
    in_gnubg(globals()["gnubg"])
elif __name__ == "__main__":
    main()
