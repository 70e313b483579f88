// RUN: python %S/examples.py unbound_symbol | filecheck %s

// m stands bare in no tensor argument: it is an argument after the tensors.

// CHECK:      func.func private @unbound_symbol(%A: tensor<?x?xf32> {relax.dims = ["n", "2 * (m floordiv 2)"]}, %m: index {relax.symbol = "m"}) -> (tensor<?x?xf32> {relax.dims = ["n", "2 * (m floordiv 2)"]}) {
// CHECK-NEXT:   %c0 = arith.constant 0 : index
// CHECK-NEXT:   %n = tensor.dim %A, %c0 : tensor<?x?xf32>
// CHECK-NEXT:   %c2 = arith.constant 2 : index
// CHECK-NEXT:   %0 = arith.floordivsi %m, %c2 : index
// CHECK-NEXT:   %1 = arith.muli %c2, %0 : index
// CHECK-NEXT:   %empty = tensor.empty(%n, %1) : tensor<?x?xf32>
