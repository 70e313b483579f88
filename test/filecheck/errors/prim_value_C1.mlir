// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number that is too large for sums with sizes.

relax.func @f(%s: !relax.shape<[n]>) -> !relax.object {
  %v = relax.prim_value [n + 9223372036854775807]
  relax.return %s : !relax.shape<[n]>
}

// CHECK: prim_value_C1.mlir:6:8: error: @f: relax.prim_value (%v): expected numbers of at most 2^62 (C1), found n + 9223372036854775807; compute with arith on i64{{$}}
