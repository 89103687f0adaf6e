"""The source distribution holds what its build reads."""

import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
ROOT = HERE.parents[1]
INCLUDED = re.compile(r'include(?:_str|_bytes)?!\(\s*"([^"]+)"')


def test_source_distribution_has_all_files_of_its_build(tmp_path: Path) -> None:
    maturin = shutil.which("maturin", path=str(Path(sys.executable).parent))
    if maturin is None or shutil.which("cargo") is None:
        pytest.skip("SKIPPED: needs maturin and cargo")
    run = subprocess.run(
        [maturin, "sdist", "-m", HERE / "Cargo.toml", "-o", tmp_path], capture_output=True, text=True, cwd=ROOT
    )
    assert run.returncode == 0, run.stderr
    [archive] = tmp_path.glob("gammond-*.tar.gz")
    with tarfile.open(archive) as files:
        names = {Path(*Path(name).parts[1:]).as_posix() for name in files.getnames()}
        manifest = files.extractfile(f"{archive.name.removesuffix('.tar.gz')}/Cargo.toml")
        assert manifest is not None
        members = re.findall(r'"([^"]+)"', re.search(r"members = \[(.*?)\]", manifest.read().decode(), re.S)[1])
    assert {"PKG-INFO", "pyproject.toml", "Cargo.lock", "LICENSE-MIT", "LICENSE-APACHE"} <= names
    assert "src/python" in members and all(f"{member}/Cargo.toml" in names for member in members)
    package = [file.relative_to(HERE).as_posix() for file in (HERE / "python").rglob("*.py*") if file.suffix != ".pyc"]
    assert "python/gammond/py.typed" in names and not {*package} - names
    count = 0
    for name in sorted(name for name in names if name.endswith(".rs") and not name.startswith("tests/")):
        source = ROOT / name
        # Tests of the crates may read files of the repository.
        program, *_ = source.read_text().split("#[cfg(test)]\nmod ")
        for path in INCLUDED.findall(program):
            read = (source.parent / path).resolve().relative_to(ROOT).as_posix()
            if not read.startswith("src/python/tests/"):
                assert read in names, (name, read)
                count += 1
    assert count > 20
