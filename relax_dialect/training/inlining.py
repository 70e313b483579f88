"""Inlining of a function's body at a builder's insertion point."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import SSAValue

from relax_dialect.builder import BlockBuilder
from relax_dialect.builder.values import Value
from relax_dialect.ops.core import FuncOp


def inlined(builder: BlockBuilder, function: FuncOp, values: Mapping[SSAValue, Value]) -> Value:
    """Inline a function in A-normal form, with these values of its parameters; returns its result."""
    known = {old: new.value for old, new in values.items()}
    *operations, end = function.body.block.ops
    for operation in operations:
        copied = operation.clone(known)
        builder.emit(copied)
        for old, new in zip(operation.results, copied.results):
            new.name_hint = old.name_hint
    return Value(known[end.operands[0]])
