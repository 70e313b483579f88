func.func @addf(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = arith.addf %a, %b : tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
func.func @const(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %c = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %0 = arith.mulf %a, %c : tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func @select_t(%c: tensor<4xi1>, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = arith.select %c, %a, %b : tensor<4xi1>, tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @cmp_t(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xi1> {
  %0 = arith.cmpf olt, %a, %b : tensor<4xf32>
  return %0 : tensor<4xi1>
}
func.func @cast_t(%a: tensor<?xi32>) -> tensor<?xf32> {
  %0 = arith.sitofp %a : tensor<?xi32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @extract(%a: tensor<?x3xf32>, %i: index, %j: index) -> f32 {
  %0 = tensor.extract %a[%i, %j] : tensor<?x3xf32>
  return %0 : f32
}
func.func @insert(%a: tensor<?xf32>, %v: f32, %i: index) -> tensor<?xf32> {
  %0 = tensor.insert %v into %a[%i] : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @from_elements(%a: f32, %b: f32) -> tensor<2xf32> {
  %0 = tensor.from_elements %a, %b : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @splat(%a: f32) -> tensor<2x3xf32> {
  %0 = tensor.splat %a : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func @dims(%a: tensor<?x?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = tensor.dim %a, %c0 : tensor<?x?xf32>
  %1 = tensor.dim %a, %c1 : tensor<?x?xf32>
  return %0, %1 : index, index
}
func.func @slice(%a: tensor<8x16xf32>) -> tensor<4x4xf32> {
  %0 = tensor.extract_slice %a[2, 4] [4, 4] [1, 2] : tensor<8x16xf32> to tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
func.func @dyn_slice(%a: tensor<?xf32>, %o: index, %n: index) -> tensor<?xf32> {
  %0 = tensor.extract_slice %a[%o] [%n] [1] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @insert_slice(%a: tensor<8x16xf32>, %b: tensor<4x4xf32>) -> tensor<8x16xf32> {
  %0 = tensor.insert_slice %b into %a[2, 4] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
func.func @dyn_insert_slice(%a: tensor<?xf32>, %b: tensor<?xf32>, %o: index, %n: index) -> tensor<?xf32> {
  %0 = tensor.insert_slice %b into %a[%o] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @collapse(%a: tensor<?x4x2xf32>) -> tensor<?x8xf32> {
  %0 = tensor.collapse_shape %a [[0], [1, 2]] : tensor<?x4x2xf32> into tensor<?x8xf32>
  return %0 : tensor<?x8xf32>
}
func.func @expand(%a: tensor<6x4xf32>) -> tensor<2x3x4xf32> {
  %0 = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 3, 4] : tensor<6x4xf32> into tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}
func.func @cast(%a: tensor<4xf32>) -> tensor<?xf32> {
  %0 = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @concat(%a: tensor<?x2xf32>, %b: tensor<?x2xf32>) -> tensor<?x2xf32> {
  %0 = tensor.concat dim(0) %a, %b : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}
func.func @generate(%n: index) -> tensor<?x3xindex> {
  %0 = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %s = arith.addi %i, %j : index
    tensor.yield %s : index
  } : tensor<?x3xindex>
  return %0 : tensor<?x3xindex>
}
func.func @pad(%a: tensor<?x2xf32>, %lo: index) -> tensor<?x4xf32> {
  %z = arith.constant 0.0 : f32
  %0 = tensor.pad %a low[%lo, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f32
  } : tensor<?x2xf32> to tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
func.func @fill_loop(%n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e) -> (tensor<?xf32>) {
    %v = arith.index_cast %i : index to i32
    %f = arith.sitofp %v : i32 to f32
    %u = tensor.insert %f into %t[%i] : tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @if_t(%c: i1, %a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %r = scf.if %c -> (tensor<?xf32>) {
    scf.yield %a : tensor<?xf32>
  } else {
    %s = arith.addf %a, %b : tensor<?xf32>
    scf.yield %s : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func private @helper(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = math.exp %a : tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @calls(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = func.call @helper(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @helper(%0) : (tensor<?xf32>) -> tensor<?xf32>
  return %1 : tensor<?xf32>
}
func.func @rec(%a: tensor<?xf32>, %n: i32) -> tensor<?xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c = arith.cmpi eq, %n, %c0 : i32
  %r = scf.if %c -> (tensor<?xf32>) {
    scf.yield %a : tensor<?xf32>
  } else {
    %m = arith.subi %n, %c1 : i32
    %b = arith.addf %a, %a : tensor<?xf32>
    %q = func.call @rec(%b, %m) : (tensor<?xf32>, i32) -> tensor<?xf32>
    scf.yield %q : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @swap(%a: tensor<?xf32>, %b: tensor<3xi32>) -> (tensor<3xi32>, tensor<?xf32>) {
  return %b, %a : tensor<3xi32>, tensor<?xf32>
}
func.func @rank0(%a: tensor<f32>) -> f32 {
  %0 = tensor.extract %a[] : tensor<f32>
  return %0 : f32
}
