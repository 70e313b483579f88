// RUN: not relax-opt %s 2>&1 | filecheck %s

// What the function gives is told apart from what it writes by position.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a, %b = relax.call_inplace_packed "f"(%x) {inplace_indices = array<i64: 0, -1>} : (!relax.tensor<[n], f32>) -> (!relax.tensor<[n], f32>, tuple<!relax.tensor<[n], f32>>)
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: relax.call_inplace_packed{{.*}}: expected no tuple as a new result (C1), found tuple<!relax.tensor<[n], f32>>; write a result for each of its fields{{$}}
