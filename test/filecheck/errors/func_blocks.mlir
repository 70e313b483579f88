// RUN: not relax-opt %s 2>&1 | filecheck %s

// A body is one block.

relax.func @f(%x: !relax.object) -> !relax.object {
  relax.return %x : !relax.object
^second:
  relax.return %x : !relax.object
}

// CHECK: func_blocks.mlir:5:51: error: relax.func @f: expected a body of one block, found 2; leave out the labels{{$}}
