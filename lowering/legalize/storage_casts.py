"""Storage types in prim funcs: as bytes, converted by `relax.view`.

    %y = relax.astype %x {dtype = i4} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], i4>
->
    %bytes = relax.call_tir @astype(%x)
        : (!relax.tensor<[n], f32>) -> !relax.tensor<[(n + 1) floordiv 2], ui8>
    %y = relax.view %bytes, %shape {dtype = i4} : ...

Rules see the elements as codes, numbers of ui8 whose lowest bits are an element's; `relax-lower-functions`
makes a view of the memory of each `relax.view`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, TypeGuard

import numpy as np
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr, IntegerType, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from lowering.ir.storage_constants import packed_constant
from lowering.legalize.manipulate import flattened
from lowering.legalize.registry import known_tensor
from relax_dialect import symbolic, te
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.mlir.builtin_types import builtin_sizes
from relax_dialect.ir.spelling import parse_dtype
from relax_dialect.ir.storage import bit_width, is_storage, per_byte
from relax_dialect.ir.types import TensorType as RelaxTensorType
from relax_dialect.mapped_data import stored
from relax_dialect.ops.core import ConstantOp, ShapeOp
from relax_dialect.ops.memory import ViewOp, byte_count
from relax_dialect.symbolic import Expr
from relax_dialect.te.dtypes import kind

UI8 = parse_dtype("ui8")


# Tensors and bytes -----------------------------------------------------------------------------


def is_stored(type: object) -> TypeGuard[RelaxTensorType]:
    """Return whether a type is that of tensors of a storage type."""
    return isinstance(type, RelaxTensorType) and is_storage(type.dtype)


def bytes_type(type: Any) -> Any:
    """Return the type of the bytes of a tensor of a storage type, which have its shape where each is an
    element; any other type as it is."""
    if not is_stored(type):
        return type
    dims = type.shape if per_byte(type.dtype) == 1 else (byte_count(type),)
    return RelaxTensorType.get(dims, UI8)


def to_bytes(value: SSAValue, user: Operation) -> SSAValue:
    """Return the bytes of a tensor of a storage type, inserted before its user; any other tensor as it
    is."""
    if not is_stored(value.type):
        return value
    constant = value.owner
    if not isinstance(constant, ConstantOp):
        return _viewed(value, bytes_type(value.type), user)
    assert isinstance(constant.value, DenseIntOrFPElementsAttr)
    sizes = builtin_sizes(bytes_type(value.type).shape)
    data: Any = stored(packed_constant(constant.value))
    tensor: Any = TensorType(UI8, sizes)
    made = ConstantOp(DenseIntOrFPElementsAttr(tensor, BytesAttr(data)))
    return _place([made], user)


def from_bytes(value: SSAValue, type: Attribute, user: Operation) -> SSAValue:
    """Return a tensor of a storage type, if that is meant, of its bytes."""
    return _viewed(value, type, user) if is_stored(type) else value


def _viewed(value: SSAValue, type: RelaxTensorType, user: Operation) -> SSAValue:
    shape = ShapeOp([size for size in type.shape or () if size is not None])
    return _place([shape, ViewOp(value, shape, type.dtype)], user)


def _place(ops: Sequence[Operation], user: Operation) -> SSAValue:
    assert user.parent is not None
    user.parent.insert_ops_before(ops, user)
    inherit(ops, user.location)
    return ops[-1].results[0]


def views_storage(op: ViewOp) -> bool:
    """Return whether a view is from or to a tensor of a storage type."""
    return is_stored(op.x.type) or is_stored(op.result.type)


def on_bytes(op: ViewOp) -> ViewOp | None:
    """Rewrite a view of or as a storage type to one of bytes; None if it is plain, and stays."""
    counts = [byte_count(t) for t in (op.x.type, op.result.type) if isinstance(t, RelaxTensorType)]
    same = not op.relative_byte_offset and None not in counts and counts[0] is counts[1]
    types = {t.dtype for t in (op.x.type, op.result.type) if isinstance(t, RelaxTensorType)}
    if same and UI8 in types:
        return None
    (inferred,) = op.checked_types()
    known_tensor(op, "operand 'x'", op.x.type)
    known_tensor(op, "the result", inferred)
    type = bytes_type(inferred)
    x = to_bytes(op.x, op)
    shape = ShapeOp([size for size in type.shape or () if size is not None])
    plain = ViewOp(x, shape, type.dtype, op.relative_byte_offset)
    _place([shape, plain], op)
    result = from_bytes(plain.result, inferred, op)
    result.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(result)
    op.detach()
    op.erase()
    return plain


# Bytes and codes -------------------------------------------------------------------------------


def unpacked(x: te.Tensor, type: Attribute) -> te.Tensor:
    """Return the codes of the elements that some bytes hold: byte by byte where all bytes are full."""
    if not is_stored(type) or (places := per_byte(type.dtype)) == 1:
        return x
    width = bit_width(type.dtype)
    sizes = [size for size in type.shape or () if size is not None]

    def element(place: Any, within: Any) -> te.Scalar:
        code = byte = x[place]
        for k in range(1, places):
            code = te.select(within == k, byte >> k * width, code)
        return code & ((1 << width) - 1)

    count = symbolic.product(sizes)
    if full := symbolic.exact_quotient(count, symbolic.const(places)):
        codes = te.compute((full, symbolic.const(places)), element, name="codes")
    else:
        codes = te.compute(
            (count,),
            lambda i: element(te.floordiv(i, places), te.floormod(i, places)),
            name="codes",
        )
    return te.reshape(codes, sizes, name="codes")


def packed(codes: te.Tensor, type: Attribute) -> te.Tensor:
    """Return the bytes of the elements of these codes."""
    if not is_stored(type) or (places := per_byte(type.dtype)) == 1:
        return codes
    width = bit_width(type.dtype)
    flat = flattened(codes)
    (count,) = flat.shape

    def element(i: te.IterVar) -> te.Scalar:
        parts = [flat[i * places]]
        parts += [_or_zero(flat, i * places + k, count) << width * k for k in range(1, places)]
        return reduce(or_, parts)

    return te.compute((symbolic.floordiv(count + (places - 1), places),), element, name="bytes")


def _or_zero(flat: te.Tensor, i: te.Scalar, count: Expr) -> te.Scalar:
    return te.if_then_else(i < count, flat[i], te.const(0, "ui8"))


# Codes and numbers -----------------------------------------------------------------------------


def decoded(code: te.Scalar, dtype: object) -> te.Scalar:
    """Return the number that a code is: an f32, or an i8 or ui8."""
    width = bit_width(dtype)
    if isinstance(dtype, IntegerType):
        if str(dtype).startswith("u"):
            return code
        return (te.reinterpret(code, "i8") << 8 - width) >> 8 - width
    form = dtype.SEMANTICS  # pyright: ignore[reportAttributeAccessIssue]
    bits = code.astype("ui32")
    if not form.has_sign:  # powers of two, the least of them below the normal numbers of f32
        number = te.select(bits == 0, te.const(1 << 22, "ui32"), bits << 23)
        return te.reinterpret(te.select(bits == 255, te.const(NAN, "ui32"), number), "f32")
    magnitude = bits & ((1 << width - 1) - 1)
    scaled = te.reinterpret(magnitude << 23 - form.mantissa_bits, "f32")
    number = te.reinterpret(scaled * 2.0 ** (127 - form.exponent_bias), "ui32")
    if str(dtype) == "f8E5M2":  # the only one with infinities
        number = te.select(magnitude >= 0x7C, number | INFINITY, number)
    elif str(dtype) != "f4E2M1FN":
        nan = CODES[str(dtype)][2]  # with either sign, unless it is that of a negative zero
        is_nan = (bits if nan == 0x80 else magnitude) == nan
        number = te.select(is_nan, te.const(NAN, "ui32"), number)
    return te.reinterpret(number | (bits >> width - 1) << 31, "f32")


NAN = 0x7FC00000
INFINITY = 0x7F800000
CODES = {
    "f8E4M3FN": (0x7E, 0x7F, 0x7F),
    "f8E4M3FNUZ": (0x7F, 0x80, 0x80),
    "f8E5M2": (0x7B, 0x7C, 0x7E),
    "f8E5M2FNUZ": (0x7F, 0x80, 0x80),
    "f4E2M1FN": (7, 7, 0),
}
"""The codes of the largest finite number, of larger numbers, and of NaN."""


def encoded(
    number: te.Scalar, dtype: object, saturate: bool = False, rounding: str = "nearest"
) -> te.Scalar:
    """Return the code of a number, as `relax.astype` makes it."""
    if isinstance(dtype, IntegerType):
        return _lowest_bits(number) & ((1 << bit_width(dtype)) - 1)
    form = dtype.SEMANTICS  # pyright: ignore[reportAttributeAccessIssue]
    wide = te.reinterpret(number.astype("f32"), "ui32")
    size = wide & 0x7FFFFFFF
    if not form.has_sign:
        return _exponent(size, saturate, rounding).astype("ui8")
    m, top = form.mantissa_bits, 1 << form.sign_shift
    largest, beyond, nan = CODES[str(dtype)]
    # rounds at the last bit: a sum does it for numbers below the least normal one
    least = 127 + 1 - form.exponent_bias
    magic = np.float32(2.0 ** (least - 127 - m + 23))
    small = te.reinterpret(te.reinterpret(size, "f32") + float(magic), "ui32")
    small = small - int(magic.view(np.uint32))
    normal = (size + ((1 << 22 - m) - 1) + (size >> 23 - m & 1)) >> 23 - m
    normal = normal - ((least - 1) << m)
    magnitude = te.select(size < least << 23, small, normal)
    sign = (wide >> 31) << form.sign_shift
    is_nan = size > INFINITY
    over = te.const(largest if saturate else beyond, "ui32")
    code = te.select(magnitude > largest, over, magnitude)
    code = te.select(is_nan, te.const(nan, "ui32"), code)
    if str(dtype).endswith("UZ"):  # neither a negative zero nor a negative NaN
        sign = te.select((code == 0) | (code == top), te.const(0, "ui32"), sign)
    elif str(dtype) == "f4E2M1FN":
        sign = te.select(is_nan, sign ^ top, sign)
    return (code | sign).astype("ui8")


def _lowest_bits(number: te.Scalar) -> te.Scalar:
    """Return the lowest byte of an integer; of a float, which i32 may not hold, that of its whole part."""
    if kind(number.dtype) == "float":
        wide = number if str(number.dtype) == "f64" else number.astype("f32")
        fits = te.abs(te.trunc(wide)) < 2.0**31
        number = te.select(fits, wide, te.const(0.0, wide.dtype)).astype("i32")
    return te.reinterpret(number.astype("i8"), "ui8")


def _exponent(size: te.Scalar, saturate: bool, rounding: str) -> te.Scalar:
    """Return the exponent of an f32 without sign, rounded to a power of two."""
    exponent, fraction = size >> 23, size & 0x7FFFFF
    more = {
        "up": fraction > 0,
        "nearest": (fraction > 0x400000) | ((fraction == 0x400000) & (exponent > 0)),
        "down": te.const(False, "i1"),
    }[rounding] & (exponent < (254 if saturate else 255))
    return exponent + more.astype("ui32")
