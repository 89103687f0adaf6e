#!/usr/bin/env python3
"""Hostile clients against `gammond serve`, beside one good client whose latency is watched.

    tools/hostile_soak.py [--gammond PATH] [--seconds N] [--clients N] [-- SERVE OPTION ...]

Starts the server on a free port of the loopback address and, for N seconds, lets clients of many
kinds at it: slow-loris, flood, never reading, garbage, half-close, reset, connect storm, over-long
lines, damaged gnubg boards, heavy queries that are abandoned. Meanwhile one good client asks every
20 ms. Reports memory, descriptors, threads, the good client's latency by quarter, and the server's
counters. Exit status 0 when there was no panic, nothing leaked and the good client got all its
answers. Bounded in count and time; touches nothing but its own server. Python 3.9, standard library.
"""

import argparse
import json
import multiprocessing
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time

MOVE = b"move 4HPwATDgc/ABMA 31 top=1\n"
BOARD = (b"board:ext:opp:7:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:-1:3:1:3:1:1:1:1:0:1:-1:0:25"
         b":0:0:0:0:0:0:0:1\n\0")


def connect(address, timeout=5):
    s = socket.create_connection(address, timeout=timeout)
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s


def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def loris(a, rng, until):
    with connect(a) as s:
        for _ in range(20):
            s.sendall(b"m")
            time.sleep(0.05)


def flood(a, rng, until):
    with connect(a) as s:
        s.settimeout(1)
        s.sendall(MOVE * 200)
        got = 0
        while got < 200:
            d = s.recv(65536)
            if not d:
                break
            got += d.count(b"\n")


def never_read(a, rng, until):
    s = connect(a)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(0.2)
    try:
        for _ in range(200):
            s.sendall(b"move 4HPwATDgc/ABMA 31\n" * 10)
    except OSError:
        pass
    time.sleep(0.2)
    reset(s)


def garbage(a, rng, until):
    with connect(a) as s:
        s.settimeout(0.2)
        for _ in range(10):
            s.sendall(bytes(rng.randrange(256) for _ in range(rng.randrange(1, 2000))))
        s.sendall(b"\xff\xfb\x01\xff\xfd\x03\r\n\0\0\n#\xff ping\n")
        try:
            while s.recv(65536):
                pass
        except OSError:
            pass


def half_close(a, rng, until):
    with connect(a) as s:
        s.sendall(MOVE * 30 + b"#end ping")
        s.shutdown(socket.SHUT_WR)
        data = b""
        while True:
            d = s.recv(65536)
            if not d:
                break
            data += d
        assert data.count(b"\n") == 31 or b"busy" in data, data[-200:]


def vanish(a, rng, until):
    s = connect(a)
    s.sendall(MOVE.replace(b"top=1", b"plies=2") * 20)
    time.sleep(rng.random() * 0.05)
    reset(s)


def storm(a, rng, until):
    for _ in range(50):
        try:
            reset(connect(a, 1))
        except OSError:
            pass


def long_lines(a, rng, until):
    with connect(a) as s:
        s.settimeout(1)
        try:
            for _ in range(12):
                s.sendall(b"x" * 20000 + b"\n")
            while s.recv(65536):
                pass
        except OSError:
            pass


def boards(a, rng, until):
    with connect(a) as s:
        s.settimeout(1)
        for _ in range(20):
            line = bytearray(BOARD)
            if rng.random() < 0.8:
                line[rng.randrange(len(line) - 2)] = rng.choice(b"0123456789-:xz \"")
            s.sendall(bytes(line))
            try:
                s.recv(4096)
            except OSError:
                break


KINDS = [loris, flood, never_read, garbage, half_close, vanish, storm, long_lines, boards]


def hostile(address, seed, until, counts):
    rng = random.Random(seed)
    while time.time() < until:
        kind = rng.randrange(len(KINDS))
        try:
            KINDS[kind](address, rng, until)
        except OSError:
            pass
        except AssertionError as error:
            print("hostile client:", error, file=sys.stderr)
            counts[len(KINDS)] += 1
        counts[kind] += 1


