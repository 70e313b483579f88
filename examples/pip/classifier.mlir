// How likely it is that a row belongs to the class.
relax.func @probability(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n], f32> {
  %w = relax.constant dense<[0.5, -1.25, 2.0, 0.75]> : tensor<4xf32>
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[n], f32>
  %1 = relax.sigmoid %0 : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %1 : !relax.tensor<[n], f32>
}
