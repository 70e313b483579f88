// RUN: relax-opt %s -p 'relax-dce{entry-functions=entry}' --split-input-file --verify-diagnostics | filecheck %s

relax.func private @entry(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.call @helper(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func private @helper(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}
relax.func private @unused(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}
relax.func @public(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK-NOT:   @unused
// CHECK:       relax.func private @entry
// CHECK-NOT:   @unused
// CHECK:       relax.func private @helper
// CHECK-NOT:   @unused
// CHECK:       relax.func @public

// -----

relax.func @entry1(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK:       relax-dce: expected the names of functions (@entry1) as entry-functions, found @entry; the nearest is entry1
