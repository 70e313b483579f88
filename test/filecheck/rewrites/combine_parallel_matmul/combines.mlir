// RUN: relax-opt %s -p 'relax-combine-parallel-matmul' | filecheck %s

// All at once; relax-fold-constant joins constant matrices.
relax.func @query_key_value(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 8], f32>, %k: !relax.tensor<[8, 4], f32>, %v: !relax.tensor<[8, 4], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32>
  %b = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.matmul %x, %v : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %r = relax.tuple %a, %b, %c : (!relax.tensor<[n, 8], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 8], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 8], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
}
// Those with a bias and those without.
relax.func @biases(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 4], f32>, %k: !relax.tensor<[8, 4], f32>, %v: !relax.tensor<[8, 4], f32>, %w: !relax.tensor<[8, 4], f32>, %b: !relax.tensor<[4], f32>, %c: !relax.tensor<[4], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %d = relax.add %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n, 4], f32>
  %e = relax.matmul %x, %v : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %g = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %h = relax.add %c, %g : (!relax.tensor<[4], f32>, !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %i = relax.matmul %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %r = relax.tuple %d, %e, %h, %i : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
}
relax.func @linear(%x: !relax.tensor<[b, n, 8], f32>, %q: !relax.tensor<[4, 8], f32>, %k: !relax.tensor<[6, 8], f32>, %c: !relax.tensor<[4], f32>, %d: !relax.tensor<[6], f32>) -> !relax.object {
  %a = relax.linear %x, %q, %c : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[4, 8], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[b, n, 4], f32>
  %e = relax.linear %x, %k, %d : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[6, 8], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<[b, n, 6], f32>
  %r = relax.tuple %a, %e : (!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 6], f32>) -> tuple<!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 6], f32>>
  relax.return %r : tuple<!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 6], f32>>
}
relax.func @symbolic_widths(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, m], f32>, %k: !relax.tensor<[8, p], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, m], f32>) -> !relax.tensor<[n, m], f32>
  %b = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, p], f32>) -> !relax.tensor<[n, p], f32>
  %r = relax.tuple %a, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, p], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, p], f32>>
  relax.return %r : tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, p], f32>>
}
relax.func @batches(%x: !relax.tensor<[b, n, 8], f32>, %q: !relax.tensor<[b, 8, m], f32>, %k: !relax.tensor<[b, 8, m], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, 8, m], f32>) -> !relax.tensor<[b, n, m], f32>
  %b = relax.matmul %x, %k : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, 8, m], f32>) -> !relax.tensor<[b, n, m], f32>
  %r = relax.tuple %a, %b : (!relax.tensor<[b, n, m], f32>, !relax.tensor<[b, n, m], f32>) -> tuple<!relax.tensor<[b, n, m], f32>, !relax.tensor<[b, n, m], f32>>
  relax.return %r : tuple<!relax.tensor<[b, n, m], f32>, !relax.tensor<[b, n, m], f32>>
}
// In a sequence what they are made of moves in front.
relax.func @matrices_made_between(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[4, 8], f32>, %k: !relax.tensor<[4, 8], f32>) -> !relax.object {
  %qt = relax.permute_dims %q : (!relax.tensor<[4, 8], f32>) -> !relax.tensor<[8, 4], f32>
  %a = relax.matmul %x, %qt : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %kt = relax.permute_dims %k : (!relax.tensor<[4, 8], f32>) -> !relax.tensor<[8, 4], f32>
  %b = relax.matmul %x, %kt : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %r = relax.tuple %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
}

