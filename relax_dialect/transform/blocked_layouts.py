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

from collections.abc import Sequence

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation, SSAValue

from relax_dialect.errors import RelaxError
from relax_dialect.ir.call_graph import ops_inside
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import Dim
from relax_dialect.ops.blocked_layouts import Layout, parse_layout
from relax_dialect.ops.convolution import ConvolutionOp
from relax_dialect.ops.core import FuncOp
from relax_dialect.ops.manipulate import PermuteDimsOp, ReshapeOp
from relax_dialect.ops.type_rules import tensor_type
from relax_dialect.ops.windows import LayoutOp
from relax_dialect.symbolic import const, floordiv
from relax_dialect.transform.regions import erase


class _Views:
    """The ops that take the place of an operator on blocks."""

    def __init__(self, op: LayoutOp):
        self.op = op
        self.made: list[Operation] = []

    def add(self, op: Operation) -> SSAValue:
        self.made += [
            o.owner for o in op.operands if isinstance(o.owner, Operation) and not o.owner.parent
        ]
        self.made = [*dict.fromkeys([*self.made, op])]
        return op.results[0]

    def reshape(self, value: SSAValue, shape: Sequence[Dim]) -> SSAValue:
        known = [size for size in shape if size is not None]
        if len(known) < len(shape):
            raise RelaxError(
                f"{describe(self.op)}: expected known sizes next to a layout with blocks, found "
                f"{value.type}; name them with a relax.match_cast"
            )
        return self.add(ReshapeOp(value, known))

    def permute(self, value: SSAValue, axes: Sequence[int]) -> SSAValue:
        is_same = [*axes] == [*range(len(axes))]
        return value if is_same else self.add(PermuteDimsOp(value, [*axes]))

    def plain(self, value: SSAValue, text: str) -> SSAValue:
        """A value of a layout, without blocks."""
        layout = parse_layout(text)
        if layout is None or not layout.blocks:
            return value
        sizes = self.op.sizes("x", tensor_type(value), text)
        return self.reshape(self.permute(value, layout.merging), [sizes[d] for d in layout.plain])

    def blocked(self, value: SSAValue, layout: Layout) -> SSAValue:
        """A value of the layout without blocks in the layout itself."""
        shape: list[Dim] = []
        for letter, size in zip(layout.plain, tensor_type(value).shape or ()):
            block = layout.blocks.get(letter)
            if block is None or size is None:
                shape.append(size)
            else:
                shape += [floordiv(size, block), const(block)]
        return self.permute(self.reshape(value, shape), layout.splitting)


def expand_blocks(op: LayoutOp) -> list[Operation]:
    """Replace an operator on channels in blocks; gives the new ops, in order."""
    views, inputs = _Views(op), [*op.operands]
    inputs[0] = views.plain(inputs[0], op.x_layout)
    if isinstance(op, ConvolutionOp):
        inputs[1] = views.plain(inputs[1], op.weight_layout)
    out = parse_layout(op.result_layout)
    assert out is not None
    named = {name: parse_layout(getattr(op, name)) for name in op.layout_fields}
    layouts = {name: StringAttr(found.plain) for name, found in named.items() if found is not None}
    new = type(op).create(
        operands=inputs, properties={**op.properties, **layouts}, result_types=op.result_types
    )
    new.set_result_types(new.checked_types())
    views.add(new)
    results = [views.blocked(result, out) if out.blocks else result for result in new.results]
    block = op.parent
    assert block is not None
    block.insert_ops_before(views.made, op)
    inherit(views.made, op.location)
    for old, result in zip(op.results, results):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    erase(op)
    return views.made


def expand_all_blocks(function: FuncOp) -> None:
    """Replace all operators on channels in blocks of a function."""
    for op in [op for op in ops_inside(function) if isinstance(op, LayoutOp) and op.is_blocked]:
        expand_blocks(op)
