// RUN: not relax-opt %s 2>&1 | filecheck %s

// The name of a function from outside is a string.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.call_packed @g(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.object
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: call_packed_name.mlir:6:26: error: string literal expected, as in relax.call_packed "f"(%x){{$}}
