"""relax-expand-mpi-calls: declarations of calls of MPI -> functions of the mpi dialect.

    func.func private @packed_relax_mpi_allreduce(memref<?x?xf32>)
      attributes {relax.packed = "relax.mpi.allreduce", relax.args = ["tensor", {string = "sum"}, ...], ...}
    ->
    func.func private @packed_relax_mpi_allreduce(%x: memref<?x?xf32>) {
      %data, %count, %type = "mpi.unwrap_memref"(%x) : (memref<?x?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
      "mpi.allreduce"(%data, %count, %type) <{operationtype = !mpi.operation<"MPI_SUM">, ...}>
        {relax.grid = array<i64>, relax.grid_axes = array<i64>} : (!llvm.ptr, i32, !mpi.datatype) -> ()
      func.return
    }

It runs after the memory is planned: until then these are external functions, which write over an argument
or to a result.
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from lowering.memory.functions.external_declarations import form_of
from lowering.support.mpi import MPI_PREFIX


class ExpandMpiCallsPass(ModulePass):
    """Declared calls of MPI -> functions of the mpi dialect, see the module docstring."""

    name = "relax-expand-mpi-calls"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in [o for o in op.body.block.ops if isinstance(o, func.FuncOp)]:
            form = form_of(each)
            if form is not None and form.name.startswith(MPI_PREFIX):
                from lowering.memory.mpi.mpi_functions import (
                    define,  # xDSL's dialect takes long to load
                )

                define(each, form)
