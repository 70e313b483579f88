"""Expressions of TIR as scalar expressions.

Loop variables and sizes are of type `index` here and `int64` or `int32` there: next to elements of tensors
they are converted. Equal parts of an expression become one node: TVM prints shared parts repeatedly.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import reduce

from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.prim_funcs.reading.arithmetic import (
    I32,
    Arithmetic,
    Value,
    index,
    size_of,
)
from relax_dialect.frontends.tvmscript.prim_funcs.syntax import TirCalls, elements, keywords, text
from relax_dialect.frontends.tvmscript.prim_funcs.tir_intrinsics import (
    BINARY,
    COMPOSED,
    LIBRARY,
    UNARY,
)
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script.syntax import MOST_BITS, TOO_LONG
from relax_dialect.frontends.tvmscript.script_sizes import chosen, comparison_word, power
from relax_dialect.symbolic import Expr, broadcast
from relax_dialect.te import dtypes, scalar
from relax_dialect.te import intrinsics as f
from relax_dialect.te.dtypes import I1, I64, INDEX, DType, kind
from relax_dialect.te.scalar import Scalar, ScalarConstant

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
    """Return the type that `T.float32` and similar names denote."""
    if name is None:
        return None
    try:
        return dtypes.as_dtype({"boolean": "bool"}.get(name, name))
    except RelaxError:
        return None


class TirExpressions(Arithmetic):
    """Reads expressions; `values` has the scalars of names, `load` reads elements."""

    def __init__(
        self,
        names: TirCalls,
        load: Callable[[ast.Subscript], Scalar],
        values: dict[str, Value] | None = None,
        narrow: set[Scalar] | None = None,
    ):
        super().__init__(narrow)
        self.names, self.load = names, load
        self.values: dict[str, Value] = {} if values is None else values
        self.choose: Callable[[ast.expr, ast.expr, ast.expr], Scalar | None] = lambda *_: None
        """Reads a lazy choice between two values by a condition, if it is no plain expression."""
        self.texts: dict[str, str] = {}
        """The text of sizes in TIR, by their text here."""
        self.variables: dict[str, Callable[[], Scalar]] = {}
        """Readers of the names that statements reassign."""

    # Reading

    def read(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
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
        """Return the value of an expression in a required type."""
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

    def stored_in(self, node: ast.expr, dtype: DType) -> Scalar:
        """Return the value of an expression in the type of its destination."""
        value = self.read(node)
        try:
            return self.stored(value, dtype)
        except RelaxError as error:
            raise Unreadable(node, str(error)) from None

    def type_named(self, node: ast.expr) -> DType | None:
        """Return the type that `T.float32` names; None for any other name."""
        return dtype_called(self.names.of(node))

    def is_let(self, annotation: ast.expr) -> bool:
        """Returns whether an annotation marks a name as immutable: `T.let`, or `T.let[...]` of a type."""
        of = annotation.value if isinstance(annotation, ast.Subscript) else annotation
        return self.names.of(of) == "let"

    def annotated(self, value: Value, annotation: ast.expr) -> Value:
        """Convert a value to the type that an annotation names; an index is unchanged."""
        of = annotation.slice if isinstance(annotation, ast.Subscript) else annotation
        dtype = self.type_named(of)
        if dtype is None and not self.is_let(annotation):
            raise Unreadable(
                annotation, f"expected T.let or a type like T.int32, found {text(annotation)}"
            )
        is_index = isinstance(value, Scalar) and value.dtype == INDEX and dtype in (I32, I64)
        return value if dtype is None or is_index else self.stored(value, dtype)

    def indices(self, node: ast.expr) -> tuple[Scalar, ...]:
        """Return the indices in `x[i, j]`."""
        return tuple(map(self.index, elements(node)))

    def index(self, node: ast.expr) -> Scalar:
        """Return a value that is an index."""
        return index(self.bound(node))

    def bound(self, node: ast.expr) -> Value:
        """Return a value that is an index or a bound of a loop, in its own type."""
        value = self.read(node)
        of = "float" if isinstance(value, float) else kind(getattr(value, "dtype", INDEX))
        if of not in ("integer", "unsigned"):
            raise Unreadable(node, f"expected an integer, found a value of type {of}: {text(node)}")
        return value

    def size(self, node: ast.expr) -> Expr:
        """Return a size: of a buffer, of a loop."""
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
        """Return the size that `T.if_then_else` selects: `n == 1, m, n` is the broadcast of two sizes."""
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
                return ScalarConstant(int(value), I1)
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
            case ast.BinOp(op=ast.Pow()):
                return power(self.read(node.left), self.read(node.right))
            case ast.UnaryOp(op=ast.Not()):
                return self._inverted(self.typed(node.operand, I1))
            case ast.UnaryOp(op=ast.Invert()):
                return self._inverted(self.read(node.operand))
            case ast.BoolOp():
                return self._joined(node.op, node.values)
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in _COMPARED:
                return self.apply(_COMPARED[type(op)], self.read(node.left), self.read(right))
            case ast.Compare(left=left, comparators=[_, _, *_] as rights):
                pairs = zip((left, *rights), node.ops, rights)
                compared = [ast.Compare(a, [op], [b]) for a, op, b in pairs]
                return self._joined(ast.And(), [ast.copy_location(c, node) for c in compared])
            case ast.IfExp():
                return self._lazily(node.test, node.body, node.orelse)
            case ast.Call():
                return self._call(node)
            case _:
                raise Unreadable(node, f"no scalar expression: {text(node)}")

    def _joined(self, word: ast.boolop, conditions: Sequence[ast.expr]) -> Value:
        """Return the conjunction or disjunction of conditions. An element is read only if the preceding
        conditions do not decide, as they may keep its index in bounds."""
        compared = set[str]()
        for k, condition in enumerate(conditions):
            placed = list(_named(_indices([condition])))
            if not compared.isdisjoint(placed):
                first, rest = (
                    part[0]
                    if len(part) == 1
                    else ast.copy_location(ast.BoolOp(word, part), part[0])
                    for part in (list(conditions[:k]), list(conditions[k:]))
                )
                decided = ast.copy_location(ast.Constant(isinstance(word, ast.Or)), first)
                branches = (rest, decided) if isinstance(word, ast.And) else (decided, rest)
                return self._lazily(first, *branches)
            compared |= (Counter(_named([condition])) - Counter(placed)).keys()
        name = "and" if isinstance(word, ast.And) else "or"
        found, *others = (self.typed(condition, I1) for condition in conditions)
        return reduce(lambda x, y: self.apply(name, x, y), others, found)

    def _lazily(self, condition: ast.expr, a: ast.expr, b: ast.expr) -> Value:
        """Return one of two values; the other one is not evaluated."""
        if (found := self.choose(condition, a, b)) is not None:
            return found
        return self._chosen(True, *map(self.read, (condition, a, b)))

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
                low, high = dtypes.limits(target) if target != I1 else (0, 1)
                if name != "infinity" and math.isinf(high):
                    high = dtypes.largest_float(target)
                    low = -high
                return ScalarConstant(low if name == "min_value" else high, target)
            case "if_then_else", [condition, a, b]:
                return self._lazily(condition, a, b)
            case "Select", [condition, a, b]:
                return self._chosen(False, *map(self.read, (condition, a, b)))
            case "call_pure_extern" | "call_extern", [
                _,
                ast.Constant(value=str() as function),
                value,
            ] if function.removesuffix("f") in LIBRARY | UNARY:
                ours = (LIBRARY | UNARY)[function.removesuffix("f")]
                return self.once(ours, lambda x: scalar.unary(ours, x), self._scalar(value))
            case "meta_var" | "bind", [value]:
                return self.read(value)
            case "Let", [body]:
                return self._let(node, body)
            case "Not", [value]:
                return self._inverted(self.typed(value, I1))
            case "And" | "Or", [_, _]:
                return self._joined(ast.And() if name == "And" else ast.Or(), arguments)
            case "bitwise_not" | "BitwiseNot", [value]:
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
        """Read `T.Let(body, where={x: value})`."""
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
        return value if isinstance(value, Scalar) else ScalarConstant(value, dtypes.F32)

    def _dtype(self, node: ast.expr, name: str) -> DType:
        found = dtype_called(name)
        if found is None:
            raise Unreadable(node, f"no element type of ours: {name!r}")
        return found

    def dtype_of(self, call: ast.Call) -> DType:
        """Return the type that `T.local_scalar("float32")` names."""
        given = keywords(call).get("dtype", call.args[0] if call.args else None)
        if given is None:
            return dtypes.F32
        match given:
            case ast.Constant(value=str() as name):
                return self._dtype(given, name)
            case _:
                raise Unreadable(given, f"expected an element type, found {text(given)}")

    def _constant(self, node: ast.Call, dtype: DType) -> Value:
        """Read `T.float32(1)`; a value that is no constant is converted."""
        match node.args:
            case [ast.Constant(value=str() as name)] if kind(dtype) == "float":
                try:
                    return ScalarConstant(float(name), dtype)
                except ValueError:
                    raise Unreadable(node, f"no number: {name!r}") from None
            case [value]:
                found = self.read(value)
                if isinstance(found, Scalar):
                    return self._cast(found, dtype)
                return scalar.const(found, dtype)
            case _:
                raise Unreadable(node, f"expected one number, found {text(node)}")


def _indices(nodes: Sequence[ast.expr]) -> list[ast.expr]:
    """Return the indices of elements, except those in other indices."""
    found: list[ast.expr] = []
    waiting: list[ast.AST] = list(nodes)
    while waiting:
        match waiting.pop():
            case ast.Subscript(slice=index):
                found.append(index)
            case other:
                waiting += ast.iter_child_nodes(other)
    return found


def _named(nodes: Sequence[ast.expr]) -> Iterator[str]:
    for node in nodes:
        yield from (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def _count(function: Callable[..., object]) -> int:
    return len(inspect.signature(function).parameters)
