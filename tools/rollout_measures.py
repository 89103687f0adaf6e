#!/usr/bin/env python3
"""Measures what rollouts cost and what they are worth, and prints one line a figure.

usage: tools/rollout_measures.py [GAMMOND]

threads   seconds of the clock of one thread beside two, alternating
luck      what variance reduction is worth at equal time: (error without / error with)^2 / (time with / time without)
dice      variance of the difference of two plays with the same dice, beside independent dice
stop      milliseconds after a time limit at which the answer is there
latency   0-ply questions of one client, p50 and p99 in milliseconds, idle and while another's rollout runs
"""
import json
import os
import socket
import statistics
import subprocess
import sys
import time

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "gammond"
START = "4HPwATDgc/ABMA"
# An opening, a middle game, a back game.
POSITIONS = [START, "sOfgATCw5+BBIA", "nLttAABwzwHAGQ"]


def rollout(position, *words, threads=2):
    begin = time.perf_counter()
    run = subprocess.run([PROGRAM, "rollout", position, *words, "--threads", str(threads),
                          "--format", "json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout), time.perf_counter() - begin


def threads():
    times = {1: [], 2: []}
    for _ in range(4):
        for count, kept in times.items():
            kept.append(rollout(START, "trials=1296", threads=count)[1])
    ratio = [one / two for one, two in zip(times[1], times[2])]
    print(f"threads: 1 takes {min(times[1]):.2f} s, 2 take {min(times[2]):.2f} s; "
          f"ratios {', '.join(f'{r:.2f}' for r in ratio)}")


def luck():
    for position in POSITIONS:
        worth = {}
        for name in ("cubeless", "cubeful"):
            figures = {}
            for vr in ("on", "off"):
                words = ["trials=1296", f"vr={vr}", f"cubeful={'on' if name == 'cubeful' else 'off'}"]
                found, took = rollout(position, *words)
                figures[vr] = (found["candidates"][0]["error"][name], found["elapsed_ms"] / 1000)
            errors = (figures["off"][0] / figures["on"][0]) ** 2
            slower = figures["on"][1] / figures["off"][1]
            worth[name] = f"{name} {errors / slower:.1f} ({errors:.1f} in variance, {slower:.1f} in time)"
        print(f"luck: {position}: {'; '.join(worth.values())}")


def dice():
    plays = "8/5 6/5; 24/23 13/10"
    for vr in ("on", "off"):
        for cubeful in ("on", "off"):
            kind = "cubeful" if cubeful == "on" else "cubeless"
            first, second = [], []
            for seed in range(1, 61):
                found, _ = rollout(START, "31", f"plays={plays}", "trials=36", f"vr={vr}",
                                   f"cubeful={cubeful}", f"seed={seed}")
                values = {one["play"]: one["equity"][kind] for one in found["candidates"]}
                first.append(values["8/5 6/5"])
                second.append(values["24/23 13/10"])
            same = statistics.variance([a - b for a, b in zip(first, second)])
            # The same results with other seeds paired are independent.
            other = statistics.variance(first) + statistics.variance(second)
            print(f"dice: vr {vr}, {kind}: {other / same:.2f} times the variance with independent dice "
                  f"(60 rollouts of 36 games; difference {statistics.mean(first) - statistics.mean(second):+.4f} "
                  f"± {(same / 60) ** 0.5:.4f})")


class Client:
    def __init__(self, address):
        self.socket = socket.create_connection(address)
        self.file = self.socket.makefile("rwb")

    def ask(self, line):
        begin = time.perf_counter()
        self.file.write(line.encode() + b"\n")
        self.file.flush()
        answer = json.loads(self.file.readline())
        return answer, (time.perf_counter() - begin) * 1000


def server():
    child = subprocess.Popen([PROGRAM, "serve", "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
    line = child.stdout.readline()
    port = int(line.rsplit(":", 1)[1].split()[0])
    return child, ("127.0.0.1", port)


def stop(address):
    late = []
    for limit in (100, 250, 500) * 4:
        _, took = Client(address).ask(f"rollout {START} 31 top=5 trials=1000000 time={limit}")
        late.append(took - limit)
    print(f"stop: {statistics.median(late):.0f} ms after the limit, {max(late):.0f} at most (12 rollouts)")


def quantiles(client, count):
    times = sorted(client.ask(f"{START} 31 top=1")[1] for _ in range(count))
    return times[count // 2], times[count * 99 // 100]


def latency(address):
    client = Client(address)
    quantiles(client, 500)
    for _ in range(3):
        idle = quantiles(client, 3000)
        busy = Client(address)
        busy.file.write(f"rollout {START} 31 top=5 trials=16000000\n".encode())
        busy.file.flush()
        time.sleep(0.3)
        beside = quantiles(client, 3000)
        busy.socket.close()
        time.sleep(0.3)
        print(f"latency: idle {idle[0]:.3f} and {idle[1]:.3f} ms, beside a rollout {beside[0]:.3f} and "
              f"{beside[1]:.3f}: {beside[0] / idle[0]:.2f} and {beside[1] / idle[1]:.2f} times")


def main():
    if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, PROGRAM]):
        sys.exit(3)
    threads()
    luck()
    dice()
    child, address = server()
    try:
        stop(address)
        latency(address)
    finally:
        child.terminate()


main()
