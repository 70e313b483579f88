// RUN: relax-opt %s -p relax-inline-private-functions | filecheck %s

// A match defines bare sizes only: a variable of an unknown size is written in terms of that size.
relax.func private @halves(%x: !relax.tensor<[n, 2 * k + 1], f32>) -> !relax.shape<[n, k]> {
  %s = relax.shape [n, k]
  relax.return %s : !relax.shape<[n, k]>
}
relax.func @static(%x: !relax.tensor<[3, 7], f32>) -> !relax.shape<[3, 3]> {
  %s = relax.call @halves(%x) : (!relax.tensor<[3, 7], f32>) -> !relax.shape<[3, 3]>
  relax.return %s : !relax.shape<[3, 3]>
}
relax.func @symbolic(%x: !relax.tensor<[m, 4 * m + 3], f32>) -> !relax.shape<[m, 2 * m + 1]> {
  %s = relax.call @halves(%x) : (!relax.tensor<[m, 4 * m + 3], f32>) -> !relax.shape<[m, 2 * m + 1]>
  relax.return %s : !relax.shape<[m, 2 * m + 1]>
}
relax.func @unknown(%x: !relax.tensor<[?, ?], f32>) -> !relax.shape<[?, ?]> {
  %s = relax.call @halves(%x) : (!relax.tensor<[?, ?], f32>) -> !relax.shape<[?, ?]>
  relax.return %s : !relax.shape<[?, ?]>
}

// CHECK: builtin.module {
// CHECK-NEXT:   relax.func @static(%x: !relax.tensor<[3, 7], f32>) -> !relax.shape<[3, 3]> {
// CHECK-NEXT:     %s = relax.shape [3, 3]
// CHECK-NEXT:     relax.return %s : !relax.shape<[3, 3]>
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.func @symbolic(%x: !relax.tensor<[m, 4 * m + 3], f32>) -> !relax.shape<[m, 2 * m + 1]> {
// CHECK-NEXT:     %s = relax.shape [m, 2 * m + 1]
// CHECK-NEXT:     relax.return %s : !relax.shape<[m, 2 * m + 1]>
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.func @unknown(%x: !relax.tensor<[?, ?], f32>) -> !relax.shape<[?, ?]> {
// CHECK-NEXT:     %x_1 = relax.match_cast %x : !relax.tensor<[?, ?], f32> -> !relax.tensor<[n, k], f32>
// CHECK-NEXT:     %x_2 = relax.match_cast %x_1 : !relax.tensor<[n, k], f32> -> !relax.tensor<[n, 2 * max((k + 1) floordiv 2 - 1, 0) + 1], f32>
// CHECK-NEXT:     %s = relax.shape [n, max((k + 1) floordiv 2 - 1, 0)]
// CHECK-NEXT:     %s_1 = relax.let %s : (!relax.shape<[n, max((k + 1) floordiv 2 - 1, 0)]>) -> !relax.shape<[?, ?]>
// CHECK-NEXT:     relax.return %s_1 : !relax.shape<[?, ?]>
// CHECK-NEXT:   }
// CHECK-NEXT: }
