// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: xdsl-opt %s | filecheck %s

// A matrix product: the element is a reduction, and reads the operands by names of the region.

// CHECK-LABEL: relax.func @matmul
relax.func @matmul(%a: !relax.tensor<[n, 64], f32>, %b: !relax.tensor<[64, m], f32>) -> !relax.tensor<[n, m], f32> {
  // CHECK:      %y = relax.compute (%i, %j) in [n, m] (%x = %a, %w = %b) : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, m], f32>) -> !relax.tensor<[n, m], f32> {
  // CHECK-NEXT:   %s = relax.index_sum (%k) in [64] {
  // CHECK-NEXT:     %l = relax.element %x[%i, %k] : !relax.tensor<[n, 64], f32>
  // CHECK-NEXT:     %r = relax.element %w[%k, %j] : !relax.tensor<[64, m], f32>
  // CHECK-NEXT:     %p = arith.mulf %l, %r : f32
  // CHECK-NEXT:     relax.yield %p : f32
  // CHECK-NEXT:   }
  // CHECK-NEXT:   relax.yield %s : f32
  // CHECK-NEXT: }
  %y = relax.compute (%i, %j) in [n, m] (%x = %a, %w = %b) : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, m], f32>) -> !relax.tensor<[n, m], f32> {
    %s = relax.index_sum (%k) in [64] {
      %l = relax.element %x[%i, %k] : !relax.tensor<[n, 64], f32>
      %r = relax.element %w[%k, %j] : !relax.tensor<[64, m], f32>
      %p = arith.mulf %l, %r : f32
      relax.yield %p : f32
    }
    relax.yield %s : f32
  }
  relax.return %y : !relax.tensor<[n, m], f32>
}

// Two tensors of the same sizes.

// CHECK-LABEL: relax.func @several
relax.func @several(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], i64> {
  // CHECK:      %y, %at = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], i64>) {
  // CHECK:        relax.yield %v, %p : f32, i64
  // CHECK-NEXT: }
  %y, %at = relax.compute (%i) in [n] (%x = %a) : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], i64>) {
    %v = relax.element %x[%i] : !relax.tensor<[n], f32>
    %p = arith.index_cast %i : index to i64
    relax.yield %v, %p : f32, i64
  }
  relax.return %at : !relax.tensor<[n], i64>
}

// Sizes that are expressions and scalars as operands, without a tensor; attributes; a wider result type.

// CHECK-LABEL: relax.func @numbers
relax.func @numbers(%f: f32, %s: !relax.shape<[n]>) -> !relax.tensor<[?], f32> {
  // CHECK:      %y = relax.compute (%i) in [2 * n + 1] (%g = %f) {my.note = 1 : i64} : (f32) -> !relax.tensor<[?], f32> {
  // CHECK-NEXT:   %m = relax.index_size [2 * n]
  // CHECK-NEXT:   %c = arith.cmpi eq, %i, %m : index
  // CHECK-NEXT:   %0 = arith.constant 0.000000e+00 : f32
  // CHECK-NEXT:   %v = arith.select %c, %g, %0 : f32
  // CHECK-NEXT:   relax.yield %v : f32
  // CHECK-NEXT: }
  %y = relax.compute (%i) in [2 * n + 1] (%g = %f) {my.note = 1 : i64} : (f32) -> !relax.tensor<[?], f32> {
    %m = relax.index_size [2 * n]
    %c = arith.cmpi eq, %i, %m : index
    %0 = arith.constant 0.0 : f32
    %v = arith.select %c, %g, %0 : f32
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[?], f32>
}

// No index and no operand: a tensor of rank 0. All reductions, over several indices, in a dataflow block.

// CHECK-LABEL: relax.func @reductions
relax.func @reductions(%a: !relax.tensor<[n, m], i32>) -> !relax.tensor<[], i32> {
  %y = relax.dataflow {
    // CHECK: %e = relax.compute () in [] () : () -> !relax.tensor<[], i32> {
    %e = relax.compute () in [] () : () -> !relax.tensor<[], i32> {
      %c = arith.constant 3 : i32
      relax.yield %c : i32
    }
    // CHECK: %z = relax.compute () in [] (%x = %a, %u = %e) : (!relax.tensor<[n, m], i32>, !relax.tensor<[], i32>) -> !relax.tensor<[], i32> {
    %z = relax.compute () in [] (%x = %a, %u = %e) : (!relax.tensor<[n, m], i32>, !relax.tensor<[], i32>) -> !relax.tensor<[], i32> {
      // CHECK-NEXT: %v = relax.element %u[] : !relax.tensor<[], i32>
      %v = relax.element %u[] : !relax.tensor<[], i32>
      // CHECK: relax.index_prod (%i, %j) in [n, m] attributes {my.note = 1 : i64} {
      %p = relax.index_prod (%i, %j) in [n, m] attributes {my.note = 1 : i64} {
        %w = relax.element %x[%i, %j] : !relax.tensor<[n, m], i32>
        relax.yield %w : i32
      }
      // CHECK: relax.index_max (%i_1) in [n] {
      %q = relax.index_max (%i) in [n] {
        %c = arith.constant 0 : index
        %w = relax.element %x[%i, %c] : !relax.tensor<[n, m], i32>
        relax.yield %w : i32
      }
      // CHECK: relax.index_all (%i_2) in [n] {
      %r = relax.index_all (%i) in [n] {
        %c = arith.constant true
        relax.yield %c : i1
      }
      %s = arith.select %r, %p, %q : i32
      %t = arith.addi %s, %v : i32
      relax.yield %t : i32
    }
    relax.output %z : !relax.tensor<[], i32>
  }
  relax.return %y : !relax.tensor<[], i32>
}
