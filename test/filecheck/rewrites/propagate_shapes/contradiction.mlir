// RUN: relax-opt %s -p relax-propagate-shapes | filecheck %s
// RUN: not relax-run %s --backend interpret --entry main --random n=3 2>&1 | filecheck %s --check-prefix=FAILS

// Checks that contradict each other are for the run to tell: the function is left as it is.
relax.func @main(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[n, 5], f32>) -> !relax.object {
  %a = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[3], f32>
  %b = relax.match_cast %y : !relax.tensor<[n, 5], f32> -> !relax.tensor<[4, 5], f32>
  relax.return %b : !relax.tensor<[4, 5], f32>
}
// CHECK-LABEL: relax.func @main
// CHECK:         %b = relax.match_cast %y : !relax.tensor<[n, 5], f32> -> !relax.tensor<[4, 5], f32>
// FAILS: error: @main: relax.match_cast (%b): expected size 4 in dimension 0, found 3

// It may never come to the branch that holds the later one, which alone is left as it is.
relax.func @branch(%c: !relax.tensor<[], i1>, %x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
  %a = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[3], f32>
  %r = relax.if %c : (!relax.tensor<[], i1>) -> !relax.tensor<[?], f32> {
    %b = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[4], f32>
    %d = relax.add %b, %x : (!relax.tensor<[4], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[4], f32>
    relax.yield %d : !relax.tensor<[4], f32>
  } else {
    relax.yield %x : !relax.tensor<[n], f32>
  }
  relax.return %r : !relax.tensor<[?], f32>
}
// CHECK-LABEL: relax.func @branch
// CHECK:           %b = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[4], f32>
// CHECK:           %d = relax.add %b, %x : (!relax.tensor<[4], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[4], f32>
// CHECK:         } else {
// CHECK-NEXT:      relax.yield %a : !relax.tensor<[3], f32>
