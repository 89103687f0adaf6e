#!/usr/bin/env python3
"""Our OGXM beside its reference, the Python package ogxm: what we write it reads, replays to the end and writes as the same
bytes; what it writes we read as the same match.

  tools/ogxm_reference.py GAMMOND MATCH...        files of any form; needs `pip install ogxm==2.3.2`
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, *sys.argv[1:],
                    "python:ogxm"], env=dict(os.environ, PYTHON=sys.executable)):
    sys.exit(3)
import ogxm


def analysed(program, option, file, folder):
    done = subprocess.run([program, "analyse", file, "--plies", "0", option, folder], capture_output=True, text=True)
    return done.stderr.strip()


def joined(line):
    """13/11 11/6 and 13/8 8/6, both as 13/6."""
    while (shorter := re.sub(r"\b(\d+)/(\d+) \2/(\d+)", r"\1/\3", line)) != line:
        line = shorter
    return " ".join(line.split())


def main():
    program, files = sys.argv[1], sys.argv[2:]
    good, refused, wrong = 0, 0, []
    for file in map(pathlib.Path, files):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            said = analysed(program, "--ogxm", file, folder)
            written = folder / f"{file.stem}.ogxm"
            if not written.exists():
                print(f"{file.name}: {said.splitlines()[-1] if said else 'nothing written'}")
                refused += 1
                continue
            ours = written.read_bytes()
            rule, checksummed = ogxm.verify(ours)
            if rule or not checksummed:
                wrong.append(f"{file.name}: breaks the rule '{rule}', checksum {checksummed}")
                continue
            told = ogxm.binary_to_json(ours)
            finished = all(game["winner"] != 255 for game in told["games"])
            if told.get("replay_complete") != finished:
                if finished or "replay_failed_at" in told and told["replay_failed_at"] is not None:
                    where = told.get("replay_failed_game"), told.get("replay_failed_at")
                    wrong.append(f"{file.name}: replayed only to {where}")
                    continue
            theirs = ogxm.json_to_binary(told)
            if theirs != ours:
                wrong.append(f"{file.name}: {len(theirs)} bytes of theirs, {len(ours)} of ours")
                continue
            # Through their file and back: the same .mat as from the first file, but for headers.
            (folder / "theirs.ogxm").write_bytes(theirs)
            for name, source in (("a", file), ("b", folder / "theirs.ogxm")):
                analysed(program, "--annotate", source, folder / name)
            def games(name):
                path = next((folder / name).iterdir())
                lines = path.read_text().splitlines()
                # Which die was rolled first has no place in OGXM, nor which one a checker that plays both played first.
                larger_first = lambda dice: "".join(sorted(dice[0], reverse=True))
                lines = [re.sub(r"\b[1-6]{2}(?=:)", larger_first, line) for line in lines if not line.startswith(";")]
                return [joined(line) for line in lines]
            if games("a") != games("b"):
                wrong.append(f"{file.name}: read back as another match")
                continue
            good += 1
    print(f"{good} matches the same there and back, {refused} not written, {len(wrong)} wrong; ogxm {ogxm.library_version()}")
    print("\n".join(wrong))
    sys.exit(bool(wrong) or not good)


main()
