// RUN: relax-opt %s -p 'relax-to-mixed-precision' | filecheck %s
// RUN: relax-opt %s -p 'relax-to-mixed-precision{dtype=bf16}' | filecheck %s --check-prefix=BF16

// What always is narrow adds up in f32; what follows is narrow after it; what never is goes back to f32.
relax.func @policies(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 2], f32> {
  %y = relax.dataflow {
    %c = relax.constant dense<0.1> : tensor<4x2xf32>
    %h = relax.matmul %x, %c : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 2], f32>) -> !relax.tensor<[n, 2], f32>
    %r = relax.relu %h : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    %s = relax.softmax %r {axis = -1 : i64} : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
    relax.output %s : !relax.tensor<[n, 2], f32>
  }
  relax.return %y : !relax.tensor<[n, 2], f32>
}
// CHECK-LABEL: relax.func @policies(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 2], f32>
// CHECK-NEXT:    %y = relax.dataflow {
// CHECK-NEXT:      %c = relax.constant dense<9.997560e-02> : tensor<4x2xf16>
// CHECK-NEXT:      %x_1 = relax.astype %x {dtype = f16} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f16>
// CHECK-NEXT:      %h = relax.matmul %x_1, %c {out_dtype = f32} : (!relax.tensor<[n, 4], f16>, !relax.tensor<[4, 2], f16>) -> !relax.tensor<[n, 2], f32>
// CHECK-NEXT:      %h_1 = relax.astype %h {dtype = f16} : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f16>
// CHECK-NEXT:      %r = relax.relu %h_1 : (!relax.tensor<[n, 2], f16>) -> !relax.tensor<[n, 2], f16>
// CHECK-NEXT:      %r_1 = relax.astype %r {dtype = f32} : (!relax.tensor<[n, 2], f16>) -> !relax.tensor<[n, 2], f32>
// CHECK-NEXT:      %s = relax.softmax %r_1 {axis = -1 : i64} : (!relax.tensor<[n, 2], f32>) -> !relax.tensor<[n, 2], f32>
// CHECK-NEXT:      relax.output %s

// BF16-LABEL: relax.func @policies
// BF16:         %c = relax.constant dense<{{1.00.*}}> : tensor<4x2xbf16>
// BF16:         %r = relax.relu %h_1 : (!relax.tensor<[n, 2], bf16>) -> !relax.tensor<[n, 2], bf16>

// A result that leaves the block is the f32 sum itself; the bias of a product has the type of the sums.
relax.func @leaves(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[2, 4], f32>, %b: !relax.tensor<[2], f32>) -> !relax.tensor<[n, 2], f32> {
  %y = relax.linear %x, %w, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[2, 4], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[n, 2], f32>
  relax.return %y : !relax.tensor<[n, 2], f32>
}
// CHECK-LABEL: relax.func @leaves
// CHECK-NEXT:    %x_1 = relax.astype %x {dtype = f16}
// CHECK-NEXT:    %w_1 = relax.astype %w {dtype = f16}
// CHECK-NEXT:    %y = relax.linear %x_1, %w_1, %b {out_dtype = f32} : (!relax.tensor<[n, 4], f16>, !relax.tensor<[2, 4], f16>, !relax.tensor<[2], f32>) -> !relax.tensor<[n, 2], f32>
// CHECK-NEXT:    relax.return %y

