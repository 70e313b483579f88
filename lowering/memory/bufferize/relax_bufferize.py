"""relax-bufferize: prim funcs on tensors become destination-passing functions on memrefs.

    func.func private @scale(%x: tensor<?x4xf32> {relax.dims = ["n", "4"]})
        -> (tensor<?x4xf32> {relax.dims = ["n", "4"]}) {
      %c0 = arith.constant 0 : index
      %n = tensor.dim %x, %c0 : tensor<?x4xf32>
      %empty = tensor.empty(%n) : tensor<?x4xf32>
      %y = linalg.generic ... ins(%x : tensor<?x4xf32>) outs(%empty : tensor<?x4xf32>) ...
      func.return %y : tensor<?x4xf32>
    }
->
    func.func private @scale(%n: index {relax.symbol = "n"},
        %x: memref<?x4xf32> {relax.dims = ["n", "4"]},
        %y: memref<?x4xf32> {relax.dims = ["n", "4"], relax.result}) {
      linalg.generic ... ins(%x : memref<?x4xf32>) outs(%y : memref<?x4xf32>) ...
      func.return
    }

Symbols come first, then the inputs, then the results. `buffer_plan` decides which memory a tensor lives in:
memory other than the result argument is allocated before its first write and freed after its last use,
outside of all loops in which its sizes are invariant. Functions without `relax.dims` on a tensor are left
as they are.

A tensor passed on by loops and branches keeps one buffer (`control_flow`):

    %y = scf.for %i = ... iter_args(%y_1 = %empty) -> (tensor<?xf32>) {
      %y_2 = tensor.insert %v into %y_1[%i] : tensor<?xf32>
      scf.yield %y_2 : tensor<?xf32>
    }
->
    scf.for %i = ... {
      memref.store %v, %y[%i] : memref<?xf32>
    }
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func, linalg, scf, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.ir.argument_attributes import is_tensor_prim_func
from lowering.memory.bufferize import control_flow, slices
from lowering.memory.bufferize.bufferizer import Bufferizer, Rewrites
from relax_dialect.errors import RelaxError

_REWRITES: Rewrites = {
    tensor.EmptyOp: Bufferizer.rewrite_empty,
    tensor.DimOp: Bufferizer.rewrite_dim,
    tensor.CastOp: Bufferizer.rewrite_cast,
    tensor.CollapseShapeOp: Bufferizer.rewrite_collapse,
    tensor.ExpandShapeOp: Bufferizer.rewrite_expand,
    tensor.ExtractOp: Bufferizer.rewrite_extract,
    linalg.ops.GenericOp: Bufferizer.rewrite_destination,
    linalg.ops.FillOp: slices.rewrite_fill,
    linalg.ops.CopyOp: Bufferizer.rewrite_destination,
    tensor.InsertOp: slices.rewrite_insert,
    tensor.InsertSliceOp: slices.rewrite_insert_slice,
    tensor.ExtractSliceOp: slices.rewrite_extract_slice,
    scf.ForOp: control_flow.rewrite_for,
    scf.WhileOp: control_flow.rewrite_while,
    scf.IfOp: control_flow.rewrite_if,
    func.ReturnOp: Bufferizer.rewrite_return,
}


def bufferize_prim_func(function: func.FuncOp) -> None:
    """Rewrite one prim func on tensors to destination-passing style on memrefs, in place."""
    if (count := len(function.body.blocks)) != 1:
        raise RelaxError(
            f"func.func @{function.sym_name.data}: expected a body of one block, found {count}; run "
            "relax-convert-cf-to-scf first"
        )
    Bufferizer(function, _REWRITES).run()


@dataclass(frozen=True)
class BufferizePass(ModulePass):
    """Tensors to memrefs in every prim func: see this file's docstring."""

    name = "relax-bufferize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in list(op.ops):
            if isinstance(function, func.FuncOp) and is_tensor_prim_func(function):
                bufferize_prim_func(function)
