// RUN: relax-opt %s -p relax-lower-affine --split-input-file --verify-diagnostics --parsing-diagnostics | filecheck %s

// CHECK: errors.mlir:5:3: error: @step: affine.for: expected a step above 0, found 0; count up, and subtract in the subscripts{{$}}
func.func @step() {
  affine.for %i = 0 to 4 step 0 {
  }
  return
}

// -----

// CHECK: errors.mlir:14:3: error: @loops: affine.parallel: expected a step above 0, found -1; count up, and subtract in the subscripts{{$}}
func.func @loops() {
  affine.parallel (%i) = (0) to (4) step (-1) {
  }
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: @rank: affine.load (%x): expected 2 subscripts of memref<4x4xf32>, found 1; write one for each dimension{{$}}
func.func @rank(%m: memref<4x4xf32>, %i: index) {
  %x = affine.load %m[%i] : memref<4x4xf32>
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: @divisor: affine.apply (%x): expected products by constants or symbols, quotients and remainders by constants above 0 or symbols, found (d0 floordiv -3); compute it by ops of arith{{$}}
func.func @divisor(%i: index) {
  %x = affine.apply affine_map<(d0) -> (1 + d0 floordiv -3)>(%i)
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: expected an affine expression: products, quotients and remainders by symbols or constants that are not 0, found another one; compute it by ops of arith and use memref.load, memref.store or scf.for{{$}}
func.func @product(%m: memref<4xf32>, %i: index) {
  affine.for %j = 0 to 4 {
    %x = affine.load %m[%i * %j] : memref<4xf32>
  }
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: @operands: affine.max (%x): expected 2 operands of the map (d0)[s0] -> (d0, s0), found 1; pass one for each dimension and symbol{{$}}
func.func @operands(%i: index) {
  %x = affine.max affine_map<(d0)[s0] -> (d0, s0)>(%i)
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: @otherwise: affine.if (%x): expected an else that yields 1 results, found no else; write one{{$}}
func.func @otherwise(%i: index, %y: f32) {
  %x = affine.if affine_set<(d0) : (d0 >= 0)>(%i) -> f32 {
    affine.yield %y : f32
  }
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: @yielded: affine.for (%x): expected to yield (f32), found (); yield a value for each result{{$}}
func.func @yielded(%y: f32) {
  %x = affine.for %i = 0 to 4 iter_args(%a = %y) -> (f32) {
  }
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: @basis: affine.delinearize_index (%x, %x): expected numbers above 0 in the basis, found 0; write the size of each dimension{{$}}
func.func @basis(%i: index) {
  %x:2 = affine.delinearize_index %i into (4, 0) : index, index
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: @digits: affine.linearize_index (%x): expected a basis of 1 or 2 entries for 2 digits, found 3; write one for each{{$}}
func.func @digits(%i: index) {
  %x = affine.linearize_index [%i, %i] by (4, 5, 6) : index
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: expected one of the reductions addf, addi, andi, assign, maximumf, {{.*}}, found sum{{$}}
func.func @kind(%m: memref<4xf32>) {
  %x = affine.parallel (%i) = (0) to (4) reduce ("sum") -> (f32) {
    %y = affine.load %m[%i] : memref<4xf32>
    affine.yield %y : f32
  }
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: affine.parallel (%x): expected a reduction of f32 by one of addf, mulf, {{.*}}, found assign; reduce by one of these, or carry the value in iter_args of affine.for{{$}}
func.func @assign(%m: memref<4xf32>) {
  %x = affine.parallel (%i) = (0) to (4) reduce ("assign") -> (f32) {
    %y = affine.load %m[%i] : memref<4xf32>
    affine.yield %y : f32
  }
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: affine.parallel (%x): expected a reduction of i32 by one of addi, muli, {{.*}}, found addf; reduce
func.func @integer(%m: memref<4xi32>) {
  %x = affine.parallel (%i) = (0) to (4) reduce ("addf") -> (i32) {
    %y = affine.load %m[%i] : memref<4xi32>
    affine.yield %y : i32
  }
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: expected a step above 0, found a negative one; count up, and subtract in the subscripts{{$}}
func.func @down() {
  affine.for %i = 4 to 0 step -1 {
  }
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: expected a dimension or symbol of the map, found d1; declare it before the arrow or the colon{{$}}
func.func @unknown(%i: index) {
  %x = affine.apply affine_map<(d0) -> (d1)>(%i)
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: expected an affine expression: products, quotients and remainders by constants or symbols, found one by a dimension; compute it by ops of arith{{$}}
func.func @dimensions(%i: index) {
  %x = affine.apply affine_map<(d0, d1) -> (d0 * d1)>(%i, %i)
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: expected an operand for each dim of the map, found another number of them; pass (dims)[symbols]{{$}}
func.func @bound(%n: index) {
  affine.for %i = 0 to affine_map<(d0, d1) -> (d0)>(%n) {
  }
  return
}

// -----

// CHECK: errors.mlir:{{.*}}: error: expected min before a map of several results, found no word; write min, or one result{{$}}
func.func @extreme(%n: index) {
  affine.for %i = 0 to affine_map<(d0) -> (d0, 9)>(%n) {
  }
  return
}
