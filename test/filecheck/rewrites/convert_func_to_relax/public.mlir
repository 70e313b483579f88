// RUN: relax-opt %s -p relax-convert-func-to-relax | filecheck %s

// CHECK-LABEL: relax.func @main(%a: !relax.tensor<[a0, 4], f32>) -> !relax.tensor<[?, 4], f32> {
// CHECK-NEXT:    %0 = relax.to_builtin %a : (!relax.tensor<[a0, 4], f32>) -> tensor<?x4xf32>
// CHECK-NEXT:    %y = math.exp %0 : tensor<?x4xf32>
// CHECK-NEXT:    %y_1 = relax.from_builtin %y : (tensor<?x4xf32>) -> !relax.tensor<[?, 4], f32>
// CHECK-NEXT:    relax.return %y_1 : !relax.tensor<[?, 4], f32>
func.func @main(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %y = math.exp %a : tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// Several results are a tuple; scalars stay.
// CHECK-LABEL: relax.func @two(%a: !relax.tensor<[2], f32>, %k: i32) -> tuple<i32, !relax.tensor<[2], f32>>
// CHECK:         relax.tuple %k, {{.*}}
func.func @two(%a: tensor<2xf32>, %k: i32) -> (i32, tensor<2xf32>) {
  return %k, %a : i32, tensor<2xf32>
}

// A public function that is called stays as a private copy; a private one stays.
// CHECK-LABEL: relax.func @called(
// CHECK-LABEL: func.func private @called_body(
// CHECK-LABEL: relax.func @caller(
// CHECK:         func.call @called_body
// CHECK:         func.call @own
// CHECK-LABEL: func.func private @own(
func.func @called(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}
func.func @caller(%a: tensor<?xf32>) -> tensor<?xf32> {
  %b = call @called(%a) : (tensor<?xf32>) -> tensor<?xf32>
  %c = call @own(%b) : (tensor<?xf32>) -> tensor<?xf32>
  return %c : tensor<?xf32>
}
func.func private @own(%a: tensor<?xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}

// A recursive function is called by relax.call.
// CHECK-LABEL: relax.func private @again(
// CHECK:         relax.call @again(
func.func private @again(%a: tensor<2xf32>, %c: i1) -> tensor<2xf32> {
  %r = scf.if %c -> (tensor<2xf32>) {
    %b = func.call @again(%a, %c) : (tensor<2xf32>, i1) -> tensor<2xf32>
    scf.yield %b : tensor<2xf32>
  } else {
    scf.yield %a : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// On memory: an entry point, which returns a copy of what is not its own.
// CHECK-LABEL: func.func @memory(%m: memref<2xf32>, %s: memref<4xf32>) -> memref<2xf32> attributes {relax.entry} {
// CHECK-NEXT:    %{{.*}} = memref.cast %s : memref<4xf32> to memref<4xf32, strided<[?]>>
// CHECK-NEXT:    %[[COPY:.*]] = memref.alloc() : memref<2xf32>
// CHECK-NEXT:    memref.copy %m, %[[COPY]] : memref<2xf32> to memref<2xf32>
// CHECK-NEXT:    func.return %[[COPY]] : memref<2xf32>
func.func @memory(%m: memref<2xf32>, %s: memref<4xf32, strided<[?]>>) -> memref<2xf32> {
  return %m : memref<2xf32>
}

// Prim funcs, declarations and functions of vectors stay.
// CHECK-LABEL: func.func @prim(
// CHECK-LABEL: func.func private @declared(
// CHECK-LABEL: func.func @vectors(
// CHECK-NOT:     relax.entry
func.func @prim(%a: tensor<?xf32> {relax.dims = ["n"]}) -> (tensor<?xf32> {relax.dims = ["n"]}) {
  return %a : tensor<?xf32>
}
func.func private @declared(tensor<2xf32>) -> tensor<2xf32>
func.func @vectors(%v: vector<4xf32>) -> vector<4xf32> {
  return %v : vector<4xf32>
}
