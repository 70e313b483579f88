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

A branch becomes an `scf.if` up to its immediate post-dominator, a natural loop whose only exit is its
header an `scf.while`. Any other graph becomes one `scf.while` over the number of the next block
(`structuring/machine.py`). The pass applies to each `func.func`, and to each `scf.execute_region`, which is
then inlined, in functions of Relax too; `cf.assert` is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import func, scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, Region
from xdsl.passes import ModulePass

from relax_dialect.ir.walk import symbol_name, walk_ops
from relax_dialect.ops.core import FuncOp
from relax_dialect.rewrites.conversion.structuring.block_machine import BlockMachine
from relax_dialect.rewrites.conversion.structuring.block_nest import NestWriter, Planner
from relax_dialect.rewrites.conversion.structuring.blocks import Blocks
from relax_dialect.transform.regions import erase


def convert_cf_to_scf(function: Operation) -> None:
    """Rewrite a function of several blocks as one of one block, in place; regions in it are inlined."""
    inline_execute_regions(function)
    if isinstance(function, func.FuncOp) and len(function.body.blocks) > 1:
        _structure(function.body, function.function_type.outputs.data, function)


def _structure(region: Region, types: Sequence[Attribute], function: Operation) -> None:
    """Write the blocks of a region, which returns or yields values of some types, as one."""
    blocks = Blocks(region, types)
    plan = Planner(blocks).plan()
    if plan is None:
        body = BlockMachine(blocks, f"{function.name} @{symbol_name(function)}").write()
    else:
        body = NestWriter(blocks).write(plan)
    for block in list(region.blocks):
        region.detach_block(block)
    region.add_block(body)


def inline_execute_regions(function: Operation) -> None:
    """Inline each `scf.execute_region`, inner ones first."""
    found = [op for op in walk_ops(function) if isinstance(op, scf.ExecuteRegionOp)]
    for region in reversed(found):
        if len(region.region.blocks) > 1:
            _structure(region.region, region.result_types, function)
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


def structured(module: ModuleOp) -> ModuleOp:
    """Return a module, or a structured copy of it if a function has several blocks."""
    functions = (op for op in module.ops if isinstance(op, func.FuncOp))
    if not any(_has_blocks(function) for function in functions):
        return module
    copy = module.clone()
    ConvertCfToScfPass().apply(Context(), copy)
    return copy


def _has_blocks(function: func.FuncOp) -> bool:
    return len(function.body.blocks) > 1 or any(
        isinstance(op, scf.ExecuteRegionOp) for op in walk_ops(function)
    )


class ConvertCfToScfPass(ModulePass):
    """`convert_cf_to_scf` on every function of builtin types or of Relax."""

    name = "relax-convert-cf-to-scf"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, func.FuncOp | FuncOp):
                convert_cf_to_scf(function)
