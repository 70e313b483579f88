"""The C spelling of builtin types and their constants."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    MemRefType,
    NoneAttr,
    Signedness,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute

from lowering.emit_c.syntax.c_expressions import CExpr, Prec, number
from lowering.emit_c.syntax.narrow_float_bits import bits_of
from relax_dialect.errors import RelaxError
from relax_dialect.ir.storage import NUMPY_NAMES, STORAGE, bit_width
from relax_dialect.ir.types import ObjectType
from relax_dialect.text.float_syntax import bits_of_float, float_of_bits

Kind = Literal["float", "half", "bfloat", "int", "uint", "bool", "storage", "handle"]


@dataclass(frozen=True)
class CType:
    """A scalar type: its C name, the suffix of helpers for it, its width and numpy's name.

    The narrow floats, f16 and bf16, are held as their bits, and storage types packed into bytes.
    """

    name: str
    suffix: str
    bits: int
    kind: Kind
    dtype: str

    @property
    def memory(self) -> str:
        """The C type of an element in memory. A truth value is a byte there, 0 or 1: gcc 12 keeps most
        loops that read or write `bool` out of its vectors."""
        return self.unsigned if self.kind == "bool" else self.name

    @property
    def size(self) -> int:
        return max(1, self.bits // 8)

    @property
    def dlpack(self) -> str:
        """DLPack's type code, as its header names it, or a number that older headers have not."""
        return DLPACK_STORAGE[self.suffix] if self.kind == "storage" else DLPACK_CODE[self.kind]

    @property
    def is_packed(self) -> bool:
        """Whether a byte holds several elements."""
        return self.bits < 8

    @property
    def unsigned(self) -> str:
        """The unsigned type of the same width."""
        return self.name if self.kind == "storage" else f"uint{self.bits}_t"

    @property
    def storage(self) -> str:
        """numpy's name for the type in memory."""
        if self.kind == "storage":
            return "uint8"
        return f"uint{self.bits}" if self.is_narrow else self.dtype

    @property
    def mlir_name(self) -> str:
        """MLIR's name for the element type."""
        return f"ui{self.bits}" if self.kind == "uint" else self.suffix

    @property
    def is_narrow(self) -> bool:
        return self.kind in ("half", "bfloat")


FLOAT = CType("float", "f32", 32, "float", "float32")
DOUBLE = CType("double", "f64", 64, "float", "float64")
F16 = CType("uint16_t", "f16", 16, "half", "float16")
BF16 = CType("uint16_t", "bf16", 16, "bfloat", "bfloat16")
BOOL = CType("bool", "i1", 8, "bool", "bool")
INTS = {b: CType(f"int{b}_t", f"i{b}", b, "int", f"int{b}") for b in (8, 16, 32, 64)}
UINTS = {b: CType(f"uint{b}_t", f"u{b}", b, "uint", f"uint{b}") for b in (8, 16, 32, 64)}
INDEX = INTS[64]
STORAGES = {
    t: CType("uint8_t", name, bit_width(t), "storage", NUMPY_NAMES[name])
    for name, t in STORAGE.items()
}
HANDLE = CType("relax_object", "object", 64, "handle", "object")
"""A reference to an object."""

DLPACK_CODE: dict[Kind, str] = {
    "int": "kDLInt",
    "uint": "kDLUInt",
    "float": "kDLFloat",
    "half": "kDLFloat",
    "bfloat": "kDLBfloat",
    "bool": "kDLBool",
    "handle": "kDLOpaqueHandle",
}
"""DLPack's type codes, as its header names them."""


DLPACK_STORAGE: dict[str, str] = {
    **{"f8E4M3FN": "10", "f8E4M3FNUZ": "11", "f8E5M2": "12", "f8E5M2FNUZ": "13", "f8E8M0FNU": "14"},
    **{"f4E2M1FN": "17", "i4": "kDLInt", "ui4": "kDLUInt", "i2": "kDLInt", "ui2": "kDLUInt"},
}
"""The DLPack codes of storage types; the numbers are kDLFloat8_e4m3fn to kDLFloat4_e2m1fn."""

