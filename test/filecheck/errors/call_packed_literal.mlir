// RUN: not relax-opt %s 2>&1 | filecheck %s

// What stands in the call itself is a string, an element type, a number or a device.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.call_packed "f"(%x, dense<1> : tensor<i64>) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: relax.call_packed{{.*}}: expected values, strings, element types, numbers and devices as arguments (F5), found dense<1> : tensor<i64>; write "text", f32, 1 : i64 or #relax.device<cpu, 0>{{$}}
