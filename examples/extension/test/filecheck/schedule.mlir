// RUN: relax-opt %s -p 'relax-legalize,relax-bufferize,relax-schedule{cpu=x86-64-v3 print=true}' 2>&1 | filecheck %s

// CHECK:      @fir:
// CHECK-NEXT:   unroll_and_jam(d1)
// CHECK-NEXT:   vectorize(d0, 8)
relax.func @main(%x: !relax.tensor<[n], f32>, %taps: !relax.tensor<[5], f32>) -> !relax.tensor<[n - 4], f32> {
  %y = signal.fir %x, %taps : (!relax.tensor<[n], f32>, !relax.tensor<[5], f32>) -> !relax.tensor<[n - 4], f32>
  relax.return %y : !relax.tensor<[n - 4], f32>
}
