#!/usr/bin/env python3
"""Compares the HTTP server with its description, by schemathesis in all of its phases, and asks it by a client that
openapi-python-client generates from the description.

    tools/http_contract.py VENV PROGRAM [SEED...]

VENV has schemathesis, openapi-python-client and ruff. Two servers are compared: one without tokens, and one with tokens,
an archive and jobs in a folder.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CASES = "30"
TOKEN = "tools-http-contract-0123456789"


class Server:
    """A server on a free port, ended with the block."""

    def __init__(self, program, *options):
        command = [program, "serve", "--http", "127.0.0.1:0", *options]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def __enter__(self):
        for line in self.process.stdout:
            if found := re.match("http on (.*)", line):
                return f"http://{found[1]}"
        sys.exit("the server did not begin")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def compared(venv, address, seed, name, *options):
    """Runs schemathesis; its summary is printed, and all of it where something fails."""
    command = [venv / "bin/st", "--config-file", ROOT / "schemathesis.toml", "run", f"{address}/openapi.json",
               "--seed", seed, "--max-examples", CASES, "--no-color", *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}\nFAILED: the server with {name} is not as described (seed {seed})")
    cases = re.search(r"([\d,]+) generated", done.stdout)
    print(f"schemathesis, {name}, seed {seed}: {cases[1] if cases else '?'} cases, no failure", flush=True)


def generated(venv, folder):
    """Generates the Python client. A path that is left out is a warning, and an error here."""
    command = [venv / "bin/openapi-python-client", "generate", "--path", ROOT / "protocol-specs/openapi.json",
               "--output-path", folder / "client", "--meta", "none", "--overwrite"]
    path = f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path})
    said = done.stdout + done.stderr
    if done.returncode != 0 or "WARNING" in said or "Unable" in said or "Skipping" in said:
        sys.exit(f"{said}\nFAILED: openapi-python-client does not take the description as it is")


def main():
    venv, program = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
    needs = [program, *(venv / "bin" / tool for tool in ("st", "openapi-python-client", "ruff"))]
    if subprocess.call([ROOT / "tools/needs", __file__, *needs]):
        sys.exit(3)
    seeds = sys.argv[3:] or ["1"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        generated(venv, folder)
        with Server(program) as address:
            asked = [venv / "bin/python", ROOT / "tools/http_client.py", folder, address]
            if subprocess.run(asked, cwd=ROOT).returncode != 0:
                sys.exit("FAILED: the generated Python client")
            for seed in seeds:
                compared(venv, address, seed, "no tokens")
        tokens, archive = folder / "tokens", folder / "matches.sqlite"
        tokens.write_text(f"tester {TOKEN}\n")
        tokens.chmod(0o600)
        matches = [ROOT / "tests/data/analysis" / match for match in ("one1.mat", "three3.mat")]
        analyse = [program, "analyse", "--plies", "0", "--db", archive, *matches]
        subprocess.run(analyse, stdout=subprocess.DEVNULL, check=True)
        options = ["--http-tokens", str(tokens), "--db", str(archive), "--http-jobs", str(folder / "jobs")]
        with Server(program, *options) as address:
            for seed in seeds:
                compared(venv, address, seed, "tokens and archive", "-H", f"Authorization: Bearer {TOKEN}")


main()
