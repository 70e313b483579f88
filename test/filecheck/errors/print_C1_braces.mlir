// RUN: not relax-opt %s 2>&1 | filecheck %s

// A format has no other braces than those of its places.

relax.func @f(%x: !relax.tensor<[], f32>) -> !relax.object {
  relax.print %x {format = "{x}"} : (!relax.tensor<[], f32>) -> ()
  relax.return %x : !relax.tensor<[], f32>
}

// CHECK: print_C1_braces.mlir:6:3: error: @f: relax.print: expected a format with one {{[{][}]}} for each of 1 values (C1), found "{x}"; write {{[{][}]}} for a value, and {{[{][{] or [}][}]}} for a brace{{$}}
