"""Programs of several ranks: their launcher, and what rank 0 reports to the program that starts them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from lowering.support.mpi import MPI
from relax_dialect import RelaxError

REPORT = "report.json"
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
}
"""Lets Open MPI start more ranks than there are cores, and as root, as MPICH does."""


def check_mpi() -> None:
    """Raise `RelaxError` if MPI is not installed."""
    if missing := [tool for tool in ("mpicc", "mpirun") if shutil.which(tool) is None]:
        raise RelaxError(f"expected {' and '.join(missing)}, found none; install {MPI.install}")


def run_ranks(count: int, file: Path, folder: Path, *options: str) -> Any:
    """Run a Python file on some ranks; return what rank 0 wrote to the report in `folder`."""
    command = ["mpirun", "-n", str(count), sys.executable, str(file), str(folder), *options]
    (folder / REPORT).unlink(missing_ok=True)
    ended = subprocess.run(command, env={**OPEN_MPI, **os.environ}, check=False)
    if ended.returncode != 0:
        raise RelaxError(
            f"{file.name} on {count} ranks: expected success, found an error; see above"
        )
    return json.loads((folder / REPORT).read_text())


def report(folder: Path, content: Any) -> None:
    """Write what `run_ranks` returns."""
    (folder / REPORT).write_text(json.dumps(content))
