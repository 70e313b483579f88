// RUN: not relax-opt %s 2>&1 | filecheck %s

// The function type is that of the block arguments.

"relax.func"() <{sym_name = "f", function_type = !relax.func<(!relax.shape<[4]>) -> !relax.object>}> ({
^bb0(%x: !relax.object):
  "relax.return"(%x) : (!relax.object) -> ()
}) : () -> ()

// CHECK: func_type_generic.mlir:5:1: error: relax.func @f: expected block arguments of the types !relax.shape<[4]> (C2), found !relax.object; change the two together{{$}}
