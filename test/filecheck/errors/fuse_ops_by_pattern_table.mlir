// RUN: not relax-opt %s -p 'relax-fuse-ops-by-pattern{patterns="cblass"}' 2>&1 | filecheck %s

// patterns names tables that are registered.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: error: patterns 'cblass': expected the name of a table of patterns (cblas), found an unknown one; the nearest is 'cblas'{{$}}
