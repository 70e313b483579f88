// RUN: relax-opt %s -t "c{model=kernels}" | filecheck %s

// A public function that allocates nothing is exported as it is. A value that is used once stands
// in its user; %d is read before the store that follows it, %e is used twice.
func.func @inlining(%n: index, %x: memref<?xf32> {relax.dims = ["?"]}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %m = arith.addi %n, %c1 : index
  %twice = arith.muli %m, %c2 : index
  %at = arith.subi %n, %twice : index
  %a = memref.load %x[%at] : memref<?xf32>
  %b = memref.load %x[%c2] : memref<?xf32>
  %minus = arith.constant -2.5 : f32
  %s = arith.addf %a, %b : f32
  %e = arith.subf %s, %minus : f32
  %p = arith.mulf %e, %e : f32
  %d = memref.load %x[%c1] : memref<?xf32>
  memref.store %p, %x[%c0] : memref<?xf32>
  %q = arith.negf %d : f32
  %r = arith.subf %q, %minus : f32
  %u = arith.negf %r : f32
  memref.store %u, %x[%c1] : memref<?xf32>
  func.return
}

// CHECK:      {{^}}void kernels_inlining(int64_t n, float *restrict x, int64_t x_d0)
// CHECK-NEXT: {
// CHECK-NEXT:     (void)x_d0;
// CHECK-NEXT:     const float e = x[n - (n + 1) * 2] + x[2] - -2.5f;
// CHECK-NEXT:     const float d = x[1];
// CHECK-NEXT:     x[0] = e * e;
// CHECK-NEXT:     x[1] = -(-d - -2.5f);
// CHECK-NEXT: }

// Integers wrap on overflow, index arithmetic is taken not to.
func.func @integers(%i: index, %a: i32, %b: i32, %f: i1, %g: i1, %x: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %s = arith.addi %a, %b : i32
  %t = arith.muli %s, %b overflow<nsw> : i32
  memref.store %t, %x[%c0] : memref<4xi32>
  %q = arith.floordivsi %i, %c7 : index
  %k = arith.index_cast %q : index to i32
  %l = arith.andi %k, %a : i32
  %o = arith.ori %l, %b : i32
  memref.store %o, %x[%c1] : memref<4xi32>
  %less = arith.cmpi ult, %a, %b : i32
  %both = arith.andi %f, %g : i1
  %any = arith.ori %less, %both : i1
  %chosen = arith.select %any, %a, %b : i32
  memref.store %chosen, %x[%c2] : memref<4xi32>
  %true = arith.constant true
  %not = arith.xori %f, %true : i1
  %wide = arith.extui %not : i1 to i32
  memref.store %wide, %x[%c3] : memref<4xi32>
  func.return
}

// CHECK:      {{^}}void kernels_integers(int64_t i, int32_t a, int32_t b, bool f, bool g, int32_t *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     x[0] = add_i32(a, b) * b;
// CHECK-NEXT:     x[1] = ((int32_t)floordiv_i64(i, 7) & a) | b;
// CHECK-NEXT:     x[2] = (uint32_t)a < (uint32_t)b || (f && g) ? a : b;
// CHECK-NEXT:     x[3] = (int32_t)!f;
// CHECK-NEXT: }

// Loops carry C variables; what is assigned at once is saved first.
func.func @carried(%n: index, %x: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero, %q = %one) -> (i64, i64) {
    %sum = arith.addi %p, %q overflow<nsw> : i64
    scf.yield %q, %sum : i64, i64
  }
  memref.store %a, %x[%c0] : memref<2xi64>
  memref.store %b, %x[%c1] : memref<2xi64>
  func.return
}

// CHECK:      {{^}}void kernels_carried(int64_t n, int64_t *restrict x)
// CHECK-NEXT: {
// CHECK-NEXT:     int64_t p = 0;
// CHECK-NEXT:     int64_t q = 1;
// CHECK-NEXT:     for (int64_t i = 0; i < n; ++i) {
// CHECK-NEXT:         const int64_t next_q = p + q;
// CHECK-NEXT:         p = q;
// CHECK-NEXT:         q = next_q;
// CHECK-NEXT:     }
// CHECK-NEXT:     x[0] = p;
// CHECK-NEXT:     x[1] = q;
// CHECK-NEXT: }

// Names give way to C's own.
func.func @names(%int: memref<2xf32>, %expf: memref<2xf32>) {
  %exp = arith.constant 0 : index
  %float = memref.load %int[%exp] : memref<2xf32>
  %sin = math.exp %float : f32
  memref.store %sin, %expf[%exp] : memref<2xf32>
  func.return
}

// CHECK:      {{^}}void kernels_names(const float *restrict int_, float *restrict expf_1)
// CHECK-NEXT: {
// CHECK-NEXT:     expf_1[0] = expf(int_[0]);
// CHECK-NEXT: }
