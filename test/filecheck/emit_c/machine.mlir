// RUN: relax-opt %s -t "c{cpu=x86-64-v4}" | filecheck %s --check-prefix V4
// RUN: relax-opt %s -t "c{cpu=generic}" | filecheck %s --check-prefix GENERIC
// RUN: relax-opt %s -t "c{cpu=aarch64}" | filecheck %s --check-prefix GENERIC
// RUN: not relax-opt %s -t "c{cpu=x86-64-v1}" 2>&1 | filecheck %s --check-prefix UNKNOWN

// An entry point first asks whether the machine has what the file was compiled for.
func.func @f(%x: memref<4xf32>) attributes {relax.entry} {
  func.return
}

// V4:      /* model.c: emitted from loop-level IR for x86-64-v4
// V4:      {{^}}int model_f(const DLTensor *x)
// V4-NEXT: {
// V4-NEXT:     if (model_check_cpu() != 0)
// V4-NEXT:         return -1;
// V4:      {{^}}const char *model_built_for(void)
// V4-NEXT: {
// V4-NEXT:     return "x86-64-v4";
// V4-NEXT: }
// V4:      {{^}}static const char *missing_feature(void)
// V4:          {"avx2", 0x7, 0, 1, 5, 0x6},
// V4-NEXT:     {"bmi2", 0x7, 0, 1, 8, 0x0},
// V4-NEXT:     {"fma", 0x1, 0, 2, 12, 0x6},
// V4-NEXT:     {"avx512f", 0x7, 0, 1, 16, 0xe6},
// V4:      {{^}}int model_check_cpu(void)
// V4-NEXT: {
// V4-NEXT: #if defined(__GNUC__) && defined(__AVX2__)

// GENERIC:      {{^}}int model_f(const DLTensor *x)
// GENERIC-NEXT: {
// GENERIC-NOT:  model_check_cpu() != 0
// GENERIC:      {{^}}int model_check_cpu(void)
// GENERIC-NEXT: {
// GENERIC-NEXT:     return 0;

// UNKNOWN: error: cpu 'x86-64-v1': expected one of native, x86-64-v3, x86-64-v4, aarch64, generic; is x86-64-v{{.}} meant?
