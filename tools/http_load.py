#!/usr/bin/env python3
"""Load on the HTTP port from the same machine: requests a second at 1, 16 and 256 connections (wrk), and arrays of 1,000 questions
beside the pipe, in turns. Prints a line a figure.

    tools/http_load.py [GAMMOND [SECONDS]]

Needs wrk (Debian: wrk). Figures mean something on a machine with nothing else running.
"""
import http.client, json, os, re, subprocess, sys, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GAMMOND = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/gammond")
SECONDS = int(sys.argv[2]) if len(sys.argv) > 2 else 5
ROUNDS = 5


def questions(count):
    """Positions with rolls, those of the benchmark's plays."""
    files = sorted((ROOT / "tests/data/benchmark").glob("*.bm"))
    records = [line.split() for file in files for line in file.read_text().splitlines() if line.startswith("m ")]
    found = [(record[1], record[2] + record[3]) for record in records]
    return (found * (count // len(found) + 1))[:count]


def memory(process):
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


def main():
    if subprocess.call([str(ROOT / "tools/needs"), __file__, GAMMOND]):
        sys.exit(3)
    server = subprocess.Popen([GAMMOND, "serve", "--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--peer-connections", "1000"], stdout=subprocess.PIPE, text=True)
    try:
        address = next(line.split()[2] for line in server.stdout if line.startswith("http on "))
        url = f"http://{address}/v1/move?position=4HPwATDgc/ABMA&roll=31&top=1"
        for connections in [1, 16, 256]:
            done = subprocess.run(["wrk", f"-t{min(2, connections)}", f"-c{connections}", f"-d{SECONDS}s", "--latency", url],
                                  capture_output=True, text=True, check=True).stdout
            rate, slow = re.search(r"Requests/sec:\s+([\d.]+)", done)[1], re.search(r"99%\s+(\S+)", done)[1]
            errors = re.search(r"Non-2xx.*|Socket errors.*", done)
            print(f"{connections} connections: {float(rate):,.0f} requests/s, p99 {slow}{', ' + errors[0] if errors else ''}, "
                  f"{memory(server):.1f} MB")
        asked = questions(1000)
        body = json.dumps([{"position": key, "roll": roll, "settings": {"top": 1}} for key, roll in asked])
        lines = "".join(f"move {key} {roll} top=1\n" for key, roll in asked) * 20
        connection = http.client.HTTPConnection(address)
        rates = {"array": [], "pipe": []}
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            for _ in range(20):
                connection.request("POST", "/v1/move", body, {"Content-Type": "application/json"})
                answer = connection.getresponse().read()
            rates["array"].append(20_000 / (time.perf_counter() - begin))
            assert answer.count(b'"type":"move"') > 900, answer[:300]
            begin = time.perf_counter()
            subprocess.run([GAMMOND, "pipe"], input=lines, capture_output=True, text=True, check=True)
            rates["pipe"].append(20_000 / (time.perf_counter() - begin))
        array, pipe = (sorted(rates[name])[ROUNDS // 2] for name in ["array", "pipe"])
        print(f"arrays of 1,000: {array:,.0f} questions/s, pipe (with its start) {pipe:,.0f}/s: ratio {array / pipe:.2f}; {memory(server):.1f} MB")
    finally:
        server.terminate()
        server.wait()


main()
