"""Numbers and sizes of a script: arithmetic on integers and symbolic expressions."""

from __future__ import annotations

import ast
import keyword
import math
from collections.abc import Callable, Mapping
from typing import Any

from relax_dialect import symbolic
from relax_dialect.builder import op
from relax_dialect.builder.values import Value
from relax_dialect.errors import RelaxError
from relax_dialect.frontends.tvmscript.script.script_source import Unreadable
from relax_dialect.frontends.tvmscript.script.syntax import MOST_BITS, TOO_LONG
from relax_dialect.frontends.tvmscript.script_values import ScriptScalar, SizeComparison
from relax_dialect.ir.types import PrimType
from relax_dialect.symbolic import Expr
from relax_dialect.symbolic.expr import RESERVED_WORDS


def variable(name: str) -> Expr:
    """Return the symbolic variable of a name. Reserved words get an underscore; characters that variables
    cannot have are replaced by their numbers."""
    ascii_name = (
        name if name.isascii() else "".join(c if c.isascii() else f"u{ord(c):x}" for c in name)
    )
    return symbolic.var(ascii_name + "_" * (name in RESERVED_WORDS or keyword.iskeyword(name)))


def as_size(node: ast.AST, value: object) -> Expr | int:
    """Convert a value of a script to a size or an integer."""
    match value:
        case bool():
            pass
        case int() | Expr():
            return value
        case ScriptScalar(value=int(number)):
            return number
        case Value(type=PrimType() as type):
            return type.value
        case float() if value.is_integer():
            return int(value)
    raise Unreadable(node, f"expected a size, found {said(value)}; write an integer or a variable")


def said(value: object) -> str:
    """Describe a value of a script in errors."""
    match value:
        case Value():
            return f"a value of type {value.type}"
        case Expr():
            return f"'{value}'"
        case ScriptScalar():
            return f"{value.value} of type {value.dtype}"
        case str():
            return f"the text {value[:40]!r}"
        case None | bool() | int() | float():
            return repr(value)[:60]
        case tuple():
            return "a tuple"
        case _:
            return f"a {type(value).__name__.lower()}"


def power(x: Any, y: Any) -> Any:
    y = y.value if isinstance(y, Expr) else y
    if isinstance(x, int) and isinstance(y, int) and 0 <= y <= 64 and abs(x) < 1 << 16:
        return x**y
    raise RelaxError("expected a small power of an integer, found another one; multiply")


def _exact(x: Any, y: Any) -> Any:
    if isinstance(x, Expr) or isinstance(y, Expr):
        raise RelaxError("expected whole sizes, found '/'; write //")
    return x / y


_Binary = Mapping[type[ast.operator], Callable[[Any, Any], Any]]
_ON_NUMBERS: _Binary = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.Div: _exact,
    ast.FloorDiv: lambda x, y: x // y,
    ast.Mod: lambda x, y: x % y,
    ast.Pow: power,
    ast.LShift: lambda x, y: x * power(2, y),
    ast.RShift: lambda x, y: x // power(2, y),
}
_ON_SIZES: _Binary = {
    **_ON_NUMBERS,
    ast.FloorDiv: symbolic.floordiv,
    ast.Mod: symbolic.floormod,
    ast.RShift: lambda x, y: symbolic.floordiv(x, power(2, y)),
}
_ON_VALUES: _Binary = {
    **{kind: f for kind, f in _ON_NUMBERS.items() if kind is not ast.Div},
    ast.Div: lambda x, y: x / y,
    ast.Mod: lambda x, y: op.mod(x, y),  # of TVM's values it has the sign of x, as in C
    ast.Pow: lambda x, y: x**y,
    ast.MatMult: lambda x, y: x @ y,
}
FUNCTIONS: Mapping[str, tuple[int, Callable[..., Any]]] = {
    "max": (2, symbolic.maximum),
    "min": (2, symbolic.minimum),
    "floordiv": (2, symbolic.floordiv),
    "floormod": (2, symbolic.floormod),
    "ceildiv": (2, symbolic.ceildiv),
    "shift_left": (2, _ON_SIZES[ast.LShift]),
    "shift_right": (2, _ON_SIZES[ast.RShift]),
    "abs": (1, lambda x: symbolic.maximum(x, -x)),
    "FloorDiv": (2, symbolic.floordiv),
    "FloorMod": (2, symbolic.floormod),
    "Max": (2, symbolic.maximum),
    "Min": (2, symbolic.minimum),
    "Add": (2, lambda x, y: x + y),
    "Sub": (2, lambda x, y: x - y),
    "Mul": (2, lambda x, y: x * y),
}
"""TVM's names of operations on sizes: functions, and nodes that it has not simplified."""


