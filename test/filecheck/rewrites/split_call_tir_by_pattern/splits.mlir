// RUN: relax-opt %s -p 'relax-split-call-tir-by-pattern{file="%s"}' | filecheck %s

// The functions of this file are the patterns too: the first stage of @exp_add is that of @exp.
// CHECK:      relax.func @main(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:   %gv = relax.call_dps_packed "exp"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %z = relax.call_tir @unfused_epilogue(%gv, %y) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   relax.return %z : !relax.tensor<[n], f32>
// CHECK-NEXT: }
// CHECK-NOT:  func.func private @exp
// CHECK:      func.func private @unfused_epilogue(
// CHECK:        linalg.generic
// CHECK:        arith.addf
// CHECK-NOT:    linalg.generic
relax.func @main(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %z = relax.call_tir @exp_add(%x, %y) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}
func.func private @exp(%x: tensor<?xf32> {relax.dims = ["m"]}) -> (tensor<?xf32> {relax.dims = ["m"]}) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%m) : tensor<?xf32>
  %out = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  func.return %out : tensor<?xf32>
}
func.func private @exp_add(%x: tensor<?xf32> {relax.dims = ["k"]}, %y: tensor<?xf32> {relax.dims = ["k"]}) -> (tensor<?xf32> {relax.dims = ["k"]}) {
  %c0 = arith.constant 0 : index
  %k = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%k) : tensor<?xf32>
  %e = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %0 = math.exp %a : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  %empty_1 = tensor.empty(%k) : tensor<?xf32>
  %out = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%e, %y : tensor<?xf32>, tensor<?xf32>) outs(%empty_1 : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<?xf32>
  func.return %out : tensor<?xf32>
}
