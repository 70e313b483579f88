"""Reductions over some or all axes of a tensor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute
from xdsl.irdl import var_result_def

from relax_dialect import symbolic
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, guarded, refuse_unmet
from relax_dialect.ops.fields import Operand, OptionalAxes, flag, some_axes, tensor
from relax_dialect.ops.kinds import FOLLOW, K_COMM_REDUCE, K_OPAQUE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import BOOLEAN, FLOAT, NUMBER, tensor_type
from relax_dialect.prim.run_time_checks import hole


class KeepdimsOp(OperatorOp):
    """An operator that reduces some axes (all where `axis` is left out), which `keepdims` keeps as size
    1."""

    PATTERN_KIND: ClassVar = K_COMM_REDUCE

    x: Operand = tensor()

    @property
    @abstractmethod
    def axis(self) -> Any:
        """The axis or axes to reduce, None for all."""

    @property
    @abstractmethod
    def keepdims(self) -> bool:
        """Whether the reduced axes are kept with size 1."""

    @abstractmethod
    def axes(self, rank: int) -> tuple[int, ...]:
        """Return the axes to reduce, counted from the front."""

    def reduced(self, shape: Dims | None) -> Dims | None:
        """Return the shape of the reduction of a tensor of a shape."""
        if shape is None:
            return () if self.axis is None and not self.keepdims else None
        axes, one = self.axes(len(shape)), symbolic.const(1)
        sizes = [one if d in axes else size for d, size in enumerate(shape)]
        return tuple(s for d, s in enumerate(sizes) if d not in axes or self.keepdims)


class AxesOp(KeepdimsOp):
    """An operator that reduces the axes of the list `axis`.

    (C2) Every axis is within -rank..rank-1 and occurs once.
    """

    axis: OptionalAxes = some_axes(default=None, ordered=False)
    keepdims: bool = flag(default=False)

    def axes(self, rank: int) -> tuple[int, ...]:
        return self.axes_of(rank, "axis")


class ReductionOp(AxesOp):
    """A reduction to a tensor of the same element type."""

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        return (TensorType.get(self.reduced(type.shape), type.dtype),)


@operator("relax.sum")
class SumOp(ReductionOp):
    """The sum, in which integers wrap around; 0 over no elements; "or" for booleans."""


@operator("relax.prod")
class ProdOp(ReductionOp):
    """The product, in which integers wrap around; 1 over no elements; "and" for booleans."""


class ExtremeOp(ReductionOp):
    """A reduction to one of the elements; True is greater than False.

    Of equal elements, as 0 and -0, it is any: vectors compare them in an order of their own.

    With `of_nothing` there may be none: then it is the number that no other of the element type is beyond,
    of `relax.max` the least one, of `relax.min` the greatest one (infinities of floating-point types).

    (C3) There is an element to take, unless `of_nothing`; checked at run time unless proved.
    """

    PRECISION: ClassVar = FOLLOW

    of_nothing: bool = flag(default=False)

    def demands(self, shape: Dims) -> Iterator[Demand]:
        """Yield the demand for an element, as far as the sizes are known."""
        if not self.of_nothing:
            yield from some_element(self, shape, self.axes(len(shape)), "C3")

    def infer(self) -> Sequence[Attribute]:
        results, shape = super().infer(), tensor_type(self.x).shape
        if shape is not None:
            refuse_unmet(self, self.demands(shape))
        return results


@operator("relax.max")
class MaxOp(ExtremeOp):
    """The largest element, NaN where there is one."""


@operator("relax.min")
class MinOp(ExtremeOp):
    """The smallest element, NaN where there is one."""


class NumericReductionOp(ReductionOp):
    """A reduction of numbers.

    (C1) The element type is numeric; it is that of the result.
    """

    ELEMENTS: ClassVar = NUMBER


@operator("relax.mean")
class MeanOp(NumericReductionOp):
    """The arithmetic mean; NaN over no elements. Of integers, which are summed up in 64 bits, it is
    rounded towards zero, and 0 over none."""


@operator("relax.reduce_l1")
class ReduceL1Op(NumericReductionOp):
    """The sum of the magnitudes, `sum(|x|)` (`ReduceL1` of ONNX)."""


@operator("relax.reduce_sum_square")
class ReduceSumSquareOp(NumericReductionOp):
    """The sum of the squares (`ReduceSumSquare` of ONNX)."""


class FloatReductionOp(ReductionOp):
    """A reduction with fractional results.

    (C1) The element type is a floating-point type; it is that of the result.
    """

    ELEMENTS: ClassVar = FLOAT


@operator("relax.variance")
class VarianceOp(FloatReductionOp):
    """The mean of the squared distances from the mean (not Bessel's); NaN over no elements."""


@operator("relax.std")
class StdOp(FloatReductionOp):
    """The square root of the variance; NaN over no elements."""


@operator("relax.reduce_l2")
class ReduceL2Op(FloatReductionOp):
    """The Euclidean norm, `sqrt(sum(x * x))` (`ReduceL2` of ONNX)."""


@operator("relax.reduce_log_sum")
class ReduceLogSumOp(FloatReductionOp):
    """The logarithm of the sum (`ReduceLogSum` of ONNX); -inf over no elements."""


@operator("relax.logsumexp")
class LogsumexpOp(FloatReductionOp):
    """The logarithm of the sum of the exponentials, `log(sum(exp(x)))`, which overflows only where the
    result does; -inf over no elements."""


class LogicalReductionOp(ReductionOp):
    """A reduction of booleans.

    (C1) The element type is boolean.
    """

    ELEMENTS: ClassVar = BOOLEAN


@operator("relax.all")
class AllOp(LogicalReductionOp):
    """Whether all elements are true; true over no elements."""


@operator("relax.any")
class AnyOp(LogicalReductionOp):
    """Whether some element is true; false over no elements."""


@operator("relax.count_nonzero")
class CountNonzeroOp(AxesOp):
    """The number of nonzero elements (NaN is nonzero), as i64; for booleans the number of true ones."""

    def infer(self) -> Sequence[Attribute]:
        return (TensorType.get(self.reduced(tensor_type(self.x).shape), i64),)


@operator("relax.median", K_OPAQUE)
class MedianOp(AxesOp):
    """The middle one of the sorted elements, the lower one of two; NaN if there is one.

    Along one axis the second result is its index, as i64: of equal elements, that of the element sorted
    there, and for NaN the first one.

    (C1) The element type is numeric.
    (C3) `axis` is one axis, or absent.
    (C4) The reduced axes are not empty; checked at run time unless proved.
    (C5) There are two results along one axis, else one.
    """

    ELEMENTS: ClassVar = NUMBER
    RESULTS: ClassVar = "(C5)"

    outs = var_result_def(TensorType)

    @property
    def result_count(self) -> int:
        return 1 if self.axis is None else 2

    def axes(self, rank: int) -> tuple[int, ...]:
        if self.axis is not None and len(self.axis) != 1:
            self.fail("one axis or none (C3)", str(len(self.axis)), "reshape the tensor first")
        return super().axes(rank)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if type.shape is not None:
            refuse_unmet(self, some_element(self, type.shape, self.axes(len(type.shape)), "C4"))
        shape = self.reduced(type.shape)
        return [TensorType.get(shape, dtype) for dtype in (type.dtype, i64)[: self.result_count]]


def some_element(op: OperatorOp, shape: Dims, axes: Sequence[int], constraint: str) -> list[Demand]:
    """Return the demand for an element along the axes of a shape, as far as their sizes are known."""
    sizes = [shape[axis] for axis in sorted(axes)]
    known = [size for size in sizes if size is not None]
    one = symbolic.const(1)
    count = guarded(lambda: symbolic.minimum(symbolic.product(known), one))
    if count is None or (len(known) < len(sizes) and count.value != 0):
        return []
    expected = f"at least one element along the axes to reduce ({constraint})"
    found = " x ".join(map(hole, known))
    return [Demand(expected, count, one, found, "leave out tensors without elements")]


OPS = operators_in(globals())
