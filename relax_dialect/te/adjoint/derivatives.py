"""Derivatives of scalar expressions: the cotangents of the elements that one reads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any

from relax_dialect.errors import RelaxError
from relax_dialect.te import intrinsics as f
from relax_dialect.te.dtypes import kind
from relax_dialect.te.scalar import (
    Apply,
    Cast,
    Choice,
    IterVar,
    Reinterpret,
    Scalar,
    ScalarConstant,
    Size,
    const,
)
from relax_dialect.te.tensor import Load, Tensor

Rule = Callable[..., tuple[Scalar | None, ...]]
"""By the operands, the value and its cotangent: the cotangents of the operands."""


def _slope(derivative: Callable[[Scalar, Scalar], Scalar]) -> Rule:
    return lambda x, y, g: (g * derivative(x, y),)


RULES: dict[str, Rule] = {
    "add": lambda a, b, y, g: (g, g),
    "sub": lambda a, b, y, g: (g, -g),
    "mul": lambda a, b, y, g: (g * b, g * a),
    "div": lambda a, b, y, g: (g / b, -(g / b * y)),
    "rem": lambda a, b, y, g: (g, -(g * f.trunc(a / b))),
    "maximum": lambda a, b, y, g: _chosen(g, a > b, b > a),
    "minimum": lambda a, b, y, g: _chosen(g, a < b, b < a),
    "fmax": lambda a, b, y, g: _chosen(g, a > b, b > a),
    "fmin": lambda a, b, y, g: _chosen(g, a < b, b < a),
    "power": lambda a, b, y, g: (
        f.select(f.equal(b, 0), 0, g * b * f.power(a, b - 1)),
        f.select(f.equal(a, 0), 0, g * y * f.log(a)),
    ),
    "atan2": lambda a, b, y, g: (g * b / (a * a + b * b), -(g * a / (a * a + b * b))),
    "copysign": lambda a, b, y, g: (f.copysign(g, b) * f.sign(a), None),
    "neg": lambda x, y, g: (-g,),
    "abs": _slope(lambda x, y: f.sign(x)),
    "exp": _slope(lambda x, y: y),
    "exp_up_to_one": _slope(lambda x, y: y),
    "exp2": _slope(lambda x, y: y * math.log(2)),
    "expm1": _slope(lambda x, y: y + 1),
    "log": lambda x, y, g: (g / x,),
    "log1p": lambda x, y, g: (g / (x + 1),),
    "log2": lambda x, y, g: (g / (x * math.log(2)),),
    "log10": lambda x, y, g: (g / (x * math.log(10)),),
    "sqrt": lambda x, y, g: (g / (y * 2),),
    "rsqrt": _slope(lambda x, y: y / x * -0.5),
    "cbrt": lambda x, y, g: (g / (y * y * 3),),
    "sin": _slope(lambda x, y: f.cos(x)),
    "cos": _slope(lambda x, y: -f.sin(x)),
    "tan": _slope(lambda x, y: y * y + 1),
    "asin": _slope(lambda x, y: f.rsqrt(1 - x * x)),
    "acos": _slope(lambda x, y: -f.rsqrt(1 - x * x)),
    "atan": lambda x, y, g: (g / (x * x + 1),),
    "sinh": _slope(lambda x, y: f.cosh(x)),
    "cosh": _slope(lambda x, y: f.sinh(x)),
    "tanh": _slope(lambda x, y: 1 - y * y),
    "asinh": _slope(lambda x, y: f.rsqrt(x * x + 1)),
    "acosh": _slope(lambda x, y: f.rsqrt(x * x - 1)),
    "atanh": lambda x, y, g: (g / (1 - x * x),),
    "erf": _slope(lambda x, y: f.exp(-(x * x)) * (2 / math.sqrt(math.pi))),
    **dict.fromkeys(
        ("erfc", "contracted_erfc"),
        _slope(lambda x, y: f.exp(-(x * x)) * (-2 / math.sqrt(math.pi))),
    ),
}
"""The derivatives of the operations on floats, except operations whose slope is zero."""

FLAT = frozenset(("floor", "ceil", "round", "trunc", "floordiv"))
"""Steps, whose slope is zero wherever there is one."""


def _chosen(g: Scalar, first: Scalar, second: Scalar) -> tuple[Scalar, Scalar]:
    """Return the cotangent of the operand that was taken; of equal ones each gets half of it."""
    half = g * 0.5
    return f.select(first, g, f.select(second, 0, half)), f.select(
        second, g, f.select(first, 0, half)
    )


@dataclass
class Contribution:
    """The cotangent contribution to an element that is read, valid where all guards hold."""

    load: Load
    cotangent: Scalar
    guards: tuple[Scalar, ...]

    @property
    def value(self) -> Scalar:
        """The contribution, zero if the element is not read."""
        found = self.cotangent
        for guard in reversed(self.guards):
            found = f.if_then_else(guard, found, const(0, found.dtype))
        return found


def contributions(
    body: Scalar, cotangent: Scalar, of: Callable[[Tensor], bool]
) -> list[Contribution]:
    """Return the contributions of an expression's cotangent to the elements of some tensors it reads."""
    return _ReverseMode(of).run(body, cotangent)


