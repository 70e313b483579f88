// RUN: relax-opt %s -p relax-bind-dynamic-dims | filecheck %s

// A parameter is named where the function begins, the result of a branch after it; what follows is inferred anew.
relax.func @branches(%x: !relax.tensor<[?, 4], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
  %z = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?, 4], f32> {
    %q = relax.exp %x : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>
    relax.yield %q : !relax.tensor<[?, 4], f32>
  } else {
    relax.yield %x : !relax.tensor<[?, 4], f32>
  }
  %y = relax.dataflow {
    %w = relax.concat %z, %x {axis = 0 : i64} : (!relax.tensor<[?, 4], f32>, !relax.tensor<[?, 4], f32>) -> !relax.tensor<[?, 4], f32>
    %s = relax.sum %w {axis = array<i64: 1>} : (!relax.tensor<[?, 4], f32>) -> !relax.tensor<[?], f32>
    relax.output %s : !relax.tensor<[?], f32>
  }
  relax.return %y : !relax.tensor<[?], f32>
}
// What no operator uses, tensors of unknown rank and known sizes stay.
relax.func @stays(%x: !relax.tensor<[?], f32>, %y: !relax.tensor<*, f32>, %z: !relax.tensor<[n], f32>) -> !relax.object {
  %a = relax.exp %z : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %t = relax.tuple %x, %y, %a : (!relax.tensor<[?], f32>, !relax.tensor<*, f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[?], f32>, !relax.tensor<*, f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[?], f32>, !relax.tensor<*, f32>, !relax.tensor<[n], f32>>
}

// CHECK:       relax.func @branches(%x: !relax.tensor<[?, 4], f32>, %c: !relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT:    %x_1 = relax.match_cast %x : !relax.tensor<[?, 4], f32> -> !relax.tensor<[x0, 4], f32>
// CHECK-NEXT:    %z = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?, 4], f32> {
// CHECK-NEXT:      %q = relax.exp %x_1 : (!relax.tensor<[x0, 4], f32>) -> !relax.tensor<[x0, 4], f32>
// CHECK-NEXT:      relax.yield %q : !relax.tensor<[x0, 4], f32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relax.yield %x_1 : !relax.tensor<[x0, 4], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %z_1 = relax.match_cast %z : !relax.tensor<[?, 4], f32> -> !relax.tensor<[z0, 4], f32>
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %w = relax.concat %z_1, %x_1 {axis = 0 : i64} : (!relax.tensor<[z0, 4], f32>, !relax.tensor<[x0, 4], f32>) -> !relax.tensor<[x0 + z0, 4], f32>
// CHECK-NEXT:      %s = relax.sum %w {axis = array<i64: 1>} : (!relax.tensor<[x0 + z0, 4], f32>) -> !relax.tensor<[x0 + z0], f32>
// CHECK-NEXT:      relax.output %s : !relax.tensor<[x0 + z0], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[x0 + z0], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @stays(
// CHECK-NEXT:    %a = relax.exp %z
// CHECK-NEXT:    %t = relax.tuple %x, %y, %a

// A shape that is computed as a tensor: its elements get names, and the results made of it.
relax.func @shapes(%x: !relax.tensor<[n], f32>, %v: !relax.tensor<[2], i64>) -> !relax.tensor<[?, ?], f32> {
  %s = relax.tensor_to_shape %v : (!relax.tensor<[2], i64>) -> !relax.shape<[?, ?]>
  %y = relax.broadcast_to %x, %s : (!relax.tensor<[n], f32>, !relax.shape<[?, ?]>) -> !relax.tensor<[?, ?], f32>
  relax.return %y : !relax.tensor<[?, ?], f32>
}
// CHECK:       relax.func @shapes(
// CHECK-NEXT:    %s = relax.tensor_to_shape %v : (!relax.tensor<[2], i64>) -> !relax.shape<[?, ?]>
// CHECK-NEXT:    %s_1 = relax.match_shape %s [s0, s1] : (!relax.shape<[?, ?]>) -> !relax.shape<[s0, s1]>
// CHECK-NEXT:    %y = relax.broadcast_to %x, %s_1 : (!relax.tensor<[n], f32>, !relax.shape<[s0, s1]>) -> !relax.tensor<[s0, s1], f32>
// CHECK-NEXT:    relax.return %y : !relax.tensor<[s0, s1], f32>
