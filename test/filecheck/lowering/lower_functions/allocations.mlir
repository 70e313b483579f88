// RUN: relax-opt %s -p relax-legalize,relax-bufferize,relax-lower-functions | filecheck %s

// Every result is allocated before its call and freed after its last use; what is returned is not.

relax.func @main(%x: !relax.tensor<[n, 3], f32>, %w: !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 2], f32> {
  %y = relax.dataflow {
    %0 = relax.matmul %x, %w : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, 2], f32>) -> !relax.tensor<[n, 2], f32>
    %1 = relax.exp %0 : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    %2 = relax.add %1, %0 : (!relax.tensor<[n, 2], f32>, !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    relax.output %2 : !relax.tensor<[n, 2], f32>
  }
  relax.return %y : !relax.tensor<[n, 2], f32>
}

// CHECK:      func.func @main(%n: index {relax.symbol = "n"}, %x: memref<?x3xf32> {relax.dims = ["n", "3"], relax.name = "x"}, %w: memref<3x2xf32> {relax.dims = ["3", "2"], relax.name = "w"}) -> (memref<?x2xf32> {relax.dims = ["n", "2"]}) attributes {relax.entry} {
// CHECK:        %0 = memref.alloc(%n) {alignment = 64 : i64} : memref<?x2xf32>
// CHECK-NEXT:   func.call @matmul(%n, %x, %w, %0) : (index, memref<?x3xf32>, memref<3x2xf32>, memref<?x2xf32>) -> ()
// CHECK:        %1 = memref.alloc(%n)
// CHECK-NEXT:   func.call @exp(%n, %0, %1)
// CHECK:        %2 = memref.alloc(%n)
// CHECK-NEXT:   func.call @add(%n, %1, %0, %2)
// CHECK-DAG:    memref.dealloc %0 : memref<?x2xf32>
// CHECK-DAG:    memref.dealloc %1 : memref<?x2xf32>
// CHECK-NOT:    memref.dealloc
// CHECK:        func.return %2 : memref<?x2xf32>
