// RUN: relax-opt %s -p relax-expand-mpi-calls | filecheck %s

// Declarations get bodies of the mpi dialect; the group of ranks is in the attributes.

func.func private @sum(memref<?xf32>) attributes {relax.packed = "relax.mpi.allreduce", relax.args = ["tensor", {string = "max"}, {string = "2,-1/0"}], relax.inplace = array<i64: 0>}
func.func private @gather(memref<?xf32>, memref<?x?xf32>) attributes {relax.packed = "relax.mpi.allgather", relax.args = ["tensor", {string = ""}], relax.dps}
func.func private @part(memref<?x?xf32>, memref<?xf32>) attributes {relax.packed = "relax.mpi.reduce_scatter_block", relax.args = ["tensor", {string = "sum"}, {string = ""}], relax.dps}
func.func private @scatter(memref<?x?xf32>, memref<?xf32>) attributes {relax.packed = "relax.mpi.scatter", relax.args = ["tensor", {string = ""}], relax.dps}
func.func private @exchange(memref<?x?xf32>, memref<?x?xf32>) attributes {relax.packed = "relax.mpi.alltoall", relax.args = ["tensor", {string = ""}], relax.dps}
func.func private @first(memref<?xi8>) attributes {relax.packed = "relax.mpi.bcast", relax.args = ["tensor", {string = ""}], relax.inplace = array<i64: 0>}
func.func private @send(memref<?xf32>, memref<?xi64>) attributes {relax.packed = "relax.mpi.send", relax.args = ["tensor", "shape", {string = "7"}, {string = ""}]}
func.func private @recv(memref<?xi64>, memref<?xi64>) -> memref<?x4xf32> attributes {relax.packed = "relax.mpi.recv", relax.args = ["shape", "shape", {string = "0"}, {string = ""}]}
func.func private @rank() -> memref<1xi64> attributes {relax.packed = "relax.mpi.comm.rank", relax.args = [{string = ""}], relax.gives = "shape"}
func.func private @other(memref<?xf32>) attributes {relax.packed = "other"}

