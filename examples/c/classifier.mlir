// A small network: two layers, and the probabilities of three classes for each of n rows.
relax.func @classify(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 3], f32> {
  %w1 = relax.constant dense<[[0.5, -0.25, 0.75, 0.1, -0.6], [0.2, 0.4, -0.3, 0.9, 0.3], [-0.7, 0.6, 0.2, -0.5, 0.8], [0.3, -0.8, 0.5, 0.4, -0.1]]> : tensor<4x5xf32>
  %b1 = relax.constant dense<[0.1, -0.1, 0.2, 0.0, 0.05]> : tensor<5xf32>
  %w2 = relax.constant dense<[[1.0, -0.5, 0.2], [0.3, 0.8, -0.6], [-0.4, 0.1, 0.9], [0.7, -0.2, 0.4], [-0.9, 0.6, 0.5]]> : tensor<5x3xf32>
  %probabilities = relax.dataflow {
    %0 = relax.matmul %x, %w1 : (!relax.tensor<[n, 4], f32>, !relax.tensor<[4, 5], f32>) -> !relax.tensor<[n, 5], f32>
    %1 = relax.add %0, %b1 : (!relax.tensor<[n, 5], f32>, !relax.tensor<[5], f32>) -> !relax.tensor<[n, 5], f32>
    %2 = relax.relu %1 : (!relax.tensor<[n, 5], f32>) -> !relax.tensor<[n, 5], f32>
    %3 = relax.matmul %2, %w2 : (!relax.tensor<[n, 5], f32>, !relax.tensor<[5, 3], f32>) -> !relax.tensor<[n, 3], f32>
    %4 = relax.softmax %3 {axis = -1 : i64} : (!relax.tensor<[n, 3], f32>) -> !relax.tensor<[n, 3], f32>
    relax.output %4 : !relax.tensor<[n, 3], f32>
  }
  relax.return %probabilities : !relax.tensor<[n, 3], f32>
}
