"""MPI as the C compiler and the loader see it: its header, and the flags that `mpicc` has."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from functools import cache

from lowering.support.external_library import ExternalLibrary
from relax_dialect.errors import RelaxError

WRAPPER = "mpicc"

MPI_PREFIX = "relax.mpi."
"""The beginning of the names of external functions that targets implement by MPI."""

MPI = ExternalLibrary(
    "mpi",
    includes=("mpi.h",),
    reserved=r"P?MPIX?_\w+|P?QMPI_\w+|mpi_\w+|MPICH\w*|OMPI_\w+|ompi_\w+",
    install="MPI with mpicc (Debian and Ubuntu: libmpich-dev and mpich, or libopenmpi-dev)",
    wrapper=WRAPPER,
)


def wrapper_flags() -> tuple[list[str], list[str]]:
    """Return the flags for the compiler, then those for the linker, that `mpicc` or $MPICC adds."""
    command = os.environ.get("MPICC") or WRAPPER
    if shutil.which(command) is None:
        raise RelaxError(
            f"C compiler: expected {command}, since the program communicates with other ranks, found "
            f"none; install {MPI.install}, or set MPICC to its compiler"
        )
    return _flags_of(command)


@cache
def _flags_of(command: str) -> tuple[list[str], list[str]]:
    shown = subprocess.run([command, "-show"], capture_output=True, text=True, check=False)
    words = shlex.split(shown.stdout)[1:]
    includes = [word for word in words if word.startswith("-I")]
    return includes, [word for word in words if word.startswith(("-L", "-l", "-Wl,", "-pthread"))]
