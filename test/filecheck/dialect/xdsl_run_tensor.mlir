// RUN: xdsl-run %S/xdsl_run.mlir --verbose --args "dense<[1.0, 2.0]> : tensor<2xf32>" | filecheck %s

// xDSL's own runner passes a tensor to a Relax function and prints its result.

// CHECK: result: [ 7.389056 54.59815 ]
