// RUN: relax-opt %s -p relax-lambda-lift | filecheck %s
// RUN: relax-opt %s -p relax-lambda-lift,relax-defunctionalize,relax-dce | filecheck %s --check-prefix=TUPLE

// A call of an impure closure is evaluated even if its result is unused. The body has no effect, so an unused
// direct call would be dropped with its check: the call stays indirect, and defunctionalization keeps it by a match.

// CHECK-LABEL: relax.func @main(
// CHECK:         %f = relax.make_closure @main_f(%0)
// CHECK-NEXT:    %r = relax.call_closure %f, %x
// TUPLE-LABEL: relax.func @main(
// TUPLE:         %r = relax.call @main_f(
// TUPLE-NEXT:    %{{.*}} = relax.match_cast %r : !relax.tensor<[?], f32> -> !relax.tensor<[?], f32>
relax.func @main(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %f = relax.closure (%p: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> impure {
    %c = relax.match_cast %p : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    relax.return %p : !relax.tensor<[?], f32>
  }
  %r = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>, impure>, !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// With an effect in its body the call is direct.

// CHECK-LABEL: relax.func @prints(
// CHECK:         relax.call @prints_f(%0, %x)
relax.func @prints(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %f = relax.closure (%p: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> impure {
    relax.print %p : (!relax.tensor<[n], f32>) -> ()
    relax.return %p : !relax.tensor<[n], f32>
  }
  %r = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>, impure>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %x : !relax.tensor<[n], f32>
}
