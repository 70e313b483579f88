// RUN: relax-opt %s -p relax-forward-last-row | filecheck %s

// CHECK-LABEL: relax.func @collects
// CHECK:         %n, %ys = relax.while (%{{.*}} = %zero, %{{.*}} = %rows)
// CHECK:         } do {
// CHECK-NEXT:      %[[A:.*]] = relax.match_cast
// CHECK-NEXT:      %[[LAST:.*]] = relax.constant dense<-1> : tensor<i64>
// CHECK-NEXT:      %[[S:.*]] = relax.take %[[A]], %[[LAST]] {axis = 0 : i64}
// CHECK:           relax.tanh %[[S]]
// CHECK:         relax.return %ys
relax.func @collects(%x: !relax.tensor<[3], f32>, %zero: !relax.tensor<[], i64>, %one: !relax.tensor<[], i64>, %end: !relax.tensor<[], i64>) -> !relax.tensor<[?, 3], f32> {
  %rows = relax.expand_dims %x {axis = array<i64: 0>} : (!relax.tensor<[3], f32>) -> !relax.tensor<[1, 3], f32>
  %n, %y, %ys = relax.while (%i = %zero, %s = %x, %t = %rows) : (!relax.tensor<[], i64>, !relax.tensor<[3], f32>, !relax.tensor<[1, 3], f32>) -> (!relax.tensor<[], i64>, !relax.tensor<[3], f32>, !relax.tensor<[?, 3], f32>) {
    %c = relax.less %i, %end : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i1>
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    %j = relax.add %i, %one : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i64>
    %z = relax.tanh %s : (!relax.tensor<[3], f32>) -> !relax.tensor<[3], f32>
    %a = relax.match_cast %t : !relax.tensor<[?, 3], f32> -> !relax.tensor<[m, 3], f32>
    %row = relax.expand_dims %z {axis = array<i64: 0>} : (!relax.tensor<[3], f32>) -> !relax.tensor<[1, 3], f32>
    %b = relax.concat %a, %row {axis = 0 : i64} : (!relax.tensor<[m, 3], f32>, !relax.tensor<[1, 3], f32>) -> !relax.tensor<[m + 1, 3], f32>
    relax.yield %j, %z, %b : !relax.tensor<[], i64>, !relax.tensor<[3], f32>, !relax.tensor<[m + 1, 3], f32>
  }
  relax.return %ys : !relax.tensor<[?, 3], f32>
}

// What the loop ends with is needed, and the rows begin with something else: it stays as it is.
// CHECK-LABEL: relax.func @needed
// CHECK:         %n, %y, %ys = relax.while
// CHECK-NOT:     relax.take
relax.func @needed(%x: !relax.tensor<[3], f32>, %zero: !relax.tensor<[], i64>, %one: !relax.tensor<[], i64>, %end: !relax.tensor<[], i64>, %w: !relax.tensor<[1, 3], f32>) -> tuple<!relax.tensor<[3], f32>, !relax.tensor<[?, 3], f32>> {
  %rows = relax.expand_dims %x {axis = array<i64: 0>} : (!relax.tensor<[3], f32>) -> !relax.tensor<[1, 3], f32>
  %n, %y, %ys = relax.while (%i = %zero, %s = %x, %t = %rows) : (!relax.tensor<[], i64>, !relax.tensor<[3], f32>, !relax.tensor<[1, 3], f32>) -> (!relax.tensor<[], i64>, !relax.tensor<[3], f32>, !relax.tensor<[?, 3], f32>) {
    %c = relax.less %i, %end : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i1>
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    %j = relax.add %i, %one : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i64>
    %z = relax.tanh %s : (!relax.tensor<[3], f32>) -> !relax.tensor<[3], f32>
    %a = relax.match_cast %t : !relax.tensor<[?, 3], f32> -> !relax.tensor<[m, 3], f32>
    %row = relax.expand_dims %z {axis = array<i64: 0>} : (!relax.tensor<[3], f32>) -> !relax.tensor<[1, 3], f32>
    %b = relax.concat %a, %row {axis = 0 : i64} : (!relax.tensor<[m, 3], f32>, !relax.tensor<[1, 3], f32>) -> !relax.tensor<[m + 1, 3], f32>
    relax.yield %j, %z, %b : !relax.tensor<[], i64>, !relax.tensor<[3], f32>, !relax.tensor<[m + 1, 3], f32>
  }
  %all = relax.tuple %y, %ys : (!relax.tensor<[3], f32>, !relax.tensor<[?, 3], f32>) -> tuple<!relax.tensor<[3], f32>, !relax.tensor<[?, 3], f32>>
  relax.return %all : tuple<!relax.tensor<[3], f32>, !relax.tensor<[?, 3], f32>>
}
