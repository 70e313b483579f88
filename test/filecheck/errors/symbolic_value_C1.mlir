// RUN: not relax-opt %s 2>&1 | filecheck %s

// Sums of sizes and numbers stay in 64 bits.

relax.func @f(%x: !relax.tensor<[n], f32>) -> i64 {
  %s = relax.symbolic_value [n - 9223372036854775807]
  relax.return %s : i64
}

// CHECK: symbolic_value_C1.mlir:6:8: error: @f: relax.symbolic_value (%s): expected numbers of at most 2^62 (C1), found n - 9223372036854775807; compute with arith on i64{{$}}
