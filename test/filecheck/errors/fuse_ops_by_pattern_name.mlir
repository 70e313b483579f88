// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="cblas.conv"}' 2>&1 | filecheck %s

// After a dot stands the start of the name of a pattern.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: error: patterns 'cblas.conv': expected the start of a pattern's name (cblas.matmul_bias_relu, {{.*}}, cblas.matmul), found another; correct it{{$}}
