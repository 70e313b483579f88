// RUN: relax-opt %s -p relax-lower-functions --split-input-file --verify-diagnostics | filecheck %s

// What has no form on memrefs is named, with what to do instead.

relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.tensor<*, f32> {
  relax.return %x : !relax.tensor<*, f32>
}

// CHECK: error: relax.func @unknown_rank: parameter 'x': expected a tensor of known rank and element type, found !relax.tensor<*, f32>; declare both, with '?' for a size that is not known

// -----

relax.func @unknown_dtype(%t: tuple<!relax.tensor<[n]>>) -> tuple<!relax.tensor<[n]>> {
  relax.return %t : tuple<!relax.tensor<[n]>>
}

// CHECK: error: relax.func @unknown_dtype: parameter 't': expected a tensor of known rank and element type, found !relax.tensor<[n]>; declare both

// -----

relax.func @unknown_shape(%s: !relax.shape<*>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: error: relax.func @unknown_shape: parameter 's': expected a shape with a known number of sizes, found !relax.shape<*>; declare the sizes

// -----

relax.func @operator(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}

// CHECK: error: @operator: relax.exp{{.*}}: expected ops that can be compiled (relax.call_tir, scalar arith and math, and those that shape a function), found this one; run relax-legalize first

// -----

relax.func private @object(%x: !relax.object) -> !relax.object {
  relax.return %x : !relax.object
}
relax.func @tensor_as_object(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %0 = relax.call @object(%x) : (!relax.tensor<[n], f32>) -> !relax.object
  relax.return %0 : !relax.object
}

// CHECK: error: @tensor_as_object: @object: argument 'x': expected an object of a function from outside, found a value of !relax.tensor<[n], f32>; declare this type instead of !relax.object

// -----

relax.func @object_as_tensor(%x: !relax.object) -> !relax.tensor<[?], f32> {
  %0 = relax.match_cast %x : !relax.object -> !relax.tensor<[?], f32>
  relax.return %0 : !relax.tensor<[?], f32>
}

// CHECK: error: @object_as_tensor: relax.match_cast{{.*}}: expected an object or a function, which is all that is known of the value in compiled code, found !relax.tensor<[?], f32>; declare that type where the value is made

// -----

func.func private @callee(%x: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  func.return %x : tensor<?xf32>
}
relax.func @on_tensors(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.call_tir @callee(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %0 : !relax.tensor<[n], f32>
}

// CHECK: error: @on_tensors: relax.call_tir: expected @callee to write its results into memref arguments, found a function on tensors; run relax-bufferize first

// -----

relax.func @unproved_reshape(%x: !relax.tensor<[n], f32>, %s: !relax.shape<[k, 4]>) -> !relax.tensor<[k, 4], f32> {
  %0 = relax.reshape %x, %s : (!relax.tensor<[n], f32>, !relax.shape<[k, 4]>) -> !relax.tensor<[k, 4], f32>
  relax.return %0 : !relax.tensor<[k, 4], f32>
}

// CHECK: error: @unproved_reshape: relax.reshape: expected a reshape to a shape of as many elements, all sizes known, found !relax.tensor<[n], f32> to !relax.tensor<[k, 4], f32>; run relax-legalize first
