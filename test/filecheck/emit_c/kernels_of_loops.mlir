// RUN: relax-opt %s -p relax-to-loops -t c | filecheck %s

// A kernel with a long loop that a loop calls is a function with registers of its own; one of a number is not.

relax.func @main(%k: !relax.tensor<[], i64>, %x: !relax.tensor<[100], f32>) -> !relax.tensor<[100], f32> {
  %i, %y = relax.while (%n = %k, %s = %x) : (!relax.tensor<[], i64>, !relax.tensor<[100], f32>) -> (!relax.tensor<[], i64>, !relax.tensor<[100], f32>) {
    %zero = relax.constant dense<0> : tensor<i64>
    %more = relax.greater %n, %zero : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i1>
    relax.yield %more : !relax.tensor<[], i1>
  } do {
    %one = relax.constant dense<1> : tensor<i64>
    %next = relax.subtract %n, %one : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i64>
    %t = relax.multiply %s, %s : (!relax.tensor<[100], f32>, !relax.tensor<[100], f32>) -> !relax.tensor<[100], f32>
    relax.yield %next, %t : !relax.tensor<[], i64>, !relax.tensor<[100], f32>
  }
  %z = relax.negative %y : (!relax.tensor<[100], f32>) -> !relax.tensor<[100], f32>
  relax.return %z : !relax.tensor<[100], f32>
}

// CHECK:         #define NOINLINE __attribute__((noinline))
// CHECK:         NOINLINE
// CHECK-NEXT:    static void multiply
// CHECK-NOT:     NOINLINE
