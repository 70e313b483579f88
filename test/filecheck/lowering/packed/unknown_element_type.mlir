// RUN: relax-opt %s | filecheck %s
// RUN: not relax-opt %s -p relax-lower-functions 2>&1 | filecheck %s --check-prefix=LOWERED

// An element type may be unknown until the result is allocated.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %r = relax.call_dps_packed "fill"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n]>
  %y = relax.match_cast %r : !relax.tensor<[n]> -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}

// CHECK: %r = relax.call_dps_packed "fill"(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n]>

// LOWERED: relax.call_dps_packed (%r): expected a result of known element type, as it is allocated before the call, found !relax.tensor<[n]>; declare it
