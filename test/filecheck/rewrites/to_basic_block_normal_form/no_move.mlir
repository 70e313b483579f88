// RUN: relax-opt %s -p relax-to-basic-block-normal-form,relax-check-basic-block-normal-form | filecheck %s

// What must not move: matches, what binds variables, anything over an effect.

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
// CHECK-NEXT:   %r = relax.graph {
// CHECK-NEXT:     %m = relax.match_cast %x
// CHECK-NEXT:     %unused = relax.match_cast %x
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       %e = relax.exp %m
// CHECK-NEXT:       relax.yield %e
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %m
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }

// A closure that binds k stays: further in k could be another variable.
relax.func @bound(%x: !relax.object, %y: !relax.tensor<[3], f32>, %c: !relax.tensor<[], i1>) -> !relax.object {
  %g = relax.graph {
    %f = relax.closure [k] (%z: !relax.tensor<[k], f32>) -> !relax.tensor<[k], f32> {
      relax.return %z : !relax.tensor<[k], f32>
    }
    %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.object {
      %m = relax.match_cast %x : !relax.object -> !relax.tensor<[k], f32>
      %b = relax.call_closure %f, %y : (!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>>, !relax.tensor<[3], f32>) -> !relax.tensor<[3], f32>
      relax.yield %b : !relax.tensor<[3], f32>
    } else {
      relax.yield %y : !relax.tensor<[3], f32>
    }
    relax.output %r : !relax.object
  }
  relax.return %g : !relax.object
}
// CHECK-LABEL: relax.func @bound(
// CHECK-NEXT:   %r = relax.graph {
// CHECK-NEXT:     %f = relax.closure [k]
// CHECK-NEXT:       relax.return %z
// CHECK-NEXT:     }
// CHECK-NEXT:     %f_1 = relax.let %f
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       %m = relax.match_cast %x
// CHECK-NEXT:       %b = relax.call_closure %f_1, %y : (!relax.func<[k] (!relax.tensor<[k], f32>) -> !relax.tensor<[k], f32>>, !relax.tensor<[3], f32>) -> !relax.tensor<[3], f32>
// CHECK-NEXT:       relax.yield %b
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %y
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
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
// CHECK-NEXT:   %a = relax.graph {
// CHECK-NEXT:     %a_1 = relax.exp %x
// CHECK-NEXT:     relax.output %a_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %u = relax.binding_block {
// CHECK-NEXT:     %u_1 = relax.call_packed "store"(%a)
// CHECK-NEXT:     relax.output %u_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %b, %d = relax.graph {
// CHECK-NEXT:     %b_1 = relax.tanh %a
// CHECK-NEXT:     %d_1 = relax.negative %u
// CHECK-NEXT:     relax.output %b_1, %d_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %r = relax.binding_block {
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       relax.binding_block {
// CHECK-NEXT:         relax.print %b
// CHECK-NEXT:         relax.output
// CHECK-NEXT:       }
// CHECK-NEXT:       %m = relax.graph {
// CHECK-NEXT:         %m_1 = relax.multiply %b, %d
// CHECK-NEXT:         relax.output %m_1
// CHECK-NEXT:       }
// CHECK-NEXT:       relax.yield %m
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %x
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = relax.graph {
// CHECK-NEXT:     %s_1 = relax.add %r, %b
// CHECK-NEXT:     relax.output %s_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %s
// CHECK-NEXT: }

// Two definitions of m, told apart by their order: two graphs.
relax.func @rivals(%x: !relax.object, %y: !relax.object) -> !relax.object {
  %a = relax.match_cast %x : !relax.object -> !relax.tensor<[m], f32>
  %b = relax.match_cast %y : !relax.object -> !relax.tensor<[m], f32>
  %s = relax.add %a, %b : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  relax.return %s : !relax.tensor<[m], f32>
}
// CHECK-LABEL: relax.func @rivals(
// CHECK-NEXT:   %a = relax.graph {
// CHECK-NEXT:     %a_1 = relax.match_cast %x
// CHECK-NEXT:     relax.output %a_1
// CHECK-NEXT:   }
// CHECK-NEXT:   %s = relax.graph {
// CHECK-NEXT:     %b = relax.match_cast %y
// CHECK-NEXT:     %s_1 = relax.add %a, %b
// CHECK-NEXT:     relax.output %s_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %s
// CHECK-NEXT: }

// Inside of a branch they need its order: the if stays in a binding block.
relax.func @rivals_in_branch(%x: !relax.object, %y: !relax.object, %c: !relax.tensor<[], i1>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.object {
    %a = relax.match_cast %x : !relax.object -> !relax.tensor<[m], f32>
    %b = relax.match_cast %y : !relax.object -> !relax.tensor<[m], f32>
    %s = relax.add %a, %b : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
    relax.yield %s : !relax.tensor<[m], f32>
  } else {
    relax.yield %y : !relax.object
  }
  relax.return %r : !relax.object
}
// CHECK-LABEL: relax.func @rivals_in_branch(
// CHECK-NEXT:   %r = relax.binding_block {
// CHECK-NEXT:     %r_1 = relax.if %c
// CHECK-NEXT:       %a = relax.graph {
// CHECK-NEXT:         %a_1 = relax.match_cast %x
// CHECK-NEXT:         relax.output %a_1
// CHECK-NEXT:       }
// CHECK-NEXT:       %s = relax.graph {
// CHECK-NEXT:         %b = relax.match_cast %y
// CHECK-NEXT:         %s_1 = relax.add %a, %b
// CHECK-NEXT:         relax.output %s_1
// CHECK-NEXT:       }
// CHECK-NEXT:       relax.yield %s
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %y
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.output %r_1
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %r
// CHECK-NEXT: }
