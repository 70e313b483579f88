// RUN: relax-opt %s -p relax-canonicalize-bindings | filecheck %s

relax.func @bindings(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %m = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[n], f32>
    %s = relax.match_shape %m [n] : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %e = relax.exp %s : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %t = relax.tuple %x, %e : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
    %g = relax.tuple_get_item %t {index = 1} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
    %l = relax.let %g : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %l : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @blocks(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a, %unused = relax.dataflow {
    %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %a, %x : !relax.tensor<[n], f32>, !relax.tensor<[n], f32>
  }
  %b, %same = relax.dataflow {
    %b = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %b, %b : !relax.tensor<[n], f32>, !relax.tensor<[n], f32>
  }
  %c = relax.binding_block {
    relax.output %b : !relax.tensor<[n], f32>
  }
  %d = relax.dataflow {
    %d = relax.add %c, %same : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %d : !relax.tensor<[n], f32>
  }
  relax.return %d : !relax.tensor<[n], f32>
}
relax.func @casts(%x: !relax.tensor<[4], f32>, %t: tensor<4xf32>) -> !relax.tensor<[4], f32> {
  %a = relax.to_builtin %x : (!relax.tensor<[4], f32>) -> tensor<4xf32>
  %b = relax.from_builtin %a : (tensor<4xf32>) -> !relax.tensor<[4], f32>
  %c = relax.from_builtin %t : (tensor<4xf32>) -> !relax.tensor<[4], f32>
  %d = relax.to_builtin %c : (!relax.tensor<[4], f32>) -> tensor<4xf32>
  %e = arith.addf %d, %a : tensor<4xf32>
  relax.return %b : !relax.tensor<[4], f32>
}
// What defines or checks stays, as do lets that give a place, and blocks that two matches keep apart.
relax.func @stays(%u: !relax.tensor<[?], f32>, %v: !relax.tensor<[?], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
  %a = relax.dataflow {
    %a = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    relax.output %a : !relax.tensor<[n], f32>
  }
  %b = relax.dataflow {
    %b = relax.match_cast %v : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
    relax.output %b : !relax.tensor<[n], f32>
  }
  %y = relax.graph {
    %s = relax.add %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %l = relax.let %s : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
      %e = relax.exp %l : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.yield %e : !relax.tensor<[n], f32>
    } else {
      relax.yield %l : !relax.tensor<[n], f32>
    }
    relax.output %i : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @bindings(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %e = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %t = relax.tuple %x, %e : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:      relax.output %e : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @blocks(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %d = relax.dataflow {
// CHECK-NEXT:      %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %b = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %d_1 = relax.add %b, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %d_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %d : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @casts(%x: !relax.tensor<[4], f32>, %t: tensor<4xf32>) -> !relax.tensor<[4], f32> {
// CHECK-NEXT:    %a = relax.to_builtin %x : (!relax.tensor<[4], f32>) -> tensor<4xf32>
// CHECK-NEXT:    %c = relax.from_builtin %t : (tensor<4xf32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:    %e = arith.addf %t, %a : tensor<4xf32>
// CHECK-NEXT:    relax.return %x : !relax.tensor<[4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @stays(%u: !relax.tensor<[?], f32>, %v: !relax.tensor<[?], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT:    %a = relax.dataflow {
// CHECK-NEXT:      %a_1 = relax.match_cast %u : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %a_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %b = relax.dataflow {
// CHECK-NEXT:      %b_1 = relax.match_cast %v : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %b_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = relax.graph {
// CHECK-NEXT:      %s = relax.add %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %l = relax.let %s : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:        %e = relax.exp %l : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:        relax.yield %e : !relax.tensor<[n], f32>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        relax.yield %l : !relax.tensor<[n], f32>
// CHECK-NEXT:      }
// CHECK-NEXT:      relax.output %i : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
