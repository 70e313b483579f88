"""Linear algebra: matrix products, and sums of products in Einstein's notation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from xdsl.ir import Attribute, SSAValue

from relax_dialect import symbolic
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, equal, refuse_unmet
from relax_dialect.ops.fields import (
    Axes,
    Given,
    Operand,
    Operands,
    OptionalDtype,
    OptionalOperand,
    element_type,
    integer,
    many_tensors,
    one_axis,
    some_axes,
    string,
    tensor,
)
from relax_dialect.ops.kinds import K_BROADCAST, K_COMM_REDUCE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.products import ContractionOp, MatrixProductOp, ProductOp, Terms
from relax_dialect.ops.rules import common_dtype
from relax_dialect.ops.subscripts import Subscripts, SubscriptsError
from relax_dialect.ops.type_rules import NUMBER, LeastRank, Rank, tensor_type
from relax_dialect.symbolic import Expr


@operator("relax.matmul")
class MatmulOp(MatrixProductOp, ProductOp):
    """The matrix product."""

    lhs: Operand = tensor()
    rhs: Operand = tensor()
    out_dtype: OptionalDtype = element_type(default=None)

    def infer(self) -> Sequence[Attribute]:
        lhs, rhs = tensor_type(self.lhs), tensor_type(self.rhs)
        dtype = self.element_type([lhs, rhs])
        return (TensorType.get(self.product_shape(lhs.shape, rhs.shape), dtype),)


@operator("relax.linear")
class LinearOp(ContractionOp):
    """The affine map `x @ transpose(weight) + bias` over the last axis of x; without bias a linear one.

    (C2) x has rank 1 or more; `weight` has the axes [out, in], or [in] for one number as the result.
    (C3) `bias` has the shape of `weight` without its last axis, and the element type of the result.
    (C5) The last sizes of x and `weight` are equal.
    """

    SAME: ClassVar = "the last sizes of x and 'weight' to be equal"
    MEND: ClassVar = "transpose 'weight', whose axes are [out, in], or correct x"

    x: Operand = tensor(LeastRank(1, "C2"))
    weight: Operand = tensor(
        Rank(1, "C2", "reshape it to [out, in] or [in], or use relax.matmul", 2)
    )
    bias: OptionalOperand = tensor(default=None)
    out_dtype: OptionalDtype = element_type(default=None)

    @property
    def factors(self) -> Sequence[SSAValue]:
        return self.x, self.weight

    def terms(self, ranks: Sequence[int]) -> Terms:
        outer = tuple(f"x{axis}" for axis in range(ranks[0] - 1))
        out = ("o",) * (ranks[1] - 1)
        return [(*outer, "i"), (*out, "i")], (*outer, *out)

    def demands(self, shapes: Sequence[Dims]) -> Iterator[Demand]:
        yield from super().demands(shapes[:2])
        for bias in shapes[2:]:
            for size, wanted in zip(bias, shapes[1]):
                expected = "'bias' to be as long as 'weight' has rows (C3)"
                yield from equal(expected, size, wanted, "slice or reshape 'bias'")

    def infer(self) -> Sequence[Attribute]:
        x, weight = tensor_type(self.x), tensor_type(self.weight)
        (type,) = super().infer()
        assert isinstance(type, TensorType)
        if self.bias is None:
            return (type,)
        bias = tensor_type(self.bias)
        common_dtype(self, TensorType.get(None, type.dtype), bias, "C3")
        if bias.rank is not None and weight.rank is not None and bias.rank != weight.rank - 1:
            expected = f"'bias' of rank {weight.rank - 1} (C3)"
            self.fail(expected, f"rank {bias.rank}", "reshape 'bias'")
        shapes = [x.shape, weight.shape, bias.shape]
        known = [shape for shape in shapes if shape is not None]
        if len(known) == len(shapes):
            refuse_unmet(self, self.demands(known))
        return (type,)


@operator("relax.outer", K_BROADCAST)
class OuterOp(ContractionOp):
    """The products `x1[i] * x2[j]` of the elements of two vectors.

    (C2) Both operands have rank 1.
    """

    x1: Operand = tensor(Rank(1, "C2", "flatten it with relax.flatten"))
    x2: Operand = tensor(Rank(1, "C2", "flatten it with relax.flatten"))
    out_dtype: OptionalDtype = element_type(default=None)

    def terms(self, ranks: Sequence[int]) -> Terms:
        return [("i",), ("j",)], ("i", "j")

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(x) for x in self.operands]
        m, n = (None if type.shape is None else type.shape[0] for type in types)
        return (TensorType.get((m, n), self.element_type(types)),)


@operator("relax.einsum")
class EinsumOp(ContractionOp):
    """A sum of products in Einstein's notation, as `numpy.einsum`: `bij,bjk->bik` is a batched matrix
    product.

    A letter that the result lacks is summed over; a letter that occurs twice in a term means the diagonal;
    `...` matches further axes. Without `->` the result has `...` and the letters that occur once, in
    alphabetical order.

    (C2) `subscripts` has one term of letters for each operand, with `...` at most once, and the result
         after `->`; there is at least one operand.
    (C3) Each operand has an axis for each letter of its term; `...` matches all others, if any.
    (C4) The result's letters occur once, and in an operand's term; it has `...` if an operand does.
    (C5) Axes of one letter have one size; in several operands one size or 1, which broadcasts. Checked
         at run time unless proved.
    """

    SAME: ClassVar = "axes of one letter to have one size or 1"

    tensors: Operands = many_tensors()
    subscripts: str = string()
    out_dtype: OptionalDtype = element_type(default=None)

    @property
    def parsed(self) -> Subscripts:
        """The terms that the subscripts consist of."""
        try:
            parsed = Subscripts.parse(self.subscripts)
        except SubscriptsError as error:
            self.fail(*error.args)
        if not self.tensors or len(parsed.terms) != len(self.tensors):
            expected = f"one operand for each of {len(parsed.terms)} terms (C2)"
            self.fail(expected, str(len(self.tensors)), "separate the terms by commas")
        return parsed

    def terms(self, ranks: Sequence[int]) -> Terms:
        return self.parsed.labels(ranks)

    def broadcasts(self, label: str) -> bool:
        return True

    def infer(self) -> Sequence[Attribute]:
        parsed = self.parsed
        for index, operand in enumerate(self.tensors):
            (letters, more), rank = parsed.rank(index), tensor_type(operand).rank
            if rank is not None and (rank < letters or (rank > letters and not more)):
                expected = f"rank {letters}{' or more' if more else ''} of operand {index} (C3)"
                mend = "write one letter for each axis, or '...' for some of them"
                self.fail(expected, f"rank {rank}", mend)
        (type,) = super().infer()
        assert isinstance(type, TensorType)
        if type.shape is None and "..." not in parsed.result:
            type = TensorType.get(self._by_letters(parsed), type.dtype)
        return (type,)

    def _by_letters(self, parsed: Subscripts) -> Dims:
        """Return the shape of the result, as far as the operands of known rank determine it."""
        terms = [tuple(term) for term in parsed.terms]
        shapes = [tensor_type(x).shape or (None,) * len(t) for x, t in zip(self.tensors, terms)]
        sizes = self.sizes(terms, shapes)
        return tuple(sizes[letter] for letter in parsed.result)


@operator("relax.tensordot")
class TensordotOp(ContractionOp):
    """The products summed over the axes `lhs_axes` of x1 and `rhs_axes` of x2, as `numpy.tensordot`: the
    result has the other axes of x1, then those of x2.

    (C2) `lhs_axes` and `rhs_axes` are equally many axes, each within -rank..rank-1 and named once.
    (C5) The axes that are summed over have equal sizes; checked at run time unless proved.
    """

    SAME: ClassVar = "the axes that are summed over to have equal sizes"

    x1: Operand = tensor()
    x2: Operand = tensor()
    lhs_axes: Axes = some_axes("x1")
    rhs_axes: Axes = some_axes("x2")
    out_dtype: OptionalDtype = element_type(default=None)

    def __init__(
        self,
        x1: Given,
        x2: Given,
        axes: int | Sequence[Sequence[int]] = 2,
        out_dtype: Attribute | str | None = None,
    ):
        left, right = (range(-axes, 0), range(axes)) if isinstance(axes, int) else axes
        self.init_fields(x1=x1, x2=x2, lhs_axes=left, rhs_axes=right, out_dtype=out_dtype)

    def terms(self, ranks: Sequence[int]) -> Terms:
        names = ("lhs_axes", "rhs_axes")
        summed = [self.axes_of(rank, name) for name, rank in zip(names, ranks)]
        labels = [
            tuple(
                f"k{axes.index(axis)}" if axis in axes else f"{side}{axis}" for axis in range(rank)
            )
            for side, axes, rank in zip("xy", summed, ranks)
        ]
        kept = tuple(label for label in (*labels[0], *labels[1]) if not label.startswith("k"))
        return labels, kept

    def infer(self) -> Sequence[Attribute]:
        left, right = len(self.lhs_axes), len(self.rhs_axes)
        if left != right:
            found = f"{left} and {right}"
            self.fail("as many axes of x1 as of x2 (C2)", found, "name them in pairs")
        return super().infer()


@operator("relax.trace", K_COMM_REDUCE)
class TraceOp(OperatorOp):
    """The sum over the diagonal of two axes, `offset` columns to the right, as `numpy.trace`; 0 if there
    is none.

    (C1) The element type is numeric; it is that of the result.
    (C2) `axis1` and `axis2` are two axes within -rank..rank-1.
    """

    x: Operand = tensor(NUMBER)
    offset: int = integer(default=0)
    axis1: int = one_axis(default=0)
    axis2: int = one_axis(default=1)

    def axes(self, rank: int) -> tuple[int, int]:
        """Return the axes of the rows and of the columns, counted from the front."""
        row, column = self.axis_of(rank, "axis1"), self.axis_of(rank, "axis2")
        if row == column:
            self.fail("two different axes (C2)", f"{row} twice", "correct axis1 or axis2")
        return row, column

    def length(self, rows: Expr, columns: Expr) -> Expr:
        """Return the length of the diagonal."""
        ends = symbolic.minimum(rows + min(self.offset, 0), columns - max(self.offset, 0))
        return symbolic.maximum(ends, 0)

    def result_shape(self, x: Dims) -> Dims:
        axes = self.axes(len(x))
        return tuple(size for axis, size in enumerate(x) if axis not in axes)


OPS = operators_in(globals())