SCALARS: dict[type[Attribute], CType] = {
    Float32Type: FLOAT,
    Float64Type: DOUBLE,
    Float16Type: F16,
    BFloat16Type: BF16,
    IndexType: INDEX,
    ObjectType: HANDLE,
}
"""The types that have no parameters."""


def scalar_type(t: Attribute) -> CType:
    """Return the C type of a scalar; signless integers are signed."""
    if (known := SCALARS.get(type(t))) is not None:
        return known
    if isinstance(t, IntegerType):
        if t.width.data == 1:
            return BOOL
        table = UINTS if t.signedness.data == Signedness.UNSIGNED else INTS
        if t.width.data in table:
            return table[t.width.data]
    if (stored := STORAGES.get(t)) is not None:
        return stored
    raise RelaxError(
        f"C: type {t} is not supported yet; supported are f16, bf16, f32, f64, index, i1, i8, i16, "
        "i32, i64 (and their ui and si forms)"
    )


def memref_strides(t: MemRefType) -> tuple[int | None, ...] | None:
    """Return the strides of a strided layout (`None` where dynamic), or `None` when row-major."""
    if isinstance(t.layout, NoneAttr):
        return None
    if isinstance(t.layout, StridedLayoutAttr):
        return t.get_strides()  # pyright: ignore[reportReturnType]
    raise RelaxError(
        f"C: the layout of {t} is not supported; supported are the identity and strided<...>"
    )


FLOATS: dict[str, AnyFloat] = {
    "float16": Float16Type(),
    "bfloat16": BFloat16Type(),
    "float32": Float32Type(),
    "float64": Float64Type(),
}
"""The builtin types by numpy's names."""


def nan_text(value: float, t: CType) -> str:
    """Return a NaN with its sign and payload: `-__builtin_nanf("0x1")`, `NAN` for the usual one."""
    type = FLOATS[t.dtype]
    bits, digits = bits_of_float(value, type), 23 if t is FLOAT else 52
    if t.is_narrow:
        return hex(bits)
    quiet, sign = bits >> (digits - 1) & 1, bits >> (type.bitwidth - 1)
    if not (payload := bits & ((1 << (digits - 1)) - 1)) and not sign:
        return "NAN"
    name = f"__builtin_nan{'' if quiet else 's'}{'f' if t is FLOAT else ''}"
    return f'{"-" * sign}{name}("{payload:#x}")'


def numbers(data: np.ndarray) -> list[Any]:
    """Elements as Python has them; a NaN of f32 is one of f64 with its sign and payload, signaling too."""
    found = data.tolist()
    if data.dtype.kind == "f" and data.dtype.name in FLOATS:
        type, bits = FLOATS[data.dtype.name], data.view(f"u{data.itemsize}")
        for i in np.flatnonzero(np.isnan(data)):
            found[i] = float_of_bits(int(bits[i]), type)
    return found


def float_text(value: float, t: CType) -> str:
    """Return the shortest text that reads back as exactly `value`."""
    if math.isnan(value):
        return nan_text(value, t)
    if math.isinf(value):
        return "-INFINITY" if value < 0 else "INFINITY"
    text = str(np.float32(value)) if t is FLOAT else repr(float(value))
    if "." not in text and "e" not in text:
        text += ".0"
    return text + "f" if t is FLOAT else text


def literal(value: int | float | bool, t: CType) -> CExpr:
    """Return a constant of type `t`; of a narrow float an int is its bits, of a storage type a byte in
    memory."""
    if t.kind == "storage":
        return CExpr(hex(value))  # pyright: ignore[reportArgumentType]
    if t.is_narrow and not isinstance(value, float):
        return CExpr(hex(value))
    if t.is_narrow:
        return CExpr(nan_text(value, t) if value != value else hex(bits_of(value, t.dtype)))
    if t.kind == "float":
        text = float_text(float(value), t)
        return CExpr(text, Prec.UNARY if text.startswith("-") else Prec.ATOM)
    if t.kind == "bool":
        return CExpr("true" if value else "false")
    if t.kind == "uint":
        return CExpr(f"{int(value) % 2**t.bits}u")
    signed = (int(value) + 2 ** (t.bits - 1)) % 2**t.bits - 2 ** (t.bits - 1)
    return number(signed)
