// RUN: relax-opt %s -p relax-to-basic-block-normal-form,relax-check-basic-block-normal-form | filecheck %s

// The document's examples, from all forms, and the cases of its discussion.

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
// CHECK-NEXT:   %r = relax.graph {
// CHECK-NEXT:     %one = relax.constant dense<1.000000e+00>
// CHECK-NEXT:     %two = relax.constant dense<2.000000e+00>
// CHECK-NEXT:     %a = relax.add %x, %one
// CHECK-NEXT:     %a_1 = relax.let %a
// CHECK-NEXT:     %c = relax.equal %x, %two
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       %m = relax.multiply %a_1, %two
// CHECK-NEXT:       relax.yield %m
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %a_1
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
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
// CHECK-NEXT:   %r = relax.graph {
// CHECK-NEXT:     %one = relax.constant dense<1.000000e+00>
// CHECK-NEXT:     %two = relax.constant dense<2.000000e+00>
// CHECK-NEXT:     %v = relax.add %x, %one
// CHECK-NEXT:     %v_1 = relax.let %v
// CHECK-NEXT:     %c = relax.equal %x, %two
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       %m = relax.multiply %v_1, %two
// CHECK-NEXT:       %s = relax.add %m, %m
// CHECK-NEXT:       relax.yield %s
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %v_1
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
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
// CHECK-NEXT:   %r = relax.graph {
// CHECK-NEXT:     %one = relax.constant dense<1.000000e+00>
// CHECK-NEXT:     %two = relax.constant dense<2.000000e+00>
// CHECK-NEXT:     %a = relax.add %x, %one
// CHECK-NEXT:     %v = relax.let %a
// CHECK-NEXT:     %b = relax.equal %x, %two
// CHECK-NEXT:     %r_1 = relax.if %b
// CHECK-NEXT:       %m = relax.multiply %v, %two
// CHECK-NEXT:       %s = relax.add %m, %m
// CHECK-NEXT:       relax.yield %s
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %v
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }

// The discussion: the sum is used by the condition and in both branches.
relax.func @main(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %sum = relax.add %x, %y : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %zero = relax.constant dense<0.0> : tensor<f32>
    %c = relax.less %sum, %zero : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], i1>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %p = relax.multiply %sum, %x : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %p : !relax.tensor<[], f32>
    } else {
      %q = relax.multiply %sum, %y : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      relax.yield %q : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @main(
// CHECK-NEXT:   %r = relax.graph {
// CHECK-NEXT:     %sum = relax.add %x, %y
// CHECK-NEXT:     %sum_1 = relax.let %sum
// CHECK-NEXT:     %zero = relax.constant dense<0.000000e+00>
// CHECK-NEXT:     %c = relax.less %sum_1, %zero
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       %p = relax.multiply %sum_1, %x
// CHECK-NEXT:       relax.yield %p
// CHECK-NEXT:     } else {
// CHECK-NEXT:       %q = relax.multiply %sum_1, %y
// CHECK-NEXT:       relax.yield %q
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
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
// CHECK-NEXT:   %s = relax.graph {
// CHECK-NEXT:     %p = relax.multiply %x, %x
// CHECK-NEXT:     %s_1 = relax.add %p, %y
// CHECK-NEXT:     relax.output %s_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %s
// CHECK-NEXT: }

relax.func @a_normal_form(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %v = relax.multiply %x, %x : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %w = relax.add %v, %y : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %w : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @a_normal_form(
// CHECK-NEXT:   %w = relax.graph {
// CHECK-NEXT:     %v = relax.multiply %x, %x
// CHECK-NEXT:     %w_1 = relax.add %v, %y
// CHECK-NEXT:     relax.output %w_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %w
// CHECK-NEXT: }
