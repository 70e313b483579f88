// RUN: not relax-opt %s 2>&1 | filecheck %s

// The types are those of the values alone.

relax.func @f(%x: !relax.tensor<[n], f16>) -> !relax.object {
  %y = relax.add %x, 3 : (!relax.tensor<[n], f16>, f16) -> !relax.tensor<[n], f16>
  relax.return %y : !relax.tensor<[n], f16>
}

// CHECK: number_typed.mlir:6:26: error: relax.add: expected operand types in the signature: 1, found 2; write one type for each operand{{$}}
