#!/usr/bin/env python3
"""Asks a server by the client that openapi-python-client generated: move, cube, rollout and the analysis of a match.

    tools/http_client.py FOLDER ADDRESS    FOLDER has the package `client`
"""
import io
import pathlib
import subprocess
import sys

if subprocess.call([pathlib.Path(__file__).resolve().parent / "needs", __file__, f"{sys.argv[1]}/client"]):
    sys.exit(3)
sys.path.insert(0, sys.argv[1])
from client import Client, models  # noqa: E402
from client.api.jobs import job, job_analyse, job_deleted, job_result, job_rollout  # noqa: E402
from client.api.positions import cube, cube_posted, eval_, move, move_posted, rollout_posted  # noqa: E402
from client.types import File  # noqa: E402

START = "4HPwATDgc/ABMA"
ROOT = pathlib.Path(__file__).resolve().parent.parent
client = Client(base_url=sys.argv[2])


def finished(begun):
    """Waits for the end of a job, and returns the job."""
    assert isinstance(begun, models.Job), begun
    state = begun
    while state.state in ("queued", "running"):
        state = job.sync(begun.id, client=client, wait=5)
    assert state.state == "done", state
    return state


value = eval_.sync(client=client, position=START, plies=1, score=[3, 5], length=7)
assert isinstance(value, models.EvalAnswer) and value.probabilities.win > 0.5, value

question = models.MoveQuestion(position=START, roll=[3, 1], settings=models.MoveSettings(plies=1, top=3))
ranked = move_posted.sync(client=client, body=question)
assert isinstance(ranked, models.MoveAnswer) and ranked.plays[0].play == "8/5 6/5", ranked
several = move_posted.sync(client=client, body=[question, question])
assert [one.plays[0].play for one in several] == ["8/5 6/5"] * 2, several
assert move.sync(client=client, position=START, roll="31", top=1).plays[0].play == "8/5 6/5"

settings = models.CubeSettings(length=7, score=[3, 5], owner=models.CubeSettingsOwner.CENTRED, cubeful=True)
decision = cube_posted.sync(client=client, body=models.CubeQuestion(position=START, settings=settings))
assert isinstance(decision, models.CubeAnswer) and decision.take, decision
refused = cube.sync(client=client, position="rubbish")
assert isinstance(refused, models.Problem) and refused.code == "bad-position", refused

settings = models.RolloutSettings(trials=36, truncate=3, level=models.RolloutSettingsLevel.OFF)
question = models.RolloutQuestion(position=START, roll=[3, 1], plays=["8/5 6/5", "24/23 13/10"], settings=settings)
rolled = rollout_posted.sync(client=client, body=question)
assert isinstance(rolled, models.RolloutAnswer) and rolled.trials == 36, rolled
done = finished(job_rollout.sync(client=client, body=question))
again = job_result.sync(done.id, client=client)
assert again.candidates[0].play == rolled.candidates[0].play, again

match = (ROOT / "tests/data/analysis/one1.mat").read_bytes()
done = finished(job_analyse.sync(client=client, body=File(payload=io.BytesIO(match)), plies=0))
analysis = job_result.sync(done.id, client=client)
assert isinstance(analysis, models.Analysis) and analysis.players == ["Alice", "Bob"], analysis
assert job_deleted.sync_detailed(done.id, client=client).status_code == 204

print("Python client: move, cube, rollout and an analysis job")
