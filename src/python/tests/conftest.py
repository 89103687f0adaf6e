"""Tests that call another package run in a process of their own, because its crash must not end all tests."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

#: Set in such a process.
INNER = "IN_OWN_PROCESS"
#: Fixtures with packages that crash now and then.
FIXTURES = ("original",)


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a test that uses such a package in its own process, again after a crash; three crashes skip it."""
    if os.environ.get(INNER) or not set(FIXTURES) & set(pyfuncitem.fixturenames):
        return None
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", pyfuncitem.nodeid]
    for _ in range(3):
        done = subprocess.run(
            command, cwd=pyfuncitem.config.rootpath, env={**os.environ, INNER: "1"}, capture_output=True, text=True
        )
        if done.returncode >= 0:
            break
    if done.returncode < 0:
        pytest.skip(f"SKIPPED: the package ended three times by signal {-done.returncode}")
    if done.returncode > 0 or " passed" not in done.stdout:
        pytest.fail(f"in its own process:\n{done.stdout}\n{done.stderr}", pytrace=False)
    return True


@pytest.fixture
def original() -> Iterator[object]:
    """The package gnubg_nn, at its usual score and cube before and after."""
    found = pytest.importorskip("gnubg_nn", reason="SKIPPED: gnubg_nn cannot be installed")
    yield found
    found.set.score(0, 0)
    found.set.cube(1)
