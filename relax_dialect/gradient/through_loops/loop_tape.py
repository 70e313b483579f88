"""Expensive values inside of the iterations of a segment, which the tape keeps besides the state.

z = sigmoid(matmul(h, w))          tape: h and z, since z takes a product of matrices; z * h is computed
y = tanh(matmul(z * h, u))   ->          anew from both, and y is the next iteration's state

They are the results of contractions, reductions and other operators beyond elementwise, and functions of
one tensor computed from these, such as activations, if all their sizes have names. Values that the
backward pass does not read are removed from the tape later (`tapes`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xdsl.ir import SSAValue

from relax_dialect import symbolic
from relax_dialect.gradient.free_values import statements, terminator
from relax_dialect.ir.symbol_scopes import candidate_symbols
from relax_dialect.ir.type_variables import free_variables
from relax_dialect.ir.types import TensorType
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.calls import CallOp
from relax_dialect.ops.core import ConstantOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.kinds import K_BROADCAST, K_COMM_REDUCE, pattern_kind
from relax_dialect.ops.loops import WhileOp
from relax_dialect.symbolic import Expr

MOST = 4
"""The maximum size of such a value, as a multiple of the size of the kept state."""

SHORT = ConstantOp | TupleOp | TupleGetItemOp | MatchOp
"""Ops that are no operators, of which a kernel is never made."""


def values_inside(
    loop: WhileOp, kept: Collection[TensorType]
) -> Iterator[tuple[SSAValue, TensorType]]:
    """Yield the expensive values of a loop that keeps state of some types, with their types."""
    block = loop.body.block
    told = set(terminator(block).operands)
    own = {size for op in statements(block) for size in candidate_symbols(op)}
    made_of_long: set[SSAValue] = set()
    for op in statements(block):
        takes_long = not isinstance(op, SHORT) and pattern_kind(op) >= K_COMM_REDUCE
        if not (takes_long or made_of_long.intersection(op.operands)):
            continue
        made_of_long.update(op.results)
        is_of_one = len(op.operands) == 1 and pattern_kind(op) <= K_BROADCAST
        if op.regions or isinstance(op, CallOp) or not (takes_long or is_of_one):
            continue
        for value in op.results:
            type = None if value in told else _named(value, own)
            if type is not None and _is_small(type, kept):
                yield value, type


def _is_small(type: TensorType, kept: Collection[TensorType]) -> bool:
    """Return whether sizes prove that a tensor is no larger than it may be."""
    try:
        room = symbolic.total(map(_elements, kept)) * MOST - _elements(type)
    except symbolic.SymbolicOverflow:
        return False
    least = room.bounds()[0]
    return least is not None and least >= 0


def _named(value: SSAValue, own: set[str]) -> TensorType | None:
    """Return the type of a tensor whose sizes have names that are known outside of the loop."""
    type = value.type
    if not isinstance(type, TensorType) or type.dtype is None or type.shape is None:
        return None
    return None if None in type.shape or own.intersection(free_variables(type)) else type


def _elements(type: TensorType) -> Expr:
    return symbolic.product(size for size in type.shape or () if size is not None)
