"""Tensors as the memory that holds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, Operation
from xdsl.irdl import result_def

from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import Operand, tensor
from relax_dialect.ops.kinds import K_INJECTIVE
from relax_dialect.ops.operator import operator
from relax_dialect.types import TensorType


@operator("relax.size")
class SizeOp(OperatorOp):
    """The number of elements, as an i64."""

    PATTERN_KIND: ClassVar = K_INJECTIVE

    x: Operand = tensor()
    result = result_def(TensorType)

    def infer(self) -> Sequence[Attribute]:
        return (TensorType.get((), i64),)


OPS: list[type[Operation]] = [SizeOp]
