// RUN: relax-opt %s -t c | filecheck %s

// A declaration becomes a C function that calls what is registered, and checks and copies the result.

func.func @main(%x: memref<2xf32>) -> memref<?x4xi64> attributes {relax.entry} {
  %any = memref.cast %x : memref<2xf32> to memref<?xf32>
  %y = func.call @packed_f(%any) : (memref<?xf32>) -> memref<?x4xi64>
  func.return %y : memref<?x4xi64>
}
func.func private @packed_f(memref<?xf32>) -> memref<?x4xi64> attributes {relax.packed = "f"}

// CHECK:       {"f", "@packed_f", NULL, NULL},

// CHECK:       static int main_(const float *restrict x, int64_t **result, int64_t *result_d0)
// CHECK:           if (packed_f(x, 2, &y, &y_d0) != 0)
// CHECK-NEXT:          goto fail;
// CHECK-NEXT:      attach(&live, y);

// CHECK:       static int packed_f(const float *arg0, int64_t arg0_d0, int64_t **result, int64_t *result_d0)
// CHECK:           const DLTensor arg0_t = tensor_of(arg0, kDLFloat, 32, 1, (int64_t[]){arg0_d0});
// CHECK-NEXT:      const DLTensor *const args[] = {&arg0_t};
// CHECK-NEXT:      DLTensor given = tensor_of(NULL, 0, 0, 0, NULL);
// CHECK-NEXT:      if (call_packed("f", packed_functions[0].function,
// CHECK-NEXT:              packed_functions[0].context, args, 1, &given) != 0)
// CHECK-NEXT:          return -1;
// CHECK-NEXT:      *result = take_result("packed function 'f': result", &given,
// CHECK-NEXT:          kDLInt, 64, "i64", 2, "[\077, 4]", (const int64_t[]){-1, 4});
// CHECK-NEXT:      if (*result == NULL)
// CHECK-NEXT:          return -1;
// CHECK-NEXT:      *result_d0 = given.shape[0];
// CHECK-NEXT:      return 0;

// CHECK:       int model_register(const char *name, model_packed function, void *context)
