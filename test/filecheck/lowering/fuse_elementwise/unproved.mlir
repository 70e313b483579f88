// RUN: relax-opt %s -p relax-fuse-elementwise | filecheck %s

// A call whose shapes are checked at run time stays alone, as does one of a function without a body.

func.func private @add(%x: tensor<?xf32> {relax.dims = ["n"]}, %y: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  func.return %r : tensor<?xf32>
}
func.func private @outside(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]})

relax.func @proved(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
  %0 = relax.call_tir @add(%x, %y) : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
  %1 = relax.call_tir @add(%0, %y) : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
  relax.return %1 : !relax.tensor<[k], f32>
}
relax.func @unproved(%x: !relax.tensor<[k], f32>, %y: !relax.tensor<[j], f32>) -> !relax.tensor<[k], f32> {
  %0 = relax.call_tir @add(%x, %y) : (!relax.tensor<[k], f32>, !relax.tensor<[j], f32>) -> !relax.tensor<[k], f32>
  %1 = relax.call_tir @add(%0, %y) : (!relax.tensor<[k], f32>, !relax.tensor<[j], f32>) -> !relax.tensor<[k], f32>
  relax.return %1 : !relax.tensor<[k], f32>
}
relax.func @no_body(%x: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
  %0 = relax.call_tir @outside(%x) : (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
  %1 = relax.call_tir @add(%0, %x) : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>
  relax.return %1 : !relax.tensor<[k], f32>
}

// CHECK-LABEL: func.func private @add(
// CHECK-LABEL: func.func private @add_add(
// CHECK-LABEL: relax.func @proved
// CHECK-NEXT:    %0 = relax.call_tir @add_add(%x, %y)
// CHECK-NEXT:    relax.return %0
// CHECK-LABEL: relax.func @unproved
// CHECK-NEXT:    relax.call_tir @add(%x, %y)
// CHECK-NEXT:    relax.call_tir @add(%0, %y)
// CHECK-LABEL: relax.func @no_body
// CHECK-NEXT:    relax.call_tir @outside(%x)
// CHECK-NEXT:    relax.call_tir @add(%0, %x)
