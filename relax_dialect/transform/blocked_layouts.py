"""Operators on channels in blocks, as operators on plain layouts between views.

```mlir
%y = relax.max_pool2d %x {layout = "NCHW16c"} : [n, 4, h, w, 16]
->
%0 = relax.permute_dims %x {axes = [0, 1, 4, 2, 3]} : [n, 4, 16, h, w]
%1 = relax.reshape %0 : [n, 64, h, w]
%2 = relax.max_pool2d %1 : [n, 64, h, w]
%3 = relax.reshape %2 : [n, 4, 16, h, w]
%y = relax.permute_dims %3 {axes = [0, 1, 3, 4, 2]} : [n, 4, h, w, 16]
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.order import describe
from relax_dialect.ir.walk import walk_ops
from relax_dialect.ops.backward import PoolBackwardOp
from relax_dialect.ops.blocked_layouts import plain_layout
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.ops.windows import LayoutOp
from relax_dialect.transform.regions import erase
from relax_dialect.transform.relayout import relayout

OnLayouts: TypeAlias = LayoutOp | PoolBackwardOp


def expand_blocks(op: OnLayouts) -> list[Operation]:
    """Replace an operator on channels in blocks; gives the new ops, in order."""
    made: list[Operation] = []
    layouts = {name: plain_layout(getattr(op, name)) for name in op.layout_fields}
    inputs = [*op.operands]
    for index, layout in op.operand_layouts.items():
        value = _known(op, inputs[index])
        inputs[index] = relayout(value, layout, plain_layout(layout), made.append)
    new = with_layouts(op, inputs, layouts)
    made.append(new)
    out, results = op.result_layout, list[SSAValue]()
    for result in new.results:
        results.append(relayout(_known(op, result), plain_layout(out), out, made.append))
    block = op.parent
    assert block is not None
    block.insert_ops_before(made, op)
    inherit(made, op.location)
    for old, result in zip(op.results, results):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    erase(op)
    return made


def with_layouts(
    op: OnLayouts, inputs: Sequence[SSAValue], layouts: Mapping[str, str]
) -> OnLayouts:
    """The operator on values of other layouts."""
    properties = {**op.properties, **{name: StringAttr(text) for name, text in layouts.items()}}
    new = type(op).create(operands=inputs, properties=properties, result_types=op.result_types)
    new.set_result_types(new.checked_types())
    return new


def _known(op: OnLayouts, value: SSAValue) -> SSAValue:
    """A value whose sizes have to be known."""
    shape = tensor_type(value).shape
    if shape is None or None in shape:
        raise RelaxError(
            f"{describe(op)}: expected known sizes next to a layout with blocks, found {value.type}; "
            "name them with a relax.match_cast"
        )
    return value


def expand_all_blocks(function: FuncOp) -> None:
    """Replace all operators on channels in blocks of a function."""
    for op in [op for op in walk_ops(function) if isinstance(op, OnLayouts) and op.is_blocked]:
        expand_blocks(op)
