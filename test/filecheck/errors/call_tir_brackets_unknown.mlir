// RUN: not relax-opt %s 2>&1 | filecheck %s

// A size that is passed is known.

func.func private @prim(%x: tensor<?xf32> {relax.dims = ["n"]}, %m: index {relax.symbol = "m"}) -> (tensor<?xf32> {relax.dims = ["m"]})
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_tir @prim(%x)[?] : (!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: call_tir_brackets_unknown.mlir:7:8: error: @f: relax.call_tir (%y): expected symbolic expressions in brackets (F4), found [?]; name every size{{$}}
