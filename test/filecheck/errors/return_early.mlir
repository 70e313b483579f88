// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing stands after the terminator.

relax.func @f(%x: !relax.object) -> !relax.object {
  relax.return %x : !relax.object
  relax.return %x : !relax.object
}

// CHECK: return_early.mlir:6:3: error: @f: relax.return: expected the end of the block after it, found another op; move it to the end{{$}}
