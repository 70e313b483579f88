"""Blocks of TIR with the loops around them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir import Operation

from relax_dialect.frontends.tvmscript.prim_funcs.kept import ANNOTATIONS, BLOCK, kept_text
from relax_dialect.frontends.tvmscript.prim_funcs.scalar_text import ScalarText
from relax_dialect.frontends.tvmscript.prim_funcs.tir_names import TirNames
from relax_dialect.symbolic import Expr
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
