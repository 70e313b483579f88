memref.global "private" constant @table : memref<4xf32> = dense<[1.0, 2.0, 4.0, 8.0]>
memref.global "private" @counter : memref<1xi32> = dense<0>
func.func @lookup(%i: index) -> f32 {
  %t = memref.get_global @table : memref<4xf32>
  %v = memref.load %t[%i] : memref<4xf32>
  return %v : f32
}
func.func @copy(%a: memref<?x4xf32>, %b: memref<?x4xf32>) {
  memref.copy %a, %b : memref<?x4xf32> to memref<?x4xf32>
  return
}
func.func @alloc(%n: index) -> memref<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.alloc(%n) : memref<?xi32>
  scf.for %i = %c0 to %n step %c1 {
    %v = arith.index_cast %i : index to i32
    memref.store %v, %m[%i] : memref<?xi32>
  }
  return %m : memref<?xi32>
}
func.func @subview(%a: memref<8x16xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %s = memref.subview %a[2, 4] [4, 4] [1, 2] : memref<8x16xf32> to memref<4x4xf32, strided<[16, 2], offset: 36>>
  %v = memref.load %s[%c1, %c1] : memref<4x4xf32, strided<[16, 2], offset: 36>>
  return %v : f32
}
func.func @par(%a: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x?xf32>
  %m = memref.dim %a, %c1 : memref<?x?xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %m) step (%c1, %c1) {
    %v = memref.load %a[%i, %j] : memref<?x?xf32>
    %w = arith.addf %v, %v : f32
    memref.store %w, %a[%i, %j] : memref<?x?xf32>
    scf.reduce
  }
  return
}
func.func @alloca(%x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %m = memref.alloca() : memref<1xf32>
  memref.store %x, %m[%c0] : memref<1xf32>
  %v = memref.load %m[%c0] : memref<1xf32>
  return %v : f32
}
func.func @rank0(%m: memref<f32>) -> f32 {
  %v = memref.load %m[] : memref<f32>
  return %v : f32
}
func.func @views(%a: memref<6x4xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = memref.collapse_shape %a [[0, 1]] : memref<6x4xf32> into memref<24xf32>
  %c = memref.expand_shape %b [[0, 1, 2]] output_shape [2, 3, 4] : memref<24xf32> into memref<2x3x4xf32>
  %v = memref.load %c[%c1, %c2, %c1] : memref<2x3x4xf32>
  return %v : f32
}
func.func @cast(%a: memref<4xf32>) -> index {
  %c0 = arith.constant 0 : index
  %b = memref.cast %a : memref<4xf32> to memref<?xf32>
  %n = memref.dim %b, %c0 : memref<?xf32>
  return %n : index
}
func.func @vec(%a: memref<16xf32>, %b: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<16xf32>, vector<8xf32>
  %w = vector.load %b[%c0] : memref<16xf32>, vector<8xf32>
  %s = arith.addf %v, %w : vector<8xf32>
  vector.store %s, %b[%c0] : memref<16xf32>, vector<8xf32>
  return
}
func.func @vec_red(%a: memref<16xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<16xf32>, vector<8xf32>
  %s = vector.reduction <add>, %v : vector<8xf32> into f32
  return %s : f32
}
func.func @bcast(%x: f32, %b: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.broadcast %x : f32 to vector<8xf32>
  vector.store %v, %b[%c0] : memref<16xf32>, vector<8xf32>
  return
}
func.func @fma(%a: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<8xf32>, vector<8xf32>
  %w = vector.fma %v, %v, %v : vector<8xf32>
  vector.store %w, %a[%c0] : memref<8xf32>, vector<8xf32>
  return
}
func.func @count() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : i32
  %m = memref.get_global @counter : memref<1xi32>
  %v = memref.load %m[%c0] : memref<1xi32>
  %w = arith.addi %v, %c1 : i32
  memref.store %w, %m[%c0] : memref<1xi32>
  return %w : i32
}
func.func @alias(%a: memref<?xf32>) -> memref<?xf32> {
  return %a : memref<?xf32>
}
func.func @loop_carried(%a: memref<4xf32>, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %b = memref.alloc() : memref<4xf32>
  linalg.fill ins(%z : f32) outs(%b : memref<4xf32>)
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %a, %q = %b) -> (memref<4xf32>, memref<4xf32>) {
    scf.yield %q, %p : memref<4xf32>, memref<4xf32>
  }
  %v = memref.load %r#0[%c1] : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return %v : f32
}
func.func @transposed(%a: memref<3x5xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %t = memref.transpose %a (i, j) -> (j, i) : memref<3x5xf32> to memref<5x3xf32, strided<[1, 5]>>
  %v = memref.load %t[%c4, %c1] : memref<5x3xf32, strided<[1, 5]>>
  return %v : f32
}
