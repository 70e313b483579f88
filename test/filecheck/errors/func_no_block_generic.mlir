// RUN: not relax-opt %s 2>&1 | filecheck %s

// The region may not be empty.

"relax.func"() <{sym_name = "f", function_type = !relax.func<() -> !relax.object>}> ({
}) : () -> ()

// CHECK: func_no_block_generic.mlir:5:1: error: relax.func: expected one block in region 'body', found 0; write it as one block{{$}}
