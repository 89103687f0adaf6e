#!/usr/bin/env python3
"""Hundreds of matches in every form that this machine can write, read back as the same games.

    tools/gnubg/many_files.py [GAMMOND [MATCHES [SEED]]]

gammond plays MATCHES [300] matches of 3 points and writes them as `.mat`, `.sgf` and OGXM. GNU Backgammon reads each and
writes its own `.mat`, `.sgf` and text. A last form is the `.mat` with the habits of other sites: Windows line ends, tabs,
`0 roll` texts, a loser who concedes. Every file must give the decisions, results and scores of the first one, without a
fault. Prints a row for each form; ends with 1 where a file differs.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile


def judged(gammond, paths):
    found = {}
    for start in range(0, len(paths), 50):
        run = subprocess.run([gammond, "analyse", *paths[start:start + 50], "--plies", "0", "--format", "json", "--progress",
                              "none", "--all"], capture_output=True, text=True, check=False)
        answers = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
        for answer in answers:
            found.setdefault(os.path.splitext(os.path.basename(answer.get("file", "?")))[0], []).append(answer)
    return found


def shape(match):
    rows = [(row["game"], row["player"], row["kind"], row["position"].split(":")[0], sorted(row["roll"] or []),
             row["played"] if row["kind"] != "play" else None) for row in match["decisions"]]
    results = [game["result"] and (game["result"]["winner"], game["result"]["points"]) for game in match["games"]]
    return rows, results


def by_gnubg(folder, names, out):
    lines = ["set threads 1", "set confirm new off", "set confirm save off", "set display off"]
    for name in names:
        lines += ['import mat "%s/%s.mat"' % (folder, name), 'export match mat "%s/mat/%s.mat"' % (out, name),
                  'save match "%s/sgf/%s.sgf"' % (out, name), 'export match text "%s/txt/%s.txt"' % (out, name)]
    with open(out + "/commands", "w") as file:
        file.write("\n".join(lines) + "\n")
    for kind in ("mat", "sgf", "txt"):
        os.makedirs("%s/%s" % (out, kind))
    subprocess.run(["gnubg", "-t", "-q", "-r", "-c", out + "/commands"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    # The text export writes a file for each game.
    for name in names:
        with open("%s/txt/%s.txt" % (out, name), "a") as whole:
            for game in sorted(glob.glob("%s/txt/%s_*.txt" % (out, name))):
                with open(game) as part:
                    whole.write(part.read())
                os.remove(game)


def habits(text):
    """The same match with the line ends and words of other sites."""
    text = re.sub(r"^( *\d+\)) ", lambda found: found.group(1) + "\t", text, flags=re.M)
    text = re.sub(r"Wins (\d+) points?", r"Wins \1 point", text)
    return "\ufeff" + text.replace("\n", "\r\n")


def main():
    gammond = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/gammond")
    # Where Debian has gnubg.
    os.environ["PATH"] += ":/usr/games"
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "needs"), __file__, "gnubg", gammond]):
        sys.exit(3)
    matches = int(sys.argv[2]) if len(sys.argv) > 2 else 300
    seed = sys.argv[3] if len(sys.argv) > 3 else "1"
    with tempfile.TemporaryDirectory() as folder:
        first = folder + "/first"
        os.mkdir(first)
        subprocess.run([gammond, "duel", "gammond", "gammond:nets=embedded:fast", "--match", "3", "--games", str(matches), "--seed",
                        seed, "--quiet", "--mat", first], stdout=subprocess.DEVNULL, check=True)
        names = sorted(name[:-4] for name in os.listdir(first) if name.endswith(".mat"))[:matches]
        # GNU Backgammon's text export dies of long names.
        for name in names:
            with open("%s/%s.mat" % (first, name), "r+") as file:
                text = re.sub(r"gammond (nets=|plies=)[^)]*\)", lambda found: "fast " * (found.group(1) == "nets=") + "engine",
                              file.read())
                file.seek(0)
                file.write(text)
                file.truncate()
        forms = {"mat": [first + "/" + name + ".mat" for name in names]}
        for kind, option in (("sgf", "--annotate-sgf"), ("ogxm", "--ogxm"), ("mat, annotated", "--annotate")):
            out = folder + "/ours-" + kind[:3] + option
            os.makedirs(out)
            for start in range(0, len(names), 50):
                subprocess.run([gammond, "analyse", *forms["mat"][start:start + 50], "--plies", "0", option, out, "--progress",
                                "none"], stdout=subprocess.DEVNULL, check=False)
            forms[kind] = [out + "/" + name for name in sorted(os.listdir(out))]
        theirs = folder + "/gnubg"
        os.mkdir(theirs)
        by_gnubg(first, names, theirs)
        for kind in ("mat", "sgf", "txt"):
            forms["gnubg's " + kind] = ["%s/%s/%s" % (theirs, kind, name) for name in sorted(os.listdir(theirs + "/" + kind))]
        other = folder + "/other"
        os.mkdir(other)
        for name in names:
            with open("%s/%s.mat" % (first, name)) as source, open("%s/%s.mat" % (other, name), "w", newline="") as file:
                file.write(habits(source.read()))
        forms["mat with other habits"] = [other + "/" + name + ".mat" for name in names]
        truth = {name: shape(found[0]) for name, found in judged(gammond, forms["mat"]).items()}
        wrong = 0
        for kind, paths in forms.items():
            equal, faulty, differ = 0, [], []
            found = judged(gammond, paths)
            for name, answers in found.items():
                if len(answers) != 1 or answers[0].get("type") == "error" or answers[0].get("faults"):
                    faulty.append((name, answers[0].get("message") or answers[0].get("faults")))
                elif shape(answers[0]) != truth.get(name):
                    differ.append(name)
                else:
                    equal += 1
            missing = len(names) - len(found)
            wrong += len(faulty) + len(differ) + missing
            print("%-24s %4d files, %4d equal, %d with faults, %d differ, %d not read" %
                  (kind, len(paths), equal, len(faulty), len(differ), missing), *(faulty[:2] + differ[:2]), flush=True)
        print("%d matches, %d decisions" % (len(truth), sum(len(rows) for rows, _ in truth.values())))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
