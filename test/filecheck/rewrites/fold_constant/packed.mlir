// RUN: relax-opt %s -p 'relax-fold-constant{max-elements=1}' | filecheck %s

// Several elements of one byte count as one: what only moves them is folded, what they stand for is not.
relax.func @f() -> !relax.object {
  %w = relax.constant dense<[[1, 2, 3], [-1, -2, -3]]> : tensor<2x3xi4>
  %t = relax.permute_dims %w : (!relax.tensor<[2, 3], i4>) -> !relax.tensor<[3, 2], i4>
  %y = relax.astype %t {dtype = f32} : (!relax.tensor<[3, 2], i4>) -> !relax.tensor<[3, 2], f32>
  relax.return %y : !relax.tensor<[3, 2], f32>
}

// CHECK:         %t = relax.constant dense<{{.*}}> : tensor<3x2xi4>
// CHECK-NEXT:    %y = relax.astype %t {dtype = f32}
