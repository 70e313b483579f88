// RUN: relax-opt %s -p relax-outline-tensor-ops | filecheck %s

// Each op on whole tensors is a prim func of its own; sizes that are to be equal are one symbol; what only looks at a tensor stays.

func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.addf %x, %x : tensor<2xf32>
  func.return %y : tensor<2xf32>
}
relax.func @exp(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %u = math.exp %t : tensor<?xf32>
  %v = arith.addf %u, %t : tensor<?xf32>
  %y = relax.from_builtin %v : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  %z = relax.negative %y : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  relax.return %z : !relax.tensor<[?], f32>
}
relax.func @sum(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.tensor<[?], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %u = relax.to_builtin %y : (!relax.tensor<[m], f32>) -> tensor<?xf32>
  %v = arith.addf %t, %u : tensor<?xf32>
  %z = relax.from_builtin %v : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  relax.return %z : !relax.tensor<[?], f32>
}
relax.func @elements(%x: !relax.tensor<[n], f32>, %i: index, %b: f32) -> !relax.tensor<[2], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %a = tensor.extract %t[%i] : tensor<?xf32>
  %p = tensor.from_elements %a, %b : tensor<2xf32>
  %u = func.call @twice(%p) : (tensor<2xf32>) -> tensor<2xf32>
  %y = relax.from_builtin %u : (tensor<2xf32>) -> !relax.tensor<[2], f32>
  relax.return %y : !relax.tensor<[2], f32>
}
relax.func @product(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, 3], f32>, %rows: index, %s: f32) -> !relax.tensor<[?, 3], f32> {
  %a = relax.to_builtin %x : (!relax.tensor<[n, k], f32>) -> tensor<?x?xf32>
  %b = relax.to_builtin %w : (!relax.tensor<[k, 3], f32>) -> tensor<?x3xf32>
  %e = tensor.empty(%rows) : tensor<?x3xf32>
  %i = linalg.fill ins(%s : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x3xf32>) outs(%i : tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = relax.from_builtin %r : (tensor<?x3xf32>) -> !relax.tensor<[?, 3], f32>
  relax.return %y : !relax.tensor<[?, 3], f32>
}
relax.func @size(%x: !relax.tensor<[?, 4], f32>, %d: index) -> index {
  %t = relax.to_builtin %x : (!relax.tensor<[?, 4], f32>) -> tensor<?x4xf32>
  %s = tensor.dim %t, %d : tensor<?x4xf32>
  relax.return %s : index
}
relax.func @scaled(%x: !relax.tensor<[n], f32>, %s: f32) -> !relax.tensor<[?], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t : tensor<?xf32>) outs(%t : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %s : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  %y = relax.from_builtin %u : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  relax.return %y : !relax.tensor<[?], f32>
}
relax.func @around(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %y = relax.from_builtin %t : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  relax.return %y : !relax.tensor<[?], f32>
}

