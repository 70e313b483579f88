"""Linear algebra."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def

from relax_dialect import symbolic
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.rules import broadcast_dims, common_dtype, require_number, tensor_type
from relax_dialect.types import Dims, TensorType


@irdl_op_definition
class MatmulOp(OperatorOp):
    """The matrix product over the last two axes, batched over the others, as `numpy.matmul`.

    A vector on the left is a row, one on the right a column; the added axis is dropped again.

    (C1) The operands have one numeric element type, which is that of the result.
    (C2) Both operands have rank 1 or more.
    (C3) The last size of `lhs` is the last but one of `rhs` (the only one of a vector).
    (C4) The other leading sizes broadcast.
    """

    name = "relax.matmul"

    lhs = operand_def(TensorType)
    rhs = operand_def(TensorType)
    result = result_def(TensorType)

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(lhs, rhs)

    def infer(self) -> Sequence[Attribute]:
        lhs, rhs = tensor_type(self.lhs), tensor_type(self.rhs)
        dtype = common_dtype(self, lhs, rhs)
        require_number(self, lhs)
        require_number(self, rhs)
        return (TensorType.get(self._shape(lhs.shape, rhs.shape), dtype),)

    def _shape(self, lhs: Dims | None, rhs: Dims | None) -> Dims | None:
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


OPS: list[type[Operation]] = [MatmulOp]
