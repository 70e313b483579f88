// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v4}' --split-input-file | filecheck %s
// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{cpu=x86-64-v4 print=true}' --split-input-file 2>&1 | filecheck %s --check-prefix=LIST

// All stages of a softmax for as many rows as the cache holds, two arrays of rows and two numbers for each row;
// then each of them by its kind.

// LIST:      @softmax#0-4:
// LIST-NEXT:   fuse_stages(d0, rows=64, bytes=16384)
// LIST-NEXT:   hoist_buffers(stack=16384)
// LIST-NEXT: @softmax:
// LIST-NEXT:   when d1 >= 16 {
// LIST-NEXT:     split_reduction(d1, 16)
// LIST:      @softmax#2:
// LIST-NEXT:   when d1 >= 32 {
// LIST:      @softmax#1:
// LIST-NEXT:   when d1 >= 16 {
// LIST-NEXT:     prefetch(in0, d1, 2048)
// LIST-NEXT:     vectorize(d1, 16, shifted=true)
// LIST-NEXT:   }

// CHECK:       func.func private @softmax(%n: index
// CHECK-NEXT:    memref.alloca() {alignment = 64 : i64} : memref<64xf32>
// CHECK-NEXT:    memref.alloca() {alignment = 64 : i64} : memref<64xf32>
// CHECK:         arith.divui
// CHECK:         %tile = arith.minsi
// CHECK:         scf.for %t = %{{.*}} to %n step %tile {
// CHECK:           %rows = arith.minsi
// CHECK:           %x_1 = memref.subview %x[%t, 0] [%rows, %m] [1, 1]
// CHECK:           %out_1 = memref.subview %out[%t, 0] [%rows, %m] [1, 1]
// CHECK:           arith.maxnumf {{.*}} vector<16xf32>
// CHECK:           memref.prefetch %x_1
// CHECK:           math.exp {{.*}} vector<16xf32>
// CHECK:           arith.addf {{.*}} vector<16xf32>
// CHECK:           arith.divf
// CHECK:           linalg.generic {{.*}}ins(%out_1, {{.*}}outs(%out_1
// CHECK:             arith.mulf
// CHECK:         func.return
relax.func @main(%x: !relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32> {
  %0 = relax.softmax %x {axis = -1} : (!relax.tensor<[n, m], f32>) -> !relax.tensor<[n, m], f32>
  relax.return %0 : !relax.tensor<[n, m], f32>
}

// -----

// Scores are those of 50 queries, and their rows stay where they are computed; the keys of a head are laid out
// in panels once, before the loop over its queries.

// LIST:      @attention#0-7:
// LIST-NEXT:   fuse_stages(d0, d2, d1, rows=50)
// LIST-NEXT:   hoist_buffers(
// LIST-NEXT: @attention:
// LIST:        outline(contract)

// CHECK:       func.func private @attention
// CHECK-NOT:     memref<{{.*}}100x300xf32
// CHECK:         %init{{.*}} = memref.alloc() {{.*}} : memref<50x300xf32>
// CHECK-NEXT:    scf.for %b = %{{.*}} to %c2
// CHECK-NEXT:      scf.for %b_1 = %{{.*}} to %c8
// CHECK:             %panels = memref.alloc() {{.*}} : memref<7x64x48xf32>
// CHECK:             scf.for %t = %{{.*}} to %c100{{.*}} step %c50
// CHECK:               func.call @contract_{{.*}}x48_f32
// CHECK:               arith.maxnumf
// CHECK:               math.exp
// CHECK:               func.call @contract_{{.*}}x64_f32
// CHECK:               arith.addf
// CHECK:               arith.divf
// CHECK:             memref.dealloc %panels
// CHECK:         memref.dealloc %init
// CHECK-NEXT:    func.return
relax.func @main(%q: !relax.tensor<[2, 100, 8, 64], f32>, %k: !relax.tensor<[2, 300, 8, 64], f32>) -> !relax.tensor<[2, 100, 8, 64], f32> {
  %0 = relax.attention %q, %k, %k : (!relax.tensor<[2, 100, 8, 64], f32>, !relax.tensor<[2, 300, 8, 64], f32>, !relax.tensor<[2, 300, 8, 64], f32>) -> !relax.tensor<[2, 100, 8, 64], f32>
  relax.return %0 : !relax.tensor<[2, 100, 8, 64], f32>
}
