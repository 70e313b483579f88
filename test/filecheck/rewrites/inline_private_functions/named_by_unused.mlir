// RUN: relax-opt %s -p relax-lambda-lift,relax-inline-private-functions | filecheck %s
// RUN: relax-opt %s -p relax-lambda-lift,relax-inline-private-functions,relax-dce | filecheck %s --check-prefix=DEAD

// @h0 has no users, and names @h0_f beside the call that is inlined: both stay until dead code is removed.

relax.func private @h0(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %f = relax.closure (%v: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    %z = relax.add %v, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.return %z : !relax.tensor<[n], f32>
  }
  %r = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK:      relax.func private @h0(
// CHECK-NEXT:   %f = relax.make_closure @h0_f(%x)
// CHECK-NEXT:   %z = relax.add %x, %x
// CHECK:      relax.func private @h0_f(
// DEAD-NOT:   @h0
// DEAD:       relax.func @main
