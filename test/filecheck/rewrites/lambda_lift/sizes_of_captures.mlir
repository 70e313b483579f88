// RUN: relax-opt %s -p relax-lambda-lift | filecheck %s

// The closure names neither m nor n, but the type of what it captures does: its function is passed both.
// CHECK:      %[[sizes:.*]] = relax.shape [m, n]
// CHECK-NEXT: %f = relax.make_closure @main_f(%v, %[[sizes]])
// CHECK:      relax.func private @main_f(%v: !relax.tensor<[m + n], f32>, %{{.*}}: !relax.shape<[m, n]>, %a: !relax.tensor<[k], f32>)
relax.func @main(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>, %p: !relax.tensor<[], f32>) -> !relax.tensor<[?], f32> {
  %v = relax.concat %y, %x {axis = 0 : i64} : (!relax.tensor<[m], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[m + n], f32>
  %c = relax.less %p, %p : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
  %f = relax.closure [k] (%a: !relax.tensor<[k], f32>) -> !relax.tensor<[?], f32> {
    relax.return %v : !relax.tensor<[m + n], f32>
  }
  %g = relax.if %c : (!relax.tensor<[], i1>) -> !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[?], f32>> {
    relax.yield %f : !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[?], f32>>
  } else {
    relax.yield %f : !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[?], f32>>
  }
  %r = relax.call_closure %g, %y : (!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[?], f32>>, !relax.tensor<[m], f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}
