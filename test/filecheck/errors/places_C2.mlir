// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Places are integers.

relax.func @f(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r = relax.argsort %x {dtype = f32} : (!relax.tensor<[4], f32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.argsort (%r): expected an integer type as dtype (C2), found f32; name one, such as i64{{$}}

// -----

// Truth values number too few.

relax.func @f(%x: !relax.tensor<[4], f32>) -> !relax.object {
  %r0, %r1 = relax.topk %x {dtype = i1} : (!relax.tensor<[4], f32>) -> (!relax.tensor<*>, !relax.tensor<*>)
  relax.return %r0 : !relax.tensor<*>
}

// CHECK: error: @f: relax.topk (%r0, %r1): expected an integer type as dtype (C2), found i1; name one, such as i64{{$}}
