// RUN: relax-opt %s -p relax-to-graph-normal-form | filecheck %s

// The document's examples: a let keeps the place of a binding; a graph is left as it is.

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
// CHECK-NEXT:     %c = relax.equal %x, %two
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       %m = relax.multiply %a, %two
// CHECK-NEXT:       relax.yield %m
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %a
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
