"""The Python blocks of the documents, and the examples, run as they stand."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent
SPECIFICATIONS = HERE.parents[1] / "protocol-specs"
PAGES = [HERE / "README.md", SPECIFICATIONS / "for-python.md", SPECIFICATIONS / "for-researchers.md"]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(), re.S | re.M))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_block_runs(block: str, tmp_path: Path) -> None:
    for package in re.findall(r"^import (torch)$|^from gammond import .*(arrow)", block, re.M):
        pytest.importorskip(package[0] or "pyarrow", reason=f"SKIPPED: {package[0] or 'pyarrow'} cannot be installed")
    (tmp_path / "nets").symlink_to(HERE.parents[1] / "nets")
    run = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, cwd=tmp_path)
    assert run.returncode == 0, run.stderr


def test_all_names_of_the_stubs_have_a_docstring() -> None:
    stubs = ast.parse((HERE / "python" / "gammond" / "_gammond.pyi").read_text())
    kinds = (ast.FunctionDef, ast.ClassDef)
    named = [node for node in ast.walk(stubs) if isinstance(node, kinds) and not node.name.startswith("_")]
    assert len(named) > 100 and [node.name for node in named if not ast.get_docstring(node)] == []


def test_examples_run() -> None:
    run = subprocess.run([sys.executable, HERE / "examples.py"], capture_output=True, text=True)
    assert run.returncode == 0 and "8/5 6/5" in run.stdout, run.stderr
