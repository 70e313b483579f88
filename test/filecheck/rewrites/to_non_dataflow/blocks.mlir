// RUN: relax-opt %s -p relax-to-non-dataflow | filecheck %s

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %b = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %a = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %b : !relax.tensor<[n], f32>
  }
  relax.return %y : !relax.tensor<[n], f32>
}
// A closure in a dataflow block becomes ordered with it; a graph stays.
relax.func @nested(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.dataflow {
    %f = relax.closure (%v: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
      %q = relax.exp %p : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      %p = relax.tanh %v : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.return %q : !relax.tensor<[n], f32>
    }
    %b = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %b : !relax.tensor<[n], f32>
  }
  %z = relax.graph {
    %c = relax.exp %d : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %d = relax.tanh %y : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %c : !relax.tensor<[n], f32>
  }
  relax.return %z : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %y = relax.binding_block {
// CHECK-NEXT:      %a = relax.tanh %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %b = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %b : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
// CHECK:       relax.func @nested(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:    %y = relax.binding_block {
// CHECK-NEXT:      %f = relax.closure (%v: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT:        %p = relax.tanh %v : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:        %q = relax.exp %p : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:        relax.return %q : !relax.tensor<[n], f32>
// CHECK-NEXT:      }
// CHECK-NEXT:      %b = relax.call_closure %f, %x : (!relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %b : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    %z = relax.graph {
// CHECK-NEXT:      %c = relax.exp %d : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      %d = relax.tanh %y : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.output %c : !relax.tensor<[n], f32>
// CHECK-NEXT:    }
// CHECK-NEXT:    relax.return %z : !relax.tensor<[n], f32>
// CHECK-NEXT:  }
