"""Calls with several results: tuples in TVM, and their users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation, OpResult, SSAValue

from relax_dialect.frontends.tvmscript.operators import TABLE
from relax_dialect.ops.blocks import BlockOp, OutputOp
from relax_dialect.ops.core import MatchCastOp, TupleOp


def gives_tuple(op: Operation) -> bool:
    """Returns whether TVM returns a tuple for an op's results, even for a single one."""
    operator = TABLE.by_op.get(type(op))
    return len(op.results) > 1 or (operator is not None and operator.gives_tuple)


def uses(value: SSAValue) -> Iterator[Operation]:
    """Yield the users of a value, also after a block passed it out."""
    for use in value.uses:
        if isinstance(use.operation, OutputOp) and (block := use.operation.parent_op()) is not None:
            yield from uses(block.results[use.index])
        else:
            yield use.operation


def is_whole(user: Operation) -> bool:
    """Returns whether an op only rebuilds the tuple that a call returned."""
    is_unnamed = isinstance(user, TupleOp) and user.result.name_hint is None
    return is_unnamed and whole_source(user.operands) is not None


def is_matched_next(value: SSAValue) -> bool:
    """Returns whether the only use of a value is a match by the next op."""
    use = value.get_user_of_unique_use()
    return isinstance(use, MatchCastOp) and isinstance(value, OpResult) and value.op.next_op is use


def whole_source(values: Sequence[SSAValue]) -> Operation | None:
    """Return the op whose results these are, all in order."""
    sources = [source(value) for value in values]
    first = sources[0] if sources else None
    if not isinstance(first, OpResult) or len(first.op.results) != len(sources):
        return None
    is_same = all(a is b for a, b in zip(sources, first.op.results))
    return first.op if is_same and gives_tuple(first.op) else None


def source(value: SSAValue) -> SSAValue:
    """Return the value that blocks passed out."""
    while isinstance(value, OpResult) and isinstance(value.op, BlockOp):
        value = value.op.output.values[value.index]
    return value
