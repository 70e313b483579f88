// RUN: python -c "import numpy as np; np.savez('%t.npz', x=np.linspace(-1, 1, 96, dtype='f4').reshape(2, 3, 4, 4))"
// RUN: relax-opt %s -p 'relax-quantize{calibration="%t.npz"}' | filecheck %s
// RUN: relax-opt %s -p 'relax-quantize{calibration="%t.npz" percentile=99}' | filecheck %s

// Between the convolutions, through the pool and the order of axes, everything stays in 8 bits.
relax.func @main(%x: !relax.tensor<[n, 3, h, h], f32>) -> !relax.tensor<[n, 2, h, h], f32> {
  %y = relax.dataflow {
    %v = relax.constant dense<0.5> : tensor<4x3x1x1xf32>
    %b = relax.constant dense<0.25> : tensor<4x1x1xf32>
    %w = relax.constant dense<-0.5> : tensor<2x3x3x4xf32>
    %c = relax.conv2d %x, %v : (!relax.tensor<[n, 3, h, h], f32>, !relax.tensor<[4, 3, 1, 1], f32>) -> !relax.tensor<[n, 4, h, h], f32>
    %d = relax.add %c, %b : (!relax.tensor<[n, 4, h, h], f32>, !relax.tensor<[4, 1, 1], f32>) -> !relax.tensor<[n, 4, h, h], f32>
    %e = relax.max_pool2d %d {pool_size = array<i64: 3>, padding = array<i64: 1>} : (!relax.tensor<[n, 4, h, h], f32>) -> !relax.tensor<[n, 4, h, h], f32>
    %f = relax.relu %e : (!relax.tensor<[n, 4, h, h], f32>) -> !relax.tensor<[n, 4, h, h], f32>
    %g = relax.permute_dims %f {axes = array<i64: 0, 2, 3, 1>} : (!relax.tensor<[n, 4, h, h], f32>) -> !relax.tensor<[n, h, h, 4], f32>
    %k = relax.conv2d %g, %w {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_layout = "NCHW"} : (!relax.tensor<[n, h, h, 4], f32>, !relax.tensor<[2, 3, 3, 4], f32>) -> !relax.tensor<[n, 2, h, h], f32>
    %t = relax.tanh %k : (!relax.tensor<[n, 2, h, h], f32>) -> !relax.tensor<[n, 2, h, h], f32>
    relax.output %t : !relax.tensor<[n, 2, h, h], f32>
  }
  relax.return %y : !relax.tensor<[n, 2, h, h], f32>
}

// CHECK:     relax.dataflow {
// CHECK-NOT:   f32>, {{.*}}relax.conv2d
// CHECK:       relax.quantize %x, {{.*}} -> !relax.tensor<[n, 3, h, h], ui8>
// CHECK:       relax.conv2d_integer {{.*}} -> !relax.tensor<[n, 4, h, h], i32>
// CHECK:       relax.constant dense<{{.*}}> : tensor<4x1x1xi32>
// CHECK:       relax.add {{.*}} -> !relax.tensor<[n, 4, h, h], i32>
// CHECK-NOT:   relax.maximum
// CHECK-NOT:   relax.dequantize
// CHECK:       [[Q:%.+]] = relax.requantize {{.*}} {axis = 1 : i64, out_dtype = ui8} : {{.*}} -> !relax.tensor<[n, 4, h, h], ui8>
// CHECK-NEXT:  [[P:%.+]] = relax.max_pool2d [[Q]] {{.*}} : (!relax.tensor<[n, 4, h, h], ui8>) -> !relax.tensor<[n, 4, h, h], ui8>
// CHECK-NEXT:  [[T:%.+]] = relax.permute_dims [[P]] {{.*}} -> !relax.tensor<[n, h, h, 4], ui8>
// CHECK:       relax.conv2d_integer [[T]], {{.*}} {padding = array<i64: 1>, data_layout = "NHWC", kernel_layout = "OHWI", out_layout = "NCHW"} : {{.*}} -> !relax.tensor<[n, 2, h, h], i32>
// CHECK-NOT:   relax.quantize
// CHECK-NOT:   relax.requantize
// CHECK:       [[D:%.+]] = relax.dequantize {{.*}} {axis = 1 : i64} : {{.*}} -> !relax.tensor<[n, 2, h, h], f32>
// CHECK-NEXT:  relax.tanh [[D]]