def good(address, until, out):
    latencies = []
    s = connect(address)
    s.settimeout(30)
    f = s.makefile("rb")
    start = time.time()
    n = 0
    while time.time() < until:
        n += 1
        t = time.perf_counter()
        s.sendall(b"#%d " % n + MOVE)
        line = f.readline()
        latencies.append((time.time() - start, (time.perf_counter() - t) * 1000))
        answer = json.loads(line)
        assert answer["id"] == str(n) and answer["type"] == "move", line[:200]
        time.sleep(0.02)
    out.put(latencies)


def status(pid):
    text = open(f"/proc/{pid}/status").read()
    field = lambda name: int(text.split(name + ":")[1].split()[0])
    return {"rss_kib": field("VmRSS"), "threads": field("Threads"), "fds": len(os.listdir(f"/proc/{pid}/fd"))}


def percentile(xs, p):
    xs = sorted(xs)
    return round(xs[min(len(xs) - 1, int(p * len(xs)))], 3) if xs else None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--gammond", default="target/release/gammond")
    ap.add_argument("--seconds", type=int, default=60)
    ap.add_argument("--clients", type=int, default=8)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("serve", nargs="*", help="more options of gammond serve")
    a = ap.parse_args()
    server = subprocess.Popen([a.gammond, "serve", "--listen", "127.0.0.1:0", "--threads", "1"] + a.serve,
                              stdout=subprocess.PIPE, text=True)
    line = server.stdout.readline()
    host, port = line.split("listening on ")[1].strip().rsplit(":", 1)
    address = (host, int(port))
    ok = True
    try:
        quiet = multiprocessing.Queue()
        alone = multiprocessing.Process(target=good, args=(address, time.time() + 5, quiet))
        alone.start()
        quiet_p99 = percentile([ms for _, ms in quiet.get(timeout=60)], 0.99)
        alone.join()
        until = time.time() + a.seconds
        counts = multiprocessing.Array("L", len(KINDS) + 1)
        procs = [multiprocessing.Process(target=hostile, args=(address, a.seed * 1000 + i, until, counts))
                 for i in range(a.clients)]
        latencies = multiprocessing.Queue()
        well = multiprocessing.Process(target=good, args=(address, until, latencies))
        for p in procs + [well]:
            p.start()
        samples = []
        while time.time() < until:
            time.sleep(min(5, max(0.1, a.seconds / 20)))
            samples.append(status(server.pid))
        try:
            found = latencies.get(timeout=60)
        except Exception:
            found, ok = [], False
        for p in procs + [well]:
            p.join(timeout=40)
            if p.is_alive():
                p.terminate()
        ok = ok and well.exitcode == 0
        time.sleep(1)
        after = status(server.pid)
        with connect(address) as s:
            s.sendall(b"stats\n")
            stats = json.loads(s.makefile("rb").readline())
        span = a.seconds / 4
        quarters = [[ms for t, ms in found if q * span <= t < (q + 1) * span] for q in range(4)]
        report = {
            "seconds": a.seconds, "hostile_clients": a.clients,
            "hostile_runs": {k.__name__: counts[i] for i, k in enumerate(KINDS)},
            "wrong_answers": counts[len(KINDS)],
            "good": {"n": len(found), "p99_ms_alone": quiet_p99,
                     "p50_ms": percentile([ms for _, ms in found], 0.5),
                     "p99_ms": percentile([ms for _, ms in found], 0.99),
                     "p99_ms_by_quarter": [percentile(q, 0.99) for q in quarters]},
            "rss_kib": [s["rss_kib"] for s in samples][:: max(1, len(samples) // 12)],
            "after": after, "fds_max": max(s["fds"] for s in samples), "stats": stats,
        }
        settled = samples[len(samples) // 4]["rss_kib"]
        report["rss_growth_percent"] = round(100 * (after["rss_kib"] - settled) / settled, 2)
        print(json.dumps(report, indent=1))
        ok = ok and stats["panics"] == 0 and counts[len(KINDS)] == 0 and stats["connections"] <= 1
        ok = ok and after["fds"] < 40 and found
        start = time.time()
        server.send_signal(signal.SIGTERM)
        code = server.wait(timeout=20)
        print(f"ended with {code} after {time.time() - start:.2f} s")
        ok = ok and code == 0
    finally:
        if server.poll() is None:
            server.kill()
            server.wait()
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
