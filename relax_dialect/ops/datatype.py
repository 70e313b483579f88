"""Conversions between element types."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, IntegerType
from xdsl.ir import Attribute

from relax_dialect.ir.spelling import is_element_type
from relax_dialect.ir.storage import SCALE, STORAGE
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import OperatorOp
from relax_dialect.ops.fields import Dtype, Operand, element_type, flag, string, tensor
from relax_dialect.ops.kinds import FOLLOW, K_ELEMWISE
from relax_dialect.ops.operator import operator, operators_in
from relax_dialect.ops.type_rules import tensor_type

ROUNDINGS = ("nearest", "up", "down")
FLOATS_OF_8_BITS = [type for name, type in STORAGE.items() if name.startswith("f8")]


@operator("relax.astype", K_ELEMWISE, FOLLOW)
class AstypeOp(OperatorOp):
    """The elements converted to another type, as `numpy.ndarray.astype`: integers wrap around, floats
    are truncated to integers, and every number but zero is true.

    A float beyond the range of an integer type becomes the nearest number of that, and NaN becomes 0
    (numpy leaves both open). Whatever becomes a bf16 or a storage type of floats is rounded to f32 first.

    What a storage type of floats has not becomes NaN, or an infinity in f8E5M2; with `saturate` the number
    nearest to it, of f4E2M1FN always, in which NaN becomes a zero. f8E8M0FNU holds the powers of two from
    2^-127 to 2^127, and NaN, which infinities become: the sign is dropped, what lies between is rounded by
    `rounding` ("nearest" has halves up), and with `saturate` not beyond 2^127. What becomes an integer of 4
    or 2 bits keeps its lowest bits; a float beyond i32 is 0.

    (C1) `dtype` is a floating-point or integer type that tensors can have.
    (C2) `saturate` is for storage types of floats with 8 bits.
    (C3) `rounding` is "nearest", or for f8E8M0FNU "up" or "down".
    """

    STORES: ClassVar = True

    x: Operand = tensor()
    dtype: Dtype = element_type()
    saturate: bool = flag(default=False)
    rounding: str = string(default="nearest", among=ROUNDINGS, constraint="C3")

    def infer(self) -> Sequence[Attribute]:
        if not (isinstance(self.dtype, AnyFloat | IntegerType) and is_element_type(self.dtype)):
            self.fail(
                "a floating-point or integer type that tensors can have (C1)",
                str(self.dtype),
                "name one, such as f32 or i32",
            )
        if self.saturate and self.dtype not in FLOATS_OF_8_BITS:
            expected = f"one of {', '.join(map(str, FLOATS_OF_8_BITS))} with 'saturate' (C2)"
            self.fail(expected, str(self.dtype), "leave it out; relax.clip cuts numbers off")
        if self.rounding != "nearest" and self.dtype != SCALE:
            self.fail(f"{SCALE} with 'rounding' (C3)", str(self.dtype), "leave it out")
        return (TensorType.get(tensor_type(self.x).shape, self.dtype),)


OPS = operators_in(globals())
