"""The sizes that are equal once an op has run: those it checked, or could not have run without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Operation

from relax_dialect.errors import RelaxError
from relax_dialect.ir.types import Dims, Sized
from relax_dialect.ops import binary
from relax_dialect.ops.calls import CallOp, CallTirOp, CallTirWithGradOp, SymbolCallOp
from relax_dialect.ops.core import MatchCastOp, MatchShapeOp
from relax_dialect.ops.effects import CallTirInplaceOp
from relax_dialect.ops.linear_algebra import MatmulOp
from relax_dialect.ops.manipulate import ReshapeOp
from relax_dialect.symbolic import Expr, SymbolicOverflow, const, product, provably_different

Equality: TypeAlias = tuple[Expr, Expr]
"""Two equal sizes; the second one is canonical if there is a choice."""
Lookup: TypeAlias = Callable[[str], Operation | None]
Rule: TypeAlias = Callable[[Any, Lookup], Iterable[Equality]]

ONE = const(1)


def _shape(type: Attribute) -> Dims | None:
    return type.shape if isinstance(type, Sized) else None


def _matched(op: MatchCastOp | MatchShapeOp, _: Lookup) -> Iterator[Equality]:
    """Yield the sizes of the value and those of the type it is checked against."""
    stack = [(op.value.type, op.result.type)]
    while stack:
        value, target = stack.pop()
        if isinstance(value, TupleType) and isinstance(target, TupleType):
            stack.extend(reversed(list(zip(value.types.data, target.types.data))))
        for size, kept in zip(_shape(value) or (), _shape(target) or ()):
            if size is not None and kept is not None and size is not kept:
                yield size, kept


def _broadcast(op: Operation, _: Lookup) -> Iterator[Equality]:
    """Yield the sizes of two operands that are both never 1."""
    a, b = (_shape(operand.type) or () for operand in op.operands)
    for x, y in zip(reversed(a), reversed(b)):
        if x is None or y is None or x is y:
            continue
        if provably_different(x, ONE) and provably_different(y, ONE):
            yield _solvable(x, y)


def _contracted(op: MatmulOp, _: Lookup) -> Iterator[Equality]:
    """Yield the size that is summed over."""
    a, b = _shape(op.lhs.type), _shape(op.rhs.type)
    if a and b and (x := a[-1]) is not None and (y := b[-2:][0]) is not None and x is not y:
        yield _solvable(y, x)


def _element_count(op: ReshapeOp, _: Lookup) -> Iterator[Equality]:
    before, after = _shape(op.x.type), op.target
    if before is None or after is None or None in before or None in after:
        return
    try:
        yield _solvable(product(_known(after)), product(_known(before)))
    except SymbolicOverflow:
        return


def _known(dims: Dims) -> Sequence[Expr]:
    return [d for d in dims if d is not None]


def _entry_checks(op: SymbolCallOp, lookup: Lookup) -> Iterator[Equality]:
    """Yield the equalities that the callee checked of its arguments."""
    callee = lookup(op.callee_name)
    if callee is None:
        return
    try:
        unification, _ = op.infer_with(callee)
    except RelaxError:
        return
    for expected, actual in unification.checks:
        yield _solvable(actual, expected)


def _solvable(a: Expr, b: Expr) -> Equality:
    """Return the two so that a variable is expressed by the other side."""
    return (b, a) if b.is_variable and not a.is_variable else (a, b)


EQUALITIES: dict[type[Operation], Rule] = {
    MatchCastOp: _matched,
    MatchShapeOp: _matched,
    MatmulOp: _contracted,
    ReshapeOp: _element_count,
    CallOp: _entry_checks,
    CallTirOp: _entry_checks,
    CallTirWithGradOp: _entry_checks,
    CallTirInplaceOp: _entry_checks,
    **dict.fromkeys(binary.OPS, _broadcast),
}
"""The equalities that each kind of op proves, from the types of its operands and results."""


def proved_equalities(op: Operation, lookup: Lookup = lambda _: None) -> Sequence[Equality]:
    """Return the sizes that are equal after the op; `lookup` finds the functions of the module."""
    rule = EQUALITIES.get(type(op))
    return () if rule is None else [pair for pair in rule(op, lookup) if pair[0] is not pair[1]]
