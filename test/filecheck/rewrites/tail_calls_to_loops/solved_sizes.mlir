// RUN: relax-opt %s -p relax-tail-calls-to-loops | filecheck %s

// Each iteration solves for n anew.
relax.func @main(%x: !relax.tensor<[2 * n], f32>, %i: !relax.tensor<[], i64>) -> !relax.shape<[?]> {
  %z = relax.less %i, 1 : (!relax.tensor<[], i64>) -> !relax.tensor<[], i1>
  %r = relax.if %z : (!relax.tensor<[], i1>) -> !relax.shape<[?]> {
    %s = relax.shape [n]
    relax.yield %s : !relax.shape<[n]>
  } else {
    %j = relax.subtract %i, 1 : (!relax.tensor<[], i64>) -> !relax.tensor<[], i64>
    %c = relax.concat %x, %x {axis = 0} : (!relax.tensor<[2 * n], f32>, !relax.tensor<[2 * n], f32>) -> !relax.tensor<[4 * n], f32>
    %q = relax.call @main(%c, %j) : (!relax.tensor<[4 * n], f32>, !relax.tensor<[], i64>) -> !relax.shape<[?]>
    relax.yield %q : !relax.shape<[?]>
  }
  relax.return %r : !relax.shape<[?]>
}

// CHECK: builtin.module {
// CHECK-NEXT:   relax.func @main(%x: !relax.tensor<[2 * n], f32>, %i: !relax.tensor<[], i64>) -> !relax.shape<[?]> {
// CHECK-NEXT:     %go = relax.constant dense<true> : tensor<i1>
// CHECK-NEXT:     %0 = relax.shape [0]
// CHECK-NEXT:     %go_1, %x_1, %i_1, %result = relax.while (%go_2 = %go, %x_2 = %x, %i_2 = %i, %result_1 = %0) : (!relax.tensor<[], i1>, !relax.tensor<[2 * n], f32>, !relax.tensor<[], i64>, !relax.shape<[0]>) -> (!relax.tensor<[], i1>, !relax.tensor<[?], f32>, !relax.tensor<[], i64>, !relax.shape<[?]>) {
// CHECK-NEXT:       relax.yield %go_2 : !relax.tensor<[], i1>
// CHECK-NEXT:     } do {
// CHECK-NEXT:       %x_3 = relax.match_cast %x_2 : !relax.tensor<[?], f32> -> !relax.tensor<[n_1], f32>
// CHECK-NEXT:       %x_4 = relax.match_cast %x_3 : !relax.tensor<[n_1], f32> -> !relax.tensor<[2 * (n_1 floordiv 2)], f32>
// CHECK-NEXT:       %1 = relax.constant dense<1> : tensor<i64>
// CHECK-NEXT:       %z = relax.less %i_2, %1 : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i1>
// CHECK-NEXT:       %next = relax.if %z : (!relax.tensor<[], i1>) -> tuple<!relax.tensor<[], i1>, !relax.tensor<[?], f32>, !relax.tensor<[], i64>, !relax.shape<[?]>> {
// CHECK-NEXT:         %s = relax.shape [n_1 floordiv 2]
// CHECK-NEXT:         %go_3 = relax.constant dense<false> : tensor<i1>
// CHECK-NEXT:         %2 = relax.tuple %go_3, %x_2, %i_2, %s : (!relax.tensor<[], i1>, !relax.tensor<[?], f32>, !relax.tensor<[], i64>, !relax.shape<[n_1 floordiv 2]>) -> tuple<!relax.tensor<[], i1>, !relax.tensor<[?], f32>, !relax.tensor<[], i64>, !relax.shape<[n_1 floordiv 2]>>
// CHECK-NEXT:         relax.yield %2 : tuple<!relax.tensor<[], i1>, !relax.tensor<[?], f32>, !relax.tensor<[], i64>, !relax.shape<[n_1 floordiv 2]>>
// CHECK-NEXT:       } else {
// CHECK-NEXT:         %3 = relax.constant dense<1> : tensor<i64>
// CHECK-NEXT:         %j = relax.subtract %i_2, %3 : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i64>
// CHECK-NEXT:         %c = relax.concat %x_4, %x_4 {axis = 0 : i64} : (!relax.tensor<[2 * (n_1 floordiv 2)], f32>, !relax.tensor<[2 * (n_1 floordiv 2)], f32>) -> !relax.tensor<[4 * (n_1 floordiv 2)], f32>
// CHECK-NEXT:         %go_4 = relax.constant dense<true> : tensor<i1>
// CHECK-NEXT:         %4 = relax.tuple %go_4, %c, %j, %result_1 : (!relax.tensor<[], i1>, !relax.tensor<[4 * (n_1 floordiv 2)], f32>, !relax.tensor<[], i64>, !relax.shape<[?]>) -> tuple<!relax.tensor<[], i1>, !relax.tensor<[4 * (n_1 floordiv 2)], f32>, !relax.tensor<[], i64>, !relax.shape<[?]>>
// CHECK-NEXT:         relax.yield %4 : tuple<!relax.tensor<[], i1>, !relax.tensor<[4 * (n_1 floordiv 2)], f32>, !relax.tensor<[], i64>, !relax.shape<[?]>>
// CHECK-NEXT:       }
// CHECK-NEXT:       %5 = relax.tuple_get_item %next {index = 0 : i64} : (tuple<!relax.tensor<[], i1>, !relax.tensor<[?], f32>, !relax.tensor<[], i64>, !relax.shape<[?]>>) -> !relax.tensor<[], i1>
// CHECK-NEXT:       %6 = relax.tuple_get_item %next {index = 1 : i64} : (tuple<!relax.tensor<[], i1>, !relax.tensor<[?], f32>, !relax.tensor<[], i64>, !relax.shape<[?]>>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:       %7 = relax.tuple_get_item %next {index = 2 : i64} : (tuple<!relax.tensor<[], i1>, !relax.tensor<[?], f32>, !relax.tensor<[], i64>, !relax.shape<[?]>>) -> !relax.tensor<[], i64>
// CHECK-NEXT:       %8 = relax.tuple_get_item %next {index = 3 : i64} : (tuple<!relax.tensor<[], i1>, !relax.tensor<[?], f32>, !relax.tensor<[], i64>, !relax.shape<[?]>>) -> !relax.shape<[?]>
// CHECK-NEXT:       relax.yield %5, %6, %7, %8 : !relax.tensor<[], i1>, !relax.tensor<[?], f32>, !relax.tensor<[], i64>, !relax.shape<[?]>
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.return %result : !relax.shape<[?]>
// CHECK-NEXT:   }
// CHECK-NEXT: }
