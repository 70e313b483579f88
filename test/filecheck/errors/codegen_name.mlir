// RUN: not relax-opt %s -p relax-run-codegen 2>&1 | filecheck %s

// Codegen names a registered code generator.

relax.func private @f(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> attributes {Codegen = "cblass"} {
  relax.return %x : !relax.tensor<[n, 4], f32>
}

// CHECK: error: relax.func @f: expected the name of a code generator (cblas), found "cblass"; register it with lowering.external.register_codegen, or take the attribute Codegen off the function{{$}}
