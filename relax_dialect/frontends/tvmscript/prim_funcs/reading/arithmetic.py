"""Operations on the values of TIR's expressions: numbers are computed, sizes stay sizes."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import Expr
from relax_dialect.te import dtypes, scalar
from relax_dialect.te.dtypes import F32, I1, I64, INDEX, DType, as_dtype, bits, kind, width
from relax_dialect.te.emit.access import walk
from relax_dialect.te.raising.scalars import SIZES, as_index
from relax_dialect.te.scalar import Cast, Scalar, ScalarConstant, Size

Value: TypeAlias = Scalar | int | float
"""A scalar, or a number whose type is that of the other operand."""

I32 = as_dtype("int32")
_COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
_FOLDED: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "maximum": max, "minimum": min,
    **{name: getattr(operator, name) for name in _COMPARISONS},
}  # fmt: skip
_SIZES = {name: SIZES[name] for name in ("add", "sub", "mul", "maximum", "minimum")} | {
    "floordiv": symbolic.floordiv,
    "floormod": symbolic.floormod,
}
_QUOTIENTS = frozenset({"floordiv", "floormod", "quotient", "truncdiv", "rem"})
"""Divisions of integers."""
_OF_BITS = frozenset({"and", "or", "xor", "shl", "shr"})
"""Operations on bits: a number takes the type of the other operand."""


def size_of(value: Value) -> Expr | None:
    """Return a value as a size if it is a number, or made of sizes, else None."""
    match value:
        case bool() | float():
            return None
        case int():
            return symbolic.const(value)
        case Size():
            return value.expr
        case ScalarConstant() if (
            kind(value.dtype) in ("integer", "unsigned") and value.value < 1 << 63
        ):
            return symbolic.const(int(value.value))
        case _:
            return None


def index(value: Value) -> Scalar:
    """Convert a value to the type of indices."""
    if (size := size_of(value)) is not None:
        return as_index(size)
    found = scalar.as_scalar(value, INDEX)
    if isinstance(found, Cast) and found.operands[0].dtype == INDEX and width(found.dtype) == 64:
        return found.operands[0]
    return found.astype(INDEX)


class Arithmetic:
    """Operations; equal ones on equal operands are one node, as long as the object lives.

    Operands of two types meet in the type that TVM's operators convert them to: `narrow` are the counters
    of loops that are of type `int32` there, where other indices are of type `int64`.
    """

    def __init__(self, narrow: set[Scalar] | None = None) -> None:
        self._made: dict[tuple[Any, ...], Value] = {}
        self.narrow: set[Scalar] = set() if narrow is None else narrow

    def once(self, what: object, make: Callable[..., Value], *operands: Value) -> Value:
        """Return the value built from operands, one node for each way to build it."""
        key = (what, *map(_key, operands))
        if key not in self._made:
            self._made[key] = make(*operands)
        return self._made[key]

    def apply(self, name: str, a: Value, b: Value) -> Value:
        """Apply an operation of two operands."""
        divisor = size_of(b) if name in _QUOTIENTS else None
        of_floats = isinstance(a, float) or (isinstance(a, Scalar) and kind(a.dtype) == "float")
        if divisor is not None and divisor.value == 0 and not of_floats:
            raise SymbolicError("expected a divisor other than 0, found 0; correct it")
        if not isinstance(a, Scalar) and not isinstance(b, Scalar):
            folds = name in _FOLDED or name in ("floordiv", "floormod")
            folds = folds and (b or name not in ("div", "floordiv", "floormod"))
            if not folds:
                a = scalar.const(a, F32 if isinstance(a, float) else I32)
            else:
                fold = _FOLDED.get(name) or getattr(operator, {"floormod": "mod"}.get(name, name))
                found = fold(a, b)
                return ScalarConstant(int(found), I1) if isinstance(found, bool) else found
        first, second = size_of(a), size_of(b)
        of_sizes = isinstance(a, Size) or isinstance(b, Size)
        if of_sizes and name in _SIZES and first is not None and second is not None:
            try:
                return as_index(_SIZES[name](first, second))
            except SymbolicError:
                pass
        x, y = self.unified(a, b, name in _OF_BITS)
        if (
            name == "mul" and x.dtype == y.dtype == I1
        ):  # a choice that is not in the script, as it is no `and`
            return self._chosen(False, x, y, ScalarConstant(0, I1))
        return self.once(name, lambda x, y: _operation(name, x, y), x, y)

    def unified(self, a: Value, b: Value, of_bits: bool = False) -> tuple[Scalar, Scalar]:
        """Convert two values to one type."""
        if not isinstance(a, Scalar):
            assert isinstance(b, Scalar)
            a = scalar.const(a, _type_of_number(a, b.dtype, of_bits))
        if not isinstance(b, Scalar):
            b = scalar.const(b, _type_of_number(b, a.dtype, of_bits))
        if a.dtype == b.dtype or "" in (kind(a.dtype), kind(b.dtype)):
            return a, b  # or the operation reports the error
        dtype = self._common(a, b)
        return self._converted(a, dtype), self._converted(b, dtype)

    def _common(self, a: Scalar, b: Scalar) -> DType:
        """Return the type of an operation on two values of different types."""
        floats = [each.dtype for each in (a, b) if kind(each.dtype) == "float"]
        if floats:
            return max(floats, key=bits)
        if any(x.dtype == INDEX and isinstance(y, ScalarConstant) for x, y in ((a, b), (b, a))):
            return INDEX
        types = [self._type_there(each) for each in (a, b)]
        if width(types[0]) == width(types[1]):
            return next((each for each in types if kind(each) == "unsigned"), types[0])
        return max(types, key=width)

    def _type_there(self, value: Scalar) -> DType:
        if value.dtype != INDEX:
            return value.dtype
        return I32 if self.is_narrow(value) else I64

    def is_narrow(self, value: Value) -> bool:
        """Returns whether an integer is of at most 32 bits in TVM."""
        if not isinstance(value, Scalar):
            return True
        if value.dtype != INDEX:
            return width(value.dtype) <= 32
        leaves = (each for each in walk(value) if not each.operands)
        return all(isinstance(each, ScalarConstant) or each in self.narrow for each in leaves)

    def stored(self, value: Value, dtype: DType) -> Scalar:
        """Convert a value to the type of its destination."""
        if isinstance(value, Scalar):
            return value if value.dtype == dtype else self._converted(value, dtype)
        if kind(dtype) != "float" and math.isfinite(value):
            value = math.trunc(value)
        return scalar.const(value, dtype)

    def _converted(self, value: Scalar, dtype: DType) -> Scalar:
        if isinstance(value, ScalarConstant) and kind(dtype) in ("integer", "unsigned"):
            return scalar.const(_wrapped(value.value, dtype), dtype)
        if dtype == I1 and kind(value.dtype) in ("integer", "unsigned"):
            # as a comparison that no one writes, so that it is written as a conversion again
            return scalar.compare("ne", scalar.const(0, value.dtype), value)
        found = self.once(("cast", dtype), lambda x: x.astype(dtype), value)  # pyright: ignore
        assert isinstance(found, Scalar)
        return found

    def _cast(self, value: Value, dtype: DType) -> Value:
        if not isinstance(value, Scalar):
            value = scalar.const(value, F32 if isinstance(value, float) else I32)
        if isinstance(value, Size) and dtype == dtypes.I64:
            return value
        return self._converted(value, dtype) if value.dtype != dtype else value

    def _chosen(self, lazy: bool, condition: Value, a: Value, b: Value) -> Value:
        if not isinstance(a, Scalar) and not isinstance(b, Scalar):
            floats = isinstance(a, float) or isinstance(b, float)
            a = scalar.const(a, F32 if floats else I32)
        x, y = self.unified(a, b)
        name = "if_then_else" if lazy else "select"
        return self.once(name, lambda c, x, y: scalar.choice(name, c, x, y, lazy), condition, x, y)

    def _negative(self, value: Value) -> Value:
        if not isinstance(value, Scalar):
            return -value
        if (size := size_of(value)) is not None and isinstance(value, Size):
            return as_index(size * -1)
        if isinstance(value, ScalarConstant):
            return ScalarConstant(-value.value, value.dtype)
        return self.once("-", lambda x: -x, value)

    def _inverted(self, value: Value) -> Value:
        if not isinstance(value, Scalar):
            return ~int(value)
        return self.once("~", lambda x: ~x, value)


def _operation(name: str, a: Scalar, b: Scalar) -> Scalar:
    if name in _COMPARISONS:
        return scalar.compare(name, a, b)
    if name == "quotient":  # `T.Div`, which rounds towards zero on integers
        name = "div" if kind(a.dtype) == "float" else "truncdiv"
    if name in ("truncdiv", "rem"):
        return scalar.truncated(name, a, b)
    return scalar.binary("rem" if name == "floormod" else name, a, b)


def _type_of_number(value: float, dtype: DType, of_bits: bool) -> DType:
    """Return the type of a number next to a value of a type: that type, or `int32` or `float32` if
    wider."""
    of = kind(dtype)
    if isinstance(value, float):
        return dtype if of == "float" and bits(dtype) >= 32 else F32
    if of == "float" or of_bits or dtype == INDEX:
        return dtype
    wide = I32 if -(1 << 31) <= value < 1 << 31 else I64
    return dtype if width(dtype) >= width(wide) else wide


def _wrapped(value: float, dtype: DType) -> float:
    """Wrap a number to an integer type; other values are unchanged."""
    if not math.isfinite(value):
        return value
    low, high = dtypes.limits(dtype)
    return (math.trunc(value) - int(low)) % (int(high) - int(low) + 1) + int(low)


def _key(value: Value) -> Hashable:
    """Return a key that is the same for equal operands."""
    match value:
        case ScalarConstant():
            return value.dtype, str(value.value)
        case Size():
            return value.expr
        case Scalar():
            return value
        case _:
            return type(value), str(value)
