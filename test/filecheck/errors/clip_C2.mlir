// RUN: not relax-opt %s 2>&1 | filecheck %s

// ui8 has no negative number.

relax.func @f(%x: !relax.tensor<[n], ui8>) -> !relax.object {
  %r = relax.clip %x {min = -1 : i64} : (!relax.tensor<[n], ui8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: clip_C2.mlir:6:8: error: @f: relax.clip (%r): expected min to be a number that ui8 holds (C2), found -1; correct the number, or convert the tensor with relax.astype first{{$}}
