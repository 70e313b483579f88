"""Operations on the values of TIR's expressions: numbers are computed, sizes stay sizes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

from relax_dialect import symbolic
from relax_dialect.errors import SymbolicError
from relax_dialect.symbolic import Expr
from relax_dialect.te import dtypes, scalar
from relax_dialect.te.dtypes import I1, INDEX, DType, kind, width
from relax_dialect.te.raising.scalars import SIZES, as_index
from relax_dialect.te.scalar import Cast, Constant, Scalar, Size

Value: TypeAlias = Scalar | int | float
"""A scalar; a number whose type what it meets decides."""

_COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
_FOLDED: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "maximum": max, "minimum": min,
    **{name: getattr(operator, name) for name in _COMPARISONS},
}  # fmt: skip
_SIZES = {name: SIZES[name] for name in ("add", "sub", "mul", "maximum", "minimum")} | {
    "floordiv": symbolic.floordiv,
    "floormod": symbolic.floormod,
}
_QUOTIENTS = frozenset({"floordiv", "floormod", "quotient", "truncdiv", "rem"})
"""Divisions of integers."""


def size_of(value: Value) -> Expr | None:
    """A value that is a number, or is made of sizes."""
    match value:
        case bool() | float():
            return None
        case int():
            return symbolic.const(value)
        case Size():
            return value.expr
        case Constant() if kind(value.dtype) in ("integer", "unsigned"):
            return symbolic.const(int(value.value))
        case _:
            return None


def index(value: Value) -> Scalar:
    """A value in the type of indices."""
    if (size := size_of(value)) is not None:
        return as_index(size)
    found = scalar.as_scalar(value, INDEX)
    if isinstance(found, Cast) and found.operands[0].dtype == INDEX and width(found.dtype) == 64:
        return found.operands[0]
    return found.astype(INDEX)


class Arithmetic:
    """Operations; equal ones on equal operands are one node, as long as the object lives."""

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], Value] = {}

    def once(self, what: object, make: Callable[..., Value], *operands: Value) -> Value:
        """What is made of operands, one node for each way to make it."""
        key = (what, *map(_key, operands))
        if key not in self._made:
            self._made[key] = make(*operands)
        return self._made[key]

    def apply(self, name: str, a: Value, b: Value) -> Value:
        """An operation of two operands."""
        divisor = size_of(b) if name in _QUOTIENTS else None
        of_floats = isinstance(a, float) or (isinstance(a, Scalar) and kind(a.dtype) == "float")
        if divisor is not None and divisor.value == 0 and not of_floats:
            raise SymbolicError("expected a divisor other than 0, found 0; correct it")
        if not isinstance(a, Scalar) and not isinstance(b, Scalar):
            folds = name in _FOLDED or (name in ("floordiv", "floormod") and b)
            if not folds:
                a = scalar.const(a, dtypes.F32 if isinstance(a, float) else "i32")
            else:
                fold = _FOLDED.get(name) or getattr(operator, {"floormod": "mod"}.get(name, name))
                found = fold(a, b)
                return Constant(int(found), I1) if isinstance(found, bool) else found
        first, second = size_of(a), size_of(b)
        of_sizes = isinstance(a, Size) or isinstance(b, Size)
        if of_sizes and name in _SIZES and first is not None and second is not None:
            try:
                return as_index(_SIZES[name](first, second))
            except SymbolicError:
                pass
        x, y = self.unified(a, b)
        if (
            name == "mul" and x.dtype == y.dtype == I1
        ):  # a choice that no one writes, as it is no `and`
            return self._chosen(False, x, y, Constant(0, I1))
        return self.once(name, lambda x, y: _operation(name, x, y), x, y)

    def unified(self, a: Value, b: Value) -> tuple[Scalar, Scalar]:
        """Two values in one type."""
        if not isinstance(a, Scalar):
            assert isinstance(b, Scalar)
            return scalar.as_scalar(a, b.dtype), b
        if not isinstance(b, Scalar):
            return a, scalar.as_scalar(b, a.dtype)
        if a.dtype == b.dtype:
            return a, b
        if kind(a.dtype) in ("integer", "unsigned") and kind(b.dtype) in ("integer", "unsigned"):
            if INDEX in (a.dtype, b.dtype):
                other = b if a.dtype == INDEX else a
                dtype = INDEX if isinstance(other, Constant) else other.dtype
            else:
                dtype = max(a.dtype, b.dtype, key=width)
            return self._converted(a, dtype), self._converted(b, dtype)
        return a, b  # the operation says what is wrong

    def fitted(self, value: Scalar, dtype: DType) -> Scalar:
        """An integer in another type of integers; anything else as it is, for its user to refuse."""
        integers = all(kind(each) in ("integer", "unsigned") for each in (value.dtype, dtype))
        return self._converted(value, dtype) if integers else value

    def _converted(self, value: Scalar, dtype: DType) -> Scalar:
        if isinstance(value, Constant) and kind(dtype) in ("integer", "unsigned"):
            return scalar.const(value.value, dtype)
        if dtype == I1 and kind(value.dtype) in ("integer", "unsigned"):
            # as a comparison that no one writes, so that it is written as a conversion again
            return scalar.compare("ne", scalar.const(0, value.dtype), value)
        found = self.once(("cast", dtype), lambda x: x.astype(dtype), value)  # pyright: ignore
        assert isinstance(found, Scalar)
        return found

    def _cast(self, value: Value, dtype: DType) -> Value:
        if not isinstance(value, Scalar):
            value = scalar.const(value, dtypes.F32 if isinstance(value, float) else "i32")
        if isinstance(value, Size) and dtype == dtypes.I64:
            return value
        return self._converted(value, dtype) if value.dtype != dtype else value

    def _chosen(self, lazy: bool, condition: Value, a: Value, b: Value) -> Value:
        if not isinstance(a, Scalar) and not isinstance(b, Scalar):
            floats = isinstance(a, float) or isinstance(b, float)
            a = scalar.const(a, dtypes.F32 if floats else "i32")
        x, y = self.unified(a, b)
        name = "if_then_else" if lazy else "select"
        return self.once(name, lambda c, x, y: scalar.choice(name, c, x, y, lazy), condition, x, y)

    def _negative(self, value: Value) -> Value:
        if not isinstance(value, Scalar):
            return -value
        if (size := size_of(value)) is not None and isinstance(value, Size):
            return as_index(size * -1)
        if isinstance(value, Constant):
            return Constant(-value.value, value.dtype)
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


def _key(value: Value) -> Hashable:
    """What two operands have in common that are the same."""
    match value:
        case Constant():
            return value.dtype, str(value.value)
        case Size():
            return value.expr
        case Scalar():
            return value
        case _:
            return type(value), str(value)
