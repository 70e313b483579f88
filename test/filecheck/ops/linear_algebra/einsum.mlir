// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @static(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "ij,jk->ik"} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[2, 4], f32>{{$}}
relax.func @static(%x: !relax.tensor<[2, 3], f32>, %y: !relax.tensor<[3, 4], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "ij,jk->ik"} : (!relax.tensor<[2, 3], f32>, !relax.tensor<[3, 4], f32>) -> !relax.tensor<[2, 4], f32>
  relax.return %r : !relax.tensor<[2, 4], f32>
}

// CHECK-LABEL: relax.func @symbolic(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "bij,bjk->kib"} : (!relax.tensor<[b, n, k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[m, n, b], f32>{{$}}
relax.func @symbolic(%x: !relax.tensor<[b, n, k], f32>, %y: !relax.tensor<[b, k, m], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "bij,bjk->kib"} : (!relax.tensor<[b, n, k], f32>, !relax.tensor<[b, k, m], f32>) -> !relax.tensor<[m, n, b], f32>
  relax.return %r : !relax.tensor<[m, n, b], f32>
}

// CHECK-LABEL: relax.func @implicit(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "kb, ba"} : (!relax.tensor<[n, m], i32>, !relax.tensor<[m, k], i32>) -> !relax.tensor<[k, n], i32>{{$}}
relax.func @implicit(%x: !relax.tensor<[n, m], i32>, %y: !relax.tensor<[m, k], i32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "kb, ba"} : (!relax.tensor<[n, m], i32>, !relax.tensor<[m, k], i32>) -> !relax.tensor<[k, n], i32>
  relax.return %r : !relax.tensor<[k, n], i32>
}

// CHECK-LABEL: relax.func @number(
// CHECK-NEXT: %r = relax.einsum %x {subscripts = "ii"} : (!relax.tensor<[n, n], f64>) -> !relax.tensor<[], f64>{{$}}
relax.func @number(%x: !relax.tensor<[n, n], f64>) -> !relax.object {
  %r = relax.einsum %x {subscripts = "ii"} : (!relax.tensor<[n, n], f64>) -> !relax.tensor<[], f64>
  relax.return %r : !relax.tensor<[], f64>
}

// CHECK-LABEL: relax.func @diagonal(
// CHECK-NEXT: %r = relax.einsum %x {subscripts = "iji->ij"} : (!relax.tensor<[n, m, n], f32>) -> !relax.tensor<[n, m], f32>{{$}}
relax.func @diagonal(%x: !relax.tensor<[n, m, n], f32>) -> !relax.object {
  %r = relax.einsum %x {subscripts = "iji->ij"} : (!relax.tensor<[n, m, n], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %r : !relax.tensor<[n, m], f32>
}

// CHECK-LABEL: relax.func @ellipsis(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "...ij,...jk->...ik"} : (!relax.tensor<[a, 1, n, k], f32>, !relax.tensor<[3, k, m], f32>) -> !relax.tensor<[a, 3, n, m], f32>{{$}}
relax.func @ellipsis(%x: !relax.tensor<[a, 1, n, k], f32>, %y: !relax.tensor<[3, k, m], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "...ij,...jk->...ik"} : (!relax.tensor<[a, 1, n, k], f32>, !relax.tensor<[3, k, m], f32>) -> !relax.tensor<[a, 3, n, m], f32>
  relax.return %r : !relax.tensor<[a, 3, n, m], f32>
}

