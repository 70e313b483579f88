// RUN: relax-opt %s -p signal-join-filters,relax-dce | filecheck %s

// CHECK-LABEL: @joined
// CHECK:         %[[TAPS:.*]] = relax.constant dense<[-1.000000e+00, -1.000000e+00, 1.000000e+00, 1.000000e+00]> : tensor<4xf32>
// CHECK-NEXT:    %{{.*}} = signal.fir %x, %[[TAPS]] :
// CHECK-NEXT:    relax.output
relax.func @joined(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n - 3], f32> {
  %y = relax.dataflow {
    %p = relax.constant dense<[1.0, 2.0, 1.0]> : tensor<3xf32>
    %q = relax.constant dense<[-1.0, 1.0]> : tensor<2xf32>
    %0 = signal.fir %x, %p : (!relax.tensor<[n], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[n - 2], f32>
    %1 = signal.fir %0, %q : (!relax.tensor<[n - 2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[n - 3], f32>
    relax.output %1 : !relax.tensor<[n - 3], f32>
  }
  relax.return %y : !relax.tensor<[n - 3], f32>
}

// Taps that are arguments are not known.
// CHECK-LABEL: @arguments
// CHECK-COUNT-2: signal.fir
relax.func @arguments(%x: !relax.tensor<[n], f32>, %q: !relax.tensor<[2], f32>) -> !relax.tensor<[n - 2], f32> {
  %y = relax.dataflow {
    %p = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = signal.fir %x, %p : (!relax.tensor<[n], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[n - 1], f32>
    %1 = signal.fir %0, %q : (!relax.tensor<[n - 1], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[n - 2], f32>
    relax.output %1 : !relax.tensor<[n - 2], f32>
  }
  relax.return %y : !relax.tensor<[n - 2], f32>
}

// A filter that is a result, too, is not computed twice.
// CHECK-LABEL: @used
// CHECK-COUNT-2: signal.fir
relax.func @used(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n - 1], f32>, !relax.tensor<[n - 2], f32>> {
  %y, %z = relax.dataflow {
    %p = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %0 = signal.fir %x, %p : (!relax.tensor<[n], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[n - 1], f32>
    %1 = signal.fir %0, %p : (!relax.tensor<[n - 1], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[n - 2], f32>
    relax.output %0, %1 : !relax.tensor<[n - 1], f32>, !relax.tensor<[n - 2], f32>
  }
  %r = relax.tuple %y, %z : (!relax.tensor<[n - 1], f32>, !relax.tensor<[n - 2], f32>) -> tuple<!relax.tensor<[n - 1], f32>, !relax.tensor<[n - 2], f32>>
  relax.return %r : tuple<!relax.tensor<[n - 1], f32>, !relax.tensor<[n - 2], f32>>
}
