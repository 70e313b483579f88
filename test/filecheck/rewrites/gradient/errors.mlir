// RUN: not relax-opt %s -p 'relax-gradient{func=none}' 2>&1 | filecheck %s --check-prefix=FUNCTION
// RUN: not relax-opt %s -p 'relax-gradient{func=loss wrt=q}' 2>&1 | filecheck %s --check-prefix=TARGET
// RUN: not relax-opt %s -p 'relax-gradient{func=loss wrt=i}' 2>&1 | filecheck %s --check-prefix=INTEGER
// RUN: not relax-opt %s -p 'relax-gradient{func=row}' 2>&1 | filecheck %s --check-prefix=LOSS
// RUN: not relax-opt %s -p 'relax-gradient{func=loss target-index=1}' 2>&1 | filecheck %s --check-prefix=ONE
// RUN: not relax-opt %s -p 'relax-gradient{func=pair}' 2>&1 | filecheck %s --check-prefix=FIELD
// RUN: not relax-opt %s -p 'relax-gradient{func=pair target-index=2}' 2>&1 | filecheck %s --check-prefix=INDEX
// RUN: not relax-opt %s -p 'relax-gradient{func=opaque}' 2>&1 | filecheck %s --check-prefix=OPERATOR
// RUN: not relax-opt %s -p 'relax-gradient{mode=back}' 2>&1 | filecheck %s --check-prefix=MODE
// RUN: not relax-opt %s -p 'relax-gradient{func=pair mode=vjp target-index=1}' 2>&1 | filecheck %s --check-prefix=PRODUCT

// FUNCTION: @none: expected a function of the module (@loss, @row, @pair, @opaque), found none; correct the name
// TARGET: @loss: expected parameters to differentiate by ('x', 'i'), found 'q'; correct the name
// INTEGER: @loss: expected a parameter of floats to differentiate by, found 'i' of type !relax.tensor<[n], i64>; leave it out
// LOSS: @row: expected a result that is one float, a tensor of rank 0, found !relax.tensor<[n], f32>; reduce it first, or use vjp
// ONE: @loss: expected 0 as the index of its only result, found 1; correct target_index
// FIELD: @pair: expected result 0 that is one float, a tensor of rank 0, found !relax.tensor<[n], f32>; reduce it first
// INDEX: @pair: expected the index of one of the 2 results, counted from 0, found 2; correct target_index
// OPERATOR: errors.mlir:40:8: error: @opaque: relax.call_dps_packed (%y): expected an operator with an adjoint between the targets and the result, found none; register one with relax_dialect.gradient.adjoint(CallDpsPackedOp)
// MODE: pass 'relax-gradient': expected the options func=str, wrt=str|int,..., target-index=int, mode=gradient|vjp|jvp, found mode=back; correct the options
// PRODUCT: relax-gradient: expected no target-index with mode=vjp, which is of all results, found 1; leave it out

relax.func @loss(%x: !relax.tensor<[n], f32>, %i: !relax.tensor<[n], i64>) -> !relax.tensor<[], f32> {
  %y = relax.sum %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32>
  relax.return %y : !relax.tensor<[], f32>
}

relax.func @row(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  relax.return %x : !relax.tensor<[n], f32>
}

relax.func @pair(%x: !relax.tensor<[n], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[], f32>> {
  %s = relax.sum %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[], f32>
  %t = relax.tuple %x, %s : (!relax.tensor<[n], f32>, !relax.tensor<[], f32>) -> tuple<!relax.tensor<[n], f32>, !relax.tensor<[], f32>>
  relax.return %t : tuple<!relax.tensor<[n], f32>, !relax.tensor<[], f32>>
}

// What another language computes has no derivative that we know.
relax.func @opaque(%x: !relax.tensor<[], f32>) -> !relax.tensor<[], f32> {
  %y = relax.call_dps_packed "elsewhere"(%x) : (!relax.tensor<[], f32>) -> !relax.tensor<[], f32>
  relax.return %y : !relax.tensor<[], f32>
}
