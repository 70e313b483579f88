// RUN: relax-opt %s -p 'relax-bind-symbolic-vars{vars=n,m sizes=4,8}' | filecheck %s

relax.func @main(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[m * n], f32> {
  %y = relax.dataflow {
    %y = relax.flatten %x : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[m * n], f32>
    relax.output %y : !relax.tensor<[m * n], f32>
  }
  relax.return %y : !relax.tensor<[m * n], f32>
}
// The caller's types stay: what is not proved any more is checked.
relax.func @caller(%x: !relax.tensor<[a, m], f32>, %u: !relax.tensor<[?], f32>) -> !relax.tensor<[a * m], f32> {
  %y = relax.call @main(%x) : (!relax.tensor<[a, m], f32>) -> !relax.tensor<[a * m], f32>
  %c = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
  relax.return %y : !relax.tensor<[a * m], f32>
}
relax.func private @other(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @main(%x: !relax.tensor<[4, 8], f32>) -> !relax.tensor<[32], f32> {
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %y_1 = relax.flatten %x : (!relax.tensor<[4, 8], f32>) -> !relax.tensor<[32], f32>
// CHECK-NEXT:      relax.output %y_1 : !relax.tensor<[32], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[32], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @caller(%x: !relax.tensor<[a, 8], f32>, %u: !relax.tensor<[?], f32>) -> !relax.tensor<[8 * a], f32> {
// CHECK-NEXT:    %y = relax.call @main(%x) : (!relax.tensor<[a, 8], f32>) -> !relax.tensor<[32], f32>
// CHECK-NEXT:    %y_1 = relax.match_cast %y : !relax.tensor<[32], f32> -> !relax.tensor<[8 * a], f32>
// CHECK-NEXT:    %c = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[8], f32>
// CHECK-NEXT:    relax.return %y_1 : !relax.tensor<[8 * a], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func private @other(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    relax.return %x : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
