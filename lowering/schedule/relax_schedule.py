"""relax-schedule: linalg ops on memrefs are cut into tiles, by the strategy of their kind.

linalg.generic {matmul}   ->   scf.for ... { scf.for ... { func.call @contract(...) } }

For the kinds, see `strategies.kinds`; for several stages on the same rows, see `strategies.rows`. An op of
none of these kinds stays as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from lowering.external.library_kernel import codegen_of
from lowering.schedule.kernels.decisions import Decisions
from lowering.schedule.memrefs.pack_constants import ConstantPacker
from lowering.schedule.memrefs.tile_functions import TileFunctions
from lowering.schedule.regroup.distribute_over_concat import compute_by_parts
from lowering.schedule.regroup.elementwise_through_view import expand_followers
from lowering.schedule.schedule import Schedule, parse, text
from lowering.schedule.scheduler import Scheduler
from lowering.support.target import NATIVE, Cpu
from lowering.support.target import find as find_cpu
from relax_dialect.errors import RelaxError
from relax_dialect.prim.signature import SCHEDULES
from relax_dialect.text.wording import nearest


def schedule(
    module: ModuleOp,
    cpu: Cpu,
    schedules: Mapping[str, Schedule] | None = None,
    decisions: Decisions | None = None,
) -> Mapping[str, Schedule]:
    """Schedule every prim func of a module, in place.

    `schedules`: the schedules of kernels, by prim func, `name`, or `name#1` for the second of its generics;
    they precede the schedules of prim funcs (`relax.schedule`), and these the strategies, whose decisions
    are the defaults unless `decisions` wants others. Returns the schedules that were applied. Raises
    `RelaxError` for names that the module lacks.
    """
    functions, packer = TileFunctions(module), ConstantPacker(module)
    prim_funcs = [
        op
        for op in module.ops
        if isinstance(op, FuncOp) and len(op.body.blocks) == 1 and codegen_of(op) is None
    ]
    given = schedules or {}
    _check_names(given, {op.sym_name.data for op in prim_funcs})
    taken: dict[str, Schedule] = {}
    for function in prim_funcs:
        prepare(function)
        Scheduler(function, cpu, functions, packer, given, taken, decisions or Decisions()).run()
    return taken


def prepare(function: FuncOp) -> None:
    """Bring a prim func into the form whose ops are numbered as kernels."""
    compute_by_parts(function)
    expand_followers(function)


def _check_names(given: Mapping[str, Schedule], known: set[str]) -> None:
    for name in given:
        if (function := name.partition("#")[0]) not in known:
            meant = nearest(function, known)
            raise RelaxError(
                f"schedule of @{name}: expected one of the prim funcs {', '.join(sorted(known))}, found "
                f"none of this name; " + (f"is @{meant} meant?" if meant else "correct the name")
            )


@dataclass(frozen=True)
class SchedulePass(ModulePass):
    """linalg on memrefs in tiles: see this file's docstring."""

    name = "relax-schedule"

    cpu: str = NATIVE
    file: str | None = None
    """A file of schedules, as `lowering.schedule.schedule` describes it."""
    print: bool = False
    """Whether the schedules that are done are printed, to the standard error, as such a file."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        given: dict[str, Schedule] = {}
        attribute = op.attributes.pop(SCHEDULES, None)
        if isinstance(attribute, StringAttr):
            given |= parse(attribute.data, SCHEDULES)
        if self.file is not None:
            given |= _read(self.file)
        taken = schedule(op, find_cpu(self.cpu), given)
        if self.print:
            for name, steps in taken.items():
                sys.stderr.write(f"@{name}:\n{text(steps)}")


def _read(file: str) -> Mapping[str, Schedule]:
    try:
        source = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RelaxError(
            f"relax-schedule: expected a file of schedules as {file}, found none that can be read: "
            f"{error}; correct the name"
        ) from None
    return parse(source, file)
