"""relax-expand-compute: `relax.compute` as the call of a prim func, which te makes of it.

```mlir
%y = relax.compute (%i) in [n] (%a = %x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.element %a[%i] : !relax.tensor<[n], f32>
  %1 = arith.mulf %0, %0 : f32
  relax.yield %1 : f32
}
->
%y = relax.call_tir @y(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
...
func.func private @y(%a: tensor<?xf32> {relax.dims = ["n"]}) -> ... { linalg.generic ... }
```

Prim funcs that are equal up to names are made once. `relax-legalize` begins with this.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import cf, func
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from relax_dialect import symbolic
from relax_dialect.builder.te_calls import PrimFuncBuilder
from relax_dialect.errors import RelaxError, blaming
from relax_dialect.ir.locations import inherit
from relax_dialect.ir.order import describe
from relax_dialect.ir.types import TensorType
from relax_dialect.ir.walk import symbol_name, walk_ops
from relax_dialect.ops.calls import CallTirOp
from relax_dialect.ops.compute import ComputeOp
from relax_dialect.ops.shapes import ScalarToTensorOp
from relax_dialect.prim.run_time_checks import PLACE
from relax_dialect.prim.signature import signature
from relax_dialect.te.raising.compute_op import expanded
from relax_dialect.transform.pattern_driver import apply_patterns, replace
from relax_dialect.transform.regions import functions


def expand_compute(module: ModuleOp) -> None:
    """Call prim funcs in the place of tensors that are computed by their elements."""
    found = [f for f in functions(module) if any(isinstance(o, ComputeOp) for o in walk_ops(f))]
    if found:
        symbols = {name: op for op in module.ops if (name := symbol_name(op)) is not None}
        pattern = ComputeToCall(PrimFuncBuilder(symbols, module.body.block.add_op))
        for function in found:
            apply_patterns(function, [pattern])


@dataclass
class ComputeToCall(RewritePattern):
    """`relax.compute` -> `relax.call_tir` of the prim func of its tensor expressions."""

    prim_funcs: PrimFuncBuilder

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ComputeOp, rewriter: PatternRewriter) -> None:
        made: list[Operation] = []
        with blaming(op):
            function = self.prim_funcs.shared(_expanded(op))
        inherit([function], op.location)
        inputs = [_tensor(value, made) for value in op.inputs]
        sizes = [symbolic.var(name) for name in signature(function).unbound]
        call = CallTirOp(function, inputs, sizes, op.result_types)
        if any(isinstance(inner, cf.AssertOp) for inner in walk_ops(function)):
            call.attributes[PLACE] = StringAttr(describe(op))
        replace(rewriter, op, [*made, call], call.results)


def _expanded(op: ComputeOp) -> func.FuncOp:
    try:
        return expanded(op)
    except RelaxError as error:
        raise RelaxError(f"{describe(op)}: {error}") from None


def _tensor(value: SSAValue, made: list[Operation]) -> SSAValue:
    """An operand of the call: a number is a tensor of rank 0."""
    if isinstance(value.type, TensorType):
        return value
    made.append(cast := ScalarToTensorOp(value))
    return cast.result


class ExpandComputePass(ModulePass):
    """Call prim funcs in the place of tensors that are computed by their elements."""

    name = "relax-expand-compute"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        expand_compute(op)
