// RUN: not relax-opt %s -p 'relax-apply-pdl{file="no/such/rules.mlir"}' 2>&1 | filecheck %s

// CHECK: error: no/such/rules.mlir: expected a readable file, found none: No such file or directory; check the path

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %a : !relax.tensor<[n], f32>
}
