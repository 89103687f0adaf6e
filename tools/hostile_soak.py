#!/usr/bin/env python3
"""Hostile clients against `gammond serve`, beside one good client whose latency is watched.

    tools/hostile_soak.py [--gammond PATH] [--seconds N] [--clients N] [--cpu SHARE] [--memory MIB]
                          [--loris N] [-- SERVE OPTION ...]

Starts the server on a free port of the loopback address and, for N seconds, lets clients of many
kinds at it: slow-loris, flood, never reading, garbage, half-close, reset, connect storm, over-long
lines, damaged gnubg boards, heavy queries that are abandoned. Meanwhile one good client asks every
20 ms. Reports memory, descriptors, threads, the good client's latency by quarter, and the server's
counters. Exit status 0 when there was no panic, nothing leaked and the good client got all its
answers. Bounded in count and time; touches nothing but its own server. Python 3.9, standard library.

First it measures how soon the server stops a query whose client has reset its connection.

--cpu SHARE keeps server and clients together at about that share of one processor, by pauses between
the hostile clients' runs. --memory MIB runs the server in a control group of that size, in which the
kernel kills it when it wants more (version 1, as root; else RLIMIT_DATA, in which allocations fail).
--loris N also holds N connections open all the time that drip a line byte by byte and never end it.
"""

import argparse
import json
import multiprocessing
import os
import random
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import time

START = b"4HPwATDgc/ABMA"
MOVE = b"move " + START + b" 31 top=1\n"
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


def loris_herd(address, count, until):
    """Keeps `count` unfinished lines open; those that the server closes are opened again."""
    poll, open_now = select.poll(), {}
    while time.time() < until:
        fresh = 0
        while len(open_now) < count and fresh < 200:
            try:
                s = connect(address)
            except OSError:
                break
            s.setblocking(False)
            open_now[s.fileno()] = s
            poll.register(s.fileno(), select.POLLIN)
            fresh += 1
        for s in list(open_now.values()):
            try:
                s.send(b"m")
            except OSError:
                pass
        for fd, _ in poll.poll(0):
            poll.unregister(fd)
            open_now.pop(fd).close()
        time.sleep(1)
    for s in open_now.values():
        s.close()


def hostile(address, seed, until, counts, pause):
    rng = random.Random(seed)
    while time.time() < until:
        time.sleep(min(pause.value * rng.uniform(0.5, 1.5), max(0, until - time.time())))
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


def fill_cache(address, seed):
    """Looks at many positions, so that the cache has its full size before memory is watched."""
    rng = random.Random(seed)
    with connect(address, 60) as s:
        f = s.makefile("rb")
        position = START
        for _ in range(150):
            s.sendall(b"move %s %d%d plies=2\n" % (position, rng.randint(1, 6), rng.randint(1, 6)))
            answer = json.loads(f.readline())
            if answer["type"] == "move":
                position = rng.choice(answer["plays"][:4])["position"].encode()
            else:
                position = START


def stop_times(address, count):
    """Milliseconds from the reset of a connection in the middle of a long query (the server has one thread) until the
    next bulk query, which waited for the thread, is answered."""
    times = []
    for _ in range(count):
        with connect(address, 60) as waiting:
            going = connect(address)
            going.sendall(b"move " + START + b" 43 plies=4 filter=huge prune=off\n")
            time.sleep(0.3)
            waiting.sendall(MOVE[:-1] + b" queue=bulk\n")
            time.sleep(0.2)
            start = time.perf_counter()
            reset(going)
            waiting.makefile("rb").readline()
            times.append(round((time.perf_counter() - start) * 1000, 2))
    return times


def status(pid):
    text = open(f"/proc/{pid}/status").read()
    field = lambda name: int(text.split(name + ":")[1].split()[0])
    return {"rss_kib": field("VmRSS"), "threads": field("Threads"), "fds": len(os.listdir(f"/proc/{pid}/fd"))}


def cpu_seconds(pids):
    """Processor time that these processes have used."""
    used = 0
    for pid in pids:
        try:
            fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
            used += int(fields[11]) + int(fields[12])
        except OSError:
            pass
    return used / os.sysconf("SC_CLK_TCK")


class MemoryLimit:
    """A control group for the server, or a limit of its data segment where that cannot be had."""

    def __init__(self, mib):
        self.bytes, self.folder, self.how = mib << 20, None, "none"
        if not mib:
            return
        folder = f"/sys/fs/cgroup/memory/gammond-soak-{os.getpid()}"
        try:
            os.mkdir(folder)
            with open(folder + "/memory.limit_in_bytes", "w") as f:
                f.write(str(self.bytes))
            self.folder, self.how = folder, f"control group of {mib} MiB"
        except OSError:
            self.how = f"RLIMIT_DATA of {mib} MiB"

    def enter(self):
        if self.folder:
            with open(self.folder + "/cgroup.procs", "w") as f:
                f.write(str(os.getpid()))
        elif self.bytes:
            resource.setrlimit(resource.RLIMIT_DATA, (self.bytes, self.bytes))

    def most_kib(self):
        if not self.folder:
            return None
        return int(open(self.folder + "/memory.max_usage_in_bytes").read()) >> 10

    def remove(self):
        if self.folder:
            os.rmdir(self.folder)


