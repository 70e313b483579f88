// RUN: not relax-opt %s 2>&1 | filecheck %s

// The slice begins at two places.

relax.func @f(%a: !relax.tensor<[n, 4], f32>, %b: !relax.shape<[1]>, %c: !relax.shape<[2]>) -> !relax.object {
  %r = relax.strided_slice %a, %b, %c {axes = array<i64: 0>, begin = array<i64: 1>} : (!relax.tensor<[n, 4], f32>, !relax.shape<[1]>, !relax.shape<[2]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: slicing_C1_both.mlir:6:8: error: @f: relax.strided_slice (%r): expected begin and end by two lists of integers or by two shapes (C1), found 1 lists and 2 shapes; write both in one form{{$}}
