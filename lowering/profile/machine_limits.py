"""The limits of one core, measured: operations in f32 and bytes of memory a second."""

from __future__ import annotations

import ctypes
from functools import cache
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from lowering.runtime.c_command import CCommand
from lowering.runtime.shared_object import FLAGS
from lowering.support.c_compiler import find_compiler
from lowering.support.target import find, flags_for
from relax_dialect.errors import RelaxError

BUFFER = 1 << 28
"""The bytes that are read for the bandwidth, more than caches hold."""


class MachineLimits(NamedTuple):
    """The limits of one core."""

    flops: float
    """Additions and multiplications of f32 a second."""
    bandwidth: float
    """Bytes read from memory a second."""


@cache
def machine_limits(cpu: str) -> MachineLimits:
    """Measure the limits of code for a CPU on this machine, which takes a third of a second."""
    target = find(cpu)
    with TemporaryDirectory(prefix="relax-") as folder:
        text = files("lowering.profile").joinpath("limits.c").read_bytes()
        Path(folder, "limits.c").write_bytes(text)
        flags = [flag for group in FLAGS.values() for flag in group]
        compiler = find_compiler(None, target.architecture)
        flags += [*flags_for(compiler, target.flags), f"-DLANES={target.vector_bytes // 4}"]
        command = CCommand(compiler, flags, Path(folder), "limits")
        done = command.run()
        if done.returncode != 0:
            raise RelaxError(f"limits of this machine: the C compiler failed:\n{done.stderr[:500]}")
        measured = ctypes.CDLL(str(command.library))
    measured.peak_flops.restype = measured.peak_bytes.restype = ctypes.c_double
    return MachineLimits(measured.peak_flops(), measured.peak_bytes(ctypes.c_int64(BUFFER)))
