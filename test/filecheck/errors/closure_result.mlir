// RUN: not relax-opt %s 2>&1 | filecheck %s

// What a closure returns is of its declared type.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %g = relax.closure [k] (%y: !relax.tensor<[k], f32>) -> !relax.tensor<[n], f32> {
    relax.return %y : !relax.tensor<[k], f32>
  }
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: closure_result.mlir:7:5: error: @f: relax.closure (%g): expected a value of the declared result type !relax.tensor<[n], f32> (C5), found !relax.tensor<[k], f32>; correct the type, or narrow the value with a relax.match_cast{{$}}
