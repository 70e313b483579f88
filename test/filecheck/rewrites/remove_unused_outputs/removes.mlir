// RUN: relax-opt %s -p relax-remove-unused-outputs | filecheck %s

// One field is left of @one, and is no tuple; two of @two, whose callers differ.
relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.call @one(%x) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  %y = relax.tuple_get_item %r {index = 1 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
  %s = relax.call @two(%x) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  %a = relax.tuple_get_item %s {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
  %z = relax.dataflow {
    %u = relax.call @two(%y) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
    %b = relax.tuple_get_item %u {index = 2 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
    relax.output %b : !relax.tensor<[n], f32>
  }
  %t = relax.tuple %y, %a, %z : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}
relax.func private @one(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %b = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %t = relax.tuple %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}
relax.func private @two(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
  %t = relax.dataflow {
    %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %b = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %c = relax.tuple %a, %b, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
    relax.output %c : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  }
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}

// CHECK:      relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.object {
// CHECK-NEXT:   %r = relax.call @one(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %s = relax.call @two(%x) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   %a = relax.tuple_get_item %s {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %z = relax.dataflow {
// CHECK-NEXT:     %u = relax.call @two(%r) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:     %b = relax.tuple_get_item %u {index = 1 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     relax.output %b : !relax.tensor<[n], f32>
// CHECK-NEXT:   }
// CHECK-NEXT:   %t = relax.tuple %r, %a, %z : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT: }
// CHECK:      relax.func private @one(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:   %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %b = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %t = relax.tuple %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   relax.return %b : !relax.tensor<[n], f32>
// CHECK-NEXT: }
// CHECK:      relax.func private @two(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> {
// CHECK-NEXT:   %t = relax.dataflow {
// CHECK-NEXT:     %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %b = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %c = relax.tuple %a, %b, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:     relax.output %c : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   }
// CHECK-NEXT:   %0 = relax.tuple_get_item %t {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %1 = relax.tuple_get_item %t {index = 2 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:   %2 = relax.tuple %0, %1 : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   relax.return %2 : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT: }
