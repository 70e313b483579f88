// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function of any dialect stands in the module.

func.func @f(%x: f32) -> f32 {
  func.func @g(%y: f32) -> f32 {
    func.return %y : f32
  }
  func.return %x : f32
}

// CHECK: prim_func_nested.mlir:6:3: error: @f: func.func @g: expected builtin.module around what has a symbol (M1), found a function; move it to the module{{$}}
