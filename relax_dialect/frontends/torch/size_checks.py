"""Checks of sizes at run time: what PyTorch assumed while it traced the program, unless it is proved.

    require(builder, "GtE", n, 4)        # relax.match_shape (relax.shape [max(n, 4)]) [n]

A guard is a comparison as Python spells it: `L['x'].size()[0] % 4 == 0`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any, NoReturn

from relax_dialect import symbolic
from relax_dialect.builder import BlockBuilder, op
from relax_dialect.frontends.torch.errors import TorchError
from relax_dialect.symbolic import Expr

SizeOf = Callable[[str, int], Expr]
"""The size of an input, by its name and the number of the axis."""

FLIPPED = {"Lt": "Gt", "LtE": "GtE"}
RELATIONS = {
    "Equality": "Eq", "Unequality": "NotEq", "StrictLessThan": "Lt", "LessThan": "LtE",
    "StrictGreaterThan": "Gt", "GreaterThan": "GtE",
}  # fmt: skip
"""Relations of sympy, and the names of Python's."""

ARITHMETIC: Mapping[str, Callable[[Expr, Expr], Expr]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mult": lambda a, b: a * b,
    "FloorDiv": symbolic.floordiv,
    "Mod": symbolic.floormod,
}


def violation(relation: str, a: Expr, b: Expr) -> Expr:
    """Return a size that is 0 if and only if a relation holds."""
    if relation in FLIPPED:
        relation, a, b = FLIPPED[relation], b, a
    distance = symbolic.maximum(a, b) - symbolic.minimum(a, b)
    match relation:
        case "Eq":
            return distance
        case "NotEq":
            return symbolic.maximum(1 - distance, 0)
        case "Gt":
            return symbolic.maximum(b + 1 - a, 0)
        case _:
            return symbolic.maximum(b - a, 0)


def require(builder: BlockBuilder, relation: str, a: Expr, b: Expr) -> None:
    """Check a relation of two sizes at run time, unless it is proved."""
    if relation in FLIPPED:
        relation, a, b = FLIPPED[relation], b, a
    if relation == "Gt":
        b = b + 1
    elif relation == "NotEq":
        a, b = symbolic.maximum(a, b) - symbolic.minimum(a, b), symbolic.const(1)
    found = symbolic.maximum(a, b) if relation != "Eq" else b
    if not symbolic.provably_equal(found, a):
        builder.match_shape(builder.emit(op.shape([found])), [a])


def require_guards(builder: BlockBuilder, guards: list[str], size_of: SizeOf) -> None:
    """Check the guards of a program."""
    reader = _GuardReader(size_of)
    for guard in guards:
        for relation, a, b in reader.relations(ast.parse(guard, mode="eval").body):
            require(builder, relation, a, b)


class _GuardReader:
    """Reads guards as relations of sizes."""

    def __init__(self, size_of: SizeOf):
        self.size_of = size_of

    def relations(self, node: ast.expr) -> list[tuple[str, Expr, Expr]]:
        """Return the relations whose conjunction a guard is."""
        match node:
            case ast.BoolOp(op=ast.And(), values=values):
                return [relation for value in values for relation in self.relations(value)]
            case ast.BoolOp(op=ast.Or(), values=values):
                return [("Eq", self._least_violation(values), symbolic.const(0))]
            case ast.Compare(left=left, ops=ops, comparators=others):
                sides = [self.size(side) for side in (left, *others)]
                return list(zip([type(each).__name__ for each in ops], sides, sides[1:]))
        self.refuse(node)

    def _least_violation(self, branches: list[ast.expr]) -> Expr:
        """Return a size that is 0 if and only if one of several guards holds."""
        totals = [
            symbolic.total(violation(*relation) for relation in self.relations(branch))
            for branch in branches
        ]
        return reduce(symbolic.minimum, totals)

    def refuse(self, node: ast.expr) -> NoReturn:
        """Refuse a guard of another form."""
        raise TorchError(
            f"expected guards that compare sizes of inputs, found {ast.unparse(node)}; fix the sizes that "
            "it names"
        )

    def size(self, node: Any) -> Expr:
        """Return a side of a comparison."""
        match node:
            case ast.Constant(value=int(number)):
                return symbolic.const(number)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return symbolic.const(0) - self.size(inner)
            case ast.BinOp(left=left, op=operator, right=right):
                make = ARITHMETIC.get(type(operator).__name__) or self.refuse(node)
                return make(self.size(left), self.size(right))
            case ast.Call(func=ast.Name(id="max" | "min" as name), args=args):
                make = symbolic.maximum if name == "max" else symbolic.minimum
                return make(*map(self.size, args))
            case ast.Subscript(
                value=ast.Call(func=ast.Attribute(value=source, attr="size")),
                slice=ast.Constant(value=int(axis)),
            ):
                return self.size_of(ast.unparse(source), axis)
        self.refuse(node)
