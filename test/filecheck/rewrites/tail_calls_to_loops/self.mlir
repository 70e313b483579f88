// RUN: relax-opt %s -p relax-tail-calls-to-loops | filecheck %s

// A call in tail position is a turn: %w, which every such call passes on, stays outside of the loop.

relax.func @self(%i: !relax.tensor<[], i64>, %x: !relax.tensor<[n], f32>, %w: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %zero = relax.constant dense<0> : tensor<i64>
  %more = relax.greater %i, %zero : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i1>
  %r = relax.if %more : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %one = relax.constant dense<1> : tensor<i64>
    %j = relax.subtract %i, %one : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i64>
    %y = relax.add %x, %w : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %z = relax.call @self(%j, %y, %w) : (!relax.tensor<[], i64>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %z : !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// The sum comes after the call: it stays one.

relax.func @after(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %z = relax.call @after(%x, %c) : (!relax.tensor<[n], f32>, !relax.tensor<[], i1>) -> !relax.tensor<[n], f32>
    %y = relax.add %z, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %y : !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// So does an effect.

relax.func @effect(%x: !relax.tensor<[n], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
    %z = relax.call @effect(%x, %c) : (!relax.tensor<[n], f32>, !relax.tensor<[], i1>) -> !relax.tensor<[n], f32>
    relax.print %x : (!relax.tensor<[n], f32>) -> ()
    relax.yield %z : !relax.tensor<[n], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// Recursion without an exit keeps its calls, and ends in the error of the limit.

relax.func @endless(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %z = relax.call @endless(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @self(
// CHECK-NEXT:    %go = relax.constant dense<true> : tensor<i1>
// CHECK-NEXT:    %0 = relax.constant dense<> : tensor<0xf32>
// CHECK-NEXT:    %go_1, %i_1, %x_1, %result = relax.while (%go_2 = %go, %i_2 = %i, %x_2 = %x, %result_1 = %0)
// CHECK-NEXT:      relax.yield %go_2
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %zero = relax.constant dense<0> : tensor<i64>
// CHECK-NEXT:      %more = relax.greater %i_2, %zero
// CHECK-NEXT:      %next = relax.if %more
// CHECK-NEXT:        %one = relax.constant dense<1> : tensor<i64>
// CHECK-NEXT:        %j = relax.subtract %i_2, %one
// CHECK-NEXT:        %y = relax.add %x_2, %w
// CHECK-NEXT:        %go_3 = relax.constant dense<true> : tensor<i1>
// CHECK-NEXT:        %1 = relax.tuple %go_3, %j, %y, %result_1
// CHECK-NEXT:        relax.yield %1 : tuple<!relax.tensor<[], i1>, !relax.tensor<[], i64>, !relax.tensor<[n], f32>, !relax.tensor<[?], f32>>
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %go_4 = relax.constant dense<false> : tensor<i1>
// CHECK-NEXT:        %2 = relax.tuple %go_4, %i_2, %x_2, %x_2
// CHECK-NEXT:        relax.yield %2 : tuple<!relax.tensor<[], i1>, !relax.tensor<[], i64>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:      }
// CHECK-NEXT:      %3 = relax.tuple_get_item %next {index = 0 : i64}
// CHECK-NEXT:      %4 = relax.tuple_get_item %next {index = 1 : i64}
// CHECK-NEXT:      %5 = relax.tuple_get_item %next {index = 2 : i64}
// CHECK-NEXT:      %6 = relax.tuple_get_item %next {index = 3 : i64}
// CHECK-NEXT:      relax.yield %3, %4, %5, %6
// CHECK-NEXT:    }
// CHECK-NEXT:    %result_2 = relax.match_cast %result
// CHECK-NEXT:    relax.return %result_2
// CHECK-NEXT:  }
// CHECK-LABEL: relax.func @after(
// CHECK-NEXT:    %r = relax.if %c
// CHECK-NEXT:      %z = relax.call @after(%x, %c)
// CHECK-NEXT:      %y = relax.add %z, %x
// CHECK-NEXT:      relax.yield %y
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relax.yield %x
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %r
// CHECK-NEXT:  }
// CHECK-LABEL: relax.func @effect(
// CHECK-NEXT:    %r = relax.if %c
// CHECK-NEXT:      %z = relax.call @effect(%x, %c)
// CHECK-NEXT:      relax.print %x
// CHECK-NEXT:      relax.yield %z
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relax.yield %x
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %r
// CHECK-NEXT:  }
// CHECK-LABEL: relax.func @endless(
// CHECK-NEXT:    %z = relax.call @endless(%x)
// CHECK-NEXT:    relax.return %z
// CHECK-NEXT:  }
