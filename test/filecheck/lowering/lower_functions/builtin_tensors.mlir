// RUN: relax-opt %s -p relax-lower-functions --split-input-file --verify-diagnostics | filecheck %s
// RUN: relax-opt %s -p relax-legalize,relax-bufferize,relax-lower-functions --split-input-file --verify-diagnostics | filecheck %s

// A view as a builtin tensor is the buffer itself; what makes another tensor is a prim func.
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %b = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %c = tensor.concat dim(0) %b, %b : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %y = relax.from_builtin %c : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  %z = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}

// CHECK: builtin_tensors.mlir:7:8: error: @main: tensor.concat (%c): expected ops that can be compiled (relax.call_tir, scalar arith and math, and those that shape a function), found this one; run relax-outline-tensor-ops first, move the ops on builtin tensors into a func.func and call it with relax.call_tir, or interpret the function

// -----

relax.func @constant() -> !relax.tensor<[2], f32> {
  %c = arith.constant dense<1.0> : tensor<2xf32>
  %y = relax.from_builtin %c : (tensor<2xf32>) -> !relax.tensor<[2], f32>
  relax.return %y : !relax.tensor<[2], f32>
}

// CHECK: error: @constant: arith.constant (%c): expected ops that can be compiled
// CHECK-SAME: ; run relax-outline-tensor-ops first, move the ops on builtin tensors into a func.func and call it with relax.call_tir, or interpret the function
