// RUN: relax-opt %s -t c | filecheck %s

// A truth value is a byte in memory, and `bool` in registers.
func.func @both(%n: index {relax.symbol = "n"},
    %a: memref<?xi1> {relax.dims = ["n"]}, %b: memref<?xi1> {relax.dims = ["n"]},
    %out: memref<?xi1> {relax.dims = ["n"], relax.result}, %flag: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xi1>
    %y = memref.load %b[%i] : memref<?xi1>
    %both = arith.andi %x, %y : i1
    %any = arith.ori %both, %flag : i1
    memref.store %any, %out[%i] : memref<?xi1>
  }
  func.return
}

// CHECK:      {{^}}void model_both(int64_t n, const uint8_t *restrict a, const uint8_t *restrict b,
// CHECK-NEXT:     uint8_t *restrict out, bool flag)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int64_t i = 0; i < n; ++i) {
// CHECK-NEXT:         out[i] = (a[i] && b[i]) || flag;
