"""Expressions of TIR as scalar expressions.

Loop variables and sizes are of type `index` here and `int64` or `int32` there: where they meet elements of
tensors they are converted. Equal parts of an expression become one node: TVM prints shared parts again and
again.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

from relax_dialect import symbolic
from relax_dialect.errors import RelaxError, SymbolicError
from relax_dialect.frontends.tvmscript.prim_funcs.intrinsics import (
    BINARY,
    COMPOSED,
    LIBRARY,
    UNARY,
)
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import Names, elements, text
from relax_dialect.frontends.tvmscript.source import Unreadable
from relax_dialect.symbolic import Expr
from relax_dialect.te import dtypes, scalar
from relax_dialect.te import intrinsics as f
from relax_dialect.te.dtypes import I1, INDEX, DType, kind, width
from relax_dialect.te.raising.scalars import SIZES, as_index
from relax_dialect.te.scalar import Cast, Constant, Scalar, Size

Value: TypeAlias = Scalar | int | float
"""A scalar; a number whose type what it meets decides."""

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv",
    ast.Mod: "floormod", ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor", ast.LShift: "shl",
    ast.RShift: "shr",
}  # fmt: skip
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "eq", ast.NotEq: "ne", ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge",
}  # fmt: skip
_CALLED = {
    "bitwise_and": "and", "bitwise_or": "or", "bitwise_xor": "xor", "shift_left": "shl",
    "shift_right": "shr", "floordiv": "floordiv", "FloorDiv": "floordiv", "floormod": "floormod",
    "FloorMod": "floormod", "Div": "quotient", "Mod": "rem", "Add": "add", "Sub": "sub", "Mul": "mul",
    "And": "and", "Or": "or", "Max": "maximum", "Min": "minimum", "EQ": "eq", "NE": "ne", "LT": "lt",
    "LE": "le", "GT": "gt", "GE": "ge", "LShift": "shl", "RShift": "shr",
    "BitwiseAnd": "and", "BitwiseOr": "or", "BitwiseXor": "xor", **BINARY,
}  # fmt: skip
_COMPARISONS = frozenset(_COMPARED.values())
_FOLDED: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "maximum": max, "minimum": min,
    **{name: getattr(operator, name) for name in _COMPARISONS},
}  # fmt: skip
_SIZES = {name: SIZES[name] for name in ("add", "sub", "mul", "maximum", "minimum")} | {
    "floordiv": symbolic.floordiv,
    "floormod": symbolic.floormod,
}


def dtype_called(name: str | None) -> DType | None:
    """The type that `T.float32` and its like are named after."""
    if name is None:
        return None
    try:
        return dtypes.as_dtype({"boolean": "bool"}.get(name, name))
    except RelaxError:
        return None


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


class Expressions:
    """Reads expressions; `values` are the scalars that names stand for, `load` gives elements."""

    def __init__(
        self,
        names: Names,
        load: Callable[[ast.Subscript], Scalar],
        values: dict[str, Value] | None = None,
    ):
        self.names, self.load = names, load
        self.values: dict[str, Value] = {} if values is None else values
        self.choose: Callable[[ast.Call], Scalar | None] = lambda _: None
        """What reads a lazy choice otherwise than as an expression."""
        self.texts: dict[str, str] = {}
        """How TIR writes sizes, by what they are here."""
        self._made: dict[tuple[Any, ...], Value] = {}

    def once(self, what: object, make: Callable[..., Value], *operands: Value) -> Value:
        """What is made of operands, one node for each way to make it."""
        key = (what, *map(_key, operands))
        if key not in self._made:
            self._made[key] = make(*operands)
        return self._made[key]

    # Reading

    def read(self, node: ast.expr) -> Value:
        """The value of an expression."""
        try:
            return self._read(node)
        except RelaxError as error:
            raise Unreadable(node, str(error)) from None

    def typed(self, node: ast.expr, dtype: DType) -> Scalar:
        """The value of an expression that has to be of a type."""
        value = self.read(node)
        try:
            found = scalar.as_scalar(value, dtype)
        except RelaxError as error:
            raise Unreadable(node, str(error)) from None
        if found.dtype == dtype:
            return found
        if INDEX in (found.dtype, dtype) and kind(found.dtype) == kind(dtype) == "integer":
            return index(found) if dtype == INDEX else self._converted(found, dtype)
        raise Unreadable(node, f"expected a value of type {dtype}, found one of type {found.dtype}")

    def indices(self, node: ast.expr) -> tuple[Scalar, ...]:
        """The indices in `x[i, j]`."""
        return tuple(index(self.read(each)) for each in elements(node))

    def size(self, node: ast.expr) -> Expr:
        """A size: of a buffer, of a loop."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                raise Unreadable(node, f"expected a size, found {node.value!r}") from None
            return self.size(ast.copy_location(inner, node))
        found = size_of(self.read(node))
        if found is None:
            raise Unreadable(node, f"expected a size made of numbers and sizes, found {text(node)}")
        if not isinstance(node, ast.Name) and found.value is None and self.names.alias == "T":
            self.texts.setdefault(str(found), ast.unparse(node))
        return found

    def _read(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool() as value):
                return Constant(int(value), I1)
            case ast.Constant(value=int() | float() as value):
                return value
            case ast.Name():
                if node.id not in self.values:
                    raise Unreadable(node, f"the name {node.id!r} is not known here")
                return self.values[node.id]
            case ast.Subscript():
                return self.load(node)
            case ast.BinOp() if type(node.op) in _BINARY:
                return self.apply(
                    _BINARY[type(node.op)], self.read(node.left), self.read(node.right)
                )
            case ast.UnaryOp(op=ast.USub()):
                return self._negative(self.read(node.operand))
            case ast.UnaryOp(op=ast.Not()) | ast.UnaryOp(op=ast.Invert()):
                return self._inverted(self.read(node.operand))
            case ast.BoolOp():
                name = "and" if isinstance(node.op, ast.And) else "or"
                first, *rest = (self.read(value) for value in node.values)
                for value in rest:
                    first = self.apply(name, first, value)
                return first
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in _COMPARED:
                return self.apply(_COMPARED[type(op)], self.read(node.left), self.read(right))
            case ast.IfExp():
                parts = (node.test, node.body, node.orelse)
                return self._chosen(True, *map(self.read, parts))
            case ast.Call():
                return self._call(node)
            case _:
                raise Unreadable(node, f"no scalar expression: {text(node)}")

    def _call(self, node: ast.Call) -> Value:
        name = self.names.called(node)
        dtype = dtype_called(name)
        arguments = node.args
        if dtype is not None:
            return self._constant(node, dtype)
        match name, arguments:
            case "Cast" | "cast", [ast.Constant(value=str() as to), value]:
                return self._cast(node, self.read(value), to)
            case "Cast" | "cast", [value, ast.Constant(value=str() as to)]:
                return self._cast(node, self.read(value), to)
            case "reinterpret", [ast.Constant(value=str() as to), value]:
                target = self._dtype(node, to)
                return self.once(
                    ("reinterpret", to), lambda x: f.reinterpret(x, target), self.read(value)
                )
            case "infinity" | "max_value" | "min_value", [ast.Constant(value=str() as of)]:
                target = self._dtype(node, of)
                low, high = dtypes.limits(target)
                if name != "infinity" and math.isinf(high):
                    raise Unreadable(node, f"no value of floats: {text(node)}; write the number")
                return Constant(low if name == "min_value" else high, target)
            case "if_then_else" | "Select", [condition, a, b]:
                if name == "if_then_else" and (found := self.choose(node)) is not None:
                    return found
                parts = map(self.read, (condition, a, b))
                return self._chosen(name == "if_then_else", *parts)
            case "call_pure_extern", [_, ast.Constant(value=str() as function), value] if (
                function.removesuffix("f") in LIBRARY
            ):
                ours = LIBRARY[function.removesuffix("f")]
                return self.once(ours, lambda x: scalar.unary(ours, x), self._scalar(value))
            case "Not" | "bitwise_not" | "BitwiseNot", [value]:
                return self._inverted(self.read(value))
            case "ceildiv", [a, b]:
                x, y = self.read(a), self.read(b)
                raised = self.apply("sub", self.apply("add", x, y), 1)
                return self.apply("floordiv", raised, y)
            case str(), _ if name in _CALLED and len(arguments) == 2:
                return self.apply(_CALLED[name], *map(self.read, arguments))
            case str(), _ if name in UNARY and len(arguments) == 1:
                return self.once(
                    UNARY[name], lambda x: scalar.unary(UNARY[name], x), self._scalar(arguments[0])
                )
            case str(), _ if name in COMPOSED:
                return self.once(name, COMPOSED[name], *map(self._scalar, arguments))
            case _:
                raise Unreadable(node, f"unknown function in {text(node)}")

    def _scalar(self, node: ast.expr) -> Scalar:
        value = self.read(node)
        return value if isinstance(value, Scalar) else Constant(value, dtypes.F32)

    def _dtype(self, node: ast.expr, name: str) -> DType:
        found = dtype_called(name)
        if found is None:
            raise Unreadable(node, f"no element type of ours: {name!r}")
        return found

    def _constant(self, node: ast.Call, dtype: DType) -> Value:
        """`T.float32(1)`, also of an expression, which is converted."""
        match node.args:
            case [ast.Constant(value=str() as name)] if kind(dtype) == "float":
                try:
                    return Constant(float(name), dtype)
                except ValueError:
                    raise Unreadable(node, f"no number: {name!r}") from None
            case [value]:
                found = self.read(value)
                if isinstance(found, Scalar):
                    return self._cast(node, found, str(dtype))
                return scalar.const(found, dtype)
            case _:
                raise Unreadable(node, f"expected one number, found {text(node)}")

    # Operations

    def apply(self, name: str, a: Value, b: Value) -> Value:
        """An operation of two operands."""
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

    def _converted(self, value: Scalar, dtype: DType) -> Scalar:
        if isinstance(value, Constant) and kind(dtype) in ("integer", "unsigned"):
            return scalar.const(value.value, dtype)
        found = self.once(("cast", dtype), lambda x: x.astype(dtype), value)  # pyright: ignore
        assert isinstance(found, Scalar)
        return found

    def _cast(self, node: ast.expr, value: Value, to: str) -> Value:
        dtype = self._dtype(node, to)
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
