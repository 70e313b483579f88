// RUN: not relax-opt %s 2>&1 | filecheck %s

// relax.output belongs to blocks.

relax.output

// CHECK: output_at_top.mlir:5:1: error: relax.output: expected relax.dataflow, relax.binding_block or relax.graph around it (C1), found builtin.module; a function ends in relax.return{{$}}
