// RUN: not relax-opt %s 2>&1 | filecheck %s

// Functions stand in the module.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  relax.func @g(%y: !relax.tensor<[m], f32>) -> !relax.object {
    relax.return %y : !relax.tensor<[m], f32>
  }
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: func_nested.mlir:6:3: error: @f: relax.func @g: expected builtin.module around it (M1), found relax.func; move it to the module, or write a relax.closure{{$}}
