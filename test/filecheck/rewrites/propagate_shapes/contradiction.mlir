// RUN: not relax-opt %s -p relax-propagate-shapes 2>&1 | filecheck %s

relax.func @main(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n, 5], f32>) -> !relax.object {
  %a = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[3], f32>
  %b = relax.match_cast %y : !relax.tensor<[n, 5], f32> -> !relax.tensor<[4, 5], f32>
  relax.return %b : !relax.tensor<[4, 5], f32>
}
// CHECK: error: @main: relax.match_cast (%b): expected n to be 4, found n = 3 by what was checked before; no input passes both checks: correct one of them
// CHECK-NOT: Traceback
