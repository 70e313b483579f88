// RUN: relax-opt %s -p relax-to-loops -t c | filecheck %s

// The C of a kernel: the sizes that are not known are checked, the bias is copied, then added to.

relax.func @layer(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[6, 4], f32>, %b: !relax.tensor<[6], f32>) -> !relax.tensor<[n, 6], f32> attributes {Codegen = "cblas"} {
  %0 = relax.linear %x, %w, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[6, 4], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<[n, 6], f32>
  %1 = relax.relu %0 : (!relax.tensor<[n, 6], f32>) -> !relax.tensor<[n, 6], f32>
  relax.return %1 : !relax.tensor<[n, 6], f32>
}

// CHECK:       #include <cblas.h>
// CHECK-NEXT:  #include <limits.h>
// CHECK:       by cblas */
// CHECK-NEXT:  static int layer_cblas(int64_t n, const float *restrict x, const float *restrict w,
// CHECK-NEXT:      const float *restrict b, float *restrict [[OUT:[a-z_]+]])
// CHECK-NEXT:  {
// CHECK-NEXT:      const int64_t rows = n, columns = 6, depth = 4;
// CHECK-NEXT:      if (rows > INT_MAX) {
// CHECK-NEXT:          set_error("cblas_sgemm: expected sizes up to %d", INT_MAX);
// CHECK-NEXT:          return -1;
// CHECK-NEXT:      }
// CHECK-NEXT:      if (rows == 0)
// CHECK-NEXT:          return 0;
// CHECK-NEXT:      for (int64_t row = 0; row < rows; ++row)
// CHECK-NEXT:          memcpy([[OUT]] + row * columns, b, (size_t)columns * sizeof *[[OUT]]);
// CHECK-NEXT:      if (rows == 1) {
// CHECK-NEXT:          cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)columns, (int)depth, 1, w, (int)depth, x, 1,
// CHECK-NEXT:              1, [[OUT]], 1);
// CHECK-NEXT:      } else {
// CHECK-NEXT:          cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)columns, (int)depth, 1,
// CHECK-NEXT:              x, (int)depth, w, (int)depth, 1, [[OUT]], (int)columns);
// CHECK-NEXT:      }
// CHECK-NEXT:      for (int64_t i = 0; i < rows * columns; ++i)
// CHECK-NEXT:          [[OUT]][i] = [[OUT]][i] < 0 ? 0 : [[OUT]][i];
// CHECK-NEXT:      return 0;
// CHECK-NEXT:  }

// Static sizes need no check; equal batches are a loop.

relax.func @batches(%x: !relax.tensor<[2, 3, 4], f64>, %w: !relax.tensor<[2, 4, 5], f64>) -> !relax.tensor<[2, 3, 5], f64> attributes {Codegen = "cblas"} {
  %0 = relax.matmul %x, %w : (!relax.tensor<[2, 3, 4], f64>, !relax.tensor<[2, 4, 5], f64>) -> !relax.tensor<[2, 3, 5], f64>
  relax.return %0 : !relax.tensor<[2, 3, 5], f64>
}

// CHECK:       static int batches_cblas(
// CHECK:           const int64_t rows = 3, columns = 5, depth = 4, count = 2;
// CHECK-NEXT:      for (int64_t batch = 0; batch < count; ++batch)
// CHECK-NEXT:          cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, (int)columns, (int)depth,
// CHECK-NEXT:              1, x + batch * (rows * depth), (int)depth, w + batch * (depth * columns),
// CHECK:           return 0;
