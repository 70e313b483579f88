"""Gradients of operators as operators of their own, and one through which none flows: TVM's `relax.grad`.

`relax_dialect.gradient` composes gradients of other operators; programs that come from TVM have these.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from xdsl.ir import Attribute
from xdsl.utils.test_value import create_ssa_value

from relax_dialect.ir.order import describe
from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import Dims
from relax_dialect.ops.base import IllFormedOpError, OperatorOp
from relax_dialect.ops.comparison import one_reduction
from relax_dialect.ops.demands import Demand, equal, refuse_unmet
from relax_dialect.ops.fields import (
    Axes,
    Operand,
    OptionalOperand,
    flag,
    integer,
    ints,
    one_axis,
    tensor,
)
from relax_dialect.ops.indexing import TakeOp
from relax_dialect.ops.kinds import K_ELEMWISE, K_OPAQUE
from relax_dialect.ops.loss import NllLossOp
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.pooling import AvgPool2dOp, MaxPool2dOp
from relax_dialect.ops.rules import shared_dtype
from relax_dialect.ops.type_rules import FLOAT, INTEGER, LeastRank, Rank, tensor_type
from relax_dialect.ops.windows import (
    axis_numbers,
    each_axis,
    image_layout,
    padding_numbers,
    result_layout,
)


@operator("relax.no_grad")
class NoGradOp(OperatorOp):
    """x itself, through which no gradient flows: PyTorch's `detach`, JAX's `stop_gradient`."""

    PATTERN_KIND: ClassVar = K_ELEMWISE

    x: Operand = tensor()

    def infer(self) -> Sequence[Attribute]:
        return (tensor_type(self.x),)


class BackwardOp(OperatorOp):
    """The gradient of an operator with respect to its first tensor, from `output_grad`, the cotangent of
    its result; all other arguments are that operator's.

    (C1) `output_grad` has the floating-point element type of that tensor, and the shape of the operator's
         result; its sizes are checked at run time where they are not proved equal.
    """

    PATTERN_KIND: ClassVar = K_OPAQUE
    FORWARD: ClassVar[type[OperatorOp]]

    output_grad: Operand = tensor(FLOAT)

    def forward(self, op: type[OperatorOp] | None = None) -> Any:
        """Return the operator, or another one of its arguments, on values of the same types."""
        inputs = [create_ssa_value(operand.type) for operand in self.operands[1:]]
        of = self.FORWARD if op is None else op
        count = len(of.get_irdl_definition().results)
        types = [self.operands[1].type] * count
        return of.create(operands=inputs, result_types=types, properties=self.properties)

    def demands(self, given: Dims | None, result: Dims | None) -> Iterator[Demand]:
        """Yield the demands that the cotangent has the shape of the operator's result, as far as both are
        known."""
        if given is None or result is None:
            return
        expected, mend = "an output_grad of the shape of the result (C1)", "correct it"
        if len(given) != len(result):
            self.fail(expected, f"{dims_text(given)} for {dims_text(result)}", mend)
        for size, wanted in zip(given, result):
            yield from equal(expected, size, wanted, mend)

    def infer(self) -> Sequence[Attribute]:
        given, x = tensor_type(self.output_grad), tensor_type(self.operands[1])
        try:
            (result,) = self.forward().infer()
        except IllFormedOpError as error:
            reason = str(error).partition(": ")[2]
            raise IllFormedOpError(f"{describe(self)}: {reason}") from None
        shared_dtype(self, [given, x])
        refuse_unmet(self, self.demands(given.shape, result.shape))
        return (x,)


class PoolBackwardOp(BackwardOp):
    """The gradient of a pool with respect to x; the other arguments are subject to the constraints of the
    pool."""

    SPATIAL: ClassVar = "HW"

    x: Operand = tensor(FLOAT)
    pool_size: Axes = ints(default=1, required=True, meaning=each_axis)
    strides: Axes = axis_numbers(1)
    padding: Axes = padding_numbers()
    dilation: Axes = axis_numbers(1)
    ceil_mode: bool = flag(default=False)
    count_include_pad: bool = flag(default=False)
    layout: str = image_layout()
    out_layout: str = result_layout()

    @property
    def is_blocked(self) -> bool:
        """Whether channels lie in blocks in one of the layouts."""
        return self.forward().is_blocked

    @property
    def layout_fields(self) -> Sequence[str]:
        """The names of the properties that are layouts."""
        return self.forward().layout_fields

    @property
    def operand_layouts(self) -> Mapping[int, str]:
        """The layouts of the cotangent and of x, by their positions."""
        return {0: self.forward().result_layout, 1: self.forward().x_layout}

    @property
    def result_layout(self) -> str:
        """The layout of the gradient: that of x."""
        return self.forward().x_layout


@operator("relax.max_pool2d_backward")
class MaxPool2dBackwardOp(PoolBackwardOp):
    """The gradient of `max_pool2d`: each cotangent goes to the first of the equal maxima of its window."""

    FORWARD: ClassVar = MaxPool2dOp


@operator("relax.avg_pool2d_backward")
class AvgPool2dBackwardOp(PoolBackwardOp):
    """The gradient of `avg_pool2d`: each cotangent is shared by the elements of its window."""

    FORWARD: ClassVar = AvgPool2dOp


@operator("relax.take_backward")
class TakeBackwardOp(BackwardOp):
    """The gradient of `take` in mode "fast": each cotangent is added where it was taken from. An index
    outside of the axis is an error when the program runs.

    (C2) The axis is within -rank..rank-1; without `axis` x is a vector.
    """

    FORWARD: ClassVar = TakeOp

    x: Operand = tensor(FLOAT)
    indices: Operand = tensor(INTEGER)
    axis: int | None = one_axis(default=None)


@operator("relax.nll_loss_backward")
class NllLossBackwardOp(BackwardOp):
    """The gradient of `nll_loss`: the prediction of each target that is not ignored gets the cotangent of
    its loss, times minus its weight, for a mean divided by the weights of all of them.

    (C2) predictions have the shape [n, classes, ...] and targets [n, ...], or [classes] and []; weights
         have one axis, [classes].
    (C3) `reduction` is "mean", "sum" or "none".
    """

    FORWARD: ClassVar = NllLossOp
    FIRST_IN_TEXT: ClassVar = ("ignore_index",)

    predictions: Operand = tensor(FLOAT, LeastRank(1, "C2"))
    targets: Operand = tensor(INTEGER)
    weights: OptionalOperand = tensor(FLOAT, Rank(1, "C2", "flatten them"), default=None)
    reduction: str = one_reduction()
    ignore_index: int = integer(default=-100)


OPS = operators_in(globals())
