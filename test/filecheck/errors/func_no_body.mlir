// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function has a body.

relax.func @f(%x: !relax.object) -> !relax.object

// CHECK: func_no_body.mlir{{.*}} error: relax.func @f: expected a body in braces, found none; a function from outside is called with relax.call_packed{{$}}
