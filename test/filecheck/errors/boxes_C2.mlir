// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// There is no batch.

relax.func @f(%x: !relax.tensor<[n, 6], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.get_valid_counts %x : (!relax.tensor<[n, 6], f32>) -> (!relax.tensor<*>, !relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.get_valid_counts (%r0, %r1, %r2): expected 'data' of rank 3 (C2), found rank 2; reshape it to [batch, boxes, numbers]{{$}}
