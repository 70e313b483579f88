// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s -p relax-legalize | filecheck %s --check-prefix=LEGAL

// A scalar is a tensor of rank 0 for elementwise operators and indices, and an i1 a condition.
relax.func @scalars(%x: !relax.tensor<[n], f32>, %s: f32, %i: i64, %b: i1) -> !relax.tensor<[n], f32> {
  %0 = relax.add %x, %s : (!relax.tensor<[n], f32>, f32) -> !relax.tensor<[n], f32>
  %1 = relax.take %0, %i : (!relax.tensor<[n], f32>, i64) -> !relax.tensor<[], f32>
  %2 = relax.where %b, %1, %s : (i1, !relax.tensor<[], f32>, f32) -> !relax.tensor<[], f32>
  relax.assert_op %b : (i1) -> ()
  %3 = relax.if %b : (i1) -> !relax.tensor<[n], f32> {
    %4 = relax.multiply %2, %0 : (!relax.tensor<[], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %4 : !relax.tensor<[n], f32>
  } else {
    relax.yield %0 : !relax.tensor<[n], f32>
  }
  relax.return %3 : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @scalars(%x: !relax.tensor<[n], f32>, %s: f32, %i: i64, %b: i1) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %0 = relax.add %x, %s : (!relax.tensor<[n], f32>, f32) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    %1 = relax.take %0, %i : (!relax.tensor<[n], f32>, i64) -> !relax.tensor<[], f32>
// CHECK-NEXT:    %2 = relax.where %b, %1, %s : (i1, !relax.tensor<[], f32>, f32) -> !relax.tensor<[], f32>
// CHECK-NEXT:    relax.assert_op %b : (i1) -> ()
// CHECK-NEXT:    %3 = relax.if %b : (i1) -> !relax.tensor<[n], f32> {

// LEGAL:       %s_1 = relax.scalar_to_tensor %s : (f32) -> !relax.tensor<[], f32>
// LEGAL-NEXT:  %0 = relax.call_tir @add(%x, %s_1) : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], f32>
// LEGAL:       relax.if %b : (i1)

// A symbolic expression is a value, which may be negative.
relax.func @values(%x: !relax.tensor<[n, m], i64>) -> !relax.tensor<[n, m], i64> {
  %0 = relax.symbolic_value [n * 2 - m]
  %1 = "relax.symbolic_value"() <{expression = #relax.expr<-3>}> : () -> i64
  %2 = relax.add %x, %0 : (!relax.tensor<[n, m], i64>, i64) -> !relax.tensor<[n, m], i64>
  %3 = relax.multiply %2, %1 : (!relax.tensor<[n, m], i64>, i64) -> !relax.tensor<[n, m], i64>
  relax.return %3 : !relax.tensor<[n, m], i64>
}

// CHECK:       %0 = relax.symbolic_value [-m + 2 * n]{{$}}
// CHECK-NEXT:  %1 = relax.symbolic_value [-3]{{$}}
// CHECK-NEXT:  %2 = relax.add %x, %0 :
