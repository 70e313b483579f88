// RUN: relax-opt %s -p relax-to-a-normal-form,relax-convert-scf-to-relax | filecheck %s

// Loops count or carry their state; a condition that passes on other values is evaluated ahead, under sizes of its own.

relax.func @power(%x: !relax.tensor<[4], f32>, %k: index) -> !relax.tensor<[4], f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %k step %c1 iter_args(%a = %x) -> (!relax.tensor<[4], f32>) {
    %b = relax.add %a, %a : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
    scf.yield %b : !relax.tensor<[4], f32>
  }
  relax.return %y : !relax.tensor<[4], f32>
}
relax.func @grow(%x: !relax.tensor<[n], f32>, %lo: i8, %hi: i8, %step: i8) -> tuple<!relax.tensor<[?], f32>, i64> {
  %w = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[?], f32>
  %zero = arith.constant 0 : i64
  %r:2 = relax.binding_block {
    %y, %s = scf.for %i = %lo to %hi step %step iter_args(%a = %w, %t = %zero) -> (!relax.tensor<[?], f32>, i64) : i8 {
      %b = relax.dataflow {
        %m = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
        %c = relax.concat %m, %x {axis = 0 : i64} : (!relax.tensor<[m], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
        relax.output %c : !relax.tensor<[?], f32>
      }
      %j = arith.extsi %i : i8 to i64
      %u = arith.addi %t, %j : i64
      scf.yield %b, %u : !relax.tensor<[?], f32>, i64
    }
    relax.output %y, %s : !relax.tensor<[?], f32>, i64
  }
  %p = relax.tuple %r#0, %r#1 : (!relax.tensor<[?], f32>, i64) -> tuple<!relax.tensor<[?], f32>, i64>
  relax.return %p : tuple<!relax.tensor<[?], f32>, i64>
}
relax.func @branches(%x: !relax.tensor<[n], f32>, %c: i1) -> tuple<!relax.tensor<[n], f32>, i64> {
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %a, %b = scf.if %c -> (!relax.tensor<[n], f32>, i64) {
    %e = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    scf.yield %e, %one : !relax.tensor<[n], f32>, i64
  } else {
    scf.yield %x, %two : !relax.tensor<[n], f32>, i64
  }
  scf.if %c {
    relax.assert_op %c {format = "never"} : (i1) -> ()
  }
  %t = relax.tuple %a, %b : (!relax.tensor<[n], f32>, i64) -> tuple<!relax.tensor<[n], f32>, i64>
  relax.return %t : tuple<!relax.tensor<[n], f32>, i64>
}
relax.func @halve(%x: !relax.tensor<[n], f32>, %k: i64) -> tuple<!relax.tensor<[n], f32>, i64> {
  %one = arith.constant 1 : i64
  %y, %l = scf.while (%a = %x, %i = %k) : (!relax.tensor<[n], f32>, i64) -> (!relax.tensor<[n], f32>, i64) {
    %more = arith.cmpi sgt, %i, %one : i64
    scf.condition(%more) %a, %i : !relax.tensor<[n], f32>, i64
  } do {
  ^bb0(%b: !relax.tensor<[n], f32>, %j: i64):
    %c = relax.add %b, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    %h = arith.shrsi %j, %one : i64
    scf.yield %c, %h : !relax.tensor<[n], f32>, i64
  }
  %t = relax.tuple %y, %l : (!relax.tensor<[n], f32>, i64) -> tuple<!relax.tensor<[n], f32>, i64>
  relax.return %t : tuple<!relax.tensor<[n], f32>, i64>
}
relax.func @renamed(%x: !relax.tensor<[n], f32>, %k: i64) -> tuple<i64, !relax.tensor<[?], f32>> {
  %zero = arith.constant 0 : i64
  %one = arith.constant 1 : i64
  %w = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[?], f32>
  %j, %y = scf.while (%a = %w, %i = %k) : (!relax.tensor<[?], f32>, i64) -> (i64, !relax.tensor<[?], f32>) {
    %m = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
    %c = relax.concat %m, %x {axis = 0 : i64} : (!relax.tensor<[m], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
    %more = arith.cmpi sgt, %i, %zero : i64
    %h = arith.subi %i, %one : i64
    scf.condition(%more) %h, %c : i64, !relax.tensor<[?], f32>
  } do {
  ^bb0(%h: i64, %b: !relax.tensor<[?], f32>):
    scf.yield %b, %h : !relax.tensor<[?], f32>, i64
  }
  %u = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
  %e = relax.exp %u : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
  %p = relax.tuple %j, %e : (i64, !relax.tensor<[m], f32>) -> tuple<i64, !relax.tensor<[m], f32>>
  relax.return %p : tuple<i64, !relax.tensor<[m], f32>>
}
relax.func @untouched(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
  %y = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
  relax.return %y : !relax.tensor<[n], f32>
}
relax.func @builtin(%x: !relax.tensor<[n], f32>, %k: index) -> !relax.tensor<[?], f32> {
  %c0 = arith.constant 0 : index
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %y = scf.for %i = %c0 to %k step %k iter_args(%a = %t) -> (tensor<?xf32>) {
    %b = arith.addf %a, %a : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  %z = relax.from_builtin %y : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  relax.return %z : !relax.tensor<[?], f32>
}

// CHECK:      relax.func @power(%x: !relax.tensor<[4], f32>, %k: index) -> !relax.tensor<[4], f32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %c1 = arith.constant 1 : index
// CHECK-NEXT: %0, %y = relax.while (%i = %c0, %a = %x) : (index, !relax.tensor<[4], f32>) -> (index, !relax.tensor<[4], f32>) {
// CHECK-NEXT: %more = arith.cmpi slt, %i, %k : index
// CHECK-NEXT: relax.yield %more : i1
// CHECK-NEXT: } do {
// CHECK-NEXT: %b = relax.add %a, %a : (!relax.tensor<[4], f32>, !relax.tensor<[4], f32>) -> !relax.tensor<[4], f32>
// CHECK-NEXT: %i_1 = arith.addi %i, %c1 : index
// CHECK-NEXT: relax.yield %i_1, %b : index, !relax.tensor<[4], f32>
// CHECK-NEXT: }
// CHECK-NEXT: relax.return %y : !relax.tensor<[4], f32>
// CHECK-NEXT: }
// CHECK:      relax.func @grow(%x: !relax.tensor<[n], f32>, %lo: i8, %hi: i8, %step: i8) -> tuple<!relax.tensor<[?], f32>, i64> {
// CHECK-NEXT: %w = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[?], f32>
// CHECK-NEXT: %zero = arith.constant 0 : i64
// CHECK-NEXT: %lo_1 = arith.index_cast %lo : i8 to index
// CHECK-NEXT: %hi_1 = arith.index_cast %hi : i8 to index
// CHECK-NEXT: %step_1 = arith.index_cast %step : i8 to index
// CHECK-NEXT: %zero_1 = arith.constant 0 : index
// CHECK-NEXT: %0 = arith.cmpi sgt, %step_1, %zero_1 : index
// CHECK-NEXT: relax.assert_op %0, %step_1 {format = "scf.for: expected a step above 0, found {}"} : (i1, index) -> ()
// CHECK-NEXT: %1, %y, %s = relax.while (%i = %lo_1, %a = %w, %t = %zero) : (index, !relax.tensor<[?], f32>, i64) -> (index, !relax.tensor<[?], f32>, i64) {
// CHECK-NEXT: %more = arith.cmpi slt, %i, %hi_1 : index
// CHECK-NEXT: relax.yield %more : i1
// CHECK-NEXT: } do {
// CHECK-NEXT: %i_1 = arith.index_cast %i : index to i8
// CHECK-NEXT: %m = relax.match_cast %a : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
// CHECK-NEXT: %c = relax.concat %m, %x {axis = 0 : i64} : (!relax.tensor<[m], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: %j = arith.extsi %i_1 : i8 to i64
// CHECK-NEXT: %u = arith.addi %t, %j : i64
// CHECK-NEXT: %i_2 = arith.addi %i, %step_1 : index
// CHECK-NEXT: relax.yield %i_2, %c, %u : index, !relax.tensor<[?], f32>, i64
// CHECK-NEXT: }
// CHECK-NEXT: %p = relax.tuple %y, %s : (!relax.tensor<[?], f32>, i64) -> tuple<!relax.tensor<[?], f32>, i64>
// CHECK-NEXT: relax.return %p : tuple<!relax.tensor<[?], f32>, i64>
// CHECK-NEXT: }
// CHECK:      relax.func @branches(%x: !relax.tensor<[n], f32>, %c: i1) -> tuple<!relax.tensor<[n], f32>, i64> {
// CHECK-NEXT: %one = arith.constant 1 : i64
// CHECK-NEXT: %two = arith.constant 2 : i64
// CHECK-NEXT: %a = relax.if %c : (i1) -> tuple<!relax.tensor<[n], f32>, i64> {
// CHECK-NEXT: %e = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT: %0 = relax.tuple %e, %one : (!relax.tensor<[n], f32>, i64) -> tuple<!relax.tensor<[n], f32>, i64>
// CHECK-NEXT: relax.yield %0 : tuple<!relax.tensor<[n], f32>, i64>
// CHECK-NEXT: } else {
// CHECK-NEXT: %1 = relax.tuple %x, %two : (!relax.tensor<[n], f32>, i64) -> tuple<!relax.tensor<[n], f32>, i64>
// CHECK-NEXT: relax.yield %1 : tuple<!relax.tensor<[n], f32>, i64>
// CHECK-NEXT: }
// CHECK-NEXT: %a_1 = relax.tuple_get_item %a {index = 0 : i64} : (tuple<!relax.tensor<[n], f32>, i64>) -> !relax.tensor<[n], f32>
// CHECK-NEXT: %b = relax.tuple_get_item %a {index = 1 : i64} : (tuple<!relax.tensor<[n], f32>, i64>) -> i64
// CHECK-NEXT: %2 = relax.if %c : (i1) -> tuple<> {
// CHECK-NEXT: relax.assert_op %c {format = "never"} : (i1) -> ()
// CHECK-NEXT: %3 = relax.tuple : () -> tuple<>
// CHECK-NEXT: relax.yield %3 : tuple<>
// CHECK-NEXT: } else {
// CHECK-NEXT: %4 = relax.tuple : () -> tuple<>
// CHECK-NEXT: relax.yield %4 : tuple<>
// CHECK-NEXT: }
// CHECK-NEXT: %t = relax.tuple %a_1, %b : (!relax.tensor<[n], f32>, i64) -> tuple<!relax.tensor<[n], f32>, i64>
// CHECK-NEXT: relax.return %t : tuple<!relax.tensor<[n], f32>, i64>
// CHECK-NEXT: }
// CHECK:      relax.func @halve(%x: !relax.tensor<[n], f32>, %k: i64) -> tuple<!relax.tensor<[n], f32>, i64> {
// CHECK-NEXT: %one = arith.constant 1 : i64
// CHECK-NEXT: %y, %l = relax.while (%a = %x, %i = %k) : (!relax.tensor<[n], f32>, i64) -> (!relax.tensor<[n], f32>, i64) {
// CHECK-NEXT: %more = arith.cmpi sgt, %i, %one : i64
// CHECK-NEXT: relax.yield %more : i1
// CHECK-NEXT: } do {
// CHECK-NEXT: %c = relax.add %a, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT: %h = arith.shrsi %i, %one : i64
// CHECK-NEXT: relax.yield %c, %h : !relax.tensor<[n], f32>, i64
// CHECK-NEXT: }
// CHECK-NEXT: %t = relax.tuple %y, %l : (!relax.tensor<[n], f32>, i64) -> tuple<!relax.tensor<[n], f32>, i64>
// CHECK-NEXT: relax.return %t : tuple<!relax.tensor<[n], f32>, i64>
// CHECK-NEXT: }
// CHECK:      relax.func @renamed(%x: !relax.tensor<[n], f32>, %k: i64) -> tuple<i64, !relax.tensor<[?], f32>> {
// CHECK-NEXT: %zero = arith.constant 0 : i64
// CHECK-NEXT: %one = arith.constant 1 : i64
// CHECK-NEXT: %w = relax.match_cast %x : !relax.tensor<[n], f32> -> !relax.tensor<[?], f32>
// CHECK-NEXT: %m = relax.match_cast %w : !relax.tensor<[?], f32> -> !relax.tensor<[m_1], f32>
// CHECK-NEXT: %c = relax.concat %m, %x {axis = 0 : i64} : (!relax.tensor<[m_1], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: %more = arith.cmpi sgt, %k, %zero : i64
// CHECK-NEXT: %h = arith.subi %k, %one : i64
// CHECK-NEXT: %0, %j, %y = relax.while (%more_1 = %more, %h_1 = %h, %b = %c) : (i1, i64, !relax.tensor<[?], f32>) -> (i1, i64, !relax.tensor<[?], f32>) {
// CHECK-NEXT: relax.yield %more_1 : i1
// CHECK-NEXT: } do {
// CHECK-NEXT: %m_1 = relax.match_cast %b : !relax.tensor<[?], f32> -> !relax.tensor<[m_2], f32>
// CHECK-NEXT: %c_1 = relax.concat %m_1, %x {axis = 0 : i64} : (!relax.tensor<[m_2], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: %more_2 = arith.cmpi sgt, %h_1, %zero : i64
// CHECK-NEXT: %h_2 = arith.subi %h_1, %one : i64
// CHECK-NEXT: relax.yield %more_2, %h_2, %c_1 : i1, i64, !relax.tensor<[?], f32>
// CHECK-NEXT: }
// CHECK-NEXT: %u = relax.match_cast %y : !relax.tensor<[?], f32> -> !relax.tensor<[m], f32>
// CHECK-NEXT: %e = relax.exp %u : (!relax.tensor<[m], f32>) -> !relax.tensor<[m], f32>
// CHECK-NEXT: %p = relax.tuple %j, %e : (i64, !relax.tensor<[m], f32>) -> tuple<i64, !relax.tensor<[m], f32>>
// CHECK-NEXT: relax.return %p : tuple<i64, !relax.tensor<[m], f32>>
// CHECK-NEXT: }
// CHECK:      relax.func @untouched(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32> {
// CHECK-NEXT: %y = relax.exp %x : (!relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
// CHECK-NEXT: relax.return %y : !relax.tensor<[n], f32>
// CHECK-NEXT: }
// CHECK:      relax.func @builtin(%x: !relax.tensor<[n], f32>, %k: index) -> !relax.tensor<[?], f32> {
// CHECK-NEXT: %c0 = arith.constant 0 : index
// CHECK-NEXT: %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
// CHECK-NEXT: %zero = arith.constant 0 : index
// CHECK-NEXT: %0 = arith.cmpi sgt, %k, %zero : index
// CHECK-NEXT: relax.assert_op %0, %k {format = "scf.for: expected a step above 0, found {}"} : (i1, index) -> ()
// CHECK-NEXT: %t_1 = relax.from_builtin %t : (tensor<?xf32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: %1, %2 = relax.while (%i = %c0, %a = %t_1) : (index, !relax.tensor<[?], f32>) -> (index, !relax.tensor<[?], f32>) {
// CHECK-NEXT: %more = arith.cmpi slt, %i, %k : index
// CHECK-NEXT: relax.yield %more : i1
// CHECK-NEXT: } do {
// CHECK-NEXT: %a_1 = relax.to_builtin %a : (!relax.tensor<[?], f32>) -> tensor<?xf32>
// CHECK-NEXT: %b = arith.addf %a_1, %a_1 : tensor<?xf32>
// CHECK-NEXT: %i_1 = arith.addi %i, %k : index
// CHECK-NEXT: %b_1 = relax.from_builtin %b : (tensor<?xf32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: relax.yield %i_1, %b_1 : index, !relax.tensor<[?], f32>
// CHECK-NEXT: }
// CHECK-NEXT: %y = relax.to_builtin %2 : (!relax.tensor<[?], f32>) -> tensor<?xf32>
// CHECK-NEXT: %z = relax.from_builtin %y : (tensor<?xf32>) -> !relax.tensor<[?], f32>
// CHECK-NEXT: relax.return %z : !relax.tensor<[?], f32>
// CHECK-NEXT: }
// CHECK-NEXT: }
