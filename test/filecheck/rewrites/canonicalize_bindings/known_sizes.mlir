// RUN: relax-opt %s -p relax-canonicalize-bindings | filecheck %s

// Other names of known sizes go, and with them the casts; the sum's unknown sizes become known.
relax.func @cast_and_back(%x: !relax.tensor<[m, n], f32>) -> !relax.tensor<[m, n], f32> {
  %b = relax.dataflow {
    %z = relax.match_cast %x : !relax.tensor<[m, n], f32> -> !relax.tensor<[o, p], f32>
    %q = relax.add %z, %x : (!relax.tensor<[o, p], f32>, !relax.tensor<[m, n], f32>) -> !relax.tensor<[?, ?], f32>
    relax.output %q : !relax.tensor<[?, ?], f32>
  }
  %r = relax.match_cast %b : !relax.tensor<[?, ?], f32> -> !relax.tensor<[m, n], f32>
  relax.return %r : !relax.tensor<[m, n], f32>
}
// CHECK-LABEL: relax.func @cast_and_back(
// CHECK-NEXT:   %b = relax.dataflow {
// CHECK-NEXT:     %q = relax.add %x, %x : (!relax.tensor<[m, n], f32>, !relax.tensor<[m, n], f32>) -> !relax.tensor<[m, n], f32>
// CHECK-NEXT:     relax.output %q : !relax.tensor<[m, n], f32>
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.return %b : !relax.tensor<[m, n], f32>

// A size that is checked against another stays a check, and one that is unknown stays defined.
relax.func @checks(%x: !relax.tensor<[m, n], f32>, %y: !relax.tensor<[?], f32>) -> !relax.tensor<*, f32> {
  %z = relax.match_cast %x : !relax.tensor<[m, n], f32> -> !relax.tensor<[o, o], f32>
  %w = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>
  %s = relax.add %z, %w : (!relax.tensor<[o, o], f32>, !relax.tensor<[k], f32>) -> !relax.tensor<*, f32>
  relax.return %s : !relax.tensor<*, f32>
}
// CHECK-LABEL: relax.func @checks(
// CHECK-NEXT:   %z = relax.match_cast %x : !relax.tensor<[m, n], f32> -> !relax.tensor<[m, m], f32>
// CHECK-NEXT:   %w = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[k], f32>

// Two matches of one name in two branches define two variables: they are left alone.
relax.func @branches(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[m], f32>) -> !relax.tensor<[?], f32> {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
    %a = relax.match_cast %x : !relax.tensor<[m], f32> -> !relax.tensor<[k], f32>
    relax.yield %a : !relax.tensor<[k], f32>
  } else {
    %a = relax.match_cast %x : !relax.tensor<[m], f32> -> !relax.tensor<[k], f32>
    relax.yield %a : !relax.tensor<[k], f32>
  }
  relax.return %r : !relax.tensor<[?], f32>
}
// CHECK-LABEL: relax.func @branches(
// CHECK-COUNT-2: relax.match_cast %x : !relax.tensor<[m], f32> -> !relax.tensor<[k], f32>

!t = tuple<!relax.tensor<[n], f32>, !relax.tensor<[m], f32>>

// All fields of a tuple, in order, are the tuple.
relax.func @taken_apart(%t: !t) -> !t {
  %a = relax.tuple_get_item %t {index = 0 : i64} : (!t) -> !relax.tensor<[n], f32>
  %b = relax.tuple_get_item %t {index = 1 : i64} : (!t) -> !relax.tensor<[m], f32>
  %u = relax.tuple %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !t
  relax.return %u : !t
}
// CHECK-LABEL: relax.func @taken_apart(
// CHECK-NOT:   relax.tuple %
// CHECK:   relax.return %t

// Some of them, or in another order, are not.
relax.func @turned(%t: tuple<!relax.object, !relax.object>) -> tuple<!relax.object, !relax.object> {
  %a = relax.tuple_get_item %t {index = 0 : i64} : (tuple<!relax.object, !relax.object>) -> !relax.object
  %b = relax.tuple_get_item %t {index = 1 : i64} : (tuple<!relax.object, !relax.object>) -> !relax.object
  %u = relax.tuple %b, %a : (!relax.object, !relax.object) -> tuple<!relax.object, !relax.object>
  relax.return %u : tuple<!relax.object, !relax.object>
}
// CHECK-LABEL: relax.func @turned(
// CHECK: %u = relax.tuple %b, %a
