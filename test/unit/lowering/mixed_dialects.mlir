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
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = arith.addf %x, %x : tensor<2xf32>
  func.return %y : tensor<2xf32>
}
relax.func @exp(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %u = math.exp %t : tensor<?xf32>
  %v = arith.addf %u, %t : tensor<?xf32>
  %y = relax.from_builtin %v : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  %z = relax.negative %y : (!relax.tensor<[?], f32>) -> !relax.tensor<[?], f32>
  relax.return %z : !relax.tensor<[?], f32>
}
relax.func @sum(%x: !relax.tensor<[n], f32>, %y: !relax.tensor<[m], f32>) -> !relax.tensor<[?], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %u = relax.to_builtin %y : (!relax.tensor<[m], f32>) -> tensor<?xf32>
  %v = arith.addf %t, %u : tensor<?xf32>
  %z = relax.from_builtin %v : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  relax.return %z : !relax.tensor<[?], f32>
}
relax.func @elements(%x: !relax.tensor<[n], f32>, %i: index, %b: f32) -> !relax.tensor<[2], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %a = tensor.extract %t[%i] : tensor<?xf32>
  %p = tensor.from_elements %a, %b : tensor<2xf32>
  %u = func.call @twice(%p) : (tensor<2xf32>) -> tensor<2xf32>
  %y = relax.from_builtin %u : (tensor<2xf32>) -> !relax.tensor<[2], f32>
  relax.return %y : !relax.tensor<[2], f32>
}
relax.func @product(%x: !relax.tensor<[n, k], f32>, %w: !relax.tensor<[k, 3], f32>, %rows: index, %s: f32) -> !relax.tensor<[?, 3], f32> {
  %a = relax.to_builtin %x : (!relax.tensor<[n, k], f32>) -> tensor<?x?xf32>
  %b = relax.to_builtin %w : (!relax.tensor<[k, 3], f32>) -> tensor<?x3xf32>
  %e = tensor.empty(%rows) : tensor<?x3xf32>
  %i = linalg.fill ins(%s : f32) outs(%e : tensor<?x3xf32>) -> tensor<?x3xf32>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x3xf32>) outs(%i : tensor<?x3xf32>) -> tensor<?x3xf32>
  %y = relax.from_builtin %r : (tensor<?x3xf32>) -> !relax.tensor<[?, 3], f32>
  relax.return %y : !relax.tensor<[?, 3], f32>
}
relax.func @size(%x: !relax.tensor<[?, 4], f32>, %d: index) -> index {
  %t = relax.to_builtin %x : (!relax.tensor<[?, 4], f32>) -> tensor<?x4xf32>
  %s = tensor.dim %t, %d : tensor<?x4xf32>
  relax.return %s : index
}
relax.func @scaled(%x: !relax.tensor<[n], f32>, %s: f32) -> !relax.tensor<[?], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %u = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%t : tensor<?xf32>) outs(%t : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.mulf %a, %s : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  %y = relax.from_builtin %u : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  relax.return %y : !relax.tensor<[?], f32>
}
relax.func @around(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[?], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %y = relax.from_builtin %t : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  relax.return %y : !relax.tensor<[?], f32>
}
relax.func @carried(%x: !relax.tensor<[n], f32>, %k: index) -> !relax.tensor<[?], f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %y = scf.for %i = %c0 to %k step %c1 iter_args(%a = %t) -> (tensor<?xf32>) {
    %b = arith.addf %a, %a : tensor<?xf32>
    scf.yield %b : tensor<?xf32>
  }
  %z = relax.from_builtin %y : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  relax.return %z : !relax.tensor<[?], f32>
}
relax.func @memory(%x: !relax.tensor<[n], f32>, %size: index, %k: index) -> f32 {
  %m = memref.alloc(%size) : memref<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  memref.store %zero, %m[%c0] : memref<?xf32>
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  scf.for %i = %c0 to %k step %c1 {
    %own = memref.alloc() : memref<1xf32>
    %a = tensor.extract %t[%i] : tensor<?xf32>
    %b = memref.load %m[%c0] : memref<?xf32>
    %s = arith.addf %a, %b : f32
    memref.store %s, %own[%c0] : memref<1xf32>
    %d = memref.load %own[%c0] : memref<1xf32>
    memref.store %d, %m[%c0] : memref<?xf32>
  }
  %r = memref.load %m[%c0] : memref<?xf32>
  memref.dealloc %m : memref<?xf32>
  relax.return %r : f32
}
relax.func @shifted(%x: !relax.tensor<[n], i64>, %y: !relax.tensor<[n], i64>, %k: index) -> !relax.tensor<[?], i64> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], i64>) -> tensor<?xi64>
  %u = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%t : tensor<?xi64>) {
  ^bb0(%b: i64):
    %i = linalg.index 0 : index
    %s = arith.addi %i, %k : index
    %c = arith.index_cast %s : index to i64
    %d = arith.addi %c, %b : i64
    linalg.yield %d : i64
  } -> tensor<?xi64>
  %z = relax.from_builtin %u : (tensor<?xi64>) -> !relax.tensor<[?], i64>
  relax.return %z : !relax.tensor<[?], i64>
}
relax.func @views(%x: !relax.tensor<[n, 6], f32>) -> tuple<!relax.tensor<[?], f32>, !relax.tensor<[?, 2, 3], f32>, !relax.tensor<[?, ?], f32>> {
  %t = relax.to_builtin %x : (!relax.tensor<[n, 6], f32>) -> tensor<?x6xf32>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %t, %c0 : tensor<?x6xf32>
  %a = tensor.collapse_shape %t [[0 : i64, 1 : i64]] : tensor<?x6xf32> into tensor<?xf32>
  %b = tensor.expand_shape %t [[0 : i64], [1 : i64, 2 : i64]] output_shape [%n, 2, 3] : tensor<?x6xf32> into tensor<?x2x3xf32>
  %h = arith.divui %n, %c2 : index
  %d = tensor.expand_shape %a [[0 : i64, 1 : i64]] output_shape [12, %h] : tensor<?xf32> into tensor<12x?xf32>
  %p = relax.from_builtin %a : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  %q = relax.from_builtin %b : (tensor<?x2x3xf32>) -> !relax.tensor<[?, 2, 3], f32>
  %r = relax.from_builtin %d : (tensor<12x?xf32>) -> !relax.tensor<[12, ?], f32>
  %s = relax.let %r : (!relax.tensor<[12, ?], f32>) -> !relax.tensor<[?, ?], f32>
  %u = relax.tuple %p, %q, %s : (!relax.tensor<[?], f32>, !relax.tensor<[?, 2, 3], f32>, !relax.tensor<[?, ?], f32>) -> tuple<!relax.tensor<[?], f32>, !relax.tensor<[?, 2, 3], f32>, !relax.tensor<[?, ?], f32>>
  relax.return %u : tuple<!relax.tensor<[?], f32>, !relax.tensor<[?, 2, 3], f32>, !relax.tensor<[?, ?], f32>>
}
relax.func @slices(%x: !relax.tensor<[n, 4], f32>, %w: !relax.tensor<[m, 4], f32>) -> tuple<!relax.tensor<[2, 2], f32>, !relax.tensor<[3], f32>, !relax.tensor<[?, 4], f32>> {
  %t = relax.to_builtin %x : (!relax.tensor<[n, 4], f32>) -> tensor<?x4xf32>
  %v = relax.to_builtin %w : (!relax.tensor<[m, 4], f32>) -> tensor<?x4xf32>
  %both = tensor.concat dim(0) %t, %v : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  %a = tensor.extract_slice %both[1, 0] [2, 2] [2, 3] : tensor<?x4xf32> to tensor<2x2xf32>
  %b = tensor.extract_slice %t[2, 1] [1, 3] [1, 1] : tensor<?x4xf32> to tensor<3xf32>
  %c = tensor.insert_slice %b into %both[0, 0] [3, 1] [2, 1] : tensor<3xf32> into tensor<?x4xf32>
  %s = arith.constant dense<[2, 2]> : tensor<2xi64>
  %d = tensor.reshape %a(%s) : (tensor<2x2xf32>, tensor<2xi64>) -> tensor<2x2xf32>
  %p = relax.from_builtin %d : (tensor<2x2xf32>) -> !relax.tensor<[2, 2], f32>
  %q = relax.from_builtin %b : (tensor<3xf32>) -> !relax.tensor<[3], f32>
  %r = relax.from_builtin %c : (tensor<?x4xf32>) -> !relax.tensor<[?, 4], f32>
  %u = relax.tuple %p, %q, %r : (!relax.tensor<[2, 2], f32>, !relax.tensor<[3], f32>, !relax.tensor<[?, 4], f32>) -> tuple<!relax.tensor<[2, 2], f32>, !relax.tensor<[3], f32>, !relax.tensor<[?, 4], f32>>
  relax.return %u : tuple<!relax.tensor<[2, 2], f32>, !relax.tensor<[3], f32>, !relax.tensor<[?, 4], f32>>
}

