// RUN: not relax-opt %s 2>&1 | filecheck %s

// relax.return belongs to functions.

%x = "test.op"() : () -> !relax.object
relax.return %x : !relax.object

// CHECK: return_at_top.mlir: error: relax.return: expected a relax.func directly around it, found none; move it to the end of one{{$}}
