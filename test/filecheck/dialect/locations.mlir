// RUN: relax-opt %s --print-debuginfo | relax-opt --print-debuginfo | filecheck %s

// Ops and parameters know where they stand; the text with their places is read again.
// CHECK: relax.func @f(%x: !relax.tensor<[n], f32> loc("{{.*}}locations.mlir":{{[0-9]+}}:15), %i: i64 loc("elsewhere.py":7:1)) -> !relax.object {
// CHECK-NEXT: %0 = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> loc("{{.*}}locations.mlir":{{[0-9]+}}:8)
relax.func @f(%x: !relax.tensor<[n], f32>, %i: i64 loc("elsewhere.py":7:1)) -> !relax.object {
  %0 = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}
