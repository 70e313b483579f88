// RUN: relax-opt %s -p relax-plan-memory -t c | filecheck %s

// A value lies in the frame, or is allocated by itself where there is none.
func.func @main(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]},
    %y: memref<?x4xf32> {relax.dims = ["n", "4"], relax.result}) attributes {relax.entry} {
  %a = memref.alloc(%n) : memref<?x4xf32>
  func.call @fill(%n, %x, %a) : (index, memref<?xf32>, memref<?x4xf32>) -> ()
  %b = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %a : memref<?x4xf32>
  memref.copy %x, %b : memref<?xf32> to memref<?xf32>
  func.call @fill(%n, %b, %y) : (index, memref<?xf32>, memref<?x4xf32>) -> ()
  memref.dealloc %b : memref<?xf32>
  func.return
}

// CHECK:      static int main_(int64_t n, const float *restrict x, float *restrict y)
// CHECK-NEXT: {
// CHECK-NEXT:     int status = -1;
// CHECK-NEXT:     struct buffer *live = NULL;
// CHECK-NEXT:     char *const frame = 192 * (double)n + 2880 <= 0x1p50
// CHECK-NEXT:         ? enter_frame(64 * ((n + 15) / 16) + 64 * ((n + 3) / 4)) : NULL;
// CHECK-NEXT:     float *const a = frame != NULL ? (void *)frame
// CHECK-NEXT:         : allocate(&live, "main: a", sizeof(float), 2, (const int64_t[]){n, 4});
// CHECK-NEXT:     if (a == NULL)
// CHECK-NEXT:         goto fail;
// CHECK-NEXT:     fill(n, x, a);
// CHECK-NEXT:     float *const b = frame != NULL ? (void *)(frame + (64 * ((n + 3) / 4)))
// CHECK-NEXT:         : allocate(&live, "main: b", sizeof(float), 1, (const int64_t[]){n});
// CHECK-NEXT:     if (b == NULL)
// CHECK-NEXT:         goto fail;
// CHECK-NEXT:     drop(frame, a);
// CHECK-NEXT:     memcpy(b, x, (size_t)n * sizeof(float));
// CHECK-NEXT:     fill(n, b, y);
// CHECK-NEXT:     drop(frame, b);
// CHECK-NEXT:     status = 0;
// CHECK-NEXT: fail:
// CHECK-NEXT:     free_all(&live);
// CHECK-NEXT:     leave_frame(frame);
// CHECK-NEXT:     return status;
// CHECK-NEXT: }

func.func private @fill(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]},
    %y: memref<?x4xf32> {relax.dims = ["n", "4"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xf32>
    memref.store %v, %y[%i, %c1] : memref<?x4xf32>
  }
  func.return
}
