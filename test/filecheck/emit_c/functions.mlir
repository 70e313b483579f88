// RUN: relax-opt %s -t "c{cpu=generic}" | filecheck %s

// Symbols give the sizes; a buffer that is never stored to is const.
func.func private @matmul(%n: index {relax.symbol = "n"},
    %A: memref<?x64xf32> {relax.dims = ["n", "64"]},
    %B: memref<64x128xf32> {relax.dims = ["64", "128"]},
    %C: memref<?x128xf32> {relax.dims = ["n", "128"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant 0.0 : f32
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %c128 step %c1 {
      memref.store %zero, %C[%i, %j] : memref<?x128xf32>
    }
    scf.for %kk = %c0 to %c64 step %c1 {
      scf.for %j = %c0 to %c128 step %c1 {
        %a = memref.load %A[%i, %kk] : memref<?x64xf32>
        %b = memref.load %B[%kk, %j] : memref<64x128xf32>
        %c = memref.load %C[%i, %j] : memref<?x128xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        memref.store %s, %C[%i, %j] : memref<?x128xf32>
      }
    }
  }
  func.return
}

// CHECK:      /* @matmul(%n: index = n, %A: memref<[n, 64], f32>, %B: memref<[64, 128], f32>
// CHECK:      static void matmul(int64_t n, const float *restrict A, const float *restrict B, float *restrict C)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int64_t i = 0; i < n; ++i) {
// CHECK-NEXT:         for (int64_t j = 0; j < 128; ++j) {
// CHECK-NEXT:             C[i * 128 + j] = 0.0f;
// CHECK-NEXT:         }
// CHECK-NEXT:         for (int64_t kk = 0; kk < 64; ++kk) {
// CHECK-NEXT:             for (int64_t j = 0; j < 128; ++j) {
// CHECK-NEXT:                 C[i * 128 + j] += A[i * 64 + kk] * B[kk * 128 + j];
// CHECK-NEXT:             }
// CHECK-NEXT:         }
// CHECK-NEXT:     }
// CHECK-NEXT: }

// A size that no symbol gives is a parameter next to the pointer.
func.func private @fill(%x: memref<?x?xf64> {relax.dims = ["?", "?"]}, %value: f64) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c0 : memref<?x?xf64>
  %m = memref.dim %x, %c1 : memref<?x?xf64>
  scf.for %i = %c0 to %n step %c1 {
    scf.for %j = %c0 to %m step %c1 {
      memref.store %value, %x[%i, %j] : memref<?x?xf64>
    }
  }
  func.return
}

// CHECK:      static void fill(double *restrict x, int64_t x_d0, int64_t x_d1, double value)
// CHECK-NEXT: {
// CHECK-NEXT:     for (int64_t i = 0; i < x_d0; ++i) {
// CHECK-NEXT:         for (int64_t j = 0; j < x_d1; ++j) {
// CHECK-NEXT:             x[i * x_d1 + j] = value;

// Results are allocated by the callee; an error frees what is live and leaves by one exit.
func.func private @ones(%n: index {relax.symbol = "n"})
    -> (memref<?x4xf64> {relax.dims = ["n + 1", "4"]}) {
  %c1 = arith.constant 1 : index
  %limit = arith.constant 1000 : index
  %one = arith.constant 1.0 : f64
  %ok = arith.cmpi ult, %n, %limit : index
  %rows = arith.addi %n, %c1 : index
  %a = memref.alloc(%rows) : memref<?x4xf64>
  cf.assert %ok, "at most \"1000\" rows, not 100%"
  %any = memref.cast %a : memref<?x4xf64> to memref<?x?xf64>
  func.call @fill(%any, %one) : (memref<?x?xf64>, f64) -> ()
  func.return %a : memref<?x4xf64>
}

