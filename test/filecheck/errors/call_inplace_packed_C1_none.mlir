// RUN: not relax-opt %s 2>&1 | filecheck %s

// One argument at least is written.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.call_inplace_packed "f"(%x) {inplace_indices = array<i64: -1>} : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: relax.call_inplace_packed{{.*}}: expected one argument's number for each of 1 results, none twice, or -1 for a new result (C1), found [-1]; arguments are counted from 0 to 0{{$}}
