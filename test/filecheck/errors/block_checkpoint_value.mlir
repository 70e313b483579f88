// RUN: not relax-opt %s 2>&1 | filecheck %s

// That a block is a checkpoint has no value.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow attributes {checkpoint = 2 : i64} {
    relax.output %x : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: block_checkpoint_value.mlir:6:8: error: @f: relax.dataflow: expected 'checkpoint' without a value (C3), found 2 : i64; write attributes {checkpoint}, or leave it out{{$}}
