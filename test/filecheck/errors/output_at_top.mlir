// RUN: not relax-opt %s 2>&1 | filecheck %s

// relax.output belongs to blocks.

relax.output

// CHECK: output_at_top.mlir: error: relax.output: expected relax.dataflow or relax.binding_block around it, found builtin.module; a function ends in relax.return{{$}}
