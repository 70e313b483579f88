// RUN: python -c "print('@matmul_relu:', '  fuse_epilogue()  // with its rows', '  tile(d0, 4)', sep=chr(10), file=open('%t.schedule', 'w'))"
// RUN: relax-opt %s -p relax-legalize,relax-fuse-elementwise,relax-bufferize,'relax-schedule{file="%t.schedule" print=true}' 2>&1 | filecheck %s

// A schedule from a file, printed as such a file.

// CHECK:       @matmul_relu:
// CHECK-NEXT:    fuse_epilogue()
// CHECK-NEXT:    tile(d0, 4)
// CHECK:       func.func private @matmul_relu
// CHECK:         scf.for %t0 =
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK:           linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
relax.func @main(%x: !relax.tensor<[n, 64], f32>, %w: !relax.tensor<[64, 48], f32>) -> !relax.tensor<[n, 48], f32> {
  %0 = relax.matmul %x, %w : (!relax.tensor<[n, 64], f32>, !relax.tensor<[64, 48], f32>) -> !relax.tensor<[n, 48], f32>
  %1 = relax.relu %0 : (!relax.tensor<[n, 48], f32>) -> !relax.tensor<[n, 48], f32>
  relax.return %1 : !relax.tensor<[n, 48], f32>
}
