// RUN: not relax-opt %s 2>&1 | filecheck %s

// An operator stands between two sizes.

relax.func @f(%x: !relax.tensor<[n +], f32>) -> !relax.object {
  relax.return %x : !relax.tensor<[n +], f32>
}

// CHECK: size_operand_missing.mlir:5:32: error: cannot read the symbolic size 'n +': expected a size, found the end of the text at column 4{{$}}
