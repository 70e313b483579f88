// RUN: relax-opt %s -p relax-to-a-normal-form | filecheck %s

// All blocks are dissolved, effects keep their order, bindings stay as they are.

// Blocks are dissolved; what a branch needs of them is evaluated outside of it, what nobody needs nowhere.
relax.func @blocks(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %a = relax.dataflow {
    %e = relax.exp %t : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %t = relax.tanh %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %e : !relax.tensor<[], f32>
  }
  %b = relax.binding_block {
    %n = relax.negative %a : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %unused = relax.negative %n : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %n : !relax.tensor<[], f32>
  }
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
    relax.yield %a : !relax.tensor<[], f32>
  } else {
    relax.yield %b : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @blocks(
// CHECK-NEXT:   %t = relax.tanh %x
// CHECK-NEXT:   %e = relax.exp %t
// CHECK-NEXT:   %n = relax.negative %e
// CHECK-NEXT:   %r = relax.if %c
// CHECK-NEXT:     relax.yield %e
// CHECK-NEXT:   } else {
// CHECK-NEXT:     relax.yield %n
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }

// Effects end a graph; a node used in a branch after one does not move over it.
relax.func @effects(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %a = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %u = relax.call_packed "store"(%a) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %b = relax.tanh %a : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %d = relax.negative %u : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
    relax.print %b : (!relax.tensor<[], f32>) -> ()
    %m = relax.multiply %b, %d : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.yield %m : !relax.tensor<[], f32>
  } else {
    relax.yield %x : !relax.tensor<[], f32>
  }
  %s = relax.add %r, %b : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %s : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @effects(
// CHECK-NEXT:   %a = relax.exp %x
// CHECK-NEXT:   %u = relax.call_packed "store"(%a)
// CHECK-NEXT:   %b = relax.tanh %a
// CHECK-NEXT:   %d = relax.negative %u
// CHECK-NEXT:   %r = relax.if %c
// CHECK-NEXT:     relax.print %b
// CHECK-NEXT:     %m = relax.multiply %b, %d
// CHECK-NEXT:     relax.yield %m
// CHECK-NEXT:   } else {
// CHECK-NEXT:     relax.yield %x
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = relax.add %r, %b
// CHECK-NEXT:   relax.return %s
// CHECK-NEXT: }

// The document's load and store, whose order bindings give: the sum stays after the store.
relax.func @load_store(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %one = relax.call_packed "load"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %two = relax.constant dense<2.0> : tensor<f32>
  %sum = relax.add %one, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %u = relax.call_packed "store"(%x, %sum) : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %three = relax.add %one, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %three : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @load_store(
// CHECK-NEXT:   %one = relax.call_packed "load"(%x)
// CHECK-NEXT:   %two = relax.constant dense<2.000000e+00>
// CHECK-NEXT:   %sum = relax.add %one, %two
// CHECK-NEXT:   %u = relax.call_packed "store"(%x, %sum)
// CHECK-NEXT:   %three = relax.add %one, %one
// CHECK-NEXT:   relax.return %three
// CHECK-NEXT: }

// What matches shapes is a variable, stays in its region and is not dropped.
relax.func @match(%x: !relax.object, %c: !relax.tensor<[], i1>) -> !relax.object {
  %g = relax.graph {
    %m = relax.match_cast %x : !relax.object -> !relax.tensor<[n], f32>
    %unused = relax.match_cast %x : !relax.object -> !relax.tensor<[?], f32>
    %e = relax.exp %m : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.object {
      relax.yield %e : !relax.tensor<[n], f32>
    } else {
      relax.yield %m : !relax.tensor<[n], f32>
    }
    relax.output %r : !relax.object
  }
  relax.return %g : !relax.object
}
// CHECK-LABEL: relax.func @match(
// CHECK-NEXT:   %m = relax.match_cast %x
// CHECK-NEXT:   %unused = relax.match_cast %x
// CHECK-NEXT:   %r = relax.if %c
// CHECK-NEXT:     %e = relax.exp %m
// CHECK-NEXT:     relax.yield %e
// CHECK-NEXT:   } else {
// CHECK-NEXT:     relax.yield %m
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }

// An op of another dialect is a node like any other; what is in its regions stays there.
relax.func @other_dialects(%x: tensor<4xf32>, %n: index, %f: f32) -> !relax.object {
  %g = relax.graph {
    %w = arith.addf %f, %f : f32
    %dead = arith.mulf %f, %f : f32
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %t = scf.for %i = %zero to %n step %one iter_args(%a = %f) -> (f32) {
      %s = arith.addf %a, %w : f32
      scf.yield %s : f32
    }
    %d = relax.tuple %t : (f32) -> tuple<f32>
    relax.output %d : tuple<f32>
  }
  relax.return %g : tuple<f32>
}
// CHECK-LABEL: relax.func @other_dialects(
// CHECK-NEXT:   %w = arith.addf %f, %f
// CHECK-NEXT:   %zero = arith.constant 0
// CHECK-NEXT:   %one = arith.constant 1
// CHECK-NEXT:   %t = scf.for %i = %zero to %n step %one iter_args(%a = %f) -> (f32) {
// CHECK-NEXT:     %s = arith.addf %a, %w
// CHECK-NEXT:     scf.yield %s
// CHECK-NEXT:   }
// CHECK-NEXT:   %d = relax.tuple %t
// CHECK-NEXT:   relax.return %d
// CHECK-NEXT: }
