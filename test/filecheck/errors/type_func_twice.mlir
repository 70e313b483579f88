// RUN: not relax-opt %s 2>&1 | filecheck %s

// A variable is bound once.

relax.func @f(%x: !relax.func<[n, n] (!relax.tensor<[n], f32>) -> !relax.object>) -> !relax.object {
  relax.return %x : !relax.func<[n, n] (!relax.tensor<[n], f32>) -> !relax.object>
}

// CHECK: type_func_twice.mlir:5:30: error: !relax.func: expected each bound variable once, found [n, n]; leave out the repeated ones{{$}}
