// RUN: relax-opt %s -p relax-to-a-normal-form | filecheck %s

// The document's examples.

// Graph form, where %1 has no place.
relax.func @graph(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %one = relax.constant dense<1.0> : tensor<f32>
    %two = relax.constant dense<2.0> : tensor<f32>
    %a = relax.add %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %c = relax.equal %x, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %m = relax.multiply %a, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %m : !relax.tensor<[], f32>
    } else {
      relax.yield %a : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @graph(
// CHECK-NEXT:   %one = relax.constant dense<1.000000e+00>
// CHECK-NEXT:   %two = relax.constant dense<2.000000e+00>
// CHECK-NEXT:   %a = relax.add %x, %one
// CHECK-NEXT:   %c = relax.equal %x, %two
// CHECK-NEXT:   %r = relax.if %c
// CHECK-NEXT:     %m = relax.multiply %a, %two
// CHECK-NEXT:     relax.yield %m
// CHECK-NEXT:   } else {
// CHECK-NEXT:     relax.yield %a
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }

// The discussion: the let of %c can be removed, for the condition belongs to the block of the if.
relax.func @needless(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %one = relax.constant dense<1.0> : tensor<f32>
    %two = relax.constant dense<2.0> : tensor<f32>
    %a = relax.add %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %v = relax.let %a : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %b = relax.equal %x, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
    %c = relax.let %b : (!relax.tensor<[], i1>) -> !relax.tensor<[], i1>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %m = relax.multiply %v, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      %s = relax.add %m, %m : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %s : !relax.tensor<[], f32>
    } else {
      relax.yield %v : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @needless(
// CHECK-NEXT:   %one = relax.constant dense<1.000000e+00>
// CHECK-NEXT:   %two = relax.constant dense<2.000000e+00>
// CHECK-NEXT:   %a = relax.add %x, %one
// CHECK-NEXT:   %b = relax.equal %x, %two
// CHECK-NEXT:   %r = relax.if %b
// CHECK-NEXT:     %m = relax.multiply %a, %two
// CHECK-NEXT:     %s = relax.add %m, %m
// CHECK-NEXT:     relax.yield %s
// CHECK-NEXT:   } else {
// CHECK-NEXT:     relax.yield %a
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }

// The document's add(?, mul(?, ?)) in both forms.
relax.func @graph_form(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %p = relax.multiply %x, %x : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %s = relax.add %p, %y : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %s : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @graph_form(
// CHECK-NEXT:   %p = relax.multiply %x, %x
// CHECK-NEXT:   %s = relax.add %p, %y
// CHECK-NEXT:   relax.return %s
// CHECK-NEXT: }

relax.func @a_normal_form(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %v = relax.multiply %x, %x : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %w = relax.add %v, %y : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %w : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @a_normal_form(
// CHECK-NEXT:   %v = relax.multiply %x, %x
// CHECK-NEXT:   %w = relax.add %v, %y
// CHECK-NEXT:   relax.return %w
// CHECK-NEXT: }

// A node used twice is evaluated once.
relax.func @shared(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %l = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %s = relax.add %l, %l : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %s : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @shared(
// CHECK-NEXT:   %l = relax.exp %x
// CHECK-NEXT:   %s = relax.add %l, %l
// CHECK-NEXT:   relax.return %s
// CHECK-NEXT: }

// The document's closures: where %l is computed is open.
relax.func @closure(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = relax.graph {
    %l = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %f = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
      %s = relax.add %y, %l : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.return %s : !relax.tensor<[], f32>
    }
    relax.output %f : !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>
  }
  relax.return %g : !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>
}
// CHECK-LABEL: relax.func @closure(
// CHECK-NEXT:   %f = relax.closure
// CHECK-NEXT:     %l = relax.exp %x
// CHECK-NEXT:     %s = relax.add %y, %l
// CHECK-NEXT:     relax.return %s
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %f
// CHECK-NEXT: }

// Fixed by a let, outside of the closure.
relax.func @closure_with_let(%x: !relax.tensor<[], f32>) -> !relax.object {
  %g = relax.graph {
    %l = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %v = relax.let %l : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %f = relax.closure (%y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
      %s = relax.add %y, %v : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.return %s : !relax.tensor<[], f32>
    }
    relax.output %f : !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>
  }
  relax.return %g : !relax.func<(!relax.tensor<[], f32>) -> !relax.tensor<[], f32>>
}
// CHECK-LABEL: relax.func @closure_with_let(
// CHECK-NEXT:   %l = relax.exp %x
// CHECK-NEXT:   %f = relax.closure
// CHECK-NEXT:     %s = relax.add %y, %l
// CHECK-NEXT:     relax.return %s
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %f
// CHECK-NEXT: }

// The document's recursive function: the call is needed in one branch, and sinks into it.
relax.func @myfunc(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %one = relax.constant dense<1.0> : tensor<f32>
    %c = relax.equal %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
    %less = relax.subtract %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %call = relax.call @myfunc(%less) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %sum = relax.add %call, %call : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      relax.yield %x : !relax.tensor<[], f32>
    } else {
      relax.yield %sum : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @myfunc(
// CHECK-NEXT:   %one = relax.constant dense<1.000000e+00>
// CHECK-NEXT:   %c = relax.equal %x, %one
// CHECK-NEXT:   %r = relax.if %c
// CHECK-NEXT:     relax.yield %x
// CHECK-NEXT:   } else {
// CHECK-NEXT:     %less = relax.subtract %x, %one
// CHECK-NEXT:     %call = relax.call @myfunc(%less)
// CHECK-NEXT:     %sum = relax.add %call, %call
// CHECK-NEXT:     relax.yield %sum
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }
