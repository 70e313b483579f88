// RUN: relax-opt %s -p relax-specialize-functions | filecheck %s

// A private function of unknown rank gets one copy for [n, 3] and [k, 3], another one for [m]; with it the types of
// its callers are known. It goes once nothing calls it.

// CHECK-LABEL: relax.func @main(
// CHECK-SAME:    -> tuple<!relax.tensor<[n, 3], f32>, !relax.tensor<[k, 3], f32>, !relax.tensor<[m], f32>>
// CHECK:         %a = relax.call @twice_1(%x) : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32>
// CHECK-NEXT:    %b = relax.call @twice_1(%y) : (!relax.tensor<[k, 3], f32>) -> !relax.tensor<[k, 3], f32>
// CHECK-NEXT:    %c = relax.call @twice_2(%z) : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
relax.func @main(%x: !relax.tensor<[n, 3], f32>, %y: !relax.tensor<[k, 3], f32>, %z: !relax.tensor<[m], f32>) -> tuple<!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>> {
  %a = relax.call @twice(%x) : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<*, f32>
  %b = relax.call @twice(%y) : (!relax.tensor<[k, 3], f32>) -> !relax.tensor<*, f32>
  %c = relax.call @twice(%z) : (!relax.tensor<[m], f32>) -> !relax.tensor<*, f32>
  %r = relax.tuple %a, %b, %c : (!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>) -> tuple<!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>>
  relax.return %r : tuple<!relax.tensor<*, f32>, !relax.tensor<*, f32>, !relax.tensor<*, f32>>
}

// What it calls is specialised with it.

// CHECK-NOT:   relax.func private @twice(
// CHECK:       relax.func private @twice_1(%v: !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32>
// CHECK-NEXT:    relax.call @once_1(%v)
// CHECK:       relax.func private @twice_2(%v: !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// CHECK-NEXT:    relax.call @once_2(%v)
// CHECK:       relax.func private @once_1(%v: !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32>
// CHECK:       relax.func private @once_2(%v: !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
relax.func private @twice(%v: !relax.tensor<*, f32>) -> !relax.tensor<*, f32> {
  %w = relax.call @once(%v) : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  %r = relax.add %w, %w : (!relax.tensor<*, f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
relax.func private @once(%v: !relax.tensor<*, f32>) -> !relax.tensor<*, f32> {
  %r = relax.exp %v : (!relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  relax.return %r : !relax.tensor<*, f32>
}
