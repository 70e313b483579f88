// RUN: relax-opt %s -p relax-lambda-lift | filecheck %s

// A function value keeps the order of the brackets, whatever that of the parameters.
relax.func @f(%x: !relax.tensor<[p], f32>) -> !relax.object {
  %f = relax.closure [m, k] (%y: !relax.tensor<[k], f32>, %t: !relax.shape<[m + p]>) -> !relax.shape<[m, k]> {
    %q = relax.shape [m, k]
    relax.return %q : !relax.shape<[m, k]>
  }
  relax.return %f : !relax.func<[m, k] (!relax.tensor<[k], f32>, !relax.shape<[m + p]>) -> !relax.shape<[m, k]>>
}

// CHECK: builtin.module {
// CHECK-NEXT:   relax.func @f(%x: !relax.tensor<[p], f32>) -> !relax.object {
// CHECK-NEXT:     %0 = relax.shape [p]
// CHECK-NEXT:     %f = relax.make_closure @f_f(%0) : (!relax.shape<[p]>) -> !relax.func<[m, k] (!relax.tensor<[k], f32>, !relax.shape<[m + p]>) -> !relax.shape<[m, k]>>
// CHECK-NEXT:     relax.return %f : !relax.func<[m, k] (!relax.tensor<[k], f32>, !relax.shape<[m + p]>) -> !relax.shape<[m, k]>>
// CHECK-NEXT:   }
// CHECK-NEXT:   relax.func private @f_f(%0: !relax.shape<[p]>, %y: !relax.tensor<[k], f32>, %t: !relax.shape<[m + p]>) -> !relax.shape<[m, k]> attributes {relax.place = "@f: relax.closure (%f)"} {
// CHECK-NEXT:     %q = relax.shape [m, k]
// CHECK-NEXT:     relax.return %q : !relax.shape<[m, k]>
// CHECK-NEXT:   }
// CHECK-NEXT: }
