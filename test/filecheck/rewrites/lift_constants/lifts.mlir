// RUN: relax-opt %s -p 'relax-lift-constants{file="%t.npz"}' | filecheck %s
// RUN: relax-opt %s -p 'relax-lift-constants{file="%t.npz"}' -t tvmscript | filecheck %s --check-prefix=SCRIPT
// RUN: relax-opt %s -p 'relax-lift-constants{file="%t.npz"},relax-bind-params{file="%t.npz"}' | filecheck %s --check-prefix=BACK
// RUN: not relax-opt %s -p 'relax-lift-constants{file="%t.npz" func=helper}' 2>&1 | filecheck %s --check-prefix=USED
// RUN: not relax-opt %s -p 'relax-lift-constants{file="%t.npz" func=narrow}' 2>&1 | filecheck %s --check-prefix=TYPE
// RUN: not relax-opt %s -p 'relax-lift-constants{file="%t.none/w.npz"}' 2>&1 | filecheck %s --check-prefix=FILE

// USED: relax-lift-constants: @helper: expected a function that is called from outside only, found uses in @main; inline the callers, or lift those of a copy
// TYPE: relax-lift-constants: 'w': expected an element type of numpy's, found bf16; lift_constants returns such arrays in Python
// FILE: relax-lift-constants: expected a file to write to, found

// The helper's table is one parameter for both calls; numbers stay.
relax.func @main(%x: !relax.tensor<[n, 2], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n, 2], f32> {
  %a = relax.dataflow {
    %w = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %lv = relax.multiply %x, %w : (!relax.tensor<[n, 2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[n, 2], f32>
    relax.output %lv : !relax.tensor<[n, 2], f32>
  }
  %b = relax.call @helper(%a) : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n, 2], f32> {
    %d = relax.call @helper(%b) : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    relax.yield %d : !relax.tensor<[n, 2], f32>
  } else {
    relax.yield %b : !relax.tensor<[n, 2], f32>
  }
  relax.return %r : !relax.tensor<[n, 2], f32>
}
relax.func private @helper(%x: !relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32> {
  %two = relax.constant dense<2.0> : tensor<f32>
  %x1 = relax.constant dense<[[3.0, 4.0]]> : tensor<1x2xf32>
  %s = relax.add %x, %x1 : (!relax.tensor<[n, 2], f32>, !relax.tensor<[1, 2], f32>) -> !relax.tensor<[n, 2], f32>
  %r = relax.multiply %s, %two : (!relax.tensor<[n, 2], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %r : !relax.tensor<[n, 2], f32>
}
relax.func @narrow() -> !relax.tensor<[1], bf16> {
  %w = relax.constant dense<1.0> : tensor<1xbf16>
  relax.return %w : !relax.tensor<[1], bf16>
}

// CHECK:       relax.func @main(%x: !relax.tensor<[n, 2], f32>, %c: !relax.tensor<[], i1>, %x1: !relax.tensor<[1, 2], f32>, %w: !relax.tensor<[2], f32>) -> !relax.tensor<[n, 2], f32> attributes {num_input = 2 : i64} {
// CHECK-NEXT:    %a = relax.dataflow {
// CHECK-NEXT:      %lv = relax.multiply %x, %w :
// CHECK:         relax.call @helper(%a, %x1) :
// CHECK:           relax.call @helper(%b, %x1) :
// CHECK:       relax.func private @helper(%x: !relax.tensor<[n, 2], f32>, %x1: !relax.tensor<[1, 2], f32>) -> !relax.tensor<[n, 2], f32> {
// CHECK-NEXT:    %two = relax.constant
// CHECK-NEXT:    %s = relax.add %x, %x1 :
// SCRIPT:      def main(x: R.Tensor(("n", 2), dtype="float32"), c: R.Tensor((), dtype="bool"), x1: R.Tensor((1, 2), dtype="float32"), w: R.Tensor((2,), dtype="float32")) -> R.Tensor(("n", 2), dtype="float32"):
// SCRIPT-NEXT:   R.func_attr({"num_input": 2})
// BACK:        relax.func @main(%x: !relax.tensor<[n, 2], f32>, %c: !relax.tensor<[], i1>) ->
// BACK-NEXT:     %x1 = relax.constant dense<{{\[\[}}3.000000e+00, 4.000000e+00]]> : tensor<1x2xf32>
// BACK-NEXT:     %w = relax.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