// CHECK-LABEL: relax.func @sizes_to_be_checked(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "ij,ij->ij"} : (!relax.tensor<[n, k], f32>, !relax.tensor<[l, 4], f32>) -> !relax.tensor<[broadcast(l, n), 4], f32>{{$}}
relax.func @sizes_to_be_checked(%x: !relax.tensor<[n, k], f32>, %y: !relax.tensor<[l, 4], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "ij,ij->ij"} : (!relax.tensor<[n, k], f32>, !relax.tensor<[l, 4], f32>) -> !relax.tensor<[broadcast(l, n), 4], f32>
  relax.return %r : !relax.tensor<[broadcast(l, n), 4], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.einsum %x, %y, %z {subscripts = "ij,jk,k->ik"} : (!relax.tensor<[?, k], f32>, !relax.tensor<[k, ?], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[?, ?], f32>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, k], f32>, %y: !relax.tensor<[k, ?], f32>, %z: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.einsum %x, %y, %z {subscripts = "ij,jk,k->ik"} : (!relax.tensor<[?, k], f32>, !relax.tensor<[k, ?], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "ij,jk->ik"} : (!relax.tensor<*, f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[?, m], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[k, m], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "ij,jk->ik"} : (!relax.tensor<*, f32>, !relax.tensor<[k, m], f32>) -> !relax.tensor<[?, m], f32>
  relax.return %r : !relax.tensor<[?, m], f32>
}

// CHECK-LABEL: relax.func @unknown_rank_of_ellipsis(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "...i,i->..."} : (!relax.tensor<*, f32>, !relax.tensor<[k], f32>) -> !relax.tensor<*, f32>{{$}}
relax.func @unknown_rank_of_ellipsis(%x: !relax.tensor<*, f32>, %y: !relax.tensor<[k], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "...i,i->..."} : (!relax.tensor<*, f32>, !relax.tensor<[k], f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}

// CHECK-LABEL: relax.func @unknown_dtype(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "i,j->ji"} : (!relax.tensor<[n]>, !relax.tensor<[m], f32>) -> !relax.tensor<[m, n]>{{$}}
relax.func @unknown_dtype(%x: !relax.tensor<[n]>, %y: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "i,j->ji"} : (!relax.tensor<[n]>, !relax.tensor<[m], f32>) -> !relax.tensor<[m, n]>
  relax.return %r : !relax.tensor<[m, n]>
}

// CHECK-LABEL: relax.func @ones_broadcast(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "ij,ij->i"} : (!relax.tensor<[1, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2], f32>{{$}}
relax.func @ones_broadcast(%x: !relax.tensor<[1, 3], f32>, %y: !relax.tensor<[2, 3], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "ij,ij->i"} : (!relax.tensor<[1, 3], f32>, !relax.tensor<[2, 3], f32>) -> !relax.tensor<[2], f32>
  relax.return %r : !relax.tensor<[2], f32>
}

// CHECK-LABEL: relax.func @diagonal_broadcasts(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "ii,i->i"} : (!relax.tensor<[n, n], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>{{$}}
relax.func @diagonal_broadcasts(%x: !relax.tensor<[n, n], f32>, %y: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "ii,i->i"} : (!relax.tensor<[n, n], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
  relax.return %r : !relax.tensor<[4], f32>
}

// CHECK-LABEL: relax.func @one_and_unknown_dim(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "i,i->i"} : (!relax.tensor<[1], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>{{$}}
relax.func @one_and_unknown_dim(%x: !relax.tensor<[1], f32>, %y: !relax.tensor<[?], f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "i,i->i"} : (!relax.tensor<[1], f32>, !relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  relax.return %r : !relax.tensor<[?], f32>
}

// CHECK-LABEL: relax.func @size_and_unknown_rank(
// CHECK-NEXT: %r = relax.einsum %x, %y {subscripts = "ij,ij->ij"} : (!relax.tensor<[1, 3], f32>, !relax.tensor<*, f32>) -> !relax.tensor<[?, 3], f32>{{$}}
relax.func @size_and_unknown_rank(%x: !relax.tensor<[1, 3], f32>, %y: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.einsum %x, %y {subscripts = "ij,ij->ij"} : (!relax.tensor<[1, 3], f32>, !relax.tensor<*, f32>) -> !relax.tensor<[?, 3], f32>
  relax.return %r : !relax.tensor<[?, 3], f32>
}
