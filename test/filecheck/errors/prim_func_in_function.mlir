// RUN: not relax-opt %s 2>&1 | filecheck %s

// A prim func is no part of the function that calls it.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  func.func private @g(%y: f32) -> f32 {
    func.return %y : f32
  }
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: prim_func_in_function.mlir:6:3: error: @f: func.func @g: expected builtin.module around what has a symbol (M1), found a function; move it to the module{{$}}
