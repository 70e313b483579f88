// RUN: not relax-opt %s 2>&1 | filecheck %s

// There is no such order.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.meshgrid %x {indexing = "yx"} : (!relax.tensor<[n], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: meshgrid_C3.mlir:6:8: error: @f: relax.meshgrid (%r): expected indexing to be one of "ij", "xy" (C3), found "yx"; correct indexing{{$}}
