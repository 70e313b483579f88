// RUN: relax-opt %s -p relax-check-basic-block-normal-form | filecheck %s

// What is in basic block normal form: lets, constants, parameters and bindings go everywhere.

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
// CHECK-NEXT:   %g = relax.graph {
// CHECK-NEXT:     %one = relax.constant dense<1.000000e+00>
// CHECK-NEXT:     %two = relax.constant dense<2.000000e+00>
// CHECK-NEXT:     %a = relax.add %x, %one
// CHECK-NEXT:     %v = relax.let %a
// CHECK-NEXT:     %b = relax.equal %x, %two
// CHECK-NEXT:     %c = relax.let %b
// CHECK-NEXT:     %r = relax.if %c
// CHECK-NEXT:       %m = relax.multiply %v, %two
// CHECK-NEXT:       %s = relax.add %m, %m
// CHECK-NEXT:       relax.yield %s
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %v
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %g
// CHECK-NEXT: }

// A-normal form: two of its bindings are needed in branches.
relax.func @bindings(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %one = relax.constant dense<1.0> : tensor<f32>
  %two = relax.constant dense<2.0> : tensor<f32>
  %v = relax.add %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %c = relax.equal %x, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
    %m = relax.multiply %v, %two : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %s = relax.add %m, %m : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    relax.yield %s : !relax.tensor<[], f32>
  } else {
    relax.yield %v : !relax.tensor<[], f32>
  }
  relax.return %r : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @bindings(
// CHECK-NEXT:   %one = relax.constant dense<1.000000e+00>
// CHECK-NEXT:   %two = relax.constant dense<2.000000e+00>
// CHECK-NEXT:   %v = relax.add %x, %one
// CHECK-NEXT:   %c = relax.equal %x, %two
// CHECK-NEXT:   %r = relax.if %c
// CHECK-NEXT:     %m = relax.multiply %v, %two
// CHECK-NEXT:     %s = relax.add %m, %m
// CHECK-NEXT:     relax.yield %s
// CHECK-NEXT:   } else {
// CHECK-NEXT:     relax.yield %v
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
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
// CHECK-NEXT:   %g = relax.graph {
// CHECK-NEXT:     %l = relax.exp %x
// CHECK-NEXT:     %s = relax.add %l, %l
// CHECK-NEXT:     relax.output %s
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %g
// CHECK-NEXT: }

// Constants and parameters count as variables.
relax.func @constants(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %one = relax.constant dense<1.0> : tensor<f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %s = relax.add %x, %one : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %s : !relax.tensor<[], f32>
    } else {
      relax.yield %one : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @constants(
// CHECK-NEXT:   %g = relax.graph {
// CHECK-NEXT:     %one = relax.constant dense<1.000000e+00>
// CHECK-NEXT:     %r = relax.if %c
// CHECK-NEXT:       %s = relax.add %x, %one
// CHECK-NEXT:       relax.yield %s
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %one
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %g
// CHECK-NEXT: }
