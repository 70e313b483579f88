// RUN: relax-opt %s -p 'relax-combine-parallel-matmul' | filecheck %s

relax.func @other_inputs(%x: !relax.tensor<[n, 8], f32>, %y: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 4], f32>, %k: !relax.tensor<[8, 4], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %b = relax.matmul %y, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %r = relax.tuple %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
}
// The shared operand stands on the right.
relax.func @right_operand(%x: !relax.tensor<[n, 8], f32>, %y: !relax.tensor<[m, 8], f32>, %q: !relax.tensor<[8, 4], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %b = relax.matmul %y, %q : (!relax.tensor<[m, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[m, 4], f32>
  %r = relax.tuple %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[m, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[m, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[m, 4], f32>>
}
relax.func @one_needs_the_other(%x: !relax.tensor<[8, 8], f32>, %q: !relax.tensor<[8, 8], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[8, 8], f32>
  %b = relax.matmul %x, %a : (!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[8, 8], f32>
  %r = relax.tuple %a, %b : (!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>) -> tuple<!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>>
  relax.return %r : tuple<!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>>
}
relax.func @unknown_shapes(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, ?], f32>, %k: !relax.tensor<[8, 4], f32>, %v: !relax.tensor<[?, 4], f32>, %w: !relax.tensor<*, f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, ?], f32>) -> !relax.tensor<[n, ?], f32>
  %b = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %c = relax.matmul %x, %v : (!relax.tensor<[n, 8], f32>, !relax.tensor<[?, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %d = relax.matmul %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
  %r = relax.tuple %a, %b, %c, %d : (!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<*, f32>) -> tuple<!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<*, f32>>
  relax.return %r : tuple<!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<*, f32>>
}
relax.func @effect_between(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 4], f32>, %k: !relax.tensor<[8, 4], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %u = relax.call_packed "f"(%a) : (!relax.tensor<[n, 4], f32>) -> !relax.object
  %b = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
  %r = relax.tuple %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
}
relax.func @other_batches(%x: !relax.tensor<[b, n, 8], f32>, %q: !relax.tensor<[b, 8, 4], f32>, %k: !relax.tensor<[8, 4], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, 8, 4], f32>) -> !relax.tensor<[b, n, 4], f32>
  %b = relax.matmul %x, %k : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[b, n, 4], f32>
  %r = relax.tuple %a, %b : (!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 4], f32>) -> tuple<!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 4], f32>>
}
relax.func @vectors(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8], f32>, %k: !relax.tensor<[8], f32>) -> !relax.object {
  %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[n], f32>
  %b = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[n], f32>
  %r = relax.tuple %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %r : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}

// CHECK:       relax.func @other_inputs(%x: !relax.tensor<[n, 8], f32>, %y: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 4], f32>, %k: !relax.tensor<[8, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %b = relax.matmul %y, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %r = relax.tuple %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @right_operand(%x: !relax.tensor<[n, 8], f32>, %y: !relax.tensor<[m, 8], f32>, %q: !relax.tensor<[8, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %b = relax.matmul %y, %q : (!relax.tensor<[m, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[m, 4], f32>
// CHECK-NEXT:    %r = relax.tuple %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[m, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[m, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[m, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @one_needs_the_other(%x: !relax.tensor<[8, 8], f32>, %q: !relax.tensor<[8, 8], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.matmul %x, %q : (!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[8, 8], f32>
// CHECK-NEXT:    %b = relax.matmul %x, %a : (!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>) -> !relax.tensor<[8, 8], f32>
// CHECK-NEXT:    %r = relax.tuple %a, %b : (!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>) -> tuple<!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[8, 8], f32>, !relax.tensor<[8, 8], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @unknown_shapes(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, ?], f32>, %k: !relax.tensor<[8, 4], f32>, %v: !relax.tensor<[?, 4], f32>, %w: !relax.tensor<*, f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, ?], f32>) -> !relax.tensor<[n, ?], f32>
// CHECK-NEXT:    %b = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %c = relax.matmul %x, %v : (!relax.tensor<[n, 8], f32>, !relax.tensor<[?, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %d = relax.matmul %x, %w : (!relax.tensor<[n, 8], f32>, !relax.tensor<*, f32>) -> !relax.tensor<*, f32>
// CHECK-NEXT:    %r = relax.tuple %a, %b, %c, %d : (!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<*, f32>) -> tuple<!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<*, f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, ?], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>, !relax.tensor<*, f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @effect_between(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8, 4], f32>, %k: !relax.tensor<[8, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %u = relax.call_packed "f"(%a) : (!relax.tensor<[n, 4], f32>) -> !relax.object
// CHECK-NEXT:    %b = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[n, 4], f32>
// CHECK-NEXT:    %r = relax.tuple %a, %b : (!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n, 4], f32>, !relax.tensor<[n, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @other_batches(%x: !relax.tensor<[b, n, 8], f32>, %q: !relax.tensor<[b, 8, 4], f32>, %k: !relax.tensor<[8, 4], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.matmul %x, %q : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[b, 8, 4], f32>) -> !relax.tensor<[b, n, 4], f32>
// CHECK-NEXT:    %b = relax.matmul %x, %k : (!relax.tensor<[b, n, 8], f32>, !relax.tensor<[8, 4], f32>) -> !relax.tensor<[b, n, 4], f32>
// CHECK-NEXT:    %r = relax.tuple %a, %b : (!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 4], f32>) -> tuple<!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 4], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[b, n, 4], f32>, !relax.tensor<[b, n, 4], f32>>
// CHECK-NEXT:  }
// CHECK:       relax.func @vectors(%x: !relax.tensor<[n, 8], f32>, %q: !relax.tensor<[8], f32>, %k: !relax.tensor<[8], f32>) -> !relax.object {
// CHECK-NEXT:    %a = relax.matmul %x, %q : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    %b = relax.matmul %x, %k : (!relax.tensor<[n, 8], f32>, !relax.tensor<[8], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT:    %r = relax.tuple %a, %b : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:    relax.return %r : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
// CHECK-NEXT:  }
