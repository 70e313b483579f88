// RUN: relax-opt %s -p relax-convert-to-dataflow | filecheck %s

// An effect ends a run and splits its block.
relax.func @effect(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.binding_block {
    %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.print %a : (!relax.tensor<[n], f32>) -> ()
    %b = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %b : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
// Control flow ends a run; branches are sequences of their own. Blocks are not merged.
relax.func @control(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %b = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %b : !relax.tensor<[n], f32>
  } else {
    relax.print %a : (!relax.tensor<[n], f32>) -> ()
    relax.yield %a : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
// The second match_cast is a check of what the first one defines: it begins a run of its own.
relax.func @symbols(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
  %a = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
  %b = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
  %c = relax.add %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %c : !relax.tensor<[n], f32>
}
// Other dialects' ops are asked for their effects.
relax.func @others(%x: !relax.tensor<[4], f32>, %m: memref<4xf32>) -> !relax.tensor<[4], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[4], f32>) -> tensor<4xf32>
  %u = arith.addf %t, %t : tensor<4xf32>
  %i = arith.constant 0 : index
  %s = memref.load %m[%i] : memref<4xf32>
  %y = relax.from_builtin %u : (tensor<4xf32>) -> !relax.tensor<[4], f32>
  relax.return %y : !relax.tensor<[4], f32>
}
// The variable of a region is another one than that of a later match.
relax.func @inner_variable(%x: !relax.tensor<[n], f32>, %k: index) -> !relax.tensor<[?], f32> {
  %z = arith.constant 0 : index
  %o = arith.constant 1 : index
  %w = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[?], f32>
  %y = scf.for %i = %z to %k step %o iter_args(%a = %w) -> (!relax.tensor<[?], f32>) {
    %m = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    %c = relax.concat %m, %x {axis = 0 : i64} : (!relax.tensor<[m], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
    scf.yield %c : !relax.tensor<[?], f32>
  }
  %u = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
  %e = relax.exp %u : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  relax.return %e : !relax.tensor<[m], f32>
}

// CHECK:       relax.func @effect(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %a = relax.dataflow {
// CHECK-NEXT:      %a_1 = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %a_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.binding_block {
// CHECK-NEXT:      relax.print %a : (!relax.tensor<[n], f32>) -> ()
// CHECK-NEXT:      relax.output
// CHECK-NEXT:    }
// CHECK-NEXT:    %b = relax.dataflow {
// CHECK-NEXT:      %b_1 = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %b_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %b : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @control(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %a = relax.dataflow {
// CHECK-NEXT:      %a_1 = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %a_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %y = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:      %b = relax.dataflow {
// CHECK-NEXT:        %b_1 = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:        relax.output %b_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:      }
// CHECK-NEXT:      relax.yield %b : !relax.tensor<[n], f32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relax.print %a : (!relax.tensor<[n], f32>) -> ()
// CHECK-NEXT:      relax.yield %a : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @symbols(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT:    %a = relax.dataflow {
// CHECK-NEXT:      %a_1 = relax.match_cast %x : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %a_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %c = relax.dataflow {
// CHECK-NEXT:      %b = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %c_1 = relax.add %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %c_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %c : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @others(%x: !relax.tensor<[4], f32>, %m: memref<4xf32>) -> !relax.tensor<[4], f32> {
// CHECK-NEXT:    %u, %i = relax.dataflow {
// CHECK-NEXT:      %t = relax.to_builtin %x : (!relax.tensor<[4], f32>) -> tensor<4xf32>
// CHECK-NEXT:      %u_1 = arith.addf %t, %t : tensor<4xf32>
// CHECK-NEXT:      %i_1 = arith.constant 0 : index
// CHECK-NEXT:      relax.output %u_1, %i_1 : tensor<4xf32>, index
// CHECK-NEXT:    }
// CHECK-NEXT:    %s = memref.load %m[%i] : memref<4xf32>
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %y_1 = relax.from_builtin %u : (tensor<4xf32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:      relax.output %y_1 : !relax.tensor<[4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @inner_variable(%x: !relax.tensor<[n], f32>, %k: index) -> !relax.tensor<[?], f32> {
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK:           %m = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
// CHECK:           relax.output %y_1 : !relax.tensor<[?], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %e = relax.dataflow {
// CHECK-NEXT:      %u = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
