// RUN: not relax-opt %s 2>&1 | filecheck %s

// More than everything is dropped.

relax.func @f(%x: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %ra, %rb = relax.dropout %x {rate = 1.500000e+00 : f64} : (!relax.tensor<[2, 3], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %ra : !relax.tensor<*>
}

// CHECK: dropout_C1.mlir:6:14: error: @f: relax.dropout (%ra, %rb): expected a 'rate' from 0 to 1 (C1), found 1.5; correct the rate{{$}}
