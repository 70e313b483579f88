// RUN: not relax-opt %s -p relax-linalg-to-loops 2>&1 | filecheck %s

// The body of a linalg op yields elements of its outputs.

func.func @f(%x: memref<4xf32>, %i: index) {
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%x : memref<4xf32>) {
  ^bb0(%o: f32):
    linalg.yield %i : index
  }
  func.return
}

// CHECK: error: func.func @f: linalg.generic: expected a body of the element types (f32, f32), which takes an element of each operand and yields one for each output, found (f32, index); correct the body{{$}}