@dataclass
class _ReverseMode:
    """Reverse mode over an expression, in reverse topological order; guards split the reads."""

    of: Callable[[Tensor], bool]
    differentiable: dict[Scalar, bool] = field(default_factory=dict)

    def run(self, body: Scalar, cotangent: Scalar) -> list[Contribution]:
        order = self._order(body)
        given: dict[Scalar, dict[tuple[Scalar, ...], Scalar]] = {body: {(): cotangent}}
        found: list[Contribution] = []
        for node in reversed(order):
            for guards, g in given.pop(node, {}).items():
                if isinstance(node, Load):
                    found.append(Contribution(node, g, guards))
                    continue
                for operand, more, own in self._operands(node, g):
                    if own is not None and self.depends(operand):
                        sums = given.setdefault(operand, {})
                        key = (*guards, *more)
                        sums[key] = sums[key] + own if key in sums else own
        return found

    def depends(self, node: Scalar) -> bool:
        return self.differentiable.get(node, False)

    def _order(self, body: Scalar) -> list[Scalar]:
        """Return the nodes that depend on the tensors, operands first."""
        order: dict[Scalar, None] = {}
        stack = [(body, False)]
        while stack:
            node, ready = stack.pop()
            if node in self.differentiable:
                continue
            inner = () if isinstance(node, Load) else node.operands
            if not ready:
                stack.append((node, True))
                stack.extend((o, False) for o in inner)
                continue
            reads = isinstance(node, Load) and self.of(node.tensor)
            self.differentiable[node] = kind(node.dtype) == "float" and (
                reads or any(self.depends(o) for o in inner)
            )
            if self.depends(node):
                order[node] = None
        return list(order)

    def _operands(
        self, node: Scalar, g: Scalar
    ) -> Sequence[tuple[Scalar, tuple[Scalar, ...], Scalar | None]]:
        """Return the operands of a node, each with the guards under which it is computed, and its
        cotangent."""
        match node:
            case Cast():
                (operand,) = node.operands
                return [(operand, (), g.astype(operand.dtype))]
            case Choice():
                condition, a, b = node.operands
                if node.lazy:
                    return [(a, (condition,), g), (b, (~condition,), g)]
                zero = const(0, g.dtype)
                return [
                    (a, (), f.select(condition, g, zero)),
                    (b, (), f.select(condition, zero, g)),
                ]
            case Apply(name=name) if name in FLAT:
                return []
            case Apply(name=name) if name in RULES:
                gradients = RULES[name](*node.operands, node, g)
                return [(o, (), own) for o, own in zip(node.operands, gradients)]
            case _:
                what = node.name if isinstance(node, Apply) else type(node).__name__.lower()
                raise RelaxError(
                    f"te.gradient: expected operations that have a derivative, found '{what}'; compute it "
                    "in a stage apart whose gradient is not asked for"
                )


def substituted(body: Scalar, nodes: Mapping[Any, Scalar]) -> Scalar:
    """Return an expression with nodes replaced, index variables first of all."""
    made: dict[Scalar, Scalar] = {}
    for node, value in nodes.items():
        made[node] = value
    stack = [body]
    while stack:
        node = stack[-1]
        pending = [o for o in node.operands if o not in made]
        if node not in made and pending:
            stack.extend(pending)
            continue
        stack.pop()
        if node not in made:
            made[node] = _with_operands(node, tuple(made[o] for o in node.operands))
    return made[body]


def _with_operands(node: Scalar, operands: tuple[Scalar, ...]) -> Scalar:
    if all(map(is_, operands, node.operands)) or isinstance(node, ScalarConstant | Size | IterVar):
        return node
    match node:
        case Load():
            return Load(node.tensor, operands)
        case Apply():
            return Apply(node.name, node.dtype, operands)
        case Cast():
            return Cast(node.dtype, operands, node.invariant)
        case Reinterpret():
            return Reinterpret(node.dtype, operands, node.invariant)
        case Choice():
            return Choice(operands, node.lazy)  # pyright: ignore[reportArgumentType]
        case _:
            raise RelaxError(
                f"te.gradient: expected elements and operations, found {type(node).__name__}"
            )
