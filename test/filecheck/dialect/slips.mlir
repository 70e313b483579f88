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
