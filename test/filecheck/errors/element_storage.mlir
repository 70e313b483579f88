// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing computes with storage types.

relax.func @f(%x: !relax.tensor<[4], f8E4M3FN>) -> !relax.object {
  %r = relax.exp %x : (!relax.tensor<[4], f8E4M3FN>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: element_storage.mlir:6:8: error: @f: relax.exp (%r): expected an element type to compute with, found f8E4M3FN, a storage type; cast it first, with relax.astype{{$}}
