// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function sees no value of another.

relax.func @g(%x: !relax.object) -> !relax.object {
  relax.return %x : !relax.object
}
relax.func @f(%y: !relax.object) -> !relax.object {
  relax.return %x : !relax.object
}

// CHECK: value_of_other_function.mlir:9:16: error: expected values that are defined in their region or around it (V1), found %x, which no op there defines; define it, or pass it out of its block with relax.output{{$}}
