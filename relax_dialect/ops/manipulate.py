"""Operators that move elements and change shapes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import DenseArrayBase
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, result_def

from relax_dialect import symbolic
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.rules import ints, normalize_axes, require_same_size, tensor_type
from relax_dialect.types import Dims, ShapeType, TensorType, dims_text


class ToShapeOp(OperatorOp):
    """An operator whose result has the shape given by its second operand, a shape value."""

    x = operand_def(TensorType)
    shape = operand_def(ShapeType)
    result = result_def(TensorType)

    def __init__(self, x: SSAValue | Operation, shape: SSAValue | Operation):
        super().__init__(x, shape)

    @property
    def target(self) -> Dims | None:
        """The sizes of the result, as far as they are known."""
        assert isinstance(self.shape.type, ShapeType)
        return self.shape.type.shape


@irdl_op_definition
class ReshapeOp(ToShapeOp):
    """The elements in row-major order under another shape.

    (C1) The new shape holds as many elements; checked at run time where it is not proved.
    """

    name = "relax.reshape"

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if type.shape is not None and self.target is not None:
            require_same_size(self, type.shape, self.target)
        return (TensorType.get(self.target, type.dtype),)


@irdl_op_definition
class FlattenOp(OperatorOp):
    """The elements in row-major order as a vector."""

    name = "relax.flatten"

    x = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, x: SSAValue | Operation):
        super().__init__(x)

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if type.shape is None or None in type.shape:
            return (TensorType.get((None,), type.dtype),)
        try:
            size = symbolic.product(type.shape)  # pyright: ignore[reportArgumentType]
        except symbolic.SymbolicOverflow:
            size = None
        return (TensorType.get((size,), type.dtype),)


@irdl_op_definition
class PermuteDimsOp(OperatorOp):
    """The dimensions in another order; reversed where no `axes` are given.

    (C1) `axes` names every axis of x once.
    """

    name = "relax.permute_dims"

    x = operand_def(TensorType)
    axes = opt_prop_def(DenseArrayBase)
    result = result_def(TensorType)

    def __init__(self, x: SSAValue | Operation, axes: Sequence[int] | None = None):
        super().__init__(x, axes=axes)

    def permutation(self, rank: int) -> tuple[int, ...]:
        """For every axis of the result the axis of x it comes from."""
        if self.axes is None:
            return tuple(reversed(range(rank)))
        found = normalize_axes(self, self.axes, rank, "C1")
        if len(found) != rank:
            self.fail(
                f"{rank} axes, one for each of x (C1)",
                str(list(ints(self.axes))),
                "name every axis once",
            )
        return found

    def infer(self) -> Sequence[Attribute]:
        type = tensor_type(self.x)
        if type.shape is None:
            rank = None if self.axes is None else len(ints(self.axes))
            shape = None if rank is None else (None,) * rank
            return (TensorType.get(shape, type.dtype),)
        permuted = tuple(type.shape[i] for i in self.permutation(len(type.shape)))
        return (TensorType.get(permuted, type.dtype),)


@irdl_op_definition
class BroadcastToOp(ToShapeOp):
    """The tensor repeated to a shape, as `numpy.broadcast_to`.

    (C1) The new shape has at least the rank of x.
    (C2) Aligned at the end, every size of x is 1 or provably the new one.
    """

    name = "relax.broadcast_to"

    def infer(self) -> Sequence[Attribute]:
        type, target = tensor_type(self.x), self.target
        if type.shape is not None and target is not None:
            if len(target) < len(type.shape):
                self.fail(
                    f"a shape of rank {len(type.shape)} or more (C1)",
                    dims_text(target),
                    "add the missing sizes",
                )
            for old, new in zip(reversed(type.shape), reversed(target)):
                if old is None or new is None or old is new or old is symbolic.const(1):
                    continue
                self.fail(
                    f"a size that is 1 or provably {new} (C2)",
                    str(old),
                    "correct the shape, or prove the sizes equal with a relax.match_cast of x",
                )
        return (TensorType.get(target, type.dtype),)


OPS: list[type[Operation]] = [ReshapeOp, FlattenOp, PermuteDimsOp, BroadcastToOp]
