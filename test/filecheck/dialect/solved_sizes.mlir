// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: relax-run %s --backend interpret --entry main --random h=2,n=3,k=1 | filecheck %s --check-prefix=RUNS
// RUN: relax-run %s --entry main --random h=2,n=3,k=1 | filecheck %s --check-prefix=RUNS
// RUN: relax-opt %s -p relax-to-loops | filecheck %s --check-prefix=LOOPS
// RUN: relax-opt %s -p relax-to-loops -t c | filecheck %s --check-prefix=EMITS
// RUN: not relax-run %s --entry main --random n=3,k=1 2>&1 | filecheck %s --check-prefix=MISSING

// The parameters define h, which no size of theirs is, and k, from a sum that has h.
relax.func @main(%x: !relax.tensor<[n, 4 * h], f32>, %y: !relax.tensor<[h + k], f32>) -> !relax.shape<[n, h, k]> {
  %s = relax.shape [n, h, k]
  relax.return %s : !relax.shape<[n, h, k]>
}
// CHECK:      relax.func @main(%x: !relax.tensor<[n, 4 * h], f32>, %y: !relax.tensor<[h + k], f32>) -> !relax.shape<[n, h, k]> {
// CHECK-NEXT:   %s = relax.shape [n, h, k]
// RUNS:    3
// RUNS:    2
// RUNS:    1
// LOOPS: func.func @main(%n: index {relax.symbol = "n"}, %h: index {relax.symbol = "h"}, %k: index {relax.symbol = "k"}, %x: memref<?x?xf32> {relax.dims = ["n", "4 * h"], relax.name = "x"}, %y: memref<?xf32> {relax.dims = ["h + k"], relax.name = "y"})
// EMITS:      const int64_t n = x->shape[0];
// EMITS-NEXT: const int64_t h = solve_size(x->shape[1], 0, 4);
// EMITS-NEXT: const int64_t k = solve_size(y->shape[0], h, 1);
// EMITS-NEXT: if (check_solved("@main: argument 'x'", 1, x->shape[1], 4 * h, "4 * h", "h") != 0)
// EMITS-NEXT:   return -1;
// EMITS-NEXT: if (check_solved("@main: argument 'y'", 0, y->shape[0], h + k, "h + k", "k") != 0)
// MISSING: error: argument 'x': expected a size for 'h' in !relax.tensor<[n, 4 * h], f32>, found none; pass it as in --random h=7
