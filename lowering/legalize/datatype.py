"""Conversion of element types."""

from __future__ import annotations

from lowering.legalize.registry import legalize
from lowering.legalize.storage_casts import decoded, encoded
from relax_dialect import te
from relax_dialect.ir.storage import is_storage
from relax_dialect.ops.datatype import AstypeOp
from relax_dialect.ops.type_rules import tensor_type


@legalize(AstypeOp)
def astype(op: AstypeOp, x: te.Tensor) -> te.Tensor:
    """Every element converted as numpy does it."""
    source, target = tensor_type(op.x).dtype, op.dtype

    def element(*i: te.IterVar) -> te.Scalar:
        if source == target:
            return x[i]
        number = decoded(x[i], source) if is_storage(source) else x[i]
        if is_storage(target):
            return encoded(number, target, op.saturate, op.rounding)
        return number.astype(target)

    return te.compute(x.shape, element, name="out")
