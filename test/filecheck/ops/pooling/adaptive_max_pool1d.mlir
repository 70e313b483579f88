// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @same(
// CHECK-NEXT: %r = relax.adaptive_max_pool1d %x : (!relax.tensor<[n, c, w], f32>) -> !relax.tensor<[n, c, w], f32>{{$}}
relax.func @same(%x: !relax.tensor<[n, c, w], f32>) -> !relax.object {
  %r = relax.adaptive_max_pool1d %x : (!relax.tensor<[n, c, w], f32>) -> !relax.tensor<[n, c, w], f32>
  relax.return %r : !relax.tensor<[n, c, w], f32>
}

// CHECK-LABEL: relax.func @global(
// CHECK-NEXT: %r = relax.adaptive_max_pool1d %x {output_size = array<i64: 1>} : (!relax.tensor<[n, c, w], f32>) -> !relax.tensor<[n, c, 1], f32>{{$}}
relax.func @global(%x: !relax.tensor<[n, c, w], f32>) -> !relax.object {
  %r = relax.adaptive_max_pool1d %x {output_size = array<i64: 1>} : (!relax.tensor<[n, c, w], f32>) -> !relax.tensor<[n, c, 1], f32>
  relax.return %r : !relax.tensor<[n, c, 1], f32>
}

// CHECK-LABEL: relax.func @parts(
// CHECK-NEXT: %r = relax.adaptive_max_pool1d %x {output_size = array<i64: 5>} : (!relax.tensor<[n, c, w], f32>) -> !relax.tensor<[n, c, 5], f32>{{$}}
relax.func @parts(%x: !relax.tensor<[n, c, w], f32>) -> !relax.object {
  %r = relax.adaptive_max_pool1d %x {output_size = array<i64: 5>} : (!relax.tensor<[n, c, w], f32>) -> !relax.tensor<[n, c, 5], f32>
  relax.return %r : !relax.tensor<[n, c, 5], f32>
}

// CHECK-LABEL: relax.func @channels_last(
// CHECK-NEXT: %r = relax.adaptive_max_pool1d %x {output_size = array<i64: 2>, layout = "NWC"} : (!relax.tensor<[n, w, c], f32>) -> !relax.tensor<[n, 2, c], f32>{{$}}
relax.func @channels_last(%x: !relax.tensor<[n, w, c], f32>) -> !relax.object {
  %r = relax.adaptive_max_pool1d %x {output_size = array<i64: 2>, layout = "NWC"} : (!relax.tensor<[n, w, c], f32>) -> !relax.tensor<[n, 2, c], f32>
  relax.return %r : !relax.tensor<[n, 2, c], f32>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.adaptive_max_pool1d %x {output_size = array<i64: 4>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?, 4], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.adaptive_max_pool1d %x {output_size = array<i64: 4>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?, 4], f32>
  relax.return %r : !relax.tensor<[?, ?, 4], f32>
}
