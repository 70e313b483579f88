// RUN: relax-opt %s -p 'relax-fold-batch-norm' | filecheck %s

relax.func @training(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.object {
  %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64} : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
  %r = relax.tuple %z, %zm : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>) -> tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>>
}
relax.func @other_axis(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %g: !relax.tensor<[6], f32>, %b: !relax.tensor<[6], f32>, %m: !relax.tensor<[6], f32>, %v: !relax.tensor<[6], f32>) -> !relax.tensor<[n, 4, 6, 6], f32> {
  %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 2 : i64, training = false} : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>) -> (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>)
  relax.return %z : !relax.tensor<[n, 4, 6, 6], f32>
}
relax.func @used_elsewhere(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.object {
  %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64, training = false} : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
  %e = relax.relu %y : (!relax.tensor<[n, 4, 6, 6], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %r = relax.tuple %z, %e : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>) -> tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>>
}
relax.func @unknown_channels(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[?, 3, 3, 3], f32>, %g: !relax.tensor<[?], f32>, %b: !relax.tensor<[?], f32>, %m: !relax.tensor<[?], f32>, %v: !relax.tensor<[?], f32>) -> !relax.tensor<[n, ?, 6, 6], f32> {
  %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[?, 3, 3, 3], f32>) -> !relax.tensor<[n, ?, 6, 6], f32>
  %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64, training = false} : (!relax.tensor<[n, ?, 6, 6], f32>, !relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[?], f32>) -> (!relax.tensor<[n, ?, 6, 6], f32>, !relax.tensor<[?], f32>, !relax.tensor<[?], f32>)
  relax.return %z : !relax.tensor<[n, ?, 6, 6], f32>
}
relax.func @groups_of_a_transposed(%x: !relax.tensor<[n, 4, 8], f32>, %w: !relax.tensor<[4, 2, 3], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4, 10], f32> {
  %y = relax.conv1d_transpose %x, %w {groups = 2 : i64} : (!relax.tensor<[n, 4, 8], f32>, !relax.tensor<[4, 2, 3], f32>) -> !relax.tensor<[n, 4, 10], f32>
  %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64, training = false} : (!relax.tensor<[n, 4, 10], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<[n, 4, 10], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
  relax.return %z : !relax.tensor<[n, 4, 10], f32>
}
// Squeeze and excitation: the scale is computed from x.
relax.func @scale_of_the_input(%x: !relax.tensor<[1, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %u: !relax.tensor<[4, 3, 8, 8], f32>) -> !relax.tensor<[1, 4, 6, 6], f32> {
  %y = relax.conv2d %x, %w : (!relax.tensor<[1, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[1, 4, 6, 6], f32>
  %s = relax.conv2d %x, %u : (!relax.tensor<[1, 3, 8, 8], f32>, !relax.tensor<[4, 3, 8, 8], f32>) -> !relax.tensor<[1, 4, 1, 1], f32>
  %z = relax.multiply %y, %s : (!relax.tensor<[1, 4, 6, 6], f32>, !relax.tensor<[1, 4, 1, 1], f32>) -> !relax.tensor<[1, 4, 6, 6], f32>
  relax.return %z : !relax.tensor<[1, 4, 6, 6], f32>
}
// Of the products none is a shift of another.
relax.func @three_products(%x: !relax.tensor<[1, 3], f32>, %u: !relax.tensor<[3, 4], f32>, %v: !relax.tensor<[3, 4], f32>, %w: !relax.tensor<[3, 4], f32>) -> !relax.tensor<[1, 4], f32> {
  %a = relax.matmul %x, %u : (!relax.tensor<[1, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[1, 4], f32>
  %b = relax.matmul %x, %v : (!relax.tensor<[1, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[1, 4], f32>
  %c = relax.matmul %x, %w : (!relax.tensor<[1, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[1, 4], f32>
  %d = relax.add %a, %b : (!relax.tensor<[1, 4], f32>, !relax.tensor<[1, 4], f32>) -> !relax.tensor<[1, 4], f32>
  %z = relax.add %d, %c : (!relax.tensor<[1, 4], f32>, !relax.tensor<[1, 4], f32>) -> !relax.tensor<[1, 4], f32>
  relax.return %z : !relax.tensor<[1, 4], f32>
}
// A scale for each column; a shift of each sample; a shift alone.
relax.func @other_forms(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %c: !relax.tensor<[6], f32>, %d: !relax.tensor<[n, 4, 1, 1], f32>, %e: !relax.tensor<[4, 1, 1], f32>) -> !relax.object {
  %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %a = relax.multiply %y, %c : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %h = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %i = relax.add %h, %d : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 1, 1], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %j = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %k = relax.add %j, %e : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4, 1, 1], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
  %r = relax.tuple %a, %i, %k : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>) -> tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>>
}
relax.func @integers(%x: !relax.tensor<[n, 3], i32>, %w: !relax.tensor<[3, 4], i32>, %c: !relax.tensor<[4], i32>) -> !relax.tensor<[n, 4], i32> {
  %y = relax.matmul %x, %w : (!relax.tensor<[n, 3], i32>, !relax.tensor<[3, 4], i32>) -> !relax.tensor<[n, 4], i32>
  %z = relax.multiply %y, %c : (!relax.tensor<[n, 4], i32>, !relax.tensor<[4], i32>) -> !relax.tensor<[n, 4], i32>
  relax.return %z : !relax.tensor<[n, 4], i32>
}

// CHECK:       relax.func @training(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.object {
// CHECK-NEXT:    %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64} : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
// CHECK-NEXT:    %r = relax.tuple %z, %zm : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>) -> tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @other_axis(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %g: !relax.tensor<[6], f32>, %b: !relax.tensor<[6], f32>, %m: !relax.tensor<[6], f32>, %v: !relax.tensor<[6], f32>) -> !relax.tensor<[n, 4, 6, 6], f32> {
// CHECK-NEXT:    %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 2 : i64, training = false} : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>) -> (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[6], f32>, !relax.tensor<[6], f32>)
// CHECK-NEXT:    relax.return %z : !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @used_elsewhere(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.object {
// CHECK-NEXT:    %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64, training = false} : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
// CHECK-NEXT:    %e = relax.relu %y : (!relax.tensor<[n, 4, 6, 6], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %r = relax.tuple %z, %e : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>) -> tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @unknown_channels(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[?, 3, 3, 3], f32>, %g: !relax.tensor<[?], f32>, %b: !relax.tensor<[?], f32>, %m: !relax.tensor<[?], f32>, %v: !relax.tensor<[?], f32>) -> !relax.tensor<[n, ?, 6, 6], f32> {
// CHECK-NEXT:    %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[?, 3, 3, 3], f32>) -> !relax.tensor<[n, ?, 6, 6], f32>
// CHECK-NEXT:    %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64, training = false} : (!relax.tensor<[n, ?, 6, 6], f32>, !relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[?], f32>) -> (!relax.tensor<[n, ?, 6, 6], f32>, !relax.tensor<[?], f32>, !relax.tensor<[?], f32>)
// CHECK-NEXT:    relax.return %z : !relax.tensor<[n, ?, 6, 6], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @groups_of_a_transposed(%x: !relax.tensor<[n, 4, 8], f32>, %w: !relax.tensor<[4, 2, 3], f32>, %g: !relax.tensor<[4], f32>, %b: !relax.tensor<[4], f32>, %m: !relax.tensor<[4], f32>, %v: !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4, 10], f32> {
// CHECK-NEXT:    %y = relax.conv1d_transpose %x, %w {groups = 2 : i64} : (!relax.tensor<[n, 4, 8], f32>, !relax.tensor<[4, 2, 3], f32>) -> !relax.tensor<[n, 4, 10], f32>
// CHECK-NEXT:    %z, %zm, %zv = relax.batch_norm %y, %g, %b, %m, %v {axis = 1 : i64, training = false} : (!relax.tensor<[n, 4, 10], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> (!relax.tensor<[n, 4, 10], f32>, !relax.tensor<[4], f32>, !relax.tensor<[4], f32>)
// CHECK-NEXT:    relax.return %z : !relax.tensor<[n, 4, 10], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @scale_of_the_input(%x: !relax.tensor<[1, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %u: !relax.tensor<[4, 3, 8, 8], f32>) -> !relax.tensor<[1, 4, 6, 6], f32> {
// CHECK-NEXT:    %y = relax.conv2d %x, %w : (!relax.tensor<[1, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[1, 4, 6, 6], f32>
// CHECK-NEXT:    %s = relax.conv2d %x, %u : (!relax.tensor<[1, 3, 8, 8], f32>, !relax.tensor<[4, 3, 8, 8], f32>) -> !relax.tensor<[1, 4, 1, 1], f32>
// CHECK-NEXT:    %z = relax.multiply %y, %s : (!relax.tensor<[1, 4, 6, 6], f32>, !relax.tensor<[1, 4, 1, 1], f32>) -> !relax.tensor<[1, 4, 6, 6], f32>
// CHECK-NEXT:    relax.return %z : !relax.tensor<[1, 4, 6, 6], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @three_products(%x: !relax.tensor<[1, 3], f32>, %u: !relax.tensor<[3, 4], f32>, %v: !relax.tensor<[3, 4], f32>, %w: !relax.tensor<[3, 4], f32>) -> !relax.tensor<[1, 4], f32> {
// CHECK-NEXT:    %a = relax.matmul %x, %u : (!relax.tensor<[1, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[1, 4], f32>
// CHECK-NEXT:    %b = relax.matmul %x, %v : (!relax.tensor<[1, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[1, 4], f32>
// CHECK-NEXT:    %c = relax.matmul %x, %w : (!relax.tensor<[1, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[1, 4], f32>
// CHECK-NEXT:    %d = relax.add %a, %b : (!relax.tensor<[1, 4], f32>, !relax.tensor<[1, 4], f32>) -> !relax.tensor<[1, 4], f32>
// CHECK-NEXT:    %z = relax.add %d, %c : (!relax.tensor<[1, 4], f32>, !relax.tensor<[1, 4], f32>) -> !relax.tensor<[1, 4], f32>
// CHECK-NEXT:    relax.return %z : !relax.tensor<[1, 4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @other_forms(%x: !relax.tensor<[n, 3, 8, 8], f32>, %w: !relax.tensor<[4, 3, 3, 3], f32>, %c: !relax.tensor<[6], f32>, %d: !relax.tensor<[n, 4, 1, 1], f32>, %e: !relax.tensor<[4, 1, 1], f32>) -> !relax.object {
// CHECK-NEXT:    %y = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %a = relax.multiply %y, %c : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %h = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %i = relax.add %h, %d : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 1, 1], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %j = relax.conv2d %x, %w : (!relax.tensor<[n, 3, 8, 8], f32>, !relax.tensor<[4, 3, 3, 3], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %k = relax.add %j, %e : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[4, 1, 1], f32>) -> !relax.tensor<[n, 4, 6, 6], f32>
// CHECK-NEXT:    %r = relax.tuple %a, %i, %k : (!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>) -> tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>, !relax.tensor<[n, 4, 6, 6], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @integers(%x: !relax.tensor<[n, 3], i32>, %w: !relax.tensor<[3, 4], i32>, %c: !relax.tensor<[4], i32>) -> !relax.tensor<[n, 4], i32> {
// CHECK-NEXT:    %y = relax.matmul %x, %w : (!relax.tensor<[n, 3], i32>, !relax.tensor<[3, 4], i32>) -> !relax.tensor<[n, 4], i32>
// CHECK-NEXT:    %z = relax.multiply %y, %c : (!relax.tensor<[n, 4], i32>, !relax.tensor<[4], i32>) -> !relax.tensor<[n, 4], i32>
// CHECK-NEXT:    relax.return %z : !relax.tensor<[n, 4], i32>
// CHECK-NEXT:  }
