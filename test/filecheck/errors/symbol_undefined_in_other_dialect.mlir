// RUN: not relax-opt %s 2>&1 | filecheck %s

// A result type of another dialect's op names sizes as well.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %s = "test.pureop"() : () -> !relax.tensor<[m], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: symbol_undefined_in_other_dialect.mlir:6:8: error: @f: test.pureop (%s): expected symbolic variables that are defined (S1), found 'm'; define it by a parameter's type, or by a relax.match_cast before this op{{$}}