func.func private @in_parallel(%n: index {relax.symbol = "n"}, %x: memref<?x4xf32> {relax.dims = ["n", "4"]}, %y: memref<?x4xf32> {relax.dims = ["n", "4"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  "scf.parallel"(%c0, %c0, %n, %c4, %c1, %c2) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
  ^bb0(%i: index, %j: index):
    %a = memref.load %x[%i, %j] : memref<?x4xf32>
    %b = arith.addf %a, %a : f32
    %k = arith.addi %j, %c1 : index
    memref.store %b, %y[%i, %j] : memref<?x4xf32>
    memref.store %a, %y[%i, %k] : memref<?x4xf32>
    "scf.reduce"() : () -> ()
  }) : (index, index, index, index, index, index) -> ()
  func.return
}
relax.func @parallel(%x: !relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32> {
  %y = relax.call_tir @in_parallel(%x) : (!relax.tensor<[n, 4], f32>) -> !relax.tensor<[n, 4], f32>
  relax.return %y : !relax.tensor<[n, 4], f32>
}
func.func private @total(%n: index {relax.symbol = "n"}, %x: memref<?xf32> {relax.dims = ["n"]}, %y: memref<2xf32> {relax.dims = ["2"], relax.result}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %sum, %most = "scf.parallel"(%c0, %n, %c1, %zero, %zero) <{operandSegmentSizes = array<i32: 1, 1, 1, 2>}> ({
  ^bb0(%i: index):
    %a = memref.load %x[%i] : memref<?xf32>
    %d = arith.mulf %a, %a : f32
    "scf.reduce"(%a, %d) ({
    ^bb1(%l: f32, %r: f32):
      %s = arith.addf %l, %r : f32
      "scf.reduce.return"(%s) : (f32) -> ()
    }, {
    ^bb2(%l: f32, %r: f32):
      %m = arith.maximumf %l, %r : f32
      "scf.reduce.return"(%m) : (f32) -> ()
    }) : (f32, f32) -> ()
  }) : (index, index, index, f32, f32) -> (f32, f32)
  memref.store %sum, %y[%c0] : memref<2xf32>
  memref.store %most, %y[%c1] : memref<2xf32>
  func.return
}
relax.func @reduced(%x: !relax.tensor<[n], f32>) -> !relax.tensor<[2], f32> {
  %y = relax.call_tir @total(%x) : (!relax.tensor<[n], f32>) -> !relax.tensor<[2], f32>
  relax.return %y : !relax.tensor<[2], f32>
}

func.func private @double(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = arith.addf %x, %x : tensor<?xf32>
  func.return %y : tensor<?xf32>
}
func.func private @fourfold(%x: tensor<?xf32>) -> tensor<?xf32> {
  %y = func.call @double(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %z = func.call @double(%y) : (tensor<?xf32>) -> tensor<?xf32>
  func.return %z : tensor<?xf32>
}
relax.func @called(%x: !relax.tensor<[n], f32>, %k: index) -> !relax.tensor<[?], f32> {
  %t = relax.to_builtin %x : (!relax.tensor<[n], f32>) -> tensor<?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %k step %c1 iter_args(%s = %t) -> (tensor<?xf32>) {
    %v = func.call @fourfold(%s) : (tensor<?xf32>) -> tensor<?xf32>
    scf.yield %v : tensor<?xf32>
  }
  %y = relax.from_builtin %r : (tensor<?xf32>) -> !relax.tensor<[?], f32>
  relax.return %y : !relax.tensor<[?], f32>
}

relax.func @inserted(%x: !relax.tensor<[n, 4], f32>, %i: index, %j: index, %s: f32) -> tuple<!relax.tensor<[?, 4], f32>, !relax.tensor<[n, 4], f32>> {
  %t = relax.to_builtin %x : (!relax.tensor<[n, 4], f32>) -> tensor<?x4xf32>
  %u = tensor.insert %s into %t[%i, %j] : tensor<?x4xf32>
  %y = relax.from_builtin %u : (tensor<?x4xf32>) -> !relax.tensor<[?, 4], f32>
  %r = relax.tuple %y, %x : (!relax.tensor<[?, 4], f32>, !relax.tensor<[n, 4], f32>) -> tuple<!relax.tensor<[?, 4], f32>, !relax.tensor<[n, 4], f32>>
  relax.return %r : tuple<!relax.tensor<[?, 4], f32>, !relax.tensor<[n, 4], f32>>
}
