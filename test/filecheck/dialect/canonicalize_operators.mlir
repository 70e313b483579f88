// RUN: relax-opt %s -p canonicalize | filecheck %s
// RUN: xdsl-opt %s -p canonicalize | filecheck %s

// xDSL's own canonicalize knows the algebra of the operators, in every form; the constants are gone, too.

relax.func @undone(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %a = relax.negative %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %b = relax.negative %a : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.multiply %b, 1.0 : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %c : !relax.tensor<[n, 4], f32>
}
// CHECK:       relax.func @undone(
// CHECK-NEXT:    relax.return %x

relax.func @chain(%x: !relax.tensor<[n, 4], i8>) -> !relax.object {
  %r = relax.dataflow {
    %a = relax.astype %x {dtype = i32} : (!relax.tensor<[n, 4], i8>) -> !relax.tensor<[n, 4], i32>
    %b = relax.astype %a {dtype = i16} : (!relax.tensor<[n, 4], i32>) -> !relax.tensor<[n, 4], i16>
    %c = relax.permute_dims %b : (!relax.tensor<[n, 4], i16>) -> !relax.tensor<[4, n], i16>
    %d = relax.permute_dims %c : (!relax.tensor<[4, n], i16>) -> !relax.tensor<[n, 4], i16>
    relax.output %d : !relax.tensor<[n, 4], i16>
  }
  relax.return %r : !relax.tensor<[n, 4], i16>
}
// CHECK:       relax.func @chain(
// CHECK-NEXT:    relax.dataflow
// CHECK-NEXT:      %b = relax.astype %x {dtype = i16}
// CHECK-NEXT:      relax.output %b

// In graphs and branches, but not from one into the other: what a branch evaluates is its own.
relax.func @regions(%x: !relax.tensor<[n], f32>, %p: !relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
  %r = relax.graph {
    %a = relax.negative %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %y = relax.if %p : (!relax.tensor<[], i1>) -> !relax.tensor<[n], f32> {
      %b = relax.negative %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.yield %b : !relax.tensor<[n], f32>
    } else {
      %c = relax.relu %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      %d = relax.relu %c : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.yield %d : !relax.tensor<[n], f32>
    }
    %z = relax.negative %y : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %w = relax.negative %z : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %w : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}
// CHECK:       relax.func @regions(
// CHECK-NEXT:    relax.graph
// CHECK-NEXT:      %a = relax.negative %x
// CHECK-NEXT:      %y = relax.if %p
// CHECK-NEXT:        %b = relax.negative %a
// CHECK-NEXT:        relax.yield %b
// CHECK-NEXT:      } else {
// CHECK-NEXT:        %c = relax.relu %a
// CHECK-NEXT:        relax.yield %c
// CHECK-NEXT:      }
// CHECK-NEXT:      relax.output %y

// What is used elsewhere stays, as does what another number, element type or operand makes another op.
relax.func @stays(%x: !relax.tensor<[n, 4], f32>, %i: !relax.tensor<[4], i32>) -> !relax.object {
  %a = relax.negative %x : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %b = relax.abs %a : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.add %x, 0.0 : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %d = relax.multiply %x, 2.0 : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %e = relax.astype %i {dtype = f32} : (!relax.tensor<[4], i32>) -> !relax.tensor<[4], f32>
  %f = relax.astype %e {dtype = i32} : (!relax.tensor<[4], f32>) -> !relax.tensor<[4], i32>
  %g = relax.subtract 0, %i : (!relax.tensor<[4], i32>) -> !relax.tensor<[4], i32>
  %t = relax.tuple %a, %b, %c, %d, %f, %g : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[4], i32>, !relax.tensor<[4], i32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[4], i32>, !relax.tensor<[4], i32>>
  relax.return %t : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[4], i32>, !relax.tensor<[4], i32>>
}
// CHECK:       relax.func @stays(
// CHECK-NEXT:    %a = relax.negative %x
// CHECK-NEXT:    %b = relax.abs %x
// CHECK:         relax.add %x
// CHECK:         relax.multiply %x
// CHECK-NEXT:    %e = relax.astype %i
// CHECK-NEXT:    %f = relax.astype %e
// CHECK:         relax.subtract

// A cast that is checked when the program runs stays, and so does what has an effect.
relax.func @checked(%x: !relax.tensor<[?, 4], f32>) -> !relax.object {
  %a = relax.match_cast %x : !relax.tensor<[?, 4], f32> -> !relax.tensor<[m, 4], f32>
  %b = relax.negative %a : (!relax.tensor<[m, 4], f32>) -> !relax.tensor<[m, 4], f32>
  %c = relax.call_packed "changed"(%b) : (!relax.tensor<[m, 4], f32>) -> !relax.tensor<[m, 4], f32>
  %s = relax.shape [2, m * 2]
  %d = relax.reshape %c, %s : (!relax.tensor<[m, 4], f32>, !relax.shape<[2, 2 * m]>) -> !relax.tensor<[2, 2 * m], f32>
  %e = relax.match_cast %d : !relax.tensor<[2, 2 * m], f32> -> !relax.tensor<[2, k], f32>
  %f = relax.negative %e : (!relax.tensor<[2, k], f32>) -> !relax.tensor<[2, k], f32>
  relax.return %f : !relax.tensor<[2, k], f32>
}
// CHECK:       relax.func @checked(
// CHECK-NEXT:    %a = relax.match_cast %x
// CHECK-NEXT:    %b = relax.negative %a
// CHECK-NEXT:    %c = relax.call_packed "changed"(%b)
// CHECK-NEXT:    %s = relax.shape
// CHECK-NEXT:    %d = relax.reshape %c
// CHECK-NEXT:    %e = relax.match_cast %d
// CHECK-NEXT:    %f = relax.negative %e

// Of a number of elements that is not proved the check of a view stays, with the view.
relax.func @views(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[8], f32> {
  %s = relax.shape [4, 2]
  %a = relax.reshape %x, %s : (!relax.tensor<[n, m], f32>, !relax.shape<[4, 2]>) -> !relax.tensor<[4, 2], f32>
  %b = relax.flatten %a : (!relax.tensor<[4, 2], f32>) -> !relax.tensor<[8], f32>
  relax.return %b : !relax.tensor<[8], f32>
}
// CHECK:       relax.func @views(
// CHECK:         %a = relax.reshape %x
// CHECK-NEXT:    %b = relax.flatten %a
// CHECK-NEXT:    relax.return %b
