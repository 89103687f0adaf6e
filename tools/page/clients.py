#!/usr/bin/env python3
"""Many browsers on /play at once: plain HTTP clients that ask what the page asks for a game against the expert (0-ply), each from an
address of its own. Prints how long replies took; `move` is the 0-ply reply.

    tools/page/clients.py GAMMOND [CLIENTS [TURNS [PAUSE]]]

A client pauses as the page does before the engine's play shows, 0.7 s unless PAUSE says otherwise. Its person plays at once.
"""
import asyncio, json, random, statistics, subprocess, sys, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from page.chromium import server

START = "4HPwATDgc/ABMA"
SETTINGS = {"cube": 1, "owner": "centred", "length": 0, "jacoby": True, "beavers": True}


class Client:
    def __init__(self, host, seed, times):
        self.address = host.removeprefix("http://").split(":")
        # Connections of one address are limited, so that each client has its own (Linux).
        self.own = (f"127.0.{1 + seed // 250}.{1 + seed % 250}", 0)
        self.random = random.Random(seed)
        self.times = times

    async def ask(self, verb, question, kind="application/json"):
        body = json.dumps(question).encode()
        head = (f"POST /v1/{verb} HTTP/1.1\r\nHost: {':'.join(self.address)}\r\nAccept: {kind}\r\n"
                f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n")
        begin = time.perf_counter()
        self.writer.write(head.encode() + body)
        headers = (await self.reader.readuntil(b"\r\n\r\n")).decode().lower()
        status = int(headers.split(" ", 2)[1])
        fields = dict(line.split(": ", 1) for line in headers.split("\r\n")[1:] if ": " in line)
        if "content-length" in fields:
            text = await self.reader.readexactly(int(fields["content-length"]))
        else:
            text = b""
            while size := int(await self.reader.readline(), 16):
                text += (await self.reader.readexactly(size + 2))[:-2]
            await self.reader.readline()
        # The end of a game is none of the replies that count.
        if status != 422:
            self.times.setdefault(verb if status == 200 else f"{verb}: status {status}", []).append(time.perf_counter() - begin)
        return status, text

    async def show(self, position, roll=None):
        question = {"position": position, "settings": SETTINGS}
        await self.ask("show", question | ({"roll": roll} if roll else {}), "image/svg+xml")

    async def turn(self, position, pause, is_person):
        """One turn of either side; the position after it, None at the end of a game."""
        plain = {"position": position, "settings": SETTINGS | {"plies": 0}}
        if not is_person:
            if (await self.ask("eval", plain))[0] != 200:
                return None
            await self.ask("cube", plain)
        roll = [self.random.randint(1, 6), self.random.randint(1, 6)]
        await self.show(position, roll)
        question = plain | {"roll": roll, "settings": plain["settings"] | {"top": 0 if is_person else 1}}
        (status, text), _ = await asyncio.gather(self.ask("move", question), asyncio.sleep(0 if is_person else pause))
        if status != 200:
            return None
        after = json.loads(text)["plays"][0]["position"]
        await self.show(after)
        return after

    async def play(self, turns, pause):
        self.reader, self.writer = await asyncio.open_connection(*self.address, local_addr=self.own)
        # Browsers do not begin in the same moment.
        await asyncio.sleep(self.random.random() * pause)
        position = START
        for turn in range(turns):
            position = await self.turn(position, pause, turn % 2 == 0) or START
        self.writer.close()


async def play_all(host, clients, turns, pause):
    times = {}
    await asyncio.gather(*(Client(host, seed, times).play(turns, pause) for seed in range(clients)))
    return times


def main():
    if subprocess.call([str(Path(__file__).resolve().parent.parent / "needs"), __file__, sys.argv[1]]):
        sys.exit(3)
    gammond, clients, turns, pause = [*sys.argv[1:], *["100", "20", "0.7"][len(sys.argv) - 2:]]
    process, host = server(gammond)
    try:
        begin = time.perf_counter()
        times = asyncio.run(play_all(host, int(clients), int(turns), float(pause)))
        seconds = time.perf_counter() - begin
    finally:
        process.kill()
    print(f"{clients} clients, {turns} turns each, pause {pause} s: {sum(map(len, times.values())) / seconds:.0f} replies a second")
    for verb, found in sorted(times.items()):
        cuts = statistics.quantiles(found, n=100)
        print(f"{verb:<22} {len(found):6} replies  p50 {cuts[49] * 1000:7.1f} ms  p99 {cuts[98] * 1000:7.1f} ms")
    if any("status" in verb for verb in times):
        sys.exit("some requests were refused")


main()
