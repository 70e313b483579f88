// RUN: relax-opt %s --split-input-file --verify-diagnostics | filecheck %s

// Booleans are no numbers.

relax.func @f(%x: !relax.tensor<[4], i1>) -> !relax.object {
  %r = relax.negative %x : (!relax.tensor<[4], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.negative (%r): expected a numeric element type (C1), found i1; convert with relax.astype first{{$}}

// -----

// Booleans are no numbers.

relax.func @f(%x: !relax.tensor<[4], i1>) -> !relax.object {
  %r = relax.relu %x : (!relax.tensor<[4], i1>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.relu (%r): expected a numeric element type (C1), found i1; convert with relax.astype first{{$}}

// -----

// An integer has no such value.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.exp %x : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.exp (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}

// -----

// An integer has no such value.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.sqrt %x : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.sqrt (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}

// -----

// An integer has no such value.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.rsqrt %x : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.rsqrt (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}

// -----

// An integer has no such value.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.tanh %x : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.tanh (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}

// -----

// An integer has no such value.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.erf %x : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.erf (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}

// -----

// An integer has no such value.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.sigmoid %x : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.sigmoid (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}

// -----

// An integer has no such value.

relax.func @f(%x: !relax.tensor<[4], i32>) -> !relax.object {
  %r = relax.gelu %x : (!relax.tensor<[4], i32>) -> !relax.tensor<*>
  relax.return %r : !relax.tensor<*>
}

// CHECK: error: @f: relax.gelu (%r): expected a floating-point element type (C1), found i32; convert with relax.astype first{{$}}
