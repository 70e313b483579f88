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
relax.func @swapped(%x: !relax.tensor<[n], f32>, %k: i64) -> !relax.tensor<[n], f32> {
  %one = arith.constant 1 : i64
  %j, %y = scf.while (%a = %x, %i = %k) : (!relax.tensor<[n], f32>, i64) -> (i64, !relax.tensor<[n], f32>) {
    %more = arith.cmpi sgt, %i, %one : i64
    %h = arith.shrsi %i, %one : i64
    %d = relax.add %a, %x : (!relax.tensor<[n], f32>, !relax.tensor<[n], f32>) -> !relax.tensor<[n], f32>
    scf.condition(%more) %h, %d : i64, !relax.tensor<[n], f32>
  } do {
  ^bb0(%h: i64, %b: !relax.tensor<[n], f32>):
    scf.yield %b, %h : !relax.tensor<[n], f32>, i64
  }
  relax.return %y : !relax.tensor<[n], f32>
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
