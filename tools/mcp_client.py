#!/usr/bin/env python3
"""Asks `gammond mcp` and `/mcp` as a foreign client does: the PyPI packages `mcp` and `jsonschema` are needed.

    tools/mcp_client.py PROGRAM

Both eras of the protocol, over standard input and output and over HTTP: tools and resources are listed, each tool is
called, a rollout reports its progress and another one is cancelled, wrong arguments are results. Structured results
must validate against their schemas and equal the answers of `gammond pipe`. Ends with 1 at the first difference.
"""
import base64
import json
import os
import random
import subprocess
import sys

if subprocess.call([os.path.join(os.path.dirname(os.path.abspath(__file__)), "needs"), __file__, sys.argv[1],
                    "python:anyio", "python:jsonschema", "python:mcp"], env=dict(os.environ, PYTHON=sys.executable)):
    sys.exit(3)
import anyio
import jsonschema
from mcp import Client, MCPError, StdioServerParameters

PROGRAM = sys.argv[1]
START = "4HPwATDgc/ABMA"
BOARD = {"me": {"24": 2, "13": 5, "8": 3, "6": 5}, "opponent": {"24": 2, "13": 5, "8": 3, "6": 5}}
CALLS = [
    ("evaluate", {"position": START, "plies": 0}, f"eval {START} plies=0"),
    ("evaluate", {"board": BOARD}, f"eval {START} plies=2"),
    ("best_plays", {"position": START, "roll": [3, 1]}, f"move {START} 31 plies=2 top=5"),
    ("best_plays", {"position": START, "roll": "31", "plays": ["8/5 6/5", "13/9"], "plies": 0},
     f'move {START} 31 plays="8/5 6/5; 13/9" plies=0'),
    ("best_plays", {"position": START, "roll": [6, 4], "pr": 8, "seed": 5}, f"move {START} 64 pr=8 seed=5 plies=2 top=5"),
    ("best_plays", {"position": START, "roll": [6, 4], "plays": ["24/14"], "elo": 1700}, f'move {START} 64 plays="24/14" elo=1700 plies=2'),
    ("cube_decision", {"position": START, "pr": 8, "seed": 5}, f"cube {START} pr=8 seed=5 plies=2"),
    ("all_rolls", {"position": START, "plies": 0}, f"rolls {START} plies=0"),
    ("all_rolls", {"position": START, "turns": 2, "plies": 0}, f"rolls {START} turns=2 plies=0"),
    ("all_scores", {"position": START, "away": 3, "plies": 1}, f"scores {START} away=3 plies=1"),
    ("all_scores", {"position": START, "roll": [6, 4], "away": 3, "plies": 1}, f"scores {START} 64 away=3 plies=1"),
    ("all_cubes", {"position": START, "roll": [6, 4], "plies": 1}, f"cubes {START} 64 plies=1"),
    ("explain_decision", {"position": START, "roll": [3, 1], "plays": ["13/10 6/5"], "language": "de", "plies": 0},
     f'explain {START} 31 plays="13/10 6/5" language=de plies=0'),
    ("opening_book", {"roll": [3, 1]}, "opening 31 plies=2"),
    ("opening_book", {"opening": "31 8/5 6/5", "roll": [6, 4]}, "reply 31 8/5 6/5 64 plies=2"),
    ("opening_book", {"roll": "64", "length": 5, "score": [0, 0], "plies": 0}, "opening 64 length=5 score=0-0 plies=0"),
    ("cube_decision", {"position": START, "length": 2, "score": [0, 0], "plies": 1},
     f"cube {START} length=2 score=0-0 plies=1"),
    ("convert_position", {"position": START}, f"convert {START}"),
]
WRONG = [
    ("evaluate", {"position": "rubbish"}, "bad-position: "),
    ("evaluate", {"position": START, "depth": 2}, 'bad-request: argument "depth" is not known'),
    ("evaluate", {"position": START, "board": BOARD}, "bad-request: position and board"),
    ("best_plays", {"position": START}, "missing-roll: "),
    ("best_plays", {"position": START, "roll": [7, 1]}, "bad-roll: "),
    ("evaluate", {"board": {"me": {"25": 1}, "opponent": {}}}, "bad-request: board.me has the place"),
    ("evaluate", {"board": {"me": {"6": 16}, "opponent": {}}}, "bad-request: board.me at 6"),
    ("rollout", {"position": START, "time_s": 0}, "bad-request: time_s"),
    ("analyse_match", {"match": "no match"}, ""),
    ("show_position", {"position": START, "format": "gif"}, "bad-setting: format"),
]
MATCH = """ 3 point match

 Game 1
 Alice : 0                          Bob : 0
  1) 31: 8/5 6/5                     52: 13/8 24/22
  2) 64: 24/14                       66: 24/18(2) 13/7(2)
"""


