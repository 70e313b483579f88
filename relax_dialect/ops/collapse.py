"""Operators that undo broadcasting: gradients of operators whose operands it repeated."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Attribute

from relax_dialect.ir.spelling import dims_text
from relax_dialect.ir.types import Dims, TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import Operand, shape_value, tensor
from relax_dialect.ops.kinds import K_COMM_REDUCE
from relax_dialect.ops.manipulate import refuse_other_size
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import NUMBER, sizes_of, tensor_type


class CollapseOp(OperatorOp):
    """A sum over the elements that a broadcast has repeated, back to the shape before it.

    (C1) The element type is numeric; it is that of the result.
    (C2) The new shape has at most the rank of x.
    (C3) Aligned at the end, every new size is 1 or that of x; checked at run time unless
         proved.
    """

    PATTERN_KIND: ClassVar = K_COMM_REDUCE

    DEMAND: ClassVar = "new sizes that are 1 or those of x"

    x: Operand = tensor(NUMBER)

    @property
    @abstractmethod
    def target(self) -> Dims | None:
        """The sizes of the result, as far as they are known."""

    def infer(self) -> Sequence[Attribute]:
        type, target = tensor_type(self.x), self.target
        if type.shape is not None and target is not None:
            if len(target) > len(type.shape):
                self.fail(
                    f"a shape of rank {len(type.shape)} or less (C2)",
                    dims_text(target),
                    "leave out the leading sizes",
                )
            for old, new in zip(reversed(type.shape), reversed(target)):
                refuse_other_size(self, new, old, "C3")
        return (TensorType.get(target, type.dtype),)


@operator("relax.collapse_sum_to")
class CollapseSumToOp(CollapseOp):
    """The sum over the elements that a broadcast from `shape` has repeated: the gradient of
    `broadcast_to`."""

    x: Operand = tensor(NUMBER)
    shape: Operand = shape_value()

    @property
    def target(self) -> Dims | None:
        return sizes_of(self.shape)


@operator("relax.collapse_sum_like")
class CollapseSumLikeOp(CollapseOp):
    """The sum over the elements that a broadcast from the shape of `collapse_target` has repeated."""

    x: Operand = tensor(NUMBER)
    collapse_target: Operand = tensor()

    @property
    def target(self) -> Dims | None:
        return tensor_type(self.collapse_target).shape


OPS = operators_in(globals())
