"""Operators that make one tensor of several, or several of one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import ClassVar

from xdsl.ir import Attribute
from xdsl.irdl import (
    var_result_def,
)

from relax_dialect import symbolic
from relax_dialect.ir.types import Dim, Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import (
    Given,
    Operand,
    Operands,
    OptionalAxes,
    integer,
    ints,
    many_tensors,
    one_axis,
    string,
    tensor,
)
from relax_dialect.ops.kinds import FOLLOW, K_INJECTIVE
from relax_dialect.ops.manipulate import element_count
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.rules import shared_dim, shared_dtype
from relax_dialect.ops.type_rules import Rank, tensor_type
from relax_dialect.symbolic import Expr, SymbolicOverflow

MOST_PIECES = 1 << 12
"""The maximum number of pieces of a tensor: each is a result of the op."""


class JoinOp(OperatorOp):
    """An operator that makes one tensor of one or more.

    (C1) There is at least one tensor, and all have one element type, which is that of the result.
    """

    PATTERN_KIND: ClassVar = K_INJECTIVE
    PRECISION: ClassVar = FOLLOW

    tensors: Operands = many_tensors()
    axis: int | None = one_axis("tensors", "C3", default=0, absent=None)

    def operand_dtype(self) -> Attribute | None:
        """Return the one element type of the tensors."""
        require_tensors(self, len(self.tensors), "C1")
        return shared_dtype(self, [tensor_type(x) for x in self.tensors])

    def operand_shapes(self) -> list[Dims]:
        """Return the shapes of those tensors whose rank is known."""
        return [shape for x in self.tensors if (shape := tensor_type(x).shape) is not None]

    def require_one_rank(self, shapes: Sequence[Dims], constraint: str) -> None:
        """Refuse tensors that are known to differ in rank."""
        ranks = list(dict.fromkeys(len(shape) for shape in shapes))
        if len(ranks) > 1:
            self.fail(
                f"tensors of one rank ({constraint})",
                " and ".join(map(str, ranks)),
                "add dimensions with relax.expand_dims",
            )


def require_tensors(op: OperatorOp, count: int, constraint: str) -> None:
    """Refuse an operator without any operand."""
    if not count:
        op.fail(f"one tensor or more ({constraint})", "none", "name the tensors")


@operator("relax.concat")
class ConcatOp(JoinOp):
    """The tensors one after the other along an axis; without `axis`, their elements as a vector.

    (C2) All have the same rank, unless `axis` is absent.
    (C3) The axis is within -rank..rank-1.
    (C4) Their sizes along the other axes are equal; checked at run time unless proved.
    """

    STORES: ClassVar = True

    DEMAND: ClassVar = "operands of equal sizes but along the axis they are joined at"

    def infer(self) -> Sequence[Attribute]:
        dtype, shapes = self.operand_dtype(), self.operand_shapes()
        all_known = len(shapes) == len(self.tensors)
        if self.axis is None:
            counts = [element_count(tensor_type(x).shape) for x in self.tensors]
            return (TensorType.get((_total(counts),), dtype),)
        self.require_one_rank(shapes, "C2")
        if not shapes:
            return (TensorType.get(None, dtype),)
        axis = self.axis_of(len(shapes[0]))
        along = _total([shape[axis] for shape in shapes]) if all_known else None
        result = tuple(
            along if d == axis else shared_dim(self, sizes, f"along axis {d}", "C4")
            for d, sizes in enumerate(zip(*shapes))
        )
        return (TensorType.get(result, dtype),)

    @property
    def joins_in_memory(self) -> bool:
        """Whether the tensors lie one after the other in the result: nothing varies before the axis."""
        shape = tensor_type(self.result).shape
        if shape is None or self.axis is None:
            return shape is not None
        before = shape[: self.axis_of(len(shape))]
        return all(size is not None and size.value == 1 for size in before)


def _total(sizes: Sequence[Dim]) -> Dim:
    """Return the sum of sizes, None if one of them is not known."""
    known = [size for size in sizes if size is not None]
    try:
        return symbolic.total(known) if len(known) == len(sizes) else None
    except SymbolicOverflow:
        return None


@operator("relax.stack")
class StackOp(JoinOp):
    """Tensors of one shape one after the other along a new axis.

    (C2) All have the same rank.
    (C3) The axis is within -rank..rank-1 of the result.
    (C4) Their sizes are equal; checked at run time unless proved.
    """

    STORES: ClassVar = True

    DEMAND: ClassVar = "operands of equal sizes"

    axis: int = one_axis("result", "C3", default=0, shown=True)

    def infer(self) -> Sequence[Attribute]:
        dtype, shapes = self.operand_dtype(), self.operand_shapes()
        self.require_one_rank(shapes, "C2")
        if not shapes:
            return (TensorType.get(None, dtype),)
        result = [
            shared_dim(self, sizes, f"along axis {d}", "C4") for d, sizes in enumerate(zip(*shapes))
        ]
        result.insert(self.axis_of(len(result) + 1), symbolic.const(len(self.tensors)))
        return (TensorType.get(tuple(result), dtype),)


@operator("relax.split", K_INJECTIVE, FOLLOW)
class SplitOp(OperatorOp):
    """The pieces of a tensor along an axis, as numpy's slices take them.

    `sections` is the number of pieces, each as long as the size over their number, rounded up, except the
    last ones, which take the rest. With `indices` a piece ends and the next one begins at each of them; a
    piece that would end before it begins is empty.

    (C1) Either `sections` or `indices` is present; there is one result for every piece.
    (C2) There is at least one section, and at most 65,536; indices are at least 0.
    (C3) The axis is within -rank..rank-1.
    """

    STORES: ClassVar = True

    RESULTS: ClassVar = "for as many pieces (C1)"

    x: Operand = tensor()
    sections: int | None = integer(default=None)
    indices: OptionalAxes = ints(default=None)
    axis: int = one_axis("x", "C3", default=0, shown=True)
    pieces = var_result_def(TensorType)

    def __init__(self, x: Given, indices_or_sections: int | Sequence[int], axis: int = 0):
        is_whole = isinstance(indices_or_sections, int)
        name = "sections" if is_whole else "indices"
        self.init_fields(x=x, **{name: indices_or_sections}, axis=axis)

    @property
    def result_count(self) -> int:
        return max(self.count, 0)

    @property
    def count(self) -> int:
        """The number of pieces."""
        if self.sections is not None and self.indices is None:
            if not 1 <= self.sections <= MOST_PIECES:
                mend = "correct sections" if self.sections < 1 else "reshape x instead"
                self.fail(f"1 to {MOST_PIECES} sections (C2)", str(self.sections), mend)
            return self.sections
        if self.indices is None or self.sections is not None:
            found = "none" if self.indices is None else "both"
            self.fail("either sections or indices (C1)", found, "write one of them")
        if any(index < 0 for index in self.indices):
            mend = "count from the front"
            self.fail("indices of at least 0 (C2)", str(list(self.indices)), mend)
        return len(self.indices) + 1

    def places(self, size: Expr) -> list[tuple[Expr, Expr]]:
        """Return the start and the size of every piece."""
        if self.sections is not None:
            length = symbolic.ceildiv(size, self.count)
            exact = symbolic.exact_quotient(size, symbolic.const(self.count))
            starts = [length * piece for piece in range(self.count)]
            if exact is not None:
                return [(start, exact) for start in starts]
            ends = starts[1:]
        else:
            assert self.indices is not None
            cuts = (0, *self.indices)
            starts = [symbolic.const(cut) for cut in cuts]
            ends = [symbolic.const(max(pair)) for pair in pairwise(cuts)]
        starts = [symbolic.minimum(start, size) for start in starts]
        ends = [symbolic.minimum(end, size) for end in (*ends, size)]
        return [(start, end - start) for start, end in zip(starts, ends)]

    def infer(self) -> Sequence[Attribute]:
        type, count = tensor_type(self.x), self.count
        if type.shape is None:
            return [TensorType.get(None, type.dtype)] * count
        axis, shape = self.axis_of(len(type.shape)), type.shape
        lengths = self._lengths(shape[axis])
        return [TensorType.get((*shape[:axis], d, *shape[axis + 1 :]), type.dtype) for d in lengths]

    def _lengths(self, size: Dim) -> Sequence[Dim]:
        try:
            return [None] * self.count if size is None else [d for _, d in self.places(size)]
        except SymbolicOverflow:
            return [None] * self.count


@operator("relax.meshgrid", K_INJECTIVE, FOLLOW)
class MeshgridOp(OperatorOp):
    """The coordinates of a grid whose axes the vectors describe: result `k` has the elements of tensor
    `k` along its own axis, repeated along the others.

    With `indexing` "ij" tensor `k` is axis `k`; with "xy" the first two are the other way round.

    (C1) There is at least one tensor, and one result for each.
    (C2) Every tensor has rank 1.
    (C3) `indexing` is "ij" or "xy".
    """

    RESULTS: ClassVar = "for as many tensors (C1)"

    tensors: Operands = many_tensors(Rank(1, "C2", "use relax.flatten first"))
    indexing: str = string(default="ij", required=True, among=("ij", "xy"), constraint="C3")
    grids = var_result_def(TensorType)

    @property
    def result_count(self) -> int:
        require_tensors(self, len(self.tensors), "C1")
        return len(self.tensors)

    def axes(self) -> list[int]:
        """Return the axis of the grid for every tensor."""
        axes = list(range(len(self.tensors)))
        if self.indexing == "xy" and len(axes) > 1:
            axes[:2] = 1, 0
        return axes

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(x) for x in self.tensors]
        sizes = [None if type.shape is None else type.shape[0] for type in types]
        grid = tuple(sizes[self.axes().index(d)] for d in range(len(sizes)))
        return [TensorType.get(grid, type.dtype) for type in types]


OPS = operators_in(globals())