def check(good, *what):
    if not good:
        print("FAILED:", *what)
        sys.exit(1)


def pipe(line):
    answer = subprocess.run([PROGRAM, "pipe"], input=line + "\n", capture_output=True, text=True, check=False)
    return json.loads(answer.stdout)


def text(result):
    return "".join(block.text for block in result.content if block.type == "text")


async def tools_answer(client):
    listed = (await client.list_tools()).tools
    names = [tool.name for tool in listed]
    check(names == ["evaluate", "best_plays", "cube_decision", "all_rolls", "all_scores", "all_cubes",
                    "explain_decision", "opening_book", "rollout", "convert_position", "show_position", "analyse_match"], names)
    schemas = {tool.name: (tool.input_schema, tool.output_schema) for tool in listed}
    for name, arguments, line in CALLS:
        asked, answered = schemas[name]
        jsonschema.validate(arguments, asked)
        result = await client.call_tool(name, arguments)
        check(not result.is_error and len(text(result)) <= 1200, name, arguments, result)
        jsonschema.validate(result.structured_content, answered)
        want = pipe(line)
        check(result.structured_content == want, name, arguments, result.structured_content)
    for name, arguments, begin in WRONG:
        result = await client.call_tool(name, arguments)
        check(result.is_error and text(result).startswith(begin), name, arguments, result)
    picture = await client.call_tool("show_position", {"position": START, "format": "png", "roll": "31",
                                                       "play": "8/5 6/5", "width": 400})
    check(base64.b64decode(picture.content[0].data).startswith(b"\x89PNG"), "no PNG")
    report = await client.call_tool("analyse_match", {"match": MATCH, "plies": 0, "limit": 2})
    check(not report.is_error and len(report.structured_content["decisions"]) <= 2, report)
    jsonschema.validate(report.structured_content, schemas["analyse_match"][1])
    try:
        await client.call_tool("no_such_tool", {})
        check(False, "an unknown tool has a result")
    except MCPError:
        pass
    return schemas


async def resources_answer(client):
    board = await client.read_resource(f"gammond://position/{START.replace('/', '%2F')}")
    check("+13-14-15-16-17-18" in board.contents[0].text, board)
    notations = await client.read_resource(f"gammond://position/{START}.json")
    check(json.loads(notations.contents[0].text) == pipe(f"convert {START}"), notations)
    check((await client.list_resources()).resources[0].uri.unicode_string() == "gammond://help"
          if hasattr((await client.list_resources()).resources[0].uri, "unicode_string")
          else str((await client.list_resources()).resources[0].uri) == "gammond://help", "no help")


async def rollouts_report(client):
    seen = []

    async def progress(done, total, message):
        seen.append((done, total, message))

    arguments = {"position": START, "roll": [3, 1], "trials": 1296, "top": 2, "time_s": 20}
    result = await client.call_tool("rollout", arguments, progress_callback=progress)
    check(not result.is_error and result.structured_content["trials"] >= 36, result)
    numbers = [done for done, _, _ in seen]
    check(numbers and numbers == sorted(set(numbers)), "progress", numbers)
    with anyio.move_on_after(0.5) as scope:
        await client.call_tool("rollout", {"position": START, "trials": 46656, "time_s": 600})
    check(scope.cancelled_caught, "nothing was cancelled")
    # The server answers at once after it.
    with anyio.fail_after(30):
        await client.call_tool("evaluate", {"position": START, "plies": 0})


async def mutated(client, schemas):
    rng = random.Random(5)
    odd = [None, -1, 10**30, "", "\u202e<b>", [], {}, [[]], True, 1.5, "x" * 3000, START, [6, 6]]
    for _ in range(300):
        name = rng.choice(list(schemas))
        properties = list(schemas[name][0]["properties"])
        arguments = {key: rng.choice(odd) for key in rng.sample(properties, rng.randrange(len(properties)))}
        if name == "rollout":
            arguments.update({"trials": 36, "time_s": 0.1})
        try:
            await client.call_tool(name, arguments)
        except MCPError:
            pass


async def whole(server, mode):
    async with Client(server, mode=mode) as client:
        schemas = await tools_answer(client)
        await resources_answer(client)
        await rollouts_report(client)
        await mutated(client, schemas)
        print(f"{'HTTP' if isinstance(server, str) else 'stdio'}, {client.protocol_version}: "
              f"{len(CALLS)} answers, {len(WRONG)} refusals, 300 mutated calls")


async def main():
    served = subprocess.Popen([PROGRAM, "serve", "--http", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    try:
        address = served.stdout.readline().split()[-1]
        for mode in ["auto", "legacy"]:
            await whole(StdioServerParameters(command=PROGRAM, args=["mcp"]), mode)
            await whole(f"http://{address}/mcp", mode)
    finally:
        served.terminate()
        served.wait()


anyio.run(main)
