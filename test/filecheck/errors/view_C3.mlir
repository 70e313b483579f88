// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// A byte need not be 0 or 1.

relax.func @f(%x: !relax.tensor<[6], ui8>) -> !relax.object {
  %r = relax.view %x {dtype = i1} : (!relax.tensor<[6], ui8>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.view (%r): expected another element type than i1 (C3), found i1 for ui8; view it as ui8 and compare with 0 by relax.not_equal{{$}}
