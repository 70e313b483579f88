// RUN: relax-opt %s -p 'relax-attach-global-symbol{prefix=net_}' | filecheck %s

// All have names that others may call; those of prim funcs begin with the prefix, and @kernel stays that of another file.
relax.func private @main(%x: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> {
  %y = relax.call_tir @same(%x) : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  %z = relax.call_tir @net_last(%y) : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  relax.return %z : !relax.tensor<[2], f32>
}
func.func private @net_last(%x: tensor<2xf32>) -> tensor<2xf32> {
  func.return %x : tensor<2xf32>
}
func.func private @same(%x: tensor<2xf32>) -> tensor<2xf32> attributes {of = [@net_last, {at = @same}]} {
  func.return %x : tensor<2xf32>
}
func.func private @kernel(tensor<2xf32>) -> tensor<2xf32>

// CHECK:      relax.func @main(%x: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> {
// CHECK-NEXT:   %y = relax.call_tir @net_same(%x) : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
// CHECK-NEXT:   %z = relax.call_tir @net_last(%y) : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
// CHECK-NEXT:   relax.return %z : !relax.tensor<[2], f32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func @net_last(%x: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT:   func.return %x : tensor<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func @net_same(%x: tensor<2xf32>) -> tensor<2xf32> attributes {of = [@net_last, {at = @net_same}]} {
// CHECK-NEXT:   func.return %x : tensor<2xf32>
// CHECK-NEXT: }
// CHECK-NEXT: func.func private @kernel(tensor<2xf32>) -> tensor<2xf32>