// CHECK:       func.func private @sum(%0: memref<?xf32>) {
// CHECK-NEXT:    %1, %2, %3 = "mpi.unwrap_memref"(%0) : (memref<?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    "mpi.allreduce"(%1, %2, %3) <{operationtype = !mpi.operation<"MPI_MAX">}> {relax.grid = array<i64: 2, -1>, relax.grid_axes = array<i64: 0>} : (!llvm.ptr, i32, !mpi.datatype) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @gather(%0: memref<?xf32>, %1: memref<?x?xf32>) {
// CHECK-NEXT:    %2, %3, %4 = "mpi.unwrap_memref"(%0) : (memref<?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    %5, %6, %7 = "mpi.unwrap_memref"(%1) : (memref<?x?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    "mpi.allgather"(%2, %3, %4, %5, %6, %7) {relax.grid = array<i64>, relax.grid_axes = array<i64>} : (!llvm.ptr, i32, !mpi.datatype, !llvm.ptr, i32, !mpi.datatype) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @part(%0: memref<?x?xf32>, %1: memref<?xf32>) {
// CHECK-NEXT:    %2, %3, %4 = "mpi.unwrap_memref"(%0) : (memref<?x?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    %5, %6, %7 = "mpi.unwrap_memref"(%1) : (memref<?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    "mpi.reduce_scatter_block"(%2, %3, %4, %5, %6, %7) <{operationtype = !mpi.operation<"MPI_SUM">}> {relax.grid = array<i64>, relax.grid_axes = array<i64>} : (!llvm.ptr, i32, !mpi.datatype, !llvm.ptr, i32, !mpi.datatype) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @scatter(%0: memref<?x?xf32>, %1: memref<?xf32>) {
// CHECK-NEXT:    %2, %3, %4 = "mpi.unwrap_memref"(%0) : (memref<?x?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    %5, %6, %7 = "mpi.unwrap_memref"(%1) : (memref<?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    "mpi.scatter"(%2, %3, %4, %5, %6, %7) <{root = 0 : i32}> {relax.grid = array<i64>, relax.grid_axes = array<i64>} : (!llvm.ptr, i32, !mpi.datatype, !llvm.ptr, i32, !mpi.datatype) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @exchange(%0: memref<?x?xf32>, %1: memref<?x?xf32>) {
// CHECK-NEXT:    %2, %3, %4 = "mpi.unwrap_memref"(%0) : (memref<?x?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    %5, %6, %7 = "mpi.unwrap_memref"(%1) : (memref<?x?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    "mpi.alltoall"(%2, %3, %4, %5, %6, %7) {relax.grid = array<i64>, relax.grid_axes = array<i64>} : (!llvm.ptr, i32, !mpi.datatype, !llvm.ptr, i32, !mpi.datatype) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @first(%0: memref<?xi8>) {
// CHECK-NEXT:    %1, %2, %3 = "mpi.unwrap_memref"(%0) : (memref<?xi8>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    %4 = arith.constant 0 : i32
// CHECK-NEXT:    "mpi.bcast"(%1, %2, %3, %4) {relax.grid = array<i64>, relax.grid_axes = array<i64>} : (!llvm.ptr, i32, !mpi.datatype, i32) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @send(%0: memref<?xf32>, %1: memref<?xi64>) {
// CHECK-NEXT:    %2, %3, %4 = "mpi.unwrap_memref"(%0) : (memref<?xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    %5 = arith.constant 0 : index
// CHECK-NEXT:    %6 = memref.load %1[%5] : memref<?xi64>
// CHECK-NEXT:    %7 = arith.trunci %6 : i64 to i32
// CHECK-NEXT:    %8 = arith.constant 7 : i32
// CHECK-NEXT:    "mpi.send"(%2, %3, %4, %7, %8) {relax.grid = array<i64>, relax.grid_axes = array<i64>} : (!llvm.ptr, i32, !mpi.datatype, i32, i32) -> ()
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @recv(%0: memref<?xi64>, %1: memref<?xi64>) -> memref<?x4xf32> {
// CHECK-NEXT:    %2 = arith.constant 0 : index
// CHECK-NEXT:    %3 = memref.load %1[%2] : memref<?xi64>
// CHECK-NEXT:    %4 = arith.index_cast %3 : i64 to index
// CHECK-NEXT:    %5 = arith.constant 1 : index
// CHECK-NEXT:    %6 = memref.load %1[%5] : memref<?xi64>
// CHECK-NEXT:    %7 = arith.index_cast %6 : i64 to index
// CHECK-NEXT:    %8 = memref.alloc(%4) {alignment = 64 : i64} : memref<?x4xf32>
// CHECK-NEXT:    %9 = arith.constant 0 : index
// CHECK-NEXT:    %10 = memref.load %0[%9] : memref<?xi64>
// CHECK-NEXT:    %11 = arith.trunci %10 : i64 to i32
// CHECK-NEXT:    %12 = arith.constant 0 : i32
// CHECK-NEXT:    %13, %14, %15 = "mpi.unwrap_memref"(%8) : (memref<?x4xf32>) -> (!llvm.ptr, i32, !mpi.datatype)
// CHECK-NEXT:    "mpi.recv"(%13, %14, %15, %11, %12) {relax.grid = array<i64>, relax.grid_axes = array<i64>} : (!llvm.ptr, i32, !mpi.datatype, i32, i32) -> ()
// CHECK-NEXT:    func.return %8 : memref<?x4xf32>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @rank() -> memref<1xi64> {
// CHECK-NEXT:    %0 = "mpi.comm.rank"() {relax.grid = array<i64>, relax.grid_axes = array<i64>} : () -> i32
// CHECK-NEXT:    %1 = memref.alloc() {alignment = 64 : i64} : memref<1xi64>
// CHECK-NEXT:    %2 = arith.constant 0 : index
// CHECK-NEXT:    %3 = arith.extui %0 : i32 to i64
// CHECK-NEXT:    memref.store %3, %1[%2] : memref<1xi64>
// CHECK-NEXT:    func.return %1 : memref<1xi64>
// CHECK-NEXT:  }
// CHECK-NEXT:  func.func private @other(memref<?xf32>) -> () attributes {relax.packed = "other"}
