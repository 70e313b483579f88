"""Stages of tensor expressions as blocks of TIR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from relax_dialect.frontends.tvmscript.prim_funcs.writing.moved_text import MovedWriter
from relax_dialect.frontends.tvmscript.prim_funcs.writing.scalar_text import ScalarText
from relax_dialect.frontends.tvmscript.prim_funcs.writing.size_text import (
    UnwritablePrimFunc,
    dtype_name,
)
from relax_dialect.te.assemble import AssembledStage
from relax_dialect.te.emit.generic import ComputeStage
from relax_dialect.te.pad import PadStage
from relax_dialect.te.reduction import Reduction
from relax_dialect.te.reshape import ReshapeStage
from relax_dialect.te.scalar import IterVar, Reduce, Scalar
from relax_dialect.te.tensor import Stage, Tensor


class StageWriter(MovedWriter):
    """Writes the stages of one function, in order."""

    def block(self, stages: Sequence[Stage], op: Operation | None) -> list[str]:
        """Return the lines of the stages of one op: those of one loop nest are one block."""
        self.op = op
        first = stages[0]
        if len(stages) > 1 and isinstance(first, ComputeStage):
            computes = [s for s in stages if isinstance(s, ComputeStage)]
            alike = all(
                (s.axes, s.reduce_axes) == (first.axes, first.reduce_axes) for s in computes
            )
            if alike and first.scanned is None and len(computes) == len(stages):
                joined = ComputeStage(first.axes, tuple(b for s in computes for b in s.bodies))
                joined.outputs = tuple(t for s in computes for t in s.outputs)
                return self._compute(joined)
        return [line for stage in stages for line in self.stage(stage)]

    def stage(self, stage: Stage) -> list[str]:
        """Return the lines of a stage."""
        match stage:
            case ComputeStage() if stage.scanned is not None:
                return self._scan(stage)
            case ComputeStage():
                return self._compute(stage)
            case PadStage():
                return self._padded(stage)
            case ReshapeStage():
                return self._reshaped(stage)
            case AssembledStage():
                return self._assembled(stage)
            case _:
                raise UnwritablePrimFunc(f"no block for {stage.outputs[0]}")

    # Blocks

    def _compute(self, stage: ComputeStage) -> list[str]:
        if any(axis.extent.value == 0 for axis in stage.reduce_axes):
            return self._started(stage)
        axes = [*stage.axes, *stage.reduce_axes]
        names = self._axes(stage.axes, stage.reduce_axes)
        text = self._text(names)
        places = [f"{self.tensors[t]}[{_indices(names, stage.axes)}]" for t in stage.outputs]
        init: list[str] = []
        body: list[str] = []
        values: list[str] = []
        for place, each in zip(places, stage.bodies):
            if isinstance(each, Reduce):
                init.append(f"{place} = {text.constant(each.reduction.start[each.index])}")
        for reduction in stage.reductions:
            at = {b.index: p for p, b in zip(places, stage.bodies)
                  if isinstance(b, Reduce) and b.reduction is reduction}  # fmt: skip
            if len(at) < len(reduction.sources):
                raise UnwritablePrimFunc("a reduction of several values of which some are dropped")
            self._bind(reduction, at, text)
        for each in stage.bodies:
            node = each.reduction.joined[each.index] if isinstance(each, Reduce) else each
            values.append(text.write(node))
        if len(values) > 1 and init:
            lets = [self.names.fresh(f"new_{self.tensors[t]}") for t in stage.outputs]
            for let, value, each in zip(lets, values, stage.outputs):
                body.append(f"{let}: T.let[T.{dtype_name(each.dtype)}] = {value}")
            values = lets
        body += [f"{place} = {value}" for place, value in zip(places, values)]
        return self._block(stage.outputs[0], axes, names, body, init, len(stage.axes))

    def _started(self, stage: ComputeStage) -> list[str]:
        """Write the initial value of an empty reduction: TVM runs `T.init` in the first iteration, which is
        missing."""
        starts = [each for each in stage.bodies if isinstance(each, Reduce)]
        bodies = [each.reduction.start[each.index] for each in starts]
        if len(bodies) < len(stage.bodies):
            raise UnwritablePrimFunc("a reduction of nothing beside other results")
        begun = ComputeStage(stage.axes, tuple(bodies))
        begun.outputs = stage.outputs
        return self._compute(begun)

    def _bind(self, reduction: Reduction, at: Mapping[int, str], text: ScalarText) -> None:
        """Bind accumulators to elements of the results, and elements to the reduced tensors."""
        for i, source in enumerate(reduction.sources):
            text.names = {**text.names, reduction.accumulated[i]: at[i]}
            text.alias(reduction.elements[i], source)

    # Running reductions

    def _scan(self, stage: ComputeStage) -> list[str]:
        """Write loops with an accumulator: a block of all of them, whose steps are taken in order."""
        axis = stage.scanned
        assert axis is not None
        lines: list[str] = []
        for reduction in stage.reductions:
            names: dict[Scalar, str] = {a: f"ax{i}" for i, a in enumerate(stage.axes)}
            text = self._text(names)
            at: dict[int, str] = {}
            for i, source in enumerate(reduction.sources):
                total = self.names.fresh("total")
                dtype = dtype_name(source.dtype)
                self.allocated.append(
                    f'{total} = T.sblock_alloc_buffer(({text.number(1)},), "{dtype}")'
                )
                at[i] = f"{total}[{text.number(0)}]"
            self._bind(reduction, at, text)
            kept = [a for a in stage.axes if a is not axis]
            order = [*kept, axis]
            lets = [self.names.fresh("new") for _ in at]
            stores = [
                f"{self.tensors[t]}[{_indices(names, stage.axes)}] = {at[b.index]}"
                for t, b in zip(stage.outputs, stage.bodies)
                if isinstance(b, Reduce) and b.reduction is reduction
            ]
            steps = [
                f"{let}: T.let[T.{dtype_name(s.dtype)}] = {text.write(j)}"
                for let, s, j in zip(lets, reduction.sources, reduction.joined)
            ]
            steps += [f"{at[i]} = {let}" for i, let in enumerate(lets)]
            inner = [*stores, *steps] if reduction.exclusive else [*steps, *stores]
            lines.append(f'with T.sblock("{self.tensors[stage.outputs[0]]}"):')
            reads = dict.fromkeys(self.tensors[t] for t in stage.reads)
            writes = [self.tensors[t] for t in stage.outputs]
            lines += [f"    T.reads({_regions(reads, stage.reads, self.tensors, text)})"]
            lines += [f"    T.writes({_regions(writes, stage.outputs, self.tensors, text)})"]
            indent = "    "
            for each in order:
                if each is axis:
                    starts = enumerate(reduction.start)
                    lines += [f"{indent}{at[i]} = {text.constant(s)}" for i, s in starts]
                lines.append(f"{indent}for {names[each]} in range({text.size(each.extent)}):")
                indent += "    "
            lines += [f"{indent}{each}" for each in inner]
        return lines


def _indices(names: Mapping[Scalar, str], axes: Sequence[IterVar]) -> str:
    return ", ".join(names[axis] for axis in axes) or "()"


def _regions(
    names: Sequence[str] | Mapping[str, None],
    tensors: Sequence[Tensor],
    known: Mapping[Tensor, str],
    text: ScalarText,
) -> str:
    """Return the regions of whole tensors."""
    shapes = {known[t]: t.shape for t in tensors}
    return ", ".join(
        f"{name}[{', '.join(f'{text.number(0)}:{text.size(d)}' for d in shapes[name]) or '()'}]"
        for name in names
    )
