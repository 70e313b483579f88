// RUN: not relax-opt %s 2>&1 | filecheck %s

// A variable is none of the words that are operations.

relax.func @f(%x: !relax.func<[mod] () -> !relax.object>) -> !relax.object {
  relax.return %x : !relax.func<[mod] () -> !relax.object>
}

// CHECK: type_func_reserved.mlir:5:30: error: 'mod' cannot name a symbolic variable: expected letters, digits and '_', no digit first, and none of the words broadcast, ceildiv, floordiv, max, min, mod{{$}}
