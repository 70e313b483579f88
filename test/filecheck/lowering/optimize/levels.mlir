// RUN: relax-opt %s -p 'relax-optimize{level=0}' | filecheck %s --check-prefix=O0
// RUN: relax-opt %s -p relax-optimize | filecheck %s --check-prefix=O1
// RUN: relax-opt %s -p 'relax-optimize{level=2}' | filecheck %s --check-prefix=O2

// Nobody uses @big; @sum is of constants; a product by one changes nothing; x + 0.0 makes 0.0 of -0.0, so that
// only -O2 drops it; the expanded gelu is the operator.
relax.func @main(%x: !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32> {
  %big = relax.constant dense<1.0> : tensor<1000x1000xf32>
  %c = relax.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %one = relax.constant dense<1.0> : tensor<f32>
  %zero = relax.constant dense<0.0> : tensor<f32>
  %half = relax.constant dense<0.5> : tensor<f32>
  %root2 = relax.constant dense<1.41421354> : tensor<f32>
  %sum = relax.add %c, %c : (!relax.tensor<[3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[3], f32>
  %d = relax.multiply %sum, %one : (!relax.tensor<[3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[3], f32>
  %y = relax.add %x, %d : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[n, 3], f32>
  %z = relax.add %y, %zero : (!relax.tensor<[n, 3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 3], f32>
  %0 = relax.divide %z, %root2 : (!relax.tensor<[n, 3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 3], f32>
  %1 = relax.erf %0 : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32>
  %2 = relax.add %1, %one : (!relax.tensor<[n, 3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 3], f32>
  %3 = relax.multiply %z, %2 : (!relax.tensor<[n, 3], f32>, !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32>
  %4 = relax.multiply %3, %half : (!relax.tensor<[n, 3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 3], f32>
  relax.return %4 : !relax.tensor<[n, 3], f32>
}

// O0:       %big = relax.constant
// O0:       relax.erf

// O1:       relax.func @main(%x: !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32> {
// O1-NEXT:    %zero = relax.constant dense<0.000000e+00> : tensor<f32>
// O1-NEXT:    %sum = relax.constant dense<[2.000000e+00, 4.000000e+00, 6.000000e+00]> : tensor<3xf32>
// O1-NEXT:    %y = relax.add %x, %sum : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[n, 3], f32>
// O1-NEXT:    %z = relax.add %y, %zero : (!relax.tensor<[n, 3], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n, 3], f32>
// O1-NEXT:    %{{.*}} = relax.gelu %z : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32>
// O1-NEXT:    relax.return %{{.*}} : !relax.tensor<[n, 3], f32>

// O2:       relax.func @main(%x: !relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32> {
// O2-NEXT:    %sum = relax.constant dense<[2.000000e+00, 4.000000e+00, 6.000000e+00]> : tensor<3xf32>
// O2-NEXT:    %y = relax.add %x, %sum : (!relax.tensor<[n, 3], f32>, !relax.tensor<[3], f32>) -> !relax.tensor<[n, 3], f32>
// O2-NEXT:    %{{.*}} = relax.gelu %y : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32>
// O2-NEXT:    relax.return %{{.*}} : !relax.tensor<[n, 3], f32>
