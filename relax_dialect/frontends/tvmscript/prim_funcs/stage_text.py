"""Stages of tensor expressions as blocks of TIR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir import Operation

from relax_dialect import symbolic
from relax_dialect.frontends.tvmscript.prim_funcs.kept import ANNOTATIONS, BLOCK, kept_text
from relax_dialect.frontends.tvmscript.prim_funcs.names import Names
from relax_dialect.frontends.tvmscript.prim_funcs.scalar_text import ScalarText
from relax_dialect.frontends.tvmscript.prim_funcs.size_text import Unwritable, dtype_name
from relax_dialect.symbolic import Expr, product
from relax_dialect.te.assemble import AssembledStage
from relax_dialect.te.generic import ComputeStage
from relax_dialect.te.pad import PadStage
from relax_dialect.te.reduction import Reduction
from relax_dialect.te.reshape import ReshapeStage, reassociation
from relax_dialect.te.scalar import Constant, IterVar, Reduce, Scalar
from relax_dialect.te.tensor import Stage, Tensor


class StageWriter:
    """Writes the stages of one function, in order."""

    def __init__(
        self,
        tensors: Mapping[Tensor, str],
        sizes: Mapping[str, str],
        names: Names,
        narrow: bool,
        precise: Callable[[Constant], float],
        forms: Mapping[Expr, str],
    ):
        self.tensors, self.sizes, self.names, self.narrow = tensors, sizes, names, narrow
        self.precise, self.forms = precise, forms
        self.around: Mapping[Scalar, str] = {}
        """What is known around the blocks."""
        self.op: Operation | None = None
        """The op that the stage comes from which is written."""
        self.allocated: list[str] = []
        """The buffers that stages need besides those of their results."""

    def block(self, stages: Sequence[Stage], op: Operation | None) -> list[str]:
        """The lines of stages that come from one op: those of one loop nest are one block."""
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
        """The lines of a stage."""
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
                raise Unwritable(f"no block for {stage.outputs[0]}")

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
                raise Unwritable("a reduction of several values of which some are dropped")
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
        """What a reduction of nothing gives: TVM runs `T.init` in the first turn, and here is none."""
        starts = [each for each in stage.bodies if isinstance(each, Reduce)]
        bodies = [each.reduction.start[each.index] for each in starts]
        if len(bodies) < len(stage.bodies):
            raise Unwritable("a reduction of nothing beside other results")
        begun = ComputeStage(stage.axes, tuple(bodies))
        begun.outputs = stage.outputs
        return self._compute(begun)

    def _bind(self, reduction: Reduction, at: Mapping[int, str], text: ScalarText) -> None:
        """Accumulators are elements of the results, elements what is reduced."""
        for i, source in enumerate(reduction.sources):
            text.names = {**text.names, reduction.accumulated[i]: at[i]}
            text.alias(reduction.elements[i], source)

    def _block(
        self,
        result: Tensor,
        axes: Sequence[IterVar],
        names: Mapping[Scalar, str],
        body: Sequence[str],
        init: Sequence[str] = (),
        spatial: int | None = None,
    ) -> list[str]:
        """Loops over axes, and a block in them."""
        title = kept_text(self.op, BLOCK) or self.tensors[result]
        annotations = kept_text(self.op, ANNOTATIONS)
        text = self._text(names)
        loops = [names[axis].removeprefix("v_") for axis in axes]
        extents = [text.size(axis.extent) for axis in axes]
        kinds = "".join("S" if spatial is None or i < spatial else "R" for i in range(len(axes)))
        lines: list[str] = []
        indent = ""
        if len(axes) == 1:
            lines.append(f"for {loops[0]} in range({extents[0]}):")
        elif axes:
            lines.append(f"for {', '.join(loops)} in T.grid({', '.join(extents)}):")
        if axes:
            indent = "    "
        lines.append(f'{indent}with T.sblock("{title}"):')
        indent += "    "
        if not axes:
            one, zero = text.number(1), text.number(0)
            lines.append(f"{indent}vi = T.axis.spatial({one}, {zero})")
        elif len(axes) == 1:
            word = "spatial" if kinds == "S" else "reduce"
            lines.append(f"{indent}{names[axes[0]]} = T.axis.{word}({extents[0]}, {loops[0]})")
        else:
            variables = ", ".join(names[axis] for axis in axes)
            lines.append(f'{indent}{variables} = T.axis.remap("{kinds}", [{", ".join(loops)}])')
        if init:
            lines.append(f"{indent}with T.init():")
            lines += [f"{indent}    {each}" for each in init]
        if annotations is not None:
            lines.append(f"{indent}T.sblock_attr({annotations})")
        return [*lines, *(f"{indent}{each}" for each in body)]

    def _axes(
        self, spatial: Sequence[IterVar], reduced: Sequence[IterVar] = ()
    ) -> dict[Scalar, str]:
        names = {axis: f"v_ax{i}" for i, axis in enumerate(spatial)}
        return names | {axis: f"v_k{i}" for i, axis in enumerate(reduced)}  # pyright: ignore

    def _text(self, names: Mapping[Scalar, str]) -> ScalarText:
        names = {**self.around, **names}
        return ScalarText(names, self.tensors, self.sizes, self.narrow, self.precise, self.forms)

    def _elementwise(
        self, result: Tensor, shape: Sequence[Expr], line: Callable[[ScalarText, list[str]], str]
    ) -> list[str]:
        """A block with a line for every index of a shape."""
        axes = [IterVar(f"i{d}", size) for d, size in enumerate(shape)]
        names = self._axes(axes)
        text = self._text(names)
        return self._block(result, axes, names, [line(text, [names[a] for a in axes])])

    # Running reductions

    def _scan(self, stage: ComputeStage) -> list[str]:
        """Loops with an accumulator: a block of all of them, whose steps are taken in order."""
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

    # Pads, views, parts

    def _padded(self, stage: PadStage) -> list[str]:
        (out,), source = stage.outputs, stage.source

        def line(text: ScalarText, at: list[str]) -> str:
            indices, tests = list[str](), list[str]()
            for place, before, own, whole in zip(at, stage.before, source.shape, out.shape):
                indices.append(_moved(text, place, before, "-"))
                if before.value != 0:
                    tests.append(f"{text.size(before)} <= {place}")
                if before + own is not whole:
                    tests.append(f"{place} < {text.size(before + own)}")
            value = f"{self.tensors[source]}[{', '.join(indices) or '()'}]"
            if tests:
                value = (
                    f"T.if_then_else({' and '.join(tests)}, {value}, {text.constant(stage.value)})"
                )
            return f"{self.tensors[out]}[{', '.join(at) or '()'}] = {value}"

        return self._elementwise(out, out.shape, line)

    def _reshaped(self, stage: ReshapeStage) -> list[str]:
        (out,), source = stage.outputs, stage.source
        if any(size.value == 0 for size in out.shape):
            return self._elementwise(
                out,
                out.shape,
                lambda text, at: (
                    f"{self.tensors[out]}[{', '.join(at)}] = "
                    f"{text.constant(Constant(0, out.dtype))}"
                ),
            )
        groups = reassociation(source.shape, out.shape)

        def line(text: ScalarText, at: list[str]) -> str:
            indices = [text.number(0)] * source.ndim
            for old, new in groups:
                flat = _flat(text, [at[d] for d in new], [out.shape[d] for d in new])
                for d, index in zip(old, _split(text, flat, [source.shape[d] for d in old])):
                    indices[d] = index
            place = ", ".join(at) or "()"
            return f"{self.tensors[out]}[{place}] = {self.tensors[source]}[{', '.join(indices)}]"

        return self._elementwise(out, out.shape, line)

    def _assembled(self, stage: AssembledStage) -> list[str]:
        (out,) = stage.outputs
        lines: list[str] = []
        for part in stage.parts:

            def line(text: ScalarText, at: list[str], part=part) -> str:
                place = (
                    ", ".join(_moved(text, i, first, "+") for i, first in zip(at, part.at)) or "()"
                )
                if isinstance(part.source, Constant):
                    value = text.constant(part.source)
                else:
                    where = ", ".join(
                        _stepped(text, i, first, step)
                        for i, first, step in zip(at, part.start, part.steps)
                    )
                    value = f"{self.tensors[part.source]}[{where or '()'}]"
                return f"{self.tensors[out]}[{place}] = {value}"

            lines += self._elementwise(out, part.shape, line)
        return lines


def _indices(names: Mapping[Scalar, str], axes: Sequence[IterVar]) -> str:
    return ", ".join(names[axis] for axis in axes) or "()"


def _regions(
    names: Sequence[str] | Mapping[str, None],
    tensors: Sequence[Tensor],
    known: Mapping[Tensor, str],
    text: ScalarText,
) -> str:
    """All of each tensor."""
    shapes = {known[t]: t.shape for t in tensors}
    return ", ".join(
        f"{name}[{', '.join(f'{text.number(0)}:{text.size(d)}' for d in shapes[name]) or '()'}]"
        for name in names
    )


def _moved(text: ScalarText, place: str, by: Expr, sign: str) -> str:
    """An index that lies elsewhere."""
    if by.value == 0:
        return place
    size = text.size(by)
    return f"{place} {sign} {size if by.value is not None or by.is_variable else f'({size})'}"


def _stepped(text: ScalarText, place: str, first: Expr, step: int) -> str:
    if step == 0:
        return text.size(first)
    moved = place if abs(step) == 1 else f"{place} * {text.number(abs(step))}"
    if step > 0:
        return _moved(text, moved, first, "+")
    return f"{text.size(first)} - {moved}"


def _flat(text: ScalarText, at: Sequence[str], shape: Sequence[Expr]) -> str:
    """The number of an element among those of some dimensions."""
    parts: list[str] = []
    for d, place in enumerate(at):
        if shape[d].value == 1:
            continue
        rest = product(shape[d + 1 :]) if d + 1 < len(shape) else symbolic.const(1)
        parts.append(place if rest.value == 1 else f"{place} * ({text.size(rest)})")
    return " + ".join(parts) or text.number(0)


def _split(text: ScalarText, flat: str, shape: Sequence[Expr]) -> list[str]:
    """The indices of an element by its number."""
    found: list[str] = []
    first = next((d for d, size in enumerate(shape) if size.value != 1), 0)
    for d, size in enumerate(shape):
        if size.value == 1:
            found.append(text.number(0))
            continue
        rest = product(shape[d + 1 :]) if d + 1 < len(shape) else symbolic.const(1)
        index = flat if rest.value == 1 else f"({flat}) // ({text.size(rest)})"
        found.append(index if d == first else f"({index}) % ({text.size(size)})")
    return found