// CHECK:       relax.func @query_key_value(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 8], f32>, %k: !relax.tensor<[8, 4], f32>, %v: !relax.tensor<[8, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.concat %q, %k, %v {axis = -1 : i64} : (!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 4], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[8, 16], f32>
// CHECK-NEXT:    %a_1 = relax.matmul %x, %a : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 16], f32>) -> !relax.tensor<[n, 16], f32>
// CHECK-NEXT:    %a_2, %b, %c = relax.split %a_1 {indices = array<i64: 8, 12>, axis = -1 : i64} : (!relax.tensor<[n, 16], f32>) -> (!relax.tensor<[n, 8], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>)
// CHECK-NEXT:    %r = relax.tuple %a_2, %b, %c : (!relax.tensor<[n, 8], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 8], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 8], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @biases(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 4], f32>, %k: !relax.tensor<[8, 4], f32>, %v: !relax.tensor<[8, 4], f32>, %w: !relax.tensor<[8, 4], f32>, %b: !relax.tensor<[4], f32>, %c: !relax.tensor<[4], f32>) -> !relax.object {
// CHECK-NEXT:    %d = relax.concat %q, %k {axis = -1 : i64} : (!relax.tensor<[8, 4], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[8, 8], f32>
// CHECK-NEXT:    %d_1 = relax.concat %b, %c {axis = 0 : i64} : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[8], f32>
// CHECK-NEXT:    %d_2 = relax.matmul %x, %d : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:    %d_3 = relax.add %d_2, %d_1 : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:    %d_4, %h = relax.split %d_3 {sections = 2 : i64, axis = -1 : i64} : (!relax.tensor<[n, 8], f32>) -> (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>)
// CHECK-NEXT:    %e = relax.concat %v, %w {axis = -1 : i64} : (!relax.tensor<[8, 4], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[8, 8], f32>
// CHECK-NEXT:    %e_1 = relax.matmul %x, %e : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:    %e_2, %i = relax.split %e_1 {sections = 2 : i64, axis = -1 : i64} : (!relax.tensor<[n, 8], f32>) -> (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>)
// CHECK-NEXT:    %r = relax.tuple %d_4, %e_2, %h, %i : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @linear(%x: !relax.tensor<[b, n, 8], f32>, %q: !relax.tensor<[4, 8], f32>, %k: !relax.tensor<[6, 8], f32>, %c: !relax.tensor<[4], f32>, %d: !relax.tensor<[6], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.concat %q, %k {axis = 0 : i64} : (!relax.tensor<[4, 8], f32>, !relax.tensor<[6, 8], f32>) -> !relax.tensor<[10, 8], f32>
// CHECK-NEXT:    %a_1 = relax.concat %c, %d {axis = 0 : i64} : (!relax.tensor<[4], f32>, !relax.tensor<[6], f32>) -> !relax.tensor<[10], f32>
// CHECK-NEXT:    %a_2 = relax.linear %x, %a, %a_1 : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[10, 8], f32>, !relax.tensor<[10], f32>) -> !relax.tensor<[b, n, 10], f32>
// CHECK-NEXT:    %a_3, %e = relax.split %a_2 {indices = array<i64: 4>, axis = -1 : i64} : (!relax.tensor<[b, n, 10], f32>) -> (!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 6], f32>)
// CHECK-NEXT:    %r = relax.tuple %a_3, %e : (!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 6], f32>) -> tuple<!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 6], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 6], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @symbolic_widths(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, m], f32>, %k: !relax.tensor<[8, p], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.concat %q, %k {axis = -1 : i64} : (!relax.tensor<[8, m], f32>, !relax.tensor<[8, p], f32>) -> !relax.tensor<[8, m + p], f32>
// CHECK-NEXT:    %a_1 = relax.matmul %x, %a : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, m + p], f32>) -> !relax.tensor<[n, m + p], f32>
// CHECK-NEXT:    %a_2 = relax.shape [0]
// CHECK-NEXT:    %a_3 = relax.shape [m]
// CHECK-NEXT:    %a_4 = relax.strided_slice %a_1, %a_2, %a_3 {assume_inbound = true, axes = array<i64: -1>} : (!relax.tensor<[n, m + p], f32>, !relax.shape<[0]>, !relax.shape<[m]>) -> !relax.tensor<[n, m], f32>
// CHECK-NEXT:    %a_5 = relax.shape [m]
// CHECK-NEXT:    %a_6 = relax.shape [m + p]
// CHECK-NEXT:    %b = relax.strided_slice %a_1, %a_5, %a_6 {assume_inbound = true, axes = array<i64: -1>} : (!relax.tensor<[n, m + p], f32>, !relax.shape<[m]>, !relax.shape<[m + p]>) -> !relax.tensor<[n, p], f32>
// CHECK-NEXT:    %r = relax.tuple %a_4, %b : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, p], f32>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, p], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, p], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @batches(%x: !relax.tensor<[b, n, 8], f32>, %q: !relax.tensor<[b, 8, m], f32>, %k: !relax.tensor<[b, 8, m], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.concat %q, %k {axis = -1 : i64} : (!relax.tensor<[b, 8, m], f32>, !relax.tensor<[b, 8, m], f32>) -> !relax.tensor<[b, 8, 2 * m], f32>
// CHECK-NEXT:    %a_1 = relax.matmul %x, %a : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, 8, 2 * m], f32>) -> !relax.tensor<[b, n, 2 * m], f32>
// CHECK-NEXT:    %a_2, %b = relax.split %a_1 {sections = 2 : i64, axis = -1 : i64} : (!relax.tensor<[b, n, 2 * m], f32>) -> (!relax.tensor<[b, n, m], f32>, !relax.tensor<[b, n, m], f32>)
// CHECK-NEXT:    %r = relax.tuple %a_2, %b : (!relax.tensor<[b, n, m], f32>, !relax.tensor<[b, n, m], f32>) -> tuple<!relax.tensor<[b, n, m], f32>, !relax.tensor<[b, n, m], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[b, n, m], f32>, !relax.tensor<[b, n, m], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @matrices_made_between(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[4, 8], f32>, %k: !relax.tensor<[4, 8], f32>) -> !relax.object {
// CHECK-NEXT:    %qt = relax.permute_dims %q : (!relax.tensor<[4, 8], f32>) -> !relax.tensor<[8, 4], f32>
// CHECK-NEXT:    %kt = relax.permute_dims %k : (!relax.tensor<[4, 8], f32>) -> !relax.tensor<[8, 4], f32>
// CHECK-NEXT:    %a = relax.concat %qt, %kt {axis = -1 : i64} : (!relax.tensor<[8, 4], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[8, 8], f32>
// CHECK-NEXT:    %a_1 = relax.matmul %x, %a : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[n, 8], f32>
// CHECK-NEXT:    %a_2, %b = relax.split %a_1 {sections = 2 : i64, axis = -1 : i64} : (!relax.tensor<[n, 8], f32>) -> (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>)
// CHECK-NEXT:    %r = relax.tuple %a_2, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:  }
