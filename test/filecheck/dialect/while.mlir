// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: relax-opt %s --print-op-generic | relax-opt | filecheck %s
// RUN: xdsl-opt %s | filecheck %s

// A loop over a state: a counter, and a tensor that grows.

// CHECK-LABEL: relax.func @grow
relax.func @grow(%x: !relax.tensor<[n], f32>, %count: !relax.tensor<[], i64>) -> !relax.tensor<[?], f32> {
  %zero = relax.constant dense<0> : tensor<i64>
  %one = relax.constant dense<1> : tensor<i64>
  // CHECK: %i, %y = relax.while (%k = %zero, %s = %x) : (!relax.tensor<[], i64>, !relax.tensor<[n], f32>) -> (!relax.tensor<[], i64>, !relax.tensor<[?], f32>) {
  // CHECK-NEXT: %more = relax.less %k, %count : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i1>
  // CHECK-NEXT: relax.yield %more : !relax.tensor<[], i1>
  // CHECK-NEXT: } do {
  // CHECK-NEXT: %next = relax.add %k, %one : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i64>
  // CHECK-NEXT: %c = relax.match_cast %s : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
  // CHECK-NEXT: %t = relax.concat %c, %x {axis = 0 : i64} : (!relax.tensor<[m], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[m + n], f32>
  // CHECK-NEXT: relax.yield %next, %t : !relax.tensor<[], i64>, !relax.tensor<[m + n], f32>
  // CHECK-NEXT: }
  %i, %y = relax.while (%k = %zero, %s = %x) : (!relax.tensor<[], i64>, !relax.tensor<[n], f32>) -> (!relax.tensor<[], i64>, !relax.tensor<[?], f32>) {
    %more = relax.less %k, %count : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i1>
    relax.yield %more : !relax.tensor<[], i1>
  } do {
    %next = relax.add %k, %one : (!relax.tensor<[], i64>, !relax.tensor<[], i64>) -> !relax.tensor<[], i64>
    %c = relax.match_cast %s : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    %t = relax.concat %c, %x {axis = 0 : i64} : (!relax.tensor<[m], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[m + n], f32>
    relax.yield %next, %t : !relax.tensor<[], i64>, !relax.tensor<[m + n], f32>
  }
  relax.return %y : !relax.tensor<[?], f32>
}

// State of every kind: a shape, a tuple, a function, an object, a scalar; attributes before the types.

// CHECK-LABEL: relax.func @kinds
relax.func @kinds(%c: !relax.tensor<[], i1>, %s: !relax.shape<[n]>, %t: tuple<!relax.tensor<[n], f32>, !relax.object>, %f: !relax.func<(!relax.object) -> !relax.object>, %i: i64) -> !relax.object {
  // CHECK: = relax.while (%a = %s, %b = %t, %d = %f, %e = %c, %g = %i) {my.note = 1 : i64} : (!relax.shape<[n]>, tuple<!relax.tensor<[n], f32>, !relax.object>, !relax.func<(!relax.object) -> !relax.object>, !relax.tensor<[], i1>, i64) -> (!relax.shape<[?]>, tuple<!relax.tensor<[n], f32>, !relax.object>, !relax.func<(!relax.object) -> !relax.object>, !relax.object, i64) {
  %r:5 = relax.while (%a = %s, %b = %t, %d = %f, %e = %c, %g = %i) {my.note = 1 : i64} : (!relax.shape<[n]>, tuple<!relax.tensor<[n], f32>, !relax.object>, !relax.func<(!relax.object) -> !relax.object>, !relax.tensor<[], i1>, i64) -> (!relax.shape<[?]>, tuple<!relax.tensor<[n], f32>, !relax.object>, !relax.func<(!relax.object) -> !relax.object>, !relax.object, i64) {
    relax.yield %c : !relax.tensor<[], i1>
  } do {
    relax.yield %a, %b, %d, %e, %g : !relax.shape<[?]>, tuple<!relax.tensor<[n], f32>, !relax.object>, !relax.func<(!relax.object) -> !relax.object>, !relax.object, i64
  }
  relax.return %r#3 : !relax.object
}

// No state: the condition of a loop may have effects.

// CHECK-LABEL: relax.func @stateless
relax.func @stateless(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  // CHECK: relax.while () : () -> () {
  // CHECK-NEXT: %go = relax.call_packed "go"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[], i1>
  // CHECK-NEXT: relax.yield %go : !relax.tensor<[], i1>
  // CHECK-NEXT: } do {
  // CHECK-NEXT: relax.yield
  // CHECK-NEXT: }
  relax.while () : () -> () {
    %go = relax.call_packed "go"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[], i1>
    relax.yield %go : !relax.tensor<[], i1>
  } do {
    relax.yield
  }
  relax.return %x : !relax.tensor<[n], f32>
}

// In a graph region its regions are graph regions: their nodes stand in any order.

// CHECK-LABEL: relax.func @in_graph
relax.func @in_graph(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %r = relax.graph {
    // CHECK: %y = relax.while (%s = %z) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    %y = relax.while (%s = %z) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
      relax.yield %c : !relax.tensor<[], i1>
    } do {
      %u = relax.exp %v : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      %v = relax.exp %s : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
      relax.yield %u : !relax.tensor<[n], f32>
    }
    %z = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %y : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[n], f32>
}
