// RUN: relax-opt %s -p relax-lambda-lift,relax-defunctionalize | filecheck %s

// Each call wraps the function value into another one: no tuple is long enough for all of them, they are handles.

relax.func private @wrap(%c: !relax.tensor<[], i1>, %f: !relax.func<() -> !relax.tensor<[], i1>>) -> !relax.tensor<[], i1> {
  %g = relax.closure () -> !relax.tensor<[], i1> {
    %0 = relax.call_closure %f : (!relax.func<() -> !relax.tensor<[], i1>>) -> !relax.tensor<[], i1>
    relax.return %0 : !relax.tensor<[], i1>
  }
  %r = relax.call @wrap(%c, %g) : (!relax.tensor<[], i1>, !relax.func<() -> !relax.tensor<[], i1>>) -> !relax.tensor<[], i1>
  relax.return %r : !relax.tensor<[], i1>
}
relax.func @main(%c: !relax.tensor<[], i1>) -> !relax.tensor<[], i1> {
  %f = relax.closure () -> !relax.tensor<[], i1> {
    relax.return %c : !relax.tensor<[], i1>
  }
  %r = relax.call @wrap(%c, %f) : (!relax.tensor<[], i1>, !relax.func<() -> !relax.tensor<[], i1>>) -> !relax.tensor<[], i1>
  relax.return %r : !relax.tensor<[], i1>
}

// CHECK:       relax.func private @wrap(%c: !relax.tensor<[], i1>, %f: !relax.func<() -> !relax.tensor<[], i1>>)
// CHECK-NEXT:    %g = relax.make_closure @wrap_g(%f)
// CHECK-NEXT:    %r = relax.call @wrap(%c, %g)
// CHECK:       relax.func private @wrap_g(%f: !relax.func<() -> !relax.tensor<[], i1>>)
// CHECK-NEXT:    relax.call_closure %f

// A public function takes and gives handles; calls inside reach its twin, where functions are tuples.

relax.func @adder(%x: !relax.tensor<[n], f32>) -> !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>> {
  %f = relax.closure (%y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    %0 = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.return %0 : !relax.tensor<[n], f32>
  }
  relax.return %f : !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
}
relax.func @inside(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %f = relax.call @adder(%x) : (!relax.tensor<[n], f32>) -> !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
  %y = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @adder(%x: !relax.tensor<[n], f32>) -> !relax.func<
// CHECK-NEXT:    %f = relax.make_closure @adder_f(%x)
// CHECK-NEXT:    relax.return %f : !relax.func<
// CHECK:       relax.func private @adder_1(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[?], f32>>
// CHECK-NEXT:    relax.tuple %x
// CHECK:       relax.func @inside
// CHECK-NEXT:    relax.call @adder_1(%x)
// CHECK-NEXT:    relax.tuple_get_item
// CHECK-NEXT:    relax.call @adder_f(
