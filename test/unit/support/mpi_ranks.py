"""Compiled programs under `mpirun`: many in one run, as it takes long to start.

`run_ranks(text, calls, ranks)` compiles a program to an artifact, and runs this file on each rank, which makes the calls.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from support.optional import UNOPTIMISED

import lowering
from relax_dialect import parse
from relax_dialect.errors import RelaxError

TIMEOUT = 300
"""Seconds after which ranks that wait for each other are ended."""

LAUNCH = ("mpirun", "-n")


@dataclass
class RankCall:
    """A call of a function, with its arguments on each rank."""

    function: str
    arguments: Sequence[Sequence[Any]]


def launch(ranks: int, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a Python file on some ranks; Open MPI wants to be asked for more of them than cores, and by root."""
    allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    allowed["PYTHONPATH"] = os.pathsep.join(sys.path)
    allowed["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    return subprocess.run(
        [*LAUNCH, str(ranks), sys.executable, *map(str, command)],
        env={**os.environ, **allowed}, capture_output=True, text=True, timeout=TIMEOUT, check=False,
    )  # fmt: skip


def run_ranks(text: str, calls: Sequence[RankCall], ranks: int, **options: Any) -> list[list[Any]]:
    """Compile a program once and call its functions on some ranks; return, for each call, the result of each rank, or
    the text of its error. `options` are those of `lowering.compile`."""
    with TemporaryDirectory(prefix="ranks-") as name:
        folder = Path(name)
        lowering.compile(
            parse(text), "program", directory=folder, extra_flags=UNOPTIMISED, **options
        )
        (folder / "calls").write_bytes(pickle.dumps(list(calls)))
        ended = launch(ranks, __file__, folder)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        found = [pickle.loads((folder / f"results{r}").read_bytes()) for r in range(ranks)]
        return [list(results) for results in zip(*found)]


def run_here(folder: Path) -> None:
    """Make all calls on this rank."""
    model = lowering.load(folder / "program")
    found: list[Any] = []
    for call in pickle.loads((folder / "calls").read_bytes()):
        try:
            found.append(model[call.function](*call.arguments[model.rank]))
        except RelaxError as error:
            found.append(str(error))
    (folder / f"results{model.rank}").write_bytes(pickle.dumps(found))


if __name__ == "__main__":
    import support.mpi_ranks as own  # the classes of what is read are those of the module

    own.run_here(Path(sys.argv[1]))
