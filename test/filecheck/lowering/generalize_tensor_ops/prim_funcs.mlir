// RUN: relax-opt %s -p relax-generalize-tensor-ops | filecheck %s

func.func private @named(%x: tensor<?x3xf32> {relax.dims = ["n", "3"]}, %w: tensor<3x4xf32> {relax.dims = ["3", "4"]}, %i: tensor<?x4xf32> {relax.dims = ["n", "4"]}) -> (tensor<?x4xf32> {relax.dims = ["n", "4"]}) {
  %r = linalg.matmul ins(%x, %w : tensor<?x3xf32>, tensor<3x4xf32>) outs(%i : tensor<?x4xf32>) -> tensor<?x4xf32>
  func.return %r : tensor<?x4xf32>
}
func.func private @elementwise(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  %y = math.exp %x : tensor<?xf32>
  func.return %y : tensor<?xf32>
}
func.func private @elements(%x: tensor<2xf32> {relax.dims = ["2"]}) -> (tensor<2xf32> {relax.dims = ["2"]}) {
  %c1 = arith.constant 1 : index
  %a = tensor.extract %x[%c1] : tensor<2xf32>
  %t = tensor.from_elements %a, %a : tensor<2xf32>
  %u = func.call @twice(%t) : (tensor<2xf32>) -> tensor<2xf32>
  func.return %u : tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.addf %x, %x : tensor<2xf32>
  func.return %y : tensor<2xf32>
}

// CHECK:       func.func private @named(
// CHECK-NEXT:    %r = linalg.generic {{.*}} ins(%x, %w : tensor<?x3xf32>, tensor<3x4xf32>) outs(%i : tensor<?x4xf32>) {
// CHECK:       func.func private @elementwise(
// CHECK-NEXT:    %0 = arith.constant 0 : index
// CHECK-NEXT:    %1 = tensor.dim %x, %0 : tensor<?xf32>
// CHECK-NEXT:    %2 = tensor.empty(%1) : tensor<?xf32>
// CHECK-NEXT:    %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%2 : tensor<?xf32>) {
// CHECK-NEXT:    ^bb0(%3: f32, %4: f32):
// CHECK-NEXT:      %5 = math.exp %3 : f32
// CHECK-NEXT:      linalg.yield %5 : f32
// CHECK-NEXT:    } -> tensor<?xf32>
// CHECK-NEXT:    func.return %y : tensor<?xf32>
// CHECK:       func.func private @elements(
// CHECK-NEXT:    %c1 = arith.constant 1 : index
// CHECK-NEXT:    %a = tensor.extract %x[%c1] : tensor<2xf32>
// CHECK-NEXT:    %0 = tensor.empty() : tensor<2xf32>
// CHECK-NEXT:    %1 = arith.constant 0 : index
// CHECK-NEXT:    %2 = tensor.insert %a into %0[%1] : tensor<2xf32>
// CHECK-NEXT:    %3 = arith.constant 1 : index
// CHECK-NEXT:    %t = tensor.insert %a into %2[%3] : tensor<2xf32>
// CHECK-NEXT:    %4 = tensor.empty() : tensor<2xf32>
// CHECK-NEXT:    %u = linalg.generic
// CHECK:           arith.addf
// CHECK:         func.return %u : tensor<2xf32>
