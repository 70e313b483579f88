// RUN: relax-opt %s -p relax-legalize,relax-bufferize,relax-linalg-to-loops,relax-lower-functions | filecheck %s --check-prefix=BEFORE
// RUN: relax-opt %s -p relax-legalize,relax-bufferize,relax-linalg-to-loops,relax-lower-functions,relax-reuse-buffers | filecheck %s

// A new value that an entry point writes over a parameter lies there from the beginning, if the old one is needed no more.

// BEFORE-LABEL: func.func @move(%n: index {relax.symbol = "n"}, %w: memref<?xf32> {{.*}}, %g: memref<?xf32> {relax.dims = ["n"], relax.name = "g"}) attributes {relax.entry} {
// BEFORE-NEXT:    %0 = memref.alloc(%n)
// BEFORE-NEXT:    func.call @subtract(%n, %w, %g, %0)
// BEFORE-NEXT:    memref.copy %0, %w
// BEFORE-NEXT:    memref.dealloc %0
// BEFORE-NEXT:    func.return
// CHECK-LABEL: func.func @move(
// CHECK-NEXT:    func.call @subtract_in_place(%n, %g, %w)
// CHECK-NEXT:    func.return
relax.func @move(%w: !relax.tensor<[n], f32>, %g: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {inplace_indices = array<i64: 0>} {
  %0 = relax.subtract %w, %g : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}

// What still needs the old value makes it a copy, after the last look at it.
// CHECK-LABEL: func.func @both(
// CHECK-NEXT:    %[[NEW:.*]] = memref.alloc(%n)
// CHECK-NEXT:    func.call @subtract(%n, %w, %g, %[[NEW]])
// CHECK-NEXT:    %[[OLD:.*]] = memref.alloc(%n)
// CHECK-NEXT:    func.call @negative(%n, %w, %[[OLD]])
// CHECK-NEXT:    memref.copy %[[NEW]], %w
// CHECK-NEXT:    memref.dealloc %[[NEW]]
// CHECK-NEXT:    func.return %[[OLD]]
relax.func @both(%w: !relax.tensor<[n], f32>, %g: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> attributes {inplace_indices = array<i64: 0, -1>} {
  %0 = relax.subtract %w, %g : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %1 = relax.negative %w : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %2 = relax.tuple %0, %1 : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %2 : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}

// What is made after the last look at the old value is made there, of whatever it is made.
// CHECK-LABEL: func.func @after(
// CHECK-NEXT:    %[[OLD:.*]] = memref.alloc(%n)
// CHECK-NEXT:    func.call @negative(%n, %w, %[[OLD]])
// CHECK-NEXT:    func.call @flip(%n, %g, %w)
// CHECK-NEXT:    func.return %[[OLD]]
relax.func @after(%w: !relax.tensor<[n], f32>, %g: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> attributes {inplace_indices = array<i64: 0, -1>} {
  %0 = relax.negative %w : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %1 = relax.flip %g {axis = 0 : i64} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %2 = relax.tuple %1, %0 : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %2 : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}
