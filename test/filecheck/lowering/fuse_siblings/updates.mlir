// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-fuse-siblings | filecheck %s

// The way back through y * w + x: one loop reads the cotangent once, and what is needed inside alone is no result.

relax.func @main(%g: !relax.tensor<[n, 4], f32>, %y: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[n, 4], f32>, %gw: !relax.tensor<[n, 4], f32>, %gx: !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>> {
  %d = relax.negative %g : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %gy = relax.multiply %d, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %p = relax.multiply %d, %y : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %sw = relax.add %gw, %p : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %sx = relax.add %gx, %d : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %all = relax.tuple %gy, %sw, %sx : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
  relax.return %all : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
}

// CHECK:      relax.func @main
// CHECK-NEXT:   %gy, %sw, %sx = relax.call_tir @negative_multiply_multiply_add_add(%g, %w, %y, %gw, %gx)
// CHECK-NEXT:   %all = relax.tuple %gy, %sw, %sx
// CHECK:      func.func private @negative_multiply_multiply_add_add
// CHECK:        linalg.generic {{.*}} ins(%g, %w, %y, %gw, %gx : {{.*}}) outs({{.*}} : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>) {
// CHECK:          arith.negf
// CHECK:          linalg.yield %{{.*}}, %{{.*}}, %{{.*}} : f32, f32, f32
// CHECK-NOT:    linalg.generic
// CHECK-NOT:  func.func
