// RUN: not relax-opt %s 2>&1 | filecheck %s

// The callee's variable is not the caller's of the same name.

relax.func @g(%t: tuple<!relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32> {
  %x = relax.tuple_get_item %t {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>>) -> !relax.tensor<[n], f32>
  relax.return %x : !relax.tensor<[n], f32>
}
relax.func @f(%p: !relax.object, %s: !relax.shape<[n]>) -> !relax.object {
  %y = relax.call @g(%p) : (!relax.object) -> !relax.tensor<[n], f32>
  relax.return %p : !relax.object
}

// CHECK: call_result_captured.mlir:10:8: error: @f: relax.call (%y): expected result type !relax.tensor<[?], f32>, as @g returns (F3), found !relax.tensor<[n], f32>; declare the inferred type and narrow it with a relax.match_cast{{$}}
