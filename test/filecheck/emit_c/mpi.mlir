// RUN: relax-opt %s -t c{cpu=generic} | filecheck %s

// An op of the mpi dialect is a call that all ranks agree on before MPI's.
// CHECK:       #include <mpi.h>
// CHECK:       static int mpi_agree(
// CHECK:       static int sum(float *restrict x, int64_t x_d0)
// CHECK-NEXT:  {
// CHECK-NEXT:      if (mpi_allreduce("relax.ccl.allreduce (sum of f32)", &(const struct mpi_grid){2, {2, -1}, 2u},
// CHECK-NEXT:          &(const struct mpi_buffer){x, MPI_FLOAT, 1, (const int64_t[]){x_d0}}, MPI_SUM) != 0)
// CHECK-NEXT:          return -1;
// CHECK-NEXT:      return 0;
// CHECK-NEXT:  }
func.func private @sum(%x: memref<?xf32>) {
  %data, %count, %type = "mpi.unwrap_memref"(%x) : (memref<?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
  "mpi.allreduce"(%data, %count, %type) <{operationtype = !mpi.operation<"MPI_SUM">}> {relax.grid = array<i64: 2, -1>, relax.grid_axes = array<i64: 1>} : (!llvm.ptr, i32, !mpi.datatype) -> ()
  func.return
}

// The entry point reports a failure to the other ranks, and returns results once no rank has failed.
// CHECK:       static int enter_main(DLTensor *x)
// CHECK:           if (mpi_return("@main: return") != 0)
// CHECK:       int model_main(DLTensor *x)
// CHECK-NEXT:  {
// CHECK-NEXT:      return mpi_leave(enter_main(x));
// CHECK-NEXT:  }
// CHECK:       int model_rank(void)
func.func @main(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"], relax.name = "x"}) attributes {relax.entry} {
  func.call @sum(%x) : (memref<?xf32>) -> ()
  func.return
}
