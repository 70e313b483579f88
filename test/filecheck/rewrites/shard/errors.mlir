// RUN: relax-opt %s -p relax-shard --split-input-file --verify-diagnostics | filecheck %s

builtin.module attributes {relax.grid = {tp = 4 : i64}} {
  relax.func @main(%x: !relax.tensor<[n, 6], f32>) -> !relax.tensor<[n, 6], f32> attributes {relax.sharding = {x = ["", "tp"]}} {
    relax.return %x : !relax.tensor<[n, 6], f32>
  }
}

// CHECK: @main: parameter 'x': expected a size that the 4 ranks of 'tp' divide, found 6; pad it, or shard another dimension

// -----

relax.func @main(%x: !relax.tensor<[n, 6], f32>) -> !relax.tensor<[n, 6], f32> attributes {relax.sharding = {x = ["", "tp"]}} {
  relax.return %x : !relax.tensor<[n, 6], f32>
}

// CHECK: relax-shard: expected relax.grid = {tp = 2 : i64} on the module, the sizes of the axes, found none; write the axes of the grid
