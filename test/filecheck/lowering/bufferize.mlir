// RUN: relax-opt %s -p relax-bufferize | filecheck %s

#ij = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
#row = affine_map<(i, j) -> (i)>
#ij3 = affine_map<(i, j, k) -> (i, j)>
#ik3 = affine_map<(i, j, k) -> (i, k)>
#kj3 = affine_map<(i, j, k) -> (k, j)>

// Fill, contraction and epilogue all write the result argument.
func.func private @matmul_bias(
    %A: tensor<?x64xf32> {relax.dims = ["n", "64"]},
    %B: tensor<64x128xf32> {relax.dims = ["64", "128"]},
    %bias: tensor<128xf32> {relax.dims = ["128"]})
    -> (tensor<?x128xf32> {relax.dims = ["n", "128"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %A, %c0 : tensor<?x64xf32>
  %zero = arith.constant 0.000000e+00 : f32
  %empty = tensor.empty(%n) : tensor<?x128xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x128xf32>) -> tensor<?x128xf32>
  %C = linalg.generic {indexing_maps = [#ik3, #kj3, #ij3],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : tensor<?x64xf32>, tensor<64x128xf32>) outs(%init : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<?x128xf32>
  %D = linalg.generic {indexing_maps = [#ij, #col, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%C, %bias : tensor<?x128xf32>, tensor<128xf32>) outs(%empty : tensor<?x128xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x128xf32>
  func.return %D : tensor<?x128xf32>
}
// CHECK:      func.func private @matmul_bias(
// CHECK-SAME:   %n: index {relax.symbol = "n"},
// CHECK-SAME:   %A: memref<?x64xf32> {relax.dims = ["n", "64"]},
// CHECK-SAME:   %B: memref<64x128xf32> {relax.dims = ["64", "128"]},
// CHECK-SAME:   %bias: memref<128xf32> {relax.dims = ["128"]},
// CHECK-SAME:   %D: memref<?x128xf32> {relax.dims = ["n", "128"], relax.result}) {
// CHECK-NOT:    memref.alloc
// CHECK:        linalg.fill ins(%zero : f32) outs(%D : memref<?x128xf32>)
// CHECK:        linalg.generic
// CHECK-SAME:     ins(%A, %B : memref<?x64xf32>, memref<64x128xf32>) outs(%D : memref<?x128xf32>) {
// CHECK:        linalg.generic
// CHECK-SAME:     ins(%D, %bias : memref<?x128xf32>, memref<128xf32>) outs(%D : memref<?x128xf32>) {
// CHECK-NOT:    memref.dealloc
// CHECK:        func.return
// CHECK-NEXT: }

// What is not returned is allocated before its first write and freed after its last use.
func.func private @center(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]})
    -> (tensor<?x?xf32> {relax.dims = ["n", "m"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %x, %c1 : tensor<?x?xf32>
  %zero = arith.constant 0.000000e+00 : f32
  %rows = tensor.empty(%n) : tensor<?xf32>
  %all = tensor.empty(%n, %m) : tensor<?x?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%rows : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<?x?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#ij, #row, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%all : tensor<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.subf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<?x?xf32>
  func.return %y : tensor<?x?xf32>
}
// CHECK:      func.func private @center(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"},
// CHECK:        %init = memref.alloc(%n) : memref<?xf32>
// CHECK-NEXT:   linalg.fill ins(%zero : f32) outs(%init : memref<?xf32>)
// CHECK:        ins(%x : memref<?x?xf32>) outs(%init : memref<?xf32>)
// CHECK:        ins(%x, %init : memref<?x?xf32>, memref<?xf32>) outs(%y : memref<?x?xf32>)
// CHECK:        memref.dealloc %init : memref<?xf32>
// CHECK-NEXT:   func.return

// An accumulator of the caller's is copied first; a returned argument is copied too.
func.func private @accumulate(
    %x: tensor<4x8xf32> {relax.dims = ["4", "8"]}, %start: tensor<4xf32> {relax.dims = ["4"]})
    -> (tensor<4xf32> {relax.dims = ["4"]}, tensor<4x8xf32> {relax.dims = ["4", "8"]}) {
  %y = linalg.generic {indexing_maps = [#ij, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  func.return %y, %x : tensor<4xf32>, tensor<4x8xf32>
}
// CHECK:      func.func private @accumulate(
// CHECK-SAME:   %y: memref<4xf32> {relax.dims = ["4"], relax.result},
// CHECK-SAME:   %out: memref<4x8xf32> {relax.dims = ["4", "8"], relax.result}) {
// CHECK-NEXT:   memref.copy %start, %y : memref<4xf32> to memref<4xf32>
// CHECK-NEXT:   linalg.generic
// CHECK:        memref.copy %x, %out : memref<4x8xf32> to memref<4x8xf32>
// CHECK-NEXT:   func.return

// Symbols that stand bare nowhere come as arguments; reads inside a body become loads.
func.func private @window(%x: tensor<?xf32> {relax.dims = ["m + n"]}, %count: index {relax.symbol = "m"})
    -> (tensor<?xf32> {relax.dims = ["m"]}) {
  %empty = tensor.empty(%count) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}
// CHECK:      func.func private @window(%count: index {relax.symbol = "m"},
// CHECK-SAME:   %x: memref<?xf32> {relax.dims = ["m + n"]},
// CHECK-SAME:   %y: memref<?xf32> {relax.dims = ["m"], relax.result}) {
// CHECK:        %i = linalg.index 0 : index
// CHECK-NEXT:   %v = memref.load %x[%i] : memref<?xf32>
// CHECK-NEXT:   linalg.yield %v : f32

// A value that is read with another map, or again, is not overwritten.
func.func private @symmetric(%x: tensor<5x5xf32> {relax.dims = ["5", "5"]})
    -> (tensor<5x5xf32> {relax.dims = ["5", "5"]}) {
  %empty = tensor.empty() : tensor<5x5xf32>
  %neg = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<5x5xf32>) outs(%empty : tensor<5x5xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<5x5xf32>
  %y = linalg.generic {indexing_maps = [#ij, affine_map<(i, j) -> (j, i)>, #ij],
                       iterator_types = ["parallel", "parallel"]}
      ins(%neg, %neg : tensor<5x5xf32>, tensor<5x5xf32>) outs(%empty : tensor<5x5xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5x5xf32>
  func.return %y : tensor<5x5xf32>
}
// CHECK:      func.func private @symmetric(
// CHECK:        %neg = memref.alloc() : memref<5x5xf32>
// CHECK:        outs(%neg : memref<5x5xf32>)
// CHECK:        ins(%neg, %neg : memref<5x5xf32>, memref<5x5xf32>) outs(%y : memref<5x5xf32>)
// CHECK:        memref.dealloc %neg : memref<5x5xf32>

// Left as it is: no relax.dims.
func.func @stranger(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %y = linalg.fill ins(%s : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}
// CHECK:      func.func @stranger(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
// CHECK-NEXT:   %y = linalg.fill ins(%s : f32) outs(%x : tensor<4xf32>) -> tensor<4xf32>
// CHECK-NEXT:   func.return %y : tensor<4xf32>

// Left as it is: on memrefs already.
func.func private @done(%n: index {relax.symbol = "n"},
    %x: memref<?xf32> {relax.dims = ["n"]}, %y: memref<?xf32> {relax.dims = ["n"], relax.result}) {
  linalg.copy ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
  func.return
}
// CHECK:      func.func private @done(%n: index {relax.symbol = "n"}, %x: memref<?xf32>
// CHECK-NEXT:   linalg.copy ins(%x : memref<?xf32>) outs(%y : memref<?xf32>)
// CHECK-NEXT:   func.return

// What is filled only to be inserted is filled where it belongs; what is read too has memory of its own.
func.func private @framed(%x: tensor<?x6xf32> {relax.dims = ["n", "6"]}, %s: f32)
    -> (tensor<?x8xf32> {relax.dims = ["n", "8"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x6xf32>
  %whole = tensor.empty(%n) : tensor<?x8xf32>
  %empty = tensor.empty(%n) : tensor<?x2xf32>
  %column = linalg.fill ins(%s : f32) outs(%empty : tensor<?x2xf32>) -> tensor<?x2xf32>
  %left = tensor.insert_slice %column into %whole[0, 0] [%n, 2] [1, 1] : tensor<?x2xf32> into tensor<?x8xf32>
  %y = tensor.insert_slice %x into %left[0, 2] [%n, 6] [1, 1] : tensor<?x6xf32> into tensor<?x8xf32>
  func.return %y : tensor<?x8xf32>
}
func.func private @read_too(%s: f32) -> (tensor<8xf32> {relax.dims = ["8"]}, tensor<4xf32> {relax.dims = ["4"]}) {
  %whole = tensor.empty() : tensor<8xf32>
  %empty = tensor.empty() : tensor<4xf32>
  %half = linalg.fill ins(%s : f32) outs(%empty : tensor<4xf32>) -> tensor<4xf32>
  %left = tensor.insert_slice %half into %whole[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %y = tensor.insert_slice %half into %left[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  func.return %y, %half : tensor<8xf32>, tensor<4xf32>
}
// CHECK:      func.func private @framed(
// CHECK-NOT:    memref.alloc
// CHECK:        %[[COLUMN:.*]] = memref.subview %y[0, 0] [%n, 2] [1, 1]
// CHECK-NEXT:   linalg.fill ins(%s : f32) outs(%[[COLUMN]] : memref<?x2xf32, strided<[8, 1]>>)
// CHECK-NEXT:   %[[REST:.*]] = memref.subview %y[0, 2] [%n, 6] [1, 1]
// CHECK-NEXT:   memref.copy %x, %[[REST]]
// CHECK:      func.func private @read_too(
// CHECK:        linalg.fill ins(%s : f32) outs(%half : memref<4xf32>)
// CHECK-COUNT-2: memref.copy %half,

// One of two results is written over what dies, the other is not.
func.func private @pair(%x: tensor<4xf32> {relax.dims = ["4"]}) -> (tensor<4xf32> {relax.dims = ["4"]}, tensor<4xf32> {relax.dims = ["4"]}) {
  %empty = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<4xf32>
  %s, %t = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%empty, %empty : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32, %p: f32):
    %w = arith.addf %v, %v : f32
    %u = arith.mulf %v, %v : f32
    linalg.yield %w, %u : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  func.return %s, %t : tensor<4xf32>, tensor<4xf32>
}
// CHECK:      func.func private @pair(%x: memref<4xf32> {relax.dims = ["4"]}, %s: memref<4xf32>
// CHECK-NEXT:   linalg.generic {{.*}} ins(%x : memref<4xf32>) outs(%s : memref<4xf32>)
// CHECK:        linalg.generic {{.*}} ins(%s : memref<4xf32>) outs(%s, %t : memref<4xf32>, memref<4xf32>)
// CHECK-NOT:    memref

// What a slice is read of, from where a number says, is not written over before.
func.func private @part(%x: tensor<8xf32> {relax.dims = ["8"]}) -> (tensor<8xf32> {relax.dims = ["8"]}, tensor<4xf32> {relax.dims = ["4"]}) {
  %c2 = arith.constant 2 : index
  %whole = tensor.empty() : tensor<8xf32>
  %half = tensor.empty() : tensor<4xf32>
  %a = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%whole : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<8xf32>
  %part = tensor.extract_slice %a[%c2] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%whole : tensor<8xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.addf %v, %v : f32
    linalg.yield %w : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%part : tensor<4xf32>) outs(%half : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.mulf %v, %v : f32
    linalg.yield %w : f32
  } -> tensor<4xf32>
  func.return %b, %y : tensor<8xf32>, tensor<4xf32>
}
// CHECK:      func.func private @part(
// CHECK:        %a = memref.alloc() : memref<8xf32>
// CHECK:        %part = memref.subview %a[%c2] [4] [1]
// CHECK-NEXT:   linalg.generic {{.*}} ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
// CHECK:        linalg.generic {{.*}} ins(%part : memref<4xf32, strided<[1], offset: ?>>) outs(%y : memref<4xf32>)
// CHECK:        memref.dealloc %a

// A size that the type tells is a number.
func.func private @known(%x: tensor<8xi64> {relax.dims = ["8"]}) -> (tensor<8xi64> {relax.dims = ["8"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<8xi64>
  %v = arith.index_cast %n : index to i64
  %y = tensor.insert %v into %x[%c0] : tensor<8xi64>
  func.return %y : tensor<8xi64>
}
// CHECK:      func.func private @known(
// CHECK:        %n = arith.constant 8 : index
// CHECK-NEXT:   %v = arith.index_cast %n : index to i64
// CHECK-NEXT:   memref.copy %x, %y
// CHECK-NEXT:   memref.store %v, %y[%c0]

// A part of a smaller rank has the strides of the dimensions that are left: the first ones of size 1 go.
func.func private @row(%x: tensor<5x3x4xf32> {relax.dims = ["5", "3", "4"]}, %r: tensor<1x4xf32> {relax.dims = ["1", "4"]}, %i: index)
    -> (tensor<5x3x4xf32> {relax.dims = ["5", "3", "4"]}) {
  %y = tensor.insert_slice %r into %x[%i, 2, 0] [1, 1, 4] [1, 1, 1] : tensor<1x4xf32> into tensor<5x3x4xf32>
  func.return %y : tensor<5x3x4xf32>
}
// CHECK:      func.func private @row(
// CHECK:        memref.subview %y[%i, 2, 0] [1, 1, 4] [1, 1, 1] : memref<5x3x4xf32> to memref<1x4xf32, strided<[4, 1], offset: ?>>
func.func private @corner(%x: tensor<5x3x4xf32> {relax.dims = ["5", "3", "4"]}) -> (tensor<2x2xf32> {relax.dims = ["2", "2"]}) {
  %p = tensor.extract_slice %x[1, 1, 2] [2, 2, 1] [2, 1, 1] : tensor<5x3x4xf32> to tensor<2x2xf32>
  func.return %p : tensor<2x2xf32>
}
// CHECK:      func.func private @corner(
// CHECK:        memref.subview %x[1, 1, 2] [2, 2, 1] [2, 1, 1] : memref<5x3x4xf32> to memref<2x2xf32, strided<[24, 4], offset: 18>>

// A cast forgets a size that is known before it; what is collapsed after such a cast is copied to the result.
func.func private @forgets(%x: tensor<8x4xf32> {relax.dims = ["8", "4"]}, %z: tensor<?x4xf32> {relax.dims = ["n", "4"]})
    -> (tensor<?xf32> {relax.dims = ["8"]}, tensor<?xf32> {relax.dims = ["4 * n"]}) {
  %c0 = arith.constant 0 : index
  %w = tensor.cast %x : tensor<8x4xf32> to tensor<?x4xf32>
  %n = tensor.dim %w, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %s = arith.constant 1.0 : f32
  %y = linalg.fill ins(%s : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %m = tensor.dim %z, %c0 : tensor<?x4xf32>
  %f = tensor.empty(%m) : tensor<?x4xf32>
  %g = linalg.fill ins(%s : f32) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>
  %h = tensor.cast %g : tensor<?x4xf32> to tensor<?x?xf32>
  %k = tensor.collapse_shape %h [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  func.return %y, %k : tensor<?xf32>, tensor<?xf32>
}
// CHECK:      func.func private @forgets(
// CHECK:        %{{.*}} = arith.constant 8 : index
// CHECK:        linalg.fill ins(%s : f32) outs(%y : memref<?xf32>)
// CHECK-NEXT:   %g = memref.alloc(%n) : memref<?x4xf32>
// CHECK-NEXT:   linalg.fill ins(%s : f32) outs(%g : memref<?x4xf32>)
// CHECK-NEXT:   %h = memref.cast %g : memref<?x4xf32> to memref<?x?xf32>
// CHECK:        memref.copy %{{.*}}, %k

// What is written to a slice is as large as that.
func.func private @filled(%x: tensor<?x?xf32> {relax.dims = ["n", "m"]}, %k: index) -> (tensor<?xf32> {relax.dims = ["?"]}) {
  %c0 = arith.constant 0 : index
  %s = arith.constant 1.0 : f32
  %p = tensor.extract_slice %x[0, 0] [1, %k] [1, 1] : tensor<?x?xf32> to tensor<?xf32>
  %y = linalg.fill ins(%s : f32) outs(%p : tensor<?xf32>) -> tensor<?xf32>
  %d = tensor.dim %y, %c0 : tensor<?xf32>
  %z = tensor.empty(%d) : tensor<?xf32>
  %w = linalg.copy ins(%y : tensor<?xf32>) outs(%z : tensor<?xf32>) -> tensor<?xf32>
  func.return %w : tensor<?xf32>
}
// CHECK:      func.func private @filled(
// CHECK:        linalg.fill ins(%s : f32) outs(%w : memref<?xf32>)
// CHECK-NEXT:   linalg.copy ins(%w : memref<?xf32>) outs(%w : memref<?xf32>)

// What is joined has a size that only the memref tells; that of a part is the number it is taken with.
func.func private @sizes(%x: tensor<?x4xf32> {relax.dims = ["n", "4"]}, %k: index) -> (tensor<?xf32> {relax.dims = ["?"]}, tensor<?x?xf32> {relax.dims = ["?", "?"]}) {
  %c0 = arith.constant 0 : index
  %s = arith.constant 1.0 : f32
  %a = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %e = tensor.empty(%d) : tensor<?xf32>
  %f = linalg.fill ins(%s : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %p = tensor.extract_slice %x[0, 0] [%k, 2] [1, 1] : tensor<?x4xf32> to tensor<?x2xf32>
  %q = tensor.dim %p, %c0 : tensor<?x2xf32>
  %g = tensor.empty(%d, %q) : tensor<?x?xf32>
  %h = linalg.fill ins(%s : f32) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
  %i = linalg.copy ins(%h : tensor<?x?xf32>) outs(%g : tensor<?x?xf32>) -> tensor<?x?xf32>
  %j = tensor.insert %s into %h[%c0, %c0] : tensor<?x?xf32>
  %l = linalg.copy ins(%j : tensor<?x?xf32>) outs(%i : tensor<?x?xf32>) -> tensor<?x?xf32>
  func.return %f, %l : tensor<?xf32>, tensor<?x?xf32>
}
// CHECK:      func.func private @sizes(
// CHECK:        %a = memref.collapse_shape %x
// CHECK:        %d = memref.dim %a, %{{.*}} : memref<?xf32>
// CHECK:        memref.alloc(%d, %k) : memref<?x?xf32>

// A dimension that becomes several of sizes that are not constant is a cast, one that becomes one of these is expanded.
func.func private @split(%x: tensor<?x?xf32> {relax.dims = ["n * m", "8 * k"]}, %n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"}, %k: index {relax.symbol = "k"})
    -> (tensor<?x?x?xf32> {relax.dims = ["n", "m", "8 * k"]}, tensor<?x?x8xf32> {relax.dims = ["n * m", "k", "8"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %y = tensor.expand_shape %x [[0, 1], [2]] output_shape [%n, %m, %b] : tensor<?x?xf32> into tensor<?x?x?xf32>
  %z = tensor.expand_shape %x [[0], [1, 2]] output_shape [%a, %k, 8] : tensor<?x?xf32> into tensor<?x?x8xf32>
  func.return %y, %z : tensor<?x?x?xf32>, tensor<?x?x8xf32>
}
// CHECK:      func.func private @split(
// CHECK:        memref.reinterpret_cast %x to offset: [0], sizes: [%n, %m, %b]
// CHECK:        memref.expand_shape %x {{\[\[}}0 : i64], [1 : i64, 2 : i64]] output_shape [%a, %k, 8]

// What is computed in place under another shape is the result all the same, seen as what came first.
func.func private @through(%x: tensor<4x4xf32> {relax.dims = ["4", "4"]}) -> (tensor<16xf32> {relax.dims = ["16"]}) {
  %e = tensor.empty() : tensor<4x4xf32>
  %f = tensor.empty() : tensor<16xf32>
  %a = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = arith.negf %v : f32
    linalg.yield %w : f32
  } -> tensor<4x4xf32>
  %c = tensor.collapse_shape %a [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
  %b = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%c : tensor<16xf32>) outs(%f : tensor<16xf32>) {
  ^bb0(%v: f32, %o: f32):
    %w = math.exp %v : f32
    linalg.yield %w : f32
  } -> tensor<16xf32>
  func.return %b : tensor<16xf32>
}
// CHECK:      func.func private @through(
// CHECK:        %[[A:.*]] = memref.expand_shape %b
// CHECK-NEXT:   linalg.generic {{.*}} ins(%x : memref<4x4xf32>) outs(%[[A]] : memref<4x4xf32>)
// CHECK:        %c = memref.collapse_shape %[[A]]
// CHECK-NEXT:   linalg.generic {{.*}} ins(%c : memref<16xf32>) outs(%c : memref<16xf32>)
// CHECK-NOT:    memref
// CHECK:        func.return

// A result that is cast is written as what it was before.
func.func private @told(%s: f32) -> (tensor<?xf32> {relax.dims = ["8"]}) {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.fill ins(%s : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %c = tensor.cast %y : tensor<8xf32> to tensor<?xf32>
  func.return %c : tensor<?xf32>
}
// CHECK:      func.func private @told(%s: f32, %c: memref<?xf32>
// CHECK-NEXT:   %[[Y:.*]] = memref.cast %c : memref<?xf32> to memref<8xf32>
// CHECK-NEXT:   linalg.fill ins(%s : f32) outs(%[[Y]] : memref<8xf32>)
// CHECK-NEXT:   func.return
