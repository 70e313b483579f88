"""The target `c`: prints a module of functions on memrefs as C."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from lowering.emit_c.c_module import emit
from lowering.support.target import NATIVE
from relax_dialect.errors import RelaxError


@dataclass(frozen=True)
class CTarget(Target):
    """`relax-opt -t c{model=model cpu=native}`: one file that holds everything, to be linked with -lm.

    `header` names a file for the header, and `weights` one for constants above 4096 bytes; with `arena`
    callers provide the memory.
    """

    name = "c"

    model: str = "model"
    cpu: str = NATIVE
    header: str | None = None
    weights: str | None = None
    arena: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        source = emit(
            module,
            self.model,
            cpu=self.cpu,
            has_arena=self.arena,
            has_file=self.weights is not None,
        )
        if self.weights is not None and source.weights is not None:
            write("weights", self.weights, bytes(source.weights))
        if self.header is None:
            output.write(source.alone())
            return
        write("header", self.header, source.h.encode())
        own = f'#include "{self.model}.h"\n'
        output.write(source.c.replace(own, f'#include "{Path(self.header).name}"\n', 1))


def write(option: str, path: str, content: bytes | memoryview) -> None:
    """Write a file that an option names."""
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise RelaxError(
            f"{option} {path}: expected a file that can be written, found none: {error.strerror}; name "
            "another one"
        ) from None
