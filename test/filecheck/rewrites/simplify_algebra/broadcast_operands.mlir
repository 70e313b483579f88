// RUN: relax-opt %s -p relax-simplify-algebra,relax-dce | filecheck %s
// RUN: relax-opt %s -p canonicalize,relax-dce | filecheck %s

// Operators repeat their operands themselves.
relax.func @fires(%x: !relax.tensor<[n, m], f32>, %y: !relax.tensor<[m], f32>, %c: !relax.tensor<[n, 1], i1>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>, !relax.tensor<[n, m], i1>> {
  %gv, %gv_1, %gv_2 = relax.dataflow {
    %s = relax.shape [n, m]
    %a = relax.broadcast_to %y, %s : (!relax.tensor<[m], f32>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], f32>
    %b = relax.broadcast_to %c, %s : (!relax.tensor<[n, 1], i1>, !relax.shape<[n, m]>) -> !relax.tensor<[n, m], i1>
    %0 = relax.subtract %a, %x : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %1 = relax.where %b, %x, %a : (!relax.tensor<[n, m], i1>, !relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
    %2 = relax.less %x, %a : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], i1>
    relax.output %0, %1, %2 : !relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>, !relax.tensor<[n, m], i1>
  }
  %r = relax.tuple %gv, %gv_1, %gv_2 : (!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>, !relax.tensor<[n, m], i1>) -> tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>, !relax.tensor<[n, m], i1>>
  relax.return %r : tuple<!relax.tensor<[n, m], f32>, !relax.tensor<[n, m], f32>, !relax.tensor<[n, m], i1>>
}
// CHECK-LABEL: @fires(
// CHECK: %lv = relax.subtract %y, %x
// CHECK-NEXT: %lv_1 = relax.where %c, %x, %y
// CHECK-NEXT: %lv_2 = relax.less %x, %y
// CHECK-NEXT: relax.output %lv, %lv_1, %lv_2
// One of two operands has the sizes.
relax.func @one_of_two(%x: !relax.tensor<[m], f32>, %y: !relax.tensor<[m], f32>) -> !relax.tensor<[3, m], f32> {
  %gv = relax.dataflow {
    %s = relax.shape [3, m]
    %a = relax.broadcast_to %x, %s : (!relax.tensor<[m], f32>, !relax.shape<[3, m]>) -> !relax.tensor<[3, m], f32>
    %b = relax.broadcast_to %y, %s : (!relax.tensor<[m], f32>, !relax.shape<[3, m]>) -> !relax.tensor<[3, m], f32>
    %0 = relax.add %a, %b : (!relax.tensor<[3, m], f32>, !relax.tensor<[3, m], f32>) -> !relax.tensor<[3, m], f32>
    relax.output %0 : !relax.tensor<[3, m], f32>
  }
  relax.return %gv : !relax.tensor<[3, m], f32>
}
// CHECK-LABEL: @one_of_two(
// CHECK: %b = relax.broadcast_to %y, %s
// CHECK: %lv = relax.add %x, %b
// CHECK: relax.output %lv
// A mask of attention.
relax.func @mask(%q: !relax.tensor<[b, n, 2, 4], f32>, %m: !relax.tensor<[1, 1, n, n], f32>) -> !relax.tensor<[b, n, 2, 4], f32> {
  %gv = relax.dataflow {
    %s = relax.shape [b, 1, n, n]
    %a = relax.broadcast_to %m, %s : (!relax.tensor<[1, 1, n, n], f32>, !relax.shape<[b, 1, n, n]>) -> !relax.tensor<[b, 1, n, n], f32>
    %0 = relax.attention %q, %q, %q, %a : (!relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, 1, n, n], f32>) -> !relax.tensor<[b, n, 2, 4], f32>
    relax.output %0 : !relax.tensor<[b, n, 2, 4], f32>
  }
  relax.return %gv : !relax.tensor<[b, n, 2, 4], f32>
}
// CHECK-LABEL: @mask(
// CHECK: %lv = relax.attention %q, %q, %q, %m
// CHECK-NEXT: relax.output %lv
// A mask of another rank than the operator takes.
relax.func @low_rank(%q: !relax.tensor<[b, n, 2, 4], f32>, %m: !relax.tensor<[n, n], f32>) -> !relax.tensor<[b, n, 2, 4], f32> {
  %gv = relax.dataflow {
    %s = relax.shape [b, 1, n, n]
    %a = relax.broadcast_to %m, %s : (!relax.tensor<[n, n], f32>, !relax.shape<[b, 1, n, n]>) -> !relax.tensor<[b, 1, n, n], f32>
    %0 = relax.attention %q, %q, %q, %a : (!relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, n, 2, 4], f32>, !relax.tensor<[b, 1, n, n], f32>) -> !relax.tensor<[b, n, 2, 4], f32>
    relax.output %0 : !relax.tensor<[b, n, 2, 4], f32>
  }
  relax.return %gv : !relax.tensor<[b, n, 2, 4], f32>
}
// CHECK-LABEL: @low_rank(
// CHECK: %a = relax.broadcast_to %m, %s
// CHECK: %0 = relax.attention %q, %q, %q, %a
// CHECK-NEXT: relax.output %0
// The sizes come from the broadcast, or are checked by it.
relax.func @stays(%x: !relax.tensor<[1, m], f32>, %y: !relax.tensor<[m], f32>, %z: !relax.tensor<[k], f32>) -> tuple<!relax.tensor<[3, m], f32>, !relax.tensor<[m], f32>> {
  %gv, %gv_1 = relax.dataflow {
    %s = relax.shape [3, m]
    %a = relax.broadcast_to %y, %s : (!relax.tensor<[m], f32>, !relax.shape<[3, m]>) -> !relax.tensor<[3, m], f32>
    %0 = relax.add %x, %a : (!relax.tensor<[1, m], f32>, !relax.tensor<[3, m], f32>) -> !relax.tensor<[3, m], f32>
    %t = relax.shape [m]
    %b = relax.broadcast_to %z, %t : (!relax.tensor<[k], f32>, !relax.shape<[m]>) -> !relax.tensor<[m], f32>
    %1 = relax.add %y, %b : (!relax.tensor<[m], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
    relax.output %0, %1 : !relax.tensor<[3, m], f32>, !relax.tensor<[m], f32>
  }
  %r = relax.tuple %gv, %gv_1 : (!relax.tensor<[3, m], f32>, !relax.tensor<[m], f32>) -> tuple<!relax.tensor<[3, m], f32>, !relax.tensor<[m], f32>>
  relax.return %r : tuple<!relax.tensor<[3, m], f32>, !relax.tensor<[m], f32>>
}
// CHECK-LABEL: @stays(
// CHECK: %a = relax.broadcast_to %y, %s
// CHECK: %0 = relax.add %x, %a
// CHECK: %b = relax.broadcast_to %z, %t
// CHECK: %1 = relax.add %y, %b
// CHECK: relax.output %0, %1
