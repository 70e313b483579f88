// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function that may have effects where the callee expects a pure one.

relax.func @g(%f: !relax.func<() -> !relax.object>) -> !relax.object {
  relax.return %f : !relax.func<() -> !relax.object>
}
relax.func @f(%h: !relax.func<() -> !relax.object, impure>) -> !relax.object {
  %y = relax.call @g(%h) : (!relax.func<() -> !relax.object, impure>) -> !relax.object
  relax.return %y : !relax.object
}

// CHECK: call_argument_impure.mlir:9:8: error: @f: relax.call @g: expected argument 0 of type !relax.func<() -> !relax.object> (F2), found !relax.func<() -> !relax.object, impure>; correct the argument or the parameter{{$}}
