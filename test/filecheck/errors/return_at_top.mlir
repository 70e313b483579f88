// RUN: not relax-opt %s 2>&1 | filecheck %s

// relax.return belongs to functions.

%x = "test.op"() : () -> !relax.object
relax.return %x : !relax.object

// CHECK: return_at_top.mlir:6:1: error: relax.return: expected relax.func or relax.closure around it (C1), found builtin.module; a block ends in relax.output, a branch in relax.yield{{$}}
