// RUN: not relax-opt %s 2>&1 | filecheck %s

// A product is written out.

relax.func @f(%x: !relax.tensor<[2 n], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[2 n], f32>
}

// CHECK: size_two_without_operator.mlir:5:32: error: cannot read the symbolic size '2 n': expected an operator, found 'n' at column 3; write a product as '... * n'{{$}}
