"""Relax functions as functions on memrefs: allocation, calls, run-time checks, frees.

    relax.func @main(%x: !relax.tensor<[n, 64], f32>) -> !relax.tensor<[n, 10], f32> {
      %w = relax.constant dense<...> : tensor<64x10xf32>
      %y = relax.call_tir @matmul(%x, %w) : (...) -> !relax.tensor<[n, 10], f32>
      relax.return %y : !relax.tensor<[n, 10], f32>
    }
    ->
    func.func @main(%n: index {relax.symbol = "n"},
                    %x: memref<?x64xf32> {relax.dims = ["n", "64"], relax.name = "x"})
        -> (memref<?x10xf32> {relax.dims = ["n", "10"]}) attributes {relax.entry} {
      %w = memref.get_global @w : memref<64x10xf32>
      %y = memref.alloc(%n) : memref<?x10xf32>
      func.call @matmul(%n, %x, %w, %y) : ...
      func.return %y : memref<?x10xf32>
    }

A function owns what it allocates and frees it behind the last use; results are handed to the
caller, so what it does not own (a parameter, a constant) is copied before it is returned.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering import function_closures, function_effects, function_shapes
from lowering.function_body import FunctionLowering, ModuleState, register_lowerings
from relax_dialect.locations import inherit
from relax_dialect.ops import core
from relax_dialect.rewrites.regions import erase

register_lowerings(function_effects.LOWERINGS)
register_lowerings(function_closures.LOWERINGS)
register_lowerings(function_shapes.LOWERINGS)


def lower_functions(module: ModuleOp) -> None:
    """Replace every relax.func of the module by a func.func on memrefs."""
    state = ModuleState(module)
    functions = [op for op in module.body.block.ops if isinstance(op, core.FuncOp)]
    lowered = [(function, FunctionLowering(function, state).lower()) for function in functions]
    for function, replacement in lowered:
        if function.sym_name.data in state.made:
            function_closures.describe_parts(replacement, state.signature_of(function))
        inherit([replacement], function.location)
        module.body.block.insert_op_before(replacement, function)
        erase(function)


class LowerFunctionsPass(ModulePass):
    """relax.func on tensors -> func.func on memrefs, see the module docstring."""

    name = "relax-lower-functions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        lower_functions(op)
