// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function ends in relax.return.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  relax.yield %x : !relax.tensor<[], f32>
}

// CHECK: yield_in_function.mlir:6:3: error: @f: relax.yield: expected relax.if, relax.while or relax.compute around it (C1), found relax.func; a block ends in relax.output, a function in relax.return{{$}}
