// RUN: not relax-opt %s 2>&1 | filecheck %s

// What is called is a function.

"memref.global"() <{sym_name = "table", type = memref<2xf32>, initial_value = dense<1.0> : tensor<2xf32>, sym_visibility = "private", constant}> : () -> ()
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.call @table(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: call_symbol_kind.mlir:7:8: error: @f: relax.call (%y): expected the symbol of a relax.func or a prim func (F1), found memref.global @table; correct the name{{$}}
