// RUN: python %S/examples.py stages | filecheck %s

// Stages stand in the order of their dependences; the count is converted once, outside of the loop.

// CHECK:      %total = linalg.generic
// CHECK:      %m = tensor.dim %A, %c1 : tensor<?x?xf32>
// CHECK-NEXT: %[[I:.*]] = arith.index_cast %m : index to i64
// CHECK-NEXT: %[[COUNT:.*]] = arith.sitofp %[[I]] : i64 to f32
// CHECK-NEXT: %mean = linalg.generic
// CHECK-NEXT: ^bb0(%total_in: f32, %out: f32):
// CHECK-NEXT:   %[[MEAN:.*]] = arith.divf %total_in, %[[COUNT]] : f32
// CHECK-NEXT:   linalg.yield %[[MEAN]] : f32
// CHECK:      func.return %mean : tensor<?xf32>
