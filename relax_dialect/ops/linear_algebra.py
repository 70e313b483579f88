"""Linear algebra: matrix products, and sums of products in Einstein's notation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Operation, SSAValue, TypeAttribute
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
)

from relax_dialect import symbolic
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.create import dtype_attribute
from relax_dialect.ops.demands import Demand, equal, refuse_unmet
from relax_dialect.ops.rules import (
    broadcast_dim,
    broadcast_dims,
    common_dtype,
    ints,
    is_bool,
    normalize_axes,
    normalize_axis,
    require_number,
    require_rank,
    shared_dtype,
    tensor_type,
)
from relax_dialect.ops.subscripts import Labels, Subscripts, SubscriptsError
from relax_dialect.symbolic import Expr
from relax_dialect.types import Dim, Dims, TensorType, is_element_type

Operand = SSAValue | Operation
Terms = tuple[Sequence[Labels], Labels]
"""The labels of the operands' axes, and of the result's."""


class ProductOp(OperatorOp):
    """Products that are summed up, in the result's element type (f16 and bf16 in f32).

    (C1) The operands have one numeric element type, which is that of the result; where `out_dtype`
         gives that (a numeric type too), they may differ, and are converted to it first.
    """

    out_dtype = opt_prop_def(TypeAttribute)
    result = result_def(TensorType)

    def element_type(self, factors: Sequence[TensorType]) -> Attribute | None:
        """The element type of the result, given the tensors that are multiplied."""
        for factor in factors:
            require_number(self, factor)
        if self.out_dtype is None:
            return shared_dtype(self, factors)
        if not is_element_type(self.out_dtype) or is_bool(self.out_dtype):
            found = str(self.out_dtype)
            self.fail("out_dtype to be a numeric type (C1)", found, "name one, such as f32 or i32")
        return self.out_dtype


class MatrixProductOp(OperatorOp):
    """A matrix product over the last two axes, batched over the others, as `numpy.matmul`.

    A vector on the left is a row, one on the right a column; the added axis is dropped again.

    (C2) Both operands have rank 1 or more.
    (C3) The last size of `lhs` is the last but one of `rhs` (the only one of a vector).
    (C4) The other leading sizes broadcast.
    """

    def product_shape(self, lhs: Dims | None, rhs: Dims | None) -> Dims | None:
        """The shape of the product of operands of two shapes."""
        if any(shape is not None and not shape for shape in (lhs, rhs)):
            self.fail("operands of rank 1 or more (C2)", "a tensor of rank 0", "use relax.multiply")
        if lhs is None or rhs is None:
            return None
        k_left, k_right = lhs[-1], rhs[-2:][0]
        if k_left and k_right and symbolic.provably_different(k_left, k_right):
            self.fail(
                "the last size of lhs to be the last but one of rhs (C3)",
                f"{k_left} and {k_right}",
                "transpose or reshape one of the operands",
            )
        batch = broadcast_dims(self, lhs[:-2], rhs[:-2], "C4")
        assert batch is not None
        return batch + lhs[-2:-1] + (rhs[-1:] if len(rhs) > 1 else ())


@irdl_op_definition
class MatmulOp(MatrixProductOp, ProductOp):
    """The matrix product."""

    name = "relax.matmul"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)

    def __init__(self, lhs: Operand, rhs: Operand, out_dtype: Attribute | str | None = None):
        super().__init__(lhs, rhs, out_dtype=dtype_attribute(out_dtype))

    def infer(self) -> Sequence[Attribute]:
        lhs, rhs = tensor_type(self.lhs), tensor_type(self.rhs)
        dtype = self.element_type([lhs, rhs])
        return (TensorType.get(self.product_shape(lhs.shape, rhs.shape), dtype),)


class ContractionOp(ProductOp):
    """A product of tensors over all labels of their axes, summed over those that the result lacks."""

    SAME: ClassVar = "axes of one label to have one size"
    MEND: ClassVar = "slice or reshape one of the operands"

    @property
    def factors(self) -> Sequence[SSAValue]:
        """The tensors that are multiplied."""
        return self.operands

    @abstractmethod
    def terms(self, ranks: Sequence[int]) -> Terms:
        """The labels of the operands' axes and of the result's; those of `...` begin with a dot."""

    def sizes(self, labels: Sequence[Labels], shapes: Sequence[Dims]) -> Mapping[str, Dim]:
        """The size of every label: a constant where one is known."""
        found: dict[str, Dim] = {}
        for label, size in _labelled(labels, shapes):
            known = found.setdefault(label, size)
            if label.startswith("."):
                found[label] = broadcast_dim(self, known, size, "C5")
            elif known is None or (size and size.is_constant and not known.is_constant):
                found[label] = size
        return found

    def demands(self, shapes: Sequence[Dims]) -> Iterator[Demand]:
        """Sizes of one label are equal; those of `...` broadcast."""
        labels = self.terms([len(shape) for shape in shapes])[0]
        sizes = self.sizes(labels, shapes)
        for label, size in _labelled(labels, shapes):
            if not label.startswith("."):
                yield from equal(f"{self.SAME} (C5)", size, sizes[label], self.MEND)

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(factor) for factor in self.factors]
        dtype = self.element_type(types)
        shapes = [type.shape for type in types if type.shape is not None]
        if len(shapes) < len(types):
            return (TensorType.get(None, dtype),)
        labels, result = self.terms([len(shape) for shape in shapes])
        refuse_unmet(self, self.demands(shapes))
        sizes = self.sizes(labels, shapes)
        return (TensorType.get(tuple(sizes[label] for label in result), dtype),)


def _labelled(labels: Sequence[Labels], shapes: Sequence[Dims]) -> Iterator[tuple[str, Dim]]:
    return (pair for label, shape in zip(labels, shapes) for pair in zip(label, shape))


@irdl_op_definition
class LinearOp(ContractionOp):
    """The affine map `x @ transpose(weight) + bias` over the last axis of x; without bias a linear one.

    (C2) x has rank 1 or more; `weight` has the axes [out, in], or [in] for one number as the result.
    (C3) `bias` has the shape of `weight` without its last axis, and the element type of the result.
    (C5) The last sizes of x and `weight` are equal.
    """

    name = "relax.linear"
    SAME: ClassVar = "the last sizes of x and 'weight' to be equal"
    MEND: ClassVar = "transpose 'weight', whose axes are [out, in], or correct x"

    x = operand_def(TensorType)
    weight = operand_def(TensorType)
    bias = opt_operand_def(TensorType)

    def __init__(
        self,
        x: Operand,
        weight: Operand,
        bias: Operand | None = None,
        out_dtype: Attribute | str | None = None,
    ):
        super().__init__(x, weight, bias, out_dtype=dtype_attribute(out_dtype))

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
        require_rank(self, x, 1, "C2")
        if weight.rank not in (None, 1, 2):
            expected = "'weight' to have the axes [out, in], or [in] (C2)"
            self.fail(expected, f"rank {weight.rank}", "reshape it, or use relax.matmul")
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


@irdl_op_definition
class OuterOp(ContractionOp):
    """The products `x1[i] * x2[j]` of the elements of two vectors.

    (C2) Both operands have rank 1.
    """

    name = "relax.outer"

    x1 = operand_def(TensorType)
    x2 = operand_def(TensorType)

    def __init__(self, x1: Operand, x2: Operand):
        super().__init__(x1, x2)

    def terms(self, ranks: Sequence[int]) -> Terms:
        return [("i",), ("j",)], ("i", "j")

    def infer(self) -> Sequence[Attribute]:
        types = [tensor_type(x) for x in self.operands]
        for type in types:
            if type.rank not in (None, 1):
                found, mend = f"one of rank {type.rank}", "flatten it with relax.flatten"
                self.fail("a tensor of rank 1 (C2)", found, mend)
        m, n = (None if type.shape is None else type.shape[0] for type in types)
        return (TensorType.get((m, n), self.element_type(types)),)


@irdl_op_definition
class EinsumOp(ContractionOp):
    """A sum of products in Einstein's notation, as `numpy.einsum`: `bij,bjk->bik` is a batched matrix
    product.

    A letter that the result lacks is summed over; one that stands twice in a term means the diagonal;
    `...` stands for further axes, which broadcast. Without `->` the result has `...` and the letters
    that stand once, in alphabetical order.

    (C2) `subscripts` has one term of letters for each operand, with `...` at most once, and the result
         behind `->`; there is at least one operand.
    (C3) Each operand has an axis for each letter of its term; `...` stands for all others, if any.
    (C4) The result's letters stand once, and in an operand's term; it has `...` if an operand does.
    (C5) Axes of one letter have one size; checked at run time where it is not proved.
    """

    name = "relax.einsum"
    SAME: ClassVar = "axes of one letter to have one size"

    tensors = var_operand_def(TensorType)
    subscripts = prop_def(StringAttr)

    def __init__(self, tensors: Sequence[Operand], subscripts: str):
        super().__init__(tensors, subscripts=StringAttr(subscripts))

    @property
    def parsed(self) -> Subscripts:
        """The terms that the subscripts consist of."""
        try:
            parsed = Subscripts.parse(self.subscripts.data)
        except SubscriptsError as error:
            self.fail(*error.args)
        if not self.tensors or len(parsed.terms) != len(self.tensors):
            expected = f"one operand for each of {len(parsed.terms)} terms (C2)"
            self.fail(expected, str(len(self.tensors)), "separate the terms by commas")
        return parsed

    def terms(self, ranks: Sequence[int]) -> Terms:
        return self.parsed.labels(ranks)

    def infer(self) -> Sequence[Attribute]:
        parsed = self.parsed
        for index, tensor in enumerate(self.tensors):
            (letters, more), rank = parsed.rank(index), tensor_type(tensor).rank
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
        """The shape of the result, as far as the operands of known rank tell."""
        known = [
            (tuple(term), shape)
            for term, tensor in zip(parsed.terms, self.tensors)
            if (shape := tensor_type(tensor).shape) is not None
        ]
        sizes = self.sizes(*zip(*known)) if known else {}
        return tuple(sizes.get(letter) for letter in parsed.result)


@irdl_op_definition
class TensordotOp(ContractionOp):
    """The products summed over the axes `lhs_axes` of x1 and `rhs_axes` of x2, as `numpy.tensordot`: the
    result has the other axes of x1, then those of x2.

    (C2) `lhs_axes` and `rhs_axes` are equally many axes, each within -rank..rank-1 and named once.
    (C5) The axes that are summed over have equal sizes; checked at run time where it is not proved.
    """

    name = "relax.tensordot"
    SAME: ClassVar = "the axes that are summed over to have equal sizes"

    x1 = operand_def(TensorType)
    x2 = operand_def(TensorType)
    lhs_axes = prop_def(DenseArrayBase)
    rhs_axes = prop_def(DenseArrayBase)

    def __init__(self, x1: Operand, x2: Operand, axes: int | Sequence[Sequence[int]] = 2):
        left, right = (range(-axes, 0), range(axes)) if isinstance(axes, int) else axes
        super().__init__(x1, x2, lhs_axes=left, rhs_axes=right)

    def terms(self, ranks: Sequence[int]) -> Terms:
        summed = [
            normalize_axes(self, axes, rank)
            for axes, rank in zip((self.lhs_axes, self.rhs_axes), ranks)
        ]
        labels = [
            tuple(
                f"k{axes.index(axis)}" if axis in axes else f"{side}{axis}" for axis in range(rank)
            )
            for side, axes, rank in zip("xy", summed, ranks)
        ]
        kept = tuple(label for label in (*labels[0], *labels[1]) if not label.startswith("k"))
        return labels, kept

    def infer(self) -> Sequence[Attribute]:
        left, right = (len(ints(axes)) for axes in (self.lhs_axes, self.rhs_axes))
        if left != right:
            found = f"{left} and {right}"
            self.fail("as many axes of x1 as of x2 (C2)", found, "name them in pairs")
        return super().infer()


@irdl_op_definition
class TraceOp(OperatorOp):
    """The sum over the diagonal of two axes, `offset` columns to the right, as `numpy.trace`; 0 if there
    is none.

    (C1) The element type is numeric; it is that of the result.
    (C2) `axis1` and `axis2` are two axes within -rank..rank-1.
    """

    name = "relax.trace"

    x = operand_def(TensorType)
    offset = opt_prop_def(IntegerAttr)
    axis1 = opt_prop_def(IntegerAttr)
    axis2 = opt_prop_def(IntegerAttr)
    result = result_def(TensorType)

    def __init__(self, x: Operand, offset: int = 0, axis1: int = 0, axis2: int = 1):
        super().__init__(
            x,
            offset=offset or None,
            axis1=axis1 or None,
            axis2=None if axis2 == 1 else axis2,
        )

    @property
    def shift(self) -> int:
        return 0 if self.offset is None else self.offset.value.data

    def axes(self, rank: int) -> tuple[int, int]:
        """The axes of the rows and of the columns, counted from the front."""
        given = zip((self.axis1, self.axis2), (0, 1))
        row, column = (
            normalize_axis(self, default if axis is None else axis.value.data, rank)
            for axis, default in given
        )
        if row == column:
            self.fail("two different axes (C2)", f"{row} twice", "correct axis1 or axis2")
        return row, column

    def length(self, rows: Expr, columns: Expr) -> Expr:
        """The length of the diagonal."""
        ends = symbolic.minimum(rows + min(self.shift, 0), columns - max(self.shift, 0))
        return symbolic.maximum(ends, 0)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        require_number(self, type)
        if type.shape is None:
            return (type,)
        axes = self.axes(len(type.shape))
        shape = tuple(size for axis, size in enumerate(type.shape) if axis not in axes)
        return (TensorType.get(shape, type.dtype),)


OPS: list[type[Operation]] = [MatmulOp, LinearOp, EinsumOp, OuterOp, TensordotOp, TraceOp]
