// RUN: relax-opt %s | relax-opt | filecheck %s

// CHECK-LABEL: relax.func @channels_last(
// CHECK-NEXT: %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>} : (!relax.tensor<[n, 3, h, w], f32>) -> !relax.tensor<[n, h, w, 3], f32>{{$}}
relax.func @channels_last(%x: !relax.tensor<[n, 3, h, w], f32>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3, d1)>} : (!relax.tensor<[n, 3, h, w], f32>) -> !relax.tensor<[n, h, w, 3], f32>
  relax.return %r : !relax.tensor<[n, h, w, 3], f32>
}

// CHECK-LABEL: relax.func @blocks(
// CHECK-NEXT: %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2, d3) -> (d0, (d1 floordiv 8), d2, d3, (d1 mod 8))>} : (!relax.tensor<[n, 16, h, w], f32>) -> !relax.tensor<[n, 2, h, w, 8], f32>{{$}}
relax.func @blocks(%x: !relax.tensor<[n, 16, h, w], f32>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2, d3) -> (d0, (d1 floordiv 8), d2, d3, (d1 mod 8))>} : (!relax.tensor<[n, 16, h, w], f32>) -> !relax.tensor<[n, 2, h, w, 8], f32>
  relax.return %r : !relax.tensor<[n, 2, h, w, 8], f32>
}

// CHECK-LABEL: relax.func @filled_up(
// CHECK-NEXT: %r = relax.layout_transform %x {index_map = affine_map<(d0, d1) -> (d0, (d1 floordiv 4), (d1 mod 4))>, pad_value = -1 : i64} : (!relax.tensor<[n, c], i8>) -> !relax.tensor<[n, (c + 3) floordiv 4, 4], i8>{{$}}
relax.func @filled_up(%x: !relax.tensor<[n, c], i8>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(d0, d1) -> (d0, (d1 floordiv 4), (d1 mod 4))>, pad_value = -1 : i64} : (!relax.tensor<[n, c], i8>) -> !relax.tensor<[n, (c + 3) floordiv 4, 4], i8>
  relax.return %r : !relax.tensor<[n, (c + 3) floordiv 4, 4], i8>
}

// CHECK-LABEL: relax.func @merged(
// CHECK-NEXT: %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2, d3) -> (d0, ((d1 * 8) + d3), d2)>} : (!relax.tensor<[n, c, h, 8], f32>) -> !relax.tensor<[n, 8 * c, h], f32>{{$}}
relax.func @merged(%x: !relax.tensor<[n, c, h, 8], f32>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2, d3) -> (d0, ((d1 * 8) + d3), d2)>} : (!relax.tensor<[n, c, h, 8], f32>) -> !relax.tensor<[n, 8 * c, h], f32>
  relax.return %r : !relax.tensor<[n, 8 * c, h], f32>
}

// CHECK-LABEL: relax.func @to_be_checked(
// CHECK-NEXT: %r = relax.layout_transform %x {index_map = affine_map<(d0, d1) -> (((d0 * 8) + d1))>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[8 * n], f32>{{$}}
relax.func @to_be_checked(%x: !relax.tensor<[n, m], f32>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(d0, d1) -> (((d0 * 8) + d1))>} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[8 * n], f32>
  relax.return %r : !relax.tensor<[8 * n], f32>
}

// CHECK-LABEL: relax.func @unknown_dim(
// CHECK-NEXT: %r = relax.layout_transform %x {index_map = affine_map<(d0, d1) -> ((d1 mod 4), d0, (d1 floordiv 4))>} : (!relax.tensor<[?, ?]>) -> !relax.tensor<[4, ?, ?]>{{$}}
relax.func @unknown_dim(%x: !relax.tensor<[?, ?]>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(d0, d1) -> ((d1 mod 4), d0, (d1 floordiv 4))>} : (!relax.tensor<[?, ?]>) -> !relax.tensor<[4, ?, ?]>
  relax.return %r : !relax.tensor<[4, ?, ?]>
}

// CHECK-LABEL: relax.func @unknown_rank(
// CHECK-NEXT: %r = relax.layout_transform %x {index_map = affine_map<(d0, d1) -> (d1, d0)>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>{{$}}
relax.func @unknown_rank(%x: !relax.tensor<*, f32>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(d0, d1) -> (d1, d0)>} : (!relax.tensor<*, f32>) -> !relax.tensor<[?, ?], f32>
  relax.return %r : !relax.tensor<[?, ?], f32>
}

// CHECK-LABEL: relax.func @three_merged(
// CHECK-NEXT: %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2) -> ((((d0 * 600) + (d1 * 30)) + d2))>} : (!relax.tensor<[10, 20, 30], f32>) -> !relax.tensor<[6000], f32>{{$}}
relax.func @three_merged(%x: !relax.tensor<[10, 20, 30], f32>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2) -> ((((d0 * 600) + (d1 * 30)) + d2))>} : (!relax.tensor<[10, 20, 30], f32>) -> !relax.tensor<[6000], f32>
  relax.return %r : !relax.tensor<[6000], f32>
}

// CHECK-LABEL: relax.func @nested_merge(
// CHECK-NEXT: %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2, d3) -> (d2, (((d0 * 600) + (d1 * 30)) + d3))>} : (!relax.tensor<[n, 20, m, 30], f32>) -> !relax.tensor<[m, 600 * n], f32>{{$}}
relax.func @nested_merge(%x: !relax.tensor<[n, 20, m, 30], f32>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2, d3) -> (d2, ((((d0 * 20) + d1) * 30) + d3))>} : (!relax.tensor<[n, 20, m, 30], f32>) -> !relax.tensor<[m, 600 * n], f32>
  relax.return %r : !relax.tensor<[m, 600 * n], f32>
}

// CHECK-LABEL: relax.func @a_size_of_one(
// CHECK-NEXT: %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2) -> ((((d0 * 3) + (d1 * 3)) + d2))>} : (!relax.tensor<[n, 1, 3], f32>) -> !relax.tensor<[3 * n], f32>{{$}}
relax.func @a_size_of_one(%x: !relax.tensor<[n, 1, 3], f32>) -> !relax.object {
  %r = relax.layout_transform %x {index_map = affine_map<(d0, d1, d2) -> ((((d0 * 3) + (d1 * 3)) + d2))>} : (!relax.tensor<[n, 1, 3], f32>) -> !relax.tensor<[3 * n], f32>
  relax.return %r : !relax.tensor<[3 * n], f32>
}
