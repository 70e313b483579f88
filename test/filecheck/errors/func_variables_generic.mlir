// RUN: not relax-opt %s 2>&1 | filecheck %s

// A function binds the variables its parameters name.

"relax.func"() <{sym_name = "f", function_type = !relax.func<(!relax.shape<[n]>) -> !relax.object>}> ({
^bb0(%x: !relax.shape<[n]>):
  "relax.return"(%x) : (!relax.shape<[n]>) -> ()
}) : () -> ()

// CHECK: func_variables_generic.mlir:5:1: error: relax.func @f: expected the type !relax.func<[n] (!relax.shape<[n]>) -> !relax.object>, which binds the variables of the parameters (C2), found !relax.func<(!relax.shape<[n]>) -> !relax.object>; change the brackets{{$}}
