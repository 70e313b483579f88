// RUN: relax-opt %s -p relax-remove-unused-outputs | filecheck %s

// Every field is used, the tuple is handed on, or the function is public.
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %p = relax.call @public(%x) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  %q = relax.tuple_get_item %p {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
  %w = relax.call @whole(%q) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  %y = relax.tuple_get_item %w {index = 1 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
  %z = relax.tuple_get_item %w {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
  %s = relax.add %y, %z : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %h = relax.call @handed(%s) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %h : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}
relax.func @public(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
  %t = relax.tuple %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}
relax.func private @whole(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
  %t = relax.tuple %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}
relax.func private @handed(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
  %t = relax.tuple %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}

// CHECK:      relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.object {
// CHECK-NEXT:   %p = relax.call @public(%x) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   %q = relax.tuple_get_item %p {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %w = relax.call @whole(%q) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   %y = relax.tuple_get_item %w {index = 1 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %z = relax.tuple_get_item %w {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %s = relax.add %y, %z : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %h = relax.call @handed(%s) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   relax.return %h : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT: }
// CHECK:      relax.func @public(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
// CHECK-NEXT:   %t = relax.tuple %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT: }
// CHECK:      relax.func private @whole(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
// CHECK-NEXT:   %t = relax.tuple %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT: }
// CHECK:      relax.func private @handed(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
// CHECK-NEXT:   %t = relax.tuple %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT: }
