// RUN: not relax-opt %s 2>&1 | filecheck %s

// Devices are those that DLPack numbers.

relax.func @f(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %a = relax.call_packed "f"(%x, #relax.device<toaster, 0>) : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %x : !relax.tensor<[n], f32>
}

// CHECK: error: {{.*}}expected one of cpu, cuda, {{.*}}, found toaster; correct it
