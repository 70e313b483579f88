"""OpenMP of a C compiler: its flag, if header and library are installed; the library that is loaded."""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

FLAG = "-fopenmp"

PROGRAM = "#include <omp.h>\nint threads(void) { return omp_get_max_threads(); }\n"

LIBRARIES = ("libgomp.so.1", "libomp.so.5", "libomp.so")
"""The libraries of gcc and clang."""

SHORT_WAIT = {"GOMP_SPINCOUNT": "10000"}
"""Lets threads that wait spin for some 0.2 ms only, which the next loop of a model takes to come: other
processes may need the processor. The count is one of `pause` instructions, 23 ns each on Zen 5. With 20 us,
threads sleep between the loops of a model: an LSTM takes 1.3 to 1.8 times as long on two quiet cores."""


@cache
def openmp_flags(compiler: tuple[str, ...]) -> tuple[str, ...]:
    """Return the flag by which a compiler makes threads; none if it cannot."""
    with tempfile.TemporaryDirectory(prefix="relax-") as folder:
        source = Path(folder) / "threads.c"
        source.write_text(PROGRAM, encoding="utf-8")
        command = [*compiler, FLAG, "-shared", "-fPIC", str(source), "-o", f"{folder}/threads.so"]
        ended = subprocess.run(command, capture_output=True, check=False)
    return (FLAG,) if ended.returncode == 0 else ()


@cache
def keep_loaded() -> None:
    """Keep the OpenMP libraries that are loaded: their threads run after the last model is closed."""
    mode: int | None = getattr(os, "RTLD_NOLOAD", None)
    if mode is None:
        return
    for name in LIBRARIES:
        try:
            ctypes.CDLL(name, mode=mode | os.RTLD_NOW)
        except OSError:  # not loaded
            continue
