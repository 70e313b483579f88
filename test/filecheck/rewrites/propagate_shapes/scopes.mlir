// RUN: relax-opt %s -p relax-propagate-shapes --allow-unregistered-dialect | filecheck %s

// What a branch proves does not leave it; what is proved before holds in both.
relax.func @branches(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.object {
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
    %z = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[m], f32>
    relax.yield %z : !relax.tensor<[m], f32>
  } else {
    %a = relax.add %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.yield %a : !relax.tensor<[n], f32>
  }
  %b = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[?], f32>
  %z = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[m], f32>
  %s = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
    relax.yield %x : !relax.tensor<[n], f32>
  } else {
    relax.yield %y : !relax.tensor<[m], f32>
  }
  %t = relax.tuple %r, %b, %s : (!relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[?], f32>) -> tuple<!relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[?], f32>>
  relax.return %t : tuple<!relax.tensor<[?], f32>, !relax.tensor<[?], f32>, !relax.tensor<[?], f32>>
}
// CHECK-LABEL: relax.func @branches
// CHECK:         %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
// CHECK:           %a = relax.add %x, %x : {{.*}} -> !relax.tensor<[n], f32>
// CHECK:         %b = relax.add %x, %y : {{.*}} -> !relax.tensor<[broadcast(m, n)], f32>
// CHECK:         %s = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[m], f32> {
// CHECK-NEXT:      relax.yield %[[Z:.*]] : !relax.tensor<[m], f32>
// CHECK-NEXT:    } else {
// CHECK-NEXT:      relax.yield %y : !relax.tensor<[m], f32>

// A block hands its facts to the sequence that holds it, but no value that it does not put out.
relax.func @blocks(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.object {
  %g = relax.dataflow {
    %z = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[m], f32>
    relax.output %z : !relax.tensor<[m], f32>
  }
  %a = relax.add %x, %y : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[?], f32>
  relax.return %a : !relax.tensor<[?], f32>
}
// CHECK-LABEL: relax.func @blocks
// CHECK:           %z = relax.match_cast %x
// CHECK-NEXT:      relax.output
// CHECK:         %[[X:.*]] = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[m], f32>
// CHECK-NEXT:    %a = relax.add %[[X]], %y : {{.*}} -> !relax.tensor<[m], f32>

// A node of a graph may never be evaluated: it proves nothing, and nothing is pinned to help it.
relax.func @graph(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k2, n], f32>, %v: !relax.tensor<[n], f32>, %u: !relax.tensor<[m], f32>) -> !relax.object {
  %g, %h = relax.graph {
    %a = relax.matmul %x, %w : (!relax.tensor<[n, k], f32>, !relax.tensor<[k2, n], f32>) -> !relax.tensor<[n, n], f32>
    %z = relax.match_cast %v : !relax.tensor<[n], f32> -> !relax.tensor<[m], f32>
    %b = relax.add %v, %u : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>) -> !relax.tensor<[?], f32>
    %c = relax.matmul %w, %x : (!relax.tensor<[k2, n], f32>, !relax.tensor<[n, k], f32>) -> !relax.tensor<[k2, k], f32>
    relax.output %b, %c : !relax.tensor<[?], f32>, !relax.tensor<[k2, k], f32>
  }
  %t = relax.tuple %g, %h : (!relax.tensor<[?], f32>, !relax.tensor<[k2, k], f32>) -> tuple<!relax.tensor<[?], f32>, !relax.tensor<[k2, k], f32>>
  relax.return %t : tuple<!relax.tensor<[?], f32>, !relax.tensor<[k2, k], f32>>
}
// CHECK-LABEL: relax.func @graph
// CHECK:           %b = relax.add %z, %u : {{.*}} -> !relax.tensor<[m], f32>
// CHECK-NEXT:      %c = relax.matmul %w, %x : {{.*}} -> !relax.tensor<[k2, k], f32>
// CHECK-NEXT:      relax.output %b, %c : !relax.tensor<[m], f32>, !relax.tensor<[k2, k], f32>

// Ops of other dialects keep the types they were written for.
relax.func @others(%x: !relax.tensor<[n], f32>, %s: !relax.shape<[p]>) -> !relax.object {
  %z = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[p], f32>
  %e = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %o = "test.op"(%e, %x) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.object
  relax.return %o : !relax.object
}
// CHECK-LABEL: relax.func @others
// CHECK:         %e = relax.exp %z : (!relax.tensor<[p], f32>) -> !relax.tensor<[p], f32>
// CHECK-NEXT:    %[[E:.*]] = relax.match_cast %e : !relax.tensor<[p], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:    %o = "test.op"(%[[E]], %x) : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.object

// A closure keeps its declared type; what is known around it holds inside.
relax.func @closure(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.object {
  %z = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[m], f32>
  %f = relax.closure (%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
    %b = relax.exp %a : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.return %b : !relax.tensor<[n], f32>
  }
  relax.return %f : !relax.func<(!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>>
}
// CHECK-LABEL: relax.func @closure
// CHECK:         %f = relax.closure (%a: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK:           %b = relax.exp %{{.*}} : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// CHECK-NEXT:      %[[B:.*]] = relax.match_cast %b : !relax.tensor<[m], f32> -> !relax.tensor<[n], f32>
// CHECK-NEXT:      relax.return %[[B]] : !relax.tensor<[n], f32>
