// RUN: relax-opt %s -p relax-normalize --allow-unregistered-dialect | filecheck %s

relax.func @blocks(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.print %a : (!relax.tensor<[n], f32>) -> ()
  %b = relax.dataflow {
    %b = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %b : !relax.tensor<[n], f32>
  }
  %i = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %d = relax.exp %b : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %d : !relax.tensor<[n], f32>
  } else {
    relax.yield %b : !relax.tensor<[n], f32>
  }
  relax.return %i : !relax.tensor<[n], f32>
}
relax.func @types(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %y = relax.dataflow {
    %a = relax.exp %x : (!relax.tensor<[4], f32>) -> !relax.tensor<[?], f32>
    %b = relax.tanh %a : (!relax.tensor<[?], f32>) -> !relax.tensor<*, f32>
    relax.output %b : !relax.tensor<*, f32>
  }
  relax.return %y : !relax.tensor<*, f32>
}
// A use that fails at run time, or belongs to another dialect, sees the type it saw before.
relax.func @stays(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %y = relax.dataflow {
    %a = relax.exp %x : (!relax.tensor<[4], f32>) -> !relax.tensor<[?], f32>
    %b = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[3], f32>
    %c = relax.exp %x : (!relax.tensor<[4], f32>) -> !relax.tensor<[?], f32>
    %d = "test.pureop"(%c) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
    relax.output %b : !relax.tensor<[3], f32>
  }
  relax.return %y : !relax.tensor<[3], f32>
}

// CHECK:       relax.func @blocks(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %a = relax.binding_block {
// CHECK-NEXT:      %a_1 = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.print %a_1 : (!relax.tensor<[n], f32>) -> ()
// CHECK-NEXT:      relax.output %a_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %b = relax.dataflow {
// CHECK-NEXT:      %b_1 = relax.tanh %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %b_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %i = relax.binding_block {
// CHECK-NEXT:      %i_1 = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:        %d = relax.binding_block {
// CHECK-NEXT:          %d_1 = relax.exp %b : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:          relax.output %d_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:        }
// CHECK-NEXT:        relax.yield %d : !relax.tensor<[n], f32>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        relax.yield %b : !relax.tensor<[n], f32>
// CHECK-NEXT:      }
// CHECK-NEXT:      relax.output %i_1 : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %i : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @types(%x: !relax.tensor<[4], f32>) -> !relax.object {
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %a = relax.exp %x : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:      %b = relax.tanh %a : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:      relax.output %b : !relax.tensor<[4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[4], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @stays(%x: !relax.tensor<[4], f32>) -> !relax.object {
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %a = relax.exp %x : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT:      %a_1 = relax.let %a : (!relax.tensor<[4], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:      %b = relax.match_cast %a_1 : !relax.tensor<[?], f32> -> !relax.tensor<[3], f32>
// CHECK-NEXT:      %c = relax.exp %x : (!relax.tensor<[4], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:      %d = "test.pureop"(%c) : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:      relax.output %b : !relax.tensor<[3], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[3], f32>
// CHECK-NEXT:  }
