// RUN: relax-opt %s -p relax-to-basic-block-normal-form,relax-check-basic-block-normal-form | filecheck %s

// Nodes stand where they are evaluated: the least common ancestor of their uses.

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
// CHECK-NEXT:   %f = relax.graph {
// CHECK-NEXT:     %f_1 = relax.closure
// CHECK-NEXT:       %l = relax.exp %x
// CHECK-NEXT:       %s = relax.add %y, %l
// CHECK-NEXT:       relax.return %s
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %f_1
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
// CHECK-NEXT:   %f = relax.graph {
// CHECK-NEXT:     %l = relax.exp %x
// CHECK-NEXT:     %v = relax.let %l
// CHECK-NEXT:     %f_1 = relax.closure
// CHECK-NEXT:       %s = relax.add %y, %v
// CHECK-NEXT:       relax.return %s
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %f_1
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
// CHECK-NEXT:   %r = relax.graph {
// CHECK-NEXT:     %one = relax.constant dense<1.000000e+00>
// CHECK-NEXT:     %c = relax.equal %x, %one
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       relax.yield %x
// CHECK-NEXT:     } else {
// CHECK-NEXT:       %less = relax.subtract %x, %one
// CHECK-NEXT:       %call = relax.call @myfunc(%less)
// CHECK-NEXT:       %sum = relax.add %call, %call
// CHECK-NEXT:       relax.yield %sum
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }

// One branch in another: each node goes into the innermost that all its uses share.
relax.func @nested(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>, %d: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %all = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %both = relax.tanh %all : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %inner = relax.negative %both : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %q = relax.if %d : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
        %m = relax.multiply %inner, %both : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
        relax.yield %m : !relax.tensor<[], f32>
      } else {
        relax.yield %both : !relax.tensor<[], f32>
      }
      relax.yield %q : !relax.tensor<[], f32>
    } else {
      relax.yield %all : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @nested(
// CHECK-NEXT:   %r = relax.graph {
// CHECK-NEXT:     %all = relax.exp %x
// CHECK-NEXT:     %all_1 = relax.let %all
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       %both = relax.tanh %all_1
// CHECK-NEXT:       %both_1 = relax.let %both
// CHECK-NEXT:       %q = relax.if %d
// CHECK-NEXT:         %inner = relax.negative %both_1
// CHECK-NEXT:         %m = relax.multiply %inner, %both_1
// CHECK-NEXT:         relax.yield %m
// CHECK-NEXT:       } else {
// CHECK-NEXT:         relax.yield %both_1
// CHECK-NEXT:       }
// CHECK-NEXT:       relax.yield %q
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %all_1
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }

// In basic block normal form already; what stands after its use is put before it.
relax.func @no_order(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %b = relax.exp %a : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %a = relax.tanh %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.output %b : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @no_order(
// CHECK-NEXT:   %b = relax.graph {
// CHECK-NEXT:     %a = relax.tanh %x
// CHECK-NEXT:     %b_1 = relax.exp %a
// CHECK-NEXT:     relax.output %b_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %b
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
// CHECK-NEXT:   %d = relax.graph {
// CHECK-NEXT:     %w = arith.addf %f, %f
// CHECK-NEXT:     %w_1 = relax.let %w
// CHECK-NEXT:     %zero = arith.constant 0
// CHECK-NEXT:     %one = arith.constant 1
// CHECK-NEXT:     %t = scf.for %i = %zero to %n step %one iter_args(%a = %f) -> (f32) {
// CHECK-NEXT:       %s = arith.addf %a, %w_1
// CHECK-NEXT:       scf.yield %s
// CHECK-NEXT:     }
// CHECK-NEXT:     %d_1 = relax.tuple %t
// CHECK-NEXT:     relax.output %d_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %d
// CHECK-NEXT: }
