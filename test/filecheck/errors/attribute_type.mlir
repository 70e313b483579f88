// RUN: not relax-opt %s 2>&1 | filecheck %s

// An attribute is of the kind that the op asks for.

relax.func @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y = relax.softmax %x {axis = "0"} : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: attribute_type.mlir:6:8: error: @f: relax.softmax (%y): expected an attribute of kind integer, found "0"; correct the attribute{{$}}
