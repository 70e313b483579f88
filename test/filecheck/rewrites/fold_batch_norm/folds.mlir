// RUN: relax-opt %s -p 'relax-fold-batch-norm' | filecheck %s

relax.func @conv(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.object {
  %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64, training = false} : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
  %r = relax.tuple %z, %zm : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>) -> tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>>
}
// Channels last; the bias is moved too.
relax.func @conv_with_bias(%x: !relax.tensor<[n, 8, 8, 3], f32>, %w: !relax.tensor<[3, 3, 3, 4], f32>, %c: !relax.tensor<[1, 1, 1, 4], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.tensor<[n, 6, 6, 4], f32> {
  %y = relax.conv2d %x, %w {data_layout = "NHWC", kernel_layout = "HWIO"} : (!relax.tensor<[n, 8, 8, 3], f32>, !relax.tensor<[3, 3, 3, 4], f32>) -> !relax.tensor<[n, 6, 6, 4], f32>
  %a = relax.add %y, %c : (!relax.tensor<[n, 6, 6, 4], f32>, !relax.tensor<[1, 1, 1, 4], f32>) -> !relax.tensor<[n, 6, 6, 4], f32>
  %z, %zm, %zv = relax.batch_norm %a, %g, %b, %m, %v {axis = 3 : i64, training = false} : (!relax.tensor<[n, 6, 6, 4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<[n, 6, 6, 4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
  relax.return %z : !relax.tensor<[n, 6, 6, 4], f32>
}
relax.func @groups(%x: !relax.tensor<[n, 4, 8], f32>, %w: !relax.tensor<[4, 1, 3], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4, 6], f32> {
  %y = relax.conv1d %x, %w {groups = 4 : i64} : (!relax.tensor<[n, 4, 8], f32>, !relax.tensor<[4, 1, 3], f32>) -> !relax.tensor<[n, 4, 6], f32>
  %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64, training = false} : (!relax.tensor<[n, 4, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<[n, 4, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
  relax.return %z : !relax.tensor<[n, 4, 6], f32>
}
relax.func @matmul(%x: !relax.tensor<[n, 3], f32>, %w: !relax.tensor<[3, 4], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32> {
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64, scale = false, training = false} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
  relax.return %z : !relax.tensor<[n, 4], f32>
}
relax.func @linear(%x: !relax.tensor<[n, 3], f32>, %w: !relax.tensor<[4, 3], f32>, %c: !relax.tensor<[4], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32> {
  %y = relax.linear %x, %w, %c : (!relax.tensor<[n, 3], f32>, !relax.tensor<[4, 3], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
  %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = -1 : i64, epsilon = 1.000000e-03 : f64, center = false, training = false} : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
  relax.return %z : !relax.tensor<[n, 4], f32>
}
// As exporters write it: a scale and a shift of each channel.
relax.func @written_out(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %c: !relax.tensor<[4, 1, 1], f32>, %d: !relax.tensor<[1, 4, 1, 1], f32>, %e: !relax.tensor<[1, 4, 1, 1], f32>) -> !relax.tensor<[n, 4, 6, 6], f32> {
  %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %a = relax.subtract %y, %c : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4, 1, 1], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %h = relax.divide %a, %d : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[1, 4, 1, 1], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %k = relax.add %e, %h : (!relax.tensor<[1, 4, 1, 1], f32>, !relax.tensor<[n, 4, 6, 6], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  relax.return %k : !relax.tensor<[n, 4, 6, 6], f32>
}

// CHECK:       relax.func @conv(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.object {
// CHECK-NEXT:    %c = relax.constant dense<1.000000e-05> : tensor<f32>
// CHECK-NEXT:    %z = relax.add %v, %c : (!relax.tensor<[4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_1 = relax.sqrt %z : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_2 = relax.divide %g, %z_1 : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_3 = relax.expand_dims %z_2 {axis = array<i64: 1, 2, 3>} : (!relax.tensor<[4], f32>) -> !relax.tensor<[4, 1, 1, 1], f32>
// CHECK-NEXT:    %z_4 = relax.multiply %w, %z_3 : (!relax.tensor<[4, 3, 3, 3], f32>, !relax.tensor<[4, 1, 1, 1], f32>) -> !relax.tensor<[4, 3, 3, 3], f32>
// CHECK-NEXT:    %z_5 = relax.conv2d %x, %z_4 : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %z_6 = relax.multiply %m, %z_2 : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_7 = relax.subtract %b, %z_6 : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_8 = relax.expand_dims %z_7 {axis = array<i64: 1, 2>} : (!relax.tensor<[4], f32>) -> !relax.tensor<[4, 1, 1], f32>
// CHECK-NEXT:    %z_9 = relax.add %z_5, %z_8 : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4, 1, 1], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %r = relax.tuple %z_9, %m : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>) -> tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @conv_with_bias(%x: !relax.tensor<[n, 8, 8, 3], f32>, %w: !relax.tensor<[3, 3, 3, 4], f32>, %c: !relax.tensor<[1, 1, 1, 4], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.tensor<[n, 6, 6, 4], f32> {
// CHECK-NEXT:    %c_1 = relax.constant dense<1.000000e-05> : tensor<f32>
// CHECK-NEXT:    %z = relax.add %v, %c_1 : (!relax.tensor<[4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_1 = relax.sqrt %z : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_2 = relax.divide %g, %z_1 : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_3 = relax.multiply %w, %z_2 : (!relax.tensor<[3, 3, 3, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[3, 3, 3, 4], f32>
// CHECK-NEXT:    %z_4 = relax.conv2d %x, %z_3 {data_layout = "NHWC", kernel_layout = "HWIO"} : (!relax.tensor<[n, 8, 8, 3], f32>, !relax.tensor<[3, 3, 3, 4], f32>) -> !relax.tensor<[n, 6, 6, 4], f32>
// CHECK-NEXT:    %z_5 = relax.subtract %c, %m : (!relax.tensor<[1, 1, 1, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[1, 1, 1, 4], f32>
// CHECK-NEXT:    %z_6 = relax.multiply %z_5, %z_2 : (!relax.tensor<[1, 1, 1, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[1, 1, 1, 4], f32>
// CHECK-NEXT:    %z_7 = relax.add %z_6, %b : (!relax.tensor<[1, 1, 1, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[1, 1, 1, 4], f32>
// CHECK-NEXT:    %z_8 = relax.add %z_4, %z_7 : (!relax.tensor<[n, 6, 6, 4], f32>, !relax.tensor<[1, 1, 1, 4], f32>) -> !relax.tensor<[n, 6, 6, 4], f32>
// CHECK-NEXT:    relax.return %z_8 : !relax.tensor<[n, 6, 6, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @groups(%x: !relax.tensor<[n, 4, 8], f32>, %w: !relax.tensor<[4, 1, 3], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4, 6], f32> {
// CHECK-NEXT:    %c = relax.constant dense<1.000000e-05> : tensor<f32>
// CHECK-NEXT:    %z = relax.add %v, %c : (!relax.tensor<[4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_1 = relax.sqrt %z : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_2 = relax.divide %g, %z_1 : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_3 = relax.expand_dims %z_2 {axis = array<i64: 1, 2>} : (!relax.tensor<[4], f32>) -> !relax.tensor<[4, 1, 1], f32>
// CHECK-NEXT:    %z_4 = relax.multiply %w, %z_3 : (!relax.tensor<[4, 1, 3], f32>, !relax.tensor<[4, 1, 1], f32>) -> !relax.tensor<[4, 1, 3], f32>
// CHECK-NEXT:    %z_5 = relax.conv1d %x, %z_4 {groups = 4 : i64} : (!relax.tensor<[n, 4, 8], f32>, !relax.tensor<[4, 1, 3], f32>) -> !relax.tensor<[n, 4, 6], f32>
// CHECK-NEXT:    %z_6 = relax.multiply %m, %z_2 : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_7 = relax.subtract %b, %z_6 : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_8 = relax.expand_dims %z_7 {axis = array<i64: 1>} : (!relax.tensor<[4], f32>) -> !relax.tensor<[4, 1], f32>
// CHECK-NEXT:    %z_9 = relax.add %z_5, %z_8 : (!relax.tensor<[n, 4, 6], f32>, !relax.tensor<[4, 1], f32>) -> !relax.tensor<[n, 4, 6], f32>
// CHECK-NEXT:    relax.return %z_9 : !relax.tensor<[n, 4, 6], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @matmul(%x: !relax.tensor<[n, 3], f32>, %w: !relax.tensor<[3, 4], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32> {
// CHECK-NEXT:    %c = relax.constant dense<1.000000e-05> : tensor<f32>
// CHECK-NEXT:    %z = relax.add %v, %c : (!relax.tensor<[4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_1 = relax.sqrt %z : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_2 = relax.reciprocal %z_1 : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_3 = relax.multiply %w, %z_2 : (!relax.tensor<[3, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[3, 4], f32>
// CHECK-NEXT:    %z_4 = relax.matmul %x, %z_3 : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %z_5 = relax.multiply %m, %z_2 : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_6 = relax.subtract %b, %z_5 : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_7 = relax.add %z_4, %z_6 : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    relax.return %z_7 : !relax.tensor<[n, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @linear(%x: !relax.tensor<[n, 3], f32>, %w: !relax.tensor<[4, 3], f32>, %c: !relax.tensor<[4], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32> {
// CHECK-NEXT:    %c_1 = relax.constant dense<1.000000e-03> : tensor<f32>
// CHECK-NEXT:    %z = relax.add %v, %c_1 : (!relax.tensor<[4], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_1 = relax.sqrt %z : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_2 = relax.divide %g, %z_1 : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_3 = relax.expand_dims %z_2 {axis = array<i64: 1>} : (!relax.tensor<[4], f32>) -> !relax.tensor<[4, 1], f32>
// CHECK-NEXT:    %z_4 = relax.multiply %w, %z_3 : (!relax.tensor<[4, 3], f32>, !relax.tensor<[4, 1], f32>) -> !relax.tensor<[4, 3], f32>
// CHECK-NEXT:    %z_5 = relax.linear %x, %z_4 : (!relax.tensor<[n, 3], f32>, !relax.tensor<[4, 3], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %z_6 = relax.subtract %c, %m : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_7 = relax.multiply %z_6, %z_2 : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %z_8 = relax.add %z_5, %z_7 : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    relax.return %z_8 : !relax.tensor<[n, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @written_out(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %c: !relax.tensor<[4, 1, 1], f32>, %d: !relax.tensor<[1, 4, 1, 1], f32>, %e: !relax.tensor<[1, 4, 1, 1], f32>) -> !relax.tensor<[n, 4, 6, 6], f32> {
// CHECK-NEXT:    %a = relax.negative %c : (!relax.tensor<[4, 1, 1], f32>) -> !relax.tensor<[4, 1, 1], f32>
// CHECK-NEXT:    %h = relax.flatten %d : (!relax.tensor<[1, 4, 1, 1], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %h_1 = relax.expand_dims %h {axis = array<i64: 1, 2, 3>} : (!relax.tensor<[4], f32>) -> !relax.tensor<[4, 1, 1, 1], f32>
// CHECK-NEXT:    %h_2 = relax.divide %w, %h_1 : (!relax.tensor<[4, 3, 3, 3], f32>, !relax.tensor<[4, 1, 1, 1], f32>) -> !relax.tensor<[4, 3, 3, 3], f32>
// CHECK-NEXT:    %h_3 = relax.conv2d %x, %h_2 : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %h_4 = relax.divide %a, %d : (!relax.tensor<[4, 1, 1], f32>, !relax.tensor<[1, 4, 1, 1], f32>) -> !relax.tensor<[1, 4, 1, 1], f32>
// CHECK-NEXT:    %k = relax.add %h_4, %e : (!relax.tensor<[1, 4, 1, 1], f32>, !relax.tensor<[1, 4, 1, 1], f32>) -> !relax.tensor<[1, 4, 1, 1], f32>
// CHECK-NEXT:    %k_1 = relax.add %h_3, %k : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[1, 4, 1, 1], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    relax.return %k_1 : !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:  }
