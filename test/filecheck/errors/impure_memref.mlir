// RUN: not relax-opt %s 2>&1 | filecheck %s

// Allocation is an effect.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %o = relax.dataflow {
    %y = memref.alloc() : memref<4xf32>
    relax.output %y : memref<4xf32>
  }
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: impure_memref.mlir:7:10: error: @f: memref.alloc (%y): expected ops without effects in relax.dataflow (E1), found one that has or may have an effect; move it to a relax.binding_block{{$}}
