// RUN: relax-opt %s -p relax-bufferize | filecheck %s

// What a loop or branch passes on is one buffer: an insert is a store.

// CHECK-LABEL: func.func private @positive(
// CHECK-SAME:    %n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}, %y: memref<?xf32> {relax.dims = ["n"], relax.result})
// CHECK:         linalg.fill ins(%zero : f32) outs(%y : memref<?xf32>)
// CHECK-NEXT:    scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:      %v = memref.load %x[%i] : memref<?xf32>
// CHECK-NEXT:      %c = arith.cmpf ogt, %v, %zero : f32
// CHECK-NEXT:      scf.if %c {
// CHECK-NEXT:        memref.store %v, %y[%i] : memref<?xf32>
// CHECK-NEXT:      } else {
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func private @positive(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%t = %start) -> (tensor<?xf32>) {
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %c = arith.cmpf ogt, %v, %zero : f32
    %u = scf.if %c -> (tensor<?xf32>) {
      %w = tensor.insert %v into %t[%i] : tensor<?xf32>
      scf.yield %w : tensor<?xf32>
    } else {
      scf.yield %t : tensor<?xf32>
    }
    scf.yield %u : tensor<?xf32>
  }
  func.return %y : tensor<?xf32>
}

// An argument is copied before it is written to; what is read after a write is kept.

