// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @ij(
// CHECK-NEXT: %r0, %r1, %r2 = relax.meshgrid %x, %y, %z {indexing = "ij"} : (!relax.tensor<[n], f32>, !relax.tensor<[m], i64>, !relax.tensor<[3], f32>) -> (!relax.tensor<[n, m, 3], f32>, !relax.tensor<[n, m, 3], i64>, !relax.tensor<[n, m, 3], f32>){{$}}
relax.func @ij(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], i64>, %z: !relax.tensor<[3], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.meshgrid %x, %y, %z {indexing = "ij"} : (!relax.tensor<[n], f32>, !relax.tensor<[m], i64>, !relax.tensor<[3], f32>) -> (!relax.tensor<[n, m, 3], f32>, !relax.tensor<[n, m, 3], i64>, !relax.tensor<[n, m, 3], f32>)
  relax.return %r0 : !relax.tensor<[n, m, 3], f32>
}

// CHECK-LABEL: relax.func @xy(
// CHECK-NEXT: %r0, %r1, %r2 = relax.meshgrid %x, %y, %z {indexing = "xy"} : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<[m, n, 3], f32>, !relax.tensor<[m, n, 3], f32>, !relax.tensor<[m, n, 3], f32>){{$}}
relax.func @xy(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>, %z: !relax.tensor<[3], f32>) -> !relax.object {
  %r0, %r1, %r2 = relax.meshgrid %x, %y, %z {indexing = "xy"} : (!relax.tensor<[n], f32>, !relax.tensor<[m], f32>, !relax.tensor<[3], f32>) -> (!relax.tensor<[m, n, 3], f32>, !relax.tensor<[m, n, 3], f32>, !relax.tensor<[m, n, 3], f32>)
  relax.return %r0 : !relax.tensor<[m, n, 3], f32>
}

// CHECK-LABEL: relax.func @one(
// CHECK-NEXT: %r = relax.meshgrid %x {indexing = "xy"} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>{{$}}
relax.func @one(%x: !relax.tensor<[n], f32>) -> !relax.object {
  %r = relax.meshgrid %x {indexing = "xy"} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %r : !relax.tensor<[n], f32>
}

// CHECK-LABEL: relax.func @unknown(
// CHECK-NEXT: %r0, %r1 = relax.meshgrid %x, %y {indexing = "ij"} : (!relax.tensor<[?]>, !relax.tensor<*, f32>) -> (!relax.tensor<[?, ?]>, !relax.tensor<[?, ?], f32>){{$}}
relax.func @unknown(%x: !relax.tensor<[?]>, %y: !relax.tensor<*, f32>) -> !relax.object {
  %r0, %r1 = relax.meshgrid %x, %y {indexing = "ij"} : (!relax.tensor<[?]>, !relax.tensor<*, f32>) -> (!relax.tensor<[?, ?]>, !relax.tensor<[?, ?], f32>)
  relax.return %r0 : !relax.tensor<[?, ?]>
}
