// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-fuse-siblings | filecheck %s

// What stands between two calls needs the first; a row is read by all rows; integers; nothing is shared;
// tensors would wait for a call that stands far behind.

// CHECK-LABEL: relax.func @between
// CHECK:         call_tir @exp
// CHECK:         call_tir @matmul
// CHECK:         call_tir @multiply
relax.func @between(%x: !relax.tensor<[4, 4], f32>) -> tuple<!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>> {
  %a = relax.exp %x : (!relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %b = relax.matmul %a, %a : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %c = relax.multiply %x, %b : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %all = relax.tuple %a, %b, %c : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> tuple<!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>>
  relax.return %all : tuple<!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>>
}

// CHECK-LABEL: relax.func @rows
// CHECK-COUNT-2: relax.call_tir
relax.func @rows(%x: !relax.tensor<[4], f32>, %y: !relax.tensor<[4, 4], f32>) -> tuple<!relax.tensor<[4], f32>, !relax.tensor<[4, 4], f32>> {
  %a = relax.negative %x : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  %b = relax.add %x, %y : (!relax.tensor<[4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %all = relax.tuple %a, %b : (!relax.tensor<[4], f32>, !relax.tensor<[4, 4], f32>) -> tuple<!relax.tensor<[4], f32>, !relax.tensor<[4, 4], f32>>
  relax.return %all : tuple<!relax.tensor<[4], f32>, !relax.tensor<[4, 4], f32>>
}

// CHECK-LABEL: relax.func @transposed
// CHECK-COUNT-2: relax.call_tir
relax.func @transposed(%x: !relax.tensor<[4, 4], f32>, %y: !relax.tensor<[4, 4], f32>) -> tuple<!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>> {
  %a = relax.negative %x : (!relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %t = relax.permute_dims %x {axes = array<i64: 1, 0>} : (!relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %b = relax.add %t, %y : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %all = relax.tuple %a, %b : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> tuple<!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>>
  relax.return %all : tuple<!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>>
}

// CHECK-LABEL: relax.func @integers
// CHECK-COUNT-2: relax.call_tir
relax.func @integers(%x: !relax.tensor<[4], i32>) -> tuple<!relax.tensor<[4], i32>, !relax.tensor<[4], i32>> {
  %a = relax.negative %x : (!relax.tensor<[4], i32>) -> !relax.tensor<[4], i32>
  %b = relax.abs %x : (!relax.tensor<[4], i32>) -> !relax.tensor<[4], i32>
  %all = relax.tuple %a, %b : (!relax.tensor<[4], i32>, !relax.tensor<[4], i32>) -> tuple<!relax.tensor<[4], i32>, !relax.tensor<[4], i32>>
  relax.return %all : tuple<!relax.tensor<[4], i32>, !relax.tensor<[4], i32>>
}

// CHECK-LABEL: relax.func @strangers
// CHECK-COUNT-2: relax.call_tir
relax.func @strangers(%x: !relax.tensor<[4], f32>, %y: !relax.tensor<[4], f32>) -> tuple<!relax.tensor<[4], f32>, !relax.tensor<[4], f32>> {
  %a = relax.negative %x : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  %b = relax.exp %y : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  %all = relax.tuple %a, %b : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> tuple<!relax.tensor<[4], f32>, !relax.tensor<[4], f32>>
  relax.return %all : tuple<!relax.tensor<[4], f32>, !relax.tensor<[4], f32>>
}

// CHECK-LABEL: relax.func @waiting
// CHECK-NOT:     = relax.call_tir @{{.*}} -> (!relax
// CHECK:         relax.return
relax.func @waiting(%x: !relax.tensor<[4, 4], f32>, %m: !relax.tensor<[4, 4], f32>) -> tuple<!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>> {
  %u = relax.matmul %m, %x : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %v = relax.matmul %m, %u : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %uv = relax.matmul %u, %v : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %p = relax.multiply %u, %v : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %a = relax.multiply %p, %x : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %q = relax.matmul %uv, %m : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %b = relax.multiply %q, %x : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
  %all = relax.tuple %a, %b, %q : (!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>) -> tuple<!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>>
  relax.return %all : tuple<!relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>, !relax.tensor<[4, 4], f32>>
}
