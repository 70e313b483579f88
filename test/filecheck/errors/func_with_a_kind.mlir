// RUN: not relax-opt %s 2>&1 | filecheck %s

// Whether a function has effects is seen from its body.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> impure {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: func_with_a_kind.mlir:5:71: error: relax.func @f: expected a body in braces, found 'impure'; leave it out: the body of a function shows whether it has effects, closures alone say it{{$}}
