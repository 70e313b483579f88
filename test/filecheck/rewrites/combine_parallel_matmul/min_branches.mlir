// RUN: relax-opt %s -p 'relax-combine-parallel-matmul{min-branches=3}' | filecheck %s

relax.func @two(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 4], f32>, %k: !relax.tensor<[8, 4], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %b = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %r = relax.tuple %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
}
relax.func @three(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 4], f32>, %k: !relax.tensor<[8, 4], f32>, %v: !relax.tensor<[8, 4], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %b = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.matmul %x, %v : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %r = relax.tuple %a, %b, %c : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
}

// CHECK:       relax.func @two(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 4], f32>, %k: !relax.tensor<[8, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %b = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %r = relax.tuple %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @three(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 4], f32>, %k: !relax.tensor<[8, 4], f32>, %v: !relax.tensor<[8, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.concat %q, %k, %v {axis = -1 : i64} : (!relax.tensor<[8, 4], f32>, !relax.tensor<[8, 4], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[8, 12], f32>
// CHECK-NEXT:    %a_1 = relax.matmul %x, %a : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 12], f32>) -> !relax.tensor<[n, 12], f32>
// CHECK-NEXT:    %a_2, %b, %c = relax.split %a_1 {sections = 3 : i64, axis = -1 : i64} : (!relax.tensor<[n, 12], f32>) -> (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>)
// CHECK-NEXT:    %r = relax.tuple %a_2, %b, %c : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:  }
