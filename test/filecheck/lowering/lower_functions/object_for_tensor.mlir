// RUN: not relax-opt %s -p relax-lower-functions 2>&1 | filecheck %s

// An object may be a tensor where the function is interpreted; compiled code does not look into objects.
relax.func @g(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}
relax.func @f(%o: !relax.object) -> !relax.object {
  %d = relax.call @g(%o) : (!relax.object) -> !relax.tensor<[?], f32>
  relax.return %o : !relax.object
}

// CHECK: object_for_tensor.mlir:8:8: error: @f: relax.call (%d): expected a value of type !relax.tensor<[n], f32> for 'x', found one of type !relax.object, of which compiled code makes none; declare the type it has
