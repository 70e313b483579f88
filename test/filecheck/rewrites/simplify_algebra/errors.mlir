// RUN: not relax-opt %s -p 'relax-simplify-algebra{fast-math=3}' 2>&1 | filecheck %s --check-prefix=KIND
// RUN: not relax-opt %s -p 'relax-simplify-algebra{fast=true}' 2>&1 | filecheck %s --check-prefix=NAME

relax.func @main(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// KIND: error: pass 'relax-simplify-algebra': expected the options fast-math=bool, found fast-math=3; correct the options{{$}}
// NAME: error: pass 'relax-simplify-algebra': expected the options fast-math=bool, found fast
