// RUN: not relax-opt %s -p 'relax-quantize-activations{group=12}' 2>&1 | filecheck %s
// RUN: not relax-opt %s -p 'relax-quantize-activations{group=0}' 2>&1 | filecheck %s --check-prefix=ZERO

// CHECK: relax-quantize-activations: group: expected a multiple of 8 from 8 to 256, found 12; 32 is usual
// ZERO: relax-quantize-activations: group: expected a multiple of 8 from 8 to 256, found 0; 32 is usual
relax.func @main(%x: !relax.tensor<[n, 64], f32>) -> !relax.tensor<[n, 64], f32> {
  relax.return %x : !relax.tensor<[n, 64], f32>
}