// CHECK:      func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
// CHECK-NEXT: %y = arith.addf %x, %x : tensor<2xf32>
// CHECK-NEXT: func.return %y : tensor<2xf32>
// CHECK-NEXT: }
// CHECK:      relax.func @exp(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT: %u = relax.call_tir @math_exp(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: %v = relax.call_tir @arith_addf(%u, %x) : (!relax.tensor<[?], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: %z = relax.negative %v : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: relax.return %z : !relax.tensor<[?], f32>
// CHECK-NEXT: }
// CHECK:      relax.func @sum(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT: %v = relax.call_tir @arith_addf_1(%x, %y) : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: relax.return %v : !relax.tensor<[?], f32>
// CHECK-NEXT: }
// CHECK:      relax.func @elements(%x: !relax.tensor<[n], f32>, %i: index, %b: f32) -> !relax.tensor<[2], f32> {
// CHECK-NEXT: %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
// CHECK-NEXT: %a = tensor.extract %t[%i] : tensor<?xf32>
// CHECK-NEXT: %0 = relax.scalar_to_tensor %a : (f32) -> !relax.tensor<[], f32>
// CHECK-NEXT: %1 = relax.scalar_to_tensor %b : (f32) -> !relax.tensor<[], f32>
// CHECK-NEXT: %p = relax.call_tir @tensor_from_elements(%0, %1) : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[2], f32>
// CHECK-NEXT: %u = relax.call_tir @func_call(%p) : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
// CHECK-NEXT: relax.return %u : !relax.tensor<[2], f32>
// CHECK-NEXT: }
// CHECK:      relax.func @product(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, 3], f32>, %rows: index, %s: f32) -> !relax.tensor<[?, 3], f32> {
// CHECK-NEXT: %e = tensor.empty(%rows) : tensor<?x3xf32>
// CHECK-NEXT: %0 = relax.scalar_to_tensor %s : (f32) -> !relax.tensor<[], f32>
// CHECK-NEXT: %1 = relax.from_builtin %e : (tensor<?x3xf32>) -> !relax.tensor<[?, 3], f32>
// CHECK-NEXT: %i = relax.call_tir @linalg_fill(%0, %1) : (!relax.tensor<[], f32>, !relax.tensor<[?, 3], f32>) -> !relax.tensor<[?, 3], f32>
// CHECK-NEXT: %r = relax.call_tir @linalg_matmul(%x, %w, %i) : (!relax.tensor<[n, k], f32>, !relax.tensor<[k, 3], f32>, !relax.tensor<[?, 3], f32>) -> !relax.tensor<[?, 3], f32>
// CHECK-NEXT: relax.return %r : !relax.tensor<[?, 3], f32>
// CHECK-NEXT: }
// CHECK:      relax.func @size(%x: !relax.tensor<[?, 4], f32>, %d: index) -> index {
// CHECK-NEXT: %t = relax.to_builtin %x : (!relax.tensor<[?, 4], f32>) -> tensor<?x4xf32>
// CHECK-NEXT: %s = tensor.dim %t, %d : tensor<?x4xf32>
// CHECK-NEXT: relax.return %s : index
// CHECK-NEXT: }
// CHECK:      relax.func @scaled(%x: !relax.tensor<[n], f32>, %s: f32) -> !relax.tensor<[?], f32> {
// CHECK-NEXT: %0 = relax.scalar_to_tensor %s : (f32) -> !relax.tensor<[], f32>
// CHECK-NEXT: %u = relax.call_tir @linalg_generic(%x, %0) : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: relax.return %u : !relax.tensor<[?], f32>
// CHECK-NEXT: }
// CHECK:      relax.func @around(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
// CHECK-NEXT: %y = relax.let %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: relax.return %y : !relax.tensor<[?], f32>
// CHECK-NEXT: }
// CHECK:      func.func private @math_exp(%t: tensor<?xf32> {relax.dims = ["d0"]}) -> (tensor<?xf32> {relax.dims = ["d0"]}) {
// CHECK-NEXT: %u = math.exp %t : tensor<?xf32>
// CHECK-NEXT: func.return %u : tensor<?xf32>
// CHECK-NEXT: }
// CHECK:      func.func private @arith_addf(%u: tensor<?xf32> {relax.dims = ["d0"]}, %t: tensor<?xf32> {relax.dims = ["d0"]}) -> (tensor<?xf32> {relax.dims = ["d0"]}) {
// CHECK-NEXT: %v = arith.addf %u, %t : tensor<?xf32>
// CHECK-NEXT: func.return %v : tensor<?xf32>
// CHECK-NEXT: }
// CHECK:      func.func private @arith_addf_1(%t: tensor<?xf32> {relax.dims = ["d0"]}, %u: tensor<?xf32> {relax.dims = ["d0"]}) -> (tensor<?xf32> {relax.dims = ["d0"]}) {
// CHECK-NEXT: %v = arith.addf %t, %u : tensor<?xf32>
// CHECK-NEXT: func.return %v : tensor<?xf32>
// CHECK-NEXT: }
// CHECK:      func.func private @tensor_from_elements(%a: tensor<f32> {relax.dims = []}, %b: tensor<f32> {relax.dims = []}) -> (tensor<2xf32> {relax.dims = ["2"]}) {
// CHECK-NEXT: %0 = tensor.extract %a[] : tensor<f32>
// CHECK-NEXT: %1 = tensor.extract %b[] : tensor<f32>
// CHECK-NEXT: %p = tensor.from_elements %0, %1 : tensor<2xf32>
// CHECK-NEXT: func.return %p : tensor<2xf32>
// CHECK-NEXT: }
// CHECK:      func.func private @func_call(%p: tensor<2xf32> {relax.dims = ["2"]}) -> (tensor<2xf32> {relax.dims = ["2"]}) {
// CHECK-NEXT: %u = func.call @twice(%p) : (tensor<2xf32>) -> tensor<2xf32>
// CHECK-NEXT: func.return %u : tensor<2xf32>
// CHECK-NEXT: }
// CHECK:      func.func private @linalg_fill(%s: tensor<f32> {relax.dims = []}, %e: tensor<?x3xf32> {relax.dims = ["d0", "3"]}) -> (tensor<?x3xf32> {relax.dims = ["d0", "3"]}) {
// CHECK-NEXT: %0 = tensor.extract %s[] : tensor<f32>
// CHECK-NEXT: %i = linalg.fill ins(%0 : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK-NEXT: func.return %i : tensor<?x3xf32>
// CHECK-NEXT: }
// CHECK:      func.func private @linalg_matmul(%a: tensor<?x?xf32> {relax.dims = ["d0", "d2"]}, %b: tensor<?x3xf32> {relax.dims = ["d2", "3"]}, %i: tensor<?x3xf32> {relax.dims = ["d0", "3"]}) -> (tensor<?x3xf32> {relax.dims = ["d0", "3"]}) {
// CHECK-NEXT: %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x3xf32>) outs(%i : tensor<?x3xf32>) -> tensor<?x3xf32>
// CHECK-NEXT: func.return %r : tensor<?x3xf32>
// CHECK-NEXT: }
// CHECK:      func.func private @linalg_generic(%t: tensor<?xf32> {relax.dims = ["d0"]}, %s: tensor<f32> {relax.dims = []}) -> (tensor<?xf32> {relax.dims = ["d0"]}) {
// CHECK-NEXT: %0 = tensor.extract %s[] : tensor<f32>
// CHECK-NEXT: %u = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%t : tensor<?xf32>) outs(%t : tensor<?xf32>) {
// CHECK-NEXT: ^bb0(%a: f32, %b: f32):
// CHECK-NEXT: %c = arith.mulf %a, %0 : f32
// CHECK-NEXT: linalg.yield %c : f32
// CHECK-NEXT: } -> tensor<?xf32>
// CHECK-NEXT: func.return %u : tensor<?xf32>
// CHECK-NEXT: }
// CHECK-NEXT: }
