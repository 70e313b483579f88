// RUN: not relax-opt %s -p relax-run-codegen 2>&1 | filecheck %s

// Codegen is a text.

relax.func private @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> attributes {Codegen = 1 : i64} {
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: error: relax.func @f: expected the name of a code generator, as in Codegen = "cblas", found 1 : i64; write it as a string{{$}}
