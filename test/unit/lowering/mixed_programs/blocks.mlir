func.func @gcd(%a: i32, %b: i32) -> i32 {
  cf.br ^loop(%a, %b : i32, i32)
^loop(%x: i32, %y: i32):
  %z = arith.constant 0 : i32
  %c = arith.cmpi eq, %y, %z : i32
  cf.cond_br %c, ^done, ^step
^step:
  %m = arith.remsi %x, %y : i32
  cf.br ^loop(%y, %m : i32, i32)
^done:
  return %x : i32
}
func.func @diamond(%c: i1, %a: f32, %b: f32) -> f32 {
  cf.cond_br %c, ^t, ^f
^t:
  %0 = arith.addf %a, %b : f32
  cf.br ^j(%0 : f32)
^f:
  %1 = arith.mulf %a, %b : f32
  cf.br ^j(%1 : f32)
^j(%r: f32):
  return %r : f32
}
func.func @swap(%n: i32, %a: f32, %b: f32) -> (f32, f32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^head(%c0, %a, %b : i32, f32, f32)
^head(%i: i32, %x: f32, %y: f32):
  %c = arith.cmpi slt, %i, %n : i32
  cf.cond_br %c, ^body, ^exit(%x, %y : f32, f32)
^body:
  %j = arith.addi %i, %c1 : i32
  cf.br ^head(%j, %y, %x : i32, f32, f32)
^exit(%p: f32, %q: f32):
  return %p, %q : f32, f32
}
func.func @early(%a: memref<?xf32>, %v: f32) -> index {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m1 = arith.constant -1 : index
  %n = memref.dim %a, %c0 : memref<?xf32>
  cf.br ^head(%c0 : index)
^head(%i: index):
  %c = arith.cmpi slt, %i, %n : index
  cf.cond_br %c, ^body, ^no
^body:
  %x = memref.load %a[%i] : memref<?xf32>
  %e = arith.cmpf oeq, %x, %v : f32
  cf.cond_br %e, ^yes, ^next
^next:
  %j = arith.addi %i, %c1 : index
  cf.br ^head(%j : index)
^yes:
  return %i : index
^no:
  return %m1 : index
}
func.func @two_returns(%c: i1, %a: i32) -> i32 {
  cf.cond_br %c, ^t, ^f
^t:
  %1 = arith.constant 1 : i32
  return %1 : i32
^f:
  return %a : i32
}
func.func @alloc_blocks(%c: i1, %a: memref<4xf32>) -> f32 {
  %i = arith.constant 1 : index
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  cf.cond_br %c, ^t, ^f
^t:
  %v = memref.load %b[%i] : memref<4xf32>
  memref.dealloc %b : memref<4xf32>
  return %v : f32
^f:
  memref.dealloc %b : memref<4xf32>
  %z = arith.constant 0.0 : f32
  return %z : f32
}
func.func @switchy(%f: i32) -> i32 {
  %a = arith.constant 10 : i32
  %b = arith.constant 20 : i32
  cf.switch %f : i32, [
    default: ^bb1(%a : i32),
    42: ^bb1(%b : i32),
    43: ^bb2
  ]
^bb1(%x : i32):
  return %x : i32
^bb2:
  return %f : i32
}
func.func @tensor_blocks(%c: i1, %a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  cf.cond_br %c, ^t, ^f
^t:
  %0 = arith.addf %a, %b : tensor<4xf32>
  cf.br ^j(%0 : tensor<4xf32>)
^f:
  cf.br ^j(%a : tensor<4xf32>)
^j(%r: tensor<4xf32>):
  return %r : tensor<4xf32>
}
func.func @tensor_loop(%n: i32, %a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  cf.br ^h(%c0, %a : i32, tensor<?xf32>)
^h(%i: i32, %t: tensor<?xf32>):
  %c = arith.cmpi slt, %i, %n : i32
  cf.cond_br %c, ^b, ^e
^b:
  %u = arith.addf %t, %a : tensor<?xf32>
  %j = arith.addi %i, %c1 : i32
  cf.br ^h(%j, %u : i32, tensor<?xf32>)
^e:
  return %t : tensor<?xf32>
}
