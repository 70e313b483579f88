"""relax-convert-cf-to-scf: functions of several blocks become functions of one, with loops and branches.

```mlir
  cf.br ^head(%a : i32)
^head(%x: i32):
  %c = arith.cmpi slt, %x, %n : i32
  cf.cond_br %c, ^body, ^done
^body:
  %y = arith.addi %x, %x : i32
  cf.br ^head(%y : i32)
^done:
  return %x : i32
    ->
%r = scf.while (%x = %a) : (i32) -> i32 {
  %c = arith.cmpi slt, %x, %n : i32
  scf.condition(%c) %x : i32
} do {
^bb0(%x_1: i32):
  %y = arith.addi %x_1, %x_1 : i32
  scf.yield %y : i32
}
return %r : i32
```

A branch becomes an `scf.if` up to its immediate post-dominator, a natural loop that is left from its
header alone an `scf.while`. Any other graph becomes one `scf.while` over the number of the block that runs
next (`structuring/machine.py`). It applies to each `func.func`, where an `scf.execute_region` of one block
is inlined too; `cf.assert` stays.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from relax_dialect.ir.call_graph import ops_inside
from relax_dialect.rewrites.structuring.blocks import Blocks
from relax_dialect.rewrites.structuring.machine import BlockMachine
from relax_dialect.rewrites.structuring.nest import Planner, Writer
from relax_dialect.transform.regions import erase


def convert_cf_to_scf(function: func.FuncOp) -> None:
    """Write a function of several blocks as one of one block, in place."""
    blocks = Blocks(function)
    plan = Planner(blocks).plan()
    if plan is None:
        body = BlockMachine(blocks, function.sym_name.data).write()
    else:
        body = Writer(blocks).write(plan)
    for block in list(function.body.blocks):
        function.body.detach_block(block)
    function.body.add_block(body)


def inline_execute_regions(function: func.FuncOp) -> None:
    """Put the ops of each `scf.execute_region` of one block in its place."""
    found = [op for op in ops_inside(function) if isinstance(op, scf.ExecuteRegionOp)]
    for region in found:
        if len(region.region.blocks) != 1:
            continue
        block, end = region.parent, region.region.block.last_op
        assert block is not None and end is not None
        values = list(end.operands)
        erase(end)
        for op in list(region.region.block.ops):
            op.detach()
            block.insert_op_before(op, region)
        for result, value in zip(region.results, values):
            result.replace_all_uses_with(value)
        erase(region)


class ConvertCfToScfPass(ModulePass):
    """`convert_cf_to_scf` on every function that has several blocks."""

    name = "relax-convert-cf-to-scf"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, func.FuncOp) and function.body.blocks:
                inline_execute_regions(function)
                if len(function.body.blocks) > 1:
                    convert_cf_to_scf(function)
