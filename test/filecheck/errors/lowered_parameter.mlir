// RUN: not relax-opt %s -p relax-to-loops 2>&1 | filecheck %s

// An error about a parameter shows the parameter.
relax.func @f(%s: !relax.shape<[n]>,
              %x: !relax.tensor<*, f32>) -> !relax.shape<[n]> {
  relax.return %s : !relax.shape<[n]>
}

// CHECK: lowered_parameter.mlir:5:15: error: relax.func @f: parameter 'x': expected a tensor of known rank and element type, found !relax.tensor<*, f32>; declare both, with '?' for a size that is not known
// CHECK-NEXT: %x: !relax.tensor<*, f32>) -> !relax.shape<[n]> {
