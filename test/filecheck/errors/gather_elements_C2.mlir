// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no second axis.

relax.func @f(%a: !relax.tensor<[n], f32>, %b: !relax.tensor<[k], i64>) -> !relax.object {
  %r = relax.gather_elements %a, %b {axis = -2 : i64} : (!relax.tensor<[n], f32>, !relax.tensor<[k], i64>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: gather_elements_C2.mlir:6:8: error: @f: relax.gather_elements (%r): expected an axis from -1 to 0 for a tensor of rank 1 (C2), found -2; axes count from zero, negative ones from the end{{$}}
