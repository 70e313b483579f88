// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v3 print=true}' 2>&1 | filecheck %s

// Images are walked as one, and so are their rows; vectors along them where they are long enough.

// CHECK:       @sum:
// CHECK-NEXT:    collapse(d0, d1)
// CHECK-NEXT:    collapse(d1, d2)
// CHECK-NEXT:    when d1 >= 16 {
// CHECK-NEXT:      split_reduction(d1, 8)
// CHECK-NEXT:      unroll(d1, 4)
// CHECK-NEXT:      prefetch(in0, d1, 512)
// CHECK-NEXT:    }

// All elements are one row; of 20 two vectors are reduced apart.

// CHECK-NEXT:  @sum_1:
// CHECK-NEXT:    collapse(d0, d1)
// CHECK-NEXT:    split_reduction(d0, 8)
// CHECK-NEXT:    unroll(d0, 2)
// CHECK-NEXT:    prefetch(in0, d0, 512)

// Products of channels: only rows of images are one.

// CHECK-NEXT:  @prod:
// CHECK-NEXT:    collapse(d2, d3)
// CHECK-NEXT:    split_reduction(d2, 8)
// CHECK-NEXT:    unroll(d2, 4)
// CHECK-NEXT:    prefetch(in0, d2, 512)

// The last vector of maxima begins earlier where they do not fill it: no single ones follow.

// CHECK-NEXT:  @max:
// CHECK-NEXT:    when d1 >= 8 {
// CHECK-NEXT:      split_reduction(d1, 8)
// CHECK-NEXT:      unroll(d1, 4)
// CHECK-NEXT:      prefetch(in0, d1, 512)
// CHECK-NEXT:    }

// Nothing is said of sums of columns, of three elements and of integers along one axis; along several they
// are one row, which is cut into blocks later.

// CHECK-NEXT:  @max_1:
// CHECK-NEXT:    collapse(d0, d1)

// The least element and its place are reduced together.

// CHECK-NEXT:  @argmin:
// CHECK-NEXT:    when d1 >= 16 {
// CHECK-NEXT:      split_reduction(d1, 8)
// CHECK-NEXT:      unroll(d1, 4)
// CHECK-NEXT:      prefetch(in0, d1, 512)
// CHECK-NEXT:    }

// CHECK-NEXT:  builtin.module
// CHECK:       arith.cmpf olt, %{{.*}} : vector<8xf32>
// CHECK:       vector.reduction <minsi>

relax.func @images(%x: !relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c], f32> {
  %0 = relax.sum %x {axis = array<i64: 2, 3>} : (!relax.tensor<[n, c, h, w], f32>) -> !relax.tensor<[n, c], f32>
  relax.return %0 : !relax.tensor<[n, c], f32>
}
relax.func @all(%x: !relax.tensor<[4, 5], f32>) -> !relax.tensor<[], f32> {
  %0 = relax.sum %x : (!relax.tensor<[4, 5], f32>) -> !relax.tensor<[], f32>
  relax.return %0 : !relax.tensor<[], f32>
}
relax.func @channels(%x: !relax.tensor<[n, c, 8, 8], f32>) -> !relax.tensor<[c], f32> {
  %0 = relax.prod %x {axis = array<i64: 0, 2, 3>} : (!relax.tensor<[n, c, 8, 8], f32>) -> !relax.tensor<[c], f32>
  relax.return %0 : !relax.tensor<[c], f32>
}
relax.func @columns(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[m], f32> {
  %0 = relax.sum %x {axis = array<i64: 0>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m], f32>
  relax.return %0 : !relax.tensor<[m], f32>
}
relax.func @few(%x: !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.sum %x {axis = array<i64: 1>} : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}
relax.func @maxima(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.max %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}
relax.func @integers(%x: !relax.tensor<[n, m], i32>) -> !relax.tensor<[n], i32> {
  %0 = relax.sum %x {axis = array<i64: 1>} : (!relax.tensor<[n, m], i32>) -> !relax.tensor<[n], i32>
  relax.return %0 : !relax.tensor<[n], i32>
}
relax.func @all_integers(%x: !relax.tensor<[n, m], i8>) -> !relax.tensor<[], i8> {
  %0 = relax.max %x : (!relax.tensor<[n, m], i8>) -> !relax.tensor<[], i8>
  relax.return %0 : !relax.tensor<[], i8>
}
relax.func @places(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n], i64> {
  %r = relax.argmin %x {axis = 1 : i64} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n], i64>
  relax.return %r : !relax.tensor<[n], i64>
}
