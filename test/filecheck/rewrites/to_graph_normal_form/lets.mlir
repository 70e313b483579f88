// RUN: relax-opt %s -p relax-to-graph-normal-form | filecheck %s
// RUN: relax-opt %s -p relax-to-graph-normal-form,relax-to-graph-normal-form | filecheck %s

// A let stays where it pins something: a node evaluated in its region, with a use further in.

// What is used in its region alone, or is a variable, needs none; nor does a second let of one value.
relax.func @needless(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %p = relax.let %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %e = relax.exp %p : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %here = relax.let %e : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %t = relax.tanh %here : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %first = relax.let %t : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %again = relax.let %first : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %second = relax.let %t : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      relax.yield %again : !relax.tensor<[], f32>
    } else {
      relax.yield %second : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @needless(
// CHECK-NEXT:   %r = relax.graph {
// CHECK-NEXT:     %e = relax.exp %x
// CHECK-NEXT:     %t = relax.tanh %e
// CHECK-NEXT:     %first = relax.let %t
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       relax.yield %first
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %first
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1

// %e is needed in both branches, so outside of them: the let inside says nothing.
relax.func @needed_outside(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %e = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %v = relax.let %e : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      %s = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
        relax.yield %v : !relax.tensor<[], f32>
      } else {
        relax.yield %x : !relax.tensor<[], f32>
      }
      relax.yield %s : !relax.tensor<[], f32>
    } else {
      relax.yield %e : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @needed_outside(
// CHECK-NOT:     relax.let
// CHECK:         relax.return

// %e stands outside of the branch, but the let has it evaluated in it, not further in; %u sinks, and
// %n is evaluated here although all that uses it directly is %u.
relax.func @pinned(%x: !relax.tensor<[], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
  %g = relax.graph {
    %e = relax.exp %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %n = relax.negative %x : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %w = relax.let %n : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %u = relax.tanh %w : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
      %v = relax.let %e : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
      %s = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[], f32> {
        relax.yield %v : !relax.tensor<[], f32>
      } else {
        relax.yield %u : !relax.tensor<[], f32>
      }
      relax.yield %s : !relax.tensor<[], f32>
    } else {
      relax.yield %x : !relax.tensor<[], f32>
    }
    relax.output %r : !relax.tensor<[], f32>
  }
  relax.return %g : !relax.tensor<[], f32>
}
// CHECK-LABEL: relax.func @pinned(
// CHECK:         %n = relax.negative %x
// CHECK-NEXT:    %w = relax.let %n
// CHECK-NEXT:    %u = relax.tanh %w
// CHECK-NEXT:    %r_1 = relax.if %c
// CHECK-NEXT:      %v = relax.let %e
// CHECK-NEXT:      %s = relax.if %c
// CHECK-NEXT:        relax.yield %v
// CHECK-NEXT:      } else {
// CHECK-NEXT:        relax.yield %u

// A graph passes values out in the order of its text, lets after the op that they name; so the form stays as
// it is when it is made again.

// CHECK-LABEL: relax.func @order(
// CHECK-NEXT:    %b, %a, %f = relax.graph {
// CHECK-NEXT:      %a_1, %b_1 = relax.split %x
// CHECK-NEXT:      %a_2 = relax.let %a_1
// CHECK:           relax.output %b_1, %a_2, %f_1
relax.func @order(%x: !relax.tensor<[4], f32>) -> !relax.tensor<[2], f32> {
  %a, %b = relax.split %x {axis = 0 : i64, sections = 2 : i64} : (!relax.tensor<[4], f32>) -> (!relax.tensor<[2], f32>, !relax.tensor<[2], f32>)
  %f = relax.closure (%y: !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32> impure {
    relax.print %y : (!relax.tensor<[2], f32>) -> ()
    relax.return %a : !relax.tensor<[2], f32>
  }
  %r = relax.call_closure %f, %b : (!relax.func<(!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>, impure>, !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
  relax.print %a : (!relax.tensor<[2], f32>) -> ()
  relax.return %b : !relax.tensor<[2], f32>
}

// A let of another graph's let is a let like others: the inner graph sees the outer one as a value from outside.

// CHECK-LABEL: relax.func @of_an_outer_let(
// CHECK:           %v = relax.let %a
// CHECK-NEXT:      %b_1 = relax.binding_block {
// CHECK-NEXT:        %h = relax.graph {
// CHECK-NEXT:          %u = relax.if %c
// CHECK-NEXT:            %d = relax.tanh %v
relax.func @of_an_outer_let(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %g = relax.graph {
    %a = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %v = relax.let %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %b = relax.binding_block {
      %h = relax.graph {
        %w = relax.let %v : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
        %u = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
          %d = relax.tanh %w : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
          relax.yield %d : !relax.tensor<[n], f32>
        } else {
          relax.yield %w : !relax.tensor<[n], f32>
        }
        relax.output %u : !relax.tensor<[n], f32>
      }
      relax.output %h : !relax.tensor<[n], f32>
    }
    relax.output %b : !relax.tensor<[n], f32>
  }
  relax.return %g : !relax.tensor<[n], f32>
}
