// RUN: relax-opt %s -p relax-while-to-recursion | filecheck %s

// Constants are copied; the state is one value, k is the condition's and the body's, n comes by a shape.
relax.func @double(%s: !relax.shape<[n]>, %x: !relax.tensor<[], f32>) -> !relax.tensor<[?], f32> {
  %y0 = relax.broadcast_to %x, %s : (!relax.tensor<[], f32>, !relax.shape<[n]>) -> !relax.tensor<[n], f32>
  %two = relax.constant dense<2.0> : tensor<f32>
  %y = relax.while (%a = %y0) : (!relax.tensor<[n], f32>) -> (!relax.tensor<[?], f32>) {
    %b = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
    %s1 = relax.shape [k]
    %s2 = relax.shape [4 * n]
    %l = relax.shape_to_tensor %s1 : (!relax.shape<[k]>) -> !relax.tensor<[1], i64>
    %r = relax.shape_to_tensor %s2 : (!relax.shape<[4 * n]>) -> !relax.tensor<[1], i64>
    %less = relax.less %l, %r : (!relax.tensor<[1], i64>, !relax.tensor<[1], i64>) -> !relax.tensor<[1], i1>
    %more = relax.squeeze %less : (!relax.tensor<[1], i1>) -> !relax.tensor<[], i1>
    relax.yield %more : !relax.tensor<[], i1>
  } do {
    %b = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
    %c = relax.concat %b, %b {axis = 0 : i64} : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[2 * k], f32>
    %d = relax.power %c, %two : (!relax.tensor<[2 * k], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[2 * k], f32>
    relax.yield %d : !relax.tensor<[2 * k], f32>
  }
  relax.return %y : !relax.tensor<[?], f32>
}
// A loop in a graph has its place first; only what is used of the state is taken.
relax.func @graph(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %r = relax.graph {
    %y, %w = relax.while (%s = %z, %t = %x) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) {
      relax.yield %c : !relax.tensor<[], i1>
    } do {
      %u = relax.exp %v : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      %v = relax.exp %s : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.yield %t, %u : !relax.tensor<[n], f32>, !relax.tensor<[n], f32>
    }
    %z = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %w : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK:        relax.func @double(%s: !relax.shape<[n]>, %x: !relax.tensor<[], f32>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT:     %y0 = relax.broadcast_to %x, %s : (!relax.tensor<[], f32>, !relax.shape<[n]>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %two = relax.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:     %0 = relax.shape [n]
// CHECK-NEXT:     %y = relax.call @double_loop(%0, %y0) : (!relax.shape<[n]>, !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:     relax.return %y : !relax.tensor<[?], f32>
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.func private @double_loop(%0: !relax.shape<[n]>, %a: !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT:     %two = relax.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:     %b = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[k_1], f32>
// CHECK-NEXT:     %s1 = relax.shape [k_1]
// CHECK-NEXT:     %s2 = relax.shape [4 * n]
// CHECK-NEXT:     %l = relax.shape_to_tensor %s1 : (!relax.shape<[k_1]>) -> !relax.tensor<[1], i64>
// CHECK-NEXT:     %r = relax.shape_to_tensor %s2 : (!relax.shape<[4 * n]>) -> !relax.tensor<[1], i64>
// CHECK-NEXT:     %less = relax.less %l, %r : (!relax.tensor<[1], i64>, !relax.tensor<[1], i64>) -> !relax.tensor<[1], i1>
// CHECK-NEXT:     %more = relax.squeeze %less : (!relax.tensor<[1], i1>) -> !relax.tensor<[], i1>
// CHECK-NEXT:     %1 = relax.if %more : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT:       %b_1 = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
// CHECK-NEXT:       %c = relax.concat %b_1, %b_1 {axis = 0 : i64} : (!relax.tensor<[k], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<[2 * k], f32>
// CHECK-NEXT:       %d = relax.power %c, %two : (!relax.tensor<[2 * k], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[2 * k], f32>
// CHECK-NEXT:       %2 = relax.call @double_loop(%0, %d) : (!relax.shape<[n]>, !relax.tensor<[2 * k], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:       relax.yield %2 : !relax.tensor<[?], f32>
// CHECK-NEXT:     } else {
// CHECK-NEXT:       relax.yield %a : !relax.tensor<[?], f32>
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.return %1 : !relax.tensor<[?], f32>
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.func @graph(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:     %z = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %0 = relax.call @graph_loop(%c, %z, %x) : (!relax.tensor<[], i1>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:     %w = relax.tuple_get_item %0 {index = 1 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     relax.return %w : !relax.tensor<[n], f32>
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.func private @graph_loop(%c: !relax.tensor<[], i1>, %s: !relax.tensor<[n], f32>, %t: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
// CHECK-NEXT:     %0 = relax.if %c : (!relax.tensor<[], i1>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
// CHECK-NEXT:       %v = relax.exp %s : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:       %u = relax.exp %v : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:       %1 = relax.call @graph_loop(%c, %t, %u) : (!relax.tensor<[], i1>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:       relax.yield %1 : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:     } else {
// CHECK-NEXT:       %2 = relax.tuple %s, %t : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:       relax.yield %2 : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.return %0 : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   }
