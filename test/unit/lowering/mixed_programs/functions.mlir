func.func private @ext(%a: memref<?xf32>, %i: index) -> f32 {
  %v = memref.load %a[%i] : memref<?xf32>
  return %v : f32
}
func.func @call_mem(%a: memref<?xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %v = func.call @ext(%a, %c1) : (memref<?xf32>, index) -> f32
  return %v : f32
}
func.func @tensor_and_scalars(%a: tensor<?xf32>, %i: i64, %c: i1) -> (tensor<?xf32>, i64, i1) {
  %j = arith.addi %i, %i : i64
  return %a, %j, %c : tensor<?xf32>, i64, i1
}
func.func @matmul_relu(%a: tensor<?x8xf32>, %b: tensor<8x16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %m = linalg.matmul ins(%a, %b : tensor<?x8xf32>, tensor<8x16xf32>) outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%m : tensor<?x16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.maximumf %x, %z : f32
    linalg.yield %y : f32
  } -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
func.func @softmax(%a: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c1 : tensor<4x?xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %f = linalg.fill ins(%ninf : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %m = linalg.reduce ins(%a : tensor<4x?xf32>) outs(%f : tensor<4xf32>) dimensions = [1] (%in: f32, %acc: f32) {
    %0 = arith.maximumf %in, %acc : f32
    linalg.yield %0 : f32
  }
  %e2 = tensor.empty(%n) : tensor<4x?xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %m : tensor<4x?xf32>, tensor<4xf32>) outs(%e2 : tensor<4x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.subf %p, %q : f32
    %2 = math.exp %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4x?xf32>
  %f2 = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.reduce ins(%x : tensor<4x?xf32>) outs(%f2 : tensor<4xf32>) dimensions = [1] (%in: f32, %acc: f32) {
    %0 = arith.addf %in, %acc : f32
    linalg.yield %0 : f32
  }
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%x, %s : tensor<4x?xf32>, tensor<4xf32>) outs(%e2 : tensor<4x?xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %1 = arith.divf %p, %q : f32
    linalg.yield %1 : f32
  } -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}
