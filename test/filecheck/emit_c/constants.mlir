// RUN: relax-opt %s -t c | filecheck %s

// Small constants stand in the text, exactly; what is the same everywhere takes no room; others
// are in the file of weights.
func.func @main(%r: memref<3xf32> {relax.result}, %s: memref<4096xf32> {relax.result},
    %t: memref<4096xi64> {relax.result}) attributes {relax.entry} {
  %a = memref.get_global @small : memref<3xf32>
  memref.copy %a, %r : memref<3xf32> to memref<3xf32>
  %b = memref.get_global @zeros : memref<4096xf32>
  memref.copy %b, %s : memref<4096xf32> to memref<4096xf32>
  %c = memref.get_global @sevens : memref<4096xi64>
  memref.copy %c, %t : memref<4096xi64> to memref<4096xi64>
  func.return
}
"memref.global"() <{sym_name = "small", sym_visibility = "private", type = memref<3xf32>,
  initial_value = dense<"0xCDCCCC3D0000C07FACC527B7"> : tensor<3xf32>, constant}> : () -> ()
"memref.global"() <{sym_name = "zeros", sym_visibility = "private", type = memref<4096xf32>,
  initial_value = dense<0.0> : tensor<4096xf32>, constant}> : () -> ()
"memref.global"() <{sym_name = "sevens", sym_visibility = "private", type = memref<4096xi64>,
  initial_value = dense<7> : tensor<4096xi64>, constant}> : () -> ()

// CHECK:      /* @small: 3xf32 */
// CHECK-NEXT: static const _Alignas(64) float small[3] = {0.1f, NAN, -1e-05f};
// CHECK:      /* @zeros: 4096xf32 */
// CHECK-NEXT: static _Alignas(64) float zeros[4096];
// CHECK:      /* @sevens: 4096xi64 */
// CHECK-NEXT: static _Alignas(64) int64_t sevens[4096];
// CHECK:      __attribute__((constructor)) static void fill_splats(void)
// CHECK-NEXT: {
// CHECK-NEXT:     for (size_t i = 0; i < 4096; ++i)
// CHECK-NEXT:         sevens[i] = 7;
// CHECK-NEXT: }
// CHECK:          memcpy(r, small, (size_t)3 * sizeof(float));
