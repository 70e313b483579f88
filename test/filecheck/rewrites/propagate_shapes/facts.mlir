// RUN: relax-opt %s -p relax-propagate-shapes | filecheck %s

// A match proves n == p and m == 4: later ops use it, `?` becomes known, what is proved is dropped.
relax.func @match(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, m], f32>, %b: !relax.tensor<[n, m], f32>, %s: !relax.shape<[p]>) -> !relax.object {
  %y = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[n, m], f32>
  %z = relax.match_cast %y : !relax.tensor<[n, m], f32> -> !relax.tensor<[p, 4], f32>
  %a = relax.add %z, %b : (!relax.tensor<[p, 4], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[?, ?], f32>
  %c = relax.add %y, %a : (!relax.tensor<[n, m], f32>, !relax.tensor<[?, ?], f32>) -> !relax.tensor<[?, ?], f32>
  %d = relax.match_cast %c : !relax.tensor<[?, ?], f32> -> !relax.tensor<[n, 4], f32>
  %t = relax.shape [n, m * n]
  %r = relax.tuple %d, %t : (!relax.tensor<[n, 4], f32>, !relax.shape<[n, m * n]>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.shape<[n, m * n]>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.shape<[n, m * n]>>
}
// CHECK-LABEL: relax.func @match
// CHECK-NEXT:    %y = relax.matmul %x, %w : {{.*}} -> !relax.tensor<[n, m], f32>
// CHECK-NEXT:    %z = relax.match_cast %y : !relax.tensor<[n, m], f32> -> !relax.tensor<[p, 4], f32>
// CHECK-NEXT:    %[[B:.*]] = relax.match_cast %b : !relax.tensor<[n, m], f32> -> !relax.tensor<[p, 4], f32>
// CHECK-NEXT:    %a = relax.add %z, %[[B]] : {{.*}} -> !relax.tensor<[p, 4], f32>
// CHECK-NEXT:    %c = relax.add %z, %a : {{.*}} -> !relax.tensor<[p, 4], f32>
// CHECK-NEXT:    %t = relax.shape [p, 4 * p]
// CHECK-NEXT:    %r = relax.tuple %c, %t

// Operators prove sizes too, where they are evaluated: the depth of a matrix product, the elements of a reshape.
relax.func @operators(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k2, n], f32>, %s: !relax.shape<[m, 2]>) -> !relax.object {
  %g, %q = relax.dataflow {
    %a = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k2, n], f32>) -> !relax.tensor<[n, n], f32>
    %b = relax.matmul %w, %x : (!relax.tensor<[k2, n], f32>, !relax.tensor<[n, k], f32>) -> !relax.tensor<[k2, k], f32>
    relax.output %b, %a : !relax.tensor<[k2, k], f32>, !relax.tensor<[n, n], f32>
  }
  %h = relax.exp %g : (!relax.tensor<[k2, k], f32>) -> !relax.tensor<[k2, k], f32>
  %t = relax.tuple %h, %q : (!relax.tensor<[k2, k], f32>, !relax.tensor<[n, n], f32>) -> tuple<!relax.tensor<[k2, k], f32>, !relax.tensor<[n, n], f32>>
  relax.return %t : tuple<!relax.tensor<[k2, k], f32>, !relax.tensor<[n, n], f32>>
}
// CHECK-LABEL: relax.func @operators
// CHECK:           %[[W:.*]] = relax.match_cast %w : !relax.tensor<[k2, n], f32> -> !relax.tensor<[k, n], f32>
// CHECK-NEXT:      %b = relax.matmul %[[W]], %x : {{.*}} -> !relax.tensor<[k, k], f32>
// CHECK-NEXT:      relax.output %b, %a : !relax.tensor<[k, k], f32>, !relax.tensor<[n, n], f32>
// CHECK:         %h = relax.exp %g : (!relax.tensor<[k, k], f32>) -> !relax.tensor<[k, k], f32>

// The first product is never evaluated: it proves nothing, and goes.
relax.func @dead(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k2, n], f32>) -> !relax.tensor<[k2, k], f32> {
  %a = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k2, n], f32>) -> !relax.tensor<[n, n], f32>
  %b = relax.matmul %w, %x : (!relax.tensor<[k2, n], f32>, !relax.tensor<[n, k], f32>) -> !relax.tensor<[k2, k], f32>
  relax.return %b : !relax.tensor<[k2, k], f32>
}
// CHECK-LABEL: relax.func @dead
// CHECK-NEXT:    %b = relax.matmul %w, %x : {{.*}} -> !relax.tensor<[k2, k], f32>

// The declared result type is kept by a cast.
relax.func @result(%x: !relax.tensor<[n], f32>, %s: !relax.shape<[p]>) -> !relax.tensor<[n], f32> {
  %z = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[p], f32>
  %e = relax.exp %z : (!relax.tensor<[p], f32>) -> !relax.tensor<[p], f32>
  %a = relax.add %e, %x : (!relax.tensor<[p], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[broadcast(n, p)], f32>
  %b = relax.match_cast %a : !relax.tensor<[broadcast(n, p)], f32> -> !relax.tensor<[n], f32>
  relax.return %b : !relax.tensor<[n], f32>
}
// CHECK-LABEL: relax.func @result
// CHECK:         %a = relax.add %e, %z : {{.*}} -> !relax.tensor<[p], f32>
// CHECK-NEXT:    %[[A:.*]] = relax.match_cast %a : !relax.tensor<[p], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:    relax.return %[[A]] : !relax.tensor<[n], f32>