def _is_of_program(value: object) -> bool:
    """Returns whether a value is computed by ops: no size, and no number."""
    return isinstance(value, Value) and not isinstance(value.type, PrimType)


def binary(node: ast.BinOp, left: Any, right: Any) -> Any:
    """Apply an operation to numbers, to sizes, or elementwise to values of the program."""
    kind = type(node.op)
    left, right = (v.value if isinstance(v, ScriptScalar) else v for v in (left, right))
    if _is_of_program(left) or _is_of_program(right):
        table = _ON_VALUES
    elif isinstance(left, int | float) and isinstance(right, int | float):
        table = _ON_NUMBERS
    else:
        left, right, table = as_size(node.left, left), as_size(node.right, right), _ON_SIZES
    if (operation := table.get(kind)) is None:
        raise Unreadable(
            node, f"expected +, -, *, // or %, found {kind.__name__}; write the operator"
        )
    return computed(node, operation, left, right)


_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Gt: lambda x, y: x > y,
    ast.Lt: lambda x, y: x < y,
    ast.GtE: lambda x, y: x >= y,
    ast.LtE: lambda x, y: x <= y,
}
_WORDS: Mapping[type[ast.cmpop], str] = {
    ast.Gt: "greater",
    ast.Lt: "less",
    ast.GtE: "greater_equal",
    ast.LtE: "less_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}


def compared(node: ast.Compare, operator: ast.cmpop, left: Any, right: Any) -> Any:
    """Compare values of the program elementwise, or two sizes."""
    of_program = _is_of_program(left) or _is_of_program(right)
    if not of_program and (word := comparison_word(operator)) is not None:
        left, right = as_size(node.left, left), as_size(node.comparators[0], right)
        return SizeComparison(word, symbolic.as_expr(left), symbolic.as_expr(right))
    if not of_program or (comparison := _COMPARISONS.get(type(operator))) is None:
        raise Unreadable(
            node,
            "expected a comparison of tensors by <, >, <= or >=, found another; compute it before",
        )
    return computed(node, comparison, left, right)


def chosen(word: str, left: Expr, right: Expr, if_true: Expr, if_false: Expr) -> Expr:
    """Return the one of two sizes that a comparison of sizes selects, by arithmetic: the difference of the
    operands, clamped to at most 1, is 1 if it holds."""
    apart = symbolic.maximum(left - right, right - left)
    holds = {
        "greater": left - right,
        "greater_equal": left - right + 1,
        "less": right - left,
        "less_equal": right - left + 1,
        "not_equal": apart,
        "equal": 1 - apart,
    }[word]
    one_or_none = symbolic.maximum(symbolic.minimum(holds, 1), 0)
    return if_false + (if_true - if_false) * one_or_none


def comparison_word(operator: ast.cmpop) -> str | None:
    """Return the dialect's word for a comparison."""
    return _WORDS.get(type(operator))


def negated(node: ast.UnaryOp, value: Any) -> Any:
    """Negate a number, a size or a value of the program."""
    value = value.value if isinstance(value, ScriptScalar) else value
    if isinstance(node.op, ast.Not) and isinstance(value, bool):
        return not value
    if isinstance(node.op, ast.UAdd) and isinstance(value, int | float):
        return value
    if isinstance(node.op, ast.USub) and isinstance(value, int | float | Expr):
        return -value
    if isinstance(node.op, ast.USub) and _is_of_program(value):
        return -value
    if isinstance(node.op, ast.USub) and isinstance(value, Value):
        return -as_size(node, value)
    raise Unreadable(
        node, f"expected a number after the sign, found {said(value)}; write the operator"
    )


def function(node: ast.Call, name: str, arguments: list[Any]) -> Expr | int | None:
    """Evaluate `T.max(n, 1)` and other TVM functions on sizes; None for any other call."""
    if (found := FUNCTIONS.get(name)) is None:
        return None
    count, operation = found
    if len(arguments) != count:
        raise Unreadable(
            node, f"T.{name}: expected {count} sizes, found {len(arguments)}; correct the call"
        )
    sizes = [symbolic.as_expr(as_size(*pair)) for pair in zip(node.args, arguments)]
    return computed(node, operation, *sizes)


def computed(node: ast.AST, operation: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of an operation; its errors are located at a node of the text."""
    try:
        found = operation(*arguments)
    except RelaxError as error:
        raise Unreadable(node, str(error)) from None
    except (ZeroDivisionError, OverflowError) as error:
        raise Unreadable(node, f"expected a number, found none: {error}; correct it") from None
    if isinstance(found, int) and found.bit_length() > MOST_BITS:
        raise Unreadable(node, TOO_LONG)
    if isinstance(found, float) and not math.isfinite(found):
        raise Unreadable(node, "expected a finite number, found none; correct it")
    return found
