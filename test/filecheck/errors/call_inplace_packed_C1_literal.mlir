// RUN: not relax-opt %s 2>&1 | filecheck %s

// Only a tensor can be written.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.call_inplace_packed "f"("text", %x) {inplace_indices = array<i64: 0>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: relax.call_inplace_packed{{.*}}: expected a tensor to be written (C1), found "text"; name a tensor argument{{$}}
