// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// CHECK: signal.fir (%y): expected operands of one element type (C1), found
relax.func @main(%x: !relax.tensor<[n], f32>, %taps: !relax.tensor<[3], f16>) -> !relax.tensor<[n - 2], f32> {
  %y = signal.fir %x, %taps : (!relax.tensor<[n], f32>, !relax.tensor<[3], f16>) -> !relax.tensor<[n - 2], f32>
  relax.return %y : !relax.tensor<[n - 2], f32>
}

// -----

// CHECK: signal.fir (%y): expected a tensor of rank 1 or more (C2), found one of rank 0
relax.func @main(%x: !relax.tensor<[], f32>, %taps: !relax.tensor<[3], f32>) -> !relax.tensor<[1], f32> {
  %y = signal.fir %x, %taps : (!relax.tensor<[], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[1], f32>
  relax.return %y : !relax.tensor<[1], f32>
}

// -----

// CHECK: signal.fir (%y): expected 'taps' of rank 1 (C2), found rank 2; reshape it
relax.func @main(%x: !relax.tensor<[n], f32>, %taps: !relax.tensor<[3, 3], f32>) -> !relax.tensor<[n - 2], f32> {
  %y = signal.fir %x, %taps : (!relax.tensor<[n], f32>, !relax.tensor<[3, 3], f32>) -> !relax.tensor<[n - 2], f32>
  relax.return %y : !relax.tensor<[n - 2], f32>
}

// -----

// CHECK: signal.fir (%y): expected an element along the result (C3), found 0; pad the signal, or take other taps
relax.func @main(%x: !relax.tensor<[2], f32>, %taps: !relax.tensor<[3], f32>) -> !relax.tensor<[0], f32> {
  %y = signal.fir %x, %taps : (!relax.tensor<[2], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[0], f32>
  relax.return %y : !relax.tensor<[0], f32>
}
