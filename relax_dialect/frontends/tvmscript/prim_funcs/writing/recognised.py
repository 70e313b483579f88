"""Scalar expressions that have a shorter form in TIR."""

from __future__ import annotations

from typing import Any

from relax_dialect.te.dtypes import INDEX, kind
from relax_dialect.te.scalar import (
    Apply,
    Choice,
    Element,
    IterVar,
    Scalar,
    ScalarConstant,
    Size,
    binary,
    const,
)


def simplified(node: Scalar) -> Scalar:
    """Return a division without its guard against division by zero, if the node is a guarded division."""
    match node:
        case Choice(
            operands=(
                Apply(name="eq", operands=(divisor, ScalarConstant(value=0))),
                ScalarConstant(value=0),
                Apply(name="floordiv" | "truncdiv" as name, operands=(dividend, safe)),
            )
        ) if _guarded(safe) is divisor:
            return Apply(name, node.dtype, (dividend, divisor))
        case Apply(name="floordiv" | "truncdiv" | "rem" as name, operands=(dividend, safe)) if (
            divisor := _guarded(safe)
        ) is not None:
            return Apply(name, node.dtype, (dividend, divisor))
        case _:
            return node


def _guarded(divisor: Scalar) -> Scalar | None:
    match divisor:
        case Choice(
            operands=(
                Apply(name="eq", operands=(tested, ScalarConstant(value=0))),
                ScalarConstant(value=1),
                value,
            )
        ) if tested is value:
            return value
        case _:
            return None


def alike(a: Scalar, b: Scalar) -> bool:
    """Returns whether two expressions compute the same value in the same way."""
    work = [(a, b)]
    seen: set[tuple[int, int]] = set()
    while work:
        x, y = work.pop()
        if x is y or (id(x), id(y)) in seen:
            continue
        seen.add((id(x), id(y)))
        same = type(x) is type(y) and x.dtype == y.dtype and len(x.operands) == len(y.operands)
        if not same or _own(x) != _own(y) or isinstance(x, IterVar | Element):
            return False
        work.extend(zip(x.operands, y.operands))
    return True


def _own(node: Scalar) -> list[Any]:
    """Return the fields of a node besides its type and operands."""
    return [getattr(node, field, None) for field in ("name", "value", "expr", "tensor", "lazy")]


def floor_mod(node: Scalar) -> tuple[Scalar, Scalar] | None:
    """Return the operands of an index remainder that is rounded down, or None."""
    match node:
        case Apply(
            name="sub",
            operands=(a, Apply(name="mul", operands=(quotient, b))),
        ) if a.dtype == INDEX:
            match simplified(quotient):
                case Apply(name="floordiv", operands=(x, y)) if alike(x, a) and alike(y, b):
                    return a, b
                case _:
                    return None
        case _:
            return None


def signed_floor_mod(node: Choice) -> tuple[Scalar, Scalar] | None:
    """Return the operands of an integer remainder that is corrected to the divisor's sign, or None."""
    match node.operands[2]:
        case Apply(name="rem", operands=(a, b)) if kind(a.dtype) == "integer":
            return (a, b) if alike(node, binary("rem", a, b)) else None
        case _:
            return None


def not_negative(node: Scalar) -> bool:
    """Returns whether an index is 0 or more wherever it is computed."""
    match simplified(node):
        case IterVar():
            return True
        case ScalarConstant(value=value):
            return value >= 0
        case Size(expr=expr):
            low = expr.bounds()[0]
            return low is not None and low >= 0
        case Apply(
            name="add" | "mul" | "floordiv" | "truncdiv" | "rem" | "minimum", operands=operands
        ):
            return all(map(not_negative, operands))
        case Apply(name="maximum", operands=operands):
            return any(map(not_negative, operands))
        case _:
            return False


def difference(a: Scalar, b: Scalar) -> tuple[Scalar, Scalar] | None:
    """Return `b - a * c` for `a * -c + b`, the form of affine maps."""
    for x, y in ((b, a), (a, b)):
        match x:
            case Apply(name="mul", operands=(value, ScalarConstant(value=factor))) if (
                factor < 0 and x.dtype == INDEX
            ):
                turned = Apply("mul", INDEX, (value, const(-factor, INDEX)))
                return y, value if factor == -1 else turned
            case _:
                pass
    return None


def sigmoid(node: Scalar) -> Scalar | None:
    """Return the operand of `1 / (1 + exp(-x))`."""
    match node:
        case Apply(
            operands=(
                ScalarConstant(value=1),
                Apply(
                    name="add",
                    operands=(
                        ScalarConstant(value=1),
                        Apply(name="exp", operands=(Apply(name="neg", operands=(x,)),)),
                    ),
                ),
            )
        ):
            return x
        case _:
            return None
