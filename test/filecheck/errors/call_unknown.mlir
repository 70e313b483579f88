// RUN: not relax-opt %s 2>&1 | filecheck %s

// No such function.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.call @g(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: call_unknown.mlir:6:8: error: @f: relax.call (%y): expected the symbol of a function in this module (F1), found @g; define it or correct the name{{$}}