// CHECK:      /* @ones(%n: index = n) -> (memref<[n + 1, 4], f64>) */
// CHECK-NEXT: /* from functions.mlir:67 */
// CHECK-NEXT: static int ones(int64_t n, double **result)
// CHECK-NEXT: {
// CHECK-NEXT:     int status = -1;
// CHECK-NEXT:     struct buffer *live = NULL;
// CHECK-NEXT:     const int64_t rows = n + 1;
// CHECK-NEXT:     double *const a = allocate(&live, "ones: a", sizeof(double), 2, (const int64_t[]){rows, 4});
// CHECK-NEXT:     if (a == NULL)
// CHECK-NEXT:         goto fail;
// CHECK-NEXT:     if ((uint64_t)n >= (uint64_t)1000) {
// CHECK-NEXT:         set_error("%s (%lld vs %lld)", "at most \"1000\" rows, not 100%", (long long)n,
// CHECK-NEXT:             (long long)1000);
// CHECK-NEXT:         goto fail;
// CHECK-NEXT:     }
// CHECK-NEXT:     fill(a, rows, 4, 1.0);
// CHECK-NEXT:     detach(a);
// CHECK-NEXT:     *result = a;
// CHECK-NEXT:     status = 0;
// CHECK-NEXT: fail:
// CHECK-NEXT:     free_all(&live);
// CHECK-NEXT:     return status;
// CHECK-NEXT: }

func.func @main(%n: index {relax.symbol = "n"}, %m: index {relax.symbol = "m"},
    %x: memref<?x64xf32> {relax.dims = ["n", "64"], relax.name = "x"},
    %y: memref<?xf32> {relax.dims = ["2 * n"], relax.name = "y"})
    -> (memref<?x128xf32> {relax.dims = ["n", "128"]}, memref<?x4xf64> {relax.dims = ["m + 1", "4"]})
    attributes {relax.entry} {
  %w = memref.get_global @w : memref<64x128xf32>
  %out = memref.alloc(%n) : memref<?x128xf32>
  func.call @matmul(%n, %x, %w, %out)
      : (index, memref<?x64xf32>, memref<64x128xf32>, memref<?x128xf32>) -> ()
  %one = func.call @ones(%m) : (index) -> memref<?x4xf64>
  func.return %out, %one : memref<?x128xf32>, memref<?x4xf64>
}
"memref.global"() <{sym_name = "w", sym_visibility = "private", type = memref<64x128xf32>,
  initial_value = dense<0.5> : tensor<64x128xf32>, constant}> : () -> ()

// CHECK:      static int main_(int64_t n, int64_t m, const float *restrict x, const float *restrict y,
// CHECK:          matmul(n, x, w, out);
// CHECK-NEXT:     double *one = NULL;
// CHECK-NEXT:     if (ones(m, &one) != 0)
// CHECK-NEXT:         goto fail;
// CHECK-NEXT:     attach(&live, one);

// A symbol is read from the tensor where it stands bare, or is a parameter after the tensors.
// CHECK:      int model_main(const DLTensor *x, const DLTensor *y, int64_t m, DLTensor *out0, DLTensor *out1)
// CHECK-NEXT: {
// CHECK-NEXT:     if (check_extent("@main: argument 'm'", m) != 0)
// CHECK-NEXT:         return -1;
// CHECK-NEXT:     if (check_tensor("@main: argument 'x'", x, kDLFloat, 32, "f32", 2, "[n, 64]") != 0)
// CHECK-NEXT:         return -1;
// CHECK-NEXT:     if (check_tensor("@main: argument 'y'", y, kDLFloat, 32, "f32", 1, "[2 * n]") != 0)
// CHECK-NEXT:         return -1;
// CHECK-NEXT:     const int64_t n = x->shape[0];
// CHECK-NEXT:     if (check_dim("@main: argument 'x'", x, 1, 64, "") != 0)
// CHECK-NEXT:         return -1;
// CHECK-NEXT:     if (check_dim("@main: argument 'y'", y, 0, 2 * n, "2 * n = ") != 0)
// CHECK-NEXT:         return -1;
