// RUN: not relax-opt %s -p relax-lower-functions 2>&1 | filecheck %s

relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %y = relax.call_packed "f"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<*, f32>
  %z = relax.call_packed "g"(%y) : (!relax.tensor<*, f32>) -> !relax.tensor<[?], f32>
  relax.return %z : !relax.tensor<[?], f32>
}

// CHECK: @main: relax.call_packed (%y): expected a result of "f" that is a tensor of known rank and element type, a shape, a number, an object or a tuple of them, found !relax.tensor<*, f32>; declare the type that the function returns
