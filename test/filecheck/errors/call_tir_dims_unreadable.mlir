// RUN: not relax-opt %s 2>&1 | filecheck %s

// The dims are symbolic expressions.

func.func private @h(%x: tensor<?xf32> {relax.dims = ["n +"]}) -> tensor<4xf32>
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @h(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[4], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_dims_unreadable.mlir:7:8: error: @f: func.func @h: relax.dims: cannot read the symbolic size 'n +': expected a size, found the end of the text at column 4{{$}}
