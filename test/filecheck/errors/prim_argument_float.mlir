// RUN: not relax-opt %s 2>&1 | filecheck %s

// A number whose value is a size is no float.

relax.func private @callee(%v: !relax.prim<k>) -> !relax.object {
  relax.return %v : !relax.prim<k>
}
relax.func @f(%x: f32) -> !relax.object {
  %0 = relax.call @callee(%x) : (f32) -> !relax.object
  relax.return %0 : !relax.object
}

// CHECK: prim_argument_float.mlir:9:8: error: @f: relax.call @callee: expected argument 0 of type !relax.prim<k> (F2), found f32; correct the argument or the parameter{{$}}
