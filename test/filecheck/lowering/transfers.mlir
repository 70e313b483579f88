// RUN: relax-opt %s -p relax-lower-vector-transfers | filecheck %s
// RUN: relax-run %s --entry rows --backend interpret | filecheck %s --check-prefix ROWS
// RUN: relax-run %s --entry rows | filecheck %s --check-prefix ROWS

// All lanes at once where they are inside, otherwise one by one.
// CHECK-LABEL: func.func @read(
// CHECK-NEXT: %[[c8:.*]] = arith.constant 8 : index
// CHECK-NEXT: %[[c1:.*]] = arith.constant 1 : index
// CHECK-NEXT: %[[size:.*]] = memref.dim %m, %[[c1]] : memref<?x?xf32>
// CHECK-NEXT: %[[left:.*]] = arith.subi %[[size]], %j : index
// CHECK-NEXT: %[[all:.*]] = arith.cmpi sge, %[[left]], %[[c8]] : index
// CHECK-NEXT: %v = scf.if %[[all]] -> (vector<8xf32>) {
// CHECK-NEXT: %[[whole:.*]] = vector.load %m[%i, %j] : memref<?x?xf32>, vector<8xf32>
// CHECK-NEXT: scf.yield %[[whole]] : vector<8xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: %[[pad:.*]] = vector.broadcast %p : f32 to vector<8xf32>
// CHECK: %[[some:.*]] = scf.for %lane = %{{.*}} to %[[left]] step %{{.*}} iter_args(%[[so_far:.*]] = %[[pad]]) -> (vector<8xf32>) {
// CHECK-NEXT: %[[at:.*]] = arith.addi %j, %lane : index
// CHECK-NEXT: %[[x:.*]] = memref.load %m[%i, %[[at]]] : memref<?x?xf32>
// CHECK-NEXT: %[[next:.*]] = vector.insert %[[x]], %[[so_far]] [%lane] : f32 into vector<8xf32>
// CHECK-NEXT: scf.yield %[[next]] : vector<8xf32>
// CHECK-NEXT: }
// CHECK-NEXT: scf.yield %[[some]] : vector<8xf32>
// CHECK-NEXT: }
func.func @read(%m: memref<?x?xf32>, %i: index, %j: index, %p: f32) -> f32 {
  %v = vector.transfer_read %m[%i, %j], %p : memref<?x?xf32>, vector<8xf32>
  %sum = vector.reduction <add>, %v : vector<8xf32> into f32
  return %sum : f32
}

// What is known to be inside needs no check; poison may be any value.
// CHECK-LABEL: func.func @inside(
// CHECK-NEXT: arith.constant 0.000000e+00 : f32
// CHECK-NEXT: %v = vector.load %m[%i] : memref<?xf32>, vector<8xf32>
// CHECK-NEXT: vector.store %v, %o[%i] : memref<?xf32>, vector<8xf32>
// CHECK-NEXT: func.return
func.func @inside(%m: memref<?xf32>, %o: memref<?xf32>, %i: index) {
  %p = ub.poison : f32
  %v = vector.transfer_read %m[%i], %p {in_bounds = [true]} : memref<?xf32>, vector<8xf32>
  vector.transfer_write %v, %o[%i] {in_bounds = [true]} : vector<8xf32>, memref<?xf32>
  return
}

// One element for all lanes; lanes that are apart in memory are written one by one.
// CHECK-LABEL: func.func @maps(
// CHECK-NEXT: %[[x:.*]] = memref.load %m[%i, %i] : memref<?x?xf32>
// CHECK-NEXT: %v = vector.broadcast %[[x]] : f32 to vector<4xf32>
// CHECK: %[[rows:.*]] = memref.dim %m, %{{.*}} : memref<?x?xf32>
// CHECK-NEXT: %[[left:.*]] = arith.subi %[[rows]], %i : index
// CHECK-NEXT: %[[count:.*]] = arith.minsi %[[left]], %{{.*}} : index
// CHECK: scf.for %lane = %{{.*}} to %[[count]] step %{{.*}} {
// CHECK-NEXT: %[[row:.*]] = arith.addi %i, %lane : index
// CHECK-NEXT: %[[y:.*]] = vector.extract %v[%lane] : f32 from vector<4xf32>
// CHECK-NEXT: memref.store %[[y]], %m[%[[row]], %i] : memref<?x?xf32>
func.func @maps(%m: memref<?x?xf32>, %i: index, %p: f32) {
  %v = vector.transfer_read %m[%i, %i], %p {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (0)>} : memref<?x?xf32>, vector<4xf32>
  vector.transfer_write %v, %m[%i, %i] {permutation_map = affine_map<(d0, d1) -> (d0)>} : vector<4xf32>, memref<?x?xf32>
  return
}

// A transfer of two dimensions stays.
// CHECK-LABEL: func.func @plane(
// CHECK: vector.transfer_read
func.func @plane(%m: memref<?x?xf32>, %i: index, %p: f32) {
  %v = vector.transfer_read %m[%i, %i], %p : memref<?x?xf32>, vector<4x4xf32>
  return
}

// The sums of a row that ends before, of a column, and of what is written of a row to the end of another one.
// ROWS: 121.
// ROWS: 118.
// ROWS: 14.
func.func @rows() -> (f32, f32, f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %pad = arith.constant 50.0 : f32
  %m = memref.alloc() : memref<3x4xf32>
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %j = %c0 to %c4 step %c1 {
      %p = arith.muli %i, %c4 : index
      %q = arith.addi %p, %j : index
      %n = arith.index_cast %q : index to i32
      %x = arith.sitofp %n : i32 to f32
      memref.store %x, %m[%i, %j] : memref<3x4xf32>
    }
  }
  %row = vector.transfer_read %m[%c2, %c2], %pad : memref<3x4xf32>, vector<4xf32>
  %column = vector.transfer_read %m[%c1, %c3], %pad {permutation_map = affine_map<(d0, d1) -> (d0)>} : memref<3x4xf32>, vector<4xf32>
  %a = vector.reduction <add>, %row : vector<4xf32> into f32
  %b = vector.reduction <add>, %column : vector<4xf32> into f32
  vector.transfer_write %row, %m[%c0, %c3] : vector<4xf32>, memref<3x4xf32>
  %last = memref.load %m[%c0, %c3] : memref<3x4xf32>
  %next = memref.load %m[%c1, %c0] : memref<3x4xf32>
  %c = arith.addf %last, %next : f32
  memref.dealloc %m : memref<3x4xf32>
  return %a, %b, %c : f32, f32, f32
}
