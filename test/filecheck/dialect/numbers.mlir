// RUN: relax-opt %s | relax-opt | filecheck %s
// RUN: xdsl-opt %s | filecheck %s

// A number among the operands is a constant of rank 0 in front of the op; types stand for values alone.
relax.func @f(%x: !relax.tensor<[n], f32>, %h: !relax.tensor<[n], f16>, %i: !relax.tensor<[n], i64>, %b: !relax.tensor<[n], i1>) -> !relax.object {
  %0 = relax.add %x, 1.0 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %1 = relax.subtract 2, %0 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %2 = relax.multiply %h, -1.0e9 : (!relax.tensor<[n], f16>) -> !relax.tensor<[n], f16>
  %3 = relax.maximum %i, -3 : (!relax.tensor<[n], i64>) -> !relax.tensor<[n], i64>
  %4 = relax.where %b, 0x7F800000, %x : (!relax.tensor<[n], i1>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  %5 = relax.logical_and %b, true : (!relax.tensor<[n], i1>) -> !relax.tensor<[n], i1>
  %6 = relax.take %x, 0 : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32>
  %s = relax.shape [n]
  %7 = relax.full %s, 2 {dtype = f32} : (!relax.shape<[n]>) -> !relax.tensor<[n], f32>
  %8 = relax.quantize %x, 0.5, 3 {out_dtype = ui8} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], ui8>
  %g = relax.dataflow {
    %9 = relax.power %x, 2.0 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    relax.output %9 : !relax.tensor<[n], f32>
  }
  relax.return %g : !relax.tensor<[n], f32>
}

// CHECK:       relax.func @f
// CHECK-NEXT:    %0 = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %1 = relax.add %x, %0 : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    %2 = relax.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:    %3 = relax.subtract %2, %1 :
// CHECK-NEXT:    %4 = relax.constant dense<"0x00FC"> : tensor<f16>
// CHECK-NEXT:    %5 = relax.multiply %h, %4 :
// CHECK-NEXT:    %6 = relax.constant dense<-3> : tensor<i64>
// CHECK-NEXT:    %7 = relax.maximum %i, %6 :
// CHECK-NEXT:    %8 = relax.constant dense<"0x0000807F"> : tensor<f32>
// CHECK-NEXT:    %9 = relax.where %b, %8, %x :
// CHECK-NEXT:    %10 = relax.constant dense<true> : tensor<i1>
// CHECK-NEXT:    %11 = relax.logical_and %b, %10 :
// CHECK-NEXT:    %12 = relax.constant dense<0> : tensor<i64>
// CHECK-NEXT:    %13 = relax.take %x, %12 :
// CHECK-NEXT:    %s = relax.shape [n]
// CHECK-NEXT:    %14 = relax.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:    %15 = relax.full %s, %14 {dtype = f32} :
// CHECK-NEXT:    %16 = relax.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:    %17 = relax.constant dense<3> : tensor<ui8>
// CHECK-NEXT:    %18 = relax.quantize %x, %16, %17 {out_dtype = ui8} :
// CHECK-NEXT:    %g = relax.dataflow {
// CHECK-NEXT:      %19 = relax.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:      %20 = relax.power %x, %19 :

// Among the arguments of a call, as in the document on Relay.

// CHECK-LABEL: relax.func @myfunc(
// CHECK-NEXT:    %[[ONE:.*]] = relax.constant dense<1.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[TWO:.*]] = relax.constant dense<2.000000e+00> : tensor<f32>
// CHECK-NEXT:    relax.call @muladd(%x, %[[ONE]], %[[TWO]])
relax.func @myfunc(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %1 = relax.call @muladd(%x, 1, 2) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %2 = relax.call @muladd(%1, 2, 3) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %2 : !relax.tensor<[], f32>
}
relax.func private @muladd(%x: !relax.tensor<[], f32>, %y: !relax.tensor<[], f32>, %z: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %1 = relax.multiply %x, %y : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  %2 = relax.add %1, %z : (!relax.tensor<[], f32>, !relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %2 : !relax.tensor<[], f32>
}
