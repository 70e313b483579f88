// RUN: not relax-opt %s 2>&1 | filecheck %s

// Nothing lies between 0 and infinity at equal distances.

relax.func @f(%x: !relax.shape<[n]>) -> !relax.object {
  %r = relax.linspace %x {start = 0 : i64, stop = 0x7FF0000000000000 : f64} : (!relax.shape<[n]>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: linspace_C3.mlir:6:8: error: @f: relax.linspace (%r): expected finite ends (C3), found [0.0, inf]; correct them{{$}}
