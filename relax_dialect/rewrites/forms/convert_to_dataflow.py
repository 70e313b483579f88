"""relax-convert-to-dataflow: runs of pure bindings become dataflow blocks.

```mlir
%u = relax.binding_block {                     %a = relax.dataflow {
  %a = relax.exp %x : (T) -> T                   %a = relax.exp %x : (T) -> T
  %u = relax.call_packed "f"(%a) : ...           relax.output %a : T
  relax.output %u : T                   ->     }
}                                              %u = relax.binding_block {
                                                 %u = relax.call_packed "f"(%a) : ...
                                                 relax.output %u : T
                                               }
```

Effects and control flow end a run, and so does a `match_*` of a variable that the run, or a region in it,
names already: in ordered text the second one is a check, in a graph region this would be ambiguous. A run
is contained in one binding block, or between two blocks of the sequence: an op that crossed a block could
pass an effect. `{min-size=n}` leaves runs of fewer ops unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from relax_dialect.errors import RelaxError
from relax_dialect.ir.purity import ModuleSymbols, is_pure, module_by_module
from relax_dialect.ir.symbol_scopes import candidate_symbols, named_symbols
from relax_dialect.ir.traits import ControlFlow, RegionKind, has_trait
from relax_dialect.ops.blocks import BindingBlockOp, BlockOp, DataflowOp
from relax_dialect.transform.regions import bodies, dissolve, enclose, functions, remake


@dataclass
class _DataflowRun:
    """Neighbouring ops all of which may be in a dataflow block, or none."""

    ops: list[Operation]
    is_dataflow: bool


def _may_stand_in_dataflow(op: Operation, lookup: ModuleSymbols) -> bool:
    """Return whether an op is pure, without control flow or a region whose order its parent decides."""
    if op.regions and any(True for _ in op.get_traits_of_type(RegionKind)):
        return False
    return not has_trait(op, ControlFlow) and is_pure(op, lookup)


def _runs(ops: Sequence[Operation], lookup: ModuleSymbols, min_size: int) -> list[_DataflowRun]:
    runs: list[_DataflowRun] = []
    named: set[str] = set()
    for op in ops:
        pure = _may_stand_in_dataflow(op, lookup)
        candidates = candidate_symbols(op) if pure else ()
        if not runs or runs[-1].is_dataflow is not pure or not named.isdisjoint(candidates):
            runs.append(_DataflowRun([], pure))
            named.clear()
        runs[-1].ops.append(op)
        if pure:
            named.update(named_symbols(op))
    for run in runs:
        run.is_dataflow &= len(run.ops) >= min_size
    return runs


def _convert(sequence: Sequence[Operation], lookup: ModuleSymbols, min_size: int) -> None:
    """Convert the runs between the blocks of a sequence, and the runs in its binding blocks."""
    for is_block, group in groupby(sequence, lambda op: isinstance(op, BlockOp)):
        if not is_block:
            for run in _runs(list(group), lookup, min_size):
                if run.is_dataflow:
                    enclose(run.ops, DataflowOp)
            continue
        for block in group:
            if isinstance(block, BindingBlockOp):
                _split(block, lookup, min_size)


def _split(block: BindingBlockOp, lookup: ModuleSymbols, min_size: int) -> None:
    """Replace a binding block by one block, or by several."""
    ops = [op for op in block.body.block.ops if not has_trait(op, IsTerminator)]
    runs = _runs(ops, lookup, min_size)
    if len(runs) == 1 and runs[0].is_dataflow:
        remake(block, range(len(block.results)), DataflowOp)
    elif any(run.is_dataflow for run in runs):
        dissolve(block)
        for is_dataflow, group in groupby(runs, lambda run: run.is_dataflow):
            if is_dataflow:
                for run in group:
                    enclose(run.ops, DataflowOp)
            else:
                enclose([op for run in group for op in run.ops], BindingBlockOp)


def convert_to_dataflow(module: ModuleOp, min_size: int = 1) -> None:
    """Make dataflow blocks of the runs of at least `min_size` pure bindings."""
    if min_size < 1:
        raise RelaxError(
            f"relax-convert-to-dataflow: expected a min-size of at least 1, found {min_size}; "
            "leave the option out to convert every run"
        )
    for function, lookup in module_by_module(functions(module)):
        for body in list(bodies(function)):
            if body.is_sequence:
                ops = [op for op in body.block.ops if not has_trait(op, IsTerminator)]
                _convert(ops, lookup, min_size)


@dataclass(frozen=True)
class ConvertToDataflowPass(ModulePass):
    """Convert runs of pure bindings into dataflow blocks."""

    name = "relax-convert-to-dataflow"

    min_size: int = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert_to_dataflow(op, self.min_size)
