// RUN: not relax-opt %s -p relax-fuse-elementwise,relax-bufferize,relax-linalg-to-loops 2>&1 | filecheck %s

// A body that yields an index for a float is not merged with another, and refused when it becomes loops.

relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.call_tir @size(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %1 = relax.call_tir @size(%0) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %1 : !relax.tensor<[n], f32>
}
func.func private @size(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %out = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%empty : tensor<?xf32>) {
  ^bb0(%x_in: f32, %old: f32):
    linalg.yield %n : index
  } -> tensor<?xf32>
  func.return %out : tensor<?xf32>
}

// CHECK: error: func.func @size: linalg.generic: expected a body of the element types (f32, f32, f32), which takes an element of each operand and yields one for each output, found (f32, f32, index); correct the body{{$}}