// CHECK-LABEL: func.func private @kept(
// CHECK:         memref.copy %x, %old : memref<4xf32> to memref<4xf32>
// CHECK-NEXT:    memref.store %one, %old[%c0] : memref<4xf32>
// CHECK-NEXT:    memref.copy %old, %new : memref<4xf32> to memref<4xf32>
// CHECK-NEXT:    memref.store %one, %new[%c1] : memref<4xf32>
func.func private @kept(%x: tensor<4xf32> {relax.dims = ["4"]})
    -> (tensor<4xf32> {relax.dims = ["4"]}, tensor<4xf32> {relax.dims = ["4"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %old = tensor.insert %one into %x[%c0] : tensor<4xf32>
  %new = tensor.insert %one into %old[%c1] : tensor<4xf32>
  func.return %old, %new : tensor<4xf32>, tensor<4xf32>
}

// States that change places go through a buffer, which is allocated outside of the loop.

// CHECK-LABEL: func.func private @swapped(
// CHECK:         %b = memref.alloc() : memref<4xf32>
// CHECK-NEXT:    %a = memref.alloc() : memref<4xf32>
// CHECK-NEXT:    scf.for %t = %c0 to %c3 step %c1 {
// CHECK-NEXT:      memref.copy %v, %b
// CHECK-NEXT:      memref.copy %u, %a
// CHECK-NEXT:      memref.copy %b, %u
// CHECK-NEXT:      memref.copy %a, %v
// CHECK-NEXT:    }
func.func private @swapped(
    %x: tensor<4xf32> {relax.dims = ["4"]}, %y: tensor<4xf32> {relax.dims = ["4"]})
    -> (tensor<4xf32> {relax.dims = ["4"]}, tensor<4xf32> {relax.dims = ["4"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %u, %v = scf.for %t = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    scf.yield %b, %a : tensor<4xf32>, tensor<4xf32>
  }
  func.return %u, %v : tensor<4xf32>, tensor<4xf32>
}

// A row of the result is written where it belongs.

// CHECK-LABEL: func.func private @rows(
// CHECK:         scf.for %t = %c0 to %n step %c1 {
// CHECK-NEXT:      %{{.*}} = memref.subview %rows[%t, 0] [1, 4] [1, 1] : memref<?x4xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK-NEXT:      memref.copy %row, %{{.*}} : memref<4xf32> to memref<4xf32, strided<[1], offset: ?>>
// CHECK-NEXT:    }
func.func private @rows(%row: tensor<4xf32> {relax.dims = ["4"]}, %n: index {relax.symbol = "n"})
    -> (tensor<?x4xf32> {relax.dims = ["n", "4"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %empty = tensor.empty(%n) : tensor<?x4xf32>
  %rows = scf.for %t = %c0 to %n step %c1 iter_args(%all = %empty) -> (tensor<?x4xf32>) {
    %next = tensor.insert_slice %row into %all[%t, 0] [1, 4] [1, 1] : tensor<4xf32> into tensor<?x4xf32>
    scf.yield %next : tensor<?x4xf32>
  }
  func.return %rows : tensor<?x4xf32>
}

// What a turn makes of what it made is written over it, and its result over the state: on memrefs both buffers
// stand before the loop, and only the tensors tell that one of them carries nothing from turn to turn.

// CHECK-LABEL: func.func private @stages(
// CHECK:         memref.copy %x, %last
// CHECK-NEXT:    %a = memref.alloc() : memref<4xf32>
// CHECK-NEXT:    scf.for %i = %c0 to %c9 step %c1 {
// CHECK-NEXT:      linalg.generic {{.*}} ins(%last : memref<4xf32>) outs(%a : memref<4xf32>)
// CHECK:           linalg.generic {{.*}} ins(%a : memref<4xf32>) outs(%a : memref<4xf32>)
// CHECK:           linalg.generic {{.*}} ins(%last, %a : memref<4xf32>, memref<4xf32>) outs(%last : memref<4xf32>)
// CHECK-NOT:       memref.copy
func.func private @stages(%x: tensor<4xf32> {relax.dims = ["4"]}) -> (tensor<4xf32> {relax.dims = ["4"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %last = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %x) -> (tensor<4xf32>) {
    %e = tensor.empty() : tensor<4xf32>
    %a = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%s : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = arith.negf %v : f32
      linalg.yield %w : f32
    } -> tensor<4xf32>
    %b = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = math.exp %v : f32
      linalg.yield %w : f32
    } -> tensor<4xf32>
    %c = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%s, %b : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) {
    ^bb0(%v: f32, %u: f32, %o: f32):
      %w = arith.addf %v, %u : f32
      linalg.yield %w : f32
    } -> tensor<4xf32>
    scf.yield %c : tensor<4xf32>
  }
  func.return %last : tensor<4xf32>
}

// -----

// A slice is a view until it is inserted; one that is returned, or that is changed, is copied.

// CHECK:       func.func private @slices
// CHECK:         %[[HALF:.*]] = memref.subview %x[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
// CHECK-NEXT:    %[[LEFT:.*]] = memref.subview %y[0] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1]>>
// CHECK-NEXT:    memref.copy %[[HALF]], %[[LEFT]]
// CHECK:         memref.copy %{{.*}}, %{{.*}}
// CHECK:         memref.copy %[[HALF]], %{{.*}}
// CHECK-NOT:     memref.copy
func.func private @slices(%x: tensor<8xf32> {relax.dims = ["8"]}) -> (tensor<8xf32> {relax.dims = ["8"]}, tensor<4xf32> {relax.dims = ["4"]}) {
  %empty = tensor.empty() : tensor<8xf32>
  %half = tensor.extract_slice %x[4] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %left = tensor.insert_slice %half into %empty[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
  %rest = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  %y = tensor.insert_slice %rest into %left[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
  func.return %y, %half : tensor<8xf32>, tensor<4xf32>
}

// The next state is no state while it is made of elements that lie elsewhere in this one.

// CHECK-LABEL: func.func private @turned(
// CHECK:         memref.copy %x, %last
// CHECK-NEXT:    %b = memref.alloc() : memref<4x4xf32>
// CHECK:         linalg.generic {{.*}} ins(%last : memref<4x4xf32>) outs(%b : memref<4x4xf32>)
// CHECK:         memref.copy %b, %last
func.func private @turned(%x: tensor<4x4xf32> {relax.dims = ["4", "4"]}) -> (tensor<4x4xf32> {relax.dims = ["4", "4"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %last = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %x) -> (tensor<4x4xf32>) {
    %e = tensor.empty() : tensor<4x4xf32>
    %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = math.exp %v : f32
      linalg.yield %w : f32
    } -> tensor<4x4xf32>
    scf.yield %b : tensor<4x4xf32>
  }
  func.return %last : tensor<4x4xf32>
}

// A buffer of a size that a turn computes is allocated in it, one of a known size before the loop.

// CHECK-LABEL: func.func private @triangle(
// CHECK:         memref.alloc(%n) : memref<?xf32>
// CHECK-NEXT:    scf.for
// CHECK:           %b = memref.alloc(%m) : memref<?xf32>
// CHECK:           memref.dealloc %b
// CHECK:         memref.dealloc
func.func private @triangle(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%s = %x) -> (tensor<?xf32>) {
    %v = tensor.extract %s[%i] : tensor<?xf32>
    %m = arith.addi %i, %c1 : index
    %e = tensor.empty(%m) : tensor<?xf32>
    %b = linalg.fill ins(%v : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %f = tensor.empty(%n) : tensor<?xf32>
    %c = linalg.fill ins(%v : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
    %w = tensor.extract %b[%i] : tensor<?xf32>
    %u = tensor.extract %c[%i] : tensor<?xf32>
    %z = arith.addf %w, %u : f32
    %t = tensor.insert %z into %s[%c0] : tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  }
  func.return %y : tensor<?xf32>
}

// What can be written over no input is written over the state that has been read for the last time, be the first op or not.

// CHECK-LABEL: func.func private @later(
// CHECK:         memref.copy %x, %last
// CHECK-NEXT:    %a = memref.alloc() : memref<4x4xf32>
// CHECK:         linalg.generic {{.*}} ins(%last : memref<4x4xf32>) outs(%a : memref<4x4xf32>)
// CHECK:         linalg.generic {{.*}} ins(%a : memref<4x4xf32>) outs(%last : memref<4x4xf32>)
// CHECK-NOT:     memref.copy
// CHECK-LABEL: func.func private @reset(
// CHECK:         memref.copy %x, %last
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      linalg.fill ins(%z : f32) outs(%last : memref<4xf32>)
// CHECK-NEXT:    }
func.func private @later(%x: tensor<4x4xf32> {relax.dims = ["4", "4"]}) -> (tensor<4x4xf32> {relax.dims = ["4", "4"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %last = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %x) -> (tensor<4x4xf32>) {
    %e = tensor.empty() : tensor<4x4xf32>
    %a = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%s : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = math.exp %v : f32
      linalg.yield %w : f32
    } -> tensor<4x4xf32>
    %b = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) {
    ^bb0(%v: f32, %o: f32):
      %w = arith.negf %v : f32
      linalg.yield %w : f32
    } -> tensor<4x4xf32>
    scf.yield %b : tensor<4x4xf32>
  }
  func.return %last : tensor<4x4xf32>
}
func.func private @reset(%x: tensor<4xf32> {relax.dims = ["4"]}, %z: f32) -> (tensor<4xf32> {relax.dims = ["4"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %e = tensor.empty() : tensor<4xf32>
  %last = scf.for %i = %c0 to %c9 step %c1 iter_args(%s = %x) -> (tensor<4xf32>) {
    %b = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %b : tensor<4xf32>
  }
  func.return %last : tensor<4xf32>
}
