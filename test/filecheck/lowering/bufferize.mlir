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
func.func private @window(%x: tensor<?xf32> {relax.dims = ["m + n"]}, %m: index {relax.symbol = "m"})
    -> (tensor<?xf32> {relax.dims = ["m"]}) {
  %empty = tensor.empty(%m) : tensor<?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      outs(%empty : tensor<?xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<?xf32>
    linalg.yield %v : f32
  } -> tensor<?xf32>
  func.return %y : tensor<?xf32>
}
// CHECK:      func.func private @window(%m: index {relax.symbol = "m"},
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
