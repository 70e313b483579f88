"""examples/distributed: training and writing on several ranks are as on one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.optional import MPI, amount, needs, shortened

EXAMPLE = Path(__file__).parents[3] / "examples" / "distributed"


@needs(MPI)
@pytest.mark.slow
@shortened
def test_losses_and_texts_are_those_of_one_rank(tmp_path: Path):
    command = [
        sys.executable,
        EXAMPLE / "run.py",
        "--steps",
        str(amount(60, 3)),
        "--output",
        tmp_path,
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.count("KiB of weights each") == 3


def test_without_mpi_one_line_says_what_to_install(tmp_path: Path):
    command = [sys.executable, EXAMPLE / "run.py", "--output", tmp_path]
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"PATH": str(tmp_path)}
    )
    assert ended.returncode == 1 and ended.stdout == ""
    wanted = "error: expected mpicc and mpirun, found none; install MPI with mpicc (Debian"
    assert ended.stderr.startswith(wanted), ended.stderr
