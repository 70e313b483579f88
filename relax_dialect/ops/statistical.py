"""Reductions over some or all axes of a tensor."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def, var_result_def

from relax_dialect import symbolic
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, guarded, refuse_unmet
from relax_dialect.ops.kinds import K_COMM_REDUCE, K_OPAQUE
from relax_dialect.ops.rules import (
    flag,
    normalize_axes,
    require_bool,
    require_float,
    require_number,
    require_results,
    tensor_type,
)
from relax_dialect.run_time_checks import hole
from relax_dialect.types import Dims, TensorType


class KeepdimsOp(OperatorOp):
    """An operator that reduces some axes (all where `axis` is left out), which `keepdims` keeps as size
    1."""

    PATTERN_KIND: ClassVar = K_COMM_REDUCE

    x = operand_def(TensorType)
    keepdims = opt_prop_def(IntegerAttr)

    @abstractmethod
    def axes(self, rank: int) -> tuple[int, ...]:
        """The axes to reduce, counted from the front."""

    @property
    def keeps_dims(self) -> bool:
        return flag(self.keepdims)

    def reduced(self, shape: Dims | None) -> Dims | None:
        """The shape of what a tensor of a shape is reduced to."""
        if shape is None:
            return () if "axis" not in self.properties and not self.keeps_dims else None
        axes, one = self.axes(len(shape)), symbolic.const(1)
        sizes = [one if d in axes else size for d, size in enumerate(shape)]
        return tuple(s for d, s in enumerate(sizes) if d not in axes or self.keeps_dims)


class AxesOp(KeepdimsOp):
    """An operator that reduces the axes of the list `axis`.

    (C2) Every axis is within -rank..rank-1 and stands once.
    """

    axis = opt_prop_def(DenseArrayBase)

    def __init__(
        self,
        x: SSAValue | Operation,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
    ):
        axes = [axis] if isinstance(axis, int) else axis
        super().__init__(x, axis=axes, keepdims=keepdims or None)

    def axes(self, rank: int) -> tuple[int, ...]:
        return normalize_axes(self, self.axis, rank)


class ReductionOp(AxesOp):
    """A reduction to a tensor of the same element type.

    (C1) The element type is numeric; it is that of the result.
    """

    result = result_def(TensorType)

    REQUIRE: ClassVar[Callable[..., None]] = staticmethod(require_number)
    """What refuses other element types."""

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        self.REQUIRE(self, type)
        return (TensorType.get(self.reduced(type.shape), type.dtype),)


@irdl_op_definition
class SumOp(ReductionOp):
    """The sum; 0 over no elements."""

    name = "relax.sum"


@irdl_op_definition
class ProdOp(ReductionOp):
    """The product; 1 over no elements."""

    name = "relax.prod"


class ExtremeOp(ReductionOp):
    """A reduction to one of the elements.

    (C3) There is an element to take; checked at run time where it is not proved.
    """

    def infer(self) -> Sequence[Attribute]:
        results, shape = super().infer(), tensor_type(self.x).shape
        if shape is not None:
            refuse_unmet(self, some_element(self, shape, self.axes(len(shape)), "C3"))
        return results


@irdl_op_definition
class MaxOp(ExtremeOp):
    """The largest element, NaN where there is one."""

    name = "relax.max"


@irdl_op_definition
class MinOp(ExtremeOp):
    """The smallest element, NaN where there is one."""

    name = "relax.min"


@irdl_op_definition
class ReduceL1Op(ReductionOp):
    """The sum of the magnitudes, `sum(|x|)` (`ReduceL1` of ONNX)."""

    name = "relax.reduce_l1"


@irdl_op_definition
class ReduceSumSquareOp(ReductionOp):
    """The sum of the squares (`ReduceSumSquare` of ONNX)."""

    name = "relax.reduce_sum_square"


class FloatReductionOp(ReductionOp):
    """A reduction that gives fractions.

    (C3) The element type is a floating-point type.
    """

    REQUIRE: ClassVar = staticmethod(lambda op, type: require_float(op, type, "C3"))


@irdl_op_definition
class MeanOp(FloatReductionOp):
    """The arithmetic mean; NaN over no elements."""

    name = "relax.mean"


@irdl_op_definition
class VarianceOp(FloatReductionOp):
    """The mean of the squared distances from the mean (not Bessel's); NaN over no elements."""

    name = "relax.variance"


@irdl_op_definition
class StdOp(FloatReductionOp):
    """The square root of the variance; NaN over no elements."""

    name = "relax.std"


@irdl_op_definition
class ReduceL2Op(FloatReductionOp):
    """The Euclidean norm, `sqrt(sum(x * x))` (`ReduceL2` of ONNX)."""

    name = "relax.reduce_l2"


@irdl_op_definition
class ReduceLogSumOp(FloatReductionOp):
    """The logarithm of the sum (`ReduceLogSum` of ONNX); -inf over no elements."""

    name = "relax.reduce_log_sum"


@irdl_op_definition
class LogsumexpOp(FloatReductionOp):
    """The logarithm of the sum of the exponentials, `log(sum(exp(x)))`, which overflows only where the
    result does; -inf over no elements."""

    name = "relax.logsumexp"


class LogicalReductionOp(ReductionOp):
    """A reduction of truth values.

    (C1) The element type is boolean.
    """

    REQUIRE: ClassVar = staticmethod(require_bool)


@irdl_op_definition
class AllOp(LogicalReductionOp):
    """Whether all elements are true; true over no elements."""

    name = "relax.all"


@irdl_op_definition
class AnyOp(LogicalReductionOp):
    """Whether some element is true; false over no elements."""

    name = "relax.any"


@irdl_op_definition
class CountNonzeroOp(AxesOp):
    """The number of elements that are not zero (NaN is not), as i64; of truth values those that hold."""

    name = "relax.count_nonzero"

    result = result_def(TensorType)

    def infer(self) -> Sequence[Attribute]:
        return (TensorType.get(self.reduced(tensor_type(self.x).shape), i64),)


@irdl_op_definition
class MedianOp(AxesOp):
    """The middle one of the elements in order, the lower one of two; NaN where there is one.

    Along one axis a second result tells where it stands, as i64: the first of equal elements as they
    are sorted, the first NaN.

    (C1) The element type is numeric.
    (C3) `axis` is one axis, or is left out.
    (C4) There is an element to take; checked at run time where it is not proved.
    (C5) There are two results along one axis, else one.
    """

    name = "relax.median"
    PATTERN_KIND: ClassVar = K_OPAQUE

    outs = var_result_def(TensorType)

    def __init__(
        self,
        x: SSAValue | Operation,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
    ):
        axes = [axis] if isinstance(axis, int) else axis
        properties = {"axis": axes, "keepdims": keepdims or None}
        self.init_inferred([x], properties, 1 if axis is None else 2, variadic=True)

    def axes(self, rank: int) -> tuple[int, ...]:
        if self.axis is not None and len(self.axis) != 1:
            self.fail("one axis or none (C3)", str(len(self.axis)), "reshape the tensor first")
        return super().axes(rank)

    def infer(self) -> Sequence[Attribute]:
        type, count = tensor_type(self.x), 1 if self.axis is None else 2
        require_number(self, type)
        require_results(self, count, "C5")
        if type.shape is not None:
            refuse_unmet(self, some_element(self, type.shape, self.axes(len(type.shape)), "C4"))
        shape = self.reduced(type.shape)
        return [TensorType.get(shape, dtype) for dtype in (type.dtype, i64)[:count]]


def some_element(op: OperatorOp, shape: Dims, axes: Sequence[int], constraint: str) -> list[Demand]:
    """That axes of a shape have an element to choose, as far as their sizes are known."""
    sizes = [shape[axis] for axis in sorted(axes)]
    known = [size for size in sizes if size is not None]
    one = symbolic.const(1)
    count = guarded(lambda: symbolic.minimum(symbolic.product(known), one))
    if count is None or (len(known) < len(sizes) and count.value != 0):
        return []
    expected = f"at least one element along the axes to reduce ({constraint})"
    found = " x ".join(map(hole, known))
    return [Demand(expected, count, one, found, "leave out tensors without elements")]


OPS: list[type[Operation]] = [
    SumOp,
    ProdOp,
    MaxOp,
    MinOp,
    MeanOp,
    VarianceOp,
    StdOp,
    MedianOp,
    AllOp,
    AnyOp,
    CountNonzeroOp,
    LogsumexpOp,
    ReduceL1Op,
    ReduceL2Op,
    ReduceLogSumOp,
    ReduceSumSquareOp,
]
