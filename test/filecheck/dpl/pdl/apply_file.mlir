// RUN: relax-opt %s -p 'relax-apply-pdl{file="%S/rules.mlir"}' | filecheck %s
// RUN: relax-opt %s -p 'apply-pdl{pdl-file="%S/rules.mlir"}' | filecheck %s

// CHECK-LABEL: relax.func @f
relax.func @f(%x: !relax.tensor<[n, 2 * (m floordiv 2)], f32>, %m: !relax.shape<[m]>) -> !relax.tensor<[n, 2 * (m floordiv 2)], f32> {
  // CHECK-NEXT: %out = relax.dataflow {
  // CHECK-NEXT:   %{{.*}} = relax.softmax %x {axis = -1 : i64} :
  // CHECK-NEXT:   relax.output
  %out = relax.dataflow {
    %a = relax.softmax %x {axis = 1 : i64} : (!relax.tensor<[n, 2 * (m floordiv 2)], f32>) -> !relax.tensor<[n, 2 * (m floordiv 2)], f32>
    %b = relax.negative %a : (!relax.tensor<[n, 2 * (m floordiv 2)], f32>) -> !relax.tensor<[n, 2 * (m floordiv 2)], f32>
    %c = relax.negative %b : (!relax.tensor<[n, 2 * (m floordiv 2)], f32>) -> !relax.tensor<[n, 2 * (m floordiv 2)], f32>
    relax.output %c : !relax.tensor<[n, 2 * (m floordiv 2)], f32>
  }
  relax.return %out : !relax.tensor<[n, 2 * (m floordiv 2)], f32>
}

// What no rule matches stays: another axis, another type, one negation.
// CHECK-LABEL: relax.func @stays
relax.func @stays(%x: !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32> {
  // CHECK-NEXT: %a = relax.softmax %x {axis = 1 : i64}
  // CHECK-NEXT: %b = relax.softmax %a {axis = 0 : i64}
  // CHECK-NEXT: %c = relax.negative %b
  %a = relax.softmax %x {axis = 1 : i64} : (!relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %b = relax.softmax %a {axis = 0 : i64} : (!relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %c = relax.negative %b : (!relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  relax.return %c : !relax.tensor<[4, 4], f32>
}
