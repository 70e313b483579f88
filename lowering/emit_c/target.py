"""The target `c`: prints a module of functions on memrefs as C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from lowering.emit_c.module import emit
from lowering.target import NATIVE


@dataclass(frozen=True)
class CTarget(Target):
    """`relax-opt -t c{model=model cpu=native}`: the text of `model.c`; big constants stay out of it."""

    name = "c"

    model: str = "model"
    cpu: str = NATIVE

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(emit(module, self.model, cpu=self.cpu).c)
