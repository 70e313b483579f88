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

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.call_graph import ops_inside
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.order import describe
from relax_dialect.ops.blocked_layouts import parse_layout
from relax_dialect.ops.convolution import ConvolutionOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.ops.windows import LayoutOp
from relax_dialect.transform.regions import erase
from relax_dialect.transform.relayout import relayout


def expand_blocks(op: LayoutOp) -> list[Operation]:
    """Replace an operator on channels in blocks; gives the new ops, in order."""
    made: list[Operation] = []
    layouts = {name: plain_of(getattr(op, name)) for name in op.layout_fields}
    inputs = [_known(op, value) for value in op.operands]
    inputs[0] = relayout(inputs[0], op.x_layout, plain_of(op.x_layout), made.append)
    if isinstance(op, ConvolutionOp):
        kernel = op.weight_layout
        inputs[1] = relayout(inputs[1], kernel, plain_of(kernel), made.append)
    new = with_layouts(op, inputs, layouts)
    made.append(new)
    out, results = op.result_layout, list[SSAValue]()
    for result in new.results:
        results.append(relayout(_known(op, result), plain_of(out), out, made.append))
    block = op.parent
    assert block is not None
    block.insert_ops_before(made, op)
    inherit(made, op.location)
    for old, result in zip(op.results, results):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    erase(op)
    return made


def plain_of(text: str) -> str:
    """A layout without its blocks."""
    layout = parse_layout(text)
    assert layout is not None
    return layout.plain


def with_layouts(op: LayoutOp, inputs: Sequence[SSAValue], layouts: Mapping[str, str]) -> LayoutOp:
    """The operator on values of other layouts."""
    properties = {**op.properties, **{name: StringAttr(text) for name, text in layouts.items()}}
    new = type(op).create(operands=inputs, properties=properties, result_types=op.result_types)
    new.set_result_types(new.checked_types())
    return new


def _known(op: LayoutOp, value: SSAValue) -> SSAValue:
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
    for op in [op for op in ops_inside(function) if isinstance(op, LayoutOp) and op.is_blocked]:
        expand_blocks(op)
