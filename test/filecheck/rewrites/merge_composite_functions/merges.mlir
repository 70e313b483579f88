// RUN: relax-opt %s -p relax-merge-composite-functions | filecheck %s

relax.func private @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {Composite = "a.exp", Codegen = "a"} {
  %y = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func private @g(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {Composite = "a.add"} {
  %z = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %z : !relax.tensor<[n], f32>
}
relax.func private @alone(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {Composite = "b.tanh"} {
  %y = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
// Two that one function gives leave it as a tuple.
relax.func @neighbours(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %gv = relax.dataflow {
    %0 = relax.call @f(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %1 = relax.call @g(%0, %x) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %2 = relax.call @alone(%0) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %3 = relax.add %1, %2 : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %3 : !relax.tensor<[n], f32>
  }
  relax.return %gv : !relax.tensor<[n], f32>
}
// @g needs @f and @alone, which needs @f too: one function for the two would wait for itself.
relax.func @cycle(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.call @f(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %1 = relax.call @alone(%0) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %2 = relax.call @g(%0, %1) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %2 : !relax.tensor<[n], f32>
}
// Not across an effect.
relax.func @effect(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.call @f(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.print %x : (!relax.tensor<[n], f32>) -> ()
  %1 = relax.call @f(%0) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %1 : !relax.tensor<[n], f32>
}
// Order is kept where it counts: what uses a value of the new call goes after it.
relax.func @ordered(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %0 = relax.call @f(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %1 = relax.negative %0 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %2 = relax.call @f(%0) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %3 = relax.add %1, %2 : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %3 : !relax.tensor<[n], f32>
}

// CHECK:        relax.func private @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {Composite = "a.exp", Codegen = "a"} {
// CHECK-NEXT:     %y = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func private @g(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {Composite = "a.add", Codegen = "a"} {
// CHECK-NEXT:     %z = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     relax.return %z : !relax.tensor<[n], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func private @alone(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {Composite = "b.tanh", Codegen = "b"} {
// CHECK-NEXT:     %y = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func @neighbours(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:     %gv = relax.dataflow {
// CHECK-NEXT:       %0 = relax.call @a_region(%x) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:       %1 = relax.tuple_get_item %0 {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:       %2 = relax.tuple_get_item %0 {index = 1 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:       %3 = relax.call @alone(%1) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:       %4 = relax.add %2, %3 : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:       relax.output %4 : !relax.tensor<[n], f32>
// CHECK-NEXT:     }
// CHECK-NEXT:     relax.return %gv : !relax.tensor<[n], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func private @a_region(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> attributes {Codegen = "a"} {
// CHECK-NEXT:     %0 = relax.call @f(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %1 = relax.call @g(%0, %x) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %2 = relax.tuple %0, %1 : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:     relax.return %2 : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   }
// CHECK:        relax.func @cycle(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:     %0 = relax.call @f(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %1 = relax.call @alone(%0) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %2 = relax.call @g(%0, %1) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     relax.return %2 : !relax.tensor<[n], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func @effect(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:     %0 = relax.call @f(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     relax.print %x : (!relax.tensor<[n], f32>) -> ()
// CHECK-NEXT:     %1 = relax.call @f(%0) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     relax.return %1 : !relax.tensor<[n], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func @ordered(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:     %0 = relax.call @a_region_1(%x) : (!relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:     %1 = relax.tuple_get_item %0 {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %2 = relax.negative %1 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %3 = relax.tuple_get_item %0 {index = 1 : i64} : (tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %4 = relax.add %2, %3 : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     relax.return %4 : !relax.tensor<[n], f32>
// CHECK-NEXT:   }
// CHECK:        relax.func private @a_region_1(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>> attributes {Codegen = "a"} {
// CHECK-NEXT:     %0 = relax.call @f(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %1 = relax.call @f(%0) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:     %2 = relax.tuple %0, %1 : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:     relax.return %2 : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:   }
