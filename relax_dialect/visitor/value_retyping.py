"""Retyping: the result types of an op once its operands have other types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from xdsl.ir import Attribute, Operation, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.lattice import is_subtype, join
from relax_dialect.ir.symbol_scopes import escaping_symbols
from relax_dialect.ir.type_variables import substitute
from relax_dialect.ops.base import RelaxOp
from relax_dialect.ops.blocks import BlockOp
from relax_dialect.ops.calls import SymbolCallOp
from relax_dialect.ops.control import IfOp

Lookup = Callable[[str], Operation | None]


def inferred_types(op: Operation, lookup: Lookup) -> Sequence[Attribute] | None:
    """Return the result types that an op's operands imply; None for an op that infers nothing."""
    match op:
        case SymbolCallOp():
            callee = lookup(op.callee_name)
            return None if callee is None else op.infer_with(callee)[1]
        case BlockOp():
            return tuple(op.output.operand_types)
        case IfOp():
            return (_joined(op),)
        case RelaxOp():
            return op.checked_types()
    return None


def _joined(op: IfOp) -> Attribute:
    """Return the join of the types that the branches yield, without the variables they define
    themselves."""
    branches: list[Attribute] = []
    for region, value in zip(op.regions, op.yields):
        own = (symbol for inner in region.block.ops for symbol in escaping_symbols(inner))
        hidden = substitute(value.type, dict.fromkeys(own))
        fits = is_subtype(value.type, op.result.type) and not is_subtype(hidden, op.result.type)
        branches.append(op.result.type if fits else hidden)
    return join(*branches)


def is_exact(op: IfOp) -> bool:
    """Return whether the declared result type is the join of the branches."""
    return _joined(op) == op.result.type


@contextmanager
def typed_as(types: Mapping[SSAValue, Attribute], values: Sequence[SSAValue]) -> Iterator[None]:
    """Restore the previous types of some of the values within the context."""
    saved = {value: value.type for value in values if value in types}
    for value in saved:
        value._type = types[value]  # pyright: ignore[reportPrivateUsage]
    try:
        yield
    finally:
        for value, type in saved.items():
            value._type = type  # pyright: ignore[reportPrivateUsage]


def types_before(
    op: Operation, old: Mapping[SSAValue, Attribute], lookup: Lookup
) -> Sequence[Attribute] | None:
    """Return the types inferred before anything changed."""
    with typed_as(old, op.operands):
        try:
            return inferred_types(op, lookup)
        except RelaxError:
            return None


def types_now(
    op: Operation, before: Sequence[Attribute] | None, lookup: Lookup
) -> Sequence[Attribute]:
    """Return the types of the results: as inferred, joined with the declared types if these were wider."""
    inferred = inferred_types(op, lookup)
    if inferred is None or len(inferred) != len(op.results):
        return op.result_types
    if before is None:
        before = op.result_types
    return [
        new if old == declared else join(declared, new)
        for declared, old, new in zip(op.result_types, before, inferred)
    ]
