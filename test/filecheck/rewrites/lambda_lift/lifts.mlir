// RUN: relax-opt %s -p relax-lambda-lift | filecheck %s

relax.func @direct(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %f = relax.closure (%y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    %z = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.return %z : !relax.tensor<[n], f32>
  }
  %r = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}
// The captured n stands bare in no captured value; k is the closure's own.
relax.func @returned(%x: !relax.tensor<[n], f32>) -> !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k + n], f32>> {
  %f = relax.closure [k] (%y: !relax.tensor<[k], f32>) -> !relax.tensor<[k + n], f32> {
    %z = relax.call_pure_packed "pad"(%y) : (!relax.tensor<[k], f32>) -> !relax.tensor<[k + n], f32>
    relax.return %z : !relax.tensor<[k + n], f32>
  }
  relax.return %f : !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k + n], f32>>
}
// Effects stay those of the call; a call in another block goes through the value.
relax.func @effects(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %f = relax.closure (%y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> impure {
    relax.print %y, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> ()
    relax.return %y : !relax.tensor<[n], f32>
  }
  %r = relax.binding_block {
    %a = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>, impure>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %a : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @direct(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %f = relax.make_closure @direct_f(%x) : (!relax.tensor<[n], f32>) -> !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
// CHECK-NEXT:    %r = relax.call @direct_f(%x, %x) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    relax.return %r : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func private @direct_f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {relax.place = "@direct: relax.closure (%f)"} {
// CHECK-NEXT:    %z = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    relax.return %z : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @returned(%x: !relax.tensor<[n], f32>) -> !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k + n], f32>> {
// CHECK-NEXT:    %0 = relax.shape [n]
// CHECK-NEXT:    %f = relax.make_closure @returned_f(%0) : (!relax.shape<[n]>) -> !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k + n], f32>>
// CHECK-NEXT:    relax.return %f : !relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k + n], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func private @returned_f(%0: !relax.shape<[n]>, %y: !relax.tensor<[k], f32>) -> !relax.tensor<[k + n], f32> attributes {relax.place = "@returned: relax.closure (%f)"} {
// CHECK-NEXT:    %z = relax.call_pure_packed "pad"(%y) : (!relax.tensor<[k], f32>) -> !relax.tensor<[k + n], f32>
// CHECK-NEXT:    relax.return %z : !relax.tensor<[k + n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @effects(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %f = relax.make_closure @effects_f(%x) : (!relax.tensor<[n], f32>) -> !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>, impure>
// CHECK-NEXT:    %r = relax.binding_block {
// CHECK-NEXT:      %a = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>, impure>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %a : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %r : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func private @effects_f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {relax.place = "@effects: relax.closure (%f)"} {
// CHECK-NEXT:    relax.print %y, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> ()
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
