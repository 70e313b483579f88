"""The compiled program: how long the C compiler takes, and the size of the shared object."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from lowering.emit_c.syntax.c_source import CSource
from lowering.runtime.shared_object import c_command, compile_c
from relax_dialect.errors import RelaxError


@dataclass(frozen=True)
class MachineCode:
    """A compilation of C; without a compiler for the CPU, why there is none."""

    compiler: str = ""
    seconds: float = 0.0
    size: int = 0
    """In bytes."""
    missing: str = ""


def machine_code(source: CSource) -> MachineCode:
    """Compile C as `relax-compile` does, and throw it away."""
    with TemporaryDirectory(prefix="relax-explore-") as folder:
        try:
            compiler = Path(c_command(source, folder).compiler[0]).name
            began = time.perf_counter()
            library = compile_c(source, folder, cache=False)
        except RelaxError as error:
            return MachineCode(missing=str(error).partition("\n")[0])
        return MachineCode(compiler, time.perf_counter() - began, library.stat().st_size)
