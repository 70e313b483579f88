"""Expressions of TIR as scalar expressions.

Loop variables and sizes are of type `index` here and `int64` or `int32` there: where they meet elements of
tensors they are converted. Equal parts of an expression become one node: TVM prints shared parts again and
again.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable

from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.prim_funcs.arithmetic import (
    Arithmetic,
    Value,
    index,
    size_of,
)
from relax_dialect.frontends.tvmscript.prim_funcs.intrinsics import (
    BINARY,
    COMPOSED,
    LIBRARY,
    UNARY,
)
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import Names, elements, keywords, text
from relax_dialect.frontends.tvmscript.sizes import chosen, comparison_word
from relax_dialect.frontends.tvmscript.source import Unreadable
from relax_dialect.frontends.tvmscript.syntax import MOST_BITS, TOO_LONG
from relax_dialect.symbolic import Expr, broadcast
from relax_dialect.te import dtypes, scalar
from relax_dialect.te import intrinsics as f
from relax_dialect.te.dtypes import I1, INDEX, DType, kind
from relax_dialect.te.scalar import Constant, Scalar

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


def dtype_called(name: str | None) -> DType | None:
    """The type that `T.float32` and its like are named after."""
    if name is None:
        return None
    try:
        return dtypes.as_dtype({"boolean": "bool"}.get(name, name))
    except RelaxError:
        return None


class Expressions(Arithmetic):
    """Reads expressions; `values` are the scalars that names stand for, `load` gives elements."""

    def __init__(
        self,
        names: Names,
        load: Callable[[ast.Subscript], Scalar],
        values: dict[str, Value] | None = None,
    ):
        super().__init__()
        self.names, self.load = names, load
        self.values: dict[str, Value] = {} if values is None else values
        self.choose: Callable[[ast.Call], Scalar | None] = lambda _: None
        """What reads a lazy choice otherwise than as an expression."""
        self.texts: dict[str, str] = {}
        """How TIR writes sizes, by what they are here."""
        self.variables: dict[str, Callable[[], Scalar]] = {}
        """What reads the names that statements give new values to."""

    # Reading

    def read(self, node: ast.expr) -> Value:
        """The value of an expression."""
        try:
            found = self._read(node)
        except OverflowError:
            raise Unreadable(
                node, f"expected a number that a float holds, found {text(node)}"
            ) from None
        except RelaxError as error:
            raise Unreadable(node, str(error)) from None
        if isinstance(found, int) and found.bit_length() > MOST_BITS:
            raise Unreadable(node, TOO_LONG)
        return found

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
        return tuple(map(self.index, elements(node)))

    def index(self, node: ast.expr) -> Scalar:
        """A value that is an index or a bound of a loop."""
        value = self.read(node)
        of = "float" if isinstance(value, float) else kind(getattr(value, "dtype", INDEX))
        if of not in ("integer", "unsigned"):
            raise Unreadable(node, f"expected an integer, found a value of type {of}: {text(node)}")
        return index(value)

    def size(self, node: ast.expr) -> Expr:
        """A size: of a buffer, of a loop."""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            try:
                inner = ast.parse(node.value, mode="eval").body
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                raise Unreadable(node, f"expected a size, found {node.value!r}") from None
            return self.size(ast.copy_location(inner, node))
        found = self._chosen_size(node) or size_of(self.read(node))
        if found is None:
            raise Unreadable(node, f"expected a size made of numbers and sizes, found {text(node)}")
        if not isinstance(node, ast.Name) and found.value is None and self.names.alias == "T":
            self.texts.setdefault(str(found), ast.unparse(node))
        return found

    def _chosen_size(self, node: ast.expr) -> Expr | None:
        """The size that `T.if_then_else` chooses: with `n == 1, m, n` what two sizes broadcast to."""
        match node:
            case ast.Call(args=[ast.Compare(left=left, ops=[op], comparators=[right]), a, b]):
                word = comparison_word(op)
            case _:
                return None
        if word is None or self.names.called(node) not in ("if_then_else", "Select"):
            return None
        x, y, if_true, if_false = map(self.size, (left, right, a, b))
        if word == "equal" and y.value == 1 and if_false is x:
            return broadcast(x, if_true)
        return chosen(word, x, y, if_true, if_false)

    def _read(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool() as value):
                return Constant(int(value), I1)
            case ast.Constant(value=int() | float() as value):
                return value
            case ast.Name():
                if node.id in self.variables:
                    return self.variables[node.id]()
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
                return self._cast(self.read(value), self._dtype(node, to))
            case "Cast" | "cast", [value, ast.Constant(value=str() as to)]:
                return self._cast(self.read(value), self._dtype(node, to))
            case "reinterpret", [ast.Constant(value=str() as to), value]:
                target = self._dtype(node, to)
                return self.once(
                    ("reinterpret", to), lambda x: f.reinterpret(x, target), self.read(value)
                )
            case "infinity" | "max_value" | "min_value", [ast.Constant(value=str() as of)]:
                target = self._dtype(node, of)
                low, high = dtypes.limits(target)
                if name != "infinity" and math.isinf(high):
                    high = dtypes.largest_float(target)
                    low = -high
                return Constant(low if name == "min_value" else high, target)
            case "if_then_else" | "Select", [condition, a, b]:
                if name == "if_then_else" and (found := self.choose(node)) is not None:
                    return found
                parts = map(self.read, (condition, a, b))
                return self._chosen(name == "if_then_else", *parts)
            case "call_pure_extern", [_, ast.Constant(value=str() as function), value] if (
                function.removesuffix("f") in LIBRARY | UNARY
            ):
                ours = (LIBRARY | UNARY)[function.removesuffix("f")]
                return self.once(ours, lambda x: scalar.unary(ours, x), self._scalar(value))
            case "meta_var", [value]:
                return self.read(value)
            case "Let", [body]:
                return self._let(node, body)
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
            case str(), _ if name in COMPOSED and len(arguments) == _count(COMPOSED[name]):
                return self.once(name, COMPOSED[name], *map(self._scalar, arguments))
            case _:
                raise Unreadable(node, f"unknown function in {text(node)}")

    def _let(self, node: ast.Call, body: ast.expr) -> Value:
        """`T.Let(body, where={x: value})`."""
        where = keywords(node).get("where")
        if not isinstance(where, ast.Dict):
            raise Unreadable(node, f"expected T.Let(body, where={{x: value}}), found {text(node)}")
        outer = dict(self.values)
        for name, value in zip(where.keys, where.values):
            if not isinstance(name, ast.Name):
                raise Unreadable(node, "expected names in the dict of T.Let, found another thing")
            self.values[name.id] = self.read(value)
        found = self.read(body)
        self.values.clear()
        self.values.update(outer)
        return found

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
                    return self._cast(found, dtype)
                return scalar.const(found, dtype)
            case _:
                raise Unreadable(node, f"expected one number, found {text(node)}")


def _count(function: Callable[..., object]) -> int:
    return len(inspect.signature(function).parameters)
