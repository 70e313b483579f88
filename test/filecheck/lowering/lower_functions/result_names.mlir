// RUN: relax-opt %s -p relax-lower-functions | filecheck %s
// RUN: relax-opt %s -p relax-to-loops -t c | filecheck %s --check-prefix C

// The names that a function states for its results are those of C. Names for another number of results are ignored.

// CHECK-LABEL: func.func @two
// CHECK-SAME:    -> (memref<?xf32> {relax.dims = ["n"], relax.name = "logits"}, memref<?xf32> {relax.dims = ["n"], relax.name = "hidden state"})
// C:           two(x: float32 [n]) -> logits: float32 [n], hidden_state: float32 [n]
relax.func @two(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
    attributes {relax.result_names = ["logits", "hidden state"]} {
  %t = relax.tuple %x, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[n], f32>>
}

// CHECK-LABEL: func.func @one
// CHECK-SAME:    -> (memref<?xf32> {relax.dims = ["n"]})
// C:           one(x: float32 [n]) -> out0: float32 [n]
relax.func @one(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> attributes {relax.result_names = ["a", "b"]} {
  relax.return %x : !relax.tensor<[n], f32>
}