// Without out_dtype the result is narrow; one cast for all that leaves.
relax.func @attention(%q: !relax.tensor<[n, 3, 2, 4], f32>) -> tuple<!relax.tensor<[n, 3, 2, 4], f32>, !relax.tensor<[n, 3, 2, 4], f32>> {
  %a = relax.attention %q, %q, %q : (!relax.tensor<[n, 3, 2, 4], f32>, !relax.tensor<[n, 3, 2, 4], f32>, !relax.tensor<[n, 3, 2, 4], f32>) -> !relax.tensor<[n, 3, 2, 4], f32>
  %e = relax.exp %a : (!relax.tensor<[n, 3, 2, 4], f32>) -> !relax.tensor<[n, 3, 2, 4], f32>
  %t = relax.tuple %a, %e : (!relax.tensor<[n, 3, 2, 4], f32>, !relax.tensor<[n, 3, 2, 4], f32>) -> tuple<!relax.tensor<[n, 3, 2, 4], f32>, !relax.tensor<[n, 3, 2, 4], f32>>
  relax.return %t : tuple<!relax.tensor<[n, 3, 2, 4], f32>, !relax.tensor<[n, 3, 2, 4], f32>>
}
// CHECK-LABEL: relax.func @attention
// CHECK-NEXT:    %q_1 = relax.astype %q {dtype = f16}
// CHECK-NEXT:    %a = relax.attention %q_1, %q_1, %q_1
// CHECK-SAME:      -> !relax.tensor<[n, 3, 2, 4], f16>
// CHECK-NEXT:    %e = relax.exp %a : (!relax.tensor<[n, 3, 2, 4], f16>) -> !relax.tensor<[n, 3, 2, 4], f16>
// CHECK-NEXT:    %a_1 = relax.astype %a {dtype = f32}
// CHECK-NEXT:    %e_1 = relax.astype %e {dtype = f32}
// CHECK-NEXT:    %t = relax.tuple %a_1, %e_1

// A constant that others need in f32 stays; in a graph region ops are sorted; a branch has casts of its own.
relax.func @places(%x: !relax.tensor<[4], f32>, %p: !relax.tensor<[], i1>) -> !relax.tensor<[4], f32> {
  %y, %h = relax.dataflow {
    %s = relax.add %d, %c : (!relax.tensor<[4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4, 4], f32>
    %d = relax.tanh %m : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
    %c = relax.constant dense<2.0> : tensor<4x4xf32>
    %m = relax.matmul %x, %c : (!relax.tensor<[4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4], f32>
    %t = relax.sum %c {axis = array<i64: 0>} : (!relax.tensor<[4, 4], f32>) -> !relax.tensor<[4], f32>
    relax.output %t, %s : !relax.tensor<[4], f32>, !relax.tensor<[4, 4], f32>
  }
  %z = relax.if %p : (!relax.tensor<[], i1>) -> !relax.tensor<[4], f32> {
    %u = relax.matmul %y, %h : (!relax.tensor<[4], f32>, !relax.tensor<[4, 4], f32>) -> !relax.tensor<[4], f32>
    relax.yield %u : !relax.tensor<[4], f32>
  } else {
    relax.yield %y : !relax.tensor<[4], f32>
  }
  relax.return %z : !relax.tensor<[4], f32>
}
// CHECK-LABEL: relax.func @places
// CHECK:         %[[C:.*]] = relax.constant dense<2.000000e+00> : tensor<4x4xf32>
// CHECK-NEXT:    %[[N:.*]] = relax.constant dense<2.000000e+00> : tensor<4x4xf16>
// CHECK:         relax.matmul %{{.*}}, %[[N]] {out_dtype = f32}
// CHECK:         %[[D:.*]] = relax.tanh %{{.*}} : (!relax.tensor<[4], f16>) -> !relax.tensor<[4], f16>
// CHECK:         %[[S:.*]] = relax.add %[[D]], %[[N]] : (!relax.tensor<[4], f16>, !relax.tensor<[4, 4], f16>) -> !relax.tensor<[4, 4], f16>
// CHECK:         relax.astype %[[S]] {dtype = f32}
// CHECK:         relax.if %p
// CHECK-NEXT:      relax.astype %y {dtype = f16}
// CHECK-NEXT:      relax.astype %h {dtype = f16}
// CHECK-NEXT:      %u = relax.matmul
// CHECK-NEXT:      relax.yield %u
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relax.yield %y
