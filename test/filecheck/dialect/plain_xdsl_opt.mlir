// RUN: env xdsl-opt %s -p relax-dce | filecheck %s

// xDSL's own tool, in a process that nobody prepared, knows the dialect and its passes.

// CHECK:      relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:   relax.return %x : !relax.tensor<[n], f32>
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %x : !relax.tensor<[n], f32>
}
