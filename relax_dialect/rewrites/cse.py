"""relax-cse: equal pure ops of one block are evaluated once.

```mlir
%a = relax.exp %x : (T) -> T
%b = relax.exp %x : (T) -> T            ->     %a = relax.exp %x : (T) -> T
%c = relax.add %a, %b : (T, T) -> T            %c = relax.add %a, %a : (T, T) -> T
```

Ops are equal when operands, properties, attributes and result types are, numbers by their bits. A
symbolic variable means one size throughout a block, so equal types mean equal sizes. A `match_*` is
merged only with an earlier one of the same value against the same type, which is the same check.

`relax-cse{call-only=true}` leaves what computes nothing alone: constants, shapes, tuples and their fields,
names and checks.

The pass does not cross blocks: a value of another block would have to be passed out of it, and one of
an outer region would be evaluated where it need not be.
"""

from __future__ import annotations

import struct
from collections.abc import Hashable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FloatAttr, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from relax_dialect.ops.base import MatchOp
from relax_dialect.ops.core import ConstantOp, TupleGetItemOp, TupleOp
from relax_dialect.ops.graph import LetOp
from relax_dialect.ops.shape_value import ExpressionOp, ShapeOp
from relax_dialect.purity import ModuleSymbols, is_pure
from relax_dialect.rewrites.regions import (
    Body,
    bodies,
    erase,
    functions,
    keep_name,
    replace_uses,
    update_operands,
)
from relax_dialect.traits import has_trait

NO_CALLS = (ConstantOp, LetOp, MatchOp, ShapeOp, ExpressionOp, TupleGetItemOp, TupleOp)
"""The ops that give what there is, and compute nothing."""


def bits(attribute: Attribute) -> Hashable:
    """What tells an attribute from others: 0.0 and -0.0 are two."""
    if isinstance(attribute, FloatAttr):
        return attribute.type, struct.pack("<d", attribute.value.data)
    if isinstance(attribute, ArrayAttr):
        return ArrayAttr, tuple(map(bits, attribute.data))
    if isinstance(attribute, DictionaryAttr):
        return DictionaryAttr, tuple((k, bits(v)) for k, v in sorted(attribute.data.items()))
    return attribute


def _key(op: Operation) -> Hashable:
    """What tells a pure op without regions from others."""
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
    """Merge equal pure ops, block by block; only those that compute something if `call_only`."""
    for function in functions(module):
        lookup = ModuleSymbols(function)
        for body in bodies(function):
            _merge(body, lookup, call_only)


@dataclass(frozen=True)
class CsePass(ModulePass):
    """Merge equal pure ops of a block."""

    name = "relax-cse"

    call_only: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        eliminate_common_subexpressions(op, self.call_only)
