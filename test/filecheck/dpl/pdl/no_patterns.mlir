// RUN: not relax-opt %s -p 'relax-apply-pdl{file="%s"}' 2>&1 | filecheck %s

// CHECK: error: relax-apply-pdl: {{.*}}no_patterns.mlir: expected a module with pdl.pattern ops, found none; to_pdl writes a rule as one

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %a : !relax.tensor<[n], f32>
}
