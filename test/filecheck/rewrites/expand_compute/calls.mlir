// RUN: relax-opt %s -p relax-expand-compute | filecheck %s

// Two computes that are equal up to names are calls of one prim func; the other has a reduction that more is
// computed of, for the rows alone, and a check of what its sizes do not prove.

// CHECK-LABEL: relax.func @main(
// CHECK-NEXT: %y = relax.call_tir @y(%a, %b) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT: %z = relax.call_tir @y(%y, %y) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT: relax.return %z
relax.func @main(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%x = %a, %w = %b) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    %l = relax.element %x[%i] : !relax.tensor<[n], f32>
    %r = relax.element %w[%i] : !relax.tensor<[n], f32>
    %v = arith.addf %l, %r : f32
    relax.yield %v : f32
  }
  %z = relax.compute (%j) in [n] (%u = %y, %v = %y) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    %0 = relax.element %u[%j] : !relax.tensor<[n], f32>
    %1 = relax.element %v[%j] : !relax.tensor<[n], f32>
    %2 = arith.addf %0, %1 : f32
    relax.yield %2 : f32
  }
  relax.return %z : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @scaled(
// CHECK-NEXT: %0 = relax.scalar_to_tensor %e : (f32) -> !relax.tensor<[], f32>
// CHECK-NEXT: %s = relax.call_tir @s(%a, %0)[k] {relax.place = "relax.compute (%s)"} : (!relax.tensor<[n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, k], f32>
// CHECK-NEXT: relax.return %s
relax.func @scaled(%a: !relax.tensor<[n, m], f32>, %e: f32, %k: !relax.shape<[k]>) -> !relax.tensor<[n, k], f32> {
  %s = relax.compute (%i, %j) in [n, k] (%x = %a, %f = %e) : (!relax.tensor<[n, m], f32>, f32) -> !relax.tensor<[n, k], f32> {
    %sum = relax.index_sum (%l) in [m] {
      %v = relax.element %x[%i, %l] : !relax.tensor<[n, m], f32>
      relax.yield %v : f32
    }
    %v = relax.element %x[%i, %j] : !relax.tensor<[n, m], f32>
    %w = arith.divf %v, %sum : f32
    %z = arith.mulf %w, %f : f32
    relax.yield %z : f32
  }
  relax.return %s : !relax.tensor<[n, k], f32>
}

// CHECK: func.func private @y(%x: tensor<?xf32> {relax.dims = ["n"]}, %w: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]})
// CHECK-NOT: func.func private @z
// CHECK: func.func private @s(