def percentile(xs, p):
    xs = sorted(xs)
    return round(xs[min(len(xs) - 1, int(p * len(xs)))], 3) if xs else None


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--gammond", default="target/release/gammond")
    ap.add_argument("--seconds", type=int, default=60)
    ap.add_argument("--clients", type=int, default=8)
    ap.add_argument("--cpu", type=float, default=0, help="share of a processor to use on average; 0 for all")
    ap.add_argument("--memory", type=int, default=0, help="MiB that the server may use; 0 for any")
    ap.add_argument("--loris", type=int, default=0, help="unfinished lines to hold open all the time")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("serve", nargs="*", help="more options of gammond serve")
    a = ap.parse_args()
    room = str(1024 + 2 * a.loris)
    limit = MemoryLimit(a.memory)
    server = subprocess.Popen([a.gammond, "serve", "--listen", "127.0.0.1:0", "--threads", "1",
                               "--connections", room] + (["--peer-connections", room] if a.loris else []) + a.serve,
                              stdout=subprocess.PIPE, text=True, preexec_fn=limit.enter)
    line = server.stdout.readline()
    host, port = line.split("listening on ")[1].strip().rsplit(":", 1)
    address = (host, int(port))
    ok = True
    try:
        at_start = status(server.pid)
        fill_cache(address, a.seed)
        stops = sorted(stop_times(address, 20))
        quiet = multiprocessing.Queue()
        alone = multiprocessing.Process(target=good, args=(address, time.time() + 5, quiet))
        alone.start()
        quiet_p99 = percentile([ms for _, ms in quiet.get(timeout=60)], 0.99)
        alone.join()
        until = time.time() + a.seconds
        counts = multiprocessing.Array("L", len(KINDS) + 1)
        pause = multiprocessing.Value("d", 1.0 if a.cpu else 0.0)
        procs = [multiprocessing.Process(target=hostile, args=(address, a.seed * 1000 + i, until, counts, pause))
                 for i in range(a.clients)]
        if a.loris:
            procs.append(multiprocessing.Process(target=loris_herd, args=(address, a.loris, until)))
        latencies = multiprocessing.Queue()
        well = multiprocessing.Process(target=good, args=(address, until, latencies))
        for p in procs + [well]:
            p.start()
        samples, started = [], time.time()
        pids = [server.pid] + [p.pid for p in procs + [well]]
        used_first = used = cpu_seconds(pids)
        server_first = cpu_seconds([server.pid])
        seen = time.time()
        while time.time() < until:
            time.sleep(min(5, max(0.1, a.seconds / 20)))
            samples.append(status(server.pid))
            now_used, now = cpu_seconds(pids), time.time()
            if a.cpu:
                share, mean = (now_used - used) / (now - seen), (now_used - used_first) / (now - started)
                pause.value = min(60, max(0.01, pause.value * (1.2 if max(share, mean) > a.cpu else 0.85)))
            used, seen = now_used, now
        server_cpu = cpu_seconds([server.pid]) - server_first
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
            "seconds": a.seconds, "hostile_clients": a.clients, "loris_herd": a.loris,
            "stop_ms_median": stops[len(stops) // 2], "stop_ms_most": stops[-1],
            "processor_share": round((used - used_first) / (seen - started), 3),
            "processor_share_of_the_server": round(server_cpu / (seen - started), 3),
            "memory_limit": limit.how, "memory_most_kib": limit.most_kib(),
            "rss_kib_at_start": at_start["rss_kib"], "rss_kib_most": max(s["rss_kib"] for s in samples),
            "hostile_runs": {k.__name__: counts[i] for i, k in enumerate(KINDS)},
            "wrong_answers": counts[len(KINDS)],
            "good": {"n": len(found), "p99_ms_alone": quiet_p99,
                     "p50_ms": percentile([ms for _, ms in found], 0.5),
                     "p99_ms": percentile([ms for _, ms in found], 0.99),
                     "p99_ms_by_quarter": [percentile(q, 0.99) for q in quarters]},
            "rss_kib": [s["rss_kib"] for s in samples][:: max(1, len(samples) // 12)],
            "threads_max": max(s["threads"] for s in samples),
            "after": after, "fds_max": max(s["fds"] for s in samples), "stats": stats,
        }
        quarter = max(1, len(samples) // 4)
        mean = lambda some: sum(s["rss_kib"] for s in some) / len(some)
        settled, last = mean(samples[quarter:2 * quarter]), mean(samples[-quarter:])
        report["rss_growth_percent_from_second_quarter_to_last"] = round(100 * (last - settled) / settled, 2)
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
        limit.remove()
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
