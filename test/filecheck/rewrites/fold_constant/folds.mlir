// RUN: relax-opt %s -p 'relax-fold-constant{max-elements=8}' --allow-unregistered-dialect | filecheck %s

func.func private @twice(%x: tensor<2xf32> {relax.dims = ["2"]}) -> (tensor<2xf32> {relax.dims = ["2"]}) {
  %y = arith.addf %x, %x : tensor<2xf32>
  func.return %y : tensor<2xf32>
}
relax.func @folds(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
  %y, %z, %s = relax.dataflow {
    %a = relax.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %b = relax.add %a, %a : (!relax.tensor<[2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
    %c = relax.less %a, %b : (!relax.tensor<[2], f32>, !relax.tensor<[2], f32>) -> !relax.tensor<[2], i1>
    %d = relax.call_tir @twice(%b) : (!relax.tensor<[2], f32>) -> !relax.tensor<[2], f32>
    %s = relax.shape_of %x : (!relax.tensor<[n, 4], f32>) -> !relax.shape<[n, 4]>
    relax.output %c, %d, %s : !relax.tensor<[2], i1>, !relax.tensor<[2], f32>, !relax.shape<[n, 4]>
  }
  %t = relax.tuple %y, %z, %s : (!relax.tensor<[2], i1>, !relax.tensor<[2], f32>, !relax.shape<[n, 4]>) -> tuple<!relax.tensor<[2], i1>, !relax.tensor<[2], f32>, !relax.shape<[n, 4]>>
  relax.return %t : tuple<!relax.tensor<[2], i1>, !relax.tensor<[2], f32>, !relax.shape<[n, 4]>>
}
// Too large, of unknown size, from outside, a check, failing at run time: all stay.
relax.func @stays() -> !relax.object {
  %a = relax.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %s = relax.shape [3, 3]
  %b = relax.broadcast_to %a, %s : (!relax.tensor<[3], f32>, !relax.shape<[3, 3]>) -> !relax.tensor<[3, 3], f32>
  %c = relax.exp %a : (!relax.tensor<[3], f32>) -> !relax.tensor<[?], f32>
  %d = relax.call_pure_packed "f"(%a) : (!relax.tensor<[3], f32>) -> !relax.tensor<[3], f32>
  %m = relax.match_cast %a : !relax.tensor<[3], f32> -> !relax.tensor<[k], f32>
  %o = "test.pureop"(%a) : (!relax.tensor<[3], f32>) -> !relax.tensor<[3], f32>
  %t = relax.tuple %b, %c, %d, %m, %o : (!relax.tensor<[3, 3], f32>, !relax.tensor<[?], f32>, !relax.tensor<[3], f32>, !relax.tensor<[k], f32>, !relax.tensor<[3], f32>) -> tuple<!relax.tensor<[3, 3], f32>, !relax.tensor<[?], f32>, !relax.tensor<[3], f32>, !relax.tensor<[k], f32>, !relax.tensor<[3], f32>>
  relax.return %t : tuple<!relax.tensor<[3, 3], f32>, !relax.tensor<[?], f32>, !relax.tensor<[3], f32>, !relax.tensor<[k], f32>, !relax.tensor<[3], f32>>
}

// CHECK:       func.func private @twice(%x: tensor<2xf32> {relax.dims = ["2"]}) -> (tensor<2xf32> {relax.dims = ["2"]}) {
// CHECK-NEXT:    %y = arith.addf %x, %x : tensor<2xf32>
// CHECK-NEXT:    func.return %y : tensor<2xf32>
// CHECK-NEXT:  }
// CHECK:       relax.func @folds(%x: !relax.tensor<[n, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %y, %z, %s = relax.dataflow {
// CHECK-NEXT:      %a = relax.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:      %b = relax.constant dense<[2.000000e+00, 4.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:      %c = relax.constant dense<true> : tensor<2xi1>
// CHECK-NEXT:      %d = relax.constant dense<[4.000000e+00, 8.000000e+00]> : tensor<2xf32>
// CHECK-NEXT:      %s_1 = relax.shape [n, 4]
// CHECK-NEXT:      relax.output %c, %d, %s_1 : !relax.tensor<[2], i1>, !relax.tensor<[2], f32>, !relax.shape<[n, 4]>
// CHECK-NEXT:    }
// CHECK-NEXT:    %t = relax.tuple %y, %z, %s : (!relax.tensor<[2], i1>, !relax.tensor<[2], f32>, !relax.shape<[n, 4]>) -> tuple<!relax.tensor<[2], i1>, !relax.tensor<[2], f32>, !relax.shape<[n, 4]>>
// CHECK-NEXT:    relax.return %t : tuple<!relax.tensor<[2], i1>, !relax.tensor<[2], f32>, !relax.shape<[n, 4]>>
// CHECK-NEXT:  }
// CHECK:       relax.func @stays() -> !relax.object {
// CHECK-NEXT:    %a = relax.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]> : tensor<3xf32>
// CHECK-NEXT:    %s = relax.shape [3, 3]
// CHECK-NEXT:    %b = relax.broadcast_to %a, %s : (!relax.tensor<[3], f32>, !relax.shape<[3, 3]>) -> !relax.tensor<[3, 3], f32>
// CHECK-NEXT:    %c = relax.exp %a : (!relax.tensor<[3], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT:    %d = relax.call_pure_packed "f"(%a) : (!relax.tensor<[3], f32>) -> !relax.tensor<[3], f32>
// CHECK-NEXT:    %m = relax.match_cast %a : !relax.tensor<[3], f32> -> !relax.tensor<[k], f32>
// CHECK-NEXT:    %o = "test.pureop"(%a) : (!relax.tensor<[3], f32>) -> !relax.tensor<[3], f32>
// CHECK-NEXT:    %t = relax.tuple %b, %c, %d, %m, %o : (!relax.tensor<[3, 3], f32>, !relax.tensor<[?], f32>, !relax.tensor<[3], f32>, !relax.tensor<[k], f32>, !relax.tensor<[3], f32>) -> tuple<!relax.tensor<[3, 3], f32>, !relax.tensor<[?], f32>, !relax.tensor<[3], f32>, !relax.tensor<[k], f32>, !relax.tensor<[3], f32>>
// CHECK-NEXT:    relax.return %t : tuple<!relax.tensor<[3, 3], f32>, !relax.tensor<[?], f32>, !relax.tensor<[3], f32>, !relax.tensor<[k], f32>, !relax.tensor<[3], f32>>
// CHECK-NEXT:  }
