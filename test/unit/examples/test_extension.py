"""examples/extension in an environment of its own, where its entry point is all that tells of it."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import tomllib
import venv
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "examples/extension"
TOOLS = {
    name: f"from lowering.tools.{name.replace('-', '_')} import main"
    for name in ("relax-opt", "relax-run", "relax-compile")
}
TOOLS["lit"] = "from lit.main import main"
TOOLS["filecheck"] = "from filecheck.main import main as run\nmain = lambda: run(sys.argv)"


def install(project: dict[str, Any], packages: Path) -> None:
    """The files that `pip install --editable` writes: the package's name, its entry points, and where it stands."""
    about = packages / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [
        line
        for group, points in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {place}" for name, place in points.items()))
    ]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
    places = [PACKAGE, ROOT, sysconfig.get_path("purelib")]
    (packages / "packages.pth").write_text(
        "".join(f"import site; site.addsitedir({str(p)!r})\n" for p in places)
    )


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment in which the package is installed."""
    folder = tmp_path_factory.mktemp("environment")
    venv.EnvBuilder(symlinks=True).create(folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    install(tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"], packages)
    for name, main in TOOLS.items():
        script = folder / "bin" / name
        script.write_text(f"#!{folder}/bin/python\nimport sys\n{main}\nsys.exit(main())\n")
        script.chmod(0o755)
    return folder / "bin"


def run(folder: Path, program: Path, *words: str) -> str:
    """The output of a program that succeeds."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST", "PYTHONPATH"))}
    done = subprocess.run([program, *words], cwd=folder, env=own, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
def test_its_own_tests_and_the_tools(environment: Path, tmp_path: Path):
    """In one process: its unit tests, its programs, and the start page with its commands."""
    files = [str(PACKAGE / "test/unit"), str(Path(__file__).with_name("extension_checks.py"))]
    run(tmp_path, environment / "python", "-m", "pytest", "-x", "-p", "no:cacheprovider", *files)


@pytest.mark.slow
def test_its_lit_configuration(environment: Path, tmp_path: Path):
    """One file, since each process that lit starts takes most of a second."""
    program = PACKAGE / "test/filecheck/fir_errors.mlir"
    assert "Passed: 1" in run(tmp_path, environment / "lit", str(program))
