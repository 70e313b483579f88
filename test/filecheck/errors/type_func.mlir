// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function type has one result.

relax.func @f(%x: !relax.func<(!relax.object)>) -> !relax.object {
  relax.return %x : !relax.func<(!relax.object)>
}

// CHECK: type_func.mlir:5:46: error: Expected '->' in a function type, as in !relax.func<(A, B) -> C>{{$}}
