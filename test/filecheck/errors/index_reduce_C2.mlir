// RUN: not relax-opt %s 2>&1 | filecheck %s

// A reduction yields one scalar.

relax.func @main(%a: !relax.tensor<[n], f32>) -> !relax.tensor<[], f32> {
  %y = relax.compute () in [] (%x = %a) : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32> {
    %s = relax.index_sum (%k) in [n] {
      %v = relax.element %x[%k] : !relax.tensor<[n], f32>
      relax.yield %v, %v : f32, f32
    }
    relax.yield %s : f32
  }
  relax.return %y : !relax.tensor<[], f32>
}

// CHECK: index_reduce_C2.mlir:7:10: error: @main: relax.index_sum (%s): expected a region that yields one scalar (C2), found 2 values; yield the value of an element{{$}}
