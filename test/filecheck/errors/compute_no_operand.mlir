// RUN: not relax-opt %s 2>&1 | filecheck %s

// Each name of the region stands for an operand.

relax.func @main(%a: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.compute (%i) in [n] (%a) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
    %c = arith.constant 0 : index
    %v = relax.element %x[%i, %c] : !relax.tensor<[n, 4], f32>
    relax.yield %v : f32
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: compute_no_operand.mlir:6:37: error: relax.compute: expected '=' and an operand for each name of the region, found neither; write relax.compute (%i) in [n] (%x = %a){{$}}
