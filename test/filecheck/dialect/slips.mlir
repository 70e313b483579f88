// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// What newcomers from Python, PyTorch and MLIR write, and the spelling here.

// CHECK: error: expected an op, found '#'; write // before a comment
# a comment

// -----

// CHECK: error: element type 'float32': expected one of f16, {{.*}}; write f32
relax.func @f(%x: !relax.tensor<[n], float32>) -> !relax.tensor<[n], float32> {
  relax.return %x : !relax.tensor<[n], float32>
}

// -----

// CHECK: error: @f: func.return: expected relax.return at the end of a relax.func, found func.return; write relax.return
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  func.return %x : !relax.tensor<[n], f32>
}

// -----

// CHECK: error: expected a value, found x; write %x
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.add x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// -----

// CHECK: error: expected a value, found y; write %y
relax.func @f(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %z = relax.add %x, y : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}

// -----

// CHECK: error: expected an op or the end of the text, found '}' that closes nothing; remove it
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}
}

// -----

// CHECK: error: @f: relax.relu (%y): expected operand 'x' of kind relax.tensor, found tensor<?xf32>; convert it with relax.from_builtin
relax.func @f(%x: tensor<?xf32>) -> !relax.object {
  %y = relax.relu %x : (tensor<?xf32>) -> !relax.object
  relax.return %y : !relax.object
}

// -----

// CHECK: error: @f: relax.softmax (%y): expected an integer, found [0]; write 0 without the brackets
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.softmax %x {axis = [0]} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// -----

// CHECK: error: element type 'fp32': expected one of f16, {{.*}}; write f32
relax.func @f(%x: !relax.tensor<[n], fp32>) -> !relax.tensor<[n], fp32> {
  relax.return %x : !relax.tensor<[n], fp32>
}

// -----

// CHECK: error: expected an op, found '#'; write // before a comment
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>  # the result
}

// -----

// CHECK: error: @f: relax.return: expected relax.func or relax.closure around it (C1), found func.func; write relax.func
func.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// -----

// CHECK: error: expected an operand of type !relax.tensor<[n], f32>, as it was defined or used before, found tensor<?xf32>; write !relax.tensor here
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.relu %x : (tensor<?xf32>) -> tensor<?xf32>
  relax.return %y : !relax.tensor<[n], f32>
}

// -----

// CHECK: error: tensor type '<n x 3 x f32>': expected ', <element type>' after the shape, found 'x 3 x f32'; write it as in <[n, 4], f32>
relax.func @f(%x: !relax.tensor<n x 3 x f32>) -> !relax.object {
  relax.return %x : !relax.tensor<n x 3 x f32>
}

// -----

// CHECK: error: expected the name of a function, found f; write @f
relax.func f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// -----

// CHECK: error: expected a parameter, found x; write %x
relax.func @f(x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// -----

// CHECK: error: expected a value, found y; write %y = ...
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  y = relax.relu %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// -----

// CHECK: error: expected a value, found the attribute axis; write {axis = 0} after the operands
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.softmax %x, axis = 0 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// -----

// CHECK: error: @f: relax.sum (%y): expected a list, found 0; write [0]
relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[], f32> {
  %y = relax.sum %x {axis = 0} : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32>
  relax.return %y : !relax.tensor<[], f32>
}

// -----

// CHECK: error: expected an op, found a byte order mark inside the text; remove it
﻿relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}