func.func @histogram(%a: tensor<?xi32>) -> tensor<8xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1 : i32
  %n = tensor.dim %a, %c0 : tensor<?xi32>
  %z = arith.constant dense<0> : tensor<8xi32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%h = %z) -> (tensor<8xi32>) {
    %v = tensor.extract %a[%i] : tensor<?xi32>
    %m = arith.constant 7 : i32
    %k = arith.andi %v, %m : i32
    %j = arith.index_cast %k : i32 to index
    %o = tensor.extract %h[%j] : tensor<8xi32>
    %p = arith.addi %o, %one : i32
    %q = tensor.insert %p into %h[%j] : tensor<8xi32>
    scf.yield %q : tensor<8xi32>
  }
  return %r : tensor<8xi32>
}
func.func @nested(%a: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %a) -> (tensor<?x?xf32>) {
    %s = scf.for %j = %c0 to %m step %c1 iter_args(%u = %t) -> (tensor<?x?xf32>) {
      %v = tensor.extract %u[%i, %j] : tensor<?x?xf32>
      %w = arith.mulf %v, %v : f32
      %x = tensor.insert %w into %u[%i, %j] : tensor<?x?xf32>
      scf.yield %x : tensor<?x?xf32>
    }
    scf.yield %s : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
func.func @while_t(%a: tensor<?xf32>, %n: i32) -> (tensor<?xf32>, i32) {
  %c1 = arith.constant 1 : i32
  %c0 = arith.constant 0 : i32
  %r:2 = scf.while (%t = %a, %i = %n) : (tensor<?xf32>, i32) -> (tensor<?xf32>, i32) {
    %c = arith.cmpi sgt, %i, %c0 : i32
    scf.condition(%c) %t, %i : tensor<?xf32>, i32
  } do {
  ^bb0(%t: tensor<?xf32>, %i: i32):
    %u = arith.addf %t, %t : tensor<?xf32>
    %j = arith.subi %i, %c1 : i32
    scf.yield %u, %j : tensor<?xf32>, i32
  }
  return %r#0, %r#1 : tensor<?xf32>, i32
}
func.func @if_many(%c: i1, %a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, i32) {
  %r:2 = scf.if %c -> (tensor<2xf32>, i32) {
    %1 = arith.constant 1 : i32
    scf.yield %a, %1 : tensor<2xf32>, i32
  } else {
    %2 = arith.constant 2 : i32
    scf.yield %b, %2 : tensor<2xf32>, i32
  }
  return %r#0, %r#1 : tensor<2xf32>, i32
}
func.func @switch_t(%i: index, %a: tensor<2xf32>) -> tensor<2xf32> {
  %r = scf.index_switch %i -> tensor<2xf32>
  case 2 {
    %1 = arith.addf %a, %a : tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  }
  default {
    scf.yield %a : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
func.func @execute(%a: i32) -> i32 {
  %r = scf.execute_region -> i32 {
    %1 = arith.addi %a, %a : i32
    scf.yield %1 : i32
  }
  return %r : i32
}
func.func @mat_mem(%a: memref<4x8xf32>, %b: memref<8x4xf32>, %c: memref<4x4xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%c : memref<4x4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%a, %b : memref<4x8xf32>, memref<8x4xf32>) outs(%c : memref<4x4xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %q = arith.addf %s, %p : f32
    linalg.yield %q : f32
  }
  return
}
func.func @from_6(%a: f32) -> tensor<2x3xf32> {
  %0 = tensor.from_elements %a, %a, %a, %a, %a, %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func @f16(%a: tensor<?xf16>) -> tensor<?xf32> {
  %0 = arith.extf %a : tensor<?xf16> to tensor<?xf32>
  %1 = math.rsqrt %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @ints(%a: tensor<4xi8>, %b: tensor<4xi8>) -> tensor<4xi32> {
  %0 = arith.extsi %a : tensor<4xi8> to tensor<4xi32>
  %1 = arith.extui %b : tensor<4xi8> to tensor<4xi32>
  %2 = arith.muli %0, %1 : tensor<4xi32>
  %3 = arith.divsi %2, %1 : tensor<4xi32>
  return %2 : tensor<4xi32>
}
func.func @select_s(%c: i1, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.select %c, %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @const_only() -> tensor<2x2xi32> {
  %0 = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  return %0 : tensor<2x2xi32>
}
func.func @idx(%a: tensor<4xindex>, %i: index) -> index {
  %0 = tensor.extract %a[%i] : tensor<4xindex>
  %1 = arith.muli %0, %i : index
  return %1 : index
}
func.func @expand_dyn(%a: tensor<?x4xf32>) -> tensor<?x2x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %0 = tensor.expand_shape %a [[0], [1, 2]] output_shape [%n, 2, 2] : tensor<?x4xf32> into tensor<?x2x2xf32>
  return %0 : tensor<?x2x2xf32>
}
func.func @slice_rank(%a: tensor<4x8xf32>, %i: index) -> tensor<8xf32> {
  %0 = tensor.extract_slice %a[%i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @tiled(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<8x4xf32>
  %r = scf.for %i = %c0 to %c8 step %c2 iter_args(%t = %e) -> (tensor<8x4xf32>) {
    %s = tensor.extract_slice %a[%i, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
    %x = math.exp %s : tensor<2x4xf32>
    %u = tensor.insert_slice %x into %t[%i, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<8x4xf32>
    scf.yield %u : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}
func.func @tiled_dyn(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %r = scf.for %i = %c0 to %n step %c2 iter_args(%t = %e) -> (tensor<?x4xf32>) {
    %left = arith.subi %n, %i : index
    %k = arith.minsi %left, %c2 : index
    %s = tensor.extract_slice %a[%i, 0] [%k, 4] [1, 1] : tensor<?x4xf32> to tensor<?x4xf32>
    %x = math.exp %s : tensor<?x4xf32>
    %u = tensor.insert_slice %x into %t[%i, 0] [%k, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
    scf.yield %u : tensor<?x4xf32>
  }
  return %r : tensor<?x4xf32>
}
func.func @mutual_even(%n: i32) -> i1 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %t = arith.constant true
  %z = arith.cmpi eq, %n, %c0 : i32
  %r = scf.if %z -> (i1) {
    scf.yield %t : i1
  } else {
    %m = arith.subi %n, %c1 : i32
    %o = func.call @odd(%m) : (i32) -> i1
    scf.yield %o : i1
  }
  return %r : i1
}
func.func private @odd(%n: i32) -> i1 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %f = arith.constant false
  %z = arith.cmpi eq, %n, %c0 : i32
  %r = scf.if %z -> (i1) {
    scf.yield %f : i1
  } else {
    %m = arith.subi %n, %c1 : i32
    %o = func.call @mutual_even(%m) : (i32) -> i1
    scf.yield %o : i1
  }
  return %r : i1
}
func.func @vec_mask(%a: memref<8xf32>, %b: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = vector.load %a[%c0] : memref<8xf32>, vector<8xf32>
  %w = vector.load %b[%c0] : memref<8xf32>, vector<8xf32>
  %m = arith.cmpf olt, %v, %w : vector<8xf32>
  %s = arith.select %m, %v, %w : vector<8xi1>, vector<8xf32>
  vector.store %s, %b[%c0] : memref<8xf32>, vector<8xf32>
  return
}
func.func @strided(%a: memref<4x4xf32, strided<[4, 1], offset: 0>>) -> f32 {
  %c1 = arith.constant 1 : index
  %v = memref.load %a[%c1, %c1] : memref<4x4xf32, strided<[4, 1], offset: 0>>
  return %v : f32
}
func.func @assertion(%a: index, %b: index) -> index {
  %c = arith.cmpi slt, %a, %b : index
  cf.assert %c, "a must be less than b"
  return %a : index
}
func.func @unused_result(%a: tensor<?xf32>) {
  %0 = arith.addf %a, %a : tensor<?xf32>
  return
}
func.func @alias_view(%a: memref<6x4xf32>) -> memref<24xf32> {
  %b = memref.collapse_shape %a [[0, 1]] : memref<6x4xf32> into memref<24xf32>
  return %b : memref<24xf32>
}
