// RUN: relax-opt %s --verify-diagnostics | filecheck %s

// CHECK: linalg.elementwise: expected a kind among abs, add, {{.*}}, tanh, found #linalg.elementwise_kind<cube>; correct the kind
// CHECK-NEXT: linalg.elementwise kind=#linalg.elementwise_kind<cube>
func.func @f(%a: memref<?xf32>) {
  linalg.elementwise kind=#linalg.elementwise_kind<cube> ins(%a : memref<?xf32>) outs(%a : memref<?xf32>)
  func.return
}
