// REQUIRES: z3
// RUN: relax-opt %s --prove --prove-over reals -p relax-recognize-operators -o %t.mlir 2>&1 | filecheck %s --check-prefix REALS
// RUN: relax-opt %t.mlir -p 'relax-prove{before="%s" over=reals}' 2>&1 | filecheck %s --check-prefix FILE
// RUN: relax-opt %s --prove -p relax-recognize-operators 2>&1 | filecheck %s --check-prefix FLOATS
// RUN: not relax-opt %s -p 'relax-prove{before="%s" over=halves}' 2>&1 | filecheck %s --check-prefix OPTION

// REALS: relax-recognize-operators: @quick_gelu: equal over the reals: not bit for bit for IEEE floats: element [{{[0-9]+}}, {{[0-9]+}}]: {{.*}} before, {{.*}} after
// REALS-NEXT: // relax-run -O0 FILE --entry quick_gelu_before
// REALS-NEXT: // relax-run -O0 FILE --entry quick_gelu_after
// REALS: relax.func @quick_gelu_before()
// REALS: relax.func @quick_gelu_after()
// REALS: relax.quick_gelu

// FILE: relax-prove: @quick_gelu: equal over the reals: not bit for bit for IEEE floats

// FLOATS: relax-recognize-operators: @quick_gelu: outside of the fragment: relax.quick_gelu, relax.sigmoid

// OPTION: relax-prove: over: expected floats or reals, found 'halves'; pass another one

relax.func @quick_gelu(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32> {
  %c = relax.constant dense<1.702> : tensor<f32>
  %0 = relax.multiply %x, %c : (!relax.tensor<[n, m], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, m], f32>
  %1 = relax.sigmoid %0 : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
  %2 = relax.multiply %x, %1 : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %2 : !relax.tensor<[n, m], f32>
}
