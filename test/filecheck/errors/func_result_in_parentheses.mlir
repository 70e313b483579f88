// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function gives one value.

builtin.module {
  relax.func @f(%x: !relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>) {
    relax.return %x : !relax.tensor<[n], f32>
  }
}

// CHECK: func_result_in_parentheses.mlir:6:49: error: relax.func @f: expected the type of one value, found '('; leave the parentheses out, several values are one tuple<...>{{$}}
