"""`te.reshape`: the elements of a tensor, in the order in which they lie in memory, under another shape.

%y = tensor.expand_shape %x [[0, 1], [2]] output_shape [%n, 2, 4] : tensor<?x4xf32> into tensor<?x2x4xf32>

It is a view, and an axis that is split is two axes from then on, which other stages read by plain
subscripts, without dividing an index. Dimensions are matched in the smallest groups of equally many
elements; several of one side are collapsed, and then expanded to several of the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, IntegerAttr, TensorType, i64
from xdsl.ir import SSAValue

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError
from relax_dialect.prim.run_time_checks import hole, shape_holes
from relax_dialect.symbolic import Expr, product
from relax_dialect.te.compute import compute
from relax_dialect.te.emit.scalar_emitter import FunctionEmitter
from relax_dialect.te.scalar import Scalar
from relax_dialect.te.tensor import Dim, Requirement, Stage, Tensor, as_shape, shape_text

Group: TypeAlias = tuple[range, range]
"""Dimensions before and after that hold equally many elements."""


@dataclass(eq=False)
class ReshapeStage(Stage):
    """A tensor under another shape."""

    source: Tensor

    @property
    def scalars(self) -> Iterable[Scalar]:
        return ()

    @property
    def reads(self) -> Iterable[Tensor]:
        return (self.source,)

    @property
    def sizes(self) -> Iterable[Expr]:
        return self.source.shape

    def bounds_to_check(self, bounds: Any, around: Sequence[Expr]) -> Iterator[Requirement]:
        (out,) = self.outputs
        old, new = product(self.source.shape), product(out.shape)
        if old is not new:
            message = (
                f"te.reshape '{out.name}': expected a shape of as many elements as "
                f"{shape_holes(self.source.shape)} ({hole(old)}), found {shape_holes(out.shape)} "
                f"({hole(new)}); correct the shape"
            )
            yield Requirement(message, new, (old,), shows=True)

    def emit(self, function: FunctionEmitter) -> Sequence[SSAValue]:
        (out,), source = self.outputs, self.source
        if any(size.value == 0 for size in (*source.shape, *out.shape)):
            return (function.empty(out.shape, out.dtype, out.name),)
        groups = reassociation(source.shape, out.shape)
        old, new = ([pair[side] for pair in groups] for side in (0, 1))
        given = function.tensors[source]
        value = self._collapsed(function, given, source.shape, old)
        value = self._cast(function, value, _collapsed_sizes(out.shape, new))
        if _joins(out.shape, new):
            shape = [DYNAMIC_INDEX if d.value is None else d.value for d in out.shape]
            sizes = [function.extent(d) for d in out.shape if d.value is None]
            expand = tensor.ExpandShapeOp(
                value, sizes, _attribute(new), shape, TensorType(out.dtype, shape)
            )
            value = function.scope.add(expand, out.name)
        return (value,)

    def _collapsed(
        self,
        function: FunctionEmitter,
        value: SSAValue,
        shape: Sequence[Expr],
        groups: Sequence[range],
    ) -> SSAValue:
        if not _joins(shape, groups):
            return value
        collapse = tensor.CollapseShapeOp(
            operands=[value],
            result_types=[TensorType(self.source.dtype, _collapsed_sizes(shape, groups))],
            properties={"reassociation": _attribute(groups)},
        )
        return function.scope.add(collapse, self.outputs[0].name)

    def _cast(self, function: FunctionEmitter, value: SSAValue, sizes: Sequence[int]) -> SSAValue:
        """Cast to the expected type, whose sizes are checked to be equal at run time."""
        wanted = TensorType(self.source.dtype, sizes)
        if value.type == wanted:
            return value
        return function.scope.add(tensor.CastOp(value, wanted), self.outputs[0].name)


def reassociation(old: Sequence[Expr], new: Sequence[Expr]) -> list[Group]:
    """Return the smallest runs of dimensions that hold equally many elements on both sides, all of them in
    order; dimensions of size 1 belong to the run before them. None if one side has no dimension."""
    if not old or not new:
        return []
    a, b = ([d for d, size in enumerate(shape) if size.value != 1] for shape in (old, new))
    ends: dict[Expr, int] = {}
    for end in range(1, len(a)):
        ends.setdefault(product(old[d] for d in a[:end]), end)
    starts, last = [(0, 0)], 0
    for b_end in range(1, len(b)):
        a_end = ends.get(product(new[d] for d in b[:b_end]), 0)
        if a_end > last:
            starts.append((a[a_end], b[b_end]))
            last = a_end
    stops = [*starts[1:], (len(old), len(new))]
    return [(range(i, k), range(j, n)) for (i, j), (k, n) in zip(starts, stops)]


def _joins(shape: Sequence[Expr], groups: Sequence[range]) -> bool:
    """Return whether a shape has other dimensions than one for each group."""
    return len(shape) != len(groups)


def _collapsed_sizes(shape: Sequence[Expr], groups: Sequence[range]) -> list[int]:
    """Return the size of every group, dynamic if one of its dimensions is."""
    sizes = list[int]()
    for group in groups:
        known = [shape[d].value for d in group]
        static = [size for size in known if size is not None]
        whole = symbolic.product(map(symbolic.const, static)).value
        sizes.append(DYNAMIC_INDEX if len(static) < len(known) or whole is None else whole)
    return sizes


def _attribute(groups: Sequence[range]) -> ArrayAttr[ArrayAttr[IntegerAttr]]:
    return ArrayAttr([ArrayAttr([IntegerAttr(d, i64) for d in group]) for group in groups])


def reshape(
    source: Tensor,
    shape: Sequence[Dim] | Dim,
    name: str = "reshaped",
    requires: Sequence[Requirement] = (),
) -> Tensor:
    """Return the elements of `source` under another shape; the requirements on sizes, `requires`, are
    checked first.

    ```python
    blocks = te.reshape(x, (n, 2, 4))   # x is [2 * n, 4]
    ```
    """
    sizes = as_shape(shape)
    if symbolic.differ_unless_empty(product(source.shape), product(sizes)):
        raise RelaxError(
            f"te.reshape '{name}': expected a shape of as many elements as {source}, found "
            f"[{shape_text(sizes)}]; correct the shape"
        )
    if not source.ndim:
        return compute(sizes, lambda *_: source[()], name=name, requires=requires)
    stage = ReshapeStage(source)
    stage.requires = tuple(requires)
    return stage.produce(sizes, source.dtype, name)
