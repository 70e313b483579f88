"""Stages that move elements as blocks of TIR: pads, views and assembled parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir import Operation

from relax_dialect import symbolic
from relax_dialect.frontends.tvmscript.prim_funcs.kept import ANNOTATIONS, BLOCK, kept_text
from relax_dialect.frontends.tvmscript.prim_funcs.writing.scalar_text import ScalarText
from relax_dialect.frontends.tvmscript.prim_funcs.writing.tir_names import TirNames
from relax_dialect.symbolic import Expr, product
from relax_dialect.te.assemble import AssembledStage
from relax_dialect.te.pad import PadStage
from relax_dialect.te.reshape import ReshapeStage, reassociation
from relax_dialect.te.scalar import IterVar, Scalar, ScalarConstant
from relax_dialect.te.tensor import Tensor


class BlockWriter:
    """Writes blocks of one function, in order."""

    def __init__(
        self,
        tensors: Mapping[Tensor, str],
        sizes: Mapping[str, str],
        names: TirNames,
        narrow: bool,
        precise: Callable[[ScalarConstant], float],
        forms: Mapping[Expr, str],
    ):
        self.tensors, self.sizes, self.names, self.narrow = tensors, sizes, names, narrow
        self.precise, self.forms = precise, forms
        self.around: Mapping[Scalar, str] = {}
        """The names that are bound around the blocks."""
        self.op: Operation | None = None
        """The source op of the stage being written."""
        self.allocated: list[str] = []
        """The buffers that stages need besides their results."""

    def _block(
        self,
        result: Tensor,
        axes: Sequence[IterVar],
        names: Mapping[Scalar, str],
        body: Sequence[str],
        init: Sequence[str] = (),
        spatial: int | None = None,
    ) -> list[str]:
        """Write loops over axes, and a block in them."""
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
        """Write a block with a line for every index of a shape."""
        axes = [IterVar(f"i{d}", size) for d, size in enumerate(shape)]
        names = self._axes(axes)
        text = self._text(names)
        return self._block(result, axes, names, [line(text, [names[a] for a in axes])])


class MovedWriter(BlockWriter):
    """Writes the stages that compute nothing."""

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
                    f"{text.constant(ScalarConstant(0, out.dtype))}"
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
                if isinstance(part.source, ScalarConstant):
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


def _moved(text: ScalarText, place: str, by: Expr, sign: str) -> str:
    """Return the text of an index that is moved."""
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
    """Return the flat index of an element."""
    parts: list[str] = []
    for d, place in enumerate(at):
        if shape[d].value == 1:
            continue
        rest = product(shape[d + 1 :]) if d + 1 < len(shape) else symbolic.const(1)
        parts.append(place if rest.value == 1 else f"{place} * ({text.size(rest)})")
    return " + ".join(parts) or text.number(0)


def _split(text: ScalarText, flat: str, shape: Sequence[Expr]) -> list[str]:
    """Return the indices of an element by its flat index."""
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
