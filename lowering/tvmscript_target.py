"""The target `tvmscript`: prints a module as a script of TVM's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.target import Target

from relax_dialect.frontends import tvmscript


@dataclass(frozen=True)
class TvmScriptTarget(Target):
    """`relax-opt -t tvmscript`: text for `tvm.script.from_source`."""

    name = "tvmscript"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(tvmscript.dump(module))
