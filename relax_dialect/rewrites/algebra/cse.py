"""relax-cse: equal pure ops of one block are evaluated once.

```mlir
%a = relax.exp %x : (T) -> T
%b = relax.exp %x : (T) -> T            ->     %a = relax.exp %x : (T) -> T
%c = relax.add %a, %b : (T, T) -> T            %c = relax.add %a, %a : (T, T) -> T
```

Ops are equal when operands, properties, attributes and result types are, numbers by their bits. A
symbolic variable means one size throughout a block, so equal types mean equal sizes. A `match_*` is
merged only with an earlier one of the same value against the same type, which is the same check.

`relax-cse{call-only=true}` skips ops that compute nothing: constants, shapes, tuples and their fields,
names and checks.

The pass does not cross blocks: a value of another block would have to be passed out of it, and one of an
outer region would be evaluated unnecessarily.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from relax_dialect.ir.purity import ModuleSymbols, is_pure, module_by_module
from relax_dialect.ir.traits import has_trait
from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.core import ConstantOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.shape_value import ExpressionOp, ShapeOp
from relax_dialect.transform.bitwise_key import bits
from relax_dialect.transform.regions import (
    Body,
    bodies,
    erase,
    functions,
    keep_name,
    replace_uses,
    update_operands,
)

NO_CALLS = (ConstantOp, LetOp, MatchOp, ShapeOp, ExpressionOp, TupleGetItemOp, TupleOp)
"""Ops that name existing values, and compute nothing."""


def _key(op: Operation) -> Hashable:
    """Return a key that is equal for pure ops without regions of equal results."""
    return (
        op.name,
        op.operands,
        op.result_types,
        tuple((name, bits(value)) for name, value in op.properties.items()),
        tuple((name, bits(value)) for name, value in op.attributes.items()),
    )


def _merge(body: Body, lookup: ModuleSymbols, call_only: bool) -> None:
    first: dict[Hashable, Operation] = {}
    replaced: dict[SSAValue, SSAValue] = {}
    doubles: list[Operation] = []
    for op in body.ops():
        update_operands(op, replaced)
        if op.regions or not op.results or has_trait(op, IsTerminator) or not is_pure(op, lookup):
            continue
        if call_only and isinstance(op, NO_CALLS):
            continue
        known = first.setdefault(_key(op), op)
        if known is not op:
            replaced.update(zip(op.results, known.results))
            doubles.append(op)
    replace_uses(replaced)
    for op in reversed(doubles):
        for old in op.results:
            keep_name(replaced[old], old)
        erase(op)


def eliminate_common_subexpressions(module: ModuleOp, call_only: bool = False) -> None:
    """Merge equal pure ops, block by block; with `call_only` only ops that compute a new value."""
    for function, lookup in module_by_module(functions(module)):
        for body in bodies(function):
            _merge(body, lookup, call_only)


@dataclass(frozen=True)
class CsePass(ModulePass):
    """Merge equal pure ops of a block."""

    name = "relax-cse"

    call_only: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        eliminate_common_subexpressions(op, self.call_only)
