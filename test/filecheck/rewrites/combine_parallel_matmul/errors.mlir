// RUN: not relax-opt %s -p 'relax-combine-parallel-matmul{min-branches=1}' 2>&1 | filecheck %s --check-prefix=LEAST
// RUN: not relax-opt %s -p 'relax-combine-parallel-matmul{min-branches=many}' 2>&1 | filecheck %s --check-prefix=KIND
// RUN: not relax-opt %s -p 'relax-combine-parallel-matmul{branches=3}' 2>&1 | filecheck %s --check-prefix=NAME

relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// LEAST: relax-combine-parallel-matmul: expected min-branches of at least 2, found 1; leave the option out to combine every two
// KIND: error: pass 'relax-combine-parallel-matmul': expected the options min-branches=int, found min-branches=many; correct the options{{$}}
// NAME: error: pass 'relax-combine-parallel-matmul': expected the options min-branches=int, found branches=3; correct the options{{$}}
