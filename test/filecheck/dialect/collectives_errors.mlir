// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

relax.func @unordered(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %a = relax.ccl.allreduce %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %a : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: @unordered: relax.ccl.allreduce (%a): expected ops without effects in relax.dataflow (E1), found one that has or may have an effect; move it to a relax.binding_block

// -----

relax.func @size(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
  %r = relax.shape [3]
  %a = relax.ccl.allgather %x, %r : (!relax.tensor<[n], f32>, !relax.shape<[3]>) -> !relax.tensor<[2 * n], f32>
  relax.return %a : !relax.tensor<[2 * n], f32>
}

// CHECK: relax.ccl.allgather (%a): expected result type at least as wide as the inferred !relax.tensor<[3 * n], f32> (T1), found !relax.tensor<[2 * n], f32>; declare the inferred type and narrow it with a relax.match_cast

// -----

relax.func @parts(%x: !relax.tensor<[5], f32>) -> !relax.tensor<[?], f32> {
  %r = relax.shape [2]
  %a = relax.ccl.reduce_scatter %x, %r : (!relax.tensor<[5], f32>, !relax.shape<[2]>) -> !relax.tensor<[2], f32>
  relax.return %a : !relax.tensor<[2], f32>
}

// CHECK: relax.ccl.reduce_scatter (%a): expected a size that the number of ranks divides, along axis 0 (C4), found 5; pad the axis first

// -----

relax.func @results(%x: !relax.tensor<[5], f32>) -> !relax.tensor<[?], f32> {
  %r = relax.shape [2]
  %a = relax.ccl.send %x, %r : (!relax.tensor<[5], f32>, !relax.shape<[2]>) -> !relax.tensor<[5], f32>
  relax.return %a : !relax.tensor<[5], f32>
}

// CHECK: relax.ccl.send (%a): expected 0 results as it sends only, found 1; correct their number
