"""The common base of losses: two tensors of one shape, weights, and a reduction of many losses to one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from xdsl.ir import Attribute

from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.demands import Demand, equal, one_or, refuse_unmet
from relax_dialect.ops.fields import Operand, string, tensor
from relax_dialect.ops.kinds import K_OPAQUE
from relax_dialect.ops.number_attributes import Number
from relax_dialect.ops.rules import shared_dim, shared_dtype
from relax_dialect.ops.type_rules import FLOAT, Elements, tensor_type

REDUCTIONS = ("mean", "sum", "none")


def one_reduction(*more: str) -> Any:
    """Return the field of the reduction of the losses."""
    words = (*REDUCTIONS, *more)
    return string(default="mean", among=words, constraint="C3", quoted=True)


class TensorPairOp(OperatorOp):
    """An operator that compares two tensors, computed in f32 for f16 and bf16.

    (C1) The operands have one floating-point element type, which is that of the result.
    (C2) Tensors that are compared have the same sizes; checked at run time unless proved.
    """

    PATTERN_KIND: ClassVar = K_OPAQUE
    ELEMENTS: ClassVar[Elements | None] = FLOAT

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        """Yield the demands on the operands' shapes, as far as these are known."""
        if shapes[0] is None or shapes[1] is None:
            return
        expected, mend = "two tensors of one shape (C2)", "reshape or broadcast one of them"
        if len(shapes[0]) != len(shapes[1]):
            self.fail(expected, f"ranks {len(shapes[0])} and {len(shapes[1])}", mend)
        for wanted, size in zip(shapes[0], shapes[1]):
            yield from equal(expected, size, wanted, mend)

    def common_type(self) -> TensorType:
        """Return the shape and element type of the tensors that are compared."""
        types = [tensor_type(operand) for operand in self.operands]
        dtype, shapes = shared_dtype(self, types), [type.shape for type in types]
        refuse_unmet(self, self.demands(shapes))
        known = [shape for shape in shapes[:2] if shape is not None]
        sizes = tuple(shared_dim(self, dims, "of both", "C2") for dims in zip(*known))
        return TensorType.get(sizes if known else None, dtype)


class LossOp(TensorPairOp):
    """A loss for each prediction, or their mean or sum, by `reduction`.

    (C3) `reduction` is "mean" (that of all numbers, NaN of none), "sum" or "none".
    """

    @property
    @abstractmethod
    def reduction(self) -> str:
        """The reduction of the losses."""

    @property
    def coefficients(self) -> dict[str, Number]:
        """The numbers that shape the loss, by name."""
        return {name: getattr(self, name) for name in self.PLAN.by_name if name != "reduction"}

    def infer(self) -> Sequence[Attribute]:
        return (self.reduced(self.common_type()),)

    def reduced(self, losses: TensorType) -> TensorType:
        """Return the type of the result from that of all losses."""
        return losses if self.reduction == "none" else TensorType.get((), losses.dtype)


class PairLossOp(LossOp):
    """A loss of two tensors, element by element."""

    predictions: Operand = tensor()
    targets: Operand = tensor()


class WeightedLossOp(LossOp):
    """A loss of two tensors that weights are multiplied with.

    (C4) Weights broadcast to the shape of the predictions.
    """

    def demands(self, shapes: Sequence[Dims | None]) -> Iterator[Demand]:
        yield from super().demands(shapes)
        if shapes[0] is None:
            return
        expected, mend = "weights that broadcast to predictions (C4)", "reshape the weights"
        for shape in shapes[2:]:
            if shape is None:
                continue
            if len(shape) > len(shapes[0]):
                self.fail(expected, f"rank {len(shape)} for {len(shapes[0])}", mend)
            for size, wanted in zip(shape, shapes[0][len(shapes[0]) - len(shape) :]):
                yield from one_or(expected, size, wanted, mend)
