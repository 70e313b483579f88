// RUN: relax-run %s --entry digits --backend interpret | filecheck %s --check-prefix DIGITS
// RUN: relax-run %s --entry digits | filecheck %s --check-prefix DIGITS
// RUN: relax-run %s --entry sums --backend interpret | filecheck %s --check-prefix SUMS
// RUN: relax-run %s --entry sums | filecheck %s --check-prefix SUMS

// RUN: not relax-run %s --entry outside --backend interpret 2>&1 | filecheck %s --check-prefix OUTSIDE

// Quotients are rounded down and up, a remainder has the sign of its divisor, where the dividend is negative too.
func.func @digits() -> (index, index, index, index, index, index, index) {
  %x = arith.constant -7 : index
  %floor = affine.apply affine_map<()[s0] -> (s0 floordiv 4)>()[%x]
  %ceil = affine.apply affine_map<()[s0] -> (s0 ceildiv 4)>()[%x]
  %rest = affine.apply affine_map<()[s0] -> (s0 mod 4)>()[%x]
  %d:3 = affine.delinearize_index %x into (2, 5) : index, index, index
  %back = affine.linearize_index [%d#0, %d#1, %d#2] by (2, 5) : index
  return %floor, %ceil, %rest, %d#0, %d#1, %d#2, %back : index, index, index, index, index, index, index
}
// DIGITS: -2
// DIGITS: -1
// DIGITS: 1
// DIGITS: -1
// DIGITS: 0
// DIGITS: 3
// DIGITS: -7

// Bounds are extremes of several expressions; values are carried; branches are taken where all constraints hold.
func.func @sums() -> (i32, i32, f32) {
  %zero = arith.constant 0 : i32
  %n = arith.constant 10 : index
  %triangle = affine.for %i = 0 to %n step 3 iter_args(%sum = %zero) -> (i32) {
    %row = affine.for %j = max affine_map<(d0) -> (0, d0 - 4)>(%i) to min affine_map<(d0)[s0] -> (d0 + 1, s0 - 2)>(%i)[%n] iter_args(%part = %sum) -> (i32) {
      %one = affine.if affine_set<(d0, d1) : (d0 - d1 >= 1, d1 mod 2 == 0)>(%i, %j) -> i32 {
        %c1 = arith.constant 1 : i32
        affine.yield %c1 : i32
      } else {
        %c100 = arith.constant 100 : i32
        affine.yield %c100 : i32
      }
      %next = arith.addi %part, %one : i32
      affine.yield %next : i32
    }
    affine.yield %row : i32
  }
  %product, %most = affine.parallel (%i, %j) = (1, max(%n - 9, 0)) to (min(%n, 4), 3) step (1, 1) reduce ("muli", "maximumf") -> (i32, f32) {
    %k = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%i, %j)
    %number = arith.index_cast %k : index to i32
    %float = arith.sitofp %number : i32 to f32
    affine.yield %number, %float : i32, f32
  }
  return %triangle, %product, %most : i32, i32, f32
}
// Rows 0, 3, 6, 9 have the columns 0; 0 to 3; 2 to 6; 5 to 7.
// SUMS: 805
// SUMS: 20160
// SUMS: 8

// OUTSIDE: run.mlir:{{.*}}: @outside: affine.load (%x): expected an index from 0 to 3 in dimension 0 of size 4, found 4
func.func @outside() -> f32 {
  %z = arith.constant 0.0 : f32
  %m = memref.alloc() : memref<4xf32>
  %r = affine.for %i = 0 to 4 iter_args(%a = %z) -> (f32) {
    affine.store %z, %m[%i] : memref<4xf32>
    %x = affine.load %m[%i * 2 - 2 * (%i floordiv 3)] : memref<4xf32>
    affine.yield %x : f32
  }
  return %r : f32
}
