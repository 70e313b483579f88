// RUN: not relax-opt %s 2>&1 | filecheck %s

// relax.output belongs to blocks.

relax.func @f(%x: !relax.object) -> !relax.object {
  relax.output %x : !relax.object
}

// CHECK: output_in_function.mlir:6:3: error: @f: relax.output: expected relax.dataflow, relax.binding_block or relax.graph around it (C1), found relax.func; a function ends in relax.return{{$}}
